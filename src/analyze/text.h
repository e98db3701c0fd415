/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_TEXT_H
#define CPUFREQ_RESOLVE_TEXT_H

/* Lines as journalctl, dmesg and syslog daemons print them. */

#include "entry.h"

/* What earlier lines have told of the format. */
struct text_state {
	bool has_hosts;     /* a host name stands between time and speaker */
	unsigned int month; /* of the last line without a year */
	unsigned int years; /* how often the year has turned since */
	uint64_t day;       /* of the last line without a year, since the epoch */
	/* Months of another language: then a month is known only by not being the one before. */
	bool has_foreign_months;
	char foreign_month[24];
	uint64_t day_zero; /* the day before its first */
};

enum text_result {
	TEXT_ENTRY,
	TEXT_BOOT,      /* "-- Boot ID --" or "-- Reboot --"; the id is in @boot, if there is one */
	TEXT_IGNORED,   /* empty, or journalctl's own words */
	TEXT_CONTINUED, /* a further line of a message */
	TEXT_UNREADABLE,
};

/**
 * text_parse() - Cut one line into an entry
 * @line: without its newline; the entry points into it
 *
 * Knows journalctl's short, short-precise, short-iso, short-iso-precise, short-full,
 * short-monotonic, short-delta, short-unix and cat (shared/logs-show.c), dmesg with and without -x
 * and -T, /dev/kmsg, and files of syslog daemons. Months may be in any language (-o short and
 * dmesg -T print them in the locale's). A line without a time is an entry only if it begins with a
 * speaker.
 */
enum text_result text_parse(struct text_state *state, struct slice line, struct entry *ret);

#endif
