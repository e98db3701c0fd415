// SPDX-License-Identifier: GPL-2.0-or-later
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "util.h"

#define LOAD_LOCK_SECONDS 60

bool guard_may_load(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	return data[0].effective & (1U << CAP_SYS_MODULE);
}

static int open_lock(int rootfd, const char *path)
{
	const char *name;
	_cleanup_close_ int dir = path_open_parent(rootfd, path, &name);
	int fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

int guard_lock(int rootfd, int *ret_fd)
{
	int fd = open_lock(rootfd, GUARD_LOCK_PATH);

	if (fd < 0)
		return fd;
	*ret_fd = fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 1 : -errno;
	return 0;
}

int guard_lock_load(int rootfd, int *ret_fd)
{
	int fd = open_lock(rootfd, GUARD_LOAD_LOCK_PATH), r = 0;

	if (fd < 0)
		return fd;
	(void)signal(SIGALRM, SIG_DFL);
	alarm(LOAD_LOCK_SECONDS);
	while (r == 0 && flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			r = -errno;
	alarm(0);
	*ret_fd = fd;
	return r;
}
