// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of locks: of programs, of files, and of the kernel's own for files and memory. */
#define _GNU_SOURCE
#include "actors.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LARGE_SIZE (24 << 20)
#define MAPPED_SIZE (96 << 20)

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

/* The measured thread takes a lock that another actor has at that time. */
static void lock_take(void)
{
	step_wait(1);
	sleep_ms(4);
	ktrack_begin(incident_work, stage->name);
	pthread_mutex_lock(&outer);
	pthread_mutex_unlock(&outer);
	ktrack_end(incident_work);
}

/* A lock's owner is preempted by a thread that is between both; in the twin the owner computes. */
static void inversion_own(void)
{
	setpriority(PRIO_PROCESS, 0, 10);
	pthread_mutex_lock(&outer);
	stage->step = 1;
	compute_ms(stage->is_twin ? 50 : 15);
	pthread_mutex_unlock(&outer);
}

static void inversion_preempt(void)
{
	step_wait(1);
	sleep_ms(8);
	busy_ms(40);
}

static void inversion(void)
{
	actor_thread("owner", 0, 0, inversion_own);
	actor_thread("urgent", 1, 20, lock_take);
	if (!stage->is_twin)
		actor_thread("between", 0, 10, inversion_preempt);
	actors_join();
}

/* The owner of a lock that inherits priorities sleeps; in the twin it computes, boosted. */
static void inherited_own(void)
{
	pthread_mutex_lock(&outer);
	stage->step = 1;
	if (stage->is_twin)
		compute_ms(40);
	else
		sleep_ms(40);
	pthread_mutex_unlock(&outer);
}

static void inherited(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&outer, &attributes);
	actor_thread("owner", 0, 0, inherited_own);
	actor_thread("urgent", 1, 20, lock_take);
	actor_thread("between", 0, 10, inversion_preempt);
	actors_join();
}

/* Owners of two locks: the second one sleeps; in the twin it computes. */
static void nested_outer(void)
{
	step_wait(2);
	pthread_mutex_lock(&outer);
	stage->step = 1 + 2;
	pthread_mutex_lock(&inner);
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
}

static void nested_inner(void)
{
	pthread_mutex_lock(&inner);
	stage->step = 2;
	step_wait(3);
	if (stage->is_twin)
		compute_ms(50);
	else
		sleep_ms(50);
	pthread_mutex_unlock(&inner);
}

static void nested_take(void)
{
	step_wait(3);
	lock_take();
}

static void nested(void)
{
	actor_thread("outer", ANY_CPU, 0, nested_outer);
	actor_thread("inner", ANY_CPU, 0, nested_inner);
	actor_thread("request", ANY_CPU, 0, nested_take);
	actors_join();
}

/* A reader waits behind a writer, which waits for a reader; in the twin the writer computes. */
static void rwlock_read(void)
{
	pthread_rwlock_rdlock(&rwlock);
	stage->step = 1;
	compute_ms(stage->is_twin ? 4 : 50);
	pthread_rwlock_unlock(&rwlock);
}

static void rwlock_write(void)
{
	step_wait(1);
	pthread_rwlock_wrlock(&rwlock);
	compute_ms(stage->is_twin ? 50 : 0.2);
	pthread_rwlock_unlock(&rwlock);
}

static void rwlock_request(void)
{
	step_wait(1);
	sleep_ms(8);
	ktrack_begin(incident_work, stage->name);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	ktrack_end(incident_work);
}

static void rwlock_convoy(void)
{
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rwlock, &attributes);
	actor_thread("report", 0, 0, rwlock_read);
	actor_thread("config", 1, 0, rwlock_write);
	actor_thread("request", 1, 0, rwlock_request);
	actors_join();
}

/* Many owners, each for a short time; in the twin one for a long time. */
static void convoy_own(void)
{
	int rounds = stage->is_twin ? 1 : 4;

	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&outer);
		stage->step = 1;
		sleep_ms(stage->is_twin ? 50 : 5);
		pthread_mutex_unlock(&outer);
	}
}

static void convoy(void)
{
	static const char *const names[] = { "conn0", "conn1", "conn2", "conn3", "conn4", "conn5" };

	for (int i = 0; i < (stage->is_twin ? 1 : 6); i++)
		actor_thread(names[i], ANY_CPU, 0, convoy_own);
	actor_thread("request", ANY_CPU, 0, lock_take);
	actors_join();
}

/* All that wait for a condition are woken, and need one CPU; in the twin one computes there. */
static void broadcast_wait(void)
{
	pthread_mutex_lock(&outer);
	while (stage->step < 1)
		pthread_cond_wait(&cond, &outer);
	pthread_mutex_unlock(&outer);
	compute_ms(stage->is_twin ? 48 : 4);
}

static void broadcast_work(void)
{
	sleep_ms(20);
	pthread_mutex_lock(&outer);
	stage->step = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&outer);
	ktrack_begin(incident_work, stage->name);
	compute_ms(8);
	ktrack_end(incident_work);
}

static void broadcast(void)
{
	for (int i = 0; i < (stage->is_twin ? 1 : 12); i++)
		actor_thread(stage->is_twin ? "indexer" : "pool", 0, 0, broadcast_wait);
	actor_thread("leader", 0, 0, broadcast_work);
	actors_join();
}

/* A waiter yields to the owner on its CPU; in the twin it is urgent, so that the owner cannot run. */
static void yield_own(void)
{
	stage->step = 1;
	compute_ms(30);
	stage->step = 2;
}

static void yield_wait(void)
{
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	for (double i = 0; stage->step < 2 && i < 4000; i++)
		sched_yield();
	ktrack_end(incident_work);
}

static void yielding(void)
{
	actor_thread("owner", 0, 0, yield_own);
	actor_thread("waiter", 0, stage->is_twin ? 20 : 0, yield_wait);
	actors_join();
}

/* A lock of a file: its owner computes; in the twin it sleeps, and the lock is flock's. */
static void file_lock_take(void)
{
	struct flock lock = { .l_type = F_WRLCK };
	int fd = file_open("/tmp/lock", O_RDWR | O_CREAT);

	if (stage->is_twin ? flock(fd, LOCK_EX) : fcntl(fd, F_SETLKW, &lock))
		fail("lock");
}

static void file_lock_own(void)
{
	file_lock_take();
	stage->step = 1;
	if (stage->is_twin)
		sleep_ms(50);
	else
		compute_ms(50);
}

static void file_lock(void)
{
	actor_process("backup", 0, 0, file_lock_own);
	actor_become("updater", 1, 0);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	file_lock_take();
	ktrack_end(incident_work);
	actors_join();
}

/* A small write waits for a large one to the same file; in the twin it is large itself. */
static void inode_import(void)
{
	static char bytes[LARGE_SIZE];
	int fd = file_open("/shm/file", O_RDWR | O_CREAT);

	pages_touch(bytes, sizeof(bytes));
	stage->step = 1;
	if (!stage->is_twin && pwrite(fd, bytes, sizeof(bytes), 0) < 0)
		fail("pwrite");
	close(fd);
}

static void inode_append(void)
{
	char *bytes = memory_map(LARGE_SIZE);
	int fd = file_open("/shm/file", O_RDWR | O_CREAT);

	pages_touch(bytes, LARGE_SIZE);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	if (pwrite(fd, bytes, stage->is_twin ? LARGE_SIZE : 1, 0) < 0)
		fail("pwrite");
	ktrack_end(incident_work);
	close(fd);
}

static void inode_lock(void)
{
	actor_thread("import", 0, 0, inode_import);
	actor_thread("append", 1, 0, inode_append);
	actors_join();
}

/* A thread maps memory while another one changes a large mapping; in the twin it fills its own. */
static void mapping_protect(void)
{
	char *memory = memory_map(MAPPED_SIZE);

	pages_touch(memory, MAPPED_SIZE);
	stage->step = 1;
	for (int i = 0; !stage->is_over && !stage->is_twin; i++)
		mprotect(memory, MAPPED_SIZE, i & 1 ? PROT_READ | PROT_WRITE : PROT_READ);
	stage->step = 2;
}

static void mapping_work(void)
{
	char *memory;

	step_wait(stage->is_twin ? 2 : 1);
	for (int i = 0; i < (stage->is_twin ? 1 : 20); i++) {
		sleep_ms(2);
		ktrack_begin(incident_work, stage->name);
		memory = memory_map(8 << 20);
		if (stage->is_twin)
			pages_touch(memory, 8 << 20);
		munmap(memory, 8 << 20);
		ktrack_end(incident_work);
	}
	stage->is_over = true;
}

static void mapping(void)
{
	actor_thread("collector", 0, 0, mapping_protect);
	actor_thread("request", 0, 10, mapping_work);
	actors_join();
}

/* Many threads wait for one event, and are all woken by each; in the twin one thread computes. */
static int herd_event;

static void herd_wait(void)
{
	struct pollfd poll_fd = { herd_event, POLLIN, 0 };
	uint64_t value;

	while (!stage->is_over) {
		poll(&poll_fd, 1, 500);
		if (read(herd_event, &value, sizeof(value)) > 0)
			compute_ms(0.2);
	}
}

static void herd_post(void)
{
	uint64_t value = 1;

	while (!stage->is_over) {
		if (stage->is_twin)
			compute_ms(1);
		else if (write(herd_event, &value, sizeof(value)) < 0)
			fail("eventfd");
		else
			sleep_ms(1);
	}
}

static void herd(void)
{
	uint64_t value = 1;

	herd_event = eventfd(0, EFD_NONBLOCK);
	for (int i = 0; i < (stage->is_twin ? 0 : 24); i++)
		actor_thread("pool", 0, 0, herd_wait);
	actor_thread("poster", stage->is_twin ? 0 : 1, 0, herd_post);
	actor_become("painter", 0, 0);
	sleep_ms(20);
	ktrack_begin(incident_work, stage->name);
	compute_ms(12);
	ktrack_end(incident_work);
	stage->is_over = true;
	if (write(herd_event, &value, sizeof(value)) < 0)
		fail("eventfd");
	actors_join();
}

/* A futex that nobody wakes: its timeout ends the wait; in the twin the waker does, late. */
static int futex_word;

static void futex_wake(void)
{
	step_wait(1);
	compute_ms(40);
	if (stage->is_twin)
		syscall(SYS_futex, &futex_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void lost_wakeup(void)
{
	struct timespec timeout = { 0, 80000000 };

	actor_thread("producer", 0, 0, futex_wake);
	actor_become("consumer", 1, 0);
	sleep_ms(5);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, &timeout, NULL, 0);
	ktrack_end(incident_work);
	actors_join();
}

const struct incident lock_incidents[] = {
	{ "inversion", inversion },
	{ "inherited", inherited },
	{ "nested", nested },
	{ "rwlock-convoy", rwlock_convoy },
	{ "convoy", convoy },
	{ "broadcast", broadcast },
	{ "yielding", yielding },
	{ "file-lock", file_lock },
	{ "inode-lock", inode_lock },
	{ "mapping", mapping },
	{ "herd", herd },
	{ "lost-wakeup", lost_wakeup },
	{ }
};
