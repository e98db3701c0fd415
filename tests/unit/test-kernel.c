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
		{ "5.10.1000", 5010999, 0 },
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
	{ "intel", 6, 0x2a, -1, "5.8.0-rc5", "intel_pstate=active", FACT_ASKED_ACTIVE, NO },
	{ "intel", 6, 0x2a, -1, "5.8.0-rc6", "intel_pstate=active", FACT_ASKED_ACTIVE, YES },
	{ "intel", 6, 0x2a, -1, "5.6.19", "intel_pstate=active", FACT_ASKED_ACTIVE, YES },
	{ "intel", 6, 0x2a, -1, "5.7.0", "intel_pstate=active", FACT_ASKED_ACTIVE, NO },
	{ "intel", 6, 0x2a, -1, "5.7.8", "intel_pstate=active", FACT_ASKED_ACTIVE, NO },
	{ "intel", 6, 0x2a, -1, "5.7.9", "intel_pstate=active", FACT_ASKED_ACTIVE, YES },
	{ "intel", 6, 0x2a, -1, "", "intel_pstate=active", FACT_ASKED_ACTIVE, OPEN },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=active intel_pstate=passive",
	  FACT_ASKED_ACTIVE, NO },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=active intel_pstate=passive",
	  FACT_ASKED_PASSIVE, YES },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=passive intel_pstate=active",
	  FACT_ASKED_PASSIVE, NO },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=no_hwp intel_pstate=disable",
	  FACT_INTEL_DISABLE, YES },
	{ "intel", 6, 0x2a, -1, "6.1.0", "-- intel_pstate=disable", FACT_INTEL_DISABLE, NO },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=force", FACT_ORACLE, NO },
	{ "intel", 6, 0x2a, -1, "6.1.0", "intel_pstate=active", FACT_ORACLE, OPEN },
	{ "amd", 25, 0x21, 1, "6.4.0", "", FACT_AMD_DEFAULT, NO },
	{ "amd", 25, 0x21, 1, "6.5.0", "", FACT_AMD_DEFAULT, YES },
	{ "amd", 25, 0x21, 1, "5.19.0", "", FACT_AMD_DEFAULT, OPEN },
	{ "amd", 25, 0x21, 1, "5.10.0", "", FACT_AMD_DEFAULT, NO },
	{ "amd", 25, 0x21, 1, "5.17.0", "", FACT_AMD_DEFAULT, OPEN },
	{ "amd", 25, 0x21, 1, "5.17.0", "amd_pstate=passive", FACT_AMD_ASKED, OPEN },
	{ "amd", 25, 0x21, 1, "5.17.0", "amd_pstate.shared_mem=1", FACT_SHMEM_DEFAULT, YES },
	{ "amd", 25, 0x21, 1, "6.1.0", "amd_pstate.shared_mem=1", FACT_SHMEM_DEFAULT, NO },
	{ "amd", 25, 0x21, 1, "5.10.0", "", FACT_AMD_EPP, NO },
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
	{ "amd", 25, 0x21, 4, "6.5.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 25, 0x21, 5, "6.12.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 25, 0x21, 6, "6.12.0", "", FACT_PROFILE_OFF, NO },
	{ "amd", 25, 0x21, 7, "6.12.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 25, 0x21, 8, "6.12.0", "", FACT_PROFILE_OFF, NO },
	{ "amd", 26, 2, 9, "6.13.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 26, 2, 10, "6.13.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 0, 0, 4, "6.13.0", "", FACT_PROFILE_OFF, OPEN },
	{ "amd", 26, 2, 4, "6.12.0-55.el10", "", FACT_PROFILE_OFF, OPEN },
	{ "amd", 25, 0x21, 4, "", "", FACT_PROFILE_OFF, OPEN },
	{ "amd", 25, 0x21, 4, "5.18.0", "", FACT_PROFILE_OFF, NO },
	{ "amd", 25, 0x21, -1, "6.12.0", "", FACT_PROFILE_OFF, OPEN },
	{ "amd", 26, 2, 4, "6.12.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 26, 2, 4, "6.13.0", "", FACT_PROFILE_OFF, NO },
	{ "amd", 26, 2, 0, "6.13.0", "", FACT_PROFILE_OFF, YES },
	{ "amd", 23, 1, 1, "6.12.0", "", FACT_NO_CPPC_CPU, YES },
	{ "amd", 23, 0x31, 1, "6.12.0", "", FACT_NO_CPPC_CPU, NO },
	{ "amd", 23, 0x30, 1, "6.12.0", "", FACT_NO_CPPC_CPU, NO },
	{ "amd", 21, 2, 1, "6.12.0", "", FACT_NO_CPPC_CPU, YES },
	{ "amd", 25, 0x61, 1, "6.10.14", "nosmt=force", FACT_CPC_LOST, NO },
	{ "amd", 25, 0x61, 1, "6.11.0", "nosmt=force", FACT_CPC_LOST, YES },
	{ "amd", 25, 0x61, 1, "6.18.0-rc3", "nosmt=force", FACT_CPC_LOST, YES },
	{ "amd", 25, 0x61, 1, "6.12.50", "nosmt=force", FACT_CPC_LOST, OPEN },
	{ "amd", 25, 0x61, 1, "7.2.0", "nosmt=force", FACT_CPC_LOST, NO },
	{ "amd", 25, 0x61, 1, "6.12.8", "nosmt", FACT_CPC_LOST, NO },
	{ "amd", 25, 0x61, 1, "6.12.8", "nosmt=force", FACT_CPC_LOST, YES },
	{ "amd", 25, 0x61, 1, "6.12.9", "nosmt=force", FACT_CPC_LOST, OPEN },
	{ "amd", 25, 0x61, 1, "6.12.106", "nosmt=force", FACT_CPC_LOST, OPEN },
	{ "amd", 25, 0x61, 1, "6.12.107", "nosmt=force", FACT_CPC_LOST, NO },
	{ "amd", 25, 0x61, 1, "6.13.0", "nosmt=force", FACT_CPC_LOST, YES },
	{ "amd", 25, 0x61, 1, "6.17.9", "nosmt=force", FACT_CPC_LOST, YES },
	{ "amd", 25, 0x61, 1, "6.18.0", "nosmt=force", FACT_CPC_LOST, OPEN },
	{ "amd", 25, 0x61, 1, "6.19.0-rc1", "nosmt=force", FACT_CPC_LOST, OPEN },
	{ "amd", 25, 0x61, 1, "7.0.0", "nosmt=force", FACT_CPC_LOST, NO },
	{ "amd", 25, 0x61, 1, "", "nosmt=force", FACT_CPC_LOST, OPEN },
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

static int model_state(unsigned int family, unsigned int model, const char *release, enum fact fact)
{
	struct facts f;
	int result;

	machine(&f, "intel", family, model, release, "");
	kernel_facts(&f);
	result = state_of(&f, fact);
	cmdline_free(&f.cmdline);
	return result;
}

static bool is_among(unsigned int model, const unsigned int *models, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (models[i] == model)
			return true;
	return false;
}

/* Every model of family 6, in a kernel older than the later ones and in one whose release is not
 * known.
 */
static void intel_models(void **state)
{
	static const unsigned int always[] = { 0x2a, 0x2d, 0x37, 0x3a, 0x3c, 0x3d, 0x3e,
					       0x3f, 0x45, 0x46, 0x47, 0x4c, 0x4e, 0x4f,
					       0x56, 0x57, 0x5c, 0x5e, 0x7a, 0x85 };
	static const unsigned int later[] = { 0x55, 0x6a, 0x8d, 0x8f, 0xa5, 0xad, 0xae, 0xcf };
	static const unsigned int oob[] = { 0x4f, 0x55, 0x56, 0x6a, 0x8f, 0xad,
					    0xae, 0xaf, 0xb6, 0xcf, 0xdd };

	(void)state;
	for (unsigned int model = 0; model < 256; model++) {
		bool is_always = is_among(model, always, ARRAY_SIZE(always));
		bool is_later = is_among(model, later, ARRAY_SIZE(later));

		assert_int_equal(model_state(6, model, "5.3.0", FACT_PSTATE_MODEL),
				 is_always ? YES : NO);
		assert_int_equal(model_state(6, model, "", FACT_PSTATE_MODEL), is_always ? YES :
									       is_later  ? OPEN :
											   NO);
		assert_int_equal(model_state(6, model, "6.1.0", FACT_OOB),
				 is_among(model, oob, ARRAY_SIZE(oob)) ? OPEN : NO);
		assert_int_equal(model_state(19, model, "6.1.0", FACT_OOB), model == 1 ? OPEN : NO);
	}
}

/* A model that came later: the last release without it, the first and last of which nobody knows,
 * and the first with it. */
static void later_intel_models(void **state)
{
	static const struct {
		unsigned int model;
		const char *without, *open, *still_open, *with;
	} table[] = {
		{ 0x55, "5.3.0", "5.3.1", "5.9.16", "5.10.0" },
		{ 0xa5, "5.10.999", "5.11.0", "5.13.19", "5.14.0" },
		{ 0x6a, "5.10.999", "5.11.0", "5.13.19", "5.14.0" },
		{ 0x8d, "5.10.999", "5.11.0", "6.0.19", "6.1.0" },
		{ 0x8f, "6.1.999", NULL, NULL, "6.2.0" },
		{ 0xcf, "6.5.999", "6.6.0", "6.7.12", "6.8.0" },
		{ 0xad, "6.12.42", "6.13.0", "6.16.12", "6.17.0" },
		{ 0xae, "6.12.42", "6.13.0", "6.16.12", "6.17.0" },
		{ 0xad, "6.11.11", "6.13.0", NULL, "6.12.43" },
		{ 0xae, "6.11.11", "6.13.0", NULL, "6.12.999" },
		{ 0xae, "6.11.11", "6.13.43", NULL, "6.12.43" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const unsigned int model = table[i].model;
		const enum fact fact = FACT_PSTATE_MODEL;

		assert_int_equal(model_state(6, model, table[i].without, fact), NO);
		if (table[i].open)
			assert_int_equal(model_state(6, model, table[i].open, fact), OPEN);
		if (table[i].still_open)
			assert_int_equal(model_state(6, model, table[i].still_open, fact), OPEN);
		assert_int_equal(model_state(6, model, table[i].with, fact), YES);
	}
}

/* What the processor says of HWP, and what this kernel makes of it. */
static void hwp(void **state)
{
	static const struct {
		const char *release;
		bool hwp, epp, forced;
		int has_epp, is_forced;
	} table[] = {
		{ "5.4.0", true, false, true, YES, NO },
		{ "5.5.0", true, false, true, OPEN, NO },
		{ "5.9.16", true, false, true, OPEN, NO },
		{ "5.10.0", true, false, true, NO, OPEN },
		{ "5.10.0", true, false, false, NO, NO },
		{ "5.10.262", true, true, true, YES, OPEN },
		{ "5.11.0", true, false, true, NO, YES },
		{ "6.1.0", true, false, true, NO, YES },
		{ "6.12.9", true, false, true, NO, YES },
		{ "6.13.0", true, false, true, OPEN, YES },
		{ "7.2.0", true, true, false, YES, NO },
		{ "", true, false, true, OPEN, YES },
		{ "5.4.0", false, false, true, NO, NO },
		{ "6.13.0", false, false, true, NO, NO },
	};
	struct facts f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		machine(&f, "intel", 6, 0x8e, table[i].release, "");
		fact_put(&f, FACT_HWP, table[i].hwp);
		fact_put(&f, FACT_HWP_EPP, table[i].epp);
		fact_put(&f, FACT_HWP_FORCED, table[i].forced);
		kernel_facts(&f);
		assert_int_equal(state_of(&f, FACT_HWP_EPP), table[i].has_epp);
		assert_int_equal(state_of(&f, FACT_HWP_FORCED), table[i].is_forced);
		cmdline_free(&f.cmdline);
	}
	/* with it, 5.7 takes active for what it says */
	machine(&f, "intel", 6, 0x8e, "5.7.0", "intel_pstate=active");
	fact_put(&f, FACT_HWP, true);
	fact_put(&f, FACT_HWP_EPP, true);
	fact_put(&f, FACT_NO_HWP, false);
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_ASKED_ACTIVE), YES);
	cmdline_free(&f.cmdline);
}

/* From 7.2 on amd_pstate asks the processor for hardware P-states. */
static void hardware_pstates(void **state)
{
	static const struct {
		const char *release;
		bool has_pstates;
		int expected;
	} table[] = {
		{ "7.1.9", false, NO },
		{ "7.2.0", false, YES },
		{ "7.2.0", true, NO },
		{ "", false, NO },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct facts f;

		machine(&f, "amd", 25, 0x21, table[i].release, "");
		fact_put(&f, FACT_HW_PSTATE, table[i].has_pstates);
		kernel_facts(&f);
		assert_int_equal(state_of(&f, FACT_NO_CPPC_CPU), table[i].expected);
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

static int config_of(const char *text, const char *module)
{
	struct facts f = { 0 };

	kernel_config_parse(text, &f);
	return f.modules[driver_find(module)].config;
}

static int mode_of(const char *text)
{
	struct facts f = { 0 };

	kernel_config_parse(text, &f);
	return f.amd_mode;
}

/* A name is a whole one, and its line may be the first. */
static void options(void **state)
{
	(void)state;
	assert_int_equal(config_of("CONFIG_X86_INTEL_PSTATE=y\n", "intel_pstate"), 'y');
	assert_int_equal(config_of("# CONFIG_X86_PCC_CPUFREQ is not set\n", "pcc_cpufreq"), 'n');
	assert_int_equal(config_of("NO_CONFIG_X86_PCC_CPUFREQ=m\n", "pcc_cpufreq"), 0);
	assert_int_equal(config_of("CONFIG_X86_PCC_CPUFREQ_TOO=m\n", "pcc_cpufreq"), 0);
	assert_int_equal(config_of("see CONFIG_X86_PCC_CPUFREQ for more\n", "pcc_cpufreq"), 0);
	assert_int_equal(config_of("CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=3\n"
				   "CONFIG_X86_AMD_PSTATE=y\nCONFIG_X86_ACPI_CPUFREQ=m\n",
				   "amd_pstate"),
			 'y');
	assert_int_equal(mode_of("CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=0\n"), 0);
	assert_int_equal(mode_of("CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=1\n"), '1');
	assert_int_equal(mode_of("CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=4\n"), '4');
	assert_int_equal(mode_of("CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=5\n"), 0);
	assert_int_equal(mode_of(""), 0);
}

/* Each place that distributions leave it in, the first of them before the others. */
static void configuration_file(void **state)
{
	static const char *const places[] = {
		"boot/config-6.12",
		"lib/modules/6.12/config",
		"usr/lib/modules/6.12/config",
		"usr/lib/ostree-boot/config-6.12",
		"usr/lib/kernel/config-6.12",
	};
	const struct tree *t = *state;
	struct facts f = { .kernel = "6.12" };
	const char *config = &f.modules[driver_find("pcc_cpufreq")].config;

	kernel_config_read(t->fd, &f);
	assert_int_equal(*config, 0);
	for (size_t i = ARRAY_SIZE(places); i-- > 0;) {
		tree_file(t, places[i], "CONFIG_X86_PCC_CPUFREQ=m\n");
		kernel_config_read(t->fd, &f);
		assert_int_equal(*config, 'm');
		tree_file(t, places[i], "CONFIG_X86_PCC_CPUFREQ=y\n");
		kernel_config_read(t->fd, &f);
		assert_int_equal(*config, 'y');
	}
	/* not known which */
	*f.kernel = '\0';
	f.modules[driver_find("pcc_cpufreq")].config = 'x';
	kernel_config_read(t->fd, &f);
	assert_int_equal(*config, 'x');
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
	/* the rule of 6.5, that of 6.11 need not be there */
	f.pm_profile = 0;
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_PROFILE_OFF), YES);
	assert_int_equal(state_of(&f, FACT_SHMEM_DEFAULT), OPEN);
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
	/* switched on, and off, are we: what driver= says counts with the first alone */
	f.settings.is_enabled = true;
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), NO);
	f.settings.is_enabled = false;
	strcpy(f.settings.driver, "amd_pstate");
	kernel_facts(&f);
	assert_int_equal(state_of(&f, FACT_AMD_DEFAULT), NO);
	f.settings.driver[0] = '\0';
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

/* Its name is asked for, or not, in one release after another. */
static void module_of_each_release(void **state)
{
	static const struct {
		const char *release, *cmdline;
		bool is_wanted;
		enum fact fact;
		int expected;
	} table[] = {
		{ "5.17.0", "", true, FACT_AMD_DEFAULT, YES },
		{ "6.0.0", "", true, FACT_AMD_DEFAULT, YES },
		{ "6.1.0", "", true, FACT_AMD_DEFAULT, OPEN },
		{ "5.19.0", "amd_pstate=passive", false, FACT_AMD_ASKED, NO },
		{ "5.19.0", "amd_pstate=passive", true, FACT_AMD_ASKED, OPEN },
		{ "", "", false, FACT_AMD_EPP, NO },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct facts f;
		struct module_state *m = &f.modules[driver_find("amd_pstate")];

		machine(&f, "amd", 25, 0x21, table[i].release, table[i].cmdline);
		m->is_present = true;
		m->is_wanted = table[i].is_wanted;
		kernel_facts(&f);
		assert_int_equal(state_of(&f, table[i].fact), table[i].expected);
		cmdline_free(&f.cmdline);
	}
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
		cmocka_unit_test(intel_models),
		cmocka_unit_test(later_intel_models),
		cmocka_unit_test(hwp),
		cmocka_unit_test(hardware_pstates),
		cmocka_unit_test(options),
		test_in_tree(configuration_file),
		cmocka_unit_test(module_of_each_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
