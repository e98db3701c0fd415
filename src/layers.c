// SPDX-License-Identifier: GPL-2.0-or-later
#include "layers.h"

#include <string.h>

struct asked {
	unsigned int groups; /* as struct offered_module has it */
	bool is_per_cpu;     /* CPUs or ACPI processors ask for it, in a group or not */
	bool is_denied;
};

static unsigned int find_layers(const struct facts *facts, const struct offers *offers,
				const struct asked *asked)
{
	bool is_announced_once = true;
	unsigned int layers = 0;

	/* A MODALIAS that is none for a rule has no group, and nothing is known of it. */
	if (asked->is_per_cpu && offers->once.refused)
		return asked->is_denied ? LAYER_HELPER : 0;
	for (size_t i = 0; i < offers->once.count; i++)
		if (asked->groups & 1U << i)
			is_announced_once &= offers->announced[i] == ANNOUNCED_ONCE;
	if (is_announced_once)
		layers |= LAYER_KERNEL;
	if (asked->is_denied || (asked->groups && offers->has_rule && !facts->is_rule_masked))
		layers |= LAYER_HELPER;
	return layers;
}

static unsigned int groups_of(const struct offers *offers, size_t row)
{
	for (size_t i = 0; i < offers->count; i++)
		if (offers->modules[i].driver == (int)row)
			return offers->modules[i].groups;
	return 0;
}

size_t layers_find(const struct facts *facts, const struct decision *d, const struct offers *offers,
		   struct layered_module ret[LAYERS_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < driver_count; i++) {
		const struct module_state *m = &facts->modules[i];
		struct asked asked = { groups_of(offers, i), m->offers & OFFER_PER_CPU,
				       d->rows[i].deny };

		if (m->is_present && !m->is_builtin && (m->offers || m->has_platform_alias))
			ret[count++] =
				(struct layered_module){ drivers[i].name,
							 find_layers(facts, offers, &asked) };
	}
	for (size_t i = 0; i < offers->count; i++) {
		const struct offered_module *m = &offers->modules[i];
		struct asked asked = { m->groups, true, false };

		if (m->driver < 0 && !m->is_builtin)
			ret[count++] = (struct layered_module){ m->name, find_layers(facts, offers,
										     &asked) };
	}
	return count;
}

const char *layers_name(unsigned int layers)
{
	static const char *const names[] = {
		[0] = "none",
		[LAYER_KERNEL] = "kernel",
		[LAYER_HELPER] = "helper",
		[LAYER_KERNEL | LAYER_HELPER] = "both",
	};

	return names[layers];
}

enum announced layers_announced(const struct offers *offers)
{
	for (size_t i = 0; i < offers->once.count; i++)
		if (strcmp(offers->once.groups[i].subsystem, "cpu") == 0)
			return offers->announced[i];
	return ANNOUNCED_UNKNOWN;
}
