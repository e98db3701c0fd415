// SPDX-License-Identifier: GPL-2.0-or-later
#include "acpi-tables.h"
#include "fuzz.h"

/* The same bytes as AML and as a FADT: either may stand in a file that calls itself so. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct facts facts = { .pm_profile = -1 };
	struct acpi_scan scan = { 0 }, twice;

	acpi_scan_table(data, size, &scan);
	must(!(scan.names &
	       ~(unsigned int)(TABLE_PSS | TABLE_PCT | TABLE_CPC | TABLE_PPC | TABLE_PCCH)));
	must(!(scan.has_io || scan.has_ffh) || (scan.names & TABLE_PCT));
	twice = scan;
	acpi_scan_table(data, size, &twice);
	must(memcmp(&scan, &twice, sizeof(scan)) == 0);

	acpi_scan_fadt(data, size, &facts);
	must(facts.pm_profile >= -1 && facts.pm_profile <= 255);
	must(!fact_is(&facts, FACT_PROLIANT) || !fact_is(&facts, FACT_ORACLE));
	for (const char *s = facts.oem; *s; s++)
		must(*s >= ' ' && *s <= '~');
	return 0;
}
