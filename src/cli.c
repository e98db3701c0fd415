// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>

#include "apply.h"
#include "config.h"
#include "load.h"
#include "util.h"

enum exit_code { GO_ON = -1, EXIT_DONE = 0, EXIT_COULD_NOT = 1, EXIT_USAGE = 2 };

/* What getopt_long() returns for an option with a bit: the bit, beyond all characters. */
#define VALUE(bit)    ((bit) << 8)
#define VALUE_VERSION 'V'

/* A row without a bit is for every verb. */
static const struct {
	const char *name, *help;
	unsigned int bit;
} options_help[] = {
	{ "--root", "--root DIR   look at DIR instead of /; nothing is ever loaded then",
	  OPTION_ROOT },
	{ "--json", "--json       print JSON", OPTION_JSON },
	{ "--predict",
	  "--predict    explain: the driver it would end with, or which fact is missing",
	  OPTION_PREDICT },
	{ "--scope=cpu",
	  "--scope=cpu  explain: every module that the CPUs ask for, and its outcome",
	  OPTION_SCOPE_CPU },
	{ "--dry-run", "--dry-run    apply: print what would be done, do nothing", OPTION_DRY_RUN },
	{ "--late", "--late       apply: the second chance; ask once more for what was refused",
	  OPTION_LATE },
	{ "--quiet", "-q, --quiet  no log on standard error", 0 },
	{ "--verbose", "-v, --verbose  say more", 0 },
	{ "--version", "--version    print the version", 0 },
	{ "--help", "-h, --help   print this", 0 },
};

int verb_apply(int rootfd, const struct options *options)
{
	struct apply_options apply = {
		.is_dry_run = options->given & OPTION_DRY_RUN,
		.is_late = options->given & OPTION_LATE,
		.log = options->is_quiet ? NULL : stderr,
		.is_verbose = options->is_verbose,
		.out = stdout,
		.log_rows = program.log_rows,
	};

	return apply_run(rootfd, &apply);
}

/* The device is the last part of its path below /sys. */
int verb_load(int rootfd, const struct options *options)
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

static void print_help(void)
{
	unsigned int taken = 0;

	puts(program.about);
	for (size_t i = 0; i < program.verb_count; i++) {
		printf("  %-13s %s\n", program.verbs[i].name, program.verbs[i].help);
		taken |= program.verbs[i].takes;
	}
	puts("");
	for (size_t i = 0; i < ARRAY_SIZE(options_help); i++)
		if (!(options_help[i].bit & ~taken))
			printf("  %s\n", options_help[i].help);
	puts("\n"
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
	static const struct option long_options[] = {
		{ "root", required_argument, NULL, VALUE(OPTION_ROOT) },
		{ "json", no_argument, NULL, VALUE(OPTION_JSON) },
		{ "dry-run", no_argument, NULL, VALUE(OPTION_DRY_RUN) },
		{ "late", no_argument, NULL, VALUE(OPTION_LATE) },
		{ "predict", no_argument, NULL, VALUE(OPTION_PREDICT) },
		{ "scope", required_argument, NULL, VALUE(OPTION_SCOPE_CPU) },
		{ "quiet", no_argument, NULL, 'q' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "version", no_argument, NULL, VALUE_VERSION },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "hqv", long_options, NULL)) >= 0) {
		switch (c) {
		case 'q':
			ret->is_quiet = true;
			break;
		case 'v':
			ret->is_verbose = true;
			break;
		case VALUE_VERSION:
			puts("cpufreq-resolve " VERSION);
			return EXIT_DONE;
		case 'h':
			print_help();
			return EXIT_DONE;
		case '?': /* getopt has said what is wrong */
			return EXIT_USAGE;
		case VALUE(OPTION_SCOPE_CPU):
			if (strcmp(optarg, "cpu") != 0 && strcmp(optarg, "cpufreq") != 0)
				return usage_error("--scope is cpu or cpufreq, not ", optarg);
			ret->given &= ~(unsigned int)OPTION_SCOPE_CPU;
			if (strcmp(optarg, "cpufreq") == 0)
				break;
			/* fall through */
		default:
			if (c == VALUE(OPTION_ROOT))
				ret->root = optarg;
			ret->given |= (unsigned int)c >> 8;
		}
	}
	return GO_ON;
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < program.verb_count; i++)
		if (strcmp(program.verbs[i].name, name) == 0)
			return &program.verbs[i];
	return NULL;
}

/* An option that the verb would pass over is a mistake worth a word. */
static int check_options(const struct verb *verb, const struct options *options)
{
	for (size_t i = 0; i < ARRAY_SIZE(options_help); i++)
		if (options->given & options_help[i].bit & ~verb->takes)
			return usage_error(options_help[i].name, " does not go with this verb");
	if (options->given & OPTION_PREDICT && options->given & OPTION_SCOPE_CPU)
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
	if (r < 0 && !verb->has_log)
		fprintf(stderr, "cpufreq-resolve: %s: %s\n", verb->name, strerror(-r));
	return r ? EXIT_COULD_NOT : EXIT_DONE;
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
	const struct verb *verb = program.default_verb;
	int r;

	/* One write a line: in the initramfs the log is /dev/kmsg, where each write is an entry. */
	(void)setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	r = parse_options(argc, argv, &options);
	if (r != GO_ON)
		return finish(r);
	if (optind < argc) {
		verb = find_verb(argv[optind]);
		if (!verb)
			return usage_error(program.hint, argv[optind]);
		if (optind + 1 < argc)
			return usage_error("too many words: ", argv[optind + 1]);
	}
	if (!verb)
		return usage_error("expected a verb", "");
	r = check_options(verb, &options);
	return r != GO_ON ? r : finish(run_verb(verb, &options));
}
