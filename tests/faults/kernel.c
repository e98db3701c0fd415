// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's part for tests/faults/inject, linked into the whole program: the tree $FAULT_ROOT is
 * taken for the running system, and what would ask the kernel for a module is written down in
 * $FAULT_RECORD instead. Nothing is ever loaded. And malloc() fails where $FAULT_ALLOC says.
 *
 * With $FAULT_INSERT libkmod does ask the kernel, whose answer is passed over: for counts of what
 * that takes, by who has no right to load.
 *
 * $FAULT_ANSWERS: "acpi_cpufreq=0:acpi-cpufreq pcc_cpufreq=-19 *=-19": what the kernel answers, and
 * who is in charge from then on.
 */
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults.h"
#include "guard.h"

#define RECORD_SIZE 16384
#define POLICY_DIR  "sys/devices/system/cpu/cpufreq/policy0"
#define DRIVER_PATH POLICY_DIR "/scaling_driver"

/* Shared by parent and child, and by all runs on one record. */
struct record {
	uint32_t allocations[2]; /* of the first process, and of its child */
	uint32_t is_struck;
	uint32_t unused;
	char text[RECORD_SIZE - 16]; /* one line an event */
};

static struct record *record;
static const char *root, *answers;
static unsigned int process; /* 0, or 1: the child */
static unsigned int fail_process, fail_number;
static bool fail_all_after, may_load_here, is_in_kernel = true;
static bool is_counted; /* $FAULT_INSERT: as little as can be done here, for it is counted */
static struct kmod_ctx *system_ctx; /* the last one with the system's own configuration */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

bool __real_guard_may_load(void);
bool __wrap_guard_may_load(void);
int __real_stat(const char *path, struct stat *ret);
int __wrap_stat(const char *path, struct stat *ret);
int __wrap_stat64(const char *path, struct stat *ret);
int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
struct kmod_ctx *__real_kmod_new(const char *dir, const char *const *config);
struct kmod_ctx *__wrap_kmod_new(const char *dir, const char *const *config);
int __real_kmod_module_get_initstate(const struct kmod_module *mod);
int __wrap_kmod_module_get_initstate(const struct kmod_module *mod);
int __real_kmod_module_probe_insert_module(struct kmod_module *mod, unsigned int flags,
					   const char *options, const void *run_install,
					   const void *data, const void *print_action);
int __wrap_kmod_module_probe_insert_module(struct kmod_module *mod, unsigned int flags,
					   const char *options, const void *run_install,
					   const void *data, const void *print_action);
int __wrap_kmod_module_remove_module(struct kmod_module *mod, unsigned int flags);

/* What happens between these two is the kernel's doing, not the program's: no fault strikes there.
 */
static void enter_kernel(void)
{
	is_in_kernel = true;
	(void)syscall(FAULT_MARK_PAUSE);
}

static void leave_kernel(void)
{
	(void)syscall(FAULT_MARK_GO_ON);
	is_in_kernel = false;
}

/* strike.c is to stop us at calls of this number; at all of them if it is -1. */
static void trace_calls(long number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, number < 0 ? 0 : FAULT_MARK_PAUSE, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(125);
}

static void note_child(void)
{
	process = 1;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAULT_RECORD"), *alloc = getenv("FAULT_ALLOC");
	const char *trace = getenv("FAULT_TRACE");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

	root = getenv("FAULT_ROOT");
	answers = getenv("FAULT_ANSWERS");
	if (fd < 0 || !root || !answers || ftruncate(fd, RECORD_SIZE) < 0)
		_exit(125);
	record = mmap(NULL, RECORD_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (record == MAP_FAILED)
		_exit(125);
	close(fd);
	may_load_here = __real_guard_may_load();
	is_counted = getenv("FAULT_INSERT") != NULL;
	if (pthread_atfork(NULL, NULL, note_child) != 0)
		_exit(125);
	if (alloc && sscanf(alloc, "%u:%u", &fail_process, &fail_number) == 2)
		fail_all_after = strchr(alloc, '+') != NULL;
	if (trace)
		trace_calls(atol(trace));
	leave_kernel();
}

/* True if this allocation is to fail. */
static bool strikes(void)
{
	uint32_t number;

	if (is_in_kernel || is_counted)
		return false;
	number = ++record->allocations[process];
	if (!fail_number || process != fail_process ||
	    (fail_all_after ? number < fail_number : number != fail_number))
		return false;
	record->is_struck = 1;
	errno = ENOMEM;
	return true;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	return strikes() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
	return strikes() ? NULL : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
	return strikes() ? NULL : __libc_realloc(old, size);
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
	size_t len = strlen(record->text);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(record->text + len, sizeof(record->text) - len, format, args);
	va_end(args);
}

static void full_path(const char *path, char *buf, size_t size)
{
	if ((size_t)snprintf(buf, size, "%s/%s", root, path) >= size)
		_exit(125);
}

static void write_file(const char *path, const char *text)
{
	char full[512];
	int fd;

	full_path(path, full, sizeof(full));
	for (char *s = full + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		if (mkdir(full, 0755) < 0 && errno != EEXIST)
			_exit(125);
		*s = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(125);
	close(fd);
}

static bool someone_is_in_charge(void)
{
	char full[512];

	full_path(DRIVER_PATH, full, sizeof(full));
	return access(full, F_OK) == 0;
}

/* The last word on a module: live after "insert NAME 0", gone after "remove NAME 0". */
static bool is_live(const char *name)
{
	char inserted[80], removed[80];
	const char *in = NULL, *out = NULL;

	(void)snprintf(inserted, sizeof(inserted), "insert %s 0\n", name);
	(void)snprintf(removed, sizeof(removed), "remove %s 0\n", name);
	for (const char *s = record->text; (s = strstr(s, inserted)); s++)
		in = s;
	for (const char *s = record->text; (s = strstr(s, removed)); s++)
		out = s;
	return in && (!out || in > out);
}

/* Its answer, and in @ret_driver who is in charge by it, "" if nobody. */
static int find_answer(const char *name, char *ret_driver, size_t size)
{
	for (const char *s = answers; *s;) {
		size_t len = strcspn(s, " "), key = strcspn(s, "=");

		if ((key == strlen(name) && strncmp(s, name, key) == 0) ||
		    (key == 1 && *s == '*')) {
			const char *driver = memchr(s, ':', len);

			(void)snprintf(ret_driver, size, "%.*s",
				       driver ? (int)(s + len - driver - 1) : 0,
				       driver ? driver + 1 : "");
			return atoi(s + key + 1);
		}
		s += len;
		s += strspn(s, " ");
	}
	_exit(125); /* nobody was to ask for this one */
}

/* libkmod's own filter is part of the call that is not made. */
static bool is_denied(const char *name)
{
	struct kmod_config_iter *iter = kmod_config_get_blacklists(system_ctx);
	bool found = false;

	while (iter && !found && kmod_config_iter_next(iter))
		found = strcmp(kmod_config_iter_get_key(iter), name) == 0;
	kmod_config_iter_free_iter(iter);
	return found;
}

bool __wrap_guard_may_load(void)
{
	/* Who has not the right here is to get the same answers. */
	return __real_guard_may_load() || !may_load_here;
}

int __wrap_open(const char *path, int flags, mode_t mode)
{
	return __real_open(strcmp(path, "/") == 0 ? root : path, flags, mode);
}

/* What it is called where files may be large; the same on 64 bits, as are those below. */
int __wrap_open64(const char *path, int flags, mode_t mode)
{
	return __wrap_open(path, flags, mode);
}

int __wrap_stat(const char *path, struct stat *ret)
{
	bool is_root = strcmp(path, "/") == 0 || strcmp(path, "/proc/1/root") == 0;

	return __real_stat(is_root ? root : path, ret);
}

int __wrap_stat64(const char *path, struct stat *ret)
{
	return __wrap_stat(path, ret);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	const char *log = getenv("FAULT_LOG");

	if (strcmp(path, "/dev/kmsg") != 0)
		return __real_fopen(path, mode);
	return log ? __real_fopen(log, "ae") : NULL;
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	return __wrap_fopen(path, mode);
}

struct kmod_ctx *__wrap_kmod_new(const char *dir, const char *const *config)
{
	static const char *const names[] = { "etc/modprobe.d", "run/modprobe.d",
					     "usr/lib/modprobe.d" };
	static char modules[512], paths[3][512];
	const char *list[4] = { NULL };

	if (dir)
		return __real_kmod_new(dir, config);
	full_path(getenv("FAULT_MODULES"), modules, sizeof(modules));
	for (size_t i = 0; i < 3; i++) {
		full_path(names[i], paths[i], sizeof(paths[i]));
		list[i] = paths[i];
	}
	system_ctx = __real_kmod_new(modules, list);
	return system_ctx;
}

int __wrap_kmod_module_get_initstate(const struct kmod_module *mod)
{
	int state = __real_kmod_module_get_initstate(mod);

	if (state == KMOD_MODULE_BUILTIN || is_counted)
		return state;
	return is_live(kmod_module_get_name(mod)) ? KMOD_MODULE_LIVE : -ENOENT;
}

static int insert(const char *name, unsigned int flags)
{
	char driver[64], path[96];
	int r;

	if ((flags & KMOD_PROBE_APPLY_BLACKLIST) && is_denied(name))
		return KMOD_PROBE_APPLY_BLACKLIST;
	r = find_answer(name, driver, sizeof(driver));
	if (r == 0 && driver[0] && someone_is_in_charge())
		r = -EEXIST;
	note("insert %s %d\n", name, r);
	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "sys/module/%s/initstate", name);
	write_file(path, "live\n");
	if (driver[0])
		write_file(DRIVER_PATH, driver);
	return 0;
}

int __wrap_kmod_module_probe_insert_module(struct kmod_module *mod, unsigned int flags,
					   const char *options, const void *run_install,
					   const void *data, const void *print_action)
{
	int r;

	if (is_counted && __real_kmod_module_probe_insert_module(mod, flags, options, run_install,
								 data, print_action) == 0)
		_exit(125);
	enter_kernel();
	r = insert(kmod_module_get_name(mod), flags);
	leave_kernel();
	return r;
}

int __wrap_kmod_module_remove_module(struct kmod_module *mod, unsigned int flags)
{
	const char *name = kmod_module_get_name(mod);
	char path[96], full[512];

	(void)flags;
	enter_kernel();
	note("remove %s 0\n", name);
	full_path(DRIVER_PATH, full, sizeof(full));
	(void)unlink(full);
	full_path(POLICY_DIR, full, sizeof(full));
	(void)rmdir(full);
	(void)snprintf(path, sizeof(path), "sys/module/%s/initstate", name);
	full_path(path, full, sizeof(full));
	(void)unlink(full);
	leave_kernel();
	return 0;
}
