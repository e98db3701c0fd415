/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_CPUINFO_H
#define CPUFREQ_RESOLVE_CPUINFO_H

#include "facts.h"

/**
 * cpuinfo_read() - Set the facts that /proc/cpuinfo tells of the first processor
 *
 * Reads the first entry only: the kernel's own drivers look at the boot CPU as well
 * (boot_cpu_data), and the file grows with the machine. What can't be read stays unknown.
 */
void cpuinfo_read(int rootfd, struct facts *facts);

/**
 * cpuinfo_parse() - Set the facts from the text of one entry
 * @text: "key : value" lines (arch/x86/kernel/cpu/proc.c, arch/arm64/kernel/cpuinfo.c); cut in
 * place
 */
void cpuinfo_parse(char *text, struct facts *facts);

#endif
