// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings in modprobe.d and modules-load.d, each with its file and line. */
#include <string.h>

#include "check-config.h"
#include "testlib.h"

struct machine {
	struct tree tree;
	struct facts facts;
	struct decision decision;
};

static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	tree_make(&m->tree);
	tree_file(&m->tree, "proc/cmdline", "ro\n");
	tree_file(&m->tree, "proc/sys/kernel/osrelease", "6.12.0\n");
	tree_dir(&m->tree, "sys/devices/system/cpu");
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct machine *m = *state;

	facts_free(&m->facts);
	tree_remove(&m->tree);
	free(m);
	return 0;
}

static void gather(struct machine *m, const char *scaling_driver)
{
	static const char *const modules[] = { "acpi_cpufreq", "pcc_cpufreq" };

	facts_free(&m->facts);
	assert_int_equal(facts_gather(m->tree.fd, &m->facts), 0);
	facts_gather_reasons(m->tree.fd, &m->facts);
	strcpy(m->facts.scaling_driver, scaling_driver);
	m->facts.has_index = true;
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		m->facts.modules[driver_find(modules[i])].is_present = true;
	decide(&m->facts, false, &m->decision);
}

/* What is found, and how much of it is to be mended. */
static void finds(const struct machine *m, unsigned int count, const char *const *lines)
{
	_cleanup_free_ char *text = NULL;
	size_t len, number = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(check_config(out, &m->facts, &m->decision), count);
	assert_int_equal(fclose(out), 0);
	for (const char *s = text; (s = strchr(s, '\n')); s++)
		number++;
	for (; *lines; lines++) {
		number -= !strstr(*lines, "to mend"); /* the count stands at the end */
		if (!strstr(text, *lines))
			fail_msg("\"%s\" is not in:\n%s", *lines, text);
	}
	if (number != 1)
		fail_msg("more lines than expected:\n%s", text);
}

#define FINDS(m, count, ...) finds(m, count, (const char *const[]){ __VA_ARGS__, NULL })

static void clean(void **state)
{
	struct machine *m = *state;

	tree_file(&m->tree, "etc/modprobe.d/a.conf",
		  "options cpufreq_resolve policy=softdep\nblacklist nouveau\n"
		  "options kvm_intel nested=1\nblacklist cpufreq_ondemand\n");
	gather(m, "intel_pstate");
	FINDS(m, 0, "0 to mend, 0 notes");
}

static void settings(void **state)
{
	struct machine *m = *state;

	tree_file(&m->tree, "etc/modprobe.d/a.conf",
		  "\noptions cpufreq_resolve polcy=softdep enable=maybe\n"
		  "options cpufreq_resolve driver=acpi_cpufrq\nblacklist cpufreq_resolve\n");
	gather(m, "intel_pstate");
	FINDS(m, 4, "/etc/modprobe.d/a.conf:2: error: polcy=softdep: not understood",
	      "/etc/modprobe.d/a.conf:2: error: enable=maybe: not understood, expected 0 or 1",
	      "/etc/modprobe.d/a.conf:3: error: driver=acpi_cpufrq is not a driver",
	      "/etc/modprobe.d/a.conf:4: error: blacklist cpufreq_resolve: it is no module");
}

static void denials(void **state)
{
	struct machine *m = *state;

	tree_file(&m->tree, "etc/modprobe.d/a.conf",
		  "blacklist acpi-cpufreq\nblacklist intel_pstate\nblacklist acpi_cpufreqq\n");
	gather(m, "acpi-cpufreq");
	FINDS(m, 3,
	      "/etc/modprobe.d/a.conf:1: warning: blacklist acpi_cpufreq: denies the driver that "
	      "is "
	      "in charge",
	      "/etc/modprobe.d/a.conf:2: warning: blacklist intel_pstate: it is never a module",
	      "/etc/modprobe.d/a.conf:3: error: blacklist acpi_cpufreqq: neither a cpufreq "
	      "driver");
}

/* What kmod passes over without a word. */
static void misspelt_words(void **state)
{
	struct machine *m = *state;

	tree_file(&m->tree, "etc/modprobe.d/a.conf",
		  "blackist acpi_cpufreq\noptions cpufreq_resolv policy=softdep\n"
		  "option cpufreq-resolve enable=0\nBlacklist pcc-cpufreq\n"
		  "remove acpi_cpufreq /bin/true\nweakdep acpi_cpufreq x\n"
		  "blackist nouveau\nblacklist cpufreq_powersave\n");
	gather(m, "intel_pstate");
	FINDS(m, 4, "/etc/modprobe.d/a.conf:1: error: blackist acpi_cpufreq: no word of modprobe.d",
	      "/etc/modprobe.d/a.conf:2: error: options cpufreq_resolv: neither a cpufreq driver "
	      "nor cpufreq_resolve",
	      "/etc/modprobe.d/a.conf:3: error: option cpufreq-resolve: no word",
	      "/etc/modprobe.d/a.conf:4: error: Blacklist pcc-cpufreq: no word");
}

static void dashes(void **state)
{
	struct machine *m = *state;

	tree_file(&m->tree, "proc/cmdline", "module_blacklist=acpi-cpufreq,pcc_cpufreq\n");
	gather(m, "intel_pstate");
	assert_int_equal(m->facts.modules[driver_find("acpi_cpufreq")].denial, DENIAL_NONE);
	assert_int_equal(m->facts.modules[driver_find("pcc_cpufreq")].denial,
			 DENIAL_KERNEL_CMDLINE);
	FINDS(m, 1,
	      "kernel command line: error: module_blacklist=: the kernel wants acpi_cpufreq with "
	      "underscores");
}

static void old_workarounds(void **state)
{
	struct machine *m = *state;

	tree_file(&m->tree, "proc/cmdline", "initcall_blacklist=acpi_cpufreq_init\n");
	tree_file(&m->tree, "etc/modprobe.d/a.conf",
		  "blacklist pcc_cpufreq\ninstall acpi_cpufreq /bin/false\n");
	gather(m, "intel_pstate");
	FINDS(m, 0, "/etc/modprobe.d/a.conf:1: note: blacklist pcc_cpufreq: not needed",
	      "/etc/modprobe.d/a.conf:2: note: install acpi_cpufreq: not needed",
	      "kernel command line: note: initcall_blacklist=acpi_cpufreq_init");
	/* where every CPU asks for it, we deny it ourselves */
	m->facts.modules[driver_find("pcc_cpufreq")].offers = OFFER_ACPI;
	m->facts.modules[driver_find("acpi_cpufreq")].offers = OFFER_CPU;
	FINDS(m, 0,
	      "/etc/modprobe.d/a.conf:1: note: blacklist pcc_cpufreq: not needed against "
	      "repeated loads, cpufreq-resolve denies it",
	      "kernel command line: note");
}

static void loads(void **state)
{
	struct machine *m = *state;

	tree_file(&m->tree, "etc/modprobe.d/a.conf", "blacklist pcc_cpufreq\n");
	tree_file(&m->tree, "etc/modules-load.d/b.conf",
		  "pcc_cpufreq\nacpi_cpufreq\np4-clockmod\namd_pstate\nloop\n");
	gather(m, "intel_pstate");
	m->facts.modules[driver_find("pcc_cpufreq")].offers = OFFER_ACPI;
	m->facts.settings.is_enabled = false;
	FINDS(m, 4,
	      "/etc/modules-load.d/b.conf:1: error: pcc_cpufreq is to be loaded here and denied by "
	      "/etc/modprobe.d/a.conf:1",
	      "/etc/modules-load.d/b.conf:2: warning: acpi_cpufreq is asked for in each boot in "
	      "vain: "
	      "intel_pstate is in charge",
	      "/etc/modules-load.d/b.conf:3: warning: this kernel has no module p4_clockmod",
	      "/etc/modules-load.d/b.conf:4: warning: amd_pstate is never a module");
}

static void stale_image(void **state)
{
	struct machine *m = *state;
	char was[20];

	tree_file(&m->tree, "etc/modprobe.d/a.conf", "options cpufreq_resolve policy=softdep\n");
	gather(m, "intel_pstate");
	(void)snprintf(was, sizeof(was), "%016llx", facts_conf_digest(&m->facts));
	/* other files, other modules and comments make no difference */
	tree_unlink(&m->tree, "etc/modprobe.d/a.conf");
	tree_file(&m->tree, "usr/lib/modprobe.d/z.conf",
		  "# new\nblacklist nouveau\noptions cpufreq-resolve policy=softdep\n");
	tree_file(&m->tree, "run/modprobe.d/y.conf", "blacklist acpi_cpufreq\n");
	gather(m, "");
	strcpy(m->facts.image_conf, was);
	m->facts.modules[driver_find("acpi_cpufreq")].offers = OFFER_CPU;
	FINDS(m, 0, "0 to mend");
	tree_file(&m->tree, "usr/lib/modprobe.d/z.conf",
		  "options cpufreq_resolve policy=blacklist\n");
	gather(m, "");
	strcpy(m->facts.image_conf, was);
	m->facts.modules[driver_find("acpi_cpufreq")].offers = OFFER_CPU;
	FINDS(m, 1, "initramfs: warning: the image that was booted says otherwise");
}

#define check_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		check_test(clean),          check_test(settings),    check_test(denials),
		check_test(misspelt_words), check_test(dashes),      check_test(old_workarounds),
		check_test(loads),          check_test(stale_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
