// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "config.h"
#include "cpuinfo.h"
#include "intent.h"
#include "names.h"
#include "once.h"
#include "platform.h"
#include "root.h"
#include "util.h"

#define CMDLINE_MAX  ((size_t)64 * 1024)
#define CPU_DIR      "sys/devices/system/cpu/"
#define POLICY_DIR   CPU_DIR "cpufreq"
#define POLICIES_MAX 64

void facts_fail(struct facts *facts, const char *file, int error, const char *expected)
{
	if (facts->failed_error)
		return;
	facts->failed_error = error;
	(void)snprintf(facts->failed, sizeof(facts->failed), "/%s: %s; expected %s", file,
		       strerror(-error), expected);
	str_printable(facts->failed);
}

void fact_put(struct facts *facts, enum fact fact, bool is_true)
{
	uint64_t bit = UINT64_C(1) << fact;

	facts->set.is_known |= bit;
	facts->set.is_true = is_true ? facts->set.is_true | bit : facts->set.is_true & ~bit;
}

const char *bystander_text(enum bystander b)
{
	static const char *const texts[] = {
		[BYSTANDER_NO] = "",
		[BYSTANDER_KDUMP] = "this is a kdump kernel",
		[BYSTANDER_CONTAINER] = "this is a container",
		[BYSTANDER_CHROOT] = "this is a chroot",
	};

	return texts[b];
}

const char *denial_text(enum denial d)
{
	static const char *const texts[] = {
		[DENIAL_NONE] = "",
		[DENIAL_BLACKLIST] = "a blacklist line",
		[DENIAL_MODPROBE_CMDLINE] = "modprobe.blacklist= on the kernel command line",
		[DENIAL_DRACUT_CMDLINE] = "rd.driver.blacklist= on dracut's command line",
		[DENIAL_KERNEL_CMDLINE] = "module_blacklist= on the kernel command line",
		[DENIAL_INITCALL] = "initcall_blacklist= on the kernel command line",
	};

	return texts[d];
}

/*
 * The first policy that answers. Not cpu0: it may be offline or without a policy. One block of the
 * directory is enough; a policy whose CPUs are all offline answers -EBUSY
 * (drivers/cpufreq/cpufreq.c, show()), hence the few more. Policies of which none answers: the
 * answer is not known.
 */
static int find_scaling_driver(int rootfd, DIR *d, char *buf, size_t size)
{
	const struct dirent *e;
	char path[320];
	int left = POLICIES_MAX, r = 0, error = 0;

	while (left > 0 && (e = dir_next(d, &error))) {
		if (strncmp(e->d_name, "policy", 6) != 0)
			continue;
		left--;
		(void)snprintf(path, sizeof(path), POLICY_DIR "/%s/scaling_driver", e->d_name);
		r = file_read_line(rootfd, path, buf, size);
		if (r == 0 && buf[0])
			return 0;
		r = r < 0 ? r : -ENODATA;
	}
	return error < 0 ? error : r;
}

static void read_scaling_driver(int rootfd, struct facts *facts)
{
	static const char path[] = POLICY_DIR,
			  expected[] = "policies that name their scaling_driver";
	int fd = path_open(rootfd, path, O_RDONLY | O_DIRECTORY), r;
	DIR *d;

	facts->scaling_driver[0] = '\0';
	if (fd < 0) {
		if (fd != -ENOENT)
			facts_fail(facts, path, fd, expected);
		return;
	}
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		facts_fail(facts, path, -ENOMEM, expected);
		return;
	}
	r = find_scaling_driver(rootfd, d, facts->scaling_driver, sizeof(facts->scaling_driver));
	closedir(d);
	str_printable(facts->scaling_driver);
	if (r < 0) {
		facts->scaling_driver[0] = '\0';
		facts_fail(facts, path, r, expected);
	}
}

bool facts_see(int rootfd, struct facts *facts, const char *path)
{
	int r = path_exists(rootfd, path);

	if (r < 0)
		facts_fail(facts, path, r, "a file, or none");
	return r == 1;
}

/* What goes away while it is looked at is not live. */
static bool is_live(int rootfd, struct facts *facts, const char *module)
{
	char path[128], text[16];
	int r;

	(void)snprintf(path, sizeof(path), "sys/module/%s/initstate", module);
	r = file_read_line(rootfd, path, text, sizeof(text));
	if (r < 0 && r != -ENOENT && r != -ENOTDIR && r != -ENODEV)
		facts_fail(facts, path, r, "the state of a module");
	return r == 0 && strcmp(text, "live") == 0;
}

static void read_device(int rootfd, struct facts *facts, size_t i)
{
	struct module_state *state = &facts->modules[i];
	char path[128];

	if (!drivers[i].device || driver_is_foreign(i, &facts->set))
		return;
	(void)snprintf(path, sizeof(path), "sys/bus/platform/devices/%s", drivers[i].device);
	state->has_device = facts_see(rootfd, facts, path);
	if (!state->has_device)
		return;
	(void)snprintf(path, sizeof(path), "sys/bus/platform/devices/%s/driver", drivers[i].device);
	state->is_bound = facts_see(rootfd, facts, path);
}

static void read_devices(int rootfd, struct facts *facts)
{
	read_scaling_driver(rootfd, facts);
	for (size_t i = 0; i < driver_count; i++)
		read_device(rootfd, facts, i);
}

void facts_read_live(int rootfd, struct facts *facts)
{
	for (size_t i = 0; i < driver_count; i++)
		if (facts->modules[i].is_present)
			facts->modules[i].is_live = is_live(rootfd, facts, drivers[i].name);
}

void facts_refresh(int rootfd, struct facts *facts)
{
	read_devices(rootfd, facts);
	facts_read_live(rootfd, facts);
}

static int read_cmdline(int rootfd, struct facts *facts)
{
	static const char path[] = "proc/cmdline", expected[] = "one line of text";
	_cleanup_free_ char *text = NULL;
	const char *off;
	size_t len;
	int r;

	r = file_read(rootfd, path, CMDLINE_MAX, &text, &len);
	if (r == 0 && strlen(text) != len)
		r = -EILSEQ;
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		facts_fail(facts, path, r, expected);
		return 0;
	}
	r = cmdline_parse(text, &facts->cmdline);
	if (r < 0)
		return r;
	facts->has_cmdline = true;
	off = cmdline_get(&facts->cmdline, "cpufreq.off");
	/* An int (drivers/cpufreq/cpufreq.c): a bare word or other text does not set it. */
	facts->is_off = off && strtol(off, NULL, 0) != 0;
	return 0;
}

/* Whoever runs in a dump kernel, a container or a chroot must leave the machine alone. */
static enum bystander find_bystander(int rootfd, struct facts *facts)
{
	static const char *const marks[] = { "run/systemd/container", "run/.containerenv",
					     ".dockerenv" };

	if (cmdline_get(&facts->cmdline, "elfcorehdr") || facts_see(rootfd, facts, "proc/vmcore"))
		return BYSTANDER_KDUMP;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (facts_see(rootfd, facts, marks[i]))
			return BYSTANDER_CONTAINER;
	return facts->is_live_root && root_is_chroot() ? BYSTANDER_CHROOT : BYSTANDER_NO;
}

/* "Linux version 6.1.0-13-amd64 (...": other collectors have this instead of osrelease. */
static int read_proc_version(int rootfd, struct facts *facts)
{
	static const char before[] = "Linux version ";
	char text[1024];
	int r = file_read_line(rootfd, "proc/version", text, sizeof(text));

	if (r < 0)
		return r;
	if (strncmp(text, before, strlen(before)) != 0)
		return -EINVAL;
	text[strlen(before) + strcspn(text + strlen(before), " ")] = '\0';
	str_copy(facts->kernel, sizeof(facts->kernel), text + strlen(before));
	return 0;
}

static void read_kernel(int rootfd, struct facts *facts)
{
	char text[16];
	int r;

	r = file_read_line(rootfd, "proc/sys/kernel/osrelease", facts->kernel,
			   sizeof(facts->kernel));
	if (r == -ENOENT && read_proc_version(rootfd, facts) == 0)
		r = 0;
	if (r == 0 && (!facts->kernel[0] || strchr(facts->kernel, '/')))
		r = -EINVAL;
	if (r < 0) {
		facts->kernel[0] = '\0';
		facts_fail(facts, "proc/sys/kernel/osrelease", r, "the kernel's release");
	}
	if (file_read_line(rootfd, "proc/sys/kernel/random/boot_id", facts->boot_id,
			   sizeof(facts->boot_id)) < 0)
		facts->boot_id[0] = '\0';
	str_printable(facts->kernel);
	str_printable(facts->boot_id);
	facts->modules_disabled = file_read_line(rootfd, "proc/sys/kernel/modules_disabled", text,
						 sizeof(text)) == 0 &&
				  strcmp(text, "1") == 0;
	if (file_read_line(rootfd, "sys/module/cpufreq/parameters/default_governor",
			   facts->governor, sizeof(facts->governor)) < 0)
		facts->governor[0] = '\0';
	str_printable(facts->governor);
	if (facts->kernel[0]) {
		(void)snprintf(facts->kernel_dir, sizeof(facts->kernel_dir), "lib/modules/%s",
			       facts->kernel);
		if (!facts_see(rootfd, facts, facts->kernel_dir))
			(void)snprintf(facts->kernel_dir, sizeof(facts->kernel_dir),
				       "usr/lib/modules/%s", facts->kernel);
	}
}

/* FNV-1a, for which a dash is as good as an underscore. */
static unsigned long long digest(unsigned long long hash, const char *text)
{
	do {
		hash = (hash ^ (unsigned char)(*text == '-' ? '_' : *text)) * 0x100000001b3ULL;
	} while (*text++);
	return hash;
}

static bool is_about_drivers(const struct modconf_entry *e)
{
	if (name_equal(e->name, "cpufreq_resolve"))
		return true;
	for (size_t i = 0; i < driver_count; i++)
		if (name_match(e->name, drivers[i].name))
			return true;
	return false;
}

unsigned long long facts_conf_digest(const struct facts *facts)
{
	unsigned long long hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < facts->conf.count; i++) {
		const struct modconf_entry *e = &facts->conf.entries[i];

		if ((e->kind != MODCONF_BLACKLIST && e->kind != MODCONF_INSTALL &&
		     e->kind != MODCONF_OPTIONS) ||
		    strncmp(e->file, "run/", 4) == 0 || !is_about_drivers(e))
			continue;
		hash = (hash ^ (unsigned int)e->kind) * 0x100000001b3ULL;
		hash = digest(digest(hash, e->name), e->value);
	}
	return hash;
}

int facts_gather(int rootfd, struct facts *ret)
{
	int r = root_is_live(rootfd);

	*ret = (struct facts){ .is_live_root = r == 1 };
	if (r < 0)
		facts_fail(ret, "", r, "to know whether this is the running system's root");
	/* initramfs-tools makes no initrd-release; its images alone have the other file. */
	if (facts_see(rootfd, ret, "etc/initrd-release") ||
	    facts_see(rootfd, ret, "conf/initramfs.conf"))
		ret->stage = STAGE_INITRD;
	else
		ret->stage = STAGE_HOST;
	r = read_cmdline(rootfd, ret);
	if (r == 0 && ret->stage == STAGE_INITRD)
		r = intent_read_image(rootfd, ret);
	if (r < 0)
		return r;
	read_kernel(rootfd, ret);
	ret->bystander = find_bystander(rootfd, ret);
	r = modconf_load(rootfd, ret->kernel_dir[0] ? ret->kernel_dir : NULL, &ret->conf);
	if (r < 0)
		return r;
	if (ret->conf.failed_error)
		facts_fail(ret, ret->conf.failed_file, ret->conf.failed_error,
			   "a readable file of modprobe.d or modules-load.d");
	ret->is_masked = facts_see(rootfd, ret, MODCONF_MASK_PATH);
	settings_load(&ret->conf, &ret->cmdline, &ret->settings);
	ret->is_rule_masked =
		ret->settings.scope == SCOPE_CPU && facts_see(rootfd, ret, ONCE_MASK_PATH);
	if (ret->stage == STAGE_INITRD) {
		(void)snprintf(ret->image_conf, sizeof(ret->image_conf), "%016llx",
			       facts_conf_digest(ret));
		str_copy(ret->image_version, sizeof(ret->image_version), VERSION);
	}
	cpuinfo_read(rootfd, ret);
	platform_read(rootfd, ret);
	facts_derive(&ret->set);
	intent_place(ret);
	read_devices(rootfd, ret);
	return 0;
}

void facts_free(struct facts *facts)
{
	cmdline_free(&facts->cmdline);
	cmdline_free(&facts->image_cmdline);
	modconf_free(&facts->conf);
}
