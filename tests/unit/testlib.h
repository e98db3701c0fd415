/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CPUFREQ_RESOLVE_TESTLIB_H
#define CPUFREQ_RESOLVE_TESTLIB_H

/* What every unit test needs: cmocka, and a small tree of files that is gone afterwards. */

/* cmocka.h wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "macro.h"

struct tree {
	char path[64];
	int fd; /* as main() opens a root: O_PATH */
};

void tree_make(struct tree *t);
void tree_remove(struct tree *t);

/* All paths are relative to the tree; missing directories are made. */
void tree_dir(const struct tree *t, const char *path);
void tree_file(const struct tree *t, const char *path, const char *content);
void tree_bytes(const struct tree *t, const char *path, const void *data, size_t len);
void tree_link(const struct tree *t, const char *path, const char *target);
void tree_fifo(const struct tree *t, const char *path);
void tree_unlink(const struct tree *t, const char *path);

/** tree_read() - What a file holds, to be freed, or NULL if it is not there. */
char *tree_read(const struct tree *t, const char *path);

/** tree_count() - How many names a directory has, "." and ".." not counted. */
unsigned int tree_count(const struct tree *t, const char *path);

/**
 * needs_openat2() - Leave a test out where valgrind runs it, which has no such call.
 *
 * Only tests/tools/memcheck says so, by WITHOUT_OPENAT2 in the environment, and counts them.
 */
void needs_openat2(void);

/* A setup and a teardown for tests that want a tree in *state. */
int setup_tree(void **state);
int teardown_tree(void **state);

#define test_in_tree(f) cmocka_unit_test_setup_teardown(f, setup_tree, teardown_tree)

#endif
