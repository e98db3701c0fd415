// SPDX-License-Identifier: GPL-2.0-or-later
/* What a release, a configuration and a command line say of the kernel. */
#include <string.h>

#include "kernel.h"
#include "testlib.h"

enum { NO, YES, OPEN };

static int state_of(const struct facts *f, enum fact fact)
{
	if (!(f->set.is_known & UINT64_C(1) << fact))
		return OPEN;
	return fact_is(f, fact) ? YES : NO;
}

static void versions(void **state)
{
	static const struct {
		const char *release;
		unsigned int number, rc;
	} table[] = {
		{ "6.12.117+deb13-amd64", 6012117, 0 },
		{ "5.4.0-37-generic", 5004000, 0 },
		{ "6.8.0-rc1", 6008000, 1 },
		{ "6.18-rc3-foo", 6018000, 3 },
		{ "6.2", 6002000, 0 },
		{ "7.2.13", 7002013, 0 },
		{ "5.10.99999999999", 5010999, 0 },
		{ "4.18.0-x-rc9", 4018000, 0 },
		{ "", 0, 0 },
		{ "vendor", 0, 0 },
		{ "6.", 0, 0 },
		{ "6.x", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct kernel_version v;

		kernel_version_parse(table[i].release, &v);
		assert_int_equal(v.is_known, table[i].number != 0);
		assert_int_equal(v.number, table[i].number);
		assert_int_equal(v.rc, table[i].rc);
	}
}

static void machine(struct facts *f, const char *vendor, unsigned int family, unsigned int model,
		    const char *release, const char *cmdline)
{
	*f = (struct facts){ .id = { family, model, 1 }, .pm_profile = -1, .has_cmdline = true };
	(void)snprintf(f->kernel, sizeof(f->kernel), "%s", release);
	fact_put(f, FACT_INTEL, strcmp(vendor, "intel") == 0);
	fact_put(f, FACT_AMD, strcmp(vendor, "amd") == 0);
	kernel_version_parse(release, &f->version);
	assert_int_equal(cmdline_parse(cmdline, &f->cmdline), 0);
}

/* One line: a machine, and what becomes of one fact. */
static const struct row {
	const char *vendor;
	unsigned int family, model;
	int profile;
	const char *release, *cmdline;
	enum fact fact;
	int expected;
} rows[] = {
	{ "intel", 6, 0x2a, -1, "5.4.0", "", FACT_PSTATE_MODEL, YES },
	{ "intel", 6, 0x1a, -1, "7.2.0", "", FACT_PSTATE_MODEL, NO },
	{ "intel", 6, 0x6a, -1, "5.10.0", "", FACT_PSTATE_MODEL, NO },
	{ "intel", 6, 0x6a, -1, "5.12.0", "", FACT_PSTATE_MODEL, OPEN },
	{ "intel", 6, 0x6a, -1, "5.14.0", "", FACT_PSTATE_MODEL, YES },
	{ "intel", 6, 0x8d, -1, "5.15.0", "", FACT_PSTATE_MODEL, OPEN },
	{ "intel", 6, 0x8f, -1, "6.1.0", "", FACT_PSTATE_MODEL, NO },
	{ "intel", 6, 0x8f, -1, "6.2.0", "", FACT_PSTATE_MODEL, YES },
	{ "intel", 6, 0xad, -1, "6.12.42", "", FACT_PSTATE_MODEL, NO },
	{ "intel", 6, 0xad, -1, "6.12.43", "", FACT_PSTATE_MODEL, YES },
	{ "intel", 6, 0xad, -1, "6.13.0", "", FACT_PSTATE_MODEL, OPEN },
	{ "intel", 6, 0xae, -1, "6.17.0", "", FACT_PSTATE_MODEL, YES },
	{ "intel", 6, 0x6a, -1, "6.1.0", "", FACT_PSTATE_MODEL, YES },
	{ "intel", 6, 0xcf, -1, "6.2.0", "", FACT_PSTATE_MODEL, NO },
	{ "intel", 6, 0xcf, -1, "6.8.0-rc1", "", FACT_PSTATE_MODEL, YES },
	{ "intel", 6, 0xcf, -1, "", "", FACT_PSTATE_MODEL, OPEN },
	{ "intel", 6, 0x2a, -1, "6.1.0", "", FACT_OOB, NO },
	{ "intel", 6, 0x55, -1, "6.1.0", "", FACT_OOB, OPEN },
	{ "intel", 19, 1, -1, "7.2.0", "", FACT_OOB, OPEN },
	{ "intel", 6, 0x2a, -1, "5.6.4", "", FACT_PASSIVE_DEFAULT, NO },
	{ "intel", 6, 0x2a, -1, "5.7.0", "", FACT_PASSIVE_DEFAULT, YES },
	{ "intel", 6, 0x2a, -1, "", "", FACT_PASSIVE_DEFAULT, OPEN },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=active", FACT_ASKED_ACTIVE, YES },
	{ "intel", 6, 0x2a, -1, "5.8.0-rc1", "intel_pstate=active", FACT_ASKED_ACTIVE, NO },
	{ "intel", 6, 0x2a, -1, "5.8.0", "intel_pstate=active", FACT_ASKED_ACTIVE, YES },
	{ "intel", 6, 0x2a, -1, "", "intel_pstate=active", FACT_ASKED_ACTIVE, OPEN },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=active intel_pstate=passive",
	  FACT_ASKED_ACTIVE, NO },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=active intel_pstate=passive",
	  FACT_ASKED_PASSIVE, YES },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=no_hwp intel_pstate=disable",
	  FACT_INTEL_DISABLE, YES },
	{ "intel", 6, 0x2a, -1, "6.1.0", "-- intel_pstate=disable", FACT_INTEL_DISABLE, NO },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=force", FACT_ORACLE, NO },
	{ "amd", 25, 0x21, 1, "6.4.0", "", FACT_AMD_DEFAULT, NO },
	{ "amd", 25, 0x21, 1, "6.5.0", "", FACT_AMD_DEFAULT, YES },
	{ "amd", 25, 0x21, 1, "5.19.0", "", FACT_AMD_DEFAULT, OPEN },
	{ "amd", 25, 0x21, 1, "5.10.0", "", FACT_AMD_DEFAULT, NO },
	{ "amd", 25, 0x21, 1, "6.5.0", "amd_pstate=disable", FACT_AMD_DISABLE, YES },
	{ "amd", 25, 0x21, 1, "6.5.0", "amd_pstate=disable", FACT_AMD_EPP, YES },
	{ "amd", 25, 0x21, 1, "6.0.0", "amd_pstate=disable", FACT_AMD_DISABLE, OPEN },
	{ "amd", 25, 0x21, 1, "6.5.0", "", FACT_AMD_DISABLE, NO },
	{ "amd", 25, 0x21, 1, "6.4.0", "", FACT_AMD_EPP, NO },
	{ "amd", 25, 0x21, 1, "6.5.0", "", FACT_AMD_EPP, YES },
	{ "amd", 25, 0x21, 1, "", "", FACT_AMD_EPP, OPEN },
	{ "amd", 25, 0x21, 1, "", "", FACT_AMD_DEFAULT, OPEN },
	{ "amd", 25, 0x21, 1, "", "amd_pstate=active", FACT_AMD_ASKED, OPEN },
	{ "amd", 25, 0x21, 1, "", "amd_pstate=active", FACT_AMD_EPP, OPEN },
	{ "amd", 25, 0x21, 1, "6.2.0", "amd_pstate=active", FACT_AMD_EPP, YES },
	{ "amd", 25, 0x21, 1, "6.10.9", "", FACT_SHMEM_DEFAULT, NO },
	{ "amd", 25, 0x21, 1, "6.11.0", "", FACT_SHMEM_DEFAULT, YES },
	{ "amd", 25, 0x21, 1, "5.19.0", "amd_pstate.shared_mem=1", FACT_SHMEM_DEFAULT, YES },
	{ "amd", 25, 0x21, 1, "6.1.0", "amd_pstate=passive", FACT_AMD_ASKED, YES },
	{ "amd", 25, 0x21, 1, "6.1.0", "amd_pstate=passive", FACT_AMD_EPP, NO },
	{ "amd", 25, 0x21, 1, "6.2.0", "amd_pstate=guided", FACT_AMD_ASKED, OPEN },
	{ "amd", 25, 0x21, 1, "6.3.0", "amd_pstate=guided", FACT_AMD_ASKED, OPEN },
	{ "amd", 25, 0x21, 1, "6.4.0", "amd_pstate=guided", FACT_AMD_ASKED, YES },
	{ "amd", 25, 0x21, 1, "6.2.0", "amd_pstate=active", FACT_AMD_ASKED, OPEN },
	{ "amd", 25, 0x21, 1, "6.3.0", "amd_pstate=active", FACT_AMD_ASKED, YES },
	/* who keeps the number and adds drivers */
	{ "amd", 25, 0x21, 1, "5.15.0-56-generic", "", FACT_AMD_DEFAULT, OPEN },
	{ "amd", 25, 0x21, 1, "5.14.0-427.13.1.el9_4.x86_64", "", FACT_AMD_DEFAULT, OPEN },
	{ "amd", 25, 0x21, 1, "5.14.0-427.13.1.el9_4.x86_64", "", FACT_AMD_ASKED, NO },
	{ "amd", 25, 0x21, 1, "5.14.0-427.13.1.el9_4.x86_64", "amd_pstate=active", FACT_AMD_ASKED,
	  OPEN },
	{ "amd", 25, 0x21, 1, "5.14.0-427.13.1.el9_4.x86_64", "", FACT_SHMEM_DEFAULT, OPEN },
	{ "amd", 25, 0x21, 4, "5.14.0-427.13.1.el9_4.x86_64", "", FACT_PROFILE_OFF, OPEN },
	{ "amd", 25, 0x21, 1, "5.14.0-427.13.1.el9_4.x86_64", "", FACT_PROFILE_OFF, NO },
	{ "amd", 25, 0x21, 1, "5.14.21-150500.55-default", "", FACT_AMD_DEFAULT, OPEN },
	{ "amd", 25, 0x21, 1, "6.4.0-150600.23-default", "", FACT_AMD_DEFAULT, OPEN },
	{ "amd", 25, 0x21, 1, "5.15.18-1-lts", "", FACT_AMD_DEFAULT, NO },
	{ "amd", 25, 0x21, 1, "5.10.0-28-amd64", "", FACT_AMD_DEFAULT, NO },
	{ "intel", 6, 0x8f, -1, "5.14.0-427.13.1.el9_4.x86_64", "", FACT_PSTATE_MODEL, OPEN },
	{ "amd", 25, 0x21, 1, "5.15.0", "amd_pstate=passive", FACT_AMD_ASKED, NO },
	{ "amd", 25, 0x21, 1, "6.6.0", "amd_pstate=passive amd_pstate=active", FACT_AMD_EPP, YES },
	{ "amd", 25, 0x21, 1, "6.6.0", "intel_pstate=disable", FACT_AMD_ASKED, NO },
	{ "amd", 25, 0x21, 4, "6.12.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 25, 0x21, 0, "6.12.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 25, 0x21, 2, "6.12.0", "", FACT_PROFILE_OFF, NO },
	{ "amd", 25, 0x21, 4, "", "", FACT_PROFILE_OFF, OPEN },
	{ "amd", 25, 0x21, 4, "5.18.0", "", FACT_PROFILE_OFF, NO },
	{ "amd", 25, 0x21, -1, "6.12.0", "", FACT_PROFILE_OFF, OPEN },
	{ "amd", 26, 2, 4, "6.12.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 26, 2, 4, "6.13.0", "", FACT_PROFILE_OFF, NO },
	{ "amd", 26, 2, 0, "6.13.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 23, 1, 1, "6.12.0", "", FACT_NO_CPPC_CPU, YES },
	{ "amd", 23, 0x31, 1, "6.12.0", "", FACT_NO_CPPC_CPU, NO },
	{ "amd", 21, 2, 1, "6.12.0", "", FACT_NO_CPPC_CPU, YES },
	{ "amd", 25, 0x61, 1, "6.10.14", "nosmt=force", FACT_CPC_LOST, NO },
	{ "amd", 25, 0x61, 1, "6.11.0", "nosmt=force", FACT_CPC_LOST, YES },
	{ "amd", 25, 0x61, 1, "6.18.0-rc3", "nosmt=force", FACT_CPC_LOST, YES },
	{ "amd", 25, 0x61, 1, "6.12.50", "nosmt=force", FACT_CPC_LOST, OPEN },
	{ "amd", 25, 0x61, 1, "7.2.0", "nosmt=force", FACT_CPC_LOST, NO },
	{ "amd", 25, 0x61, 1, "6.12.8", "nosmt", FACT_CPC_LOST, NO },
};

static void facts_of_kernels(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		struct facts f;

		machine(&f, r->vendor, r->family, r->model, r->release, r->cmdline);
		f.pm_profile = r->profile;
		kernel_facts(&f);
		if (state_of(&f, r->fact) != r->expected)
			print_error("%s %u/%u %s \"%s\": %s\n", r->vendor, r->family, r->model,
				    r->release, r->cmdline, fact_name(r->fact));
		assert_int_equal(state_of(&f, r->fact), r->expected);
		cmdline_free(&f.cmdline);
	}
}

/* Without a command line nothing is said of what might stand there. */
static void no_command_line(void **state)
{
	static const char *const releases[] = { "5.18.0", "6.1.0", "6.4.0", "6.12.0", "" };
	struct facts f;

	(void)state;
	machine(&f, "intel", 6, 0x2a, "6.1.0", "intel_pstate=disable");
	f.has_cmdline = false;
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_INTEL_DISABLE), OPEN);
	assert_int_equal(state_of(&f, FACT_CPUFREQ_OFF), OPEN);
	cmdline_free(&f.cmdline);
	/* ... but for a driver that the kernel has not. */
	machine(&f, "amd", 25, 0x50, "5.16.0", "");
	f.has_cmdline = false;
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_AMD_ASKED), NO);
	cmdline_free(&f.cmdline);
	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		machine(&f, "amd", 25, 0x50, releases[i], "");
		f.has_cmdline = false;
		kernel_facts(&f);
		assert_int_equal(state_of(&f, FACT_AMD_ASKED), OPEN);
		assert_int_equal(state_of(&f, FACT_AMD_DISABLE), OPEN);
		assert_int_equal(state_of(&f, FACT_AMD_EPP), OPEN);
		cmdline_free(&f.cmdline);
	}
	/* Up to 6.0 a parameter of the module stands there. */
	machine(&f, "amd", 25, 0x21, "5.18.0", "");
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_SHMEM_DEFAULT), NO);
	f.has_cmdline = false;
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_SHMEM_DEFAULT), OPEN);
	cmdline_free(&f.cmdline);
}

/* The configuration knows better than the release. */
static void configuration(void **state)
{
	struct facts f;

	(void)state;
	machine(&f, "amd", 25, 0x21, "6.12.0", "");
	kernel_facts(&f);
	kernel_config_parse("CONFIG_X86_AMD_PSTATE=y\nCONFIG_X86_AMD_PSTATE_DEFAULT_MODE=1\n"
			    "# CONFIG_X86_PCC_CPUFREQ is not set\nCONFIG_X86_ACPI_CPUFREQ=m\n",
			    &f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), NO);
	assert_int_equal(f.modules[driver_find("pcc_cpufreq")].config, 'n');
	assert_int_equal(f.modules[driver_find("acpi_cpufreq")].config, 'm');
	assert_int_equal(f.modules[driver_find("intel_pstate")].config, 0);
	kernel_config_parse("CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=2\n", &f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), YES);
	assert_int_equal(state_of(&f, FACT_AMD_EPP), NO);
	cmdline_free(&f.cmdline);
	machine(&f, "amd", 25, 0x21, "5.19.0", "");
	kernel_facts(&f);
	kernel_config_parse("CONFIG_X86_AMD_PSTATE=m\n", &f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), NO);
	kernel_config_parse("CONFIG_X86_AMD_PSTATE=y\n", &f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), YES);
	cmdline_free(&f.cmdline);
}

/* What the kernel shows comes before its number. */
static void older_than_the_driver(void **state)
{
	struct facts f;
	int amd = driver_find("amd_pstate");

	(void)state;
	machine(&f, "amd", 25, 0x61, "5.15.0", "");
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), NO);
	/* it is there, but of what release is not known */
	kernel_config_parse("CONFIG_X86_AMD_PSTATE=y\n", &f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), OPEN);
	assert_int_equal(state_of(&f, FACT_AMD_ASKED), NO);
	/* the option says that too */
	kernel_config_parse("CONFIG_X86_AMD_PSTATE=y\nCONFIG_X86_AMD_PSTATE_DEFAULT_MODE=3\n", &f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), YES);
	assert_int_equal(state_of(&f, FACT_AMD_EPP), YES);
	kernel_config_parse("CONFIG_X86_AMD_PSTATE=y\nCONFIG_X86_AMD_PSTATE_DEFAULT_MODE=2\n", &f);
	assert_int_equal(state_of(&f, FACT_AMD_EPP), NO);
	cmdline_free(&f.cmdline);
	machine(&f, "amd", 25, 0x61, "5.14.0-427.el9.x86_64", "amd_pstate=passive");
	kernel_facts(&f);
	kernel_config_parse("CONFIG_X86_AMD_PSTATE=y\nCONFIG_X86_AMD_PSTATE_DEFAULT_MODE=3\n", &f);
	assert_int_equal(state_of(&f, FACT_AMD_ASKED), YES);
	assert_int_equal(state_of(&f, FACT_AMD_EPP), NO);
	/* a configuration that knows the neighbours has no such driver */
	kernel_config_parse("CONFIG_X86_ACPI_CPUFREQ=m\n", &f);
	assert_int_equal(f.modules[amd].config, 'n');
	cmdline_free(&f.cmdline);
	/* an index without it, while it could still be a module */
	machine(&f, "amd", 25, 0x61, "5.18.0", "");
	f.has_index = true;
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), NO);
	f.modules[amd].is_builtin = true;
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), YES);
	cmdline_free(&f.cmdline);
}

/* 5.17 to 6.0 can have it as a module, which only its name loads. */
static void module(void **state)
{
	struct modconf_entry entry = { .kind = MODCONF_OPTIONS,
				       .name = (char *)"amd_pstate",
				       .value = (char *)"shared_mem=1" };
	struct facts f;
	struct module_state *m = &f.modules[driver_find("amd_pstate")];

	(void)state;
	machine(&f, "amd", 23, 0x71, "5.19.0-28-generic", "");
	kernel_config_parse("CONFIG_X86_AMD_PSTATE=m\n", &f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), NO);
	m->is_wanted = true;
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), YES);
	assert_int_equal(state_of(&f, FACT_AMD_EPP), NO);
	assert_int_equal(state_of(&f, FACT_SHMEM_DEFAULT), NO);
	f.conf = (struct modconf){ .entries = &entry, .count = 1 };
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_SHMEM_DEFAULT), YES);
	m->is_wanted = false;
	f.settings.is_enabled = true;
	strcpy(f.settings.driver, "amd_pstate");
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), YES);
	cmdline_free(&f.cmdline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(older_than_the_driver),
		cmocka_unit_test(module),
		cmocka_unit_test(versions),
		cmocka_unit_test(facts_of_kernels),
		cmocka_unit_test(no_command_line),
		cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
