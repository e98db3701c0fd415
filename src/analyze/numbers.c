// SPDX-License-Identifier: GPL-2.0-or-later
#include "numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct number number_count(uint64_t n)
{
	struct number ret;
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n), out = 0;

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			ret.text[out++] = ',';
		ret.text[out++] = digits[i];
	}
	ret.text[out] = '\0';
	return ret;
}

struct number number_of(uint64_t n, const char *what)
{
	struct number ret = number_count(n);
	size_t len = strlen(ret.text);

	(void)snprintf(ret.text + len, sizeof(ret.text) - len, " %s%s", what, n == 1 ? "" : "s");
	return ret;
}

struct number number_plain_seconds(uint64_t usecs)
{
	struct number ret;

	(void)snprintf(ret.text, sizeof(ret.text), "%" PRIu64 ".%03u", usecs / 1000000,
		       (unsigned int)(usecs % 1000000 / 1000));
	return ret;
}

struct number number_seconds(uint64_t usecs)
{
	struct number ret = number_plain_seconds(usecs);

	(void)strncat(ret.text, " s", sizeof(ret.text) - strlen(ret.text) - 1);
	return ret;
}

struct number number_rate(uint64_t count, uint64_t usecs)
{
	struct number ret = { "" };
	double rate;

	/* Two marks in a time that is shorter than a log's grain make no rate. */
	if (count < 2 || usecs < 1000)
		return ret;
	rate = (double)count / ((double)usecs / 1e6);
	(void)snprintf(ret.text, sizeof(ret.text), rate < 10 ? "%.1f" : "%.0f", rate);
	return ret;
}

struct number number_percent(uint64_t part, uint64_t whole)
{
	struct number ret = { "" };
	double percent;

	if (!whole)
		return ret;
	percent = (double)part * 100 / (double)whole;
	(void)snprintf(ret.text, sizeof(ret.text),
		       percent > 0 && percent < 0.95 ? "%.1f %%" : "%.0f %%", percent);
	return ret;
}
