// SPDX-License-Identifier: GPL-2.0-or-later
#include "stamp.h"

uint64_t stamp_fraction(struct slice *s, bool *ret_is_there)
{
	const char *p;
	unsigned int value = 0;
	size_t digits = 0;

	*ret_is_there = false;
	if (!s->len || (*s->p != '.' && *s->p != ','))
		return 0;
	p = s->p + 1;
	for (; digits + 1 < s->len && slice_is_digit(p[digits]); digits++)
		if (digits < 6)
			value = value * 10 + (unsigned int)(p[digits] - '0');
	*s = slice_from(*s, digits + 1);
	*ret_is_there = digits > 0;
	for (; digits < 6; digits++)
		value *= 10;
	return value;
}

/* Days since 1970-01-01 of a date in the Gregorian calendar (Howard Hinnant's days_from_civil). */
static uint64_t days_of(uint64_t y, uint64_t m, uint64_t d)
{
	uint64_t era, yoe, doy;

	y -= m <= 2;
	era = y / 400;
	yoe = y - era * 400;
	doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static unsigned int month_of(struct slice s)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	if (s.len < 3)
		return 0;
	for (unsigned int i = 0; i < 12; i++)
		if (memcmp(names + (size_t)i * 3, s.p, 3) == 0)
			return i + 1;
	return 0;
}

bool stamp_clock(struct slice *s, struct entry *e, uint64_t days)
{
	uint64_t h, m, sec;
	bool has_fraction;

	if (slice_eat_number(s, &h) != 2 || !slice_eat_char(s, ':') ||
	    slice_eat_number(s, &m) != 2 || !slice_eat_char(s, ':') ||
	    slice_eat_number(s, &sec) != 2)
		return false;
	e->time = (((days * 24 + h) * 60 + m) * 60 + sec) * STAMP_SECOND +
		  stamp_fraction(s, &has_fraction);
	e->is_coarse = !has_fraction;
	e->clock = LOG_CLOCK_WALL;
	return true;
}

bool stamp_date(struct slice *s, uint64_t *ret_days)
{
	uint64_t y, m, d;

	if (slice_eat_number(s, &y) != 4 || !slice_eat_char(s, '-') ||
	    slice_eat_number(s, &m) != 2 || !slice_eat_char(s, '-') || slice_eat_number(s, &d) != 2)
		return false;
	if (y < 1970 || m < 1 || m > 12 || d < 1 || d > 31)
		return false;
	*ret_days = days_of(y, m, d);
	return true;
}

bool stamp_zone(struct slice *s, struct entry *e)
{
	uint64_t hours, minutes = 0, offset;
	bool is_east;

	if (slice_eat_char(s, 'Z') || !s->len || (*s->p != '+' && *s->p != '-'))
		return true;
	is_east = *s->p == '+';
	*s = slice_from(*s, 1);
	switch (slice_eat_number(s, &hours)) {
	case 4:
		minutes = hours % 100;
		hours /= 100;
		break;
	case 2:
		if (slice_eat_char(s, ':') && slice_eat_number(s, &minutes) != 2)
			return false;
		break;
	default:
		return false;
	}
	offset = (hours * 60 + minutes) * 60 * STAMP_SECOND;
	if (is_east)
		e->time -= offset < e->time ? offset : e->time;
	else
		e->time += offset;
	return true;
}

bool stamp_short_date(struct text_state *state, struct slice *s, struct entry *e)
{
	unsigned int month = state->has_foreign_months ? 0 : month_of(*s);
	uint64_t day;

	if (!month)
		return false;
	*s = slice_from(*s, 3);
	slice_eat_blanks(s);
	if (!slice_eat_number(s, &day) || day < 1 || day > 31 || !slice_eat_char(s, ' '))
		return false;
	if (state->month == 12 && month == 1)
		state->years++;
	state->month = month;
	/* A leap year, so that the 29th of February has a place. */
	state->day = days_of(2000 + state->years, month, day);
	return stamp_clock(s, e, state->day) && slice_eat_char(s, ' ');
}

static void turn_month(struct text_state *state, struct slice month)
{
	size_t len = strlen(state->foreign_month);

	if (slice_is(month, (struct slice){ state->foreign_month, len }))
		return;
	/* A leap year's first, like the other dates without a year. */
	state->day_zero = state->day ? state->day : days_of(2000, 1, 1) - 1;
	memcpy(state->foreign_month, month.p, month.len);
	state->foreign_month[month.len] = '\0';
}

bool stamp_foreign_date(struct text_state *state, struct slice *s, struct entry *e)
{
	struct slice rest = *s, month = { rest.p, 0 };

	/* One word, or a weekday and one: "Okt", "Di Okt". */
	for (unsigned int words = 0; words < 3; words++) {
		uint64_t day;

		slice_eat_blanks(&rest);
		if (words && rest.len && slice_is_digit(*rest.p)) {
			struct slice number = rest;

			/* "1月" and "10月" are months, too. */
			if (slice_eat_number(&number, &day) && day >= 1 && day <= 31 &&
			    slice_eat_char(&number, ' ') && stamp_clock(&number, e, day) &&
			    slice_eat_char(&number, ' ')) {
				turn_month(state, month);
				state->has_foreign_months = true;
				/* stamp_clock() took the day of the month for the day. */
				state->day = state->day_zero + day;
				e->time += state->day_zero * 24 * 3600 * STAMP_SECOND;
				*s = number;
				return true;
			}
		}
		month = (struct slice){ rest.p, slice_find_char(rest, ' ') };
		if (!month.len || month.len >= sizeof(state->foreign_month))
			return false;
		rest = slice_from(rest, month.len);
	}
	return false;
}
