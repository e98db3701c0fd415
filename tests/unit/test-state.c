// SPDX-License-Identifier: GPL-2.0-or-later
/* The state file: what one run writes the next one reads, and nothing of another boot. */
#include <errno.h>
#include <string.h>

#include "state.h"
#include "testlib.h"

#define BOOT   "11111111-2222-3333-4444-555555555555"
#define KERNEL "6.1.0-57-amd64"
#define HEAD   "FORMAT=1\nVERSION=0.1.0\nBOOT_ID=" BOOT "\nKERNEL=" KERNEL "\n"
#define TAIL   "OUTCOME=none\nDRIVER=\nPOLICY=blacklist\nREASON=\"a b\"\n"

static struct facts fresh(void)
{
	struct facts facts = { .stage = STAGE_HOST };

	strcpy(facts.boot_id, BOOT);
	strcpy(facts.kernel, KERNEL);
	return facts;
}

static struct module_state *mod(struct facts *f, const char *name)
{
	return &f->modules[driver_find(name)];
}

static int parse(const char *text, struct facts *facts, struct state *ret)
{
	char *copy = strdup(text);
	int r;

	assert_non_null(copy);
	*facts = fresh();
	r = state_parse(copy, facts, ret);
	free(copy); /* nothing may point into it */
	return r;
}

static unsigned int attempts(const struct facts *f)
{
	unsigned int n = 0;

	for (size_t i = 0; i < driver_count; i++)
		n += f->modules[i].attempt != ATTEMPT_NONE;
	return n;
}

static void round_trip(void **state)
{
	struct facts facts = fresh(), again;
	_cleanup_free_ char *text = NULL, *second = NULL;
	struct state s;

	(void)state;
	strcpy(facts.scaling_driver, "acpi-cpufreq");
	facts.settings.policy = POLICY_SOFTDEP;
	*mod(&facts, "acpi_cpufreq") =
		(struct module_state){ .attempt = ATTEMPT_DONE, .attempt_stage = STAGE_INITRD };
	*mod(&facts, "pcc_cpufreq") = (struct module_state){ .attempt = ATTEMPT_DONE,
							     .attempt_stage = STAGE_HOST,
							     .error = -EEXIST,
							     .was_late = true };
	*mod(&facts, "powernow_k8") = (struct module_state){ .attempt = ATTEMPT_PENDING,
							     .attempt_stage = STAGE_HOST,
							     .was_late = true };
	*mod(&facts, "longhaul") = (struct module_state){ .attempt = ATTEMPT_DONE,
							  .attempt_stage = STAGE_INITRD,
							  .was_taken_back = true };
	text = state_format(&facts, "in-charge", "it is, and \"so\" = it");
	assert_non_null(text);
	assert_int_equal(parse(text, &again, &s), 0);
	assert_true(s.is_there);
	assert_string_equal(s.outcome, "in-charge");
	assert_string_equal(s.driver, "acpi-cpufreq");
	assert_string_equal(s.reason, "it is, and \"so\" = it");
	for (size_t i = 0; i < driver_count; i++) {
		assert_int_equal(again.modules[i].attempt, facts.modules[i].attempt);
		assert_int_equal(again.modules[i].attempt_stage, facts.modules[i].attempt_stage);
		assert_int_equal(again.modules[i].error, facts.modules[i].error);
		assert_int_equal(again.modules[i].was_late, facts.modules[i].was_late);
		assert_int_equal(again.modules[i].was_taken_back, facts.modules[i].was_taken_back);
	}
	strcpy(again.scaling_driver, s.driver);
	again.settings.policy = POLICY_SOFTDEP;
	second = state_format(&again, s.outcome, s.reason);
	assert_string_equal(text, second);
}

static void of_this_boot_only(void **state)
{
	static const char *const others[] = {
		"FORMAT=1\nVERSION=0\nBOOT_ID=other\nKERNEL=" KERNEL "\n" TAIL
		"ATTEMPTS=\"acpi_cpufreq:host:19\"\n",
		"FORMAT=1\nVERSION=0\nBOOT_ID=" BOOT "\nKERNEL=6.2\n" TAIL
		"ATTEMPTS=\"acpi_cpufreq:host:19\"\n",
		/* of another boot even a newer format is no reason to do nothing */
		"FORMAT=99\nBOOT_ID=other\nKERNEL=" KERNEL "\n",
	};
	struct facts facts;
	struct state s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		assert_int_equal(parse(others[i], &facts, &s), 0);
		assert_false(s.is_there);
		assert_int_equal(attempts(&facts), 0);
	}
	assert_int_equal(parse(HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host:19\"\n", &facts, &s), 0);
	assert_true(s.is_there);
	assert_int_equal(attempts(&facts), 1);
}

/* The host keeps which version made the image: only the image's own run knows. */
static void image_version(void **state)
{
	struct facts facts = fresh(), again;
	_cleanup_free_ char *text = NULL;
	struct state s;

	(void)state;
	strcpy(facts.image_version, "0.0.9");
	text = state_format(&facts, "none", "so");
	assert_non_null(text);
	assert_int_equal(parse(text, &again, &s), 0);
	assert_string_equal(again.image_version, "0.0.9");
	assert_int_equal(parse(HEAD TAIL "ATTEMPTS=\"\"\n", &again, &s), 0);
	assert_string_equal(again.image_version, "");
}

static void newer(void **state)
{
	struct facts facts;
	struct state s;

	(void)state;
	assert_int_equal(parse("FORMAT=2\nBOOT_ID=" BOOT "\nKERNEL=" KERNEL "\n", &facts, &s),
			 -EPROTO);
	assert_false(s.is_there);
	/* more lines and flags in a format that we know are no harm */
	assert_int_equal(
		parse(HEAD TAIL "NEW=x\nATTEMPTS=\"acpi_cpufreq:host:19:new\"\n", &facts, &s), 0);
	assert_int_equal(mod(&facts, "acpi_cpufreq")->error, -ENODEV);
	/* and a row that this version does not have is passed over */
	assert_int_equal(
		parse(HEAD TAIL "ATTEMPTS=\"no_such:host:19 acpi_cpufreq:initrd:0\"\n", &facts, &s),
		0);
	assert_int_equal(attempts(&facts), 1);
}

static void damaged(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"garbage",
		"FORMAT=1\n",
		HEAD,
		HEAD TAIL,
		HEAD "ATTEMPTS=\"\"\n",
		"FORMAT=x\nVERSION=0\nBOOT_ID=" BOOT "\nKERNEL=" KERNEL "\n" TAIL "ATTEMPTS=\"\"\n",
		"FORMAT=\nVERSION=0\nBOOT_ID=" BOOT "\nKERNEL=" KERNEL "\n" TAIL "ATTEMPTS=\"\"\n",
		"FORMAT=0\nVERSION=0\nBOOT_ID=" BOOT "\nKERNEL=" KERNEL "\n" TAIL "ATTEMPTS=\"\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host:\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host:x\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host:19x\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host:-19\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host:4096\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host:99999999999999999999\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:mars:19\"\n",
		HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host:19", /* cut off */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct facts facts;
		struct state s;
		int r = parse(texts[i], &facts, &s);

		if (r != -EINVAL)
			print_error("%d for: %s\n", r, texts[i]);
		assert_int_equal(r, -EINVAL);
	}
}

static void printable(void **state)
{
	struct facts facts;
	struct state s;

	(void)state;
	assert_int_equal(parse("FORMAT=1\nVERSION=\x1b[1m\nBOOT_ID=" BOOT "\nKERNEL=" KERNEL
			       "\nOUTCOME=\x80\nDRIVER=a\tb\nREASON=\x07\nATTEMPTS=\"\"\n",
			       &facts, &s),
			 0);
	assert_string_equal(s.version, "?[1m");
	assert_string_equal(s.outcome, "?");
	assert_string_equal(s.driver, "a?b");
	assert_string_equal(s.reason, "?");
}

static void loading(void **state)
{
	struct tree *t = *state;
	struct facts facts = fresh();
	struct state s;

	assert_int_equal(state_load(t->fd, &facts, &s), 0);
	assert_false(s.is_there);
	assert_int_equal(facts.failed_error, 0);

	tree_file(t, STATE_PATH, HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:initrd:19\"\n");
	assert_int_equal(state_load(t->fd, &facts, &s), 0);
	assert_true(s.is_there);
	assert_int_equal(mod(&facts, "acpi_cpufreq")->attempt_stage, STAGE_INITRD);
	assert_int_equal(facts.failed_error, 0);
}

/* It may say that a module was tried: not to know that means to do nothing. */
static void loading_what_cannot_be_read(void **state)
{
	struct tree *t = *state;
	struct facts facts = fresh();
	struct state s;

	tree_dir(t, STATE_PATH);
	assert_int_equal(state_load(t->fd, &facts, &s), 0);
	assert_false(s.is_there);
	assert_int_equal(facts.failed_error, -EISDIR);
}

static void loading_damaged(void **state)
{
	static const char nul[] = HEAD TAIL "ATTEMPTS=\"acpi_cpufreq:host:19\"\n\0more";
	struct tree *t = *state;
	struct facts facts = fresh();
	struct state s;

	tree_file(t, STATE_PATH, "FORMAT=1\n");
	assert_int_equal(state_load(t->fd, &facts, &s), 0);
	assert_int_equal(facts.failed_error, -EINVAL);
	assert_non_null(strstr(facts.failed, "/" STATE_PATH));
	assert_non_null(strstr(facts.failed, "expected a state file of this version, or none"));

	facts = fresh();
	tree_file(t, STATE_PATH, "FORMAT=7\nBOOT_ID=" BOOT "\nKERNEL=" KERNEL "\n");
	assert_int_equal(state_load(t->fd, &facts, &s), 0);
	assert_int_equal(facts.failed_error, -EPROTO);

	facts = fresh();
	tree_bytes(t, STATE_PATH, nul, sizeof(nul) - 1);
	assert_int_equal(state_load(t->fd, &facts, &s), 0);
	assert_true(facts.failed_error < 0);
}

static void stages(void **state)
{
	(void)state;
	assert_string_equal(stage_name(STAGE_INITRD), "initrd");
	assert_string_equal(stage_name(STAGE_HOST), "host");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),    cmocka_unit_test(of_this_boot_only),
		cmocka_unit_test(image_version), cmocka_unit_test(newer),
		cmocka_unit_test(damaged),       cmocka_unit_test(printable),
		test_in_tree(loading),           test_in_tree(loading_what_cannot_be_read),
		test_in_tree(loading_damaged),   cmocka_unit_test(stages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
