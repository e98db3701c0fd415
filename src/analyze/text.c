// SPDX-License-Identifier: GPL-2.0-or-later
#include "text.h"

#include "macro.h"
#include "stamp.h"

enum speaker entry_speaker(struct slice id, uint64_t pid)
{
	static const struct {
		struct slice name;
		enum speaker speaker;
	} known[] = {
		{ SLICE("systemd-udevd"), SPEAKER_UDEV },
		{ SLICE("(udev-worker)"), SPEAKER_UDEV },
		{ SLICE("udevd"), SPEAKER_UDEV },
		{ SLICE("kernel"), SPEAKER_KERNEL },
		{ SLICE("systemd-modules-load"), SPEAKER_MODULES_LOAD },
		{ SLICE("modprobe"), SPEAKER_MODPROBE },
		{ SLICE("systemd-journald"), SPEAKER_JOURNALD },
		{ SLICE("rsyslogd"), SPEAKER_SYSLOGD },
		{ SLICE("systemd-journal"), SPEAKER_JOURNALD },
		/* journalctl -o with-unit */
		{ SLICE("systemd-udevd.service"), SPEAKER_UDEV },
		{ SLICE("systemd-modules-load.service"), SPEAKER_MODULES_LOAD },
		{ SLICE("systemd-journald.service"), SPEAKER_JOURNALD },
		{ SLICE("init.scope"), SPEAKER_INIT },
	};

	if (slice_is(id, SLICE("systemd")))
		return pid <= 1 ? SPEAKER_INIT : SPEAKER_OTHER;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (slice_is(id, known[i].name))
			return known[i].speaker;
	return SPEAKER_OTHER;
}

/* ident[pid]: or ident:, to which the message follows. */
static bool eat_speaker(struct slice *s, struct entry *e, bool needs_pid)
{
	struct slice rest = *s, id;
	uint64_t pid = 0;
	size_t n = 0;

	while (n < rest.len && n < 64 && rest.p[n] != '[' && rest.p[n] != ':' && rest.p[n] != ' ')
		n++;
	id = (struct slice){ rest.p, n };
	rest = slice_from(rest, n);
	if (!n || !rest.len)
		return false;
	if (slice_eat_char(&rest, '[')) {
		if (!slice_eat_number(&rest, &pid) || !slice_eat_char(&rest, ']'))
			return false;
	} else if (needs_pid) {
		return false;
	}
	if (!slice_eat_char(&rest, ':'))
		return false;
	slice_eat_char(&rest, ' ');
	e->speaker = entry_speaker(id, pid);
	e->pid = pid;
	e->message = rest;
	*s = rest;
	return true;
}

/* Of the kernel's own "x86/fpu: xstate_offset[2]:" the first word is none. */
static bool is_host(struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.p[i];

		if (!slice_is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '.' &&
		    c != '-' && c != '_')
			return false;
	}
	return s.len > 0 && s.len < 256;
}

static bool eat_host_and_speaker(struct slice *s, struct entry *e, bool needs_pid)
{
	size_t n = slice_find_char(*s, ' ');
	struct slice rest = slice_from(*s, n + 1);
	bool is_kernel = slice_starts(rest, SLICE("kernel:"));

	if (n == 0 || n > 255 || n >= s->len || !eat_speaker(&rest, e, needs_pid && !is_kernel))
		return false;
	e->host = (struct slice){ s->p, n };
	*s = rest;
	return true;
}

/* What follows "[seconds]": from the journal a host and a speaker, from dmesg the kernel's words.
 */
static void parse_boot_clock_rest(struct text_state *state, struct slice s, struct entry *e)
{
	slice_eat_blanks(&s);
	e->message = s;
	e->speaker = SPEAKER_KERNEL;
	/* udev writes to /dev/kmsg before there is a journald. */
	if (eat_speaker(&s, e, true) && e->speaker != SPEAKER_OTHER)
		return;
	e->message = s;
	e->speaker = SPEAKER_KERNEL;
	e->pid = 0;
	/* "pci 0000:00:01.0: ..." of dmesg looks like host and speaker: believe a PID or "kernel".
	 */
	if (is_host((struct slice){ s.p, slice_find_char(s, ' ') }) &&
	    eat_host_and_speaker(&s, e, !state->has_hosts)) {
		state->has_hosts = true;
		return;
	}
	e->host = SLICE("");
	if (state->has_hosts)
		e->speaker = SPEAKER_OTHER;
}

/* [    2.923541] of dmesg and short-monotonic, [    2.9 <    0.1 >] of short-delta, [date] of -T.
 */
static enum text_result parse_bracket(struct text_state *state, struct slice s, struct entry *e)
{
	uint64_t seconds = 0, fraction;
	bool has_fraction;
	size_t end;

	slice_eat_char(&s, '[');
	slice_eat_blanks(&s);
	end = slice_find_char(s, ']');
	if (end >= s.len || end > 64)
		return TEXT_UNREADABLE;
	if (slice_is_digit(*s.p)) {
		struct slice inside = { s.p, end };

		(void)slice_eat_number(&inside, &seconds);
		fraction = stamp_fraction(&inside, &has_fraction);
		if (!has_fraction || seconds > UINT64_MAX / STAMP_SECOND - 1)
			return TEXT_UNREADABLE;
		e->time = seconds * STAMP_SECOND + fraction;
		e->clock = LOG_CLOCK_BOOT;
	} else {
		struct slice whole = { s.p, end }, inside = slice_from(whole, 4);

		if (!stamp_short_date(state, &inside, e) && !stamp_foreign_date(state, &whole, e))
			return TEXT_UNREADABLE;
	}
	parse_boot_clock_rest(state, slice_from(s, end + 1), e);
	return TEXT_ENTRY;
}

/* "prio,seq,usec,flags;message" of /dev/kmsg. */
static bool parse_kmsg(struct slice s, struct entry *e)
{
	uint64_t priority, seq, time;
	size_t semicolon;

	if (!slice_eat_number(&s, &priority) || !slice_eat_char(&s, ',') ||
	    !slice_eat_number(&s, &seq) || !slice_eat_char(&s, ',') ||
	    !slice_eat_number(&s, &time) || !slice_eat_char(&s, ','))
		return false;
	semicolon = slice_find_char(s, ';');
	if (semicolon >= s.len)
		return false;
	s = slice_from(s, semicolon + 1);
	e->time = time;
	e->clock = LOG_CLOCK_BOOT;
	e->message = s;
	e->speaker = SPEAKER_KERNEL;
	if (!eat_speaker(&s, e, true)) {
		e->message = s;
		e->speaker = SPEAKER_KERNEL;
	}
	return true;
}

/* A line that begins with a digit: short-iso, short-unix or /dev/kmsg. */
static enum text_result parse_digit(struct text_state *state, struct slice s, struct entry *e)
{
	struct slice rest = s;
	uint64_t days, seconds;
	bool has_fraction;

	if (stamp_date(&rest, &days) &&
	    (slice_eat_char(&rest, 'T') || slice_eat_char(&rest, ' '))) {
		if (!stamp_clock(&rest, e, days) || !stamp_zone(&rest, e))
			return TEXT_UNREADABLE;
	} else {
		rest = s;
		if (slice_eat_number(&rest, &seconds) && seconds < UINT64_MAX / STAMP_SECOND - 1 &&
		    rest.len && *rest.p == '.') {
			e->time = seconds * STAMP_SECOND + stamp_fraction(&rest, &has_fraction);
			e->clock = LOG_CLOCK_WALL;
		} else {
			return parse_kmsg(s, e) ? TEXT_ENTRY : TEXT_UNREADABLE;
		}
	}
	if (!slice_eat_char(&rest, ' '))
		return TEXT_UNREADABLE;
	state->has_hosts = true;
	return eat_host_and_speaker(&rest, e, false) ? TEXT_ENTRY : TEXT_UNREADABLE;
}

/* "Wdy YYYY-MM-DD HH:MM:SS[.ffffff] ZONE host speaker:" of short-full. */
static bool parse_full(struct slice s, struct entry *e)
{
	uint64_t days;

	s = slice_from(s, 4);
	if (!stamp_date(&s, &days) || !slice_eat_char(&s, ' ') || !stamp_clock(&s, e, days) ||
	    !slice_eat_char(&s, ' '))
		return false;
	s = slice_from(s, slice_find_char(s, ' ') + 1);
	return eat_host_and_speaker(&s, e, false);
}

/* "-- Boot ID --" (since 248), "-- Reboot --" before. */
static enum text_result parse_marker(struct slice s, struct entry *e)
{
	if (slice_eat(&s, SLICE("-- Boot "))) {
		e->boot = (struct slice){ s.p, slice_find_char(s, ' ') };
		return TEXT_BOOT;
	}
	return slice_starts(s, SLICE("-- Reboot --")) ? TEXT_BOOT : TEXT_IGNORED;
}

/* "(129) ..." of udevd --debug, which says no more of itself than its PID. */
static bool eat_udev_pid(struct slice s, struct entry *e)
{
	if (!slice_eat_char(&s, '(') || !slice_eat_number(&s, &e->pid) ||
	    !slice_eat(&s, SLICE(") ")))
		return false;
	e->speaker = SPEAKER_UDEV;
	e->message = s;
	return true;
}

/* A date whose month is in another language is one if a host and a speaker follow. */
static bool parse_foreign(struct text_state *state, struct slice s, struct entry *e)
{
	struct text_state before = *state;

	if (stamp_foreign_date(state, &s, e) && eat_host_and_speaker(&s, e, false)) {
		state->has_hosts = true;
		return true;
	}
	*state = before;
	*e = (struct entry){ 0 };
	return false;
}

/* dmesg -x: "kern  :info  : [    0.000000] ...". */
static bool eat_facility(struct slice *s)
{
	struct slice rest = *s;
	size_t colon = slice_find_char(rest, ':');

	if (colon > 8 || colon >= rest.len)
		return false;
	rest = slice_from(rest, colon + 1);
	colon = slice_find_char(rest, ':');
	if (colon > 8 || colon >= rest.len)
		return false;
	rest = slice_from(rest, colon + 1);
	if (!slice_starts(rest, SLICE(" [")))
		return false;
	*s = slice_from(rest, 1);
	return true;
}

enum text_result text_parse(struct text_state *state, struct slice line, struct entry *ret)
{
	struct slice s = line;
	uint64_t priority;

	*ret = (struct entry){ 0 };
	if (s.len && s.p[s.len - 1] == '\r')
		s.len--;
	/* <30> of raw syslog and of consoles. */
	if (s.len > 3 && s.p[0] == '<' && slice_is_digit(s.p[1])) {
		s = slice_from(s, 1);
		if (slice_eat_number(&s, &priority) > 3 || !slice_eat_char(&s, '>'))
			return TEXT_UNREADABLE;
	}
	if (!s.len)
		return TEXT_IGNORED;
	if (*s.p == '[')
		return parse_bracket(state, s, ret);
	if (*s.p == ' ' || *s.p == '\t')
		return parse_foreign(state, s, ret) ? TEXT_ENTRY : TEXT_CONTINUED;
	if (slice_is_digit(*s.p)) {
		enum text_result r = parse_digit(state, s, ret);

		return r == TEXT_UNREADABLE && parse_foreign(state, s, ret) ? TEXT_ENTRY : r;
	}
	if (*s.p == '(' && eat_udev_pid(s, ret))
		return TEXT_ENTRY;
	if (*s.p == '-' && slice_starts(s, SLICE("-- ")))
		return parse_marker(s, ret);
	if (s.len > 20 && s.p[3] == ' ') {
		struct slice rest = s;

		if (stamp_short_date(state, &rest, ret)) {
			state->has_hosts = true;
			return eat_host_and_speaker(&rest, ret, false) ? TEXT_ENTRY :
									 TEXT_UNREADABLE;
		}
		*ret = (struct entry){ 0 };
		if (parse_full(s, ret))
			return TEXT_ENTRY;
	}
	*ret = (struct entry){ 0 };
	if (parse_foreign(state, s, ret))
		return TEXT_ENTRY;
	if (eat_facility(&s))
		return parse_bracket(state, s, ret);
	if (eat_speaker(&s, ret, false) && ret->speaker != SPEAKER_OTHER)
		return TEXT_ENTRY;
	/* No time and no speaker: journalctl -o cat, or no log at all. The message will tell. */
	*ret = (struct entry){ .message = line };
	return TEXT_ENTRY;
}
