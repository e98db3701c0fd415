// SPDX-License-Identifier: GPL-2.0-or-later
#include "decide.h"

#include <errno.h>

bool decide_is_final(int error, bool is_driver_in_charge)
{
	switch (error) {
	case -ENODEV:     /* no such hardware or table here */
	case -EOPNOTSUPP: /* the same, said by younger drivers */
	case -EPERM:      /* the kernel's own command line denies it */
		return true;
	case -EEXIST: /* another driver is registered; it may go away again */
		return is_driver_in_charge;
	default: /* short of memory, interrupted, something not there yet: may be otherwise later */
		return false;
	}
}

/* Does the kernel's index let every CPU of this machine ask for it, again and again? */
static bool is_offered_per_cpu(const struct module_state *m)
{
	return m->is_present && !m->is_builtin && (m->offers & OFFER_PER_CPU);
}

static bool is_deniable(const struct driver *driver, const struct module_state *m)
{
	bool by_kernel = m->denial == DENIAL_KERNEL_CMDLINE || m->denial == DENIAL_INITCALL;

	/* Who names a module wants it, and udev's deny list would hit systemd-modules-load too. */
	return is_offered_per_cpu(m) && !m->is_live && !m->is_wanted && !m->install &&
	       (m->denial == DENIAL_NONE || by_kernel) && !(driver->flags & DRIVER_OBSERVED);
}

static bool may_try_again(const struct module_state *m, bool is_late)
{
	if (m->attempt == ATTEMPT_NONE)
		return true;
	return is_late && m->attempt == ATTEMPT_DONE && !m->was_late;
}

/* Of a module that is offered. */
static bool is_loadable(const struct module_state *m, bool is_late)
{
	return !m->is_live && !m->install && m->denial == DENIAL_NONE && may_try_again(m, is_late);
}

static bool is_waiting(const struct driver *driver, const struct module_state *m)
{
	return (driver->flags & DRIVER_MAY_DEFER) && m->has_device && !m->is_bound;
}

/* What can be said of a row while no driver is in charge, and of one that never gets its turn. */
static enum verdict standing(const struct driver *driver, const struct module_state *m,
			     const struct row_decision *row)
{
	if ((m->is_builtin || m->is_present) && is_waiting(driver, m))
		return VERDICT_WAITING;
	bool is_unfit = row->missing || row->barred;

	if (m->is_builtin || (driver->flags & DRIVER_BUILTIN_ONLY))
		return is_unfit ? VERDICT_UNFIT : VERDICT_HAD_TURN;
	if (!m->is_present)
		return is_unfit ? VERDICT_UNFIT : VERDICT_ABSENT;
	if (m->is_live)
		return VERDICT_IDLE;
	if (m->install)
		return VERDICT_RESERVED;
	if (m->denial != DENIAL_NONE)
		return VERDICT_DENIED;
	if (m->attempt == ATTEMPT_PENDING)
		return VERDICT_HUNG;
	if (m->attempt == ATTEMPT_DONE)
		return VERDICT_REFUSED;
	if (m->offers & OFFER_PER_CPU)
		return VERDICT_IN_LINE;
	return m->offers ? VERDICT_LEFT : VERDICT_NOT_OFFERED;
}

/* A module that can be had is beaten by the one in charge; any other keeps its own story. */
static enum verdict beaten(enum verdict alone)
{
	switch (alone) {
	case VERDICT_IN_LINE:
	case VERDICT_LEFT:
	case VERDICT_REFUSED:
	case VERDICT_WAITING:
		return VERDICT_BEATEN;
	default:
		return alone;
	}
}

/* Who is in line first: those that fit by the table, then the rest; each in table order. */
static int first_in_line(const struct facts *facts, bool is_late, const struct decision *d)
{
	int unfit = -1;

	for (size_t i = 0; i < driver_count; i++) {
		const struct module_state *m = &facts->modules[i];

		if (!is_offered_per_cpu(m) || !is_loadable(m, is_late) ||
		    (drivers[i].flags & DRIVER_OBSERVED))
			continue;
		if (!d->rows[i].missing && !d->rows[i].barred)
			return (int)i;
		if (unfit < 0)
			unfit = (int)i;
	}
	return unfit;
}

/* What driver= comes to; FORCED_TRY with the row in *ret_row. */
static enum forced_result judge_forced(const struct facts *facts, const struct decision *d,
				       int *ret_row)
{
	int i = driver_find(facts->settings.driver);
	const struct module_state *m;

	*ret_row = i;
	if (!facts->settings.driver[0])
		return FORCED_NOT;
	if (i < 0)
		return FORCED_NO_SUCH;
	m = &facts->modules[i];
	if (d->in_charge == i)
		return FORCED_IN_CHARGE;
	if (!m->is_present || m->is_builtin)
		return FORCED_NO_MODULE;
	if (m->install || m->denial != DENIAL_NONE)
		return FORCED_DENIED;
	if (m->attempt != ATTEMPT_NONE || m->is_live)
		return FORCED_REFUSED;
	return facts->scaling_driver[0] ? FORCED_BEATEN : FORCED_TRY;
}

static enum outcome undecided(const struct facts *facts, bool is_late, struct decision *ret)
{
	int forced;

	if (facts->is_off || facts->modules_disabled || fact_is(facts, FACT_XEN_DOM0))
		return OUTCOME_OFF;
	ret->forced = judge_forced(facts, ret, &forced);
	if (ret->forced == FORCED_TRY) {
		ret->next = forced;
		return OUTCOME_TRY;
	}
	for (size_t i = 0; i < driver_count; i++)
		if (is_waiting(&drivers[i], &facts->modules[i]))
			return OUTCOME_WAITING;
	ret->next = first_in_line(facts, is_late, ret);
	if (ret->next >= 0)
		return OUTCOME_TRY;
	for (size_t i = 0; i < driver_count; i++)
		if (ret->rows[i].verdict == VERDICT_LEFT)
			return OUTCOME_LEFT;
	return OUTCOME_NONE;
}

/* Which rows get a line: those that would be asked for in vain, once for every CPU. */
static void draw_lines(const struct facts *facts, struct decision *ret)
{
	bool someone = ret->outcome == OUTCOME_IN_CHARGE, nobody = ret->outcome == OUTCOME_OFF;
	const struct module_state *winner =
		ret->in_charge >= 0 ? &facts->modules[ret->in_charge] : NULL;
	bool can_order = winner && winner->is_present && !winner->is_builtin &&
			 winner->denial == DENIAL_NONE && !winner->install;

	for (size_t i = 0; i < driver_count; i++) {
		const struct module_state *m = &facts->modules[i];
		struct row_decision *row = &ret->rows[i];
		bool by_kernel = m->denial == DENIAL_KERNEL_CMDLINE || m->denial == DENIAL_INITCALL;
		bool refused = m->attempt == ATTEMPT_DONE && decide_is_final(m->error, someone);

		if ((int)i == ret->in_charge || !is_deniable(&drivers[i], m))
			continue;
		if (!someone && !nobody && !refused && !by_kernel)
			continue;
		if (facts->settings.policy == POLICY_BLACKLIST)
			row->deny = true;
		else
			row->order = can_order && m->denial == DENIAL_NONE;
	}
}

/* Sets *ret_instead where nothing is to be done, whatever the verdicts. */
static bool may_act(const struct facts *facts, enum outcome *ret_instead)
{
	if (facts->bystander != BYSTANDER_NO)
		*ret_instead = OUTCOME_BYSTANDER;
	else if (!facts->settings.is_enabled || facts->is_masked)
		*ret_instead = OUTCOME_DISABLED;
	else if (facts->failed_error)
		*ret_instead = OUTCOME_UNKNOWN;
	else
		return true;
	return false;
}

/* With an install line the module is the administrator's, and a softdep would switch that off. */
static int governor_row(const struct facts *facts, const struct decision *d)
{
	int row = d->outcome == OUTCOME_TRY ? d->next : d->in_charge;

	return facts->governor[0] && row >= 0 && !facts->modules[row].install ? row : -1;
}

void decide(const struct facts *facts, bool is_late, struct decision *ret)
{
	enum outcome instead = OUTCOME_UNKNOWN;
	bool acts = may_act(facts, &instead);
	int unused;

	*ret = (struct decision){ .in_charge = -1, .next = -1, .governor_of = -1 };
	if (facts->scaling_driver[0])
		ret->in_charge = driver_find_reported(facts->scaling_driver);
	for (size_t i = 0; i < driver_count; i++) {
		struct row_decision *row = &ret->rows[i];

		row->missing = drivers[i].needs & facts->set.is_known & ~facts->set.is_true;
		row->barred = drivers[i].unless & facts->set.is_known & facts->set.is_true;
		row->verdict = standing(&drivers[i], &facts->modules[i], row);
		if (facts->failed_error && row->verdict != VERDICT_UNFIT)
			row->verdict = VERDICT_UNKNOWN;
	}
	if (facts->scaling_driver[0]) {
		ret->outcome = OUTCOME_IN_CHARGE;
		ret->forced = judge_forced(facts, ret, &unused);
	} else {
		ret->outcome = undecided(facts, is_late, ret);
	}
	if (!acts)
		ret->next = -1;
	for (size_t i = 0; i < driver_count; i++) {
		enum verdict *v = &ret->rows[i].verdict;

		if (ret->in_charge == (int)i)
			*v = VERDICT_IN_CHARGE;
		else if (ret->outcome == OUTCOME_IN_CHARGE)
			*v = beaten(*v);
		else if (ret->outcome == OUTCOME_OFF &&
			 (*v == VERDICT_IN_LINE || *v == VERDICT_LEFT))
			*v = VERDICT_OFF;
		else if (ret->next == (int)i)
			*v = VERDICT_CHOSEN;
	}
	if (!acts) {
		ret->outcome = instead;
		return;
	}
	ret->is_once = facts->settings.scope == SCOPE_CPU && !facts->is_rule_masked;
	ret->may_write = ret->outcome != OUTCOME_WAITING;
	if (!ret->may_write)
		return;
	draw_lines(facts, ret);
	ret->governor_of = governor_row(facts, ret);
}
