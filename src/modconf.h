/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_MODCONF_H
#define CPUFREQ_RESOLVE_MODCONF_H

/*
 * What the administrator has said of modules, and where: modprobe.d and modules-load.d.
 *
 * libkmod reads the same lines when it loads a module, but its iterators tell neither the file nor
 * the line, always add the running machine's command line and follow links out of a captured root.
 * A unit test holds this reader against libkmod's own.
 */

#include <stdbool.h>
#include <stddef.h>

#include "macro.h"

/* Made by apply; a name used nowhere else, so that a link to /dev/null in /etc masks it. */
#define MODCONF_BOOT_NAME "cpufreq-resolve-boot.conf"
#define MODCONF_BOOT_PATH "run/modprobe.d/" MODCONF_BOOT_NAME
#define MODCONF_MASK_PATH "etc/modprobe.d/" MODCONF_BOOT_NAME
/* Made by the dracut module, inside the image only: denies what this program alone shall load. */
#define MODCONF_IMAGE_NAME "cpufreq-resolve-image.conf"

enum modconf_kind {
	MODCONF_ALIAS,
	MODCONF_BLACKLIST,
	MODCONF_INSTALL,
	MODCONF_OPTIONS,
	MODCONF_SOFTDEP,
	MODCONF_LOAD,    /* a line of modules-load.d */
	MODCONF_UNKNOWN, /* kmod does not know the line's first word, which is the value here */
};

struct modconf_entry {
	enum modconf_kind kind;
	const char *name;  /* the module, or a pattern */
	const char *value; /* the rest of the line, "" if there is none */
	const char *file;  /* relative to the root */
	const char *base;  /* the last component of @file: it gives the order */
	unsigned int line; /* where the entry begins, from 1 */
};

struct modconf_text;

struct modconf {
	struct modconf_entry *entries; /* in the order in which libkmod applies them */
	size_t count;
	size_t room;
	struct modconf_text *texts;
	/* The first file that could not be read: what the administrator said is then not known. */
	char failed_file[256];
	int failed_error; /* -errno, 0 if all was read */
};

/**
 * modconf_load() - Read modprobe.d and modules-load.d below a root
 * @rootfd: the root directory
 * @kernel_dir: where modules.softdep lies, relative to the root, or NULL
 * @ret: to be released with modconf_free(), also on failure
 *
 * The directories and their order are kmod's (libkmod.c, default_config_paths[]) and
 * modules-load.d(5)'s: all files sorted by name, one name read from the first directory that has
 * it, a link to /dev/null masks a name. Our own generated files are left out, so that a second run
 * decides the same. A file that can't be read is noted in @failed_file.
 *
 * Return: 0 or -ENOMEM.
 */
int modconf_load(int rootfd, const char *kernel_dir, struct modconf *ret) _must_check_;

/**
 * modconf_parse() - Read the lines of one file
 * @text: the content; cut in place and owned by @conf from here on, also on failure
 * @file: its path relative to the root, for the messages
 * @load_list: true for a file of modules-load.d
 *
 * Return: 0 or -ENOMEM.
 */
int modconf_parse(struct modconf *conf, char *text, const char *file, bool load_list) _must_check_;

/**
 * modconf_find() - The first entry of a kind that speaks of a module
 *
 * Patterns match as in libkmod: fnmatch for install and softdep lines, names elsewhere.
 *
 * Return: the entry or NULL.
 */
const struct modconf_entry *modconf_find(const struct modconf *conf, enum modconf_kind kind,
					 const char *module);

/** modconf_next() - As modconf_find(), after @after (NULL: from the start). */
const struct modconf_entry *modconf_next(const struct modconf *conf,
					 const struct modconf_entry *after, enum modconf_kind kind,
					 const char *module);

void modconf_free(struct modconf *conf);

#endif
