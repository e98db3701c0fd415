// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may load, and who waits for whom. What the kernel says of either is this file's own. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guard.h"
#include "testlib.h"

#define CALLS_MAX 8

static struct {
	uint32_t effective;
	int capget_error;
	/* What flock() answers, in order, then 0; and what it was asked. */
	int lock_errors[CALLS_MAX];
	int operations[CALLS_MAX];
	unsigned int locks, alarms;
	unsigned int seconds[CALLS_MAX];
} world;

long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
int __wrap_flock(int fd, int operation);
unsigned int __wrap_alarm(unsigned int seconds);

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	struct __user_cap_data_struct *data = (void *)b;

	if (number != SYS_capget)
		return __real_syscall(number, a, b, c, d, e, f);
	/* Half an answer may be there when it fails. */
	data[0].effective = world.effective;
	errno = world.capget_error;
	return world.capget_error ? -1 : 0;
}

int __wrap_flock(int fd, int operation)
{
	assert_true(fd >= 0);
	assert_true(world.locks < CALLS_MAX);
	world.operations[world.locks] = operation;
	if (!world.lock_errors[world.locks]) {
		/* What an earlier call left there is no answer. */
		errno = EWOULDBLOCK;
		world.locks++;
		return 0;
	}
	errno = world.lock_errors[world.locks++];
	return -1;
}

unsigned int __wrap_alarm(unsigned int seconds)
{
	assert_true(world.alarms < CALLS_MAX);
	world.seconds[world.alarms++] = seconds;
	return 0;
}

static int setup(void **state)
{
	memset(&world, 0, sizeof(world));
	return setup_tree(state);
}

#define guard_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown_tree)

static void right_to_load(void **state)
{
	(void)state;
	world.effective = 1U << CAP_SYS_MODULE;
	assert_true(guard_may_load());
	world.effective = UINT32_MAX;
	assert_true(guard_may_load());
	world.capget_error = EPERM;
	assert_false(guard_may_load());
	world.capget_error = 0;
	world.effective = ~(1U << CAP_SYS_MODULE);
	assert_false(guard_may_load());
	world.effective = 0;
	assert_false(guard_may_load());
}

static void is_lock_file(const struct tree *t, const char *path)
{
	struct stat st;

	assert_int_equal(fstatat(t->fd, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, 0);
}

/* Whoever comes second goes away: a boot does not wait. */
static void lock_of_apply(void **state)
{
	static const struct {
		int error, result;
	} cases[] = { { 0, 0 }, { EWOULDBLOCK, 1 }, { EINTR, -EINTR }, { ENOLCK, -ENOLCK } };
	const struct tree *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = -1;

		world.locks = 0;
		world.lock_errors[0] = cases[i].error;
		assert_int_equal(guard_lock(t->fd, &fd), cases[i].result);
		assert_true(fd >= 0);
		/* No program that libkmod starts may hold on to it. */
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		close(fd);
		assert_int_equal(world.locks, 1);
		assert_int_equal(world.operations[0], LOCK_EX | LOCK_NB);
	}
	assert_int_equal(world.alarms, 0);
	is_lock_file(t, GUARD_LOCK_PATH);
}

/* Two CPUs' events may come at once: the second waits, but not for ever. */
static void lock_of_load(void **state)
{
	const struct tree *t = *state;
	int fd = -1;

	world.lock_errors[0] = EINTR;
	world.lock_errors[1] = EINTR;
	/* Whoever started us may have had the alarm ignored. */
	assert_true(signal(SIGALRM, SIG_IGN) != SIG_ERR);
	assert_int_equal(guard_lock_load(t->fd, &fd), 0);
	assert_true(signal(SIGALRM, SIG_DFL) == SIG_DFL);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(world.locks, 3);
	for (unsigned int i = 0; i < world.locks; i++)
		assert_int_equal(world.operations[i], LOCK_EX);
	assert_int_equal(world.alarms, 2);
	assert_int_equal(world.seconds[0], 60);
	assert_int_equal(world.seconds[1], 0);
	is_lock_file(t, GUARD_LOAD_LOCK_PATH);

	world.locks = world.alarms = 0;
	world.lock_errors[0] = ENOLCK;
	fd = -1;
	assert_int_equal(guard_lock_load(t->fd, &fd), -ENOLCK);
	close(fd);
	assert_int_equal(world.locks, 1);
	assert_int_equal(world.alarms, 2);
	assert_int_equal(world.seconds[1], 0);
}

/* A link in its place is not followed, and nothing is locked. */
static void lock_is_no_link(void **state)
{
	const struct tree *t = *state;
	int fd = -1;

	tree_file(t, "elsewhere", "");
	tree_link(t, GUARD_LOCK_PATH, "../../elsewhere");
	tree_link(t, GUARD_LOAD_LOCK_PATH, "../../elsewhere");
	assert_int_equal(guard_lock(t->fd, &fd), -ELOOP);
	assert_int_equal(guard_lock_load(t->fd, &fd), -ELOOP);
	assert_int_equal(fd, -1);
	assert_int_equal(world.locks, 0);
	assert_int_equal(world.alarms, 0);
}

/* Where standard input is closed the folder's descriptor is 0, which is as good as any. */
static void descriptor_zero(void **state)
{
	const struct tree *t = *state;
	int saved = dup(0), fd = -1, r;
	struct stat st = { 0 }, expected;

	assert_true(saved > 0);
	close(0);
	/* It may be 0 itself, which is to be standard input again. */
	r = guard_lock(t->fd, &fd);
	(void)fstat(fd, &st);
	close(fd);
	dup2(saved, 0);
	close(saved);
	assert_int_equal(r, 0);
	assert_int_equal(fstatat(t->fd, GUARD_LOCK_PATH, &expected, 0), 0);
	assert_int_equal(st.st_ino, expected.st_ino);
}

static void nowhere_to_lock(void **state)
{
	const struct tree *t = *state;
	int fd = -1;

	tree_file(t, "run", "");
	assert_int_equal(guard_lock(t->fd, &fd), -ENOTDIR);
	assert_int_equal(guard_lock_load(t->fd, &fd), -ENOTDIR);
	assert_int_equal(fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_to_load), guard_test(lock_of_apply),
		guard_test(lock_of_load),        guard_test(lock_is_no_link),
		guard_test(descriptor_zero),     guard_test(nowhere_to_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
