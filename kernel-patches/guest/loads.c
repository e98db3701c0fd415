// SPDX-License-Identifier: GPL-2.0
/*
 * Load modules in ways that modprobe does not.
 *
 *   loads storm FILE N [buffer]
 *     N processes load one file at the same moment
 *
 *   loads row FILE N
 *     one process loads it N times, one after the other
 *
 *   loads join FIRST SECOND MS
 *     load FIRST, and MS milliseconds later SECOND; both results
 *
 *   loads interrupt FILE N
 *     N processes load one file; all but the first get a signal while they wait
 *
 *   loads orphan FIRST SECOND
 *     load FIRST; load SECOND twice, which waits for FIRST; kill the first of the two
 *
 *   loads leave FILE
 *     load FILE by init_module(2); while its init runs, load it twice by finit_module(2), and kill
 *     the first of these
 *
 *   loads behind FILE
 *     the same, but nobody is killed
 *
 *   loads stress OPERATIONS N FILE...
 *     N threads load and unload the files at random, and are hit by signals
 *
 * "buffer" goes by init_module(2), as for a file that was decompressed in user space.
 * Prints one line of NAME=COUNT, a result being OK or the name of the error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ERRORS 256

struct shared {
	atomic_int ready;
	atomic_int go;
	atomic_int results[ERRORS];
};

static struct shared *shared;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* 0 or errno. */
static int load(const char *path, bool buffer)
{
	struct stat st;
	void *data;
	int fd, ret;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(path);
	if (!buffer) {
		ret = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	} else {
		if (fstat(fd, &st))
			die(path);
		data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED)
			die(path);
		ret = syscall(SYS_init_module, data, st.st_size, "") ? errno : 0;
		munmap(data, st.st_size);
	}
	close(fd);
	return ret;
}

static void count(int result)
{
	atomic_fetch_add(&shared->results[result & (ERRORS - 1)], 1);
}

static void print_counts(void)
{
	for (int i = 0; i < ERRORS; i++) {
		int n = atomic_load(&shared->results[i]);

		if (n)
			printf(" %s=%d", i ? strerrorname_np(i) : "OK", n);
	}
	printf("\n");
}

static const char *name_of(int result)
{
	return result ? strerrorname_np(result) : "OK";
}

static void on_signal(int number)
{
	(void)number;
}

/* No SA_RESTART: a system call that is hit ends with EINTR. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
}

static pid_t loader(const char *path, bool buffer, int status_of_its_own)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	catch_signals();
	atomic_fetch_add(&shared->ready, 1);
	while (!atomic_load(&shared->go))
		usleep(1000);
	int result = load(path, buffer);

	count(result);
	_exit(status_of_its_own ? result : 0);
}

static void wait_ready(int n)
{
	while (atomic_load(&shared->ready) < n)
		usleep(1000);
}

static void storm(const char *path, int n, bool buffer)
{
	for (int i = 0; i < n; i++)
		loader(path, buffer, 0);
	wait_ready(n);
	double start = milliseconds();

	atomic_store(&shared->go, 1);
	while (wait(NULL) > 0)
		;
	printf("requests=%d ms=%.0f", n, milliseconds() - start);
	print_counts();
}

static void row(const char *path, int n)
{
	double start = milliseconds();

	for (int i = 0; i < n; i++)
		count(load(path, false));
	printf("requests=%d ms=%.0f", n, milliseconds() - start);
	print_counts();
}

static void join(const char *first, const char *second, int ms)
{
	int status;
	pid_t pid;
	double start;
	int result;

	atomic_store(&shared->go, 1);
	pid = loader(first, false, 1);
	usleep(ms * 1000);
	start = milliseconds();
	result = load(second, false);
	printf("second=%s second_ms=%.0f", name_of(result), milliseconds() - start);
	waitpid(pid, &status, 0);
	printf(" first=%s\n", name_of(WEXITSTATUS(status)));
}

static void interrupt(const char *path, int n)
{
	pid_t *pids = calloc(n, sizeof(*pids));

	atomic_store(&shared->go, 1);
	pids[0] = loader(path, false, 0);
	usleep(300000);
	for (int i = 1; i < n; i++)
		pids[i] = loader(path, false, 0);
	wait_ready(n);
	usleep(400000);
	double start = milliseconds();

	for (int i = 1; i < n; i++)
		kill(pids[i], SIGUSR1);
	for (int i = 1; i < n; i++)
		waitpid(pids[i], NULL, 0);
	double waited = milliseconds() - start;

	waitpid(pids[0], NULL, 0);
	printf("requests=%d interrupted_ms=%.0f", n, waited);
	print_counts();
	free(pids);
}

/* While @holder loads, ask for @path twice and kill the first of the two, or not. @names: what the
 * result calls the holder, the first of the two, and the other.
 */
static void ask_twice(const char *holder, bool buffer, const char *path, bool kill_first,
		      const char *const names[3])
{
	pid_t first, second, held;
	int status;

	atomic_store(&shared->go, 1);
	held = loader(holder, buffer, 1);
	usleep(300000);
	first = loader(path, false, 1);
	usleep(300000);
	second = loader(path, false, 1);
	usleep(300000);
	if (kill_first)
		kill(first, SIGKILL);
	waitpid(first, &status, 0);
	if (kill_first)
		printf("%s_killed=%d", names[1], WIFSIGNALED(status));
	else
		printf("%s=%s", names[1], name_of(WEXITSTATUS(status)));
	waitpid(second, &status, 0);
	printf(" %s=%s", names[2], name_of(WEXITSTATUS(status)));
	waitpid(held, &status, 0);
	printf(" %s=%s\n", names[0], name_of(WEXITSTATUS(status)));
}

static void orphan(const char *first, const char *second)
{
	static const char *const names[] = { "provider", "owner", "sharer" };

	ask_twice(first, false, second, true, names);
}

static void leave(const char *path)
{
	static const char *const names[] = { "owner", "leaver", "stayer" };

	ask_twice(path, true, path, true, names);
}

static void behind(const char *path)
{
	static const char *const names[] = { "owner", "first", "second" };

	ask_twice(path, true, path, false, names);
}

struct stress {
	char **files;
	int n_files;
	atomic_int left;
	atomic_int loads, unloads, unloaded;
	atomic_int running;
};

static struct stress stress_of;

static void module_name(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/');

	snprintf(name, size, "%s", base ? base + 1 : path);
	*strchrnul(name, '.') = '\0';
}

static void *stress_thread(void *argument)
{
	unsigned int seed = (unsigned int)(long)argument;
	struct stress *s = &stress_of;

	while (atomic_fetch_sub(&s->left, 1) > 0) {
		const char *path = s->files[rand_r(&seed) % s->n_files];
		char name[64];

		switch (rand_r(&seed) % 4) {
		case 0:
			module_name(path, name, sizeof(name));
			atomic_fetch_add(&s->unloads, 1);
			if (!syscall(SYS_delete_module, name, O_NONBLOCK))
				atomic_fetch_add(&s->unloaded, 1);
			break;
		case 1:
			atomic_fetch_add(&s->loads, 1);
			count(load(path, true));
			break;
		default:
			atomic_fetch_add(&s->loads, 1);
			count(load(path, false));
			break;
		}
	}
	atomic_fetch_sub(&s->running, 1);
	return NULL;
}

static void stress(int operations, int n, char **files)
{
	pthread_t *threads = calloc(n, sizeof(*threads));
	unsigned int seed = 1;
	int signals = 0;

	for (stress_of.n_files = 0; files[stress_of.n_files]; stress_of.n_files++)
		;
	stress_of.files = files;
	atomic_store(&stress_of.left, operations);
	atomic_store(&stress_of.running, n);
	catch_signals();
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, stress_thread, (void *)(i + 1)))
			die("pthread_create");
	while (atomic_load(&stress_of.running)) {
		usleep(20000);
		pthread_kill(threads[rand_r(&seed) % n], SIGUSR1);
		signals++;
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("threads=%d loads=%d unloads=%d unloaded=%d signals=%d", n, stress_of.loads,
	       stress_of.unloads, stress_of.unloaded, signals);
	print_counts();
	free(threads);
}

int main(int argc, char **argv)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		die("mmap");
	if (argc >= 4 && !strcmp(argv[1], "storm"))
		storm(argv[2], atoi(argv[3]), argc > 4 && !strcmp(argv[4], "buffer"));
	else if (argc == 4 && !strcmp(argv[1], "row"))
		row(argv[2], atoi(argv[3]));
	else if (argc == 5 && !strcmp(argv[1], "join"))
		join(argv[2], argv[3], atoi(argv[4]));
	else if (argc == 4 && !strcmp(argv[1], "interrupt"))
		interrupt(argv[2], atoi(argv[3]));
	else if (argc == 4 && !strcmp(argv[1], "orphan"))
		orphan(argv[2], argv[3]);
	else if (argc == 3 && !strcmp(argv[1], "leave"))
		leave(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "behind"))
		behind(argv[2]);
	else if (argc >= 5 && !strcmp(argv[1], "stress"))
		stress(atoi(argv[2]), atoi(argv[3]), argv + 4);
	else
		return fprintf(stderr, "loads: no such use; see the head of loads.c\n"), 2;
	return 0;
}
