// SPDX-License-Identifier: GPL-2.0-or-later
#include "memtext.h"
#include "render.h"

#include <string.h>

#include "json.h"
#include "state.h"
#include "util.h"
#include "words.h"

/* A CPU's modalias is a kilobyte long; what stands before the list of features tells it. */
static void print_alias(FILE *out, const char *modalias)
{
	static const char mark[] = ":feature:";
	const char *at = strstr(modalias, mark);

	if (at)
		fprintf(out, "%.*s...", (int)(at - modalias + (long)strlen(mark)), modalias);
	else
		fputs(modalias, out);
}

static bool is_denied_by_us(const struct decision *d, const struct offered_module *m)
{
	return m->driver >= 0 && d->rows[m->driver].deny;
}

static const char *state_word(const struct decision *d, const struct offered_module *m)
{
	if (m->is_builtin)
		return "built in";
	if (m->is_live)
		return "live";
	if (m->install)
		return "reserved";
	if (m->denial != DENIAL_NONE || is_denied_by_us(d, m))
		return "denied";
	return m->refusal ? "refused" : "not live";
}

static void print_why(FILE *out, const struct facts *facts, const struct decision *d,
		      const struct offered_module *m)
{
	const struct module_state *row = m->driver >= 0 ? &facts->modules[m->driver] : NULL;
	const char *before = "; ";

	if (m->is_builtin || m->is_live)
		return;
	if (m->install)
		fprintf(out, "/%s:%u: an install line", m->install->file, m->install->line);
	else if (m->denied_by)
		fprintf(out, "by /%s:%u", m->denied_by->file, m->denied_by->line);
	else if (m->denial != DENIAL_NONE)
		fprintf(out, "by %s", denial_text(m->denial));
	else if (is_denied_by_us(d, m))
		fputs("by us, for this boot", out);
	else
		before = "";
	/* apply's own attempt, or that of load: who of them asked does not matter here. */
	if (row && row->attempt == ATTEMPT_DONE && row->error)
		fprintf(out, "%sthe kernel said %s (%s)", before, error_name(row->error),
			stage_name(row->attempt_stage));
	else if (m->refusal)
		fprintf(out, "%sthe kernel said %s (%s)%s%s", before, error_name(m->refusal->error),
			stage_name(m->refusal->stage),
			refusals_is_final(m->refusal) ? ", for good" : ", perhaps not for good",
			m->refusal->was_late ? ", twice" : "");
}

static const char *rule_text(const struct facts *facts, const struct offers *offers)
{
	if (facts->is_rule_masked)
		return "masked by /" ONCE_MASK_PATH;
	return offers->has_rule ? "there" : "not there";
}

void render_rule(FILE *out, const struct facts *facts, const struct offers *offers)
{
	bool has_rule = offers->has_rule && !facts->is_rule_masked;

	fprintf(out, "scope     %s\nrule      /" ONCE_RULE_PATH ": %s\n",
		scope_name(facts->settings.scope), rule_text(facts, offers));
	for (size_t i = 0; i < offers->once.count; i++) {
		const struct once_group *g = &offers->once.groups[i];

		fputs("alias     ", out);
		print_alias(out, g->modalias);
		if (offers->devices[i])
			fprintf(out, " of %lu devices", offers->devices[i]);
		if (has_rule || offers->announced[i] == ANNOUNCED_ONCE)
			fprintf(out, ", for which %s asks\n", g->device);
		else
			fputs(", each of which asks\n", out);
	}
}

void render_offers(FILE *out, const struct facts *facts, const struct decision *d,
		   const struct offers *offers)
{
	render_rule(out, facts, offers);
	fprintf(out, "\n%-24s %-9s %-8s %7s  %s\n", "MODULE", "STATE", "BY", "DEVICES", "WHY");
	for (size_t i = 0; i < offers->count; i++) {
		const struct offered_module *m = &offers->modules[i];
		unsigned long devices = 0;
		char by[16] = "";

		for (size_t g = 0; g < offers->once.count; g++) {
			const char *subsystem = offers->once.groups[g].subsystem;

			if (!(m->groups & 1U << g))
				continue;
			devices += offers->devices[g];
			if (!strstr(by, subsystem))
				(void)snprintf(by + strlen(by), sizeof(by) - strlen(by), "%s%s",
					       *by ? "," : "", subsystem);
		}
		fprintf(out, "%-24s %-9s %-8s %7lu  ", m->name, state_word(d, m), by, devices);
		print_why(out, facts, d, m);
		fputc('\n', out);
	}
}

static void json_module(struct json *j, const struct facts *facts, const struct decision *d,
			const struct offers *offers, const struct offered_module *m)
{
	_cleanup_free_ char *why = NULL;
	FILE *text = text_open(&why);

	if (text) {
		print_why(text, facts, d, m);
		if (text_end(text, &why) < 0)
			*why = '\0';
	}
	json_open(j, NULL, '{');
	json_string(j, "name", m->name);
	json_string(j, "state", state_word(d, m));
	json_string(j, "why", why && *why ? why : NULL);
	json_string(j, "refused", m->refusal ? error_name(m->refusal->error) : NULL);
	json_open(j, "offered_by", '[');
	for (size_t g = 0; g < offers->once.count; g++)
		if (m->groups & 1U << g)
			json_string(j, NULL, offers->once.groups[g].modalias);
	json_close(j, ']');
	json_close(j, '}');
}

void render_offers_json(FILE *out, const struct facts *facts, const struct decision *d,
			const struct offers *offers)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_string(&j, "scope", scope_name(facts->settings.scope));
	json_bool(&j, "has_rule", offers->has_rule);
	json_bool(&j, "is_masked", facts->is_rule_masked);
	json_open(&j, "aliases", '[');
	for (size_t i = 0; i < offers->once.count; i++) {
		json_open(&j, NULL, '{');
		json_string(&j, "modalias", offers->once.groups[i].modalias);
		json_string(&j, "first", offers->once.groups[i].device);
		json_int(&j, "devices", (long)offers->devices[i]);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "modules", '[');
	for (size_t i = 0; i < offers->count; i++)
		json_module(&j, facts, d, offers, &offers->modules[i]);
	json_close(&j, ']');
	json_close(&j, '}');
}
