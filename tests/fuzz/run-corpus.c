// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a fuzz target on every file of a folder: what a fuzzer once found is a test from then on. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

#include "fuzz.h"
#include "util.h"

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	unsigned int count = 0;

	if (!d) {
		fputs("usage: corpus-NAME DIRECTORY\n", stderr);
		return 2;
	}
	for (const struct dirent *e; (e = readdir(d));) {
		_cleanup_free_ char *data = NULL;
		size_t size;

		if (e->d_name[0] == '.')
			continue;
		if (file_read(fd, e->d_name, (size_t)1 << 20, &data, &size) < 0) {
			fprintf(stderr, "%s: cannot be read\n", e->d_name);
			return 1;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)data, size);
		count++;
	}
	closedir(d);
	printf("%u inputs\n", count);
	return count ? 0 : 1;
}
