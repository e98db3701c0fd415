// SPDX-License-Identifier: GPL-2.0-or-later
#include "state.h"

#include <errno.h>
#include <string.h>

#include "config.h"
#include "memtext.h"
#include "util.h"

#define STATE_MAX ((size_t)64 * 1024)

const char *stage_name(enum stage stage)
{
	return stage == STAGE_INITRD ? "initrd" : "host";
}

bool stage_parse(const char *word, enum stage *ret)
{
	if (strcmp(word, stage_name(STAGE_INITRD)) == 0)
		*ret = STAGE_INITRD;
	else if (strcmp(word, stage_name(STAGE_HOST)) == 0)
		*ret = STAGE_HOST;
	else
		return false;
	return true;
}

/* One attempt: MODULE:STAGE:RESULT[:late][:taken-back], RESULT "pending" or a positive errno. */
static int parse_attempt(char *word, struct facts *facts)
{
	char *name = strsep(&word, ":"), *stage = strsep(&word, ":"), *result = strsep(&word, ":");
	const char *flag;
	struct module_state *m;
	char *end;
	long error;
	int i;

	if (!stage || !result)
		return -EINVAL;
	i = driver_find(name);
	if (i < 0)
		return 0; /* a row that an older version had */
	m = &facts->modules[i];
	if (!stage_parse(stage, &m->attempt_stage))
		return -EINVAL;
	m->attempt = ATTEMPT_DONE;
	if (strcmp(result, "pending") == 0) {
		m->attempt = ATTEMPT_PENDING;
	} else {
		error = strtol(result, &end, 10);
		if (*end || end == result || error < 0 || error > 4095)
			return -EINVAL;
		m->error = (int)-error;
	}
	while ((flag = strsep(&word, ":"))) {
		m->was_late |= strcmp(flag, "late") == 0;
		m->was_taken_back |= strcmp(flag, "taken-back") == 0;
	}
	return 0;
}

static int parse_attempts(char *list, struct facts *facts)
{
	char *word;

	while ((word = strsep(&list, " "))) {
		int r = *word ? parse_attempt(word, facts) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

struct raw_state {
	const char *format, *version, *boot_id, *kernel, *outcome, *driver, *reason, *image;
	const char *image_version;
	char *attempts;
	bool is_cut; /* a quote was opened and never closed */
};

static void note_line(char *line, struct raw_state *raw)
{
	struct {
		const char *key;
		const char **value;
	} const keys[] = {
		{ "FORMAT", &raw->format },
		{ "VERSION", &raw->version },
		{ "BOOT_ID", &raw->boot_id },
		{ "KERNEL", &raw->kernel },
		{ "OUTCOME", &raw->outcome },
		{ "DRIVER", &raw->driver },
		{ "REASON", &raw->reason },
		{ "IMAGE", &raw->image },
		{ "IMAGE_VERSION", &raw->image_version },
	};
	char *value = strchr(line, '=');
	size_t len;

	if (!value)
		return;
	*value++ = '\0';
	len = strlen(value);
	if (len >= 2 && value[0] == '"' && value[len - 1] == '"') {
		value[len - 1] = '\0';
		value++;
	} else if (value[0] == '"') {
		raw->is_cut = true;
	}
	if (strcmp(line, "ATTEMPTS") == 0)
		raw->attempts = value;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(line, keys[i].key) == 0)
			*keys[i].value = value;
}

int state_parse(char *text, struct facts *facts, struct state *ret)
{
	struct raw_state raw = { 0 };
	char *line, *end;
	long format;

	*ret = (struct state){ 0 };
	while ((line = strsep(&text, "\n")))
		note_line(line, &raw);
	if (!raw.format || !raw.boot_id || !raw.kernel)
		return -EINVAL;
	if (!facts->boot_id[0] || strcmp(raw.boot_id, facts->boot_id) != 0 ||
	    strcmp(raw.kernel, facts->kernel) != 0)
		return 0;
	format = strtol(raw.format, &end, 10);
	if (*end || format < 1 || raw.is_cut)
		return -EINVAL;
	if (format > STATE_FORMAT)
		return -EPROTO;
	if (!raw.attempts || !raw.outcome || !raw.driver || !raw.reason || !raw.version)
		return -EINVAL;
	ret->is_there = true;
	str_copy(ret->version, sizeof(ret->version), raw.version);
	str_copy(ret->outcome, sizeof(ret->outcome), raw.outcome);
	str_copy(ret->driver, sizeof(ret->driver), raw.driver);
	str_copy(ret->reason, sizeof(ret->reason), raw.reason);
	if (raw.image && facts->stage == STAGE_HOST) {
		str_copy(facts->image_conf, sizeof(facts->image_conf), raw.image);
		str_printable(facts->image_conf);
	}
	if (raw.image_version && facts->stage == STAGE_HOST) {
		str_copy(facts->image_version, sizeof(facts->image_version), raw.image_version);
		str_printable(facts->image_version);
	}
	str_printable(ret->version);
	str_printable(ret->outcome);
	str_printable(ret->driver);
	str_printable(ret->reason);
	return parse_attempts(raw.attempts, facts);
}

int state_load(int rootfd, struct facts *facts, struct state *ret)
{
	static const char expected[] = "a state file of this version, or none";
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r;

	*ret = (struct state){ 0 };
	r = file_read(rootfd, STATE_PATH, STATE_MAX, &text, &len);
	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r == 0 && strlen(text) != len)
		r = -EINVAL;
	if (r == 0)
		r = state_parse(text, facts, ret);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		facts_fail(facts, STATE_PATH, r, expected);
	return 0;
}

static void print_attempts(FILE *out, const struct facts *facts)
{
	const char *blank = "";

	for (size_t i = 0; i < driver_count; i++) {
		const struct module_state *m = &facts->modules[i];

		if (m->attempt == ATTEMPT_NONE)
			continue;
		fprintf(out, "%s%s:%s:", blank, drivers[i].name, stage_name(m->attempt_stage));
		if (m->attempt == ATTEMPT_PENDING)
			fputs("pending", out);
		else
			fprintf(out, "%d", -m->error);
		fprintf(out, "%s%s", m->was_late ? ":late" : "",
			m->was_taken_back ? ":taken-back" : "");
		blank = " ";
	}
}

char *state_format(const struct facts *facts, const char *outcome, const char *reason)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = text_open(&text);

	if (!out)
		return NULL;
	fprintf(out, "FORMAT=%d\nVERSION=%s\nBOOT_ID=%s\nKERNEL=%s\n", STATE_FORMAT, VERSION,
		facts->boot_id, facts->kernel);
	fprintf(out, "OUTCOME=%s\nDRIVER=%s\nPOLICY=%s\nREASON=\"%s\"\nATTEMPTS=\"", outcome,
		facts->scaling_driver, policy_name(facts->settings.policy), reason);
	print_attempts(out, facts);
	fputs("\"\n", out);
	if (facts->settings.scope != SCOPE_CPUFREQ)
		fprintf(out, "SCOPE=%s\n", scope_name(facts->settings.scope));
	if (facts->image_conf[0])
		fprintf(out, "IMAGE=%s\n", facts->image_conf);
	if (facts->image_version[0])
		fprintf(out, "IMAGE_VERSION=%s\n", facts->image_version);
	return text_end(out, &text) == 0 ? TAKE_PTR(text) : NULL;
}
