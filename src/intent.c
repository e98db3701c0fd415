// SPDX-License-Identifier: GPL-2.0-or-later
#include "intent.h"

enum denial intent_denial(const struct facts *facts, const char *name, const char *initcall,
			  const struct modconf_entry **ret_line)
{
	const struct cmdline *c = &facts->cmdline;

	*ret_line = modconf_find(&facts->conf, MODCONF_BLACKLIST, name);
	if (*ret_line)
		return DENIAL_BLACKLIST;
	if (cmdline_lists(c, "modprobe.blacklist", name))
		return DENIAL_MODPROBE_CMDLINE;
	/* dracut takes the old names rdblacklist= and rdloaddriver= as well. */
	if (facts->stage == STAGE_INITRD && (cmdline_lists(c, "rd.driver.blacklist", name) ||
					     cmdline_lists(c, "rdblacklist", name)))
		return DENIAL_DRACUT_CMDLINE;
	if (cmdline_kernel_lists(c, "module_blacklist", name, true))
		return DENIAL_KERNEL_CMDLINE;
	if (initcall && cmdline_kernel_lists(c, "initcall_blacklist", initcall, false))
		return DENIAL_INITCALL;
	return DENIAL_NONE;
}

void intent_place(struct facts *facts)
{
	const struct cmdline *c = &facts->cmdline;

	for (size_t i = 0; i < driver_count; i++) {
		const char *name = drivers[i].name;
		struct module_state *m = &facts->modules[i];

		m->denial = intent_denial(facts, name, drivers[i].initcall, &m->denied_by);
		m->install = modconf_find(&facts->conf, MODCONF_INSTALL, name);
		m->wanted_by = modconf_find(&facts->conf, MODCONF_LOAD, name);
		m->is_wanted = m->wanted_by || cmdline_lists(c, "rd.driver.pre", name) ||
			       cmdline_lists(c, "rdloaddriver", name) ||
			       cmdline_lists(c, "modules_load", name) ||
			       cmdline_lists(c, "rd.modules_load", name);
	}
}
