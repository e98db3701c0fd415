// SPDX-License-Identifier: GPL-2.0-or-later
#include "fuzz.h"
#include "state.h"

static void boot(struct facts *facts)
{
	*facts = (struct facts){ .boot_id = "b", .kernel = "k" };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = fuzz_text(data, size), *once = NULL, *twice = NULL,
			    *copy = NULL;
	struct facts facts, again;
	struct state state;

	boot(&facts);
	if (state_parse(text, &facts, &state) < 0)
		return 0;
	/* What was understood once is understood again, and means the same. */
	once = state_format(&facts, "none", "reason");
	must(once);
	copy = strdup(once);
	must(copy);
	boot(&again);
	must(state_parse(copy, &again, &state) == 0 && state.is_there);
	for (size_t i = 0; i < driver_count; i++) {
		must(again.modules[i].attempt == facts.modules[i].attempt);
		must(facts.modules[i].error <= 0 && facts.modules[i].error >= -4095);
	}
	twice = state_format(&again, "none", "reason");
	must(twice && strcmp(once, twice) == 0);
	return 0;
}
