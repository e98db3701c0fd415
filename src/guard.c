// SPDX-License-Identifier: GPL-2.0-or-later
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "util.h"

bool guard_may_load(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	return data[0].effective & (1U << CAP_SYS_MODULE);
}

int guard_lock(int rootfd, int *ret_fd)
{
	const char *name;
	_cleanup_close_ int dir = path_open_parent(rootfd, GUARD_LOCK_PATH, &name);

	if (dir < 0)
		return dir;
	*ret_fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*ret_fd < 0)
		return -errno;
	if (flock(*ret_fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 1 : -errno;
	return 0;
}
