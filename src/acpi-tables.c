// SPDX-License-Identifier: GPL-2.0-or-later
#include "acpi-tables.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "util.h"

#define TABLES_DIR  "sys/firmware/acpi/tables"
#define DYNAMIC_DIR TABLES_DIR "/dynamic"
#define TABLES_MAX  256

/* ACPI 6.5: 5.2.6 (header), 5.2.9 (FADT), 20.2 (AML byte codes) */
#define HEADER_SIZE    36
#define OEM_ID         10
#define OEM_TABLE_ID   16
#define FADT_PROFILE   45
#define AML_NAME       0x08
#define AML_METHOD     0x14
#define AML_EXT        0x5b
#define AML_LOAD_TABLE 0x1f
#define AML_LOAD       0x20
#define GENERIC_REG    "\x82\x0c" /* a generic register descriptor, low byte of its length */
#define SPACE_IO       0x01
#define SPACE_FFH      0x7f
/* A _PCT is a few dozen bytes; a method that picks one of several, a few hundred. */
#define PCT_MAX 256

static const struct {
	char name[5];
	enum table_name bit;
} names[] = {
	{ "_PSS", TABLE_PSS }, { "_PCT", TABLE_PCT },  { "_CPC", TABLE_CPC },
	{ "_PPC", TABLE_PPC }, { "PCCH", TABLE_PCCH },
};

/*
 * Is the name at @at being defined there, not only spoken of? By Name or Method, whose package
 * length is one to four bytes with their number in the top bits of the first, or as an Alias of the
 * same name, as makers do for all CPUs but the first.
 */
static bool is_definition(const uint8_t *t, size_t at)
{
	size_t p = at;

	while (p > 0 && (t[p - 1] == '\\' || t[p - 1] == '^'))
		p--;
	if (p > 0 && t[p - 1] == AML_NAME)
		return true;
	for (size_t bytes = 1; bytes <= 4 && p > bytes; bytes++)
		if (t[p - bytes - 1] == AML_METHOD && (size_t)(t[p - bytes] >> 6) == bytes - 1)
			return true;
	return at >= 4 && memcmp(t + at - 4, t + at, 4) == 0;
}

static void note_space(const uint8_t *t, size_t size, size_t at, struct acpi_scan *scan)
{
	size_t end = size - at > PCT_MAX ? at + PCT_MAX : size;

	for (size_t i = at + 4; i + 3 < end; i++) {
		if (memcmp(t + i, GENERIC_REG, 2) != 0 || t[i + 2] != 0)
			continue;
		if (t[i + 3] == SPACE_IO)
			scan->has_io = true;
		else if (t[i + 3] == SPACE_FFH)
			scan->has_ffh = true;
	}
}

void acpi_scan_table(const uint8_t *table, size_t size, struct acpi_scan *scan)
{
	for (size_t at = HEADER_SIZE; at + 4 <= size; at++) {
		if (table[at] == AML_EXT &&
		    (table[at + 1] == AML_LOAD || table[at + 1] == AML_LOAD_TABLE))
			scan->has_load = true;
		if (table[at] != '_' && table[at] != 'P')
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			if (memcmp(table + at, names[i].name, 4) != 0 || !is_definition(table, at))
				continue;
			scan->names |= names[i].bit;
			if (names[i].bit == TABLE_PCT)
				note_space(table, size, at, scan);
		}
	}
}

static bool is_oracle(const char *id, const char *table_id)
{
	static const char *const models[] = { "X4-2",    "X4-2L",   "X4-2B",    "X3-2",
					      "X3-2L",   "X3-2B",   "X4470M2",  "X4270M3",
					      "X4270M2", "X4170M2", "X4170 M3", "X4275 M3",
					      "X6-2",    "Sudbury" };

	if (strcmp(id, "ORACLE") != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (strcmp(table_id, models[i]) == 0)
			return true;
	return false;
}

static void copy_id(char *to, const uint8_t *from, size_t len)
{
	memcpy(to, from, len);
	to[len] = '\0';
	str_printable(to);
	while (len > 0 && to[len - 1] == ' ')
		to[--len] = '\0';
}

/* plat_info[] of drivers/cpufreq/intel_pstate.c */
void acpi_scan_fadt(const uint8_t *table, size_t size, struct facts *facts)
{
	char id[7], table_id[9];

	if (size <= FADT_PROFILE || memcmp(table, "FACP", 4) != 0)
		return;
	copy_id(id, table + OEM_ID, 6);
	copy_id(table_id, table + OEM_TABLE_ID, 8);
	(void)snprintf(facts->oem, sizeof(facts->oem), "%s/%s", id, table_id);
	if (facts->pm_profile < 0)
		facts->pm_profile = table[FADT_PROFILE];
	fact_put(facts, FACT_PROLIANT, strcmp(id, "HP") == 0 && strcmp(table_id, "ProLiant") == 0);
	if (!is_oracle(id, table_id))
		fact_put(facts, FACT_ORACLE, false);
	else if (!(facts->set.is_known & FACT(ORACLE)) && facts->has_tables)
		fact_put(facts, FACT_ORACLE, facts->in_tables & TABLE_PPC);
}

static int scan_file(int rootfd, const char *dir, const char *name, struct acpi_scan *scan)
{
	_cleanup_free_ char *table = NULL;
	char path[320];
	size_t size;
	int r;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	r = file_read(rootfd, path, ACPI_TABLE_MAX, &table, &size);
	if (r == 0)
		acpi_scan_table((const uint8_t *)table, size, scan);
	return r;
}

/* All that hold AML. Returns how many, or -1 if one could not be read. */
static int scan_dir(int rootfd, const char *dir, struct acpi_scan *scan)
{
	int fd = path_open(rootfd, dir, O_RDONLY | O_DIRECTORY), count = 0;
	const struct dirent *e;
	DIR *d;

	if (fd < 0)
		return -1;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -1;
	}
	while (count >= 0 && (e = readdir(d))) {
		if (strncmp(e->d_name, "SSDT", 4) != 0 && strcmp(e->d_name, "DSDT") != 0)
			continue;
		if (scan_file(rootfd, dir, e->d_name, scan) < 0 || count == TABLES_MAX)
			count = -1;
		else
			count++;
	}
	closedir(d);
	return count;
}

static bool is_known(const struct facts *facts, enum fact fact)
{
	return facts->set.is_known & UINT64_C(1) << fact;
}

static void put_missing(struct facts *facts, enum fact fact)
{
	if (!is_known(facts, fact))
		fact_put(facts, fact, false);
}

/* Without one of the two the kernel has no use for the other (acpi_processor_get_performance_info).
 */
static void conclude(struct facts *facts, const struct acpi_scan *scan)
{
	bool has_pss = (scan->names & TABLE_PSS) && (scan->names & TABLE_PCT);

	if (!is_known(facts, FACT_PSS) && (has_pss || facts->has_tables))
		fact_put(facts, FACT_PSS, has_pss);
	if (!is_known(facts, FACT_PCCH) && ((scan->names & TABLE_PCCH) || facts->has_tables))
		fact_put(facts, FACT_PCCH, scan->names & TABLE_PCCH);
	if (scan->has_io != scan->has_ffh)
		fact_put(facts, FACT_PCT_IO, scan->has_io);
	if (facts->has_tables && !(scan->names & TABLE_CPC)) {
		put_missing(facts, FACT_ACPI_CPPC);
		put_missing(facts, FACT_ALL_CPPC);
	}
}

void acpi_tables_read(int rootfd, struct facts *facts)
{
	struct acpi_scan scan = { 0 };
	_cleanup_free_ char *fadt = NULL;
	int count = scan_dir(rootfd, TABLES_DIR, &scan);
	/* Intel's P-states mostly come in tables that other tables load; the kernel shows these. */
	int dynamic = path_exists(rootfd, DYNAMIC_DIR) == 1 ? scan_dir(rootfd, DYNAMIC_DIR, &scan) :
		      scan.has_load                         ? -1 :
							      0;
	size_t size;

	facts->has_tables =
		count > 0 && dynamic >= 0 && path_exists(rootfd, TABLES_DIR "/DSDT") == 1;
	facts->in_tables = scan.names;
	conclude(facts, &scan);
	if (file_read(rootfd, TABLES_DIR "/FACP", ACPI_TABLE_MAX, &fadt, &size) == 0)
		acpi_scan_fadt((const uint8_t *)fadt, size, facts);
}
