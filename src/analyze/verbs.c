// SPDX-License-Identifier: GPL-2.0-or-later
/* What the verbs of logs and traces do. Errors become words here. */
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "cpuup.h"
#include "plot.h"
#include "util.h"

#define WIDTH_DEFAULT 120 /* where the output is no terminal */

int complain(const char *what, int error, const char *expected)
{
	fprintf(stderr, PROGRAM ": %s: %s%s%s\n", what, strerror(-error), expected ? "; " : "",
		expected ? expected : "");
	return error;
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
	case -EBADMSG:
	case -EPIPE:
		fprintf(stderr,
			PROGRAM ": %s: %s; expected journalctl's or dmesg's output, perhaps "
				"compressed, or a journal file or folder\n",
			path, log_error_text(error));
		return error;
	default:
		return complain(path, error, NULL);
	}
}

/* One file, "-" for standard input. */
static int read_log(const char *path, struct log *log)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (strcmp(path, "-") == 0)
		return log_read(STDIN_FILENO, log);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return log_read(fd, log);
}

/* Reads files one after the other, as parts of one log. */
static int read_logs(char **paths, int count, const struct options *options, struct log *log)
{
	int r;

	log->host = options->host;
	if (count == 0) {
		r = log_read_journal(NULL, options->has_boot ? 0 : LOG_ONLY_THIS_BOOT, log);
		if (r < 0)
			return complain_of_log("the running system's journal", r);
	} else if (is_journal_file(paths[0])) {
		r = log_read_journal((const char **)paths, 0, log);
		if (r < 0)
			return complain_of_log(paths[0], r);
	}
	for (int i = 0; i < count && !is_journal_file(paths[0]); i++) {
		r = read_log(paths[i], log);
		if (r < 0)
			return complain_of_log(paths[i], r);
	}
	if (!log->now && count == 0) {
		fputs(PROGRAM ": the running system's journal: no entry of this boot; there is "
			      "none, or only "
			      "root and the group systemd-journal may read it\n",
		      stderr);
		return -ENOMSG;
	}
	if (!log->now && log->entries_of_other_hosts) {
		fprintf(stderr,
			PROGRAM ": --host=%s: no line is of this machine; %llu are of others, the "
				"first of them of %s\n",
			log->host, (unsigned long long)log->entries_of_other_hosts,
			log->other_host);
		return -ENOMSG;
	}
	if (!log->now)
		return complain_of_log(paths[0], log->ended_early ? log->ended_early : -ENOMSG);
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
	n = columns ? strtol(columns, NULL, 10) : 0;
	return n > 0 && n < 10000 ? (unsigned int)n : WIDTH_DEFAULT;
}

int write_file(const char *path, const char *text)
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
	path = slash ? slash + 1 : path;
	r = file_write_atomic(fd, path, text);
	/* It held just that already, but it is as of now: monitoring looks at its age. */
	if (r == 0 && utimensat(fd, path, NULL, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
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
		/* sd-journal takes a list that ends with NULL, and the other log is none of it. */
		char *paths[] = { options->words[i], NULL };
		int r = read_logs(paths, 1, options, logs[i]);

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

int run_journal(const struct options *options)
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

int run_cpu_up(const struct options *options)
{
	_cleanup_free_ struct cpuup *cpuup = calloc(1, sizeof(*cpuup));
	_cleanup_close_ int fd = -1;
	const char *path = options->words[0];
	int r;

	if (!cpuup)
		return complain(path, -ENOMEM, NULL);
	if (strcmp(path, "-") == 0)
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	r = fd < 0 ? -errno : cpuup_read(fd, cpuup);
	if (r == -ENOMSG || r == -EBADMSG) {
		fprintf(stderr,
			PROGRAM ": %s: %s; expected a trace with events of cpuhp, or a "
				"function_graph of cpu_up()\n",
			path, r == -ENOMSG ? "no CPU comes up in it" : log_error_text(r));
		return r;
	}
	if (r < 0)
		return complain(path, r, NULL);
	if (options->is_json)
		cpuup_print_json(stdout, cpuup);
	else
		cpuup_print(stdout, cpuup, options->all);
	return 0;
}
