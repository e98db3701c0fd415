/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_FACTS_H
#define CPUFREQ_RESOLVE_FACTS_H

/* Everything that is known of a machine, read once and passed on as data. */

#include <stdbool.h>
#include <stdint.h>

#include "cmdline.h"
#include "drivers.h"
#include "modconf.h"
#include "settings.h"

/* For what devices the kernel's alias index offers a module. */
enum offer {
	OFFER_CPU = 1 << 0,      /* every CPU device carries this alias */
	OFFER_ACPI = 1 << 1,     /* every ACPI processor object carries it */
	OFFER_PLATFORM = 1 << 2, /* one platform device, so one load */
	OFFER_PCI = 1 << 3,      /* a PCI device */
};
#define OFFER_PER_CPU (OFFER_CPU | OFFER_ACPI)

/* Why a module must not be loaded, the strongest first. */
enum denial {
	DENIAL_NONE,
	DENIAL_BLACKLIST,        /* a blacklist line of the administrator */
	DENIAL_MODPROBE_CMDLINE, /* modprobe.blacklist= */
	DENIAL_DRACUT_CMDLINE,   /* rd.driver.blacklist=, in the initramfs only */
	DENIAL_KERNEL_CMDLINE,   /* module_blacklist=: the kernel itself says -EPERM */
	DENIAL_INITCALL,         /* initcall_blacklist=: the same */
};

enum attempt {
	ATTEMPT_NONE,
	ATTEMPT_PENDING, /* begun, and its end was never written down: it hung or we died */
	ATTEMPT_DONE,
};

/* When and where we run. */
enum stage {
	STAGE_INITRD,
	STAGE_HOST,
};

/* A release as a number that can be compared: (6 * 1000 + 12) * 1000 + 117. */
struct kernel_version {
	bool is_known;
	unsigned int number;
	unsigned int rc; /* of a release candidate, else 0 */
};

/* Of the first processor, 0 where not known. */
struct cpu_id {
	unsigned int family, model, stepping;
};

/* What is known of one row's module. */
struct module_state {
	bool is_present; /* the index knows a module of that name that can be loaded */
	bool is_builtin;
	bool is_live;
	char config;             /* of the kernel: 'y', 'm', 'n', 0 if not known */
	unsigned int offers;     /* enum offer */
	bool has_platform_alias; /* the index has it for its platform device, there or not */
	bool has_device;         /* its platform device is there ... */
	bool is_bound;           /* ... and has a driver */

	enum denial denial;
	const struct modconf_entry *denied_by; /* DENIAL_BLACKLIST only */
	const struct modconf_entry *install;   /* an install line: the administrator's own */
	const struct modconf_entry *wanted_by; /* modules-load.d */
	bool is_wanted;                        /* ... or the command line asks for it by name */

	enum attempt attempt;     /* our own load in this boot */
	enum stage attempt_stage; /* ... where */
	int error;                /* ... and its result, 0 or -errno */
	bool was_late;            /* the second chance has been had */
	bool was_taken_back;      /* we loaded it, the host's configuration forbids it */
};

/* Reasons for doing nothing at all, whatever the platform. */
enum bystander {
	BYSTANDER_NO,
	BYSTANDER_KDUMP,
	BYSTANDER_CONTAINER,
	BYSTANDER_CHROOT,
};

/* Objects that the ACPI tables define somewhere; whether for this machine only AML would tell. */
enum table_name {
	TABLE_PSS = 1 << 0,
	TABLE_PCT = 1 << 1,
	TABLE_CPC = 1 << 2,
	TABLE_PPC = 1 << 3,
	TABLE_PCCH = 1 << 4,
};

struct facts {
	struct fact_set set;
	enum stage stage;
	enum bystander bystander;
	bool is_live_root; /* the running system, not a captured one */

	char kernel[128];         /* release, "" if not known */
	char boot_id[64];         /* "" if not known */
	char scaling_driver[64];  /* of the first policy, "" if no driver is in charge */
	char governor[64];        /* cpufreq.default_governor, "" unless it was set */
	bool has_governor_module; /* ... and it is a loadable module of this kernel */
	char cpu[96];             /* vendor, family, model, for people */
	struct kernel_version version;
	struct cpu_id id;
	int pm_profile;      /* the FADT's, -1 if not known */
	char amd_mode;       /* CONFIG_X86_AMD_PSTATE_DEFAULT_MODE, '1' to '4', 0 if not known */
	char product[64];    /* DMI's name of the machine, "" if not known */
	char board[64];      /* what /proc/cpuinfo says of the board, "" if nothing */
	char dt_driver[32];  /* what scaling_driver says on this board, "" if not known */
	char image_conf[20]; /* modconf_digest() of the image we were started from, "" if not known
			      */
	char image_version[32]; /* of us in that image, "" if not known */
	char oem[16];           /* the FADT's OEM id and table id, "" if not read */
	bool has_cmdline;       /* the kernel command line could be read */
	bool has_index;         /* the kernel's module index could be read */
	bool has_platform_bus;  /* sysfs shows the platform devices */
	bool has_tables;        /* all of the ACPI tables could be read ... */
	unsigned int in_tables; /* ... and define these: bits of enum table_name */
	bool is_off;            /* cpufreq.off=1 */
	bool is_masked;         /* our file for this boot is hidden by one in /etc */
	bool is_rule_masked;    /* scope=cpu, and our udev rule is hidden by one in /etc */
	bool modules_disabled;  /* the kernel.modules_disabled sysctl is set */

	struct cmdline cmdline;
	struct cmdline image_cmdline; /* what dracut reads before it, in the initramfs only */
	struct modconf conf;
	struct settings settings;
	struct module_state modules[DRIVER_MAX];
	char kernel_dir[160]; /* of the modules, relative to the root */

	/* The first thing that could not be read and without which there is no answer. */
	char failed[512]; /* the file, and what was expected of it; "" if all is there */
	int failed_error; /* -errno */
};

/**
 * facts_gather() - Read all facts below a root directory, but the module index
 * @rootfd: the root directory
 * @ret: to be released with facts_free(), also on failure
 *
 * Does not walk the CPUs: reads as much on 4,096 of them as on 2. What cannot be read is noted in
 * @ret->failed if there is no answer without it, and otherwise stays unknown.
 *
 * Return: 0 or -ENOMEM.
 */
int facts_gather(int rootfd, struct facts *ret) _must_check_;

/**
 * facts_conf_digest() - One number for what modprobe.d says of drivers in the table and of us
 *
 * The initramfs leaves its own for the host (STATE_PATH): an image keeps the files it was made
 * with.
 */
unsigned long long facts_conf_digest(const struct facts *facts);

/**
 * facts_gather_reasons() - What else a row's verdict hangs on where the row is never tried
 *
 * The rules of this kernel's intel_pstate and amd_pstate, which are built in or not at all, and
 * CPPC, for the one module that an arm64 or riscv CPU asks for. So apply does without. To be called
 * before modules_lookup() and decide().
 */
void facts_gather_reasons(int rootfd, struct facts *facts);

/**
 * facts_gather_more() - Read what is big, for explanations only: ACPI tables, the kernel's config
 *
 * decide() is to be called before it: what apply does must not hang on what apply doesn't read.
 */
void facts_gather_more(int rootfd, struct facts *facts);

/** facts_read_live() - Which of the modules that this kernel has are live; modules_lookup() calls
 * it. */
void facts_read_live(int rootfd, struct facts *facts);

/**
 * facts_refresh() - Read again what a load may have changed
 *
 * The driver in charge, and which modules are live. The kernel tells the truth here, not the
 * return value of the load: up to Linux 6.3 a refused acpi_cpufreq looks like success to libkmod.
 */
void facts_refresh(int rootfd, struct facts *facts);

void facts_free(struct facts *facts);

/** facts_fail() - Note what is missing for an answer; the first one stays. */
void facts_fail(struct facts *facts, const char *file, int error, const char *expected);

/**
 * facts_see() - Is there a file of this name below the root?
 *
 * Where that can't be told, it is noted with facts_fail(): "not there" would be a guess.
 */
bool facts_see(int rootfd, struct facts *facts, const char *path);

/* Is the fact known, and so? */
static inline bool fact_is(const struct facts *facts, enum fact fact)
{
	return facts->set.is_true & facts->set.is_known & (UINT64_C(1) << fact);
}

void fact_put(struct facts *facts, enum fact fact, bool is_true);

const char *bystander_text(enum bystander b);
const char *denial_text(enum denial d);

#endif
