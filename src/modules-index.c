// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's module indexes: checked, opened, and asked. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>

#include "modules-ctx.h"
#include "modules.h"
#include "util.h"

/*
 * libkmod follows the offset of the root unseen. Behind the end of a cut index lies whatever is
 * mapped there, often another index: then it does not die but answers, and differently each time.
 */
static bool has_root(int dirfd, const char *name)
{
	_cleanup_close_ int fd = openat(dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* Magic, version and, below four bits of flags, the offset; all big endian
	 * (libkmod-index.c). */
	uint32_t header[3], root;
	struct stat st;

	if (fd < 0)
		return true; /* libkmod can't read it either */
	if (fstat(fd, &st) < 0 || read(fd, header, sizeof(header)) != sizeof(header))
		return false;
	root = be32toh(header[2]) & UINT32_C(0x0fffffff);
	return root >= sizeof(header) && root <= st.st_size;
}

/* libkmod opens these by path: in a captured tree none may lead out of it, or hang us. */
static int check_indexes(int dirfd, bool is_live_root)
{
	static const struct {
		const char *name;
		bool is_tree;
	} files[] = {
		{ "modules.dep.bin", true },           { "modules.alias.bin", true },
		{ "modules.symbols.bin", true },       { "modules.builtin.bin", true },
		{ "modules.builtin.alias.bin", true }, { "modules.builtin.modinfo", false },
		{ "modules.softdep", false },
	};
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (!is_live_root && fstatat(dirfd, files[i].name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    !S_ISREG(st.st_mode))
			return -EINVAL;
		if (files[i].is_tree && !has_root(dirfd, files[i].name))
			return -EBADMSG;
	}
	return 0;
}

int modules_indexes_open(int rootfd, const struct facts *facts, int *ret_dirfd,
			 struct kmod_ctx **ret)
{
	static const char *const no_config[] = { NULL };
	_cleanup_close_ int fd = path_open(rootfd, facts->kernel_dir, O_RDONLY | O_DIRECTORY);
	_cleanup_ctx_ struct kmod_ctx *ctx = NULL;
	char dir[64];
	int r;

	if (fd < 0)
		return fd;
	r = check_indexes(fd, facts->is_live_root);
	if (r < 0)
		return r;
	(void)snprintf(dir, sizeof(dir), "/proc/self/fd/%d", fd);
	ctx = ctx_new(dir, no_config);
	if (!ctx)
		return -ENOMEM;
	r = kmod_load_resources(ctx);
	if (r < 0)
		return r == -ENOSYS ? -ENOENT : r;
	*ret = TAKE_PTR(ctx);
	*ret_dirfd = TAKE_FD(fd);
	return 0;
}

struct module_index {
	struct kmod_ctx *ctx;
	const struct facts *facts;
	int dirfd;
};

int modules_index_open(int rootfd, const struct facts *facts, struct module_index **ret)
{
	struct module_index *index = calloc(1, sizeof(*index));
	int r;

	if (!index)
		return -ENOMEM;
	r = modules_indexes_open(rootfd, facts, &index->dirfd, &index->ctx);
	if (r < 0) {
		free(index);
		return r;
	}
	index->facts = facts;
	*ret = index;
	return 0;
}

void modules_index_close(struct module_index *index)
{
	if (!index)
		return;
	kmod_unref(index->ctx);
	close(index->dirfd);
	free(index);
}

static int report_module(struct kmod_module *mod,
			 int (*found)(void *data, const char *module, bool is_builtin), void *data)
{
	return found(data, kmod_module_get_name(mod),
		     kmod_module_get_initstate(mod) == KMOD_MODULE_BUILTIN);
}

int modules_index_find(struct module_index *index, const char *modalias,
		       int (*found)(void *data, const char *module, bool is_builtin), void *data)
{
	const struct modconf *conf = &index->facts->conf;
	_cleanup_list_ struct kmod_list *list = NULL;
	struct kmod_list *item;
	bool is_hidden = false;
	int r = 0;

	for (size_t i = 0; i < conf->count && r == 0; i++) {
		_cleanup_module_ struct kmod_module *mod = NULL;

		if (conf->entries[i].kind != MODCONF_ALIAS ||
		    fnmatch(conf->entries[i].name, modalias, 0) != 0)
			continue;
		is_hidden = true;
		if (kmod_module_new_from_name(index->ctx, conf->entries[i].value, &mod) == 0)
			r = report_module(mod, found, data);
	}
	if (is_hidden || kmod_module_new_from_lookup(index->ctx, modalias, &list) < 0)
		return r;
	kmod_list_foreach (item, list) {
		_cleanup_module_ struct kmod_module *mod = kmod_module_get_module(item);

		if (r == 0)
			r = report_module(mod, found, data);
	}
	return r;
}
