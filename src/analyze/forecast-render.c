// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "forecast.h"
#include "json.h"
#include "numbers.h"
#include "words.h"

static const char *const bar_words[] = {
	[BAR_NONE] = "",         [BAR_BUILTIN] = "built in",     [BAR_LIVE] = "live already",
	[BAR_DENIED] = "denied", [BAR_INSTALL] = "install line",
};

static const char *alias_word(const struct forecast_module *m)
{
	if (m->cpu_requests)
		return "per-CPU alias";
	return m->platform_requests ? "platform alias" : "other alias";
}

static void print_marks(FILE *out, const struct forecast_module *m)
{
	fputs(alias_word(m), out);
	if (m->bar != BAR_NONE)
		fprintf(out, ", %s", bar_words[m->bar]);
	if (m->is_denied_by_kernel)
		fputs(", denied by the kernel's command line", out);
	if (m->is_denied_now)
		fputs(", denied for this boot by us", out);
	else if (m->is_denied_by_us)
		fputs(", would be denied by us", out);
}

static bool is_shown(const struct forecast_module *m, bool all)
{
	return all || forecast_is_storm(m);
}

static void print_row(FILE *out, const struct forecast_module *m)
{
	fprintf(out, "%-24s %8s %9s %11s %8s %8s  ", m->name, number_count(m->devices).text,
		number_count(m->requests).text, number_count(m->without_us).text,
		number_count(m->now).text, number_count(m->with_us).text);
	print_marks(out, m);
	fputc('\n', out);
}

static void sum(const struct forecast *f, bool all, struct forecast_module *ret)
{
	*ret = (struct forecast_module){ 0 };
	for (size_t i = 0; i < f->count; i++) {
		if (!is_shown(&f->modules[i], all))
			continue;
		ret->requests += f->modules[i].requests;
		ret->without_us += f->modules[i].without_us;
		ret->now += f->modules[i].now;
		ret->with_us += f->modules[i].with_us;
	}
}

void forecast_print(FILE *out, const struct facts *facts, const struct forecast *f, bool all)
{
	struct forecast_module total;
	size_t shown = 0;

	fprintf(out, "kernel    %s\n", facts->kernel);
	fprintf(out, "driver    %s\n", facts->scaling_driver[0] ? facts->scaling_driver : "none");
	fprintf(out, "devices   %s with a modalias, %s of them CPUs; %s different aliases\n\n",
		number_count(f->devices).text, number_count(f->cpus).text,
		number_count(f->aliases).text);
	for (size_t i = 0; i < f->count; i++) {
		if (!is_shown(&f->modules[i], all))
			continue;
		if (!shown++)
			fprintf(out, "%-24s %8s %9s %29s\n%-24s %8s %9s %11s %8s %8s  %s\n", "", "",
				"", "LOADS AT MOST", "MODULE", "DEVICES", "REQUESTS", "WITHOUT US",
				"NOW", "WITH US", "");
		print_row(out, &f->modules[i]);
	}
	if (!shown) {
		fputs(all ? "No device asks for any module.\n" :
			    "No module is asked for more than once by CPU devices.\n",
		      out);
		return;
	}
	sum(f, all, &total);
	fprintf(out, "%-24s %8s %9s %11s %8s %8s\n\n", "total", "",
		number_count(total.requests).text, number_count(total.without_us).text,
		number_count(total.now).text, number_count(total.with_us).text);
	fputs("A request is udev asking for a module for one device, in one coldplug. It comes to "
	      "a load\n"
	      "unless the module is live, built in or denied. A load that succeeds makes the "
	      "module\n"
	      "live, and the requests after it come to nothing: \"at most\" is what it is for a "
	      "module\n"
	      "that is refused each time.\n",
	      out);
	if (!all && shown < f->count)
		fprintf(out, "%s that only other devices ask for, or one CPU once (--all).\n",
			number_of(f->count - shown, "further module").text);
	if (!f->has_boot_file)
		fputs("There is no file of ours for this boot, so \"now\" is the same as \"without "
		      "us\".\n",
		      out);
}

void forecast_print_json(FILE *out, const struct facts *facts, const struct forecast *f, bool all)
{
	struct forecast_module total;
	struct json j = { .out = out };

	sum(f, all, &total);
	json_open(&j, NULL, '{');
	json_string(&j, "kernel", facts->kernel);
	json_string(&j, "driver", facts->scaling_driver[0] ? facts->scaling_driver : NULL);
	json_int(&j, "devices", (long)f->devices);
	json_int(&j, "cpus", (long)f->cpus);
	json_int(&j, "aliases", (long)f->aliases);
	json_bool(&j, "has_boot_file", f->has_boot_file);
	json_open(&j, "modules", '[');
	for (size_t i = 0; i < f->count; i++) {
		const struct forecast_module *m = &f->modules[i];

		if (!is_shown(m, all))
			continue;
		json_open(&j, NULL, '{');
		json_string(&j, "module", m->name);
		json_int(&j, "devices", (long)m->devices);
		json_int(&j, "cpu_devices", (long)m->cpu_devices);
		json_int(&j, "requests", (long)m->requests);
		json_int(&j, "cpu_requests", (long)m->cpu_requests);
		json_int(&j, "loads_without_us", (long)m->without_us);
		json_int(&j, "loads_now", (long)m->now);
		json_int(&j, "loads_with_us", (long)m->with_us);
		json_string(&j, "alias", alias_word(m));
		json_bool(&j, "builtin", m->bar == BAR_BUILTIN);
		json_bool(&j, "live", m->bar == BAR_LIVE);
		json_bool(&j, "denied", m->bar == BAR_DENIED);
		json_bool(&j, "install_line", m->bar == BAR_INSTALL);
		json_bool(&j, "denied_by_kernel", m->is_denied_by_kernel);
		json_bool(&j, "denied_for_this_boot", m->is_denied_now);
		json_bool(&j, "denied_by_us", m->is_denied_by_us);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "total", '{');
	json_int(&j, "requests", (long)total.requests);
	json_int(&j, "loads_without_us", (long)total.without_us);
	json_int(&j, "loads_now", (long)total.now);
	json_int(&j, "loads_with_us", (long)total.with_us);
	json_close(&j, '}');
	json_close(&j, '}');
}
