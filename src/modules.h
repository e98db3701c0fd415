/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_MODULES_H
#define CPUFREQ_RESOLVE_MODULES_H

/* The only users of libkmod: what the kernel's index offers (modules.c,
 * modules-index.c), and loads (modules-load.c). */

#include "facts.h"

/**
 * modules_lookup() - Ask the kernel's module index about every row
 * @rootfd: the root directory
 * @facts: kernel release and configuration in; the modules' is_present, is_builtin, offers out
 *
 * On kernels that make a platform device for a driver (Linux 6.4 and later) its presence also says
 * whether the firmware has the tables it needs. An index that can't be read is noted with
 * facts_fail().
 *
 * Return: 0 or -ENOMEM.
 */
int modules_lookup(int rootfd, struct facts *facts) _must_check_;

/**
 * modules_insert() - Ask the running kernel for a module, once
 * @name: the module
 *
 * Dependencies, options and softdeps are libkmod's business. A deny list is not asked: it is for
 * aliases, and the caller has looked.
 *
 * Return: 0, or -errno as the kernel gave it, -EEXIST too, which libkmod otherwise hides, or
 * -ECANCELED if libkmod did not ask the kernel (it then returns a positive number). A 0 does not
 * yet mean that the driver is in charge.
 */
int modules_insert(const char *name) _must_check_;

/** modules_remove() - Take a module out again, unless it is in use. Return: 0 or -errno. */
int modules_remove(const char *name) _must_check_;

/* What modules_ask() says of a module that the kernel was not asked for. */
enum {
	MODULES_WAS_THERE = 1, /* live, or built in */
	MODULES_DENIED = 2,    /* by a blacklist line */
};

struct modules_asker {
	bool (*may_ask)(void *data, const char *name);
	void (*answered)(void *data, const char *name, int result);
	void *data;
};

/**
 * modules_ask() - Ask the running kernel for every module that an alias stands for, each once
 * @alias: a device's modalias, or a module's name
 * @asker: is asked before each module, and told the result: 0 loaded, -errno as the kernel gave
 *	it, or one of the above
 *
 * Denials, options, install lines and dependencies are those of the system's configuration, as for
 * udev.
 *
 * Return: 0, also if the alias stands for none, or -errno if that could not be found out.
 */
int modules_ask(const char *alias, const struct modules_asker *asker) _must_check_;

/* The kernel's index, kept open for many questions. */
struct module_index;

/**
 * modules_index_open() - Open the index of the kernel that the facts are of
 * @ret: to be closed with modules_index_close(), not after @facts is gone
 *
 * Return: 0 or -errno.
 */
int modules_index_open(int rootfd, const struct facts *facts,
		       struct module_index **ret) _must_check_;

/**
 * modules_index_find() - Which modules does an alias stand for?
 * @found: called for each, in order; one that matches twice is loaded twice by udev too
 *
 * The administrator's alias lines come first and hide the index.
 *
 * Return: 0 or what @found returned, if that is not 0.
 */
int modules_index_find(struct module_index *index, const char *modalias,
		       int (*found)(void *data, const char *module, bool is_builtin), void *data);

void modules_index_close(struct module_index *index);

#endif
