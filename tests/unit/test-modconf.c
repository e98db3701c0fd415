// SPDX-License-Identifier: GPL-2.0-or-later
/* modprobe.d and modules-load.d: what we read is what libkmod and systemd read. */
#include <errno.h>
#include <libkmod.h>
#include <string.h>

#include "modconf.h"
#include "testlib.h"
#include "util.h"

static struct modconf load(const struct tree *t)
{
	struct modconf conf;

	assert_int_equal(modconf_load(t->fd, "lib/modules/x", &conf), 0);
	return conf;
}

static struct modconf parse(const char *text, bool load_list)
{
	struct modconf conf = { 0 };
	char *copy = strdup(text);

	assert_non_null(copy);
	assert_int_equal(modconf_parse(&conf, copy, "etc/x.d/f.conf", load_list), 0);
	return conf;
}

static void is_entry(const struct modconf *conf, size_t i, enum modconf_kind kind, const char *name,
		     const char *value, unsigned int line)
{
	assert_true(i < conf->count);
	assert_int_equal(conf->entries[i].kind, kind);
	assert_string_equal(conf->entries[i].name, name);
	assert_string_equal(conf->entries[i].value, value);
	assert_int_equal(conf->entries[i].line, line);
}

static void directives(void **state)
{
	struct modconf c = parse("blacklist a b c\n"
				 "options\tm  k=1 l=2 \n"
				 "install m /bin/false; exit 1\n"
				 "softdep m pre: a post: b\n"
				 "alias cpu:* m\n"
				 "remove m x\nconfig x\nBlacklist z\nblacklisted z\n",
				 false);

	(void)state;
	assert_int_equal(c.count, 7);
	is_entry(&c, 0, MODCONF_BLACKLIST, "a", "", 1);
	is_entry(&c, 1, MODCONF_OPTIONS, "m", "k=1 l=2", 2);
	is_entry(&c, 2, MODCONF_INSTALL, "m", "/bin/false; exit 1", 3);
	is_entry(&c, 3, MODCONF_SOFTDEP, "m", "pre: a post: b", 4);
	is_entry(&c, 4, MODCONF_ALIAS, "cpu:*", "m", 5);
	/* what kmod does not know, for check-config to speak of */
	is_entry(&c, 5, MODCONF_UNKNOWN, "z", "Blacklist", 8);
	is_entry(&c, 6, MODCONF_UNKNOWN, "z", "blacklisted", 9);
	assert_string_equal(c.entries[0].file, "etc/x.d/f.conf");
	assert_string_equal(c.entries[0].base, "f.conf");
	modconf_free(&c);
	assert_int_equal(c.count, 0);
}

static void continued_lines(void **state)
{
	struct modconf c = parse("blacklist \\\n\\\n a\n"
				 "# a comment that goes on \\\nblacklist no\n"
				 "opti\\\nons m k=1 \\\n  l=2\n"
				 "blacklist b\\",
				 false);

	(void)state;
	assert_int_equal(c.count, 3);
	is_entry(&c, 0, MODCONF_BLACKLIST, "a", "", 1);
	is_entry(&c, 1, MODCONF_OPTIONS, "m", "k=1   l=2", 6);
	assert_int_equal(c.entries[2].line, 9);
	modconf_free(&c);
}

static void half_lines(void **state)
{
	static const char *const texts[] = {
		"",          "\n\n\n",       " \t \n",      "#",
		"blacklist", "blacklist \n", "options m",   "options m \n",
		"install",   "install m\t",  "softdep m\n", "alias a",
		"\\",        "\\\n",         "\\\n\\\n\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct modconf c = parse(texts[i], false);

		if (c.count)
			print_error("made of %s\n", texts[i]);
		assert_int_equal(c.count, 0);
		modconf_free(&c);
	}
}

static void comments_and_ends(void **state)
{
	struct modconf c =
		parse("  # blacklist x\n\tblacklist a # b\n;blacklist b\nblacklist c", false);

	(void)state;
	assert_int_equal(c.count, 3);
	is_entry(&c, 0, MODCONF_BLACKLIST, "a", "", 2);
	is_entry(&c, 1, MODCONF_UNKNOWN, "b", ";blacklist", 3);
	is_entry(&c, 2, MODCONF_BLACKLIST, "c", "", 4);
	modconf_free(&c);
	/* kmod takes the carriage return for a part of the name, and so nothing is denied. */
	c = parse("blacklist a\r\n", false);
	assert_null(modconf_find(&c, MODCONF_BLACKLIST, "a"));
	modconf_free(&c);
}

/* systemd-modules-load: a name a line, blanks and carriage returns off, no joining of lines. */
static void load_lists(void **state)
{
	struct modconf c = parse("# c\n; c\n\n a-b \nacpi_cpufreq\r\nc\\\nd\n\r\n  e", true);

	(void)state;
	assert_non_null(modconf_find(&c, MODCONF_LOAD, "a_b"));
	assert_int_equal(modconf_find(&c, MODCONF_LOAD, "a_b")->line, 4);
	assert_non_null(modconf_find(&c, MODCONF_LOAD, "acpi_cpufreq"));
	assert_non_null(modconf_find(&c, MODCONF_LOAD, "d"));
	assert_non_null(modconf_find(&c, MODCONF_LOAD, "e"));
	assert_null(modconf_find(&c, MODCONF_LOAD, "c"));
	assert_null(modconf_find(&c, MODCONF_LOAD, ""));
	assert_int_equal(c.count, 5);
	modconf_free(&c);
}

static void finding(void **state)
{
	struct modconf c = parse("blacklist acpi-*\nblacklist acpi-cpufreq\n"
				 "install acpi* one\ninstall acpi_cpufreq two\n"
				 "softdep powernow[-_]k[78] pre: a\n",
				 false);
	const struct modconf_entry *e;

	(void)state;
	/* a pattern does not deny, a name does; patterns are for install and softdep lines */
	e = modconf_find(&c, MODCONF_BLACKLIST, "acpi_cpufreq");
	assert_non_null(e);
	assert_int_equal(e->line, 2);
	e = modconf_find(&c, MODCONF_INSTALL, "acpi-cpufreq");
	assert_string_equal(e->value, "one");
	e = modconf_next(&c, e, MODCONF_INSTALL, "acpi-cpufreq");
	assert_string_equal(e->value, "two");
	assert_null(modconf_next(&c, e, MODCONF_INSTALL, "acpi-cpufreq"));
	assert_non_null(modconf_find(&c, MODCONF_SOFTDEP, "powernow_k8"));
	assert_null(modconf_find(&c, MODCONF_SOFTDEP, "powernow_k6"));
	modconf_free(&c);
}

static void precedence(void **state)
{
	static const char *const dirs[] = { "lib", "usr/lib", "usr/local/lib", "run", "etc" };
	struct tree *t = *state;
	char path[64], text[64], digit[2] = "";
	struct modconf c;

	/* one name in more and more places: the strongest has it */
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		(void)snprintf(path, sizeof(path), "%s/modprobe.d/10-x.conf", dirs[i]);
		(void)snprintf(text, sizeof(text), "blacklist m%zu\n", i);
		tree_file(t, path, text);
		(void)snprintf(path, sizeof(path), "%s/modules-load.d/x.conf", dirs[i]);
		(void)snprintf(text, sizeof(text), "l%zu\n", i);
		tree_file(t, path, text);
		c = load(t);
		assert_int_equal(c.count, 2);
		digit[0] = (char)('0' + i);
		assert_string_equal(c.entries[0].name + 1, digit);
		assert_string_equal(c.entries[1].name + 1, digit);
		assert_int_equal(c.entries[1].kind, MODCONF_LOAD);
		modconf_free(&c);
	}
	/* names alone give the order, wherever a file stands; the kernel's own softdeps among them
	 */
	tree_file(t, "lib/modprobe.d/00-y.conf", "blacklist y\n");
	tree_file(t, "run/modprobe.d/zz.conf", "blacklist zz\n");
	tree_file(t, "etc/modprobe.d/5-x.conf", "blacklist five\n");
	tree_file(t, "lib/modules/x/modules.softdep", "softdep s pre: a\n");
	c = load(t);
	assert_int_equal(c.count, 6);
	assert_string_equal(c.entries[0].name, "y");
	assert_string_equal(c.entries[1].name, "m4");
	assert_string_equal(c.entries[2].name, "five");
	assert_string_equal(c.entries[3].name, "s");
	assert_string_equal(c.entries[4].name, "zz");
	assert_string_equal(c.entries[0].file, "lib/modprobe.d/00-y.conf");
	modconf_free(&c);
}

static void masks(void **state)
{
	struct tree *t = *state;
	struct modconf c;

	needs_openat2();
	tree_file(t, "usr/lib/modprobe.d/a.conf", "blacklist a\n");
	tree_file(t, "usr/lib/modprobe.d/b.conf", "blacklist b\n");
	tree_file(t, "usr/lib/modprobe.d/c.conf", "blacklist c\n");
	tree_file(t, "usr/lib/modprobe.d/d.conf", "blacklist d\n");
	tree_link(t, "etc/modprobe.d/a.conf", "/dev/null");
	tree_file(t, "etc/modprobe.d/b.conf", "");
	tree_link(t, "etc/modprobe.d/c.conf", "nothing-there");
	tree_dir(t, "etc/modprobe.d/d.conf"); /* kmod passes over a directory: it masks nothing */
	c = load(t);
	assert_int_equal(c.failed_error, 0);
	assert_int_equal(c.count, 1);
	assert_string_equal(c.entries[0].name, "d");
	modconf_free(&c);
}

static void which_files(void **state)
{
	static const char *const no[] = { ".x.conf", ".conf", "x.conf~", "x.CONF", "conf", "x" };
	struct tree *t = *state;
	struct modconf c;
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		(void)snprintf(path, sizeof(path), "etc/modprobe.d/%s", no[i]);
		tree_file(t, path, "blacklist a\n");
	}
	/* our own: what a run finds out must not depend on what the last one wrote */
	tree_file(t, MODCONF_BOOT_PATH, "blacklist boot\n");
	tree_file(t, "lib/modprobe.d/" MODCONF_IMAGE_NAME, "blacklist image\n");
	tree_file(t, "usr/lib/modprobe.d/" MODCONF_IMAGE_NAME, "blacklist image\n");
	tree_fifo(t, "etc/modprobe.d/fifo.conf");
	c = load(t);
	assert_int_equal(c.count, 0);
	assert_int_equal(c.failed_error, 0);
	modconf_free(&c);
	/* under that name in /etc it is the administrator's */
	tree_file(t, MODCONF_MASK_PATH, "blacklist admin\n");
	c = load(t);
	assert_int_equal(c.count, 1);
	assert_string_equal(c.entries[0].file, MODCONF_MASK_PATH);
	modconf_free(&c);
}

static void is_failed(const struct tree *t, const char *file, int error)
{
	struct modconf c = load(t);

	assert_int_equal(c.failed_error, error);
	assert_string_equal(c.failed_file, file);
	modconf_free(&c);
}

/* What cannot be read may hold a denial: that is not the same as none. */
static void failures(void **state)
{
	struct tree *t = *state;
	char *big;

	needs_openat2();
	big = malloc(4 * 1024 * 1024 + 2);
	assert_non_null(big);
	memset(big, '#', 4 * 1024 * 1024 + 1);
	big[4 * 1024 * 1024 + 1] = '\0';
	tree_file(t, "etc/modprobe.d/big.conf", big);
	free(big);
	is_failed(t, "etc/modprobe.d/big.conf", -EFBIG);
	tree_unlink(t, "etc/modprobe.d/big.conf");
	tree_link(t, "etc/modprobe.d/loop.conf", "loop.conf");
	is_failed(t, "etc/modprobe.d/loop.conf", -ELOOP);
	tree_unlink(t, "etc/modprobe.d/loop.conf");
	tree_link(t, "run/modprobe.d", "modprobe.d");
	is_failed(t, "run/modprobe.d", -ELOOP);
}

static void nul_bytes(void **state)
{
	static const char text[] = "blacklist a\0x\nblacklist b\n";
	struct tree *t = *state;

	/* kmod reads on behind it; we must not lose a line in silence. */
	tree_bytes(t, "etc/modprobe.d/nul.conf", text, sizeof(text) - 1);
	is_failed(t, "etc/modprobe.d/nul.conf", -EILSEQ);
	tree_unlink(t, "etc/modprobe.d/nul.conf");
	tree_bytes(t, "etc/modules-load.d/nul.conf", "a\0b\n", 4);
	is_failed(t, "etc/modules-load.d/nul.conf", -EILSEQ);
}

static void nothing_there(void **state)
{
	struct tree *t = *state;
	struct modconf c;

	c = load(t);
	assert_int_equal(c.count, 0);
	assert_int_equal(c.failed_error, 0);
	modconf_free(&c);
	tree_file(t, "etc/modprobe.d", "a file where a directory belongs\n");
	c = load(t);
	assert_int_equal(c.count, 0);
	modconf_free(&c);
}

/*
 * libkmod's own answer. Its iterators add this machine's command line at the end, so as many
 * entries as there are without any file are left off.
 */
typedef struct kmod_config_iter *(*get_iter)(const struct kmod_ctx *);

struct pair {
	char *name, *value;
};

struct pairs {
	struct pair all[128];
	size_t count;
};

static char *tidy(const char *s, bool is_name)
{
	char *copy = strdup(s ? s : ""), *out = copy;
	bool blank = true, in_brackets = false;

	assert_non_null(copy);
	for (const char *p = copy; *p; p++) {
		in_brackets = *p == '[' || (in_brackets && *p != ']');
		if (*p == ' ' || *p == '\t') {
			if (!blank)
				*out++ = ' ';
			blank = true;
			continue;
		}
		blank = false;
		*out++ = *p == '-' && is_name && !in_brackets ? '_' : *p;
	}
	if (blank && out > copy)
		out--;
	*out = '\0';
	return copy;
}

static void pairs_add(struct pairs *p, enum modconf_kind kind, const char *name, const char *value)
{
	assert_true(p->count < ARRAY_SIZE(p->all));
	p->all[p->count++] = (struct pair){ tidy(name, true), tidy(value, kind == MODCONF_ALIAS) };
}

static void pairs_free(struct pairs *p)
{
	for (size_t i = 0; i < p->count; i++) {
		free(p->all[i].name);
		free(p->all[i].value);
	}
}

static void from_libkmod(const char *dir, const char *const *paths, enum modconf_kind kind,
			 get_iter get, struct pairs *ret)
{
	struct kmod_ctx *ctx = kmod_new(dir, paths);
	struct kmod_config_iter *iter;

	assert_non_null(ctx);
	iter = get(ctx);
	while (iter && kmod_config_iter_next(iter)) {
		const char *value = kmod_config_iter_get_value(iter);

		/* Of "options m" and blanks it keeps the blanks: that says nothing. */
		if (!value || !*value || value[strspn(value, " \t")])
			pairs_add(ret, kind, kmod_config_iter_get_key(iter), value);
	}
	kmod_config_iter_free_iter(iter);
	kmod_unref(ctx);
}

/*
 * The words of a softdep in libkmod's order: all of pre:, then all of post:. Its text has no blank
 * before "post:" (softdep_to_char(), libkmod 30), so one is put there.
 */
static void softdep_words(const char *value, char *buf, size_t size)
{
	FILE *out = fmemopen(buf, size, "w");

	assert_non_null(out);
	for (int round = 0; round < 2; round++) {
		char copy[512], *rest = copy, *word;
		const char *post = strstr(value, "post:");
		int part = -1;

		(void)snprintf(copy, sizeof(copy), "%.*s %s",
			       post ? (int)(post - value) : (int)strlen(value), value,
			       post ? post : "");
		fputs(round ? " post:" : "pre:", out);
		while ((word = strsep(&rest, " "))) {
			if (strcmp(word, "pre:") == 0)
				part = 0;
			else if (strcmp(word, "post:") == 0)
				part = 1;
			else if (part == round && *word)
				fprintf(out, " %s", word);
		}
	}
	fputc('\0', out);
	fclose(out);
}

static void same_as_libkmod(const struct tree *t, const struct modconf *conf,
			    enum modconf_kind kind, get_iter get)
{
	static const char *const dirs[] = { "etc/modprobe.d", "run/modprobe.d",
					    "usr/local/lib/modprobe.d", "usr/lib/modprobe.d",
					    "lib/modprobe.d" };
	static const char *const nothing[] = { NULL };
	struct pairs theirs = { 0 }, machine = { 0 }, ours = { 0 };
	char full[ARRAY_SIZE(dirs)][128], moddir[128];
	const char *paths[ARRAY_SIZE(dirs) + 1] = { NULL };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		(void)snprintf(full[i], sizeof(full[i]), "%s/%s", t->path, dirs[i]);
		paths[i] = full[i];
	}
	(void)snprintf(moddir, sizeof(moddir), "%s/lib/modules/x", t->path);
	from_libkmod(moddir, paths, kind, get, &theirs);
	from_libkmod("/nothing/there", nothing, kind, get, &machine);
	assert_true(theirs.count >= machine.count);

	for (size_t i = 0; i < conf->count; i++)
		if (conf->entries[i].kind == kind)
			pairs_add(&ours, kind, conf->entries[i].name, conf->entries[i].value);
	for (size_t i = 0; i < ours.count || i < theirs.count - machine.count; i++) {
		char a[512], b[512];

		if (i >= ours.count)
			fail_msg("libkmod alone has %s %s", theirs.all[i].name,
				 theirs.all[i].value);
		if (i >= theirs.count - machine.count)
			fail_msg("libkmod has not: %s %s", ours.all[i].name, ours.all[i].value);
		assert_string_equal(ours.all[i].name, theirs.all[i].name);
		if (kind != MODCONF_SOFTDEP) {
			assert_string_equal(ours.all[i].value, theirs.all[i].value);
			continue;
		}
		softdep_words(ours.all[i].value, a, sizeof(a));
		softdep_words(theirs.all[i].value, b, sizeof(b));
		assert_string_equal(a, b);
	}
	assert_true(ours.count > 0);
	pairs_free(&ours);
	pairs_free(&theirs);
	pairs_free(&machine);
}

static void held_against_libkmod(void **state)
{
	static const char odd[] =
		"blacklist one\n"
		"  blacklist\ttwo trailing words\n"
		"blacklist\n"
		"blacklist three-dashes_mixed\r\n"
		"blacklist \\\n  four\\\n-joined\n"
		"#blacklist no \\\nblacklist neither\n"
		"blacklist back\\slash\n"
		"blacklist double\\\\back\n"
		"options m-one  a=1   b=\"x y\" \n"
		"options m_one c=\\\n2\n"
		"options m\n"
		"options m   \n"
		"install m-[a-c]x /sbin/modprobe --ignore-install $CMDLINE_OPTS \\\n  x\n"
		"install * true\n"
		"install acpi_cpufreq /bin/sh -c 'a\\b'\n"
		"softdep s-1 pre: a-b c post: d\n"
		"softdep s2 post: d pre: a pre: b\n"
		"softdep s3 stray pre: x\n"
		"softdep s4 nothing\n"
		"alias cpu:type:x86* acpi-cpufreq\n"
		"alias a[b-c]* two words\n"
		"unknown words here\n"
		"\n\n\t\n"
		"blacklist last-without-newline";
	struct tree *t = *state;
	struct modconf conf;

	needs_openat2();
	assert_int_equal(setenv("KMOD_LOG", "0", 1), 0); /* it complains of the odd lines */
	tree_file(t, "etc/modprobe.d/odd.conf", odd);
	tree_file(t, "usr/lib/modprobe.d/odd.conf", "blacklist masked\n");
	tree_file(t, "usr/lib/modprobe.d/dir.conf", "blacklist below-a-directory\n");
	tree_dir(t, "etc/modprobe.d/dir.conf");
	tree_file(t, "usr/lib/modprobe.d/null.conf", "blacklist nulled\n");
	tree_link(t, "etc/modprobe.d/null.conf", "/dev/null");
	tree_file(t, "usr/local/lib/modprobe.d/a.conf", "blacklist a\noptions o x=1\n");
	tree_file(t, "lib/modprobe.d/Z.conf", "blacklist upper\n");
	tree_file(t, "run/modprobe.d/zz.conf", "blacklist zz\nsoftdep zz pre: y\n");
	tree_file(t, "run/modprobe.d/.hidden.conf", "blacklist hidden\n");
	tree_file(t, "run/modprobe.d/not-conf", "blacklist not\n");
	tree_file(t, "etc/modprobe.d/cr.conf", "blacklist cr\r\noptions cr a=1\r\n");
	tree_file(t, "lib/modules/x/modules.softdep", "# kernel\nsoftdep kern pre: crc32c\n");
	conf = load(t);
	assert_int_equal(conf.failed_error, 0);
	same_as_libkmod(t, &conf, MODCONF_BLACKLIST, kmod_config_get_blacklists);
	same_as_libkmod(t, &conf, MODCONF_OPTIONS, kmod_config_get_options);
	same_as_libkmod(t, &conf, MODCONF_SOFTDEP, kmod_config_get_softdeps);
	same_as_libkmod(t, &conf, MODCONF_INSTALL, kmod_config_get_install_commands);
	same_as_libkmod(t, &conf, MODCONF_ALIAS, kmod_config_get_aliases);
	modconf_free(&conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directives),
		cmocka_unit_test(continued_lines),
		cmocka_unit_test(half_lines),
		cmocka_unit_test(comments_and_ends),
		cmocka_unit_test(load_lists),
		cmocka_unit_test(finding),
		test_in_tree(precedence),
		test_in_tree(masks),
		test_in_tree(which_files),
		test_in_tree(failures),
		test_in_tree(nul_bytes),
		test_in_tree(nothing_there),
		test_in_tree(held_against_libkmod),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
