/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_WHY_H
#define CPUFREQ_RESOLVE_WHY_H

/* What an administrator asks, and what he can do: for explain alone, apply has no use for it. */

#include "decide.h"

/**
 * why_row() - Why the hardware, firmware or command line keeps a driver from being in charge
 *
 * With the file or option that shows it, and the setting that would change it; also what is to be
 * known of the one in charge. facts_gather_more() makes it know more.
 *
 * Return: a sentence without a full stop, NULL if there is nothing to say.
 */
const char *why_row(const struct facts *facts, const struct decision *d, size_t row);

/** why_warning() - What is dangerous: a sentence, or NULL. */
const char *why_warning(const struct facts *facts, const struct decision *d);

#endif
