/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_GATHER_H
#define CPUFREQ_RESOLVE_GATHER_H

#include "decide.h"
#include "macro.h"
#include "state.h"

/**
 * gather() - What all verbs need that only look: the facts, this boot's state, the verdicts
 * @facts: to be freed with facts_free()
 *
 * Return: 0, or -errno, and then nothing of it is to be used.
 */
int gather(int rootfd, struct facts *facts, struct state *state, struct decision *d) _must_check_;

#endif
