/* SPDX-License-Identifier: GPL-2.0-only */
/* What incidents are made of: threads and processes that compute, sleep and wait for each other. */
#ifndef ACTORS_H
#define ACTORS_H

#define KTRACK_SYSTEM incident
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <ktrack/user.h>

/* The slice that is to be explained: incident:incident_work/NAME. */
KTRACK_SLICE(incident_work);

#define ANY_CPU (-1)

/**
 * struct incident - one that can be made
 * @name: the argument that selects it; with "-twin" behind it, its twin
 * @make: makes it, and returns when all of its actors have ended
 */
struct incident {
	const char *name;
	void (*make)(void);
};

/* Each list ends with an incident without a name. */
extern const struct incident contention_incidents[], cpu_incidents[], device_incidents[],
	file_incidents[], lock_incidents[],
	memory_incidents[], other_incidents[], owner_incidents[], request_incidents[],
	service_incidents[], socket_incidents[], stop_incidents[], weight_incidents[];

/**
 * struct stage - what actors share, processes too
 * @name: of the incident
 * @is_twin: the same shape is to have another cause
 * @is_over: actors that go on until the slice ends, end
 * @step: how far the actors are, for those that wait for each other
 */
struct stage {
	const char *name;
	bool is_twin;
	volatile bool is_over;
	volatile int step;
};

extern struct stage *stage;

/* @cpu: a number or ANY_CPU; @fifo: a real-time priority, or 0 for none */
void actor_become(const char *name, int cpu, int fifo);
pthread_t actor_thread(const char *name, int cpu, int fifo, void (*act)(void));
pid_t actor_process(const char *name, int cpu, int fifo, void (*act)(void));
/* Waits for all threads and processes that were started. */
void actors_join(void);
/* Ends processes that were started, and waits for them. */
void actors_kill(void);

/* Makes this a thread with a deadline: it may run for so long in each 20 ms. */
void deadline_set(unsigned int runtime_ms);

/* Computes for so much CPU time of this thread. */
void compute_ms(double ms);
/* The same by the clock on the wall: preemption is part of it. */
void busy_ms(double ms);
void sleep_ms(long ms);
/* Waits until another actor has come to this step. */
void step_wait(int step);
/* Runs for a while once another actor has the first step: with a priority above, in its stead. */
void actor_preempt(void);
/* Writes to each page. */
void pages_touch(char *memory, size_t size);
/* Anonymous memory without large pages. */
char *memory_map(size_t size);
/* Memory that processes share. */
void *memory_shared(size_t size);
void file_write(const char *path, const char *text);
int file_open(const char *path, int flags);
/* Moves this process to a cgroup; "" is the root's. */
void cgroup_join(const char *name);
void fail(const char *what) __attribute__((noreturn));

#endif
