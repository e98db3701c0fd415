// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmdline.h"
#include "fuzz.h"
#include "settings.h"

#define ASKED_MAX 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = fuzz_text(data, size);
	size_t length = strlen(text);
	struct modconf conf = { 0 };
	struct settings settings;
	struct cmdline c;

	must(cmdline_parse(text, &c) == 0);
	must(c.kernel_count <= c.count);
	for (size_t i = 0; i < c.count; i++) {
		const char *key = c.params[i].key, *value = c.params[i].value;

		must(key >= c.buf && key + strlen(key) <= c.buf + length);
		if (value)
			must(value > key && value + strlen(value) <= c.buf + length);
		/* Each of these walks all parameters: of thousands, asked for each, it would hang.
		 */
		if (i >= ASKED_MAX)
			continue;
		if (i < c.kernel_count)
			must(cmdline_get(&c, key) != NULL);
		(void)cmdline_lists(&c, key, "acpi_cpufreq");
		(void)cmdline_kernel_lists(&c, key, "acpi_cpufreq", i & 1);
	}
	settings_load(&conf, &c, &settings);
	must(settings.count <= SETTINGS_MAX);
	cmdline_free(&c);
	return 0;
}
