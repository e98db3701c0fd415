/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_UTIL_H
#define CPUFREQ_RESOLVE_UTIL_H

/* Files below a root directory, and nothing that knows of CPUs or modules. */

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "macro.h"

/**
 * path_open() - Open a file below the root
 * @rootfd: the root directory; absolute links and ".." stay inside it
 * @path: relative to the root, without a leading slash
 * @flags: as open(2); O_CLOEXEC and O_NOCTTY are added
 *
 * On kernels before 5.6 (no openat2) a root other than "/" is opened component by component, and a
 * symbolic link is refused, with -ENOTDIR on the way and -ELOOP at its end: better an answer less
 * than a file outside the root.
 *
 * Return: the descriptor, or -errno.
 */
int path_open(int rootfd, const char *path, int flags) _must_check_;

/**
 * path_open_parent() - Open the directory that a file stands in, making what is missing of it
 * @ret_name: the last component of @path
 *
 * Return: the descriptor, or -errno.
 */
int path_open_parent(int rootfd, const char *path, const char **ret_name) _must_check_;

/**
 * file_read() - Read a whole small file below the root
 * @rootfd: the root directory
 * @path: relative to the root
 * @max: bytes at most
 * @ret: the content with a NUL behind it, to be freed; set only on success
 * @ret_len: bytes read, may be NULL
 *
 * Opens without blocking, so that a fifo in a hostile tree cannot hang us.
 *
 * Return: 0, -EFBIG if there is more than @max, -EINVAL if it is no regular file, or -errno.
 */
int file_read(int rootfd, const char *path, size_t max, char **ret, size_t *ret_len) _must_check_;

/**
 * file_read_until() - Read the start of a file, up to a mark
 * @mark: read no further than the block in which this string is complete
 *
 * As file_read(), but a file larger than @max is cut, not refused: /proc/cpuinfo is megabytes on
 * a big machine and all that is wanted stands in its first entry.
 */
int file_read_until(int rootfd, const char *path, size_t max, const char *mark,
		    char **ret) _must_check_;

/**
 * file_read_line() - Read a one-line attribute into a fixed buffer
 * @size: room in @buf; a longer first line is -EFBIG
 *
 * Return: 0 and the line without its newline, or -errno.
 */
int file_read_line(int rootfd, const char *path, char *buf, size_t size) _must_check_;

/**
 * file_write_atomic() - Replace a file below the root by rename
 * @path: relative to the root; missing directories are made with mode 0755
 * @content: what the file is to hold
 *
 * Does nothing if the file holds just that already, so that its directory's time stamp stays.
 * A reader sees the old file or the new one, never a part: libkmod notices a changed directory
 * but not an append (kmod_validate_resources(), libkmod/libkmod.c).
 *
 * Return: 1 if written, 0 if it was so already, or -errno and the old file untouched.
 */
int file_write_atomic(int rootfd, const char *path, const char *content) _must_check_;

/** file_remove() - Unlink a file below the root. Return: 1 removed, 0 was not there, -errno. */
int file_remove(int rootfd, const char *path) _must_check_;

/** path_exists() - Return: 1 there (links not followed at the end), 0 not, or -errno. */
int path_exists(int rootfd, const char *path) _must_check_;

/**
 * dir_next() - The next entry of a directory
 * @ret_error: 0, or -errno where the directory could not be read on: it has more than was seen
 *
 * Return: the entry, or NULL at the end and on an error.
 */
const struct dirent *dir_next(DIR *d, int *ret_error) _must_check_;

/** str_copy() - Copy into a fixed buffer, cut if need be; never leaves it unterminated. */
void str_copy(char *buf, size_t size, const char *s);

/** str_printable() - Replace what would break a terminal or a line: control and non-ASCII bytes. */
void str_printable(char *s);

#endif
