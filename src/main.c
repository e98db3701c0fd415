// SPDX-License-Identifier: GPL-2.0-or-later
/* Options, the verb table, exit codes. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>

#include "apply.h"
#include "check-config.h"
#include "config.h"
#include "decide.h"
#include "load.h"
#include "modules.h"
#include "render.h"
#include "status.h"
#include "util.h"

enum exit_code { GO_ON = -1, EXIT_DONE = 0, EXIT_COULD_NOT = 1, EXIT_USAGE = 2 };

struct options {
	const char *root;
	bool is_json, is_quiet, is_verbose;
	bool is_dry_run, is_late, is_predict;
	bool is_about_cpu; /* --scope=cpu */
};

/* A verb: how it is called, what it does. Options that only some take are bits of @takes. */
enum takes {
	TAKES_ROOT = 1,
	TAKES_JSON = 2,
	TAKES_DRY_RUN = 4,
	TAKES_LATE = 8,
	TAKES_PREDICT = 16,
	TAKES_SCOPE = 32
};

struct verb {
	const char *name;
	int (*run)(int rootfd, const struct options *options);
	unsigned int takes;
	const char *help;
};

/* What explain, facts and status need: all that is known, and the verdicts. */
static int gather(int rootfd, struct facts *facts, struct state *state, struct decision *d)
{
	int r = facts_gather(rootfd, facts);

	if (r == 0)
		r = state_load(rootfd, facts, state);
	if (r == 0)
		r = modules_lookup(rootfd, facts);
	if (r == 0)
		decide(facts, false, d);
	return r;
}

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
		return EXIT_COULD_NOT;
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
	if (options->is_about_cpu)
		return explain_offers(rootfd, &facts, &d, options->is_json);
	facts_gather_more(rootfd, &facts);
	if (options->is_predict) {
		predict(&facts, &p);
		(options->is_json ? render_predict_json : render_predict)(stdout, &facts, &p);
		return 0;
	}
	(options->is_json ? render_explain_json : render_explain)(stdout, &facts, &d);
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
	(options->is_json ? render_facts_json : render_facts)(stdout, &facts);
	return 0;
}

static int run_drivers(int rootfd, const struct options *options)
{
	(void)rootfd;
	(options->is_json ? render_drivers_json : render_drivers)(stdout);
	return 0;
}

static int run_apply(int rootfd, const struct options *options)
{
	struct apply_options apply = {
		.is_dry_run = options->is_dry_run,
		.is_late = options->is_late,
		.log = options->is_quiet ? NULL : stderr,
		.is_verbose = options->is_verbose,
		.out = stdout,
	};

	return apply_run(rootfd, &apply);
}

/* The device is the last part of its path below /sys. */
static int run_load(int rootfd, const struct options *options)
{
	static char buffer[2048]; /* of the log: it is to speak where memory is short, too */
	const char *modalias = getenv("MODALIAS"), *path = getenv("DEVPATH");
	FILE *kmsg;
	int r;

	if (!modalias || !*modalias || !path || !strchr(path, '/')) {
		fputs("cpufreq-resolve: load: expected MODALIAS and DEVPATH of a device in the "
		      "environment, as udev sets them\n",
		      stderr);
		return 1;
	}
	/* What a program writes to its standard error udev shows at debug level only. */
	kmsg = options->is_quiet ? NULL : fopen("/dev/kmsg", "we");
	if (kmsg)
		(void)setvbuf(kmsg, buffer, _IOFBF, sizeof(buffer));
	r = load_run(rootfd, modalias, strrchr(path, '/') + 1,
		     kmsg || options->is_quiet ? kmsg : stderr);
	if (kmsg)
		fclose(kmsg);
	return r;
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
	render_status(stdout, &facts, &d, &state, has_conf, &offers, options->is_json);
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

static const struct verb verbs[] = {
	{ "explain", run_explain, TAKES_ROOT | TAKES_JSON | TAKES_PREDICT | TAKES_SCOPE,
	  "say of every driver what becomes of it, and why (the default)" },
	{ "status", run_status, TAKES_ROOT | TAKES_JSON,
	  "say what was decided in this boot, and whether it still holds" },
	{ "facts", run_facts, TAKES_ROOT | TAKES_JSON, "list what is known of this machine" },
	{ "check-config", run_check_config, TAKES_ROOT,
	  "find mistakes in modprobe.d and modules-load.d (then exit 1)" },
	{ "drivers", run_drivers, TAKES_JSON, "list the table of drivers, in order" },
	{ "apply", run_apply, TAKES_ROOT | TAKES_DRY_RUN | TAKES_LATE,
	  "load the right driver once, deny the others for this boot" },
	{ "load", run_load, 0, "for our udev rule (scope=cpu): ask once for what a CPU offers" },
};

static void print_help(void)
{
	puts("cpufreq-resolve [OPTION...] [VERB]\n"
	     "Work out the one right cpufreq driver, load it once, keep the others out.\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		printf("  %-13s %s\n", verbs[i].name, verbs[i].help);
	puts("\n"
	     "  --root DIR   look at DIR instead of /; nothing is ever loaded then\n"
	     "  --json       print JSON\n"
	     "  --predict    explain: the driver it would end with, or which fact is missing\n"
	     "  --scope=cpu  explain: every module that the CPUs ask for, and its outcome\n"
	     "  --dry-run    apply: print what would be done, do nothing\n"
	     "  --late       apply: the second chance; ask once more for what was refused\n"
	     "  -q, --quiet  no log on standard error\n"
	     "  -v, --verbose  say more\n"
	     "  --version    print the version\n"
	     "  -h, --help   print this\n\n"
	     "Exit status: 0 done, also when no driver is right; 1 could not; 2 usage.\n"
	     "cpufreq_resolve.enable=0 on the kernel command line switches it off.");
}

static int usage_error(const char *what, const char *word)
{
	fprintf(stderr, "cpufreq-resolve: %s%s; try --help\n", what, word);
	return EXIT_USAGE;
}

/* Returns the exit code, or GO_ON. */
static int parse_options(int argc, char **argv, struct options *ret)
{
	enum {
		OPT_ROOT = 256,
		OPT_JSON,
		OPT_DRY_RUN,
		OPT_LATE,
		OPT_PREDICT,
		OPT_SCOPE,
		OPT_QUIET,
		OPT_VERBOSE,
		OPT_VERSION,
		OPT_HELP
	};
	static const struct option long_options[] = {
		{ "root", required_argument, NULL, OPT_ROOT },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
		{ "late", no_argument, NULL, OPT_LATE },
		{ "predict", no_argument, NULL, OPT_PREDICT },
		{ "scope", required_argument, NULL, OPT_SCOPE },
		{ "quiet", no_argument, NULL, OPT_QUIET },
		{ "verbose", no_argument, NULL, OPT_VERBOSE },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ "help", no_argument, NULL, OPT_HELP },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "hqv", long_options, NULL)) >= 0) {
		switch (c) {
		case OPT_ROOT:
			ret->root = optarg;
			break;
		case OPT_JSON:
			ret->is_json = true;
			break;
		case OPT_DRY_RUN:
			ret->is_dry_run = true;
			break;
		case OPT_LATE:
			ret->is_late = true;
			break;
		case OPT_PREDICT:
			ret->is_predict = true;
			break;
		case OPT_SCOPE:
			if (strcmp(optarg, "cpu") != 0 && strcmp(optarg, "cpufreq") != 0)
				return usage_error("--scope is cpu or cpufreq, not ", optarg);
			ret->is_about_cpu = strcmp(optarg, "cpu") == 0;
			break;
		case 'q':
		case OPT_QUIET:
			ret->is_quiet = true;
			break;
		case 'v':
		case OPT_VERBOSE:
			ret->is_verbose = true;
			break;
		case OPT_VERSION:
			puts("cpufreq-resolve " VERSION);
			return EXIT_DONE;
		case 'h':
		case OPT_HELP:
			print_help();
			return EXIT_DONE;
		default: /* getopt has said what is wrong */
			return EXIT_USAGE;
		}
	}
	return GO_ON;
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

/* An option that the verb would pass over is a mistake worth a word. */
static int check_options(const struct verb *verb, const struct options *options)
{
	const struct {
		bool is_given;
		unsigned int takes;
		const char *name;
	} given[] = {
		{ options->root != NULL, TAKES_ROOT, "--root" },
		{ options->is_json, TAKES_JSON, "--json" },
		{ options->is_dry_run, TAKES_DRY_RUN, "--dry-run" },
		{ options->is_late, TAKES_LATE, "--late" },
		{ options->is_predict, TAKES_PREDICT, "--predict" },
		{ options->is_about_cpu, TAKES_SCOPE, "--scope=cpu" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i].is_given && !(verb->takes & given[i].takes))
			return usage_error(given[i].name, " does not go with this verb");
	if (options->is_predict && options->is_about_cpu)
		return usage_error("--predict", " does not go with --scope=cpu");
	return GO_ON;
}

static int run_verb(const struct verb *verb, const struct options *options)
{
	const char *root = options->root ? options->root : "/";
	_cleanup_close_ int rootfd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (rootfd < 0) {
		fprintf(stderr, "cpufreq-resolve: %s: %s; expected a root directory\n", root,
			strerror(errno));
		return EXIT_COULD_NOT;
	}
	r = verb->run(rootfd, options);
	if (r < 0) {
		/* These have a log of their own, in which one failure is one line. */
		if (verb->run != run_apply && verb->run != run_load)
			fprintf(stderr, "cpufreq-resolve: %s: %s\n", verb->name, strerror(-r));
		return EXIT_COULD_NOT;
	}
	return r > 0 ? EXIT_COULD_NOT : EXIT_DONE;
}

/* A full disk or a closed pipe must not look like an answer. */
static int finish(int code)
{
	if (code != EXIT_DONE || (fflush(stdout) == 0 && !ferror(stdout)))
		return code;
	fprintf(stderr, "cpufreq-resolve: standard output: %s\n", strerror(errno));
	return EXIT_COULD_NOT;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	const struct verb *verb = &verbs[0];
	int r;

	/* One write a line: in the initramfs the log is /dev/kmsg, where each write is an entry. */
	(void)setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	r = parse_options(argc, argv, &options);
	if (r != GO_ON)
		return finish(r);
	if (optind < argc) {
		verb = find_verb(argv[optind]);
		if (!verb)
			return usage_error("no such verb: ", argv[optind]);
		if (optind + 1 < argc)
			return usage_error("too many words: ", argv[optind + 1]);
	}
	r = check_options(verb, &options);
	return r != GO_ON ? r : finish(run_verb(verb, &options));
}
