// SPDX-License-Identifier: GPL-2.0-or-later
#include "names.h"

#include <fnmatch.h>
#include <string.h>

#include "util.h"

#define PATTERN_MAX 256

static char name_char(char c)
{
	return (char)(c == '-' ? '_' : c);
}

bool name_equal(const char *a, const char *b)
{
	/* Asked some thousand times in a run, and most often the first character tells. */
	for (; *a == *b || name_char(*a) == name_char(*b); a++, b++)
		if (!*a)
			return true;
	return false;
}

/* A '-' inside brackets is a range, not a name's. */
static void name_normalise(char *s)
{
	bool in_brackets = false;

	for (; *s; s++) {
		if (*s == '[')
			in_brackets = true;
		else if (*s == ']')
			in_brackets = false;
		else if (!in_brackets)
			*s = name_char(*s);
	}
}

bool name_match(const char *pattern, const char *name)
{
	char p[PATTERN_MAX], n[PATTERN_MAX];

	/* A module's name has 55 bytes at most (MODULE_NAME_LEN, include/linux/module.h). */
	if (strlen(pattern) >= sizeof(p) || strlen(name) >= sizeof(n))
		return false;
	str_copy(p, sizeof(p), pattern);
	str_copy(n, sizeof(n), name);
	name_normalise(p);
	name_normalise(n);
	return fnmatch(p, n, 0) == 0;
}
