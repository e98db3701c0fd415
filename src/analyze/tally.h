/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_TALLY_H
#define CPUFREQ_RESOLVE_TALLY_H

/* What one boot's log entries add up to, in memory that does not grow with the log. */

#include "macro.h"
#include "message.h"

/* How an attempt ended, as far as udev's line tells. */
enum outcome_class { CLASS_INSERTED, CLASS_NODEV, CLASS_BUSY, CLASS_OTHER, CLASS_COUNT };

#define TALLY_BINS        1024
#define TALLY_ERRORS      8
#define TALLY_MODULES_MAX 512
#define TALLY_LOST_MAX    8
#define TALLY_REMARKS_MAX 4
#define TALLY_HOSTS_MAX   4

struct tally_error {
	int error; /* 0: the text was not understood */
	uint64_t count;
};

/* Attempts over time, by class; bin i covers bin_width from bin_start + i * bin_width on. */
struct tally_bins {
	uint32_t counts[CLASS_COUNT][TALLY_BINS];
};

struct tally_pids {
	uint32_t *slots; /* 0: free */
	size_t room, count;
	bool is_full; /* there were more */
};

struct tally_module {
	char name[64];
	uint64_t last_entry;    /* the last that named it, counted from 1 */
	bool came_after_a_drop; /* it may have been in the table before, and dropped */
	/* By udev. */
	uint64_t classes[CLASS_COUNT];
	struct tally_error errors[TALLY_ERRORS];
	uint64_t in_initrd; /* of the attempts */
	uint64_t loaded, builtin, denied, denied_by_kernel;
	uint64_t old_wording; /* "Inserted" that may mean "was live already" */
	bool has_attempt_times;
	uint64_t first, last;
	uint64_t busy; /* microseconds of workers that ended with an attempt's line */
	struct tally_pids workers;
	struct tally_bins *bins; /* NULL before the first attempt with a time */
	/* By others. */
	uint64_t races;
	uint64_t others; /* attempts that are not udev's */
	enum speaker others_speaker;
	uint64_t initcalls, initcalls_ok, initcall_usecs;
	struct tally_error initcall_errors[TALLY_ERRORS];
	uint64_t probe_failures;
	int probe_error;
	uint64_t unloaded; /* in the kernel's last list of unloaded tainted modules */
	uint64_t kernel_denied;
	uint64_t refusals; /* lines that its init prints each time that it refuses */
};

struct tally_startup {
	bool is_there, has_finish;
	/* Microseconds; 0: the line does not name it. */
	uint64_t firmware, loader, kernel, initrd, userspace, total;
	uint64_t finish; /* when the line was written, in the log's clock */
};

struct tally_lost {
	char text[160];
	uint64_t count;
	uint64_t times;
};

struct tally_worker;

struct tally {
	char boot_id[33];
	char hosts[TALLY_HOSTS_MAX][64];
	size_t host_count, host_now;
	uint64_t host_returns; /* a host spoke again after another one had */
	uint64_t entries;
	enum log_clock clock;
	bool is_coarse, has_times;
	uint64_t first, last; /* in the log's clock, microseconds */
	uint64_t turned_back; /* entries more than a second older than one before */

	char linux_release[128], systemd_version[64], driver[32];
	uint64_t cpus;
	bool has_cmdline, cmdline_has_debug, cmdline_has_rd_debug, is_initrd, saw_initrd;
	uint64_t systemd_first, systemd_last;
	unsigned int systemd_starts;
	struct tally_startup startup;
	char remarks[TALLY_REMARKS_MAX][160];
	size_t remark_count;

	/* udev */
	uint64_t udev_lines, udev_debug, lookups, cpu_lookups, not_found, unanswered;
	uint64_t initrd_lookups, initrd_debug;
	bool has_udev_times;
	uint64_t udev_first, udev_last, udev_busy;
	uint64_t unnamed; /* entries without a speaker that were taken for udev's */
	struct tally_pids workers;
	struct tally_worker *worker_slots;
	size_t worker_count;

	/* what is wrong with the log */
	uint64_t lost, lost_unknown; /* messages; messages about messages without a number */
	uint64_t lost_elsewhere;     /* messages that cannot have been udev's or the kernel's */
	struct tally_lost lost_lines[TALLY_LOST_MAX];
	uint64_t damaged, seqnum_gaps, last_seqnum;
	uint64_t duplicates; /* lines that the same worker wrote before, at the same time */
	uint64_t repeats; /* how often udev's first line came again: a part is in the log twice */
	uint64_t first_line, first_time; /* its fingerprint, and when it was */

	/*
	 * Modules. When there are too many, those that the fewest lines named make room, so that
	 * one that is asked for again and again stays whenever it came. cpufreq drivers always do.
	 */
	struct tally_module *modules[TALLY_MODULES_MAX * 2]; /* by hash */
	size_t module_count;
	uint64_t dropped_modules, dropped_attempts;
	bool is_list_going_on; /* the line before was of unloaded modules */
	uint64_t bin_start, bin_width;
};

/** tally_copy() - The beginning of a slice as a string, printable. */
void tally_copy(char *buf, size_t size, struct slice s);

/** tally_new() - Return: an empty one, to be freed with tally_free(), or NULL. */
struct tally *tally_new(void);
void tally_free(struct tally *tally);

/** tally_add() - Add an entry with what it says. Return: 0 or -ENOMEM. */
int tally_add(struct tally *tally, const struct entry *entry,
	      const struct event *event) _must_check_;

/** tally_attempts() - How often udev called the loader for a module. */
uint64_t tally_attempts(const struct tally_module *m);

/** tally_is_doubled() - Is the log, or a part of it, there twice? Then counts are upper bounds. */
bool tally_is_doubled(const struct tally *t);

/** tally_requests() - How often udev asked for a module: attempts, and what needed none. */
uint64_t tally_requests(const struct tally_module *m);

/** tally_sorted() - All modules, cpufreq drivers and then most attempts first; to be freed; NULL:
 * no memory. */
const struct tally_module **tally_sorted(const struct tally *tally, size_t *ret_count);

/** tally_find() - The module of that name in a list of tally_sorted(); NULL: not in it. */
const struct tally_module *tally_find(const struct tally_module **list, size_t n, const char *name);

/** tally_startup_parse() - Read "55.874s (firmware) + ... = 2min 29.629s." */
bool tally_startup_parse(struct slice text, struct tally_startup *ret);

/** tally_origin() - When the kernel started, in the log's clock, as far as it can be known. */
uint64_t tally_origin(const struct tally *tally);

#endif
