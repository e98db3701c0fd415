// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk through the table, both ways at what is not known. */
#include <string.h>

#include "predict.h"
#include "testlib.h"
#include "why.h"

static const enum fact archs[] = { FACT_X86, FACT_ARM64, FACT_RISCV, FACT_POWER, FACT_LOONGARCH };
static const enum fact vendors[] = { FACT_INTEL, FACT_AMD, FACT_VIA, FACT_TRANSMETA, FACT_NSC };

/* A machine of which all is known, and nothing is so but this. */
static struct facts machine(const enum fact *yes, size_t count)
{
	struct facts f = { .settings.is_enabled = true, .has_cmdline = true, .pm_profile = -1 };

	for (unsigned int fact = 0; fact < FACT_COUNT; fact++)
		fact_put(&f, fact, false);
	for (size_t i = 0; i < count; i++)
		fact_put(&f, yes[i], true);
	facts_derive(&f.set);
	return f;
}

#define MACHINE(...)                                                                               \
	machine((const enum fact[]){ __VA_ARGS__ },                                                \
		sizeof((const enum fact[]){ __VA_ARGS__ }) / sizeof(enum fact))

static void forget(struct facts *f, enum fact fact)
{
	f->set.is_known &= ~(UINT64_C(1) << fact);
	facts_derive(&f->set);
}

static void is_decided(const struct facts *f, const char *driver)
{
	struct prediction p;

	predict(f, &p);
	if (!p.is_decided)
		fail_msg("not decided: %zu alternatives", p.count);
	assert_int_equal(p.missing, 0);
	assert_int_equal(p.count, 0);
	if (driver)
		assert_string_equal(p.driver, driver);
	else
		assert_null(p.driver);
}

#define INTEL FACT_X86, FACT_INTEL, FACT_ACPI, FACT_EST, FACT_PASSIVE_DEFAULT
#define AMD   FACT_X86, FACT_AMD, FACT_ACPI, FACT_HW_PSTATE, FACT_AMD_DEFAULT, FACT_AMD_EPP

/* Every row that anything loads by itself wins on some machine, under each of its names. */
static void every_row(void **state)
{
	static const struct {
		const char *driver;
		enum fact facts[9];
	} table[] = {
		{ "intel_pstate", { INTEL, FACT_HWP, FACT_HWP_EPP } },
		{ "intel_cpufreq", { INTEL, FACT_PSTATE_MODEL } },
		{ "amd-pstate-epp", { AMD, FACT_CPPC, FACT_ACPI_CPPC, FACT_ALL_CPPC } },
		{ "amd-pstate",
		  { FACT_X86, FACT_AMD, FACT_ACPI, FACT_AMD_ASKED, FACT_ACPI_CPPC,
		    FACT_ALL_CPPC } },
		{ "acpi-cpufreq", { INTEL, FACT_PSS } },
		{ "powernow-k8", { FACT_X86, FACT_AMD, FACT_ACPI, FACT_PSS, FACT_K8 } },
		{ "pcc-cpufreq", { INTEL, FACT_PCCH } },
		{ "powernow-k6", { FACT_X86, FACT_AMD, FACT_K6 } },
		{ "powernow-k7", { FACT_X86, FACT_AMD, FACT_K7 } },
		{ "longhaul", { FACT_X86, FACT_VIA, FACT_LONGHAUL } },
		{ "e_powersaver", { FACT_X86, FACT_VIA, FACT_EST } },
		{ "longrun", { FACT_X86, FACT_TRANSMETA } },
		{ "gx-suspmod", { FACT_X86, FACT_NSC } },
		{ "speedstep-ich", { FACT_X86, FACT_INTEL, FACT_SPEEDSTEP } },
		{ "cppc_cpufreq", { FACT_ARM64, FACT_ACPI, FACT_ACPI_CPPC, FACT_ALL_CPPC } },
		{ "cppc_cpufreq", { FACT_RISCV, FACT_ACPI, FACT_ACPI_CPPC, FACT_ALL_CPPC } },
		{ "powernv-cpufreq", { FACT_POWER, FACT_OPAL, FACT_DEVICETREE } },
		{ "loongson3", { FACT_LOONGARCH, FACT_SCALEFREQ } },
		{ "scmi", { FACT_ARM64, FACT_DEVICETREE, FACT_SCMI } },
		{ "cpufreq-dt", { FACT_ARM64, FACT_DEVICETREE, FACT_DT_CPUFREQ } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct facts f = { 0 };
		size_t count = 0;

		/* 0 is x86, which the others start with */
		while (count < ARRAY_SIZE(table[i].facts) && (count == 0 || table[i].facts[count]))
			count++;
		f = machine(table[i].facts, count);
		is_decided(&f, table[i].driver);
	}
	assert_int_equal(FACT_X86, 0);
}

/* Three rows that nothing loads by itself win when they are forced; the fourth gives way to its
 * like. */
static void forced(void **state)
{
	struct facts f = MACHINE(FACT_X86, FACT_INTEL, FACT_ACPI, FACT_ACC);

	(void)state;
	is_decided(&f, NULL);
	strcpy(f.settings.driver, "p4-clockmod");
	is_decided(&f, "p4-clockmod");
	f = MACHINE(FACT_X86, FACT_INTEL, FACT_ACPI, FACT_EST, FACT_CENTRINO, FACT_PSS);
	is_decided(&f, "acpi-cpufreq");
	strcpy(f.settings.driver, "speedstep_centrino");
	is_decided(&f, "centrino");
	f = MACHINE(FACT_X86, FACT_INTEL, FACT_SPEEDSTEP);
	strcpy(f.settings.driver, "speedstep_smi");
	is_decided(&f, "speedstep-smi");
	f = MACHINE(FACT_X86, FACT_AMD, FACT_K7);
	strcpy(f.settings.driver, "cpufreq_nforce2");
	is_decided(&f, "nforce2");
	/* what is built in was there first */
	f = MACHINE(INTEL, FACT_HWP, FACT_HWP_EPP, FACT_PSS);
	strcpy(f.settings.driver, "acpi_cpufreq");
	is_decided(&f, "intel_pstate");
}

static void nobody(void **state)
{
	struct facts f = MACHINE(INTEL, FACT_HWP, FACT_HWP_EPP, FACT_CPUFREQ_OFF);

	(void)state;
	is_decided(&f, NULL);
	f = MACHINE(INTEL, FACT_HWP, FACT_HWP_EPP, FACT_HYPERVISOR, FACT_XEN_DOM0);
	is_decided(&f, NULL);
	f = MACHINE(INTEL, FACT_HWP, FACT_HWP_EPP, FACT_OOB);
	is_decided(&f, NULL);
	f = MACHINE(INTEL, FACT_PSTATE_MODEL, FACT_PROLIANT);
	is_decided(&f, NULL);
}

static void proliant(void **state)
{
	struct facts f = MACHINE(INTEL, FACT_PSTATE_MODEL, FACT_PROLIANT, FACT_PCCH);

	(void)state;
	is_decided(&f, "intel_cpufreq"); /* and not pcc-cpufreq */
	f = MACHINE(INTEL, FACT_PROLIANT, FACT_PCCH);
	is_decided(&f, "pcc-cpufreq");
}

static void switched_off(void **state)
{
	struct facts f = MACHINE(INTEL, FACT_HWP, FACT_HWP_EPP, FACT_PSS, FACT_INTEL_DISABLE);

	(void)state;
	is_decided(&f, "acpi-cpufreq");
	fact_put(&f, FACT_HWP_FORCED, true);
	facts_derive(&f.set);
	is_decided(&f, "intel_pstate");
}

/* What the administrator or the kernel's builder left out. */
static void blocked(void **state)
{
	struct facts f = MACHINE(INTEL, FACT_HWP, FACT_HWP_EPP, FACT_PSS);
	struct module_state *acpi = &f.modules[driver_find("acpi_cpufreq")];

	(void)state;
	f.modules[driver_find("intel_pstate")].config = 'n';
	is_decided(&f, "acpi-cpufreq");
	acpi->denial = DENIAL_BLACKLIST;
	is_decided(&f, NULL);
	acpi->denial = DENIAL_NONE;
	f.has_index = true; /* and it does not know the module */
	is_decided(&f, NULL);
	acpi->is_builtin = true;
	is_decided(&f, "acpi-cpufreq");
	assert_int_equal(cmdline_parse("initcall_blacklist=acpi_cpufreq_init", &f.cmdline), 0);
	is_decided(&f, NULL);
	cmdline_free(&f.cmdline);
}

/* Nothing that was known is asked for, and every fact that decided is missed when it is gone. */
static void open_facts(void **state)
{
	struct facts f = MACHINE(AMD, FACT_PSS);
	struct prediction p;

	(void)state;
	is_decided(&f, "acpi-cpufreq");
	forget(&f, FACT_PSS);
	predict(&f, &p);
	assert_false(p.is_decided);
	assert_null(p.driver);
	assert_int_equal(p.missing, FACT(PSS));
	assert_int_equal(p.count, 2);
	assert_string_equal(p.alternatives[0], "acpi-cpufreq");
	assert_null(p.alternatives[1]);

	forget(&f, FACT_ACPI_CPPC);
	forget(&f, FACT_ALL_CPPC);
	fact_put(&f, FACT_CPPC, true);
	facts_derive(&f.set);
	predict(&f, &p);
	assert_int_equal(p.missing, FACT(PSS) | FACT(ACPI_CPPC));
	assert_int_equal(p.count, 3);
	/* Open, and without any bearing on this machine */
	f = MACHINE(AMD, FACT_PSS);
	forget(&f, FACT_HWP);
	forget(&f, FACT_OOB);
	forget(&f, FACT_DT_CPUFREQ);
	is_decided(&f, "acpi-cpufreq");
}

/* amd_pstate as a module that modules-load.d names. */
static void by_name(void **state)
{
	struct facts f = MACHINE(AMD, FACT_CPPC, FACT_ACPI_CPPC, FACT_ALL_CPPC, FACT_PSS);
	struct module_state *amd = &f.modules[driver_find("amd_pstate")];
	struct prediction p;

	(void)state;
	fact_put(&f, FACT_AMD_EPP, false);
	amd->config = 'm';
	is_decided(&f, "acpi-cpufreq");
	/* ... while udev loads the other: who is first? */
	amd->is_wanted = true;
	predict(&f, &p);
	assert_int_equal(p.missing, FACT(AMD_DEFAULT));
	assert_int_equal(p.count, 2);
	assert_string_equal(p.alternatives[0], "amd-pstate");
	assert_string_equal(p.alternatives[1], "acpi-cpufreq");
	assert_int_equal(cmdline_parse("initcall_blacklist=acpi_cpufreq_init", &f.cmdline), 0);
	is_decided(&f, "amd-pstate");
	amd->denial = DENIAL_BLACKLIST;
	is_decided(&f, NULL);
	cmdline_free(&f.cmdline);
}

/* Which of the words was given is known, or all of them are possible. */
static void amd_words(void **state)
{
	struct facts f = MACHINE(AMD, FACT_CPPC, FACT_ACPI_CPPC, FACT_ALL_CPPC, FACT_PSS);
	struct prediction p;

	(void)state;
	forget(&f, FACT_AMD_ASKED);
	forget(&f, FACT_AMD_DISABLE);
	forget(&f, FACT_AMD_EPP);
	predict(&f, &p);
	assert_int_equal(p.count, 3);
	assert_int_equal(p.missing, FACT(AMD_ASKED) | FACT(AMD_DISABLE) | FACT(AMD_EPP));
	fact_put(&f, FACT_AMD_DISABLE, true);
	facts_derive(&f.set);
	is_decided(&f, "acpi-cpufreq");
	fact_put(&f, FACT_AMD_ASKED, true);
	fact_put(&f, FACT_AMD_EPP, false);
	forget(&f, FACT_AMD_DISABLE);
	is_decided(&f, "amd-pstate");
}

static void devicetree(void **state)
{
	struct facts f = MACHINE(FACT_ARM64, FACT_DEVICETREE, FACT_DT_CPUFREQ);

	(void)state;
	strcpy(f.dt_driver, "tegra194");
	is_decided(&f, "tegra194");
}

/* However much is unknown, it ends, and says so. */
static void nothing_known(void **state)
{
	struct facts f = { .pm_profile = -1 };
	struct prediction p;

	(void)state;
	predict(&f, &p);
	assert_false(p.is_decided);
	assert_int_equal(p.count, 0);
	assert_true(p.missing);
	for (size_t a = 0; a < ARRAY_SIZE(archs); a++) {
		for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
			fact_put(&f, archs[i], i == a);
		predict(&f, &p);
		assert_true(p.is_decided || (p.count > 1 && p.missing));
	}
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		fact_put(&f, archs[i], archs[i] == FACT_X86);
	for (size_t v = 0; v < ARRAY_SIZE(vendors); v++) {
		for (size_t i = 0; i < ARRAY_SIZE(vendors); i++)
			fact_put(&f, vendors[i], i == v);
		predict(&f, &p);
		assert_true(p.count > 1 && p.missing);
	}
}

/* Each row has words for why it is not in charge wherever its hardware is there. */
static void reasons(void **state)
{
	struct facts f = MACHINE(INTEL, FACT_HYPERVISOR);
	struct decision d;
	size_t intel = (size_t)driver_find("intel_pstate");
	size_t acpi = (size_t)driver_find("acpi_cpufreq");

	(void)state;
	decide(&f, false, &d);
	assert_non_null(strstr(why_row(&f, &d, intel), "guest"));
	assert_non_null(strstr(why_row(&f, &d, acpi), "guest"));
	f = MACHINE(INTEL, FACT_HWP, FACT_HWP_EPP, FACT_INTEL_DISABLE);
	decide(&f, false, &d);
	assert_non_null(strstr(why_row(&f, &d, intel), "intel_pstate=disable in /proc/cmdline"));
	assert_non_null(strstr(why_row(&f, &d, acpi), "_PSS"));
	strcpy(f.scaling_driver, "intel_pstate");
	forget(&f, FACT_HWP_FORCED);
	decide(&f, false, &d);
	assert_non_null(strstr(why_row(&f, &d, intel), "although intel_pstate=disable"));
	f = MACHINE(INTEL, FACT_OOB, FACT_HWP, FACT_HWP_EPP);
	decide(&f, false, &d);
	assert_non_null(strstr(why_row(&f, &d, intel), "0x1aa"));
	assert_null(why_warning(&f, &d));
	f = MACHINE(FACT_ARM64, FACT_ACPI);
	decide(&f, false, &d);
	assert_non_null(strstr(why_warning(&f, &d), "NO DRIVER"));
	strcpy(f.scaling_driver, "cppc_cpufreq");
	decide(&f, false, &d);
	assert_null(why_warning(&f, &d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row),     cmocka_unit_test(forced),
		cmocka_unit_test(nobody),        cmocka_unit_test(proliant),
		cmocka_unit_test(switched_off),  cmocka_unit_test(blocked),
		cmocka_unit_test(open_facts),    cmocka_unit_test(devicetree),
		cmocka_unit_test(nothing_known), cmocka_unit_test(reasons),
		cmocka_unit_test(by_name),       cmocka_unit_test(amd_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
