// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of threads that get little of a CPU: by their policy, by the weight of a cgroup, by others that are urgent. */
#define _GNU_SOURCE
#include "actors.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void share_take(void)
{
	while (!stage->is_over)
		compute_ms(1);
}

/* A thread with SCHED_IDLE beside one without; in the twin it is nicer. */
static void idle_policy(void)
{
	struct sched_param param = { 0 };

	actor_process("game", 1, 0, share_take);
	actor_become("thumbnail", 1, 0);
	if (stage->is_twin ? setpriority(PRIO_PROCESS, 0, 10) : sched_setscheduler(0, SCHED_IDLE, &param))
		fail("SCHED_IDLE");
	ktrack_begin(incident_work, stage->name);
	compute_ms(stage->is_twin ? 8 : 4);
	ktrack_end(incident_work);
	stage->is_over = true;
	actors_join();
}

/* The cgroup of a thread has a small weight; in the twin that of others. */
static void weight(void)
{
	actor_process("game", 1, 0, share_take);
	actor_become("thumbnail", 1, 0);
	mkdir("/sys/fs/cgroup/light", 0700);
	file_write("/sys/fs/cgroup/light/cpu.weight", stage->is_twin ? "100" : "1");
	cgroup_join("light");
	ktrack_begin(incident_work, stage->name);
	compute_ms(8);
	ktrack_end(incident_work);
	stage->is_over = true;
	cgroup_join("");
	actors_join();
}

/* The owner of a lock has SCHED_IDLE; in the twin it computes, and nobody takes its CPU. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void idle_own(void)
{
	struct sched_param param = { 0 };

	if (sched_setscheduler(0, SCHED_IDLE, &param))
		fail("SCHED_IDLE");
	pthread_mutex_lock(&mutex);
	stage->step = 1;
	while (stage->step < 2)
		compute_ms(0.1);
	compute_ms(4);
	stage->is_over = true;
	pthread_mutex_unlock(&mutex);
}

static void idle_rival(void)
{
	stage->step = 2;
	share_take();
}

static void idle_owner(void)
{
	actor_thread("owner", 0, 0, idle_own);
	actor_become("request", 1, 0);
	step_wait(1);
	if (stage->is_twin)
		stage->step = 2;
	else
		actor_process("game", 0, 0, idle_rival);
	step_wait(2);
	ktrack_begin(incident_work, stage->name);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	ktrack_end(incident_work);
	actors_join();
}

/* Moves a thread of the kernel to CPU 0. */
static void kernel_thread_move(const char *name)
{
	DIR *proc = opendir("/proc");
	struct dirent *one;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	while ((one = readdir(proc))) {
		char path[300], comm[32] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/comm", one->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		if (read(fd, comm, sizeof(comm) - 1) > 0 && !strncmp(comm, name, strlen(name)) &&
		    sched_setaffinity(atoi(one->d_name), sizeof(cpus), &cpus))
			fail(name);
		close(fd);
	}
	closedir(proc);
}

/* The thread of RCU waits for its CPU; in the twin nobody takes it. */
static void starved_rcu(void)
{
	kernel_thread_move("rcu_preempt");
	kernel_thread_move("rcu_sched");
	if (!stage->is_twin)
		actor_process("urgent", 0, 20, actor_preempt);
	actor_become("daemon", 1, 0);
	stage->step = 1;
	sleep_ms(4);
	ktrack_begin(incident_work, stage->name);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		fail("membarrier");
	ktrack_end(incident_work);
	actors_join();
}

const struct incident weight_incidents[] = {
	{ "idle-policy", idle_policy },
	{ "weight", weight },
	{ "idle-owner", idle_owner },
	{ "starved-rcu", starved_rcu },
	{ }
};
