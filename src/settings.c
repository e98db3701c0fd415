// SPDX-License-Identifier: GPL-2.0-or-later
#include "settings.h"

#include <string.h>

#include "names.h"
#include "util.h"

#define OUR_NAME "cpufreq_resolve"

const char *policy_name(enum policy policy)
{
	return policy == POLICY_SOFTDEP ? "softdep" : "blacklist";
}

const char *scope_name(enum scope scope)
{
	return scope == SCOPE_CPU ? "cpu" : "cpufreq";
}

static bool is_one_of(const char *value, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(value, *words) == 0)
			return true;
	return false;
}

/* Returns what was expected, or NULL when the value has been taken. */
static const char *set_enable(struct settings *s, const char *value)
{
	static const char *const yes[] = { "1", "y", "Y", "yes", "on", NULL };
	static const char *const no[] = { "0", "n", "N", "no", "off", NULL };

	if (!is_one_of(value, yes) && !is_one_of(value, no))
		return "0 or 1";
	s->is_enabled = is_one_of(value, yes);
	return NULL;
}

static const char *set_driver(struct settings *s, const char *value)
{
	if (!*value || strlen(value) >= sizeof(s->driver))
		return "the name of a cpufreq driver's module";
	str_copy(s->driver, sizeof(s->driver), value);
	str_printable(s->driver);
	return NULL;
}

static const char *set_policy(struct settings *s, const char *value)
{
	if (strcmp(value, "blacklist") == 0)
		s->policy = POLICY_BLACKLIST;
	else if (strcmp(value, "softdep") == 0)
		s->policy = POLICY_SOFTDEP;
	else
		return "blacklist or softdep";
	return NULL;
}

static const char *set_scope(struct settings *s, const char *value)
{
	if (strcmp(value, "cpufreq") == 0)
		s->scope = SCOPE_CPUFREQ;
	else if (strcmp(value, "cpu") == 0)
		s->scope = SCOPE_CPU;
	else
		return "cpufreq or cpu";
	return NULL;
}

static const struct {
	const char *name;
	const char *(*set)(struct settings *s, const char *value);
} keys[] = {
	{ "enable", set_enable },
	{ "driver", set_driver },
	{ "policy", set_policy },
	{ "scope", set_scope },
};

static size_t key_length(const char *text)
{
	return strcspn(text, "=");
}

static bool is_same_key(const char *a, const char *b)
{
	return key_length(a) == key_length(b) && strncmp(a, b, key_length(a)) == 0;
}

/* Makes room by forgetting the oldest one that no longer counts. */
static void make_room(struct settings *s)
{
	size_t at = 0;

	if (s->count < SETTINGS_MAX)
		return;
	while (at < s->count - 1 && s->all[at].is_used)
		at++;
	memmove(&s->all[at], &s->all[at + 1], (s->count - at - 1) * sizeof(s->all[0]));
	s->count--;
}

static void take(struct settings *s, const char *key, const char *value, const char *file,
		 unsigned int line)
{
	struct setting *new;

	make_room(s);
	new = &s->all[s->count++];
	*new = (struct setting){
		.file = file,
		.line = line,
		.expected = "enable=, driver=, policy= or scope=",
	};
	(void)snprintf(new->text, sizeof(new->text), "%s=%s", key, value);
	str_printable(new->text);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(key, keys[i].name) == 0)
			new->expected = keys[i].set(s, value);
	new->is_used = !new->expected;
	for (size_t i = 0; new->is_used &&i + 1 < s->count; i++)
		if (is_same_key(s->all[i].text, new->text))
			s->all[i].is_used = false;
}

/* The words of one options line: KEY=VALUE, parted by blanks. */
static void take_line(struct settings *s, const struct modconf_entry *e)
{
	const char *p = e->value;
	char word[256], *equals;

	while (*(p += strspn(p, " \t"))) {
		size_t len = strcspn(p, " \t");

		str_copy(word, len + 1 < sizeof(word) ? len + 1 : sizeof(word), p);
		p += len;
		equals = strchr(word, '=');
		if (equals)
			*equals++ = '\0';
		/* Quotes are for the kernel to take off, as it does for a real module. */
		len = equals ? strlen(equals) : 0;
		if (len >= 2 && equals[0] == '"' && equals[len - 1] == '"') {
			equals[len - 1] = '\0';
			equals++;
		}
		take(s, word, equals ? equals : "", e->file, e->line);
	}
}

void settings_load(const struct modconf *conf, const struct cmdline *cmdline, struct settings *ret)
{
	const struct modconf_entry *e = NULL;

	*ret = (struct settings){ .is_enabled = true,
				  .policy = POLICY_BLACKLIST,
				  .scope = SCOPE_CPUFREQ };
	while ((e = modconf_next(conf, e, MODCONF_OPTIONS, OUR_NAME)))
		take_line(ret, e);
	for (size_t i = 0; i < cmdline->count; i++) {
		const char *key = cmdline->params[i].key, *dot = strchr(key, '.');
		char module[sizeof(OUR_NAME)];

		if (!dot || (size_t)(dot - key) != strlen(OUR_NAME))
			continue;
		str_copy(module, sizeof(module), key);
		if (name_equal(module, OUR_NAME))
			take(ret, dot + 1, cmdline->params[i].value ? cmdline->params[i].value : "",
			     NULL, 0);
	}
}
