/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_NAMES_H
#define CPUFREQ_RESOLVE_NAMES_H

/* Names of modules, as kmod compares them. */

#include <stdbool.h>

/**
 * name_equal() - Compare two module names
 *
 * '-' and '_' are the same to kmod and to everybody who types them.
 */
bool name_equal(const char *a, const char *b);

/** name_match() - fnmatch(3) of a module name against a pattern, '-' and '_' being the same. */
bool name_match(const char *pattern, const char *name);

#endif
