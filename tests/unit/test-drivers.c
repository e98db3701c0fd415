// SPDX-License-Identifier: GPL-2.0-or-later
/* The table keeps its own rules. */
#include <ctype.h>
#include <string.h>

#include "drivers.h"
#include "testlib.h"

static void names_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver_count; i++) {
		assert_true(strlen(drivers[i].name) > 0);
		for (const char *s = drivers[i].name; *s; s++)
			assert_true(islower((unsigned char)*s) || isdigit((unsigned char)*s) ||
				    *s == '_');
		assert_int_equal(driver_find(drivers[i].name), (int)i);
	}
	assert_true(driver_count <= DRIVER_MAX);
}

static void dashes_are_underscores(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver_count; i++) {
		char name[64];

		assert_true(strlen(drivers[i].name) < sizeof(name));
		strcpy(name, drivers[i].name);
		for (char *s = name; *s; s++)
			if (*s == '_')
				*s = '-';
		assert_int_equal(driver_find(name), (int)i);
	}
	assert_int_equal(driver_find(""), -1);
	assert_int_equal(driver_find("acpi_cpufreq2"), -1);
}

static void reports_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver_count; i++) {
		assert_non_null(drivers[i].reports[0]);
		for (size_t j = 0; j < 3; j++)
			if (drivers[i].reports[j])
				assert_int_equal(driver_find_reported(drivers[i].reports[j]),
						 (int)i);
	}
	assert_int_equal(driver_find_reported("apple-cpufreq"), driver_find("cpufreq_dt"));
	assert_int_equal(driver_find_reported("virt-cpufreq"), driver_find("cpufreq_dt"));
	assert_int_equal(driver_find_reported(""), -1);
	assert_int_equal(driver_find_reported("acpi_cpufreq"), -1); /* it says acpi-cpufreq */
}

static void no_row_needs_what_it_excludes(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver_count; i++) {
		assert_int_equal(drivers[i].needs & drivers[i].unless, 0);
		assert_int_not_equal(drivers[i].needs, 0);
		assert_int_equal((drivers[i].needs | drivers[i].unless) & ~FACTS_ALL, 0);
		/* Two names, and a fact that chooses between them; or one and none. */
		assert_int_equal(!drivers[i].first_if, !drivers[i].reports[1]);
	}
}

static void every_fact_is_used(void **state)
{
	uint64_t used = FACTS_NOBODY;

	(void)state;
	for (size_t i = 0; i < driver_count; i++)
		used |= drivers[i].needs | drivers[i].unless | drivers[i].first_if;
	for (size_t i = 0; i < fact_rule_count; i++)
		used |= fact_rules[i].needs | fact_rules[i].unless;
	for (unsigned int f = 0; f < FACT_COUNT; f++) {
		if (!(used & UINT64_C(1) << f))
			print_error("neither row nor rule uses %s\n", fact_name(f));
		assert_true(used & UINT64_C(1) << f);
	}
}

/* A derived fact comes after all that it follows from, and its rules stand together. */
static void rules_are_in_order(void **state)
{
	uint64_t derived = 0, done = 0;

	(void)state;
	for (size_t i = 0; i < fact_rule_count; i++)
		derived |= UINT64_C(1) << fact_rules[i].fact;
	for (size_t i = 0; i < fact_rule_count; i++) {
		uint64_t bit = UINT64_C(1) << fact_rules[i].fact;

		assert_int_equal(fact_rules[i].needs & fact_rules[i].unless, 0);
		assert_int_equal((fact_rules[i].needs | fact_rules[i].unless) & derived & ~done, 0);
		if (i + 1 == fact_rule_count || fact_rules[i + 1].fact != fact_rules[i].fact) {
			assert_int_equal(done & bit, 0);
			done |= bit;
		}
	}
	assert_int_equal(done, derived);
}

/* Unknown facts leave open what they matter to, and nothing else. */
static void derived_facts(void **state)
{
	struct fact_set set = { 0 };

	(void)state;
	facts_derive(&set);
	assert_int_equal(set.is_known, 0);
	set.is_known = set.is_true = FACT(EST);
	facts_derive(&set);
	assert_true(set.is_known & set.is_true & FACT(ACPI_WAY));
	set = (struct fact_set){ .is_known = FACT(EST) | FACT(HW_PSTATE) | FACT(PCT_IO) };
	facts_derive(&set);
	assert_true(set.is_known & ~set.is_true & FACT(ACPI_WAY));
	set.is_known = FACT(EST) | FACT(HW_PSTATE);
	facts_derive(&set);
	assert_false(set.is_known & FACT(ACPI_WAY));
	/* what was derived once does not stay when its ground is gone */
	set = (struct fact_set){ .is_known = FACT(AMD_ON), .is_true = FACT(AMD_ON) };
	facts_derive(&set);
	assert_int_equal(set.is_known, 0);
}

/* The very first rule counts, too: firmware has switched HWP on, whatever the command line says. */
/* A driver of another architecture, which is known not to be this one. */
static void foreign(void **state)
{
	static const struct {
		const char *driver;
		uint64_t arch;
	} cases[] = {
		{ "acpi_cpufreq", FACT(X86) },       { "scmi_cpufreq", FACT(ARM64) },
		{ "powernv_cpufreq", FACT(POWER) },  { "loongson3_cpufreq", FACT(LOONGARCH) },
		{ "cppc_cpufreq", FACT(CPPC_ARCH) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fact_set set = { .is_known = cases[i].arch };
		int row = driver_find(cases[i].driver);

		assert_in_range(row, 0, driver_count - 1);
		assert_true(driver_is_foreign((size_t)row, &set));
		set.is_true = cases[i].arch;
		assert_false(driver_is_foreign((size_t)row, &set));
		set = (struct fact_set){ .is_known = 0 };
		assert_false(driver_is_foreign((size_t)row, &set));
		/* What is missing else does not make it foreign. */
		set.is_known = FACTS_ALL & ~cases[i].arch;
		assert_false(driver_is_foreign((size_t)row, &set));
	}
}

static void first_rule(void **state)
{
	struct fact_set set = { .is_known = FACTS_ALL };

	(void)state;
	set.is_true = FACT(HWP) | FACT(HWP_FORCED) | FACT(NO_HWP);
	facts_derive(&set);
	assert_true(set.is_true & FACT(HWP_ACTIVE));
	set.is_true = FACT(HWP) | FACT(NO_HWP);
	facts_derive(&set);
	assert_false(set.is_true & FACT(HWP_ACTIVE));
}

static void devicetree_drivers_share_a_row(void **state)
{
	(void)state;
	assert_int_equal(driver_find_reported("qcom-cpufreq-hw"), driver_find("cpufreq_dt"));
	assert_int_equal(driver_find_reported("tegra194"), driver_find("cpufreq_dt"));
	assert_int_equal(driver_find_reported("no-such-driver"), -1);
}

static void facts_are_named(void **state)
{
	(void)state;
	for (unsigned int f = 0; f < FACT_COUNT; f++) {
		assert_true(strlen(fact_help(f)) > 0);
		for (const char *s = fact_name(f); *s; s++)
			assert_true(islower((unsigned char)*s) || isdigit((unsigned char)*s) ||
				    *s == '_');
		for (unsigned int g = 0; g < f; g++)
			assert_string_not_equal(fact_name(f), fact_name(g));
	}
}

static void rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver_count; i++) {
		assert_non_null(drivers[i].what);
		assert_non_null(drivers[i].initcall);
		assert_null(strchr(drivers[i].source, '/'));
		assert_string_equal(drivers[i].source + strlen(drivers[i].source) - 2, ".c");
		/* What may wait needs a device by which that shows. */
		if (drivers[i].flags & DRIVER_MAY_DEFER)
			assert_non_null(drivers[i].device);
	}
}

/* The order is the policy; these are the pairs that the design speaks of. */
static void order(void **state)
{
	(void)state;
	assert_true(driver_find("intel_pstate") < driver_find("acpi_cpufreq"));
	assert_true(driver_find("amd_pstate") < driver_find("acpi_cpufreq"));
	assert_true(driver_find("acpi_cpufreq") < driver_find("pcc_cpufreq"));
	assert_true(driver_find("acpi_cpufreq") < driver_find("powernow_k8"));
	assert_true(driver_find("acpi_cpufreq") < driver_find("speedstep_centrino"));
}

/* Names of the facts of a set, each with a blank before it. */
static void add_facts(char *line, size_t size, const char *title, uint64_t set)
{
	(void)snprintf(line + strlen(line), size - strlen(line), "%s%s", set ? "; " : "",
		       set ? title : "");
	for (unsigned int f = 0; f < FACT_COUNT; f++)
		if (set & UINT64_C(1) << f)
			(void)snprintf(line + strlen(line), size - strlen(line), " %s",
				       fact_name(f));
}

/*
 * The table once more, in words. It is knowledge, from the kernel's sources, and nothing else in
 * this tree could tell that a bit of it has changed; whoever changes a row changes it here and says
 * why.
 */
static void word_by_word(void **state)
{
	static const char *const expected[] = {
		"intel_pstate intel_pstate intel_cpufreq; needs x86 intel intel_way; unless "
		"firmware_owns intel_off; first if intel_active; intel_pstate_init; device none; "
		"flags 1",
		"amd_pstate amd-pstate-epp amd-pstate; needs x86 amd acpi_cppc all_cppc amd_on; "
		"unless no_cppc_cpu cpc_lost; first if amd_epp; amd_pstate_init; device none; "
		"flags 1",
		"acpi_cpufreq acpi-cpufreq; needs x86 acpi pss acpi_way; unless xen_dom0 al30 k8; "
		"acpi_cpufreq_init; device acpi-cpufreq; flags 0",
		"powernow_k8 powernow-k8; needs x86 amd pss k8; unless hw_pstate; powernowk8_init; "
		"device none; flags 0",
		"pcc_cpufreq pcc-cpufreq; needs x86 acpi pcch; unless xen_dom0; pcc_cpufreq_init; "
		"device pcc-cpufreq; flags 0",
		"powernow_k6 powernow-k6; needs x86 amd k6; powernow_k6_init; device none; flags 0",
		"powernow_k7 powernow-k7; needs x86 amd k7; powernow_init; device none; flags 0",
		"longhaul longhaul; needs x86 via longhaul; longhaul_init; device none; flags 0",
		"e_powersaver e_powersaver; needs x86 via est; eps_init; device none; flags 0",
		"longrun longrun; needs x86 transmeta; longrun_init; device none; flags 0",
		"gx_suspmod gx-suspmod; needs x86 nsc; cpufreq_gx_init; device none; flags 4",
		"speedstep_centrino centrino; needs x86 intel est centrino; centrino_init; device "
		"none; flags 18",
		"speedstep_ich speedstep-ich; needs x86 intel speedstep; speedstep_init; device "
		"none; flags 0",
		"speedstep_smi speedstep-smi; needs x86 intel speedstep; speedstep_init; device "
		"none; flags 0",
		"cpufreq_nforce2 nforce2; needs x86 amd k7; nforce2_init; device none; flags 4",
		"p4_clockmod p4-clockmod; needs x86 intel acpi acc; cpufreq_p4_init; device none; "
		"flags 18",
		"cppc_cpufreq cppc_cpufreq; needs acpi acpi_cppc all_cppc cppc_arch; "
		"cppc_cpufreq_init; device none; flags 0",
		"powernv_cpufreq powernv-cpufreq; needs power opal; powernv_cpufreq_init; device "
		"none; flags 8",
		"loongson3_cpufreq loongson3; needs loongarch scalefreq; "
		"loongson3_platform_driver_init; device loongson3_cpufreq; flags 0",
		"scmi_cpufreq scmi; needs arm64 devicetree scmi; scmi_cpufreq_drv_init; device "
		"none; flags 40",
		"cpufreq_dt cpufreq-dt; needs devicetree dt_cpufreq; unless power; "
		"dt_cpufreq_platdrv_init; device cpufreq-dt; flags 62",
	};

	(void)state;
	assert_int_equal(driver_count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < driver_count; i++) {
		const struct driver *d = &drivers[i];
		char line[512];

		(void)snprintf(line, sizeof(line), "%s %s%s%s", d->name, d->reports[0],
			       d->reports[1] ? " " : "", d->reports[1] ? d->reports[1] : "");
		add_facts(line, sizeof(line), "needs", d->needs);
		add_facts(line, sizeof(line), "unless", d->unless);
		add_facts(line, sizeof(line), "first if", d->first_if);
		(void)snprintf(line + strlen(line), sizeof(line) - strlen(line),
			       "; %s; device %s; flags %x", d->initcall,
			       d->device ? d->device : "none", d->flags);
		assert_string_equal(line, expected[i]);
	}
}

/* The same for the conditions that are more than one fact. */
static void rules_word_by_word(void **state)
{
	static const char *const expected[] = {
		"hwp_active; needs hwp hwp_forced",
		"hwp_active; needs hwp hwp_epp; unless no_hwp",
		"intel_way; needs hwp_active",
		"intel_way; needs hwp; unless hypervisor hwp_only",
		"intel_way; needs pstate_model; unless hypervisor hwp_only",
		"intel_off; needs intel_disable; unless hwp_forced",
		"firmware_owns; needs oob",
		"firmware_owns; needs proliant; unless pss pcch",
		"firmware_owns; needs oracle",
		"intel_active; needs asked_active; unless asked_passive",
		"intel_active; needs hwp_active; unless asked_passive",
		"intel_active; unless asked_passive passive_default",
		"amd_on; needs amd_asked",
		"amd_on; needs cppc amd_default; unless profile_off amd_disable",
		"amd_on; needs amd_default shmem_default; unless profile_off amd_disable",
		"acpi_way; needs est",
		"acpi_way; needs hw_pstate",
		"acpi_way; needs pct_io",
		"cppc_arch; needs arm64",
		"cppc_arch; needs riscv",
	};

	(void)state;
	assert_int_equal(fact_rule_count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < fact_rule_count; i++) {
		char line[512];

		(void)snprintf(line, sizeof(line), "%s", fact_name(fact_rules[i].fact));
		add_facts(line, sizeof(line), "needs", fact_rules[i].needs);
		add_facts(line, sizeof(line), "unless", fact_rules[i].unless);
		assert_string_equal(line, expected[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(dashes_are_underscores),
		cmocka_unit_test(reports_are_unique),
		cmocka_unit_test(no_row_needs_what_it_excludes),
		cmocka_unit_test(every_fact_is_used),
		cmocka_unit_test(rules_are_in_order),
		cmocka_unit_test(derived_facts),
		cmocka_unit_test(devicetree_drivers_share_a_row),
		cmocka_unit_test(facts_are_named),
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(order),
		cmocka_unit_test(foreign),
		cmocka_unit_test(first_rule),
		cmocka_unit_test(word_by_word),
		cmocka_unit_test(rules_word_by_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
