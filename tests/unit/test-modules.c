// SPDX-License-Identifier: GPL-2.0-or-later
/* What the running kernel is asked for, how, and what its answers mean. Nothing is loaded. */
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <string.h>

#include "modules.h"
#include "testlib.h"

#define CALLS_MAX 8

/* What the kernel says of a module, before and after it was asked for it, and then. */
struct module {
	const char *name;
	int before, after, result;
};

static struct {
	const struct tree *t;
	const struct module *modules;
	const char *asked[CALLS_MAX];
	unsigned int flags;
	unsigned int count;
	bool is_removed, is_out_of_memory;
	int load_result;
	char log[256];
} world;

struct kmod_ctx *__real_kmod_new(const char *dir, const char *const *config);
struct kmod_ctx *__wrap_kmod_new(const char *dir, const char *const *config);
int __wrap_kmod_load_resources(struct kmod_ctx *ctx);
int __wrap_kmod_module_get_initstate(const struct kmod_module *mod);
int __wrap_kmod_module_probe_insert_module(struct kmod_module *mod, unsigned int flags,
					   const char *options, const void *run_install,
					   const void *data, const void *print_action);
int __wrap_kmod_module_remove_module(struct kmod_module *mod, unsigned int flags);

/* The running system's configuration is the file of this tree. */
struct kmod_ctx *__wrap_kmod_new(const char *dir, const char *const *config)
{
	static char path[96];
	static const char *const ours[] = { path, NULL };

	assert_null(dir);
	assert_null(config);
	(void)snprintf(path, sizeof(path), "%s/conf", world.t->path);
	return world.is_out_of_memory ? NULL : __real_kmod_new(world.t->path, ours);
}

int __wrap_kmod_load_resources(struct kmod_ctx *ctx)
{
	assert_non_null(ctx);
	return world.load_result;
}

static const struct module *module(const struct kmod_module *mod)
{
	const struct module *m = world.modules;

	while (m->name && strcmp(m->name, kmod_module_get_name(mod)) != 0)
		m++;
	return m;
}

static bool was_asked(const char *name)
{
	for (unsigned int i = 0; i < world.count; i++)
		if (strcmp(world.asked[i], name) == 0)
			return true;
	return false;
}

int __wrap_kmod_module_get_initstate(const struct kmod_module *mod)
{
	const struct module *m = module(mod);

	return m->name && was_asked(m->name) ? m->after : m->before;
}

int __wrap_kmod_module_probe_insert_module(struct kmod_module *mod, unsigned int flags,
					   const char *options, const void *run_install,
					   const void *data, const void *print_action)
{
	const struct module *m = module(mod);

	(void)options, (void)run_install, (void)data, (void)print_action;
	assert_non_null(m->name);
	assert_true(world.count < CALLS_MAX);
	world.asked[world.count++] = m->name;
	world.flags = flags;
	return m->result;
}

int __wrap_kmod_module_remove_module(struct kmod_module *mod, unsigned int flags)
{
	assert_string_equal(kmod_module_get_name(mod), "acpi_cpufreq");
	assert_int_equal(flags, O_NONBLOCK); /* no waiting, no force */
	world.is_removed = true;
	return -EBUSY;
}

static bool may_ask(void *data, const char *name)
{
	return !data || strcmp(name, data) != 0;
}

static void answered(void *data, const char *name, int result)
{
	size_t len = strlen(world.log);

	(void)data;
	(void)snprintf(world.log + len, sizeof(world.log) - len, "%s %d\n", name, result);
}

static int ask_but_for(const char *alias, const char *other)
{
	char name[32] = "";

	if (other)
		strcpy(name, other);
	return modules_ask(alias,
			   &(struct modules_asker){ may_ask, answered, other ? name : NULL });
}

static int setup(void **state)
{
	static const struct module none[] = { { 0 } };
	int r = setup_tree(state);

	memset(&world, 0, sizeof(world));
	world.t = *state;
	world.modules = none;
	tree_file(world.t, "conf", "");
	return r;
}

#define modules_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown_tree)

/* The administrator's denials count here, as for udev, and -EEXIST is to come through. */
static void asks_as_udev(void **state)
{
	static const struct module modules[] = {
		{ "new", -ENOENT, KMOD_MODULE_LIVE, 0 },
		{ "live", KMOD_MODULE_LIVE, KMOD_MODULE_LIVE, 0 },
		{ "builtin", KMOD_MODULE_BUILTIN, KMOD_MODULE_BUILTIN, 0 },
		{ "coming", KMOD_MODULE_COMING, KMOD_MODULE_LIVE, -EEXIST },
		{ "rival", -ENOENT, -ENOENT, -EEXIST },
		{ "refuses", -ENOENT, KMOD_MODULE_LIVE, -ENODEV },
		{ "denied", -ENOENT, -ENOENT, KMOD_PROBE_APPLY_BLACKLIST },
		{ 0 },
	};

	(void)state;
	world.modules = modules;
	tree_file(world.t, "conf",
		  "alias cpu new\nalias cpu live\nalias cpu builtin\nalias cpu coming\n"
		  "alias cpu rival\nalias cpu refuses\nalias cpu denied\nalias cpu passed_over\n");
	assert_int_equal(ask_but_for("cpu", "passed_over"), 0);
	assert_int_equal(world.flags, KMOD_PROBE_APPLY_BLACKLIST | KMOD_PROBE_FAIL_ON_LOADED);
	assert_false(was_asked("live"));
	assert_false(was_asked("builtin"));
	assert_int_equal(world.count, 5);
	assert_non_null(strstr(world.log, "new 0\n"));
	assert_non_null(strstr(world.log, "live 1\n"));
	assert_non_null(strstr(world.log, "builtin 1\n"));
	assert_non_null(strstr(world.log, "coming 0\n"));
	assert_non_null(strstr(world.log, "rival -17\n"));
	assert_non_null(strstr(world.log, "refuses -19\n"));
	assert_non_null(strstr(world.log, "denied 2\n"));
	assert_null(strstr(world.log, "passed_over"));
}

/* Two patterns fit one device. */
static void each_once(void **state)
{
	static const struct module modules[] = {
		{ "one", -ENOENT, -ENOENT, -ENODEV },
		{ "two", -ENOENT, -ENOENT, -ENODEV },
		{ 0 },
	};

	(void)state;
	world.modules = modules;
	tree_file(world.t, "conf", "alias c* one\nalias cp* two\nalias cpu* one\n");
	assert_int_equal(ask_but_for("cpu", NULL), 0);
	assert_int_equal(world.count, 2);
	assert_true(was_asked("one"));
	assert_true(was_asked("two"));
}

static void nothing_to_ask(void **state)
{
	(void)state;
	assert_int_equal(ask_but_for("cpu", NULL), 0);
	assert_string_equal(world.log, "");
	world.load_result = -EIO;
	assert_int_equal(ask_but_for("cpu", NULL), -EIO);
	world.is_out_of_memory = true;
	assert_int_equal(ask_but_for("cpu", NULL), -ENOMEM);
	assert_int_equal(world.count, 0);
}

/* What we ask for by name ourselves; a deny list is for aliases. */
static void by_name(void **state)
{
	static const struct module modules[] = {
		{ "acpi_cpufreq", -ENOENT, KMOD_MODULE_LIVE, -EEXIST },
		{ "pcc_cpufreq", -ENOENT, -ENOENT, KMOD_PROBE_APPLY_BLACKLIST },
		{ "longrun", -ENOENT, KMOD_MODULE_LIVE, 0 },
		{ 0 },
	};

	(void)state;
	world.modules = modules;
	assert_int_equal(modules_insert("acpi_cpufreq"), -EEXIST);
	assert_int_equal(world.flags, KMOD_PROBE_FAIL_ON_LOADED);
	assert_int_equal(modules_insert("pcc_cpufreq"), -ECANCELED);
	assert_int_equal(modules_insert("longrun"), 0);
	assert_int_equal(modules_remove("acpi_cpufreq"), -EBUSY);
	assert_true(world.is_removed);
	world.is_out_of_memory = true;
	assert_int_equal(modules_insert("longrun"), -ENOMEM);
	assert_int_equal(modules_remove("acpi_cpufreq"), -ENOMEM);
	assert_int_equal(world.count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		modules_test(asks_as_udev),
		modules_test(each_once),
		modules_test(nothing_to_ask),
		modules_test(by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
