/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_STAMP_H
#define CPUFREQ_RESOLVE_STAMP_H

/* The dates and times of log lines. Each of these takes what it knows off the front. */

#include "text.h"

#define STAMP_SECOND UINT64_C(1000000)

/** stamp_fraction() - The digits behind a point or comma, as microseconds. */
uint64_t stamp_fraction(struct slice *s, bool *ret_is_there);

/** stamp_clock() - HH:MM:SS and perhaps a fraction; @days: since the epoch. */
bool stamp_clock(struct slice *s, struct entry *e, uint64_t days);

/** stamp_date() - YYYY-MM-DD, which journalctl and rsyslog follow with 'T' or a blank. */
bool stamp_date(struct slice *s, uint64_t *ret_days);

/** stamp_zone() - +HHMM, +HH:MM, Z or nothing: an hour that repeats in autumn must not turn time
 * back. */
bool stamp_zone(struct slice *s, struct entry *e);

/** stamp_short_date() - Mmm dd HH:MM:SS: no year, so a December before a January means that it
 * turned. */
bool stamp_short_date(struct text_state *state, struct slice *s, struct entry *e);

/**
 * stamp_foreign_date() - The same with a month in another language, and perhaps a weekday before
 *
 * Nobody knows its month, so days count from the first line: another month begins on the day
 * after the last one seen.
 */
bool stamp_foreign_date(struct text_state *state, struct slice *s, struct entry *e);

#endif
