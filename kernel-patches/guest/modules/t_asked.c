// SPDX-License-Identifier: GPL-2.0
#define INIT_ASKS_NOWAIT "t_asks_back"
#define INIT_MS          300
#include "load.h"
