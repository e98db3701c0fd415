// SPDX-License-Identifier: GPL-2.0
#define INIT_MS 0
#include "load.h"

void t_slow_symbol(void);

/* Never called: the reference alone makes this module depend on t_slow. */
void (*t_uses_pointer)(void) = t_slow_symbol;
EXPORT_SYMBOL_GPL(t_uses_pointer);
