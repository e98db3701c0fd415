// SPDX-License-Identifier: GPL-2.0-or-later
#include "why.h"

#include <string.h>

#include "util.h"

#define CPUINFO "/proc/cpuinfo"
#define CMDLINE "/proc/cmdline"
#define TABLES  "/sys/firmware/acpi/tables"

enum when {
	WHEN_NOT_IN_CHARGE,
	WHEN_IN_CHARGE,
};

/* The first that holds is said: @is_so are all true, @is_no all false, none of @open is known. */
static const struct {
	const char *driver;
	enum when when;
	uint64_t is_so, is_no, open;
	const char *text;
} reasons[] = {
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(INTEL_OFF), 0, 0,
	  "switched off: intel_pstate=disable in " CMDLINE },
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(OOB), 0, 0,
	  "firmware picks the P-states (MSR 0x1aa, bit 8 or 18): the BIOS power profile must be OS "
	  "control" },
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(PROLIANT) | FACT(FIRMWARE_OWNS), 0, 0,
	  "a ProLiant whose " TABLES " have neither _PSS nor PCCH: firmware owns the P-states and "
	  "no driver is right; Power Regulator in the BIOS must be OS Control Mode" },
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(ORACLE), 0, 0,
	  "the FADT in " TABLES "/FACP names a server whose firmware owns the P-states; "
	  "intel_pstate=force in the kernel command line overrides it" },
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(INTEL) | FACT(HYPERVISOR), FACT(HWP), 0,
	  "a guest (flag hypervisor in " CPUINFO "): the hypervisor shows no P-states, the host "
	  "scales the clock" },
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(INTEL) | FACT(NO_HWP), FACT(INTEL_WAY), 0,
	  "without HWP this kernel does not know the model: take intel_pstate=no_hwp out of the "
	  "kernel command line" },
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(INTEL), FACT(HWP) | FACT(INTEL_WAY), 0,
	  "no hwp among the flags in " CPUINFO " and this kernel does not know the model without "
	  "it: switch on Hardware P-States (Speed Shift) in the BIOS, or take a newer kernel" },
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(INTEL), FACT(INTEL_WAY), 0,
	  "HWP without the flag hwp_epp in " CPUINFO ", which this kernel does not use" },
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(INTEL) | FACT(INTEL_WAY), FACT(FIRMWARE_OWNS), 0,
	  "nothing known keeps it off: the kernel log says more (dmesg | grep intel_pstate)" },
	{ "intel_pstate", WHEN_NOT_IN_CHARGE, FACT(INTEL) | FACT(INTEL_WAY), 0, FACT(OOB),
	  "firmware may own the P-states: as root, with the msr module, rdmsr 0x1aa tells by bit 8 "
	  "or "
	  "18; the BIOS power profile must be OS control" },
	{ "intel_pstate", WHEN_IN_CHARGE, FACT(INTEL_DISABLE) | FACT(HWP_FORCED), 0, 0,
	  "although intel_pstate=disable is in " CMDLINE
	  ": firmware has switched HWP on (MSR 0x770, "
	  "bit 0), and that can only be switched off in the BIOS (Hardware P-States, Speed "
	  "Shift)" },
	{ "intel_pstate", WHEN_IN_CHARGE, FACT(INTEL_DISABLE) | FACT(HWP), 0, FACT(HWP_FORCED),
	  "although intel_pstate=disable is in " CMDLINE
	  ": firmware must have switched HWP on, and "
	  "that can only be switched off in the BIOS (Hardware P-States, Speed Shift)" },
	{ "intel_pstate", WHEN_IN_CHARGE, FACT(ASKED_PASSIVE), 0, 0,
	  "passive, for intel_pstate=passive is in " CMDLINE },
	{ "intel_pstate", WHEN_IN_CHARGE, FACT(PASSIVE_DEFAULT),
	  FACT(HWP_ACTIVE) | FACT(ASKED_ACTIVE), 0,
	  "without HWP it is passive from Linux 5.7 on (intel_cpufreq); intel_pstate=active "
	  "changes "
	  "that" },

	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD) | FACT(HYPERVISOR), FACT(ALL_CPPC), 0,
	  "a guest (flag hypervisor in " CPUINFO
	  "): the hypervisor shows no CPPC, the host scales the "
	  "clock" },
	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD) | FACT(NO_CPPC_CPU), 0, 0,
	  "the processor is too old for CPPC (" CPUINFO "): ACPI's P-states are right" },
	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD) | FACT(CPC_LOST), 0, 0,
	  "nosmt=force in " CMDLINE
	  " leaves CPUs without _CPC, for which this kernel asks: say nosmt, "
	  "or switch SMT off in the BIOS" },
	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD), FACT(ACPI_CPPC) | FACT(CPPC), 0,
	  "no cppc among the flags in " CPUINFO " and no /sys/devices/system/cpu/cpu0/acpi_cppc: "
	  "switch on CPPC in the BIOS" },
	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD), FACT(ACPI_CPPC), 0,
	  "the processor has CPPC, but firmware gives no _CPC that the kernel takes (no "
	  "/sys/devices/system/cpu/cpu0/acpi_cppc): switch on CPPC in the BIOS, or update it" },
	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD) | FACT(ACPI_CPPC), FACT(ALL_CPPC), 0,
	  "firmware's CPPC is not complete (/sys/devices/system/cpu/cpu*/acpi_cppc: missing for "
	  "some "
	  "CPUs, or without frequencies): switch on CPPC in the BIOS, or update it" },
	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD) | FACT(PROFILE_OFF), FACT(AMD_ON), 0,
	  "firmware calls this machine a server, or says nothing (/sys/firmware/acpi/pm_profile), "
	  "and "
	  "there this kernel starts it only when asked: amd_pstate=active in the kernel command "
	  "line" },
	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD) | FACT(AMD_DEFAULT),
	  FACT(AMD_ON) | FACT(CPPC) | FACT(SHMEM_DEFAULT), 0,
	  "CPPC in shared memory (no cppc among the flags in " CPUINFO
	  "), which this kernel leaves "
	  "alone by default (6.11 and later do not): amd_pstate=active in the kernel command "
	  "line" },
	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD), FACT(AMD_ON) | FACT(AMD_DEFAULT), 0,
	  "this kernel starts it only when asked: amd_pstate=active (before 6.3 "
	  "amd_pstate=passive) in "
	  "the kernel command line" },
	{ "amd_pstate", WHEN_NOT_IN_CHARGE, FACT(AMD), 0, FACT(ALL_CPPC),
	  "needs CPPC from firmware (/sys/devices/system/cpu/cpu*/acpi_cppc), of which nothing is "
	  "known here" },

	{ "acpi_cpufreq", WHEN_NOT_IN_CHARGE, FACT(X86) | FACT(HYPERVISOR), 0, 0,
	  "a guest (flag hypervisor in " CPUINFO
	  "): the hypervisor shows no P-states, the host scales "
	  "the clock" },
	{ "acpi_cpufreq", WHEN_NOT_IN_CHARGE, FACT(X86), FACT(ACPI), 0,
	  "ACPI is off (no /sys/firmware/acpi; acpi=off in " CMDLINE "?), and with it _PSS" },
	{ "acpi_cpufreq", WHEN_NOT_IN_CHARGE, FACT(AL30), 0, 0,
	  "erratum AL30: the processor may lock up when its clock changes" },
	{ "acpi_cpufreq", WHEN_NOT_IN_CHARGE, FACT(K8), 0, 0,
	  "not for the K8 family, which powernow_k8 drives" },
	{ "acpi_cpufreq", WHEN_NOT_IN_CHARGE, FACT(X86) | FACT(PROLIANT), FACT(PSS), 0,
	  "firmware lists no P-states (_PSS in " TABLES "): Power Regulator in the BIOS must be OS "
	  "Control Mode" },
	{ "acpi_cpufreq", WHEN_NOT_IN_CHARGE, FACT(X86), FACT(PSS), 0,
	  "firmware lists no P-states (_PSS in " TABLES
	  "): switch on P-states (EIST, Cool'n'Quiet) or "
	  "the power profile OS control in the BIOS" },
	{ "acpi_cpufreq", WHEN_NOT_IN_CHARGE, FACT(X86), FACT(ACPI_WAY), 0,
	  "neither est nor hw_pstate among the flags in " CPUINFO
	  ": P-states are switched off in the "
	  "BIOS" },
	{ "acpi_cpufreq", WHEN_NOT_IN_CHARGE, FACT(X86), FACT(EST) | FACT(HW_PSTATE), FACT(PCT_IO),
	  "neither est nor hw_pstate among the flags in " CPUINFO
	  ": most likely P-states are switched "
	  "off in the BIOS" },
	{ "acpi_cpufreq", WHEN_NOT_IN_CHARGE, FACT(X86), 0, FACT(PSS),
	  "needs P-states from firmware (_PSS in " TABLES ", for root to read): if none are there, "
	  "switch them on in the BIOS (EIST, Cool'n'Quiet, power profile OS control)" },

	{ "pcc_cpufreq", WHEN_IN_CHARGE, FACT(X86), 0, 0,
	  "with more than four CPUs the kernel allows no dynamic governor with it, and says so: "
	  "Power "
	  "Regulator in the BIOS set to OS Control Mode gives acpi_cpufreq" },
	{ "pcc_cpufreq", WHEN_NOT_IN_CHARGE, FACT(X86) | FACT(ACPI), FACT(PCCH), 0,
	  "firmware has no PCCH (" TABLES ")" },

	{ "p4_clockmod", WHEN_IN_CHARGE, FACT(X86), 0, 0,
	  "it halts the clock and saves nothing; no kernel loads it by itself: look for it in "
	  "/etc/modules and modules-load.d" },

	{ "cppc_cpufreq", WHEN_NOT_IN_CHARGE, FACT(CPPC_ARCH), FACT(ACPI), 0,
	  "booted without ACPI (no /sys/firmware/acpi): the devicetree names the driver" },
	{ "cppc_cpufreq", WHEN_NOT_IN_CHARGE, FACT(CPPC_ARCH) | FACT(ACPI), FACT(ALL_CPPC), 0,
	  "firmware describes no CPPC (_CPC; no /sys/devices/system/cpu/cpu*/acpi_cppc): switch it "
	  "on "
	  "in the firmware setup, or update the firmware" },
	{ "powernv_cpufreq", WHEN_NOT_IN_CHARGE, FACT(POWER), FACT(OPAL), 0,
	  "a partition of PowerVM or a KVM guest (platform in " CPUINFO
	  "): the hypervisor scales the "
	  "clock" },
	{ "powernv_cpufreq", WHEN_NOT_IN_CHARGE, FACT(OPAL), 0, 0,
	  "nothing asks for it where it is a module: put powernv_cpufreq into "
	  "/etc/modules-load.d/" },
};

static bool is_the_case(const struct fact_set *set, uint64_t is_so, uint64_t is_no, uint64_t open)
{
	return !(is_so & ~(set->is_known & set->is_true)) &&
	       !(is_no & ~(set->is_known & ~set->is_true)) && !(open & set->is_known);
}

/* Older than Sandy Bridge: no kernel's intel_pstate has ever known it. */
static bool is_old_intel(const struct facts *facts)
{
	static const unsigned char models[] = { 0x1a, 0x1c, 0x1d, 0x1e, 0x1f, 0x25, 0x26,
						0x27, 0x2c, 0x2e, 0x2f, 0x35, 0x36 };

	if (!fact_is(facts, FACT_INTEL) || fact_is(facts, FACT_HWP) || !facts->id.family)
		return false;
	if (facts->id.family != 6 || facts->id.model < 0x1a)
		return facts->id.family <= 15;
	return memchr(models, (int)facts->id.model, sizeof(models));
}

const char *why_row(const struct facts *facts, const struct decision *d, size_t row)
{
	enum verdict verdict = d->rows[row].verdict;
	bool is_builtin =
		facts->modules[row].is_builtin || (drivers[row].flags & DRIVER_BUILTIN_ONLY);
	const char *word = cmdline_get(&facts->cmdline, "amd_pstate");
	enum when when = verdict == VERDICT_IN_CHARGE ? WHEN_IN_CHARGE : WHEN_NOT_IN_CHARGE;

	/* Of these the verdict itself has said all there is to say, or nothing is settled yet. */
	if (verdict == VERDICT_BEATEN || verdict == VERDICT_CHOSEN || verdict == VERDICT_IN_LINE ||
	    verdict == VERDICT_UNKNOWN || verdict == VERDICT_DENIED || verdict == VERDICT_RESERVED)
		return NULL;
	if (facts->is_off && when == WHEN_NOT_IN_CHARGE)
		return NULL;
	if (when == WHEN_NOT_IN_CHARGE && is_builtin &&
	    cmdline_kernel_lists(&facts->cmdline, "initcall_blacklist", drivers[row].initcall,
				 false))
		return "switched off: initcall_blacklist= in " CMDLINE " names its start";
	if (when == WHEN_NOT_IN_CHARGE && fact_is(facts, FACT_AMD) && word &&
	    strcmp(word, "disable") == 0 && driver_find("amd_pstate") == (int)row)
		return "switched off: amd_pstate=disable in " CMDLINE;
	if (driver_find("intel_pstate") == (int)row && is_old_intel(facts))
		return "the processor is older than Sandy Bridge (" CPUINFO
		       "), ACPI's P-states or PCC "
		       "are right";
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i].when == when && strcmp(reasons[i].driver, drivers[row].name) == 0 &&
		    is_the_case(&facts->set, reasons[i].is_so, reasons[i].is_no, reasons[i].open))
			return reasons[i].text;
	return NULL;
}

const char *why_warning(const struct facts *facts, const struct decision *d)
{
	bool is_nobody = !facts->scaling_driver[0] &&
			 (d->outcome == OUTCOME_NONE || d->outcome == OUTCOME_UNKNOWN ||
			  d->outcome == OUTCOME_LEFT || d->outcome == OUTCOME_OFF);

	if (is_nobody && fact_is(facts, FACT_ARM64))
		return "NO DRIVER IS IN CHARGE: nothing lowers the clock when this arm machine "
		       "gets "
		       "hot (passive cooling needs one); unless firmware does, it may overheat and "
		       "reset";
	return NULL;
}
