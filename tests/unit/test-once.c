// SPDX-License-Identifier: GPL-2.0-or-later
/* The udev rule of scope=cpu: which device asks, which don't, and what no rule can be made of. */
#include <errno.h>
#include <string.h>

#include "once.h"
#include "testlib.h"

#define CPU_DIR  "sys/devices/system/cpu"
#define ACPI_DIR "sys/bus/acpi/devices"
#define CPU_MOD  "cpu:type:x86,ven0000fam0006mod0055:feature:,0000,0016"
#define PROG     "/usr/bin/cpufreq-resolve"
#define EMPTY    "IMPORT{file}=\"/run/cpufreq-resolve/no-modalias\""

/* What /proc/self/exe says; NULL: the real one. */
static const char *own_program;

ssize_t __real_readlink(const char *path, char *buf, size_t size);
ssize_t __wrap_readlink(const char *path, char *buf, size_t size);

ssize_t __wrap_readlink(const char *path, char *buf, size_t size)
{
	size_t len;

	if (!own_program)
		return __real_readlink(path, buf, size);
	assert_string_equal(path, "/proc/self/exe");
	len = strlen(own_program) < size ? strlen(own_program) : size;
	memcpy(buf, own_program, len);
	return (ssize_t)len;
}

static void add_cpu(const struct tree *t, const char *name, const char *modalias)
{
	char path[96], text[256];

	(void)snprintf(path, sizeof(path), CPU_DIR "/%s/uevent", name);
	(void)snprintf(text, sizeof(text), "DRIVER=processor\nMODALIAS=%s\n", modalias);
	tree_file(t, path, text);
}

static void add_acpi(const struct tree *t, const char *name, const char *modalias)
{
	char path[96], text[256];

	(void)snprintf(path, sizeof(path), ACPI_DIR "/%s/uevent", name);
	(void)snprintf(text, sizeof(text), "MODALIAS=%s\n", modalias);
	tree_file(t, path, text);
}

static struct facts fresh(void)
{
	struct facts facts = { .stage = STAGE_HOST };

	strcpy(facts.boot_id, "BOOT");
	strcpy(facts.kernel, "KERNEL");
	return facts;
}

static char *rule(const struct tree *t)
{
	struct facts facts = fresh();
	const char *refused;

	assert_true(once_write(t->fd, &facts, true, &refused) >= 0);
	return tree_read(t, ONCE_RULE_PATH);
}

static void first_of_each(void **state)
{
	const struct tree *t = *state;
	_cleanup_free_ char *text = NULL;

	tree_file(t, CPU_DIR "/present", "0-3\n");
	add_cpu(t, "cpu0", CPU_MOD);
	add_cpu(t, "cpu1", CPU_MOD);
	add_acpi(t, "LNXCPU:00", "acpi:LNXCPU:");
	add_acpi(t, "ACPI0007:00", "acpi:ACPI0007:");
	text = rule(t);
	assert_non_null(text);
	/* Past the comment, which names the version. */
	assert_string_equal(
		strstr(text, "ACTION"),
		"ACTION!=\"add\", GOTO=\"cpufreq_resolve_end\"\n"
		"SUBSYSTEM==\"cpu\", KERNEL==\"cpu0\", ENV{MODALIAS}==\"" CPU_MOD "\", "
		"PROGRAM==\"" PROG " load\", " EMPTY "\n"
		"SUBSYSTEM==\"cpu\", KERNEL!=\"cpu0\", ENV{MODALIAS}==\"" CPU_MOD "\", " EMPTY "\n"
		"SUBSYSTEM==\"acpi\", KERNEL==\"LNXCPU:00\", ENV{MODALIAS}==\"acpi:LNXCPU:\", "
		"PROGRAM==\"" PROG " load\", " EMPTY "\n"
		"SUBSYSTEM==\"acpi\", KERNEL!=\"LNXCPU:00\", "
		"ENV{MODALIAS}==\"acpi:LNXCPU:\", " EMPTY "\n"
		"SUBSYSTEM==\"acpi\", KERNEL==\"ACPI0007:00\", ENV{MODALIAS}==\"acpi:ACPI0007:\", "
		"PROGRAM==\"" PROG " load\", " EMPTY "\n"
		"SUBSYSTEM==\"acpi\", KERNEL!=\"ACPI0007:00\", "
		"ENV{MODALIAS}==\"acpi:ACPI0007:\", " EMPTY "\n"
		"LABEL=\"cpufreq_resolve_end\"\n");
	assert_non_null(strstr(text, "boot BOOT kernel KERNEL\n"));
}

/* Where cpu0 can be taken out it may not be there. */
static void first_is_not_cpu0(void **state)
{
	const struct tree *t = *state;
	_cleanup_free_ char *text = NULL;

	tree_file(t, CPU_DIR "/present", "12-15,32-47\n");
	add_cpu(t, "cpu12", CPU_MOD);
	text = rule(t);
	assert_non_null(text);
	assert_non_null(strstr(text, "KERNEL==\"cpu12\""));
	assert_non_null(strstr(text, "KERNEL!=\"cpu12\""));
	assert_null(strstr(text, "acpi"));
}

/* Then its devices are to ask as they always did, for nobody would. */
static void first_has_no_device(void **state)
{
	const struct tree *t = *state;
	struct once once;

	tree_file(t, CPU_DIR "/present", "1-3\n");
	add_cpu(t, "cpu0", CPU_MOD);
	add_cpu(t, "cpu2", CPU_MOD);
	assert_int_equal(once_read(t->fd, &once), 0);
	assert_int_equal(once.count, 0);
	once_free(&once);
	assert_null(rule(t));
}

static void is_left_alone(const struct tree *t, const char *modalias)
{
	struct facts facts = fresh();
	const char *refused;

	add_cpu(t, "cpu0", modalias);
	assert_true(once_write(t->fd, &facts, true, &refused) >= 0);
	assert_string_equal(refused, "cpu");
	assert_null(tree_read(t, ONCE_RULE_PATH));
}

/* A rule for more than the one modalias would keep others from being asked for. */
static void no_patterns(void **state)
{
	const struct tree *t = *state;
	_cleanup_free_ char *text = NULL;

	tree_file(t, CPU_DIR "/present", "0\n");
	is_left_alone(t, "cpu:type:*");
	is_left_alone(t, "cpu:type:x86|acpi:*");
	is_left_alone(t, "cpu:type:x8[0-9]");
	is_left_alone(t, "cpu:type:x8?");
	is_left_alone(t, "cpu:\"");
	is_left_alone(t, "cpu:\\");
	is_left_alone(t, "cpu: x");
	is_left_alone(t, "");
	add_cpu(t, "cpu0", CPU_MOD);
	text = rule(t);
	assert_non_null(text);
	is_left_alone(t, "cpu:*");
}

static void written_once(void **state)
{
	const struct tree *t = *state;
	struct facts facts = fresh();
	_cleanup_free_ char *text = NULL;
	const char *refused;

	tree_file(t, CPU_DIR "/present", "0\n");
	add_cpu(t, "cpu0", CPU_MOD);
	assert_int_equal(once_write(t->fd, &facts, false, &refused), 0);
	assert_int_equal(once_write(t->fd, &facts, true, &refused), 1);
	text = tree_read(t, ONCE_EMPTY_PATH);
	assert_non_null(text);
	assert_non_null(strstr(text, "\nMODALIAS=\"\"\n"));
	assert_int_equal(once_write(t->fd, &facts, true, &refused), 0);
	assert_int_equal(once_write(t->fd, &facts, false, &refused), 1);
	assert_null(tree_read(t, ONCE_RULE_PATH));
	assert_null(tree_read(t, ONCE_EMPTY_PATH));
	assert_int_equal(tree_count(t, "run/udev/rules.d"), 0);
}

/* A rule that imports a file which is not there would do nothing, and is not to be written. */
static void no_rule_without_its_file(void **state)
{
	const struct tree *t = *state;
	struct facts facts = fresh();
	const char *refused;

	tree_file(t, CPU_DIR "/present", "0\n");
	add_cpu(t, "cpu0", CPU_MOD);
	tree_file(t, "run/cpufreq-resolve", "in the way");
	assert_true(once_write(t->fd, &facts, true, &refused) < 0);
	assert_null(tree_read(t, ONCE_RULE_PATH));
}

/* udev is told to call @expected where we are @program. */
static void is_called(const struct tree *t, bool is_live_root, const char *program,
		      const char *expected)
{
	_cleanup_free_ char *text = NULL;
	struct facts facts = fresh();
	const char *refused;
	char call[512];

	own_program = program;
	facts.is_live_root = is_live_root;
	assert_true(once_write(t->fd, &facts, true, &refused) >= 0);
	own_program = NULL;
	text = tree_read(t, ONCE_RULE_PATH);
	(void)snprintf(call, sizeof(call), "PROGRAM==\"%s load\"", expected);
	assert_non_null(text);
	if (!strstr(text, call))
		fail_msg("%s is not in %s", call, text);
}

/* A name that is cut, or that udev would read as something else, is never written into a rule. */
static void which_program(void **state)
{
	static const char *const odd[] = { " ", "\t", "\"", "'", "\\", "$", "%" };
	const struct tree *t = *state;
	char name[300];

	tree_file(t, CPU_DIR "/present", "0\n");
	add_cpu(t, "cpu0", CPU_MOD);
	is_called(t, true, "/sbin/cpufreq-resolve", "/sbin/cpufreq-resolve");
	is_called(t, false, "/sbin/cpufreq-resolve", PROG);
	is_called(t, true, "", PROG);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		(void)snprintf(name, sizeof(name), "/sbin/a%sb", odd[i]);
		is_called(t, true, name, PROG);
	}
	memset(name, 'x', sizeof(name));
	name[0] = '/';
	name[254] = '\0';
	is_called(t, true, name, name);
	name[254] = 'x';
	name[255] = '\0'; /* may be cut: it fills the buffer */
	is_called(t, true, name, PROG);
	name[255] = 'x';
	name[299] = '\0';
	is_called(t, true, name, PROG);
}

static void junk(void **state)
{
	const struct tree *t = *state;
	struct once once;

	tree_file(t, CPU_DIR "/present", "\n");
	add_cpu(t, "cpu0", CPU_MOD);
	tree_dir(t, ACPI_DIR "/LNXCPU:00/uevent");
	tree_file(t, ACPI_DIR "/ACPI0007:00/uevent", "DRIVER=x\nXMODALIAS=y\n");
	assert_int_equal(once_read(t->fd, &once), 0);
	assert_int_equal(once.count, 0);
	assert_string_equal(once.refused, "acpi"); /* there, and unreadable */
	once_free(&once);
}

/* What the kernel says of its second CPU, whichever that is. */
static void cpu_is_announced(const struct tree *t, const char *present, enum announced expected)
{
	struct once once;

	tree_file(t, CPU_DIR "/present", present);
	assert_int_equal(once_read(t->fd, &once), 0);
	assert_int_equal(once.count, 1);
	assert_int_equal(once_announced(t->fd, &once.groups[0]), expected);
	once_free(&once);
}

static void announced_cpus(void **state)
{
	const struct tree *t = *state;

	add_cpu(t, "cpu0", CPU_MOD);
	add_cpu(t, "cpu1", CPU_MOD);
	tree_file(t, CPU_DIR "/cpu8/uevent", "DRIVER=processor\n");
	tree_file(t, CPU_DIR "/cpu9/uevent", "");
	cpu_is_announced(t, "0-3\n", ANNOUNCED_BY_EACH);
	cpu_is_announced(t, "0-1,8\n", ANNOUNCED_BY_EACH);
	cpu_is_announced(t, "0,8-9\n", ANNOUNCED_ONCE);
	cpu_is_announced(t, "0,9\n", ANNOUNCED_ONCE);
	/* None, one that has no device, and no list of CPUs. */
	cpu_is_announced(t, "0\n", ANNOUNCED_UNKNOWN);
	cpu_is_announced(t, "0,7\n", ANNOUNCED_UNKNOWN);
	cpu_is_announced(t, "0,\n", ANNOUNCED_UNKNOWN);
	cpu_is_announced(t, "0 1\n", ANNOUNCED_UNKNOWN);
}

static void announced_acpi(void **state)
{
	const struct tree *t = *state;
	struct once once;

	add_acpi(t, "ACPI0007:00", "acpi:ACPI0007:");
	assert_int_equal(once_read(t->fd, &once), 0);
	assert_int_equal(once.count, 1);
	assert_int_equal(once_announced(t->fd, &once.groups[0]), ANNOUNCED_UNKNOWN);
	add_acpi(t, "ACPI0007:01", "acpi:ACPI0007:");
	assert_int_equal(once_announced(t->fd, &once.groups[0]), ANNOUNCED_BY_EACH);
	tree_file(t, ACPI_DIR "/ACPI0007:01/uevent", "");
	assert_int_equal(once_announced(t->fd, &once.groups[0]), ANNOUNCED_ONCE);
	once_free(&once);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_tree(first_of_each),       test_in_tree(first_is_not_cpu0),
		test_in_tree(first_has_no_device), test_in_tree(no_patterns),
		test_in_tree(written_once),        test_in_tree(no_rule_without_its_file),
		test_in_tree(which_program),       test_in_tree(junk),
		test_in_tree(announced_cpus),      test_in_tree(announced_acpi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
