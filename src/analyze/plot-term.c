// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "numbers.h"
#include "plot.h"

#define NAME_WIDTH 22U
#define WORD_WIDTH 34U

static const char *const blocks[] = { " ",      "\u2581", "\u2582", "\u2583", "\u2584",
				      "\u2585", "\u2586", "\u2587", "\u2588" };
static const char *const ascii[] = { " ", ".", ".", ":", "-", "=", "+", "*", "#" };
/* As in the SVG: blue, yellow, magenta, and the terminal's own. */
static const char *const colors[CLASS_COUNT] = { "\033[34m", "\033[33m", "\033[35m", "\033[1m" };

static size_t columns_of(unsigned int width)
{
	size_t columns =
		width > NAME_WIDTH + WORD_WIDTH + 20 ? width - NAME_WIDTH - WORD_WIDTH - 2 : 20;

	return columns < PLOT_COLUMNS_MAX ? columns : PLOT_COLUMNS_MAX;
}

static void print_row(FILE *out, const struct plot *plot, size_t panel, size_t row, size_t columns,
		      uint64_t most, bool has_blocks, bool has_color)
{
	uint64_t counts[CLASS_COUNT][PLOT_COLUMNS_MAX];
	_cleanup_free_ char *words = plot_row_words(&plot->panels[panel], row);

	(void)plot_columns(plot, panel, row, columns, counts);
	fprintf(out, "%*.*s ", (int)NAME_WIDTH, (int)NAME_WIDTH, plot->names[row]);
	for (size_t i = 0; i < columns; i++) {
		unsigned int main_class = 0;
		uint64_t sum = 0;
		size_t level;

		for (unsigned int c = 0; c < CLASS_COUNT; c++) {
			sum += counts[c][i];
			if (counts[c][i] > counts[main_class][i])
				main_class = c;
		}
		/* A single attempt shows, however many there are elsewhere. */
		level = (size_t)((sum * 8 + most - 1) / most);
		if (has_color && sum)
			fprintf(out, "%s%s\033[0m", colors[main_class],
				(has_blocks ? blocks : ascii)[level]);
		else
			fputs((has_blocks ? blocks : ascii)[level], out);
	}
	fprintf(out, " %s\n", words ? words : "");
}

/* kernel----|initrd--|userspace----------| on the scale of the rows. */
static void print_phases(FILE *out, const struct plot *plot, const struct plot_panel *panel,
			 size_t columns)
{
	char line[PLOT_COLUMNS_MAX + 1];

	if (!panel->phase_count)
		return;
	memset(line, ' ', columns);
	line[columns] = '\0';
	for (size_t i = 0; i < panel->phase_count; i++) {
		const struct plot_phase *p = &panel->phases[i];
		size_t begin = (size_t)((double)p->begin / (double)plot->end * (double)columns);
		size_t end = (size_t)((double)p->end / (double)plot->end * (double)columns);
		size_t len = strlen(p->name);

		if (end > columns)
			end = columns;
		for (size_t k = begin; k < end; k++)
			line[k] = k + 1 == end ? '|' : '-';
		if (len + 1 < end - begin)
			memcpy(line + begin, p->name, len);
	}
	fprintf(out, "%*s %s\n", (int)NAME_WIDTH, "", line);
}

static void print_axis(FILE *out, const struct plot *plot, size_t columns)
{
	uint64_t tick = plot_tick(plot->end, (unsigned int)columns / 10);
	char line[PLOT_COLUMNS_MAX + 1];

	memset(line, ' ', columns);
	line[columns] = '\0';
	for (uint64_t at = 0; at <= plot->end; at += tick) {
		size_t column = (size_t)((double)at / (double)plot->end * (double)columns);
		char label[48];
		int len = tick >= 1000000 ? snprintf(label, sizeof(label), "%llus",
						     (unsigned long long)(at / 1000000)) :
					    snprintf(label, sizeof(label), "%ss",
						     number_plain_seconds(at).text);

		if (len > 0 && column + (size_t)len <= columns)
			memcpy(line + column, label, (size_t)len);
	}
	fprintf(out, "%*s %s\n", (int)NAME_WIDTH, "", line);
}

void plot_terminal(FILE *out, const struct plot *plot, unsigned int width, bool has_blocks,
		   bool has_color)
{
	uint64_t counts[CLASS_COUNT][PLOT_COLUMNS_MAX], most = 1;
	size_t columns = columns_of(width);

	for (size_t p = 0; p < plot->panel_count; p++) {
		for (size_t i = 0; i < plot->row_count; i++) {
			uint64_t here = plot_columns(plot, p, i, columns, counts);

			most = here > most ? here : most;
		}
	}
	for (size_t p = 0; p < plot->panel_count; p++) {
		const struct plot_panel *panel = &plot->panels[p];

		fprintf(out, "%s%s\n", p ? "\n" : "", panel->side->name);
		print_phases(out, plot, panel, columns);
		for (size_t i = 0; i < plot->row_count; i++)
			print_row(out, plot, p, i, columns, most, has_blocks, has_color);
		print_axis(out, plot, columns);
	}
	fprintf(out, "\nFull height is %s in %s.\n", number_of(most, "attempt").text,
		number_seconds(plot->end / columns).text);
	if (has_color)
		for (unsigned int c = 0; c < CLASS_COUNT; c++)
			fprintf(out, "%s%s\033[0m%s", colors[c],
				plot_class_word((enum outcome_class)c),
				c + 1 < CLASS_COUNT ? ", " : "\n");
	if (plot->rows_left_out)
		fprintf(out, "%s not drawn.\n",
			number_of(plot->rows_left_out, "further module").text);
}
