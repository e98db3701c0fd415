// SPDX-License-Identifier: GPL-2.0-or-later
/* The modprobe.d lines for this boot: these bytes, and what libkmod makes of them. */
#include <libkmod.h>
#include <string.h>

#include "config.h"
#include "render.h"
#include "testlib.h"
#include "util.h"

struct fixture {
	struct facts facts;
	struct decision d;
};

static int row(const char *name)
{
	int i = driver_find(name);

	assert_true(i >= 0);
	return i;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	strcpy(f->facts.kernel, "6.1.0");
	strcpy(f->facts.boot_id, "b");
	f->d = (struct decision){
		.outcome = OUTCOME_NONE, .in_charge = -1, .next = -1, .governor_of = -1
	};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	facts_free(&f->facts);
	free(f);
	return 0;
}

static void winner(struct fixture *f)
{
	int i = row("acpi_cpufreq");

	strcpy(f->facts.scaling_driver, "acpi-cpufreq");
	f->facts.modules[i].is_present = true;
	f->d.outcome = OUTCOME_IN_CHARGE;
	f->d.in_charge = i;
}

static void governor(struct fixture *f)
{
	strcpy(f->facts.governor, "ondemand");
	f->d.governor_of = f->d.in_charge;
}

static void conf(struct fixture *f, const char *text, const char *file)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	assert_int_equal(modconf_parse(&f->facts.conf, copy, file, false), 0);
}

/* The lines below the three of the head. */
static void is_text(const struct fixture *f, bool governor_exists, const char *expected)
{
	_cleanup_free_ char *text = render_conf(&f->facts, &f->d, governor_exists);
	char *s = text;

	assert_non_null(text);
	for (int i = 0; i < 3; i++) {
		assert_true(s[0] == '#' && s[1] == ' ');
		s = strchr(s, '\n');
		assert_non_null(s);
		s++;
	}
	assert_string_equal(s, expected);
}

static void head(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *text = render_conf(&f->facts, &f->d, true);

	assert_string_equal(
		text,
		"# Made by cpufreq-resolve " VERSION
		" for this boot only; it is replaced, do not edit.\n"
		"# How to change it: cpufreq-resolve(8). boot b kernel 6.1.0\n"
		"# no driver is right: none is in charge and none is left to be asked for.\n");
}

static void denials(void **state)
{
	struct fixture *f = *state;

	winner(f);
	f->d.rows[row("pcc_cpufreq")].deny = true;
	f->d.rows[row("powernow_k8")].deny = true;
	is_text(f, false, "blacklist powernow_k8\nblacklist pcc_cpufreq\n");
}

/* Nothing is said of what is the administrator's own: decide() sets neither bit for it. */
static void reserved_and_wanted(void **state)
{
	static const struct modconf_entry line = { .file = "etc/modprobe.d/x", .value = "false" };
	struct fixture *f = *state;
	struct decision *d = &f->d;

	f->facts.settings.is_enabled = true;
	strcpy(f->facts.scaling_driver, "intel_pstate");
	for (size_t i = 0; i < driver_count; i++) {
		f->facts.modules[i].is_present = true;
		f->facts.modules[i].offers = OFFER_CPU;
	}
	f->facts.modules[row("acpi_cpufreq")].install = &line;
	f->facts.modules[row("pcc_cpufreq")].is_wanted = true;
	for (int policy = 0; policy < 2; policy++) {
		_cleanup_free_ char *text = NULL;

		f->facts.settings.policy = policy ? POLICY_SOFTDEP : POLICY_BLACKLIST;
		decide(&f->facts, false, d);
		text = render_conf(&f->facts, d, true);
		assert_null(strstr(text, "blacklist acpi_cpufreq"));
		assert_null(strstr(text, "blacklist pcc_cpufreq"));
		assert_null(strstr(text, "softdep acpi_cpufreq"));
		assert_null(strstr(text, "softdep pcc_cpufreq"));
		assert_null(strstr(text, "install"));
	}
}

static void governor_softdep(void **state)
{
	struct fixture *f = *state;

	winner(f);
	governor(f);
	is_text(f, true, "softdep acpi_cpufreq post: cpufreq_ondemand\n");
	is_text(f, false, ""); /* built in, or not a module of this kernel */
	f->facts.modules[row("acpi_cpufreq")].is_present = false;
	is_text(f, true, "");
}

static void softdep(void **state)
{
	struct fixture *f = *state;

	winner(f);
	f->d.rows[row("pcc_cpufreq")].order = true;
	f->d.rows[row("p4_clockmod")].order = true;
	is_text(f, true,
		"softdep pcc_cpufreq pre: acpi_cpufreq\nsoftdep p4_clockmod pre: acpi_cpufreq\n");
}

static void softdep_repeats_the_old(void **state)
{
	struct fixture *f = *state;

	winner(f);
	governor(f);
	f->d.rows[row("pcc_cpufreq")].order = true;
	conf(f,
	     "softdep pcc-cpufreq stray post: z pre: a b post: y\n"
	     "softdep pcc_cpufreq pre: second\n"
	     "softdep acpi* pre: processor\tpost: q\n",
	     "etc/modprobe.d/zz.conf");
	is_text(f, true,
		"softdep pcc_cpufreq pre: acpi_cpufreq a b post: z y\n"
		"softdep acpi_cpufreq pre: processor post: cpufreq_ondemand q\n");
}

/* kmod takes the first one in the order of the files' names; then ours is said to be without
 * effect. */
static void softdep_read_before_ours(void **state)
{
	struct fixture *f = *state;

	winner(f);
	governor(f);
	conf(f, "\nsoftdep acpi_cpufreq pre: x\n", "etc/modprobe.d/a.conf");
	is_text(f, true,
		"# without effect: /etc/modprobe.d/a.conf:2 has a softdep of acpi_cpufreq and is "
		"read "
		"first\n"
		"softdep acpi_cpufreq pre: x post: cpufreq_ondemand\n");
}

static void long_words(void **state)
{
	struct fixture *f = *state;
	char line[1000] = "softdep pcc_cpufreq pre: ";
	_cleanup_free_ char *text = NULL;
	size_t len = strlen(line);

	winner(f);
	f->d.rows[row("pcc_cpufreq")].order = true;
	memset(line + len, 'x', 900);
	line[len + 900] = '\0';
	conf(f, line, "etc/modprobe.d/zz.conf");
	text = render_conf(&f->facts, &f->d, true);
	assert_non_null(strstr(text, "softdep pcc_cpufreq pre: acpi_cpufreq xxx"));
}

static unsigned int count(const struct kmod_list *list)
{
	const struct kmod_list *item;
	unsigned int n = 0;

	kmod_list_foreach (item, list)
		n++;
	return n;
}

static bool has(const struct kmod_list *list, const char *name)
{
	const struct kmod_list *item;
	bool found = false;

	kmod_list_foreach (item, list) {
		struct kmod_module *mod = kmod_module_get_module(item);

		found |= strcmp(kmod_module_get_name(mod), name) == 0;
		kmod_module_unref(mod);
	}
	return found;
}

/* The whole way: our file beside the administrator's, and libkmod asked what holds. */
static void as_libkmod_reads_it(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *text = NULL;
	char etc[128], run[128];
	const char *const dirs[] = { etc, run, NULL };
	struct kmod_list *pre = NULL, *post = NULL;
	struct kmod_config_iter *iter;
	struct kmod_module *mod;
	bool is_denied = false;
	struct kmod_ctx *ctx;
	struct tree t;

	tree_make(&t);
	(void)snprintf(etc, sizeof(etc), "%s/etc", t.path);
	(void)snprintf(run, sizeof(run), "%s/run", t.path);
	winner(f);
	governor(f);
	f->d.rows[row("pcc_cpufreq")].order = true;
	f->d.rows[row("powernow_k8")].deny = true;
	conf(f, "softdep pcc-cpufreq pre: a post: z\n", "etc/modprobe.d/zz.conf");
	/* the aliases stand for an index: libkmod leaves out what it cannot find */
	tree_file(&t, "etc/zz.conf",
		  "softdep pcc-cpufreq pre: a post: z\n"
		  "alias a a\nalias z z\nalias acpi_cpufreq acpi_cpufreq\n"
		  "alias cpufreq_ondemand cpufreq_ondemand\n");
	text = render_conf(&f->facts, &f->d, true);
	tree_file(&t, "run/" MODCONF_BOOT_NAME, text);

	ctx = kmod_new("/nothing/there", dirs);
	assert_non_null(ctx);
	assert_int_equal(kmod_module_new_from_name(ctx, "pcc_cpufreq", &mod), 0);
	assert_int_equal(kmod_module_get_softdeps(mod, &pre, &post), 0);
	assert_int_equal(count(pre), 2);
	assert_true(has(pre, "acpi_cpufreq"));
	assert_true(has(pre, "a"));
	assert_int_equal(count(post), 1);
	assert_true(has(post, "z"));
	kmod_module_unref_list(pre);
	kmod_module_unref_list(post);
	kmod_module_unref(mod);

	/* the line for the driver in charge is of its own module, and brings its governor */
	pre = post = NULL;
	assert_int_equal(kmod_module_new_from_name(ctx, "acpi_cpufreq", &mod), 0);
	assert_int_equal(kmod_module_get_softdeps(mod, &pre, &post), 0);
	assert_int_equal(count(pre), 0);
	assert_true(has(post, "cpufreq_ondemand"));
	kmod_module_unref_list(post);
	kmod_module_unref(mod);

	iter = kmod_config_get_blacklists(ctx);
	while (kmod_config_iter_next(iter))
		is_denied |= strcmp(kmod_config_iter_get_key(iter), "powernow_k8") == 0;
	kmod_config_iter_free_iter(iter);
	assert_true(is_denied);
	kmod_unref(ctx);
	tree_remove(&t);
}

#define conf_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		conf_test(head),
		conf_test(denials),
		conf_test(reserved_and_wanted),
		conf_test(governor_softdep),
		conf_test(softdep),
		conf_test(softdep_repeats_the_old),
		conf_test(softdep_read_before_ours),
		conf_test(long_words),
		conf_test(as_libkmod_reads_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
