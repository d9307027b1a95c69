// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of semaphores, timers, a file system that is frozen, and a process that ends. */
#define _GNU_SOURCE
#include "actors.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sem.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1 << 20)

static char bytes[64 << 10];

/* The file system of a write is frozen for a backup; in the twin the write is synchronous. */
static void frozen_backup(void)
{
	int fd = file_open("/mnt", O_RDONLY);

	if (ioctl(fd, FIFREEZE, 0))
		fail("FIFREEZE");
	stage->step = 1;
	sleep_ms(50);
	ioctl(fd, FITHAW, 0);
}

static void frozen_disk(void)
{
	int fd = file_open("/mnt/log", O_CREAT | O_WRONLY | (stage->is_twin ? O_SYNC : 0));

	if (!stage->is_twin) {
		actor_process("backup", 0, 0, frozen_backup);
		step_wait(1);
	}
	actor_become("logger", 1, 0);
	ktrack_begin(incident_work, stage->name);
	if (write(fd, bytes, sizeof(bytes)) < 0)
		fail("write");
	ktrack_end(incident_work);
	actors_join();
}

/* A parent waits for a child that has ended, but frees much memory; in the twin it computes. */
static void slow_exit_child(void)
{
	char *memory = memory_map(96 * MIB);

	if (!stage->is_twin)
		pages_touch(memory, 96 * MIB);
	stage->step = 1;
	if (stage->is_twin)
		compute_ms(30);
}

static void slow_exit(void)
{
	pid_t pid = actor_process("heavy", 0, 0, slow_exit_child);

	actor_become("shell", 1, 10);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	waitpid(pid, NULL, 0);
	ktrack_end(incident_work);
}

/* A semaphore of System V: its owner waits for a disk; in the twin for its CPU. */
static int semaphore;

static void semaphore_own(void)
{
	struct sembuf up = { 0, 1, 0 };
	int fd = file_open("/mnt/state", O_CREAT | O_WRONLY | O_TRUNC);

	stage->step = 1;
	if (stage->is_twin) {
		compute_ms(10);
	} else {
		for (int i = 0; i < 4; i++)
			if (write(fd, bytes, sizeof(bytes)) < 0 || fsync(fd))
				fail("fsync");
	}
	if (semop(semaphore, &up, 1))
		fail("semop");
}

static void semaphore_preempt(void)
{
	step_wait(1);
	busy_ms(40);
}

static void semaphores(void)
{
	struct sembuf down = { 0, -1, 0 };

	semaphore = semget(IPC_PRIVATE, 1, 0600);
	actor_process("writer", 0, 0, semaphore_own);
	if (stage->is_twin)
		actor_process("urgent", 0, 20, semaphore_preempt);
	actor_become("reader", 1, 0);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	if (semop(semaphore, &down, 1))
		fail("semop");
	ktrack_end(incident_work);
	semctl(semaphore, 0, IPC_RMID);
	actors_join();
}

/* A read of a timer waits for its time; in the twin it comes late, because its CPU is taken. */
static void timer_preempt(void)
{
	step_wait(1);
	busy_ms(50);
}

static void timer_read(void)
{
	struct itimerspec time = { .it_value.tv_nsec = stage->is_twin ? 5000000 : 40000000 };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t count;

	if (stage->is_twin)
		actor_process("urgent", 1, 30, timer_preempt);
	actor_become("pacer", 1, 0);
	timerfd_settime(fd, 0, &time, NULL);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	if (read(fd, &count, sizeof(count)) < 0)
		fail("timerfd");
	ktrack_end(incident_work);
	actors_kill();
}

const struct incident other_incidents[] = {
	{ "frozen-disk", frozen_disk },
	{ "slow-exit", slow_exit },
	{ "semaphores", semaphores },
	{ "timer-read", timer_read },
	{ }
};
