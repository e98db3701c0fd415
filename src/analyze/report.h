/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_REPORT_H
#define CPUFREQ_RESOLVE_REPORT_H

/* What a log says, in words, tables and JSON. */

#include "json.h"
#include "log.h"

/* How far a count of attempts can be trusted. */
enum bound {
	BOUND_EXACT,    /* nothing in the log speaks against it */
	BOUND_AT_LEAST, /* messages are missing */
	BOUND_AT_MOST,  /* udev's old wording counts live modules too, or lines are there twice */
	BOUND_ABOUT,    /* both, or the log is not in order */
	BOUND_UNKNOWN,  /* udev's debug level was off: not zero, but not known */
};

enum bound report_bound(const struct log *log, const struct tally *t, const struct tally_module *m);
const char *bound_word(enum bound bound);

/* From the first to the last attempt of modules that were tried more than once. */
struct storm {
	bool is_there, has_times;
	uint64_t attempts, modules;
	uint64_t first, last; /* in the log's clock */
	uint64_t busy;        /* workers' time */
};

void report_storm(const struct tally *t, struct storm *ret);

/**
 * report_notes() - What has to be known to read the numbers right, one sentence a line
 *
 * Return: the text, to be freed, or NULL when out of memory.
 */
char *report_notes(const struct log *log, const struct tally *t);

/* The log without boots: what is printed of it when it is all that there is. */
void report_print(FILE *out, const struct log *log, const struct tally *t, bool all);
void report_json(struct json *j, const char *key, const struct log *log, const struct tally *t);

/* A boot of one log beside a boot of another. */
struct side {
	const char *name;
	const struct log *log;
	const struct tally *tally;
};

void report_compare(FILE *out, const struct side sides[2], bool all);

/** report_is_shown() - Modules that were tried more than once, and cpufreq drivers. */
bool report_is_shown(const struct tally_module *m, bool all);

/** report_errors() - "ENODEV 5, EBUSY 11", to be freed; NULL: no memory. */
char *report_errors(const struct tally_error *errors);

#endif
