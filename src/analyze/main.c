// SPDX-License-Identifier: GPL-2.0-or-later
/* Options, the verb table, exit codes. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "config.h"
#include "decide.h"
#include "forecast.h"
#include "modules.h"
#include "plot.h"
#include "state.h"
#include "util.h"

#define PROGRAM "cpufreq-resolve-analyze"

enum exit_code { GO_ON = -1, EXIT_DONE = 0, EXIT_COULD_NOT = 1, EXIT_USAGE = 2 };

struct options {
	const char *root, *host;
	const char *plot; /* "" for the terminal */
	const char *output;
	bool is_json, all, is_compare, has_boot;
	long boot;
	char **words; /* what follows the verb */
	int count;
};

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
	int words_max;
	const char *arguments, *help;
};

static int complain(const char *what, int error, const char *expected)
{
	fprintf(stderr, PROGRAM ": %s: %s%s%s\n", what, strerror(-error), expected ? "; " : "",
		expected ? expected : "");
	return error;
}

static int parse_number(const char *text, long *ret)
{
	char *end;

	errno = 0;
	*ret = strtol(text, &end, 10);
	return errno || end == text || *end ? -EINVAL : 0;
}

static int open_root(const struct options *options)
{
	const char *root = options->root ? options->root : "/";
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? complain(root, -errno, "expected a root directory") : fd;
}

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

static int run_forecast(const struct options *options)
{
	_cleanup_(facts_free) struct facts facts = { 0 };
	_cleanup_(forecast_free) struct forecast forecast = { 0 };
	_cleanup_close_ int rootfd = open_root(options);
	struct state state;
	struct decision d;
	int r;

	if (rootfd < 0)
		return rootfd;
	r = gather(rootfd, &facts, &state, &d);
	if (r < 0)
		return complain("forecast", r, NULL);
	if (!facts.kernel[0]) {
		fprintf(stderr, PROGRAM ": %s\n", facts.failed);
		return -ENOENT;
	}
	r = forecast_gather(rootfd, &facts, &d, &forecast);
	if (r < 0)
		return complain(
			"forecast", r,
			"it takes sys/devices and the kernel's module index below the root");
	if (options->is_json)
		forecast_print_json(stdout, &facts, &forecast, options->all);
	else
		forecast_print(stdout, &facts, &forecast, options->all);
	return 0;
}

static bool is_journal_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	char magic[8];

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	return S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && read(fd, magic, 8) == 8 &&
				       memcmp(magic, "LPKSHHRH", 8) == 0);
}

static int complain_of_log(const char *path, int error)
{
	switch (error) {
	case -ENOSYS:
		return complain(path, error,
				"compressed in a way that is not supported; decompress it first");
	case -EOPNOTSUPP:
		return complain(path, error,
				"this build has no libsystemd; use journalctl -o export | " PROGRAM
				" journal -");
	case -ENOMSG:
		return complain(
			path, error,
			"expected journalctl's or dmesg's output, a journal file or folder");
	default:
		return complain(path, error, NULL);
	}
}

/* One file, "-" for standard input. */
static int read_log(const char *path, struct log *log)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	if (strcmp(path, "-") == 0)
		return log_read(STDIN_FILENO, log);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	r = log_read(fd, log);
	return r;
}

/* Reads files one after the other, as parts of one log. */
static int read_logs(char **paths, int count, const struct options *options, struct log *log)
{
	int r = 0;

	log->host = options->host;
	if (count == 0) {
		r = log_read_journal(NULL, !options->has_boot, log);
		if (r < 0)
			return complain_of_log("the running system's journal", r);
	} else if (is_journal_file(paths[0])) {
		r = log_read_journal((const char *const *)paths, false, log);
		if (r < 0)
			return complain_of_log(paths[0], r);
	}
	for (int i = 0; i < count && !is_journal_file(paths[0]); i++) {
		r = read_log(paths[i], log);
		if (r < 0)
			return complain_of_log(paths[i], r);
	}
	if (!log->now)
		return complain_of_log(count ? paths[0] : "journal",
				       log->ended_early ? log->ended_early : -ENOMSG);
	return 0;
}

static const struct tally *pick_boot(const struct options *options, const struct log *log)
{
	const struct tally *t = log_boot(log, options->boot);

	if (!t)
		fprintf(stderr,
			PROGRAM
			": --boot=%ld: the log holds %llu boots, of which the last %zu are kept\n",
			options->boot, (unsigned long long)log->boots_seen, log->boot_count);
	return t;
}

static bool is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

static unsigned int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long n;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return columns && parse_number(columns, &n) == 0 && n > 0 && n < 10000 ? (unsigned int)n :
										 120;
}

/* Writes a whole file or none: through a temporary one beside it. */
static int write_file(const char *path, const char *text)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *dir =
		slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
	_cleanup_close_ int fd = -1;
	int r;

	if (!dir)
		return -ENOMEM;
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = file_write_atomic(fd, slash ? slash + 1 : path, text);
	return r < 0 ? r : 0;
}

static int draw(const struct options *options, const struct side *sides, size_t count)
{
	_cleanup_free_ char *text = NULL;
	bool has_color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	struct plot plot;
	size_t len;
	FILE *out;
	int r = plot_prepare(sides, count, options->all, &plot);

	if (r == -ENODATA) {
		fputs(PROGRAM ": nothing to draw: no attempt in the log, or no times\n", stderr);
		return r;
	}
	if (r < 0)
		return complain("--plot", r, NULL);
	if (!options->plot[0]) {
		putchar('\n');
		plot_terminal(stdout, &plot, terminal_width(), is_utf8(), has_color);
		return 0;
	}
	out = open_memstream(&text, &len);
	if (!out)
		return complain("--plot", -ENOMEM, NULL);
	plot_svg(out, &plot);
	if (fclose(out) != 0)
		return complain("--plot", -ENOMEM, NULL);
	r = write_file(options->plot, text);
	return r < 0 ? complain(options->plot, r, NULL) : 0;
}

static int run_compare(const struct options *options)
{
	_cleanup_(log_free) struct log before = { 0 };
	_cleanup_(log_free) struct log after = { 0 };
	struct log *logs[2] = { &before, &after };
	struct side sides[2];

	for (int i = 0; i < 2; i++) {
		int r = read_logs(options->words + i, 1, options, logs[i]);

		if (r < 0)
			return r;
		sides[i] = (struct side){ options->words[i], logs[i], pick_boot(options, logs[i]) };
		if (!sides[i].tally)
			return -ENOENT;
	}
	if (options->is_json) {
		struct json j = { .out = stdout };

		json_open(&j, NULL, '{');
		report_json(&j, "before", sides[0].log, sides[0].tally);
		report_json(&j, "after", sides[1].log, sides[1].tally);
		json_close(&j, '}');
	} else {
		report_compare(stdout, sides, options->all);
	}
	return options->plot ? draw(options, sides, 2) : 0;
}

static int run_journal(const struct options *options)
{
	_cleanup_(log_free) struct log log = { 0 };
	const struct tally *t;
	struct side side;
	int r;

	if (options->is_compare)
		return run_compare(options);
	r = read_logs(options->words, options->count, options, &log);
	if (r < 0)
		return r;
	t = pick_boot(options, &log);
	if (!t)
		return -ENOENT;
	if (options->is_json) {
		struct json j = { .out = stdout };

		report_json(&j, NULL, &log, t);
	} else {
		report_print(stdout, &log, t, options->all);
	}
	side = (struct side){ options->count == 1 ? options->words[0] : "", &log, t };
	return options->plot ? draw(options, &side, 1) : 0;
}

static const struct verb verbs[] = {
	{ "forecast", run_forecast, TAKES_ROOT | TAKES_JSON | TAKES_ALL, 0, "",
	  "count what udev's coldplug is going to ask for" },
	{ "journal", run_journal, TAKES_JSON | TAKES_ALL | TAKES_LOG, 1000, "[FILE...]",
	  "count what it has asked for, from a log" },
};

static void print_help(void)
{
	puts(PROGRAM " [OPTION...] VERB [ARGUMENT...]\n"
		     "See a storm of module loads: forecast it, find it in a log, draw it, watch a "
		     "fleet.\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		printf("  %-9s %-9s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].help);
	puts("\n"
	     "  --root DIR     look at DIR instead of /\n"
	     "  --all          every module, not only those that are asked for again and again\n"
	     "  --json         print JSON\n"
	     "  --compare      journal BEFORE AFTER: two logs side by side\n"
	     "  --boot N       of a log with several boots: 1 the first, 0 the last, -1 the one "
	     "before\n"
	     "  --host NAME    of a log of several machines: only this one\n"
	     "  --plot [FILE.svg]  draw the boot; without a file on the terminal\n"
	     "  --output FILE  write there, replacing the file in one step\n"
	     "  --version      print the version\n"
	     "  --help         print this\n\n"
	     "FILE is what journalctl (any -o) or dmesg printed, compressed or not, a journal file "
	     "or\n"
	     "folder, or - for standard input. Without one the running system's journal is read.\n"
	     "Exit status: 0 done; 1 could not; 2 usage.");
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
