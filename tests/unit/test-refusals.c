// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel refused in this boot: written, read again, and nothing of another boot. */
#include <errno.h>
#include <string.h>

#include "refusals.h"
#include "testlib.h"

static struct facts fresh(const char *boot_id)
{
	struct facts facts = { .stage = STAGE_HOST };

	strcpy(facts.boot_id, boot_id);
	strcpy(facts.kernel, "6.12");
	return facts;
}

static void round_trip(void **state)
{
	const struct tree *t = *state;
	struct facts facts = fresh("A"), other = fresh("B");
	struct refusals before = { 0 }, after;
	const struct refusal *r;

	refusals_note(&before, "skx_edac", STAGE_INITRD, -ENODEV);
	refusals_note(&before, "amd64_edac", STAGE_HOST, -EBUSY);
	refusals_find(&before, "amd64_edac")->was_late = true;
	assert_int_equal(refusals_write(t->fd, &facts, &before), 1);
	assert_int_equal(refusals_write(t->fd, &facts, &before), 0);
	assert_int_equal(refusals_load(t->fd, &facts, &after), 0);
	assert_int_equal(after.count, 2);
	r = refusals_find(&after, "skx_edac");
	assert_non_null(r);
	assert_int_equal(r->stage, STAGE_INITRD);
	assert_int_equal(r->error, -ENODEV);
	assert_false(r->was_late);
	r = refusals_find(&after, "amd64_edac");
	assert_non_null(r);
	assert_int_equal(r->stage, STAGE_HOST);
	assert_int_equal(r->error, -EBUSY);
	assert_true(r->was_late);
	assert_null(refusals_find(&after, "skx"));

	assert_int_equal(refusals_load(t->fd, &other, &after), 0);
	assert_int_equal(after.count, 0);
	/* Nor anything of another kernel: it may have other modules, which answer otherwise. */
	other = fresh("A");
	strcpy(other.kernel, "6.1");
	assert_int_equal(refusals_load(t->fd, &other, &after), 0);
	assert_int_equal(after.count, 0);
}

static void loaded_after_all(void **state)
{
	const struct tree *t = *state;
	struct facts facts = fresh("A");
	struct refusals r = { 0 };

	refusals_note(&r, "a", STAGE_HOST, -EBUSY);
	refusals_note(&r, "b", STAGE_HOST, -ENODEV);
	refusals_note(&r, "never_refused", STAGE_HOST, 0);
	assert_int_equal(r.count, 2);
	refusals_note(&r, "a", STAGE_HOST, 0);
	assert_int_equal(r.count, 1);
	assert_non_null(refusals_find(&r, "b"));
	assert_int_equal(refusals_write(t->fd, &facts, &r), 1);
	refusals_note(&r, "b", STAGE_HOST, 0);
	assert_int_equal(refusals_write(t->fd, &facts, &r), 1);
	assert_null(tree_read(t, REFUSALS_PATH));
}

static void full(void **state)
{
	struct refusals r = { 0 };
	char name[80];

	(void)state;
	for (int i = 0; i < REFUSALS_MAX + 3; i++) {
		(void)snprintf(name, sizeof(name), "m%d", i);
		refusals_note(&r, name, STAGE_HOST, -ENODEV);
	}
	assert_int_equal(r.count, REFUSALS_MAX);
	assert_non_null(refusals_find(&r, "m0"));
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	r.count = 0;
	refusals_note(&r, name, STAGE_HOST, -ENODEV);
	assert_int_equal(r.count, 0);
}

static void is_final_of(const char *module, int error, bool expected)
{
	struct refusal r = { .error = error };

	strcpy(r.module, module);
	assert_int_equal(refusals_is_final(&r), expected);
}

static void is_final(int error, bool expected)
{
	is_final_of("skx_edac", error, expected);
}

/* The table of docs/design.md. */
static void final_ones(void **state)
{
	(void)state;
	is_final(-ENODEV, true);
	is_final(-EOPNOTSUPP, true);
	is_final(-EPERM, true);
	is_final(-EBUSY, false);
	is_final(-EEXIST, false);
	is_final(-517 /* EPROBE_DEFER, of the kernel alone */, false);
	is_final(-ENOENT, false);
	is_final(-ENOMEM, false);
	is_final(-EIO, false);
	is_final(-EINVAL, false);
	is_final_of("pnd2_edac", -ENODEV, false);
	is_final_of("pnd2_edac", -EPERM, true);
}

static void is_damaged(const struct tree *t, const char *lines)
{
	struct facts facts = fresh("A");
	struct refusals r;
	char text[256];

	(void)snprintf(text, sizeof(text), "# cpufreq-resolve 1 boot A kernel 6.12\n%s", lines);
	tree_file(t, REFUSALS_PATH, text);
	assert_int_equal(refusals_load(t->fd, &facts, &r), -EINVAL);
}

static void damaged(void **state)
{
	const struct tree *t = *state;

	is_damaged(t, "skx_edac\n");
	is_damaged(t, "skx_edac host\n");
	is_damaged(t, "skx_edac host x\n");
	is_damaged(t, "skx_edac host 0\n");
	is_damaged(t, "skx_edac host 5000\n");
	is_damaged(t, "skx_edac moon 19\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_tree(round_trip), test_in_tree(loaded_after_all),
		cmocka_unit_test(full),   cmocka_unit_test(final_ones),
		test_in_tree(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
