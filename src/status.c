// SPDX-License-Identifier: GPL-2.0-or-later
#include "status.h"

#include <string.h>

#include "config.h"
#include "json.h"
#include "layers.h"
#include "render.h"
#include "util.h"
#include "words.h"

bool status_agrees(const struct facts *facts, const struct state *state)
{
	static const enum outcome hands_off[] = { OUTCOME_LEFT, OUTCOME_WAITING, OUTCOME_DISABLED,
						  OUTCOME_UNKNOWN };

	if (!state->is_there)
		return false;
	if (strcmp(state->driver, facts->scaling_driver) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(hands_off) && !state->driver[0]; i++)
		if (strcmp(state->outcome, outcome_name(hands_off[i])) == 0)
			return true;
	return false;
}

/* The image is older than the package on the host, or newer: it was not rebuilt since. */
static bool is_image_other(const struct facts *facts)
{
	return facts->image_version[0] && strcmp(facts->image_version, VERSION) != 0;
}

static const char *or_none(const char *s)
{
	return *s ? s : "none";
}

static const char *attempt_text(const struct module_state *m)
{
	return m->attempt == ATTEMPT_PENDING ? "never came back" :
	       m->error                      ? error_name(m->error) :
					       "loaded";
}

static void print_modules(FILE *out, const struct facts *facts, const struct decision *d)
{
	for (size_t i = 0; i < driver_count; i++) {
		const struct module_state *m = &facts->modules[i];

		if (m->attempt != ATTEMPT_NONE)
			fprintf(out, "tried     %s in the %s: %s%s%s\n", drivers[i].name,
				stage_name(m->attempt_stage), attempt_text(m),
				m->was_late ? " (second chance)" : "",
				m->was_taken_back ? " (taken out again)" : "");
		if (d->rows[i].deny)
			fprintf(out, "denied    %s, for this boot\n", drivers[i].name);
		if (d->rows[i].order)
			fprintf(out,
				"ordered   %s behind the winner; each CPU's event still loads it\n",
				drivers[i].name);
		if (m->is_wanted && (m->offers & OFFER_PER_CPU) && !m->is_live && !m->is_builtin)
			fprintf(out,
				"cost      %s is asked for by name%s%s, so udev asks once a CPU\n",
				drivers[i].name, m->wanted_by ? " in /" : "",
				m->wanted_by ? m->wanted_by->file : " on the command line");
	}
}

static void print_offers(FILE *out, const struct facts *facts, const struct offers *offers)
{
	size_t live = 0;

	render_rule(out, facts, offers);
	for (size_t i = 0; i < offers->count; i++)
		live += offers->modules[i].is_live || offers->modules[i].is_builtin;
	fprintf(out, "modules   %zu offered by these aliases, %zu live or built in\n",
		offers->count, live);
	for (size_t i = 0; i < offers->refusals.count; i++) {
		const struct refusal *r = &offers->refusals.all[i];

		fprintf(out, "refused   %s in the %s: %s%s\n", r->module, stage_name(r->stage),
			error_name(r->error), r->was_late ? " (second chance)" : "");
	}
}

/* One line for each layer, with all of its modules. */
static void print_layers(FILE *out, const struct facts *facts, const struct decision *d,
			 const struct offers *offers)
{
	static const char *const announced[] = {
		[ANNOUNCED_UNKNOWN] = "not known if with each CPU: no second one to look at",
		[ANNOUNCED_BY_EACH] = "announced with each CPU",
		[ANNOUNCED_ONCE] = "announced once, by this kernel",
	};
	static const unsigned int order[] = { LAYER_KERNEL, LAYER_HELPER,
					      LAYER_KERNEL | LAYER_HELPER, 0 };
	struct layered_module all[LAYERS_MAX];
	size_t count = layers_find(facts, d, offers, all);

	fprintf(out, "modalias  %s\n", announced[layers_announced(offers)]);
	for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
		bool has_any = false;

		for (size_t i = 0; i < count; i++) {
			if (all[i].layers != order[k])
				continue;
			if (!has_any)
				fprintf(out, "layer     %s:", layers_name(order[k]));
			has_any = true;
			fprintf(out, " %s", all[i].name);
		}
		if (has_any)
			fputc('\n', out);
	}
}

static void print_status(FILE *out, const struct facts *facts, const struct decision *d,
			 const struct state *state, bool has_conf, const struct offers *offers)
{
	if (state->is_there)
		fprintf(out, "decided   %s (by version %s)\n", state->reason, state->version);
	else
		fputs("decided   nothing in this boot\n", out);
	fprintf(out, "driver    then %s, now %s: %s\n",
		state->is_there ? or_none(state->driver) : "not known",
		or_none(facts->scaling_driver),
		!state->is_there             ? "nothing to compare" :
		!status_agrees(facts, state) ? "THEY DIFFER, a driver came or went since" :
		strcmp(state->driver, facts->scaling_driver) != 0 ?
					       "they agree, it was left to the kernel and udev" :
					       "they agree");
	fprintf(out, "file      /%s: %s\n", MODCONF_BOOT_PATH,
		facts->is_masked ? "masked by /" MODCONF_MASK_PATH :
		has_conf         ? "there" :
				   "not there");
	if (is_image_other(facts))
		fprintf(out,
			"image     made with version %s, this is " VERSION
			": rebuild the initramfs\n",
			facts->image_version);
	if (facts->failed_error)
		fprintf(out, "missing   %s\n", facts->failed);
	print_modules(out, facts, d);
	if (facts->settings.scope == SCOPE_CPU)
		print_offers(out, facts, offers);
	print_layers(out, facts, d, offers);
}

static void json_refusals(struct json *j, const struct refusals *refusals)
{
	json_open(j, "refused", '[');
	for (size_t i = 0; i < refusals->count; i++) {
		const struct refusal *r = &refusals->all[i];

		json_open(j, NULL, '{');
		json_string(j, "name", r->module);
		json_string(j, "stage", stage_name(r->stage));
		json_string(j, "error", error_name(r->error));
		json_bool(j, "final", refusals_is_final(r));
		json_bool(j, "second_chance", r->was_late);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_layers(struct json *j, const struct facts *facts, const struct decision *d,
			const struct offers *offers)
{
	enum announced announced = layers_announced(offers);
	struct layered_module all[LAYERS_MAX];
	size_t count = layers_find(facts, d, offers, all);

	if (announced == ANNOUNCED_UNKNOWN)
		json_null(j, "modalias_once");
	else
		json_bool(j, "modalias_once", announced == ANNOUNCED_ONCE);
	json_open(j, "layers", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(j, NULL, '{');
		json_string(j, "name", all[i].name);
		json_string(j, "layer", layers_name(all[i].layers));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_status(FILE *out, const struct facts *facts, const struct decision *d,
			const struct state *state, bool has_conf, const struct offers *offers)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_bool(&j, "decided", state->is_there);
	json_string(&j, "outcome", state->is_there ? state->outcome : NULL);
	json_string(&j, "reason", state->is_there ? state->reason : NULL);
	json_string(&j, "version", state->is_there ? state->version : NULL);
	json_string(&j, "image_version", facts->image_version[0] ? facts->image_version : NULL);
	json_string(&j, "driver_then", state->driver[0] ? state->driver : NULL);
	json_string(&j, "driver_now", facts->scaling_driver[0] ? facts->scaling_driver : NULL);
	json_bool(&j, "agrees", status_agrees(facts, state));
	json_bool(&j, "has_file", has_conf);
	json_bool(&j, "is_masked", facts->is_masked);
	json_open(&j, "modules", '[');
	for (size_t i = 0; i < driver_count; i++) {
		const struct module_state *m = &facts->modules[i];
		const struct row_decision *row = &d->rows[i];

		if (m->attempt == ATTEMPT_NONE && !row->deny && !row->order && !m->is_wanted)
			continue;
		json_open(&j, NULL, '{');
		json_string(&j, "name", drivers[i].name);
		json_string(&j, "attempt", m->attempt == ATTEMPT_NONE ? NULL : attempt_text(m));
		json_string(&j, "stage",
			    m->attempt == ATTEMPT_NONE ? NULL : stage_name(m->attempt_stage));
		json_bool(&j, "second_chance", m->was_late);
		json_bool(&j, "taken_back", m->was_taken_back);
		json_bool(&j, "denied", row->deny);
		json_bool(&j, "ordered", row->order);
		json_bool(&j, "asked_for_by_name", m->is_wanted);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_string(&j, "scope", scope_name(facts->settings.scope));
	if (facts->settings.scope == SCOPE_CPU) {
		json_bool(&j, "has_rule", offers->has_rule);
		json_bool(&j, "is_rule_masked", facts->is_rule_masked);
		json_refusals(&j, &offers->refusals);
	}
	json_layers(&j, facts, d, offers);
	json_close(&j, '}');
}

void render_status(FILE *out, const struct facts *facts, const struct decision *d,
		   const struct state *state, bool has_conf, const struct offers *offers,
		   bool is_json)
{
	if (is_json)
		json_status(out, facts, d, state, has_conf, offers);
	else
		print_status(out, facts, d, state, has_conf, offers);
}
