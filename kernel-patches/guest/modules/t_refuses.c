// SPDX-License-Identifier: GPL-2.0
#define INIT_MS     1500
#define INIT_RESULT -ENODEV
#include "load.h"
