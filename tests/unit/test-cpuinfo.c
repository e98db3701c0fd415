// SPDX-License-Identifier: GPL-2.0-or-later
/* The first entry of /proc/cpuinfo. */
#include <string.h>

#include "cpuinfo.h"
#include "testlib.h"

static struct facts parse(const char *text)
{
	struct facts facts = { 0 };
	char *copy = strdup(text);

	assert_non_null(copy);
	cpuinfo_parse(copy, &facts);
	free(copy);
	return facts;
}

static bool is_known(const struct facts *facts, enum fact fact)
{
	return facts->set.is_known & UINT64_C(1) << fact;
}

static bool is_no(const struct facts *facts, enum fact fact)
{
	return is_known(facts, fact) && !fact_is(facts, fact);
}

#define X86(vendor, family, model, flags)                                                          \
	"processor\t: 0\nvendor_id\t: " vendor "\ncpu family\t: " family "\nmodel\t\t: " model     \
	"\nmodel name\t: some model : 99\nflags\t\t: " flags "\nbugs\t\t: hwp\n\n"

static void intel(void **state)
{
	struct facts f = parse(X86("GenuineIntel", "6", "85", "fpu tm est hwp hwp_epp"));

	(void)state;
	assert_true(fact_is(&f, FACT_X86));
	assert_true(fact_is(&f, FACT_INTEL));
	assert_true(fact_is(&f, FACT_EST));
	assert_true(fact_is(&f, FACT_HWP));
	assert_true(fact_is(&f, FACT_ACC));
	assert_true(is_no(&f, FACT_AMD));
	assert_true(is_no(&f, FACT_CPPC));
	assert_true(is_no(&f, FACT_HYPERVISOR));
	assert_true(is_no(&f, FACT_ARM64));
	assert_true(is_no(&f, FACT_CENTRINO));
	assert_string_equal(f.cpu, "GenuineIntel family 6 model 85");
	/* what the processor cannot tell stays unknown */
	assert_false(is_known(&f, FACT_PSS));
	assert_false(is_known(&f, FACT_ACPI));
}

static void whole_words_only(void **state)
{
	struct facts f = parse(X86("GenuineIntel", "6", "1", "hwp_epp best xest est_ cppc2 tm2 "));

	(void)state;
	assert_true(is_no(&f, FACT_HWP));
	assert_true(is_no(&f, FACT_EST));
	assert_true(is_no(&f, FACT_CPPC));
	assert_true(is_no(&f, FACT_ACC));
	f = parse(X86("GenuineIntel", "6", "1", "estest est"));
	assert_true(fact_is(&f, FACT_EST));
}

static void families(void **state)
{
	static const struct {
		const char *vendor;
		int family, model;
		enum fact fact;
		bool is_so;
	} table[] = {
		{ "AuthenticAMD", 5, 13, FACT_K6, true },
		{ "AuthenticAMD", 6, 10, FACT_K7, true },
		{ "AuthenticAMD", 15, 72, FACT_K8, true },
		{ "AuthenticAMD", 16, 4, FACT_K8, false },
		{ "GenuineIntel", 15, 4, FACT_K8, false },
		{ "GenuineIntel", 6, 9, FACT_CENTRINO, true },
		{ "GenuineIntel", 6, 13, FACT_CENTRINO, true },
		{ "GenuineIntel", 15, 3, FACT_CENTRINO, true },
		{ "GenuineIntel", 15, 4, FACT_CENTRINO, true },
		{ "GenuineIntel", 6, 14, FACT_CENTRINO, false },
		{ "AuthenticAMD", 6, 9, FACT_CENTRINO, false },
		{ "GenuineIntel", 6, 8, FACT_SPEEDSTEP, true },
		{ "GenuineIntel", 6, 11, FACT_SPEEDSTEP, true },
		{ "GenuineIntel", 15, 2, FACT_SPEEDSTEP, true },
		{ "GenuineIntel", 15, 1, FACT_SPEEDSTEP, false },
		{ "CentaurHauls", 6, 9, FACT_LONGHAUL, true },
		{ "CentaurHauls", 7, 9, FACT_LONGHAUL, false },
		{ "  Shanghai  ", 7, 11, FACT_VIA, true },
		{ "  Shanghai  ", 6, 11, FACT_LONGHAUL, true },
		{ "GenuineTMx86", 5, 4, FACT_TRANSMETA, true },
		{ "TransmetaCPU", 15, 2, FACT_TRANSMETA, true },
		{ "Geode by NSC", 5, 9, FACT_NSC, true },
		{ "CyrixInstead", 5, 4, FACT_NSC, true },
		{ "HygonGenuine", 24, 0, FACT_AMD, false },
		{ "GenuineIntel ", 6, 0, FACT_INTEL, false },
		{ "genuineintel", 6, 0, FACT_INTEL, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char text[256];
		struct facts f;

		(void)snprintf(text, sizeof(text), X86("%s", "%d", "%d", "fpu"), table[i].vendor,
			       table[i].family, table[i].model);
		f = parse(text);
		if (fact_is(&f, table[i].fact) != table[i].is_so)
			print_error("%s family %d model %d\n", table[i].vendor, table[i].family,
				    table[i].model);
		assert_true(is_known(&f, table[i].fact));
		assert_int_equal(fact_is(&f, table[i].fact), table[i].is_so);
	}
}

static void arm(void **state)
{
	struct facts f = parse("processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd cpuid\n"
			       "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n");

	(void)state;
	assert_true(fact_is(&f, FACT_ARM64));
	assert_true(is_no(&f, FACT_X86));
	assert_false(is_known(&f, FACT_INTEL));
	assert_string_equal(f.cpu, "arm implementer 0x41");
}

static void only_the_first_entry(void **state)
{
	struct facts f = parse("vendor_id\t: GenuineIntel\nflags\t\t: fpu\n\n"
			       "vendor_id\t: AuthenticAMD\nflags\t\t: est\n");

	(void)state;
	assert_true(fact_is(&f, FACT_INTEL));
	assert_true(is_no(&f, FACT_EST));
}

/* Cut off anywhere: what is known then was known with the whole text too. */
static void truncated(void **state)
{
	static const char whole[] = X86("GenuineIntel", "6", "13", "fpu est hwp");
	struct facts all = parse(whole);

	(void)state;
	for (size_t len = 0; len < sizeof(whole); len++) {
		char text[sizeof(whole)];
		struct facts f;

		memcpy(text, whole, len);
		text[len] = '\0';
		f = parse(text);
		assert_false(f.set.is_known & ~all.set.is_known);
		assert_false(f.set.is_true & ~f.set.is_known);
	}
	{
		struct facts f = parse("vendor_id\t: GenuineIntel\n");

		assert_true(fact_is(&f, FACT_INTEL));
		assert_false(is_known(&f, FACT_EST));
		assert_false(is_known(&f, FACT_K8));
		assert_false(is_known(&f, FACT_CENTRINO));
	}
}

/* One architecture, and the others are out of the question. */
static void architectures(void **state)
{
	static const struct {
		const char *text;
		int fact; /* -1: none that has cpufreq drivers */
	} table[] = {
		{ "processor\t: 0\nhart\t\t: 0\nisa\t: rv64imafdc\nmmu\t: sv39\n", FACT_RISCV },
		{ "processor\t: 0\ncpu\t\t: POWER8 (raw), altivec supported\n", FACT_POWER },
		{ "system type\t\t: generic-loongson-machine\nprocessor\t\t: 0\n", FACT_LOONGARCH },
		{ "processor\t\t: 0\nModel Name\t\t: Loongson-3A5000-HV\n", FACT_LOONGARCH },
		{ "processor\t: 0\nCPU implementer\t: 0x51\n", FACT_ARM64 },
		{ "vendor_id       : IBM/S390\n# processors    : 4\n", -1 },
	};
	static const enum fact archs[] = { FACT_X86, FACT_ARM64, FACT_RISCV, FACT_POWER,
					   FACT_LOONGARCH };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct facts f = parse(table[i].text);

		for (size_t k = 0; k < ARRAY_SIZE(archs); k++) {
			assert_true(is_known(&f, archs[k]));
			assert_int_equal(fact_is(&f, archs[k]), table[i].fact == (int)archs[k]);
		}
	}
}

static void nothing_known(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"\n" X86("GenuineIntel", "6", "1", "est"),
		"processor\t: 0\ncpu\t\t: e6500\nplatform\t: CoreNet Generic\n",
		"vendor\t: GenuineIntel\narch\t: IA-64\nfamily\t: 31\n",
		"no colon at all",
		":::\n",
		"vendor_id GenuineIntel\n",
		"\xff\xfe\x01\x02: x\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct facts f = parse(texts[i]);

		assert_int_equal(f.set.is_known, 0);
		assert_string_equal(f.cpu, "");
	}
}

static void odd_values(void **state)
{
	struct facts f = parse("vendor_id:GenuineIntel\ncpu family :x\nmodel:\nflags:\n");
	char text[8192];

	(void)state;
	assert_true(fact_is(&f, FACT_INTEL));
	assert_true(is_no(&f, FACT_EST));
	assert_true(is_no(&f, FACT_CENTRINO));
	f = parse("vendor_id\t: \x1b[31m\ncpu family\t: 99999999999999999999\nmodel\t: -1\n");
	assert_null(strchr(f.cpu, '\x1b'));
	memset(text, 'v', sizeof(text) - 1);
	memcpy(text, "vendor_id:", 10);
	text[sizeof(text) - 1] = '\0';
	f = parse(text);
	assert_true(fact_is(&f, FACT_X86));
}

static void reading(void **state)
{
	struct tree *t = *state;
	struct facts f = { 0 };

	cpuinfo_read(t->fd, &f);
	assert_int_equal(f.set.is_known, 0);
	tree_fifo(t, "proc/cpuinfo");
	cpuinfo_read(t->fd, &f);
	assert_int_equal(f.set.is_known, 0);
	tree_unlink(t, "proc/cpuinfo");
	tree_bytes(t, "proc/cpuinfo", "vendor_id\t: GenuineIntel\n\0\0flags: est\n", 38);
	cpuinfo_read(t->fd, &f);
	assert_true(fact_is(&f, FACT_INTEL));
	assert_false(is_known(&f, FACT_EST));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intel),
		cmocka_unit_test(whole_words_only),
		cmocka_unit_test(families),
		cmocka_unit_test(arm),
		cmocka_unit_test(only_the_first_entry),
		cmocka_unit_test(truncated),
		cmocka_unit_test(architectures),
		cmocka_unit_test(nothing_known),
		cmocka_unit_test(odd_values),
		test_in_tree(reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
