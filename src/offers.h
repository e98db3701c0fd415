/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_OFFERS_H
#define CPUFREQ_RESOLVE_OFFERS_H

/* Which modules CPUs and ACPI processors ask for, and what became of each: for explain and status.
 */

#include "decide.h"
#include "once.h"
#include "refusals.h"

#define OFFERS_MAX 64

struct offered_module {
	char name[64];
	unsigned int groups; /* bit i: offered by once.groups[i] */
	bool is_builtin;
	bool is_live;
	int driver; /* its row in drivers[], -1: no cpufreq driver */
	enum denial denial;
	const struct modconf_entry *denied_by; /* DENIAL_BLACKLIST only */
	const struct modconf_entry *install;
	const struct refusal *refusal;
};

struct offers {
	struct once once;
	enum announced announced[ONCE_GROUPS];
	unsigned long devices[ONCE_GROUPS]; /* how many of each group, 0 if not counted */
	bool has_rule;
	struct refusals refusals;
	struct offered_module modules[OFFERS_MAX];
	size_t count;
};

/**
 * offers_gather() - Look them up
 * @facts: after modules_lookup(); must outlive @ret
 * @ret: to be released with offers_free(), also on failure
 *
 * Return: 0, -ENOMEM, or another -errno if the kernel's module index can't be read: then the
 * modules are missing and the rest is there.
 */
int offers_gather(int rootfd, const struct facts *facts, struct offers *ret) _must_check_;

/** offers_count() - Count the devices of each group; ACPI's one by one, so only for explain. */
void offers_count(int rootfd, struct offers *offers);

void offers_free(struct offers *offers);

#endif
