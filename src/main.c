// SPDX-License-Identifier: GPL-2.0-or-later
/* cpufreq-resolve: the verbs of the host. */
#include <errno.h>
#include <string.h>

#include "check-config.h"
#include "cli.h"
#include "decide.h"
#include "gather.h"
#include "modules.h"
#include "render.h"
#include "status.h"
#include "util.h"
#include "words.h"

/* The modules that the CPUs ask for, cpufreq drivers or not. */
static int explain_offers(int rootfd, const struct facts *facts, const struct decision *d,
			  bool is_json)
{
	_cleanup_(offers_free) struct offers offers;
	int r = offers_gather(rootfd, facts, &offers);

	if (r < 0 && r != -ENOMEM) {
		if (r == -ENODATA && path_exists(rootfd, facts->kernel_dir) == 0)
			r = -ENOENT;
		if (facts->kernel[0])
			fprintf(stderr,
				"cpufreq-resolve: explain: /%s: %s; expected the module indexes "
				"that depmod makes\n",
				facts->kernel_dir, strerror(-r));
		else
			fprintf(stderr, "cpufreq-resolve: explain: %s\n", facts->failed);
		return 1;
	}
	if (r < 0)
		return r;
	offers_count(rootfd, &offers);
	(is_json ? render_offers_json : render_offers)(stdout, facts, d, &offers);
	return 0;
}

static int run_explain(int rootfd, const struct options *options)
{
	_cleanup_(facts_free) struct facts facts = { 0 };
	struct prediction p;
	struct state state;
	struct decision d;
	int r = gather(rootfd, &facts, &state, &d);

	if (r < 0)
		return r;
	if (options->given & OPTION_SCOPE_CPU)
		return explain_offers(rootfd, &facts, &d, options->given & OPTION_JSON);
	facts_gather_more(rootfd, &facts);
	if (options->given & OPTION_PREDICT) {
		predict(&facts, &p);
		(options->given & OPTION_JSON ? render_predict_json : render_predict)(stdout,
										      &facts, &p);
		return 0;
	}
	(options->given & OPTION_JSON ? render_explain_json : render_explain)(stdout, &facts, &d);
	return 0;
}

static int run_facts(int rootfd, const struct options *options)
{
	_cleanup_(facts_free) struct facts facts = { 0 };
	struct state state;
	struct decision d;
	int r = gather(rootfd, &facts, &state, &d);

	if (r < 0)
		return r;
	facts_gather_more(rootfd, &facts);
	(options->given & OPTION_JSON ? render_facts_json : render_facts)(stdout, &facts);
	return 0;
}

static int run_drivers(int rootfd, const struct options *options)
{
	(void)rootfd;
	(options->given & OPTION_JSON ? render_drivers_json : render_drivers)(stdout);
	return 0;
}

static int run_status(int rootfd, const struct options *options)
{
	_cleanup_(facts_free) struct facts facts = { 0 };
	_cleanup_(offers_free) struct offers offers = { 0 };
	struct state state = { 0 };
	struct decision d;
	bool has_conf;
	int r = gather(rootfd, &facts, &state, &d);

	if (r < 0)
		return r;
	has_conf = path_exists(rootfd, MODCONF_BOOT_PATH) == 1;
	/* What would be decided now is not what was done: only our file denies or orders. */
	for (size_t i = 0; i < driver_count; i++)
		if (!state.is_there || !has_conf || facts.is_masked)
			d.rows[i].deny = d.rows[i].order = false;
	r = offers_gather(rootfd, &facts, &offers);
	if (r == -ENOMEM)
		return r;
	render_status(stdout, &facts, &d, &state, has_conf, &offers, options->given & OPTION_JSON);
	return 0;
}

/* Findings are the answer, and a script wants to know of them: 1, as for what could not be done. */
static int run_check_config(int rootfd, const struct options *options)
{
	_cleanup_(facts_free) struct facts facts = { 0 };
	struct state state;
	struct decision d;
	int r = gather(rootfd, &facts, &state, &d);

	(void)options;
	if (r < 0)
		return r;
	return check_config(stdout, &facts, &d) ? 1 : 0;
}

/* What apply had no need to know first, and with it the same decision. */
static void log_rows(FILE *log, int rootfd, struct facts *facts, bool is_late)
{
	struct decision d;

	facts_gather_reasons(rootfd, facts);
	decide(facts, is_late, &d);
	for (size_t i = 0; i < driver_count; i++) {
		_cleanup_free_ char *why = words_row(facts, &d, i);

		fprintf(log, "cpufreq-resolve: %s: %s: %s\n", drivers[i].name,
			verdict_name(d.rows[i].verdict), why ? why : "");
	}
}

static const struct verb verbs[] = {
	{ "explain", run_explain, OPTION_ROOT | OPTION_JSON | OPTION_PREDICT | OPTION_SCOPE_CPU,
	  false, "say of every driver what becomes of it, and why (the default)" },
	{ "status", run_status, OPTION_ROOT | OPTION_JSON, false,
	  "say what was decided in this boot, and whether it still holds" },
	{ "facts", run_facts, OPTION_ROOT | OPTION_JSON, false,
	  "list what is known of this machine" },
	{ "check-config", run_check_config, OPTION_ROOT, false,
	  "find mistakes in modprobe.d and modules-load.d (then exit 1)" },
	{ "drivers", run_drivers, OPTION_JSON, false, "list the table of drivers, in order" },
	VERB_APPLY,
	VERB_LOAD,
};

const struct program program = {
	.verbs = verbs,
	.verb_count = ARRAY_SIZE(verbs),
	.default_verb = &verbs[0],
	.about = "cpufreq-resolve [OPTION...] [VERB]\n"
		 "Work out the one right cpufreq driver, load it once, keep the others out.\n",
	.hint = "no such verb: ",
	.log_rows = log_rows,
};
