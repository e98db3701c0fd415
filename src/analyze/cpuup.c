// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpuup.h"

#include <errno.h>

#include "input.h"
#include "slice.h"
#include "util.h"

#define CPUS_MAX  8192 /* CONFIG_NR_CPUS of x86-64 at most (MAXSMP) */
#define DEPTH_MAX 64
#define TASKS_MAX 256

/* A callback that was entered and has not returned. */
struct open_call {
	int step;
	bool is_up;
	uint64_t begin, inner; /* nanoseconds; @inner: spent in calls within it */
	struct cpuup_callback *callback;
};

/* One CPU on its way up. */
struct cpu {
	struct open_call calls[8];
	unsigned int depth;
	bool is_coming;
	int last_step;
	uint64_t begin, end;
};

/* The function graph of one task. */
struct frame {
	struct cpuup_callback *callback; /* NULL: none of ours */
	bool is_invoker;                 /* cpuhp_invoke_callback(): what it calls is a callback */
	bool is_cpu_up;
};

struct task {
	uint64_t pid;
	unsigned int depth;
	struct frame frames[DEPTH_MAX];
};

struct reader {
	struct cpuup *out;
	struct cpu *cpus;
	struct task *tasks;
	size_t task_count;
	uint64_t *current; /* the task of each CPU, from the lines that tell of a switch */
	bool has_times;
	uint64_t first, last;
};

static struct cpuup_callback *get_callback(struct cpuup *out, struct slice name)
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

static void add_call(struct cpuup *out, struct cpuup_callback *c, uint64_t time)
{
	if (!c)
		return;
	c->calls++;
	c->total += time;
	if (time > c->longest)
		c->longest = time;
	out->in_callbacks += time;
}

static void end_coming(struct reader *reader, struct cpu *cpu)
{
	uint64_t time = cpu->end > cpu->begin ? cpu->end - cpu->begin : 0;

	if (cpu->is_coming) {
		reader->out->cpus++;
		reader->out->total += time;
		if (time > reader->out->longest_cpu)
			reader->out->longest_cpu = time;
	}
	cpu->is_coming = false;
}

/* Takes "key:" and a number off the front, blanks around them. */
static bool eat_key(struct slice *s, struct slice key, int *ret)
{
	bool is_negative;
	uint64_t value;

	slice_eat_blanks(s);
	if (!slice_eat(s, key))
		return false;
	slice_eat_blanks(s);
	is_negative = slice_eat_char(s, '-');
	if (!slice_eat_number(s, &value) || value > 1000000)
		return false;
	*ret = is_negative ? -(int)value : (int)value;
	return true;
}

/* "cpu: 0001 target: 228 step:  55 (bringup_cpu)" (include/trace/events/cpuhp.h). */
static bool parse_enter(struct reader *reader, uint64_t now, struct slice s)
{
	int number, target, step;
	struct open_call *call;
	struct slice name;
	struct cpu *cpu;

	if (!eat_key(&s, SLICE("cpu:"), &number) || !eat_key(&s, SLICE("target:"), &target) ||
	    !eat_key(&s, SLICE("step:"), &step) || number < 0 || number >= CPUS_MAX)
		return false;
	slice_eat_blanks(&s);
	if (!slice_eat_char(&s, '('))
		return false;
	name = (struct slice){ s.p, slice_find_char(s, ')') };
	cpu = &reader->cpus[number];
	/* Down again, or up from the start: what came before was another time. */
	if (cpu->depth == 0 && (target < step || step < cpu->last_step))
		end_coming(reader, cpu);
	if (cpu->depth == ARRAY_SIZE(cpu->calls)) {
		reader->out->unpaired += cpu->depth;
		cpu->depth = 0;
	}
	call = &cpu->calls[cpu->depth++];
	*call = (struct open_call){ .step = step, .is_up = target >= step, .begin = now };
	if (!call->is_up)
		return true;
	if (!cpu->is_coming) {
		cpu->is_coming = true;
		cpu->begin = cpu->end = now;
	}
	cpu->last_step = step;
	call->callback = get_callback(reader->out, name);
	return true;
}

/* " cpu: 0001  state:  55 step:  55 ret: 0" */
static bool parse_exit(struct reader *reader, uint64_t now, struct slice s)
{
	int number, state, step, ret;
	struct open_call *call;
	struct cpu *cpu;
	uint64_t time;

	if (!eat_key(&s, SLICE("cpu:"), &number) || !eat_key(&s, SLICE("state:"), &state) ||
	    !eat_key(&s, SLICE("step:"), &step) || !eat_key(&s, SLICE("ret:"), &ret) ||
	    number < 0 || number >= CPUS_MAX)
		return false;
	cpu = &reader->cpus[number];
	while (cpu->depth && cpu->calls[cpu->depth - 1].step != step) {
		cpu->depth--;
		reader->out->unpaired++;
	}
	if (!cpu->depth) {
		reader->out->unpaired++;
		return true;
	}
	call = &cpu->calls[--cpu->depth];
	if (!call->is_up)
		return true;
	time = now > call->begin ? now - call->begin : 0;
	if (cpu->depth)
		cpu->calls[cpu->depth - 1].inner += time;
	add_call(reader->out, call->callback, time > call->inner ? time - call->inner : 0);
	if (call->callback && ret)
		call->callback->failures++;
	cpu->end = now;
	return true;
}

/* "task-pid [cpu] flags seconds.micros: event: ..." */
static bool parse_event(struct reader *reader, struct slice line)
{
	size_t at = slice_find(line, SLICE(": cpuhp_"));
	struct slice s = slice_from(line, at + 2);
	uint64_t seconds, fraction, now;
	struct slice time;
	size_t start = at;
	bool is_known;

	if (at >= line.len)
		return false;
	while (start > 0 && line.p[start - 1] != ' ')
		start--;
	time = (struct slice){ line.p + start, at - start };
	/* trace_clock=mono prints seconds; clocks that count otherwise have no point. */
	if (!slice_eat_number(&time, &seconds) || !slice_eat_char(&time, '.') ||
	    slice_eat_number(&time, &fraction) != 6 || seconds > UINT32_MAX)
		return false;
	now = (seconds * 1000000 + fraction) * 1000;
	if (slice_eat(&s, SLICE("cpuhp_enter: ")) || slice_eat(&s, SLICE("cpuhp_multi_enter: ")))
		is_known = parse_enter(reader, now, s);
	else if (slice_eat(&s, SLICE("cpuhp_exit: ")))
		is_known = parse_exit(reader, now, s);
	else
		return false;
	if (!is_known)
		return false;
	if (!reader->has_times)
		reader->first = now;
	reader->has_times = true;
	reader->last = now;
	reader->out->source = CPUUP_EVENTS;
	return true;
}

static struct task *get_task(struct reader *reader, uint64_t pid)
{
	for (size_t i = 0; i < reader->task_count; i++)
		if (reader->tasks[i].pid == pid)
			return &reader->tasks[i];
	if (reader->task_count == TASKS_MAX)
		return NULL;
	reader->tasks[reader->task_count] = (struct task){ .pid = pid };
	return &reader->tasks[reader->task_count++];
}

/* "+ 12.345 us", "$ 1234567 us": nanoseconds. */
static bool parse_duration(struct slice s, uint64_t *ret)
{
	uint64_t whole, fraction = 0;
	unsigned int digits = 0;

	while (s.len && strchr(" $@*#!+", *s.p))
		s = slice_from(s, 1);
	if (!slice_eat_number(&s, &whole) || whole > UINT64_MAX / 2000)
		return false;
	if (slice_eat_char(&s, '.'))
		digits = slice_eat_number(&s, &fraction);
	if (digits > 3 || !slice_starts(s, SLICE(" us")))
		return false;
	for (; digits < 3; digits++)
		fraction *= 10;
	*ret = whole * 1000 + fraction;
	return true;
}

static void end_frame(struct reader *reader, const struct frame *frame, bool has_time,
		      uint64_t time)
{
	struct cpuup *out = reader->out;

	if (!has_time)
		return;
	add_call(out, frame->callback, time);
	if (!frame->is_cpu_up)
		return;
	out->cpus++;
	out->total += time;
	if (time > out->longest_cpu)
		out->longest_cpu = time;
}

/* One line of code: "name() {", "name();", "}" or a closing brace with the name as a comment. */
static bool parse_code(struct reader *reader, struct task *task, struct slice code, bool has_time,
		       uint64_t time)
{
	const struct frame *parent = task->depth ? &task->frames[task->depth - 1] : NULL;
	struct frame frame = { 0 };
	struct slice name;
	size_t end;

	slice_eat_blanks(&code);
	if (slice_starts(code, SLICE("}"))) {
		/* Entered before the trace began. */
		if (!task->depth)
			reader->out->unpaired++;
		else
			end_frame(reader, &task->frames[--task->depth], has_time, time);
		return true;
	}
	end = slice_find(code, SLICE("()"));
	/* Since 6.17 the arguments may stand there. */
	if (end >= code.len)
		end = slice_find_char(code, '(');
	if (end >= code.len || slice_starts(code, SLICE("/*")))
		return slice_starts(code, SLICE("/*"));
	name = (struct slice){ code.p, end };
	frame.is_invoker = slice_is(name, SLICE("cpuhp_invoke_callback"));
	frame.is_cpu_up = slice_is(name, SLICE("cpu_up"));
	if (parent && parent->is_invoker)
		frame.callback = get_callback(reader->out, name);
	if (frame.is_cpu_up || frame.is_invoker)
		reader->out->source = CPUUP_GRAPH;
	if (code.p[code.len - 1] == ';') {
		end_frame(reader, &frame, has_time, time);
	} else if (task->depth < DEPTH_MAX) {
		task->frames[task->depth++] = frame;
	} else {
		reader->out->unpaired++;
		task->depth = 0;
	}
	return true;
}

/* The PID behind the last '-' of "name-123". */
static uint64_t pid_of(struct slice s)
{
	uint64_t pid = 0;
	struct slice digits;

	while (s.len && s.p[s.len - 1] == ' ')
		s.len--;
	for (size_t i = s.len; i > 0; i--) {
		if (s.p[i - 1] != '-')
			continue;
		digits = slice_from(s, i);
		(void)slice_eat_number(&digits, &pid);
		break;
	}
	return pid;
}

/* A CPU, perhaps a task, a duration and a piece of code, with bars between them. */
static bool parse_graph(struct reader *reader, struct slice line)
{
	struct slice s = line, column;
	uint64_t cpu, time = 0;
	bool has_time = false;
	struct task *task;
	size_t bar;

	/* Absolute times stand before the CPU: "  12.345678 |   0)". */
	bar = slice_find_char(s, '|');
	column = (struct slice){ s.p, bar };
	if (bar < s.len && slice_find_char(column, ')') >= column.len)
		s = slice_from(s, bar + 1);
	slice_eat_blanks(&s);
	if (!slice_eat_number(&s, &cpu) || !slice_eat_char(&s, ')') || cpu >= CPUS_MAX)
		return false;
	bar = slice_find(s, SLICE(" => "));
	if (bar < s.len && slice_find_char(s, '|') >= s.len) {
		reader->current[cpu] = pid_of(slice_from(s, bar + 4));
		return true;
	}
	while ((bar = slice_find_char(s, '|')) < s.len) {
		column = (struct slice){ s.p, bar };
		if (!has_time && parse_duration(column, &time))
			has_time = true;
		else if (!has_time && pid_of(column))
			reader->current[cpu] = pid_of(column);
		s = slice_from(s, bar + 1);
		if (has_time)
			break;
	}
	/* Without a task the CPU stands for it. */
	task = get_task(reader, reader->current[cpu] ? reader->current[cpu] : UINT32_MAX + cpu + 1);
	return task && s.len && parse_code(reader, task, s, has_time, time);
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

static int read_lines(struct input *input, struct reader *reader)
{
	bool is_cut;
	size_t len;
	char *line;
	int r;

	while ((r = input_line(input, &line, &len, &is_cut)) > 0) {
		struct slice s = { line, len };

		reader->out->lines++;
		if (is_decoration(s) || parse_event(reader, s) || parse_lost(reader->out, s) ||
		    parse_graph(reader, s))
			continue;
		/* Other events of the same trace are none of our business. */
		if (slice_find(s, SLICE(": ")) >= s.len)
			reader->out->unreadable++;
	}
	for (size_t i = 0; i < CPUS_MAX; i++) {
		reader->out->unpaired += reader->cpus[i].depth;
		end_coming(reader, &reader->cpus[i]);
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
	struct reader reader = {
		.out = ret,
		.cpus = calloc(CPUS_MAX, sizeof(*reader.cpus)),
		.tasks = calloc(TASKS_MAX, sizeof(*reader.tasks)),
		.current = calloc(CPUS_MAX, sizeof(*reader.current)),
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
