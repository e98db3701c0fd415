// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpuinfo.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = fuzz_text(data, size);
	struct facts facts = { 0 };

	cpuinfo_parse(text, &facts);
	must(!(facts.set.is_true & ~facts.set.is_known));
	must(!(facts.set.is_known & ~FACTS_ALL));
	must(!fact_is(&facts, FACT_INTEL) || !fact_is(&facts, FACT_AMD));
	for (const char *s = facts.cpu; *s; s++)
		must(*s >= ' ' && *s <= '~');
	return 0;
}
