// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's own lines. */
#include "macro.h"
#include "message-parts.h"

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
	    !slice_eat(&rest, SLICE(" usecs"))) {
		ret->kind = EVENT_DAMAGED;
		return;
	}
	ret->is_glued = rest.len > 0;
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

void message_parse_kernel(const struct entry *entry, struct event *ret)
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
		if (message_parse_count(m, SLICE(" printk messages dropped"), ret))
			return;
		break;
	default:
		break;
	}
	if (parse_driver(m, ret) || parse_refusal(m, ret) || parse_probe(m, ret))
		return;
	/* udev's lines are limited too when they go to the kernel's log (printk.devkmsg=). */
	if (m.len < 160 &&
	    message_parse_count(m, SLICE(" output lines suppressed due to ratelimiting"), ret))
		return;
	*ret = (struct event){ 0 };
	/* udev writes to the kernel's log before there is a journald; then its words stand here. */
	if (entry->speaker != SPEAKER_KERNEL)
		message_parse_udev(entry, ret);
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
