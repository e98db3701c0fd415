/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_MEMTEXT_H
#define CPUFREQ_RESOLVE_MEMTEXT_H

/* A text that is written like a file. */

#include <stdio.h>

#include "macro.h"

/**
 * text_open() - A stream that writes into memory
 * @ret: the text, "" at first; to be freed. Valid after text_end() alone, and stays where it is
 *	until then
 *
 * open_memstream(3) does as much, but clears 8 KiB each time.
 *
 * Return: the stream, to be closed with text_end(), or NULL when out of memory.
 */
FILE *text_open(char **ret) _must_check_;

/**
 * text_end() - Close such a stream
 * @text: what text_open() was given
 *
 * Where memory is short a write to the stream fails, and fclose(3) alone may still be content, with
 * a part of the text or with none at all.
 *
 * Return: 0 if all that was written is in its text, or -ENOMEM.
 */
int text_end(FILE *out, char *const *text) _must_check_;

#endif
