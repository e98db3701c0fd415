/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_MODULES_CTX_H
#define CPUFREQ_RESOLVE_MODULES_CTX_H

/* What the files that use libkmod share (modules*.c), and nobody else. */

#include <libkmod.h>

#include "facts.h"
#include "macro.h"

static inline void ctx_unrefp(struct kmod_ctx **ctx)
{
	if (*ctx)
		kmod_unref(*ctx);
}

static inline void module_unrefp(struct kmod_module **mod)
{
	if (*mod)
		kmod_module_unref(*mod);
}

static inline void list_unrefp(struct kmod_list **list)
{
	kmod_module_unref_list(*list);
}

#define _cleanup_ctx_    _cleanup_(ctx_unrefp)
#define _cleanup_module_ _cleanup_(module_unrefp)
#define _cleanup_list_   _cleanup_(list_unrefp)

/* libkmod's words go to the log of whoever wants them: its errors come back as return values. */
static inline void log_nothing(void *data, int priority, const char *file, int line, const char *fn,
			       const char *format, va_list args)
{
	(void)data, (void)priority, (void)file, (void)line, (void)fn, (void)format, (void)args;
}

static inline struct kmod_ctx *ctx_new(const char *dir, const char *const *config)
{
	struct kmod_ctx *ctx = kmod_new(dir, config);

	if (ctx)
		kmod_set_log_fn(ctx, log_nothing, NULL);
	return ctx;
}

/**
 * modules_indexes_open() - A context on the kernel's indexes alone
 * @ret_dirfd: their directory, to be closed after @ret is released
 *
 * With no configuration of this machine, whose command line libkmod would mix into that of a
 * captured one.
 *
 * Return: 0, -ENOENT if there are none, -EBADMSG if one is damaged, -EINVAL if one is no file of a
 * captured tree, or another -errno.
 */
int modules_indexes_open(int rootfd, const struct facts *facts, int *ret_dirfd,
			 struct kmod_ctx **ret) _must_check_;

#endif
