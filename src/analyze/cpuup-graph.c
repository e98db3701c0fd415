// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of the function_graph tracer. */
#include "cpuup-parts.h"

static struct cpuup_task *get_task(struct cpuup_reader *reader, uint64_t pid)
{
	for (size_t i = 0; i < reader->task_count; i++)
		if (reader->tasks[i].pid == pid)
			return &reader->tasks[i];
	if (reader->task_count == CPUUP_TASKS_MAX)
		return NULL;
	reader->tasks[reader->task_count] = (struct cpuup_task){ .pid = pid };
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

static void end_frame(struct cpuup_reader *reader, const struct cpuup_frame *frame, bool has_time,
		      uint64_t time)
{
	struct cpuup *out = reader->out;

	if (!has_time)
		return;
	cpuup_add_call(out, frame->callback, time);
	if (!frame->is_cpu_up)
		return;
	out->cpus++;
	out->total += time;
	if (time > out->longest_cpu)
		out->longest_cpu = time;
}

/* One line of code: "name() {", "name();", "}" or a closing brace with the name as a comment. */
static bool parse_code(struct cpuup_reader *reader, struct cpuup_task *task, struct slice code,
		       bool has_time, uint64_t time)
{
	const struct cpuup_frame *parent = task->depth ? &task->frames[task->depth - 1] : NULL;
	struct cpuup_frame frame = { 0 };
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
		frame.callback = cpuup_get_callback(reader->out, name);
	if (frame.is_cpu_up || frame.is_invoker)
		reader->out->source = CPUUP_GRAPH;
	if (code.p[code.len - 1] == ';') {
		end_frame(reader, &frame, has_time, time);
	} else if (task->depth < CPUUP_DEPTH_MAX) {
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

bool cpuup_parse_graph(struct cpuup_reader *reader, struct slice line)
{
	struct slice s = line, column;
	uint64_t cpu, time = 0;
	bool has_time = false;
	struct cpuup_task *task;
	size_t bar;

	/* Absolute times stand before the CPU: "  12.345678 |   0)". */
	bar = slice_find_char(s, '|');
	column = (struct slice){ s.p, bar };
	if (bar < s.len && slice_find_char(column, ')') >= column.len)
		s = slice_from(s, bar + 1);
	slice_eat_blanks(&s);
	if (!slice_eat_number(&s, &cpu) || !slice_eat_char(&s, ')') || cpu >= CPUUP_CPUS_MAX)
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
