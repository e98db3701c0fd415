/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_DRIVERS_H
#define CPUFREQ_RESOLVE_DRIVERS_H

/* THE table: every cpufreq driver, in the order in which one is preferred to the next. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Facts about the platform and the kernel that drivers ask for: identifier, name in text and JSON,
 * help. A fact is true, false or unknown; see struct fact_set. What changed between kernels is a
 * fact about the kernel, so that the rows below hold for all of them.
 */
#define FACT_LIST(X)                                                                               \
	X(X86, "x86", "an x86 processor")                                                          \
	X(ARM64, "arm64", "an arm processor")                                                      \
	X(RISCV, "riscv", "a riscv processor")                                                     \
	X(POWER, "power", "a POWER processor")                                                     \
	X(LOONGARCH, "loongarch", "a LoongArch processor")                                         \
	X(INTEL, "intel", "made by Intel")                                                         \
	X(AMD, "amd", "made by AMD")                                                               \
	X(VIA, "via", "made by Centaur (VIA) or Zhaoxin")                                          \
	X(TRANSMETA, "transmeta", "made by Transmeta")                                             \
	X(NSC, "nsc", "a Geode or MediaGX")                                                        \
	X(HYPERVISOR, "hypervisor", "running as a guest (CPUID says so)")                          \
	X(XEN_DOM0, "xen_dom0", "running as Xen's privileged domain")                              \
	X(CPUFREQ_OFF, "cpufreq_off", "cpufreq.off= on the kernel command line")                   \
	X(ACPI, "acpi", "ACPI is on")                                                              \
	X(EST, "est", "Enhanced SpeedStep (CPUID est)")                                            \
	X(HW_PSTATE, "hw_pstate", "AMD hardware P-states (CPUID hw_pstate)")                       \
	X(HWP, "hwp", "the processor picks its own P-states (CPUID hwp)")                          \
	X(HWP_EPP, "hwp_epp", "... by a preference (CPUID hwp_epp), or this kernel needs none")    \
	X(HWP_FORCED, "hwp_forced", "firmware has switched HWP on (MSR 0x770), this kernel minds") \
	X(HWP_ACTIVE, "hwp_active", "this kernel lets the processor pick its P-states")            \
	X(OOB, "oob", "firmware picks the P-states (MSR 0x1aa bit 8 or 18)")                       \
	X(PROLIANT, "proliant", "a ProLiant by its FADT: without _PSS firmware owns P-states")     \
	X(ORACLE, "oracle", "one of Oracle's servers whose firmware owns P-states (_PPC)")         \
	X(FIRMWARE_OWNS, "firmware_owns", "firmware owns the P-states, intel_pstate keeps off")    \
	X(PSTATE_MODEL, "pstate_model", "intel_pstate of this kernel knows the model without HWP") \
	X(INTEL_WAY, "intel_way", "there is a way for intel_pstate: HWP, or a model it knows")     \
	X(INTEL_DISABLE, "intel_disable", "intel_pstate=disable on the kernel command line")       \
	X(INTEL_OFF, "intel_off", "intel_pstate=disable, and firmware has not forced HWP")         \
	X(NO_HWP, "no_hwp", "intel_pstate=no_hwp on the kernel command line")                      \
	X(HWP_ONLY, "hwp_only", "intel_pstate=hwp_only on the kernel command line")                \
	X(ASKED_ACTIVE, "asked_active", "intel_pstate=active, and this kernel honours it")         \
	X(ASKED_PASSIVE, "asked_passive", "intel_pstate=passive on the kernel command line")       \
	X(PASSIVE_DEFAULT, "passive_default", "without HWP this kernel's intel_pstate is passive") \
	X(INTEL_ACTIVE, "intel_active", "intel_pstate would be active, not passive")               \
	X(CPPC, "cppc", "collaborative processor performance control (CPUID cppc)")                \
	X(ACPI_CPPC, "acpi_cppc", "firmware describes CPPC for the first CPU (_CPC)")              \
	X(ALL_CPPC, "all_cppc", "firmware describes CPPC for every CPU, with frequencies")         \
	X(NO_CPPC_CPU, "no_cppc_cpu", "an AMD processor that amd_pstate does not drive")           \
	X(CPC_LOST, "cpc_lost", "nosmt=force hides _CPC of CPUs that this kernel asks for")        \
	X(AMD_DEFAULT, "amd_default",                                                              \
	  "this kernel starts amd_pstate without a word (a module: by its "                        \
	  "name, and before acpi_cpufreq is there)")                                               \
	X(SHMEM_DEFAULT, "shmem_default", "... also where CPPC is in shared memory")               \
	X(PROFILE_OFF, "profile_off", "... but not with this ACPI profile (a server's, or none)")  \
	X(AMD_ASKED, "amd_asked",                                                                  \
	  "amd_pstate=active, passive or guided on the kernel command "                            \
	  "line, and this kernel can")                                                             \
	X(AMD_DISABLE, "amd_disable", "amd_pstate=disable on the kernel command line")             \
	X(AMD_EPP, "amd_epp",                                                                      \
	  "amd_pstate would be active: by the kernel command line, else by its default")           \
	X(AMD_ON, "amd_on", "amd_pstate is to start: asked for, or by this kernel's default")      \
	X(PSS, "pss", "firmware lists P-states (_PSS, _PCT)")                                      \
	X(PCT_IO, "pct_io", "... and they are set through an I/O port")                            \
	X(ACPI_WAY, "acpi_way", "a way to set ACPI's P-states: est, hw_pstate or an I/O port")     \
	X(AL30, "al30", "a Xeon 7100 that may lock up on P-state changes (erratum AL30)")          \
	X(PCCH, "pcch", "firmware offers the PCC interface (PCCH)")                                \
	X(ACC, "acc", "thermal clock modulation (CPUID tm)")                                       \
	X(K6, "k6", "an AMD K6-2+ or K6-III+")                                                     \
	X(K7, "k7", "an AMD K7 (family 6)")                                                        \
	X(K8, "k8", "an AMD K8 (family 0xf)")                                                      \
	X(CENTRINO, "centrino", "a Pentium M or a Pentium 4 with Enhanced SpeedStep")              \
	X(SPEEDSTEP, "speedstep", "a Pentium III-M or Pentium 4-M")                                \
	X(LONGHAUL, "longhaul", "a VIA C3 or C7")                                                  \
	X(CPPC_ARCH, "cppc_arch", "a processor that cppc_cpufreq is built for")                    \
	X(OPAL, "opal", "POWER without a hypervisor (OPAL firmware)")                              \
	X(SCALEFREQ, "scalefreq", "a Loongson 3 that can scale its clock")                         \
	X(DEVICETREE, "devicetree", "described by a devicetree")                                   \
	X(SCMI, "scmi", "the devicetree names SCMI firmware")                                      \
	X(DT_CPUFREQ, "dt_cpufreq", "the devicetree names a board or OPPs that a driver binds to")

enum fact {
#define X(id, name, help) FACT_##id,
	FACT_LIST(X)
#undef X
		FACT_COUNT
};

#define FACT(id)  (UINT64_C(1) << FACT_##id)
#define FACTS_ALL (~UINT64_C(0) >> (64 - FACT_COUNT))

/* With one of these the kernel registers no driver at all: cpufreq_disabled(). */
#define FACTS_NOBODY (FACT(CPUFREQ_OFF) | FACT(XEN_DOM0))

/* What is known: a bit of @is_true means something only where @is_known has it too. */
struct fact_set {
	uint64_t is_known;
	uint64_t is_true;
};

/*
 * What follows from what: @fact is true if one of its rules holds, false if none can, and else
 * unknown. A rule holds if all of @needs are true and none of @unless is.
 */
struct fact_rule {
	enum fact fact;
	uint64_t needs, unless;
};

extern const struct fact_rule fact_rules[];
extern const size_t fact_rule_count;

/** facts_derive() - Set those facts that follow from others. Needs no second round. */
void facts_derive(struct fact_set *set);

enum driver_flags {
	DRIVER_BUILTIN_ONLY = 1 << 0, /* cannot be a module: bool in Kconfig */
	DRIVER_MAY_DEFER = 1 << 1,    /* waits for a clock or regulator that user space may load */
	DRIVER_PCI = 1 << 2,          /* offered for a PCI device, not for the processor */
	DRIVER_NO_ALIAS = 1 << 3,     /* as a module it is loaded by nothing but its name */
	DRIVER_NOT_BUILTIN = 1 << 4,  /* ... and nobody builds it in */
	DRIVER_ANY_DT = 1 << 5,       /* stands for all drivers that a devicetree binds */
	DRIVER_OBSERVED = 1 << 6,     /* never denied, never tried, named when in charge */
};

struct driver {
	const char *name;       /* the module, with underscores */
	const char *reports[3]; /* what scaling_driver says when it is in charge */
	uint64_t needs;         /* facts without which its init refuses */
	uint64_t unless;        /* facts with which its init refuses */
	uint64_t first_if;      /* with this fact it says reports[0], without it reports[1] */
	const char *initcall;   /* what initcall_blacklist= would name */
	const char *device;     /* the platform device it binds to, on kernels that make one */
	unsigned int flags;
	const char *what;   /* in a few words, for people */
	const char *source; /* file of drivers/cpufreq/ in the kernel that the row was read from */
};

#define DRIVER_MAX 32

extern const struct driver drivers[];
extern const size_t driver_count;

/** fact_name() / fact_help() - What a fact is called, and what it says. */
const char *fact_name(enum fact fact);
const char *fact_help(enum fact fact);

/**
 * driver_is_foreign() - Is this row's driver for another processor architecture than this one?
 *
 * Then no kernel that runs here has it. False where the architecture is not known.
 */
bool driver_is_foreign(size_t row, const struct fact_set *set);

/** driver_find() - The row of a module name ('-' and '_' alike). Return: index or -1. */
int driver_find(const char *name);

/**
 * driver_find_reported() - The row that scaling_driver's word belongs to
 *
 * The drivers of the devicetree share one row.
 *
 * Return: index or -1.
 */
int driver_find_reported(const char *scaling_driver);

#endif
