/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_MACRO_H
#define CPUFREQ_RESOLVE_MACRO_H

/* The house dialect: cleanup by attribute, checked results, sized arrays. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn)  __attribute__((cleanup(fn)))
#define _must_check_   __attribute__((warn_unused_result))
#define _printf_(a, b) __attribute__((format(printf, a, b)))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define TAKE_PTR(p)                                                                                \
	({                                                                                         \
		__typeof__(p) _taken = (p);                                                        \
		(p) = NULL;                                                                        \
		_taken;                                                                            \
	})

/* Hand a descriptor over to the caller, past _cleanup_close_. */
#define TAKE_FD(fd)                                                                                \
	({                                                                                         \
		int _taken = (fd);                                                                 \
		(fd) = -1;                                                                         \
		_taken;                                                                            \
	})

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_   _cleanup_(freep)
#define _cleanup_close_  _cleanup_(closep)
#define _cleanup_fclose_ _cleanup_(fclosep)

#endif
