// SPDX-License-Identifier: GPL-2.0-or-later
#include "message.h"

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
	return ret->kind != EVENT_NONE;
}

static void parse_udev(const struct entry *entry, struct event *ret)
{
	struct slice m = entry->message, words;

	if (!m.len)
		return;
	if (slice_eat(&m, SLICE("Loading module: "))) {
		ret->kind = EVENT_LOOKUP;
		ret->name = m;
		return;
	}
	if (parse_wording(entry, m, ret) || parse_work(m, ret))
		return;
	words = skip_device(m);
	if (words.len && (parse_wording(entry, words, ret) || parse_work(words, ret)))
		return;
	/* An own line of udev never has these words in its middle, but two lines in one have. */
	if (slice_find(m, SLICE("nserted module '")) < m.len ||
	    slice_find(m, SLICE("o insert module '")) < m.len)
		ret->kind = EVENT_DAMAGED;
}

/* "initcall NAME+0x0/0x1000 [module] returned -19 after 123 usecs" (init/main.c). */
static void parse_initcall(struct slice m, struct event *ret)
{
	struct slice function, rest;
	uint64_t value;
	bool is_negative;
	size_t at;

	function = (struct slice){ m.p, slice_find_char(m, ' ') };
	function.len = slice_find_char(function, '+');
	rest = slice_from(m, slice_find_char(m, ' '));
	slice_eat_blanks(&rest);
	if (slice_eat_char(&rest, '[')) {
		ret->name = (struct slice){ rest.p, slice_find_char(rest, ']') };
		/* "[acpi_cpufreq 1234abcd]" with build ids in stack traces. */
		ret->name.len = slice_find_char(ret->name, ' ');
		if (!message_is_module_name(ret->name)) {
			ret->kind = EVENT_DAMAGED;
			return;
		}
	}
	at = slice_find(rest, SLICE("returned "));
	if (at >= rest.len) {
		ret->kind = EVENT_DAMAGED;
		return;
	}
	rest = slice_from(rest, at + 9);
	is_negative = slice_eat_char(&rest, '-');
	if (!slice_eat_number(&rest, &value) || value > 4095 ||
	    !slice_eat(&rest, SLICE(" after ")) || !slice_eat_number(&rest, &ret->usecs) ||
	    !slice_starts(rest, SLICE(" usecs"))) {
		ret->kind = EVENT_DAMAGED;
		return;
	}
	ret->kind = EVENT_INITCALL;
	ret->text = function;
	ret->error = is_negative ? (int)value : 0;
}

/* "DRIVER: probe of DEVICE failed with error -17"; since 6.8 "... probe with driver D failed ...".
 */
static bool parse_probe(struct slice m, struct event *ret)
{
	struct slice error = slice_from(m, slice_find(m, SLICE(" failed with error -")));
	uint64_t value;
	size_t at;

	if (!error.len)
		return false;
	error = slice_from(error, sizeof(" failed with error -") - 1);
	at = slice_find(m, SLICE(": probe of "));
	if (at < m.len) {
		ret->name = (struct slice){ m.p, at };
	} else {
		at = slice_find(m, SLICE(": probe with driver "));
		if (at >= m.len)
			return false;
		ret->name = slice_from(m, at + sizeof(": probe with driver ") - 1);
		ret->name.len = slice_find_char(ret->name, ' ');
	}
	if (!message_is_module_name(ret->name) || !slice_eat_number(&error, &value) || value > 4095)
		return false;
	ret->kind = EVENT_PROBE_FAILED;
	ret->error = (int)value;
	return true;
}

/* Lines with which cpufreq drivers tell that they took over, or why not. */
static bool parse_driver(struct slice m, struct event *ret)
{
	static const struct {
		struct slice begins, holds, driver;
	} known[] = {
		{ SLICE("intel_pstate: "), SLICE("P-state driver initializing"),
		  SLICE("intel_pstate") },
		{ SLICE("Intel P-state driver initializing"), SLICE(""), SLICE("intel_pstate") },
		{ SLICE("pcc-cpufreq: "), SLICE("driver loaded"), SLICE("pcc-cpufreq") },
		{ SLICE("acpi_cpufreq: "), SLICE("overriding BIOS provided"),
		  SLICE("acpi-cpufreq") },
		{ SLICE("acpi-cpufreq: "), SLICE("overriding BIOS provided"),
		  SLICE("acpi-cpufreq") },
		{ SLICE("powernv-cpufreq: "), SLICE("cpufreq pstate min"),
		  SLICE("powernv-cpufreq") },
		{ SLICE("intel_pstate: "), SLICE("CPU model not supported"), { 0 } },
		{ SLICE("intel_pstate: "), SLICE("controlled by the platform"), { 0 } },
		{ SLICE("intel_pstate: "), SLICE("Invalid MSRs"), { 0 } },
		{ SLICE("amd_pstate: "), SLICE(""), { 0 } },
		{ SLICE("amd-pstate: "), SLICE(""), { 0 } },
		{ SLICE("pcc_cpufreq_init: "), SLICE("Too many CPUs"), { 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!slice_starts(m, known[i].begins))
			continue;
		if (known[i].holds.len && slice_find(m, known[i].holds) >= m.len)
			continue;
		ret->kind = known[i].driver.len ? EVENT_DRIVER : EVENT_REMARK;
		ret->text = known[i].driver.len ? known[i].driver : m;
		return true;
	}
	return false;
}

/*
 * What some modules' inits print whenever they refuse: at the default log level the only trace of
 * attempts (arch/x86/kvm/, drivers/base/driver.c).
 */
static bool parse_refusal(struct slice m, struct event *ret)
{
	static const struct {
		struct slice begins, module;
	} known[] = {
		{ SLICE("kvm: disabled by bios"), SLICE("kvm") },
		{ SLICE("kvm: no hardware support"), SLICE("kvm") },
		{ SLICE("kvm: support for "), SLICE("kvm") },
		{ SLICE("kvm: already loaded"), SLICE("kvm") },
		{ SLICE("kvm_amd: SVM "), SLICE("kvm_amd") },
		{ SLICE("kvm_intel: VMX "), SLICE("kvm_intel") },
		{ SLICE("has_svm: "), SLICE("kvm_amd") },
	};
	struct slice rest = m;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!slice_starts(m, known[i].begins))
			continue;
		ret->kind = EVENT_REFUSAL;
		ret->name = known[i].module;
		return true;
	}
	if (!slice_eat(&rest, SLICE("Error: Driver '")))
		return false;
	ret->name = (struct slice){ rest.p, slice_find(rest, SLICE("' is already registered")) };
	if (ret->name.len >= rest.len || !message_is_module_name(ret->name))
		return false;
	ret->kind = EVENT_REFUSAL;
	return true;
}

/* "... N CPUs" of "smp: Brought up 2 nodes, 192 CPUs" (kernel/smp.c). */
static bool parse_cpus(struct slice m, struct event *ret)
{
	size_t at = slice_find(m, SLICE("Brought up "));
	struct slice rest = slice_from(m, at + 11);

	if (at >= m.len)
		return false;
	at = slice_find(rest, SLICE(", "));
	rest = slice_from(rest, at + 2);
	if (!slice_eat_number(&rest, &ret->count) || !slice_starts(rest, SLICE(" CPU")))
		return false;
	ret->kind = EVENT_CPUS;
	return true;
}

/* A number followed by @what anywhere in the message. */
static bool parse_count(struct slice m, struct slice what, struct event *ret)
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

static void parse_kernel(const struct entry *entry, struct event *ret)
{
	struct slice m = entry->message;

	if (!m.len)
		return;
	switch (*m.p) {
	case 'i':
		if (slice_starts(m, SLICE("initcall "))) {
			parse_initcall(slice_from(m, 9), ret);
			return;
		}
		break;
	case 'L':
		if (slice_eat(&m, SLICE("Linux version "))) {
			ret->kind = EVENT_LINUX;
			ret->text = (struct slice){ m.p, slice_find_char(m, ' ') };
			return;
		}
		break;
	case 'C':
		if (slice_eat(&m, SLICE("Command line: "))) {
			ret->kind = EVENT_CMDLINE;
			ret->text = m;
			return;
		}
		break;
	case 'U':
		if (slice_eat(&m, SLICE("Unloaded tainted modules: "))) {
			ret->kind = EVENT_UNLOADED;
			ret->text = m;
			return;
		}
		break;
	case 's':
	case 'x':
		if (parse_cpus(m, ret))
			return;
		break;
	case 'M':
		if (slice_starts(m, SLICE("Module ")) &&
		    slice_find(m, SLICE(" is blacklisted")) == m.len - 15) {
			ret->name = (struct slice){ m.p + 7, m.len - 22 };
			ret->kind = message_is_module_name(ret->name) ? EVENT_KERNEL_DENIED :
									EVENT_DAMAGED;
			return;
		}
		break;
	case '*':
		if (parse_count(m, SLICE(" printk messages dropped"), ret))
			return;
		break;
	default:
		break;
	}
	if (parse_driver(m, ret) || parse_refusal(m, ret) || parse_probe(m, ret))
		return;
	/* udev's lines are limited too when they go to the kernel's log (printk.devkmsg=). */
	if (m.len < 160 &&
	    parse_count(m, SLICE(" output lines suppressed due to ratelimiting"), ret))
		return;
	*ret = (struct event){ 0 };
	/* udev writes to the kernel's log before there is a journald; then its words stand here. */
	if (entry->speaker != SPEAKER_KERNEL)
		parse_udev(entry, ret);
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
	} else if (slice_starts(m, SLICE("Switching root"))) {
		ret->kind = EVENT_SWITCH_ROOT;
	}
}

static void parse_journald(struct slice m, struct event *ret)
{
	if (slice_starts(m, SLICE("Suppressed "))) {
		(void)parse_count(m, SLICE(" messages from "), ret);
	} else if (slice_starts(m, SLICE("Missed "))) {
		(void)parse_count(m, SLICE(" kernel messages"), ret);
	} else if (slice_starts(m, SLICE("/dev/kmsg buffer overrun")) ||
		   slice_starts(m, SLICE("Forwarding to syslog missed"))) {
		ret->kind = EVENT_LOST;
		ret->text = m;
		(void)parse_count(m, SLICE(" messages."), ret);
		ret->kind = EVENT_LOST;
		ret->text = m;
	}
}

/* imjournal and imuxsock: "... 123 messages lost ..." or "begin to drop messages due to ...". */
static void parse_syslogd(struct slice m, struct event *ret)
{
	if (parse_count(m, SLICE(" messages lost"), ret) ||
	    parse_count(m, SLICE(" messages from"), ret))
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
		parse_udev(entry, ret);
		break;
	case SPEAKER_KERNEL:
		parse_kernel(entry, ret);
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
		parse_kernel(entry, ret);
		if (ret->kind == EVENT_NONE)
			parse_init(entry->message, ret);
		if (ret->kind == EVENT_NONE)
			parse_journald(entry->message, ret);
		break;
	default:
		break;
	}
}

/* "pcc_cpufreq():1", "fjes(OE):3" (kernel/module/tracking.c). */
bool message_next_unloaded(struct slice *list, struct slice *ret_name, uint64_t *ret_count)
{
	struct slice s = *list;

	slice_eat_blanks(&s);
	*ret_name = (struct slice){ s.p, slice_find_char(s, '(') };
	if (!message_is_module_name(*ret_name))
		return false;
	s = slice_from(s, ret_name->len + 1);
	s = slice_from(s, slice_find_char(s, ')'));
	if (!slice_eat(&s, SLICE("):")) || !slice_eat_number(&s, ret_count))
		return false;
	*list = s;
	return true;
}
