/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_LAYERS_H
#define CPUFREQ_RESOLVE_LAYERS_H

/*
 * What keeps a module from being asked for once a CPU: the kernel, we, both or nothing. The kernel
 * is told by what it shows, not by its version: distributions carry patches.
 */

#include "offers.h"

/* Bits; 0 is none. */
enum layer {
	LAYER_KERNEL = 1 << 0, /* every alias that offers it is announced by one device */
	LAYER_HELPER = 1 << 1, /* denied for this boot, or behind the rule of scope=cpu */
};

#define LAYERS_MAX (OFFERS_MAX + DRIVER_MAX)

struct layered_module {
	const char *name;
	unsigned int layers; /* enum layer */
};

/**
 * layers_find() - Every module that CPUs ask for, and every cpufreq driver that a device may
 * @d: with deny set for what our file denies now
 * @ret: the names are those of @offers and of drivers[]
 *
 * What is built in, nobody asks for. Where it isn't known whether a MODALIAS is announced once,
 * as on a machine of one CPU, the kernel is not counted as a layer.
 *
 * Return: how many there are.
 */
size_t layers_find(const struct facts *facts, const struct decision *d, const struct offers *offers,
		   struct layered_module ret[LAYERS_MAX]);

/** layers_name() - "kernel", "helper", "both" or "none". */
const char *layers_name(unsigned int layers);

/** layers_announced() - Does this kernel announce the CPUs' MODALIAS once? */
enum announced layers_announced(const struct offers *offers);

#endif
