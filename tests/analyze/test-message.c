// SPDX-License-Identifier: GPL-2.0-or-later
/* What the versions of udev, the kernel and systemd say, and what it is taken for. */
#include <errno.h>
#include <string.h>

#include "message.h"
#include "testlib.h"

static struct slice slice(const char *s)
{
	return (struct slice){ s, strlen(s) };
}

static void assert_slice(struct slice s, const char *expected)
{
	assert_int_equal(s.len, strlen(expected));
	assert_memory_equal(s.p, expected, s.len);
}

static const struct {
	enum speaker speaker;
	const char *message;
	enum event_kind kind;
	const char *name; /* NULL: not looked at */
	int error;
	bool is_old, is_by_kernel;
} messages[] = {
	/* 219 to 234 */
	{ SPEAKER_UDEV, "Execute 'load' 'cpu:type:x86,ven0000'", EVENT_LOOKUP,
	  "cpu:type:x86,ven0000", 0, true, false },
	{ SPEAKER_UDEV, "Inserted 'acpi_cpufreq'", EVENT_INSERTED, "acpi_cpufreq", 0, true, false },
	{ SPEAKER_UDEV, "Failed to insert 'acpi_cpufreq'", EVENT_FAILED, "acpi_cpufreq", 0, true,
	  false },
	{ SPEAKER_UDEV, "Module 'acpi_cpufreq' is blacklisted", EVENT_DENIED, "acpi_cpufreq", 0,
	  false, false },
	{ SPEAKER_UDEV, "No module matches 'foo:bar'", EVENT_NOT_FOUND, "foo:bar", 0, true, false },
	{ SPEAKER_UDEV, "seq 1109 running", EVENT_BEGIN, NULL, 0, false, false },
	{ SPEAKER_UDEV, "seq 1109 processed with 0", EVENT_END, NULL, 0, false, false },
	/* 239 and later */
	{ SPEAKER_UDEV, "Loading module: acpi:LNXCPU:", EVENT_LOOKUP, "acpi:LNXCPU:", 0, false,
	  false },
	{ SPEAKER_UDEV, "Inserted module 'acpi_cpufreq'", EVENT_INSERTED, "acpi_cpufreq", 0, false,
	  false },
	{ SPEAKER_UDEV, "Failed to insert module 'pcc-cpufreq': No such device", EVENT_FAILED,
	  "pcc-cpufreq", ENODEV, false, false },
	{ SPEAKER_UDEV, "Failed to insert module 'a': Device or resource busy", EVENT_FAILED, "a",
	  EBUSY, false, false },
	{ SPEAKER_UDEV, "Failed to insert module 'a': File exists", EVENT_FAILED, "a", EEXIST,
	  false, false },
	{ SPEAKER_UDEV, "Failed to insert module 'a': Operation not supported", EVENT_FAILED, "a",
	  EOPNOTSUPP, false, false },
	{ SPEAKER_UDEV, "Failed to insert module 'a': Key was rejected by service", EVENT_FAILED,
	  "a", EKEYREJECTED, false, false },
	{ SPEAKER_UDEV, "Failed to insert module 'a': Kein passendes Ger\303\244t", EVENT_FAILED,
	  "a", 0, false, false },
	{ SPEAKER_UDEV, "Module 'a' is builtin", EVENT_BUILTIN, "a", 0, false, false },
	{ SPEAKER_UDEV, "Module 'a' is built in", EVENT_BUILTIN, "a", 0, false, false },
	{ SPEAKER_UDEV, "Module 'a' is already loaded", EVENT_LOADED, "a", 0, false, false },
	{ SPEAKER_UDEV, "Module 'a' is deny-listed", EVENT_DENIED, "a", 0, false, false },
	{ SPEAKER_UDEV, "Module 'a' is deny-listed (by kmod)", EVENT_DENIED, "a", 0, false, false },
	{ SPEAKER_UDEV, "Module 'a' is deny-listed (by kernel)", EVENT_DENIED, "a", 0, false,
	  true },
	{ SPEAKER_UDEV, "Failed to find module 'x:y'", EVENT_NOT_FOUND, "x:y", 0, false, false },
	{ SPEAKER_UDEV, "Failed to look up module alias 'x:y': No such file or directory",
	  EVENT_NOT_FOUND, "x:y", 0, false, false },
	{ SPEAKER_UDEV, "Failed to lookup module alias 'x:y': No such file or directory",
	  EVENT_NOT_FOUND, "x:y", 0, false, false },
	{ SPEAKER_UDEV, "cpu3: Processing device (SEQNUM=1109, ACTION=add)", EVENT_BEGIN, NULL, 0,
	  false, false },
	{ SPEAKER_UDEV, "LNXCPU:0a: Processing device (SEQNUM=1, ACTION=add)", EVENT_BEGIN, NULL, 0,
	  false, false },
	{ SPEAKER_UDEV, "cpu3: Device processed (SEQNUM=1109, ACTION=add)", EVENT_END, NULL, 0,
	  false, false },
	{ SPEAKER_UDEV, "acpi_cpufreq: Failed to insert module 'acpi_cpufreq': No such device",
	  EVENT_FAILED, "acpi_cpufreq", ENODEV, false, false },
	{ SPEAKER_UDEV, "could not read from '/sys/module/pcc_cpufreq/initstate': No such device",
	  EVENT_RACE, "pcc_cpufreq", 0, false, false },
	{ SPEAKER_UDEV, "cpu3: sd-device-monitor(worker): Passed 688 byte to netlink monitor.",
	  EVENT_NONE, NULL, 0, false, false },
	/* cut, mixed, or no module's name */
	{ SPEAKER_UDEV, "Inserted module 'acpi_cpu", EVENT_DAMAGED, NULL, 0, false, false },
	{ SPEAKER_UDEV, "Failed to insert module '", EVENT_DAMAGED, NULL, 0, false, false },
	{ SPEAKER_UDEV, "Inserted module '../../etc'", EVENT_DAMAGED, NULL, 0, false, false },
	{ SPEAKER_UDEV, "Inserted module ''", EVENT_DAMAGED, NULL, 0, false, false },
	{ SPEAKER_UDEV, "cpu1: Devi[ 3.0] udevd: Inserted module 'a'", EVENT_DAMAGED, NULL, 0,
	  false, false },
	/* others */
	{ SPEAKER_MODULES_LOAD, "Failed to insert 'pcc_cpufreq': No such device", EVENT_FAILED,
	  "pcc_cpufreq", ENODEV, true, false },
	{ SPEAKER_INIT, "Inserted module 'autofs4'", EVENT_INSERTED, "autofs4", 0, false, false },
	{ SPEAKER_MODPROBE, "ERROR: could not insert 'acpi_cpufreq': No such device", EVENT_FAILED,
	  "acpi_cpufreq", ENODEV, false, false },
	{ SPEAKER_OTHER, "Inserted module 'acpi_cpufreq'", EVENT_NONE, NULL, 0, false, false },
	{ SPEAKER_KERNEL, "Inserted module 'acpi_cpufreq'", EVENT_NONE, NULL, 0, false, false },
	{ SPEAKER_UNKNOWN, "messages such as \"Inserted module 'a'\" in the log", EVENT_DAMAGED,
	  NULL, 0, false, false },
	/* the kernel */
	{ SPEAKER_KERNEL,
	  "initcall acpi_cpufreq_init+0x0/0x1000 [acpi_cpufreq] returned -17 after 42 usecs",
	  EVENT_INITCALL, "acpi_cpufreq", EEXIST, false, false },
	{ SPEAKER_KERNEL, "initcall intel_pstate_init+0x0/0x5d0 returned 0 after 1234 usecs",
	  EVENT_INITCALL, "", 0, false, false },
	{ SPEAKER_KERNEL, "initcall acpi_cpufreq_init+0x0/0x1000 [acpi_cpu", EVENT_DAMAGED, NULL, 0,
	  false, false },
	{ SPEAKER_KERNEL, "acpi-cpufreq: probe of acpi-cpufreq failed with error -17",
	  EVENT_PROBE_FAILED, "acpi-cpufreq", EEXIST, false, false },
	{ SPEAKER_KERNEL,
	  "acpi-cpufreq acpi-cpufreq: probe with driver acpi-cpufreq failed with error -19",
	  EVENT_PROBE_FAILED, "acpi-cpufreq", ENODEV, false, false },
	{ SPEAKER_KERNEL, "Module acpi_cpufreq is blacklisted", EVENT_KERNEL_DENIED, "acpi_cpufreq",
	  0, false, false },
	{ SPEAKER_KERNEL, "Module is blacklisted", EVENT_DAMAGED, NULL, 0, false, false },
	{ SPEAKER_KERNEL,
	  "pcc-cpufreq: (v1.10.00) driver loaded with frequency limits: 1600 MHz, 2533 MHz",
	  EVENT_DRIVER, NULL, 0, false, false },
	{ SPEAKER_KERNEL, "intel_pstate: Intel P-state driver initializing", EVENT_DRIVER, NULL, 0,
	  false, false },
	{ SPEAKER_KERNEL, "intel_pstate: CPU model not supported", EVENT_REMARK, NULL, 0, false,
	  false },
	{ SPEAKER_KERNEL, "intel_pstate: HWP enabled", EVENT_NONE, NULL, 0, false, false },
	{ SPEAKER_KERNEL, "kvm: disabled by bios", EVENT_REFUSAL, "kvm", 0, false, false },
	{ SPEAKER_KERNEL, "Error: Driver 'pcspkr' is already registered, aborting...",
	  EVENT_REFUSAL, "pcspkr", 0, false, false },
	{ SPEAKER_KERNEL, "Error: Driver 'a b' is already registered, aborting...", EVENT_NONE,
	  NULL, 0, false, false },
	/* systemd */
	{ SPEAKER_INIT, "systemd 252.39-1~deb12u2 running in system mode (+PAM)", EVENT_SYSTEMD,
	  NULL, 0, false, false },
	{ SPEAKER_INIT, "Running in initial RAM disk.", EVENT_IN_INITRD, NULL, 0, false, false },
	{ SPEAKER_INIT, "Running in initrd.", EVENT_IN_INITRD, NULL, 0, false, false },
	{ SPEAKER_INIT, "Switching root.", EVENT_NONE, NULL, 0, false, false },
	{ SPEAKER_INIT, "Startup finished in 1s (kernel) + 2s (userspace) = 3s.", EVENT_STARTUP,
	  NULL, 0, false, false },
	{ SPEAKER_OTHER, "Startup finished in 100ms.", EVENT_NONE, NULL, 0, false, false },
};

static void wordings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		struct entry entry = { .speaker = messages[i].speaker,
				       .message = slice(messages[i].message) };
		struct event event;

		print_message("%s\n", messages[i].message);
		message_parse(&entry, &event);
		assert_int_equal(event.kind, messages[i].kind);
		assert_int_equal(event.error, messages[i].error);
		assert_int_equal(event.is_old_wording, messages[i].is_old);
		assert_int_equal(event.is_by_kernel, messages[i].is_by_kernel);
		assert_false(event.is_glued);
		if (messages[i].name)
			assert_slice(event.name, messages[i].name);
	}
}

/* What stands before a second line in the same one counts, and it is said that there is more. */
static const struct {
	enum speaker speaker;
	const char *message;
	enum event_kind kind;
	bool is_glued;
} glued[] = {
	{ SPEAKER_UDEV, "Inserted module 'a'[    5.1] big (udev-worker)[5]: Inserted module 'b'",
	  EVENT_INSERTED, true },
	{ SPEAKER_UDEV, "Inserted module 'a' ", EVENT_INSERTED, false },
	{ SPEAKER_UDEV, "Inserted module 'a'x", EVENT_INSERTED, true },
	{ SPEAKER_UDEV, "Inserted 'a'Inserted 'b'", EVENT_INSERTED, true },
	{ SPEAKER_UDEV, "cpu1: Insert[ 3.0] udevd[5]: Inserted 'b'", EVENT_DAMAGED, false },
	{ SPEAKER_UDEV, "Failed to insert module 'a': No such dev[ 5.1] big u[5]: x", EVENT_FAILED,
	  true },
	{ SPEAKER_UDEV, "Failed to insert module 'a': No such device", EVENT_FAILED, false },
	{ SPEAKER_UDEV, "Failed to insert module 'a': No suchModule 'b' is builtin", EVENT_FAILED,
	  true },
	{ SPEAKER_UDEV, "Module 'a' is builtin[ 5.1] big u[5]: x", EVENT_BUILTIN, true },
	{ SPEAKER_UDEV, "Module 'a' is already loaded[ 5.1] big u[5]: x", EVENT_LOADED, true },
	{ SPEAKER_UDEV, "Module 'a' is deny-listed (by kmod)", EVENT_DENIED, false },
	{ SPEAKER_UDEV, "Module 'a' is deny-listed (by kmod)[ 5.1] big u[5]: x", EVENT_DENIED,
	  true },
	{ SPEAKER_UDEV, "Loading module: acpi:LNXCPU:[ 5.1] big u[5]: Inserted module 'b'",
	  EVENT_LOOKUP, true },
	{ SPEAKER_UDEV, "Loading module: acpi:LNXCPU:[ 5.1] big u[5]: Loading module: x",
	  EVENT_LOOKUP, true },
	{ SPEAKER_UDEV, "Loading module: dmi:bvn[x]:y", EVENT_LOOKUP, false },
	{ SPEAKER_UDEV, "Execute 'load' 'acpi:LNXCPU:'[ 5.1] big u[5]: x", EVENT_LOOKUP, true },
	{ SPEAKER_UDEV, "cpu0: Processing device (SEQNUM=1, ACTION=add)[ 5.1] big u[5]: x",
	  EVENT_BEGIN, true },
	{ SPEAKER_KERNEL, "initcall f+0x0/0x1 [a] returned -17 after 4 usecs", EVENT_INITCALL,
	  false },
	{ SPEAKER_KERNEL, "initcall f+0x0/0x1 [a] returned -17 after 4 usecs[ 5.1] x",
	  EVENT_INITCALL, true },
};

static void glued_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(glued); i++) {
		struct entry entry = { .speaker = glued[i].speaker,
				       .message = slice(glued[i].message) };
		struct event event;

		print_message("%s\n", glued[i].message);
		message_parse(&entry, &event);
		assert_int_equal(event.kind, glued[i].kind);
		assert_int_equal(event.is_glued, glued[i].is_glued);
	}
}

static void cut_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		for (size_t len = 0; len < strlen(messages[i].message); len++) {
			_cleanup_free_ char *copy = malloc(len + 1);
			struct entry entry = { .speaker = messages[i].speaker };
			struct event event;

			assert_non_null(copy);
			memcpy(copy, messages[i].message, len);
			entry.message = (struct slice){ copy, len };
			message_parse(&entry, &event);
		}
	}
}

/* The structured field is right where the text is in another language. */
static void errno_field(void **state)
{
	struct entry entry = { .speaker = SPEAKER_UDEV,
			       .message =
				       slice("Failed to insert module 'a': Das Geraet ist belegt"),
			       .error = EBUSY };
	struct event event;

	(void)state;
	message_parse(&entry, &event);
	assert_int_equal(event.error, EBUSY);
}

static const struct {
	enum speaker speaker;
	const char *message;
	uint64_t count;
} losses[] = {
	{ SPEAKER_JOURNALD, "Suppressed 1234 messages from systemd-udevd.service", 1234 },
	{ SPEAKER_JOURNALD, "Suppressed 7 messages from /system.slice/systemd-udevd.service", 7 },
	{ SPEAKER_JOURNALD, "Missed 42 kernel messages", 42 },
	{ SPEAKER_JOURNALD, "/dev/kmsg buffer overrun, some messages lost.", 0 },
	{ SPEAKER_JOURNALD, "Forwarding to syslog missed 3 messages.", 3 },
	{ SPEAKER_KERNEL, "** 99 printk messages dropped **", 99 },
	{ SPEAKER_KERNEL, "printk: systemd-udevd: 55 output lines suppressed due to ratelimiting",
	  55 },
	{ SPEAKER_SYSLOGD, "imjournal: 800 messages lost due to rate-limiting", 800 },
	{ SPEAKER_SYSLOGD, "imjournal: begin to drop messages due to rate-limiting", 0 },
};

static void lost_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		struct entry entry = { .speaker = losses[i].speaker,
				       .message = slice(losses[i].message) };
		struct event event;

		print_message("%s\n", losses[i].message);
		message_parse(&entry, &event);
		assert_int_equal(event.kind, EVENT_LOST);
		assert_int_equal(event.count, losses[i].count);
	}
}

static void unloaded(void **state)
{
	struct slice list = slice("a():1 b_c(OE):3  d-e():2 [last unloaded: x]"), name;
	uint64_t count;

	(void)state;
	assert_true(message_next_unloaded(&list, &name, &count));
	assert_slice(name, "a");
	assert_int_equal(count, 1);
	assert_true(message_next_unloaded(&list, &name, &count));
	assert_slice(name, "b_c");
	assert_int_equal(count, 3);
	assert_true(message_next_unloaded(&list, &name, &count));
	assert_slice(name, "d-e");
	assert_false(message_next_unloaded(&list, &name, &count));
}

static void cpus(void **state)
{
	struct entry entry = { .speaker = SPEAKER_KERNEL,
			       .message = slice("smp: Brought up 2 nodes, 192 CPUs") };
	struct event event;

	(void)state;
	message_parse(&entry, &event);
	assert_int_equal(event.kind, EVENT_CPUS);
	assert_int_equal(event.count, 192);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wordings),    cmocka_unit_test(cut_messages),
		cmocka_unit_test(errno_field), cmocka_unit_test(lost_messages),
		cmocka_unit_test(unloaded),    cmocka_unit_test(cpus),
		cmocka_unit_test(glued_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
