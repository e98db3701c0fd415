// SPDX-License-Identifier: GPL-2.0-or-later
#include "apply.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "decide.h"
#include "guard.h"
#include "load.h"
#include "memtext.h"
#include "modules.h"
#include "once.h"
#include "render.h"
#include "state.h"
#include "util.h"
#include "words.h"

struct run {
	int rootfd;
	const struct apply_options *options;
	struct facts facts;
	struct state before; /* what an earlier run of this boot left */
	struct decision decision;
	int lockfd;
};

_printf_(2, 3) static void say(const struct run *run, const char *format, ...)
{
	va_list args;

	if (!run->options->log)
		return;
	va_start(args, format);
	fputs("cpufreq-resolve: ", run->options->log);
	vfprintf(run->options->log, format, args);
	fputc('\n', run->options->log);
	va_end(args);
}

static int fail(const struct run *run, const char *path, int error)
{
	say(run, "/%s: cannot write: %s; nothing is loaded", path, strerror(-error));
	return error;
}

/* Returns 1 if something changed, as do those below that write. */
static int write_conf(const struct run *run)
{
	_cleanup_free_ char *text =
		render_conf(&run->facts, &run->decision, run->facts.has_governor_module);
	int r = text ? file_write_atomic(run->rootfd, MODCONF_BOOT_PATH, text) : -ENOMEM;

	return r < 0 ? fail(run, MODCONF_BOOT_PATH, r) : r;
}

static int write_state(const struct run *run)
{
	_cleanup_free_ char *reason = words_outcome(&run->facts, &run->decision), *text = NULL;
	int r = -ENOMEM;

	if (reason)
		text = state_format(&run->facts, outcome_name(run->decision.outcome), reason);
	if (text)
		r = file_write_atomic(run->rootfd, STATE_PATH, text);
	return r < 0 ? fail(run, STATE_PATH, r) : r;
}

static bool is_other_forced(const struct facts *facts, int in_charge)
{
	int i = driver_find(facts->settings.driver);
	const struct module_state *m;

	if (!facts->settings.is_enabled || i < 0 || i == in_charge)
		return false;
	m = &facts->modules[i];
	return m->is_present && !m->install && m->denial == DENIAL_NONE &&
	       m->attempt == ATTEMPT_NONE;
}

/*
 * An image may be older than the host's configuration. What the initramfs loaded though the host
 * forbids it goes out again before udevd starts, while nobody uses it.
 */
static void take_back(struct run *run)
{
	struct facts *facts = &run->facts;
	int i = facts->scaling_driver[0] ? driver_find_reported(facts->scaling_driver) : -1;
	struct module_state *m = i >= 0 ? &facts->modules[i] : NULL;
	bool is_forbidden, is_other;
	int r;

	if (!m || facts->stage != STAGE_HOST || m->attempt != ATTEMPT_DONE || m->error ||
	    m->attempt_stage != STAGE_INITRD || m->was_taken_back || m->is_wanted)
		return;
	is_forbidden = m->install || m->denial != DENIAL_NONE;
	is_other = is_other_forced(facts, i);
	if (!is_forbidden && !is_other)
		return;
	r = modules_remove(drivers[i].name);
	if (r < 0) {
		say(run, "%s: the host's configuration forbids it, but it can't be taken out: %s",
		    drivers[i].name, strerror(-r));
		return;
	}
	if (is_forbidden)
		m->was_taken_back = true;
	else
		m->attempt = ATTEMPT_NONE; /* it may be needed again if driver= is refused */
	say(run, "%s: loaded in the initramfs, forbidden by the host: taken out again",
	    drivers[i].name);
	facts_refresh(run->rootfd, facts);
}

static void say_result(const struct run *run, size_t i)
{
	const struct module_state *m = &run->facts.modules[i];
	int in_charge =
		run->facts.scaling_driver[0] ? driver_find_reported(run->facts.scaling_driver) : -1;

	if (in_charge == (int)i)
		say(run, "%s: loaded", drivers[i].name);
	else if (m->error)
		say(run, "%s: the kernel said %s (%s)", drivers[i].name, strerror(-m->error),
		    error_name(m->error));
	else
		say(run, "%s: loaded, but it is not in charge", drivers[i].name);
}

static int try_next(struct run *run)
{
	size_t i = (size_t)run->decision.next;
	struct module_state *m = &run->facts.modules[i];
	int r;

	m->was_late = m->attempt == ATTEMPT_DONE;
	m->attempt = ATTEMPT_PENDING;
	m->attempt_stage = run->facts.stage;
	r = write_state(run);
	if (r >= 0)
		r = write_conf(run);
	if (r < 0)
		return r;
	m->error = modules_insert(drivers[i].name);
	m->attempt = ATTEMPT_DONE;
	facts_refresh(run->rootfd, &run->facts);
	say_result(run, i);
	return 0;
}

/* Each turn tries one more module, and there are only so many. */
static int resolve(struct run *run)
{
	for (size_t turn = 0; turn <= driver_count; turn++) {
		int r;

		decide(&run->facts, run->options->is_late, &run->decision);
		if (run->decision.outcome != OUTCOME_TRY || !run->facts.is_live_root)
			return 0;
		r = try_next(run);
		if (r < 0)
			return r;
	}
	return 0;
}

static void say_summary(const struct run *run)
{
	_cleanup_free_ char *reason = words_outcome(&run->facts, &run->decision), *names = NULL;
	const char *before = "; denied for this boot: ";
	FILE *list = text_open(&names);

	if (!list)
		return;
	for (size_t i = 0; i < driver_count; i++) {
		if (!run->decision.rows[i].deny)
			continue;
		fprintf(list, "%s%s", before, drivers[i].name);
		before = " ";
	}
	if (text_end(list, &names) == 0 && reason)
		say(run, "%s%s", reason, names);
}

/* The rule of scope=cpu does not hang on which driver is right, nor on whether one is. */
static int leave_rule(const struct run *run)
{
	const char *refused;
	int r = once_write(run->rootfd, &run->facts, run->decision.is_once, &refused);

	if (r < 0)
		say(run, "/" ONCE_RULE_PATH ": cannot write or remove: %s", strerror(-r));
	else if (refused)
		say(run,
		    "the MODALIAS of %s devices can't be read, or is none for a udev rule; left as "
		    "it is",
		    refused);
	return r;
}

static int leave_files(const struct run *run)
{
	int r, w = 0;

	if (run->decision.may_write) {
		w = write_state(run);
		r = w < 0 ? w : write_conf(run);
		return r < 0 ? r : r | w;
	}
	/* Without an answer, or switched off: the machine is to boot as it would without us. */
	r = file_remove(run->rootfd, MODCONF_BOOT_PATH);
	if (r < 0) {
		say(run, "/" MODCONF_BOOT_PATH ": cannot remove: %s", strerror(-r));
		return r;
	}
	if (r > 0)
		say(run, "/" MODCONF_BOOT_PATH ": removed");
	if (run->before.is_there && run->decision.outcome != OUTCOME_UNKNOWN)
		w = write_state(run);
	return w < 0 ? w : r | w;
}

/*
 * The image, the host and the late timer run in one boot, and the journal has all three: what an
 * earlier one said, and what came of it, need not be said again.
 */
static bool is_news(const struct run *run, bool has_changed)
{
	return has_changed || run->options->is_verbose || !run->before.is_there ||
	       strcmp(run->before.outcome, outcome_name(run->decision.outcome)) != 0;
}

static int dry_run(struct run *run)
{
	_cleanup_free_ char *text = NULL;

	decide(&run->facts, run->options->is_late, &run->decision);
	if (run->decision.outcome == OUTCOME_TRY)
		fprintf(run->options->out, "would load %s\n", drivers[run->decision.next].name);
	if (run->decision.may_write) {
		text = render_conf(&run->facts, &run->decision, run->facts.has_governor_module);
		if (!text)
			return -ENOMEM;
		fprintf(run->options->out, "would write /" MODCONF_BOOT_PATH ":\n%s", text);
	} else if (!run->decision.is_once) {
		fputs("would write nothing\n", run->options->out);
	}
	return run->decision.is_once ? once_print(run->rootfd, &run->facts, run->options->out) : 0;
}

static int run_locked(struct run *run)
{
	int r = state_load(run->rootfd, &run->facts, &run->before), changed;

	if (!run->facts.boot_id[0])
		facts_fail(&run->facts, "proc/sys/kernel/random/boot_id", -ENODATA,
			   "the id of this boot, by which files of another are told apart");
	if (r == 0)
		r = modules_lookup(run->rootfd, &run->facts);
	if (r < 0)
		return r;
	if (run->options->is_dry_run) {
		r = dry_run(run);
	} else {
		if (run->facts.is_live_root && !run->facts.failed_error)
			take_back(run);
		r = resolve(run);
	}
	if (run->options->log)
		render_warnings(run->options->log, &run->facts, &run->decision);
	if (r < 0 || run->options->is_dry_run)
		return r;
	changed = leave_files(run);
	/* Put there only when all else is; taken away whatever became of that. */
	r = changed < 0 && run->decision.is_once ? changed : leave_rule(run);
	if (changed < 0 || r < 0)
		return changed < 0 ? changed : r; /* said already, and the rest has not come true */
	if (run->options->is_verbose && run->options->log && run->options->log_rows)
		run->options->log_rows(run->options->log, run->rootfd, &run->facts,
				       run->options->is_late);
	if (is_news(run, changed || r))
		say_summary(run);
	if (run->options->is_late && run->decision.is_once && run->facts.is_live_root)
		return load_again(run->rootfd, &run->facts, run->options->log);
	return 0;
}

/* Returns 1 if there is nothing to do for us. */
static int begin(struct run *run)
{
	int r;

	if (run->facts.bystander != BYSTANDER_NO) {
		say(run, "%s; nothing is done here", bystander_text(run->facts.bystander));
		return 1;
	}
	if (!run->facts.is_live_root || run->options->is_dry_run)
		return 0;
	if (!guard_may_load()) {
		say(run, "no right to load modules (CAP_SYS_MODULE); nothing is done");
		return -EPERM;
	}
	r = guard_lock(run->rootfd, &run->lockfd);
	if (r < 0)
		return fail(run, GUARD_LOCK_PATH, r);
	if (r > 0)
		say(run, "another cpufreq-resolve is at work; left to that one");
	return r;
}

int apply_run(int rootfd, const struct apply_options *options)
{
	struct run run = { .rootfd = rootfd, .options = options, .lockfd = -1 };
	int r = facts_gather(rootfd, &run.facts);

	if (r == 0)
		r = begin(&run);
	if (r == 0)
		r = run_locked(&run);
	if (r == -ENOMEM)
		say(&run, "out of memory; the boot goes on without us");
	facts_free(&run.facts);
	closep(&run.lockfd);
	return r < 0 ? r : 0;
}
