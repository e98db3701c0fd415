/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_TALLY_PARTS_H
#define CPUFREQ_RESOLVE_TALLY_PARTS_H

/* What the files that make up the tally share. */

#include "tally.h"

#define MODULE_SLOTS ((size_t)TALLY_MODULES_MAX * 2)
#define WORKER_SLOTS ((size_t)16384)

/* What a worker was doing when its last line was written. */
struct tally_worker {
	uint32_t pid; /* 0: free */
	bool is_at_work, is_looking;
	uint64_t last;
	uint64_t last_line; /* its fingerprint */
};

/**
 * tally_get_module() - The module's row, made if need be
 *
 * Another one may be dropped for it, so what an earlier call gave is good no more.
 */
int tally_get_module(struct tally *t, struct slice name, struct tally_module **ret) _must_check_;

void tally_free_module(struct tally_module *m);
void tally_add_pid(struct tally_pids *pids, uint64_t pid);
void tally_add_error(struct tally_error *errors, int error);

/** tally_add_udev() - Add an entry of udev. Return: 0 or -ENOMEM. */
int tally_add_udev(struct tally *t, const struct entry *entry,
		   const struct event *event) _must_check_;

#endif
