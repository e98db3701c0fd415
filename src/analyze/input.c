// SPDX-License-Identifier: GPL-2.0-or-later
#include "input.h"

#include <errno.h>
#include <string.h>

#include "decode.h"

#define RAW_SIZE  ((size_t)64 * 1024)
#define TEXT_SIZE (INPUT_LINE_MAX * 4)

struct input {
	int fd;
	const struct decoder *decoder; /* NULL: not compressed */
	void *state;
	bool raw_end;  /* the file has no more */
	bool text_end; /* the decoder has no more */
	int error;     /* what ended the text before its time */
	bool is_journal;
	bool is_skipping; /* within a line of which the start was handed out */
	size_t raw_start, raw_len;
	size_t start, end; /* what of @text is not handed out yet */
	uint64_t total;
	char raw[RAW_SIZE];
	char text[TEXT_SIZE];
};

static int fill_raw(struct input *in)
{
	ssize_t n;

	if (in->raw_end)
		return 0;
	do
		n = read(in->fd, in->raw, RAW_SIZE);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	in->raw_start = 0;
	in->raw_len = (size_t)n;
	in->raw_end = n == 0;
	return 0;
}

/* As many bytes as a magic number needs, also from a pipe that gives them one by one. */
static int fill_head(struct input *in, size_t want)
{
	while (in->raw_len < want) {
		ssize_t n = read(in->fd, in->raw + in->raw_len, RAW_SIZE - in->raw_len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		in->raw_len += (size_t)n;
	}
	return 0;
}

int input_open(int fd, struct input **ret)
{
	_cleanup_free_ struct input *in = calloc(1, sizeof(*in));
	int r;

	if (!in)
		return -ENOMEM;
	in->fd = fd;
	r = fill_head(in, 8);
	if (r < 0)
		return r;
	in->is_journal = in->raw_len >= 8 && memcmp(in->raw, "LPKSHHRH", 8) == 0;
	r = decoder_find(in->raw, in->raw_len, &in->decoder);
	if (r < 0)
		return r;
	if (in->decoder) {
		in->state = in->decoder->open();
		if (!in->state)
			return -ENOMEM;
	}
	*ret = TAKE_PTR(in);
	return 0;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->decoder)
		in->decoder->close(in->state);
	free(in);
}

bool input_is_journal(const struct input *in)
{
	return in->is_journal;
}

const char *input_compression(const struct input *in)
{
	return in->decoder ? in->decoder->name : "";
}

uint64_t input_total(const struct input *in)
{
	return in->total - (in->end - in->start);
}

/* Moves bytes from @raw to @text, through the decoder if there is one. 1 at the end, 0, -errno. */
static int decode(struct input *in)
{
	const char *raw = in->raw + in->raw_start;
	size_t n;
	int r;

	if (in->decoder) {
		r = in->decoder->run(in->state, &raw, &in->raw_len, in->text, &in->end, TEXT_SIZE,
				     in->raw_end);
		in->raw_start = (size_t)(raw - in->raw);
		return r;
	}
	n = TEXT_SIZE - in->end < in->raw_len ? TEXT_SIZE - in->end : in->raw_len;
	memcpy(in->text + in->end, raw, n);
	in->raw_start += n;
	in->raw_len -= n;
	in->end += n;
	return in->raw_end && in->raw_len == 0;
}

/* More text behind in->end, if there is any. An error waits until what came before is used up. */
static void fill(struct input *in)
{
	size_t before;

	if (in->start > 0) {
		memmove(in->text, in->text + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	before = in->end;
	while (!in->text_end && in->end == before && in->end < TEXT_SIZE) {
		int r = in->raw_len == 0 ? fill_raw(in) : 0;

		if (r == 0)
			r = decode(in);
		if (r < 0)
			in->error = r;
		in->text_end = r != 0;
	}
	in->total += in->end - before;
}

/* The rest of a line that is longer than anybody needs. */
static void skip_line(struct input *in)
{
	in->is_skipping = false;
	for (;;) {
		char *newline = memchr(in->text + in->start, '\n', in->end - in->start);

		in->start = newline ? (size_t)(newline - in->text) + 1 : in->end;
		if (newline || in->text_end)
			return;
		fill(in);
	}
}

int input_line(struct input *in, char **ret, size_t *ret_len, bool *ret_is_cut)
{
	size_t looked = 0;

	if (in->is_skipping)
		skip_line(in);
	for (;;) {
		char *line = in->text + in->start;
		size_t len = in->end - in->start;
		const char *newline = memchr(line + looked, '\n', len - looked);
		size_t line_len = newline ? (size_t)(newline - line) : len;

		*ret = line;
		*ret_is_cut = !newline;
		if (line_len > INPUT_LINE_MAX) {
			*ret_len = INPUT_LINE_MAX;
			*ret_is_cut = in->is_skipping = true;
			in->start += INPUT_LINE_MAX;
			return 1;
		}
		if (newline || (in->text_end && len > 0)) {
			*ret_len = line_len;
			in->start += line_len + (newline ? 1 : 0);
			return 1;
		}
		if (in->text_end)
			return in->error;
		looked = len;
		fill(in);
	}
}

long input_bytes(struct input *in, char *buf, size_t room, uint64_t size)
{
	size_t stored = 0;

	if (in->is_skipping)
		skip_line(in);
	while (size > 0) {
		size_t len = in->end - in->start, n = size < len ? (size_t)size : len;
		size_t keep = n < room - stored ? n : room - stored;

		memcpy(buf + stored, in->text + in->start, keep);
		stored += keep;
		in->start += n;
		size -= n;
		if (size == 0)
			break;
		if (in->text_end)
			return in->error ? in->error : -EPIPE;
		fill(in);
	}
	return (long)stored;
}
