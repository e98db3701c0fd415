// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report.h"
#include "words.h"

static void json_text(struct json *j, const char *key, const char *text)
{
	json_string(j, key, text[0] ? text : NULL);
}

static void json_errors(struct json *j, const char *key, const struct tally_error *errors)
{
	json_open(j, key, '{');
	for (size_t i = 0; i < TALLY_ERRORS && errors[i].count; i++)
		json_int(j, errors[i].error ? error_name(-errors[i].error) : "not told",
			 (long)errors[i].count);
	json_close(j, '}');
}

static void json_startup(struct json *j, const struct tally_startup *s)
{
	if (!s->is_there) {
		json_null(j, "startup_us");
		return;
	}
	json_open(j, "startup_us", '{');
	json_int(j, "firmware", (long)s->firmware);
	json_int(j, "loader", (long)s->loader);
	json_int(j, "kernel", (long)s->kernel);
	json_int(j, "initrd", (long)s->initrd);
	json_int(j, "userspace", (long)s->userspace);
	json_int(j, "total", (long)s->total);
	json_close(j, '}');
}

static void json_udev(struct json *j, const struct tally *t)
{
	json_open(j, "udev", '{');
	json_bool(j, "has_debug_lines", t->udev_debug > 0);
	json_int(j, "lines", (long)t->udev_lines);
	json_int(j, "lookups", (long)t->lookups);
	json_int(j, "cpu_lookups", (long)t->cpu_lookups);
	json_int(j, "unanswered", (long)t->unanswered);
	json_int(j, "not_found", (long)t->not_found);
	json_int(j, "workers", (long)t->workers.count);
	json_int(j, "busy_us", (long)t->udev_busy);
	json_int(j, "span_us", (long)(t->udev_last - t->udev_first));
	json_close(j, '}');
}

static void json_module(struct json *j, const struct log *log, const struct tally *t,
			const struct tally_module *m)
{
	uint64_t origin = tally_origin(t), attempts = tally_attempts(m);
	enum bound bound = report_bound(log, t, m);

	json_open(j, NULL, '{');
	json_string(j, "module", m->name);
	json_string(j, "bound", bound_word(bound));
	if (bound == BOUND_UNKNOWN)
		json_null(j, "attempts");
	else
		json_int(j, "attempts", (long)attempts);
	json_int(j, "inserted", (long)m->classes[CLASS_INSERTED]);
	json_int(j, "failed", (long)(attempts - m->classes[CLASS_INSERTED]));
	json_errors(j, "errors", m->errors);
	json_int(j, "in_initrd", (long)m->in_initrd);
	json_int(j, "already_loaded", (long)m->loaded);
	json_int(j, "builtin", (long)m->builtin);
	json_int(j, "denied", (long)m->denied);
	json_int(j, "requests", (long)tally_requests(m));
	if (m->has_attempt_times) {
		json_int(j, "first_us", (long)(m->first - origin));
		json_int(j, "last_us", (long)(m->last - origin));
	} else {
		json_null(j, "first_us");
		json_null(j, "last_us");
	}
	json_int(j, "busy_us", (long)m->busy);
	json_int(j, "workers", (long)m->workers.count);
	json_int(j, "not_udev", (long)m->others);
	json_int(j, "initcalls", (long)m->initcalls);
	json_int(j, "initcalls_ok", (long)m->initcalls_ok);
	json_errors(j, "initcall_errors", m->initcall_errors);
	json_int(j, "initcall_us", (long)m->initcall_usecs);
	json_int(j, "unloaded", (long)m->unloaded);
	json_int(j, "races", (long)m->races);
	json_int(j, "refusals", (long)m->refusals);
	json_int(j, "probe_failures", (long)m->probe_failures);
	json_int(j, "denied_by_kernel", (long)(m->kernel_denied + m->denied_by_kernel));
	json_close(j, '}');
}

static void json_notes(struct json *j, const struct log *log, const struct tally *t)
{
	_cleanup_free_ char *notes = report_notes(log, t);
	char *line = notes, *next;

	json_open(j, "notes", '[');
	for (; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		json_string(j, NULL, line);
	}
	json_close(j, ']');
}

void report_json(struct json *j, const char *key, const struct log *log, const struct tally *t)
{
	size_t n = 0;
	_cleanup_free_ const struct tally_module **list = tally_sorted(t, &n);

	json_open(j, key, '{');
	json_text(j, "kernel", t->linux_release);
	json_text(j, "systemd", t->systemd_version);
	json_text(j, "boot_id", t->boot_id);
	json_text(j, "host", t->host_count ? t->hosts[t->host_count - 1] : "");
	json_text(j, "driver", t->driver);
	json_int(j, "cpus", (long)t->cpus);
	json_int(j, "entries", (long)t->entries);
	json_int(j, "lines", (long)log->lines);
	json_int(j, "unreadable", (long)log->unreadable);
	json_int(j, "damaged", (long)t->damaged);
	json_int(j, "lost", (long)t->lost);
	json_bool(j, "has_losses", t->lost || t->lost_unknown || t->dropped_modules);
	json_int(j, "dropped_modules", (long)t->dropped_modules);
	json_int(j, "dropped_attempts", (long)t->dropped_attempts);
	json_bool(j, "is_doubled", tally_is_doubled(t));
	json_int(j, "boots", (long)log->boots_seen);
	json_startup(j, &t->startup);
	json_udev(j, t);
	json_open(j, "modules", '[');
	for (size_t i = 0; list && i < n; i++)
		json_module(j, log, t, list[i]);
	json_close(j, ']');
	json_notes(j, log, t);
	json_close(j, '}');
}
