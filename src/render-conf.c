// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "config.h"
#include "memtext.h"
#include "render.h"
#include "util.h"
#include "words.h"

/* The words of a softdep line's part: pre: or post:. */
static void print_part(FILE *out, const char *line, const char *part)
{
	const char *other = strcmp(part, "pre:") == 0 ? "post:" : "pre:";
	bool is_ours = false;
	char word[128];

	while (*(line += strspn(line, " \t"))) {
		size_t len = strcspn(line, " \t");

		str_copy(word, len + 1 < sizeof(word) ? len + 1 : sizeof(word), line);
		line += len;
		if (strcmp(word, part) == 0)
			is_ours = true;
		else if (strcmp(word, other) == 0)
			is_ours = false;
		else if (is_ours)
			fprintf(out, " %s", word);
	}
}

/* @pre and @post: what we add to what is there already, NULL for nothing. */
static void print_softdep(FILE *out, const struct facts *facts, const char *module, const char *pre,
			  const char *post)
{
	const struct modconf_entry *e = modconf_find(&facts->conf, MODCONF_SOFTDEP, module);
	const char *old = e ? e->value : "";

	if (e && strcmp(e->base, MODCONF_BOOT_NAME) < 0)
		fprintf(out, "# without effect: /%s:%u has a softdep of %s and is read first\n",
			e->file, e->line, module);
	fprintf(out, "softdep %s", module);
	if (pre || strstr(old, "pre:")) {
		fprintf(out, " pre:%s%s", pre ? " " : "", pre ? pre : "");
		print_part(out, old, "pre:");
	}
	if (post || strstr(old, "post:")) {
		fprintf(out, " post:%s%s", post ? " " : "", post ? post : "");
		print_part(out, old, "post:");
	}
	fputc('\n', out);
}

static void print_lines(FILE *out, const struct facts *facts, const struct decision *d,
			bool governor_exists)
{
	char governor[sizeof(facts->governor) + sizeof("cpufreq_")];
	int winner = d->governor_of;

	for (size_t i = 0; i < driver_count; i++) {
		if (d->rows[i].deny)
			fprintf(out, "blacklist %s\n", drivers[i].name);
		else if (d->rows[i].order)
			print_softdep(out, facts, drivers[i].name, drivers[d->in_charge].name,
				      NULL);
	}
	if (winner < 0 || !governor_exists || !facts->modules[winner].is_present)
		return;
	(void)snprintf(governor, sizeof(governor), "cpufreq_%s", facts->governor);
	print_softdep(out, facts, drivers[winner].name, NULL, governor);
}

char *render_conf(const struct facts *facts, const struct decision *d, bool governor_exists)
{
	_cleanup_free_ char *text = NULL, *reason = words_outcome(facts, d);
	FILE *out;

	if (!reason)
		return NULL;
	out = text_open(&text);
	if (!out)
		return NULL;
	fprintf(out,
		"# Made by cpufreq-resolve %s for this boot only; it is replaced, do not edit.\n"
		"# How to change it: cpufreq-resolve(8). boot %s kernel %s\n# %s.\n",
		VERSION, facts->boot_id, facts->kernel, reason);
	print_lines(out, facts, d, governor_exists);
	return text_end(out, &text) == 0 ? TAKE_PTR(text) : NULL;
}
