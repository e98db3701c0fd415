/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_STATE_H
#define CPUFREQ_RESOLVE_STATE_H

/* What this boot's runs leave for the next one: /run/cpufreq-resolve/state. */

#include "facts.h"

#define STATE_PATH   "run/cpufreq-resolve/state"
#define STATE_FORMAT 1

/* What an earlier run wrote down, for status; the attempts go into the facts. */
struct state {
	bool is_there; /* of this boot and kernel */
	char version[32];
	char outcome[32];
	char driver[64]; /* scaling_driver at that time, "" if none */
	char reason[300];
};

/**
 * state_parse() - Read a state file's text
 * @text: KEY=value lines, values in double quotes where they hold blanks; cut in place
 * @facts: boot id and kernel in; the attempts out, for a file of this boot and kernel only
 *
 * Return: 0, also for a file of another boot, which is as good as none; -EINVAL if it is damaged;
 * -EPROTO if a newer version wrote it.
 */
int state_parse(char *text, struct facts *facts, struct state *ret) _must_check_;

/**
 * state_load() - Read the state file below a root into the facts
 *
 * A file that can't be understood is noted with facts_fail(): it may say that a module was tried,
 * and nothing is to be tried twice.
 *
 * Return: 0 or -ENOMEM.
 */
int state_load(int rootfd, struct facts *facts, struct state *ret) _must_check_;

/**
 * state_format() - The text of a state file
 * @outcome: one word
 * @reason: one sentence
 *
 * Return: the text, to be freed, or NULL when out of memory.
 */
char *state_format(const struct facts *facts, const char *outcome, const char *reason);

const char *stage_name(enum stage stage);

/** stage_parse() - The stage of a word that stage_name() gave; false: it is none. */
bool stage_parse(const char *word, enum stage *ret);

#endif
