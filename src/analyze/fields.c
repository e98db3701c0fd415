// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields.h"

#include "macro.h"

#define TIME_MAX UINT64_C(253402300800000000) /* the year 10000, microseconds */

/* Where a field of struct fields goes to. */
enum field {
	FIELD_MESSAGE,
	FIELD_IDENTIFIER,
	FIELD_COMM,
	FIELD_HOST,
	FIELD_BOOT,
	FIELD_PID,
	FIELD_SYSLOG_PID,
	FIELD_ERROR,
	FIELD_SEQNUM,
	FIELD_BOOT_TIME,
	FIELD_WALL_TIME,
	FIELD_SOURCE_BOOT_TIME,
	FIELD_COUNT
};

static const struct slice field_keys[FIELD_COUNT] = {
	[FIELD_MESSAGE] = SLICE("MESSAGE"),
	[FIELD_IDENTIFIER] = SLICE("SYSLOG_IDENTIFIER"),
	[FIELD_COMM] = SLICE("_COMM"),
	[FIELD_HOST] = SLICE("_HOSTNAME"),
	[FIELD_BOOT] = SLICE("_BOOT_ID"),
	[FIELD_PID] = SLICE("_PID"),
	[FIELD_SYSLOG_PID] = SLICE("SYSLOG_PID"),
	[FIELD_ERROR] = SLICE("ERRNO"),
	[FIELD_SEQNUM] = SLICE("__SEQNUM"),
	[FIELD_BOOT_TIME] = SLICE("__MONOTONIC_TIMESTAMP"),
	[FIELD_WALL_TIME] = SLICE("__REALTIME_TIMESTAMP"),
	[FIELD_SOURCE_BOOT_TIME] = SLICE("_SOURCE_MONOTONIC_TIMESTAMP"),
};

static enum field find_field(struct slice key)
{
	/* Most fields of an entry are none of ours: their first bytes tell. */
	if (!key.len || (*key.p != '_' && *key.p != 'M' && *key.p != 'S' && *key.p != 'E'))
		return FIELD_COUNT;
	for (unsigned int i = 0; i < FIELD_COUNT; i++)
		if (slice_is(key, field_keys[i]))
			return (enum field)i;
	return FIELD_COUNT;
}

bool fields_is_wanted(struct slice key)
{
	return find_field(key) != FIELD_COUNT;
}

static bool number_of(struct slice value, uint64_t *ret)
{
	return slice_eat_number(&value, ret) && !value.len;
}

static void set_text(struct slice *field, struct slice value)
{
	if (!field->len)
		*field = value;
}

/* A number that is no time in microseconds would stretch the whole boot: the entry goes without
 * one. */
static bool time_of(struct slice value, uint64_t *ret)
{
	return number_of(value, ret) && *ret < TIME_MAX;
}

bool fields_set(struct fields *f, struct slice key, struct slice value)
{
	f->has_any = true;
	switch (find_field(key)) {
	case FIELD_MESSAGE:
		set_text(&f->message, value);
		return true;
	case FIELD_IDENTIFIER:
		set_text(&f->identifier, value);
		return true;
	case FIELD_COMM:
		set_text(&f->comm, value);
		return true;
	case FIELD_HOST:
		set_text(&f->host, value);
		return true;
	case FIELD_BOOT:
		set_text(&f->boot, value);
		return true;
	case FIELD_PID:
		return number_of(value, &f->pid);
	case FIELD_SYSLOG_PID:
		return number_of(value, &f->syslog_pid);
	case FIELD_ERROR:
		return number_of(value, &f->error);
	case FIELD_SEQNUM:
		return number_of(value, &f->seqnum);
	case FIELD_BOOT_TIME:
		f->has_boot_time = time_of(value, &f->boot_time);
		return true;
	case FIELD_WALL_TIME:
		f->has_wall_time = time_of(value, &f->wall_time);
		return true;
	case FIELD_SOURCE_BOOT_TIME:
		f->has_source_boot_time = time_of(value, &f->source_boot_time);
		return true;
	default:
		return false;
	}
}

bool fields_finish(const struct fields *f, struct entry *ret)
{
	uint64_t pid = f->pid ? f->pid : f->syslog_pid;

	*ret = (struct entry){
		.pid = pid,
		.host = f->host,
		.message = f->message,
		.boot = f->boot,
		.seqnum = f->seqnum,
		.error = f->error < 4096 ? (int)f->error : 0,
	};
	if (f->identifier.len || f->comm.len)
		ret->speaker = entry_speaker(f->identifier.len ? f->identifier : f->comm, pid);
	/* As journalctl does it: the kernel's own time for what the kernel said (logs-show.c). */
	if (f->has_source_boot_time || f->has_boot_time) {
		ret->clock = LOG_CLOCK_BOOT;
		ret->time = f->has_source_boot_time ? f->source_boot_time : f->boot_time;
	} else if (f->has_wall_time) {
		ret->clock = LOG_CLOCK_WALL;
		ret->time = f->wall_time;
	}
	return f->message.len > 0;
}

/* A place in a line of JSON. */
struct cursor {
	char *p, *end;
};

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

static bool eat(struct cursor *c, char what)
{
	skip_blanks(c);
	if (c->p >= c->end || *c->p != what)
		return false;
	c->p++;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (c | 0x20) - 'a' + 10;
	return -1;
}

/* What stands behind a backslash, written to @out. Returns how many bytes, or -1. */
static int unescape(struct cursor *c, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit;
	unsigned int code = 0;

	if (c->p >= c->end)
		return -1;
	hit = *c->p ? strchr(from, *c->p) : NULL;
	if (hit) {
		*out = to[hit - from];
		c->p++;
		return 1;
	}
	if (*c->p != 'u' || c->end - c->p < 5)
		return -1;
	for (int i = 1; i <= 4; i++) {
		int digit = hex_digit(c->p[i]);

		if (digit < 0)
			return -1;
		code = code << 4 | (unsigned int)digit;
	}
	c->p += 5;
	/* Everything that we look for is ASCII. */
	*out = (char)(code && code < 0x80 ? (char)code : '?');
	return 1;
}

static bool eat_string(struct cursor *c, struct slice *ret)
{
	char *start, *out;

	if (!eat(c, '"'))
		return false;
	start = out = c->p;
	while (c->p < c->end) {
		/* Up to the next quote or backslash nothing is to be done to the bytes. */
		char *quote = memchr(c->p, '"', (size_t)(c->end - c->p));
		char *slash = quote ? memchr(c->p, '\\', (size_t)(quote - c->p)) : NULL;
		size_t plain;
		int n;

		if (!quote)
			return false;
		plain = (size_t)((slash ? slash : quote) - c->p);
		if (out != c->p)
			memmove(out, c->p, plain);
		out += plain;
		c->p += plain + 1;
		if (!slash) {
			*ret = (struct slice){ start, (size_t)(out - start) };
			return true;
		}
		n = unescape(c, out);
		if (n < 0)
			return false;
		out += n;
	}
	return false;
}

static bool eat_bare(struct cursor *c, struct slice *ret)
{
	char *start;

	skip_blanks(c);
	start = c->p;
	while (c->p < c->end && *c->p != ',' && *c->p != '}' && *c->p != ']' && *c->p != ' ' &&
	       *c->p != '\t')
		c->p++;
	*ret = (struct slice){ start, (size_t)(c->p - start) };
	return ret->len > 0;
}

/* [1,2,3]: bytes, which take less room than their numbers did; ["a","b"]: the first one counts. */
static bool eat_array(struct cursor *c, struct slice *ret)
{
	char *start = c->p, *out = start;
	struct slice item;
	bool is_bytes = true, is_first = true;

	*ret = (struct slice){ start, 0 };
	if (!eat(c, '['))
		return false;
	while (!eat(c, ']')) {
		uint64_t byte;

		if (!is_first && !eat(c, ','))
			return false;
		skip_blanks(c);
		if (c->p < c->end && *c->p == '"') {
			if (!eat_string(c, &item))
				return false;
			if (is_first)
				*ret = item;
			is_bytes = false;
		} else {
			if (!eat_bare(c, &item))
				return false;
			if (is_bytes && number_of(item, &byte) && byte < 256)
				*out++ = (char)byte;
		}
		is_first = false;
	}
	if (is_bytes)
		*ret = (struct slice){ start, (size_t)(out - start) };
	return true;
}

static bool eat_pair(struct cursor *c, struct slice *ret_key, struct slice *ret_value)
{
	if (!eat_string(c, ret_key) || !eat(c, ':'))
		return false;
	skip_blanks(c);
	if (c->p >= c->end)
		return false;
	if (*c->p == '"')
		return eat_string(c, ret_value);
	if (*c->p == '[')
		return eat_array(c, ret_value);
	if (*c->p == '{' || !eat_bare(c, ret_value))
		return false;
	/* null: too large for journalctl to print. */
	if (slice_is(*ret_value, SLICE("null")))
		ret_value->len = 0;
	return true;
}

bool fields_json(char *line, size_t len, struct entry *ret)
{
	struct cursor c = { line, line + len };
	struct fields fields = { 0 };
	struct slice key, value;

	*ret = (struct entry){ 0 };
	if (!eat(&c, '{'))
		return false;
	while (!eat(&c, '}')) {
		if (fields.has_any && !eat(&c, ','))
			return false;
		if (!eat_pair(&c, &key, &value))
			return false;
		(void)fields_set(&fields, key, value);
	}
	if (!fields.has_any)
		return false;
	(void)fields_finish(&fields, ret);
	return true;
}

int fields_json_pair(char *line, size_t len, struct slice *ret_key, struct slice *ret_value)
{
	struct cursor c = { line, line + len };

	skip_blanks(&c);
	if (c.p >= c.end || *c.p == '{' || *c.p == '}' || *c.p == ']' || *c.p == '[')
		return 0;
	return eat_pair(&c, ret_key, ret_value) ? 1 : -1;
}
