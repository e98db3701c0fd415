/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_RENDER_H
#define CPUFREQ_RESOLVE_RENDER_H

/* Facts and decisions as bytes. Nothing here reads the machine. */

#include "decide.h"
#include "offers.h"
#include "predict.h"

/**
 * render_conf() - The modprobe.d lines for this boot
 * @governor_exists: the default governor is a module of this kernel
 *
 * A softdep that another line has for the same module is repeated in ours, for libkmod takes the
 * first one alone (kmod_module_get_softdeps()).
 *
 * Return: the text, to be freed, or NULL when out of memory.
 */
char *render_conf(const struct facts *facts, const struct decision *d, bool governor_exists);

void render_explain(FILE *out, const struct facts *facts, const struct decision *d);
void render_explain_json(FILE *out, const struct facts *facts, const struct decision *d);
/** render_predict() - What explain --predict prints. */
void render_predict(FILE *out, const struct facts *facts, const struct prediction *p);
void render_predict_json(FILE *out, const struct facts *facts, const struct prediction *p);

/** render_offers() - What explain --scope=cpu prints: every module that the CPUs ask for. */
void render_offers(FILE *out, const struct facts *facts, const struct decision *d,
		   const struct offers *offers);
/** render_rule() - The lines of it that status has as well. */
void render_rule(FILE *out, const struct facts *facts, const struct offers *offers);
void render_offers_json(FILE *out, const struct facts *facts, const struct decision *d,
			const struct offers *offers);

void render_facts(FILE *out, const struct facts *facts);
void render_facts_json(FILE *out, const struct facts *facts);
void render_drivers(FILE *out);
void render_drivers_json(FILE *out);

/** render_setting() - One setting and where it stands, without the end of the line. */
void render_setting(FILE *out, const struct setting *s);

/** render_warnings() - What the administrator should mend, one line each, for the log. */
void render_warnings(FILE *out, const struct facts *facts, const struct decision *d);

#endif
