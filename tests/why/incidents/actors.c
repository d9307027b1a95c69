// SPDX-License-Identifier: GPL-2.0-only
/* Makes one incident: an argument is its name. Those of /mnt need a file system on a disk there. */
#define _GNU_SOURCE
#include "actors.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64
#define TWIN "-twin"
#define ROUNDS 500000
#define PAGE_SIZE 4096

struct actor {
	const char *name;
	int cpu, fifo;
	void (*act)(void);
};

struct stage *stage;
static struct actor actors[THREADS_MAX];
static pthread_t threads[THREADS_MAX];
static int nr_threads;
static double rounds_per_ms;

void fail(const char *what)
{
	fprintf(stderr, "incidents: %s: %s\n", what, strerror(errno));
	exit(1);
}

void actor_become(const char *name, int cpu, int fifo)
{
	struct sched_param param = { .sched_priority = fifo };
	cpu_set_t cpus;

	prctl(PR_SET_NAME, name);
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (cpu != ANY_CPU && sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("affinity");
	if (fifo && sched_setscheduler(0, SCHED_FIFO, &param))
		fail("SCHED_FIFO");
}

#define SCHED_DEADLINE 6

/* The kernel's structure has no definition for programs in older headers. */
struct deadline {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

void deadline_set(unsigned int runtime_ms)
{
	struct deadline deadline = {
		.size = sizeof(deadline),
		.policy = SCHED_DEADLINE,
		.runtime_ns = runtime_ms * UINT64_C(1000000),
		.deadline_ns = 20000000,
		.period_ns = 20000000,
	};

	if (syscall(SYS_sched_setattr, 0, &deadline, 0))
		fail("SCHED_DEADLINE");
}

static void *actor_run(void *argument)
{
	struct actor *actor = argument;

	actor_become(actor->name, actor->cpu, actor->fifo);
	actor->act();
	return NULL;
}

pthread_t actor_thread(const char *name, int cpu, int fifo, void (*act)(void))
{
	struct actor *actor = &actors[nr_threads];

	if (nr_threads == THREADS_MAX)
		fail("too many threads");
	*actor = (struct actor){ name, cpu, fifo, act };
	if (pthread_create(&threads[nr_threads], NULL, actor_run, actor))
		fail("pthread_create");
	return threads[nr_threads++];
}

pid_t actor_process(const char *name, int cpu, int fifo, void (*act)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid)
		return pid;
	nr_threads = 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	actor_become(name, cpu, fifo);
	act();
	_exit(0);
}

void actors_join(void)
{
	for (int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
}

void actors_kill(void)
{
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	while (wait(NULL) > 0)
		;
}

static double clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void rounds_run(double rounds)
{
	for (volatile double i = 0; i < rounds; i++)
		;
}

/* Computing makes no system calls: it counts rounds, whose time is measured once. */
static void rounds_measure(void)
{
	double begin = clock_ms(CLOCK_THREAD_CPUTIME_ID);

	rounds_run(ROUNDS);
	rounds_per_ms = ROUNDS / (clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin);
}

void compute_ms(double ms)
{
	rounds_run(ms * rounds_per_ms);
}

void busy_ms(double ms)
{
	double end = clock_ms(CLOCK_MONOTONIC) + ms;

	while (clock_ms(CLOCK_MONOTONIC) < end)
		rounds_run(rounds_per_ms / 50);
}

void sleep_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

void step_wait(int step)
{
	while (stage->step < step)
		sleep_ms(1);
}

void actor_preempt(void)
{
	step_wait(1);
	sleep_ms(2);
	busy_ms(40);
}

void pages_touch(char *memory, size_t size)
{
	for (size_t i = 0; i < size; i += PAGE_SIZE)
		((volatile char *)memory)[i]++;
}

char *memory_map(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("mmap");
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

void *memory_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("mmap");
	return memory;
}

int file_open(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd < 0)
		fail(path);
	return fd;
}

void file_write(const char *path, const char *text)
{
	int fd = file_open(path, O_WRONLY);

	if (write(fd, text, strlen(text)) < 0)
		fail(path);
	close(fd);
}

void cgroup_join(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/cgroup.procs", name);
	file_write(path, "0");
}

static const struct incident *incident_find(const char *name, size_t length)
{
	static const struct incident *const lists[] = {
		contention_incidents, cpu_incidents, device_incidents, file_incidents, lock_incidents, memory_incidents, other_incidents,
		owner_incidents, request_incidents, service_incidents, socket_incidents, stop_incidents,
		weight_incidents,
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct incident *one = lists[i]; one->name; one++)
			if (strlen(one->name) == length && !strncmp(one->name, name, length))
				return one;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *name = argc == 2 ? argv[1] : "";
	size_t length = strlen(name), twin = strlen(TWIN);
	bool is_twin = length > twin && !strcmp(name + length - twin, TWIN);
	const struct incident *incident = incident_find(name, length - (is_twin ? twin : 0));

	if (!incident) {
		fprintf(stderr, "incidents: no incident '%s'\n", name);
		return 2;
	}
	stage = memory_shared(sizeof(*stage));
	stage->name = name;
	stage->is_twin = is_twin;
	setpgid(0, 0);
	rounds_measure();
	incident->make();
	return 0;
}
