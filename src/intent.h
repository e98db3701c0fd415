/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_INTENT_H
#define CPUFREQ_RESOLVE_INTENT_H

/* What the administrator said of a module: in modprobe.d, modules-load.d, on the command line. */

#include "facts.h"

/**
 * intent_denial() - Does the administrator deny a module, and how?
 * @facts: configuration, command line and stage in
 * @name: of any module, in the table or not
 * @initcall: its initcall as initcall_blacklist= has it, NULL if not known
 * @ret_line: the blacklist line of DENIAL_BLACKLIST, NULL with any other
 *
 * Return: the strongest of them.
 */
enum denial intent_denial(const struct facts *facts, const char *name, const char *initcall,
			  const struct modconf_entry **ret_line);

/**
 * intent_read_image() - Read what an image's own files add to dracut's command line
 *
 * /etc/cmdline and the files of /etc/cmdline.d named *.conf, as getcmdline() of dracut-lib.sh does.
 * Only dracut's own words count there: the kernel, libkmod and systemd never see these files. What
 * can't be read is noted with facts_fail().
 *
 * Return: 0 or -ENOMEM.
 */
int intent_read_image(int rootfd, struct facts *facts) _must_check_;

/** intent_place() - Set what is denied, reserved or wanted by name, in every row of the facts. */
void intent_place(struct facts *facts);

#endif
