// SPDX-License-Identifier: GPL-2.0
/* A cpufreq driver without hardware: another one that is in charge. */
#include <linux/cpufreq.h>
#include <linux/delay.h>
#include <linux/module.h>

/* With this it is in charge for so long a CPU, and then can't drive any. */
static unsigned int fails_after_ms;
module_param(fails_after_ms, uint, 0444);

static int fakefreq_init(struct cpufreq_policy *policy)
{
	if (fails_after_ms) {
		msleep(fails_after_ms);
		return -ENODEV;
	}
	policy->min = 800000;
	policy->max = 2400000;
	policy->cpuinfo.min_freq = policy->min;
	policy->cpuinfo.max_freq = policy->max;
	policy->policy = CPUFREQ_POLICY_POWERSAVE;
	return 0;
}

static int fakefreq_verify(struct cpufreq_policy_data *policy)
{
	cpufreq_verify_within_cpu_limits(policy);
	return 0;
}

static int fakefreq_setpolicy(struct cpufreq_policy *policy)
{
	return 0;
}

static struct cpufreq_driver fakefreq = {
	.name = "fakefreq",
	.init = fakefreq_init,
	.verify = fakefreq_verify,
	.setpolicy = fakefreq_setpolicy,
};

/* "again": leave and come back in one go, as a driver does that changes its mode. */
static int fakefreq_again(const char *value, const struct kernel_param *unused)
{
	/* It returns nothing in newer lines. If it failed, the driver could not come back. */
	cpufreq_unregister_driver(&fakefreq);
	return cpufreq_register_driver(&fakefreq);
}

static const struct kernel_param_ops fakefreq_again_ops = {
	.set = fakefreq_again,
};
module_param_cb(again, &fakefreq_again_ops, NULL, 0200);

static int __init fakefreq_load(void)
{
	return cpufreq_register_driver(&fakefreq);
}

static void __exit fakefreq_unload(void)
{
	cpufreq_unregister_driver(&fakefreq);
}

module_init(fakefreq_load);
module_exit(fakefreq_unload);
MODULE_DESCRIPTION("cpufreq driver without hardware");
MODULE_LICENSE("GPL");
