// SPDX-License-Identifier: GPL-2.0-or-later
/* Words about single drivers: for people who ask, and so for no image. */
#include "memtext.h"
#include "words.h"

#include <string.h>

#include "state.h"
#include "util.h"

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_IN_CHARGE] = "in charge",
		[VERDICT_CHOSEN] = "chosen",
		[VERDICT_IN_LINE] = "in line",
		[VERDICT_BEATEN] = "beaten",
		[VERDICT_REFUSED] = "refused",
		[VERDICT_HUNG] = "no answer",
		[VERDICT_IDLE] = "idle",
		[VERDICT_WAITING] = "waiting",
		[VERDICT_DENIED] = "denied",
		[VERDICT_RESERVED] = "reserved",
		[VERDICT_LEFT] = "left to udev",
		[VERDICT_NOT_OFFERED] = "not offered",
		[VERDICT_HAD_TURN] = "had its turn",
		[VERDICT_UNFIT] = "unfit",
		[VERDICT_ABSENT] = "absent",
		[VERDICT_OFF] = "off",
		[VERDICT_UNKNOWN] = "unknown",
	};

	return names[verdict];
}

/* "every CPU device and every ACPI processor" */
static void say_offers(FILE *out, unsigned int offers)
{
	static const struct {
		enum offer offer;
		const char *text;
	} texts[] = {
		{ OFFER_CPU, "every CPU device" },
		{ OFFER_ACPI, "every ACPI processor" },
		{ OFFER_PLATFORM, "one platform device" },
		{ OFFER_PCI, "a PCI device" },
	};
	const char *comma = "";

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!(offers & texts[i].offer))
			continue;
		fprintf(out, "%s%s", comma, texts[i].text);
		comma = " and ";
	}
}

void words_facts(FILE *out, const char *before, uint64_t mask)
{
	const char *comma = before;

	for (unsigned int f = 0; f < FACT_COUNT; f++) {
		if (!(mask & UINT64_C(1) << f))
			continue;
		fprintf(out, "%s%s", comma, fact_name(f));
		comma = ", ";
	}
}

static void say_entry(FILE *out, const struct modconf_entry *e)
{
	fprintf(out, "/%s:%u", e->file, e->line);
}

/* What is done about a rival, and why not more. */
static void say_line(FILE *out, const struct module_state *m, const struct row_decision *row)
{
	if (row->deny)
		fputs("; denied for this boot, or udev would ask once a CPU", out);
	else if (row->order)
		fputs("; ordered behind it by softdep, which does not end the repeats", out);
	else if (m->is_wanted && (m->offers & OFFER_PER_CPU))
		fputs("; asked for by name, so not denied, and udev asks once a CPU", out);
	else if (m->offers && !(m->offers & OFFER_PER_CPU))
		fputs("; udev asks for it once at most, so nothing is denied", out);
}

static void say_attempt(FILE *out, const struct module_state *m)
{
	if (m->error)
		fprintf(out, "the kernel said %s (%s)", strerror(-m->error), error_name(m->error));
	else
		fputs("it loaded without becoming the driver in charge", out);
	fprintf(out, " in the %s%s", stage_name(m->attempt_stage),
		m->was_late ? ", and so it did when asked again" : "");
}

static void say_denial(FILE *out, const struct module_state *m)
{
	if (m->denied_by)
		say_entry(out, m->denied_by);
	else
		fputs(denial_text(m->denial), out);
	if (m->was_taken_back)
		fputs("; the initramfs did not know that and had loaded it: taken out again", out);
}

static void say_row(FILE *out, const struct facts *facts, const struct decision *d, size_t i)
{
	const struct module_state *m = &facts->modules[i];
	const struct row_decision *row = &d->rows[i];

	switch (row->verdict) {
	case VERDICT_IN_CHARGE:
		fputs(drivers[i].what, out);
		break;
	case VERDICT_CHOSEN:
	case VERDICT_IN_LINE:
		if (m->offers) {
			fputs("offered for ", out);
			say_offers(out, m->offers);
		} else {
			fputs("named by driver=", out);
		}
		words_facts(out, "; the table doubts it for want of ", row->missing);
		words_facts(out, "; the table doubts it because of ", row->barred);
		break;
	case VERDICT_BEATEN:
		fprintf(out, "%s is in charge, and the kernel holds one driver",
			facts->scaling_driver);
		say_line(out, m, row);
		break;
	case VERDICT_REFUSED:
		say_attempt(out, m);
		say_line(out, m, row);
		if (!row->deny && !row->order && !decide_is_final(m->error, false))
			fputs("; not final, so not denied", out);
		break;
	case VERDICT_HUNG:
		fprintf(out, "asked for in the %s, and that attempt never ended",
			stage_name(m->attempt_stage));
		if (row->deny || row->order)
			say_line(out, m, row);
		else
			fputs("; neither denied nor tried again", out);
		break;
	case VERDICT_IDLE:
		fputs("loaded, but not in charge; it is not loaded again while it stays", out);
		break;
	case VERDICT_WAITING:
		fputs("its device waits for a clock, a regulator or the module", out);
		break;
	case VERDICT_DENIED:
		say_denial(out, m);
		if (row->deny)
			fputs("; denied to udev as well, or it would ask once a CPU", out);
		break;
	case VERDICT_RESERVED:
		say_entry(out, m->install);
		fprintf(out, ": install %s", m->install->value);
		break;
	case VERDICT_LEFT:
		fputs("offered for ", out);
		say_offers(out, m->offers);
		fputs(": no storm to stop", out);
		break;
	case VERDICT_NOT_OFFERED:
		fputs("no device here asks for it; driver= would", out);
		break;
	case VERDICT_HAD_TURN:
		fputs("built in, or not in this kernel: it was decided before user space", out);
		break;
	case VERDICT_UNFIT:
		words_facts(out, "needs ", row->missing);
		words_facts(out, row->missing ? "; not with " : "not with ", row->barred);
		break;
	case VERDICT_ABSENT:
		fputs("this kernel has no such module", out);
		break;
	case VERDICT_OFF:
		fputs("would be refused", out);
		say_line(out, m, row);
		break;
	case VERDICT_UNKNOWN:
		fputs("what this kernel has to offer is not known", out);
		break;
	}
}

char *words_row(const struct facts *facts, const struct decision *d, size_t row)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = text_open(&text);

	if (!out)
		return NULL;
	say_row(out, facts, d, row);
	if (text_end(out, &text) < 0)
		return NULL;
	str_printable(text);
	return TAKE_PTR(text);
}
