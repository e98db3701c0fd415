/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_GUNZIP_H
#define CPUFREQ_RESOLVE_GUNZIP_H

/* Files that gzip made, by the system's zlib if there is one. */

#include <stddef.h>

#include "macro.h"

/**
 * gunzip_read() - Read a whole file below the root that gzip made
 * @rootfd: the root directory
 * @path: relative to the root
 * @max: bytes at most, once unpacked
 * @ret: the content with a NUL behind it, to be freed; set only on success
 *
 * zlib is looked for at run time: the program is not linked to it, as an initramfs has no other use
 * for it and nothing that runs there reads such a file.
 *
 * Return: 0, -EFBIG if there is more than @max, -EILSEQ if it is damaged, -EOPNOTSUPP without zlib,
 * or -errno.
 */
int gunzip_read(int rootfd, const char *path, size_t max, char **ret) _must_check_;

#endif
