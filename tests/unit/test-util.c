// SPDX-License-Identifier: GPL-2.0-or-later
/* Files below a root: nothing leads out of it, nothing hangs, a file is there whole or as it was.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "memtext.h"
#include "names.h"
#include "testlib.h"
#include "util.h"

/* Kernels before 5.6 have no openat2, and some sandboxes forbid it. */
static int openat2_error;
static int fail_writes, fail_renames;
static bool is_short; /* a read gives one byte at a time */
static int readdir_error;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);
ssize_t __real_read(int fd, void *data, size_t len);
ssize_t __wrap_read(int fd, void *data, size_t len);
struct dirent *__real_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d);
struct dirent *__wrap_readdir64(DIR *d);
int __real_renameat(int olddir, const char *old, int newdir, const char *new);
int __wrap_renameat(int olddir, const char *old, int newdir, const char *new);

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if (number == SYS_openat2 && openat2_error) {
		errno = openat2_error;
		return -1;
	}
	return __real_syscall(number, a, b, c, d, e, f);
}

/* The disk is full after a few bytes. */
ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (!fail_writes)
		return __real_write(fd, data, len);
	if (fail_writes == 1) {
		fail_writes = 2;
		return __real_write(fd, data, len > 3 ? 3 : len);
	}
	errno = ENOSPC;
	return -1;
}

ssize_t __wrap_read(int fd, void *data, size_t len)
{
	return __real_read(fd, data, is_short && len > 1 ? 1 : len);
}

struct dirent *__wrap_readdir(DIR *d)
{
	if (!readdir_error)
		return __real_readdir(d);
	errno = readdir_error;
	return NULL;
}

/* What it is called where files may be large. */
struct dirent *__wrap_readdir64(DIR *d)
{
	return __wrap_readdir(d);
}

int __wrap_renameat(int olddir, const char *old, int newdir, const char *new)
{
	if (!fail_renames)
		return __real_renameat(olddir, old, newdir, new);
	errno = EROFS;
	return -1;
}

static int reset(void **state)
{
	openat2_error = fail_writes = fail_renames = readdir_error = 0;
	is_short = false;
	return teardown_tree(state);
}

#define util_test(f) cmocka_unit_test_setup_teardown(f, setup_tree, reset)

static void is_line(const struct tree *t, const char *path, const char *expected)
{
	char line[64];

	assert_int_equal(file_read_line(t->fd, path, line, sizeof(line)), 0);
	assert_string_equal(line, expected);
}

static void stays_in_root(void **state)
{
	struct tree *t = *state, outside;
	char target[128];

	needs_openat2();
	tree_make(&outside);
	tree_file(&outside, "secret", "outside\n");
	tree_file(t, "inside", "inside\n");
	tree_dir(t, "a/b");
	/* Absolute links and too many ".." mean the root, as they would on the machine itself. */
	tree_link(t, "absolute", "/inside");
	tree_link(t, "a/b/up", "../../../../../../inside");
	(void)snprintf(target, sizeof(target), "%s/secret", outside.path);
	tree_link(t, "out", target);
	tree_link(t, "loop", "loop");

	is_line(t, "absolute", "inside");
	is_line(t, "a/b/up", "inside");
	is_line(t, "a/../../../inside", "inside");
	assert_int_equal(path_open(t->fd, "out", O_RDONLY), -ENOENT);
	assert_int_equal(path_open(t->fd, "loop", O_RDONLY), -ELOOP);
	assert_int_equal(path_open(t->fd, "proc/self/root", O_RDONLY), -ENOENT);
	tree_remove(&outside);
}

static void no_openat2_follows_no_link(void **state)
{
	static const int errors[] = { ENOSYS, EPERM };
	struct tree *t = *state;
	char line[8];

	tree_file(t, "a/inside", "inside\n");
	tree_link(t, "link", "a/inside");
	tree_link(t, "dir", "a");
	tree_link(t, "out", "/etc");
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		openat2_error = errors[i];
		is_line(t, "a/inside", "inside");
		is_line(t, "a//inside", "inside");
		assert_int_equal(path_open(t->fd, "link", O_RDONLY), -ELOOP);
		assert_int_equal(path_open(t->fd, "dir/inside", O_RDONLY), -ENOTDIR);
		assert_int_equal(path_open(t->fd, "out/passwd", O_RDONLY), -ENOTDIR);
		assert_int_equal(path_open(t->fd, "a/../a/inside", O_RDONLY), -EXDEV);
		assert_int_equal(path_open(t->fd, "..", O_RDONLY), -EXDEV);
		assert_int_equal(path_open(t->fd, "", O_RDONLY), -EINVAL);
		assert_int_equal(file_read_line(t->fd, "nothing/x", line, sizeof(line)), -ENOENT);
		assert_int_equal(file_write_atomic(t->fd, "new/dir/file", "x\n"), i ? 0 : 1);
	}
}

/* The running system's own root is what it is: there is no outside, links are as good as files. */
static void no_openat2_on_the_live_root(void **state)
{
	_cleanup_close_ int slash = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct tree *t = *state;
	char path[128];
	int fd;

	tree_file(t, "file", "inside\n");
	tree_link(t, "link", "file");
	(void)snprintf(path, sizeof(path), "%s/link", t->path + 1);
	openat2_error = ENOSYS;
	fd = path_open(slash, path, O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
}

static void odd_files(void **state)
{
	struct tree *t = *state;
	_cleanup_free_ char *text = NULL;
	char line[8];
	size_t len;

	tree_dir(t, "dir");
	tree_fifo(t, "fifo");
	tree_file(t, "empty", "");
	tree_bytes(t, "nul", "a\0b", 3);
	assert_int_equal(file_read(t->fd, "dir", 10, &text, NULL), -EISDIR);
	assert_int_equal(file_read(t->fd, "fifo", 10, &text, NULL), -EINVAL);
	assert_int_equal(file_read(t->fd, "none", 10, &text, NULL), -ENOENT);
	assert_int_equal(file_read(t->fd, "empty/x", 10, &text, NULL), -ENOTDIR);
	assert_int_equal(file_read_line(t->fd, "fifo", line, sizeof(line)), -EINVAL);
	assert_null(text);
	assert_int_equal(file_read(t->fd, "nul", 10, &text, &len), 0);
	assert_int_equal(len, 3);
	assert_memory_equal(text, "a\0b\0", 4);
	is_line(t, "empty", "");
}

/* One byte less, just enough, one byte more; also beyond the first block of 4,096. */
static void sizes(void **state)
{
	static const size_t limits[] = { 1, 2, 4094, 4095, 4096, 4097, 8192, 10000 };
	struct tree *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		size_t max = limits[i];
		_cleanup_free_ char *data = malloc(max + 1);

		assert_non_null(data);
		memset(data, 'x', max + 1);
		for (size_t len = max - 1; len <= max + 1; len++) {
			_cleanup_free_ char *text = NULL;
			size_t got = 0;
			int r;

			tree_bytes(t, "f", data, len);
			r = file_read(t->fd, "f", max, &text, &got);
			assert_int_equal(r, len > max ? -EFBIG : 0);
			if (r == 0) {
				assert_int_equal(got, len);
				assert_int_equal(strlen(text), len);
			} else {
				assert_null(text);
			}
		}
	}
	{
		_cleanup_free_ char *text = NULL;

		tree_file(t, "f", "");
		assert_int_equal(file_read(t->fd, "f", 0, &text, NULL), 0);
		assert_string_equal(text, "");
	}
}

static void until_a_mark(void **state)
{
	struct tree *t = *state;
	_cleanup_free_ char *big = malloc(300001), *text = NULL, *cut = NULL;

	assert_non_null(big);
	memset(big, 'x', 300000);
	big[300000] = '\0';
	tree_file(t, "f", big);
	assert_int_equal(file_read_until(t->fd, "f", 10000, "\n\n", &cut), 0);
	assert_in_range(strlen(cut), 10000, 10001);
	memcpy(big + 4094, "\n\n", 2); /* across the edge of the first block */
	tree_file(t, "f", big);
	assert_int_equal(file_read_until(t->fd, "f", 100000, "\n\n", &text), 0);
	assert_in_range(strlen(text), 4096, 16384);
}

static void lines(void **state)
{
	struct tree *t = *state;
	char line[8];

	tree_file(t, "f", "1234567\nmore");
	is_line(t, "f", "1234567");
	assert_int_equal(file_read_line(t->fd, "f", line, 8), 0);
	tree_file(t, "f", "12345678\n");
	assert_int_equal(file_read_line(t->fd, "f", line, 8), -EFBIG);
	tree_file(t, "f", "12345678");
	assert_int_equal(file_read_line(t->fd, "f", line, 8), -EFBIG);
	tree_file(t, "f", "1234567");
	assert_int_equal(file_read_line(t->fd, "f", line, 8), 0);
	assert_string_equal(line, "1234567");
}

static void is_content(const struct tree *t, const char *path, const char *expected)
{
	_cleanup_free_ char *text = tree_read(t, path);

	assert_non_null(text);
	assert_string_equal(text, expected);
}

static void write_is_idempotent(void **state)
{
	struct tree *t = *state;
	struct stat before, after;

	assert_int_equal(file_write_atomic(t->fd, "run/a/b", "one\n"), 1);
	is_content(t, "run/a/b", "one\n");
	assert_int_equal(fstatat(t->fd, "run/a/b", &before, 0), 0);
	assert_int_equal(before.st_mode & 07777, 0644);
	assert_int_equal(file_write_atomic(t->fd, "run/a/b", "one\n"), 0);
	assert_int_equal(fstatat(t->fd, "run/a/b", &after, 0), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	/* Shorter, longer, and the same start: all of them are other files. */
	assert_int_equal(file_write_atomic(t->fd, "run/a/b", "one\ntwo\n"), 1);
	is_content(t, "run/a/b", "one\ntwo\n");
	assert_int_equal(file_write_atomic(t->fd, "run/a/b", "on"), 1);
	is_content(t, "run/a/b", "on");
	tree_bytes(t, "run/a/b", "on\0", 3);
	assert_int_equal(file_write_atomic(t->fd, "run/a/b", "on"), 1);
	is_content(t, "run/a/b", "on");
	assert_int_equal(tree_count(t, "run/a"), 1);
}

static void write_mode_is_for_all(void **state)
{
	struct tree *t = *state;
	struct stat st;
	mode_t mask = umask(0077);
	int r = file_write_atomic(t->fd, "run/modprobe.d/f", "x\n");

	umask(mask);
	assert_int_equal(r, 1);
	assert_int_equal(fstatat(t->fd, "run/modprobe.d/f", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(fstatat(t->fd, "run/modprobe.d", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(fstatat(t->fd, "run", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
}

static void failed_write_leaves_the_old(void **state)
{
	struct tree *t = *state;

	tree_file(t, "run/f", "old\n");
	fail_writes = 1;
	assert_int_equal(file_write_atomic(t->fd, "run/f", "new, and longer\n"), -ENOSPC);
	fail_writes = 0;
	is_content(t, "run/f", "old\n");
	assert_int_equal(tree_count(t, "run"), 1);
	fail_renames = 1;
	assert_int_equal(file_write_atomic(t->fd, "run/f", "new\n"), -EROFS);
	is_content(t, "run/f", "old\n");
	assert_int_equal(tree_count(t, "run"), 1);
}

static void write_over_what_is_in_the_way(void **state)
{
	struct tree *t = *state, outside;
	char target[128];

	/* What a crashed run left is taken over; a link in its place is not written through. */
	tree_make(&outside);
	tree_file(&outside, "victim", "untouched\n");
	(void)snprintf(target, sizeof(target), "%s/victim", outside.path);
	tree_link(t, "run/.f.tmp", target);
	tree_link(t, "run/f", target);
	assert_int_equal(file_write_atomic(t->fd, "run/f", "new\n"), 1);
	is_content(t, "run/f", "new\n");
	is_content(&outside, "victim", "untouched\n");
	assert_int_equal(tree_count(t, "run"), 1);
	tree_remove(&outside);

	tree_dir(t, "run/d");
	assert_int_equal(file_write_atomic(t->fd, "run/d", "x\n"), -EISDIR);
	assert_int_equal(tree_count(t, "run"), 2);
	tree_dir(t, "run/.e.tmp");
	assert_true(file_write_atomic(t->fd, "run/e", "x\n") < 0);
	assert_int_equal(file_write_atomic(t->fd, "run/f/x", "x\n"), -ENOTDIR);
}

static void removing(void **state)
{
	struct tree *t = *state;

	tree_file(t, "run/f", "x");
	tree_dir(t, "run/d");
	tree_link(t, "run/l", "f");
	assert_int_equal(file_remove(t->fd, "run/l"), 1);
	is_content(t, "run/f", "x");
	assert_int_equal(file_remove(t->fd, "run/f"), 1);
	assert_int_equal(file_remove(t->fd, "run/f"), 0);
	assert_int_equal(file_remove(t->fd, "nothing/f"), 0);
	assert_int_equal(file_remove(t->fd, "run/d"), -EISDIR);
}

static void existence(void **state)
{
	struct tree *t = *state;

	tree_file(t, "f", "x");
	tree_link(t, "dangling", "/no/such/thing");
	assert_int_equal(path_exists(t->fd, "f"), 1);
	assert_int_equal(path_exists(t->fd, "dangling"), 1);
	assert_int_equal(path_exists(t->fd, "none"), 0);
	assert_int_equal(path_exists(t->fd, "f/none"), 0);
}

static void names(void **state)
{
	char long_name[300];

	(void)state;
	assert_true(name_equal("acpi-cpufreq", "acpi_cpufreq"));
	assert_true(name_equal("", ""));
	assert_false(name_equal("acpi_cpufreq", "acpi_cpufre"));
	assert_false(name_equal("acpi_cpufre", "acpi_cpufreq"));
	assert_false(name_equal("ACPI_cpufreq", "acpi_cpufreq"));
	assert_true(name_match("acpi-*", "acpi_cpufreq"));
	assert_true(name_match("*", "x"));
	assert_true(name_match("powernow[_-]k[6-8]", "powernow-k7"));
	assert_false(name_match("powernow[_-]k[6-8]", "powernow-k5"));
	assert_false(name_match("acpi", "acpi_cpufreq"));
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_false(name_match(long_name, long_name));
	assert_true(name_equal(long_name, long_name));
}

static void strings(void **state)
{
	char buf[4] = "zzz", text[] = "a\tb\x1b[0m\x7f\xc3\xa4~ ";

	(void)state;
	str_copy(buf, sizeof(buf), "ab");
	assert_string_equal(buf, "ab");
	str_copy(buf, sizeof(buf), "abcdef");
	assert_string_equal(buf, "abc");
	str_copy(buf, 1, "abc");
	assert_string_equal(buf, "");
	str_printable(text);
	assert_string_equal(text, "a?b?[0m???~ ");
}

/* Found by tests/faults: the first bytes of a boot id were taken for one. */
static void short_reads(void **state)
{
	struct tree *t = *state;
	_cleanup_free_ char *text = NULL;
	char line[8];

	is_short = true;
	tree_file(t, "line", "inside\nmore\n");
	is_line(t, "line", "inside");
	tree_file(t, "no-newline", "inside");
	is_line(t, "no-newline", "inside");
	tree_file(t, "long", "12345678\n");
	assert_int_equal(file_read_line(t->fd, "long", line, sizeof(line)), -EFBIG);
	assert_int_equal(file_read(t->fd, "line", 64, &text, NULL), 0);
	assert_string_equal(text, "inside\nmore\n");
}

static void directories(void **state)
{
	struct tree *t = *state;
	int error = 1, count = 0;
	DIR *d;

	tree_file(t, "dir/file", "");
	d = fdopendir(path_open(t->fd, "dir", O_RDONLY | O_DIRECTORY));
	assert_non_null(d);
	while (dir_next(d, &error))
		count++;
	assert_int_equal(count, 3); /* "." and ".." among them */
	assert_int_equal(error, 0);
	rewinddir(d);
	readdir_error = EIO;
	assert_null(dir_next(d, &error));
	assert_int_equal(error, -EIO);
	closedir(d);
}

/* A stream that could not take all of its text does not pass for a whole one. */
static void streams(void **state)
{
	_cleanup_free_ char *text = NULL;
	char small[4], *none = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	fputs("all", out);
	assert_int_equal(text_end(out, &text), 0);
	assert_string_equal(text, "all");
	out = fmemopen(small, sizeof(small), "w");
	assert_non_null(out);
	fputs("too much", out);
	fflush(out);
	assert_int_equal(text_end(out, &text), -ENOMEM);
	/* Nor does one that has none. */
	out = fmemopen(small, sizeof(small), "w");
	assert_non_null(out);
	assert_int_equal(text_end(out, &none), -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		util_test(stays_in_root),
		util_test(no_openat2_follows_no_link),
		util_test(no_openat2_on_the_live_root),
		util_test(odd_files),
		util_test(sizes),
		util_test(until_a_mark),
		util_test(lines),
		util_test(write_is_idempotent),
		util_test(write_mode_is_for_all),
		util_test(failed_write_leaves_the_old),
		util_test(write_over_what_is_in_the_way),
		util_test(removing),
		util_test(existence),
		util_test(short_reads),
		util_test(directories),
		cmocka_unit_test(streams),
		cmocka_unit_test(names),
		cmocka_unit_test(strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
