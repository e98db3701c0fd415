/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_LOAD_H
#define CPUFREQ_RESOLVE_LOAD_H

/*
 * scope=cpu: ask the kernel once for each module that the first CPU offers, in the place of udev
 * and at the same moment: udev's rule (once.h) runs it, nobody waits for it who would not have
 * waited for udev.
 */

#include "facts.h"

/**
 * load_run() - The verb of udev's rule
 * @modalias: of the device
 * @device: its name, for the log
 * @log: gets one line; may be NULL
 *
 * What was refused for good earlier in this boot, in the initramfs above all, is not asked for
 * again; every new refusal is written down. A module that is there, or that the configuration
 * denies, is left alone, as by udev.
 *
 * Return: 0 if all has been asked for, whatever the answers; or -errno, said in the log: then udev
 * is to load them itself, as it always did.
 */
int load_run(int rootfd, const char *modalias, const char *device, FILE *log) _must_check_;

/**
 * load_again() - The second chance, late on the host
 *
 * Asks once more for what was refused, but not for good: without us every CPU's event would have
 * asked, over some seconds.
 *
 * Return: 0 or -errno, said in the log.
 */
int load_again(int rootfd, const struct facts *facts, FILE *log) _must_check_;

#endif
