// SPDX-License-Identifier: GPL-2.0-or-later
#include "load.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "guard.h"
#include "intent.h"
#include "memtext.h"
#include "modules.h"
#include "refusals.h"
#include "state.h"
#include "util.h"
#include "words.h"

struct run {
	const struct facts *facts;
	struct refusals refusals;
	unsigned int loaded, there, denied, spared, refused_count;
	char *refused; /* "; refused: NAME ERRNO, NAME ERRNO", for the log */
	FILE *list;
};

_printf_(2, 3) static void say(FILE *log, const char *format, ...)
{
	va_list args;

	if (!log)
		return;
	va_start(args, format);
	fputs("cpufreq-resolve: ", log);
	vfprintf(log, format, args);
	fputc('\n', log);
	va_end(args);
	/* One write a line: the log may be /dev/kmsg, where each write is an entry. */
	fflush(log);
}

/* A cpufreq driver is apply's to ask for, once and once more late; not here a second time. */
static bool was_refused_to_apply(const struct facts *facts, const char *name)
{
	int i = driver_find(name);

	return i >= 0 && facts->modules[i].attempt != ATTEMPT_NONE &&
	       (facts->modules[i].attempt == ATTEMPT_PENDING || facts->modules[i].error);
}

static bool may_ask(void *data, const char *name)
{
	struct run *run = data;
	const struct refusal *refusal = refusals_find(&run->refusals, name);
	const struct modconf_entry *line;
	enum denial denial = intent_denial(run->facts, name, NULL, &line);

	/* libkmod looks as well, but goes on without a word where it can't read its configuration.
	 */
	if (denial == DENIAL_BLACKLIST || denial == DENIAL_MODPROBE_CMDLINE) {
		run->denied++;
		return false;
	}
	if ((!refusal || !refusals_is_final(refusal)) && !was_refused_to_apply(run->facts, name))
		return true;
	run->spared++;
	return false;
}

static void answered(void *data, const char *name, int result)
{
	struct run *run = data;

	if (result == MODULES_DENIED) {
		run->denied++;
		return;
	}
	if (result == MODULES_WAS_THERE)
		run->there++;
	else if (result == 0)
		run->loaded++;
	else
		fprintf(run->list, "%s%s %s", run->refused_count++ ? ", " : "; refused: ", name,
			error_name(result));
	refusals_note(&run->refusals, name, run->facts->stage, result < 0 ? result : 0);
}

static int begin(int rootfd, const struct facts *facts, struct run *ret, int *ret_lockfd)
{
	int r = guard_lock_load(rootfd, ret_lockfd);

	*ret = (struct run){ .facts = facts };
	if (r == 0)
		r = refusals_load(rootfd, facts, &ret->refusals);
	if (r < 0)
		return r;
	ret->list = text_open(&ret->refused);
	return ret->list ? 0 : -ENOMEM;
}

static int end(int rootfd, struct run *run, int r)
{
	int w;

	if (!run->list)
		return r;
	if (text_end(run->list, &run->refused) < 0)
		r = r < 0 ? r : -ENOMEM;
	w = refusals_write(rootfd, run->facts, &run->refusals);
	return r < 0 || w >= 0 ? r : w;
}

/* Why this is none of our business, or NULL. */
static const char *find_hindrance(const struct facts *facts)
{
	if (facts->bystander != BYSTANDER_NO)
		return bystander_text(facts->bystander);
	if (!facts->is_live_root)
		return "not the running system's root";
	if (!facts->settings.is_enabled || facts->is_masked || facts->is_rule_masked)
		return "switched off";
	if (facts->settings.scope != SCOPE_CPU)
		return "scope=cpu is not set";
	if (!facts->boot_id[0] || !facts->kernel[0])
		return "this boot or this kernel has no name";
	if (facts->failed_error)
		return facts->failed;
	return guard_may_load() ? NULL : "no right to load modules (CAP_SYS_MODULE)";
}

static int load(int rootfd, const struct facts *facts, const char *modalias, const char *device,
		FILE *log)
{
	_cleanup_close_ int lockfd = -1;
	struct run run;
	int r = begin(rootfd, facts, &run, &lockfd);

	if (r == 0)
		r = modules_ask(modalias, &(struct modules_asker){ may_ask, answered, &run });
	r = end(rootfd, &run, r);
	if (r < 0)
		say(log, "%s: %s; left to udev", device, strerror(-r));
	else
		say(log,
		    "%s asks for all: %u modules loaded, %u there before, %u denied, %u refused "
		    "earlier%s",
		    device, run.loaded, run.there, run.denied, run.spared, run.refused);
	free(run.refused);
	return r;
}

int load_run(int rootfd, const char *modalias, const char *device, FILE *log)
{
	_cleanup_(facts_free) struct facts facts = { 0 };
	struct state before;
	const char *hindrance;
	int r = facts_gather(rootfd, &facts);

	if (r == 0)
		r = state_load(rootfd, &facts, &before);
	if (r < 0) {
		say(log, "%s: %s; left to udev", device, strerror(-r));
		return r;
	}
	hindrance = find_hindrance(&facts);
	if (hindrance) {
		say(log, "%s: %s; left to udev", device, hindrance);
		return -EPERM;
	}
	return load(rootfd, &facts, modalias, device, log);
}

int load_again(int rootfd, const struct facts *facts, FILE *log)
{
	_cleanup_close_ int lockfd = -1;
	struct refusals before;
	struct run run;
	int r = begin(rootfd, facts, &run, &lockfd);

	before = run.refusals;
	for (size_t i = 0; i < before.count && r == 0; i++) {
		const char *name = before.all[i].module;
		struct refusal *refusal;

		if (before.all[i].was_late || refusals_is_final(&before.all[i]))
			continue;
		r = modules_ask(name, &(struct modules_asker){ may_ask, answered, &run });
		refusal = refusals_find(&run.refusals, name);
		if (refusal)
			refusal->was_late = true;
	}
	r = end(rootfd, &run, r);
	if (r < 0)
		say(log, "second chance: %s", strerror(-r));
	else if (run.loaded || run.refused_count)
		say(log, "second chance: %u modules loaded%s", run.loaded, run.refused);
	free(run.refused);
	return r;
}
