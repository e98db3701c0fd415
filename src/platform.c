// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform.h"

#include <errno.h>
#include <string.h>

#include "util.h"

#define DTREE_DIR "sys/firmware/devicetree/base"

static bool is_no(const struct facts *facts, enum fact fact)
{
	return facts->set.is_known & ~facts->set.is_true & UINT64_C(1) << fact;
}

int platform_exists_in(int rootfd, const char *parent, const char *path)
{
	int r = path_exists(rootfd, path);

	if (r == 0 && path_exists(rootfd, parent) != 1)
		return -1;
	return r;
}

static void put_exists(int rootfd, struct facts *facts, enum fact fact, const char *parent,
		       const char *path)
{
	int r = platform_exists_in(rootfd, parent, path);

	if (r >= 0)
		fact_put(facts, fact, r == 1);
}

static void read_acpi(int rootfd, struct facts *facts)
{
	const char *word = cmdline_get(&facts->cmdline, "acpi");

	put_exists(rootfd, facts, FACT_ACPI, "sys/firmware", "sys/firmware/acpi");
	if (word && strcmp(word, "off") == 0)
		fact_put(facts, FACT_ACPI, false);
}

/* Bit 11 of a Xen domain's features: it is dom0 (XENFEAT_dom0, include/xen/interface/features.h).
 */
static void read_xen(int rootfd, struct facts *facts)
{
	char text[64];
	int r = file_read_line(rootfd, "sys/hypervisor/type", text, sizeof(text));

	/* Without /sys/firmware it is not all of sysfs that we see. */
	if (is_no(facts, FACT_HYPERVISOR) || (r == 0 && strcmp(text, "xen") != 0) ||
	    (r == -ENOENT && path_exists(rootfd, "sys/firmware") == 1)) {
		fact_put(facts, FACT_XEN_DOM0, false);
	} else if (r == 0 && file_read_line(rootfd, "sys/hypervisor/properties/features", text,
					    sizeof(text)) == 0) {
		fact_put(facts, FACT_XEN_DOM0, strtoul(text, NULL, 16) & (1UL << 11));
	}
}

/* Which of the two the kernel booted by (arch/arm64/kernel/acpi.c, acpi_boot_table_init()). */
static void read_devicetree(int rootfd, struct facts *facts)
{
	if (fact_is(facts, FACT_X86) || (fact_is(facts, FACT_ACPI) && fact_is(facts, FACT_ARM64)))
		fact_put(facts, FACT_DEVICETREE, false);
	else
		put_exists(rootfd, facts, FACT_DEVICETREE, "sys/firmware", DTREE_DIR);
	if (!fact_is(facts, FACT_DEVICETREE))
		return;
	put_exists(rootfd, facts, FACT_OPAL, DTREE_DIR, DTREE_DIR "/ibm,opal");
	/* SCMI_PROTOCOL_PERF: most boards' firmware offers clocks and resets alone. */
	put_exists(rootfd, facts, FACT_SCMI, DTREE_DIR, DTREE_DIR "/firmware/scmi/protocol@13");
}

void platform_read(int rootfd, struct facts *facts)
{
	int r = path_exists(rootfd, "sys/devices/system/cpu");

	if (r != 1)
		facts_fail(facts, "sys/devices/system/cpu", r < 0 ? r : -ENOENT,
			   "the CPU devices of sysfs");
	facts->has_platform_bus = facts_see(rootfd, facts, "sys/bus/platform/devices");
	read_acpi(rootfd, facts);
	read_xen(rootfd, facts);
	read_devicetree(rootfd, facts);
}
