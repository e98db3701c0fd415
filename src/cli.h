/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_CLI_H
#define CPUFREQ_RESOLVE_CLI_H

/*
 * The command line of both programs: cpufreq-resolve (main.c), and the small one that goes into
 * images (main-image.c). cli.c has main() and the verbs that both have; each program brings a
 * struct program.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct facts;

/* Options that only some verbs take. */
enum option_bit {
	OPTION_ROOT = 1,
	OPTION_JSON = 2,
	OPTION_DRY_RUN = 4,
	OPTION_LATE = 8,
	OPTION_PREDICT = 16,
	OPTION_SCOPE_CPU = 32
};

struct options {
	unsigned int given; /* bits of enum option_bit */
	const char *root;   /* of OPTION_ROOT */
	bool is_quiet, is_verbose;
};

struct verb {
	const char *name;
	/* Returns 0, or what it could not do: 1 if it has said so, or -errno. */
	int (*run)(int rootfd, const struct options *options);
	unsigned int takes; /* bits of enum option_bit */
	bool has_log;       /* in which it says itself what a -errno was */
	const char *help;
};

struct program {
	const struct verb *verbs;
	size_t verb_count;
	const struct verb *default_verb; /* NULL: one must be named */
	const char *about;               /* its help begins with this */
	const char *hint;                /* said with a word that is none of its verbs */
	/* For apply --verbose (apply.h); may be NULL. */
	void (*log_rows)(FILE *log, int rootfd, struct facts *facts, bool is_late);
};

/* Of the program that this is linked into. */
extern const struct program program;

/** verb_apply() / verb_load() - What both programs do: apply.h and load.h. */
int verb_apply(int rootfd, const struct options *options);
int verb_load(int rootfd, const struct options *options);

#define VERB_APPLY                                                                                 \
	{                                                                                          \
		"apply", verb_apply, OPTION_ROOT | OPTION_DRY_RUN | OPTION_LATE, true,             \
			"load the right driver once, deny the others for this boot"                \
	}
#define VERB_LOAD                                                                                  \
	{                                                                                          \
		"load", verb_load, 0, true,                                                        \
			"for our udev rule (scope=cpu): ask once for what a CPU offers"            \
	}

#endif
