// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts that no decision hangs on, and so none that an image has a reader for. */
#include "acpi-tables.h"
#include "facts.h"
#include "kernel.h"
#include "platform.h"

void facts_gather_reasons(int rootfd, struct facts *facts)
{
	kernel_version_parse(facts->kernel, &facts->version);
	platform_read_reasons(rootfd, facts);
	kernel_facts(facts);
	facts_derive(&facts->set);
}

void facts_gather_more(int rootfd, struct facts *facts)
{
	platform_read_more(rootfd, facts);
	acpi_tables_read(rootfd, facts);
	kernel_facts(facts);
	kernel_config_read(rootfd, facts);
	facts_derive(&facts->set);
}
