/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_DECODE_H
#define CPUFREQ_RESOLVE_DECODE_H

/* Decompressors, all behind one function. */

#include <stdbool.h>
#include <stddef.h>

#include "macro.h"

struct decoder {
	const char *name;
	void *(*open)(void);
	/*
	 * Undo some: from *raw, *raw_left bytes, to text + *text_end, no further than text_size;
	 * all three are moved on. is_last: no more raw bytes will come. 1 at the end, 0, or
	 * -EBADMSG.
	 */
	int (*run)(void *state, const char **raw, size_t *raw_left, char *text, size_t *text_end,
		   size_t text_size, bool is_last);
	void (*close)(void *state);
};

/**
 * decoder_find() - Whom do these first bytes of a file call for?
 * @ret: NULL: it is not compressed
 *
 * Return: 0, or -ENOSYS if it is compressed in a way that this build can't undo.
 */
int decoder_find(const char *head, size_t len, const struct decoder **ret) _must_check_;

#endif
