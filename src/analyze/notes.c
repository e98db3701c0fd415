// SPDX-License-Identifier: GPL-2.0-or-later
/* What has to be known to read the numbers of a log right. */
#include <string.h>

#include "numbers.h"
#include "report.h"

#define COUNT(n)    number_count(n).text
#define OF(n, what) number_of(n, what).text
#define SECONDS(n)  number_seconds(n).text

/* A log that begins later than this after the kernel did does not hold all of the boot. */
#define BEGINS_LATE UINT64_C(5000000)

static uint64_t sum_of(const struct tally *t, uint64_t (*of)(const struct tally_module *m))
{
	size_t n = 0;
	_cleanup_free_ const struct tally_module **list = tally_sorted(t, &n);
	uint64_t sum = 0;

	for (size_t i = 0; list && i < n; i++)
		sum += of(list[i]);
	return sum;
}

static uint64_t races_of(const struct tally_module *m)
{
	return m->races;
}

static uint64_t old_wording_of(const struct tally_module *m)
{
	return m->old_wording;
}

static uint64_t inserted_again_of(const struct tally_module *m)
{
	return m->classes[CLASS_INSERTED] > 1 ? m->classes[CLASS_INSERTED] - 1 : 0;
}

static uint64_t untold_of(const struct tally_module *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TALLY_ERRORS; i++)
		sum += m->errors[i].error ? 0 : m->errors[i].count;
	return sum;
}

static uint64_t unloaded_of(const struct tally_module *m)
{
	return m->unloaded;
}

static void say_level(FILE *out, const struct tally *t)
{
	uint64_t races = sum_of(t, races_of);

	if (!t->udev_debug) {
		fprintf(out, "udev's attempts are not known, which is not the same as none: %s.",
			t->damaged ? "no debug line of udev could be read" :
				     "there is no debug line of udev in the log");
		if (t->has_cmdline && !t->cmdline_has_debug && !t->cmdline_has_rd_debug)
			fputs(" The kernel's command line has no udev.log_level=debug.", out);
		else
			fputs(" It takes udev.log_level=debug (and rd.udev.log_level=debug for the "
			      "initrd) on the kernel's command line.",
			      out);
		fputc('\n', out);
		if (races)
			fprintf(out,
				"libkmod could not read a module's state, %s: loads of the same "
				"module ran in parallel and failed. How many is not in the log.\n",
				OF(races, "time"));
		return;
	}
	if (t->saw_initrd && !t->initrd_debug)
		fputs("udev in the initrd wrote no debug line (rd.udev.log_level=debug was not "
		      "set): only the host's udev is counted.\n",
		      out);
	else if (t->saw_initrd && t->initrd_debug == t->udev_debug && t->systemd_starts > 1)
		fputs("udev on the host wrote no debug line (udev.log_level=debug was not set): "
		      "only the initrd's udev is counted.\n",
		      out);
}

static void say_meaning(FILE *out, const struct tally *t)
{
	if (sum_of(t, inserted_again_of))
		fputs("\"Inserted\" is what udev says when the loader returns 0, and libkmod turns "
		      "-EEXIST into 0: of several for one module at most one can have loaded it, "
		      "the others were refused, came too late, or (since Linux 6.5) shared "
		      "that load.\n",
		      out);
	if (sum_of(t, old_wording_of))
		fputs("This udev (before systemd 235) also says \"Inserted\" of a module that is "
		      "live already: attempts are upper bounds.\n",
		      out);
	if (sum_of(t, untold_of))
		fprintf(out,
			"%s without a reason that could be understood (none is given, or in "
			"another language); counted all the same.\n",
			OF(sum_of(t, untold_of), "failure"));
	if (sum_of(t, unloaded_of))
		fputs("The kernel's list \"Unloaded tainted modules\" names modules once for each "
		      "load that it took back. It is a lower bound: it leaves out modules without "
		      "a taint, and logs cut it.\n",
		      out);
	if (t->unnamed)
		fprintf(out, "%s without a word of who wrote it, taken for udev's.\n",
			OF(t->unnamed, "line"));
	if (t->clock == LOG_CLOCK_WALL && !t->startup.has_finish)
		fputs("Times count from the first line: the log does not say when the kernel "
		      "started.\n",
		      out);
	if (t->is_coarse)
		fputs("Times are cut to whole seconds in this format (-o short-monotonic and json "
		      "are finer).\n",
		      out);
}

static void say_losses(FILE *out, const struct tally *t)
{
	if (t->lost || t->lost_unknown) {
		fputs("Messages are missing: ", out);
		if (t->lost)
			fprintf(out, "%s by the log's own count", COUNT(t->lost));
		if (t->lost && t->lost_unknown)
			fputs(", and more of which the number is not known", out);
		else if (t->lost_unknown)
			fputs("the log does not know how many", out);
		fprintf(out, ". Counts are %s.\n",
			tally_is_doubled(t) ? "too low for it" : "lower bounds");
	}
	if (t->lost_elsewhere)
		fprintf(out, "%s of other units than udev's missing, too: no matter here.\n",
			OF(t->lost_elsewhere, "message"));
	for (size_t i = 0; i < TALLY_LOST_MAX && t->lost_lines[i].times; i++)
		fprintf(out, "Lost: \"%s\", %s\n", t->lost_lines[i].text,
			OF(t->lost_lines[i].times, "time"));
	if (t->unanswered)
		fprintf(out,
			"%s of %s requests have no outcome: the worker's next lines are missing "
			"from the log, or it was killed.\n",
			COUNT(t->unanswered), COUNT(t->lookups));
	if (t->seqnum_gaps)
		fprintf(out,
			"The sequence numbers leave out %s: they were filtered away when the log "
			"was written, or are lost.\n",
			OF(t->seqnum_gaps, "number"));
	if (t->clock == LOG_CLOCK_BOOT && t->first > BEGINS_LATE && !t->linux_release[0])
		fprintf(out, "The log begins %s after the kernel; what was before is not in it.\n",
			SECONDS(t->first));
	if (t->duplicates && tally_is_doubled(t))
		fprintf(out,
			"%s the same as the one before of the same worker, at the same time: lines "
			"are in the log twice, and counts are upper bounds.\n",
			OF(t->duplicates, "line"));
	if (t->repeats)
		fputs("udev's first line comes again after later ones: a part of the boot is in "
		      "the log twice, and counts are upper bounds.\n",
		      out);
	if (t->turned_back)
		fprintf(out,
			"%s more than a second older than one before: the log is not in order.\n",
			OF(t->turned_back, "line"));
	if (t->host_returns)
		fprintf(out,
			"Lines of several machines are mixed (%s, %s...): the numbers are sums. "
			"--host NAME picks one.\n",
			t->hosts[0], t->hosts[1]);
	if (t->damaged)
		fprintf(out,
			"%s like one that counts, but cut or mixed with another: what can't be "
			"made out is not counted.\n",
			OF(t->damaged, "line"));
	if (t->dropped_modules)
		fprintf(out,
			"The log names more modules than the %d that are kept: %s with the fewest "
			"lines left out, %s in all.\n",
			TALLY_MODULES_MAX, OF(t->dropped_modules, "module"),
			OF(t->dropped_attempts, "attempt"));
}

static void say_reading(FILE *out, const struct log *log)
{
	if (log->ended_early)
		fprintf(out,
			"The log could not be read to its end (%s): what came before is counted.\n",
			log_error_text(log->ended_early));
	if (log->cut)
		fprintf(out, "%s cut: too long, or the log ends within it.\n",
			OF(log->cut, "line"));
	if (log->unreadable)
		fprintf(out, "%s of %s could not be read.\n", COUNT(log->unreadable),
			OF(log->lines, "line"));
	if (log->boots_seen > 1)
		fprintf(out,
			"The log holds %s boots; this is one of them (--boot picks, 0 is the last, "
			"-1 the one before).\n",
			COUNT(log->boots_seen));
	if (log->interleaved)
		fprintf(out, "Entries of different boots are mixed; each was put where its boot id "
			     "says.\n");
	if (log->entries_of_other_hosts)
		fprintf(out, "%s entries of other machines were left out.\n",
			COUNT(log->entries_of_other_hosts));
}

char *report_notes(const struct log *log, const struct tally *t)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	say_level(out, t);
	say_meaning(out, t);
	say_losses(out, t);
	say_reading(out, log);
	return fclose(out) == 0 ? TAKE_PTR(text) : NULL;
}
