// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What amd_pstate asks of the kernel, from drivers/cpufreq/amd-pstate.c. As mainline has it:
 *
 *  5.17  a tristate; built in it starts, passive; shared_mem=1 for CPPC in shared memory
 *  6.1   bool; starts only by amd_pstate=passive; disable
 *  6.3   amd_pstate=active
 *  6.4   amd_pstate=guided
 *  6.5   CONFIG_X86_AMD_PSTATE_DEFAULT_MODE, active; not on servers and undefined platforms
 *  6.11  by default also with CPPC in shared memory
 *  6.13  family 0x1a by default also on servers
 *
 * Others took it into older kernels: what the kernel shows of itself comes before its number.
 */
#include <string.h>

#include "kernel-parts.h"

static const struct module_state *amd_module(const struct facts *facts)
{
	return &facts->modules[driver_find("amd_pstate")];
}

static bool is_module(const struct facts *facts)
{
	const struct module_state *m = amd_module(facts);

	return m->config == 'm' || (m->is_present && !m->is_builtin);
}

static bool is_builtin(const struct facts *facts)
{
	const struct module_state *m = amd_module(facts);

	return m->config == 'y' || m->is_builtin;
}

/* As kernel_has(), and by what the kernel shows. */
static int amd_has(const struct facts *facts, unsigned int since)
{
	int has = kernel_has(facts, since);

	/* The option came with 6.5. */
	if (facts->amd_mode && since <= V(6, 5))
		return 1;
	/* A driver in a kernel that is too old for it: of what release is not known. */
	if (has == 0 && (facts->amd_mode ||
			 (is_before(facts, V(5, 17)) && (is_module(facts) || is_builtin(facts)))))
		return -1;
	return has;
}

/* The last of amd_pstate=active, passive, guided, disable, or NULL. */
static const char *amd_word(const struct facts *facts)
{
	static const char *const words[] = { "active", "passive", "guided", "disable" };
	const char *word = cmdline_get(&facts->cmdline, "amd_pstate");

	for (size_t i = 0; word && i < ARRAY_SIZE(words); i++)
		if (strcmp(word, words[i]) == 0)
			return words[i];
	return NULL;
}

/* Is a module of that name loaded by its name? Nothing else does. */
static bool is_asked_by_name(const struct facts *facts)
{
	return amd_module(facts)->is_wanted ||
	       (facts->settings.is_enabled &&
		driver_find(facts->settings.driver) == driver_find("amd_pstate"));
}

/* Does it start without a word? */
static int starts_by_default(const struct facts *facts)
{
	if (is_module(facts)) {
		if (!is_asked_by_name(facts))
			return 0;
		return amd_has(facts, V(6, 1)) == 0 ? 1 : -1;
	}
	if (facts->amd_mode)
		return facts->amd_mode >= '2';
	if (amd_has(facts, V(6, 5)) == 1)
		return 1;
	if (amd_has(facts, V(5, 17)) == 0 ||
	    (amd_has(facts, V(6, 1)) == 1 && amd_has(facts, V(6, 5)) == 0))
		return 0;
	if (amd_has(facts, V(6, 1)) != 0)
		return -1;
	/* 5.17 to 6.0. A word that these do not have is a sign of a patch. */
	if (is_builtin(facts))
		return amd_word(facts) ? -1 : 1;
	return facts->has_index ? 0 : -1;
}

static int asks_since(const struct facts *facts, const char *word)
{
	return amd_has(facts, strcmp(word, "active") == 0 ? V(6, 3) :
			      strcmp(word, "guided") == 0 ? V(6, 4) :
							    V(6, 1));
}

/*
 * The command line: who is not known to have written nothing may have written any of the words.
 * Where the kernel is older than the word it may be patched, or pass over it: CachyOS had them in
 * 6.0, Zen in 6.2.
 */
static void amd_words(struct facts *facts, int by_default)
{
	const char *word = amd_word(facts);
	int asked = 0, disable = 0, epp;

	/* Without a word it is CONFIG_X86_AMD_PSTATE_DEFAULT_MODE: active, or by its builder. */
	epp = facts->amd_mode ? facts->amd_mode == '3' : amd_has(facts, V(6, 5));
	if (amd_has(facts, V(5, 17)) == 0 || (is_module(facts) && by_default == 0)) {
		epp = 0;
	} else if (!facts->has_cmdline) {
		asked = disable = epp = -1;
	} else if (word && strcmp(word, "disable") == 0) {
		disable = asks_since(facts, word) == 1 ? 1 : -1;
	} else if (word) {
		asked = asks_since(facts, word) == 1 ? 1 : -1;
		if (strcmp(word, "active") != 0)
			epp = 0;
		else
			epp = asked == 1 || by_default == 0 ? 1 : -1;
	}
	kernel_put(facts, FACT_AMD_ASKED, asked);
	kernel_put(facts, FACT_AMD_DISABLE, disable);
	kernel_put(facts, FACT_AMD_EPP, epp);
}

/* Also with CPPC in shared memory? Up to 6.0 a parameter says so, in two places. */
static int drives_shared_memory(const struct facts *facts)
{
	const struct modconf_entry *e = NULL;
	bool is_set = kernel_word_is_set(facts, "amd_pstate.shared_mem", "1");
	int has = amd_has(facts, V(6, 11));

	if (has != 0 || amd_has(facts, V(6, 1)) == 1 || amd_has(facts, V(5, 17)) == 0)
		return has;
	while (is_module(facts) &&
	       (e = modconf_next(&facts->conf, e, MODCONF_OPTIONS, "amd_pstate")))
		is_set |= strstr(e->value, "shared_mem=1") != NULL;
	return is_set ? 1 : facts->has_cmdline ? 0 : -1;
}

/* The FADT's profile: 0 unspecified, 4 5 7 servers, 9 and above not defined (ACPI 6.5, 5.2.9). */
static int is_off_by_profile(const struct facts *facts)
{
	int profile = facts->pm_profile, has = amd_has(facts, V(6, 5)), turin;

	if (has == 0)
		return 0;
	if (profile < 0)
		return -1;
	if (profile != 0 && profile < 9 && profile != 4 && profile != 5 && profile != 7)
		return 0;
	if (has < 0 || profile == 0 || profile > 8)
		return has;
	turin = amd_has(facts, V(6, 13));
	if (turin == 0 || (facts->id.family && facts->id.family < 0x1a))
		return 1;
	return turin == 1 && facts->id.family ? 0 : -1;
}

/* From 6.11 the siblings that nosmt=force keeps off have no _CPC, which 6.18 no longer asks for. */
static void cpc_lost(struct facts *facts)
{
	const struct kernel_version *v = &facts->version;
	const char *nosmt = cmdline_get(&facts->cmdline, "nosmt");
	int has = kernel_has(facts, V(6, 11));

	if (!nosmt || strcmp(nosmt, "force") != 0 || has == 0) {
		fact_put(facts, FACT_CPC_LOST, false);
		return;
	}
	if (has < 0)
		return;
	if (v->number >= V(7, 0) || (v->number >= STABLE(6, 12, 107) && v->number < V(6, 13)))
		fact_put(facts, FACT_CPC_LOST, false);
	else if (v->number < STABLE(6, 12, 9) || (v->number >= V(6, 13) && v->number < V(6, 18)) ||
		 (v->number == V(6, 18) && v->rc))
		fact_put(facts, FACT_CPC_LOST, true);
}

void kernel_amd_facts(struct facts *facts)
{
	const struct cpu_id *id = &facts->id;
	int by_default = starts_by_default(facts);

	if (id->family)
		fact_put(facts, FACT_NO_CPPC_CPU,
			 id->family < 0x17 || (id->family == 0x17 && id->model < 0x30) ||
				 /* 7.2 asks for hardware P-states, 7.1 does not */
				 (facts->version.is_known && !is_before(facts, V(7, 2)) &&
				  (facts->set.is_known & ~facts->set.is_true & FACT(HW_PSTATE))));
	kernel_put(facts, FACT_AMD_DEFAULT, by_default);
	kernel_put(facts, FACT_SHMEM_DEFAULT, drives_shared_memory(facts));
	kernel_put(facts, FACT_PROFILE_OFF, is_off_by_profile(facts));
	amd_words(facts, by_default);
	if (facts->has_cmdline)
		cpc_lost(facts);
}
