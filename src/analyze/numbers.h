/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_NUMBERS_H
#define CPUFREQ_RESOLVE_NUMBERS_H

/* Numbers as people read them. */

#include <stdint.h>

struct number {
	char text[40];
};

/** number_count() - With a comma at each thousand. */
struct number number_count(uint64_t n);

/** number_of() - "1 line", "2 lines"; @what gets an s. */
struct number number_of(uint64_t n, const char *what);

/** number_seconds() - Microseconds as seconds: "12.345 s". */
struct number number_seconds(uint64_t usecs);

/** number_plain_seconds() - Microseconds as seconds with three digits behind the point, no unit. */
struct number number_plain_seconds(uint64_t usecs);

/** number_rate() - So many in so many microseconds, for each second; "" if that says nothing. */
struct number number_rate(uint64_t count, uint64_t usecs);

/** number_percent() - Part of whole, "12 %"; "" if there is no whole. */
struct number number_percent(uint64_t part, uint64_t whole);

#endif
