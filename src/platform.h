/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_PLATFORM_H
#define CPUFREQ_RESOLVE_PLATFORM_H

/* What firmware and the hypervisor show in sysfs; nothing that grows with the number of CPUs. */

#include "facts.h"

/**
 * platform_read() - Set the facts that sysfs and the devicetree tell
 *
 * A captured tree may hold a part of sysfs: that a file is missing means something only where its
 * neighbours are there. Needs cpuinfo_read() before it.
 */
void platform_read(int rootfd, struct facts *facts);

/**
 * platform_exists_in() - Is @path there?
 * @parent: the directory that would hold it
 *
 * Return: 1, 0, -errno, or -1 where @parent is missing as well.
 */
int platform_exists_in(int rootfd, const char *parent, const char *path);

/** platform_read_reasons() - CPPC and the ACPI profile, for facts_gather_reasons(). */
void platform_read_reasons(int rootfd, struct facts *facts);

/** platform_read_more() - DMI, MSRs, what the devicetree holds: no module is tried or left for it.
 */
void platform_read_more(int rootfd, struct facts *facts);

#endif
