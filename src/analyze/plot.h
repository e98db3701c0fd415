/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_PLOT_H
#define CPUFREQ_RESOLVE_PLOT_H

/* A boot as a time line: one row a module, a mark an attempt, the boot's phases behind. */

#include "report.h"

#define PLOT_ROWS_MAX    24
#define PLOT_COLUMNS_MAX 400
#define PLOT_PHASES_MAX  3

struct plot_phase {
	const char *name;
	uint64_t begin, end; /* since the start of the kernel, microseconds */
};

/* One boot. */
struct plot_panel {
	const struct side *side;
	struct plot_phase phases[PLOT_PHASES_MAX];
	size_t phase_count;
	const struct tally_module *rows[PLOT_ROWS_MAX]; /* NULL: nothing of it in this boot */
};

/* One or two boots on the same scale, row beside row. */
struct plot {
	struct plot_panel panels[2];
	size_t panel_count;
	const char *names[PLOT_ROWS_MAX];
	size_t row_count, rows_left_out;
	uint64_t end; /* of the time axis, microseconds since the start of the kernel */
};

/**
 * plot_prepare() - Choose rows, phases and the time axis
 * @ret: points into the sides' tallies
 *
 * Return: 0; -ENODATA if there is nothing to draw: no attempts, or a log without times; -ENOMEM.
 */
int plot_prepare(const struct side *sides, size_t count, bool all, struct plot *ret) _must_check_;

/**
 * plot_columns() - How many attempts of a row fall into each column
 * @counts: [class][column], cleared first
 *
 * Return: the most in one column, all classes together.
 */
uint64_t plot_columns(const struct plot *plot, size_t panel, size_t row, size_t columns,
		      uint64_t counts[CLASS_COUNT][PLOT_COLUMNS_MAX]);

/** plot_class_word() - How an attempt ended, in a few words. */
const char *plot_class_word(enum outcome_class class);

/** plot_tick() - A round step that cuts the axis into at most @most pieces, microseconds. */
uint64_t plot_tick(uint64_t end, unsigned int most);

/** plot_row_words() - "384 inserted, 2 busy", to be freed; NULL: no memory. */
char *plot_row_words(const struct plot_panel *panel, size_t row);

void plot_svg(FILE *out, const struct plot *plot);

/**
 * plot_terminal() - Draw with block characters
 * @width: of the terminal, in columns
 * @has_blocks: it can show them; otherwise ASCII
 * @has_color: it can show colours, and wants to
 */
void plot_terminal(FILE *out, const struct plot *plot, unsigned int width, bool has_blocks,
		   bool has_color);

#endif
