// SPDX-License-Identifier: GPL-2.0-or-later
#include "testlib.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

static void full_path(const struct tree *t, const char *path, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s/%s", t->path, path);

	assert_true(n > 0 && (size_t)n < size);
}

static void make_parents(char *path, size_t from)
{
	for (char *s = path + from; (s = strchr(s, '/')); s++) {
		*s = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*s = '/';
	}
}

void tree_make(struct tree *t)
{
	const char *tmp = getenv("TMPDIR");
	int n = snprintf(t->path, sizeof(t->path), "%s/cpufreq-resolve.XXXXXX", tmp ? tmp : "/tmp");

	assert_true(n > 0 && (size_t)n < sizeof(t->path));
	assert_non_null(mkdtemp(t->path));
	t->fd = open(t->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(t->fd >= 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

void tree_remove(struct tree *t)
{
	close(t->fd);
	assert_int_equal(nftw(t->path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void tree_dir(const struct tree *t, const char *path)
{
	char full[512];

	full_path(t, path, full, sizeof(full));
	make_parents(full, strlen(t->path) + 1);
	assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
}

void tree_bytes(const struct tree *t, const char *path, const void *data, size_t len)
{
	char full[512];
	int fd;

	full_path(t, path, full, sizeof(full));
	make_parents(full, strlen(t->path) + 1);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
}

void tree_file(const struct tree *t, const char *path, const char *content)
{
	tree_bytes(t, path, content, strlen(content));
}

void tree_link(const struct tree *t, const char *path, const char *target)
{
	char full[512];

	full_path(t, path, full, sizeof(full));
	make_parents(full, strlen(t->path) + 1);
	assert_int_equal(symlink(target, full), 0);
}

void tree_fifo(const struct tree *t, const char *path)
{
	char full[512];

	full_path(t, path, full, sizeof(full));
	make_parents(full, strlen(t->path) + 1);
	assert_int_equal(mkfifo(full, 0644), 0);
}

void tree_unlink(const struct tree *t, const char *path)
{
	char full[512];

	full_path(t, path, full, sizeof(full));
	assert_int_equal(unlink(full), 0);
}

char *tree_read(const struct tree *t, const char *path)
{
	char full[512], *text = NULL;
	size_t len = 0, size = 0;
	FILE *f;
	int c;

	full_path(t, path, full, sizeof(full));
	f = fopen(full, "re");
	if (!f)
		return NULL;
	while ((c = fgetc(f)) != EOF) {
		if (len + 2 > size) {
			size = size ? size * 2 : 256;
			text = realloc(text, size);
			assert_non_null(text);
		}
		text[len++] = (char)c;
	}
	fclose(f);
	if (!text)
		return strdup("");
	text[len] = '\0';
	return text;
}

unsigned int tree_count(const struct tree *t, const char *path)
{
	unsigned int count = 0;
	char full[512];
	DIR *d;

	full_path(t, path, full, sizeof(full));
	d = opendir(full);
	assert_non_null(d);
	for (const struct dirent *e; (e = readdir(d));)
		count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return count;
}

int setup_tree(void **state)
{
	struct tree *t = malloc(sizeof(*t));

	if (!t)
		return -1;
	tree_make(t);
	*state = t;
	return 0;
}

int teardown_tree(void **state)
{
	struct tree *t = *state;

	tree_remove(t);
	free(t);
	return 0;
}

void needs_openat2(void)
{
	if (getenv("WITHOUT_OPENAT2"))
		skip();
}
