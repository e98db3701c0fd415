// SPDX-License-Identifier: GPL-2.0
/* Asks for t_asked, and t_asked asks for it, without waiting. */
#define INIT_ASKS "t_asked"
#include "load.h"
