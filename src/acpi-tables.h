/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_ACPI_TABLES_H
#define CPUFREQ_RESOLVE_ACPI_TABLES_H

/*
 * What the firmware's tables hold of P-states. User space has no AML interpreter: an object that is
 * defined somewhere may still not be there on this machine, one that no table defines is not.
 */

#include <stddef.h>
#include <stdint.h>

#include "facts.h"

#define ACPI_TABLE_MAX ((size_t)1024 * 1024)

struct acpi_scan {
	unsigned int names; /* enum table_name: defined in a table seen so far */
	bool has_ffh;       /* a _PCT with fixed hardware ... */
	bool has_io;        /* ... and one with an I/O port */
	bool has_load;      /* AML that loads further tables */
};

/**
 * acpi_scan_table() - Look for definitions in the AML of one DSDT or SSDT
 * @table: with its header of 36 bytes
 * @scan: added to
 */
void acpi_scan_table(const uint8_t *table, size_t size, struct acpi_scan *scan);

/**
 * acpi_scan_fadt() - Take the maker's ids and the preferred profile from a FADT
 * @facts: oem, pm_profile, and the facts about makers with their own power management
 */
void acpi_scan_fadt(const uint8_t *table, size_t size, struct facts *facts);

/**
 * acpi_tables_read() - Read DSDT, SSDTs, those loaded at run time, and the FADT
 *
 * Sets only facts that are not known from the kernel itself. Mostly for root alone to read; what
 * can't be read stays unknown.
 */
void acpi_tables_read(int rootfd, struct facts *facts);

#endif
