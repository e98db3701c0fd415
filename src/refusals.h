/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_REFUSALS_H
#define CPUFREQ_RESOLVE_REFUSALS_H

/*
 * scope=cpu: the modules that the kernel refused in this boot when a CPU asked for them, with its
 * answers. Whatever isn't in here may be asked for. Cpufreq drivers that apply itself asked for
 * are in the state file (state.h), not here.
 */

#include "facts.h"

#define REFUSALS_PATH "run/cpufreq-resolve/refused"
#define REFUSALS_MAX  64 /* a CPU's modalias offers a dozen modules or two */

struct refusal {
	char module[64];
	enum stage stage; /* where it was asked for last */
	int error;        /* -errno */
	bool was_late;    /* the second chance has been had */
};

struct refusals {
	struct refusal all[REFUSALS_MAX];
	size_t count;
};

/**
 * refusals_load() - Read the file below a root
 * @facts: boot id and kernel; a file of another boot is as good as none
 *
 * Return: 0, also if there is none; -EINVAL if it can't be understood, or another -errno.
 */
int refusals_load(int rootfd, const struct facts *facts, struct refusals *ret) _must_check_;

/**
 * refusals_write() - Write the file, or remove it if nothing was refused
 *
 * Return: 1 if something changed, 0 if it was so already, or -errno.
 */
int refusals_write(int rootfd, const struct facts *facts,
		   const struct refusals *refusals) _must_check_;

/** refusals_find() - The entry of a module, or NULL. */
struct refusal *refusals_find(struct refusals *refusals, const char *module);

/**
 * refusals_note() - Write down an answer
 * @error: -errno; 0 takes the module out of the list, for it is loaded
 *
 * A full list forgets nothing and takes no more: the module may then be asked for again.
 */
void refusals_note(struct refusals *refusals, const char *module, enum stage stage, int error);

/**
 * refusals_is_final() - Is it of no use to ask again in this boot?
 *
 * The table of docs/design.md, "Which answers of the kernel are final".
 */
bool refusals_is_final(const struct refusal *refusal);

#endif
