// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "numbers.h"
#include "plot.h"
#include "svg-text.h"

#define WIDTH   1000U
#define LEFT    190U /* where the time axis begins */
#define RIGHT   790U /* ... and ends */
#define PITCH   5U   /* of the columns of marks */
#define COLUMNS ((RIGHT - LEFT) / PITCH)
#define MARK    4U /* their side */
#define STACK   8U /* marks in a column at most; beyond that one mark is several attempts */
#define ROW     (STACK * PITCH + 8)
#define MARGIN  12U
#define WORDS   (RIGHT + 10) /* where the words at the end of a row begin */
#define LINE    14U          /* from one line of text to the next */
#define TITLE   19U          /* the same in a title */
#define HEAD    27U          /* of a panel, below its title: phases */
#define FOOT    30U          /* the axis */
#define LEGEND  54U

static unsigned int x_of(const struct plot *plot, uint64_t time)
{
	double at = (double)time / (double)plot->end;

	return LEFT + (unsigned int)((at > 1 ? 1 : at) * (RIGHT - LEFT) + 0.5);
}

/* One mark as a piece of a path: whole, hollow, the lower half, or a thin upright. */
static void put_mark(FILE *out, enum outcome_class class, unsigned int x, unsigned int y)
{
	switch (class) {
	case CLASS_NODEV:
		fprintf(out, "M%u.5 %u.5h3v3h-3z", x, y);
		break;
	case CLASS_BUSY:
		fprintf(out, "M%u %uh4l-2 4z", x, y);
		break;
	case CLASS_OTHER:
		fprintf(out, "M%u %uh2v4h-2z", x + 1, y);
		break;
	default:
		fprintf(out, "M%u %uh4v4h-4z", x, y);
		break;
	}
}

static void put_row(FILE *out, const struct plot *plot, size_t panel, size_t row, unsigned int base,
		    uint64_t unit)
{
	uint64_t counts[CLASS_COUNT][PLOT_COLUMNS_MAX];
	unsigned int heights[COLUMNS] = { 0 };

	if (!plot_columns(plot, panel, row, COLUMNS, counts))
		return;
	for (unsigned int c = 0; c < CLASS_COUNT; c++) {
		bool is_begun = false;

		for (unsigned int i = 0; i < COLUMNS; i++) {
			/* Rounded up: a single attempt is never invisible. */
			uint64_t marks = (counts[c][i] + unit - 1) / unit;

			for (; marks && heights[i] < STACK + CLASS_COUNT; marks--, heights[i]++) {
				if (!is_begun)
					fprintf(out, "<path class=\"c%u\" d=\"", c);
				is_begun = true;
				put_mark(out, (enum outcome_class)c, LEFT + i * PITCH,
					 base - (heights[i] + 1) * PITCH);
			}
		}
		if (is_begun)
			fputs("\"/>\n", out);
	}
}

static void put_phases(FILE *out, const struct plot *plot, const struct plot_panel *panel,
		       unsigned int top, unsigned int bottom)
{
	for (size_t i = 0; i < panel->phase_count; i++) {
		const struct plot_phase *p = &panel->phases[i];
		unsigned int begin = x_of(plot, p->begin), end = x_of(plot, p->end);
		unsigned int width = end - begin;

		fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" class=\"%c\"/>\n",
			begin, top, width, bottom - top, i % 2 ? 'b' : 'a');
		/* A phase that is too narrow for its name goes without. */
		if (width > 8 * strlen(p->name))
			svg_put(out, begin + width / 2, top - 5, "s m", p->name);
	}
}

static void put_axis(FILE *out, const struct plot *plot, unsigned int top, unsigned int bottom)
{
	uint64_t tick = plot_tick(plot->end, 10);

	for (uint64_t at = 0; at <= plot->end; at += tick) {
		unsigned int x = x_of(plot, at);
		char label[48];

		fprintf(out, "<path class=\"g\" d=\"M%u.5 %uV%u\"/>\n", x, top, bottom + 4);
		if (tick >= 1000000)
			(void)snprintf(label, sizeof(label), "%llu s",
				       (unsigned long long)(at / 1000000));
		else
			(void)snprintf(label, sizeof(label), "%s", number_seconds(at).text);
		svg_put(out, x, bottom + 18, "s m", label);
	}
}

/* Returns where it ends. */
static unsigned int put_title(FILE *out, const struct plot *plot, size_t index, unsigned int y)
{
	const struct plot_panel *panel = &plot->panels[index];
	const struct tally *t = panel->side->tally;
	const char *slash = strrchr(panel->side->name, '/');
	const char *file = slash ? slash + 1 : panel->side->name;
	const char *name = plot->panel_count == 1 ? file : index ? "After" : "Before";
	struct svg_line lines[SVG_LINES_MAX];
	char text[400];
	struct storm storm;
	size_t n;

	report_storm(t, &storm);
	(void)snprintf(text, sizeof(text),
		       "%.60s%skernel %s: %s attempts at modules tried more than once%s", name,
		       name[0] ? ", " : "", t->linux_release[0] ? t->linux_release : "not known",
		       t->udev_debug ? number_count(storm.attempts).text : "an unknown number of",
		       t->lost || t->lost_unknown ? " (messages are missing)" : "");
	n = svg_break(text, SVG_TITLE_SIZE, WIDTH - 2 * MARGIN, ' ', lines);
	for (size_t i = 0; i < n; i++, y += TITLE)
		if (out)
			svg_put_line(out, MARGIN, y + 18, "t", lines[i]);
	return y;
}

/* What stands before and behind a row's marks, in lines. */
struct row_words {
	struct svg_line names[SVG_LINES_MAX], words[SVG_LINES_MAX];
	size_t name_count, word_count;
	char *text; /* to be freed */
};

static void break_row(const struct plot_panel *panel, const char *name, size_t row,
		      struct row_words *ret)
{
	ret->text = plot_row_words(panel, row);
	ret->name_count = svg_break(name, SVG_NAME_SIZE, LEFT - 10 - MARGIN, '_', ret->names);
	ret->word_count = svg_break(ret->text ? ret->text : "", SVG_WORD_SIZE, WIDTH - WORDS, ',',
				    ret->words);
}

/* The same in both panels, so that rows of one height are compared. */
static unsigned int row_height(const struct plot *plot, size_t row)
{
	size_t most = 0;

	for (size_t p = 0; p < plot->panel_count; p++) {
		struct row_words words;

		break_row(&plot->panels[p], plot->names[row], row, &words);
		most = words.name_count > most ? words.name_count : most;
		most = words.word_count > most ? words.word_count : most;
		free(words.text);
	}
	return most * LINE + 6 > ROW ? (unsigned int)most * LINE + 6 : ROW;
}

static unsigned int rows_height(const struct plot *plot)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < plot->row_count; i++)
		sum += row_height(plot, i);
	return sum;
}

/* Lines of text around the middle of a row. */
static void put_lines(FILE *out, unsigned int x, unsigned int middle, const char *class,
		      const struct svg_line *lines, size_t n)
{
	unsigned int y = middle + 5 - (unsigned int)(n ? n - 1 : 0) * LINE / 2;

	for (size_t i = 0; i < n; i++, y += LINE)
		svg_put_line(out, x, y, class, lines[i]);
}

static unsigned int put_panel(FILE *out, const struct plot *plot, size_t index, unsigned int top,
			      uint64_t unit)
{
	const struct plot_panel *panel = &plot->panels[index];
	unsigned int first = put_title(out, plot, index, top) + HEAD, base = first;
	unsigned int bottom = first + rows_height(plot);
	const struct tally_startup *s = &panel->side->tally->startup;

	put_phases(out, plot, panel, first, bottom);
	put_axis(out, plot, first, bottom);
	for (size_t i = 0; i < plot->row_count; i++) {
		unsigned int height = row_height(plot, i), middle = base + height / 2;
		struct row_words words;

		base += height;
		break_row(panel, plot->names[i], i, &words);
		fprintf(out, "<path class=\"g\" d=\"M%u %u.5H%u\"/>\n", LEFT, base - 1, RIGHT);
		put_lines(out, LEFT - 10, middle, "e", words.names, words.name_count);
		put_lines(out, WORDS, middle, "s", words.words, words.word_count);
		put_row(out, plot, index, i, base - 3, unit);
		free(words.text);
	}
	if (s->is_there && panel->phase_count) {
		unsigned int x = x_of(plot, s->kernel + s->initrd + s->userspace);
		char finished[64];

		fprintf(out, "<path class=\"x\" d=\"M%u %uV%u\"/>\n", x, first - 18, bottom);
		(void)snprintf(finished, sizeof(finished), "finished, %s",
			       number_seconds(s->kernel + s->initrd + s->userspace).text);
		svg_put(out, x + 6, first - 5, "s", finished);
	}
	return bottom + FOOT;
}

static void put_legend(FILE *out, const struct plot *plot, unsigned int y, uint64_t unit)
{
	unsigned int x = LEFT;
	char text[160];

	for (unsigned int c = 0; c < CLASS_COUNT; c++) {
		static const unsigned int widths[CLASS_COUNT] = { 200, 120, 60, 110 };
		const char *word = c == CLASS_INSERTED ? "inserted (loaded or -EEXIST)" :
							 plot_class_word((enum outcome_class)c);

		fprintf(out,
			"<g transform=\"translate(%u %u) scale(2.5)\"><path class=\"c%u\" d=\"", x,
			y - 9, c);
		put_mark(out, (enum outcome_class)c, 0, 0);
		fputs("\"/></g>\n", out);
		svg_put(out, x + 16, y, "s", word);
		x += widths[c];
	}
	(void)snprintf(text, sizeof(text), "one mark is %s%s; time since the start of the kernel",
		       unit > 1 ? "up to " : "", number_of(unit, "attempt").text);
	svg_put(out, LEFT, y + 20, "s", text);
	if (!plot->rows_left_out)
		return;
	(void)snprintf(text, sizeof(text), "%s not drawn",
		       number_of(plot->rows_left_out, "further module").text);
	svg_put(out, LEFT, y + 38, "s", text);
}

void plot_svg(FILE *out, const struct plot *plot)
{
	unsigned int height = LEGEND + 8 + (plot->rows_left_out ? 18 : 0), y = 0;
	uint64_t most = 1, unit;

	for (size_t p = 0; p < plot->panel_count; p++) {
		height += put_title(NULL, plot, p, 0) + HEAD + rows_height(plot) + FOOT;
		for (size_t i = 0; i < plot->row_count; i++) {
			uint64_t counts[CLASS_COUNT][PLOT_COLUMNS_MAX];
			uint64_t here = plot_columns(plot, p, i, COLUMNS, counts);

			most = here > most ? here : most;
		}
	}
	unit = (most + STACK - 1) / STACK;
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 "
		"0 %u %u\" "
		"role=\"img\">\n<title>Module load attempts of a boot, by module and "
		"outcome</title>\n"
		"<style>%s</style>\n<rect class=\"p\" width=\"%u\" height=\"%u\"/>\n",
		WIDTH, height, WIDTH, height, svg_style, WIDTH, height);
	for (size_t p = 0; p < plot->panel_count; p++)
		y = put_panel(out, plot, p, y, unit);
	put_legend(out, plot, y + 20, unit);
	fputs("</svg>\n", out);
}
