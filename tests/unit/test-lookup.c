// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel's index offers for the devices that are there, what becomes of that in facts, and
 * of a child that asks it. The index is a file of alias lines here, and what it has of modules is
 * this file's own, as are the child's troubles.
 */
#include <dirent.h>
#include <errno.h>
#include <libkmod.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "facts.h"
#include "modules.h"
#include "testlib.h"

#define CPU_MODALIAS  "sys/devices/system/cpu/modalias"
#define ACPI_MODALIAS "sys/bus/acpi/devices/ACPI0007:00/modalias"
#define PCI_DIR       "sys/bus/pci/devices"
#define KERNEL_DIR    "lib/modules/6.12"

static struct world {
	struct tree t;
	const char *present, *builtin; /* names of modules, a blank behind each */
	const char *unnamed;           /* no memory is left for this one */
	bool is_out_of_memory, has_no_index, is_lookup_failing;
	bool is_map_failing, is_fork_failing;
	int interruptions, wait_error;
	bool hangs;            /* ... the index, and the child in it */
	unsigned int alarm_in; /* seconds */
	int mapped;
	unsigned int entry_count; /* of the PCI bus, in the place of the tree's */
	struct facts facts;
	struct modconf_entry lines[4];
} world;

struct kmod_ctx *__real_kmod_new(const char *dir, const char *const *config);
struct kmod_ctx *__wrap_kmod_new(const char *dir, const char *const *config);
int __wrap_kmod_load_resources(struct kmod_ctx *ctx);
int __real_kmod_module_new_from_name(struct kmod_ctx *ctx, const char *name,
				     struct kmod_module **ret);
int __wrap_kmod_module_new_from_name(struct kmod_ctx *ctx, const char *name,
				     struct kmod_module **ret);
int __real_kmod_module_new_from_lookup(struct kmod_ctx *ctx, const char *alias,
				       struct kmod_list **ret);
int __wrap_kmod_module_new_from_lookup(struct kmod_ctx *ctx, const char *alias,
				       struct kmod_list **ret);
const char *__wrap_kmod_module_get_path(const struct kmod_module *mod);
int __wrap_kmod_module_get_initstate(const struct kmod_module *mod);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len);
pid_t __real_fork(void);
pid_t __wrap_fork(void);
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
unsigned int __real_alarm(unsigned int seconds);
unsigned int __wrap_alarm(unsigned int seconds);
struct dirent *__real_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d);
struct dirent *__wrap_readdir64(DIR *d);

/* The index: of its directory libkmod finds nothing, of this file all. */
struct kmod_ctx *__wrap_kmod_new(const char *dir, const char *const *config)
{
	static char path[96];
	static const char *const ours[] = { path, NULL };

	if (world.is_out_of_memory || !config || config[0])
		return NULL;
	(void)snprintf(path, sizeof(path), "%s/index", world.t.path);
	return __real_kmod_new(dir, ours);
}

int __wrap_kmod_load_resources(struct kmod_ctx *ctx)
{
	(void)ctx;
	return world.has_no_index ? -ENOSYS : 0;
}

int __wrap_kmod_module_new_from_name(struct kmod_ctx *ctx, const char *name,
				     struct kmod_module **ret)
{
	if (world.unnamed && strcmp(name, world.unnamed) == 0)
		return -ENOMEM;
	return __real_kmod_module_new_from_name(ctx, name, ret);
}

int __wrap_kmod_module_new_from_lookup(struct kmod_ctx *ctx, const char *alias,
				       struct kmod_list **ret)
{
	/* What is left of the seconds is no matter here: they are over. */
	if (world.hangs && world.alarm_in)
		raise(SIGALRM);
	return world.is_lookup_failing ? -EINVAL :
					 __real_kmod_module_new_from_lookup(ctx, alias, ret);
}

static bool is_among(const char *names, const struct kmod_module *mod)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "%s ", kmod_module_get_name(mod));
	return names && strstr(names, name);
}

const char *__wrap_kmod_module_get_path(const struct kmod_module *mod)
{
	return is_among(world.present, mod) ? "/a/file" : NULL;
}

int __wrap_kmod_module_get_initstate(const struct kmod_module *mod)
{
	return is_among(world.builtin, mod) ? KMOD_MODULE_BUILTIN : KMOD_MODULE_LIVE;
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (world.is_map_failing) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	/* mmap(2): some systems mind the -1, and some processors a page that can't be read. */
	assert_int_equal(prot, PROT_READ | PROT_WRITE);
	assert_int_equal(fd, -1);
	world.mapped++;
	return __real_mmap(addr, len, prot, flags, fd, offset);
}

/* What it is called where files may be large. */
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	return __wrap_mmap(addr, len, prot, flags, fd, offset);
}

int __wrap_munmap(void *addr, size_t len)
{
	world.mapped--;
	return __real_munmap(addr, len);
}

pid_t __wrap_fork(void)
{
	if (!world.is_fork_failing)
		return __real_fork();
	errno = EAGAIN;
	return -1;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	assert_int_equal(options, 0);
	if (world.interruptions > 0) {
		world.interruptions--;
		errno = EINTR;
		return -1;
	}
	if (!world.wait_error)
		return __real_waitpid(pid, status, options);
	assert_int_equal(__real_waitpid(pid, status, options), pid);
	errno = world.wait_error;
	return -1;
}

unsigned int __wrap_alarm(unsigned int seconds)
{
	world.alarm_in = seconds;
	return __real_alarm(seconds);
}

/* Entry by entry: 0001, 0002 and so on. */
struct dirent *__wrap_readdir(DIR *d)
{
	static struct dirent entry;
	static unsigned int count;

	if (!world.entry_count)
		return __real_readdir(d);
	if (count == world.entry_count)
		return NULL;
	(void)snprintf(entry.d_name, sizeof(entry.d_name), "%04u", ++count);
	return &entry;
}

struct dirent *__wrap_readdir64(DIR *d)
{
	return __wrap_readdir(d);
}

static int setup(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	strcpy(world.facts.kernel, "6.12");
	strcpy(world.facts.kernel_dir, KERNEL_DIR);
	world.facts.conf.entries = world.lines;
	tree_make(&world.t);
	tree_dir(&world.t, KERNEL_DIR);
	tree_file(&world.t, "index", "");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_remove(&world.t);
	return 0;
}

/* A variable that nobody sets is to be seen: not to be zero by chance. */
static void __attribute__((noinline)) soil_the_stack(void)
{
	volatile char dirt[16384];

	for (size_t i = 0; i < sizeof(dirt); i++)
		dirt[i] = (char)0xff;
}

static int lookup(void)
{
	int r;

	soil_the_stack();
	r = modules_lookup(world.t.fd, &world.facts);
	assert_int_equal(world.mapped, 0);
	return r;
}

static const struct module_state *row(const char *name)
{
	int i = driver_find(name);

	assert_true(i >= 0);
	return &world.facts.modules[i];
}

static void add_line(enum modconf_kind kind, const char *name, const char *value)
{
	assert_true(world.facts.conf.count < ARRAY_SIZE(world.lines));
	world.lines[world.facts.conf.count++] =
		(struct modconf_entry){ .kind = kind, .name = name, .value = value, .file = "x" };
}

static void all_is_well(void)
{
	assert_string_equal(world.facts.failed, "");
	assert_int_equal(world.facts.failed_error, 0);
}

static void failed(int error, const char *text)
{
	assert_int_equal(world.facts.failed_error, error);
	if (!strstr(world.facts.failed, text))
		fail_msg("\"%s\" is not in: %s", text, world.facts.failed);
}

/* Also the first row, and modules that are in no row. */
static void offered_for_devices(void **state)
{
	(void)state;
	world.present = "acpi_cpufreq pcc_cpufreq ";
	world.builtin = "intel_pstate longrun ";
	tree_file(&world.t, "index",
		  "alias cpu:* acpi_cpufreq\nalias cpu:* coretemp\nalias cpu:* intel_pstate\n"
		  "alias acpi*:ACPI0007:* pcc_cpufreq\n");
	tree_file(&world.t, CPU_MODALIAS, "cpu:type:x86\n");
	tree_file(&world.t, ACPI_MODALIAS, "acpi:ACPI0007:\n");
	tree_file(&world.t, "sys/module/acpi_cpufreq/initstate", "live\n");
	tree_file(&world.t, "sys/module/longrun/initstate", "live\n");
	assert_int_equal(lookup(), 0);
	all_is_well();
	assert_true(world.facts.has_index);
	assert_int_equal(row("acpi_cpufreq")->offers, OFFER_CPU);
	assert_int_equal(row("pcc_cpufreq")->offers, OFFER_ACPI);
	assert_int_equal(row("intel_pstate")->offers, OFFER_CPU);
	assert_int_equal(row("longrun")->offers, 0);
	assert_true(row("acpi_cpufreq")->is_present);
	assert_false(row("acpi_cpufreq")->is_builtin);
	assert_true(row("acpi_cpufreq")->is_live);
	assert_false(row("pcc_cpufreq")->is_live);
	assert_true(row("intel_pstate")->is_builtin);
	assert_false(row("intel_pstate")->is_present);
	assert_true(row("longrun")->is_builtin);
	/* whatever state the running system has it in */
	assert_false(row("longhaul")->is_builtin);
	assert_false(row("longhaul")->is_present);
}

/* As libkmod has it: they hide the index, whatever they offer; a '*' takes a '/' too. */
static void alias_lines(void **state)
{
	(void)state;
	world.present = "acpi_cpufreq pcc_cpufreq longhaul ";
	tree_file(&world.t, "index", "alias cpu:* acpi_cpufreq\n");
	tree_file(&world.t, CPU_MODALIAS, "cpu:type:a/b\n");
	add_line(MODCONF_ALIAS, "cpu:*b", "pcc_cpufreq");
	assert_int_equal(lookup(), 0);
	assert_int_equal(row("acpi_cpufreq")->offers, 0);
	assert_int_equal(row("pcc_cpufreq")->offers, OFFER_CPU);

	memset(world.facts.modules, 0, sizeof(world.facts.modules));
	world.facts.conf.count = 0;
	add_line(MODCONF_BLACKLIST, "cpu:*", "powernow_k8");
	add_line(MODCONF_ALIAS, "acpi:*", "powernow_k8");
	add_line(MODCONF_ALIAS, "cpu:*", "longhaul");
	add_line(MODCONF_ALIAS, "cpu:type:*", "coretemp");
	assert_int_equal(lookup(), 0);
	assert_int_equal(row("acpi_cpufreq")->offers, 0);
	assert_int_equal(row("powernow_k8")->offers, 0);
	assert_int_equal(row("longhaul")->offers, OFFER_CPU);

	memset(world.facts.modules, 0, sizeof(world.facts.modules));
	world.facts.conf.count = 2;
	assert_int_equal(lookup(), 0);
	assert_int_equal(row("acpi_cpufreq")->offers, OFFER_CPU);
	all_is_well();
}

/* A device that is not there offers nothing; one that can't be read might have. */
static void unreadable_modalias(void **state)
{
	(void)state;
	tree_file(&world.t, "sys/devices/system/cpu", "");
	tree_file(&world.t, ACPI_MODALIAS, "");
	assert_int_equal(lookup(), 0);
	all_is_well();
	tree_unlink(&world.t, "sys/devices/system/cpu");
	tree_dir(&world.t, CPU_MODALIAS);
	assert_int_equal(lookup(), 0);
	failed(-EISDIR, "/" CPU_MODALIAS ": Is a directory; expected a device's modalias");
}

/* What the index has for a CPU's alias and does not have as a file. */
static void lost(void **state)
{
	static const char *const names[] = { "intel_pstate", "acpi_cpufreq" };
	char line[64];

	(void)state;
	tree_file(&world.t, CPU_MODALIAS, "cpu:type:x86\n");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		world.facts.failed_error = 0;
		memset(world.facts.modules, 0, sizeof(world.facts.modules));
		(void)snprintf(line, sizeof(line), "alias cpu:* %s\n", names[i]);
		tree_file(&world.t, "index", line);
		assert_int_equal(lookup(), 0);
		failed(-ENODATA, "/" KERNEL_DIR ": No data available; expected modules.dep.bin");
	}
}

static int state_of(enum fact fact)
{
	if (!(world.facts.set.is_known & UINT64_C(1) << fact))
		return -1;
	return fact_is(&world.facts, fact);
}

/* A kernel that has the alias makes the device where firmware has the tables, and only there. */
static void platform_devices(void **state)
{
	struct module_state *modules = world.facts.modules;

	(void)state;
	world.present = "acpi_cpufreq pcc_cpufreq loongson3_cpufreq ";
	tree_file(&world.t, "index",
		  "alias platform:acpi-cpufreq acpi_cpufreq\n"
		  "alias platform:pcc-cpufreq pcc_cpufreq\n"
		  "alias platform:loongson3_cpufreq loongson3_cpufreq\n");
	fact_put(&world.facts, FACT_PROLIANT, true);
	fact_put(&world.facts, FACT_OOB, false);
	fact_put(&world.facts, FACT_ORACLE, false);
	/* nobody has shown the bus */
	assert_int_equal(lookup(), 0);
	assert_true(row("acpi_cpufreq")->has_platform_alias);
	assert_int_equal(row("acpi_cpufreq")->offers, 0);
	assert_int_equal(state_of(FACT_PSS), -1);
	assert_int_equal(state_of(FACT_FIRMWARE_OWNS), -1);
	/* none is there: what follows from it is known then */
	world.facts.has_platform_bus = true;
	assert_int_equal(lookup(), 0);
	assert_int_equal(row("acpi_cpufreq")->offers, 0);
	assert_int_equal(state_of(FACT_PSS), 0);
	assert_int_equal(state_of(FACT_PCCH), 0);
	assert_int_equal(state_of(FACT_SCALEFREQ), 0);
	assert_int_equal(state_of(FACT_FIRMWARE_OWNS), 1);
	/* all are */
	for (size_t i = 0; i < driver_count; i++)
		modules[i].has_device = drivers[i].device;
	assert_int_equal(lookup(), 0);
	assert_int_equal(row("acpi_cpufreq")->offers, OFFER_PLATFORM);
	assert_int_equal(row("pcc_cpufreq")->offers, OFFER_PLATFORM);
	assert_int_equal(row("loongson3_cpufreq")->offers, OFFER_PLATFORM);
	assert_int_equal(state_of(FACT_PSS), 1);
	assert_int_equal(state_of(FACT_PCCH), 1);
	assert_int_equal(state_of(FACT_SCALEFREQ), 1);
	assert_int_equal(state_of(FACT_FIRMWARE_OWNS), 0);
	all_is_well();
	/* an index without these aliases is of an older kernel, and one that fails says nothing */
	world.is_lookup_failing = true;
	world.facts.set.is_known = 0;
	assert_int_equal(lookup(), 0);
	assert_false(row("acpi_cpufreq")->has_platform_alias);
	assert_int_equal(state_of(FACT_PSS), -1);
}

/* Rows of another processor are passed over, those behind them not. */
static void foreign_rows(void **state)
{
	(void)state;
	world.present = "acpi_cpufreq loongson3_cpufreq cpufreq_dt ";
	fact_put(&world.facts, FACT_X86, false);
	assert_int_equal(lookup(), 0);
	assert_false(row("acpi_cpufreq")->is_present);
	assert_true(row("loongson3_cpufreq")->is_present);
	assert_true(row("cpufreq_dt")->is_present);
}

static void pci_devices(void **state)
{
	(void)state;
	tree_file(&world.t, "index",
		  "alias pci:one gx_suspmod\nalias pci:two cpufreq_nforce2\n"
		  "alias pci:* acpi_cpufreq\n");
	tree_file(&world.t, PCI_DIR "/0000:00:00.0/modalias", "pci:one\n");
	tree_file(&world.t, PCI_DIR "/0000:00:00.1/modalias", "pci:two\n");
	tree_file(&world.t, PCI_DIR "/.0000:00:00.2/modalias", "pci:three\n");
	/* not looked at where no module is for one */
	world.present = "acpi_cpufreq ";
	assert_int_equal(lookup(), 0);
	assert_int_equal(row("gx_suspmod")->offers, 0);
	assert_int_equal(row("acpi_cpufreq")->offers, 0);
	world.present = "acpi_cpufreq gx_suspmod cpufreq_nforce2 ";
	tree_file(&world.t, "index",
		  "alias pci:one gx_suspmod\nalias pci:two cpufreq_nforce2\n"
		  "alias pci:three acpi_cpufreq\n");
	assert_int_equal(lookup(), 0);
	assert_int_equal(row("gx_suspmod")->offers, OFFER_PCI);
	assert_int_equal(row("cpufreq_nforce2")->offers, OFFER_PCI);
	assert_int_equal(row("acpi_cpufreq")->offers, 0);
	all_is_well();
}

/* So many are enough, and no more are looked at. */
static void too_many_pci_devices(void **state)
{
	(void)state;
	world.present = "gx_suspmod cpufreq_nforce2 ";
	tree_file(&world.t, "index", "alias pci:one gx_suspmod\nalias pci:two cpufreq_nforce2\n");
	tree_file(&world.t, PCI_DIR "/4096/modalias", "pci:one\n");
	tree_file(&world.t, PCI_DIR "/4097/modalias", "pci:two\n");
	world.entry_count = 4098;
	assert_int_equal(lookup(), 0);
	assert_int_equal(row("gx_suspmod")->offers, OFFER_PCI);
	assert_int_equal(row("cpufreq_nforce2")->offers, 0);
	all_is_well();
}

/* Whoever only opens a fifo waits for its other end. */
static void no_pci_bus(void **state)
{
	(void)state;
	world.present = "gx_suspmod ";
	assert_int_equal(lookup(), 0);
	tree_fifo(&world.t, PCI_DIR);
	assert_int_equal(lookup(), 0);
	all_is_well();
}

static void governor(void **state)
{
	(void)state;
	world.present = "cpufreq_ondemand ";
	assert_int_equal(lookup(), 0);
	assert_false(world.facts.has_governor_module);
	strcpy(world.facts.governor, "performance");
	assert_int_equal(lookup(), 0);
	assert_false(world.facts.has_governor_module);
	strcpy(world.facts.governor, "ondemand");
	assert_int_equal(lookup(), 0);
	assert_true(world.facts.has_governor_module);
	world.unnamed = "cpufreq_ondemand";
	assert_int_equal(lookup(), 0);
	assert_false(world.facts.has_governor_module);
}

static void out_of_memory(void **state)
{
	(void)state;
	world.present = "acpi_cpufreq ";
	world.unnamed = "acpi_cpufreq";
	assert_int_equal(lookup(), 0);
	assert_false(row("acpi_cpufreq")->is_present);
	world.is_out_of_memory = true;
	assert_int_equal(lookup(), -ENOMEM);
	world.is_out_of_memory = false;
	world.is_map_failing = true;
	assert_int_equal(lookup(), -ENOMEM);
	all_is_well();
}

static void no_index(void **state)
{
	(void)state;
	world.has_no_index = true;
	assert_int_equal(lookup(), 0);
	assert_false(world.facts.has_index);
	failed(-ENOENT, "/" KERNEL_DIR ": No such file or directory; expected the module indexes");
}

/* Nothing to look for, and nobody to do it. */
static void no_kernel(void **state)
{
	(void)state;
	world.facts.kernel[0] = '\0';
	world.is_map_failing = true;
	assert_int_equal(lookup(), 0);
	assert_false(world.facts.has_index);
	all_is_well();
}

static void no_child(void **state)
{
	(void)state;
	world.is_fork_failing = true;
	assert_int_equal(lookup(), 0);
	assert_false(world.facts.has_index);
	failed(-EAGAIN, "; expected a child process that asks its indexes");
}

static void waits_for_the_child(void **state)
{
	(void)state;
	world.interruptions = 2;
	assert_int_equal(lookup(), 0);
	assert_int_equal(world.interruptions, 0);
	assert_true(world.facts.has_index);
	all_is_well();
	world.facts.has_index = false;
	world.wait_error = ECHILD;
	assert_int_equal(lookup(), 0);
	assert_false(world.facts.has_index);
	failed(-ECHILD, "; expected a child process that asks its indexes");
}

/* An index in a circle: the alarm ends the child, whatever its parent does with signals. */
static void hangs(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	sigset_t set, old;
	int r;

	(void)state;
	tree_file(&world.t, CPU_MODALIAS, "cpu:type:x86\n");
	world.hangs = true;
	assert_int_equal(sigaction(SIGALRM, &ignore, &before), 0);
	r = lookup();
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	assert_int_equal(r, 0);
	assert_false(world.facts.has_index);
	failed(-EBADMSG, "/" KERNEL_DIR ": Bad message; expected undamaged module indexes");

	world.facts.failed_error = 0;
	assert_int_equal(sigemptyset(&set), 0);
	assert_int_equal(sigaddset(&set, SIGALRM), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &old), 0);
	r = lookup();
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	assert_int_equal(r, 0);
	assert_false(world.facts.has_index);
	failed(-EBADMSG, "/" KERNEL_DIR ": Bad message; expected undamaged module indexes");
}

#define lookup_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		lookup_test(offered_for_devices), lookup_test(alias_lines),
		lookup_test(unreadable_modalias), lookup_test(lost),
		lookup_test(platform_devices),    lookup_test(foreign_rows),
		lookup_test(pci_devices),         lookup_test(too_many_pci_devices),
		lookup_test(no_pci_bus),          lookup_test(governor),
		lookup_test(out_of_memory),       lookup_test(no_index),
		lookup_test(no_kernel),           lookup_test(no_child),
		lookup_test(waits_for_the_child), lookup_test(hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
