// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON objects as journalctl prints them, and as nobody should. */
#include <string.h>

#include "fields.h"
#include "testlib.h"

static bool parse(const char *text, char **ret_copy, struct entry *ret)
{
	/* Exactly as long as the text, so that ASan sees a step beyond it. */
	*ret_copy = malloc(strlen(text) + 1);
	assert_non_null(*ret_copy);
	memcpy(*ret_copy, text, strlen(text));
	return fields_json(*ret_copy, strlen(text), ret);
}

static void assert_slice(struct slice s, const char *expected)
{
	assert_int_equal(s.len, strlen(expected));
	assert_memory_equal(s.p, expected, s.len);
}

static void all_fields(void **state)
{
	_cleanup_free_ char *copy = NULL;
	struct entry e;

	(void)state;
	assert_true(parse(
		"{\"SYSLOG_IDENTIFIER\":\"(udev-worker)\",\"__MONOTONIC_TIMESTAMP\":\"13241089\","
		"\"_BOOT_ID\":\"abc\",\"_HOSTNAME\":\"big\",\"ERRNO\":\"16\",\"_PID\":\"350\","
		"\"__SEQNUM\":\"77\",\"MESSAGE\":\"Inserted module 'x'\",\"OTHER\":null}",
		&copy, &e));
	assert_int_equal(e.speaker, SPEAKER_UDEV);
	assert_int_equal(e.clock, LOG_CLOCK_BOOT);
	assert_int_equal(e.time, 13241089);
	assert_int_equal(e.error, 16);
	assert_int_equal(e.pid, 350);
	assert_int_equal(e.seqnum, 77);
	assert_slice(e.boot, "abc");
	assert_slice(e.host, "big");
	assert_slice(e.message, "Inserted module 'x'");
}

/* The kernel's own time where the kernel spoke; journald's is when it read it. */
static void kernel_time(void **state)
{
	_cleanup_free_ char *copy = NULL;
	struct entry e;

	(void)state;
	assert_true(parse(
		"{\"__MONOTONIC_TIMESTAMP\":\"8209935\",\"_SOURCE_MONOTONIC_TIMESTAMP\":\"5\","
		"\"SYSLOG_IDENTIFIER\":\"kernel\",\"MESSAGE\":\"x\"}",
		&copy, &e));
	assert_int_equal(e.time, 5);
	assert_int_equal(e.speaker, SPEAKER_KERNEL);
}

/* What no clock and no errno can be is left out, and the entry still counts. */
static void impossible_numbers(void **state)
{
	_cleanup_free_ char *copy = NULL;
	struct entry e;

	(void)state;
	assert_true(
		parse("{\"__MONOTONIC_TIMESTAMP\":\"99999999999999999999999\",\"ERRNO\":\"4096\","
		      "\"__REALTIME_TIMESTAMP\":\"253402300800000000\",\"MESSAGE\":\"x\"}",
		      &copy, &e));
	assert_int_equal(e.clock, LOG_CLOCK_NONE);
	assert_int_equal(e.error, 0);
	assert_slice(e.message, "x");
}

static const struct {
	const char *json, *message; /* NULL: not understood */
} texts[] = {
	{ "{\"MESSAGE\":\"a\\\"b\\\\c\\/d\\n\\t\\u0041\\u00e4\"}", "a\"b\\c/d\n\tA?" },
	{ "{ \"MESSAGE\" : \"a\" , \"X\" : 1 }", "a" },
	{ "{\"MESSAGE\":[72,105,255]}", "Hi\377" },
	{ "{\"MESSAGE\":[\"first\",\"second\"]}", "first" },
	{ "{\"MESSAGE\":[\"first\",[1]]}", NULL },
	{ "{\"MESSAGE\":[]}", "" },
	{ "{\"MESSAGE\":null}", "" },
	{ "{\"X\":\"MESSAGE\"}", "" },
	{ "{\"MESSAGE\":\"a\",\"MESSAGE\":\"b\"}", "a" },
	{ "{}", NULL },
	{ "{", NULL },
	{ "{\"MESSAGE\"", NULL },
	{ "{\"MESSAGE\":", NULL },
	{ "{\"MESSAGE\":\"", NULL },
	{ "{\"MESSAGE\":\"a\\", NULL },
	{ "{\"MESSAGE\":\"a\\u00", NULL },
	{ "{\"MESSAGE\":\"a\\q\"}", NULL },
	{ "{\"MESSAGE\":\"a\"", NULL },
	{ "{\"MESSAGE\":[1,2", NULL },
	{ "{\"MESSAGE\":{\"a\":1}}", NULL },
	{ "{\"MESSAGE\" \"a\"}", NULL },
	{ "{,}", NULL },
};

static void json(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_free_ char *copy = NULL;
		struct entry e;

		print_message("%s\n", texts[i].json);
		assert_int_equal(parse(texts[i].json, &copy, &e), texts[i].message != NULL);
		if (texts[i].message)
			assert_slice(e.message, texts[i].message);
	}
}

static void pretty(void **state)
{
	char line[] = "\t\"MESSAGE\" : \"a\\tb\",", open[] = "{", broken[] = "\t\"MESSAGE : a";
	struct slice key, value;

	(void)state;
	assert_int_equal(fields_json_pair(line, strlen(line), &key, &value), 1);
	assert_slice(key, "MESSAGE");
	assert_slice(value, "a\tb");
	assert_int_equal(fields_json_pair(open, strlen(open), &key, &value), 0);
	assert_int_equal(fields_json_pair(broken, strlen(broken), &key, &value), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fields),
		cmocka_unit_test(kernel_time),
		cmocka_unit_test(impossible_numbers),
		cmocka_unit_test(json),
		cmocka_unit_test(pretty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
