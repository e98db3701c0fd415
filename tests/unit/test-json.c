// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON writer, byte by byte; a real parser reads the verbs' output in the bats tests. */
#include <string.h>

#include "json.h"
#include "testlib.h"

struct sink {
	char *text;
	size_t len;
	struct json j;
};

static void sink_open(struct sink *s)
{
	*s = (struct sink){ 0 };
	s->j.out = open_memstream(&s->text, &s->len);
	assert_non_null(s->j.out);
}

static void sink_is(struct sink *s, const char *expected)
{
	assert_int_equal(fclose(s->j.out), 0);
	assert_string_equal(s->text, expected);
	free(s->text);
}

static void empty(void **state)
{
	struct sink s;

	(void)state;
	sink_open(&s);
	json_open(&s.j, NULL, '{');
	json_close(&s.j, '}');
	sink_is(&s, "{}\n");
	sink_open(&s);
	json_open(&s.j, NULL, '[');
	json_close(&s.j, ']');
	sink_is(&s, "[]\n");
}

static void nesting(void **state)
{
	struct sink s;

	(void)state;
	sink_open(&s);
	json_open(&s.j, NULL, '{');
	json_string(&s.j, "a", "x");
	json_open(&s.j, "b", '[');
	json_int(&s.j, NULL, -1);
	json_open(&s.j, NULL, '{');
	json_close(&s.j, '}');
	json_open(&s.j, NULL, '[');
	json_bool(&s.j, NULL, true);
	json_bool(&s.j, NULL, false);
	json_close(&s.j, ']');
	json_close(&s.j, ']');
	json_null(&s.j, "c");
	json_string(&s.j, "d", NULL);
	json_open(&s.j, "e", '{');
	json_close(&s.j, '}');
	json_int(&s.j, "f", 9223372036854775807);
	json_close(&s.j, '}');
	sink_is(&s, "{\n"
		    "  \"a\": \"x\",\n"
		    "  \"b\": [\n"
		    "    -1,\n"
		    "    {},\n"
		    "    [\n"
		    "      true,\n"
		    "      false\n"
		    "    ]\n"
		    "  ],\n"
		    "  \"c\": null,\n"
		    "  \"d\": null,\n"
		    "  \"e\": {},\n"
		    "  \"f\": 9223372036854775807\n"
		    "}\n");
}

static void escapes(void **state)
{
	struct sink s;

	(void)state;
	sink_open(&s);
	json_open(&s.j, NULL, '{');
	json_string(&s.j, "k\"\\\n", "a\"b\\c/d\n\t\r\b\x01\x1f\x7f");
	json_string(&s.j, "u", "\xc3\xa4\xff");
	json_string(&s.j, "e", "");
	json_close(&s.j, '}');
	sink_is(&s,
		"{\n"
		"  \"k\\\"\\\\\\u000a\": \"a\\\"b\\\\c/d\\u000a\\u0009\\u000d\\u0008\\u0001\\u001f"
		"\\u007f\",\n"
		"  \"u\": \"\\ufffd\\ufffd\\ufffd\",\n"
		"  \"e\": \"\"\n"
		"}\n");
}

static void deep(void **state)
{
	struct sink s;
	unsigned int opened = 0, closed = 0;

	(void)state;
	sink_open(&s);
	for (int i = 0; i < 100; i++)
		json_open(&s.j, NULL, '[');
	for (int i = 0; i < 100; i++)
		json_close(&s.j, ']');
	fflush(s.j.out);
	for (const char *c = s.text; *c; c++) {
		opened += *c == '[';
		closed += *c == ']';
		assert_true(*c != ',');
	}
	assert_int_equal(opened, 100);
	assert_int_equal(closed, 100);
	assert_int_equal(s.text[s.len - 1], '\n');
	fclose(s.j.out);
	free(s.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(nesting),
		cmocka_unit_test(escapes),
		cmocka_unit_test(deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
