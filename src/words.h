/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_WORDS_H
#define CPUFREQ_RESOLVE_WORDS_H

/* A decision in words: one for machines, one sentence for administrators. */

#include <stdio.h>

#include "decide.h"

/** outcome_name() - One word with dashes, as in state and JSON. */
const char *outcome_name(enum outcome outcome);

/** verdict_name() - One or two words, as in text and JSON. */
const char *verdict_name(enum verdict verdict);

/** words_outcome() - Why it is so, on one line without a full stop; to be freed, NULL: no memory.
 */
char *words_outcome(const struct facts *facts, const struct decision *d);

/** words_row() - Why a driver got its verdict, on one line; to be freed, NULL: no memory. */
char *words_row(const struct facts *facts, const struct decision *d, size_t row);

/**
 * words_facts() - The names of the facts in @mask, with commas between them
 * @before: comes first, if there are any
 */
void words_facts(FILE *out, const char *before, uint64_t mask);

/** words_forced() - What became of driver=, NULL if there is nothing to say. */
const char *words_forced(const struct decision *d);

/** error_name() - "ENODEV" and the like for a negative errno, "0" for 0. */
const char *error_name(int error);

#endif
