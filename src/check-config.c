// SPDX-License-Identifier: GPL-2.0-or-later
#include "check-config.h"

#include <stdarg.h>
#include <string.h>

#include "names.h"
#include "util.h"
#include "words.h"

#define OUR_NAME "cpufreq_resolve"

struct check {
	FILE *out;
	const struct facts *facts;
	const struct decision *decision;
	unsigned int found, notes;
};

enum severity { NOTE, WARNING, ERROR };

static void begin(struct check *c, enum severity severity, const char *file, unsigned int line)
{
	static const char *const texts[] = { "note", "warning", "error" };

	if (severity == NOTE)
		c->notes++;
	else
		c->found++;
	if (file)
		fprintf(c->out, "/%s:%u: %s: ", file, line, texts[severity]);
	else
		fprintf(c->out, "kernel command line: %s: ", texts[severity]);
}

_printf_(4, 5) static void say(struct check *c, enum severity severity,
			       const struct modconf_entry *e, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;
	int r;

	begin(c, severity, e ? e->file : NULL, e ? e->line : 0);
	va_start(args, format);
	r = vasprintf(&text, format, args);
	va_end(args);
	if (r < 0)
		text = NULL;
	else
		str_printable(text);
	fprintf(c->out, "%s\n", text ? text : "");
}

static void check_settings(struct check *c)
{
	const struct settings *s = &c->facts->settings;
	const char *forced = words_forced(c->decision);

	for (size_t i = 0; i < s->count; i++) {
		const struct setting *one = &s->all[i];

		if (!one->expected)
			continue;
		begin(c, ERROR, one->file, one->line);
		fprintf(c->out, "%s: not understood, expected %s\n", one->text, one->expected);
	}
	for (size_t i = s->count; forced && i-- > 0;) {
		const struct setting *one = &s->all[i];

		if (!one->is_used || strncmp(one->text, "driver=", 7) != 0)
			continue;
		begin(c, ERROR, one->file, one->line);
		fprintf(c->out, "%s %s\n", one->text, forced);
		break;
	}
}

/*
 * A name that was meant for us or for one of the table, and hits nothing. Known are the governors
 * as well, and modules beside the drivers (drivers/cpufreq/Makefile).
 */
static bool is_misspelt(const char *name)
{
	static const char *const known[] = {
		OUR_NAME,
		"*[*?[]*",
		"*_cpufreq_*",
		"cpufreq_conservative",
		"cpufreq_dt_platdev",
		"cpufreq_ondemand",
		"cpufreq_performance",
		"cpufreq_powersave",
		"cpufreq_schedutil",
		"cpufreq_stats",
		"cpufreq_userspace",
		"speedstep_lib",
		"intel_pstate*",
		"amd_pstate*",
		"amd_freq_sensitivity",
	};
	static const char *const marks[] = { "*cpufreq*", "*cpufrq*",   "*pstate*",
					     "powernow*", "speedstep*", "*clockmod*" };

	if (driver_find(name) >= 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (name_match(known[i], name))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (name_match(marks[i], name))
			return true;
	return false;
}

/* Is what this denies asked for once at most, by one platform device? */
static bool is_asked_once(const struct module_state *m)
{
	return m->is_present && !(m->offers & OFFER_PER_CPU);
}

static void check_denial(struct check *c, const struct modconf_entry *e, size_t row)
{
	const struct module_state *m = &c->facts->modules[row];
	const char *word = e->kind == MODCONF_INSTALL ? "install" : "blacklist";

	if (c->decision->in_charge == (int)row) {
		if (m->is_builtin || (drivers[row].flags & DRIVER_BUILTIN_ONLY))
			say(c, WARNING, e,
			    "%s %s: it is built in and in charge, no file keeps it off; "
			    "initcall_blacklist=%s on the kernel command line does",
			    word, drivers[row].name, drivers[row].initcall);
		else
			say(c, WARNING, e,
			    "%s %s: denies the driver that is in charge, which was loaded by name "
			    "or "
			    "before this line was written; the next boot may be without a driver",
			    word, drivers[row].name);
	} else if (drivers[row].flags & DRIVER_BUILTIN_ONLY) {
		say(c, WARNING, e,
		    "%s %s: it is never a module, so this does nothing; initcall_blacklist=%s on "
		    "the "
		    "kernel command line keeps it off",
		    word, drivers[row].name, drivers[row].initcall);
	} else if (c->facts->has_index && is_asked_once(m)) {
		say(c, NOTE, e,
		    "%s %s: not needed against repeated loads, this kernel asks for it once at "
		    "most; "
		    "an old workaround can go",
		    word, drivers[row].name);
	} else if (e->kind == MODCONF_BLACKLIST && c->decision->in_charge >= 0 &&
		   c->facts->settings.is_enabled) {
		say(c, NOTE, e,
		    "%s %s: not needed against repeated loads, cpufreq-resolve denies it in each "
		    "boot "
		    "in which another driver is in charge; an old workaround can go",
		    word, drivers[row].name);
	}
}

static void check_load(struct check *c, const struct modconf_entry *e, size_t row)
{
	const struct module_state *m = &c->facts->modules[row];
	const char *name = drivers[row].name;

	if (m->denied_by)
		say(c, ERROR, e,
		    "%s is to be loaded here and denied by /%s:%u; systemd-modules-load obeys the "
		    "denial",
		    name, m->denied_by->file, m->denied_by->line);
	else if (drivers[row].flags & DRIVER_BUILTIN_ONLY)
		say(c, WARNING, e, "%s is never a module; take the line out", name);
	else if (c->facts->has_index && !m->is_present && !m->is_builtin)
		say(c, WARNING, e, "this kernel has no module %s; take the line out", name);
	else if (driver_find("p4_clockmod") == (int)row)
		say(c, WARNING, e,
		    "p4_clockmod halts the clock and saves no power; take the line out");
	else if (c->facts->scaling_driver[0] && c->decision->in_charge != (int)row)
		say(c, WARNING, e,
		    "%s is asked for in each boot in vain: %s is in charge; take the line out",
		    name, c->facts->scaling_driver);
}

/* kmod passes over a line whose first word it does not know; of those we mind what speaks of us. */
static void check_unknown(struct check *c, const struct modconf_entry *e)
{
	if (name_equal(e->name, OUR_NAME) || driver_find(e->name) >= 0 || is_misspelt(e->name))
		say(c, ERROR, e,
		    "%s %s: no word of modprobe.d, so the line does nothing; expected alias, "
		    "blacklist, install, options or softdep",
		    e->value, e->name);
}

static void check_entry(struct check *c, const struct modconf_entry *e)
{
	static const char *const words[] = {
		[MODCONF_ALIAS] = "alias",     [MODCONF_BLACKLIST] = "blacklist",
		[MODCONF_INSTALL] = "install", [MODCONF_OPTIONS] = "options",
		[MODCONF_SOFTDEP] = "softdep", [MODCONF_LOAD] = "modules-load.d",
	};
	const char *name = e->kind == MODCONF_ALIAS ? e->value : e->name;

	if (e->kind == MODCONF_UNKNOWN) {
		check_unknown(c, e);
		return;
	}
	if (is_misspelt(name)) {
		say(c, ERROR, e, "%s %s: neither a cpufreq driver nor " OUR_NAME " has that name",
		    words[e->kind], name);
		return;
	}
	if (name_equal(name, OUR_NAME) && e->kind != MODCONF_OPTIONS)
		say(c, ERROR, e,
		    "%s " OUR_NAME ": it is no module, only `options " OUR_NAME " KEY=VALUE` means "
		    "something",
		    words[e->kind]);
	for (size_t i = 0; i < driver_count; i++) {
		if (!name_match(name, drivers[i].name))
			continue;
		if (e->kind == MODCONF_BLACKLIST || e->kind == MODCONF_INSTALL)
			check_denial(c, e, i);
		else if (e->kind == MODCONF_LOAD)
			check_load(c, e, i);
		else if (e->kind == MODCONF_OPTIONS && (drivers[i].flags & DRIVER_BUILTIN_ONLY))
			say(c, WARNING, e,
			    "options %s: built in, reads no options from here; write %s=... on the "
			    "kernel command line",
			    drivers[i].name, drivers[i].name);
	}
}

/* Denials that the kernel compares letter by letter: a dash there hits no module. */
static void check_dashes(struct check *c)
{
	const struct cmdline *line = &c->facts->cmdline;

	for (size_t i = 0; i < driver_count; i++)
		if (cmdline_lists(line, "module_blacklist", drivers[i].name) &&
		    !cmdline_kernel_lists(line, "module_blacklist", drivers[i].name, false))
			say(c, ERROR, NULL,
			    "module_blacklist=: the kernel wants %s with underscores, so nothing "
			    "is "
			    "denied",
			    drivers[i].name);
}

/* initcall_blacklist=acpi_cpufreq_init made room for amd_pstate, up to 6.0. */
static void check_cmdline(struct check *c)
{
	const struct facts *facts = c->facts;
	bool has_word = cmdline_kernel_lists(&facts->cmdline, "initcall_blacklist",
					     "acpi_cpufreq_init", false);

	if (has_word && facts->version.is_known && facts->version.number >= 6001000U)
		say(c, NOTE, NULL,
		    "initcall_blacklist=acpi_cpufreq_init: amd_pstate comes first without it since "
		    "Linux 6.1; an old workaround can go");
}

static void check_image(struct check *c)
{
	char ours[sizeof(c->facts->image_conf)];

	if (c->facts->stage != STAGE_HOST || !c->facts->image_conf[0])
		return;
	(void)snprintf(ours, sizeof(ours), "%016llx", facts_conf_digest(c->facts));
	if (strcmp(ours, c->facts->image_conf) == 0)
		return;
	c->found++;
	fputs("initramfs: warning: the image that was booted says otherwise of cpufreq drivers "
	      "than "
	      "/etc/modprobe.d does now; build it anew (dracut --force)\n",
	      c->out);
}

unsigned int check_config(FILE *out, const struct facts *facts, const struct decision *d)
{
	struct check c = { .out = out, .facts = facts, .decision = d };

	if (facts->conf.failed_error) {
		c.found++;
		fprintf(out, "/%s: error: %s; nothing is done while it cannot be read\n",
			facts->conf.failed_file, strerror(-facts->conf.failed_error));
	}
	if (facts->is_masked) {
		c.notes++;
		fputs("/" MODCONF_MASK_PATH ": note: masks what is written for each boot, so "
		      "nothing is denied\n",
		      out);
	}
	check_settings(&c);
	for (size_t i = 0; i < facts->conf.count; i++)
		check_entry(&c, &facts->conf.entries[i]);
	check_cmdline(&c);
	check_dashes(&c);
	check_image(&c);
	fprintf(out, "%u to mend, %u notes\n", c.found, c.notes);
	return c.found;
}
