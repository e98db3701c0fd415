/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_KERNEL_H
#define CPUFREQ_RESOLVE_KERNEL_H

/* What this kernel does differently from others: facts from its release and its configuration. */

#include "facts.h"

/** kernel_version_parse() - Read "6.8.0-rc1-foo". Sets @ret->is_known; a "rc" counts as before. */
void kernel_version_parse(const char *release, struct kernel_version *ret);

/**
 * kernel_facts() - Set the facts that depend on the kernel
 * @facts: version, processor and command line in
 *
 * Those that a version number alone cannot tell stay unknown. Needs cpuinfo_read() before it.
 */
void kernel_facts(struct facts *facts);

/**
 * kernel_config_read() - Mend these facts by the kernel's configuration, if it can be read
 *
 * /boot/config-RELEASE and where else distributions keep it, else /proc/config.gz. A big file: not
 * for apply.
 */
void kernel_config_read(int rootfd, struct facts *facts);

/** kernel_config_parse() - As kernel_config_read(), from the text. */
void kernel_config_parse(const char *text, struct facts *facts);

#endif
