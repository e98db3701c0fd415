// SPDX-License-Identifier: GPL-2.0-or-later
#include "drivers.h"

#include <string.h>

#include "names.h"
#include "util.h"

/*
 * The order is the policy. Built-in drivers come first, they have had their turn before user space.
 * Then the order of drivers/cpufreq/Makefile, in which initcalls run where all is built in: ACPI
 * before everything that knows one processor only, PCC behind ACPI.
 *
 * needs and unless say what the driver's own init checks. They set the order of the attempts and
 * the words of the explanation, no more: whether a module is tried is decided by what the kernel's
 * alias index offers, and the kernel's answer is the truth.
 */
const struct driver drivers[] = {
	{
		.name = "intel_pstate",
		.reports = { "intel_pstate", "intel_cpufreq" },
		.needs = FACT(X86) | FACT(INTEL) | FACT(INTEL_WAY),
		.unless = FACT(INTEL_OFF) | FACT(FIRMWARE_OWNS),
		.first_if = FACT(INTEL_ACTIVE),
		.initcall = "intel_pstate_init",
		.flags = DRIVER_BUILTIN_ONLY,
		.what = "Intel's own P-state driver",
		.source = "intel_pstate.c",
	},
	{
		.name = "amd_pstate",
		.reports = { "amd-pstate-epp", "amd-pstate" },
		.needs = FACT(X86) | FACT(AMD) | FACT(ACPI_CPPC) | FACT(ALL_CPPC) | FACT(AMD_ON),
		.unless = FACT(NO_CPPC_CPU) | FACT(CPC_LOST),
		.first_if = FACT(AMD_EPP),
		.initcall = "amd_pstate_init",
		.flags = DRIVER_BUILTIN_ONLY,
		.what = "AMD's own P-state driver",
		.source = "amd-pstate.c",
	},
	{
		.name = "acpi_cpufreq",
		.reports = { "acpi-cpufreq" },
		.needs = FACT(X86) | FACT(ACPI) | FACT(PSS) | FACT(ACPI_WAY),
		.unless = FACT(XEN_DOM0) | FACT(AL30) | FACT(K8), /* "must use native drivers" */
		.initcall = "acpi_cpufreq_init",
		.device = "acpi-cpufreq",
		.what = "P-states as the firmware lists them",
		.source = "acpi-cpufreq.c",
	},
	{
		.name = "powernow_k8",
		.reports = { "powernow-k8" },
		/* one processor may do with a table in the BIOS of 2003 instead (PSB) */
		.needs = FACT(X86) | FACT(AMD) | FACT(K8) | FACT(PSS),
		.unless = FACT(HW_PSTATE),
		.initcall = "powernowk8_init",
		.what = "AMD K8",
		.source = "powernow-k8.c",
	},
	{
		.name = "pcc_cpufreq",
		.reports = { "pcc-cpufreq" },
		.needs = FACT(X86) | FACT(ACPI) | FACT(PCCH),
		.unless = FACT(XEN_DOM0),
		.initcall = "pcc_cpufreq_init",
		.device = "pcc-cpufreq",
		.what = "the firmware's processor clocking control",
		.source = "pcc-cpufreq.c",
	},
	{
		.name = "powernow_k6",
		.reports = { "powernow-k6" },
		.needs = FACT(X86) | FACT(AMD) | FACT(K6),
		.initcall = "powernow_k6_init",
		.what = "AMD K6-2+ and K6-III+",
		.source = "powernow-k6.c",
	},
	{
		.name = "powernow_k7",
		.reports = { "powernow-k7" },
		.needs = FACT(X86) | FACT(AMD) | FACT(K7),
		.initcall = "powernow_init",
		.what = "AMD mobile K7",
		.source = "powernow-k7.c",
	},
	{
		.name = "longhaul",
		.reports = { "longhaul" },
		.needs = FACT(X86) | FACT(VIA) | FACT(LONGHAUL),
		.initcall = "longhaul_init",
		.what = "VIA C3",
		.source = "longhaul.c",
	},
	{
		.name = "e_powersaver",
		.reports = { "e_powersaver" },
		.needs = FACT(X86) | FACT(VIA) | FACT(EST),
		.initcall = "eps_init",
		.what = "VIA C7",
		.source = "e_powersaver.c",
	},
	{
		.name = "longrun",
		.reports = { "longrun" },
		.needs = FACT(X86) | FACT(TRANSMETA),
		.initcall = "longrun_init",
		.what = "Transmeta Crusoe and Efficeon",
		.source = "longrun.c",
	},
	{
		.name = "gx_suspmod",
		.reports = { "gx-suspmod" },
		.needs = FACT(X86) | FACT(NSC),
		.initcall = "cpufreq_gx_init",
		.flags = DRIVER_PCI,
		.what = "Geode suspend modulation",
		.source = "gx-suspmod.c",
	},
	{
		.name = "speedstep_centrino",
		.reports = { "centrino" },
		.needs = FACT(X86) | FACT(INTEL) | FACT(EST) | FACT(CENTRINO),
		.initcall = "centrino_init",
		.flags = DRIVER_NO_ALIAS | DRIVER_NOT_BUILTIN,
		.what = "Pentium M by a table in the driver",
		.source = "speedstep-centrino.c",
	},
	{
		.name = "speedstep_ich",
		.reports = { "speedstep-ich" },
		.needs = FACT(X86) | FACT(INTEL) | FACT(SPEEDSTEP),
		.initcall = "speedstep_init",
		.what = "mobile Pentium III and 4 through the southbridge",
		.source = "speedstep-ich.c",
	},
	{
		.name = "speedstep_smi",
		.reports = { "speedstep-smi" },
		.needs = FACT(X86) | FACT(INTEL) | FACT(SPEEDSTEP),
		.initcall = "speedstep_init",
		.what = "mobile Pentium III through the BIOS",
		.source = "speedstep-smi.c",
	},
	{
		.name = "cpufreq_nforce2",
		.reports = { "nforce2" },
		.needs = FACT(X86) | FACT(AMD) | FACT(K7),
		.initcall = "nforce2_init",
		.flags = DRIVER_PCI,
		.what = "nForce2 front side bus",
		.source = "cpufreq-nforce2.c",
	},
	{
		.name = "p4_clockmod",
		.reports = { "p4-clockmod" },
		.needs = FACT(X86) | FACT(INTEL) | FACT(ACPI) | FACT(ACC),
		.initcall = "cpufreq_p4_init",
		.flags = DRIVER_NO_ALIAS | DRIVER_NOT_BUILTIN,
		.what = "thermal throttling used as a clock: saves no power",
		.source = "p4-clockmod.c",
	},
	{
		.name = "cppc_cpufreq",
		.reports = { "cppc_cpufreq" },
		.needs = FACT(CPPC_ARCH) | FACT(ACPI) | FACT(ACPI_CPPC) | FACT(ALL_CPPC),
		.initcall = "cppc_cpufreq_init",
		.what = "CPPC on arm64 and riscv",
		.source = "cppc_cpufreq.c",
	},
	{
		.name = "powernv_cpufreq",
		.reports = { "powernv-cpufreq" },
		.needs = FACT(POWER) | FACT(OPAL),
		.initcall = "powernv_cpufreq_init",
		.flags = DRIVER_NO_ALIAS,
		.what = "POWER8 and later without a hypervisor",
		.source = "powernv-cpufreq.c",
	},
	{
		.name = "loongson3_cpufreq",
		.reports = { "loongson3" },
		.needs = FACT(LOONGARCH) | FACT(SCALEFREQ),
		.initcall = "loongson3_platform_driver_init",
		.device = "loongson3_cpufreq",
		.what = "Loongson 3 through its SMC",
		.source = "loongson3_cpufreq.c",
	},
	{
		.name = "scmi_cpufreq",
		.reports = { "scmi" },
		.needs = FACT(ARM64) | FACT(DEVICETREE) | FACT(SCMI),
		.initcall = "scmi_cpufreq_drv_init",
		.flags = DRIVER_OBSERVED,
		.what = "performance domains of SCMI firmware",
		.source = "scmi-cpufreq.c",
	},
	{
		.name = "cpufreq_dt",
		.reports = { "cpufreq-dt" },
		.needs = FACT(DEVICETREE) | FACT(DT_CPUFREQ),
		.unless = FACT(POWER),
		.initcall = "dt_cpufreq_platdrv_init",
		.device = "cpufreq-dt",
		.flags = DRIVER_MAY_DEFER | DRIVER_OBSERVED | DRIVER_ANY_DT,
		.what = "operating points of the devicetree, and the drivers of single SoCs",
		.source = "cpufreq-dt.c",
	},
};

/*
 * What scaling_driver says where one of the SoC drivers of drivers/cpufreq/ is in charge. They
 * share the row of cpufreq_dt: the devicetree binds them, and nothing asks for them once a CPU.
 */
static const char *const dt_reports[] = {
	"apple-cpufreq", "brcmstb-avs-cpufreq", "cpufreq-ls1x",  "cpufreq-spear", "davinci",
	"imx6q-cpufreq", "kirkwood-cpufreq",    "loongson2",     "mtk-cpufreq",   "mtk-cpufreq-hw",
	"omap",          "qcom-cpufreq-hw",     "qoriq_cpufreq", "scpi-cpufreq",  "tegra186",
	"tegra194",      "vexpress-spc",        "virt-cpufreq",
};

/*
 * The conditions that are more than one bit, from drivers/cpufreq/intel_pstate.c
 * (intel_pstate_init, intel_pstate_platform_pwr_mgmt_exists), amd-pstate.c (amd_pstate_init) and
 * acpi-cpufreq.c (acpi_cpufreq_cpu_init). A rule may use what stands above it.
 */
const struct fact_rule fact_rules[] = {
	{ FACT_HWP_ACTIVE, FACT(HWP) | FACT(HWP_FORCED), 0 },
	{ FACT_HWP_ACTIVE, FACT(HWP) | FACT(HWP_EPP), FACT(NO_HWP) },
	{ FACT_INTEL_WAY, FACT(HWP_ACTIVE), 0 },
	/* Without HWP it reads MSRs that a hypervisor answers with zeros: "Invalid MSRs". */
	{ FACT_INTEL_WAY, FACT(HWP), FACT(HYPERVISOR) | FACT(HWP_ONLY) },
	{ FACT_INTEL_WAY, FACT(PSTATE_MODEL), FACT(HYPERVISOR) | FACT(HWP_ONLY) },
	{ FACT_INTEL_OFF, FACT(INTEL_DISABLE), FACT(HWP_FORCED) },
	{ FACT_FIRMWARE_OWNS, FACT(OOB), 0 },
	{ FACT_FIRMWARE_OWNS, FACT(PROLIANT), FACT(PSS) | FACT(PCCH) },
	{ FACT_FIRMWARE_OWNS, FACT(ORACLE), 0 },
	{ FACT_INTEL_ACTIVE, FACT(ASKED_ACTIVE), FACT(ASKED_PASSIVE) },
	{ FACT_INTEL_ACTIVE, FACT(HWP_ACTIVE), FACT(ASKED_PASSIVE) },
	{ FACT_INTEL_ACTIVE, 0, FACT(PASSIVE_DEFAULT) | FACT(ASKED_PASSIVE) },
	{ FACT_AMD_ON, FACT(AMD_ASKED), 0 },
	{ FACT_AMD_ON, FACT(AMD_DEFAULT) | FACT(CPPC), FACT(PROFILE_OFF) | FACT(AMD_DISABLE) },
	{ FACT_AMD_ON, FACT(AMD_DEFAULT) | FACT(SHMEM_DEFAULT),
	  FACT(PROFILE_OFF) | FACT(AMD_DISABLE) },
	{ FACT_ACPI_WAY, FACT(EST), 0 },
	{ FACT_ACPI_WAY, FACT(HW_PSTATE), 0 },
	{ FACT_ACPI_WAY, FACT(PCT_IO), 0 },
	{ FACT_CPPC_ARCH, FACT(ARM64), 0 },
	{ FACT_CPPC_ARCH, FACT(RISCV), 0 },
};

const size_t fact_rule_count = ARRAY_SIZE(fact_rules);

const size_t driver_count = ARRAY_SIZE(drivers);

_Static_assert(ARRAY_SIZE(drivers) <= DRIVER_MAX, "DRIVER_MAX is too small");
_Static_assert(FACT_COUNT <= 64, "facts no longer fit into a word");

const char *fact_name(enum fact fact)
{
	static const char names[][16] = {
#define X(id, name, help) name,
		FACT_LIST(X)
#undef X
	};

	return names[fact];
}

bool driver_is_foreign(size_t row, const struct fact_set *set)
{
	static const uint64_t archs =
		FACT(X86) | FACT(ARM64) | FACT(POWER) | FACT(LOONGARCH) | FACT(CPPC_ARCH);

	return drivers[row].needs & archs & set->is_known & ~set->is_true;
}

int driver_find(const char *name)
{
	for (size_t i = 0; i < driver_count; i++)
		if (name_equal(drivers[i].name, name))
			return (int)i;
	return -1;
}

static int find_any_dt(void)
{
	for (size_t i = 0; i < driver_count; i++)
		if (drivers[i].flags & DRIVER_ANY_DT)
			return (int)i;
	return -1;
}

int driver_find_reported(const char *scaling_driver)
{
	for (size_t i = 0; i < driver_count; i++)
		for (size_t j = 0; j < ARRAY_SIZE(drivers[i].reports); j++)
			if (drivers[i].reports[j] &&
			    strcmp(drivers[i].reports[j], scaling_driver) == 0)
				return (int)i;
	for (size_t i = 0; i < ARRAY_SIZE(dt_reports); i++)
		if (strcmp(dt_reports[i], scaling_driver) == 0)
			return find_any_dt();
	return -1;
}

/* True, false or unknown, as -1. */
static int rule_holds(const struct fact_rule *rule, const struct fact_set *set)
{
	uint64_t yes = set->is_known & set->is_true, no = set->is_known & ~set->is_true;

	if ((rule->needs & no) || (rule->unless & yes))
		return 0;
	return (rule->needs & ~yes) || (rule->unless & ~no) ? -1 : 1;
}

void facts_derive(struct fact_set *set)
{
	for (size_t i = 0; i < fact_rule_count;) {
		enum fact fact = fact_rules[i].fact;
		uint64_t bit = UINT64_C(1) << fact;
		int holds = 0;

		for (; i < fact_rule_count && fact_rules[i].fact == fact; i++) {
			int r = rule_holds(&fact_rules[i], set);

			if (r > 0 || (r < 0 && holds == 0))
				holds = r;
		}
		set->is_known = holds < 0 ? set->is_known & ~bit : set->is_known | bit;
		set->is_true = holds > 0 ? set->is_true | bit : set->is_true & ~bit;
	}
}
