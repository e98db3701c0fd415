// SPDX-License-Identifier: GPL-2.0-or-later
#include "modconf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "names.h"
#include "util.h"

#define FILE_MAX ((size_t)4 * 1024 * 1024)

/* A file's text and path, kept because the entries point into them. */
struct modconf_text {
	struct modconf_text *next;
	char *text;
	char path[];
};

struct file_name {
	char *path;
	const char *base;
};

struct file_list {
	struct file_name *files;
	size_t count, room;
};

static int entry_add(struct modconf *conf, struct modconf_entry entry)
{
	if (conf->count == conf->room) {
		size_t more = conf->room ? conf->room * 2 : 64;
		void *bigger = reallocarray(conf->entries, more, sizeof(*conf->entries));

		if (!bigger)
			return -ENOMEM;
		conf->entries = bigger;
		conf->room = more;
	}
	conf->entries[conf->count++] = entry;
	return 0;
}

/* Takes the next word off *s, NULL if there is none. */
static char *next_word(char **s)
{
	char *word = *s + strspn(*s, " \t");

	if (!*word)
		return NULL;
	*s = word + strcspn(word, " \t");
	if (**s)
		*(*s)++ = '\0';
	return word;
}

static const char *rest_of(char *s)
{
	size_t len;

	s += strspn(s, " \t");
	for (len = strlen(s); len && (s[len - 1] == ' ' || s[len - 1] == '\t'); len--)
		s[len - 1] = '\0';
	return s;
}

static int parse_modprobe_line(struct modconf *conf, char *s, struct modconf_entry entry)
{
	static const struct {
		const char *word;
		enum modconf_kind kind;
		bool has_value;
	} directives[] = {
		{ "alias", MODCONF_ALIAS, true },     { "blacklist", MODCONF_BLACKLIST, false },
		{ "install", MODCONF_INSTALL, true }, { "options", MODCONF_OPTIONS, true },
		{ "softdep", MODCONF_SOFTDEP, true },
	};
	/* Words that kmod knows, and that say nothing of loading. */
	static const char *const others[] = { "remove", "weakdep", "include", "config" };
	const char *word = next_word(&s);

	if (!word)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strcmp(word, others[i]) == 0)
			return 0;
	for (size_t i = 0; i < ARRAY_SIZE(directives); i++) {
		if (strcmp(word, directives[i].word) != 0)
			continue;
		entry.kind = directives[i].kind;
		entry.name = next_word(&s);
		if (!entry.name)
			return 0; /* libkmod, too, passes over half a line */
		entry.value = "";
		if (entry.kind == MODCONF_ALIAS)
			entry.value = next_word(&s); /* the module alone */
		else if (directives[i].has_value)
			entry.value = rest_of(s);
		if (!entry.value || (directives[i].has_value && !*entry.value))
			return 0;
		return entry_add(conf, entry);
	}
	entry.kind = MODCONF_UNKNOWN;
	entry.name = next_word(&s);
	entry.value = word;
	return entry.name ? entry_add(conf, entry) : 0;
}

/*
 * Cuts off one logical line. In modprobe.d a backslash before a newline joins two of them, before
 * anything else it goes away (freadline_wrapped(), shared/util.c in kmod); in modules-load.d it is
 * like any other byte.
 */
static char *next_line(char **text, unsigned int *line, bool has_escapes)
{
	char *start = *text, *out = start, *s = start;

	if (!*s)
		return NULL;
	while (*s && *s != '\n') {
		if (has_escapes && s[0] == '\\' && s[1]) {
			if (s[1] == '\n')
				(*line)++;
			else
				*out++ = s[1];
			s += 2;
			continue;
		}
		*out++ = *s++;
	}
	*text = *s ? s + 1 : s;
	*out = '\0';
	(*line)++;
	return start;
}

int modconf_parse(struct modconf *conf, char *text, const char *file, bool load_list)
{
	struct modconf_text *t = malloc(sizeof(*t) + strlen(file) + 1);
	struct modconf_entry entry = { 0 };
	unsigned int line = 0;
	char *s = text, *l;

	if (!t) {
		free(text);
		return -ENOMEM;
	}
	memcpy(t->path, file, strlen(file) + 1);
	str_printable(t->path); /* it is printed, also into a file that kmod reads */
	t->text = text;
	t->next = conf->texts;
	conf->texts = t;

	entry.file = t->path;
	entry.base = strrchr(t->path, '/') ? strrchr(t->path, '/') + 1 : t->path;
	for (;;) {
		int r = 0;

		entry.line = line + 1;
		l = next_line(&s, &line, !load_list);
		if (!l)
			return 0;
		if (load_list)
			l[strcspn(l, "\r")] = '\0'; /* ends a line for systemd, but not for kmod */
		l += strspn(l, " \t");
		if (!*l || *l == '#' || (load_list && *l == ';'))
			continue;
		if (load_list) {
			entry.kind = MODCONF_LOAD;
			entry.name = rest_of(l);
			entry.value = "";
			r = entry_add(conf, entry);
		} else {
			r = parse_modprobe_line(conf, l, entry);
		}
		if (r < 0)
			return r;
	}
}

static void file_list_free(struct file_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->files[i].path);
	free(list->files);
}

/* Keeps the list sorted by name; a name that is there already was found in a stronger place. */
static int file_list_add(struct file_list *list, const char *dir, const char *name)
{
	size_t at = 0;
	char *path;

	for (; at < list->count; at++) {
		int cmp = strcmp(list->files[at].base, name);

		if (cmp == 0)
			return 0;
		if (cmp > 0)
			break;
	}
	if (list->count == list->room) {
		size_t more = list->room ? list->room * 2 : 32;
		void *bigger = reallocarray(list->files, more, sizeof(*list->files));

		if (!bigger)
			return -ENOMEM;
		list->files = bigger;
		list->room = more;
	}
	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	memmove(&list->files[at + 1], &list->files[at], (list->count - at) * sizeof(*list->files));
	list->files[at] = (struct file_name){ path, strrchr(path, '/') + 1 };
	list->count++;
	return 0;
}

static bool is_wanted(const char *dir, const char *name)
{
	size_t len = strlen(name);

	if (name[0] == '.' || len <= 5 || strcmp(name + len - 5, ".conf") != 0)
		return false;
	/* Its namesake in modules-load.d is the administrator's word, brought along by dracut. */
	if (strcmp(name, MODCONF_IMAGE_NAME) == 0 &&
	    (strcmp(dir, "lib/modprobe.d") == 0 || strcmp(dir, "usr/lib/modprobe.d") == 0))
		return false;
	return strcmp(name, MODCONF_BOOT_NAME) != 0 || strcmp(dir, "run/modprobe.d") != 0;
}

static void note_failure(struct modconf *conf, const char *path, int error)
{
	if (conf->failed_error)
		return;
	conf->failed_error = error;
	str_copy(conf->failed_file, sizeof(conf->failed_file), path);
}

/* kmod passes over a directory; it hides no file of its name in a weaker place. */
static bool is_dir(int rootfd, const char *dir, const struct dirent *e)
{
	_cleanup_close_ int fd = -1;
	char path[320];

	if (e->d_type != DT_LNK && e->d_type != DT_UNKNOWN)
		return e->d_type == DT_DIR;
	(void)snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
	fd = path_open(rootfd, path, O_PATH | O_DIRECTORY);
	return fd >= 0;
}

static int list_dir(struct modconf *conf, int rootfd, const char *dir, struct file_list *list)
{
	int fd = path_open(rootfd, dir, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
	const struct dirent *e;
	DIR *d;
	int r = 0, error = 0;

	if (fd < 0) {
		if (fd != -ENOENT && fd != -ENOTDIR)
			note_failure(conf, dir, fd);
		return 0;
	}
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	while (r == 0 && (e = dir_next(d, &error)))
		if (is_wanted(dir, e->d_name) && !is_dir(rootfd, dir, e))
			r = file_list_add(list, dir, e->d_name);
	closedir(d);
	/* A denial may stand in what was not seen. */
	if (error < 0)
		note_failure(conf, dir, error);
	return r;
}

static int read_file(struct modconf *conf, int rootfd, const char *path, bool load_list)
{
	char *text;
	size_t len;
	int r = file_read(rootfd, path, FILE_MAX, &text, &len);

	/* kmod would read on behind a NUL, and a denial may stand there. */
	if (r == 0 && strlen(text) != len) {
		free(text);
		r = -EILSEQ;
	}
	switch (r) {
	case 0:
		return modconf_parse(conf, text, path, load_list);
	case -ENOMEM:
		return r;
	case -ENOENT: /* a dangling link; kmod goes on as well */
	case -EINVAL: /* masked by a link to /dev/null, or a fifo that nobody can read from */
	case -EISDIR:
		return 0;
	default:
		note_failure(conf, path, r);
		return 0;
	}
}

static int read_dirs(struct modconf *conf, int rootfd, const char *const *dirs, size_t count,
		     const char *kernel_dir, bool load_list)
{
	_cleanup_(file_list_free) struct file_list list = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = list_dir(conf, rootfd, dirs[i], &list);
	/* kmod sorts the kernel's own softdeps in among the files. */
	if (r == 0 && kernel_dir)
		r = file_list_add(&list, kernel_dir, "modules.softdep");
	for (size_t i = 0; r == 0 && i < list.count; i++)
		r = read_file(conf, rootfd, list.files[i].path, load_list);
	return r;
}

int modconf_load(int rootfd, const char *kernel_dir, struct modconf *ret)
{
	static const char *const modprobe_dirs[] = {
		"etc/modprobe.d",     "run/modprobe.d", "usr/local/lib/modprobe.d",
		"usr/lib/modprobe.d", "lib/modprobe.d",
	};
	static const char *const load_dirs[] = {
		"etc/modules-load.d",     "run/modules-load.d", "usr/local/lib/modules-load.d",
		"usr/lib/modules-load.d", "lib/modules-load.d",
	};
	int r;

	*ret = (struct modconf){ 0 };
	r = read_dirs(ret, rootfd, modprobe_dirs, ARRAY_SIZE(modprobe_dirs), kernel_dir, false);
	if (r == 0)
		r = read_dirs(ret, rootfd, load_dirs, ARRAY_SIZE(load_dirs), NULL, true);
	return r;
}

const struct modconf_entry *modconf_next(const struct modconf *conf,
					 const struct modconf_entry *after, enum modconf_kind kind,
					 const char *module)
{
	bool patterns = kind == MODCONF_INSTALL || kind == MODCONF_SOFTDEP;

	for (size_t i = after ? (size_t)(after - conf->entries) + 1 : 0; i < conf->count; i++) {
		const struct modconf_entry *e = &conf->entries[i];

		if (e->kind == kind &&
		    (patterns ? name_match(e->name, module) : name_equal(e->name, module)))
			return e;
	}
	return NULL;
}

const struct modconf_entry *modconf_find(const struct modconf *conf, enum modconf_kind kind,
					 const char *module)
{
	return modconf_next(conf, NULL, kind, module);
}

void modconf_free(struct modconf *conf)
{
	while (conf->texts) {
		struct modconf_text *next = conf->texts->next;

		free(conf->texts->text);
		free(conf->texts);
		conf->texts = next;
	}
	free(conf->entries);
	*conf = (struct modconf){ 0 };
}
