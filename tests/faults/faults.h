/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_FAULTS_H
#define CPUFREQ_RESOLVE_FAULTS_H

/* System calls that no kernel has, by which kernel.c tells strike.c when the program is at work. */
#define FAULT_MARK_PAUSE 0x7ff0
#define FAULT_MARK_GO_ON 0x7ff1

#endif
