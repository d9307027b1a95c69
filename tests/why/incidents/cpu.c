// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of processors: limits, priorities, rivals, and nothing wrong at all. */
#define _GNU_SOURCE
#include "actors.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(double ms)
{
	ktrack_begin(incident_work, stage->name);
	compute_ms(ms);
	ktrack_end(incident_work);
}

static void forever(void)
{
	for (;;)
		compute_ms(1);
}

/* A thread has used up the quota of its cgroup; in the twin an urgent one has its CPU as long. */
static void quota_preempt(void)
{
	for (;;) {
		sleep_ms(6);
		busy_ms(14);
	}
}

static void quota(void)
{
	if (stage->is_twin)
		actor_process("urgent", 1, 10, quota_preempt);
	actor_become("render", 1, 0);
	if (!stage->is_twin)
		cgroup_join("quota");
	work(20);
	cgroup_join("");
	actors_kill();
}

/* A thread may only run where another one runs; in the twin the other one is urgent. */
static void affinity_compete(void)
{
	sleep_ms(10);
	compute_ms(60);
}

static void affinity(void)
{
	actor_process("encoder", 0, stage->is_twin ? 10 : 0, affinity_compete);
	actor_become("mixer", 0, 0);
	sleep_ms(12);
	work(20);
	actors_kill();
}

/* A nice thread has a small share of its CPU; in the twin a thread of the same priority competes. */
static void niceness(void)
{
	actor_process("foreground", 0, 0, forever);
	actor_become("indexer", 0, 0);
	if (!stage->is_twin)
		setpriority(PRIO_PROCESS, 0, 15);
	compute_ms(8);
	work(stage->is_twin ? 20 : 4);
	actors_kill();
}

/* A real-time thread is displaced for others; in the twin nobody else wants its CPU. */
static void displaced(void)
{
	if (!stage->is_twin)
		actor_process("batch", 0, 0, forever);
	actor_become("control", 0, 50);
	compute_ms(900);
	work(180);
	actors_kill();
}

/* A thread waits behind one with a deadline; in the twin behind one with a real-time priority. */
static void deadline_run(void)
{
	struct sched_param param = { .sched_priority = 10 };

	if (stage->is_twin) {
		if (sched_setaffinity(0, sizeof(cpu_set_t), &(cpu_set_t){ { 1 } }) ||
		    sched_setscheduler(0, SCHED_FIFO, &param))
			fail("SCHED_FIFO");
	} else {
		deadline_set(16);
	}
	for (;;) {
		busy_ms(stage->is_twin ? 12 : 16);
		if (stage->is_twin)
			sleep_ms(8);
		else
			sched_yield();
	}
}

static void deadlines(void)
{
	actor_process("radio", ANY_CPU, 0, deadline_run);
	if (!stage->is_twin)
		actor_process("radio2", ANY_CPU, 0, deadline_run);
	actor_become("logger", stage->is_twin ? 0 : ANY_CPU, 0);
	sleep_ms(25);
	work(20);
	actors_kill();
}

/* Nothing is wrong: the program computes; in the twin the kernel does it for its system call. */
static void busy(void)
{
	static char bytes[1 << 20];

	actor_become("solver", 1, 0);
	sleep_ms(5);
	if (!stage->is_twin)
		return work(40);
	ktrack_begin(incident_work, stage->name);
	for (size_t n = 0; n < sizeof(bytes);)
		n += getrandom(bytes + n, sizeof(bytes) - n, 0);
	ktrack_end(incident_work);
}

/* A program makes many short processes on one CPU; in the twin one long one. */
static void storm_fork(void)
{
	for (;;) {
		/* Without what the C library does at a fork. */
		pid_t pid = syscall(SYS_fork);

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		if (stage->is_twin)
			forever();
	}
}

static void fork_storm(void)
{
	for (int i = 0; i < (stage->is_twin ? 1 : 3); i++)
		actor_process("watch.sh", 0, 0, storm_fork);
	actor_become("editor", 0, 0);
	sleep_ms(20);
	work(stage->is_twin ? 20 : 6);
	actors_kill();
}

/* A barrier on all CPUs waits for a grace period of RCU; in the twin many take the kernel's time. */
static void barrier(void)
{
	int command = stage->is_twin ? MEMBARRIER_CMD_PRIVATE_EXPEDITED : MEMBARRIER_CMD_GLOBAL;

	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (!stage->is_twin)
		actor_thread("runtime", 0, 0, affinity_compete);
	actor_become("jit", 1, 0);
	sleep_ms(20);
	ktrack_begin(incident_work, stage->name);
	for (int i = 0; i < (stage->is_twin ? 400 : 1); i++)
		syscall(SYS_membarrier, command, 0, 0);
	ktrack_end(incident_work);
	actors_join();
}

/* A kernel thread cannot run, because an urgent thread has its CPU; in the twin nobody has it. */
static void kthread_hog(void)
{
	int fd = file_open("/shm/page", O_RDWR | O_CREAT);

	if (write(fd, "x", 1) < 0)
		fail("/shm/page");
	stage->step = 1;
	busy_ms(stage->is_twin ? 0.1 : 60);
}

static void kthread(void)
{
	actor_process("urgent", 1, 50, kthread_hog);
	actor_become("cleaner", 0, 60);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	file_write("/proc/sys/vm/drop_caches", "1");
	ktrack_end(incident_work);
	actors_join();
}

/* A CPU is taken offline, and what ran there has to leave; in the twin the thread sleeps. */
static void offline(void)
{
	actor_become("admin", 0, 0);
	ktrack_begin(incident_work, stage->name);
	if (stage->is_twin)
		sleep_ms(40);
	else
		file_write("/sys/devices/system/cpu/cpu1/online", "0");
	ktrack_end(incident_work);
}

const struct incident cpu_incidents[] = {
	{ "quota", quota },
	{ "affinity", affinity },
	{ "niceness", niceness },
	{ "displaced", displaced },
	{ "deadlines", deadlines },
	{ "busy", busy },
	{ "fork-storm", fork_storm },
	{ "barrier", barrier },
	{ "kthread", kthread },
	{ "offline", offline },
	{ }
};
