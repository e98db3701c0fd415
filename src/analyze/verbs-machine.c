// SPDX-License-Identifier: GPL-2.0-or-later
/* The verbs that look at a machine, this one or a root: forecast, metrics. */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "forecast.h"
#include "gather.h"
#include "log.h"
#include "metrics.h"
#include "util.h"
#include "verbs.h"

#define FORECAST_SECONDS 60 /* it takes less than one */

static int open_root(const struct options *options)
{
	const char *root = options->root ? options->root : "/";
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? complain(root, -errno, "expected a root directory") : fd;
}

static int forecast(int rootfd, const struct options *options)
{
	_cleanup_(facts_free) struct facts facts = { 0 };
	_cleanup_(forecast_free) struct forecast forecast = { 0 };
	struct state state;
	struct decision d;
	int r = gather(rootfd, &facts, &state, &d);

	if (r < 0)
		return complain("forecast", r, NULL);
	if (facts.failed_error) {
		fprintf(stderr, PROGRAM ": %s\n", facts.failed);
		return facts.failed_error;
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
	if (fflush(stdout) != 0)
		return complain("standard output", -errno, NULL);
	return 0;
}

/* libkmod does not survive every damaged index (see modules_lookup()), so a child does it all. */
int run_forecast(const struct options *options)
{
	_cleanup_close_ int rootfd = open_root(options);
	int status = 0;
	pid_t child;

	if (rootfd < 0)
		return rootfd;
	child = fork();
	if (child < 0)
		return complain("forecast", -errno, NULL);
	if (child == 0) {
		(void)alarm(FORECAST_SECONDS);
		_exit(forecast(rootfd, options) < 0);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return complain("forecast", -errno, NULL);
	if (WIFSIGNALED(status))
		return complain("forecast", -EBADMSG, "the kernel's module index is damaged");
	return WEXITSTATUS(status) ? -EIO : 0;
}

static int print_metrics(FILE *out, const struct options *options, int rootfd)
{
	_cleanup_(facts_free) struct facts facts = { 0 };
	_cleanup_(log_free) struct log log = { 0 };
	struct state state;
	struct decision d;
	int r = gather(rootfd, &facts, &state, &d);

	if (r < 0)
		return r;
	/* Another root's journal is not this machine's; without a journal udev's attempts are
	 * unknown. */
	if (!options->root)
		(void)!log_read_journal(NULL, LOG_ONLY_THIS_BOOT | LOG_ONLY_UDEV, &log);
	metrics_print(out, &facts, &d, &state,
		      path_exists(rootfd, MODCONF_BOOT_PATH) == 1 && !facts.is_masked, log.now);
	return 0;
}

int run_metrics(const struct options *options)
{
	_cleanup_close_ int rootfd = open_root(options);
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out;
	int r;

	if (rootfd < 0)
		return rootfd;
	out = open_memstream(&text, &len);
	if (!out)
		return complain("metrics", -ENOMEM, NULL);
	r = print_metrics(out, options, rootfd);
	if (fclose(out) != 0 && r == 0)
		r = -ENOMEM;
	if (r < 0)
		return complain("metrics", r, NULL);
	if (!options->output) {
		fputs(text, stdout);
		return 0;
	}
	r = write_file(options->output, text);
	return r < 0 ? complain(options->output, r, NULL) : 0;
}
