/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_FORECAST_H
#define CPUFREQ_RESOLVE_FORECAST_H

/* What udev's coldplug is going to ask for: devices below /sys, the module index, our decision. */

#include "decide.h"

/* What keeps a request from reaching the kernel's loader. */
enum forecast_bar {
	BAR_NONE,
	BAR_BUILTIN,
	BAR_LIVE,
	BAR_DENIED,  /* by the administrator, in modprobe.d or on the command line */
	BAR_INSTALL, /* an install line: that command is run instead */
};

struct forecast_module {
	char *name;
	uint64_t devices;     /* that carry an alias of it */
	uint64_t cpu_devices; /* of these, CPU devices and ACPI processors */
	uint64_t
		requests; /* udev's, in one coldplug: one for each alias of a device that matches */
	uint64_t cpu_requests;      /* of these, for CPU devices and ACPI processors */
	uint64_t platform_requests; /* of these, for platform devices */
	enum forecast_bar bar;
	bool is_denied_by_kernel; /* module_blacklist=: the loader is called, and says -EPERM */
	bool is_denied_now;       /* by our file for this boot, as it is */
	bool is_denied_by_us;     /* by what we would decide */
	bool is_in_table;
	uint64_t last_alias; /* while counting */
	/* Calls of the loader at most. */
	uint64_t without_us, now, with_us;
};

struct forecast {
	struct forecast_module *modules; /* most requests for CPUs first, then most requests */
	size_t count, room;
	uint64_t devices; /* with a modalias */
	uint64_t aliases; /* different ones */
	uint64_t cpus;    /* CPU devices among them */
	bool has_boot_file;
};

/**
 * forecast_gather() - Count what a coldplug would ask for
 * @rootfd: the root directory
 * @facts: with the module index looked up
 * @d: what we would decide
 * @ret: to be released with forecast_free(), also on failure
 *
 * A device is a folder below sys/devices whose uevent has a MODALIAS, as udevadm trigger sees it.
 *
 * Return: 0 or -errno.
 */
int forecast_gather(int rootfd, const struct facts *facts, const struct decision *d,
		    struct forecast *ret) _must_check_;

void forecast_free(struct forecast *forecast);

/** forecast_is_storm() - Is the module asked for more than once by CPU devices? */
bool forecast_is_storm(const struct forecast_module *m);

void forecast_print(FILE *out, const struct facts *facts, const struct forecast *forecast,
		    bool all);
void forecast_print_json(FILE *out, const struct facts *facts, const struct forecast *forecast,
			 bool all);

#endif
