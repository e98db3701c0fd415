/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_INPUT_H
#define CPUFREQ_RESOLVE_INPUT_H

/* A file of any size as lines, compressed or not, in a buffer of fixed size. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "macro.h"

#define INPUT_LINE_MAX ((size_t)64 * 1024)

struct input;

/**
 * input_open() - Begin to read
 * @fd: stays the caller's
 * @ret: to be closed with input_close()
 *
 * Compression is told by the first bytes: gzip, zstd, xz.
 *
 * Return: 0, -ENOSYS for a compression that this build or any build can't undo, or -errno.
 */
int input_open(int fd, struct input **ret) _must_check_;

/** input_is_journal() - Is it a journal file of systemd, which only sd-journal can read? */
bool input_is_journal(const struct input *input);

/** input_compression() - How it is compressed, for people; "" if it isn't. */
const char *input_compression(const struct input *input);

/**
 * input_line() - The next line
 * @ret: the line, without its newline and with no NUL behind; may be changed in place; good until
 * the next call
 * @ret_is_cut: the line is longer than INPUT_LINE_MAX, the rest of it is passed over; or it is the
 * last one and has no newline
 *
 * Return: 1, 0 at the end, or -errno; -EBADMSG if the compressed data are damaged or end early.
 */
int input_line(struct input *input, char **ret, size_t *ret_len, bool *ret_is_cut) _must_check_;

/**
 * input_bytes() - Take @size bytes as they are
 * @buf: room for @room bytes; what is more is passed over
 *
 * Return: how many bytes were stored, or -EPIPE if the data end before @size, or -errno.
 */
long input_bytes(struct input *input, char *buf, size_t room, uint64_t size) _must_check_;

/** input_total() - Bytes handed out so far, after decompression. */
uint64_t input_total(const struct input *input);

void input_close(struct input *input);

#endif
