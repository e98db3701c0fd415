// SPDX-License-Identifier: GPL-2.0-or-later
#include "json.h"

#include <stddef.h>

static void put_text(struct json *j, const char *s)
{
	fputc('"', j->out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(j->out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(j->out, "\\u%04x", c);
		else if (c >= 0x80)
			fputs("\\ufffd", j->out); /* nothing that we print is more than ASCII */
		else
			fputc(c, j->out);
	}
	fputc('"', j->out);
}

static void begin(struct json *j, const char *key)
{
	if (j->has_item)
		fputc(',', j->out);
	if (j->depth)
		fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
	if (key) {
		put_text(j, key);
		fputs(": ", j->out);
	}
	j->has_item = true;
}

void json_open(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	fputc(bracket, j->out);
	j->depth++;
	j->has_item = false;
}

void json_close(struct json *j, char bracket)
{
	j->depth--;
	if (j->has_item)
		fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
	fputc(bracket, j->out);
	j->has_item = true;
	if (!j->depth)
		fputc('\n', j->out);
}

void json_string(struct json *j, const char *key, const char *value)
{
	if (!value) {
		json_null(j, key);
		return;
	}
	begin(j, key);
	put_text(j, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_int(struct json *j, const char *key, long value)
{
	begin(j, key);
	fprintf(j->out, "%ld", value);
}

void json_null(struct json *j, const char *key)
{
	begin(j, key);
	fputs("null", j->out);
}
