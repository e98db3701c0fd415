// SPDX-License-Identifier: GPL-2.0-or-later
#include "offers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "intent.h"
#include "modules.h"
#include "util.h"

/* "0-15,32-47" is 32. */
static unsigned long count_list(const char *list)
{
	unsigned long count = 0;

	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			break;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		count += last >= first ? last - first + 1 : 0;
		list = *end == ',' ? end + 1 : end;
	}
	return count;
}

static unsigned long count_cpus(int rootfd)
{
	char line[4096];

	if (file_read_line(rootfd, "sys/devices/system/cpu/present", line, sizeof(line)) < 0)
		return 0;
	return count_list(line);
}

/* @first: "LNXCPU:00" stands for all of its kind. */
static unsigned long count_acpi(int rootfd, const char *first)
{
	int fd = path_open(rootfd, "sys/bus/acpi/devices", O_RDONLY | O_DIRECTORY);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	size_t len = strcspn(first, ":") + 1;
	unsigned long count = 0;
	const struct dirent *e;

	if (!d) {
		closep(&fd);
		return 0;
	}
	while ((e = readdir(d)))
		count += strncmp(e->d_name, first, len) == 0;
	closedir(d);
	return count;
}

struct search {
	int rootfd;
	const struct facts *facts;
	struct offers *offers;
	size_t group;
};

static int found(void *data, const char *name, bool is_builtin)
{
	const struct search *search = data;
	struct offers *offers = search->offers;
	struct offered_module *m;
	char path[128], text[16];

	for (size_t i = 0; i < offers->count; i++) {
		if (strcmp(offers->modules[i].name, name) != 0)
			continue;
		offers->modules[i].groups |= 1U << search->group;
		return 0;
	}
	if (offers->count == OFFERS_MAX || strlen(name) >= sizeof(m->name))
		return 0;
	m = &offers->modules[offers->count++];
	*m = (struct offered_module){ .groups = 1U << search->group, .is_builtin = is_builtin };
	str_copy(m->name, sizeof(m->name), name);
	(void)snprintf(path, sizeof(path), "sys/module/%s/initstate", name);
	m->is_live = file_read_line(search->rootfd, path, text, sizeof(text)) == 0 &&
		     strcmp(text, "live") == 0;
	m->driver = driver_find(name);
	m->refusal = refusals_find(&offers->refusals, name);
	m->denial =
		intent_denial(search->facts, name,
			      m->driver >= 0 ? drivers[m->driver].initcall : NULL, &m->denied_by);
	m->install = modconf_find(&search->facts->conf, MODCONF_INSTALL, name);
	return 0;
}

int offers_gather(int rootfd, const struct facts *facts, struct offers *ret)
{
	struct module_index *index = NULL;
	int r;

	*ret = (struct offers){ 0 };
	/* One that can't be read says nothing; load takes care of it. */
	if (refusals_load(rootfd, facts, &ret->refusals) == -ENOMEM)
		return -ENOMEM;
	ret->has_rule = path_exists(rootfd, ONCE_RULE_PATH) == 1;
	r = once_read(rootfd, &ret->once);
	for (size_t i = 0; i < ret->once.count; i++)
		ret->announced[i] = once_announced(rootfd, &ret->once.groups[i]);
	/* A damaged index may be the end of whoever asks it: modules_lookup() has, in a child. */
	if (r == 0)
		r = facts->has_index ? modules_index_open(rootfd, facts, &index) : -ENODATA;
	for (size_t i = 0; i < ret->once.count && r == 0; i++) {
		struct search search = { rootfd, facts, ret, i };

		r = modules_index_find(index, ret->once.groups[i].modalias, found, &search);
	}
	modules_index_close(index);
	return r;
}

void offers_count(int rootfd, struct offers *offers)
{
	for (size_t i = 0; i < offers->once.count; i++) {
		const struct once_group *g = &offers->once.groups[i];

		offers->devices[i] = strcmp(g->subsystem, "cpu") == 0 ?
					     count_cpus(rootfd) :
					     count_acpi(rootfd, g->device);
	}
}

void offers_free(struct offers *offers)
{
	once_free(&offers->once);
}
