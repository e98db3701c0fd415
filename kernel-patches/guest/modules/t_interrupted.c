// SPDX-License-Identifier: GPL-2.0
/* Its init ends as if a signal had come: the loader's own trouble, not the module's answer. */
#define INIT_MS     1500
#define INIT_RESULT -EINTR
#include "load.h"
