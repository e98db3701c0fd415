// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a log and as a trace: read, counted, told in words, JSON and pictures.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "cpuup.h"
#include "plot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show_log(FILE *out, const struct log *log)
{
	struct json j = { .out = out };

	for (size_t i = 0; i < log->boot_count; i++) {
		struct side sides[2] = { { "before", log, log->boots[i] },
					 { "after", log, log->boots[log->boot_count - 1] } };
		struct plot plot;

		report_print(out, log, log->boots[i], true);
		report_json(&j, NULL, log, log->boots[i]);
		report_compare(out, sides, true);
		if (plot_prepare(sides, 2, true, &plot) < 0)
			continue;
		plot_svg(out, &plot);
		plot_terminal(out, &plot, 80, true, true);
	}
}

/* What no trace is without. Its reader has a table of all CPUs there may be, and to have the
 * sanitizer mark that off takes longer than all else. */
static bool may_be_trace(const uint8_t *data, size_t size)
{
	return memchr(data, '|', size) || memmem(data, size, "cpuhp_", strlen("cpuhp_"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cpuup cpuup;
	FILE *out = fopen("/dev/null", "w");
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct log log = { 0 };

	if (!out || fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	(void)lseek(fd, 0, SEEK_SET);
	(void)!log_read(fd, &log);
	show_log(out, &log);
	log_free(&log);
	(void)lseek(fd, 0, SEEK_SET);
	if (may_be_trace(data, size) && cpuup_read(fd, &cpuup) == 0) {
		cpuup_print(out, &cpuup, true);
		cpuup_print_json(out, &cpuup);
	}
	close(fd);
	fclose(out);
	return 0;
}
