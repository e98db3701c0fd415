/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_PREDICT_H
#define CPUFREQ_RESOLVE_PREDICT_H

/* Which driver this kernel would end with on this hardware, whatever is registered now. */

#include "facts.h"

#define PREDICT_MAX      16
#define ALTERNATIVES_MAX 3 /* more are shown when they are all there is to say */

struct prediction {
	bool is_decided;
	const char *driver; /* as scaling_driver spells it; NULL: none, or not decided */
	/* What it lies between when it is not decided, in table order; NULL is none at all. */
	const char *alternatives[PREDICT_MAX];
	size_t count;
	/* None at all is possible, too, and is not among them: so many names are no answer, and on
	 * a machine that has that much else open it is the rarest. */
	bool leaves_out_none;
	uint64_t missing; /* facts that would decide it, or bring it nearer to that */
	uint64_t assumed; /* facts that were not known and taken as no, for want of a sign */
};

/**
 * predict() - Walk the table as the kernel would, both ways at every fact that is not known
 * @facts: facts_gather_more() makes fewer of them unknown
 *
 * What is registered (scaling_driver, intel_pstate/status, amd_pstate/status) is not looked at.
 */
void predict(const struct facts *facts, struct prediction *ret);

#endif
