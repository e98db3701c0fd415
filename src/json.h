/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_JSON_H
#define CPUFREQ_RESOLVE_JSON_H

/* A JSON writer (RFC 8259): commas, indentation and escapes, nothing else. */

#include <stdbool.h>
#include <stdio.h>

struct json {
	FILE *out;
	unsigned int depth;
	bool has_item; /* a value stands before the next one on this level */
};

/* Every function takes a key inside an object, and NULL inside an array or at the top. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
/** json_string() - A string or, for NULL, null. Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *j, const char *key, const char *value);
void json_bool(struct json *j, const char *key, bool value);
void json_int(struct json *j, const char *key, long value);
void json_null(struct json *j, const char *key);

#endif
