// SPDX-License-Identifier: GPL-2.0-or-later
/* Options, the verb table, exit codes. */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "config.h"
#include "verbs.h"

enum exit_code { GO_ON = -1, EXIT_DONE = 0, EXIT_COULD_NOT = 1, EXIT_USAGE = 2 };

#define WORDS_MAX 1000

/* Options that only some verbs take are bits of @takes. */
enum takes {
	TAKES_ROOT = 1,
	TAKES_JSON = 2,
	TAKES_ALL = 4,
	TAKES_LOG = 8,
	TAKES_OUTPUT = 16,
};

struct verb {
	const char *name;
	int (*run)(const struct options *options);
	unsigned int takes;
	int words_min, words_max; /* behind the verb */
	const char *arguments, *help;
};

static const struct verb verbs[] = {
	{ "forecast", run_forecast, TAKES_ROOT | TAKES_JSON | TAKES_ALL, 0, 0, "",
	  "count what udev's coldplug is going to ask for" },
	{ "journal", run_journal, TAKES_JSON | TAKES_ALL | TAKES_LOG, 0, WORDS_MAX, "[FILE...]",
	  "count what it has asked for, from a log" },
	{ "metrics", run_metrics, TAKES_ROOT | TAKES_OUTPUT, 0, 0, "",
	  "print this boot's state as OpenMetrics, for node_exporter" },
	{ "cpu-up", run_cpu_up, TAKES_JSON | TAKES_ALL, 1, 1, "TRACE",
	  "say where the time went when CPUs came up, from an ftrace" },
};

static void print_help(void)
{
	puts(PROGRAM " [OPTION...] VERB [ARGUMENT...]\n"
		     "See a storm of module loads: forecast it, find it in a log, draw it.\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		printf("  %-9s %-9s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].help);
	puts("\n"
	     "  --root DIR     look at DIR instead of /\n"
	     "  --all          every module, not only those that are asked for again and again\n"
	     "  --json         print JSON\n"
	     "  --compare      journal BEFORE AFTER: two logs side by side\n"
	     "  --boot N       of several boots: 1 the first, 0 the last, -1 the one before\n"
	     "  --host NAME    of a log of several machines: only this one\n"
	     "  --plot [FILE.svg]  draw the boot; without a file on the terminal\n"
	     "  --output FILE  write there, replacing the file in one step\n"
	     "  --version      print the version\n"
	     "  -h, --help     print this\n\n"
	     "FILE is what journalctl (any -o) or dmesg printed, compressed or not, a journal\n"
	     "file or folder, or - for standard input. Without one the running system's\n"
	     "journal is read.\n"
	     "Exit status: 0 done; 1 could not; 2 usage.");
}

static int parse_number(const char *text, long *ret)
{
	char *end;

	errno = 0;
	*ret = strtol(text, &end, 10);
	return errno || end == text || *end ? -EINVAL : 0;
}

static int usage_error(const char *what, const char *word)
{
	fprintf(stderr, PROGRAM ": %s%s; try --help\n", what, word);
	return EXIT_USAGE;
}

enum {
	OPT_ROOT = 256,
	OPT_ALL,
	OPT_JSON,
	OPT_COMPARE,
	OPT_BOOT,
	OPT_HOST,
	OPT_PLOT,
	OPT_OUTPUT,
	OPT_VERSION,
	OPT_HELP,
};

static bool ends_with(const char *s, const char *end)
{
	size_t a = strlen(s), b = strlen(end);

	return a >= b && strcmp(s + a - b, end) == 0;
}

/* Returns the exit code, or GO_ON. */
static int parse_option(int c, int argc, char **argv, struct options *ret)
{
	switch (c) {
	case OPT_ROOT:
		ret->root = optarg;
		break;
	case OPT_ALL:
		ret->all = true;
		break;
	case OPT_JSON:
		ret->is_json = true;
		break;
	case OPT_COMPARE:
		ret->is_compare = true;
		break;
	case OPT_BOOT:
		ret->has_boot = true;
		if (parse_number(optarg, &ret->boot) < 0)
			return usage_error("--boot: expected a number, not ", optarg);
		break;
	case OPT_HOST:
		ret->host = optarg;
		break;
	case OPT_PLOT:
		/* Its file is optional, and may stand behind a blank all the same. */
		ret->plot = optarg ? optarg : "";
		if (!optarg && optind < argc && ends_with(argv[optind], ".svg"))
			ret->plot = argv[optind++];
		break;
	case OPT_OUTPUT:
		ret->output = optarg;
		break;
	case OPT_VERSION:
		puts(PROGRAM " " VERSION);
		return EXIT_DONE;
	case 'h':
	case OPT_HELP:
		print_help();
		return EXIT_DONE;
	default: /* getopt has said what is wrong */
		return EXIT_USAGE;
	}
	return GO_ON;
}

static int parse_options(int argc, char **argv, struct options *ret)
{
	static const struct option long_options[] = {
		{ "root", required_argument, NULL, OPT_ROOT },
		{ "all", no_argument, NULL, OPT_ALL },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "compare", no_argument, NULL, OPT_COMPARE },
		{ "boot", required_argument, NULL, OPT_BOOT },
		{ "host", required_argument, NULL, OPT_HOST },
		{ "plot", optional_argument, NULL, OPT_PLOT },
		{ "output", required_argument, NULL, OPT_OUTPUT },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ "help", no_argument, NULL, OPT_HELP },
		{ 0 },
	};
	int c, r;

	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) >= 0) {
		r = parse_option(c, argc, argv, ret);
		if (r != GO_ON)
			return r;
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
		{ options->all, TAKES_ALL, "--all" },
		{ options->is_compare, TAKES_LOG, "--compare" },
		{ options->has_boot, TAKES_LOG, "--boot" },
		{ options->host != NULL, TAKES_LOG, "--host" },
		{ options->plot != NULL, TAKES_LOG, "--plot" },
		{ options->output != NULL, TAKES_OUTPUT, "--output" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i].is_given && !(verb->takes & given[i].takes))
			return usage_error(given[i].name, " does not go with this verb");
	if (options->count > verb->words_max)
		return usage_error("too many words: ", options->words[verb->words_max]);
	if (options->count < verb->words_min)
		return usage_error("expected ", verb->arguments);
	if (options->is_compare && options->count != 2)
		return usage_error("--compare: expected two logs, BEFORE and AFTER", "");
	return GO_ON;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	const struct verb *verb;
	int r = parse_options(argc, argv, &options);

	if (r != GO_ON)
		return r;
	if (optind >= argc)
		return usage_error("expected a verb", "");
	verb = find_verb(argv[optind]);
	if (!verb)
		return usage_error("no such verb: ", argv[optind]);
	options.words = argv + optind + 1;
	options.count = argc - optind - 1;
	r = check_options(verb, &options);
	if (r != GO_ON)
		return r;
	if (verb->run(&options) < 0)
		return EXIT_COULD_NOT;
	/* A full disk or a closed pipe must not look like an answer. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		(void)complain("standard output", -errno, NULL);
		return EXIT_COULD_NOT;
	}
	return EXIT_DONE;
}
