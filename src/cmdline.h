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
 * cmdline_lists() - Is a module named in a comma separated parameter?
 * @last_only: only the last such parameter counts (a charp module parameter, such as
 *	module_blacklist=, is overwritten); otherwise they add up
 * @everywhere: also behind a "--" (user space programs read the whole line)
 */
bool cmdline_lists(const struct cmdline *c, const char *key, const char *name, bool last_only,
		   bool everywhere);

#endif
