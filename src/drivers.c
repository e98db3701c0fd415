// SPDX-License-Identifier: GPL-2.0-or-later
#include "drivers.h"

#include <string.h>

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
		.needs = FACT(X86) | FACT(INTEL),
		.hints = FACT(HWP) | FACT(HYPERVISOR),
		.initcall = "intel_pstate_init",
		.flags = DRIVER_BUILTIN_ONLY,
		.what = "Intel's own P-state driver",
		.source = "drivers/cpufreq/intel_pstate.c",
	},
	{
		.name = "amd_pstate",
		.reports = { "amd-pstate", "amd-pstate-epp" },
		.needs = FACT(X86) | FACT(AMD) | FACT(ALL_CPPC),
		.hints = FACT(CPPC) | FACT(ACPI_CPPC) | FACT(HYPERVISOR),
		.initcall = "amd_pstate_init",
		.flags = DRIVER_BUILTIN_ONLY,
		.what = "AMD's own P-state driver",
		.source = "drivers/cpufreq/amd-pstate.c",
	},
	{
		.name = "acpi_cpufreq",
		.reports = { "acpi-cpufreq" },
		.needs = FACT(X86) | FACT(ACPI) | FACT(PSS),
		.unless = FACT(XEN_DOM0) | FACT(K8), /* "AMD K8 systems must use native drivers" */
		.hints = FACT(EST) | FACT(HW_PSTATE) | FACT(HYPERVISOR),
		.initcall = "acpi_cpufreq_init",
		.device = "acpi-cpufreq",
		.what = "P-states as the firmware lists them",
		.source = "drivers/cpufreq/acpi-cpufreq.c",
	},
	{
		.name = "powernow_k8",
		.reports = { "powernow-k8" },
		.needs = FACT(X86) | FACT(AMD) | FACT(K8),
		.unless = FACT(HW_PSTATE),
		.initcall = "powernowk8_init",
		.what = "AMD K8",
		.source = "drivers/cpufreq/powernow-k8.c",
	},
	{
		.name = "pcc_cpufreq",
		.reports = { "pcc-cpufreq" },
		.needs = FACT(X86) | FACT(ACPI) | FACT(PCCH),
		.unless = FACT(XEN_DOM0),
		.initcall = "pcc_cpufreq_init",
		.device = "pcc-cpufreq",
		.what = "the firmware's processor clocking control",
		.source = "drivers/cpufreq/pcc-cpufreq.c",
	},
	{
		.name = "powernow_k6",
		.reports = { "powernow-k6" },
		.needs = FACT(X86) | FACT(AMD) | FACT(K6),
		.initcall = "powernow_k6_init",
		.what = "AMD K6-2+ and K6-III+",
		.source = "drivers/cpufreq/powernow-k6.c",
	},
	{
		.name = "powernow_k7",
		.reports = { "powernow-k7" },
		.needs = FACT(X86) | FACT(AMD) | FACT(K7),
		.initcall = "powernow_init",
		.what = "AMD mobile K7",
		.source = "drivers/cpufreq/powernow-k7.c",
	},
	{
		.name = "longhaul",
		.reports = { "longhaul" },
		.needs = FACT(X86) | FACT(VIA) | FACT(LONGHAUL),
		.initcall = "longhaul_init",
		.what = "VIA C3",
		.source = "drivers/cpufreq/longhaul.c",
	},
	{
		.name = "e_powersaver",
		.reports = { "e_powersaver" },
		.needs = FACT(X86) | FACT(VIA) | FACT(EST),
		.initcall = "eps_init",
		.what = "VIA C7",
		.source = "drivers/cpufreq/e_powersaver.c",
	},
	{
		.name = "longrun",
		.reports = { "longrun" },
		.needs = FACT(X86) | FACT(TRANSMETA),
		.initcall = "longrun_init",
		.what = "Transmeta Crusoe and Efficeon",
		.source = "drivers/cpufreq/longrun.c",
	},
	{
		.name = "gx_suspmod",
		.reports = { "gx-suspmod" },
		.needs = FACT(X86) | FACT(NSC),
		.initcall = "cpufreq_gx_init",
		.flags = DRIVER_PCI,
		.what = "Geode suspend modulation",
		.source = "drivers/cpufreq/gx-suspmod.c",
	},
	{
		.name = "speedstep_centrino",
		.reports = { "centrino" },
		.needs = FACT(X86) | FACT(INTEL) | FACT(EST) | FACT(CENTRINO),
		.initcall = "centrino_init",
		.what = "Pentium M by a table in the driver",
		.source = "drivers/cpufreq/speedstep-centrino.c",
	},
	{
		.name = "speedstep_ich",
		.reports = { "speedstep-ich" },
		.needs = FACT(X86) | FACT(INTEL) | FACT(SPEEDSTEP),
		.initcall = "speedstep_init",
		.what = "mobile Pentium III and 4 through the southbridge",
		.source = "drivers/cpufreq/speedstep-ich.c",
	},
	{
		.name = "speedstep_smi",
		.reports = { "speedstep-smi" },
		.needs = FACT(X86) | FACT(INTEL) | FACT(SPEEDSTEP),
		.initcall = "speedstep_init",
		.what = "mobile Pentium III through the BIOS",
		.source = "drivers/cpufreq/speedstep-smi.c",
	},
	{
		.name = "cpufreq_nforce2",
		.reports = { "nforce2" },
		.needs = FACT(X86) | FACT(AMD) | FACT(K7),
		.initcall = "nforce2_init",
		.flags = DRIVER_PCI,
		.what = "nForce2 front side bus",
		.source = "drivers/cpufreq/cpufreq-nforce2.c",
	},
	{
		.name = "p4_clockmod",
		.reports = { "p4-clockmod" },
		.needs = FACT(X86) | FACT(INTEL) | FACT(ACPI) | FACT(ACC),
		.initcall = "cpufreq_p4_init",
		.what = "thermal throttling used as a clock: saves no power",
		.source = "drivers/cpufreq/p4-clockmod.c",
	},
	{
		.name = "cppc_cpufreq",
		.reports = { "cppc_cpufreq" },
		.needs = FACT(ARM64) | FACT(ACPI) | FACT(ALL_CPPC),
		.initcall = "cppc_cpufreq_init",
		.what = "CPPC on arm64 and riscv",
		.source = "drivers/cpufreq/cppc_cpufreq.c",
	},
	{
		.name = "cpufreq_dt",
		.reports = { "cpufreq-dt" },
		.needs = FACT(DEVICETREE),
		.initcall = "dt_cpufreq_platdrv_init",
		.device = "cpufreq-dt",
		.flags = DRIVER_MAY_DEFER,
		.what = "operating points of the devicetree",
		.source = "drivers/cpufreq/cpufreq-dt.c",
	},
};

const size_t driver_count = ARRAY_SIZE(drivers);

_Static_assert(ARRAY_SIZE(drivers) <= DRIVER_MAX, "DRIVER_MAX is too small");
_Static_assert(FACT_COUNT <= 64, "facts no longer fit into a word");

static const struct {
	const char *name, *help;
} facts[] = {
#define X(id, name, help) { name, help },
	FACT_LIST(X)
#undef X
};

const char *fact_name(enum fact fact)
{
	return facts[fact].name;
}

const char *fact_help(enum fact fact)
{
	return facts[fact].help;
}

int driver_find(const char *name)
{
	for (size_t i = 0; i < driver_count; i++)
		if (name_equal(drivers[i].name, name))
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
	return -1;
}
