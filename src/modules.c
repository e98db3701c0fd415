// SPDX-License-Identifier: GPL-2.0-or-later
#include "modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "modules-ctx.h"
#include "util.h"

#define MODALIAS_MAX    8192 /* one page, as sysfs gives it, and some room */
#define PCI_DEVICES_MAX 4096
#define LOOKUP_SECONDS  5 /* it takes milliseconds */

static void note_offer(struct facts *facts, const char *module, enum offer offer)
{
	int i = driver_find(module);

	if (i >= 0)
		facts->modules[i].offers |= offer;
}

/* alias lines of the administrator come before the index, and hide it (libkmod-module.c). */
static bool offer_by_config(struct facts *facts, const char *modalias, enum offer offer)
{
	bool found = false;

	for (size_t i = 0; i < facts->conf.count; i++) {
		const struct modconf_entry *e = &facts->conf.entries[i];

		if (e->kind != MODCONF_ALIAS || fnmatch(e->name, modalias, 0) != 0)
			continue;
		note_offer(facts, e->value, offer);
		found = true;
	}
	return found;
}

/* Whom does the index offer for this modalias? Returns how many modules. */
static int offer_by_index(struct kmod_ctx *ctx, struct facts *facts, const char *modalias,
			  unsigned int offer)
{
	_cleanup_list_ struct kmod_list *list = NULL;
	struct kmod_list *item;
	int count = 0;

	if (kmod_module_new_from_lookup(ctx, modalias, &list) < 0)
		return 0;
	kmod_list_foreach (item, list) {
		_cleanup_module_ struct kmod_module *mod = kmod_module_get_module(item);

		if (offer)
			note_offer(facts, kmod_module_get_name(mod), offer);
		count++;
	}
	return count;
}

static void offer_for_file(int rootfd, struct kmod_ctx *ctx, struct facts *facts, const char *path,
			   enum offer offer)
{
	char modalias[MODALIAS_MAX];
	int r = file_read_line(rootfd, path, modalias, sizeof(modalias));

	if (r < 0 && r != -ENOENT && r != -ENOTDIR)
		facts_fail(facts, path, r, "a device's modalias");
	if (r < 0 || !modalias[0])
		return;
	if (!offer_by_config(facts, modalias, offer))
		(void)offer_by_index(ctx, facts, modalias, offer);
}

static void offer_for_pci(int rootfd, struct kmod_ctx *ctx, struct facts *facts)
{
	int fd = path_open(rootfd, "sys/bus/pci/devices", O_RDONLY | O_DIRECTORY);
	const struct dirent *e;
	int left = PCI_DEVICES_MAX;
	char path[320];
	DIR *d;

	if (fd < 0)
		return;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return;
	}
	while (left-- > 0 && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/modalias", e->d_name);
		offer_for_file(rootfd, ctx, facts, path, OFFER_PCI);
	}
	closedir(d);
}

/* A kernel that names a device for the driver makes it only where the tables are. */
static void offer_for_platform(struct kmod_ctx *ctx, struct facts *facts, size_t i)
{
	struct module_state *m = &facts->modules[i];
	bool is_acpi = driver_find("acpi_cpufreq") == (int)i;
	bool is_pcc = driver_find("pcc_cpufreq") == (int)i;
	bool is_loongson = driver_find("loongson3_cpufreq") == (int)i;
	char modalias[64];

	(void)snprintf(modalias, sizeof(modalias), "platform:%s", drivers[i].device);
	m->has_platform_alias =
		offer_by_index(ctx, facts, modalias, m->has_device ? OFFER_PLATFORM : 0) > 0;
	if (!m->has_platform_alias || !facts->has_platform_bus)
		return;
	if (is_acpi)
		fact_put(facts, FACT_PSS, m->has_device);
	else if (is_pcc)
		fact_put(facts, FACT_PCCH, m->has_device);
	else if (is_loongson)
		fact_put(facts, FACT_SCALEFREQ, m->has_device);
}

/* Offered, and not there: the indexes contradict each other. */
static bool is_lost(const struct module_state *m)
{
	return m->offers && !m->is_present && !m->is_builtin;
}

static void look_at_governor(struct kmod_ctx *ctx, struct facts *facts)
{
	_cleanup_module_ struct kmod_module *mod = NULL;
	char name[sizeof(facts->governor) + sizeof("cpufreq_")];

	if (!facts->governor[0])
		return;
	(void)snprintf(name, sizeof(name), "cpufreq_%s", facts->governor);
	facts->has_governor_module =
		kmod_module_new_from_name(ctx, name, &mod) == 0 && kmod_module_get_path(mod);
}

static void look_at_module(struct kmod_ctx *ctx, size_t i, struct module_state *m)
{
	_cleanup_module_ struct kmod_module *mod = NULL;

	if (kmod_module_new_from_name(ctx, drivers[i].name, &mod) < 0)
		return;
	m->is_present = kmod_module_get_path(mod);
	/* Any other state would be this machine's, whatever the root. */
	m->is_builtin = !m->is_present && kmod_module_get_initstate(mod) == KMOD_MODULE_BUILTIN;
}

static int look_up(int rootfd, struct facts *facts)
{
	_cleanup_ctx_ struct kmod_ctx *ctx = NULL;
	_cleanup_close_ int dirfd = -1;
	bool has_pci = false;
	int r;

	r = modules_indexes_open(rootfd, facts, &dirfd, &ctx);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		facts_fail(facts, facts->kernel_dir, r, "the module indexes that depmod makes");
		return 0;
	}
	facts->has_index = true;
	offer_for_file(rootfd, ctx, facts, "sys/devices/system/cpu/modalias", OFFER_CPU);
	offer_for_file(rootfd, ctx, facts, "sys/bus/acpi/devices/LNXCPU:00/modalias", OFFER_ACPI);
	offer_for_file(rootfd, ctx, facts, "sys/bus/acpi/devices/ACPI0007:00/modalias", OFFER_ACPI);
	for (size_t i = 0; i < driver_count; i++) {
		if (driver_is_foreign(i, &facts->set))
			continue;
		look_at_module(ctx, i, &facts->modules[i]);
		if (drivers[i].device)
			offer_for_platform(ctx, facts, i);
		has_pci |= (drivers[i].flags & DRIVER_PCI) && facts->modules[i].is_present;
	}
	look_at_governor(ctx, facts);
	if (has_pci)
		offer_for_pci(rootfd, ctx, facts);
	for (size_t i = 0; i < driver_count; i++)
		if (is_lost(&facts->modules[i]))
			facts_fail(facts, facts->kernel_dir, -ENODATA,
				   "modules.dep.bin and modules.alias.bin of one depmod run");
	return 0;
}

/* What the child finds out; it has the rest from before the fork. */
struct found {
	struct module_state modules[DRIVER_MAX];
	struct fact_set set;
	char failed[sizeof(((struct facts *)0)->failed)];
	int failed_error;
	bool has_index, has_governor_module;
	int result;
};

static void tell(struct found *found, const struct facts *facts, int result)
{
	memcpy(found->modules, facts->modules, sizeof(found->modules));
	memcpy(found->failed, facts->failed, sizeof(found->failed));
	found->set = facts->set;
	found->failed_error = facts->failed_error;
	found->has_index = facts->has_index;
	found->has_governor_module = facts->has_governor_module;
	found->result = result;
}

static void hear(const struct found *found, struct facts *facts)
{
	memcpy(facts->modules, found->modules, sizeof(found->modules));
	memcpy(facts->failed, found->failed, sizeof(found->failed));
	facts->set = found->set;
	facts->failed_error = found->failed_error;
	facts->has_index = found->has_index;
	facts->has_governor_module = found->has_governor_module;
}

static int wait_for(pid_t child, int *ret_status)
{
	while (waitpid(child, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/*
 * libkmod trusts the indexes: a damaged one makes it read beyond its mapping, or follow a node
 * round in a circle (libkmod-index.c). So a child asks it, and if that dies there is no answer.
 */
int modules_lookup(int rootfd, struct facts *facts)
{
	struct found *found;
	int status = 0, r;
	sigset_t none;
	pid_t child;

	if (!facts->kernel[0])
		return 0;
	found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (found == MAP_FAILED)
		return -ENOMEM;
	/* Whoever started us may have had it ignored, and then there is nothing to wait for. */
	(void)signal(SIGCHLD, SIG_DFL);
	child = fork();
	if (child == 0) {
		(void)sigemptyset(&none);
		(void)sigprocmask(SIG_SETMASK, &none, NULL);
		(void)signal(SIGALRM, SIG_DFL);
		alarm(LOOKUP_SECONDS);
		tell(found, facts, look_up(rootfd, facts));
		_exit(0);
	}
	r = child < 0 ? -errno : wait_for(child, &status);
	if (r < 0) {
		facts_fail(facts, facts->kernel_dir, r, "a child process that asks its indexes");
		r = 0;
	} else if (status != 0) {
		facts_fail(facts, facts->kernel_dir, -EBADMSG, "undamaged module indexes");
	} else {
		hear(found, facts);
		r = found->result;
	}
	munmap(found, sizeof(*found));
	facts_read_live(rootfd, facts);
	/* A platform device told whether firmware has the tables: more may follow from that. */
	facts_derive(&facts->set);
	return r;
}
