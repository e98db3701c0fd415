// SPDX-License-Identifier: GPL-2.0
/* Its init returns what finit_module() says of a module that is loaded. */
#define INIT_MS     1500
#define INIT_RESULT -EEXIST
#include "load.h"
