// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpuup.h"
#include "json.h"
#include "numbers.h"

#define SHOWN 20

static const char *source_word(enum cpuup_source source)
{
	return source == CPUUP_EVENTS ? "cpuhp events" : "function graph";
}

/* Nanoseconds are to milliseconds what microseconds are to seconds. */
static struct number milliseconds(uint64_t nanoseconds)
{
	return number_plain_seconds(nanoseconds);
}

void cpuup_print(FILE *out, const struct cpuup *c, bool all)
{
	uint64_t other = c->total > c->in_callbacks ? c->total - c->in_callbacks : 0, rest = 0;
	size_t shown = 0;

	fprintf(out, "trace     %s, %s\n", source_word(c->source),
		number_of(c->lines, "line").text);
	fprintf(out, "cpu_up    %s, %s ms in all", number_of(c->cpus, "bring-up").text,
		milliseconds(c->total).text);
	if (c->cpus)
		fprintf(out, ", %s ms each, %s ms the longest",
			milliseconds(c->total / c->cpus).text, milliseconds(c->longest_cpu).text);
	fputc('\n', out);
	if (c->wall)
		fprintf(out, "          %s ms from the first callback to the last\n",
			milliseconds(c->wall).text);
	fprintf(out, "\n%-36s %12s %7s %8s %10s %10s\n", "CALLBACK", "TOTAL ms", "SHARE", "CALLS",
		"EACH ms", "LONGEST ms");
	for (size_t i = 0; i < c->count; i++) {
		const struct cpuup_callback *cb = &c->callbacks[i];

		if (!cb->calls)
			continue;
		if (!all && shown == SHOWN) {
			rest += cb->total;
			continue;
		}
		shown++;
		fprintf(out, "%-36s %12s %7s %8s %10s %10s", cb->name, milliseconds(cb->total).text,
			number_percent(cb->total, c->total).text, number_count(cb->calls).text,
			milliseconds(cb->total / cb->calls).text, milliseconds(cb->longest).text);
		if (cb->failures)
			fprintf(out, "  %s failed", number_count(cb->failures).text);
		fputc('\n', out);
	}
	if (rest)
		fprintf(out, "%-36s %12s %7s\n", "other callbacks (--all)", milliseconds(rest).text,
			number_percent(rest, c->total).text);
	if (other)
		fprintf(out, "%-36s %12s %7s\n", "outside of callbacks", milliseconds(other).text,
			number_percent(other, c->total).text);
	fputc('\n', out);
	if (c->source == CPUUP_EVENTS)
		fputs("note      A callback's time is its own, without callbacks that ran within "
		      "it; a CPU's is\n"
		      "          from its first callback to its last, so CPUs that come up in "
		      "parallel add up.\n",
		      out);
	else if (c->in_callbacks > c->total)
		fputs("note      Callbacks add up to more than cpu_up(): those that the new CPU "
		      "runs itself count\n"
		      "          twice, as their own and as the waiting of the CPU that brings it "
		      "up.\n",
		      out);
	if (c->source == CPUUP_GRAPH && !c->cpus)
		fputs("note      No call of cpu_up() is whole in this trace: there is no total.\n",
		      out);
	if (c->registered_later)
		fprintf(out,
			"note      %s on CPUs that were up already, of callbacks registered later: "
			"not counted.\n",
			number_of(c->registered_later, "call").text);
	if (c->lost_events)
		fprintf(out, "note      The trace lost %s: the buffer was too small.\n",
			number_of(c->lost_events, "event").text);
	if (c->unpaired)
		fprintf(out, "note      %s without its other half.\n",
			number_of(c->unpaired, "event").text);
	if (c->left_out)
		fprintf(out, "note      %s of further callbacks than the %d that are kept.\n",
			number_of(c->left_out, "call").text, CPUUP_CALLBACKS_MAX);
	if (c->unreadable)
		fprintf(out, "note      %s of %s could not be read.\n",
			number_count(c->unreadable).text, number_of(c->lines, "line").text);
}

void cpuup_print_json(FILE *out, const struct cpuup *c)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_string(&j, "source", source_word(c->source));
	json_int(&j, "cpus", (long)c->cpus);
	json_int(&j, "total_ns", (long)c->total);
	json_int(&j, "longest_cpu_ns", (long)c->longest_cpu);
	json_int(&j, "wall_ns", (long)c->wall);
	json_int(&j, "in_callbacks_ns", (long)c->in_callbacks);
	json_int(&j, "registered_later", (long)c->registered_later);
	json_int(&j, "lost_events", (long)c->lost_events);
	json_int(&j, "unpaired", (long)c->unpaired);
	json_int(&j, "unreadable", (long)c->unreadable);
	json_open(&j, "callbacks", '[');
	for (size_t i = 0; i < c->count; i++) {
		const struct cpuup_callback *cb = &c->callbacks[i];

		if (!cb->calls)
			continue;
		json_open(&j, NULL, '{');
		json_string(&j, "name", cb->name);
		json_int(&j, "calls", (long)cb->calls);
		json_int(&j, "failures", (long)cb->failures);
		json_int(&j, "total_ns", (long)cb->total);
		json_int(&j, "longest_ns", (long)cb->longest);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
}
