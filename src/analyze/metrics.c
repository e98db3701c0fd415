// SPDX-License-Identifier: GPL-2.0-or-later
#include "metrics.h"

#include <string.h>

#include "config.h"
#include "status.h"
#include "words.h"

static void print_head(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP cpufreq_resolve_%s %s\n# TYPE cpufreq_resolve_%s gauge\n", name, help,
		name);
}

static void print_label(FILE *out, const char *key, const char *value, const char *before)
{
	fprintf(out, "%s%s=\"", before, key);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
	fputc('"', out);
}

static void print_flag(FILE *out, const char *name, const char *help, bool value)
{
	print_head(out, name, help);
	fprintf(out, "cpufreq_resolve_%s %d\n", name, value);
}

static void print_named(FILE *out, const char *name, const char *help, const char *key,
			const char *value)
{
	print_head(out, name, help);
	fprintf(out, "cpufreq_resolve_%s{", name);
	print_label(out, key, value, "");
	fputs("} 1\n", out);
}

static void print_attempts(FILE *out, const char *module, const char *by, unsigned long long count)
{
	fputs("cpufreq_resolve_attempts{", out);
	print_label(out, "module", module, "");
	print_label(out, "by", by, ",");
	fprintf(out, "} %llu\n", count);
}

static void print_udev_attempts(FILE *out, const struct tally *tally)
{
	size_t n = 0;
	_cleanup_free_ const struct tally_module **list = tally_sorted(tally, &n);

	for (size_t i = 0; list && i < n; i++)
		if (driver_find(list[i]->name) >= 0 && tally_requests(list[i]))
			print_attempts(out, list[i]->name, "udev",
				       (unsigned long long)tally_attempts(list[i]));
}

void metrics_print(FILE *out, const struct facts *facts, const struct decision *d,
		   const struct state *state, bool has_conf, const struct tally *tally)
{
	bool is_known = tally && tally->udev_debug;

	print_named(out, "info", "The version that wrote this.", "version", VERSION);
	print_named(out, "driver_in_charge", "The cpufreq driver in charge, or none.", "driver",
		    facts->scaling_driver[0] ? facts->scaling_driver : "none");
	print_flag(out, "decided", "Whether a decision was made in this boot.", state->is_there);
	if (state->is_there) {
		print_named(out, "decision", "What was decided in this boot.", "outcome",
			    state->outcome);
		print_flag(out, "disagrees",
			   "Whether another driver is in charge than when it was decided.",
			   !status_agrees(facts, state));
	}
	print_flag(out, "facts_missing",
		   "Whether something needed for an answer could not be read.",
		   facts->failed_error != 0);
	print_head(out, "denied", "Whether the module is denied for this boot by us.");
	for (size_t i = 0; i < driver_count; i++) {
		if (!has_conf || !d->rows[i].deny)
			continue;
		fputs("cpufreq_resolve_denied{", out);
		print_label(out, "module", drivers[i].name, "");
		fputs("} 1\n", out);
	}
	print_flag(out, "udev_attempts_known",
		   "Whether udev's log tells its attempts (it takes its debug level).", is_known);
	print_head(out, "attempts", "Attempts to load cpufreq modules in this boot.");
	for (size_t i = 0; i < driver_count; i++)
		if (facts->modules[i].attempt != ATTEMPT_NONE)
			print_attempts(out, drivers[i].name, "cpufreq-resolve",
				       facts->modules[i].was_late ? 2 : 1);
	if (is_known)
		print_udev_attempts(out, tally);
	fputs("# EOF\n", out);
}
