/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_SETTINGS_H
#define CPUFREQ_RESOLVE_SETTINGS_H

/* Our own options: those of the pseudo-module cpufreq_resolve. */

#include <stdbool.h>
#include <stddef.h>

#include "cmdline.h"
#include "modconf.h"

enum policy {
	POLICY_BLACKLIST, /* rivals are denied for this boot */
	POLICY_SOFTDEP,   /* rivals are ordered behind the winner, nothing is denied */
};

/* How far "once a machine, not once a CPU" goes. */
enum scope {
	SCOPE_CPUFREQ, /* the cpufreq drivers alone */
	SCOPE_CPU,     /* every module that CPU and ACPI processor devices ask for; see once.h */
};

/* One place where one of our keys is set; the last one of a key wins. */
struct setting {
	char text[96];    /* "key=value", printable */
	const char *file; /* relative to the root, NULL: the kernel command line */
	unsigned int line;
	bool is_used;         /* false: a later one overrides it, or it is not valid */
	const char *expected; /* NULL, or what was expected in place of a bad key or value */
};

#define SETTINGS_MAX 32

struct settings {
	bool is_enabled;
	char driver[64]; /* "" unless the administrator forces one; as he wrote it */
	enum policy policy;
	enum scope scope;
	struct setting all[SETTINGS_MAX]; /* in the order of their strength, for explain */
	size_t count;
};

/**
 * settings_load() - Collect `options cpufreq_resolve ...` and `cpufreq_resolve.KEY=VALUE`
 *
 * Files count in libkmod's order, the command line last of all. A bad key or value is kept with
 * what was expected instead, and changes nothing.
 */
void settings_load(const struct modconf *conf, const struct cmdline *cmdline, struct settings *ret);

const char *policy_name(enum policy policy);
const char *scope_name(enum scope scope);

#endif
