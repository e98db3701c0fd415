// SPDX-License-Identifier: GPL-2.0-or-later
#include "render.h"

#include <string.h>

#include "config.h"
#include "json.h"
#include "util.h"
#include "why.h"
#include "words.h"

#define DRIVERS_DIR "drivers/cpufreq/"

static void print_settings(FILE *out, const struct settings *settings)
{
	for (size_t i = 0; i < settings->count; i++) {
		fputs("setting   ", out);
		render_setting(out, &settings->all[i]);
		if (settings->all[i].expected)
			fprintf(out, " (not understood: expected %s)", settings->all[i].expected);
		else if (!settings->all[i].is_used)
			fputs(" (overridden)", out);
		fputc('\n', out);
	}
}

void render_explain(FILE *out, const struct facts *facts, const struct decision *d)
{
	_cleanup_free_ char *reason = words_outcome(facts, d);
	const char *forced = words_forced(d), *warning = why_warning(facts, d);

	fprintf(out, "answer    %s\n", reason ? reason : "");
	fprintf(out, "kernel    %s\n", facts->kernel[0] ? facts->kernel : "unknown");
	fprintf(out, "processor %s\n", facts->cpu[0] ? facts->cpu : "unknown");
	print_settings(out, &facts->settings);
	if (forced)
		fprintf(out, "setting   driver=%s %s\n", facts->settings.driver, forced);
	if (warning)
		fprintf(out, "warning   %s\n", warning);
	fprintf(out, "\n%-18s %-12s %s\n", "DRIVER", "VERDICT", "WHY");
	for (size_t i = 0; i < driver_count; i++) {
		_cleanup_free_ char *why = words_row(facts, d, i);
		const char *more = why_row(facts, d, i);

		fprintf(out, "%-18s %-12s %s%s%s\n", drivers[i].name,
			verdict_name(d->rows[i].verdict), why ? why : "", more ? "; " : "",
			more ? more : "");
	}
}

static void json_offers(struct json *j, unsigned int offers)
{
	static const char *const names[] = { "cpu", "acpi", "platform", "pci" };

	json_open(j, "offered_for", '[');
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (offers & 1U << i)
			json_string(j, NULL, names[i]);
	json_close(j, ']');
}

static void json_settings(struct json *j, const struct settings *settings)
{
	json_open(j, "settings", '{');
	json_bool(j, "enable", settings->is_enabled);
	json_string(j, "driver", settings->driver[0] ? settings->driver : NULL);
	json_string(j, "policy", policy_name(settings->policy));
	json_open(j, "sources", '[');
	for (size_t i = 0; i < settings->count; i++) {
		const struct setting *s = &settings->all[i];

		json_open(j, NULL, '{');
		json_string(j, "text", s->text);
		json_string(j, "file", s->file);
		json_int(j, "line", (long)s->line);
		json_bool(j, "used", s->is_used);
		json_string(j, "expected", s->expected);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void json_row(struct json *j, const struct facts *facts, const struct decision *d, size_t i)
{
	_cleanup_free_ char *why = words_row(facts, d, i);
	const struct module_state *m = &facts->modules[i];

	json_open(j, NULL, '{');
	json_string(j, "name", drivers[i].name);
	json_string(j, "verdict", verdict_name(d->rows[i].verdict));
	json_string(j, "why", why);
	json_string(j, "advice", why_row(facts, d, i));
	json_offers(j, m->offers);
	json_bool(j, "module", m->is_present);
	json_bool(j, "builtin", m->is_builtin);
	json_bool(j, "live", m->is_live);
	json_bool(j, "denied_for_this_boot", d->rows[i].deny);
	json_bool(j, "ordered_by_softdep", d->rows[i].order);
	json_string(j, "attempt",
		    m->attempt == ATTEMPT_NONE    ? NULL :
		    m->attempt == ATTEMPT_PENDING ? "pending" :
						    error_name(m->error));
	json_close(j, '}');
}

void render_explain_json(FILE *out, const struct facts *facts, const struct decision *d)
{
	_cleanup_free_ char *reason = words_outcome(facts, d);
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_string(&j, "version", VERSION);
	json_string(&j, "kernel", facts->kernel[0] ? facts->kernel : NULL);
	json_string(&j, "processor", facts->cpu[0] ? facts->cpu : NULL);
	json_string(&j, "outcome", outcome_name(d->outcome));
	json_string(&j, "driver", facts->scaling_driver[0] ? facts->scaling_driver : NULL);
	json_string(&j, "next", d->next >= 0 ? drivers[d->next].name : NULL);
	json_string(&j, "reason", reason);
	json_string(&j, "warning", why_warning(facts, d));
	json_settings(&j, &facts->settings);
	json_open(&j, "drivers", '[');
	for (size_t i = 0; i < driver_count; i++)
		json_row(&j, facts, d, i);
	json_close(&j, ']');
	json_close(&j, '}');
}

static const char *known_text(const struct facts *facts, unsigned int fact)
{
	if (!(facts->set.is_known & UINT64_C(1) << fact))
		return "unknown";
	return fact_is(facts, fact) ? "yes" : "no";
}

void render_facts(FILE *out, const struct facts *facts)
{
	fprintf(out, "%-12s %s\n", "kernel", facts->kernel[0] ? facts->kernel : "unknown");
	fprintf(out, "%-12s %s\n", "processor", facts->cpu[0] ? facts->cpu : "unknown");
	fprintf(out, "%-12s %s\n", "driver",
		facts->scaling_driver[0] ? facts->scaling_driver : "none");
	if (facts->failed_error)
		fprintf(out, "%-12s %s\n", "missing", facts->failed);
	for (unsigned int f = 0; f < FACT_COUNT; f++)
		fprintf(out, "%-12s %-8s %s\n", fact_name(f), known_text(facts, f), fact_help(f));
}

void render_facts_json(FILE *out, const struct facts *facts)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_string(&j, "kernel", facts->kernel[0] ? facts->kernel : NULL);
	json_string(&j, "processor", facts->cpu[0] ? facts->cpu : NULL);
	json_string(&j, "driver", facts->scaling_driver[0] ? facts->scaling_driver : NULL);
	json_string(&j, "missing", facts->failed_error ? facts->failed : NULL);
	json_open(&j, "facts", '{');
	for (unsigned int f = 0; f < FACT_COUNT; f++) {
		if (facts->set.is_known & UINT64_C(1) << f)
			json_bool(&j, fact_name(f), fact_is(facts, f));
		else
			json_null(&j, fact_name(f));
	}
	json_close(&j, '}');
	json_close(&j, '}');
}

void render_drivers(FILE *out)
{
	for (size_t i = 0; i < driver_count; i++) {
		fprintf(out, "%-18s %s", drivers[i].name, drivers[i].what);
		words_facts(out, "; needs ", drivers[i].needs);
		words_facts(out, "; not with ", drivers[i].unless);
		fprintf(out, " [" DRIVERS_DIR "%s]\n", drivers[i].source);
	}
}

static void json_mask(struct json *j, const char *key, uint64_t mask)
{
	json_open(j, key, '[');
	for (unsigned int f = 0; f < FACT_COUNT; f++)
		if (mask & UINT64_C(1) << f)
			json_string(j, NULL, fact_name(f));
	json_close(j, ']');
}

void render_drivers_json(FILE *out)
{
	struct json j = { .out = out };
	char source[64];

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < driver_count; i++) {
		json_open(&j, NULL, '{');
		json_string(&j, "name", drivers[i].name);
		json_open(&j, "reports", '[');
		for (size_t k = 0; k < ARRAY_SIZE(drivers[i].reports); k++)
			if (drivers[i].reports[k])
				json_string(&j, NULL, drivers[i].reports[k]);
		json_close(&j, ']');
		json_string(&j, "what", drivers[i].what);
		json_mask(&j, "needs", drivers[i].needs);
		json_mask(&j, "unless", drivers[i].unless);
		(void)snprintf(source, sizeof(source), DRIVERS_DIR "%s", drivers[i].source);
		json_string(&j, "source", source);
		json_close(&j, '}');
	}
	json_close(&j, ']');
}
