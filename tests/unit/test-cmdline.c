// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel command line, cut as next_arg() and parse_args() of the kernel cut it. */
#include <string.h>

#include "cmdline.h"
#include "testlib.h"

static struct cmdline parse(const char *text)
{
	struct cmdline c;

	assert_int_equal(cmdline_parse(text, &c), 0);
	return c;
}

struct expected {
	const char *text;
	size_t count, kernel_count;
	struct cmdline_param params[4];
};

static void cut(void **state)
{
	static const struct expected table[] = {
		{ "", 0, 0, { { 0 } } },
		{ " \t\n ", 0, 0, { { 0 } } },
		{ "quiet", 1, 1, { { "quiet", NULL } } },
		{ "a=1 b=2\n", 2, 2, { { "a", "1" }, { "b", "2" } } },
		{ "a=1=2", 1, 1, { { "a", "1=2" } } },
		{ "a=", 1, 1, { { "a", "" } } },
		{ "a=\"b c\" d", 2, 2, { { "a", "b c" }, { "d", NULL } } },
		{ "\"a=b c\" d", 2, 2, { { "a", "b c" }, { "d", NULL } } },
		{ "\"a b\"", 1, 1, { { "a b", NULL } } },
		/* Only quotes around a whole value are taken off. */
		{ "a=b\"c d\" e", 2, 2, { { "a", "b\"c d\"" }, { "e", NULL } } },
		{ "a=\"b c", 1, 1, { { "a", "b c" } } },
		{ "a=\"", 1, 1, { { "a", "" } } },
		{ "a=\"\" b", 2, 2, { { "a", "" }, { "b", NULL } } },
		{ "\"", 1, 1, { { "", NULL } } },
		{ "\"\"", 1, 1, { { "", NULL } } },
		/* An equals sign in the first place is part of the key. */
		{ "=x=y", 1, 1, { { "=x", "y" } } },
		/* Behind "--" everything is init's. */
		{ "a -- b=1", 3, 1, { { "a", NULL }, { "--", NULL }, { "b", "1" } } },
		{ "-- a", 2, 0, { { "--", NULL }, { "a", NULL } } },
		{ "--a --=1 b", 3, 3, { { "--a", NULL }, { "--", "1" }, { "b", NULL } } },
		{ "a\x01\xff=b", 1, 1, { { "a\x01\xff", "b" } } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct cmdline c = parse(table[i].text);

		if (c.count != table[i].count || c.kernel_count != table[i].kernel_count)
			print_error("command line: %s\n", table[i].text);
		assert_int_equal(c.count, table[i].count);
		assert_int_equal(c.kernel_count, table[i].kernel_count);
		for (size_t j = 0; j < c.count; j++) {
			assert_string_equal(c.params[j].key, table[i].params[j].key);
			if (table[i].params[j].value) {
				assert_non_null(c.params[j].value);
				assert_string_equal(c.params[j].value, table[i].params[j].value);
			} else {
				assert_null(c.params[j].value);
			}
		}
		cmdline_free(&c);
	}
}

static void many(void **state)
{
	char *text = malloc(1 << 20);
	struct cmdline c;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i + 1 < 1 << 20; i += 2)
		memcpy(text + i, "a ", 2);
	text[(1 << 20) - 1] = '\0';
	c = parse(text);
	assert_int_equal(c.count, 1 << 19);
	cmdline_free(&c);
	assert_null(c.params);
	free(text);
}

static void get(void **state)
{
	struct cmdline c = parse("a=1 a-b=x a=2 quiet -- a=3 init");

	(void)state;
	assert_string_equal(cmdline_get(&c, "a"), "2");
	assert_string_equal(cmdline_get(&c, "a_b"), "x");
	assert_string_equal(cmdline_get(&c, "a-b"), "x");
	assert_string_equal(cmdline_get(&c, "quiet"), "");
	assert_null(cmdline_get(&c, "init"));
	assert_null(cmdline_get(&c, "A"));
	assert_null(cmdline_get(&c, ""));
	cmdline_free(&c);
}

static void lists(void **state)
{
	struct cmdline c = parse("m=a,b-c m=d,,e m -- m=f");

	(void)state;
	/* user space's: all of them, a dash is as good, and what stands behind "--" */
	assert_true(cmdline_lists(&c, "m", "a"));
	assert_true(cmdline_lists(&c, "m", "b_c"));
	assert_true(cmdline_lists(&c, "m", "e"));
	assert_true(cmdline_lists(&c, "m", "f"));
	assert_false(cmdline_lists(&c, "n", "a"));
	/* the kernel's: letter by letter, and all or the last one alone */
	assert_true(cmdline_kernel_lists(&c, "m", "a", false));
	assert_true(cmdline_kernel_lists(&c, "m", "b-c", false));
	assert_false(cmdline_kernel_lists(&c, "m", "b_c", false));
	assert_false(cmdline_kernel_lists(&c, "m", "f", false));
	assert_false(cmdline_kernel_lists(&c, "m", "a", true));
	assert_true(cmdline_kernel_lists(&c, "m", "d", true));
	cmdline_free(&c);
	c = parse("m=acpi_cpufreq_x,xacpi_cpufreq");
	assert_false(cmdline_lists(&c, "m", "acpi_cpufreq"));
	assert_false(cmdline_kernel_lists(&c, "m", "acpi_cpufreq", false));
	cmdline_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut),
		cmocka_unit_test(many),
		cmocka_unit_test(get),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
