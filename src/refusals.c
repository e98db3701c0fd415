// SPDX-License-Identifier: GPL-2.0-or-later
#include "refusals.h"

#include <errno.h>
#include <string.h>

#include "decide.h"
#include "memtext.h"
#include "state.h"
#include "util.h"

#define FILE_MAX ((size_t)16 * 1024)
#define HEAD_MAX 256

/* One line: MODULE STAGE ERRNO [late] */
static int parse_line(char *line, struct refusals *refusals)
{
	struct refusal *new = &refusals->all[refusals->count];
	const char *module = strsep(&line, " "), *stage = strsep(&line, " ");
	const char *number = strsep(&line, " "), *flag = strsep(&line, " ");
	char *end;
	long error;

	if (!number || refusals->count == REFUSALS_MAX || strlen(module) >= sizeof(new->module))
		return -EINVAL;
	error = strtol(number, &end, 10);
	if (*end || end == number || error < 1 || error > 4095)
		return -EINVAL;
	*new = (struct refusal){ .error = (int)-error };
	str_copy(new->module, sizeof(new->module), module);
	str_printable(new->module);
	if (!stage_parse(stage, &new->stage))
		return -EINVAL;
	new->was_late = flag &&strcmp(flag, "late") == 0;
	refusals->count++;
	return 0;
}

static void format_head(const struct facts *facts, char *buf, size_t size)
{
	(void)snprintf(buf, size, "# cpufreq-resolve 1 boot %s kernel %s", facts->boot_id,
		       facts->kernel);
}

int refusals_load(int rootfd, const struct facts *facts, struct refusals *ret)
{
	_cleanup_free_ char *text = NULL;
	char head[HEAD_MAX], *rest, *line;
	size_t len;
	int r;

	*ret = (struct refusals){ 0 };
	r = file_read(rootfd, REFUSALS_PATH, FILE_MAX, &text, &len);
	if (r < 0)
		return r == -ENOENT || r == -ENOTDIR ? 0 : r;
	if (strlen(text) != len)
		return -EINVAL;
	rest = text;
	line = strsep(&rest, "\n");
	format_head(facts, head, sizeof(head));
	if (strcmp(line, head) != 0)
		return 0;
	while ((line = strsep(&rest, "\n"))) {
		r = *line ? parse_line(line, ret) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

int refusals_write(int rootfd, const struct facts *facts, const struct refusals *refusals)
{
	_cleanup_free_ char *text = NULL;
	char head[HEAD_MAX];
	FILE *out;

	if (refusals->count == 0)
		return file_remove(rootfd, REFUSALS_PATH);
	out = text_open(&text);
	if (!out)
		return -ENOMEM;
	format_head(facts, head, sizeof(head));
	fprintf(out, "%s\n", head);
	for (size_t i = 0; i < refusals->count; i++) {
		const struct refusal *r = &refusals->all[i];

		fprintf(out, "%s %s %d%s\n", r->module, stage_name(r->stage), -r->error,
			r->was_late ? " late" : "");
	}
	if (text_end(out, &text) < 0)
		return -ENOMEM;
	return file_write_atomic(rootfd, REFUSALS_PATH, text);
}

struct refusal *refusals_find(struct refusals *refusals, const char *module)
{
	for (size_t i = 0; i < refusals->count; i++)
		if (strcmp(refusals->all[i].module, module) == 0)
			return &refusals->all[i];
	return NULL;
}

static void forget(struct refusals *refusals, struct refusal *refusal)
{
	if (refusal)
		*refusal = refusals->all[--refusals->count];
}

void refusals_note(struct refusals *refusals, const char *module, enum stage stage, int error)
{
	struct refusal *refusal = refusals_find(refusals, module);

	if (error == 0) {
		forget(refusals, refusal);
		return;
	}
	if (strlen(module) >= sizeof(refusal->module))
		return;
	if (!refusal) {
		if (refusals->count == REFUSALS_MAX)
			return;
		refusal = &refusals->all[refusals->count++];
		*refusal = (struct refusal){ 0 };
		str_copy(refusal->module, sizeof(refusal->module), module);
	}
	refusal->stage = stage;
	refusal->error = error;
}

bool refusals_is_final(const struct refusal *refusal)
{
	/* Also says so where its sideband is but busy (get_registers(), drivers/edac/pnd2_edac.c).
	 */
	if (refusal->error == -ENODEV && strcmp(refusal->module, "pnd2_edac") == 0)
		return false;
	return decide_is_final(refusal->error, false);
}
