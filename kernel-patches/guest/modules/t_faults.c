// SPDX-License-Identifier: GPL-2.0
/* What the debug kernel must find, or it would find nothing in the patches either: two locks
 * taken both ways round, and memory that nobody points to. */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static int __init faults_init(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);

	for (int i = 0; i < 8; i++)
		if (!kmalloc(512, GFP_KERNEL))
			return -ENOMEM;
	return 0;
}

static void __exit faults_exit(void)
{
}

module_init(faults_init);
module_exit(faults_exit);
MODULE_DESCRIPTION("Faults that a debug kernel finds");
MODULE_LICENSE("GPL");
