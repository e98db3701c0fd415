// SPDX-License-Identifier: GPL-2.0-or-later
#include "tally.h"

#define SECOND UINT64_C(1000000)

/* "2min 29.629s", "55.874s", "734ms", "1h 2min 3s" (format_timespan(), src/basic/time-util.c). */
static bool eat_timespan(struct slice *s, uint64_t *ret)
{
	static const struct {
		struct slice unit;
		uint64_t usecs;
	} units[] = {
		{ SLICE("us"), 1 },
		{ SLICE("ms"), 1000 },
		{ SLICE("min"), 60 * SECOND },
		{ SLICE("s"), SECOND },
		{ SLICE("h"), 3600 * SECOND },
		{ SLICE("d"), 86400 * SECOND },
	};
	bool has_any = false;

	*ret = 0;
	for (;;) {
		uint64_t value, scale = 1, fraction = 0;
		size_t i;

		slice_eat_blanks(s);
		if (!slice_eat_number(s, &value))
			return has_any;
		if (slice_eat_char(s, '.')) {
			unsigned int digits = slice_eat_number(s, &fraction);

			if (digits > 6)
				return false;
			while (digits--)
				scale *= 10;
		}
		for (i = 0; i < ARRAY_SIZE(units); i++)
			if (slice_eat(s, units[i].unit))
				break;
		if (i == ARRAY_SIZE(units) || value > UINT32_MAX)
			return false;
		*ret += value * units[i].usecs + fraction * units[i].usecs / scale;
		has_any = true;
	}
}

bool tally_startup_parse(struct slice s, struct tally_startup *ret)
{
	struct tally_startup got = { 0 };
	struct {
		struct slice name;
		uint64_t *value;
	} parts[] = {
		{ SLICE("(firmware)"), &got.firmware },   { SLICE("(loader)"), &got.loader },
		{ SLICE("(kernel)"), &got.kernel },       { SLICE("(initrd)"), &got.initrd },
		{ SLICE("(userspace)"), &got.userspace },
	};

	for (;;) {
		uint64_t value;

		if (!eat_timespan(&s, &value))
			return false;
		slice_eat_blanks(&s);
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
			if (!slice_eat(&s, parts[i].name))
				continue;
			*parts[i].value = value;
			got.is_there = true;
			break;
		}
		slice_eat_blanks(&s);
		if (slice_eat_char(&s, '+'))
			continue;
		if (slice_eat_char(&s, '=') && eat_timespan(&s, &got.total) && got.is_there) {
			*ret = got;
			return true;
		}
		return false;
	}
}
