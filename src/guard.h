/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_GUARD_H
#define CPUFREQ_RESOLVE_GUARD_H

/* Who may load modules, and only one at a time. */

#include <stdbool.h>

#include "macro.h"

#define GUARD_LOCK_PATH      "run/cpufreq-resolve/lock"
#define GUARD_LOAD_LOCK_PATH "run/cpufreq-resolve/load.lock"

/** guard_may_load() - Has this process the right to load modules (CAP_SYS_MODULE)? */
bool guard_may_load(void);

/**
 * guard_lock() - Be the only one at work, until the descriptor is closed
 * @ret_fd: the lock, to be closed, also when somebody else has it
 *
 * Does not wait: the first one may hang in a module's init, and then the boot goes on as without
 * us.
 *
 * Return: 0, 1 if somebody else has it, or -errno.
 */
int guard_lock(int rootfd, int *ret_fd) _must_check_;

/**
 * guard_lock_load() - Wait for one's turn to ask for what a device offers (load.h)
 * @ret_fd: the lock, to be closed
 *
 * A second CPU or ACPI processor that asks at the same time is to see the answers of the first.
 * Whoever waits for a minute, because a module's init hangs, is ended by SIGALRM.
 *
 * Return: 0 or -errno.
 */
int guard_lock_load(int rootfd, int *ret_fd) _must_check_;

#endif
