// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of any length out of files of any length. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "input.h"
#include "testlib.h"

static int file_of(const char *data, size_t len)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void expect_line(struct input *input, const char *expected, bool is_cut)
{
	char *line;
	size_t len;
	bool cut;

	assert_int_equal(input_line(input, &line, &len, &cut), 1);
	assert_int_equal(len, strlen(expected));
	assert_memory_equal(line, expected, len);
	assert_int_equal(cut, is_cut);
}

static void expect_end(struct input *input, int expected)
{
	char *line;
	size_t len;
	bool cut;

	assert_int_equal(input_line(input, &line, &len, &cut), expected);
}

static void lines(void **state)
{
	_cleanup_close_ int fd = file_of("a\n\nbc\nlast", 10);
	struct input *input;

	(void)state;
	assert_int_equal(input_open(fd, &input), 0);
	expect_line(input, "a", false);
	expect_line(input, "", false);
	expect_line(input, "bc", false);
	expect_line(input, "last", true);
	expect_end(input, 0);
	expect_end(input, 0);
	input_close(input);
}

static void empty(void **state)
{
	_cleanup_close_ int fd = file_of("", 0);
	struct input *input;

	(void)state;
	assert_int_equal(input_open(fd, &input), 0);
	expect_end(input, 0);
	input_close(input);
}

/* Every length around the sizes of the buffers, and the line behind the long one is whole again. */
static void long_lines(void **state)
{
	static const size_t lengths[] = { INPUT_LINE_MAX - 1,     INPUT_LINE_MAX,
					  INPUT_LINE_MAX + 1,     INPUT_LINE_MAX * 2,
					  INPUT_LINE_MAX * 4 - 1, INPUT_LINE_MAX * 4,
					  INPUT_LINE_MAX * 4 + 1, INPUT_LINE_MAX * 9 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		_cleanup_free_ char *data = malloc(lengths[i] + 16);
		_cleanup_close_ int fd = -1;
		struct input *input;
		size_t len;
		char *line;
		bool cut;

		assert_non_null(data);
		memcpy(data, "one\n", 4);
		memset(data + 4, 'x', lengths[i]);
		memcpy(data + 4 + lengths[i], "\ntwo\n", 5);
		fd = file_of(data, lengths[i] + 9);
		assert_int_equal(input_open(fd, &input), 0);
		expect_line(input, "one", false);
		assert_int_equal(input_line(input, &line, &len, &cut), 1);
		assert_int_equal(len, lengths[i] < INPUT_LINE_MAX ? lengths[i] : INPUT_LINE_MAX);
		assert_int_equal(cut, lengths[i] > INPUT_LINE_MAX);
		expect_line(input, "two", false);
		expect_end(input, 0);
		assert_int_equal(input_total(input), lengths[i] + 9);
		input_close(input);
	}
}

static void bytes(void **state)
{
	_cleanup_close_ int fd = file_of("KEY\n\0\1\2\3end\nmore", 16);
	struct input *input;
	char buf[4];

	(void)state;
	assert_int_equal(input_open(fd, &input), 0);
	expect_line(input, "KEY", false);
	assert_int_equal(input_bytes(input, buf, 2, 4), 2);
	assert_memory_equal(buf, "\0\1", 2);
	expect_line(input, "end", false);
	assert_int_equal(input_bytes(input, buf, sizeof(buf), UINT64_MAX), -EPIPE);
	input_close(input);
}

/* A pipe that gives one byte at a time. */
static void pipe_of_bytes(void **state)
{
	struct input *input;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "\x1f", 1), 1);
	close(fds[1]);
	assert_int_equal(input_open(fds[0], &input), 0);
	expect_line(input, "\x1f", true);
	input_close(input);
	close(fds[0]);
}

static void unsupported(void **state)
{
	_cleanup_close_ int fd = file_of("BZh91AY&SY", 10);
	struct input *input;

	(void)state;
	assert_int_equal(input_open(fd, &input), -ENOSYS);
}

static void damaged(void **state)
{
	static const char *const heads[] = { "\x1f\x8b\x08\x01\x01\x01\x01\x01\x01\x01\x01",
					     "\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		_cleanup_close_ int fd = file_of(heads[i], 11);
		struct input *input;

		assert_int_equal(input_open(fd, &input), 0);
		expect_end(input, -EBADMSG);
		input_close(input);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),         cmocka_unit_test(empty),
		cmocka_unit_test(long_lines),    cmocka_unit_test(bytes),
		cmocka_unit_test(pipe_of_bytes), cmocka_unit_test(unsupported),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
