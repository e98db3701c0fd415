// SPDX-License-Identifier: GPL-2.0-or-later
/* Every decision can be said, on one line, and what is said is true of it. */
#include <errno.h>
#include <string.h>

#include "testlib.h"
#include "words.h"

static const struct modconf_entry some_line = { .file = "etc/modprobe.d/x.conf",
						.line = 7,
						.value = "/bin/false" };

struct fixture {
	struct facts facts;
	struct decision d;
	size_t row;
	struct module_state *m;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->row = (size_t)driver_find("acpi_cpufreq");
	f->m = &f->facts.modules[f->row];
	f->m->install = &some_line;
	f->m->denied_by = &some_line;
	f->d = (struct decision){ .in_charge = -1, .next = (int)f->row, .governor_of = -1 };
	strcpy(f->facts.scaling_driver, "intel_pstate");
	strcpy(f->facts.failed, "/x: broken; expected y");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void is_one_line(const char *text)
{
	assert_non_null(text);
	assert_true(*text);
	for (const char *s = text; *s; s++)
		assert_true(*s >= ' ' && *s <= '~');
}

static void outcomes(void **state)
{
	struct fixture *f = *state;

	for (enum outcome o = OUTCOME_IN_CHARGE; o <= OUTCOME_UNKNOWN; o++) {
		_cleanup_free_ char *text = NULL;

		f->d.outcome = o;
		f->facts.bystander = o == OUTCOME_BYSTANDER ? BYSTANDER_KDUMP : BYSTANDER_NO;
		text = words_outcome(&f->facts, &f->d);
		is_one_line(text);
		assert_true(text[strlen(text) - 1] != '.');
		is_one_line(outcome_name(o));
		assert_null(strchr(outcome_name(o), ' '));
		for (enum outcome p = OUTCOME_IN_CHARGE; p < o; p++)
			assert_string_not_equal(outcome_name(o), outcome_name(p));
	}
}

static void says(const struct fixture *f, const char *expected)
{
	_cleanup_free_ char *text = words_outcome(&f->facts, &f->d);

	if (!strstr(text, expected))
		fail_msg("\"%s\" does not have \"%s\"", text, expected);
}

static void outcome_reasons(void **state)
{
	struct fixture *f = *state;

	f->d.outcome = OUTCOME_IN_CHARGE;
	says(f, "intel_pstate is in charge, a driver that the table does not have");
	f->d.in_charge = (int)f->row;
	says(f, "registered without us");
	f->m->attempt = ATTEMPT_DONE;
	f->m->attempt_stage = STAGE_INITRD;
	says(f, "loaded by cpufreq-resolve in the initrd");
	f->m->was_taken_back = true;
	says(f, "registered without us");

	f->d.outcome = OUTCOME_TRY;
	says(f, "acpi_cpufreq is to be asked for once");
	f->d.outcome = OUTCOME_OFF;
	says(f, "Xen");
	f->facts.is_off = true;
	says(f, "cpufreq.off=");
	f->d.outcome = OUTCOME_DISABLED;
	says(f, "enable=0");
	f->facts.is_masked = true;
	says(f, "masked by /etc/modprobe.d/cpufreq-resolve-boot.conf");
	f->d.outcome = OUTCOME_UNKNOWN;
	says(f, "/x: broken; expected y");
	f->d.outcome = OUTCOME_BYSTANDER;
	f->facts.bystander = BYSTANDER_CONTAINER;
	says(f, "this is a container");
	f->facts.bystander = BYSTANDER_CHROOT;
	says(f, "this is a chroot");
}

/* All verdicts of all rows with all that may stand beside them. */
static void verdicts(void **state)
{
	struct fixture *f = *state;

	for (enum verdict v = VERDICT_IN_CHARGE; v <= VERDICT_UNKNOWN; v++) {
		is_one_line(verdict_name(v));
		assert_true(strlen(verdict_name(v)) <= 12); /* the column of explain */
		for (enum verdict w = VERDICT_IN_CHARGE; w < v; w++)
			assert_string_not_equal(verdict_name(v), verdict_name(w));
		for (size_t i = 0; i < driver_count; i++) {
			f->facts.modules[i].install = &some_line;
			f->facts.modules[i].denied_by = &some_line;
			for (unsigned int bits = 0; bits < 64; bits++) {
				_cleanup_free_ char *text = NULL;
				struct module_state *m = &f->facts.modules[i];

				f->d.rows[i] = (struct row_decision){
					.verdict = v,
					.deny = bits & 1,
					.order = !(bits & 1) && bits & 2,
					.missing = drivers[i].needs,
					.barred = drivers[i].unless,
				};
				m->is_wanted = bits & 4;
				m->offers = bits & 8 ? OFFER_CPU | OFFER_ACPI : OFFER_PLATFORM;
				m->error = bits & 16 ? -ENODEV : 0;
				m->was_late = bits & 32;
				text = words_row(&f->facts, &f->d, i);
				is_one_line(text);
			}
		}
	}
}

static void row_says(struct fixture *f, enum verdict v, const char *expected)
{
	_cleanup_free_ char *text = NULL;

	f->d.rows[f->row].verdict = v;
	text = words_row(&f->facts, &f->d, f->row);
	if (strcmp(text, expected) != 0)
		fail_msg("\"%s\" is not \"%s\"", text, expected);
}

static void row_reasons(void **state)
{
	struct fixture *f = *state;
	struct row_decision *row = &f->d.rows[f->row];

	f->m->offers = OFFER_CPU | OFFER_ACPI;
	row_says(f, VERDICT_IN_LINE, "offered for every CPU device and every ACPI processor");
	row->missing = FACT(ACPI) | FACT(PSS);
	row->barred = FACT(XEN_DOM0);
	row_says(f, VERDICT_CHOSEN,
		 "offered for every CPU device and every ACPI processor; the table doubts it for "
		 "want of "
		 "acpi, pss; the table doubts it because of xen_dom0");
	row_says(f, VERDICT_UNFIT, "needs acpi, pss; not with xen_dom0");
	row_says(f, VERDICT_RESERVED, "/etc/modprobe.d/x.conf:7: install /bin/false");
	row_says(f, VERDICT_DENIED, "/etc/modprobe.d/x.conf:7");
	row_says(f, VERDICT_BEATEN, "intel_pstate is in charge, and the kernel holds one driver");
	row->deny = true;
	row_says(f, VERDICT_BEATEN,
		 "intel_pstate is in charge, and the kernel holds one driver; denied for this "
		 "boot, or "
		 "udev would ask once a CPU");
	f->m->attempt = ATTEMPT_DONE;
	f->m->attempt_stage = STAGE_INITRD;
	f->m->error = -ENODEV;
	row_says(f, VERDICT_REFUSED,
		 "the kernel said No such device (ENODEV) in the initrd; denied for this boot, or "
		 "udev "
		 "would ask once a CPU");
	row->deny = false;
	f->m->error = -EBUSY;
	f->m->was_late = true;
	row_says(
		f, VERDICT_REFUSED,
		"the kernel said Device or resource busy (EBUSY) in the initrd, and so it did when "
		"asked again; not final, so not denied");
	f->m->denied_by = NULL;
	f->m->denial = DENIAL_DRACUT_CMDLINE;
	f->m->was_taken_back = true;
	row_says(f, VERDICT_DENIED,
		 "rd.driver.blacklist= on dracut's command line; the initramfs did not know that "
		 "and "
		 "had loaded it: taken out again");
	f->m->offers = 0;
	row->missing = row->barred = 0;
	row_says(f, VERDICT_CHOSEN, "named by driver=");
}

/* A hung one is denied where another driver is in charge, and then it must not say otherwise. */
static void hung(void **state)
{
	struct fixture *f = *state;

	f->m->offers = OFFER_CPU;
	f->m->attempt = ATTEMPT_PENDING;
	f->m->attempt_stage = STAGE_HOST;
	row_says(f, VERDICT_HUNG,
		 "asked for in the host, and that attempt never ended; neither denied nor tried "
		 "again");
	f->d.rows[f->row].deny = true;
	row_says(f, VERDICT_HUNG,
		 "asked for in the host, and that attempt never ended; denied for this boot, or "
		 "udev "
		 "would ask once a CPU");
}

static void terminal(void **state)
{
	static const struct modconf_entry evil = { .file = "etc/\x1b[31m.conf",
						   .line = 1,
						   .value = "\n\x07" };
	struct fixture *f = *state;

	f->m->install = &evil;
	row_says(f, VERDICT_RESERVED, "/etc/?[31m.conf:1: install ??");
}

static void forced(void **state)
{
	struct fixture *f = *state;

	for (enum forced_result r = FORCED_NOT; r <= FORCED_REFUSED; r++) {
		f->d.forced = r;
		if (r == FORCED_NOT || r == FORCED_IN_CHARGE || r == FORCED_TRY)
			assert_null(words_forced(&f->d));
		else
			is_one_line(words_forced(&f->d));
	}
}

static void errors(void **state)
{
	(void)state;
	assert_string_equal(error_name(0), "0");
	assert_string_equal(error_name(-ENODEV), "ENODEV");
	assert_string_equal(error_name(-EEXIST), "EEXIST");
	assert_string_equal(error_name(-4095), "an unknown error");
}

#define words_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		words_test(outcomes), words_test(outcome_reasons),
		words_test(verdicts), words_test(row_reasons),
		words_test(hung),     words_test(terminal),
		words_test(forced),   cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
