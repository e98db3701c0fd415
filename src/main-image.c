// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What initramfs images get as /usr/bin/cpufreq-resolve: the verbs that a boot needs, and nothing
 * that only people ask for.
 */
#include "cli.h"
#include "util.h"

static const struct verb verbs[] = { VERB_APPLY, VERB_LOAD };

const struct program program = {
	.verbs = verbs,
	.verb_count = ARRAY_SIZE(verbs),
	.about = "cpufreq-resolve [OPTION...] VERB\n"
		 "The part of cpufreq-resolve for an initramfs; all other verbs are on the host.\n",
	.hint = "no such verb in an initramfs, where there are apply and load alone: ",
};
