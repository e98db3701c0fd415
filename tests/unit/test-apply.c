// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The effects and their order, on a made-up machine that is taken for the running one: what asks
 * the kernel for a module, and what asks whether the root is live, are this file's own here.
 * Nothing is loaded, and nothing outside of the tree is written.
 *
 * The machine comes from $MAKE_MACHINE and $APPLY_MACHINE.
 */
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "apply.h"
#include "drivers.h"
#include "guard.h"
#include "memtext.h"
#include "modconf.h"
#include "once.h"
#include "root.h"
#include "state.h"
#include "testlib.h"

#define BOOT_ID_PATH "proc/sys/kernel/random/boot_id"
#define POLICY_PATH  "sys/devices/system/cpu/cpufreq/policy0"
#define DRIVER_PATH  POLICY_PATH "/scaling_driver"
#define CALLS_MAX    16

/* What the kernel will say, and what happens by it. */
struct answer {
	const char *name;
	int result;
	const char *driver; /* that is in charge from then on */
	bool is_live;
};

static struct world {
	struct tree t;
	char base[80];
	bool is_live_root, is_chroot, may_load;
	const char *read_only;  /* no file of this name is made any more */
	unsigned int text_left; /* so many texts, and there is no memory for that one */
	int remove_result;
	const struct answer *answers;
	char inserted[CALLS_MAX][64], removed[CALLS_MAX][64];
	size_t insert_count, remove_count;
	char *log, *out;
} world;

int __wrap_root_is_live(int rootfd);
bool __wrap_root_is_chroot(void);
bool __wrap_guard_may_load(void);
int __wrap_kmod_module_probe_insert_module(struct kmod_module *mod, unsigned int flags,
					   const char *options, const void *run_install,
					   const void *data, const void *print_action);
int __wrap_kmod_module_remove_module(struct kmod_module *mod, unsigned int flags);
int __real_openat(int dir, const char *path, int flags, mode_t mode);
int __wrap_openat(int dir, const char *path, int flags, mode_t mode);
int __wrap_openat64(int dir, const char *path, int flags, mode_t mode);
FILE *__real_text_open(char **ret);
FILE *__wrap_text_open(char **ret);

int __wrap_root_is_live(int rootfd)
{
	(void)rootfd;
	return world.is_live_root;
}

bool __wrap_root_is_chroot(void)
{
	return world.is_chroot;
}

bool __wrap_guard_may_load(void)
{
	return world.may_load;
}

int __wrap_openat(int dir, const char *path, int flags, mode_t mode)
{
	if (world.read_only && (flags & O_CREAT) && strstr(path, world.read_only)) {
		errno = EROFS;
		return -1;
	}
	return __real_openat(dir, path, flags, mode);
}

/* What it is called where files may be large. */
int __wrap_openat64(int dir, const char *path, int flags, mode_t mode)
{
	return __wrap_openat(dir, path, flags | O_LARGEFILE, mode);
}

FILE *__wrap_text_open(char **ret)
{
	if (!world.text_left || --world.text_left)
		return __real_text_open(ret);
	*ret = NULL;
	return NULL;
}

static bool has(const char *path, const char *text)
{
	_cleanup_free_ char *content = tree_read(&world.t, path);

	return content && strstr(content, text);
}

static void set_driver(const char *driver)
{
	if (driver)
		tree_file(&world.t, DRIVER_PATH, driver);
}

/* Before the kernel is asked all must be written down, or a hang would be asked for again. */
static void is_written_down(const char *name)
{
	char text[128], path[96];
	int fd;

	(void)snprintf(text, sizeof(text), "%s:", name);
	assert_true(has(STATE_PATH, text));
	(void)snprintf(text, sizeof(text), "%s:%s:pending", name,
		       has("etc/initrd-release", "") ? "initrd" : "host");
	if (!has(STATE_PATH, text))
		fail_msg("the state does not say %s", text);
	assert_true(has(MODCONF_BOOT_PATH, "# Made by cpufreq-resolve"));
	(void)snprintf(path, sizeof(path), "%s/" GUARD_LOCK_PATH, world.t.path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	close(fd);
}

int __wrap_kmod_module_probe_insert_module(struct kmod_module *mod, unsigned int flags,
					   const char *options, const void *run_install,
					   const void *data, const void *print_action)
{
	const char *name = kmod_module_get_name(mod);

	(void)options, (void)run_install, (void)data, (void)print_action;
	/* -EEXIST is to come through, and a deny list is for aliases. */
	assert_int_equal(flags, KMOD_PROBE_FAIL_ON_LOADED);
	assert_true(world.insert_count < CALLS_MAX);
	(void)snprintf(world.inserted[world.insert_count++], 64, "%s", name);
	is_written_down(name);
	for (const struct answer *a = world.answers; a && a->name; a++) {
		char path[96];

		if (strcmp(a->name, name) != 0)
			continue;
		set_driver(a->driver);
		(void)snprintf(path, sizeof(path), "sys/module/%s/initstate", name);
		if (a->is_live)
			tree_file(&world.t, path, "live\n");
		return a->result;
	}
	fail_msg("nobody was to ask for %s", name);
	return -EINVAL;
}

int __wrap_kmod_module_remove_module(struct kmod_module *mod, unsigned int flags)
{
	const char *name = kmod_module_get_name(mod);
	char path[96];

	assert_true(flags & O_NONBLOCK);
	assert_false(flags & O_TRUNC); /* never by force */
	assert_true(world.remove_count < CALLS_MAX);
	(void)snprintf(world.removed[world.remove_count++], 64, "%s", name);
	if (world.remove_result)
		return world.remove_result;
	/* With the driver its policies go. */
	tree_unlink(&world.t, DRIVER_PATH);
	assert_int_equal(unlinkat(world.t.fd, POLICY_PATH, AT_REMOVEDIR), 0);
	(void)snprintf(path, sizeof(path), "sys/module/%s/initstate", name);
	tree_unlink(&world.t, path);
	return 0;
}

static void run_program(const char *a, const char *b, const char *c, const char *d)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		execlp(a, a, b, c, d, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static struct tree base;

static int make_base(void **state)
{
	const char *tool = getenv("MAKE_MACHINE"), *spec = getenv("APPLY_MACHINE");
	char kernel[128];

	(void)state;
	if (!tool || !spec)
		return -1;
	tree_make(&base);
	(void)snprintf(world.base, sizeof(world.base), "%s/root", base.path);
	run_program(tool, spec, world.base, NULL);
	/* Only the indexes are read, and the rest would be copied for every test. */
	(void)snprintf(kernel, sizeof(kernel), "%s/lib/modules/6.1.0-57-amd64/kernel", world.base);
	run_program("rm", "-r", kernel, NULL);
	return 0;
}

static int remove_base(void **state)
{
	(void)state;
	tree_remove(&base);
	return 0;
}

static int setup(void **state)
{
	char from[96];

	(void)state;
	tree_make(&world.t);
	(void)snprintf(from, sizeof(from), "%s/.", world.base);
	run_program("cp", "-a", from, world.t.path);
	world.is_live_root = world.may_load = true;
	world.is_chroot = false;
	world.read_only = NULL;
	world.text_left = 0;
	world.remove_result = 0;
	world.answers = NULL;
	world.insert_count = world.remove_count = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_remove(&world.t);
	free(world.log);
	free(world.out);
	world.log = world.out = NULL;
	return 0;
}

/* One run; the log and the output are in world afterwards. */
static int run(struct apply_options options)
{
	size_t log_len, out_len;
	int r;

	free(world.log);
	free(world.out);
	options.log = open_memstream(&world.log, &log_len);
	options.out = open_memstream(&world.out, &out_len);
	assert_non_null(options.log);
	assert_non_null(options.out);
	r = apply_run(world.t.fd, &options);
	fclose(options.log);
	fclose(options.out);
	return r;
}

#define plain() run((struct apply_options){ 0 })
#define late()  run((struct apply_options){ .is_late = true })

static void inserted(const char *a, const char *b)
{
	size_t expected = (a != NULL) + (b != NULL);

	if (world.insert_count != expected)
		print_error("%zu loads; log:\n%s", world.insert_count, world.log);
	assert_int_equal(world.insert_count, expected);
	if (a)
		assert_string_equal(world.inserted[0], a);
	if (b)
		assert_string_equal(world.inserted[1], b);
	world.insert_count = 0;
}

static bool denies(const char *name)
{
	char text[96];

	(void)snprintf(text, sizeof(text), "\nblacklist %s\n", name);
	return has(MODCONF_BOOT_PATH, text);
}

static void logged(const char *text)
{
	if (!strstr(world.log, text))
		fail_msg("the log has no \"%s\":\n%s", text, world.log);
}

/* Every line of the log says who speaks: it goes into the journal among those of others. */
static void log_is_whole(void)
{
	for (const char *s = world.log; *s; s = strchr(s, '\n') + 1) {
		assert_int_equal(strncmp(s, "cpufreq-resolve: ", 17), 0);
		assert_non_null(strchr(s, '\n'));
	}
}

static void state_says(const char *text)
{
	_cleanup_free_ char *content = tree_read(&world.t, STATE_PATH);

	if (!content || !strstr(content, text))
		fail_msg("the state has no \"%s\":\n%s", text, content ? content : "(none)");
}

static bool is_there(const char *path)
{
	struct stat st;

	return fstatat(world.t.fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* What came of it is said once. What the administrator should mend is said by every run. */
static void said_nothing_new(void)
{
	static const char warning[] = "cpufreq-resolve: driver=";

	if (strncmp(world.log, warning, strlen(warning)) == 0)
		assert_string_equal(strchr(world.log, '\n'), "\n");
	else
		assert_string_equal(world.log, "");
}

/* Runs again and sees that neither file was touched, nor anything asked for, nor said. */
static void nothing_more(bool is_late)
{
	struct stat conf, state, dir, after;

	assert_int_equal(fstatat(world.t.fd, MODCONF_BOOT_PATH, &conf, 0), 0);
	assert_int_equal(fstatat(world.t.fd, STATE_PATH, &state, 0), 0);
	assert_int_equal(fstatat(world.t.fd, "run/modprobe.d", &dir, 0), 0);
	world.insert_count = world.remove_count = 0;
	assert_int_equal(run((struct apply_options){ .is_late = is_late }), 0);
	inserted(NULL, NULL);
	said_nothing_new();
	assert_int_equal(world.remove_count, 0);
	assert_int_equal(fstatat(world.t.fd, MODCONF_BOOT_PATH, &after, 0), 0);
	assert_int_equal(after.st_ino, conf.st_ino);
	assert_int_equal(after.st_mtim.tv_nsec, conf.st_mtim.tv_nsec);
	assert_int_equal(fstatat(world.t.fd, STATE_PATH, &after, 0), 0);
	assert_int_equal(after.st_ino, state.st_ino);
	assert_int_equal(fstatat(world.t.fd, "run/modprobe.d", &after, 0), 0);
	assert_int_equal(after.st_mtim.tv_sec, dir.st_mtim.tv_sec);
	assert_int_equal(after.st_mtim.tv_nsec, dir.st_mtim.tv_nsec);
}

#define ACPI "acpi_cpufreq"
#define PCC  "pcc_cpufreq"

static const struct answer acpi_registers[] = { { ACPI, 0, "acpi-cpufreq\n", true }, { 0 } };
static const struct answer both_enodev[] = { { ACPI, -ENODEV, NULL, false },
					     { PCC, -ENODEV, NULL, false },
					     { 0 } };

static void in_initrd(void)
{
	tree_file(&world.t, "etc/initrd-release", "ID=dracut\n");
}

static void switch_root(void)
{
	tree_unlink(&world.t, "etc/initrd-release");
	world.insert_count = world.remove_count = 0;
}

static void winner_registers(void **state)
{
	(void)state;
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, NULL);
	assert_false(denies(ACPI));
	assert_true(denies(PCC));
	state_says("OUTCOME=in-charge\nDRIVER=acpi-cpufreq\n");
	state_says("ATTEMPTS=\"acpi_cpufreq:host:0\"\n");
	logged("acpi_cpufreq: loaded\n");
	logged("loaded by cpufreq-resolve in the host; denied for this boot: pcc_cpufreq\n");
	log_is_whole();
	nothing_more(false);
	nothing_more(true);
}

static void all_refuse(void **state)
{
	(void)state;
	world.answers = both_enodev;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	assert_true(denies(ACPI));
	assert_true(denies(PCC));
	state_says("OUTCOME=none\nDRIVER=\n");
	state_says("ATTEMPTS=\"acpi_cpufreq:host:19 pcc_cpufreq:host:19\"\n");
	logged("acpi_cpufreq: the kernel said No such device (ENODEV)\n");
	nothing_more(false);
}

static void second_chance(void **state)
{
	static const struct answer second_time[] = { { ACPI, 0, "acpi-cpufreq\n", true }, { 0 } };

	(void)state;
	in_initrd();
	world.answers = both_enodev;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	switch_root();
	assert_int_equal(plain(), 0);
	inserted(NULL, NULL);
	world.answers = second_time;
	assert_int_equal(late(), 0);
	inserted(ACPI, NULL);
	assert_false(denies(ACPI));
	assert_true(denies(PCC));
	state_says("acpi_cpufreq:host:0:late pcc_cpufreq:initrd:19\"");
	nothing_more(true);
	nothing_more(false);
}

static void second_chance_in_vain(void **state)
{
	(void)state;
	world.answers = both_enodev;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	assert_int_equal(late(), 0);
	inserted(ACPI, PCC);
	assert_true(denies(ACPI));
	state_says("acpi_cpufreq:host:19:late pcc_cpufreq:host:19:late");
	nothing_more(true);
}

/* The raw code comes through; with nobody in charge it is no reason to deny anything. */
static void eexist_alone(void **state)
{
	static const struct answer answers[] = { { ACPI, -EEXIST, NULL, false },
						 { PCC, -EEXIST, NULL, false },
						 { 0 } };

	(void)state;
	world.answers = answers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	assert_false(denies(ACPI));
	assert_false(denies(PCC));
	state_says("acpi_cpufreq:host:17 pcc_cpufreq:host:17");
	nothing_more(false);
}

static void eexist_because_of_another(void **state)
{
	static const struct answer answers[] = { { ACPI, -EEXIST, "intel_cpufreq\n", false },
						 { 0 } };

	(void)state;
	world.answers = answers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, NULL);
	assert_true(denies(ACPI));
	assert_true(denies(PCC));
	state_says("DRIVER=intel_cpufreq\n");
}

static void eperm(void **state)
{
	static const struct answer answers[] = { { ACPI, -EPERM, NULL, false },
						 { PCC, -EPERM, NULL, false },
						 { 0 } };

	(void)state;
	world.answers = answers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	assert_true(denies(ACPI));
	assert_true(denies(PCC));
}

static void not_for_good(void **state)
{
	/* EACCES is IMA's, EKEYREJECTED that of module.sig_enforce. */
	static const int errors[] = { EBUSY, ENOMEM, EINTR,   EAGAIN, ENOENT,
				      EIO,   517,    ENOEXEC, EACCES, EKEYREJECTED };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		const struct answer answers[] = { { ACPI, -errors[i], NULL, false },
						  { PCC, -ENODEV, NULL, false },
						  { 0 } };

		if (i) {
			assert_int_equal(teardown(NULL), 0);
			assert_int_equal(setup(NULL), 0);
		}
		world.answers = answers;
		assert_int_equal(plain(), 0);
		inserted(ACPI, PCC);
		assert_false(denies(ACPI));
		assert_true(denies(PCC));
		nothing_more(false);
	}
}

/* Up to Linux 6.3 a refusal can look like success: scaling_driver is believed, not the 0. */
static void zero_is_not_charge(void **state)
{
	static const struct answer answers[] = { { ACPI, 0, NULL, true },
						 { PCC, 0, "pcc-cpufreq\n", true },
						 { 0 } };

	(void)state;
	world.answers = answers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	assert_false(denies(ACPI));
	logged("acpi_cpufreq: loaded, but it is not in charge\n");
	logged("pcc_cpufreq: loaded\n");
	state_says("DRIVER=pcc-cpufreq\n");
	nothing_more(true);
}

/* What libkmod returns for a denied module is positive, and says nothing of the hardware. */
static void positive(void **state)
{
	static const struct answer answers[] = { { ACPI, KMOD_PROBE_APPLY_BLACKLIST, NULL, false },
						 { PCC, KMOD_PROBE_APPLY_BLACKLIST, NULL, false },
						 { 0 } };

	(void)state;
	assert_int_equal(KMOD_PROBE_APPLY_BLACKLIST, 131072);
	world.answers = answers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	assert_false(denies(ACPI));
	assert_false(denies(PCC));
	assert_null(strstr(world.log, "acpi_cpufreq: loaded"));
	nothing_more(false);
}

static void hung_before(void **state)
{
	static const struct answer answers[] = { { PCC, -ENODEV, NULL, false }, { 0 } };

	(void)state;
	world.answers = answers;
	tree_file(&world.t, STATE_PATH,
		  "FORMAT=1\nVERSION=0\nBOOT_ID=5a1e0000-0000-4000-8000-00000000b007\n"
		  "KERNEL=6.1.0-57-amd64\nOUTCOME=try\nDRIVER=\nPOLICY=blacklist\nREASON=\"x\"\n"
		  "ATTEMPTS=\"acpi_cpufreq:initrd:pending\"\n");
	assert_int_equal(plain(), 0);
	inserted(PCC, NULL);
	assert_false(denies(ACPI));
	state_says("acpi_cpufreq:initrd:pending pcc_cpufreq:host:19");
	assert_int_equal(late(), 0);
	inserted(PCC, NULL);
}

static void another_at_work(void **state)
{
	char path[96];
	int fd;

	(void)state;
	tree_file(&world.t, GUARD_LOCK_PATH, "");
	(void)snprintf(path, sizeof(path), "%s/" GUARD_LOCK_PATH, world.t.path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(plain(), 0);
	inserted(NULL, NULL);
	assert_false(is_there(MODCONF_BOOT_PATH));
	assert_false(is_there(STATE_PATH));
	logged("another cpufreq-resolve is at work");
	close(fd);
	world.answers = both_enodev;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
}

static void cannot_write(const char *name, const char *path)
{
	world.read_only = name;
	assert_int_equal(plain(), -EROFS);
	inserted(NULL, NULL);
	logged(path);
	logged("Read-only file system; nothing is loaded\n");
	assert_null(strstr(world.log, "denied for this boot"));
}

static void read_only_run(void **state)
{
	(void)state;
	cannot_write("lock", "/run/cpufreq-resolve/lock: ");
	assert_false(is_there(STATE_PATH));
	assert_false(is_there(MODCONF_BOOT_PATH));
	assert_non_null(strchr(world.log, '\n'));
	assert_string_equal(strchr(world.log, '\n'), "\n"); /* one line */
	cannot_write("state", "/run/cpufreq-resolve/state: ");
	assert_false(is_there(MODCONF_BOOT_PATH));
	cannot_write("cpufreq-resolve-boot.conf", "/run/modprobe.d/cpufreq-resolve-boot.conf: ");
}

static void something_in_the_way(void **state)
{
	(void)state;
	tree_dir(&world.t, STATE_PATH);
	assert_int_equal(plain(), 0); /* the state cannot be read: not known, so nothing is done */
	inserted(NULL, NULL);
	assert_false(is_there(MODCONF_BOOT_PATH));
	logged("not known, so nothing is done: /run/cpufreq-resolve/state");
}

static void no_right_to_load(void **state)
{
	(void)state;
	world.may_load = false;
	assert_int_equal(plain(), -EPERM);
	inserted(NULL, NULL);
	assert_false(is_there("run/cpufreq-resolve"));
	assert_false(is_there(MODCONF_BOOT_PATH));
	logged("CAP_SYS_MODULE");
}

/* What a captured initramfs loaded is no business of the machine that looks at it. */
static void nothing_is_taken_back_elsewhere(void **state)
{
	(void)state;
	in_initrd();
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	switch_root();
	tree_file(&world.t, "etc/modprobe.d/x.conf", "blacklist acpi_cpufreq\n");
	world.is_live_root = false;
	assert_int_equal(plain(), 0);
	assert_int_equal(world.remove_count, 0);
	inserted(NULL, NULL);
}

static void another_root(void **state)
{
	(void)state;
	world.is_live_root = world.may_load = false;
	assert_int_equal(plain(), 0);
	inserted(NULL, NULL);
	assert_true(is_there(MODCONF_BOOT_PATH));
	state_says("OUTCOME=try\n");
	state_says("ATTEMPTS=\"\"\n");
	nothing_more(false);
	/* The same file is there already when it is to be loaded. */
	world.is_live_root = world.may_load = true;
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, NULL);
}

static void modules_disabled(void **state)
{
	(void)state;
	tree_file(&world.t, "proc/sys/kernel/modules_disabled", "1\n");
	assert_int_equal(plain(), 0);
	inserted(NULL, NULL);
	state_says("ATTEMPTS=\"\"\n");
	nothing_more(true);
}

static void dry_run(void **state)
{
	(void)state;
	assert_int_equal(run((struct apply_options){ .is_dry_run = true }), 0);
	inserted(NULL, NULL);
	assert_false(is_there("run/cpufreq-resolve"));
	assert_false(is_there("run/modprobe.d"));
	assert_non_null(strstr(world.out, "would load acpi_cpufreq\n"));
	assert_non_null(strstr(world.out, "would write /" MODCONF_BOOT_PATH ":\n# Made by"));
	tree_file(&world.t, "etc/modprobe.d/x.conf", "options cpufreq_resolve enable=0\n");
	assert_int_equal(run((struct apply_options){ .is_dry_run = true }), 0);
	assert_string_equal(world.out, "would write nothing\n");
}

static void log_a_row(FILE *log, int rootfd, struct facts *facts, bool is_late)
{
	assert_int_equal(rootfd, world.t.fd);
	fprintf(log, "cpufreq-resolve: row of %s%s\n", facts->scaling_driver,
		is_late ? ", late" : "");
}

static void silent_and_loud(void **state)
{
	struct apply_options silent = { .log_rows = log_a_row };

	(void)state;
	world.answers = acpi_registers;
	assert_int_equal(apply_run(world.t.fd, &silent), 0);
	inserted(ACPI, NULL);
	assert_int_equal(run(silent), 0);
	assert_null(strstr(world.log, "row of"));
	assert_int_equal(run((struct apply_options){ .is_verbose = true }), 0);
	logged("is in charge");
	assert_null(strstr(world.log, "row of"));
	silent.is_verbose = true;
	assert_int_equal(run(silent), 0);
	logged("row of acpi-cpufreq\n");
	silent.is_late = true;
	assert_int_equal(run(silent), 0);
	logged("row of acpi-cpufreq, late\n");
	log_is_whole();
}

static void host_goes_on(void **state)
{
	(void)state;
	in_initrd();
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, NULL);
	state_says("acpi_cpufreq:initrd:0");
	switch_root();
	nothing_more(false);
}

/* The image was older than the host's configuration. */
static void taken_back(void **state)
{
	static const char *const lines[] = { "blacklist acpi_cpufreq\n",
					     "install acpi_cpufreq /bin/false\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (i) {
			assert_int_equal(teardown(NULL), 0);
			assert_int_equal(setup(NULL), 0);
		}
		in_initrd();
		world.answers = acpi_registers;
		assert_int_equal(plain(), 0);
		switch_root();
		tree_file(&world.t, "etc/modprobe.d/x.conf", lines[i]);
		world.answers = both_enodev + 1;
		assert_int_equal(plain(), 0);
		assert_int_equal(world.remove_count, 1);
		assert_string_equal(world.removed[0], ACPI);
		inserted(PCC, NULL);
		assert_false(denies(ACPI)); /* the administrator has done that */
		assert_true(denies(PCC));
		state_says("acpi_cpufreq:initrd:0:taken-back pcc_cpufreq:host:19");
		logged("acpi_cpufreq: loaded in the initramfs, forbidden by the host: taken out "
		       "again");
		nothing_more(false);
	}
}

static void not_taken_back(void **state)
{
	static const char *const files[] = { "etc/modprobe.d/x.conf", "etc/modules-load.d/x.conf" };

	(void)state;
	/* in use: it stays, and says so; who asks for it by name keeps it */
	in_initrd();
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	switch_root();
	tree_file(&world.t, files[0], "blacklist acpi_cpufreq\n");
	world.remove_result = -EBUSY;
	assert_int_equal(plain(), 0);
	assert_int_equal(world.remove_count, 1);
	inserted(NULL, NULL);
	logged("it can't be taken out: Device or resource busy");
	state_says("OUTCOME=in-charge\nDRIVER=acpi-cpufreq\n");
	assert_true(denies(PCC));
	world.remove_count = 0;
	tree_file(&world.t, files[1], "acpi-cpufreq\n");
	assert_int_equal(plain(), 0);
	assert_int_equal(world.remove_count, 0);
}

/* What was loaded on the host, or by somebody else, is not ours to take out. */
static void not_ours(void **state)
{
	(void)state;
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, NULL);
	tree_file(&world.t, "etc/modprobe.d/x.conf", "blacklist acpi_cpufreq\n");
	assert_int_equal(plain(), 0);
	assert_int_equal(world.remove_count, 0);
	assert_int_equal(teardown(NULL), 0);
	assert_int_equal(setup(NULL), 0);
	set_driver("acpi-cpufreq\n");
	tree_file(&world.t, "etc/modprobe.d/x.conf", "blacklist acpi_cpufreq\n");
	assert_int_equal(plain(), 0);
	assert_int_equal(world.remove_count, 0);
	inserted(NULL, NULL);
}

static void other_forced(void **state)
{
	static const struct answer answers[] = { { PCC, 0, "pcc-cpufreq\n", true }, { 0 } };

	(void)state;
	in_initrd();
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	switch_root();
	tree_file(&world.t, "etc/modprobe.d/x.conf",
		  "options cpufreq_resolve driver=pcc_cpufreq\n");
	world.answers = answers;
	assert_int_equal(plain(), 0);
	assert_int_equal(world.remove_count, 1);
	inserted(PCC, NULL);
	state_says("DRIVER=pcc-cpufreq\n");
	assert_true(denies(ACPI));
	nothing_more(false);
}

/* Never a machine without the driver it would have had: what was taken out comes back. */
static void other_forced_refuses(void **state)
{
	static const struct answer answers[] = { { PCC, -ENODEV, NULL, false },
						 { ACPI, 0, "acpi-cpufreq\n", true },
						 { 0 } };

	(void)state;
	in_initrd();
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	switch_root();
	tree_file(&world.t, "etc/modprobe.d/x.conf",
		  "options cpufreq_resolve driver=pcc_cpufreq\n");
	world.answers = answers;
	assert_int_equal(plain(), 0);
	inserted(PCC, ACPI);
	state_says("DRIVER=acpi-cpufreq\n");
	logged("driver=pcc_cpufreq was asked for and did not take charge");
	nothing_more(false);
}

/* The host switches us off: what the initramfs wrote goes, what it loaded stays. */
static void switched_off_on_the_host(void **state)
{
	(void)state;
	in_initrd();
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	assert_true(is_there(MODCONF_BOOT_PATH));
	switch_root();
	tree_file(&world.t, "etc/modprobe.d/x.conf", "options cpufreq_resolve enable=0\n");
	assert_int_equal(plain(), 0);
	inserted(NULL, NULL);
	assert_int_equal(world.remove_count, 0);
	assert_false(is_there(MODCONF_BOOT_PATH));
	state_says("OUTCOME=disabled\n");
	state_says("acpi_cpufreq:initrd:0");
	logged("/run/modprobe.d/cpufreq-resolve-boot.conf: removed");
}

static void wanted_on_the_host(void **state)
{
	(void)state;
	in_initrd();
	world.answers = both_enodev;
	assert_int_equal(plain(), 0);
	assert_true(denies(ACPI));
	switch_root();
	tree_file(&world.t, "etc/modules-load.d/x.conf", "acpi-cpufreq\n");
	assert_int_equal(plain(), 0);
	inserted(NULL, NULL);
	assert_false(denies(ACPI));
	assert_true(denies(PCC));
}

static void damaged_state(void **state)
{
	(void)state;
	world.answers = both_enodev;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	tree_file(&world.t, STATE_PATH, "FORMAT=1\n");
	assert_int_equal(plain(), 0);
	inserted(NULL, NULL);
	assert_false(is_there(MODCONF_BOOT_PATH));
	assert_true(has(STATE_PATH, "FORMAT=1\n"));
	assert_false(has(STATE_PATH, "OUTCOME"));
}

static void other_boot(void **state)
{
	(void)state;
	world.answers = both_enodev;
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	tree_file(&world.t, BOOT_ID_PATH, "another\n");
	assert_int_equal(plain(), 0);
	inserted(ACPI, PCC);
	state_says("BOOT_ID=another\n");
	assert_true(has(MODCONF_BOOT_PATH, "boot another kernel"));
}

static void bystanders(void **state)
{
	static const char *const marks[] = { "run/systemd/container", "run/.containerenv",
					     ".dockerenv", "proc/vmcore" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		tree_file(&world.t, marks[i], "x");
		assert_int_equal(plain(), 0);
		logged("nothing is done here\n");
		tree_unlink(&world.t, marks[i]);
	}
	world.is_chroot = true;
	assert_int_equal(plain(), 0);
	logged("this is a chroot; nothing is done here\n");
	world.is_chroot = false;
	tree_file(&world.t, "proc/cmdline", "root=/dev/vda1 elfcorehdr=0x1000\n");
	assert_int_equal(plain(), 0);
	logged("this is a kdump kernel; nothing is done here\n");
	inserted(NULL, NULL);
	assert_false(is_there("run/cpufreq-resolve"));
	assert_false(is_there(MODCONF_BOOT_PATH));
}

static void with_its_governor(void **state)
{
	(void)state;
	tree_file(&world.t, "sys/module/cpufreq/parameters/default_governor", "ondemand\n");
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	assert_true(has(MODCONF_BOOT_PATH, "\nsoftdep acpi_cpufreq post: cpufreq_ondemand\n"));
	tree_file(&world.t, "sys/module/cpufreq/parameters/default_governor", "schedutil\n");
	assert_int_equal(plain(), 0);
	assert_false(has(MODCONF_BOOT_PATH, "softdep"));
}

/* What a parent does with its signals is inherited: it must not cost us the answer of our child. */
static void signals_of_the_parent(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, chld, alrm;
	int r;

	(void)state;
	assert_int_equal(sigaction(SIGCHLD, &ignore, &chld), 0);
	assert_int_equal(sigaction(SIGALRM, &ignore, &alrm), 0);
	world.answers = acpi_registers;
	r = plain();
	assert_int_equal(sigaction(SIGCHLD, &chld, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &alrm, NULL), 0);
	assert_int_equal(r, 0);
	inserted(ACPI, NULL);
}

/*
 * An index whose nodes lie far behind its end: the root itself, which we see, or all children of
 * the root, and then libkmod reads beyond its mapping. No answer then, and no crash of ours.
 */
static void damaged_index(void **state)
{
	static const char *const names[] = { "modules.alias.bin", "modules.dep.bin" };
	/* magic and version, the root's offset, and there: first and last letter, an offset for
	 * each */
	char root_lost[12] = "\xb0\x07\xf4\x57\0\2\0\1\x2f\xff\xff\xf0";
	char children_lost[12 + 2 + 128 * 4] = "\xb0\x07\xf4\x57\0\2\0\1\x20\0\0\x0c\0\x7f";
	struct sigaction deadly = { .sa_handler = SIG_DFL }, segv, bus;

	(void)state;
	/* cmocka's own handlers would go on with the tests in our child. */
	assert_int_equal(sigaction(SIGSEGV, &deadly, &segv), 0);
	assert_int_equal(sigaction(SIGBUS, &deadly, &bus), 0);
	for (size_t i = 14; i < sizeof(children_lost); i += 4)
		memcpy(children_lost + i, root_lost + 8, 4);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(names); i++) {
		char path[96];

		if (i) {
			assert_int_equal(teardown(NULL), 0);
			assert_int_equal(setup(NULL), 0);
		}
		(void)snprintf(path, sizeof(path), "lib/modules/6.1.0-57-amd64/%s", names[i / 2]);
		tree_unlink(&world.t, path);
		if (i % 2)
			tree_bytes(&world.t, path, children_lost, sizeof(children_lost));
		else
			tree_bytes(&world.t, path, root_lost, sizeof(root_lost));
		assert_int_equal(plain(), 0);
		inserted(NULL, NULL);
		assert_false(is_there(MODCONF_BOOT_PATH));
		logged("not known, so nothing is done: /");
	}
	assert_int_equal(sigaction(SIGSEGV, &segv, NULL), 0);
	assert_int_equal(sigaction(SIGBUS, &bus, NULL), 0);
}

static void forced_unoffered(void **state)
{
	static const struct answer answers[] = { { "p4_clockmod", 0, "p4-clockmod\n", true },
						 { 0 } };

	(void)state;
	tree_file(&world.t, "proc/cmdline", "cpufreq_resolve.driver=p4-clockmod\n");
	world.answers = answers;
	assert_int_equal(plain(), 0);
	inserted("p4_clockmod", NULL);
	assert_true(denies(ACPI));
	assert_true(denies(PCC));
}

/* A program of another version has written it: what came of it is said by this one, too. */
static void other_version(void **state)
{
	_cleanup_free_ char *text = NULL;

	(void)state;
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	text = tree_read(&world.t, STATE_PATH);
	assert_non_null(strstr(text, "\nVERSION="));
	strstr(text, "\nVERSION=")[9] = 'x';
	tree_file(&world.t, STATE_PATH, text);
	world.insert_count = 0;
	assert_int_equal(plain(), 0);
	inserted(NULL, NULL);
	logged("loaded by cpufreq-resolve in the host; denied for this boot: pcc_cpufreq\n");
	nothing_more(false);
}

static void switched_off(void **state)
{
	(void)state;
	world.answers = acpi_registers;
	assert_int_equal(plain(), 0);
	inserted(ACPI, NULL);
	tree_file(&world.t, "etc/modprobe.d/x.conf", "options cpufreq_resolve enable=0\n");
	assert_int_equal(plain(), 0);
	assert_int_equal(plain(), 0);
	assert_string_equal(world.log, "");
	/* somebody put it there again */
	tree_file(&world.t, MODCONF_BOOT_PATH, "blacklist acpi_cpufreq\n");
	assert_int_equal(plain(), 0);
	assert_false(is_there(MODCONF_BOOT_PATH));
	logged("/" MODCONF_BOOT_PATH ": removed\n");
	logged("cpufreq-resolve: switched off");
	/* ... and so that it can't be taken away */
	tree_dir(&world.t, MODCONF_BOOT_PATH);
	assert_int_equal(plain(), -EISDIR);
	logged("/" MODCONF_BOOT_PATH ": cannot remove: Is a directory\n");
	inserted(NULL, NULL);
}

static void nameless_boot(void **state)
{
	(void)state;
	tree_unlink(&world.t, BOOT_ID_PATH);
	assert_int_equal(plain(), 0);
	inserted(NULL, NULL);
	assert_false(is_there(MODCONF_BOOT_PATH));
	logged("/" BOOT_ID_PATH ": No data available; expected the id of this boot");
}

/* The rule is there when all else is, or not at all; and whatever is wrong with it is said. */
static void rule_of_scope_cpu(void **state)
{
	(void)state;
	tree_file(&world.t, "etc/modprobe.d/x.conf", "options cpufreq_resolve scope=cpu\n");
	world.answers = acpi_registers;
	world.read_only = "cpufreq-resolve-boot.conf";
	assert_int_equal(plain(), -EROFS);
	assert_false(is_there(ONCE_RULE_PATH));
	inserted(NULL, NULL);
	tree_unlink(&world.t, STATE_PATH);
	world.read_only = "cpufreq-resolve-boot.rules";
	assert_int_equal(plain(), -EROFS);
	assert_false(is_there(ONCE_RULE_PATH));
	assert_true(is_there(MODCONF_BOOT_PATH));
	inserted(ACPI, NULL);
	logged("/" ONCE_RULE_PATH ": cannot write or remove: Read-only file system\n");
	/* nothing else has changed */
	assert_int_equal(plain(), -EROFS);
	logged("/" ONCE_RULE_PATH ": cannot write or remove: Read-only file system\n");
	world.read_only = NULL;
	assert_int_equal(plain(), 0);
	assert_true(has(ONCE_RULE_PATH, "SUBSYSTEM==\"cpu\", KERNEL==\"cpu0\""));
	nothing_more(false);
	/* Without the file of ours the rule is not held up to date, and where it is not wanted it
	 * goes. */
	tree_unlink(&world.t, MODCONF_BOOT_PATH);
	tree_unlink(&world.t, ONCE_RULE_PATH);
	world.read_only = "cpufreq-resolve-boot.conf";
	assert_int_equal(plain(), -EROFS);
	assert_false(is_there(ONCE_RULE_PATH));
	tree_file(&world.t, ONCE_RULE_PATH, "x");
	tree_file(&world.t, "etc/modprobe.d/x.conf", "");
	assert_int_equal(plain(), -EROFS);
	assert_false(is_there(ONCE_RULE_PATH));
	inserted(NULL, NULL);
}

/* Whichever text there is no memory for: one error, said, and no half of a text. */
static void out_of_memory(void **state)
{
	unsigned int failed = 0;

	(void)state;
	for (unsigned int at = 1;; at++) {
		bool is_over;
		int r;

		assert_true(at < 64);
		if (at > 1) {
			assert_int_equal(teardown(NULL), 0);
			assert_int_equal(setup(NULL), 0);
		}
		world.answers = acpi_registers;
		world.text_left = at;
		r = plain();
		is_over = world.text_left;
		assert_null(strstr(world.log, "(null)"));
		if (r == 0) {
			/* but for the summary, which can be left out */
			assert_true(has(STATE_PATH, "OUTCOME=in-charge\n"));
			assert_true(denies(PCC));
		} else {
			assert_int_equal(r, -ENOMEM);
			logged("out of memory; the boot goes on without us\n");
			failed++;
		}
		world.text_left = 1;
		assert_int_equal(run((struct apply_options){ .is_dry_run = true }), -ENOMEM);
		logged("out of memory; the boot goes on without us\n");
		if (is_over)
			break;
	}
	assert_true(failed > 0);
}

#define apply_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		apply_test(winner_registers),
		apply_test(all_refuse),
		apply_test(second_chance),
		apply_test(second_chance_in_vain),
		apply_test(eexist_alone),
		apply_test(eexist_because_of_another),
		apply_test(eperm),
		apply_test(not_for_good),
		apply_test(zero_is_not_charge),
		apply_test(positive),
		apply_test(hung_before),
		apply_test(another_at_work),
		apply_test(read_only_run),
		apply_test(something_in_the_way),
		apply_test(no_right_to_load),
		apply_test(another_root),
		apply_test(nothing_is_taken_back_elsewhere),
		apply_test(modules_disabled),
		apply_test(dry_run),
		apply_test(silent_and_loud),
		apply_test(host_goes_on),
		apply_test(taken_back),
		apply_test(not_taken_back),
		apply_test(not_ours),
		apply_test(other_forced),
		apply_test(other_forced_refuses),
		apply_test(switched_off_on_the_host),
		apply_test(wanted_on_the_host),
		apply_test(damaged_state),
		apply_test(other_boot),
		apply_test(bystanders),
		apply_test(with_its_governor),
		apply_test(forced_unoffered),
		apply_test(other_version),
		apply_test(switched_off),
		apply_test(nameless_boot),
		apply_test(rule_of_scope_cpu),
		apply_test(out_of_memory),
		apply_test(signals_of_the_parent),
		apply_test(damaged_index),
	};

	return cmocka_run_group_tests(tests, make_base, remove_base);
}
