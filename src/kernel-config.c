// SPDX-License-Identifier: GPL-2.0-or-later
/* The configuration that this kernel was built with, where a distribution leaves it. */
#include <string.h>

#include "gunzip.h"
#include "kernel-parts.h"
#include "util.h"

#define CONFIG_MAX ((size_t)1024 * 1024)

/* The value of CONFIG_NAME: 'n' if it is not set, 0 if the text does not speak of it. */
static char config_value(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *s = text; (s = strstr(s, name)); s += len) {
		if (s[len] == '=' && (s == text || s[-1] == '\n'))
			return s[len + 1];
		if (s[len] == ' ' && s - text >= 2 && strncmp(s - 2, "# ", 2) == 0)
			return 'n';
	}
	return '\0';
}

void kernel_config_parse(const char *text, struct facts *facts)
{
	static const struct {
		const char *option, *module;
	} drivers_of[] = {
		{ "CONFIG_X86_INTEL_PSTATE", "intel_pstate" },
		{ "CONFIG_X86_AMD_PSTATE", "amd_pstate" },
		{ "CONFIG_X86_ACPI_CPUFREQ", "acpi_cpufreq" },
		{ "CONFIG_X86_PCC_CPUFREQ", "pcc_cpufreq" },
		{ "CONFIG_X86_POWERNOW_K8", "powernow_k8" },
		{ "CONFIG_ACPI_CPPC_CPUFREQ", "cppc_cpufreq" },
		{ "CONFIG_POWERNV_CPUFREQ", "powernv_cpufreq" },
		{ "CONFIG_LOONGSON3_CPUFREQ", "loongson3_cpufreq" },
		{ "CONFIG_ARM_SCMI_CPUFREQ", "scmi_cpufreq" },
	};
	struct module_state *amd;
	char mode;

	for (size_t i = 0; i < ARRAY_SIZE(drivers_of); i++) {
		int row = driver_find(drivers_of[i].module);

		if (row >= 0)
			facts->modules[row].config = config_value(text, drivers_of[i].option);
	}
	/* A text that names one of two neighbours and not the other is of a kernel without it. */
	amd = &facts->modules[driver_find("amd_pstate")];
	if (!amd->config && config_value(text, "CONFIG_X86_ACPI_CPUFREQ"))
		amd->config = 'n';
	mode = config_value(text, "CONFIG_X86_AMD_PSTATE_DEFAULT_MODE");
	facts->amd_mode = (char)(mode >= '1' && mode <= '4' ? mode : '\0');
	if (fact_is(facts, FACT_AMD))
		kernel_amd_facts(facts);
}

void kernel_config_read(int rootfd, struct facts *facts)
{
	static const struct {
		const char *before, *behind;
	} places[] = {
		{ "boot/config-", "" },
		{ "lib/modules/", "/config" },
		{ "usr/lib/modules/", "/config" },
		{ "usr/lib/ostree-boot/config-", "" },
		{ "usr/lib/kernel/config-", "" },
	};
	_cleanup_free_ char *packed = NULL;

	for (size_t i = 0; facts->kernel[0] && i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *text = NULL;
		char path[192];

		(void)snprintf(path, sizeof(path), "%s%s%s", places[i].before, facts->kernel,
			       places[i].behind);
		if (file_read(rootfd, path, CONFIG_MAX, &text, NULL) == 0) {
			kernel_config_parse(text, facts);
			return;
		}
	}
	/* CONFIG_IKCONFIG_PROC: all that Arch and NixOS have. */
	if (gunzip_read(rootfd, "proc/config.gz", CONFIG_MAX, &packed) == 0)
		kernel_config_parse(packed, facts);
}
