// SPDX-License-Identifier: GPL-2.0
/* The first load of t_quick fails after it has passed the checks of its file and before it is in
 * the list of modules, and takes its time for that: others come meanwhile. */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

static atomic_t loads;

/* int module_enforce_rwx_sections(hdr, sechdrs, secstrings, mod), early in layout_and_allocate() */
static int early_entry(struct kretprobe_instance *unused, struct pt_regs *regs)
{
	const struct module *mod = (void *)regs_get_kernel_argument(regs, 3);

	if (strcmp(mod->name, "t_quick") || atomic_inc_return(&loads) != 1)
		return 1;
	mdelay(500);
	return 0;
}

static int early_return(struct kretprobe_instance *unused, struct pt_regs *regs)
{
	regs_set_return_value(regs, -ENOEXEC);
	return 0;
}

static struct kretprobe early_probe = {
	.kp.symbol_name = "module_enforce_rwx_sections",
	.entry_handler = early_entry,
	.handler = early_return,
};

static int __init early_init(void)
{
	return register_kretprobe(&early_probe);
}

static void __exit early_exit(void)
{
	unregister_kretprobe(&early_probe);
}

module_init(early_init);
module_exit(early_exit);
MODULE_DESCRIPTION("A load that fails early");
MODULE_LICENSE("GPL");
