/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_ROOT_H
#define CPUFREQ_RESOLVE_ROOT_H

/*
 * Is this the running system? Apart from everything else, so that a test can link its own answer in
 * and nothing in the program has to be told to pretend.
 */

#include <stdbool.h>

/** root_is_live() - Is this directory our own "/"? Return: 1 yes, 0 no, or -errno. */
int root_is_live(int rootfd);

/** root_is_chroot() - Is our own "/" another one than init's? */
bool root_is_chroot(void);

#endif
