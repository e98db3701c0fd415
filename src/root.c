// SPDX-License-Identifier: GPL-2.0-or-later
#include "root.h"

#include <errno.h>
#include <sys/stat.h>

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int root_is_live(int rootfd)
{
	struct stat root, ours;

	if (fstat(rootfd, &root) < 0 || stat("/", &ours) < 0)
		return -errno;
	return is_same(&root, &ours);
}

bool root_is_chroot(void)
{
	struct stat ours, init;

	/* Readable for root alone, who alone could do harm. */
	return stat("/", &ours) == 0 && stat("/proc/1/root", &init) == 0 && !is_same(&ours, &init);
}
