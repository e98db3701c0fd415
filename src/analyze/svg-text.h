/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_SVG_TEXT_H
#define CPUFREQ_RESOLVE_SVG_TEXT_H

/* Words and colours in a picture. Whoever shows it has another font, so widths are estimates on the
 * wide side. */

#include <stddef.h>
#include <stdio.h>

#define SVG_LINES_MAX 8

/* Sizes of the font in the style's classes: t, none, s. A title is bold, so wider. */
#define SVG_TITLE_SIZE (15 * 1.1)
#define SVG_NAME_SIZE  13
#define SVG_WORD_SIZE  12

/* Fonts and colours, light, dark and in print. */
extern const char svg_style[];

struct svg_line {
	const char *text;
	size_t len;
};

/**
 * svg_break() - Cut a text into lines
 * @size: of the font, pixels
 * @room: what a line may take, pixels
 * @behind: where a line may end: ' ' before any blank, ',' between a comma and a blank, '_' behind
 * it; one that is too long all the same is cut where the room ends
 * @ret: SVG_LINES_MAX lines, blanks around them left out; they point into @text
 *
 * Return: how many lines; what is beyond SVG_LINES_MAX is left out.
 */
size_t svg_break(const char *text, double size, double room, char behind, struct svg_line *ret);

/** svg_width() - How wide the first @len bytes of a text are at most, pixels. */
double svg_width(const char *text, size_t len, double size);

/** svg_put_line() - A text element; what is no printable ASCII becomes '?'. @class: "" for none */
void svg_put_line(FILE *out, unsigned int x, unsigned int y, const char *class,
		  struct svg_line line);

/** svg_put() - The same, of a string. */
void svg_put(FILE *out, unsigned int x, unsigned int y, const char *class, const char *text);

#endif
