// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cpuup-parts.h"
#include "input.h"
#include "util.h"

struct cpuup_callback *cpuup_get_callback(struct cpuup *out, struct slice name)
{
	struct cpuup_callback *c;

	if (!name.len || name.len >= sizeof(c->name))
		return NULL;
	for (size_t i = 0; i < out->count; i++)
		if (strlen(out->callbacks[i].name) == name.len &&
		    memcmp(out->callbacks[i].name, name.p, name.len) == 0)
			return &out->callbacks[i];
	if (out->count == CPUUP_CALLBACKS_MAX) {
		out->left_out++;
		return NULL;
	}
	c = &out->callbacks[out->count++];
	memcpy(c->name, name.p, name.len);
	c->name[name.len] = '\0';
	str_printable(c->name);
	return c;
}

void cpuup_add_call(struct cpuup *out, struct cpuup_callback *c, uint64_t time)
{
	if (!c)
		return;
	c->calls++;
	c->total += time;
	if (time > c->longest)
		c->longest = time;
	out->in_callbacks += time;
}

/* "CPU:3 [LOST 123 EVENTS]" */
static bool parse_lost(struct cpuup *out, struct slice line)
{
	size_t at = slice_find(line, SLICE("[LOST "));
	struct slice s = slice_from(line, at + 6);
	uint64_t lost;

	if (at >= line.len || !slice_eat_number(&s, &lost))
		return false;
	out->lost_events += lost < UINT64_MAX - out->lost_events ? lost : 0;
	return true;
}

static bool is_decoration(struct slice line)
{
	slice_eat_blanks(&line);
	return !line.len || *line.p == '#' || slice_starts(line, SLICE("---")) ||
	       slice_find(line, SLICE("==>")) < line.len ||
	       slice_find(line, SLICE("<==")) < line.len;
}

static int read_lines(struct input *input, struct cpuup_reader *reader)
{
	bool is_cut;
	size_t len;
	char *line;
	int r;

	while ((r = input_line(input, &line, &len, &is_cut)) > 0) {
		struct slice s = { line, len };

		reader->out->lines++;
		if (is_decoration(s) || cpuup_parse_event(reader, s) ||
		    parse_lost(reader->out, s) || cpuup_parse_graph(reader, s))
			continue;
		/* Other events of the same trace are none of our business. */
		if (slice_find(s, SLICE(": ")) >= s.len)
			reader->out->unreadable++;
	}
	for (size_t i = 0; i < reader->cpu_count; i++) {
		reader->out->unpaired += reader->cpus[i].depth;
		cpuup_end_coming(reader, &reader->cpus[i]);
	}
	return r;
}

static int compare(const void *a, const void *b)
{
	const struct cpuup_callback *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(x->name, y->name);
}

int cpuup_read(int fd, struct cpuup *ret)
{
	struct cpuup_reader reader = {
		.out = ret,
		.cpus = calloc(CPUUP_CPUS_MAX, sizeof(*reader.cpus)),
		.tasks = calloc(CPUUP_TASKS_MAX, sizeof(*reader.tasks)),
		.current = calloc(CPUUP_CPUS_MAX, sizeof(*reader.current)),
	};
	struct input *input = NULL;
	int r = reader.cpus && reader.tasks && reader.current ? input_open(fd, &input) : -ENOMEM;

	memset(ret, 0, sizeof(*ret));
	if (r == 0)
		r = read_lines(input, &reader);
	input_close(input);
	free(reader.cpus);
	free(reader.tasks);
	free(reader.current);
	if (r < 0)
		return r;
	ret->wall = reader.last > reader.first ? reader.last - reader.first : 0;
	qsort(ret->callbacks, ret->count, sizeof(ret->callbacks[0]), compare);
	return ret->source == CPUUP_NONE ? -ENOMSG : 0;
}
