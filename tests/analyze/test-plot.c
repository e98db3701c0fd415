// SPDX-License-Identifier: GPL-2.0-or-later
/* Pictures of boots that never were: nothing is cut at an edge. */
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "svg-text.h"
#include "testlib.h"

/* Advance widths of DejaVu Sans, thousandths of its size, from blank to tilde. */
static const unsigned short advances[] = {
	318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
	636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
	1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
	603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
	500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
	635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};

static double width_of(const char *text, size_t len)
{
	double sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += advances[text[i] - ' '];
	return sum / 1000;
}

static void add_module(struct tally *t, const char *name, uint64_t count)
{
	static const char *const texts[] = {
		"Inserted module '%s'", "Failed to insert module '%s': No such device",
		"Failed to insert module '%s': Device or resource busy",
		"Failed to insert module '%s': File exists", "Module '%s' is deny-listed"
	};
	struct tally_module *m = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char text[160];
		struct entry entry = { .clock = LOG_CLOCK_BOOT,
				       .time = 1000000 + i * 1000,
				       .pid = 7,
				       .speaker = SPEAKER_UDEV };
		struct event event;

/* The texts are those above. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		(void)snprintf(text, sizeof(text), texts[i], name);
#pragma GCC diagnostic pop
		entry.message = (struct slice){ text, strlen(text) };
		message_parse(&entry, &event);
		assert_int_equal(tally_add(t, &entry, &event), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(t->modules); i++)
		if (t->modules[i] && strcmp(t->modules[i]->name, name) == 0)
			m = t->modules[i];
	assert_non_null(m);
	for (unsigned int c = 0; c < CLASS_COUNT; c++)
		m->classes[c] = count;
	m->denied = count;
}

static char *draw(const struct side *sides, size_t count)
{
	struct plot plot;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(plot_prepare(sides, count, true, &plot), 0);
	plot_svg(out, &plot);
	assert_int_equal(fclose(out), 0);
	return text;
}

static double number_behind(const char *s, const char *what)
{
	const char *at = strstr(s, what);

	assert_non_null(at);
	return strtod(at + strlen(what), NULL);
}

/* Looks at every text of a picture; returns how many there are. */
static size_t check_texts(char *svg)
{
	double width = number_behind(svg, " width=\""), height = number_behind(svg, " height=\"");
	double behind = 0;
	size_t n = 0;

	for (char *at = svg; (at = strstr(at, "<text ")); n++) {
		double x = number_behind(at, " x=\""), y = number_behind(at, " y=\"");
		char *begin = strchr(at, '>') + 1, *end = strstr(begin, "</text>");
		bool is_small, is_title;
		double size, wide;

		assert_non_null(end);
		*end = begin[-1] = '\0';
		is_small = strstr(at, "class=\"s");
		is_title = strstr(at, "class=\"t\"");
		/* Bold is a tenth wider. */
		size = is_title ? 15 * 1.1 : is_small ? 12 : 13;
		wide = width_of(begin, strlen(begin)) * size;
		print_message("%.0f+%.0f %s\n", x, wide, begin);
		if (strstr(at, "class=\"e\""))
			x -= wide;
		else if (strstr(at, "class=\"s m\""))
			x -= wide / 2;
		assert_true(x >= 0 && x + wide <= width);
		assert_true(y >= size * 0.8 && y <= height - 10);
		/* What stands behind the rows must not run into the row below. */
		if (x == 800) {
			assert_true(y >= behind + size);
			behind = y;
		}
		at = end + 1;
	}
	return n;
}

#define NAME_LONGEST  "an_extraordinarily_long_name_of_a_module_that_is_legal_now"
#define NAME_UNBROKEN "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaammmmmmmmmmmmmmmmmmmmmmmm"
#define FILE_NAME     "a-log-with-a-name-that-nobody-would-give-it-2026-11-30.log"

static void texts_inside(void **state)
{
	static const uint64_t counts[] = { 1, 1536, 9999999 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts) * 2; i++) {
		struct tally *t = tally_new();
		struct log log = { 0 };
		struct side side = { FILE_NAME, &log, t }, sides[2] = { side, side };
		_cleanup_free_ char *svg = NULL;
		uint64_t count = counts[i / 2];

		assert_non_null(t);
		add_module(t, "acpi_cpufreq", count);
		add_module(t, NAME_LONGEST, count);
		add_module(t, NAME_UNBROKEN, count);
		/* Rows that are not drawn. */
		for (int k = 0; k < 100; k++) {
			char name[16];

			(void)snprintf(name, sizeof(name), "m%d", k);
			add_module(t, name, 1);
		}
		memset(t->linux_release, 'W', 100);
		t->lost = 5;
		t->startup = (struct tally_startup){ .is_there = true,
						     .kernel = 1000000,
						     .userspace = count * 1000 };
		svg = draw(sides, 1 + i % 2);
		assert_non_null(strstr(svg, "79 further modules not drawn"));
		assert_true(check_texts(svg) > 24);
		tally_free(t);
	}
}

/* Between two outcomes a line ends, never within one. */
static void broken_words(void **state)
{
	struct tally *t = tally_new();
	struct log log = { 0 };
	struct side side = { "", &log, t };
	_cleanup_free_ char *svg = NULL;

	(void)state;
	assert_non_null(t);
	add_module(t, "acpi_cpufreq", 9999999);
	svg = draw(&side, 1);
	assert_non_null(strstr(svg, ">9,999,999 inserted,</text>"));
	assert_non_null(strstr(svg, ">9,999,999 no such device,</text>"));
	assert_non_null(strstr(svg, ">9,999,999 denied</text>"));
	assert_null(strstr(svg, "not drawn"));
	tally_free(t);
}

static void breaks(void **state)
{
	static const struct {
		const char *text;
		char behind;
		double room;
		const char *lines[4];
	} cases[] = {
		{ "a b c", ' ', 1000, { "a b c" } },
		{ "nnnn nnnn nnnn", ' ', 70, { "nnnn nnnn", "nnnn" } },
		{ "1,000 nn, 2 nn", ',', 70, { "1,000 nn,", "2 nn" } },
		{ "nnnn_nnnn", '_', 50, { "nnnn_", "nnnn" } },
		{ "nnnnnnnn", '_', 30, { "nnnn", "nnnn" } },
		{ "n", ' ', 0, { "n" } },
		{ "", ' ', 10, { NULL } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct svg_line lines[SVG_LINES_MAX];
		size_t n = svg_break(cases[i].text, 10, cases[i].room, cases[i].behind, lines), k;

		print_message("%s\n", cases[i].text);
		for (k = 0; k < n && cases[i].lines[k]; k++) {
			assert_int_equal(lines[k].len, strlen(cases[i].lines[k]));
			assert_memory_equal(lines[k].text, cases[i].lines[k], lines[k].len);
		}
		assert_int_equal(k, n);
		assert_null(cases[i].lines[n]);
	}
}

/* Names of files come from outside. */
static void escaped(void **state)
{
	struct tally *t = tally_new();
	struct log log = { 0 };
	struct side side = { "/x/<b>&\033.log", &log, t };
	_cleanup_free_ char *svg = NULL;

	(void)state;
	assert_non_null(t);
	add_module(t, "a", 1);
	svg = draw(&side, 1);
	assert_non_null(strstr(svg, ">&lt;b&gt;&amp;?.log, kernel not known: "));
	tally_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_inside),
		cmocka_unit_test(broken_words),
		cmocka_unit_test(breaks),
		cmocka_unit_test(escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
