// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel.h"

#include <ctype.h>
#include <string.h>

#include "kernel-parts.h"
#include "names.h"
#include "util.h"

static unsigned int read_number(const char **s)
{
	unsigned int n = 0;

	while (isdigit((unsigned char)**s) && n < 1000)
		n = n * 10 + (unsigned int)(*(*s)++ - '0');
	while (isdigit((unsigned char)**s))
		(*s)++;
	return n < 1000 ? n : 999;
}

void kernel_version_parse(const char *release, struct kernel_version *ret)
{
	const char *s = release, *rc;
	unsigned int major, minor, patch = 0;

	*ret = (struct kernel_version){ 0 };
	if (!isdigit((unsigned char)*s))
		return;
	major = read_number(&s);
	if (*s != '.' || !isdigit((unsigned char)s[1]))
		return;
	s++;
	minor = read_number(&s);
	if (*s == '.' && isdigit((unsigned char)s[1])) {
		s++;
		patch = read_number(&s);
	}
	rc = strncmp(s, "-rc", 3) == 0 ? s + 3 : NULL;
	ret->is_known = true;
	ret->number = STABLE(major, minor, patch);
	ret->rc = rc && isdigit((unsigned char)*rc) ? read_number(&rc) : 0;
}

/* Intel models that every kernel's intel_pstate drives without HWP (intel_pstate_cpu_ids[]). */
static const unsigned int pstate_models[] = {
	0x2a, 0x2d,             /* Sandy Bridge */
	0x37,                   /* Silvermont */
	0x3a, 0x3e,             /* Ivy Bridge */
	0x3c, 0x3f, 0x45, 0x46, /* Haswell */
	0x3d, 0x47, 0x4f, 0x56, /* Broadwell */
	0x4c,                   /* Airmont */
	0x4e, 0x5e,             /* Skylake */
	0x57, 0x85,             /* Knights Landing, Knights Mill */
	0x5c, 0x7a,             /* Goldmont */
};

/*
 * Those that came later: unknown between @not_in, the newest kernel that is known not to have it,
 * and @since. @stable is the release of a stable series that got it as well, 0 if there is none.
 */
static const struct {
	unsigned int model, not_in, since, stable;
} later_models[] = {
	/* Skylake-SP */
	{ .model = 0x55, .not_in = V(5, 3), .since = V(5, 10) },
	/* Comet Lake: 706c5328851d */
	{ .model = 0xa5, .not_in = STABLE(5, 10, 999), .since = V(5, 14) },
	/* Ice Lake-SP: fbdc21e9b038 */
	{ .model = 0x6a, .not_in = STABLE(5, 10, 999), .since = V(5, 14) },
	/* Tiger Lake */
	{ .model = 0x8d, .not_in = STABLE(5, 10, 999), .since = V(6, 1) },
	/* Sapphire Rapids: df51f287b5de */
	{ .model = 0x8f, .not_in = STABLE(6, 1, 999), .since = V(6, 2) },
	/* Emerald Rapids: e95013156ad8, December 2023 */
	{ .model = 0xcf, .not_in = STABLE(6, 5, 999), .since = V(6, 8) },
	/* Granite Rapids: fc64e0421598 */
	{ 0xad, STABLE(6, 12, 42), V(6, 17), STABLE(6, 12, 43) },
	{ 0xae, STABLE(6, 12, 42), V(6, 17), STABLE(6, 12, 43) },
};

/* Models whose firmware can keep the P-states (intel_pstate_cpu_oob_ids[]). */
static const unsigned int oob_models[] = { 0x56, 0x4f, 0x55, 0x6a, 0x8f, 0xcf,
					   0xad, 0xae, 0xaf, 0xb6, 0xdd };

/*
 * Is it a kernel of those who keep a number for years and add drivers under it? Then what mainline
 * of that number lacks may be there. Red Hat's and what is built from them (5.14 of el9 holds
 * amd_pstate with all of its words), SUSE's since 15 SP4 (5.14.21 and 6.4.0 with a number such as
 * 150500.55), and the 5.15 of Ubuntu's LTS.
 */
static bool keeps_number(const char *release)
{
	const char *el = strstr(release, ".el"), *suse = strstr(release, "-150");

	return (el && isdigit((unsigned char)el[3])) ||
	       (suse && isdigit((unsigned char)suse[4]) && strncmp(suse + 5, "00.", 3) == 0) ||
	       strncmp(release, "5.15.0-", 7) == 0;
}

int kernel_has(const struct facts *facts, unsigned int since)
{
	if (!facts->version.is_known)
		return -1;
	if (facts->version.number >= since)
		return 1;
	return keeps_number(facts->kernel) ? -1 : 0;
}

void kernel_put(struct facts *facts, enum fact fact, int value)
{
	if (value < 0)
		facts->set.is_known &= ~(UINT64_C(1) << fact);
	else
		fact_put(facts, fact, value);
}

/* Unknown between @not_in, the newest kernel that is known to be without it, and @since. */
static void put_since(struct facts *facts, enum fact fact, unsigned int not_in, unsigned int since)
{
	int has = kernel_has(facts, since);

	kernel_put(facts, fact, has == 0 && facts->version.number > not_in ? -1 : has);
}

/* Is it this stable release or a later one of the same series? */
static bool is_in_series(const struct facts *facts, unsigned int stable)
{
	const struct kernel_version *v = &facts->version;

	return v->is_known && stable && v->number >= stable && v->number / 1000 == stable / 1000;
}

/* A processor of family 6 with one of these models? */
static bool is_among(const struct cpu_id *id, const unsigned int *models, size_t count)
{
	for (size_t i = 0; id->family == 6 && i < count; i++)
		if (models[i] == id->model)
			return true;
	return false;
}

static void intel_model(struct facts *facts)
{
	const struct cpu_id *id = &facts->id;

	/* 0x101 is family 19, model 1. */
	if (!is_among(id, oob_models, ARRAY_SIZE(oob_models)) &&
	    !(id->family == 19 && id->model == 1))
		fact_put(facts, FACT_OOB, false);
	fact_put(facts, FACT_PSTATE_MODEL, is_among(id, pstate_models, ARRAY_SIZE(pstate_models)));
	for (size_t i = 0; id->family == 6 && i < ARRAY_SIZE(later_models); i++) {
		if (later_models[i].model != id->model)
			continue;
		if (is_in_series(facts, later_models[i].stable))
			fact_put(facts, FACT_PSTATE_MODEL, true);
		else
			put_since(facts, FACT_PSTATE_MODEL, later_models[i].not_in,
				  later_models[i].since);
	}
}

static bool is_word(const struct cmdline_param *p, const char *key, const char *word)
{
	return name_equal(p->key, key) && p->value && strcmp(p->value, word) == 0;
}

bool kernel_word_is_set(const struct facts *facts, const char *key, const char *word)
{
	for (size_t i = 0; i < facts->cmdline.kernel_count; i++)
		if (is_word(&facts->cmdline.params[i], key, word))
			return true;
	return false;
}

/* intel_pstate= may stand there several times, each word adds to those before it. */
static void intel_words(struct facts *facts)
{
	static const struct {
		const char *word;
		enum fact fact;
	} words[] = {
		{ "disable", FACT_INTEL_DISABLE },
		{ "no_hwp", FACT_NO_HWP },
		{ "hwp_only", FACT_HWP_ONLY },
	};
	const struct cmdline *c = &facts->cmdline;
	const struct kernel_version *v = &facts->version;
	bool is_active = false, is_passive = false, is_forced = false, is_open;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		fact_put(facts, words[i].fact,
			 kernel_word_is_set(facts, "intel_pstate", words[i].word));
	for (size_t i = 0; i < c->kernel_count; i++) {
		if (is_word(&c->params[i], "intel_pstate", "active"))
			is_active = true, is_passive = false;
		else if (is_word(&c->params[i], "intel_pstate", "passive"))
			is_passive = true, is_active = false;
		is_forced |= is_word(&c->params[i], "intel_pstate", "force");
	}
	/* "Fix active mode setting from command line", between 5.8-rc4 and 5.8. */
	is_open = !v->is_known && is_active && !fact_is(facts, FACT_HWP_ACTIVE);
	if (v->is_known && is_active && !fact_is(facts, FACT_HWP_ACTIVE) &&
	    ((v->number >= V(5, 7) && v->number < STABLE(5, 7, 9)) ||
	     (v->number == V(5, 8) && v->rc && v->rc < 6)))
		is_active = false;
	if (!is_open)
		fact_put(facts, FACT_ASKED_ACTIVE, is_active);
	fact_put(facts, FACT_ASKED_PASSIVE, is_passive);
	if (is_forced)
		fact_put(facts, FACT_ORACLE, false);
}

static void intel_facts(struct facts *facts)
{
	if (facts->id.family)
		intel_model(facts);
	if (facts->set.is_known & ~facts->set.is_true & FACT(HWP))
		fact_put(facts, FACT_HWP_FORCED, false);
	/* "Avoid enabling HWP for processors without EPP support", in 5.10 and not in 5.4. */
	if (fact_is(facts, FACT_HWP) && !fact_is(facts, FACT_HWP_EPP)) {
		if (is_before(facts, V(5, 5)))
			fact_put(facts, FACT_HWP_EPP, true);
		else if (is_before(facts, V(5, 10)) || !is_before(facts, V(6, 13)))
			/* ... and Dynamic Efficiency Control is as good, in 7.1 and not in 6.12 */
			facts->set.is_known &= ~FACT(HWP_EPP);
	}
	/* A stable release of 5.10 began to mind; 5.10.28 does not, 5.10.262 does. */
	if (is_before(facts, V(5, 10)))
		fact_put(facts, FACT_HWP_FORCED, false);
	else if (is_before(facts, V(5, 11)) && fact_is(facts, FACT_HWP_FORCED))
		facts->set.is_known &= ~FACT(HWP_FORCED);
	kernel_put(facts, FACT_PASSIVE_DEFAULT, kernel_has(facts, V(5, 7)));
	facts_derive(&facts->set);
	if (facts->has_cmdline)
		intel_words(facts);
}

void kernel_facts(struct facts *facts)
{
	if (facts->has_cmdline)
		fact_put(facts, FACT_CPUFREQ_OFF, facts->is_off);
	if (fact_is(facts, FACT_INTEL))
		intel_facts(facts);
	if (fact_is(facts, FACT_AMD))
		kernel_amd_facts(facts);
}
