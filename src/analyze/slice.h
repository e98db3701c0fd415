/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_SLICE_H
#define CPUFREQ_RESOLVE_SLICE_H

/* A piece of a buffer: log lines are looked at where they lie, never copied. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
	const char *p;
	size_t len;
};

#define SLICE(literal) ((struct slice){ literal, sizeof(literal) - 1 })

static inline struct slice slice_from(struct slice s, size_t skip)
{
	return skip < s.len ? (struct slice){ s.p + skip, s.len - skip } : (struct slice){ s.p, 0 };
}

static inline bool slice_starts(struct slice s, struct slice with)
{
	return s.p && s.len >= with.len && memcmp(s.p, with.p, with.len) == 0;
}

static inline bool slice_is(struct slice s, struct slice other)
{
	return s.len == other.len && (!s.len || memcmp(s.p, other.p, s.len) == 0);
}

/** slice_find() - Where @what begins in @s. Return: the offset, or s.len if it isn't in there. */
static inline size_t slice_find(struct slice s, struct slice what)
{
	const char *hit = s.p && s.len ? memmem(s.p, s.len, what.p, what.len) : NULL;

	return hit ? (size_t)(hit - s.p) : s.len;
}

static inline size_t slice_find_char(struct slice s, char c)
{
	const char *hit = s.p && s.len ? memchr(s.p, c, s.len) : NULL;

	return hit ? (size_t)(hit - s.p) : s.len;
}

/** slice_eat() - Take @what off the front. Return: true if it stood there. */
static inline bool slice_eat(struct slice *s, struct slice what)
{
	if (!slice_starts(*s, what))
		return false;
	*s = slice_from(*s, what.len);
	return true;
}

static inline bool slice_eat_char(struct slice *s, char c)
{
	if (!s->len || *s->p != c)
		return false;
	*s = slice_from(*s, 1);
	return true;
}

static inline void slice_eat_blanks(struct slice *s)
{
	while (s->len && *s->p == ' ')
		s->p++, s->len--;
}

static inline bool slice_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/**
 * slice_eat_number() - Take a decimal number off the front
 *
 * One that does not fit becomes UINT64_MAX: a hostile log may hold any.
 *
 * Return: how many digits there were.
 */
static inline unsigned int slice_eat_number(struct slice *s, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned int digits = 0;

	for (; s->len && slice_is_digit(*s->p); s->p++, s->len--, digits++) {
		uint64_t digit = (uint64_t)(*s->p - '0');

		value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
	}
	if (digits)
		*ret = value;
	return digits;
}

#endif
