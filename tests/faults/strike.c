// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: strike list PROGRAM [ARGUMENT]...
 *        strike PROCESS NAME NUMBER FAULT PROGRAM [ARGUMENT]...
 *
 * Runs PROGRAM, linked with kernel.c, and counts its system calls, those of the first process
 * (PROCESS 0) and of the child that it forks (1) apart. `list` prints each on descriptor 3:
 * process, name, how many of this name came before it, the path where there is one, and the first
 * argument. Else FAULT strikes at call NUMBER of that NAME:
 *
 *   ERRNO    it fails with this error, and nothing is done
 *   ERRNO+   so does every later call of the same name
 *   short    it reads or writes 7 bytes at most
 *   kill     after it the process is killed
 *
 * strace -e inject does as much, but stops the program at every call; here a seccomp filter of
 * kernel.c stops it at those of one name. There are thousands of runs.
 *
 * Exits as the program did, or with 128 and the signal; 126 if the call never came.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

#ifndef __x86_64__
#error "strike knows the registers of x86-64 alone"
#endif

#define SHORT_LENGTH 7

struct process {
	pid_t pid;
	unsigned int calls; /* that were counted, of the name in question */
	bool is_at_work;    /* between the marks of kernel.c */
	bool dies;          /* when its call is over */
};

static struct process processes[2];
static unsigned int process_count;

static struct {
	bool is_list, is_short, is_kill, is_lasting;
	unsigned int process, call;
	long number;
	int error;
	bool has_struck;
} fault;

static const struct {
	long number;
	const char *name;
	int path; /* which argument; -1: none */
} names[] = {
#define X(name, path)                                                                              \
	{                                                                                          \
		SYS_##name, #name, path                                                            \
	}
	X(access, 0),     X(alarm, -1),

	X(capget, -1),    X(clone, -1),        X(close, -1),          X(fchmod, -1),
	X(fcntl, -1),     X(flock, -1),        X(fstat, -1),          X(fork, -1),
	X(ftruncate, -1), X(getdents64, -1),   X(getpid, -1),         X(getrandom, -1),
	X(ioctl, -1),     X(lseek, -1),        X(mkdirat, 1),         X(mmap, -1),
	X(mprotect, -1),  X(mremap, -1),       X(munmap, -1),         X(newfstatat, 1),
	X(open, 0),       X(openat, 1),        X(openat2, 1),         X(pread64, -1),
	X(prlimit64, -1), X(read, -1),         X(readlink, 0),        X(readlinkat, 1),
	X(renameat, 3),   X(rt_sigaction, -1), X(rt_sigprocmask, -1), X(set_robust_list, -1),
	X(stat, 0),       X(uname, -1),        X(unlinkat, 1),        X(wait4, -1),
	X(write, -1),
#undef X
};

#define NAME_COUNT (sizeof(names) / sizeof(names[0]))

static void read_path(pid_t pid, unsigned long long address, char *buf, size_t size)
{
	struct iovec to = { buf, size - 1 }, from = { (void *)address, size - 1 };

	/* A page's end may come first; then less is read, or nothing. */
	if (process_vm_readv(pid, &to, 1, &from, 1, 0) < 0) {
		from.iov_len = to.iov_len = 64;
		(void)process_vm_readv(pid, &to, 1, &from, 1, 0);
	}
	buf[strcspn(buf, "\n\t")] = '\0';
}

static unsigned int count_before(long number, unsigned int process)
{
	static unsigned int counts[2][512];

	return number >= 0 && number < 512 ? ++counts[process][number] : 0;
}

static void print_call(const struct process *p, const struct user_regs_struct *regs)
{
	const unsigned long long arguments[] = { regs->rdi, regs->rsi, regs->rdx, regs->r10 };
	long number = (long)regs->orig_rax;
	unsigned int process = (unsigned int)(p - processes);
	char path[256] = "", digits[24];
	const char *name = digits;

	(void)snprintf(digits, sizeof(digits), "%ld", number);
	for (size_t i = 0; i < NAME_COUNT; i++) {
		if (names[i].number != number)
			continue;
		name = names[i].name;
		if (names[i].path >= 0)
			read_path(p->pid, arguments[names[i].path], path, sizeof(path));
	}
	dprintf(3, "%u\t%s\t%u\t%s\t%lld\n", process, name, count_before(number, process), path,
		(long long)regs->rdi);
}

static void strike(struct process *p, struct user_regs_struct *regs)
{
	fault.has_struck = true;
	if (fault.is_kill) {
		p->dies = true;
		return;
	}
	if (fault.is_short) {
		if (regs->rdx > SHORT_LENGTH)
			regs->rdx = SHORT_LENGTH;
	} else {
		/* No call, and at a stop of seccomp's what is in rax becomes the answer. */
		regs->orig_rax = (unsigned long long)-1;
		regs->rax = (unsigned long long)-(long long)fault.error;
	}
	if (ptrace(PTRACE_SETREGS, p->pid, 0, regs) < 0)
		_exit(125);
}

static void on_call(struct process *p)
{
	struct user_regs_struct regs;
	long number;

	if (ptrace(PTRACE_GETREGS, p->pid, 0, &regs) < 0)
		_exit(125);
	number = (long)regs.orig_rax;
	if (number == FAULT_MARK_PAUSE || number == FAULT_MARK_GO_ON) {
		p->is_at_work = number == FAULT_MARK_GO_ON;
		return;
	}
	if (!p->is_at_work || number == SYS_brk)
		return; /* it never fails with an errno; that memory is short malloc() says */
	p->calls++;
	if (fault.is_list)
		print_call(p, &regs);
	else if (fault.has_struck ? fault.is_lasting :
				    p == &processes[fault.process] && p->calls == fault.call)
		strike(p, &regs);
}

static struct process *find(pid_t pid)
{
	for (unsigned int i = 0; i < process_count; i++)
		if (processes[i].pid == pid)
			return &processes[i];
	if (process_count == 2)
		_exit(125); /* it forks once; a second child of one is a surprise */
	processes[process_count] = (struct process){ .pid = pid, .is_at_work = true };
	return &processes[process_count++];
}

/* One stop of one process; returns the signal to hand on. */
static int on_stop(struct process *p, int status)
{
	int sig = WSTOPSIG(status);

	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8))
		on_call(p);
	else if (sig == (SIGTRAP | 0x80) && p->dies)
		(void)kill(p->pid, SIGKILL); /* the call is over */
	/* A traced child begins with SIGSTOP; SIGTRAP is of our own making. */
	return sig == SIGSTOP || (sig & ~0x80) == SIGTRAP ? 0 : sig;
}

static int run(void)
{
	int result = 0, status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		struct process *p = find(pid);
		int sig;

		if (WIFSTOPPED(status)) {
			sig = on_stop(p, status);
			(void)ptrace(p->dies ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, sig);
		} else if (p == &processes[0]) {
			result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
			break; /* what it left behind goes with us */
		}
	}
	return fault.is_list || fault.has_struck ? result : 126;
}

static void parse_fault(char **argv)
{
	char *end;

	fault.number = -1;
	for (size_t i = 0; i < NAME_COUNT; i++)
		if (strcmp(argv[2], names[i].name) == 0)
			fault.number = names[i].number;
	if (fault.number < 0)
		fault.number = strtol(argv[2], NULL, 10);
	fault.process = (unsigned int)strtoul(argv[1], NULL, 10);
	fault.call = (unsigned int)strtoul(argv[3], NULL, 10);
	fault.is_short = strcmp(argv[4], "short") == 0;
	fault.is_kill = strcmp(argv[4], "kill") == 0;
	fault.error = (int)strtol(argv[4], &end, 10);
	fault.is_lasting = *end == '+';
	if (fault.process > 1 || (!fault.error && !fault.is_short && !fault.is_kill))
		_exit(125);
}

int main(int argc, char **argv)
{
	int first = 5, status;
	char number[24] = "-1";
	pid_t pid;

	if (argc > 2 && strcmp(argv[1], "list") == 0) {
		fault.is_list = true;
		first = 2;
	} else if (argc > 5) {
		parse_fault(argv);
		(void)snprintf(number, sizeof(number), "%ld", fault.number);
	} else {
		fputs("usage: strike list PROGRAM... | strike PROCESS NAME NUMBER FAULT "
		      "PROGRAM...\n",
		      stderr);
		return 125;
	}
	if (setenv("FAULT_TRACE", number, 1) < 0)
		return 125;
	pid = fork();
	if (pid == 0) {
		(void)ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[first], argv + first);
		_exit(125);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return 125;
	find(pid)->is_at_work = false;
	(void)ptrace(PTRACE_SETOPTIONS, pid, 0,
		     PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL |
			     PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE);
	(void)ptrace(PTRACE_CONT, pid, 0, 0);
	return run();
}
