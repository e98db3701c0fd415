/* SPDX-License-Identifier: GPL-2.0 */
/* What the test modules share: an init that takes INIT_MS milliseconds and then returns
 * INIT_RESULT. */
#include <linux/delay.h>
#include <linux/kmod.h>
#include <linux/module.h>

#ifndef INIT_MS
#define INIT_MS 0
#endif
#ifndef INIT_RESULT
#define INIT_RESULT 0
#endif

static int number;
module_param(number, int, 0444);

static int __init load_init(void)
{
#ifdef INIT_ASKS
	request_module(INIT_ASKS);
#endif
#ifdef INIT_ASKS_NOWAIT
	request_module_nowait(INIT_ASKS_NOWAIT);
#endif
	if (INIT_MS)
		msleep(INIT_MS);
	return INIT_RESULT;
}

static void __exit load_exit(void)
{
}

module_init(load_init);
module_exit(load_exit);
MODULE_DESCRIPTION("Test of concurrent loads");
MODULE_LICENSE("GPL");
