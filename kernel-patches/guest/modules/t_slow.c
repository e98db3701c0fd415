// SPDX-License-Identifier: GPL-2.0
#define INIT_MS 1500
#include "load.h"

/* For t_uses: it waits until this module is live. */
void t_slow_symbol(void);
void t_slow_symbol(void)
{
}
EXPORT_SYMBOL_GPL(t_slow_symbol);
