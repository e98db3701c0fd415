/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_STATUS_H
#define CPUFREQ_RESOLVE_STATUS_H

#include "decide.h"
#include "offers.h"
#include "state.h"

/**
 * render_status() - What was decided in this boot, and does it still hold?
 * @state: what the last run wrote
 * @has_conf: our file for this boot is there
 * @offers: with scope=cpu, otherwise NULL
 * @is_json: JSON instead of text
 */
void render_status(FILE *out, const struct facts *facts, const struct decision *d,
		   const struct state *state, bool has_conf, const struct offers *offers,
		   bool is_json);

#endif
