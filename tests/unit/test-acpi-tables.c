// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables byte by byte: what is defined in them, and what is only spoken of. */
#include <string.h>

#include "acpi-tables.h"
#include "testlib.h"

#define HEADER "DSDT\0\0\0\0\2\0FIXTURTESTTABL\1\0\0\0INTL\1\0\0\0"

struct image {
	uint8_t bytes[256];
	size_t size;
};

static struct image table(const char *aml, size_t size)
{
	struct image t = { .size = 36 + size };

	assert_true(size <= sizeof(t.bytes) - 36);
	memcpy(t.bytes, HEADER, sizeof(HEADER) - 1);
	memcpy(t.bytes + 36, aml, size);
	return t;
}

#define TABLE(aml) table(aml, sizeof(aml) - 1)

static struct acpi_scan scan(struct image t)
{
	struct acpi_scan s = { 0 };

	acpi_scan_table(t.bytes, t.size, &s);
	return s;
}

static void definitions(void **state)
{
	(void)state;
	assert_int_equal(sizeof(HEADER) - 1, 36);
	assert_int_equal(scan(TABLE("\x08_PSS\x12\x02\x00")).names, TABLE_PSS);
	assert_int_equal(scan(TABLE("\x14\x06_PSS\x00")).names, TABLE_PSS);
	assert_int_equal(scan(TABLE("\x14\x46\x01_CPC\x00")).names, TABLE_CPC);
	assert_int_equal(scan(TABLE("\x14\x86\x01\x01_PPC\x00")).names, TABLE_PPC);
	assert_int_equal(scan(TABLE("\x08\\PCCH\x12\x02\x00")).names, TABLE_PCCH);
	assert_int_equal(scan(TABLE("\x14\x0a^_PCT\x00")).names, TABLE_PCT);
	assert_int_equal(scan(TABLE("\x06_PSS_PSS")).names, TABLE_PSS);
}

static void mentions(void **state)
{
	(void)state;
	/* External, an argument of CondRefOf, a path, a string */
	assert_int_equal(scan(TABLE("\x15_PSS\x08\x00")).names, 0);
	assert_int_equal(scan(TABLE("\x5b\x12_PSS\x60")).names, 0);
	assert_int_equal(scan(TABLE("\x70\x2e_PR_CPU0_PSS")).names, 0);
	assert_int_equal(scan(TABLE("\x0dsee _PSS\0")).names, 0);
	/* the length's first byte says two bytes, and there is one */
	assert_int_equal(scan(TABLE("\x14\x46_PSS")).names, 0);
}

static void spaces(void **state)
{
	struct acpi_scan s = scan(TABLE("\x08_PCT\x12\x16\x02\x11\x13\x0a\x10\x82\x0c\x00\x7f"));

	(void)state;
	assert_true(s.has_ffh && !s.has_io);
	s = scan(TABLE("\x08_PCT\x12\x16\x02\x11\x13\x0a\x10\x82\x0c\x00\x01"));
	assert_true(s.has_io && !s.has_ffh);
	s = scan(TABLE("\x08_PCT\x12\x16\x02\x11\x13\x0a\x10\x82\x0c\x00"));
	assert_false(s.has_io || s.has_ffh);
	assert_true(scan(TABLE("\x5b\x20SSDT")).has_load);
	assert_true(scan(TABLE("\x5b\x1f\x0dSSDT")).has_load);
	assert_false(scan(TABLE("\x5b\x21SSDT")).has_load);
}

/* Cut off anywhere, and nothing is read behind the end (ASan looks). */
static void truncated(void **state)
{
	struct image t = TABLE("\x08_PSS\x12\x02\x00\x08_PCT\x12\x16\x02\x82\x0c\x00\x7f\x5b\x20");

	(void)state;
	for (size_t size = 0; size <= t.size; size++) {
		uint8_t *copy = malloc(size ? size : 1);
		struct acpi_scan s = { 0 };
		struct facts f = { .pm_profile = -1 };

		assert_non_null(copy);
		memcpy(copy, t.bytes, size);
		acpi_scan_table(copy, size, &s);
		if (size < 36 + 5)
			assert_int_equal(s.names, 0);
		acpi_scan_fadt(copy, size, &f);
		assert_int_equal(f.set.is_known, 0);
		free(copy);
	}
}

static void fadt(void **state)
{
	struct image t = TABLE("\0\0\0\0\0\0\0\0\0\x04");
	struct facts f = { .pm_profile = -1 };

	(void)state;
	memcpy(t.bytes, "FACP", 4);
	memcpy(t.bytes + 10, "HP    ProLiant", 14);
	acpi_scan_fadt(t.bytes, t.size, &f);
	assert_int_equal(f.pm_profile, 4);
	assert_true(fact_is(&f, FACT_PROLIANT));
	assert_false(fact_is(&f, FACT_ORACLE));
	assert_string_equal(f.oem, "HP/ProLiant");

	f = (struct facts){ .pm_profile = 2, .has_tables = true, .in_tables = TABLE_PPC };
	memcpy(t.bytes + 10, "ORACLEX4-2    ", 14);
	acpi_scan_fadt(t.bytes, t.size, &f);
	assert_true(fact_is(&f, FACT_ORACLE));
	assert_false(fact_is(&f, FACT_PROLIANT));
	assert_int_equal(f.pm_profile, 2); /* what the kernel says stays */
}

static void in_a_tree(void **state)
{
	const struct tree *tree = *state;
	struct image t = TABLE("\x08_PSS\x12\x02\x00\x08_PCT\x12\x02\x00");
	struct facts f = { .pm_profile = -1 };

	/* nothing there: nothing is concluded */
	acpi_tables_read(tree->fd, &f);
	assert_int_equal(f.set.is_known, 0);

	tree_bytes(tree, "sys/firmware/acpi/tables/SSDT1", t.bytes, t.size);
	acpi_tables_read(tree->fd, &f);
	assert_true(fact_is(&f, FACT_PSS));
	/* without the DSDT it may still be there */
	assert_false(f.set.is_known & FACT(PCCH));

	t = TABLE("\x08_FOO");
	tree_bytes(tree, "sys/firmware/acpi/tables/DSDT", t.bytes, t.size);
	acpi_tables_read(tree->fd, &f);
	assert_true(f.has_tables);
	assert_true(f.set.is_known & ~f.set.is_true & FACT(PCCH));
	assert_true(f.set.is_known & ~f.set.is_true & FACT(ALL_CPPC));

	/* AML that loads more, which the kernel shows in a folder of its own */
	f = (struct facts){ .pm_profile = -1 };
	t = TABLE("\x5b\x20_FOO");
	tree_bytes(tree, "sys/firmware/acpi/tables/DSDT", t.bytes, t.size);
	acpi_tables_read(tree->fd, &f);
	assert_false(f.has_tables);
	assert_false(f.set.is_known & FACT(PCCH));
	t = TABLE("\x08PCCH");
	tree_bytes(tree, "sys/firmware/acpi/tables/dynamic/SSDT9", t.bytes, t.size);
	acpi_tables_read(tree->fd, &f);
	assert_true(f.has_tables);
	assert_true(fact_is(&f, FACT_PCCH));
	/* what a platform device told is not overruled */
	f = (struct facts){ .pm_profile = -1 };
	fact_put(&f, FACT_PCCH, false);
	acpi_tables_read(tree->fd, &f);
	assert_false(fact_is(&f, FACT_PCCH));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions), cmocka_unit_test(mentions), cmocka_unit_test(spaces),
		cmocka_unit_test(truncated),   cmocka_unit_test(fadt),     test_in_tree(in_a_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
