// SPDX-License-Identifier: GPL-2.0-or-later
/* What udev's workers did: requests, attempts, and how long they were busy with them. */
#include <errno.h>

#include "tally-parts.h"

#define WORKERS_MAX (WORKER_SLOTS / 2)

static void double_bins(struct tally *t)
{
	t->bin_width *= 2;
	for (size_t i = 0; i < MODULE_SLOTS; i++) {
		struct tally_bins *bins = t->modules[i] ? t->modules[i]->bins : NULL;

		for (unsigned int c = 0; bins && c < CLASS_COUNT; c++) {
			uint32_t *n = bins->counts[c];

			for (size_t k = 0; k < TALLY_BINS / 2; k++)
				n[k] = n[k * 2] + n[k * 2 + 1];
			memset(n + TALLY_BINS / 2, 0, TALLY_BINS / 2 * sizeof(*n));
		}
	}
}

static int add_mark(struct tally *t, struct tally_module *m, enum outcome_class class,
		    uint64_t time)
{
	uint64_t offset = time > t->bin_start ? time - t->bin_start : 0;

	if (!m->bins) {
		m->bins = calloc(1, sizeof(*m->bins));
		if (!m->bins)
			return -ENOMEM;
	}
	while (offset / t->bin_width >= TALLY_BINS)
		double_bins(t);
	m->bins->counts[class][offset / t->bin_width]++;
	return 0;
}

static enum outcome_class class_of(const struct event *event)
{
	if (event->kind == EVENT_INSERTED)
		return CLASS_INSERTED;
	return event->error == ENODEV ? CLASS_NODEV :
	       event->error == EBUSY  ? CLASS_BUSY :
					CLASS_OTHER;
}

static int add_attempt(struct tally *t, struct tally_module *m, const struct entry *entry,
		       const struct event *event, uint64_t busy)
{
	enum outcome_class class = class_of(event);

	m->classes[class]++;
	if (event->kind == EVENT_FAILED)
		tally_add_error(m->errors, event->error);
	if (event->is_old_wording && event->kind == EVENT_INSERTED)
		m->old_wording++;
	if (t->is_initrd)
		m->in_initrd++;
	m->busy += busy;
	tally_add_pid(&m->workers, entry->pid);
	if (entry->clock == LOG_CLOCK_NONE)
		return 0;
	if (!m->has_attempt_times || entry->time < m->first)
		m->first = entry->time;
	if (!m->has_attempt_times || entry->time > m->last)
		m->last = entry->time;
	m->has_attempt_times = true;
	return add_mark(t, m, class, entry->time);
}

static struct tally_worker *get_worker(struct tally *t, uint64_t pid)
{
	size_t slot;

	if (!pid || pid > UINT32_MAX)
		return NULL;
	for (slot = pid % WORKER_SLOTS; t->worker_slots[slot].pid; slot = (slot + 1) % WORKER_SLOTS)
		if (t->worker_slots[slot].pid == pid)
			return &t->worker_slots[slot];
	if (t->worker_count == WORKERS_MAX) {
		/* More than udev ever has at once: those of long ago are of no use any more. */
		memset(t->worker_slots, 0, WORKER_SLOTS * sizeof(*t->worker_slots));
		t->worker_count = 0;
		slot = pid % WORKER_SLOTS;
	}
	t->worker_count++;
	t->worker_slots[slot] = (struct tally_worker){ .pid = (uint32_t)pid };
	return &t->worker_slots[slot];
}

static uint64_t last_bytes(struct slice s)
{
	uint64_t word = 0;

	if (s.len >= sizeof(word))
		memcpy(&word, s.p + s.len - sizeof(word), sizeof(word));
	else
		for (size_t i = 0; i < s.len; i++)
			word = (word << 8) + (unsigned char)s.p[i];
	return word;
}

/*
 * Enough of a line to know it again among those of one worker at one time: what it and the name in
 * it end with, and lengths. All of it would take as long as the rest of the work on a line.
 */
static uint64_t fingerprint(const struct entry *entry, struct slice name)
{
	struct slice line = entry->message, host = entry->host;
	uint64_t lengths = line.len + (name.len << 20) + (host.len << 40);

	return (last_bytes(line) * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
	       (last_bytes(name) * UINT64_C(0x27d4eb2f165667c5)) ^
	       (host.len ? (uint64_t)(unsigned char)host.p[host.len - 1] << 48 : 0) ^ lengths;
}

/*
 * A worker does not write the same twice in one microsecond: the line was copied. Lines whose time
 * is cut to seconds tell that only as a whole, see tally_is_doubled().
 */
static bool is_again(struct tally *t, const struct tally_worker *w, const struct entry *entry,
		     uint64_t line)
{
	if (entry->clock == LOG_CLOCK_NONE)
		return false;
	if (!t->has_udev_times)
		t->first_line = line;
	else if (entry->time == t->first_time && line == t->first_line && w->last > entry->time)
		t->repeats++;
	return w->last_line == line && w->last == entry->time;
}

bool tally_is_doubled(const struct tally *t)
{
	return t->repeats || (t->is_coarse ? t->duplicates * 3 > t->udev_lines : t->duplicates > 0);
}

static bool is_answer(enum event_kind kind)
{
	return kind >= EVENT_INSERTED && kind <= EVENT_NOT_FOUND;
}

/*
 * How long did the worker take for what this line reports? The time since its line before, as long
 * as it was busy with a device; what passes between two devices is waiting.
 */
static uint64_t follow_worker(struct tally *t, const struct entry *entry, const struct event *event)
{
	struct tally_worker *w = get_worker(t, entry->pid);
	uint64_t gap = 0, line = fingerprint(entry, event->name);

	if (!w)
		return 0;
	if (is_again(t, w, entry, line)) {
		t->duplicates++;
		return 0;
	}
	w->last_line = line;
	if (w->is_looking &&
	    (event->kind == EVENT_LOOKUP || event->kind == EVENT_BEGIN || event->kind == EVENT_END))
		t->unanswered++;
	if (is_answer(event->kind) || event->kind == EVENT_BEGIN || event->kind == EVENT_END)
		w->is_looking = false;
	if (event->kind == EVENT_LOOKUP)
		w->is_looking = true;
	if (event->kind == EVENT_BEGIN) {
		w->is_at_work = true;
		tally_add_pid(&t->workers, entry->pid);
	} else if (w->is_at_work && entry->clock != LOG_CLOCK_NONE && entry->time > w->last) {
		gap = entry->time - w->last;
		t->udev_busy += gap;
	}
	if (event->kind == EVENT_END)
		w->is_at_work = false;
	w->last = entry->time;
	return gap;
}

static bool is_cpu_alias(struct slice alias)
{
	return slice_starts(alias, SLICE("cpu:")) || slice_starts(alias, SLICE("x86cpu:")) ||
	       slice_starts(alias, SLICE("acpi:LNXCPU")) ||
	       slice_starts(alias, SLICE("acpi:ACPI0007"));
}

int tally_add_udev(struct tally *t, const struct entry *entry, const struct event *event)
{
	uint64_t busy = follow_worker(t, entry, event);
	struct tally_module *m;
	int r;

	t->udev_lines++;
	if (entry->speaker == SPEAKER_UNKNOWN)
		t->unnamed++;
	if (entry->clock != LOG_CLOCK_NONE) {
		if (!t->has_udev_times)
			t->first_time = entry->time;
		if (!t->has_udev_times || entry->time < t->udev_first)
			t->udev_first = entry->time;
		if (!t->has_udev_times || entry->time > t->udev_last)
			t->udev_last = entry->time;
		t->has_udev_times = true;
	}
	if (event->kind == EVENT_NONE || event->kind == EVENT_DAMAGED)
		return 0;
	if (event->kind != EVENT_RACE) {
		t->udev_debug++;
		t->initrd_debug += t->is_initrd;
	}
	if (event->kind == EVENT_LOOKUP) {
		t->lookups++;
		t->initrd_lookups += t->is_initrd;
		t->cpu_lookups += is_cpu_alias(event->name);
	} else if (event->kind == EVENT_NOT_FOUND) {
		t->not_found++;
	}
	if ((!is_answer(event->kind) && event->kind != EVENT_RACE) ||
	    event->kind == EVENT_NOT_FOUND)
		return 0;
	r = tally_get_module(t, event->name, &m);
	if (r < 0)
		return r;
	switch (event->kind) {
	case EVENT_LOADED:
		m->loaded++;
		return 0;
	case EVENT_BUILTIN:
		m->builtin++;
		return 0;
	case EVENT_DENIED:
		m->denied++;
		m->denied_by_kernel += event->is_by_kernel;
		return 0;
	case EVENT_RACE:
		m->races++;
		return 0;
	default:
		return add_attempt(t, m, entry, event, busy);
	}
}
