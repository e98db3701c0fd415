/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_CMDLINE_H
#define CPUFREQ_RESOLVE_CMDLINE_H

/* The kernel command line, cut as the kernel cuts it (lib/cmdline.c, next_arg()). */

#include <stdbool.h>
#include <stddef.h>

#include "macro.h"

struct cmdline_param {
	const char *key;
	const char *value; /* NULL: a bare word */
};

struct cmdline {
	char *buf;
	struct cmdline_param *params;
	size_t count;
	size_t kernel_count; /* those before a "--"; the kernel hands the rest to init */
};

/**
 * cmdline_parse() - Cut a command line into its parameters
 * @text: one line; quotes keep blanks together and are taken off
 * @ret: to be released with cmdline_free(); set only on success
 *
 * Return: 0 or -ENOMEM.
 */
int cmdline_parse(const char *text, struct cmdline *ret) _must_check_;

void cmdline_free(struct cmdline *c);

/**
 * cmdline_get() - The value of a kernel parameter
 *
 * The last one wins, as it does in the kernel; '-' and '_' are the same in the key.
 *
 * Return: the value, "" for a bare word, NULL if it isn't there.
 */
const char *cmdline_get(const struct cmdline *c, const char *key);

/**
 * cmdline_lists() - Is a module named in a comma separated parameter of user space?
 *
 * Such parameters add up, also behind a "--", and a dash is as good as an underscore.
 */
bool cmdline_lists(const struct cmdline *c, const char *key, const char *name);

/**
 * cmdline_kernel_lists() - Is a name in a comma separated parameter of the kernel's?
 * @last_only: only the last such parameter counts (a charp module parameter, such as
 *	module_blacklist=, is overwritten); otherwise they add up
 *
 * The kernel compares names as they are: a module's has no dash (kernel/module/main.c,
 * blacklisted(); init/main.c, initcall_blacklisted()).
 */
bool cmdline_kernel_lists(const struct cmdline *c, const char *key, const char *name,
			  bool last_only);

#endif
