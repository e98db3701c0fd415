// SPDX-License-Identifier: GPL-2.0-or-later
/* What entries add up to. */
#include <errno.h>
#include <string.h>

#include "report.h"
#include "testlib.h"

static void add(struct tally *t, uint64_t time, uint64_t pid, const char *message)
{
	struct entry entry = { .clock = LOG_CLOCK_BOOT,
			       .time = time,
			       .pid = pid,
			       .speaker = pid ? SPEAKER_UDEV : SPEAKER_KERNEL,
			       .message = { message, strlen(message) } };
	struct event event;

	message_parse(&entry, &event);
	assert_int_equal(tally_add(t, &entry, &event), 0);
}

static const struct tally_module *find(const struct tally *t, const char *name)
{
	_cleanup_free_ const struct tally_module **list = NULL;
	const struct tally_module *found = NULL;
	size_t n;

	list = tally_sorted(t, &n);
	assert_non_null(list);
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i]->name, name) == 0)
			found = list[i];
	return found;
}

static int setup(void **state)
{
	*state = tally_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	tally_free(*state);
	return 0;
}

/* A worker is busy from its line before to the attempt's, but only while it has a device. */
static void workers_time(void **state)
{
	struct tally *t = *state;

	add(t, 1000, 7, "cpu0: Processing device (SEQNUM=1, ACTION=add)");
	add(t, 1500, 7, "Loading module: cpu:x");
	add(t, 4500, 7, "Inserted module 'a-b'");
	add(t, 5000, 8, "cpu1: Processing device (SEQNUM=2, ACTION=add)");
	add(t, 5100, 7, "Failed to insert module 'c': No such device");
	add(t, 5200, 7, "cpu0: Device processed (SEQNUM=1, ACTION=add)");
	add(t, 6000, 7, "cpu0: sd-device-monitor(worker): Passed 688 byte to netlink monitor.");
	add(t, 90000, 7, "cpu2: Processing device (SEQNUM=3, ACTION=add)");
	add(t, 90001, 7, "Failed to insert module 'c': Device or resource busy");
	assert_int_equal(find(t, "a_b")->busy, 3000);
	assert_int_equal(find(t, "c")->busy, 601);
	assert_int_equal(t->udev_busy, 500 + 3000 + 600 + 100 + 1);
	assert_int_equal(t->workers.count, 2);
	assert_int_equal(find(t, "c")->workers.count, 1);
	assert_int_equal(find(t, "c")->classes[CLASS_NODEV], 1);
	assert_int_equal(find(t, "c")->classes[CLASS_BUSY], 1);
	assert_int_equal(find(t, "c")->first, 5100);
	assert_int_equal(find(t, "c")->last, 90001);
}

static void unanswered(void **state)
{
	struct tally *t = *state;

	add(t, 1, 7, "Loading module: cpu:x");
	add(t, 2, 7, "cpu0: Device processed (SEQNUM=1, ACTION=add)");
	add(t, 3, 8, "Loading module: acpi:LNXCPU:");
	add(t, 4, 8, "Module 'a' is already loaded");
	add(t, 5, 8, "Loading module: pci:x");
	add(t, 6, 8, "Failed to find module 'pci:x'");
	add(t, 7, 8, "cpu1: Device processed (SEQNUM=1, ACTION=add)");
	assert_int_equal(t->lookups, 3);
	assert_int_equal(t->cpu_lookups, 2);
	assert_int_equal(t->unanswered, 1);
	assert_int_equal(t->not_found, 1);
	/* Words between question and end are no answer. */
	add(t, 8, 9, "Loading module: cpu:y");
	add(t, 9, 9, "cpu2: something else");
	add(t, 10, 9, "cpu2: Device processed (SEQNUM=2, ACTION=add)");
	assert_int_equal(t->unanswered, 2);
}

static uint64_t marks(const struct tally_module *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TALLY_BINS; i++)
		sum += m->bins->counts[CLASS_INSERTED][i];
	return sum;
}

/* The bins grow as far as they must, and no mark is lost; also with times that make no sense. */
static void bins(void **state)
{
	struct tally *t = *state;

	add(t, 5000000, 7, "Inserted module 'a'");
	assert_int_equal(t->bin_width, 1000);
	add(t, 5000000 + 1024 * 1000, 7, "Inserted module 'a'");
	assert_int_equal(t->bin_width, 2000);
	assert_int_equal(find(t, "a")->bins->counts[CLASS_INSERTED][0], 1);
	assert_int_equal(find(t, "a")->bins->counts[CLASS_INSERTED][512], 1);
	add(t, 100, 7, "Inserted module 'a'");
	add(t, UINT64_MAX, 7, "Inserted module 'a'");
	assert_int_equal(marks(find(t, "a")), 4);
}

static void add_names(struct tally *t, int count, uint64_t time)
{
	char text[64];

	for (int i = 0; i < count; i++) {
		(void)snprintf(text, sizeof(text), "Inserted module 'm%d'", i);
		add(t, time, 7, text);
	}
}

static uint64_t kept_attempts(const struct tally *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(t->modules); i++)
		sum += t->modules[i] ? tally_attempts(t->modules[i]) : 0;
	return sum;
}

/* A module that is tried again and again stays, whenever it comes; its count is as good as it can
 * be. */
static void many_names(void **state)
{
	struct tally *t = *state;
	struct log log = { 0 };

	add(t, 1, 7, "initcall f+0x0/0x1 [early] returned -17 after 4 usecs");
	for (uint64_t i = 0; i < 3; i++)
		add(t, 2 + i, 7, "Inserted module 'early'");
	add(t, 5, 7, "Inserted module 'pcc-cpufreq'");
	add_names(t, TALLY_MODULES_MAX - 2, 9);
	assert_int_equal(t->dropped_modules, 0);
	add_names(t, 2000, 10);
	for (uint64_t i = 0; i < 100; i++) {
		add(t, 20 + i * 2, 7, "Inserted module 'late'");
		add(t, 21 + i * 2, 7, "Inserted module 'acpi_cpufreq'");
	}
	add_names(t, 2000, 300);
	assert_true(t->module_count <= TALLY_MODULES_MAX);
	assert_int_equal(tally_attempts(find(t, "early")), 3);
	assert_int_equal(tally_attempts(find(t, "late")), 100);
	assert_int_equal(tally_attempts(find(t, "acpi_cpufreq")), 100);
	assert_int_equal(tally_attempts(find(t, "pcc_cpufreq")), 1);
	assert_int_equal(report_bound(&log, t, find(t, "early")), BOUND_EXACT);
	assert_int_equal(report_bound(&log, t, find(t, "acpi_cpufreq")), BOUND_EXACT);
	assert_int_equal(report_bound(&log, t, find(t, "late")), BOUND_AT_LEAST);
	/* Nothing is gone without a word. */
	assert_int_equal(t->dropped_attempts + kept_attempts(t),
			 3 + 1 + 200 + TALLY_MODULES_MAX - 2 + 2000 + 2000);
}

/* Of those that are named as often the latest stay: a storm begins with one line, too. */
static void oldest_names(void **state)
{
	struct tally *t = *state;

	add_names(t, TALLY_MODULES_MAX + 1, 10);
	assert_true(t->dropped_modules > 0);
	for (uint64_t i = 0; i <= TALLY_MODULES_MAX; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "m%d", (int)i);
		assert_int_equal(find(t, name) == NULL, i < t->dropped_modules);
	}
}

/* What is named without an attempt counts too when it is a matter of who stays. */
static void many_names_and_initcalls(void **state)
{
	struct tally *t = *state;

	for (uint64_t i = 0; i < 5; i++)
		add(t, i, 0, "initcall f+0x0/0x1 [early] returned -17 after 4 usecs");
	add_names(t, 2000, 10);
	assert_int_equal(find(t, "early")->initcalls, 5);
}

/* A line that is there twice makes no lower bound, and nothing that was never answered. */
static void duplicates(void **state)
{
	struct tally *t = *state;
	struct log log = { 0 };

	for (uint64_t i = 0; i < 10; i++) {
		for (int k = 0; k < 2; k++)
			add(t, i * 100, 7, "Loading module: cpu:x");
		for (int k = 0; k < 2; k++)
			add(t, i * 100 + 50, 7, "Inserted module 'a'");
		/* The same words at the same time, of another worker. */
		add(t, i * 100 + 50, 8, "Inserted module 'a'");
	}
	assert_int_equal(t->duplicates, 20);
	assert_int_equal(t->unanswered, 0);
	assert_true(tally_is_doubled(t));
	assert_int_equal(report_bound(&log, t, find(t, "a")), BOUND_AT_MOST);
	add(t, 2000, 0, "** 99 printk messages dropped **");
	assert_int_equal(report_bound(&log, t, find(t, "a")), BOUND_ABOUT);
}

static void no_duplicates(void **state)
{
	struct tally *t = *state;

	add(t, 100, 7, "Failed to insert module 'aaaa': No such device");
	add(t, 100, 7, "Failed to insert module 'bbbb': No such device");
	add(t, 100, 8, "Failed to insert module 'bbbb': No such device");
	add(t, 101, 7, "Failed to insert module 'bbbb': No such device");
	assert_int_equal(t->duplicates, 0);
	assert_false(tally_is_doubled(t));
}

/* In a log of whole seconds one worker may say the same twice in one; not all of them all the time.
 */
static void duplicates_in_seconds(void **state)
{
	struct tally *t = *state;

	t->is_coarse = true;
	add(t, 1000000, 7, "Inserted module 'a'");
	add(t, 1000000, 7, "Inserted module 'a'");
	for (uint64_t i = 0; i < 10; i++)
		add(t, 2000000, 10 + i, "Inserted module 'a'");
	assert_false(tally_is_doubled(t));
	for (uint64_t i = 0; i < 10; i++) {
		add(t, 3000000, 10 + i, "Inserted module 'a'");
		add(t, 3000000, 10 + i, "Inserted module 'a'");
	}
	assert_true(tally_is_doubled(t));
}

/* The same boot once more behind itself is no exact count, and known by its first line. */
static void boot_twice(void **state)
{
	struct tally *t = *state;
	struct log log = { 0 };

	for (int k = 0; k < 2; k++) {
		add(t, 1000, 7, "cpu0: Processing device (SEQNUM=1, ACTION=add)");
		add(t, 5000000, 7, "Inserted module 'a'");
		assert_int_equal(report_bound(&log, t, find(t, "a")),
				 k ? BOUND_AT_MOST : BOUND_EXACT);
	}
	assert_int_equal(t->repeats, 1);
	assert_int_equal(t->turned_back, 1);
}

/* A time that turns back tells that something is wrong, not what. */
static void turned_back(void **state)
{
	struct tally *t = *state;
	struct log log = { 0 };

	add(t, 5000000, 7, "Inserted module 'a'");
	add(t, 1000, 8, "Inserted module 'a'");
	/* The first one's time, worker and length, and other words. */
	add(t, 6000000, 7, "Inserted module 'a'");
	add(t, 5000000, 7, "Inserted module 'b'");
	assert_int_equal(t->repeats, 0);
	assert_int_equal(report_bound(&log, t, find(t, "a")), BOUND_ABOUT);
}

static void glued_lines(void **state)
{
	struct tally *t = *state;
	struct log log = { 0 };

	add(t, 1, 7, "Inserted module 'a'[    5.1] big (udev-worker)[5]: Inserted module 'b'");
	assert_int_equal(tally_attempts(find(t, "a")), 1);
	assert_int_equal(t->damaged, 1);
	assert_int_equal(report_bound(&log, t, find(t, "a")), BOUND_AT_LEAST);
}

static void many_workers(void **state)
{
	struct tally *t = *state;

	for (uint64_t pid = 1; pid < 100000; pid++)
		add(t, pid, pid, "Inserted module 'a'");
	assert_true(find(t, "a")->workers.is_full);
	assert_int_equal(tally_attempts(find(t, "a")), 99999);
}

static void unloaded_lists(void **state)
{
	struct tally *t = *state;
	struct entry wrapped = { .message = SLICE("b():2 a():1") };
	struct event none = { 0 };

	add(t, 1, 0, "Unloaded tainted modules: a():1 a():1 b():1");
	assert_int_equal(find(t, "a")->unloaded, 2);
	/* The second list holds the first one. */
	add(t, 2, 0, "Unloaded tainted modules: a():1 a():1 b():1 a():1");
	assert_int_equal(find(t, "a")->unloaded, 3);
	assert_int_equal(tally_add(t, &wrapped, &none), 0);
	assert_int_equal(find(t, "a")->unloaded, 4);
	assert_int_equal(find(t, "b")->unloaded, 3);
}

static void initcalls(void **state)
{
	struct tally *t = *state;

	add(t, 1, 0,
	    "initcall acpi_cpufreq_init+0x0/0x1000 [acpi_cpufreq] returned -17 after 40 usecs");
	add(t, 2, 0,
	    "initcall acpi_cpufreq_init+0x0/0x1000 [acpi_cpufreq] returned -19 after 2 usecs");
	add(t, 3, 0,
	    "initcall acpi_cpufreq_init+0x0/0x1000 [acpi_cpufreq] returned 0 after 8 usecs");
	assert_int_equal(find(t, "acpi_cpufreq")->initcalls, 3);
	assert_int_equal(find(t, "acpi_cpufreq")->initcalls_ok, 1);
	assert_int_equal(find(t, "acpi_cpufreq")->initcall_usecs, 50);
	assert_int_equal(find(t, "acpi_cpufreq")->initcall_errors[0].error, EEXIST);
	assert_int_equal(find(t, "acpi_cpufreq")->initcall_errors[1].error, ENODEV);
}

#define S UINT64_C(1000000)

/* What one unit loses says nothing of another's. */
static void losses(void **state)
{
	struct tally *t = *state;
	struct entry journald = { .speaker = SPEAKER_JOURNALD,
				  .message = SLICE("Suppressed 9 messages from chatty.service") };
	struct event event;

	message_parse(&journald, &event);
	assert_int_equal(tally_add(t, &journald, &event), 0);
	assert_int_equal(t->lost, 0);
	assert_int_equal(t->lost_elsewhere, 9);
	journald.message = SLICE("Suppressed 4 messages from systemd-udevd.service");
	message_parse(&journald, &event);
	assert_int_equal(tally_add(t, &journald, &event), 0);
	assert_int_equal(t->lost, 4);
}

static const struct {
	const char *text;
	bool is_there;
	uint64_t firmware, kernel, initrd, userspace, total;
} startups[] = {
	{ "55.874s (firmware) + 25.646s (loader) + 35.793s (kernel) + 7.845s (initrd) + 24.469s "
	  "(userspace) = "
	  "2min 29.629s.",
	  true, 55874000, 35793000, 7845000, 24469000, 149629000 },
	{ "37.939s (kernel) + 10.909s (initrd) + 3min 55.004s (userspace) = 4min 43.852s.", true, 0,
	  37939000, 10909000, 235004000, 283852000 },
	{ "734ms (kernel) + 1h 2min 3s (userspace) = 1h 2min 3.734s.", true, 0, 734000, 0, 3723 * S,
	  3723734000 },
	{ "900us (kernel) + 1.5s (userspace) = 1.500900s.", true, 0, 900, 0, 1500000, 1500900 },
	{ "123ms.", .is_there = false },
	{ "1s (kernel) + ", .is_there = false },
	{ "1s (kernel) = 99999999999999999s.", .is_there = false },
	{ "1parsec (kernel) = 1s.", .is_there = false },
	{ "", .is_there = false },
};

static void startup(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(startups); i++) {
		struct tally_startup got = { 0 };

		print_message("%s\n", startups[i].text);
		assert_int_equal(
			tally_startup_parse(
				(struct slice){ startups[i].text, strlen(startups[i].text) }, &got),
			startups[i].is_there);
		assert_int_equal(got.firmware, startups[i].firmware);
		assert_int_equal(got.kernel, startups[i].kernel);
		assert_int_equal(got.initrd, startups[i].initrd);
		assert_int_equal(got.userspace, startups[i].userspace);
		assert_int_equal(got.total, startups[i].total);
	}
}

static void bounds(void **state)
{
	struct tally *t = *state;
	struct log log = { 0 };

	add(t, 1, 7, "could not read from '/sys/module/a/initstate': No such device");
	assert_int_equal(report_bound(&log, t, find(t, "a")), BOUND_UNKNOWN);
	add(t, 2, 7, "Inserted module 'a'");
	assert_int_equal(report_bound(&log, t, find(t, "a")), BOUND_EXACT);
	add(t, 3, 7, "Inserted 'b'");
	assert_int_equal(report_bound(&log, t, find(t, "b")), BOUND_AT_MOST);
	add(t, 4, 0, "** 99 printk messages dropped **");
	assert_int_equal(report_bound(&log, t, find(t, "a")), BOUND_AT_LEAST);
	assert_int_equal(report_bound(&log, t, find(t, "b")), BOUND_ABOUT);
	assert_int_equal(t->lost, 99);
}

#define in_tally(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_tally(workers_time),
		in_tally(unanswered),
		in_tally(bins),
		in_tally(many_names),
		in_tally(many_workers),
		in_tally(unloaded_lists),
		in_tally(initcalls),
		cmocka_unit_test(startup),
		in_tally(bounds),
		in_tally(losses),
		in_tally(many_names_and_initcalls),
		in_tally(oldest_names),
		in_tally(duplicates),
		in_tally(no_duplicates),
		in_tally(duplicates_in_seconds),
		in_tally(boot_twice),
		in_tally(turned_back),
		in_tally(glued_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
