// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpuinfo.h"

#include <string.h>

#include "util.h"

#define CPUINFO_MAX ((size_t)64 * 1024)

struct cpu {
	const char *vendor, *flags, *family, *model, *implementer;
};

static void note_line(struct cpu *cpu, char *line)
{
	static const struct {
		const char *key;
		size_t offset;
	} keys[] = {
		{ "vendor_id", offsetof(struct cpu, vendor) },
		{ "flags", offsetof(struct cpu, flags) },
		{ "cpu family", offsetof(struct cpu, family) },
		{ "model", offsetof(struct cpu, model) },
		{ "CPU implementer", offsetof(struct cpu, implementer) },
	};
	char *colon = strchr(line, ':'), *end;

	if (!colon)
		return;
	for (end = colon; end > line && (end[-1] == ' ' || end[-1] == '\t'); end--)
		;
	*end = '\0';
	colon += 1 + strspn(colon + 1, " \t");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(line, keys[i].key) == 0)
			*(const char **)((char *)cpu + keys[i].offset) = colon;
}

static bool has_flag(const char *flags, const char *flag)
{
	size_t len = strlen(flag);

	for (const char *s = flags; (s = strstr(s, flag)); s += len)
		if ((s == flags || s[-1] == ' ') && (s[len] == ' ' || s[len] == '\0'))
			return true;
	return false;
}

static bool is_centrino(long family, long model)
{
	return (family == 6 && (model == 9 || model == 13)) ||
	       (family == 15 && (model == 3 || model == 4));
}

static bool is_speedstep(long family, long model)
{
	return (family == 6 && (model == 8 || model == 11)) || (family == 15 && model == 2);
}

static void put_family(struct facts *facts, const struct cpu *cpu)
{
	long family = strtol(cpu->family, NULL, 10), model = strtol(cpu->model, NULL, 10);

	fact_put(facts, FACT_CENTRINO, fact_is(facts, FACT_INTEL) && is_centrino(family, model));
	fact_put(facts, FACT_SPEEDSTEP, fact_is(facts, FACT_INTEL) && is_speedstep(family, model));
	fact_put(facts, FACT_K6, fact_is(facts, FACT_AMD) && family == 5);
	fact_put(facts, FACT_K7, fact_is(facts, FACT_AMD) && family == 6);
	fact_put(facts, FACT_K8, fact_is(facts, FACT_AMD) && family == 15);
	fact_put(facts, FACT_LONGHAUL, fact_is(facts, FACT_VIA) && family == 6);
	(void)snprintf(facts->cpu, sizeof(facts->cpu), "%s family %ld model %ld", cpu->vendor,
		       family, model);
	str_printable(facts->cpu);
}

static void put_vendor(struct facts *facts, const char *vendor)
{
	static const struct {
		const char *name;
		enum fact fact;
	} vendors[] = {
		{ "GenuineIntel", FACT_INTEL },     { "AuthenticAMD", FACT_AMD },
		{ "CentaurHauls", FACT_VIA },       { "  Shanghai  ", FACT_VIA },
		{ "GenuineTMx86", FACT_TRANSMETA }, { "TransmetaCPU", FACT_TRANSMETA },
		{ "Geode by NSC", FACT_NSC },       { "CyrixInstead", FACT_NSC },
	};

	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++)
		fact_put(facts, vendors[i].fact, false);
	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++)
		if (strcmp(vendor + strspn(vendor, " "),
			   vendors[i].name + strspn(vendors[i].name, " ")) == 0)
			fact_put(facts, vendors[i].fact, true);
}

static void put_flags(struct facts *facts, const char *flags)
{
	static const struct {
		const char *name;
		enum fact fact;
	} known[] = {
		{ "est", FACT_EST }, { "hw_pstate", FACT_HW_PSTATE },
		{ "hwp", FACT_HWP }, { "cppc", FACT_CPPC },
		{ "tm", FACT_ACC },  { "hypervisor", FACT_HYPERVISOR },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		fact_put(facts, known[i].fact, has_flag(flags, known[i].name));
}

void cpuinfo_parse(char *text, struct facts *facts)
{
	struct cpu cpu = { 0 };
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && *line)
		note_line(&cpu, line);
	if (!cpu.vendor && !cpu.implementer)
		return; /* neither x86 nor arm: everything stays unknown */
	fact_put(facts, FACT_X86, cpu.vendor);
	fact_put(facts, FACT_ARM64, cpu.implementer);
	if (!cpu.vendor) {
		(void)snprintf(facts->cpu, sizeof(facts->cpu), "arm implementer %s",
			       cpu.implementer);
		str_printable(facts->cpu);
		return;
	}
	put_vendor(facts, cpu.vendor);
	if (cpu.flags)
		put_flags(facts, cpu.flags);
	if (cpu.family && cpu.model)
		put_family(facts, &cpu);
}

void cpuinfo_read(int rootfd, struct facts *facts)
{
	_cleanup_free_ char *text = NULL;

	if (file_read_until(rootfd, "proc/cpuinfo", CPUINFO_MAX, "\n\n", &text) == 0)
		cpuinfo_parse(text, facts);
}
