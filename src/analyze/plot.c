// SPDX-License-Identifier: GPL-2.0-or-later
#include "plot.h"

#include <errno.h>
#include <string.h>

#include "numbers.h"

const char *plot_class_word(enum outcome_class class)
{
	static const char *const words[CLASS_COUNT] = {
		[CLASS_INSERTED] = "inserted",
		[CLASS_NODEV] = "no such device",
		[CLASS_BUSY] = "busy",
		[CLASS_OTHER] = "other failure",
	};

	return words[class];
}

static void add_phase(struct plot_panel *panel, const char *name, uint64_t begin, uint64_t end)
{
	if (end > begin && panel->phase_count < PLOT_PHASES_MAX)
		panel->phases[panel->phase_count++] = (struct plot_phase){ name, begin, end };
}

/* From "Startup finished" where there is one, else from when systemd said that it runs. */
static void find_phases(struct plot_panel *panel, const struct tally *t)
{
	const struct tally_startup *s = &t->startup;
	uint64_t origin = tally_origin(t), kernel = s->kernel, initrd = kernel + s->initrd;

	if (s->is_there && (t->clock == LOG_CLOCK_BOOT || s->has_finish)) {
		add_phase(panel, "kernel", 0, kernel);
		add_phase(panel, "initrd", kernel, initrd);
		add_phase(panel, "userspace", initrd, initrd + s->userspace);
		return;
	}
	if (t->clock != LOG_CLOCK_BOOT || !t->systemd_starts)
		return;
	add_phase(panel, "kernel", 0, t->systemd_first - origin);
	if (t->saw_initrd && t->systemd_starts > 1) {
		add_phase(panel, "initrd", t->systemd_first - origin, t->systemd_last - origin);
		add_phase(panel, "userspace", t->systemd_last - origin, t->last - origin);
	} else {
		add_phase(panel, t->saw_initrd ? "initrd" : "userspace", t->systemd_first - origin,
			  t->last - origin);
	}
}

static bool is_drawn(const struct tally_module *m, bool all)
{
	return m->has_attempt_times && report_is_shown(m, all);
}

/* @earlier: the list before, whose modules have their rows, or are counted as left out, already. */
static void add_rows(struct plot *plot, const struct tally_module **list, size_t n,
		     const struct tally_module **earlier, size_t earlier_n, bool all)
{
	for (size_t i = 0; i < n; i++) {
		const struct tally_module *same = tally_find(earlier, earlier_n, list[i]->name);

		if (!is_drawn(list[i], all) || (same && is_drawn(same, all)))
			continue;
		if (plot->row_count < PLOT_ROWS_MAX)
			plot->names[plot->row_count++] = list[i]->name;
		else
			plot->rows_left_out++;
	}
}

static void stretch(struct plot *plot, const struct plot_panel *panel)
{
	const struct tally *t = panel->side->tally;
	uint64_t origin = tally_origin(t);

	for (size_t i = 0; i < panel->phase_count; i++)
		if (panel->phases[i].end > plot->end)
			plot->end = panel->phases[i].end;
	for (size_t i = 0; i < plot->row_count; i++)
		if (panel->rows[i] && panel->rows[i]->has_attempt_times &&
		    panel->rows[i]->last - origin > plot->end)
			plot->end = panel->rows[i]->last - origin;
}

int plot_prepare(const struct side *sides, size_t count, bool all, struct plot *ret)
{
	const struct tally_module **lists[2] = { NULL };
	size_t n[2] = { 0 };
	int r = 0;

	*ret = (struct plot){ .panel_count = count };
	for (size_t i = 0; i < count; i++) {
		lists[i] = tally_sorted(sides[i].tally, &n[i]);
		if (!lists[i])
			r = -ENOMEM;
		else
			add_rows(ret, lists[i], n[i], lists[0], i ? n[0] : 0, all);
	}
	for (size_t i = 0; i < count && r == 0; i++) {
		struct plot_panel *panel = &ret->panels[i];

		panel->side = &sides[i];
		find_phases(panel, sides[i].tally);
		for (size_t k = 0; k < ret->row_count; k++)
			panel->rows[k] = tally_find(lists[i], n[i], ret->names[k]);
		stretch(ret, panel);
	}
	for (size_t i = 0; i < count; i++)
		free(lists[i]);
	if (r == 0 && (!ret->row_count || !ret->end))
		r = -ENODATA;
	return r;
}

uint64_t plot_columns(const struct plot *plot, size_t panel, size_t row, size_t columns,
		      uint64_t counts[CLASS_COUNT][PLOT_COLUMNS_MAX])
{
	const struct tally_module *m = plot->panels[panel].rows[row];
	const struct tally *t = plot->panels[panel].side->tally;
	uint64_t origin = tally_origin(t), most = 0;

	memset(counts, 0, sizeof(uint64_t) * CLASS_COUNT * PLOT_COLUMNS_MAX);
	if (!m || !m->bins)
		return 0;
	for (size_t i = 0; i < TALLY_BINS; i++) {
		/* The middle of the bin; what an unordered log puts before the origin goes to 0. */
		uint64_t time = t->bin_start + i * t->bin_width + t->bin_width / 2;
		double at = time > origin ? (double)(time - origin) / (double)plot->end : 0;
		size_t column = at >= 1 ? columns - 1 : (size_t)(at * (double)columns);

		for (unsigned int c = 0; c < CLASS_COUNT; c++)
			counts[c][column] += m->bins->counts[c][i];
	}
	for (size_t i = 0; i < columns; i++) {
		uint64_t sum = 0;

		for (unsigned int c = 0; c < CLASS_COUNT; c++)
			sum += counts[c][i];
		if (sum > most)
			most = sum;
	}
	return most;
}

uint64_t plot_tick(uint64_t end, unsigned int most)
{
	static const unsigned int steps[] = { 1, 2, 5 };
	uint64_t scale = 1000;

	for (;; scale *= 10) {
		for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
			if (end / (scale * steps[i]) <= most)
				return scale * steps[i];
		if (scale > UINT64_MAX / 100)
			return scale;
	}
}

char *plot_row_words(const struct plot_panel *panel, size_t row)
{
	const struct tally_module *m = panel->rows[row];
	_cleanup_free_ char *text = NULL;
	const char *comma = "";
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	for (unsigned int c = 0; m && c < CLASS_COUNT; c++) {
		if (!m->classes[c])
			continue;
		fprintf(out, "%s%s %s", comma, number_count(m->classes[c]).text,
			plot_class_word((enum outcome_class)c));
		comma = ", ";
	}
	if (m && m->denied)
		fprintf(out, "%s%s denied", comma, number_count(m->denied).text);
	else if (!*comma && m && m->loaded)
		fprintf(out, "%s live already", number_of(m->loaded, "time").text);
	else if (!*comma)
		fputs(panel->side->tally->udev_debug ? "no attempt" : "not known", out);
	return fclose(out) == 0 ? TAKE_PTR(text) : NULL;
}
