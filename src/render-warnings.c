// SPDX-License-Identifier: GPL-2.0-or-later
#include "render.h"
#include "words.h"

void render_setting(FILE *out, const struct setting *s)
{
	if (s->file)
		fprintf(out, "/%s:%u: %s", s->file, s->line, s->text);
	else
		fprintf(out, "kernel command line: %s", s->text);
}

void render_warnings(FILE *out, const struct facts *facts, const struct decision *d)
{
	const char *forced = words_forced(d);

	for (size_t i = 0; i < facts->settings.count; i++) {
		const struct setting *s = &facts->settings.all[i];

		if (!s->expected)
			continue;
		fputs("cpufreq-resolve: ", out);
		render_setting(out, s);
		fprintf(out, ": not understood, expected %s; ignoring\n", s->expected);
	}
	if (forced)
		fprintf(out, "cpufreq-resolve: driver=%s %s\n", facts->settings.driver, forced);
}
