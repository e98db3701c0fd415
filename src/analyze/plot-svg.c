// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "numbers.h"
#include "plot.h"

#define WIDTH   1000U
#define LEFT    190U /* where the time axis begins */
#define RIGHT   790U /* ... and ends */
#define PITCH   5U   /* of the columns of marks */
#define COLUMNS ((RIGHT - LEFT) / PITCH)
#define MARK    4U /* their side */
#define STACK   8U /* marks in a column at most; beyond that one mark is several attempts */
#define ROW     (STACK * PITCH + 8)
#define HEAD    46U /* of a panel: title and phases */
#define FOOT    30U /* the axis */
#define LEGEND  54U

/*
 * Okabe and Ito's colours, which readers with any kind of colour vision tell apart, in an order
 * that also differs in grey; hollow and half marks for those who print. What ended how is in words
 * at the end of each row too. No var(): librsvg, Inkscape and what prints with them know none, and
 * paint all of it black.
 */
#define COLOURS(paper, ink, soft, line, odd, even, c0, c1, c2, c3)                                 \
	".p{fill:" paper "}text{fill:" ink "}.s{fill:" soft "}.g{stroke:" line "}.x{stroke:" ink   \
	"}.a{fill:" odd "}.b{fill:" even "}.c0{fill:" c0 "}.c1{stroke:" c1 "}.c2{fill:" c2         \
	"}.c3{fill:" c3 "}"

static const char style[] =
	"text{font:13px system-ui,sans-serif}.t{font-size:15px;font-weight:600}.s{font-size:12px}"
	".e{text-anchor:end}.m{text-anchor:middle}.x{stroke-dasharray:3 3}"
	".c1{fill:none;stroke-width:1}" COLOURS(
		"#fff", "#1a1a1a", "#5c5c5c", "#d0d0d0", "#eef2f6", "#e0e8ef", "#0072b2", "#b36b00",
		"#cc5490",
		"#1a1a1a") "@media (prefers-color-scheme:dark){" COLOURS("#16181b", "#e8e8e8",
									 "#a8a8a8", "#3c4046",
									 "#1e2226", "#262c32",
									 "#56b4e9", "#e69f00",
									 "#e58fb9",
									 "#f5f5f5") "}"
										    "@media "
										    "print"
										    "{" COLOURS(
											    "#fff",
											    "#000",
											    "#444",
											    "#bbb",
											    "#f4f4f"
											    "4",
											    "#e8e8e"
											    "8",
											    "#0072b"
											    "2",
											    "#b36b0"
											    "0",
											    "#cc549"
											    "0",
											    "#000") "}";

static void put_escaped(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '&')
			fputs("&amp;", out);
		else if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '>')
			fputs("&gt;", out);
		else if (*s < ' ' || *s > '~')
			fputc('?', out);
		else
			fputc(*s, out);
	}
}

static void put_text(FILE *out, unsigned int x, unsigned int y, const char *class, const char *text)
{
	fprintf(out, "<text x=\"%u\" y=\"%u\"%s%s%s>", x, y, *class ? " class=\"" : "", class,
		*class ? "\"" : "");
	put_escaped(out, text);
	fputs("</text>\n", out);
}

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
			put_text(out, begin + width / 2, top - 5, "s m", p->name);
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
		put_text(out, x, bottom + 18, "s m", label);
	}
}

static void put_title(FILE *out, const struct plot *plot, size_t index, unsigned int y)
{
	const struct plot_panel *panel = &plot->panels[index];
	const struct tally *t = panel->side->tally;
	const char *slash = strrchr(panel->side->name, '/');
	const char *file = slash ? slash + 1 : panel->side->name;
	const char *name = plot->panel_count == 1 ? file : index ? "After" : "Before";
	char text[400];
	struct storm storm;

	report_storm(t, &storm);
	(void)snprintf(text, sizeof(text),
		       "%.60s%skernel %s: %s attempts at modules tried more than once%s", name,
		       name[0] ? ", " : "", t->linux_release[0] ? t->linux_release : "not known",
		       t->udev_debug ? number_count(storm.attempts).text : "an unknown number of",
		       t->lost || t->lost_unknown ? " (messages are missing)" : "");
	put_text(out, 12, y, "t", text);
}

static unsigned int put_panel(FILE *out, const struct plot *plot, size_t index, unsigned int top,
			      uint64_t unit)
{
	const struct plot_panel *panel = &plot->panels[index];
	unsigned int first = top + HEAD, bottom = first + (unsigned int)plot->row_count * ROW;
	const struct tally_startup *s = &panel->side->tally->startup;

	put_title(out, plot, index, top + 18);
	put_phases(out, plot, panel, first, bottom);
	put_axis(out, plot, first, bottom);
	for (size_t i = 0; i < plot->row_count; i++) {
		unsigned int base = first + (unsigned int)(i + 1) * ROW - 3;
		_cleanup_free_ char *words = plot_row_words(panel, i);

		fprintf(out, "<path class=\"g\" d=\"M%u %u.5H%u\"/>\n", LEFT, base + 2, RIGHT);
		put_text(out, LEFT - 10, base - ROW / 2 + 8, "e", plot->names[i]);
		put_text(out, RIGHT + 10, base - ROW / 2 + 8, "s", words ? words : "");
		put_row(out, plot, index, i, base, unit);
	}
	if (s->is_there && panel->phase_count) {
		unsigned int x = x_of(plot, s->kernel + s->initrd + s->userspace);
		char finished[64];

		fprintf(out, "<path class=\"x\" d=\"M%u %uV%u\"/>\n", x, first - 18, bottom);
		(void)snprintf(finished, sizeof(finished), "finished, %s",
			       number_seconds(s->kernel + s->initrd + s->userspace).text);
		put_text(out, x + 6, first - 5, "s", finished);
	}
	return bottom + FOOT;
}

static void put_legend(FILE *out, unsigned int y, uint64_t unit)
{
	unsigned int x = LEFT;
	char text[120];

	for (unsigned int c = 0; c < CLASS_COUNT; c++) {
		static const unsigned int widths[CLASS_COUNT] = { 200, 120, 60, 110 };
		const char *word = c == CLASS_INSERTED ? "inserted (loaded or -EEXIST)" :
							 plot_class_word((enum outcome_class)c);

		fprintf(out,
			"<g transform=\"translate(%u %u) scale(2.5)\"><path class=\"c%u\" d=\"", x,
			y - 9, c);
		put_mark(out, (enum outcome_class)c, 0, 0);
		fputs("\"/></g>\n", out);
		put_text(out, x + 16, y, "s", word);
		x += widths[c];
	}
	(void)snprintf(text, sizeof(text), "one mark is %s%s; time since the start of the kernel",
		       unit > 1 ? "up to " : "", number_of(unit, "attempt").text);
	put_text(out, LEFT, y + 20, "s", text);
}

void plot_svg(FILE *out, const struct plot *plot)
{
	unsigned int height = LEGEND + 8, y = 0;
	uint64_t most = 1, unit;

	for (size_t p = 0; p < plot->panel_count; p++) {
		height += HEAD + (unsigned int)plot->row_count * ROW + FOOT;
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
		WIDTH, height, WIDTH, height, style, WIDTH, height);
	for (size_t p = 0; p < plot->panel_count; p++)
		y = put_panel(out, plot, p, y, unit);
	put_legend(out, y + 20, unit);
	if (plot->rows_left_out) {
		char text[80];

		(void)snprintf(text, sizeof(text), "%s not drawn",
			       number_of(plot->rows_left_out, "further module").text);
		put_text(out, RIGHT + 10, y + 20, "s", text);
	}
	fputs("</svg>\n", out);
}
