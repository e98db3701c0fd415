// SPDX-License-Identifier: GPL-2.0-or-later
/* The cpuhp events. */
#include "cpuup-parts.h"
#include "macro.h"

void cpuup_end_coming(struct cpuup_reader *reader, struct cpuup_cpu *cpu)
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
static bool parse_enter(struct cpuup_reader *reader, uint64_t now, struct slice s)
{
	int number, target, step;
	struct cpuup_open_call *call;
	struct slice name;
	struct cpuup_cpu *cpu;

	if (!eat_key(&s, SLICE("cpu:"), &number) || !eat_key(&s, SLICE("target:"), &target) ||
	    !eat_key(&s, SLICE("step:"), &step) || number < 0 || number >= CPUUP_CPUS_MAX)
		return false;
	slice_eat_blanks(&s);
	if (!slice_eat_char(&s, '('))
		return false;
	name = (struct slice){ s.p, slice_find_char(s, ')') };
	cpu = &reader->cpus[number];
	if ((size_t)number >= reader->cpu_count)
		reader->cpu_count = (size_t)number + 1;
	/* Down again, or up from the start: what came before was another time. */
	if (cpu->depth == 0 && (target < step || step < cpu->last_step))
		cpuup_end_coming(reader, cpu);
	if (cpu->depth == ARRAY_SIZE(cpu->calls)) {
		reader->out->unpaired += cpu->depth;
		cpu->depth = 0;
	}
	call = &cpu->calls[cpu->depth++];
	*call = (struct cpuup_open_call){ .step = step, .is_up = target >= step, .begin = now };
	if (!call->is_up)
		return true;
	cpu->last_step = step;
	call->callback = cpuup_get_callback(reader->out, name);
	return true;
}

/*
 * A CPU that comes up is in the state of the callback that runs, older kernels: in the one before.
 * Whoever registers a callback later has it run on CPUs that are up, and their state stays what it
 * is. So does, at its end, that of the one callback that waits while the new CPU runs the next
 * ones.
 */
static bool is_of_coming(const struct cpuup_cpu *cpu, int state, int step)
{
	return state == step || state == step - 1 || cpu->last_step > step;
}

static void add_to_coming(struct cpuup_reader *reader, struct cpuup_cpu *cpu, uint64_t begin,
			  uint64_t end)
{
	if (!cpu->is_coming || begin < cpu->begin)
		cpu->begin = begin;
	cpu->is_coming = true;
	cpu->end = end;
	if (!reader->has_times || begin < reader->first)
		reader->first = begin;
	reader->has_times = true;
	reader->last = end;
}

/* " cpu: 0001  state:  55 step:  55 ret: 0" */
static bool parse_exit(struct cpuup_reader *reader, uint64_t now, struct slice s)
{
	int number, state, step, ret;
	struct cpuup_open_call *call;
	struct cpuup_cpu *cpu;
	uint64_t time;

	if (!eat_key(&s, SLICE("cpu:"), &number) || !eat_key(&s, SLICE("state:"), &state) ||
	    !eat_key(&s, SLICE("step:"), &step) || !eat_key(&s, SLICE("ret:"), &ret) ||
	    number < 0 || number >= CPUUP_CPUS_MAX)
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
	if (!is_of_coming(cpu, state, step)) {
		reader->out->registered_later++;
		return true;
	}
	time = now > call->begin ? now - call->begin : 0;
	if (cpu->depth)
		cpu->calls[cpu->depth - 1].inner += time;
	cpuup_add_call(reader->out, call->callback, time > call->inner ? time - call->inner : 0);
	if (call->callback && ret)
		call->callback->failures++;
	add_to_coming(reader, cpu, call->begin, now);
	return true;
}

bool cpuup_parse_event(struct cpuup_reader *reader, struct slice line)
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
	reader->out->source = CPUUP_EVENTS;
	return true;
}
