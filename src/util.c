// SPDX-License-Identifier: GPL-2.0-or-later
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "root.h"

#define NAME_BUF 256

/* The way for kernels without openat2: no link is followed at all. */
static int open_by_component(int rootfd, const char *path, int flags)
{
	_cleanup_close_ int dir = fcntl(rootfd, F_DUPFD_CLOEXEC, 3);
	char part[NAME_BUF];

	if (dir < 0)
		return -errno;
	for (;;) {
		size_t len = strcspn(path, "/");
		int next;

		if (len == 0 || len >= sizeof(part))
			return len ? -ENAMETOOLONG : -EINVAL;
		memcpy(part, path, len);
		part[len] = '\0';
		if (strcmp(part, "..") == 0)
			return -EXDEV;
		path += len + strspn(path + len, "/");
		next = openat(dir, part,
			      *path ? O_PATH | O_NOFOLLOW | O_CLOEXEC : flags | O_NOFOLLOW, 0644);
		if (next < 0 || !*path)
			return next < 0 ? -errno : next;
		close(dir);
		dir = next;
	}
}

int path_open(int rootfd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)(flags | O_CLOEXEC | ((flags & O_PATH) ? 0 : O_NOCTTY)),
		.mode = (flags & O_CREAT) ? 0644 : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	/* -EAGAIN: somebody renamed below us and the kernel could not rule out an escape. */
	for (int tries = 0; tries < 8; tries++) {
		fd = syscall(SYS_openat2, rootfd, path, &how, sizeof(how));
		if (fd >= 0)
			return (int)fd;
		if (errno != EAGAIN)
			break;
	}
	if (errno != ENOSYS && errno != EPERM)
		return -errno;
	if (root_is_live(rootfd) != 1)
		return open_by_component(rootfd, path, (int)how.flags);
	/* There is no outside, and on the machine itself a link is what it says. */
	fd = openat(rootfd, path, (int)how.flags, 0644);
	return fd < 0 ? -errno : (int)fd;
}

static int open_regular(int rootfd, const char *path, int *ret)
{
	_cleanup_close_ int fd = path_open(rootfd, path, O_RDONLY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*ret = TAKE_FD(fd);
	return 0;
}

static int read_fd(int fd, size_t max, const char *mark, char **ret, size_t *ret_len)
{
	_cleanup_free_ char *buf = NULL;
	size_t size = 0, len = 0;

	for (;;) {
		ssize_t n;

		if (size - len < 2) {
			size_t want = size ? size * 2 : 4096;
			char *bigger;

			if (want > max + 2)
				want = max + 2;
			if (want <= size)
				return -EFBIG;
			bigger = realloc(buf, want);
			if (!bigger)
				return -ENOMEM;
			buf = bigger;
			size = want;
		}
		n = read(fd, buf + len, size - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		buf[len] = '\0';
		if (n == 0)
			break;
		if (mark && (strstr(buf, mark) || len >= max))
			break;
		if (len > max)
			return -EFBIG;
	}
	*ret = TAKE_PTR(buf);
	if (ret_len)
		*ret_len = len;
	return 0;
}

int file_read(int rootfd, const char *path, size_t max, char **ret, size_t *ret_len)
{
	_cleanup_close_ int fd = -1;
	int r = open_regular(rootfd, path, &fd);

	return r < 0 ? r : read_fd(fd, max, NULL, ret, ret_len);
}

int file_read_until(int rootfd, const char *path, size_t max, const char *mark, char **ret)
{
	_cleanup_close_ int fd = -1;
	int r = open_regular(rootfd, path, &fd);

	return r < 0 ? r : read_fd(fd, max, mark, ret, NULL);
}

int file_read_line(int rootfd, const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = -1;
	size_t len = 0;
	char *end = NULL;
	int r;

	r = open_regular(rootfd, path, &fd);
	if (r < 0)
		return r;
	/* A read may be short, and half a line looks like one. */
	while (!end && len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		end = memchr(buf + len, '\n', (size_t)n);
		len += (size_t)n;
	}
	if (!end && len == size)
		return -EFBIG;
	if (!end)
		end = buf + len;
	*end = '\0';
	return 0;
}

int path_open_parent(int rootfd, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *dir = NULL;
	int fd;

	*ret_name = slash ? slash + 1 : path;
	if (!slash)
		return path_open(rootfd, ".", O_PATH | O_DIRECTORY);
	dir = strndup(path, (size_t)(slash - path));
	if (!dir)
		return -ENOMEM;
	fd = path_open(rootfd, dir, O_RDONLY | O_DIRECTORY);
	if (fd == -ENOENT) {
		const char *name;
		_cleanup_close_ int parent = path_open_parent(rootfd, dir, &name);

		if (parent < 0)
			return parent;
		if (mkdirat(parent, name, 0755) < 0 && errno != EEXIST)
			return -errno;
		/* A umask is the caller's, but these directories are for everybody to read. */
		fd = path_open(rootfd, dir, O_RDONLY | O_DIRECTORY);
		if (fd >= 0)
			(void)fchmod(fd, 0755);
	}
	return fd;
}

static int write_all(int fd, const char *s)
{
	size_t len = strlen(s);

	while (len > 0) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		s += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write_atomic(int rootfd, const char *path, const char *content)
{
	_cleanup_free_ char *old = NULL;
	_cleanup_close_ int dir = -1, fd = -1;
	char temp[NAME_BUF];
	const char *name;
	int r;

	if (file_read(rootfd, path, strlen(content), &old, NULL) == 0 && old &&
	    strcmp(old, content) == 0)
		return 0;
	dir = path_open_parent(rootfd, path, &name);
	if (dir < 0)
		return dir;
	/* No ".conf" at its end: libkmod must never read one that a crash left behind. */
	r = snprintf(temp, sizeof(temp), ".%s.tmp", name);
	if (r < 0 || (size_t)r >= sizeof(temp))
		return -ENAMETOOLONG;
	/* Only what a crashed run left; the lock keeps a second writer away. */
	if (unlinkat(dir, temp, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	r = write_all(fd, content);
	if (r == 0 && fchmod(fd, 0644) < 0)
		r = -errno;
	if (r == 0 && renameat(dir, temp, dir, name) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlinkat(dir, temp, 0);
		return r;
	}
	return 1;
}

int file_remove(int rootfd, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char dir[NAME_BUF];
	_cleanup_close_ int fd = -1;

	str_copy(dir, sizeof(dir), path);
	dir[name - 1 - path] = '\0';
	fd = path_open(rootfd, dir, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (unlinkat(fd, name, 0) < 0)
		return errno == ENOENT ? 0 : -errno;
	return 1;
}

int path_exists(int rootfd, const char *path)
{
	_cleanup_close_ int fd = path_open(rootfd, path, O_PATH | O_NOFOLLOW);

	if (fd >= 0)
		return 1;
	return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
}

const struct dirent *dir_next(DIR *d, int *ret_error)
{
	const struct dirent *e;

	errno = 0;
	e = readdir(d);
	*ret_error = e ? 0 : -errno;
	return e;
}

void str_copy(char *buf, size_t size, const char *s)
{
	size_t len = strnlen(s, size - 1);

	memcpy(buf, s, len);
	buf[len] = '\0';
}

void str_printable(char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
}
