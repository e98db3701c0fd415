/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_FUZZ_H
#define CPUFREQ_RESOLVE_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "macro.h"

/* libFuzzer's entry; without it run-corpus.c calls it for every file of the seed corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Like assert(3), and also there where NDEBUG is set. */
#define must(x)                                                                                    \
	do {                                                                                       \
		if (!(x))                                                                          \
			abort();                                                                   \
	} while (0)

/* The parsers take a text; what reads the files sees to it that it has no NUL. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
