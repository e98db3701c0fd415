/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_METRICS_H
#define CPUFREQ_RESOLVE_METRICS_H

#include "decide.h"
#include "state.h"
#include "tally.h"

/**
 * metrics_print() - What a fleet's monitoring wants to know, as OpenMetrics
 * @state: what the last run wrote
 * @has_conf: our file for this boot is there and counts
 * @tally: what udev did in this boot, NULL: not known
 *
 * Gauges only, for node_exporter's textfile collector reads the older text format, to which
 * OpenMetrics' other types are errors.
 */
void metrics_print(FILE *out, const struct facts *facts, const struct decision *d,
		   const struct state *state, bool has_conf, const struct tally *tally);

#endif
