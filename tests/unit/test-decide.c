// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules of docs/design.md, one scenario each, and every verdict, outcome and forced result. */
#include <errno.h>
#include <string.h>

#include "decide.h"
#include "testlib.h"

static const struct modconf_entry some_line = { .file = "etc/modprobe.d/x.conf", .line = 1 };

static struct module_state *mod(struct facts *f, const char *name)
{
	int i = driver_find(name);

	assert_true(i >= 0);
	return &f->modules[i];
}

/* A module of this kernel that every CPU's modalias asks for. */
static struct module_state *offered(struct facts *f, const char *name)
{
	struct module_state *m = mod(f, name);

	m->is_present = true;
	m->offers |= OFFER_CPU;
	return m;
}

static void tried(struct module_state *m, int error)
{
	m->attempt = ATTEMPT_DONE;
	m->error = error;
}

static void in_charge(struct facts *f, const char *reported)
{
	strcpy(f->scaling_driver, reported);
}

static void force(struct facts *f, const char *name)
{
	strcpy(f->settings.driver, name);
}

/* A PC of 2012 with Linux 6.1: two modules, each offered for every CPU. */
static void machine(struct facts *f)
{
	static const enum fact yes[] = { FACT_X86, FACT_INTEL, FACT_ACPI, FACT_EST };
	static const enum fact no[] = { FACT_AMD, FACT_K8,  FACT_XEN_DOM0,  FACT_ARM64,
					FACT_VIA, FACT_NSC, FACT_TRANSMETA, FACT_DEVICETREE };

	*f = (struct facts){ .settings.is_enabled = true, .stage = STAGE_HOST };
	strcpy(f->kernel, "6.1.0");
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		fact_put(f, yes[i], true);
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		fact_put(f, no[i], false);
	offered(f, "acpi_cpufreq");
	offered(f, "pcc_cpufreq");
	mod(f, "p4_clockmod")->is_present = true;
}

struct expected_row {
	const char *name;
	enum verdict verdict;
	bool deny, order;
};

struct scenario {
	const char *name;
	void (*change)(struct facts *f);
	bool is_late;
	enum outcome outcome;
	const char *next;
	enum forced_result forced;
	bool writes_nothing;
	const char *governor_of;
	struct expected_row rows[6];
};

/* 1: whoever is in charge wins */

static void acpi_in_charge(struct facts *f)
{
	in_charge(f, "acpi-cpufreq");
	mod(f, "acpi_cpufreq")->is_live = true;
	strcpy(f->governor, "ondemand");
}

static void builtin_in_charge(struct facts *f)
{
	in_charge(f, "intel_cpufreq");
	strcpy(f->governor, "ondemand");
}

static void stranger_in_charge(struct facts *f)
{
	in_charge(f, "scmi");
}

static void in_charge_and_denied(struct facts *f)
{
	acpi_in_charge(f);
	mod(f, "acpi_cpufreq")->denial = DENIAL_BLACKLIST;
}

static void in_charge_while_waiting(struct facts *f)
{
	builtin_in_charge(f);
	mod(f, "cpufreq_dt")->has_device = true;
	mod(f, "cpufreq_dt")->is_present = true;
	mod(f, "cpufreq_dt")->offers = OFFER_PLATFORM;
}

/* 2: cpufreq is off, or Xen's */

static void off(struct facts *f)
{
	f->is_off = true;
	force(f, "acpi_cpufreq");
	mod(f, "powernow_k8")->is_present = true;
	mod(f, "powernow_k8")->offers = OFFER_PLATFORM;
}

static void dom0(struct facts *f)
{
	fact_put(f, FACT_XEN_DOM0, true);
}

static void dom0_softdep(struct facts *f)
{
	dom0(f);
	f->settings.policy = POLICY_SOFTDEP;
}

/* 3: driver= */

static void forced_pcc(struct facts *f)
{
	force(f, "pcc-cpufreq");
}

static void forced_unoffered(struct facts *f)
{
	force(f, "p4_clockmod");
}

static void forced_in_charge(struct facts *f)
{
	acpi_in_charge(f);
	force(f, "acpi_cpufreq");
}

static void forced_beaten(struct facts *f)
{
	acpi_in_charge(f);
	force(f, "pcc_cpufreq");
}

static void forced_unknown(struct facts *f)
{
	force(f, "no_such_driver");
}

static void forced_absent(struct facts *f)
{
	force(f, "powernow_k8");
}

static void forced_builtin(struct facts *f)
{
	force(f, "pcc_cpufreq");
	mod(f, "pcc_cpufreq")->is_present = false;
	mod(f, "pcc_cpufreq")->is_builtin = true;
}

static void forced_and_denied(struct facts *f)
{
	force(f, "acpi_cpufreq");
	mod(f, "acpi_cpufreq")->denial = DENIAL_BLACKLIST;
}

static void forced_and_install(struct facts *f)
{
	force(f, "acpi_cpufreq");
	mod(f, "acpi_cpufreq")->install = &some_line;
}

static void forced_refused(struct facts *f)
{
	force(f, "p4_clockmod");
	tried(mod(f, "p4_clockmod"), -ENODEV);
}

static void forced_while_waiting(struct facts *f)
{
	mod(f, "cpufreq_dt")->has_device = true;
	mod(f, "cpufreq_dt")->is_present = true;
	force(f, "pcc_cpufreq");
}

/* 4: built in and not registered */

static void builtins_had_their_turn(struct facts *f)
{
	mod(f, "acpi_cpufreq")->is_present = false;
	mod(f, "acpi_cpufreq")->is_builtin = true;
}

static void dt_waits(struct facts *f)
{
	fact_put(f, FACT_DEVICETREE, true);
	mod(f, "cpufreq_dt")->is_present = true;
	mod(f, "cpufreq_dt")->has_device = true;
	mod(f, "cpufreq_dt")->offers = OFFER_PLATFORM;
	tried(mod(f, "pcc_cpufreq"), -ENODEV);
}

static void dt_waits_built_in(struct facts *f)
{
	fact_put(f, FACT_DEVICETREE, true);
	mod(f, "cpufreq_dt")->is_builtin = true;
	mod(f, "cpufreq_dt")->has_device = true;
}

static void dt_is_bound(struct facts *f)
{
	dt_waits(f);
	mod(f, "cpufreq_dt")->is_bound = true;
	mod(f, "cpufreq_dt")->is_live = true;
}

/* 5: who is asked for, in which order */

static void fresh(struct facts *f)
{
	(void)f;
}

static void doubted_ones_come_last(struct facts *f)
{
	fact_put(f, FACT_PSS, false);
}

static void barred_ones_come_last(struct facts *f)
{
	/* powernow_k8 stands before pcc_cpufreq, but a processor of its own kind is no K8 */
	fact_put(f, FACT_PSS, false);
	fact_put(f, FACT_AMD, true);
	fact_put(f, FACT_K8, true);
	fact_put(f, FACT_HW_PSTATE, true);
	offered(f, "powernow_k8");
}

static void all_doubted(struct facts *f)
{
	fact_put(f, FACT_ACPI, false);
}

static void second_of_two(struct facts *f)
{
	tried(mod(f, "acpi_cpufreq"), -ENODEV);
}

static void nobody_offered(struct facts *f)
{
	mod(f, "acpi_cpufreq")->offers = 0;
	mod(f, "pcc_cpufreq")->offers = 0;
}

static void offered_to_acpi_only(struct facts *f)
{
	nobody_offered(f);
	mod(f, "pcc_cpufreq")->offers = OFFER_ACPI;
}

static void loaded_without_charge(struct facts *f)
{
	tried(mod(f, "acpi_cpufreq"), 0);
	mod(f, "acpi_cpufreq")->is_live = true;
	tried(mod(f, "pcc_cpufreq"), 0);
}

/* 6: what is denied, the second chance */

static void refused(struct facts *f, int error)
{
	tried(mod(f, "acpi_cpufreq"), error);
	tried(mod(f, "pcc_cpufreq"), -ENODEV);
}

static void refused_for_good(struct facts *f)
{
	refused(f, -EOPNOTSUPP);
}

static void refused_eperm(struct facts *f)
{
	refused(f, -EPERM);
}

static void refused_for_now(struct facts *f)
{
	refused(f, -EBUSY);
}

static void refused_eexist_alone(struct facts *f)
{
	refused(f, -EEXIST);
}

static void refused_eexist_beaten(struct facts *f)
{
	builtin_in_charge(f);
	f->governor[0] = '\0';
	refused(f, -EEXIST);
}

static void second_chance_had(struct facts *f)
{
	refused_for_good(f);
	mod(f, "acpi_cpufreq")->was_late = true;
	mod(f, "pcc_cpufreq")->was_late = true;
}

static void hung(struct facts *f)
{
	mod(f, "acpi_cpufreq")->attempt = ATTEMPT_PENDING;
	tried(mod(f, "pcc_cpufreq"), -ENODEV);
}

static void denied_by_kernel(struct facts *f)
{
	mod(f, "acpi_cpufreq")->denial = DENIAL_KERNEL_CMDLINE;
	mod(f, "pcc_cpufreq")->denial = DENIAL_INITCALL;
}

static void denied_by_others(struct facts *f)
{
	mod(f, "acpi_cpufreq")->denial = DENIAL_MODPROBE_CMDLINE;
	mod(f, "pcc_cpufreq")->denial = DENIAL_DRACUT_CMDLINE;
}

/* 7: the administrator's own */

static void install_line(struct facts *f)
{
	mod(f, "acpi_cpufreq")->install = &some_line;
	tried(mod(f, "pcc_cpufreq"), -ENODEV);
}

static void install_line_beaten(struct facts *f)
{
	builtin_in_charge(f);
	mod(f, "acpi_cpufreq")->install = &some_line;
}

static void wanted_by_name(struct facts *f)
{
	builtin_in_charge(f);
	mod(f, "acpi_cpufreq")->is_wanted = true;
}

static void wanted_and_refused(struct facts *f)
{
	refused_for_good(f);
	mod(f, "acpi_cpufreq")->is_wanted = true;
}

/* 9: not known */

static void not_known(struct facts *f)
{
	f->failed_error = -EIO;
}

static void not_known_in_charge(struct facts *f)
{
	acpi_in_charge(f);
	f->failed_error = -EIO;
}

/* 10: the kernel layer is there */

static void one_platform_device(struct facts *f)
{
	mod(f, "acpi_cpufreq")->offers = OFFER_PLATFORM;
	mod(f, "pcc_cpufreq")->offers = 0;
}

static void one_platform_device_beaten(struct facts *f)
{
	one_platform_device(f);
	builtin_in_charge(f);
}

static void pci_only(struct facts *f)
{
	nobody_offered(f);
	mod(f, "gx_suspmod")->is_present = true;
	mod(f, "gx_suspmod")->offers = OFFER_PCI;
}

/* 11: not our business */

static void kdump(struct facts *f)
{
	f->bystander = BYSTANDER_KDUMP;
}

static void container(struct facts *f)
{
	acpi_in_charge(f);
	f->bystander = BYSTANDER_CONTAINER;
}

static void chrooted(struct facts *f)
{
	f->bystander = BYSTANDER_CHROOT;
}

static void disabled(struct facts *f)
{
	f->settings.is_enabled = false;
	force(f, "acpi_cpufreq");
}

static void masked(struct facts *f)
{
	acpi_in_charge(f);
	f->is_masked = true;
}

/* policy=softdep */

static void softdep(struct facts *f)
{
	acpi_in_charge(f);
	f->settings.policy = POLICY_SOFTDEP;
	mod(f, "acpi_cpufreq")->is_present = true;
	offered(f, "speedstep_ich");
	mod(f, "speedstep_ich")->install = &some_line;
	offered(f, "speedstep_smi");
	mod(f, "speedstep_smi")->is_wanted = true;
}

static void softdep_builtin_winner(struct facts *f)
{
	builtin_in_charge(f);
	f->settings.policy = POLICY_SOFTDEP;
}

static void softdep_denied_winner(struct facts *f)
{
	in_charge_and_denied(f);
	f->settings.policy = POLICY_SOFTDEP;
}

static void softdep_install_winner(struct facts *f)
{
	softdep(f);
	mod(f, "acpi_cpufreq")->install = &some_line;
}

static void softdep_nobody(struct facts *f)
{
	refused_for_good(f);
	f->settings.policy = POLICY_SOFTDEP;
}

static void governor_of_next(struct facts *f)
{
	strcpy(f->governor, "ondemand");
}

#define IN_CHARGE OUTCOME_IN_CHARGE, NULL
#define TRY(name) OUTCOME_TRY, name
#define NOBODY    OUTCOME_NONE, NULL

static const struct scenario scenarios[] = {
	{ "1: in charge",
	  acpi_in_charge,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "acpi_cpufreq",
	  { { "acpi_cpufreq", VERDICT_IN_CHARGE, false, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, true, false },
	    { "p4_clockmod", VERDICT_NOT_OFFERED, false, false },
	    { "amd_pstate", VERDICT_UNFIT, false, false } } },
	{ "1: in charge, late",
	  acpi_in_charge,
	  true,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "acpi_cpufreq",
	  { { "acpi_cpufreq", VERDICT_IN_CHARGE, false, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, true, false } } },
	{ "1: a built-in one in charge",
	  builtin_in_charge,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "intel_pstate",
	  { { "intel_pstate", VERDICT_IN_CHARGE, false, false },
	    { "acpi_cpufreq", VERDICT_BEATEN, true, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, true, false } } },
	{ "1: one that is not in the table",
	  stranger_in_charge,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_BEATEN, true, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, true, false } } },
	{ "1: in charge though denied",
	  in_charge_and_denied,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "acpi_cpufreq",
	  { { "acpi_cpufreq", VERDICT_IN_CHARGE, false, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, true, false } } },
	{ "1: in charge, another waits",
	  in_charge_while_waiting,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "intel_pstate",
	  { { "cpufreq_dt", VERDICT_BEATEN, false, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, true, false } } },

	{ "2: cpufreq.off",
	  off,
	  false,
	  OUTCOME_OFF,
	  NULL,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_OFF, true, false },
	    { "powernow_k8", VERDICT_OFF, false, false },
	    { "p4_clockmod", VERDICT_NOT_OFFERED, false, false },
	    { "intel_pstate", VERDICT_HAD_TURN, false, false } } },
	{ "2: dom0",
	  dom0,
	  false,
	  OUTCOME_OFF,
	  NULL,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_OFF, true, false },
	    { "pcc_cpufreq", VERDICT_OFF, true, false } } },
	{ "2: dom0, late",
	  dom0,
	  true,
	  OUTCOME_OFF,
	  NULL,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "pcc_cpufreq", VERDICT_OFF, true, false } } },
	{ "2: dom0, softdep",
	  dom0_softdep,
	  false,
	  OUTCOME_OFF,
	  NULL,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_OFF, false, false } } },

	{ "3: forced",
	  forced_pcc,
	  false,
	  TRY("pcc_cpufreq"),
	  FORCED_TRY,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_IN_LINE, false, false },
	    { "pcc_cpufreq", VERDICT_CHOSEN, false, false } } },
	{ "3: forced, offered by nothing",
	  forced_unoffered,
	  false,
	  TRY("p4_clockmod"),
	  FORCED_TRY,
	  false,
	  NULL,
	  { { "p4_clockmod", VERDICT_CHOSEN, false, false } } },
	{ "3: forced and in charge",
	  forced_in_charge,
	  false,
	  IN_CHARGE,
	  FORCED_IN_CHARGE,
	  false,
	  "acpi_cpufreq",
	  { { "acpi_cpufreq", VERDICT_IN_CHARGE, false, false } } },
	{ "3: forced, another in charge",
	  forced_beaten,
	  false,
	  IN_CHARGE,
	  FORCED_BEATEN,
	  false,
	  "acpi_cpufreq",
	  { { "pcc_cpufreq", VERDICT_BEATEN, true, false } } },
	{ "3: forced, not in the table",
	  forced_unknown,
	  false,
	  TRY("acpi_cpufreq"),
	  FORCED_NO_SUCH,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_CHOSEN, false, false } } },
	{ "3: forced, no such module",
	  forced_absent,
	  false,
	  TRY("acpi_cpufreq"),
	  FORCED_NO_MODULE,
	  false,
	  NULL,
	  { { "powernow_k8", VERDICT_UNFIT, false, false } } },
	{ "3: forced, built in",
	  forced_builtin,
	  false,
	  TRY("acpi_cpufreq"),
	  FORCED_NO_MODULE,
	  false,
	  NULL,
	  { { "pcc_cpufreq", VERDICT_HAD_TURN, false, false } } },
	{ "3: forced and denied",
	  forced_and_denied,
	  false,
	  TRY("pcc_cpufreq"),
	  FORCED_DENIED,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_DENIED, false, false } } },
	{ "3: forced, with an install line",
	  forced_and_install,
	  false,
	  TRY("pcc_cpufreq"),
	  FORCED_DENIED,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_RESERVED, false, false } } },
	{ "3: forced and refused",
	  forced_refused,
	  false,
	  TRY("acpi_cpufreq"),
	  FORCED_REFUSED,
	  false,
	  NULL,
	  { { "p4_clockmod", VERDICT_REFUSED, false, false } } },
	{ "3: forced while another waits",
	  forced_while_waiting,
	  false,
	  TRY("pcc_cpufreq"),
	  FORCED_TRY,
	  false,
	  NULL,
	  { { "cpufreq_dt", VERDICT_WAITING, false, false } } },

	{ "4: built in, had its turn",
	  builtins_had_their_turn,
	  false,
	  TRY("pcc_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "intel_pstate", VERDICT_HAD_TURN, false, false },
	    { "acpi_cpufreq", VERDICT_HAD_TURN, false, false } } },
	{ "4: a platform driver waits",
	  dt_waits,
	  false,
	  OUTCOME_WAITING,
	  NULL,
	  FORCED_NOT,
	  true,
	  NULL,
	  { { "cpufreq_dt", VERDICT_WAITING, false, false },
	    { "acpi_cpufreq", VERDICT_IN_LINE, false, false },
	    { "pcc_cpufreq", VERDICT_REFUSED, false, false } } },
	{ "4: it waits, late",
	  dt_waits,
	  true,
	  OUTCOME_WAITING,
	  NULL,
	  FORCED_NOT,
	  true,
	  NULL,
	  { { "cpufreq_dt", VERDICT_WAITING, false, false } } },
	{ "4: a built-in platform driver waits",
	  dt_waits_built_in,
	  false,
	  OUTCOME_WAITING,
	  NULL,
	  FORCED_NOT,
	  true,
	  NULL,
	  { { "cpufreq_dt", VERDICT_WAITING, false, false } } },
	{ "4: bound, so it does not wait",
	  dt_is_bound,
	  false,
	  TRY("acpi_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "cpufreq_dt", VERDICT_IDLE, false, false } } },

	{ "5: the first in the table",
	  fresh,
	  false,
	  TRY("acpi_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_CHOSEN, false, false },
	    { "pcc_cpufreq", VERDICT_IN_LINE, false, false },
	    { "p4_clockmod", VERDICT_NOT_OFFERED, false, false },
	    { "speedstep_ich", VERDICT_ABSENT, false, false } } },
	{ "5: what the table doubts comes last",
	  doubted_ones_come_last,
	  false,
	  TRY("pcc_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_IN_LINE, false, false } } },
	{ "5: what a fact bars comes last",
	  barred_ones_come_last,
	  false,
	  TRY("pcc_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "powernow_k8", VERDICT_IN_LINE, false, false } } },
	{ "5: and is asked for all the same",
	  all_doubted,
	  false,
	  TRY("acpi_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_CHOSEN, false, false } } },
	{ "5: each at most once",
	  second_of_two,
	  false,
	  TRY("pcc_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_REFUSED, true, false } } },
	{ "5: what nothing asks for is not loaded",
	  nobody_offered,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_NOT_OFFERED, false, false } } },
	{ "5: ACPI processors ask, too",
	  offered_to_acpi_only,
	  false,
	  TRY("pcc_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "pcc_cpufreq", VERDICT_CHOSEN, false, false } } },
	{ "5: loaded, not in charge",
	  loaded_without_charge,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_IDLE, false, false },
	    { "pcc_cpufreq", VERDICT_REFUSED, false, false } } },

	{ "6: refused for good",
	  refused_for_good,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_REFUSED, true, false },
	    { "pcc_cpufreq", VERDICT_REFUSED, true, false } } },
	{ "6: -EPERM",
	  refused_eperm,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_REFUSED, true, false } } },
	{ "6: refused for now",
	  refused_for_now,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_REFUSED, false, false },
	    { "pcc_cpufreq", VERDICT_REFUSED, true, false } } },
	{ "6: -EEXIST with nobody in charge",
	  refused_eexist_alone,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_REFUSED, false, false } } },
	{ "6: -EEXIST, one in charge",
	  refused_eexist_beaten,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_BEATEN, true, false } } },
	{ "6: the second chance",
	  refused_for_good,
	  true,
	  TRY("acpi_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_CHOSEN, true, false } } },
	{ "6: is had once",
	  second_chance_had,
	  true,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_REFUSED, true, false } } },
	{ "6: a hung one is left alone",
	  hung,
	  true,
	  TRY("pcc_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_HUNG, false, false } } },
	{ "6: hung, not late",
	  hung,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_HUNG, false, false },
	    { "pcc_cpufreq", VERDICT_REFUSED, true, false } } },
	{ "6: denied by the kernel's own line",
	  denied_by_kernel,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_DENIED, true, false },
	    { "pcc_cpufreq", VERDICT_DENIED, true, false } } },
	{ "6: denied to udev already",
	  denied_by_others,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_DENIED, false, false },
	    { "pcc_cpufreq", VERDICT_DENIED, false, false } } },

	{ "7: an install line",
	  install_line,
	  true,
	  TRY("pcc_cpufreq"),
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_RESERVED, false, false } } },
	{ "7: an install line, one in charge",
	  install_line_beaten,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "intel_pstate",
	  { { "acpi_cpufreq", VERDICT_RESERVED, false, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, true, false } } },
	{ "7: asked for by name",
	  wanted_by_name,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "intel_pstate",
	  { { "acpi_cpufreq", VERDICT_BEATEN, false, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, true, false } } },
	{ "7: asked for by name, refused",
	  wanted_and_refused,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_REFUSED, false, false },
	    { "pcc_cpufreq", VERDICT_REFUSED, true, false } } },

	{ "9: not known",
	  not_known,
	  false,
	  OUTCOME_UNKNOWN,
	  NULL,
	  FORCED_NOT,
	  true,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_UNKNOWN, false, false },
	    { "pcc_cpufreq", VERDICT_UNKNOWN, false, false },
	    { "amd_pstate", VERDICT_UNFIT, false, false } } },
	{ "9: not known, one in charge",
	  not_known_in_charge,
	  false,
	  OUTCOME_UNKNOWN,
	  NULL,
	  FORCED_NOT,
	  true,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_IN_CHARGE, false, false },
	    { "pcc_cpufreq", VERDICT_UNKNOWN, false, false } } },

	{ "10: one device, one load",
	  one_platform_device,
	  false,
	  OUTCOME_LEFT,
	  NULL,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_LEFT, false, false },
	    { "pcc_cpufreq", VERDICT_NOT_OFFERED, false, false } } },
	{ "10: the same, one in charge",
	  one_platform_device_beaten,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "intel_pstate",
	  { { "acpi_cpufreq", VERDICT_BEATEN, false, false } } },
	{ "10: a PCI device",
	  pci_only,
	  false,
	  OUTCOME_LEFT,
	  NULL,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "gx_suspmod", VERDICT_LEFT, false, false } } },

	{ "11: kdump",
	  kdump,
	  false,
	  OUTCOME_BYSTANDER,
	  NULL,
	  FORCED_NOT,
	  true,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_IN_LINE, false, false } } },
	{ "11: container",
	  container,
	  false,
	  OUTCOME_BYSTANDER,
	  NULL,
	  FORCED_NOT,
	  true,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_IN_CHARGE, false, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, false, false } } },
	{ "11: chroot",
	  chrooted,
	  true,
	  OUTCOME_BYSTANDER,
	  NULL,
	  FORCED_NOT,
	  true,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_IN_LINE, false, false } } },
	{ "enable=0",
	  disabled,
	  false,
	  OUTCOME_DISABLED,
	  NULL,
	  FORCED_TRY,
	  true,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_IN_LINE, false, false } } },
	{ "masked",
	  masked,
	  false,
	  OUTCOME_DISABLED,
	  NULL,
	  FORCED_NOT,
	  true,
	  NULL,
	  { { "pcc_cpufreq", VERDICT_BEATEN, false, false } } },

	{ "softdep",
	  softdep,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "acpi_cpufreq",
	  { { "acpi_cpufreq", VERDICT_IN_CHARGE, false, false },
	    { "pcc_cpufreq", VERDICT_BEATEN, false, true },
	    { "speedstep_ich", VERDICT_RESERVED, false, false },
	    { "speedstep_smi", VERDICT_BEATEN, false, false } } },
	{ "softdep, built-in winner",
	  softdep_builtin_winner,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "intel_pstate",
	  { { "pcc_cpufreq", VERDICT_BEATEN, false, false } } },
	{ "softdep, denied winner",
	  softdep_denied_winner,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  "acpi_cpufreq",
	  { { "pcc_cpufreq", VERDICT_BEATEN, false, false } } },
	{ "softdep, winner with an install line",
	  softdep_install_winner,
	  false,
	  IN_CHARGE,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "pcc_cpufreq", VERDICT_BEATEN, false, false } } },
	{ "softdep, nobody in charge",
	  softdep_nobody,
	  false,
	  NOBODY,
	  FORCED_NOT,
	  false,
	  NULL,
	  { { "acpi_cpufreq", VERDICT_REFUSED, false, false } } },
	{ "the governor of the one to be tried",
	  governor_of_next,
	  false,
	  TRY("acpi_cpufreq"),
	  FORCED_NOT,
	  false,
	  "acpi_cpufreq",
	  { { "acpi_cpufreq", VERDICT_CHOSEN, false, false } } },
};

static void run_scenario(const struct scenario *s, struct facts *facts, struct decision *d)
{
	machine(facts);
	s->change(facts);
	memset(d, 0xa5, sizeof(*d)); /* every field is to be set */
	decide(facts, s->is_late, d);
}

static const char *row_name(int i)
{
	return i < 0 ? "none" : drivers[i].name;
}

static void check(void **state)
{
	const struct scenario *s = *state;
	struct facts facts;
	struct decision d;

	run_scenario(s, &facts, &d);
	assert_int_equal(d.outcome, s->outcome);
	assert_string_equal(row_name(d.next), s->next ? s->next : "none");
	assert_int_equal(d.forced, s->forced);
	assert_int_equal(d.may_write, !s->writes_nothing);
	assert_string_equal(row_name(d.governor_of), s->governor_of ? s->governor_of : "none");
	for (const struct expected_row *row = s->rows; row->name; row++) {
		const struct row_decision *got = &d.rows[driver_find(row->name)];

		if (got->verdict != row->verdict || got->deny != row->deny ||
		    got->order != row->order)
			print_error("%s: verdict %d, deny %d, order %d\n", row->name, got->verdict,
				    got->deny, got->order);
		assert_int_equal(got->verdict, row->verdict);
		assert_int_equal(got->deny, row->deny);
		assert_int_equal(got->order, row->order);
	}
}

/* What holds of every decision, whatever the machine. */
static void check_invariants(const struct facts *f, const struct decision *d)
{
	for (size_t i = 0; i < driver_count; i++) {
		const struct row_decision *row = &d->rows[i];
		const struct module_state *m = &f->modules[i];

		assert_false(row->deny && row->order);
		if (row->deny || row->order) {
			assert_true(d->may_write);
			assert_int_not_equal((int)i, d->in_charge);
			assert_null(m->install);
			assert_false(m->is_wanted);
			assert_false(m->is_builtin);
			assert_true(m->offers & OFFER_PER_CPU);
		}
		if (row->order)
			assert_true(d->in_charge >= 0);
		assert_int_equal(row->verdict == VERDICT_CHOSEN, (int)i == d->next);
	}
	assert_int_equal(d->next >= 0, d->outcome == OUTCOME_TRY);
	if (d->next >= 0) {
		const struct module_state *m = &f->modules[d->next];

		assert_true(m->is_present);
		assert_null(m->install);
		assert_int_equal(m->denial, DENIAL_NONE);
		assert_false(m->is_live);
		assert_true(m->attempt != ATTEMPT_PENDING);
		assert_string_equal(f->scaling_driver, "");
	}
	if (f->failed_error || f->bystander || !f->settings.is_enabled || f->is_masked)
		assert_false(d->may_write);
}

static void invariants(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++) {
		struct facts facts;
		struct decision d;

		run_scenario(&scenarios[i], &facts, &d);
		check_invariants(&facts, &d);
	}
}

static unsigned int pick(unsigned int *seed, unsigned int n)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % n;
}

/* The same of machines that nobody would think of. */
static void invariants_of_random_machines(void **state)
{
	static const int errors[] = { 0, -ENODEV, -EEXIST, -EBUSY, -EPERM, -EOPNOTSUPP, -ENOMEM };
	unsigned int seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct facts f = { .settings.is_enabled = pick(&seed, 8) };
		struct decision d;

		f.set.is_known = (uint64_t)pick(&seed, 1 << 14) << 14 | pick(&seed, 1 << 14);
		f.set.is_true = (uint64_t)pick(&seed, 1 << 14) << 14 | pick(&seed, 1 << 14);
		f.failed_error = pick(&seed, 16) ? 0 : -EIO;
		f.is_off = !pick(&seed, 16);
		f.is_masked = !pick(&seed, 16);
		f.bystander = pick(&seed, 8) ? BYSTANDER_NO : pick(&seed, 4);
		f.settings.policy = pick(&seed, 2);
		if (!pick(&seed, 3))
			force(&f, drivers[pick(&seed, (unsigned int)driver_count)].name);
		if (!pick(&seed, 3))
			in_charge(&f, drivers[pick(&seed, (unsigned int)driver_count)].reports[0]);
		for (size_t i = 0; i < driver_count; i++) {
			struct module_state *m = &f.modules[i];

			m->is_builtin = !pick(&seed, 6);
			m->is_present = !m->is_builtin && pick(&seed, 4);
			m->is_live = m->is_present && !pick(&seed, 4);
			m->offers = pick(&seed, 16);
			m->has_device = pick(&seed, 2);
			m->is_bound = m->has_device && pick(&seed, 2);
			m->denial = pick(&seed, 3) ? DENIAL_NONE : pick(&seed, DENIAL_INITCALL + 1);
			m->install = pick(&seed, 4) ? NULL : &some_line;
			m->is_wanted = !pick(&seed, 4);
			m->attempt = pick(&seed, 3);
			if (m->attempt == ATTEMPT_DONE)
				m->error = errors[pick(&seed, ARRAY_SIZE(errors))];
			m->was_late = !pick(&seed, 3);
		}
		decide(&f, pick(&seed, 2), &d);
		check_invariants(&f, &d);
	}
}

static void every_one_is_reached(void **state)
{
	unsigned int outcomes = 0, verdicts = 0, forced = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++) {
		struct facts facts;
		struct decision d;

		run_scenario(&scenarios[i], &facts, &d);
		outcomes |= 1U << d.outcome;
		forced |= 1U << d.forced;
		for (const struct expected_row *row = scenarios[i].rows; row->name; row++)
			verdicts |= 1U << row->verdict;
	}
	assert_int_equal(outcomes, (1U << (OUTCOME_UNKNOWN + 1)) - 1);
	assert_int_equal(verdicts, (1U << (VERDICT_UNKNOWN + 1)) - 1);
	assert_int_equal(forced, (1U << (FORCED_REFUSED + 1)) - 1);
}

/* A whole boot: asked for one by one until all have said no, each once, and once more late. */
static void a_boot_of_refusals(void **state)
{
	struct facts f;
	struct decision d;
	int loads = 0;

	(void)state;
	machine(&f);
	for (int late = 0; late < 2; late++) {
		for (int turn = 0; turn < 10; turn++) {
			decide(&f, late, &d);
			if (d.outcome != OUTCOME_TRY)
				break;
			loads++;
			f.modules[d.next].was_late = late;
			tried(&f.modules[d.next], -ENODEV);
		}
		assert_int_equal(d.outcome, OUTCOME_NONE);
		assert_int_equal(loads, late ? 4 : 2);
	}
}

/* No row is passed over, and none is read behind the last. */
static void from_the_first_row_to_the_last(void **state)
{
	static struct facts f;
	struct decision d;

	(void)state;
	assert_true(driver_count < DRIVER_MAX);
	for (size_t i = 0; i < driver_count; i++) {
		if (drivers[i].flags & DRIVER_OBSERVED)
			continue;
		f = (struct facts){ .settings.is_enabled = true };
		f.modules[i] = (struct module_state){ .is_present = true, .offers = OFFER_CPU };
		/* That none is known to fit, or all not to, makes no difference to a single one. */
		for (int unfit = 0; unfit < 2; unfit++) {
			f.set.is_known = unfit ? FACTS_ALL : 0;
			decide(&f, false, &d);
			assert_int_equal(d.outcome, OUTCOME_TRY);
			assert_int_equal(d.next, (int)i);
			assert_int_equal(d.rows[i].verdict, VERDICT_CHOSEN);
		}
		tried(&f.modules[i], -ENODEV);
		decide(&f, false, &d);
		assert_int_equal(d.outcome, OUTCOME_NONE);
		assert_true(d.rows[i].deny);
	}
	/* Of two that do not fit the first in the table, be it the very first. */
	f = (struct facts){ .settings.is_enabled = true, .set.is_known = FACTS_ALL };
	f.modules[0] = f.modules[2] =
		(struct module_state){ .is_present = true, .offers = OFFER_CPU };
	decide(&f, false, &d);
	assert_int_equal(d.next, 0);
	/* driver= may name the first row, too. */
	force(&f, drivers[0].name);
	decide(&f, false, &d);
	assert_int_equal(d.forced, FORCED_TRY);
	assert_int_equal(d.next, 0);

	f = (struct facts){ .settings.is_enabled = true };
	f.modules[driver_count] = (struct module_state){ .is_present = true, .offers = OFFER_CPU };
	decide(&f, false, &d);
	assert_int_equal(d.outcome, OUTCOME_NONE);
	assert_false(d.rows[driver_count].deny);
	assert_int_equal(d.rows[driver_count].verdict, 0);
}

/* The winner may be the first row; a softdep is for a module alone, so it is made one here. */
static void order_behind_the_first_row(void **state)
{
	struct facts f;
	struct decision d;

	(void)state;
	machine(&f);
	f.settings.policy = POLICY_SOFTDEP;
	in_charge(&f, drivers[0].reports[0]);
	f.modules[0].is_present = true;
	decide(&f, false, &d);
	assert_int_equal(d.in_charge, 0);
	assert_true(d.rows[driver_find("acpi_cpufreq")].order);
	f.modules[0].is_present = false;
	decide(&f, false, &d);
	assert_false(d.rows[driver_find("acpi_cpufreq")].order);
}

/* Two files of one depmod run don't say both; built in counts, as it does for libkmod. */
static void module_and_built_in(void **state)
{
	int acpi = driver_find("acpi_cpufreq"), pcc = driver_find("pcc_cpufreq");
	struct facts f;
	struct decision d;

	(void)state;
	machine(&f);
	f.modules[acpi].is_builtin = true;
	decide(&f, false, &d);
	assert_int_equal(d.next, pcc);
	assert_int_equal(d.rows[acpi].verdict, VERDICT_HAD_TURN);
	assert_false(d.rows[acpi].deny);
	force(&f, "acpi_cpufreq");
	decide(&f, false, &d);
	assert_int_equal(d.forced, FORCED_NO_MODULE);
	f.settings.policy = POLICY_SOFTDEP;
	in_charge(&f, "acpi-cpufreq");
	decide(&f, false, &d);
	assert_int_equal(d.in_charge, acpi);
	assert_false(d.rows[pcc].order);
}

static void the_rule_of_scope_cpu(void **state)
{
	struct facts f;
	struct decision d;

	(void)state;
	for (int is_masked = 0; is_masked < 2; is_masked++)
		for (int is_cpu = 0; is_cpu < 2; is_cpu++) {
			machine(&f);
			f.settings.scope = is_cpu ? SCOPE_CPU : SCOPE_CPUFREQ;
			f.is_rule_masked = is_masked;
			decide(&f, false, &d);
			assert_int_equal(d.is_once, is_cpu && !is_masked);
			f.settings.is_enabled = false;
			decide(&f, false, &d);
			assert_false(d.is_once);
		}
}

static void every_errno(void **state)
{
	(void)state;
	for (int e = 0; e < 4096; e++) {
		bool always = e == ENODEV || e == EOPNOTSUPP || e == EPERM;

		assert_int_equal(decide_is_final(-e, false), always);
		assert_int_equal(decide_is_final(-e, true), always || e == EEXIST);
	}
	assert_false(decide_is_final(131072, true));
}

int main(void)
{
	const struct CMUnitTest others[] = {
		cmocka_unit_test(invariants),
		cmocka_unit_test(invariants_of_random_machines),
		cmocka_unit_test(every_one_is_reached),
		cmocka_unit_test(a_boot_of_refusals),
		cmocka_unit_test(from_the_first_row_to_the_last),
		cmocka_unit_test(order_behind_the_first_row),
		cmocka_unit_test(module_and_built_in),
		cmocka_unit_test(the_rule_of_scope_cpu),
		cmocka_unit_test(every_errno),
	};
	struct CMUnitTest tests[ARRAY_SIZE(scenarios) + ARRAY_SIZE(others)];

	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++)
		tests[i] = (struct CMUnitTest){ .name = scenarios[i].name,
						.test_func = check,
						.initial_state = (void *)&scenarios[i] };
	memcpy(&tests[ARRAY_SIZE(scenarios)], others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
