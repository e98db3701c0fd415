// SPDX-License-Identifier: GPL-2.0-or-later
#include "json.h"
#include "render.h"

static const char *driver_text(const char *driver)
{
	return driver ? driver : "none";
}

void render_predict(FILE *out, const struct facts *facts, const struct prediction *p)
{
	fprintf(out, "kernel      %s\n", facts->kernel[0] ? facts->kernel : "unknown");
	fprintf(out, "processor   %s\n", facts->cpu[0] ? facts->cpu : "unknown");
	if (p->is_decided) {
		fprintf(out, "prediction  %s\n", driver_text(p->driver));
	} else {
		fputs("prediction  depends: ", out);
		for (size_t i = 0; i < p->count; i++)
			fprintf(out, "%s%s", i ? " or " : "", driver_text(p->alternatives[i]));
		fputs(p->count ? "\n" : "nothing is known of this processor\n", out);
	}
	if (p->leaves_out_none)
		fputs("left out    none, which would be one answer more\n", out);
	for (unsigned int f = 0; f < FACT_COUNT; f++)
		if (p->missing & UINT64_C(1) << f)
			fprintf(out, "missing     %-14s %s\n", fact_name(f), fact_help(f));
	for (unsigned int f = 0; f < FACT_COUNT; f++)
		if (p->assumed & UINT64_C(1) << f)
			fprintf(out, "assumed no  %-14s %s\n", fact_name(f), fact_help(f));
	if (!facts->has_index)
		fputs("assumed     every driver of the table is in this kernel (no module index)\n",
		      out);
}

static void json_facts(struct json *j, const char *key, uint64_t mask)
{
	json_open(j, key, '[');
	for (unsigned int f = 0; f < FACT_COUNT; f++)
		if (mask & UINT64_C(1) << f)
			json_string(j, NULL, fact_name(f));
	json_close(j, ']');
}

void render_predict_json(FILE *out, const struct facts *facts, const struct prediction *p)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_string(&j, "kernel", facts->kernel[0] ? facts->kernel : NULL);
	json_string(&j, "processor", facts->cpu[0] ? facts->cpu : NULL);
	json_string(&j, "driver", p->driver);
	json_bool(&j, "decided", p->is_decided);
	json_open(&j, "alternatives", '[');
	for (size_t i = 0; i < p->count; i++) {
		if (p->alternatives[i])
			json_string(&j, NULL, p->alternatives[i]);
		else
			json_null(&j, NULL);
	}
	json_close(&j, ']');
	json_bool(&j, "leaves_out_none", p->leaves_out_none);
	json_facts(&j, "missing", p->missing);
	json_facts(&j, "assumed_no", p->assumed);
	json_close(&j, '}');
}
