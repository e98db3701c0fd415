// SPDX-License-Identifier: GPL-2.0-or-later
/* Our own options: the last of a key wins, a bad one changes nothing and is kept with a reason. */
#include <string.h>

#include "settings.h"
#include "testlib.h"

static struct settings load(const char *conf_text, const char *cmdline_text, struct modconf *conf)
{
	struct cmdline cmdline;
	struct settings s;
	char *copy = strdup(conf_text);

	*conf = (struct modconf){ 0 };
	assert_non_null(copy);
	assert_int_equal(modconf_parse(conf, copy, "etc/modprobe.d/x.conf", false), 0);
	assert_int_equal(cmdline_parse(cmdline_text, &cmdline), 0);
	settings_load(conf, &cmdline, &s);
	cmdline_free(&cmdline); /* nothing may point into it */
	return s;
}

static void is_setting(const struct setting *s, const char *text, unsigned int line, bool is_used,
		       const char *expected)
{
	assert_string_equal(s->text, text);
	assert_int_equal(s->line, line);
	assert_int_equal(s->is_used, is_used);
	if (line)
		assert_string_equal(s->file, "etc/modprobe.d/x.conf");
	else
		assert_null(s->file);
	if (expected)
		assert_string_equal(s->expected, expected);
	else
		assert_null(s->expected);
}

static void defaults(void **state)
{
	struct modconf conf;
	struct settings s = load("options other enable=0\n", "enable=0 x.enable=0 quiet", &conf);

	(void)state;
	assert_true(s.is_enabled);
	assert_string_equal(s.driver, "");
	assert_int_equal(s.policy, POLICY_BLACKLIST);
	assert_int_equal(s.scope, SCOPE_CPUFREQ);
	assert_int_equal(s.count, 0);
	modconf_free(&conf);
}

static void scope_words(void **state)
{
	struct modconf conf;
	struct settings s = load("options cpufreq_resolve scope=cpu\n", "", &conf);

	(void)state;
	assert_int_equal(s.scope, SCOPE_CPU);
	modconf_free(&conf);
	s = load("options cpufreq_resolve scope=cpu\n", "cpufreq_resolve.scope=cpufreq", &conf);
	assert_int_equal(s.scope, SCOPE_CPUFREQ);
	modconf_free(&conf);
	s = load("options cpufreq_resolve scope=all\n", "", &conf);
	assert_int_equal(s.scope, SCOPE_CPUFREQ);
	is_setting(&s.all[0], "scope=all", 1, false, "cpufreq or cpu");
	modconf_free(&conf);
}

static void last_one_wins(void **state)
{
	struct modconf conf;
	struct settings s =
		load("options cpufreq_resolve enable=0 driver=a\n"
		     "options cpufreq-resolve driver=b policy=softdep\n"
		     "options cpufreq_resolve enable=1\n",
		     "cpufreq_resolve.policy=blacklist cpufreq-resolve.driver=c", &conf);

	(void)state;
	assert_true(s.is_enabled);
	assert_string_equal(s.driver, "c");
	assert_int_equal(s.policy, POLICY_BLACKLIST);
	assert_int_equal(s.count, 7);
	is_setting(&s.all[0], "enable=0", 1, false, NULL);
	is_setting(&s.all[1], "driver=a", 1, false, NULL);
	is_setting(&s.all[2], "driver=b", 2, false, NULL);
	is_setting(&s.all[3], "policy=softdep", 2, false, NULL);
	is_setting(&s.all[4], "enable=1", 3, true, NULL);
	is_setting(&s.all[5], "policy=blacklist", 0, true, NULL);
	is_setting(&s.all[6], "driver=c", 0, true, NULL);
	modconf_free(&conf);
}

static void bad_ones_change_nothing(void **state)
{
	struct modconf conf;
	struct settings s =
		load("options cpufreq_resolve enable=0 policy=softdep\n"
		     "options cpufreq_resolve enable=maybe enabel=1 shape=cpu driver=\n",
		     "cpufreq_resolve.policy cpufreq_resolve.=1 cpufreq_resolvex.enable=1", &conf);

	(void)state;
	assert_false(s.is_enabled);
	assert_int_equal(s.policy, POLICY_SOFTDEP);
	assert_string_equal(s.driver, "");
	assert_int_equal(s.count, 8);
	is_setting(&s.all[0], "enable=0", 1, true, NULL);
	is_setting(&s.all[1], "policy=softdep", 1, true, NULL);
	is_setting(&s.all[2], "enable=maybe", 2, false, "0 or 1");
	is_setting(&s.all[3], "enabel=1", 2, false, "enable=, driver=, policy= or scope=");
	is_setting(&s.all[4], "shape=cpu", 2, false, "enable=, driver=, policy= or scope=");
	is_setting(&s.all[5], "driver=", 2, false, "the name of a cpufreq driver's module");
	is_setting(&s.all[6], "policy=", 0, false, "blacklist or softdep");
	is_setting(&s.all[7], "=1", 0, false, "enable=, driver=, policy= or scope=");
	modconf_free(&conf);
}

static void enable_words(void **state)
{
	static const char *const yes[] = { "1", "y", "Y", "yes", "on" };
	static const char *const no[] = { "0", "n", "N", "no", "off" };
	char text[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		struct modconf conf;
		struct settings s;

		(void)snprintf(text, sizeof(text), "cpufreq_resolve.enable=%s", no[i]);
		s = load("", text, &conf);
		assert_false(s.is_enabled);
		modconf_free(&conf);
		(void)snprintf(text, sizeof(text), "cpufreq_resolve.enable=%s", yes[i]);
		s = load("options cpufreq_resolve enable=0\n", text, &conf);
		assert_true(s.is_enabled);
		modconf_free(&conf);
	}
}

static void long_and_odd_values(void **state)
{
	char text[700] = "options cpufreq_resolve driver=";
	size_t len = strlen(text);
	struct modconf conf;
	struct settings s;

	(void)state;
	memset(text + len, 'x', 600);
	text[len + 600] = '\0';
	s = load(text, "cpufreq_resolve.driver=a\x1b[1m", &conf);
	assert_string_equal(s.driver, "a?[1m");
	assert_int_equal(s.count, 2);
	assert_string_equal(s.all[0].expected, "the name of a cpufreq driver's module");
	assert_int_equal(strlen(s.all[0].text), sizeof(s.all[0].text) - 1);
	assert_string_equal(s.all[1].text, "driver=a?[1m");
	modconf_free(&conf);
	text[len + 63] = '\0'; /* the longest that is taken */
	s = load(text, "", &conf);
	assert_string_equal(s.driver, text + len);
	modconf_free(&conf);
}

/* Whoever writes more lines than there is room for still gets what counts. */
static void more_than_there_is_room(void **state)
{
	_cleanup_free_ char *text = malloc(64 * 1024);
	struct modconf conf;
	struct settings s;
	size_t len = 0;

	(void)state;
	assert_non_null(text);
	len = (size_t)sprintf(text, "options cpufreq_resolve enable=0 policy=softdep\n");
	for (int i = 0; i < 500; i++)
		len += (size_t)sprintf(text + len, "options cpufreq_resolve driver=d%d bad%d=1\n",
				       i, i);
	s = load(text, "", &conf);
	assert_false(s.is_enabled);
	assert_int_equal(s.policy, POLICY_SOFTDEP);
	assert_string_equal(s.driver, "d499");
	assert_int_equal(s.count, SETTINGS_MAX);
	/* the three that count are still there, in order */
	is_setting(&s.all[0], "enable=0", 1, true, NULL);
	is_setting(&s.all[1], "policy=softdep", 1, true, NULL);
	is_setting(&s.all[SETTINGS_MAX - 2], "driver=d499", 501, true, NULL);
	is_setting(&s.all[SETTINGS_MAX - 1], "bad499=1", 501, false,
		   "enable=, driver=, policy= or scope=");
	modconf_free(&conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(scope_words),
		cmocka_unit_test(last_one_wins),
		cmocka_unit_test(bad_ones_change_nothing),
		cmocka_unit_test(enable_words),
		cmocka_unit_test(long_and_odd_values),
		cmocka_unit_test(more_than_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
