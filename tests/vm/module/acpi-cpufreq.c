// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for acpi-cpufreq in a test boot: the same name and the same aliases, but its init takes
 * long (SECONDS) or, with SECONDS 0, never returns. It refuses in the end.
 */
#include <linux/delay.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <asm/cpu_device_id.h>

static int __init slow_init(void)
{
	unsigned int passed = 0;

	/* Not interruptible, as a driver that waits for its hardware: a signal doesn't end it. */
	while (SECONDS == 0 || passed < SECONDS) {
		ssleep(1);
		passed++;
	}
	return -ENODEV;
}
module_init(slow_init);

static void __exit slow_exit(void)
{
}
module_exit(slow_exit);

static const struct x86_cpu_id __maybe_unused cpu_ids[] = {
	X86_MATCH_FEATURE(X86_FEATURE_ACPI, NULL),
	X86_MATCH_FEATURE(X86_FEATURE_HW_PSTATE, NULL),
	{}
};
MODULE_DEVICE_TABLE(x86cpu, cpu_ids);

static const struct acpi_device_id __maybe_unused device_ids[] = { { "ACPI0007" },
								   { "LNXCPU" },
								   {} };
MODULE_DEVICE_TABLE(acpi, device_ids);
MODULE_LICENSE("GPL");
