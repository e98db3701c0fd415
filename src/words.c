// SPDX-License-Identifier: GPL-2.0-or-later
#include "words.h"

#include <string.h>

#include "memtext.h"
#include "state.h"
#include "util.h"

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
		[OUTCOME_IN_CHARGE] = "in-charge",
		[OUTCOME_TRY] = "try",
		[OUTCOME_LEFT] = "left",
		[OUTCOME_NONE] = "none",
		[OUTCOME_OFF] = "off",
		[OUTCOME_WAITING] = "waiting",
		[OUTCOME_DISABLED] = "disabled",
		[OUTCOME_BYSTANDER] = "bystander",
		[OUTCOME_UNKNOWN] = "unknown",
	};

	return names[outcome];
}

const char *error_name(int error)
{
	const char *name = error ? strerrorname_np(-error) : "0";

	return name ? name : "an unknown error";
}

/* Was every refusal final, and did everybody answer? */
static bool is_settled(const struct facts *facts)
{
	for (size_t i = 0; i < driver_count; i++) {
		const struct module_state *m = &facts->modules[i];

		if (m->attempt == ATTEMPT_PENDING ||
		    (m->attempt == ATTEMPT_DONE && m->error && !decide_is_final(m->error, false)))
			return false;
	}
	return true;
}

static void say_outcome(FILE *out, const struct facts *facts, const struct decision *d)
{
	switch (d->outcome) {
	case OUTCOME_IN_CHARGE:
		fprintf(out, "%s is in charge", facts->scaling_driver);
		if (d->in_charge < 0)
			fputs(", a driver that the table does not have", out);
		else if (facts->modules[d->in_charge].attempt == ATTEMPT_DONE &&
			 !facts->modules[d->in_charge].was_taken_back)
			fprintf(out, ", loaded by cpufreq-resolve in the %s",
				stage_name(facts->modules[d->in_charge].attempt_stage));
		else
			fputs(", registered without us; a second one could only be refused", out);
		break;
	case OUTCOME_TRY:
		fprintf(out, "no driver is in charge yet; %s is to be asked for once",
			drivers[d->next].name);
		break;
	case OUTCOME_LEFT:
		fputs("no driver is in charge yet; what this kernel offers is asked for once, by "
		      "udev, as without us",
		      out);
		break;
	case OUTCOME_NONE:
		fputs(is_settled(facts) ?
			      "no driver is right: none is in charge and none is left to be asked "
			      "for" :
			      "no driver is in charge: what was asked for may do better later",
		      out);
		break;
	case OUTCOME_OFF:
		fprintf(out, "no driver is right: %s",
			facts->is_off ? "cpufreq.off= on the kernel command line" :
			facts->modules_disabled ?
					"kernel.modules_disabled is set, none can be loaded" :
					"P-states belong to the Xen hypervisor");
		break;
	case OUTCOME_WAITING:
		fputs("a platform driver waits for its device to be bound; hands off", out);
		break;
	case OUTCOME_DISABLED:
		fputs(facts->is_masked ? "switched off: masked by /" MODCONF_MASK_PATH :
					 "switched off: enable=0",
		      out);
		break;
	case OUTCOME_BYSTANDER:
		fprintf(out, "%s; nothing is done here", bystander_text(facts->bystander));
		break;
	case OUTCOME_UNKNOWN:
		fprintf(out, "not known, so nothing is done: %s", facts->failed);
		break;
	}
}

char *words_outcome(const struct facts *facts, const struct decision *d)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = text_open(&text);

	if (!out)
		return NULL;
	say_outcome(out, facts, d);
	return text_end(out, &text) == 0 ? TAKE_PTR(text) : NULL;
}

const char *words_forced(const struct decision *d)
{
	switch (d->forced) {
	case FORCED_NO_SUCH:
		return "is not a driver that the table has, ignoring";
	case FORCED_NO_MODULE:
		return "is not a module of this kernel, ignoring";
	case FORCED_DENIED:
		return "is denied by a blacklist or install line at the same time; the denial "
		       "holds";
	case FORCED_BEATEN:
		return "cannot be had: the driver in charge was there first";
	case FORCED_REFUSED:
		return "was asked for and did not take charge; going on without driver=";
	case FORCED_NOT:
	case FORCED_IN_CHARGE:
	case FORCED_TRY:
		break;
	}
	return NULL;
}
