/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_DRIVERS_H
#define CPUFREQ_RESOLVE_DRIVERS_H

/* THE table: every cpufreq driver, in the order in which one is preferred to the next. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Facts about the platform that drivers ask for: identifier, name in text and JSON, help.
 * A fact is true, false or unknown; see struct fact_set.
 */
#define FACT_LIST(X)                                                                               \
	X(X86, "x86", "an x86 processor")                                                          \
	X(INTEL, "intel", "made by Intel")                                                         \
	X(AMD, "amd", "made by AMD")                                                               \
	X(VIA, "via", "made by Centaur (VIA) or Zhaoxin")                                          \
	X(TRANSMETA, "transmeta", "made by Transmeta")                                             \
	X(NSC, "nsc", "a Geode or MediaGX")                                                        \
	X(HYPERVISOR, "hypervisor", "running as a guest (CPUID says so)")                          \
	X(XEN_DOM0, "xen_dom0", "running as Xen's privileged domain")                              \
	X(ACPI, "acpi", "ACPI is on")                                                              \
	X(EST, "est", "Enhanced SpeedStep (CPUID est)")                                            \
	X(HW_PSTATE, "hw_pstate", "AMD hardware P-states (CPUID hw_pstate)")                       \
	X(HWP, "hwp", "the processor picks its own P-states (CPUID hwp)")                          \
	X(CPPC, "cppc", "collaborative processor performance control (CPUID cppc)")                \
	X(ACPI_CPPC, "acpi_cppc", "firmware describes CPPC for the first CPU (_CPC)")              \
	X(ALL_CPPC, "all_cppc", "firmware describes CPPC for every CPU")                           \
	X(PSS, "pss", "firmware lists P-states (_PSS)")                                            \
	X(PCCH, "pcch", "firmware offers the PCC interface (PCCH)")                                \
	X(ACC, "acc", "thermal clock modulation (CPUID tm)")                                       \
	X(K6, "k6", "an AMD K6-2+ or K6-III+")                                                     \
	X(K7, "k7", "an AMD K7 (family 6)")                                                        \
	X(K8, "k8", "an AMD K8 (family 0xf)")                                                      \
	X(CENTRINO, "centrino", "a Pentium M or a Pentium 4 with Enhanced SpeedStep")              \
	X(SPEEDSTEP, "speedstep", "a Pentium III-M or Pentium 4-M")                                \
	X(LONGHAUL, "longhaul", "a VIA C3 or C7")                                                  \
	X(DEVICETREE, "devicetree", "described by a devicetree")                                   \
	X(ARM64, "arm64", "an arm64 processor")

enum fact {
#define X(id, name, help) FACT_##id,
	FACT_LIST(X)
#undef X
		FACT_COUNT
};

#define FACT(id) (UINT64_C(1) << FACT_##id)

/* What is known: a bit of @is_true means something only where @is_known has it too. */
struct fact_set {
	uint64_t is_known;
	uint64_t is_true;
};

enum driver_flags {
	DRIVER_BUILTIN_ONLY = 1 << 0, /* cannot be a module: bool in Kconfig */
	DRIVER_MAY_DEFER = 1 << 1,    /* waits for a clock or regulator that user space may load */
	DRIVER_PCI = 1 << 2,          /* offered for a PCI device, not for the processor */
};

struct driver {
	const char *name;       /* the module, with underscores */
	const char *reports[3]; /* what scaling_driver says when it is in charge */
	uint64_t needs;         /* facts without which its init refuses */
	uint64_t unless;        /* facts with which its init refuses */
	uint64_t hints;         /* facts that help to explain its refusal, without deciding it */
	const char *initcall;   /* what initcall_blacklist= would name */
	const char *device;     /* the platform device it binds to, on kernels that make one */
	unsigned int flags;
	const char *what;   /* in a few words, for people */
	const char *source; /* kernel file the row was read from */
};

#define DRIVER_MAX 32

extern const struct driver drivers[];
extern const size_t driver_count;

/** fact_name() / fact_help() - What a fact is called, and what it says. */
const char *fact_name(enum fact fact);
const char *fact_help(enum fact fact);

/** driver_find() - The row of a module name ('-' and '_' alike). Return: index or -1. */
int driver_find(const char *name);

/** driver_find_reported() - The row that scaling_driver's word belongs to. Return: index or -1. */
int driver_find_reported(const char *scaling_driver);

#endif
