// SPDX-License-Identifier: GPL-2.0-or-later
/* One line of every format: what is cut out of it. */
#include <string.h>

#include "testlib.h"
#include "text.h"

#define S UINT64_C(1000000)
/* 2026-11-30 10:58:44 UTC */
#define WALL (UINT64_C(1796036324) * S)
/* The same in the year 2000, where lines without a year are put. */
#define NO_YEAR ((UINT64_C(11291) * 86400 + 10 * 3600 + 58 * 60 + 44) * S)

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
	const char *line;
	enum text_result result;
	enum log_clock clock;
	uint64_t time;
	bool is_coarse;
	enum speaker speaker;
	uint64_t pid;
	const char *host, *message;
} lines[] = {
	/* short-monotonic, short-delta */
	{ "[   47.485621] big systemd-udevd[1871]: Inserted module 'x'", TEXT_ENTRY, LOG_CLOCK_BOOT,
	  47485621, false, SPEAKER_UDEV, 1871, "big", "Inserted module 'x'" },
	{ "[   13.241089 <    0.000265 >] big (udev-worker)[350]: a: b", TEXT_ENTRY, LOG_CLOCK_BOOT,
	  13241089, false, SPEAKER_UDEV, 350, "big", "a: b" },
	{ "[    0.000000] big kernel: Linux version 6.1", TEXT_ENTRY, LOG_CLOCK_BOOT, 0, false,
	  SPEAKER_KERNEL, 0, "big", "Linux version 6.1" },
	/* dmesg, -x, -T, /dev/kmsg */
	{ "[    1.500000] pci 0000:00:01.0: [8086:1234] type 00", TEXT_ENTRY, LOG_CLOCK_BOOT,
	  1500000, false, SPEAKER_KERNEL, 0, "", "pci 0000:00:01.0: [8086:1234] type 00" },
	{ "[    2.923541] systemd-udevd[638]: could not", TEXT_ENTRY, LOG_CLOCK_BOOT, 2923541,
	  false, SPEAKER_UDEV, 638, "", "could not" },
	{ "[    1.0] foo: bar", TEXT_ENTRY, LOG_CLOCK_BOOT, 1000000, false, SPEAKER_KERNEL, 0, "",
	  "foo: bar" },
	{ "kern  :info  : [    1.250000] foo: bar", TEXT_ENTRY, LOG_CLOCK_BOOT, 1250000, false,
	  SPEAKER_KERNEL, 0, "", "foo: bar" },
	{ "[Mon Nov 30 10:58:44 2026] foo: bar", TEXT_ENTRY, LOG_CLOCK_WALL, NO_YEAR, true,
	  SPEAKER_KERNEL, 0, "", "foo: bar" },
	{ "6,339,5140900,-;foo: bar", TEXT_ENTRY, LOG_CLOCK_BOOT, 5140900, false, SPEAKER_KERNEL, 0,
	  "", "foo: bar" },
	{ "30,340,5140901,-;systemd-udevd[7]: foo", TEXT_ENTRY, LOG_CLOCK_BOOT, 5140901, false,
	  SPEAKER_UDEV, 7, "", "foo" },
	/* short, short-precise, and files of syslog daemons */
	{ "Nov 30 10:58:44 big systemd-udevd[5]: foo", TEXT_ENTRY, LOG_CLOCK_WALL, NO_YEAR, true,
	  SPEAKER_UDEV, 5, "big", "foo" },
	{ "Nov 30 10:58:44.000250 big kernel: foo", TEXT_ENTRY, LOG_CLOCK_WALL, NO_YEAR + 250,
	  false, SPEAKER_KERNEL, 0, "big", "foo" },
	{ "<30>Nov 30 10:58:44 big systemd-udevd[5]: foo", TEXT_ENTRY, LOG_CLOCK_WALL, NO_YEAR,
	  true, SPEAKER_UDEV, 5, "big", "foo" },
	/* short-iso, with both kinds of zone, short-iso-precise, rsyslog's own */
	{ "2026-11-30T10:58:44+0000 big systemd[1]: foo", TEXT_ENTRY, LOG_CLOCK_WALL, WALL, true,
	  SPEAKER_INIT, 1, "big", "foo" },
	{ "2026-11-30T11:58:44+01:00 big systemd[1]: foo", TEXT_ENTRY, LOG_CLOCK_WALL, WALL, true,
	  SPEAKER_INIT, 1, "big", "foo" },
	{ "2026-11-30T06:28:44-0430 big systemd[900]: foo", TEXT_ENTRY, LOG_CLOCK_WALL, WALL, true,
	  SPEAKER_OTHER, 900, "big", "foo" },
	{ "2026-11-30T10:58:44.192916+00:00 big modprobe: foo", TEXT_ENTRY, LOG_CLOCK_WALL,
	  WALL + 192916, false, SPEAKER_MODPROBE, 0, "big", "foo" },
	{ "1970-01-31T00:00:01Z big modprobe: foo", TEXT_ENTRY, LOG_CLOCK_WALL,
	  (UINT64_C(30) * 86400 + 1) * S, true, SPEAKER_MODPROBE, 0, "big", "foo" },
	/* short-full, short-unix, with-unit */
	{ "Mon 2026-11-30 10:58:44 UTC big systemd-journald[3]: foo", TEXT_ENTRY, LOG_CLOCK_WALL,
	  WALL, true, SPEAKER_JOURNALD, 3, "big", "foo" },
	{ "1796036324.192916 big systemd-modules-load[3]: foo", TEXT_ENTRY, LOG_CLOCK_WALL,
	  WALL + 192916, false, SPEAKER_MODULES_LOAD, 3, "big", "foo" },
	{ "Mon 2026-11-30 10:58:44 UTC big systemd-udevd.service[3]: foo", TEXT_ENTRY,
	  LOG_CLOCK_WALL, WALL, true, SPEAKER_UDEV, 3, "big", "foo" },
	/* the kernel's own words are not a host and a speaker */
	{ "[    1.0] x86/fpu: xstate_offset[2]:  576", TEXT_ENTRY, LOG_CLOCK_BOOT, 1000000, false,
	  SPEAKER_KERNEL, 0, "", "x86/fpu: xstate_offset[2]:  576" },
	/* no time */
	{ "(129) Inserted module 'x'", TEXT_ENTRY, LOG_CLOCK_NONE, 0, false, SPEAKER_UDEV, 129, "",
	  "Inserted module 'x'" },
	{ "modprobe: ERROR: could not insert 'x'", TEXT_ENTRY, LOG_CLOCK_NONE, 0, false,
	  SPEAKER_MODPROBE, 0, "", "ERROR: could not insert 'x'" },
	{ "Inserted module 'x'", TEXT_ENTRY, LOG_CLOCK_NONE, 0, false, SPEAKER_UNKNOWN, 0, "",
	  "Inserted module 'x'" },
	/* none of these is an entry */
	{ "", .result = TEXT_IGNORED },
	{ "-- No entries --", .result = TEXT_IGNORED },
	{ "-- Reboot --", .result = TEXT_BOOT },
	{ "-- Boot 3183f2cf9fa9416b81e2e8df92202361 --", .result = TEXT_BOOT },
	{ "        and so on", .result = TEXT_CONTINUED },
	{ "[  47.485621", .result = TEXT_UNREADABLE },
	{ "[99999999999999999999999.5] x", .result = TEXT_UNREADABLE },
	{ "[] x", .result = TEXT_UNREADABLE },
	{ "[", .result = TEXT_UNREADABLE },
	{ "2026-11-30T10:58:44+0000", .result = TEXT_UNREADABLE },
	{ "2026-13-30T10:58:44+0000 big a: b", .result = TEXT_UNREADABLE },
	{ "99999999999999999999.5 big a: b", .result = TEXT_UNREADABLE },
	{ "6,339,5140900", .result = TEXT_UNREADABLE },
	{ "6,339,5140900,-", .result = TEXT_UNREADABLE },
	{ "2026-12-32T10:58:44+0000 big a: b", .result = TEXT_UNREADABLE },
	{ "2026-12-00T10:58:44+0000 big a: b", .result = TEXT_UNREADABLE },
	{ "1969-12-31T10:58:44+0000 big a: b", .result = TEXT_UNREADABLE },
	{ "2026-11-30T10-58-44+0000 big a: b", .result = TEXT_UNREADABLE },
	{ "<", .result = TEXT_ENTRY, .host = "", .message = "<" },
	{ "<9999>x", .result = TEXT_UNREADABLE },
};

static void formats(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct text_state text = { 0 };
		struct entry e;

		print_message("%s\n", lines[i].line);
		assert_int_equal(text_parse(&text, slice(lines[i].line), &e), lines[i].result);
		if (lines[i].result != TEXT_ENTRY)
			continue;
		assert_int_equal(e.clock, lines[i].clock);
		assert_int_equal(e.time, lines[i].time);
		assert_int_equal(e.is_coarse, lines[i].is_coarse);
		assert_int_equal(e.speaker, lines[i].speaker);
		assert_int_equal(e.pid, lines[i].pid);
		assert_slice(e.host, lines[i].host);
		assert_slice(e.message, lines[i].message);
	}
}

/* Cut anywhere, a line is an entry or not, but nothing beyond it is looked at (ASan is the judge).
 */
static void cut_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		for (size_t len = 0; len <= strlen(lines[i].line); len++) {
			struct text_state text = { 0 };
			_cleanup_free_ char *copy = malloc(len + 1);
			struct entry e;

			assert_non_null(copy);
			memcpy(copy, lines[i].line, len);
			(void)text_parse(&text, (struct slice){ copy, len }, &e);
			if (e.message.len)
				assert_true(e.message.p >= copy &&
					    e.message.p + e.message.len <= copy + len);
		}
	}
}

/* "pci 0000:00:01.0: x" could be a host and a speaker, if lines before had those. */
static void hosts_once_seen(void **state)
{
	struct text_state text = { 0 };
	struct entry e;

	(void)state;
	assert_int_equal(text_parse(&text, slice("[ 1.0] big kernel: x"), &e), TEXT_ENTRY);
	assert_int_equal(text_parse(&text, slice("[ 2.0] big cron: job"), &e), TEXT_ENTRY);
	assert_slice(e.host, "big");
	assert_slice(e.message, "job");
	assert_int_equal(e.speaker, SPEAKER_OTHER);
}

static void new_year(void **state)
{
	struct text_state text = { 0 };
	struct entry before, after;

	(void)state;
	assert_int_equal(text_parse(&text, slice("Dec 31 23:59:59 big kernel: x"), &before),
			 TEXT_ENTRY);
	assert_int_equal(text_parse(&text, slice("Jan  1 00:00:01 big kernel: x"), &after),
			 TEXT_ENTRY);
	assert_int_equal(after.time - before.time, 2 * S);
}

/* Months of another language: days go on from line to line, whatever the month is called. */
static void foreign_months(void **state)
{
	static const struct {
		const char *line;
		uint64_t after; /* the first one, seconds */
	} days[][5] = {
		{ { "Okt 31 23:59:59 big (udev-worker)[5]: foo", 0 },
		  { "Nov  1 00:00:01 big (udev-worker)[5]: foo", 2 },
		  { "Dez  2 00:00:01 big (udev-worker)[5]: foo", 2 * 86400 + 2 } },
		{ { "Sep 30 23:59:59 big (udev-worker)[5]: foo", 0 },
		  { "Okt  1 00:00:00 big (udev-worker)[5]: foo", 1 },
		  { "Okt 12 00:00:00 big (udev-worker)[5]: foo", 11 * 86400 + 1 } },
		{ { "\321\217\320\275\320\262 01 00:00:00 big (udev-worker)[5]: foo", 0 },
		  { "\321\217\320\275\320\262 01 00:01:00 big (udev-worker)[5]: foo", 60 } },
		{ { " 1\346\234\210 01 00:00:00 big (udev-worker)[5]: foo", 0 },
		  { "10\346\234\210 31 00:00:00 big (udev-worker)[5]: foo", 31 * 86400 } },
		{ { "[Mo Okt 12 10:00:01 2026] udevd[5]: foo", 0 },
		  { "[Di Okt 13 10:00:01 2026] udevd[5]: foo", 86400 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(days); i++) {
		struct text_state text = { 0 };
		uint64_t first = 0;

		for (size_t k = 0; k < ARRAY_SIZE(days[i]) && days[i][k].line; k++) {
			struct entry e;

			print_message("%s\n", days[i][k].line);
			assert_int_equal(text_parse(&text, slice(days[i][k].line), &e), TEXT_ENTRY);
			assert_int_equal(e.speaker, SPEAKER_UDEV);
			assert_int_equal(e.pid, 5);
			assert_slice(e.message, "foo");
			assert_int_equal(e.clock, LOG_CLOCK_WALL);
			assert_true(e.is_coarse);
			first = k ? first : e.time;
			assert_int_equal(e.time - first, days[i][k].after * S);
		}
	}
}

/* What is no date must not change how the lines behind it are read. */
static void no_dates(void **state)
{
	static const char *const others[] = { "  Okt 12 10:00:01", "Okt 32 10:00:01 big a[1]: x",
					      "Okt 12 10:00 big a[1]: x",
					      "Okt 12 10:00:01 of nobody",
					      "the old Okt 12 10:00:01 big a[1]: x" };
	struct text_state text = { 0 }, untouched = { 0 };
	struct entry e;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		(void)text_parse(&text, slice(others[i]), &e);
		print_message("%s\n", others[i]);
		assert_int_equal(e.clock, LOG_CLOCK_NONE);
		assert_memory_equal(&text, &untouched, sizeof(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats),         cmocka_unit_test(cut_lines),
		cmocka_unit_test(hosts_once_seen), cmocka_unit_test(new_year),
		cmocka_unit_test(foreign_months),  cmocka_unit_test(no_dates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
