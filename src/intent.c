// SPDX-License-Identifier: GPL-2.0-or-later
#include "intent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "memtext.h"
#include "util.h"

#define IMAGE_FILE_MAX ((size_t)64 * 1024)

/* One file of the image, behind what is in @out. */
static int add_file(int rootfd, struct facts *facts, const char *path, FILE *out)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r = file_read(rootfd, path, IMAGE_FILE_MAX, &text, &len);

	if (r == -ENOENT || r == -ENOTDIR || r == -ENOMEM)
		return r == -ENOMEM ? r : 0;
	if (r == 0 && strlen(text) != len)
		r = -EILSEQ;
	if (r < 0)
		facts_fail(facts, path, r, "a readable part of dracut's command line");
	else
		fprintf(out, "%s\n", text);
	return 0;
}

/* In any order: all that is asked of them are lists that add up. */
static int add_directory(int rootfd, struct facts *facts, FILE *out)
{
	static const char directory[] = "etc/cmdline.d";
	int fd = path_open(rootfd, directory, O_RDONLY | O_DIRECTORY), r = 0, error = 0;
	const struct dirent *e;
	DIR *d;

	if (fd < 0) {
		if (fd != -ENOENT && fd != -ENOTDIR)
			facts_fail(facts, directory, fd, "a folder of dracut's");
		return 0;
	}
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	while (r == 0 && (e = dir_next(d, &error))) {
		const char *dot = strrchr(e->d_name, '.');
		char path[320];

		if (e->d_name[0] == '.' || !dot || strcmp(dot, ".conf") != 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", directory, e->d_name);
		r = add_file(rootfd, facts, path, out);
	}
	closedir(d);
	if (error < 0)
		facts_fail(facts, directory, error, "a folder of dracut's");
	return r;
}

int intent_read_image(int rootfd, struct facts *facts)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = text_open(&text);
	int r;

	if (!out)
		return -ENOMEM;
	r = add_file(rootfd, facts, "etc/cmdline", out);
	if (r == 0)
		r = add_directory(rootfd, facts, out);
	if (text_end(out, &text) < 0)
		r = -ENOMEM;
	return r < 0 ? r : cmdline_parse(text, &facts->image_cmdline);
}

/* Outside of an initramfs there is no dracut, and the second part is empty. */
static bool dracut_lists(const struct facts *facts, const char *key, const char *name)
{
	return cmdline_lists(&facts->cmdline, key, name) ||
	       cmdline_lists(&facts->image_cmdline, key, name);
}

enum denial intent_denial(const struct facts *facts, const char *name, const char *initcall,
			  const struct modconf_entry **ret_line)
{
	const struct cmdline *c = &facts->cmdline;

	*ret_line = modconf_find(&facts->conf, MODCONF_BLACKLIST, name);
	if (*ret_line)
		return DENIAL_BLACKLIST;
	if (cmdline_lists(c, "modprobe.blacklist", name))
		return DENIAL_MODPROBE_CMDLINE;
	/* dracut takes the old names rdblacklist= and rdloaddriver= as well. */
	if (facts->stage == STAGE_INITRD && (dracut_lists(facts, "rd.driver.blacklist", name) ||
					     dracut_lists(facts, "rdblacklist", name)))
		return DENIAL_DRACUT_CMDLINE;
	if (cmdline_kernel_lists(c, "module_blacklist", name, true))
		return DENIAL_KERNEL_CMDLINE;
	if (initcall && cmdline_kernel_lists(c, "initcall_blacklist", initcall, false))
		return DENIAL_INITCALL;
	return DENIAL_NONE;
}

void intent_place(struct facts *facts)
{
	const struct cmdline *c = &facts->cmdline;

	for (size_t i = 0; i < driver_count; i++) {
		const char *name = drivers[i].name;
		struct module_state *m = &facts->modules[i];

		m->denial = intent_denial(facts, name, drivers[i].initcall, &m->denied_by);
		m->install = modconf_find(&facts->conf, MODCONF_INSTALL, name);
		m->wanted_by = modconf_find(&facts->conf, MODCONF_LOAD, name);
		m->is_wanted = m->wanted_by || dracut_lists(facts, "rd.driver.pre", name) ||
			       dracut_lists(facts, "rdloaddriver", name) ||
			       cmdline_lists(c, "modules_load", name) ||
			       cmdline_lists(c, "rd.modules_load", name);
	}
}
