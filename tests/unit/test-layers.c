// SPDX-License-Identifier: GPL-2.0-or-later
/* Which layer covers a module: by its aliases, by who announces them, by what we have written. */
#include <string.h>

#include "layers.h"
#include "testlib.h"

enum { CPU_GROUP, ACPI_GROUP };
#define BY_CPU  (1U << CPU_GROUP)
#define BY_ACPI (1U << ACPI_GROUP)

struct fixture {
	struct facts facts;
	struct decision d;
	struct offers offers;
	size_t row; /* of acpi_cpufreq */
};

/* A kernel before 6.4 with two CPUs: acpi_cpufreq is offered by both kinds, kvm by CPUs alone. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->row = (size_t)driver_find("acpi_cpufreq");
	f->facts.modules[f->row].is_present = true;
	f->facts.modules[f->row].offers = OFFER_CPU | OFFER_ACPI;
	f->offers.once.groups[CPU_GROUP].subsystem = "cpu";
	f->offers.once.groups[ACPI_GROUP].subsystem = "acpi";
	f->offers.once.count = 2;
	f->offers.announced[CPU_GROUP] = f->offers.announced[ACPI_GROUP] = ANNOUNCED_BY_EACH;
	f->offers.modules[0] =
		(struct offered_module){ .groups = BY_CPU | BY_ACPI, .driver = (int)f->row };
	strcpy(f->offers.modules[0].name, "acpi_cpufreq");
	f->offers.modules[1] = (struct offered_module){ .groups = BY_CPU, .driver = -1 };
	strcpy(f->offers.modules[1].name, "kvm");
	f->offers.count = 2;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void are(const struct fixture *f, const char *driver, const char *kvm)
{
	struct layered_module all[LAYERS_MAX];

	assert_int_equal(layers_find(&f->facts, &f->d, &f->offers, all), 2);
	assert_string_equal(all[0].name, "acpi_cpufreq");
	assert_string_equal(layers_name(all[0].layers), driver);
	assert_string_equal(all[1].name, "kvm");
	assert_string_equal(layers_name(all[1].layers), kvm);
}

static void old_kernel(void **state)
{
	struct fixture *f = *state;

	are(f, "none", "none");
	f->d.rows[f->row].deny = true;
	are(f, "helper", "none");
	f->offers.has_rule = true;
	are(f, "helper", "helper");
	f->d.rows[f->row].deny = false;
	are(f, "helper", "helper");
	f->facts.is_rule_masked = true;
	are(f, "none", "none");
	assert_int_equal(layers_announced(&f->offers), ANNOUNCED_BY_EACH);
}

/* The CPUs' half of it alone leaves the ACPI processors' half of the storm. */
static void announced_once(void **state)
{
	struct fixture *f = *state;

	f->offers.announced[CPU_GROUP] = ANNOUNCED_ONCE;
	assert_int_equal(layers_announced(&f->offers), ANNOUNCED_ONCE);
	are(f, "none", "kernel");
	f->offers.announced[ACPI_GROUP] = ANNOUNCED_ONCE;
	are(f, "kernel", "kernel");
	f->offers.has_rule = true;
	are(f, "both", "both");
}

static void one_cpu(void **state)
{
	struct fixture *f = *state;

	f->offers.announced[CPU_GROUP] = f->offers.announced[ACPI_GROUP] = ANNOUNCED_UNKNOWN;
	are(f, "none", "none");
	f->d.rows[f->row].deny = true;
	are(f, "helper", "none");
	f->offers.once.count = 0;
	assert_int_equal(layers_announced(&f->offers), ANNOUNCED_UNKNOWN);
}

/* From 6.4 on, or patched: by the alias, whether the firmware has what makes the device or not. */
static void platform_alias(void **state)
{
	struct fixture *f = *state;
	struct module_state *m = &f->facts.modules[f->row];

	m->offers = 0;
	m->has_platform_alias = true;
	f->offers.modules[0] = f->offers.modules[1];
	f->offers.count = 1;
	are(f, "kernel", "none");
	m->offers = OFFER_PLATFORM;
	f->offers.has_rule = true;
	are(f, "kernel", "helper");
	f->d.rows[f->row].deny = true;
	are(f, "both", "helper");
}

static size_t count(const struct fixture *f)
{
	struct layered_module all[LAYERS_MAX];

	return layers_find(&f->facts, &f->d, &f->offers, all);
}

static void nobody_asks(void **state)
{
	struct fixture *f = *state;

	f->facts.modules[f->row].is_builtin = true;
	assert_int_equal(count(f), 1);
	f->offers.modules[1].is_builtin = true;
	assert_int_equal(count(f), 0);
	f->facts.modules[f->row].is_builtin = false;
	f->facts.modules[f->row].offers = 0;
	f->offers.count = 0;
	assert_int_equal(count(f), 0);
}

/* It has no group, so the rule does not have it either. */
static void odd_modalias(void **state)
{
	struct fixture *f = *state;

	f->offers.once.refused = "cpu";
	f->offers.announced[CPU_GROUP] = ANNOUNCED_ONCE;
	f->offers.has_rule = true;
	f->offers.modules[0].groups = 0;
	are(f, "none", "none");
	f->d.rows[f->row].deny = true;
	are(f, "helper", "none");
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(old_kernel),     test(announced_once), test(one_cpu),
		test(platform_alias), test(nobody_asks),    test(odd_modalias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
