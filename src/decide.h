/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_DECIDE_H
#define CPUFREQ_RESOLVE_DECIDE_H

/* Facts and the table in, a verdict for every row out. Reads nothing else. */

#include "facts.h"

enum outcome {
	OUTCOME_IN_CHARGE, /* a driver is registered; nothing is to be loaded */
	OUTCOME_TRY,       /* none is yet, and @next is to be asked for */
	OUTCOME_LEFT,      /* none is yet; udev asks once for what is offered, without our help */
	OUTCOME_NONE,      /* none is right, all that could be asked has been */
	OUTCOME_OFF,       /* cpufreq is switched off, or the hypervisor's */
	OUTCOME_WAITING,   /* a platform driver waits for something; hands off */
	OUTCOME_DISABLED,  /* by enable=0, or our file is masked */
	OUTCOME_BYSTANDER, /* kdump kernel, container, chroot */
	OUTCOME_UNKNOWN,   /* something needed for an answer could not be read */
};

enum verdict {
	VERDICT_IN_CHARGE,
	VERDICT_CHOSEN,      /* to be tried now */
	VERDICT_IN_LINE,     /* to be tried if those before it are refused */
	VERDICT_BEATEN,      /* another driver is in charge */
	VERDICT_REFUSED,     /* the kernel was asked and said no */
	VERDICT_HUNG,        /* the kernel was asked and has not answered */
	VERDICT_IDLE,        /* live, and not in charge */
	VERDICT_WAITING,     /* its device is not bound yet */
	VERDICT_DENIED,      /* by the administrator */
	VERDICT_RESERVED,    /* an install line: the administrator's own */
	VERDICT_LEFT,        /* one device, one load: udev does it as it always did */
	VERDICT_NOT_OFFERED, /* no device here asks for it */
	VERDICT_HAD_TURN,    /* built in, and the kernel decided before user space began */
	VERDICT_UNFIT,       /* not here, and not for this processor */
	VERDICT_ABSENT,      /* this kernel does not have it */
	VERDICT_OFF,         /* would be refused: cpufreq is off */
	VERDICT_UNKNOWN,
};

struct row_decision {
	enum verdict verdict;
	uint64_t missing; /* needed facts that are known to be false */
	uint64_t barred;  /* excluding facts that are true */
	bool deny;        /* gets a blacklist line for this boot */
	bool order;       /* gets a softdep on the winner instead */
};

/* What became of driver=. */
enum forced_result {
	FORCED_NOT, /* nothing was forced */
	FORCED_IN_CHARGE,
	FORCED_TRY,
	FORCED_NO_SUCH,   /* not in the table */
	FORCED_NO_MODULE, /* this kernel has no such module */
	FORCED_DENIED,    /* ... and the administrator denies it at the same time */
	FORCED_BEATEN,    /* another driver is in charge already */
	FORCED_REFUSED,   /* the kernel said no; the rules without driver= go on */
};

struct decision {
	enum outcome outcome;
	int in_charge;   /* index of the row, -1 if none or not in the table */
	int next;        /* index of the row to try, -1 if none */
	int governor_of; /* index of the row that gets the default governor as softdep, or -1 */
	enum forced_result forced;
	bool may_write; /* the answer is good enough to be written down */
	bool is_once;   /* one device for each modalias is to ask, whichever driver is right */
	struct row_decision rows[DRIVER_MAX];
};

/**
 * decide() - Give every driver its verdict
 * @facts: what is true of this machine
 * @is_late: the second chance: what was refused may be asked for once more
 * @ret: one verdict for each row of drivers[], and what is to be done
 *
 * A driver that is registered wins, the kernel has room for one only
 * (cpufreq_register_driver(), drivers/cpufreq/cpufreq.c).
 */
void decide(const struct facts *facts, bool is_late, struct decision *ret);

/** decide_is_final() - Does this errno mean that asking again in this boot is of no use? */
bool decide_is_final(int error, bool is_driver_in_charge);

#endif
