// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmdline.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "names.h"
#include "util.h"

static bool is_blank(char c)
{
	return isspace((unsigned char)c);
}

/* Cuts one parameter off in place. Quotes may stand around the whole or around the value. */
static char *cut(char *s, struct cmdline_param *ret)
{
	bool in_quotes = *s == '"', is_quoted = in_quotes;
	char *equals = NULL, *end;

	s += in_quotes;
	ret->key = s;
	for (end = s; *end && (in_quotes || !is_blank(*end)); end++) {
		if (*end == '=' && !equals && end > s)
			equals = end;
		else if (*end == '"')
			in_quotes = !in_quotes;
	}
	s = *end ? end + 1 : end;
	*end = '\0';
	ret->value = NULL;
	if (equals) {
		*equals++ = '\0';
		if (*equals == '"') {
			is_quoted = true;
			equals++;
		}
		ret->value = equals;
	}
	if (is_quoted && end > ret->key && end[-1] == '"')
		end[-1] = '\0';
	return s;
}

int cmdline_parse(const char *text, struct cmdline *ret)
{
	_cleanup_free_ char *buf = strdup(text);
	_cleanup_free_ struct cmdline_param *params = NULL;
	size_t count = 0, room = 0, kernel_count = 0;
	bool for_kernel = true;

	if (!buf)
		return -ENOMEM;
	for (char *s = buf;;) {
		while (is_blank(*s))
			s++;
		if (!*s)
			break;
		if (count == room) {
			size_t more = room ? room * 2 : 32;
			void *bigger = reallocarray(params, more, sizeof(*params));

			if (!bigger)
				return -ENOMEM;
			params = bigger;
			room = more;
		}
		s = cut(s, &params[count]);
		if (for_kernel && strcmp(params[count].key, "--") == 0 && !params[count].value)
			for_kernel = false;
		count++;
		if (for_kernel)
			kernel_count = count;
	}
	*ret = (struct cmdline){
		.buf = TAKE_PTR(buf),
		.params = TAKE_PTR(params),
		.count = count,
		.kernel_count = kernel_count,
	};
	return 0;
}

void cmdline_free(struct cmdline *c)
{
	free(c->buf);
	free(c->params);
	*c = (struct cmdline){ 0 };
}

const char *cmdline_get(const struct cmdline *c, const char *key)
{
	for (size_t i = c->kernel_count; i-- > 0;)
		if (name_equal(c->params[i].key, key))
			return c->params[i].value ? c->params[i].value : "";
	return NULL;
}

static bool is_same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static bool list_has(const char *list, const char *name, bool (*equal)(const char *, const char *))
{
	char item[256];

	while (*list) {
		size_t len = strcspn(list, ",");

		if (len < sizeof(item)) {
			memcpy(item, list, len);
			item[len] = '\0';
			if (equal(item, name))
				return true;
		}
		list += len;
		list += *list == ',';
	}
	return false;
}

static const char *list_of(const struct cmdline_param *p, const char *key)
{
	return name_equal(p->key, key) ? p->value : NULL;
}

bool cmdline_lists(const struct cmdline *c, const char *key, const char *name)
{
	for (size_t i = 0; i < c->count; i++) {
		const char *list = list_of(&c->params[i], key);

		if (list && list_has(list, name, name_equal))
			return true;
	}
	return false;
}

bool cmdline_kernel_lists(const struct cmdline *c, const char *key, const char *name,
			  bool last_only)
{
	for (size_t i = c->kernel_count; i-- > 0;) {
		const char *list = list_of(&c->params[i], key);

		if (list && list_has(list, name, is_same))
			return true;
		if (list && last_only)
			return false;
	}
	return false;
}
