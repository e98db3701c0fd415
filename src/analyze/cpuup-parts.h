/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_CPUUP_PARTS_H
#define CPUFREQ_RESOLVE_CPUUP_PARTS_H

/* What the readers of the two kinds of trace share. */

#include "cpuup.h"
#include "slice.h"

#define CPUUP_CPUS_MAX  8192 /* CONFIG_NR_CPUS of x86-64 at most (MAXSMP) */
#define CPUUP_DEPTH_MAX 64
#define CPUUP_TASKS_MAX 256

/* A callback that was entered and has not returned. */
struct cpuup_open_call {
	int step;
	bool is_up;
	uint64_t begin, inner; /* nanoseconds; @inner: spent in calls within it */
	struct cpuup_callback *callback;
};

/* One CPU on its way up. */
struct cpuup_cpu {
	struct cpuup_open_call calls[8];
	unsigned int depth;
	bool is_coming;
	int last_step;
	uint64_t begin, end;
};

/* The function graph of one task. */
struct cpuup_frame {
	struct cpuup_callback *callback; /* NULL: none of ours */
	bool is_invoker;                 /* cpuhp_invoke_callback(): what it calls is a callback */
	bool is_cpu_up;
};

struct cpuup_task {
	uint64_t pid;
	unsigned int depth;
	struct cpuup_frame frames[CPUUP_DEPTH_MAX];
};

struct cpuup_reader {
	struct cpuup *out;
	struct cpuup_cpu *cpus;
	size_t cpu_count; /* up to the highest that was seen: most of the memory is never touched */
	struct cpuup_task *tasks;
	size_t task_count;
	uint64_t *current; /* the task of each CPU, from the lines that tell of a switch */
	bool has_times;
	uint64_t first, last;
};

/** cpuup_get_callback() - The row of a callback, made if need be; NULL: there are too many already.
 */
struct cpuup_callback *cpuup_get_callback(struct cpuup *out, struct slice name);

/** cpuup_add_call() - Count one call; @time: nanoseconds. */
void cpuup_add_call(struct cpuup *out, struct cpuup_callback *c, uint64_t time);

/** cpuup_end_coming() - A CPU is up, or the trace ends. */
void cpuup_end_coming(struct cpuup_reader *reader, struct cpuup_cpu *cpu);

/** cpuup_parse_event() - "task-pid [cpu] flags seconds.micros: event: ..." */
bool cpuup_parse_event(struct cpuup_reader *reader, struct slice line);

/** cpuup_parse_graph() - A CPU, perhaps a task, a duration and a piece of code, with bars between
 * them. */
bool cpuup_parse_graph(struct cpuup_reader *reader, struct slice line);

#endif
