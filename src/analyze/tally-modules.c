// SPDX-License-Identifier: GPL-2.0-or-later
/* The modules of a boot, by name, and in the order of a report. */
#include <errno.h>

#include "drivers.h"
#include "tally-parts.h"
#include "util.h"

#define PIDS_MAX  8192 /* udev has 2,048 workers at most (WORKER_NUM_MAX) */
#define DROP_ONCE 64   /* modules, so that a log of nothing but names does not sort at each */

void tally_copy(char *buf, size_t size, struct slice s)
{
	size_t len = s.len < size - 1 ? s.len : size - 1;

	memcpy(buf, s.p, len);
	buf[len] = '\0';
	str_printable(buf);
}

void tally_add_pid(struct tally_pids *pids, uint64_t pid)
{
	size_t slot;

	if (!pid || pid > UINT32_MAX)
		return;
	if (pids->count * 2 >= pids->room) {
		size_t room = pids->room ? pids->room * 2 : 16;
		uint32_t *slots = pids->count < PIDS_MAX ? calloc(room, sizeof(*slots)) : NULL;

		if (!slots) {
			pids->is_full = true;
			return;
		}
		for (size_t i = 0; i < pids->room; i++) {
			if (!pids->slots[i])
				continue;
			for (slot = pids->slots[i] % room; slots[slot]; slot = (slot + 1) % room)
				;
			slots[slot] = pids->slots[i];
		}
		free(pids->slots);
		pids->slots = slots;
		pids->room = room;
	}
	for (slot = pid % pids->room; pids->slots[slot]; slot = (slot + 1) % pids->room)
		if (pids->slots[slot] == pid)
			return;
	pids->slots[slot] = (uint32_t)pid;
	pids->count++;
}

void tally_free_module(struct tally_module *m)
{
	if (!m)
		return;
	free(m->workers.slots);
	free(m->bins);
	free(m);
}

#define HASH_FIRST 5381

static size_t hash_on(size_t hash, char c)
{
	return hash * 33 + (unsigned char)c;
}

/* Where the module of that name is, or would be. */
static size_t find_slot(const struct tally *t, const char *name, size_t hash)
{
	size_t slot;

	for (slot = hash % MODULE_SLOTS; t->modules[slot]; slot = (slot + 1) % MODULE_SLOTS)
		if (strcmp(t->modules[slot]->name, name) == 0)
			break;
	return slot;
}

static uint64_t lines_of(const struct tally_module *m)
{
	return tally_requests(m) + m->races + m->others + m->initcalls + m->probe_failures +
	       m->unloaded + m->kernel_denied + m->refusals;
}

/* What is dropped first comes last. */
static int compare_worth(const void *a, const void *b)
{
	const struct tally_module *x = *(const struct tally_module *const *)a;
	const struct tally_module *y = *(const struct tally_module *const *)b;
	const uint64_t keys[][2] = {
		{ driver_find(x->name) >= 0, driver_find(y->name) >= 0 },
		{ lines_of(x), lines_of(y) },
		{ x->last_entry, y->last_entry },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? 1 : -1;
	return 0;
}

static void drop_modules(struct tally *t)
{
	struct tally_module *list[TALLY_MODULES_MAX] = { NULL };
	size_t n = 0;

	for (size_t i = 0; i < MODULE_SLOTS; i++) {
		if (t->modules[i])
			list[n++] = t->modules[i];
		t->modules[i] = NULL;
	}
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what is meant */
	qsort(list, n, sizeof(list[0]), compare_worth);
	for (size_t i = n - DROP_ONCE; i < n; i++) {
		t->dropped_modules++;
		t->dropped_attempts += tally_attempts(list[i]);
		tally_free_module(list[i]);
	}
	t->module_count = n - DROP_ONCE;
	for (size_t i = 0; i < t->module_count; i++) {
		size_t hash = HASH_FIRST;

		for (const char *c = list[i]->name; *c; c++)
			hash = hash_on(hash, *c);
		t->modules[find_slot(t, list[i]->name, hash)] = list[i];
	}
}

int tally_get_module(struct tally *t, struct slice name, struct tally_module **ret)
{
	char normal[64];
	struct tally_module *m;
	size_t slot, hash = HASH_FIRST;

	tally_copy(normal, sizeof(normal), name);
	for (char *c = normal; *c; c++) {
		if (*c == '-')
			*c = '_';
		hash = hash_on(hash, *c);
	}
	slot = find_slot(t, normal, hash);
	m = t->modules[slot];
	if (!m) {
		if (t->module_count == TALLY_MODULES_MAX) {
			drop_modules(t);
			slot = find_slot(t, normal, hash);
		}
		m = calloc(1, sizeof(*m));
		if (!m)
			return -ENOMEM;
		str_copy(m->name, sizeof(m->name), normal);
		m->came_after_a_drop = t->dropped_modules && driver_find(normal) < 0;
		t->modules[slot] = m;
		t->module_count++;
	}
	m->last_entry = t->entries;
	*ret = m;
	return 0;
}

void tally_add_error(struct tally_error *errors, int error)
{
	for (size_t i = 0; i < TALLY_ERRORS; i++) {
		/* The last one takes all that comes after it. */
		if (errors[i].count == 0 || i == TALLY_ERRORS - 1)
			errors[i].error = errors[i].count == 0 ? error : 0;
		else if (errors[i].error != error)
			continue;
		errors[i].count++;
		return;
	}
}

uint64_t tally_attempts(const struct tally_module *m)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < CLASS_COUNT; c++)
		sum += m->classes[c];
	return sum;
}

uint64_t tally_requests(const struct tally_module *m)
{
	return tally_attempts(m) + m->loaded + m->builtin + m->denied;
}

static int compare(const void *a, const void *b)
{
	const struct tally_module *x = *(const struct tally_module *const *)a;
	const struct tally_module *y = *(const struct tally_module *const *)b;
	const uint64_t keys[][2] = {
		/* Drivers of CPU frequency first: they are what this is about. */
		{ driver_find(x->name) >= 0, driver_find(y->name) >= 0 },
		{ tally_attempts(x), tally_attempts(y) },
		{ x->initcalls + x->unloaded + x->others + x->refusals,
		  y->initcalls + y->unloaded + y->others + y->refusals },
		{ tally_requests(x), tally_requests(y) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? 1 : -1;
	return strcmp(x->name, y->name);
}

const struct tally_module **tally_sorted(const struct tally *t, size_t *ret_count)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what is meant */
	const struct tally_module **list = calloc(t->module_count + 1, sizeof(*list));
	size_t n = 0;

	if (!list)
		return NULL;
	for (size_t i = 0; i < MODULE_SLOTS; i++)
		if (t->modules[i])
			list[n++] = t->modules[i];
	/* NOLINTNEXTLINE(bugprone-sizeof-expression) */
	qsort(list, n, sizeof(*list), compare);
	*ret_count = n;
	return list;
}

const struct tally_module *tally_find(const struct tally_module **list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i]->name, name) == 0)
			return list[i];
	return NULL;
}
