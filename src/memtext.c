// SPDX-License-Identifier: GPL-2.0-or-later
#include "memtext.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct text {
	char **ret;
	size_t len, size;
};

static ssize_t text_write(void *cookie, const char *s, size_t len)
{
	struct text *t = cookie;

	if (len >= t->size - t->len) {
		size_t size = 2 * (t->len + len + 1);
		char *bigger = realloc(*t->ret, size);

		if (!bigger)
			return 0;
		*t->ret = bigger;
		t->size = size;
	}
	memcpy(*t->ret + t->len, s, len);
	t->len += len;
	(*t->ret)[t->len] = '\0';
	return (ssize_t)len;
}

static int text_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *text_open(char **ret)
{
	static const cookie_io_functions_t functions = { .write = text_write, .close = text_close };
	struct text *t = malloc(sizeof(*t));
	FILE *out;

	*ret = calloc(1, 1);
	if (!t || !*ret)
		goto fail;
	*t = (struct text){ .ret = ret, .size = 1 };
	out = fopencookie(t, "we", functions);
	if (out)
		return out;
fail:
	free(t);
	free(*ret);
	*ret = NULL;
	return NULL;
}

int text_end(FILE *out, char *const *text)
{
	bool is_cut = ferror(out);

	return fclose(out) == 0 && !is_cut && *text ? 0 : -ENOMEM;
}
