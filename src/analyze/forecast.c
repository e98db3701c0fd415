// SPDX-License-Identifier: GPL-2.0-or-later
#include "forecast.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "modules.h"
#include "names.h"
#include "once.h"
#include "util.h"

#define DEPTH_MAX  64   /* of /sys/devices; a loop can't be, links are not followed */
#define UEVENT_MAX 8192 /* sysfs gives one page */
#define CONFIG_MAX ((size_t)1024 * 1024)

struct alias {
	char *text; /* NULL: a free slot */
	uint64_t devices;
};

struct aliases {
	struct alias *slots;
	size_t room, count;
	uint64_t devices;
};

static size_t slot_of(const struct aliases *a, const char *text)
{
	size_t hash = 5381;

	for (const char *c = text; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	for (hash %= a->room; a->slots[hash].text; hash = (hash + 1) % a->room)
		if (strcmp(a->slots[hash].text, text) == 0)
			break;
	return hash;
}

static int grow(struct aliases *a)
{
	struct aliases bigger = { .room = a->room ? a->room * 2 : 256, .count = a->count };

	bigger.slots = calloc(bigger.room, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < a->room; i++)
		if (a->slots[i].text)
			bigger.slots[slot_of(&bigger, a->slots[i].text)] = a->slots[i];
	free(a->slots);
	bigger.devices = a->devices;
	*a = bigger;
	return 0;
}

/* grow() moves the texts into the new slots, which gcc's analyzer takes for losing them. */
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif
static int add_alias(struct aliases *a, const char *text)
{
	size_t slot;

	if (a->count * 2 >= a->room && grow(a) < 0)
		return -ENOMEM;
	slot = slot_of(a, text);
	if (!a->slots[slot].text) {
		a->slots[slot].text = strdup(text);
		if (!a->slots[slot].text)
			return -ENOMEM;
		a->count++;
	}
	a->slots[slot].devices++;
	a->devices++;
	return 0;
}
#pragma GCC diagnostic pop

static void aliases_free(struct aliases *a)
{
	for (size_t i = 0; i < a->room; i++)
		free(a->slots[i].text);
	free(a->slots);
}

/* The MODALIAS line of a device's uevent file. One that can't be read is one that udev can't. */
static int read_uevent(int dirfd, struct aliases *a)
{
	_cleanup_close_ int fd =
		openat(dirfd, "uevent", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[UEVENT_MAX + 1];
	ssize_t n = fd < 0 ? -1 : read(fd, text, UEVENT_MAX);
	char *line = text, *next;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	for (; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (strncmp(line, "MODALIAS=", 9) == 0 && line[9])
			return add_alias(a, line + 9);
	}
	return 0;
}

/* Takes over @fd. */
static int walk(int fd, unsigned int depth, struct aliases *a)
{
	const struct dirent *e;
	int r = 0;
	DIR *d;

	if (depth > DEPTH_MAX) {
		close(fd);
		return 0;
	}
	d = fdopendir(fd);
	if (!d) {
		r = -errno;
		close(fd);
		return r;
	}
	while (r >= 0 && (e = readdir(d))) {
		if (e->d_name[0] == '.' ||
		    (e->d_type != DT_DIR && e->d_type != DT_REG && e->d_type != DT_UNKNOWN))
			continue;
		if (strcmp(e->d_name, "uevent") == 0) {
			r = read_uevent(dirfd(d), a);
		} else if (e->d_type != DT_REG) {
			int sub = openat(dirfd(d), e->d_name,
					 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			/* A device that goes away meanwhile. */
			r = sub < 0 ? 0 : walk(sub, depth + 1, a);
		}
	}
	closedir(d);
	return r;
}

/* Whom one alias stands for, while its modules come in. */
struct hit {
	struct forecast *forecast;
	const char *alias;
	uint64_t devices;
	uint64_t serial; /* of the alias: a module that it matches twice counts its devices once */
};

static bool is_cpu_alias(const char *s)
{
	return strncmp(s, "cpu:", 4) == 0 || strncmp(s, "acpi:LNXCPU:", 12) == 0 ||
	       strncmp(s, "acpi:ACPI0007:", 14) == 0;
}

static struct forecast_module *get_module(struct forecast *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++)
		if (name_equal(f->modules[i].name, name))
			return &f->modules[i];
	if (f->count == f->room) {
		size_t room = f->room ? f->room * 2 : 64;
		struct forecast_module *bigger = reallocarray(f->modules, room, sizeof(*bigger));

		if (!bigger)
			return NULL;
		f->modules = bigger;
		f->room = room;
	}
	f->modules[f->count] = (struct forecast_module){ .name = strdup(name) };
	return f->modules[f->count].name ? &f->modules[f->count++] : NULL;
}

static int add_hit(void *data, const char *name, bool is_builtin)
{
	struct hit *hit = data;
	bool is_cpu = is_cpu_alias(hit->alias);
	struct forecast_module *m = get_module(hit->forecast, name);

	if (!m)
		return -ENOMEM;
	if (m->last_alias != hit->serial) {
		m->last_alias = hit->serial;
		m->devices += hit->devices;
		m->cpu_devices += is_cpu ? hit->devices : 0;
	}
	m->requests += hit->devices;
	if (is_cpu)
		m->cpu_requests += hit->devices;
	else if (strncmp(hit->alias, "platform:", 9) == 0)
		m->platform_requests += hit->devices;
	if (is_builtin)
		m->bar = BAR_BUILTIN;
	return 0;
}

static bool is_live(int rootfd, const char *module)
{
	char path[320], state[16];

	(void)snprintf(path, sizeof(path), "sys/module/%s/initstate", module);
	return file_read_line(rootfd, path, state, sizeof(state)) == 0 &&
	       strcmp(state, "live") == 0;
}

static enum forecast_bar find_bar(int rootfd, const struct facts *facts, const char *name)
{
	const struct cmdline *c = &facts->cmdline;

	if (is_live(rootfd, name))
		return BAR_LIVE;
	if (modconf_find(&facts->conf, MODCONF_BLACKLIST, name) ||
	    cmdline_lists(c, "modprobe.blacklist", name) ||
	    (facts->stage == STAGE_INITRD && cmdline_lists(c, "rd.driver.blacklist", name)))
		return BAR_DENIED;
	return modconf_find(&facts->conf, MODCONF_INSTALL, name) ? BAR_INSTALL : BAR_NONE;
}

/* How often the loader is called at most when we have our way. */
static uint64_t count_with_us(const struct facts *facts, const struct decision *d,
			      struct forecast_module *m, int row)
{
	const struct row_decision *r = &d->rows[row];

	if (!d->may_write || !m->without_us)
		return m->without_us;
	m->is_denied_by_us = r->deny;
	/* Tried once by us, in this boot already or in a moment; refused, it is denied. */
	if (r->deny)
		return facts->modules[row].attempt == ATTEMPT_NONE ? 0 : 1;
	if (facts->settings.policy == POLICY_BLACKLIST &&
	    (r->verdict == VERDICT_CHOSEN || r->verdict == VERDICT_IN_LINE))
		return 1;
	return m->without_us;
}

/* scope=cpu: one load in the place of one for each CPU and ACPI processor. */
static uint64_t count_once(const struct forecast_module *m, uint64_t count)
{
	uint64_t others = m->requests - m->cpu_requests;

	return m->cpu_requests && count > others ? others + 1 : count;
}

static void judge(int rootfd, const struct facts *facts, const struct decision *d,
		  const struct modconf *boot, bool has_rule, struct forecast_module *m)
{
	int row = driver_find(m->name);

	m->is_in_table = row >= 0;
	if (m->bar != BAR_BUILTIN)
		m->bar = find_bar(rootfd, facts, m->name);
	m->is_denied_by_kernel =
		cmdline_kernel_lists(&facts->cmdline, "module_blacklist", m->name, true);
	m->without_us = m->bar == BAR_NONE ? m->requests : 0;
	m->is_denied_now = modconf_find(boot, MODCONF_BLACKLIST, m->name) != NULL;
	m->now = m->is_denied_now ? 0 : m->without_us;
	m->with_us = row >= 0 ? count_with_us(facts, d, m, row) : m->without_us;
	if (has_rule)
		m->now = count_once(m, m->now);
	if (d->is_once)
		m->with_us = count_once(m, m->with_us);
}

/* Our own file for this boot, as it is now: facts leave it out. */
static int read_boot_file(int rootfd, struct modconf *ret, bool *ret_is_there)
{
	char *text;
	int r;

	*ret_is_there = false;
	if (path_exists(rootfd, MODCONF_MASK_PATH) == 1 ||
	    file_read(rootfd, MODCONF_BOOT_PATH, CONFIG_MAX, &text, NULL) < 0)
		return 0;
	*ret_is_there = true;
	r = modconf_parse(ret, text, MODCONF_BOOT_PATH, false);
	return r;
}

static int compare(const void *a, const void *b)
{
	const struct forecast_module *x = a, *y = b;

	if (x->cpu_requests != y->cpu_requests)
		return x->cpu_requests < y->cpu_requests ? 1 : -1;
	if (x->requests != y->requests)
		return x->requests < y->requests ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int find_modules(int rootfd, const struct facts *facts, const struct aliases *a,
			struct forecast *ret)
{
	struct module_index *index;
	struct hit hit = { .forecast = ret };
	int r = modules_index_open(rootfd, facts, &index);

	if (r < 0)
		return r;
	for (size_t i = 0; i < a->room && r == 0; i++) {
		if (!a->slots[i].text)
			continue;
		hit.alias = a->slots[i].text;
		hit.devices = a->slots[i].devices;
		hit.serial++;
		if (strncmp(hit.alias, "cpu:", 4) == 0)
			ret->cpus += hit.devices;
		r = modules_index_find(index, hit.alias, add_hit, &hit);
	}
	modules_index_close(index);
	return r;
}

int forecast_gather(int rootfd, const struct facts *facts, const struct decision *d,
		    struct forecast *ret)
{
	_cleanup_(aliases_free) struct aliases aliases = { 0 };
	_cleanup_(modconf_free) struct modconf boot = { 0 };
	bool has_rule = path_exists(rootfd, ONCE_RULE_PATH) == 1 &&
			path_exists(rootfd, ONCE_MASK_PATH) == 0;
	int fd, r;

	*ret = (struct forecast){ 0 };
	fd = path_open(rootfd, "sys/devices", O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	r = walk(fd, 0, &aliases);
	if (r < 0)
		return r;
	ret->devices = aliases.devices;
	ret->aliases = aliases.count;
	r = read_boot_file(rootfd, &boot, &ret->has_boot_file);
	if (r == 0)
		r = find_modules(rootfd, facts, &aliases, ret);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ret->count; i++)
		judge(rootfd, facts, d, &boot, has_rule, &ret->modules[i]);
	if (ret->count)
		qsort(ret->modules, ret->count, sizeof(*ret->modules), compare);
	return 0;
}

void forecast_free(struct forecast *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->modules[i].name);
	free(f->modules);
}

bool forecast_is_storm(const struct forecast_module *m)
{
	return m->cpu_requests > 1;
}
