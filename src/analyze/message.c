// SPDX-License-Identifier: GPL-2.0-or-later
#include "message-parts.h"

#include <errno.h>

#include "macro.h"

#define NAME_MAX_LEN 63 /* MODULE_NAME_LEN is 56 with its NUL (include/linux/module.h) */

bool message_is_module_name(struct slice name)
{
	if (!name.len || name.len > NAME_MAX_LEN)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-'))
			return false;
	}
	return true;
}

static bool is_text_of(struct slice text, int error)
{
	const char *s = strerrordesc_np(error);

	return s && slice_is(text, (struct slice){ s, strlen(s) });
}

/* The C library's English; a translated text is 0, the count stays right. */
static int error_of_text(struct slice text)
{
	static const int common[] = { ENODEV, EBUSY, EEXIST, EPERM, EOPNOTSUPP, EINVAL, ENOENT };

	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		if (is_text_of(text, common[i]))
			return common[i];
	for (int error = 1; error < 134; error++)
		if (is_text_of(text, error))
			return error;
	return 0;
}

static void set_error(const struct entry *entry, struct slice text, struct event *ret)
{
	if (entry->error)
		ret->error = entry->error;
	else if (slice_eat(&text, SLICE("': ")))
		ret->error = error_of_text(text);
}

/* What udev and systemd-modules-load say, before the module's name and behind it. */
static const struct wording {
	struct slice before, behind;
	enum event_kind kind;
	bool is_old, is_by_kernel;
} wordings[] = {
	/* src/shared/module-util.c, since 239 */
	{ SLICE("Inserted module '"), SLICE("'"), EVENT_INSERTED, false, false },
	{ SLICE("Failed to insert module '"), SLICE("'"), EVENT_FAILED, false, false },
	{ SLICE("Failed to find module '"), SLICE("'"), EVENT_NOT_FOUND, false, false },
	{ SLICE("Failed to look up module alias '"), SLICE("'"), EVENT_NOT_FOUND, false, false },
	{ SLICE("Failed to lookup module alias '"), SLICE("'"), EVENT_NOT_FOUND, false, false },
	{ SLICE("Module '"), SLICE("' is already loaded"), EVENT_LOADED, false, false },
	{ SLICE("Module '"), SLICE("' is built in"), EVENT_BUILTIN, false, false },
	{ SLICE("Module '"), SLICE("' is builtin"), EVENT_BUILTIN, false, false },
	{ SLICE("Module '"), SLICE("' is deny-listed (by kernel)"), EVENT_DENIED, false, true },
	{ SLICE("Module '"), SLICE("' is deny-listed"), EVENT_DENIED, false, false },
	{ SLICE("Module '"), SLICE("' is blacklisted"), EVENT_DENIED, false, false },
	/* src/udev/udev-builtin-kmod.c, up to 234 */
	{ SLICE("Inserted '"), SLICE("'"), EVENT_INSERTED, true, false },
	{ SLICE("Failed to insert '"), SLICE("'"), EVENT_FAILED, true, false },
	{ SLICE("No module matches '"), SLICE("'"), EVENT_NOT_FOUND, true, false },
	{ SLICE("Execute 'load' '"), SLICE("'"), EVENT_LOOKUP, true, false },
	/* libkmod, modprobe, and what stands around a name in none of the above */
	{ SLICE("could not read from '/sys/module/"), SLICE("/initstate'"), EVENT_RACE, false,
	  false },
	{ SLICE("could not insert '"), SLICE("'"), EVENT_FAILED, false, false },
};

static bool is_alias_event(enum event_kind kind)
{
	return kind == EVENT_NOT_FOUND || kind == EVENT_LOOKUP;
}

/* Words of another line. They all have a quote, which most lines don't: one look is enough then. */
static bool holds_wording(struct slice s)
{
	return slice_find_char(s, '\'') < s.len && (slice_find(s, SLICE("nserted ")) < s.len ||
						    slice_find(s, SLICE("odule '")) < s.len);
}

/* No wording goes on with a bracket ("[    5.1] host udevd[7]:") or with another wording. */
static bool holds_another(struct slice s)
{
	return slice_find_char(s, '[') < s.len || holds_wording(s);
}

/* Two writers' lines become one where nobody keeps them apart, such as on a console. */
static bool is_glued(enum event_kind kind, struct slice tail)
{
	bool ends_with_name = kind == EVENT_INSERTED || kind == EVENT_LOADED ||
			      kind == EVENT_BUILTIN || kind == EVENT_LOOKUP;

	while (tail.len && (tail.p[tail.len - 1] == ' ' || tail.p[tail.len - 1] == '\t'))
		tail.len--;
	return tail.len && (ends_with_name || holds_another(tail));
}

/* Returns true if the message is one of these, whole or not. */
static bool parse_wording(const struct entry *entry, struct slice m, struct event *ret)
{
	bool is_begun = false;

	for (size_t i = 0; i < ARRAY_SIZE(wordings); i++) {
		const struct wording *w = &wordings[i];
		struct slice rest = m, name;

		if (*m.p != *w->before.p || !slice_eat(&rest, w->before))
			continue;
		is_begun = true;
		name = (struct slice){ rest.p, slice_find(rest, w->behind) };
		if (name.len >= rest.len ||
		    (!is_alias_event(w->kind) && !message_is_module_name(name)))
			continue;
		*ret = (struct event){
			.kind = w->kind,
			.name = name,
			.is_old_wording = w->is_old,
			.is_by_kernel = w->is_by_kernel,
			.is_glued = is_glued(w->kind, slice_from(rest, name.len + w->behind.len)),
		};
		if (w->kind == EVENT_FAILED)
			set_error(entry, slice_from(rest, name.len), ret);
		return true;
	}
	if (is_begun)
		ret->kind = EVENT_DAMAGED;
	return is_begun;
}

/* log_device_*() puts the device's name before the words; it may have colons, but no blanks. */
static struct slice skip_device(struct slice m)
{
	size_t at = slice_find_char(m, ' ');

	if (at < 2 || at > 128 || m.p[at - 1] != ':' || memchr(m.p, '\'', at))
		return (struct slice){ m.p, 0 };
	return slice_from(m, at + 1);
}

/* Processing device (SEQNUM=1109, ACTION=add); before 244: seq 1109 running. */
static bool parse_work(struct slice m, struct event *ret)
{
	if (slice_starts(m, SLICE("Processing device")))
		ret->kind = EVENT_BEGIN;
	else if (slice_starts(m, SLICE("Device processed")) ||
		 slice_starts(m, SLICE("Device (SEQNUM=")))
		ret->kind = EVENT_END;
	else if (slice_starts(m, SLICE("seq ")) && m.len < 64)
		ret->kind = slice_find(m, SLICE(" running")) < m.len   ? EVENT_BEGIN :
			    slice_find(m, SLICE(" processed")) < m.len ? EVENT_END :
									 EVENT_NONE;
	if (ret->kind == EVENT_NONE)
		return false;
	ret->is_glued = holds_another(m);
	return true;
}

void message_parse_udev(const struct entry *entry, struct event *ret)
{
	struct slice m = entry->message, words;

	if (!m.len)
		return;
	if (slice_eat(&m, SLICE("Loading module: "))) {
		ret->kind = EVENT_LOOKUP;
		ret->name = m;
		/* An alias may hold a bracket, but no blank behind it. */
		ret->is_glued =
			(slice_find_char(m, ']') < m.len && slice_find(m, SLICE("]: ")) < m.len) ||
			holds_wording(m);
		return;
	}
	if (parse_wording(entry, m, ret) || parse_work(m, ret))
		return;
	words = skip_device(m);
	if (words.len && (parse_wording(entry, words, ret) || parse_work(words, ret)))
		return;
	/* An own line of udev never has these words in its middle, but two lines in one have. */
	words = slice_from(m, slice_find(m, SLICE("nsert")));
	if (words.len && (slice_find(words, SLICE("nserted module '")) < words.len ||
			  slice_find(words, SLICE("nsert module '")) < words.len ||
			  slice_find(words, SLICE("nserted '")) < words.len))
		ret->kind = EVENT_DAMAGED;
}

bool message_parse_count(struct slice m, struct slice what, struct event *ret)
{
	size_t at = slice_find(m, what), start = at;
	struct slice number;

	if (at >= m.len)
		return false;
	while (start > 0 && m.p[start - 1] >= '0' && m.p[start - 1] <= '9')
		start--;
	number = (struct slice){ m.p + start, at - start };
	ret->kind = EVENT_LOST;
	ret->text = m;
	(void)slice_eat_number(&number, &ret->count);
	return start < at;
}

static void parse_init(struct slice m, struct event *ret)
{
	struct slice s = m;

	if (slice_eat(&s, SLICE("Startup finished in "))) {
		ret->kind = EVENT_STARTUP;
		ret->text = s;
	} else if (slice_eat(&s, SLICE("systemd ")) &&
		   slice_find(s, SLICE(" running in ")) < s.len) {
		ret->kind = EVENT_SYSTEMD;
		ret->text = (struct slice){ s.p, slice_find_char(s, ' ') };
	} else if (slice_starts(m, SLICE("Running in init"))) {
		ret->kind = EVENT_IN_INITRD;
	}
}

static void parse_journald(struct slice m, struct event *ret)
{
	if (slice_starts(m, SLICE("Suppressed "))) {
		(void)message_parse_count(m, SLICE(" messages from "), ret);
	} else if (slice_starts(m, SLICE("Missed "))) {
		(void)message_parse_count(m, SLICE(" kernel messages"), ret);
	} else if (slice_starts(m, SLICE("/dev/kmsg buffer overrun")) ||
		   slice_starts(m, SLICE("Forwarding to syslog missed"))) {
		ret->kind = EVENT_LOST;
		ret->text = m;
		(void)message_parse_count(m, SLICE(" messages."), ret);
		ret->kind = EVENT_LOST;
		ret->text = m;
	}
}

/* imjournal and imuxsock: "... 123 messages lost ..." or "begin to drop messages due to ...". */
static void parse_syslogd(struct slice m, struct event *ret)
{
	if (message_parse_count(m, SLICE(" messages lost"), ret) ||
	    message_parse_count(m, SLICE(" messages from"), ret))
		return;
	*ret = (struct event){ 0 };
	if (slice_find(m, SLICE("begin to drop messages")) < m.len) {
		ret->kind = EVENT_LOST;
		ret->text = m;
	}
}

static void parse_modprobe(const struct entry *entry, struct event *ret)
{
	struct slice m = entry->message;

	if (!slice_eat(&m, SLICE("ERROR: ")))
		(void)slice_eat(&m, SLICE("FATAL: "));
	if (m.len)
		(void)parse_wording(entry, m, ret);
}

void message_parse(const struct entry *entry, struct event *ret)
{
	*ret = (struct event){ 0 };
	switch (entry->speaker) {
	case SPEAKER_UDEV:
	case SPEAKER_MODULES_LOAD:
		message_parse_udev(entry, ret);
		break;
	case SPEAKER_KERNEL:
		message_parse_kernel(entry, ret);
		break;
	case SPEAKER_INIT:
		parse_init(entry->message, ret);
		if (ret->kind == EVENT_NONE && entry->message.len)
			(void)parse_wording(entry, entry->message, ret);
		break;
	case SPEAKER_JOURNALD:
		parse_journald(entry->message, ret);
		break;
	case SPEAKER_SYSLOGD:
		parse_syslogd(entry->message, ret);
		break;
	case SPEAKER_MODPROBE:
		parse_modprobe(entry, ret);
		break;
	case SPEAKER_UNKNOWN:
		message_parse_kernel(entry, ret);
		if (ret->kind == EVENT_NONE)
			parse_init(entry->message, ret);
		if (ret->kind == EVENT_NONE)
			parse_journald(entry->message, ret);
		break;
	default:
		break;
	}
}
