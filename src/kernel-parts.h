/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_KERNEL_PARTS_H
#define CPUFREQ_RESOLVE_KERNEL_PARTS_H

/* What the files of kernel.h share (kernel*.c), and nobody else. */

#include "kernel.h"

/* Versions as one number that can be compared; the last three digits are the stable release. */
#define V(major, minor)             (((major)*1000U + (minor)) * 1000U)
#define STABLE(major, minor, patch) (V(major, minor) + (patch))

static inline bool is_before(const struct facts *facts, unsigned int number)
{
	return facts->version.is_known && facts->version.number < number;
}

/** kernel_amd_word() - The last of amd_pstate=active, passive, guided, disable, or NULL. */
const char *kernel_amd_word(const struct facts *facts);

#endif
