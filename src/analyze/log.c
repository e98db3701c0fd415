// SPDX-License-Identifier: GPL-2.0-or-later
#include "log.h"

#include <errno.h>

#include "fields.h"
#include "input.h"
#include "text.h"
#include "util.h"

/* Room for the fields of an entry whose lines are not in memory at the same time. */
#define ARENA_SIZE ((size_t)16 * 1024)
#define FIELD_MAX  ((size_t)8 * 1024)

enum multi_line {
	MULTI_NO,
	MULTI_EXPORT,
	MULTI_PRETTY,
};

struct log_reader {
	struct log *log;
	struct input *input;
	struct text_state text;
	enum multi_line multi;
	struct fields fields;
	size_t used;
	char arena[ARENA_SIZE];
};

static int begin_boot(struct log *log, struct slice id)
{
	struct tally *t = tally_new();

	if (!t)
		return -ENOMEM;
	for (size_t i = 0; i < id.len && i < sizeof(t->boot_id) - 1; i++)
		t->boot_id[i] = id.p[i];
	str_printable(t->boot_id);
	if (log->boot_count == LOG_BOOTS_MAX) {
		tally_free(log->boots[0]);
		log->boot_count--;
		for (size_t i = 0; i < log->boot_count; i++)
			log->boots[i] = log->boots[i + 1];
	}
	log->boots[log->boot_count++] = log->now = t;
	log->boots_seen++;
	return 0;
}

static bool is_boot(const struct tally *t, struct slice id)
{
	return id.len < sizeof(t->boot_id) && strlen(t->boot_id) == id.len &&
	       memcmp(t->boot_id, id.p, id.len) == 0;
}

/* Makes log->now the boot that an entry is of. */
static int choose_boot(struct log *log, const struct entry *entry, const struct event *event)
{
	struct tally *now = log->now;

	if (!now)
		return begin_boot(log, entry->boot);
	if (entry->boot.len) {
		if (is_boot(now, entry->boot))
			return 0;
		for (size_t i = 0; i < log->boot_count; i++) {
			if (!is_boot(log->boots[i], entry->boot))
				continue;
			log->interleaved++;
			log->now = log->boots[i];
			return 0;
		}
		return begin_boot(log, entry->boot);
	}
	/* A kernel says its name once. Lines before it, of a syslog daemon, are of the boot before.
	 */
	if (event->kind == EVENT_LINUX && now->linux_release[0])
		return begin_boot(log, entry->boot);
	return 0;
}

int log_add(struct log *log, const struct entry *entry)
{
	struct event event;
	int r;

	if (log->host && entry->host.len &&
	    !slice_is(entry->host, (struct slice){ log->host, strlen(log->host) })) {
		if (!log->entries_of_other_hosts++)
			tally_copy(log->other_host, sizeof(log->other_host), entry->host);
		return 0;
	}
	message_parse(entry, &event);
	r = choose_boot(log, entry, &event);
	return r < 0 ? r : tally_add(log->now, entry, &event);
}

/* A line without time and speaker counts only if its words are known: it may be of no log at all.
 */
static int add_bare(struct log *log, const struct entry *entry)
{
	struct slice list = entry->message, name;
	struct event event;
	uint64_t count;

	message_parse(entry, &event);
	if (event.kind == EVENT_NONE && !message_next_unloaded(&list, &name, &count)) {
		log->unreadable++;
		return 0;
	}
	return log_add(log, entry);
}

static int finish_fields(struct log_reader *reader)
{
	struct entry entry;
	int r = 0;

	if (reader->fields.has_any && fields_finish(&reader->fields, &entry))
		r = log_add(reader->log, &entry);
	reader->fields = (struct fields){ 0 };
	reader->used = 0;
	return r;
}

/* The value must outlive its line. */
static void keep_field(struct log_reader *reader, struct slice key, struct slice value)
{
	char *copy = reader->arena + reader->used;
	size_t len = value.len < FIELD_MAX ? value.len : FIELD_MAX;

	reader->fields.has_any = true;
	if (!fields_is_wanted(key) || len > ARENA_SIZE - reader->used)
		return;
	memcpy(copy, value.p, len);
	reader->used += len;
	(void)fields_set(&reader->fields, key, (struct slice){ copy, len });
}

static bool is_field_name(struct slice s)
{
	if (!s.p || !s.len || s.len > 64)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!((s.p[i] >= 'A' && s.p[i] <= 'Z') || (s.p[i] >= '0' && s.p[i] <= '9') ||
		      s.p[i] == '_'))
			return false;
	return true;
}

/* FIELD, newline, 8 bytes of length, the data, newline (systemd's "Journal Export Formats"). */
static int read_binary_field(struct log_reader *reader, struct slice key)
{
	char name[64], data[FIELD_MAX], *rest;
	unsigned char size_bytes[8];
	uint64_t size = 0;
	size_t rest_len;
	bool is_cut;
	long n;

	/* The line goes away with the next read. */
	memcpy(name, key.p, key.len);
	n = input_bytes(reader->input, (char *)size_bytes, sizeof(size_bytes), sizeof(size_bytes));
	if (n < 0)
		return (int)n;
	for (unsigned int i = 0; i < 8; i++)
		size |= (uint64_t)size_bytes[i] << (i * 8);
	n = input_bytes(reader->input, data, sizeof(data), size);
	if (n < 0)
		return (int)n;
	keep_field(reader, (struct slice){ name, key.len }, (struct slice){ data, (size_t)n });
	return input_line(reader->input, &rest, &rest_len, &is_cut);
}

static int add_export_line(struct log_reader *reader, struct slice line)
{
	size_t equals;
	struct slice key;
	int r;

	if (!line.len)
		return finish_fields(reader);
	equals = slice_find_char(line, '=');
	key = (struct slice){ line.p, equals };
	if (!is_field_name(key)) {
		reader->log->unreadable++;
		return 0;
	}
	if (equals < line.len) {
		keep_field(reader, key, slice_from(line, equals + 1));
		return 0;
	}
	r = read_binary_field(reader, key);
	if (r < 0 && r != -ENOMEM) {
		reader->log->ended_early = r;
		return 0;
	}
	return r < 0 ? r : 0;
}

static int add_pretty_line(struct log_reader *reader, char *line, size_t len)
{
	struct slice key, value;
	int r;

	if (len && line[0] == '}') {
		reader->multi = MULTI_NO;
		return finish_fields(reader);
	}
	r = fields_json_pair(line, len, &key, &value);
	if (r > 0)
		keep_field(reader, key, value);
	else if (r < 0)
		reader->log->unreadable++;
	return 0;
}

static int add_json(struct log *log, char *line, size_t len)
{
	struct entry entry;

	if (!fields_json(line, len, &entry)) {
		log->unreadable++;
		return 0;
	}
	/* A message that journalctl left out, for its size. */
	return entry.message.len ? log_add(log, &entry) : 0;
}

static int add_text(struct log_reader *reader, struct slice line)
{
	struct log *log = reader->log;
	struct entry entry;

	switch (text_parse(&reader->text, line, &entry)) {
	case TEXT_ENTRY:
		if (entry.clock == LOG_CLOCK_NONE && entry.speaker == SPEAKER_UNKNOWN)
			return add_bare(log, &entry);
		return log_add(log, &entry);
	case TEXT_BOOT:
		return !log->now || log->now->entries ? begin_boot(log, entry.boot) : 0;
	case TEXT_UNREADABLE:
		log->unreadable++;
		return 0;
	default:
		return 0;
	}
}

/* journalctl's json-seq and json-sse put something before the object. */
static void skip_json_prefix(char **line, size_t *len)
{
	size_t skip = 0;

	if (*len && **line == '\x1e')
		skip = 1;
	else if (*len > 7 && memcmp(*line, "data: {", 7) == 0)
		skip = 6;
	*line += skip;
	*len -= skip;
}

static int add_line(struct log_reader *reader, char *line, size_t len)
{
	struct slice s = { line, len };

	if (reader->multi == MULTI_EXPORT)
		return add_export_line(reader, s);
	if (reader->multi == MULTI_PRETTY)
		return add_pretty_line(reader, line, len);
	if (!len)
		return 0;
	if (line[0] == '_' && (slice_starts(s, SLICE("__CURSOR=")) ||
			       slice_starts(s, SLICE("__REALTIME_TIMESTAMP=")))) {
		reader->multi = MULTI_EXPORT;
		return add_export_line(reader, s);
	}
	if (line[0] == '\x1e' || line[0] == 'd')
		skip_json_prefix(&line, &len);
	if (len && line[0] == '{') {
		if (len == 1) {
			reader->multi = MULTI_PRETTY;
			return 0;
		}
		return add_json(reader->log, line, len);
	}
	return add_text(reader, (struct slice){ line, len });
}

static int read_lines(struct log_reader *reader)
{
	struct log *log = reader->log;
	bool is_cut;
	size_t len;
	char *line;
	int r;

	while ((r = input_line(reader->input, &line, &len, &is_cut)) > 0) {
		log->lines++;
		log->cut += is_cut;
		r = add_line(reader, line, len);
		if (r < 0)
			return r;
	}
	if (r < 0)
		log->ended_early = r;
	return reader->multi == MULTI_NO ? 0 : finish_fields(reader);
}

int log_read(int fd, struct log *log)
{
	struct log_reader *reader = calloc(1, sizeof(*reader));
	int r;

	if (!reader)
		return -ENOMEM;
	reader->log = log;
	r = input_open(fd, &reader->input);
	if (r == 0 && input_is_journal(reader->input))
		r = -ENOSYS;
	if (r == 0) {
		str_copy(log->compression, sizeof(log->compression),
			 input_compression(reader->input));
		r = read_lines(reader);
		log->bytes += input_total(reader->input);
	}
	input_close(reader->input);
	free(reader);
	return r;
}

const char *log_error_text(int error)
{
	switch (error) {
	case -EBADMSG:
		return "its compressed data is damaged or cut";
	case -EPIPE:
		return "it ends within an entry";
	case -ENOMSG:
		return "no line of a log is in it";
	default:
		return strerror(-error);
	}
}

const struct tally *log_boot(const struct log *log, long number)
{
	uint64_t dropped = log->boots_seen - log->boot_count, index;

	if (number <= 0) {
		index = (uint64_t)-number;
		return index < log->boot_count ? log->boots[log->boot_count - 1 - index] : NULL;
	}
	index = (uint64_t)number - 1;
	return index >= dropped && index - dropped < log->boot_count ? log->boots[index - dropped] :
								       NULL;
}

void log_free(struct log *log)
{
	for (size_t i = 0; i < log->boot_count; i++)
		tally_free(log->boots[i]);
	log->boot_count = 0;
	log->now = NULL;
}
