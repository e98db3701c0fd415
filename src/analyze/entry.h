/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_ENTRY_H
#define CPUFREQ_RESOLVE_ENTRY_H

/* One entry of a log, whatever its format was. */

#include "slice.h"

/* What an entry's time counts from. */
enum log_clock {
	LOG_CLOCK_NONE, /* the format has no times */
	LOG_CLOCK_BOOT, /* the start of the kernel */
	LOG_CLOCK_WALL, /* the epoch, or the start of an unknown year */
};

enum speaker {
	SPEAKER_UNKNOWN, /* the format does not say */
	SPEAKER_UDEV,
	SPEAKER_KERNEL,
	SPEAKER_MODULES_LOAD, /* systemd-modules-load */
	SPEAKER_MODPROBE,
	SPEAKER_INIT, /* systemd as PID 1 */
	SPEAKER_JOURNALD,
	SPEAKER_SYSLOGD,
	SPEAKER_OTHER,
};

struct entry {
	enum log_clock clock;
	uint64_t time;  /* microseconds */
	bool is_coarse; /* the time is cut to seconds */
	enum speaker speaker;
	uint64_t pid;      /* 0: not known */
	struct slice host; /* empty: not known */
	struct slice message;
	int error;         /* ERRNO=, 0 if there is no such field */
	struct slice boot; /* boot id, empty: not known */
	uint64_t seqnum;   /* __SEQNUM=, 0 if there is no such field */
};

/** entry_speaker() - Who it is that calls himself so; @pid tells PID 1 from a user's systemd. */
enum speaker entry_speaker(struct slice identifier, uint64_t pid);

#endif
