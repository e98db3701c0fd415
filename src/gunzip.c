// SPDX-License-Identifier: GPL-2.0-or-later
#include "gunzip.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "util.h"

/* What is used of zlib.h, whose ABI has been the same since 1.2. */
struct zlib {
	void *library;
	void *(*open)(int fd, const char *mode);
	int (*read)(void *file, void *buf, unsigned int size);
	int (*close)(void *file);
};

static int zlib_load(struct zlib *ret)
{
	void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return -EOPNOTSUPP;
	ret->library = library;
	*(void **)&ret->open = dlsym(library, "gzdopen");
	*(void **)&ret->read = dlsym(library, "gzread");
	*(void **)&ret->close = dlsym(library, "gzclose");
	if (ret->open && ret->read && ret->close)
		return 0;
	dlclose(library);
	return -EOPNOTSUPP;
}

/* Reads @file to its end and closes it. */
static int unpack(const struct zlib *z, void *file, size_t max, char **ret)
{
	_cleanup_free_ char *text = malloc(max + 1);
	size_t size = 0;
	int n = text ? 1 : -1;

	while (size < max && n > 0) {
		n = z->read(file, text + size, (unsigned int)(max - size));
		size += n > 0 ? (size_t)n : 0;
	}
	/* More, or the end of a file that is as long as that. */
	if (n > 0)
		n = z->read(file, &(char){ 0 }, 1) == 0 ? 0 : 1;
	/* A file that was cut ends without an error, which close tells then. */
	if (z->close(file) != 0 && n == 0)
		n = -1;
	if (!text)
		return -ENOMEM;
	if (n != 0)
		return n > 0 ? -EFBIG : -EILSEQ;
	text[size] = '\0';
	*ret = TAKE_PTR(text);
	return 0;
}

int gunzip_read(int rootfd, const char *path, size_t max, char **ret)
{
	int fd = path_open(rootfd, path, O_RDONLY | O_NONBLOCK), r;
	struct zlib z;
	void *file;

	if (fd < 0)
		return fd;
	r = zlib_load(&z);
	if (r < 0) {
		close(fd);
		return r;
	}
	file = z.open(fd, "r");
	if (file) {
		r = unpack(&z, file, max, ret); /* which closes fd, too */
	} else {
		close(fd);
		r = -ENOMEM;
	}
	dlclose(z.library);
	return r;
}
