/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_APPLY_H
#define CPUFREQ_RESOLVE_APPLY_H

/* The effects, in their order: files, the one load, files. */

#include <stdbool.h>
#include <stdio.h>

#include "facts.h"
#include "macro.h"

struct apply_options {
	bool is_dry_run; /* print what would be written and loaded, touch nothing */
	bool is_late;    /* the second chance, late on the host */
	bool is_verbose; /* log also what an earlier run has logged */
	FILE *log;       /* one line an event; NULL: silent */
	FILE *out;       /* for the dry run */
	/* Logs every driver's verdict, if verbose; may be NULL. */
	void (*log_rows)(FILE *log, int rootfd, struct facts *facts, bool is_late);
};

/**
 * apply_run() - Resolve the driver of this boot
 * @rootfd: the root; modules are loaded only if it is the running system's "/"
 *
 * Idempotent: with nothing changed a second run in the same boot writes nothing and loads nothing.
 * Before each load it is written down that it is tried, so that nobody tries it again if it never
 * comes back; where that can't be written nothing is loaded.
 *
 * Return: 0 also where there is nothing to do, or -errno, said in the log.
 */
int apply_run(int rootfd, const struct apply_options *options) _must_check_;

#endif
