/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_MESSAGE_PARTS_H
#define CPUFREQ_RESOLVE_MESSAGE_PARTS_H

/* What the files that read messages share. */

#include "message.h"

/** message_parse_kernel() - A line of the kernel, or of one who writes to its log. */
void message_parse_kernel(const struct entry *entry, struct event *ret);

/** message_parse_udev() - A line of udev, or one with its words. */
void message_parse_udev(const struct entry *entry, struct event *ret);

/** message_parse_count() - A number of lost messages, followed by @what anywhere in the message. */
bool message_parse_count(struct slice m, struct slice what, struct event *ret);

#endif
