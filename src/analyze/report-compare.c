// SPDX-License-Identifier: GPL-2.0-or-later
/* Two boots side by side. */
#include "report-parts.h"

static void print_pair(FILE *out, const char *name, const char *before, const char *after)
{
	fprintf(out, "%-34s %14s %14s\n", name, before, after);
}

static void pair_seconds(FILE *out, const char *name, uint64_t before, uint64_t after)
{
	if (before || after)
		print_pair(out, name, before ? SECONDS(before) : "-", after ? SECONDS(after) : "-");
}

static void compare_heads(FILE *out, const struct side s[2])
{
	const struct tally_startup *a = &s[0].tally->startup, *b = &s[1].tally->startup;
	struct storm storms[2];

	for (int i = 0; i < 2; i++) {
		fprintf(out, "%s  %s\n", i ? "after   " : "before  ", s[i].name);
		report_storm(s[i].tally, &storms[i]);
	}
	fputc('\n', out);
	print_pair(out, "", "BEFORE", "AFTER");
	print_pair(out, "kernel", s[0].tally->linux_release[0] ? s[0].tally->linux_release : "-",
		   s[1].tally->linux_release[0] ? s[1].tally->linux_release : "-");
	pair_seconds(out, "startup: kernel", a->kernel, b->kernel);
	pair_seconds(out, "startup: initrd", a->initrd, b->initrd);
	pair_seconds(out, "startup: userspace", a->userspace, b->userspace);
	pair_seconds(out, "startup: in all", a->total, b->total);
	pair_seconds(out, "udev: first to last line",
		     s[0].tally->udev_last - s[0].tally->udev_first,
		     s[1].tally->udev_last - s[1].tally->udev_first);
	pair_seconds(out, "udev: workers busy", s[0].tally->udev_busy, s[1].tally->udev_busy);
	print_pair(out, "storm: attempts", s[0].tally->udev_debug ? COUNT(storms[0].attempts) : "?",
		   s[1].tally->udev_debug ? COUNT(storms[1].attempts) : "?");
	pair_seconds(out, "storm: first to last", storms[0].last - storms[0].first,
		     storms[1].last - storms[1].first);
	pair_seconds(out, "storm: workers' time", storms[0].busy, storms[1].busy);
}

static void put_counted(char *buf, size_t size, const struct side *s, const struct tally_module *m)
{
	if (!s->tally->udev_debug)
		(void)snprintf(buf, size, "?");
	else if (!m || !tally_requests(m))
		(void)snprintf(buf, size, "-");
	else
		(void)snprintf(buf, size, "%s%s",
			       report_bound_sign(report_bound(s->log, s->tally, m)),
			       COUNT(tally_attempts(m)));
}

static bool is_compared(const struct tally_module *m, bool all)
{
	return m && tally_requests(m) && report_is_shown(m, all);
}

void report_compare(FILE *out, const struct side s[2], bool all)
{
	size_t n[2] = { 0 };
	_cleanup_free_ const struct tally_module **before = tally_sorted(s[0].tally, &n[0]);
	_cleanup_free_ const struct tally_module **after = tally_sorted(s[1].tally, &n[1]);

	compare_heads(out, s);
	if (!before || !after)
		return;
	fprintf(out, "\n%-34s %14s %14s %14s %14s\n", "MODULE", "ATTEMPTS", "ATTEMPTS", "TIME s",
		"TIME s");
	for (int side = 0; side < 2; side++) {
		const struct tally_module **list = side ? after : before;

		for (size_t i = 0; i < n[side]; i++) {
			const struct tally_module *a = side ? NULL : list[i], *b;
			char texts[2][48];

			/* Those of the second log that the first one has too are printed already.
			 */
			if (side && tally_find(before, n[0], list[i]->name))
				continue;
			b = side ? list[i] : tally_find(after, n[1], list[i]->name);
			if (!is_compared(a, all) && !is_compared(b, all))
				continue;
			put_counted(texts[0], sizeof(texts[0]), &s[0], a);
			put_counted(texts[1], sizeof(texts[1]), &s[1], b);
			fprintf(out, "%-34s %14s %14s %14s %14s\n", list[i]->name, texts[0],
				texts[1], a && a->busy ? number_plain_seconds(a->busy).text : "-",
				b && b->busy ? number_plain_seconds(b->busy).text : "-");
		}
	}
	fputc('\n', out);
	for (int i = 0; i < 2; i++) {
		_cleanup_free_ char *notes = report_notes(s[i].log, s[i].tally);

		if (!notes || !*notes)
			continue;
		fprintf(out, "%s\n", i ? "after:" : "before:");
		report_print_notes(out, notes);
	}
}
