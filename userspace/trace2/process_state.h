/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The inside of the stream that a process writes about itself. */
#ifndef TRACE2_PROCESS_STATE_H
#define TRACE2_PROCESS_STATE_H

#include <pthread.h>
#include <string.h>

#include "trace2/process.h"
#include "trace2/session.h"

/** struct interval_sum - a stopwatch on one thread, or the sum of all */
struct interval_sum {
	unsigned int nr_starts;
	int64_t start_ns;
	uint64_t nr_intervals;
	int64_t total_ns;
	int64_t min_ns;
	int64_t max_ns;
};

/** struct sums - the timers and counters of one thread, or of all, by their numbers less one */
struct sums {
	struct interval_sum *timers;
	size_t nr_timers;
	uint64_t *counters;
	size_t nr_counters;
};

/**
 * struct self - what belongs to the calling thread
 * @starts: when each open region began, behind the thread's own start: an array of int64_t, in
 * nanoseconds
 * @first, @second: texts of the event that is being written
 * @message: its formatted text
 */
struct self {
	bool is_main;
	struct trace2_thread *thread;
	struct buffer starts;
	struct printer printer;
	struct trace2_text first;
	struct trace2_text second;
	struct buffer message;
	struct sums sums;
};

/**
 * struct listing - a list of parameters that trace2_cmd_name() writes unless the program has done
 * so
 * @is_done: it has been written
 * @is_ahead: trace2_cmd_name() wrote it, which is the program's next call to list it; git calls
 * both
 */
struct listing {
	bool is_done;
	bool is_ahead;
};

/**
 * struct process - the one stream of this process; the API has no other place for it
 * @is_enabled: the rest is valid; asked and changed by any thread
 * @config: for parameters to be told
 * @sid: the session id once there is one, whether or not the process is traced; set atomically
 * @early_sid, @own_sid: owns @sid if it was needed before the stream began; otherwise the session
 * does
 * @start_ns: the session's beginning on the monotonic clock; may be known before there is one
 * @is_inherited: it is the parent's, as fork() left it
 * @generation: how many times state was inherited and abandoned; the numbers of timers and counters
 * hold it, so that those of the parent do not count
 * @exit_code: of the last trace2_cmd_exit(); changed atomically, as what follows is
 * @listed_config, @listed_variables: which lists of parameters have been written
 * @next_thread, @next_child, @next_exec: numbers that are free; changed atomically
 * @lock: of all that follows, and of the name that children inherit
 * @next_repository: the number that is free
 * @timers, @counters: all that were used, by their numbers less one
 */
struct process {
	bool is_enabled;
	bool is_inherited;
	int generation;
	struct trace2_session *session;
	struct trace2_config *config;
	const char *sid;
	char *early_sid;
	char own_sid[TRACE2_SID_SIZE];
	int64_t start_ns;
	int exit_code;
	struct listing listed_config;
	struct listing listed_variables;
	int next_thread;
	int next_child;
	int next_exec;
	pthread_mutex_t lock;
	int next_repository;
	struct buffer timers;
	struct buffer counters;
	struct sums totals;
};

extern struct process process;

/** string_of - the bytes of a C string; NULL has none */
static inline struct trace2_string string_of(const char *string)
{
	return (struct trace2_string){ string ? string : "", string ? strlen(string) : 0 };
}

/**
 * process_now_ns - the monotonic clock, cut to microseconds as git does, so that differences of
 * what is shown are exact
 */
int64_t process_now_ns(void);

/**
 * process_shift_ns - how far the clock on the wall has gone ahead of the session's, that was once
 * set by it
 * @time_ns: now, as the session counts
 */
int64_t process_shift_ns(int64_t time_ns);

/**
 * process_sid_copy - the session id of a stream that begins now: trace2_session_id() if that has
 * been called before
 *
 * Returns a string for free(), or NULL if memory ran out.
 */
char *process_sid_copy(int64_t unix_ns);

/** process_number - the value of one of the process' numbers, which is the next one then */
int process_number(int *next);

/** self_get - of the calling thread, made where it has none; NULL where memory ran out */
struct self *self_get(void);

/** self_find - of the calling thread, NULL where it has none yet */
struct self *self_find(void);

/**
 * self_new - for the calling thread, whose name gets its number unless it is main
 * @name: NULL where it is not known
 */
struct self *self_new(const char *name, int64_t now_ns, bool is_main);

/** self_forget - the calling thread ends */
void self_forget(struct self *self);

/** self_depth - how many regions are open, less those that are none: 0 outside of any */
unsigned int self_depth(const struct self *self);

/**
 * self_push, self_pop - a region begins, the innermost ends; the pop returns for how long it was
 * open
 */
void self_push(struct self *self, int64_t now_ns);
int64_t self_pop(struct self *self, int64_t now_ns);

/** self_elapsed_ns - since the innermost region began, or outside of any the thread */
int64_t self_elapsed_ns(const struct self *self, int64_t now_ns);

/** self_unwind - forget open regions without a word */
void self_unwind(struct self *self);

/** process_write - write an event of @now_ns on the calling thread */
void process_write(struct self *self, struct trace2_event *event, int64_t now_ns);

/** sums_tell - write the timers and counters of a thread (those that want it), or of all */
void sums_tell(struct self *self, const struct sums *sums, bool is_total, int64_t now_ns);

/** sums_collect - add a thread's to those of all */
void sums_collect(const struct sums *sums);

void sums_release(struct sums *sums);

/** signals_watch - let the death by SIGPIPE be told, unless the program has other plans for it */
void signals_watch(void);

#endif
