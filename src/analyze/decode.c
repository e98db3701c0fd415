// SPDX-License-Identifier: GPL-2.0-or-later
#include "decode.h"

#include <errno.h>
#include <string.h>

#include "analyze-config.h"

#if HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>

struct gzip {
	z_stream z;
	bool is_between; /* one member has ended, another may follow */
};

static void *gzip_open(void)
{
	struct gzip *g = calloc(1, sizeof(*g));

	/* 32: find out by itself whether it is gzip or zlib. */
	if (g && inflateInit2(&g->z, MAX_WBITS + 32) != Z_OK) {
		free(g);
		return NULL;
	}
	return g;
}

static int gzip_run(void *state, const char **raw, size_t *raw_left, char *text, size_t *text_end,
		    size_t text_size, bool is_last)
{
	struct gzip *g = state;
	int r;

	if (is_last && *raw_left == 0)
		return g->is_between ? 1 : -EBADMSG;
	if (g->is_between) {
		/* Padding of a tape or a block device. */
		while (*raw_left && **raw == '\0')
			++*raw, --*raw_left;
		if (*raw_left == 0)
			return 0;
		if (inflateReset(&g->z) != Z_OK)
			return -EBADMSG;
		g->is_between = false;
	}
	g->z.next_in = (const unsigned char *)*raw;
	g->z.avail_in = (unsigned int)*raw_left;
	g->z.next_out = (unsigned char *)text + *text_end;
	g->z.avail_out = (unsigned int)(text_size - *text_end);
	r = inflate(&g->z, Z_NO_FLUSH);
	*raw += *raw_left - g->z.avail_in;
	*raw_left = g->z.avail_in;
	*text_end = text_size - g->z.avail_out;
	g->is_between = r == Z_STREAM_END;
	return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? 0 : -EBADMSG;
}

static void gzip_close(void *state)
{
	struct gzip *g = state;

	inflateEnd(&g->z);
	free(g);
}

static const struct decoder gzip = { "gzip", gzip_open, gzip_run, gzip_close };
#define GZIP (&gzip)
#else
#define GZIP NULL
#endif

#if HAVE_ZSTD
#include <zstd.h>

/* 128 MiB, what `zstd -d` itself takes without being asked twice. */
#define ZSTD_WINDOW_LOG_MAX 27

struct zst {
	ZSTD_DStream *z;
	bool is_between;
};

static void *zst_open(void)
{
	struct zst *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->z = ZSTD_createDStream();
	if (!s->z) {
		free(s);
		return NULL;
	}
	(void)ZSTD_DCtx_setParameter(s->z, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
	return s;
}

static int zst_run(void *state, const char **raw, size_t *raw_left, char *text, size_t *text_end,
		   size_t text_size, bool is_last)
{
	struct zst *s = state;
	ZSTD_inBuffer in = { *raw, *raw_left, 0 };
	ZSTD_outBuffer out = { text, text_size, *text_end };
	size_t r;

	if (is_last && *raw_left == 0 && s->is_between)
		return 1;
	r = ZSTD_decompressStream(s->z, &out, &in);
	*raw += in.pos;
	*raw_left -= in.pos;
	if (ZSTD_isError(r))
		return -EBADMSG;
	/* Nothing more came out and nothing more will go in: the frame is not whole. */
	if (is_last && in.size == 0 && out.pos == *text_end)
		return -EBADMSG;
	*text_end = out.pos;
	s->is_between = r == 0;
	return 0;
}

static void zst_close(void *state)
{
	struct zst *s = state;

	ZSTD_freeDStream(s->z);
	free(s);
}

static const struct decoder zst = { "zstd", zst_open, zst_run, zst_close };
#define ZST (&zst)
#else
#define ZST NULL
#endif

#if HAVE_LZMA
#include <lzma.h>

/* More than `xz -9` needs. */
#define XZ_MEMORY_MAX (UINT64_C(128) << 20)

static void *xz_open(void)
{
	lzma_stream *z = calloc(1, sizeof(*z));

	if (z && lzma_stream_decoder(z, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static int xz_run(void *state, const char **raw, size_t *raw_left, char *text, size_t *text_end,
		  size_t text_size, bool is_last)
{
	lzma_stream *z = state;
	lzma_ret r;

	z->next_in = (const uint8_t *)*raw;
	z->avail_in = *raw_left;
	z->next_out = (uint8_t *)text + *text_end;
	z->avail_out = text_size - *text_end;
	r = lzma_code(z, is_last ? LZMA_FINISH : LZMA_RUN);
	*raw += *raw_left - z->avail_in;
	*raw_left = z->avail_in;
	*text_end = text_size - z->avail_out;
	if (r == LZMA_STREAM_END)
		return 1;
	return r == LZMA_OK ? 0 : -EBADMSG;
}

static void xz_close(void *state)
{
	lzma_end(state);
	free(state);
}

static const struct decoder xz = { "xz", xz_open, xz_run, xz_close };
#define XZ (&xz)
#else
#define XZ NULL
#endif

int decoder_find(const char *head, size_t len, const struct decoder **ret)
{
	static const struct {
		const char *magic;
		size_t len;
		const struct decoder *decoder;
	} known[] = {
		{ "\x1f\x8b", 2, GZIP },
		{ "\x28\xb5\x2f\xfd", 4, ZST },
		{ "\xfd"
		  "7zXZ\0",
		  6, XZ },
		/* Rare for logs, and each would be one more library. */
		{ "BZh", 3, NULL },
		{ "\x04\x22\x4d\x18", 4, NULL },
	};

	*ret = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (len < known[i].len || memcmp(head, known[i].magic, known[i].len) != 0)
			continue;
		*ret = known[i].decoder;
		return *ret ? 0 : -ENOSYS;
	}
	return 0;
}
