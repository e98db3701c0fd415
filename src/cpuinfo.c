// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpuinfo.h"

#include <string.h>

#include "util.h"

#define CPUINFO_MAX ((size_t)64 * 1024)

struct cpu {
	const char *vendor, *flags, *family, *model, *stepping, *implementer;
	const char *isa, *cpu, *arch, *hardware, *board, *machine, *platform, *name, *system;
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
		{ "stepping", offsetof(struct cpu, stepping) },
		{ "CPU implementer", offsetof(struct cpu, implementer) },
		{ "isa", offsetof(struct cpu, isa) },
		{ "cpu", offsetof(struct cpu, cpu) },
		{ "arch", offsetof(struct cpu, arch) },
		{ "Hardware", offsetof(struct cpu, hardware) },
		{ "Model", offsetof(struct cpu, board) },
		{ "machine", offsetof(struct cpu, machine) },
		{ "platform", offsetof(struct cpu, platform) },
		{ "Model Name", offsetof(struct cpu, name) },
		{ "system type", offsetof(struct cpu, system) },
	};
	char *colon = strchr(line, ':'), *end;

	if (!colon)
		return;
	/* A capture may have been through a system whose lines end in two characters. */
	line[strcspn(line, "\r")] = '\0';
	for (end = colon; end > line && (end[-1] == ' ' || end[-1] == '\t'); end--)
		;
	*end = '\0';
	colon += 1 + strspn(colon + 1, " \t");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (line[0] == keys[i].key[0] && strcmp(line, keys[i].key) == 0)
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
	facts->id = (struct cpu_id){
		.family = family > 0 && family < 256 ? (unsigned int)family : 0,
		.model = model >= 0 && model < 256 ? (unsigned int)model : 0,
		.stepping = cpu->stepping ? (unsigned int)strtoul(cpu->stepping, NULL, 10) : 0,
	};
	if (cpu->stepping)
		fact_put(facts, FACT_AL30,
			 fact_is(facts, FACT_INTEL) && family == 15 && model == 6 &&
				 facts->id.stepping == 8);
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
		{ "est", FACT_EST },
		{ "hw_pstate", FACT_HW_PSTATE },
		{ "hwp", FACT_HWP },
		{ "hwp_epp", FACT_HWP_EPP },
		{ "cppc", FACT_CPPC },
		{ "tm", FACT_ACC },
		{ "hypervisor", FACT_HYPERVISOR },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		fact_put(facts, known[i].fact, has_flag(flags, known[i].name));
}

/* One of them is true if it is known at all. */
static void put_arch(struct facts *facts, const struct cpu *cpu)
{
	static const enum fact archs[] = { FACT_X86, FACT_ARM64, FACT_RISCV, FACT_POWER,
					   FACT_LOONGARCH };
	bool is_s390 = cpu->vendor && strncmp(cpu->vendor, "IBM/S390", 8) == 0;
	bool is_power = cpu->cpu && strncmp(cpu->cpu, "POWER", 5) == 0;
	bool is_loongson = (cpu->name && strstr(cpu->name, "Loongson")) ||
			   (cpu->system && strstr(cpu->system, "loongson"));
	int arch = is_s390          ? -1 :
		   is_loongson      ? FACT_LOONGARCH :
		   cpu->implementer ? FACT_ARM64 :
		   is_power         ? FACT_POWER :
		   cpu->isa         ? FACT_RISCV :
				      FACT_X86;

	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		fact_put(facts, archs[i], false);
	if (arch >= 0)
		fact_put(facts, (enum fact)arch, true);
	/* s390 has neither, and no cpufreq at all. */
	if (is_s390) {
		fact_put(facts, FACT_ACPI, false);
		fact_put(facts, FACT_DEVICETREE, false);
	}
}

/* What only one architecture says, and what tells of the board. */
static void put_board(struct facts *facts, const struct cpu *cpu)
{
	const char *board = cpu->board ? cpu->board : cpu->machine ? cpu->machine : cpu->hardware;

	if (board && !cpu->flags)
		str_copy(facts->board, sizeof(facts->board), board);
	str_printable(facts->board);
	if (fact_is(facts, FACT_POWER) && cpu->platform)
		fact_put(facts, FACT_OPAL, strcmp(cpu->platform, "PowerNV") == 0);
	if (cpu->implementer)
		(void)snprintf(facts->cpu, sizeof(facts->cpu), "arm implementer %s",
			       cpu->implementer);
	else
		(void)snprintf(facts->cpu, sizeof(facts->cpu), "%s",
			       cpu->vendor ? cpu->vendor :
			       cpu->name   ? cpu->name :
			       cpu->cpu    ? cpu->cpu :
			       cpu->isa    ? cpu->isa :
					     "");
	str_printable(facts->cpu);
	/* Who makes nothing but phones and laptops with a devicetree: Qualcomm and Apple. */
	if (cpu->implementer && !facts->board[0]) {
		if (strtoul(cpu->implementer, NULL, 16) == 0x51)
			str_copy(facts->board, sizeof(facts->board), "qcom,");
		else if (strtoul(cpu->implementer, NULL, 16) == 0x61)
			str_copy(facts->board, sizeof(facts->board), "apple,");
	}
}

void cpuinfo_parse(char *text, struct facts *facts)
{
	struct cpu cpu = { 0 };
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && *line)
		note_line(&cpu, line);
	/* Whatever else it is, it is none that we know: all stays unknown. */
	if (!cpu.vendor && !cpu.implementer && !cpu.isa && !cpu.name && !cpu.system &&
	    (!cpu.cpu || strncmp(cpu.cpu, "POWER", 5) != 0))
		return;
	if (cpu.arch && strcmp(cpu.arch, "IA-64") == 0)
		return;
	put_arch(facts, &cpu);
	if (!fact_is(facts, FACT_X86)) {
		put_board(facts, &cpu);
		return;
	}
	if (!cpu.vendor)
		return;
	put_vendor(facts, cpu.vendor);
	if (cpu.flags)
		put_flags(facts, cpu.flags);
	if (cpu.family && cpu.model)
		put_family(facts, &cpu);
}

void cpuinfo_read(int rootfd, struct facts *facts)
{
	_cleanup_free_ char *text = NULL, *more = NULL;
	char *start;

	if (file_read_until(rootfd, "proc/cpuinfo", CPUINFO_MAX, "\n\n", &text) < 0)
		return;
	/* Older arm kernels put a line about all of them before the first entry. */
	if (strncmp(text, "Processor", 9) == 0 &&
	    file_read_until(rootfd, "proc/cpuinfo", CPUINFO_MAX, "CPU revision", &more) == 0 &&
	    (start = strstr(more, "\n\n")))
		cpuinfo_parse(start + 2, facts);
	else
		cpuinfo_parse(text, facts);
	/* On POWER the line about the platform stands behind all processors. */
	if (fact_is(facts, FACT_POWER) && !(facts->set.is_known & FACT(OPAL)) &&
	    file_read_until(rootfd, "proc/cpuinfo", CPUINFO_MAX, "\nmachine", &more) == 0 &&
	    (start = strstr(more, "\nplatform")))
		fact_put(facts, FACT_OPAL,
			 strncmp(start + strcspn(start, ":"), ": PowerNV", 9) == 0);
}
