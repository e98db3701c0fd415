/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_STATUS_H
#define CPUFREQ_RESOLVE_STATUS_H

#include "decide.h"
#include "offers.h"
#include "state.h"

/**
 * status_agrees() - Is in charge what was decided?
 *
 * A driver that came or went since is no longer what was decided; but where nothing was done, and
 * the choice left to the kernel and udev, any driver that came then is.
 */
bool status_agrees(const struct facts *facts, const struct state *state);

/**
 * render_status() - What was decided in this boot, and does it still hold?
 * @state: what the last run wrote
 * @has_conf: our file for this boot is there
 * @offers: need not be counted; with another scope than cpu only the layers are told of it
 * @is_json: JSON instead of text
 */
void render_status(FILE *out, const struct facts *facts, const struct decision *d,
		   const struct state *state, bool has_conf, const struct offers *offers,
		   bool is_json);

#endif
