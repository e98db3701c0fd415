/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_CHECK_CONFIG_H
#define CPUFREQ_RESOLVE_CHECK_CONFIG_H

/* What of modprobe.d, modules-load.d and the command line the administrator should mend. */

#include <stdio.h>

#include "decide.h"

/**
 * check_config() - Write one line for each finding: FILE:LINE: error|warning|note: what, and what
 * to do
 *
 * An error is something that is not understood or contradicts itself, a warning works otherwise
 * than it looks, a note is no longer needed.
 *
 * Return: the number of errors and warnings.
 */
unsigned int check_config(FILE *out, const struct facts *facts, const struct decision *d);

#endif
