// SPDX-License-Identifier: GPL-2.0-or-later
#include "gather.h"

#include "modules.h"

int gather(int rootfd, struct facts *facts, struct state *state, struct decision *d)
{
	int r = facts_gather(rootfd, facts);

	if (r < 0)
		return r;
	facts_gather_reasons(rootfd, facts);
	r = state_load(rootfd, facts, state);
	if (r == 0)
		r = modules_lookup(rootfd, facts);
	if (r == 0)
		decide(facts, false, d);
	return r;
}
