/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_ONCE_H
#define CPUFREQ_RESOLVE_ONCE_H

/*
 * scope=cpu: which device asks for modules, and the udev rule of this boot that keeps the others
 * from it.
 *
 * Every CPU's uevent carries the same MODALIAS (cpu_uevent(), drivers/base/cpu.c), and so does
 * every ACPI processor's, so udev asks for every module behind it once a CPU. The rule empties the
 * MODALIAS of the events of all devices but the first, and hands that of the first to
 * "cpufreq-resolve load". A device with another MODALIAS is not touched.
 *
 * It empties it by importing a file that says MODALIAS="": what the kernel sent can't be set by
 * ENV{MODALIAS}= in newer systemd (device_property_can_set(), refused in 262, taken in 257), and
 * the line would be dropped. IMPORT{file} does the same in all of them.
 */

#include "facts.h"

/* Before 80-drivers.rules, behind whatever else may want to see the MODALIAS. A name used nowhere
 * else: a file of that name in /etc masks it. */
#define ONCE_RULE_NAME  "79-cpufreq-resolve-boot.rules"
#define ONCE_RULE_PATH  "run/udev/rules.d/" ONCE_RULE_NAME
#define ONCE_MASK_PATH  "etc/udev/rules.d/" ONCE_RULE_NAME
#define ONCE_EMPTY_PATH "run/cpufreq-resolve/no-modalias" /* what the rule imports */
#define ONCE_GROUPS     3

/* Devices that carry one and the same modalias. */
struct once_group {
	const char *subsystem; /* "cpu" or "acpi" */
	char device[32];       /* the first one, as udev's KERNEL */
	char *modalias;        /* as in its uevent */
};

/* Which devices of a kind carry their MODALIAS in their uevent. */
enum announced {
	ANNOUNCED_UNKNOWN, /* there is no second one to look at */
	ANNOUNCED_BY_EACH,
	ANNOUNCED_ONCE, /* by the first alone: this kernel does by itself what the rule does */
};

struct once {
	struct once_group groups[ONCE_GROUPS];
	size_t count;
	const char *refused; /* the device whose modalias is none for a rule, or NULL */
};

/**
 * once_read() - Find the first CPU and the first ACPI processor, and what their uevents carry
 * @ret: to be released with once_free(), also on failure
 *
 * Reads one device of each kind, however many there are. What is not there has no group: its
 * devices ask as they always did. A modalias with characters that mean something to udev, or
 * longer than an old udev's line, is left alone, too, as is one that can't be read (@refused).
 *
 * Return: 0 or -ENOMEM.
 */
int once_read(int rootfd, struct once *ret) _must_check_;

void once_free(struct once *once);

/**
 * once_announced() - Does this kernel announce a MODALIAS once, or with each device?
 * @group: of once_read(), so its first device carries it
 *
 * Reads the uevent of the second device, however many there are. It is what udev will see: the
 * kernel makes the file and the event by one function (uevent_show(), drivers/base/core.c).
 */
enum announced once_announced(int rootfd, const struct once_group *group) _must_check_;

/**
 * once_render() - The udev rules file
 * @program: the absolute path of this program
 *
 * Return: the text, to be freed, or NULL when out of memory.
 */
char *once_render(const struct facts *facts, const struct once *once, const char *program);

/**
 * once_write() - Put the rules file and what it imports there, or take both away
 * @is_on: as struct decision has it
 * @ret_refused: as struct once has it
 *
 * Return: 1 if something changed, 0 if it was so already, or -errno.
 */
int once_write(int rootfd, const struct facts *facts, bool is_on,
	       const char **ret_refused) _must_check_;

/** once_print() - For a dry run: what would be written. Return: 0 or -ENOMEM. */
int once_print(int rootfd, const struct facts *facts, FILE *out) _must_check_;

#endif
