/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_CPUUP_H
#define CPUFREQ_RESOLVE_CPUUP_H

/* Where the time goes when CPUs are brought up, from a trace of it. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "macro.h"

#define CPUUP_CALLBACKS_MAX 512

struct cpuup_callback {
	char name[96];
	uint64_t calls, failures;
	uint64_t total, longest; /* nanoseconds */
};

enum cpuup_source {
	CPUUP_NONE,
	CPUUP_EVENTS, /* cpuhp:cpuhp_enter, cpuhp_multi_enter, cpuhp_exit */
	CPUUP_GRAPH,  /* the function_graph tracer on cpu_up() and below */
};

struct cpuup {
	enum cpuup_source source;
	uint64_t cpus; /* brought up */
	uint64_t
		total; /* nanoseconds: in cpu_up(), or from each CPU's first callback to its last */
	uint64_t wall; /* nanoseconds from the first callback to the end of the last, 0: the trace
			  has no times */
	uint64_t longest_cpu;                                 /* nanoseconds */
	uint64_t in_callbacks;                                /* the sum over all */
	struct cpuup_callback callbacks[CPUUP_CALLBACKS_MAX]; /* the longest total first */
	size_t count;
	uint64_t registered_later; /* calls on CPUs that were up, which are in none of the above */
	uint64_t lines, unreadable, unpaired, lost_events, left_out;
};

/**
 * cpuup_read() - Read a trace as tracefs's `trace` or `trace_pipe` has it
 * @fd: the file, compressed or not
 * @ret: on the heap if need be, it is large
 *
 * Return: 0, -ENOMSG if nothing in it tells of CPUs that come up, or -errno.
 */
int cpuup_read(int fd, struct cpuup *ret) _must_check_;

void cpuup_print(FILE *out, const struct cpuup *cpuup, bool all);
void cpuup_print_json(FILE *out, const struct cpuup *cpuup);

#endif
