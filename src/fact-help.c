// SPDX-License-Identifier: GPL-2.0-or-later
/* In a file of its own: nobody asks in an initramfs, and words are what fills a small program. */
#include "drivers.h"

const char *fact_help(enum fact fact)
{
	static const char *const helps[] = {
/* In parentheses: some are of two literals, which is meant. */
#define X(id, name, help) (help),
		FACT_LIST(X)
#undef X
	};

	return helps[fact];
}
