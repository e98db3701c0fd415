/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_REPORT_PARTS_H
#define CPUFREQ_RESOLVE_REPORT_PARTS_H

/* What the files that make up the report in words share. */

#include "numbers.h"
#include "report.h"

#define COUNT(n)    number_count(n).text
#define OF(n, what) number_of(n, what).text
#define SECONDS(n)  number_seconds(n).text

/** report_bound_sign() - What stands before a count, such as ">=". */
const char *report_bound_sign(enum bound bound);

/** report_print_notes() - One line each, broken where the terminal would break it. */
void report_print_notes(FILE *out, const char *notes);

#endif
