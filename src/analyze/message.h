/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_MESSAGE_H
#define CPUFREQ_RESOLVE_MESSAGE_H

/* What a log entry's message says about modules, udev's work, the boot, and lost messages. */

#include "entry.h"

enum event_kind {
	EVENT_NONE,
	/* Somebody called the kernel's loader. */
	EVENT_INSERTED, /* it came back with 0, or with -EEXIST, which libkmod turns into 0 */
	EVENT_FAILED,
	/* Somebody asked for a module, and the loader was not called. */
	EVENT_LOADED,    /* it is live already */
	EVENT_BUILTIN,   /* it is in the kernel */
	EVENT_DENIED,    /* by modprobe.d or the command line */
	EVENT_NOT_FOUND, /* no module has the alias */
	EVENT_LOOKUP,    /* udev begins to look for an alias; @name holds it */
	EVENT_RACE,      /* libkmod could not read initstate: failing loads in parallel */
	/* udev at work. */
	EVENT_BEGIN, /* a worker begins with a device */
	EVENT_END,   /* ... and is done with it */
	/* The kernel. */
	EVENT_INITCALL, /* initcall_debug: @name is the module, or empty and @text the function */
	EVENT_PROBE_FAILED,
	EVENT_UNLOADED, /* "Unloaded tainted modules:", the list is @text */
	EVENT_KERNEL_DENIED,
	EVENT_REFUSAL, /* what the init of @name prints each time that it refuses */
	EVENT_LINUX,   /* @text: the release */
	EVENT_CMDLINE, /* @text */
	EVENT_CPUS,    /* @count of them were brought up */
	EVENT_DRIVER,  /* a cpufreq driver says that it is in charge; @text: its name */
	EVENT_REMARK,  /* a cpufreq driver says why it is not, or what is wrong; @text: all of it */
	/* systemd. */
	EVENT_SYSTEMD, /* @text: its version */
	EVENT_IN_INITRD,
	EVENT_STARTUP, /* "Startup finished in"; @text: what follows */
	/* Messages that are not in the log. */
	EVENT_LOST, /* @count of them, 0: not known; @text: the sentence */
	/* Begins like one of the above, and is cut or mixed with another line. */
	EVENT_DAMAGED,
};

struct event {
	enum event_kind kind;
	struct slice name; /* of the module */
	struct slice text;
	int error; /* errno, positive; 0: not known */
	uint64_t count;
	uint64_t usecs;
	bool is_old_wording; /* udev before 235: live modules are logged as inserted too */
	bool is_by_kernel;   /* EVENT_DENIED */
	bool is_glued;       /* another line follows in the same one, or a piece of it */
};

/** message_parse() - What does the entry say? */
void message_parse(const struct entry *entry, struct event *ret);

/**
 * message_next_unloaded() - The next of a list "NAME():N NAME(F):N"
 * @list: moved on behind it
 * @ret_count: N
 *
 * Return: false if there is none, or the list goes on with something else.
 */
bool message_next_unloaded(struct slice *list, struct slice *ret_name, uint64_t *ret_count);

/** message_is_module_name() - Can a module be called so? */
bool message_is_module_name(struct slice name);

#endif
