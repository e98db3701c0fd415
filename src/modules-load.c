// SPDX-License-Identifier: GPL-2.0-or-later
/* What asks the running kernel for modules, with the running system's own configuration. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "modules-ctx.h"
#include "modules.h"

static int open_module(const char *name, struct kmod_ctx **ret_ctx, struct kmod_module **ret_mod)
{
	_cleanup_ctx_ struct kmod_ctx *ctx = ctx_new(NULL, NULL);
	int r;

	if (!ctx)
		return -ENOMEM;
	r = kmod_module_new_from_name(ctx, name, ret_mod);
	if (r == 0)
		*ret_ctx = TAKE_PTR(ctx);
	return r;
}

int modules_insert(const char *name)
{
	_cleanup_ctx_ struct kmod_ctx *ctx = NULL;
	_cleanup_module_ struct kmod_module *mod = NULL;
	int r = open_module(name, &ctx, &mod);

	if (r < 0)
		return r;
	r = kmod_module_probe_insert_module(mod, KMOD_PROBE_FAIL_ON_LOADED, NULL, NULL, NULL, NULL);
	return r > 0 ? -ECANCELED : r;
}

int modules_remove(const char *name)
{
	_cleanup_ctx_ struct kmod_ctx *ctx = NULL;
	_cleanup_module_ struct kmod_module *mod = NULL;
	int r = open_module(name, &ctx, &mod);

	return r < 0 ? r : kmod_module_remove_module(mod, O_NONBLOCK);
}

static bool is_there(struct kmod_module *mod)
{
	int state = kmod_module_get_initstate(mod);

	return state == KMOD_MODULE_LIVE || state == KMOD_MODULE_BUILTIN;
}

/* As udev does it (module_load_and_warn(), src/shared/module-util.c), but the answer comes back. */
static int ask(struct kmod_module *mod)
{
	int r;

	if (is_there(mod))
		return MODULES_WAS_THERE;
	r = kmod_module_probe_insert_module(mod,
					    KMOD_PROBE_APPLY_BLACKLIST | KMOD_PROBE_FAIL_ON_LOADED,
					    NULL, NULL, NULL, NULL);
	if (r == -EEXIST && is_there(mod))
		return 0; /* somebody else was faster */
	return r > 0 ? MODULES_DENIED : r;
}

/* An alias that fits a device twice names its module twice. */
static bool is_repeated(struct kmod_list *list, const struct kmod_list *item, const char *name)
{
	struct kmod_list *before;

	kmod_list_foreach (before, list) {
		_cleanup_module_ struct kmod_module *mod = NULL;

		if (before == item)
			return false;
		mod = kmod_module_get_module(before);
		if (strcmp(kmod_module_get_name(mod), name) == 0)
			return true;
	}
	return false;
}

int modules_ask(const char *alias, const struct modules_asker *asker)
{
	_cleanup_ctx_ struct kmod_ctx *ctx = ctx_new(NULL, NULL);
	_cleanup_list_ struct kmod_list *list = NULL;
	struct kmod_list *item;
	int r;

	if (!ctx)
		return -ENOMEM;
	r = kmod_load_resources(ctx);
	if (r == 0)
		r = kmod_module_new_from_lookup(ctx, alias, &list);
	if (r < 0)
		return r;
	kmod_list_foreach (item, list) {
		_cleanup_module_ struct kmod_module *mod = kmod_module_get_module(item);
		const char *name = kmod_module_get_name(mod);

		if (!is_repeated(list, item, name) && asker->may_ask(asker->data, name))
			asker->answered(asker->data, name, ask(mod));
	}
	return 0;
}
