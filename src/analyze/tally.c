// SPDX-License-Identifier: GPL-2.0-or-later
#include "tally.h"

#include <errno.h>

#include "tally-parts.h"
#include "util.h"

#define BIN_WIDTH_FIRST 1000
#define SECOND          UINT64_C(1000000)

struct tally *tally_new(void)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->worker_slots = calloc(WORKER_SLOTS, sizeof(*t->worker_slots));
	t->bin_width = BIN_WIDTH_FIRST;
	if (t->worker_slots)
		return t;
	tally_free(t);
	return NULL;
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < MODULE_SLOTS; i++)
		tally_free_module(t->modules[i]);
	free(t->workers.slots);
	free(t->worker_slots);
	free(t);
}

/* Somebody who is not udev: systemd-modules-load, modprobe, PID 1. */
static int add_other(struct tally *t, const struct entry *entry, const struct event *event)
{
	struct tally_module *m;
	int r;

	if (event->kind != EVENT_INSERTED && event->kind != EVENT_FAILED)
		return 0;
	r = tally_get_module(t, event->name, &m);
	if (r < 0)
		return r;
	m->others++;
	m->others_speaker = entry->speaker;
	return 0;
}

static int add_unloaded(struct tally *t, struct slice list, bool is_first)
{
	struct slice name;
	uint64_t count;

	/* The kernel prints the whole list each time: only the last one counts. */
	for (size_t i = 0; is_first && i < MODULE_SLOTS; i++)
		if (t->modules[i])
			t->modules[i]->unloaded = 0;
	while (message_next_unloaded(&list, &name, &count)) {
		struct tally_module *m;
		int r = tally_get_module(t, name, &m);

		if (r < 0)
			return r;
		if (m->unloaded < UINT64_MAX - count)
			m->unloaded += count;
	}
	t->is_list_going_on = true;
	return 0;
}

static int add_initcall(struct tally *t, const struct event *event)
{
	struct tally_module *m;
	/* What is built in has no module: then the function is all there is. */
	int r = tally_get_module(t, event->name.len ? event->name : event->text, &m);

	if (r < 0)
		return r;
	m->initcalls++;
	m->initcall_usecs += event->usecs < UINT64_MAX - m->initcall_usecs ? event->usecs : 0;
	if (event->error)
		tally_add_error(m->initcall_errors, event->error);
	else
		m->initcalls_ok++;
	return 0;
}

static void add_lost(struct tally *t, const struct event *event)
{
	char text[sizeof(t->lost_lines[0].text)];

	/* journald limits each unit for itself. */
	if (slice_find(event->text, SLICE(" messages from ")) < event->text.len &&
	    slice_find(event->text, SLICE("udev")) == event->text.len)
		t->lost_elsewhere +=
			event->count < UINT64_MAX - t->lost_elsewhere ? event->count : 0;
	else if (event->count && t->lost < UINT64_MAX - event->count)
		t->lost += event->count;
	else
		t->lost_unknown++;
	tally_copy(text, sizeof(text), event->text);
	for (size_t i = 0; i < TALLY_LOST_MAX; i++) {
		struct tally_lost *l = &t->lost_lines[i];

		if (l->times && strcmp(l->text, text) != 0)
			continue;
		str_copy(l->text, sizeof(l->text), text);
		l->count += event->count < UINT64_MAX - l->count ? event->count : 0;
		l->times++;
		return;
	}
}

static bool word_sets_debug(struct slice cmdline, struct slice key)
{
	static const struct slice levels[] = { SLICE("debug"), SLICE("7") };
	bool is_debug = false;

	while (cmdline.len) {
		struct slice word;

		slice_eat_blanks(&cmdline);
		word = (struct slice){ cmdline.p, slice_find_char(cmdline, ' ') };
		cmdline = slice_from(cmdline, word.len);
		if (!slice_eat(&word, key))
			continue;
		is_debug = false;
		for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
			is_debug |= slice_is(word, levels[i]);
	}
	return is_debug;
}

static void add_cmdline(struct tally *t, struct slice s)
{
	t->has_cmdline = true;
	/* systemd 247 renamed log-priority; the underscore was accepted before that too. */
	t->cmdline_has_debug = word_sets_debug(s, SLICE("udev.log_level=")) ||
			       word_sets_debug(s, SLICE("udev.log_priority=")) ||
			       word_sets_debug(s, SLICE("udev.log-priority="));
	t->cmdline_has_rd_debug = t->cmdline_has_debug ||
				  word_sets_debug(s, SLICE("rd.udev.log_level=")) ||
				  word_sets_debug(s, SLICE("rd.udev.log_priority=")) ||
				  word_sets_debug(s, SLICE("rd.udev.log-priority="));
}

static void add_systemd(struct tally *t, const struct entry *entry, struct slice version)
{
	tally_copy(t->systemd_version, sizeof(t->systemd_version), version);
	if (!t->systemd_starts++)
		t->systemd_first = entry->time;
	t->systemd_last = entry->time;
	t->is_initrd = false;
}

static int add_event(struct tally *t, const struct entry *entry, const struct event *event)
{
	struct tally_module *m;
	int r;

	switch (event->kind) {
	case EVENT_INITCALL:
		return add_initcall(t, event);
	case EVENT_PROBE_FAILED:
	case EVENT_KERNEL_DENIED:
	case EVENT_REFUSAL:
		r = tally_get_module(t, event->name, &m);
		if (r < 0)
			return r;
		m->kernel_denied += event->kind == EVENT_KERNEL_DENIED;
		m->refusals += event->kind == EVENT_REFUSAL;
		m->probe_failures += event->kind == EVENT_PROBE_FAILED;
		if (event->kind == EVENT_PROBE_FAILED)
			m->probe_error = event->error;
		break;
	case EVENT_UNLOADED:
		return add_unloaded(t, event->text, true);
	case EVENT_LINUX:
		tally_copy(t->linux_release, sizeof(t->linux_release), event->text);
		break;
	case EVENT_CMDLINE:
		add_cmdline(t, event->text);
		break;
	case EVENT_CPUS:
		t->cpus = event->count;
		break;
	case EVENT_DRIVER:
		tally_copy(t->driver, sizeof(t->driver), event->text);
		break;
	case EVENT_REMARK:
		if (t->remark_count < TALLY_REMARKS_MAX)
			tally_copy(t->remarks[t->remark_count++], sizeof(t->remarks[0]),
				   event->text);
		break;
	case EVENT_SYSTEMD:
		add_systemd(t, entry, event->text);
		break;
	case EVENT_IN_INITRD:
		t->is_initrd = t->saw_initrd = true;
		break;
	case EVENT_STARTUP:
		if (!tally_startup_parse(event->text, &t->startup))
			break;
		t->startup.has_finish = entry->clock != LOG_CLOCK_NONE;
		t->startup.finish = entry->time;
		break;
	case EVENT_LOST:
		add_lost(t, event);
		break;
	default:
		break;
	}
	return 0;
}

static void add_time(struct tally *t, const struct entry *entry)
{
	if (entry->clock == LOG_CLOCK_NONE)
		return;
	if (!t->has_times) {
		t->clock = entry->clock;
		t->first = t->last = t->bin_start = entry->time;
		t->has_times = true;
	}
	t->is_coarse |= entry->is_coarse;
	if (entry->time < t->first)
		t->first = entry->time;
	if (entry->time > t->last)
		t->last = entry->time;
	else if (t->last - entry->time > SECOND)
		t->turned_back++;
}

/* A machine is renamed once or twice while it boots; names that take turns are two machines. */
static void add_host(struct tally *t, struct slice host)
{
	char name[sizeof(t->hosts[0])];
	size_t i;

	if (t->host_count && strlen(t->hosts[t->host_now]) == host.len &&
	    memcmp(t->hosts[t->host_now], host.p, host.len) == 0)
		return;
	tally_copy(name, sizeof(name), host);
	for (i = 0; i < t->host_count; i++)
		if (strcmp(t->hosts[i], name) == 0)
			break;
	if (i < t->host_count && i != t->host_now)
		t->host_returns++;
	if (i == TALLY_HOSTS_MAX)
		return;
	if (i == t->host_count)
		str_copy(t->hosts[t->host_count++], sizeof(t->hosts[0]), name);
	t->host_now = i;
}

static bool is_list(struct slice message)
{
	struct slice name;
	uint64_t count;

	return message_next_unloaded(&message, &name, &count);
}

int tally_add(struct tally *t, const struct entry *entry, const struct event *event)
{
	bool is_going_on = t->is_list_going_on;

	t->entries++;
	t->is_list_going_on = false;
	add_time(t, entry);
	if (entry->host.len)
		add_host(t, entry->host);
	if (entry->seqnum) {
		if (t->last_seqnum && entry->seqnum > t->last_seqnum + 1)
			t->seqnum_gaps += entry->seqnum - t->last_seqnum - 1;
		t->last_seqnum = entry->seqnum;
	}
	t->damaged += event->kind == EVENT_DAMAGED || event->is_glued;
	if (entry->speaker == SPEAKER_UDEV)
		return tally_add_udev(t, entry, event);
	/* A list of unloaded modules that was wrapped, or of which only the end was kept. */
	if (event->kind == EVENT_NONE && entry->clock == LOG_CLOCK_NONE && is_list(entry->message))
		return add_unloaded(t, entry->message, !is_going_on);
	if (event->kind >= EVENT_INSERTED && event->kind <= EVENT_END)
		return entry->speaker == SPEAKER_UNKNOWN ? tally_add_udev(t, entry, event) :
							   add_other(t, entry, event);
	return event->kind == EVENT_NONE ? 0 : add_event(t, entry, event);
}

uint64_t tally_origin(const struct tally *t)
{
	uint64_t since = t->startup.kernel + t->startup.initrd + t->startup.userspace;

	if (t->clock == LOG_CLOCK_BOOT)
		return 0;
	/* The line is written when the last job is done, which is what its sum counts to. */
	if (t->startup.has_finish && since < t->startup.finish)
		return t->startup.finish - since < t->first ? t->startup.finish - since : t->first;
	return t->first;
}
