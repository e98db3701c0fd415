/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_VERBS_H
#define CPUFREQ_RESOLVE_VERBS_H

#include <stdbool.h>

#include "macro.h"

#define PROGRAM "cpufreq-resolve-analyze"

struct options {
	const char *root, *host;
	const char *plot; /* "" for the terminal */
	const char *output;
	bool is_json, all, is_compare, has_boot;
	long boot;
	char **words; /* what follows the verb */
	int count;
};

/** complain() - One line on standard error. Return: @error. */
int complain(const char *what, int error, const char *expected);

/** write_file() - A whole file or none, through a temporary one beside it. Return: 0 or -errno. */
int write_file(const char *path, const char *text);

/* Each returns 0, or -errno when it has complained. */
int run_forecast(const struct options *options);
int run_journal(const struct options *options);
int run_cpu_up(const struct options *options);
int run_metrics(const struct options *options);

#endif
