/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_BOARDS_H
#define CPUFREQ_RESOLVE_BOARDS_H

/* Which of the devicetree's drivers a board gets, by its name. */

#include <stdbool.h>
#include <stddef.h>

/* The answer for a board whose CPUs have no operating points, so that no driver binds. */
#define BOARD_NONE ""

/**
 * board_driver() - What scaling_driver says on a board
 * @names: the root node's compatible: strings with a NUL behind each; or the board's model
 * @len: bytes in @names
 *
 * Return: the driver, BOARD_NONE, or NULL if the board is not known.
 */
const char *board_driver(const char *names, size_t len);

/**
 * board_makes_opps() - Does a driver of the kernel make the operating points of this board?
 *
 * Arguments as of board_driver(). Where none does, cpufreq-dt binds by the devicetree's alone.
 */
bool board_makes_opps(const char *names, size_t len);

#endif
