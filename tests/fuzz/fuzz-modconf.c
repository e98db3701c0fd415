// SPDX-License-Identifier: GPL-2.0-or-later
#include "fuzz.h"
#include "modconf.h"
#include "render.h"
#include "settings.h"

#define FOUND_MAX 64

static void render(struct facts *facts)
{
	struct decision d = { .in_charge = 2, .governor_of = 2 };
	_cleanup_free_ char *lines = NULL;

	for (size_t i = 0; i < driver_count; i++)
		d.rows[i].order = i != 2;
	facts->modules[2].is_present = true;
	lines = render_conf(facts, &d, true);
	must(lines);
}

static void parse(char *text, bool load_list)
{
	struct facts facts = { 0 };
	unsigned int line = 0;
	bool has_softdep = false;

	must(modconf_parse(&facts.conf, text, "etc/modprobe.d/fuzz.conf", load_list) == 0);
	for (size_t i = 0; i < facts.conf.count; i++) {
		const struct modconf_entry *e = &facts.conf.entries[i];

		must(*e->name && !strchr(e->name, '\n') && !strchr(e->value, '\n'));
		must(e->line > line);
		line = e->line;
		has_softdep |= e->kind == MODCONF_SOFTDEP;
		if (i < FOUND_MAX) /* it walks all that stands before */
			(void)modconf_find(&facts.conf, e->kind, e->name);
	}
	settings_load(&facts.conf, &facts.cmdline, &facts.settings);
	/* Only the softdep lines of others are repeated; without any the text is always the same.
	 */
	if (has_softdep)
		render(&facts);
	facts_free(&facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the parser owns the text */
	parse(fuzz_text(data, size), false);
	parse(fuzz_text(data, size), true);
	return 0;
}
