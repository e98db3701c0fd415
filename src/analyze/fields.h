/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_FIELDS_H
#define CPUFREQ_RESOLVE_FIELDS_H

/* Journal entries as fields: journalctl's json formats, its export format, sd-journal. */

#include "entry.h"

/* The fields of one entry, as far as they matter. */
struct fields {
	struct slice message, identifier, comm, host, boot;
	uint64_t pid, syslog_pid, error, seqnum;
	uint64_t boot_time, wall_time, source_boot_time;
	bool has_boot_time, has_wall_time, has_source_boot_time, has_any;
};

/** fields_set() - Note a field; @value is kept as it is, not copied. Return: is the field wanted?
 */
bool fields_set(struct fields *fields, struct slice key, struct slice value);

/** fields_is_wanted() - Would fields_set() keep it? */
bool fields_is_wanted(struct slice key);

/** fields_finish() - The entry that the fields make. Return: false if there is no message. */
bool fields_finish(const struct fields *fields, struct entry *ret);

/**
 * fields_json() - Cut one JSON object, as journalctl -o json prints it, into an entry
 * @line: one line; strings are unescaped in place
 *
 * Written for this one shape, a flat object, since at a gigabyte a general parser's memory for each
 * value is most of the time. A message that is an array of numbers (it holds bytes that are not
 * UTF-8) is turned back into bytes; of a field that is given several times the first one counts.
 *
 * Return: false if it isn't such an object.
 */
bool fields_json(char *line, size_t len, struct entry *ret);

/**
 * fields_json_pair() - One `"KEY" : value,` line of journalctl -o json-pretty
 *
 * Return: 1 with key and value, which lie in @line, 0 for a line that only opens or closes
 * something, -1 if it isn't understood.
 */
int fields_json_pair(char *line, size_t len, struct slice *ret_key, struct slice *ret_value);

#endif
