// SPDX-License-Identifier: GPL-2.0-or-later
#include "report-parts.h"

#include <string.h>

#include "drivers.h"
#include "words.h"

const char *bound_word(enum bound bound)
{
	static const char *const words[] = {
		[BOUND_EXACT] = "exact", [BOUND_AT_LEAST] = "at least", [BOUND_AT_MOST] = "at most",
		[BOUND_ABOUT] = "about", [BOUND_UNKNOWN] = "unknown",
	};

	return words[bound];
}

enum bound report_bound(const struct log *log, const struct tally *t, const struct tally_module *m)
{
	bool is_doubled = tally_is_doubled(t), may_be_less = m->old_wording || is_doubled;
	bool may_be_more = t->lost || t->lost_unknown || t->unanswered || t->damaged ||
			   log->ended_early || (t->saw_initrd && !t->initrd_debug) ||
			   m->came_after_a_drop;

	if (!t->udev_debug)
		return BOUND_UNKNOWN;
	/* Parts in a wrong order may be there twice, and others not at all. */
	if (t->turned_back && !is_doubled)
		may_be_less = may_be_more = true;
	if (may_be_less)
		return may_be_more ? BOUND_ABOUT : BOUND_AT_MOST;
	return may_be_more ? BOUND_AT_LEAST : BOUND_EXACT;
}

bool report_is_shown(const struct tally_module *m, bool all)
{
	return all || tally_attempts(m) > 1 || m->others || m->unloaded || m->races ||
	       m->refusals > 1 || m->probe_failures || m->kernel_denied || m->initcalls > 1 ||
	       (driver_find(m->name) >= 0 && (tally_requests(m) || m->initcalls));
}

void report_storm(const struct tally *t, struct storm *ret)
{
	size_t n = 0;
	_cleanup_free_ const struct tally_module **list = tally_sorted(t, &n);

	*ret = (struct storm){ 0 };
	for (size_t i = 0; list && i < n; i++) {
		const struct tally_module *m = list[i];

		if (tally_attempts(m) < 2)
			continue;
		ret->is_there = true;
		ret->modules++;
		ret->attempts += tally_attempts(m);
		ret->busy += m->busy;
		if (!m->has_attempt_times)
			continue;
		if (!ret->has_times || m->first < ret->first)
			ret->first = m->first;
		if (!ret->has_times || m->last > ret->last)
			ret->last = m->last;
		ret->has_times = true;
	}
}

char *report_errors(const struct tally_error *errors)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	for (size_t i = 0; i < TALLY_ERRORS && errors[i].count; i++)
		fprintf(out, "%s%s %s", i ? ", " : "",
			errors[i].error ? error_name(-errors[i].error) : "not told",
			COUNT(errors[i].count));
	return fclose(out) == 0 ? TAKE_PTR(text) : NULL;
}

static void print_boot(FILE *out, const struct tally *t)
{
	fprintf(out, "boot      kernel %s, systemd %s",
		t->linux_release[0] ? t->linux_release : "not known",
		t->systemd_version[0] ? t->systemd_version : "not known");
	if (t->cpus)
		fprintf(out, ", %s CPUs", COUNT(t->cpus));
	if (t->host_count)
		fprintf(out, ", host %s", t->hosts[t->host_count - 1]);
	fprintf(out, "; %s %s", COUNT(t->entries), t->entries == 1 ? "entry" : "entries");
	if (t->has_times)
		fprintf(out, " over %s", SECONDS(t->last - t->first));
	fputc('\n', out);
	if (t->driver[0])
		fprintf(out, "driver    %s, by the kernel's own words\n", t->driver);
	for (size_t i = 0; i < t->remark_count; i++)
		fprintf(out, "driver    \"%s\"\n", t->remarks[i]);
}

static void print_startup(FILE *out, const struct tally *t)
{
	const struct tally_startup *s = &t->startup;
	const struct {
		const char *name;
		uint64_t value;
	} parts[] = {
		{ "firmware", s->firmware }, { "loader", s->loader },       { "kernel", s->kernel },
		{ "initrd", s->initrd },     { "userspace", s->userspace },
	};
	const char *plus = "";

	if (!s->is_there) {
		fputs("startup   the log has no \"Startup finished\" line\n", out);
		return;
	}
	fputs("startup   ", out);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].value)
			continue;
		fprintf(out, "%s%s (%s)", plus, SECONDS(parts[i].value), parts[i].name);
		plus = " + ";
	}
	fprintf(out, " = %s\n", SECONDS(s->total));
}

static void print_udev(FILE *out, const struct tally *t)
{
	struct storm storm;

	if (!t->udev_lines) {
		fputs("udev      no line\n", out);
		return;
	}
	fprintf(out, "udev      %s", OF(t->udev_lines, "line"));
	if (t->has_udev_times)
		fprintf(out, " over %s", SECONDS(t->udev_last - t->udev_first));
	if (t->lookups)
		fprintf(out, "; asked for %s aliases, %s of them CPUs'", COUNT(t->lookups),
			COUNT(t->cpu_lookups));
	if (t->workers.count)
		fprintf(out, "; %s%s workers were busy for %s",
			t->workers.is_full ? "more than " : "", COUNT(t->workers.count),
			SECONDS(t->udev_busy));
	fputc('\n', out);
	report_storm(t, &storm);
	if (!storm.is_there)
		return;
	fprintf(out, "storm     %s attempts at %s tried more than once", COUNT(storm.attempts),
		OF(storm.modules, "module"));
	if (storm.has_times)
		fprintf(out, ", in %s", SECONDS(storm.last - storm.first));
	if (t->udev_busy)
		fprintf(out, "; %s of the workers' time, %s", SECONDS(storm.busy),
			number_percent(storm.busy, t->udev_busy).text);
	fputc('\n', out);
	if (storm.has_times && t->startup.userspace)
		fprintf(out, "          (userspace took %s to start)\n",
			SECONDS(t->startup.userspace));
}

static void print_details(FILE *out, const struct tally_module *m)
{
	_cleanup_free_ char *errors = report_errors(m->errors);
	const char *comma = "";

	if (errors && errors[0]) {
		fputs(errors, out);
		comma = "; ";
	}
	if (m->in_initrd) {
		fprintf(out, "%s%s in the initrd", comma, COUNT(m->in_initrd));
		comma = "; ";
	}
	if (m->loaded) {
		fprintf(out, "%s%s live already", comma, OF(m->loaded, "time"));
		comma = "; ";
	}
	if (m->builtin) {
		fprintf(out, "%s%s built in", comma, OF(m->builtin, "time"));
		comma = "; ";
	}
	if (m->denied) {
		fprintf(out, "%s%s denied%s", comma, OF(m->denied, "time"),
			m->denied_by_kernel == m->denied ? " by the kernel" : "");
	}
}

const char *report_bound_sign(enum bound bound)
{
	static const char *const signs[] = {
		[BOUND_EXACT] = "",  [BOUND_AT_LEAST] = ">=", [BOUND_AT_MOST] = "<=",
		[BOUND_ABOUT] = "~", [BOUND_UNKNOWN] = "?",
	};

	return signs[bound];
}

static void print_row(FILE *out, const struct log *log, const struct tally *t,
		      const struct tally_module *m)
{
	uint64_t attempts = tally_attempts(m), origin = tally_origin(t);
	char counted[48], first[40] = "", last[40] = "", span[40] = "";

	(void)snprintf(counted, sizeof(counted), "%s%s", report_bound_sign(report_bound(log, t, m)),
		       COUNT(attempts));
	if (m->has_attempt_times) {
		(void)snprintf(first, sizeof(first), "%s",
			       number_plain_seconds(m->first - origin).text);
		(void)snprintf(last, sizeof(last), "%s",
			       number_plain_seconds(m->last - origin).text);
		(void)snprintf(span, sizeof(span), "%s",
			       number_plain_seconds(m->last - m->first).text);
	}
	fprintf(out, "%-24s %8s %8s %7s %9s %9s %8s %7s %7s %9s %6s  ", m->name, counted,
		COUNT(m->classes[CLASS_INSERTED]), COUNT(attempts - m->classes[CLASS_INSERTED]),
		first, last, span, number_rate(attempts, m->last - m->first).text,
		m->workers.count ? COUNT(m->workers.count) : "",
		m->busy ? number_plain_seconds(m->busy).text : "",
		m->busy ? number_percent(m->busy, t->udev_busy).text : "");
	print_details(out, m);
	fputc('\n', out);
}

static bool has_requests(const struct tally_module *m)
{
	return tally_requests(m) > 0;
}

static void print_table(FILE *out, const struct log *log, const struct tally *t,
			const struct tally_module **list, size_t n, bool all)
{
	size_t shown = 0, hidden = 0;

	for (size_t i = 0; i < n; i++) {
		if (!has_requests(list[i]))
			continue;
		if (!report_is_shown(list[i], all)) {
			hidden++;
			continue;
		}
		if (!shown++)
			fprintf(out, "\n%-24s %8s %8s %7s %9s %9s %8s %7s %7s %9s %6s\n", "MODULE",
				"ATTEMPTS", "INSERTED", "FAILED", "FIRST s", "LAST s", "SPAN s",
				"A SEC.", "WORKERS", "TIME s", "SHARE");
		print_row(out, log, t, list[i]);
	}
	if (hidden)
		fprintf(out, "%sand %s that udev tried once or not at all (--all)\n",
			shown ? "" : "\n", OF(hidden, "module"));
}

static const char *speaker_word(enum speaker speaker)
{
	return speaker == SPEAKER_MODULES_LOAD ? "systemd-modules-load" :
	       speaker == SPEAKER_MODPROBE     ? "modprobe" :
	       speaker == SPEAKER_INIT         ? "systemd itself" :
						 "others";
}

/* What is known of modules from others than udev. */
static void print_others(FILE *out, const struct tally_module **list, size_t n, bool all)
{
	for (size_t i = 0; i < n; i++) {
		const struct tally_module *m = list[i];

		if (!report_is_shown(m, all))
			continue;
		if (m->initcalls) {
			_cleanup_free_ char *errors = report_errors(m->initcall_errors);

			fprintf(out,
				"initcall  %s: called %s, %s of them returned 0%s%s; %s in all\n",
				m->name, OF(m->initcalls, "time"), COUNT(m->initcalls_ok),
				errors && errors[0] ? ", " : "", errors ? errors : "",
				SECONDS(m->initcall_usecs));
		}
		if (m->unloaded)
			fprintf(out,
				"unloaded  %s: %s, says the kernel's list of unloaded tainted "
				"modules\n",
				m->name, OF(m->unloaded, "time"));
		if (m->others)
			fprintf(out, "not udev  %s: %s by %s\n", m->name, OF(m->others, "attempt"),
				speaker_word(m->others_speaker));
		if (m->refusals)
			fprintf(out, "refused   %s: %s, by what its init says each time\n", m->name,
				OF(m->refusals, "time"));
		if (m->races)
			fprintf(out, "race      %s: its state could not be read, %s\n", m->name,
				OF(m->races, "time"));
		if (m->probe_failures)
			fprintf(out, "probe     %s: failed %s, %s\n", m->name,
				OF(m->probe_failures, "time"), error_name(-m->probe_error));
		if (m->kernel_denied)
			fprintf(out, "denied    %s: %s, by the kernel itself\n", m->name,
				OF(m->kernel_denied, "time"));
	}
}

void report_print_notes(FILE *out, const char *notes)
{
	const size_t width = 96;

	for (const char *line = notes; *line; line += strcspn(line, "\n") + 1) {
		size_t len = strcspn(line, "\n"), start = 0;

		while (start < len) {
			size_t end = len;

			if (len - start > width) {
				end = start + width;
				while (end > start && line[end] != ' ')
					end--;
				if (end == start)
					end = start + width;
			}
			fprintf(out, "%s%.*s\n", start ? "          " : "note      ",
				(int)(end - start), line + start);
			start = end + (end < len && line[end] == ' ');
		}
		if (!line[len])
			break;
	}
}

void report_print(FILE *out, const struct log *log, const struct tally *t, bool all)
{
	_cleanup_free_ char *notes = report_notes(log, t);
	size_t n = 0;
	_cleanup_free_ const struct tally_module **list = tally_sorted(t, &n);

	print_boot(out, t);
	print_startup(out, t);
	print_udev(out, t);
	if (list) {
		print_table(out, log, t, list, n, all);
		fputc('\n', out);
		print_others(out, list, n, all);
	}
	if (notes)
		report_print_notes(out, notes);
}
