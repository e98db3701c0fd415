// SPDX-License-Identifier: GPL-2.0-or-later
#include "once.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "config.h"
#include "memtext.h"
#include "util.h"

#define EMPTY      "# Imported by " ONCE_RULE_NAME ".\nMODALIAS=\"\"\n"
#define UEVENT_MAX 8192 /* a page in sysfs, and some room */
/* udev up to 247 takes lines of 16,384 bytes (UTIL_LINE_SIZE); the rest of ours is short. */
#define MODALIAS_MAX ((size_t)15000)

/* What is neither a pattern, nor an alternative, nor a quote to udev. */
static bool is_plain(const char *modalias)
{
	for (const char *p = modalias; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr(":,._-", *p))
			return false;
	return *modalias && strlen(modalias) <= MODALIAS_MAX;
}

/* Cuts the line MODALIAS=... out of a uevent. */
static char *find_modalias(char *uevent)
{
	static const char key[] = "MODALIAS=";
	char *line;

	while ((line = strsep(&uevent, "\n")))
		if (strncmp(line, key, strlen(key)) == 0)
			return line + strlen(key);
	return NULL;
}

/* There, but not to be had. */
static bool is_unreadable(int error)
{
	return error != -ENOENT && error != -ENOTDIR;
}

/* @directory: of the device, relative to the root. */
static int add_group(int rootfd, const char *directory, const char *subsystem, const char *device,
		     struct once *once)
{
	struct once_group *group = &once->groups[once->count];
	_cleanup_free_ char *text = NULL;
	const char *modalias;
	char path[128];
	int r;

	(void)snprintf(path, sizeof(path), "%s/%s/uevent", directory, device);
	r = file_read(rootfd, path, UEVENT_MAX, &text, NULL);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		if (is_unreadable(r))
			once->refused = subsystem;
		return 0;
	}
	modalias = find_modalias(text);
	if (!modalias)
		return 0;
	if (!is_plain(modalias)) {
		once->refused = subsystem;
		return 0;
	}
	group->modalias = strdup(modalias);
	if (!group->modalias)
		return -ENOMEM;
	group->subsystem = subsystem;
	str_copy(group->device, sizeof(group->device), device);
	once->count++;
	return 0;
}

int once_read(int rootfd, struct once *ret)
{
	char line[4096], device[32], *end = line;
	unsigned long first = 0;
	int r;

	*ret = (struct once){ 0 };
	/* "0-15,32-47". Not simply cpu0: where it can be taken out it may be absent. */
	r = file_read_line(rootfd, "sys/devices/system/cpu/present", line, sizeof(line));
	if (r == 0)
		first = strtoul(line, &end, 10);
	else if (is_unreadable(r))
		ret->refused = "cpu";
	r = 0;
	if (end > line) {
		(void)snprintf(device, sizeof(device), "cpu%lu", first);
		r = add_group(rootfd, "sys/devices/system/cpu", "cpu", device, ret);
	}
	if (r == 0)
		r = add_group(rootfd, "sys/bus/acpi/devices", "acpi", "LNXCPU:00", ret);
	if (r == 0)
		r = add_group(rootfd, "sys/bus/acpi/devices", "acpi", "ACPI0007:00", ret);
	return r;
}

/* "0-3,8" has 1, "0,8-9" has 8, and "0" has none. */
static bool second_of(const char *list, unsigned long *ret)
{
	char *end;
	unsigned long first = strtoul(list, &end, 10), second;

	if (end == list || (*end != '-' && *end != ','))
		return false;
	second = strtoul(end + 1, NULL, 10);
	*ret = *end == '-' ? first + 1 : second;
	return *ret > first;
}

/* The device behind the first one, relative to the root. */
static bool find_second(int rootfd, const struct once_group *group, char *path, size_t size)
{
	unsigned long second;
	char line[4096];

	if (strcmp(group->subsystem, "cpu") != 0) {
		/* The kernel counts them from 00 on (acpi_device_set_name(), drivers/acpi/scan.c).
		 */
		(void)snprintf(path, size, "sys/bus/acpi/devices/%.*s:01/uevent",
			       (int)strcspn(group->device, ":"), group->device);
		return true;
	}
	if (file_read_line(rootfd, "sys/devices/system/cpu/present", line, sizeof(line)) < 0 ||
	    !second_of(line, &second))
		return false;
	(void)snprintf(path, size, "sys/devices/system/cpu/cpu%lu/uevent", second);
	return true;
}

enum announced once_announced(int rootfd, const struct once_group *group)
{
	_cleanup_free_ char *text = NULL;
	char path[128];

	if (!find_second(rootfd, group, path, sizeof(path)) ||
	    file_read(rootfd, path, UEVENT_MAX, &text, NULL) < 0)
		return ANNOUNCED_UNKNOWN;
	return find_modalias(text) ? ANNOUNCED_BY_EACH : ANNOUNCED_ONCE;
}

void once_free(struct once *once)
{
	for (size_t i = 0; i < once->count; i++)
		free(once->groups[i].modalias);
	once->count = 0;
}

char *once_render(const struct facts *facts, const struct once *once, const char *program)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = text_open(&text);

	if (!out)
		return NULL;
	fprintf(out,
		"# Made by cpufreq-resolve %s for this boot only; it is replaced, do not edit.\n"
		"# How to change it: cpufreq-resolve(8). boot %s kernel %s\n"
		"# scope=cpu: of the devices with one MODALIAS the first alone asks for modules.\n"
		"ACTION!=\"add\", GOTO=\"cpufreq_resolve_end\"\n",
		VERSION, facts->boot_id, facts->kernel);
	for (size_t i = 0; i < once->count; i++) {
		const struct once_group *g = &once->groups[i];

		/* Where the program fails the MODALIAS stays, and udev loads as it always did. */
		fprintf(out,
			"SUBSYSTEM==\"%s\", KERNEL==\"%s\", ENV{MODALIAS}==\"%s\", "
			"PROGRAM==\"%s load\", IMPORT{file}=\"/" ONCE_EMPTY_PATH "\"\n",
			g->subsystem, g->device, g->modalias, program);
		fprintf(out,
			"SUBSYSTEM==\"%s\", KERNEL!=\"%s\", ENV{MODALIAS}==\"%s\", "
			"IMPORT{file}=\"/" ONCE_EMPTY_PATH "\"\n",
			g->subsystem, g->device, g->modalias);
	}
	fputs("LABEL=\"cpufreq_resolve_end\"\n", out);
	return text_end(out, &text) == 0 ? TAKE_PTR(text) : NULL;
}

/* udev is to call the program that is running here: in an image it is not where the host has it. */
static void find_program(const struct facts *facts, char *buf, size_t size)
{
	ssize_t len = facts->is_live_root ? readlink("/proc/self/exe", buf, size - 1) : -1;

	buf[len > 0 ? len : 0] = '\0';
	/* udev cuts the command at blanks, and replaces $ and %. */
	if (len <= 0 || (size_t)len == size - 1 || buf[strcspn(buf, " \t\"'\\$%")])
		str_copy(buf, size, "/usr/bin/cpufreq-resolve");
}

/* Where /run or a folder in it is no directory, there is nothing of ours below it. */
static int remove_if_there(int rootfd, const char *path)
{
	int r = file_remove(rootfd, path);

	return r == -ENOTDIR ? 0 : r;
}

/* The rule first: while one of the two is missing, udev does as it always did. */
static int remove_both(int rootfd)
{
	int r = remove_if_there(rootfd, ONCE_RULE_PATH);
	int e = remove_if_there(rootfd, ONCE_EMPTY_PATH);

	if (r < 0)
		return r;
	return e < 0 ? e : r | e;
}

static int write_both(int rootfd, const char *rule)
{
	int e = file_write_atomic(rootfd, ONCE_EMPTY_PATH, EMPTY);
	int r = e < 0 ? e : file_write_atomic(rootfd, ONCE_RULE_PATH, rule);

	return r < 0 ? r : r | e;
}

int once_write(int rootfd, const struct facts *facts, bool is_on, const char **ret_refused)
{
	_cleanup_(once_free) struct once once = { 0 };
	_cleanup_free_ char *text = NULL;
	char program[256];
	int r;

	*ret_refused = NULL;
	if (!is_on)
		return remove_both(rootfd);
	r = once_read(rootfd, &once);
	if (r < 0)
		return r;
	*ret_refused = once.refused;
	if (once.count == 0)
		return remove_both(rootfd);
	find_program(facts, program, sizeof(program));
	text = once_render(facts, &once, program);
	return text ? write_both(rootfd, text) : -ENOMEM;
}

int once_print(int rootfd, const struct facts *facts, FILE *out)
{
	_cleanup_(once_free) struct once once = { 0 };
	_cleanup_free_ char *text = NULL;
	int r = once_read(rootfd, &once);

	if (r < 0 || once.count == 0)
		return r;
	text = once_render(facts, &once, "cpufreq-resolve");
	if (!text)
		return -ENOMEM;
	fprintf(out, "would write /" ONCE_EMPTY_PATH ":\n" EMPTY);
	fprintf(out, "would write /" ONCE_RULE_PATH ":\n%s", text);
	return 0;
}
