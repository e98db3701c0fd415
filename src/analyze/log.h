/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_LOG_H
#define CPUFREQ_RESOLVE_LOG_H

/* Logs as a whole: files of every format and the journal, cut into boots. */

#include "tally.h"

/* Only the latest are kept, for memory must not grow with the log. */
#define LOG_BOOTS_MAX 8

enum log_only {
	LOG_ONLY_THIS_BOOT = 1 << 0,
	LOG_ONLY_UDEV = 1 << 1,
};

struct log {
	const char *host;                   /* NULL, or the only host that counts */
	struct tally *boots[LOG_BOOTS_MAX]; /* oldest first */
	size_t boot_count;
	uint64_t boots_seen;
	uint64_t interleaved; /* how often an earlier boot's entry came after a later one's */
	uint64_t lines, bytes;
	uint64_t unreadable; /* lines that are no entries */
	uint64_t cut;        /* lines that are too long or end with the file */
	uint64_t entries_of_other_hosts;
	char other_host[64]; /* the first of them */
	char compression[16];
	int ended_early; /* -errno of a file that could not be read to its end */
	struct tally *now;
};

/**
 * log_read() - Read a file, whatever its format
 * @fd: of the file or of a pipe
 * @log: what is read is added; to be released with log_free()
 *
 * Return: 0, -ENOSYS for a compression or a kind of file that this build can't read, or -errno.
 * Damaged data are no failure: what came before counts, and @log->ended_early tells.
 */
int log_read(int fd, struct log *log) _must_check_;

/**
 * log_read_journal() - Read journal files of systemd, or the running system's journal
 * @paths: files or directories, NULL-terminated; NULL: the running system's
 * @only: what to leave out, bits of enum log_only
 *
 * Return: 0, -EOPNOTSUPP without libsystemd, -EACCES if nothing may be read, or -errno.
 */
int log_read_journal(const char **paths, unsigned int only, struct log *log) _must_check_;

/** log_add() - Add an entry to the boot that it belongs to. Return: 0 or -ENOMEM. */
int log_add(struct log *log, const struct entry *entry) _must_check_;

/**
 * log_boot() - Pick a boot
 * @number: from 1 on, counted from the first in the log; 0 and below from the last one back
 *
 * Return: NULL if there is none, or if it was too many boots ago to be kept.
 */
const struct tally *log_boot(const struct log *log, long number);

void log_free(struct log *log);

/** log_error_text() - What a negative errno of log_read() means for a log. */
const char *log_error_text(int error);

#endif
