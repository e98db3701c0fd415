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

/**
 * kernel_has() - Does this kernel have what mainline has since a release?
 * @since: V() or STABLE()
 *
 * Return: 1 or 0; -1 if its release is not known, or if it is older and of a maker who adds drivers
 * under the same number.
 */
int kernel_has(const struct facts *facts, unsigned int since);

/** kernel_put() - As fact_put(); a @value below 0 makes the fact unknown. */
void kernel_put(struct facts *facts, enum fact fact, int value);

/** kernel_word_is_set() - Does KEY=WORD stand on the kernel command line? */
bool kernel_word_is_set(const struct facts *facts, const char *key, const char *word);

/** kernel_amd_facts() - What amd_pstate asks of the kernel; again when its configuration is known.
 */
void kernel_amd_facts(struct facts *facts);

#endif
