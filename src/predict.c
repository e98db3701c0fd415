// SPDX-License-Identifier: GPL-2.0-or-later
#include "predict.h"

#include <string.h>

/* A walk ends with a row and one of its two names, or with none. */
#define OUTCOME(row, second) (UINT64_C(1) << ((row)*2 + (second)))
#define OUTCOME_NOBODY       (UINT64_C(1) << 63)

_Static_assert(DRIVER_MAX * 2 <= 64, "outcomes no longer fit into a word");

/* No machine needs a hundredth of it; a tree that tells nothing at all must still come to an end.
 */
#define WALKS_MAX 20000

/*
 * What goes along with what on real machines, for facts that are not known otherwise. No rule of
 * the kernel's: these are never used to deny or to load anything.
 */
static const struct {
	uint64_t needs, unless; /* true, and not true */
	uint64_t needs_no;      /* false */
	enum fact fact;
	bool value;
} signs[] = {
	/* Without ACPI there are none of its objects. */
	{ 0, 0, FACT(ACPI), FACT_PSS, false },
	{ 0, 0, FACT(ACPI), FACT_PCCH, false },
	{ 0, 0, FACT(ACPI), FACT_ACPI_CPPC, false },
	{ 0, 0, FACT(ACPI_CPPC), FACT_ALL_CPPC, false },
	/* One CPU stands for the others. */
	{ FACT(ACPI_CPPC), 0, 0, FACT_ALL_CPPC, true },
	{ FACT(PSS), 0, 0, FACT_ACPI, true },
	{ FACT(PCCH), 0, 0, FACT_ACPI, true },
	{ FACT(ACPI_CPPC), 0, 0, FACT_ACPI, true },
	{ 0, 0, FACT(HWP), FACT_HWP_EPP, false },
	{ 0, 0, FACT(HWP), FACT_HWP_FORCED, false },
	{ FACT(HWP_FORCED), 0, 0, FACT_HWP, true },
	/* Those without a preference were few, and show the flags of which one is missing. */
	{ FACT(HWP), 0, 0, FACT_HWP_EPP, true },
	{ FACT(HWP), 0, 0, FACT_SPEEDSTEP, false },
	{ FACT(HWP), 0, 0, FACT_CENTRINO, false },
	/* Each maker has his own bit for P-states in registers. */
	{ FACT(AMD), 0, 0, FACT_EST, false },
	{ FACT(INTEL), 0, 0, FACT_HW_PSTATE, false },
	/* Hardware P-states came with the family after K8. */
	{ FACT(HW_PSTATE), 0, 0, FACT_K6, false },
	{ FACT(HW_PSTATE), 0, 0, FACT_K7, false },
	{ FACT(HW_PSTATE), 0, 0, FACT_K8, false },
	/* ... whose firmware sets them in registers: a switch in the BIOS hides the bit, too. */
	{ FACT(AMD), 0, FACT(K6) | FACT(K7) | FACT(K8), FACT_PCT_IO, false },
	/* The last word counts. */
	{ FACT(AMD_ASKED), 0, 0, FACT_AMD_DISABLE, false },
	{ FACT(AMD_DISABLE), 0, 0, FACT_AMD_ASKED, false },
	/* A hypervisor shows its guests no P-states. */
	{ FACT(HYPERVISOR), FACT(XEN_DOM0), 0, FACT_PSS, false },
	{ FACT(HYPERVISOR), FACT(XEN_DOM0), 0, FACT_PCCH, false },
	{ FACT(HYPERVISOR), FACT(XEN_DOM0), 0, FACT_ACPI_CPPC, false },
	{ FACT(HYPERVISOR), FACT(XEN_DOM0), 0, FACT_HWP, false },
	{ 0, 0, FACT(HYPERVISOR), FACT_XEN_DOM0, false },
	/* Firmware that keeps the P-states to itself lists none. */
	{ FACT(OOB), 0, 0, FACT_PSS, false },
	{ FACT(OOB), 0, 0, FACT_PCCH, false },
	/* PCC is an interface of ProLiants, and older than HWP and than CPPC on AMD. */
	{ 0, 0, FACT(PROLIANT), FACT_PCCH, false },
	{ FACT(HWP), FACT(PROLIANT), 0, FACT_PCCH, false },
	{ FACT(AMD), FACT(PROLIANT), FACT(NO_CPPC_CPU), FACT_PCCH, false },
	{ FACT(ACPI_CPPC), 0, 0, FACT_PCCH, false },
	{ FACT(AMD_ASKED), FACT(PROLIANT), 0, FACT_PCCH, false },
	/* The kernel boots by a devicetree or by ACPI. */
	{ FACT(ARM64) | FACT(ACPI), 0, 0, FACT_DEVICETREE, false },
	{ FACT(ARM64) | FACT(DEVICETREE), 0, 0, FACT_ACPI, false },
	{ FACT(ARM64), 0, FACT(ACPI), FACT_DEVICETREE, true },
	{ FACT(DT_CPUFREQ), FACT(SCMI), 0, FACT_SCMI, false },
};

/* Rare, and there would be a sign of it: taken as no rather than leaving every answer open. */
#define RARE (FACT(ORACLE) | FACT(AL30) | FACT(SCMI))
/*
 * Without a command line in the tree: as if nobody had written these. intel_pstate=passive and
 * amd_pstate= are not among them: these people do write, and distributions set them.
 */
#define WORDS                                                                                      \
	(FACT(CPUFREQ_OFF) | FACT(INTEL_DISABLE) | FACT(NO_HWP) | FACT(HWP_ONLY) |                 \
	 FACT(ASKED_ACTIVE) | FACT(CPC_LOST))

struct walk {
	const struct facts *facts;
	bool is_blocked[DRIVER_MAX];
	unsigned int order[DRIVER_MAX];
	unsigned int left;
	uint64_t missing;
};

static uint64_t yes(const struct fact_set *set)
{
	return set->is_known & set->is_true;
}

static uint64_t no(const struct fact_set *set)
{
	return set->is_known & ~set->is_true;
}

static void put(struct fact_set *set, enum fact fact, bool value)
{
	uint64_t bit = UINT64_C(1) << fact;

	set->is_known |= bit;
	set->is_true = value ? set->is_true | bit : set->is_true & ~bit;
}

static void follow_signs(struct fact_set *set)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs);) {
		if (!(set->is_known & UINT64_C(1) << signs[i].fact) &&
		    !(signs[i].needs & ~yes(set)) && !(signs[i].unless & yes(set)) &&
		    !(signs[i].needs_no & ~no(set))) {
			put(set, signs[i].fact, signs[i].value);
			i = 0; /* one may lead to another; each sets a fact once, so this ends */
		} else {
			i++;
		}
	}
	facts_derive(set);
}

static bool is_derived(enum fact fact)
{
	for (size_t i = 0; i < fact_rule_count; i++)
		if (fact_rules[i].fact == fact)
			return true;
	return false;
}

/* The first unknown fact on which an unknown one of @mask hangs, itself not derived; or -1. */
static int open_fact(const struct fact_set *set, uint64_t mask)
{
	for (unsigned int f = 0; f < FACT_COUNT; f++) {
		if (!(mask & ~set->is_known & UINT64_C(1) << f))
			continue;
		if (!is_derived(f))
			return (int)f;
		for (size_t i = 0; i < fact_rule_count; i++) {
			const struct fact_rule *rule = &fact_rules[i];

			/* A rule that can't hold any more leaves nothing open. */
			if (rule->fact == f && !(rule->needs & no(set)) &&
			    !(rule->unless & yes(set)))
				return open_fact(set, rule->needs | rule->unless);
		}
	}
	return -1;
}

static uint64_t walk(struct walk *w, struct fact_set set, size_t at);

/* Goes on both ways. A fact that makes a difference is missing. */
static uint64_t fork_at(struct walk *w, const struct fact_set *set, size_t at, uint64_t mask)
{
	int fact = open_fact(set, mask);
	struct fact_set with = *set, without = *set;
	uint64_t a, b;

	if (fact < 0 || w->left == 0)
		return OUTCOME_NOBODY;
	w->left--;
	put(&with, (enum fact)fact, true);
	put(&without, (enum fact)fact, false);
	a = walk(w, with, at);
	b = walk(w, without, at);
	if (a != b)
		w->missing |= UINT64_C(1) << fact;
	return a | b;
}

static uint64_t walk(struct walk *w, struct fact_set set, size_t at)
{
	follow_signs(&set);
	if (yes(&set) & FACTS_NOBODY)
		return OUTCOME_NOBODY;
	for (; at < driver_count; at++) {
		size_t row = w->order[at];
		const struct driver *d = &drivers[row];
		uint64_t open = (d->needs | d->unless) & ~set.is_known;

		if (w->is_blocked[row] || (d->needs & no(&set)) || (d->unless & yes(&set)))
			continue;
		/* That firmware lists P-states says as well that ACPI is on. */
		if (open & ~FACT(ACPI))
			open &= ~FACT(ACPI);
		if (open)
			return fork_at(w, &set, at, open);
		if (d->first_if & ~set.is_known)
			return fork_at(w, &set, at, d->first_if);
		return OUTCOME(row, d->first_if && !(d->first_if & yes(&set)));
	}
	return OUTCOME_NOBODY;
}

static bool is_forced(const struct facts *facts, size_t row)
{
	return facts->settings.is_enabled && facts->settings.driver[0] &&
	       driver_find(facts->settings.driver) == (int)row;
}

/* Can this row's driver not come to be asked, whatever the hardware? */
static bool is_blocked(const struct facts *facts, size_t row)
{
	const struct module_state *m = &facts->modules[row];
	const struct driver *d = &drivers[row];

	if (m->config == 'n' ||
	    cmdline_kernel_lists(&facts->cmdline, "initcall_blacklist", d->initcall, false))
		return true;
	if (m->is_builtin || m->config == 'y')
		return false;
	/* Up to 6.0, and in kernels with what was taken from these, amd_pstate can be a module. */
	if ((d->flags & DRIVER_BUILTIN_ONLY) && m->config != 'm' && !m->is_present)
		return false;
	if (facts->has_index && !m->is_present)
		return true;
	if (m->denial != DENIAL_NONE || m->install)
		return true;
	if (!(d->flags & (DRIVER_NO_ALIAS | DRIVER_BUILTIN_ONLY)) || m->is_wanted ||
	    is_forced(facts, row))
		return false;
	/* Nothing asks for it. Without an index: built in, unless nobody does that. */
	return m->is_present || m->config == 'm' || (d->flags & DRIVER_NOT_BUILTIN);
}

/*
 * amd_pstate as a module that is loaded by its name, and acpi_cpufreq, built in or loaded by udev:
 * who comes first is not known.
 */
static bool is_race(const struct walk *w)
{
	int amd = driver_find("amd_pstate");
	const struct module_state *m = &w->facts->modules[amd];

	return (m->config == 'm' || (m->is_present && !m->is_builtin)) && !w->is_blocked[amd] &&
	       !w->is_blocked[driver_find("acpi_cpufreq")] && !is_forced(w->facts, (size_t)amd);
}

/* What is built in comes before what is loaded, what is forced before what is offered. */
static void order_rows(struct walk *w)
{
	size_t n = 0;

	for (int pass = 0; pass < 3; pass++) {
		for (size_t i = 0; i < driver_count; i++) {
			int turn = (drivers[i].flags & DRIVER_BUILTIN_ONLY) ? 0 :
				   is_forced(w->facts, i)                   ? 1 :
									      2;

			if (turn == pass)
				w->order[n++] = (unsigned int)i;
		}
	}
}

static const char *outcome_text(const struct facts *facts, unsigned int bit)
{
	const struct driver *d = &drivers[bit / 2];

	if ((d->flags & DRIVER_ANY_DT) && facts->dt_driver[0])
		return facts->dt_driver;
	return d->reports[bit % 2];
}

static void list(const struct facts *facts, uint64_t outcomes, struct prediction *ret)
{
	for (unsigned int bit = 0; bit < 63 && ret->count < PREDICT_MAX - 1; bit++)
		if (outcomes & UINT64_C(1) << bit)
			ret->alternatives[ret->count++] = outcome_text(facts, bit);
	if (outcomes & OUTCOME_NOBODY && ret->count >= ALTERNATIVES_MAX)
		ret->leaves_out_none = true;
	else if (outcomes & OUTCOME_NOBODY)
		ret->alternatives[ret->count++] = NULL;
}

/* All facts that matter to rows which the processor alone does not rule out. */
static uint64_t facts_in_play(const struct fact_set *set)
{
	uint64_t mask = FACTS_NOBODY;

	for (size_t i = 0; i < driver_count; i++)
		if (!(drivers[i].needs & no(set)) && !(drivers[i].unless & yes(set)))
			mask |= drivers[i].needs | drivers[i].unless | drivers[i].first_if;
	for (size_t i = fact_rule_count; i-- > 0;)
		if (mask & UINT64_C(1) << fact_rules[i].fact)
			mask |= fact_rules[i].needs | fact_rules[i].unless;
	return mask;
}

void predict(const struct facts *facts, struct prediction *ret)
{
	static const uint64_t archs =
		FACT(X86) | FACT(ARM64) | FACT(RISCV) | FACT(POWER) | FACT(LOONGARCH);
	struct walk w = { .facts = facts, .left = WALKS_MAX };
	struct fact_set set = facts->set;
	uint64_t assume = RARE | (facts->has_cmdline ? 0 : WORDS);

	*ret = (struct prediction){ 0 };
	/* Not even the kind of processor: whatever was said would be invented. */
	if (!(set.is_known & archs)) {
		ret->missing = FACT(X86);
		return;
	}
	follow_signs(&set);
	/* Whether it is a ProLiant matters to intel_pstate; DMI or the FADT would say so. */
	if (fact_is(facts, FACT_INTEL) && !(set.is_known & FACT(PROLIANT)) &&
	    (set.is_known & FACT(HWP) || fact_is(facts, FACT_PSTATE_MODEL)))
		assume |= FACT(PROLIANT);
	ret->assumed = assume & ~set.is_known & facts_in_play(&set);
	set.is_known |= ret->assumed;
	set.is_true &= ~ret->assumed;
	for (size_t i = 0; i < driver_count; i++)
		w.is_blocked[i] = is_blocked(facts, i);
	if (is_race(&w))
		set.is_known &= ~FACT(AMD_DEFAULT);
	order_rows(&w);
	list(facts, walk(&w, set, 0), ret);
	ret->is_decided = ret->count == 1;
	if (ret->is_decided) {
		ret->driver = ret->alternatives[0];
		ret->count = 0;
	} else {
		ret->missing = w.missing;
	}
}
