// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scope=cpu: who is asked for, what is written down, and when udev is left to do it itself. The
 * kernel's part, and whether the root is live, are this file's own. Nothing is loaded.
 */
#include <errno.h>
#include <string.h>

#include "load.h"
#include "memtext.h"
#include "modules.h"
#include "refusals.h"
#include "state.h"
#include "testlib.h"

#define CPU_ALIAS "cpu:type:x86"
#define SCOPE     "options cpufreq_resolve scope=cpu\n"

/* What the alias offers, and what becomes of each. */
struct answer {
	const char *name;
	int result;
};

static struct {
	const struct answer *answers;
	int result; /* of the whole */
	bool is_live_root;
	bool is_state_lost, is_text_lost, is_text_cut; /* no memory for it */
	const struct tree *in_the_way; /* of the refusals: a folder is made there while it asks */
	char asked[256];
	char *log;
} world;

int __wrap_root_is_live(int rootfd);
bool __wrap_root_is_chroot(void);
bool __wrap_guard_may_load(void);
int __wrap_modules_ask(const char *alias, const struct modules_asker *asker);
int __real_state_load(int rootfd, struct facts *facts, struct state *ret);
int __wrap_state_load(int rootfd, struct facts *facts, struct state *ret);
FILE *__real_text_open(char **ret);
FILE *__wrap_text_open(char **ret);
int __real_text_end(FILE *out, char *const *text);
int __wrap_text_end(FILE *out, char *const *text);

int __wrap_root_is_live(int rootfd)
{
	(void)rootfd;
	return world.is_live_root;
}

bool __wrap_root_is_chroot(void)
{
	return false;
}

bool __wrap_guard_may_load(void)
{
	return true;
}

int __wrap_state_load(int rootfd, struct facts *facts, struct state *ret)
{
	return world.is_state_lost ? -ENOMEM : __real_state_load(rootfd, facts, ret);
}

FILE *__wrap_text_open(char **ret)
{
	if (!world.is_text_lost)
		return __real_text_open(ret);
	*ret = NULL;
	return NULL;
}

/* Once: the next text is whole again. */
int __wrap_text_end(FILE *out, char *const *text)
{
	int r = __real_text_end(out, text);

	if (!world.is_text_cut)
		return r;
	world.is_text_cut = false;
	return -ENOMEM;
}

int __wrap_modules_ask(const char *alias, const struct modules_asker *asker)
{
	assert_true(alias[0]);
	if (world.in_the_way)
		tree_dir(world.in_the_way, REFUSALS_PATH);
	for (const struct answer *a = world.answers; a && a->name && !world.result; a++) {
		/* A name stands for itself alone: the second chance. */
		if (strcmp(alias, CPU_ALIAS) != 0 && strcmp(alias, a->name) != 0)
			continue;
		if (!asker->may_ask(asker->data, a->name))
			continue;
		strcat(strcat(world.asked, a->name), " ");
		asker->answered(asker->data, a->name, a->result);
	}
	return world.result;
}

static int setup(void **state)
{
	static struct tree t;

	tree_make(&t);
	tree_file(&t, "proc/cmdline", "quiet\n");
	tree_file(&t, "proc/sys/kernel/osrelease", "6.12\n");
	tree_file(&t, "proc/sys/kernel/random/boot_id", "BOOT\n");
	tree_file(&t, "etc/modprobe.d/x.conf", SCOPE);
	tree_dir(&t, "sys/devices/system/cpu");
	memset(&world, 0, sizeof(world));
	world.is_live_root = true;
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	tree_remove(*state);
	free(world.log);
	return 0;
}

/* What is not flushed yet would stand in one entry of /dev/kmsg with the next line, or nowhere. */
static void close_log(FILE *log, const size_t *len)
{
	size_t flushed = *len;

	fclose(log);
	assert_int_equal(*len, flushed);
}

static int run(const struct tree *t, const struct answer *answers)
{
	size_t len = 0;
	FILE *log;
	int r;

	free(world.log);
	log = open_memstream(&world.log, &len);
	assert_non_null(log);
	world.asked[0] = '\0';
	world.answers = answers;
	r = load_run(t->fd, CPU_ALIAS, "cpu0", log);
	close_log(log, &len);
	return r;
}

static bool file_has(const struct tree *t, const char *text)
{
	_cleanup_free_ char *content = tree_read(t, REFUSALS_PATH);

	return content && strstr(content, text);
}

/* The answers of one emulated Xeon, in the initramfs, and then those of its host. */
static void once_over_the_whole_boot(void **state)
{
	static const struct answer answers[] = {
		{ "aesni_intel", MODULES_WAS_THERE },
		{ "kvm_amd", MODULES_DENIED },
		{ "coretemp", 0 },
		{ "skx_edac", -ENODEV },
		{ "amd64_edac", -EBUSY },
		{ 0 },
	};
	const struct tree *t = *state;

	tree_file(t, "etc/initrd-release", "ID=x\n");
	assert_int_equal(run(t, answers), 0);
	assert_string_equal(world.asked, "aesni_intel kvm_amd coretemp skx_edac amd64_edac ");
	assert_string_equal(world.log,
			    "cpufreq-resolve: cpu0 asks for all: 1 modules loaded, 1 there before, "
			    "1 denied, 0 refused earlier; refused: skx_edac ENODEV, amd64_edac "
			    "EBUSY\n");
	assert_true(file_has(t, "\nskx_edac initrd 19\n"));
	assert_true(file_has(t, "\namd64_edac initrd 16\n"));
	assert_false(file_has(t, "coretemp"));
	assert_false(file_has(t, "kvm_amd"));

	/* Refused for good is not asked for again; what was busy is. */
	tree_unlink(t, "etc/initrd-release");
	assert_int_equal(run(t, answers), 0);
	assert_string_equal(world.asked, "aesni_intel kvm_amd coretemp amd64_edac ");
	assert_true(file_has(t, "\nskx_edac initrd 19\n"));
	assert_true(file_has(t, "\namd64_edac host 16\n"));
}

static void loaded_in_the_end(void **state)
{
	static const struct answer busy[] = { { "x", -EBUSY }, { 0 } },
				   there[] = { { "x", 0 }, { 0 } };
	const struct tree *t = *state;

	assert_int_equal(run(t, busy), 0);
	assert_true(file_has(t, "\nx host 16\n"));
	assert_int_equal(run(t, there), 0);
	assert_null(tree_read(t, REFUSALS_PATH));
}

static void another_boot(void **state)
{
	static const struct answer answers[] = { { "x", -ENODEV }, { 0 } };
	const struct tree *t = *state;

	assert_int_equal(run(t, answers), 0);
	tree_file(t, "proc/sys/kernel/random/boot_id", "NEXT\n");
	assert_int_equal(run(t, answers), 0);
	assert_string_equal(world.asked, "x ");
}

/* Whatever is wrong with us, udev is told so, and loads as it always did. */
static void is_left_to_udev(const struct tree *t, int error, const char *why)
{
	static const struct answer answers[] = { { "x", -ENODEV }, { 0 } };

	assert_int_equal(run(t, answers), error);
	assert_string_equal(world.asked, "");
	if (!strstr(world.log, why) || !strstr(world.log, "left to udev"))
		fail_msg("not \"%s\": %s", why, world.log);
}

static void left_to_udev(void **state)
{
	const struct tree *t = *state;

	tree_file(t, "etc/modprobe.d/x.conf", "options cpufreq_resolve scope=cpufreq\n");
	is_left_to_udev(t, -EPERM, "scope=cpu is not set");
	tree_file(t, "etc/modprobe.d/x.conf", "options cpufreq_resolve scope=cpu enable=0\n");
	is_left_to_udev(t, -EPERM, "switched off");
	tree_file(t, "etc/modprobe.d/x.conf", SCOPE);
	tree_link(t, "etc/udev/rules.d/79-cpufreq-resolve-boot.rules", "/dev/null");
	is_left_to_udev(t, -EPERM, "switched off");
	tree_unlink(t, "etc/udev/rules.d/79-cpufreq-resolve-boot.rules");
	tree_file(t, "proc/vmcore", "");
	is_left_to_udev(t, -EPERM, "kdump");
	tree_unlink(t, "proc/vmcore");
	world.is_live_root = false;
	is_left_to_udev(t, -EPERM, "not the running system");
	world.is_live_root = true;
	world.result = -ENOENT;
	is_left_to_udev(t, -ENOENT, "No such file");
	world.result = 0;
	tree_file(t, REFUSALS_PATH, "# cpufreq-resolve 1 boot BOOT kernel 6.12\njunk\n");
	is_left_to_udev(t, -EINVAL, "Invalid argument");
	tree_unlink(t, "proc/sys/kernel/random/boot_id");
	is_left_to_udev(t, -EPERM, "has no name");
}

/* What the administrator denies may stand in what could not be read. */
static void unreadable_configuration(void **state)
{
	const struct tree *t = *state;

	tree_link(t, "etc/modprobe.d/y.conf", "y.conf");
	is_left_to_udev(t, -EPERM, "/etc/modprobe.d/y.conf: ");
}

/* Found by tests/faults: libkmod goes on without the denials that it could not read. */
static void denied(void **state)
{
	static const struct answer answers[] = { { "x_y", 0 }, { "x_z", 0 }, { "x", 0 }, { 0 } };
	const struct tree *t = *state;

	tree_file(t, "etc/modprobe.d/y.conf", "blacklist x-y\n");
	tree_file(t, "proc/cmdline", "modprobe.blacklist=x_z\n");
	assert_int_equal(run(t, answers), 0);
	assert_string_equal(world.asked, "x ");
	assert_non_null(strstr(world.log, "1 modules loaded, 0 there before, 2 denied"));
}

static int again(const struct tree *t, const struct answer *answers)
{
	_cleanup_(facts_free) struct facts facts = { 0 };
	size_t len = 0;
	FILE *log;
	int r;

	free(world.log);
	log = open_memstream(&world.log, &len);
	assert_non_null(log);
	world.asked[0] = '\0';
	world.answers = answers;
	assert_int_equal(facts_gather(t->fd, &facts), 0);
	r = load_again(t->fd, &facts, log);
	close_log(log, &len);
	return r;
}

/* 517 is EPROBE_DEFER, of the kernel alone. A module that needs what appears later gets its chance,
 * and gets it once. */
static void second_chance(void **state)
{
	static const struct answer first[] = {
		{ "gone", -ENODEV },
		{ "busy", -EBUSY },
		{ "defer", -517 },
		{ 0 },
	};
	static const struct answer second[] = {
		{ "gone", 0 },
		{ "busy", -EBUSY },
		{ "defer", 0 },
		{ 0 },
	};
	const struct tree *t = *state;

	assert_int_equal(run(t, first), 0);
	assert_int_equal(again(t, second), 0);
	assert_string_equal(world.asked, "busy defer ");
	assert_string_equal(world.log, "cpufreq-resolve: second chance: 1 modules loaded; "
				       "refused: busy EBUSY\n");
	assert_true(file_has(t, "\nbusy host 16 late\n"));
	assert_true(file_has(t, "\ngone host 19\n"));
	assert_false(file_has(t, "defer"));
	assert_int_equal(again(t, second), 0);
	assert_string_equal(world.asked, "");
	assert_string_equal(world.log, "");
}

/* The first in the list, too; and what came of it is said, whether it is good or bad. */
static void second_chance_said(void **state)
{
	static const struct answer busy[] = { { "busy", -EBUSY }, { 0 } };
	static const struct answer there[] = { { "busy", 0 }, { 0 } };
	const struct tree *t = *state;

	assert_int_equal(run(t, busy), 0);
	assert_int_equal(again(t, busy), 0);
	assert_string_equal(world.asked, "busy ");
	assert_string_equal(world.log, "cpufreq-resolve: second chance: 0 modules loaded; "
				       "refused: busy EBUSY\n");
	tree_unlink(t, REFUSALS_PATH);
	assert_int_equal(run(t, busy), 0);
	assert_int_equal(again(t, there), 0);
	assert_string_equal(world.log, "cpufreq-resolve: second chance: 1 modules loaded\n");
	assert_int_equal(run(t, busy), 0);
	world.result = -EIO;
	assert_int_equal(again(t, busy), -EIO);
	assert_string_equal(world.log, "cpufreq-resolve: second chance: Input/output error\n");
}

/* Then nobody knows what has been refused, or what is to be said. */
static void out_of_memory(void **state)
{
	static const struct answer answers[] = { { "x", -ENODEV }, { 0 } };
	const struct tree *t = *state;

	world.is_state_lost = true;
	is_left_to_udev(t, -ENOMEM, "cpu0: Cannot allocate memory");
	world.is_state_lost = false;
	world.is_text_lost = true;
	is_left_to_udev(t, -ENOMEM, "cpu0: Cannot allocate memory");
	world.is_text_lost = false;
	world.is_text_cut = true;
	assert_int_equal(run(t, answers), -ENOMEM);
	assert_string_equal(world.asked, "x ");
	assert_non_null(strstr(world.log, "cpu0: Cannot allocate memory; left to udev\n"));
	/* ... but the answer of the kernel is */
	assert_true(file_has(t, "\nx host 19\n"));
}

static void cannot_write(void **state)
{
	static const struct answer answers[] = { { "x", -ENODEV }, { 0 } };
	const struct tree *t = *state;

	world.in_the_way = t;
	assert_int_equal(run(t, answers), -EISDIR);
	assert_string_equal(world.asked, "x ");
	assert_non_null(strstr(world.log, "cpu0: Is a directory; left to udev\n"));
}

/* What apply was refused it asks for once more itself, late; here that would be a second attempt.
 */
static void refused_to_apply(void **state)
{
	static const struct answer answers[] = {
		{ "acpi_cpufreq", -EBUSY },
		{ "pcc_cpufreq", 0 },
		{ "rapl", 0 },
		{ NULL, 0 },
	};
	const struct tree *t = *state;

	tree_file(t, STATE_PATH,
		  "FORMAT=1\nVERSION=1\nBOOT_ID=BOOT\nKERNEL=6.12\nOUTCOME=none\nDRIVER="
		  "\"\"\nREASON=\"\"\n"
		  "ATTEMPTS=\"acpi_cpufreq:host:16 pcc_cpufreq:host:0\"\n");
	assert_int_equal(run(t, answers), 0);
	assert_string_equal(world.asked, "pcc_cpufreq rapl ");
	assert_non_null(strstr(world.log, "1 refused earlier"));
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(once_over_the_whole_boot),
		test(loaded_in_the_end),
		test(another_boot),
		test(left_to_udev),
		test(unreadable_configuration),
		test(denied),
		test(second_chance),
		test(second_chance_said),
		test(out_of_memory),
		test(cannot_write),
		test(refused_to_apply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
