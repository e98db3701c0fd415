// SPDX-License-Identifier: GPL-2.0-or-later
#include "svg-text.h"

#include <stdbool.h>
#include <string.h>

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

const char svg_style[] =
	"text{font:13px "
	"system-ui,sans-serif}.t{font-size:15px;font-weight:600}.s{font-size:12px}"
	".e{text-anchor:end}.m{text-anchor:middle}.x{stroke-dasharray:3 3}"
	".c1{fill:none;stroke-width:1}" COLOURS(
		"#fff", "#1a1a1a", "#5c5c5c", "#d0d0d0", "#eef2f6", "#e0e8ef", "#0072b2", "#b36b00",
		"#cc5490", "#1a1a1a") "@media "
				      "(prefers-color-scheme:dark)"
				      "{" COLOURS("#16181b", "#e8e8e8", "#a8a8a8", "#3c4046",
						  "#1e2226", "#262c32", "#56b4e9", "#e69f00",
						  "#e58fb9", "#f5f5f5") "}"
									"@media "
									"print"
									"{" COLOURS("#ff"
										    "f",
										    "#00"
										    "0",
										    "#44"
										    "4",
										    "#bb"
										    "b",
										    "#f4f"
										    "4f"
										    "4",
										    "#e8e"
										    "8e"
										    "8",
										    "#007"
										    "2b"
										    "2",
										    "#b36"
										    "b0"
										    "0",
										    "#cc5"
										    "49"
										    "0",
										    "#00"
										    "0") "}";

/* Of a font's size. DejaVu Sans, the widest of the usual ones, measured; bold is a tenth wider. */
static double width_of(char c)
{
	if (strchr("iIjJlfrt|' .,:;!()[]-/", c))
		return 0.42;
	if (strchr("mwMW@%", c))
		return 1.0;
	if ((c >= 'A' && c <= 'Z') || strchr("#&+<=>^~", c))
		return 0.84;
	return 0.65;
}

double svg_width(const char *text, size_t len, double size)
{
	double sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += width_of(text[i]);
	return sum * size;
}

static bool may_end(const char *text, size_t len, char behind)
{
	switch (behind) {
	case ',':
		return text[len - 1] == ',' && text[len] == ' ';
	case '_':
		return text[len - 1] == '_' || text[len - 1] == '-';
	default:
		return text[len] == ' ';
	}
}

size_t svg_break(const char *text, double size, double room, char behind, struct svg_line *ret)
{
	size_t n = 0;

	while (*text && n < SVG_LINES_MAX) {
		size_t len = 1, end = 0;

		for (; text[len] && svg_width(text, len + 1, size) <= room; len++)
			if (may_end(text, len, behind))
				end = len;
		if (text[len] && may_end(text, len, behind))
			end = len;
		if (text[len] && end)
			len = end;
		ret[n++] = (struct svg_line){ text, len };
		text += len;
		text += strspn(text, " ");
	}
	return n;
}

static void put_escaped(FILE *out, struct svg_line line)
{
	for (size_t i = 0; i < line.len; i++) {
		char c = line.text[i];

		if (c == '&')
			fputs("&amp;", out);
		else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c < ' ' || c > '~')
			fputc('?', out);
		else
			fputc(c, out);
	}
}

void svg_put_line(FILE *out, unsigned int x, unsigned int y, const char *class,
		  struct svg_line line)
{
	fprintf(out, "<text x=\"%u\" y=\"%u\"%s%s%s>", x, y, *class ? " class=\"" : "", class,
		*class ? "\"" : "");
	put_escaped(out, line);
	fputs("</text>\n", out);
}

void svg_put(FILE *out, unsigned int x, unsigned int y, const char *class, const char *text)
{
	svg_put_line(out, x, y, class, (struct svg_line){ text, strlen(text) });
}
