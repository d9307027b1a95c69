/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The private structures of the process stream. */
#ifndef TRACE2_PROCESS_STATE_H
#define TRACE2_PROCESS_STATE_H

#include <pthread.h>
#include <string.h>

#include "trace2/process.h"
#include "trace2/session.h"

/** struct interval_sum - a timer of one thread, or its total */
struct interval_sum {
	unsigned int nr_starts;
	int64_t start_ns;
	uint64_t nr_intervals;
	int64_t total_ns;
	int64_t min_ns;
	int64_t max_ns;
};

/** struct sums - timers and counters of one thread, or totals; indexed by their number minus one */
struct sums {
	struct interval_sum *timers;
	size_t nr_timers;
	uint64_t *counters;
	size_t nr_counters;
};

/**
 * struct self - the state of the calling thread
 * @starts: int64_t nanoseconds: the thread's start, then the start of each open region
 * @first, @second: texts of the event that is being written
 * @message: the formatted text of that event
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
 * struct parameter_list - a list of parameters that trace2_cmd_name() writes unless the program did
 * @is_done: it was written
 * @is_ahead: trace2_cmd_name() wrote it, so the program's next call is skipped; git calls both
 */
struct parameter_list {
	bool is_done;
	bool is_ahead;
};

/**
 * struct process - the stream of this process; global, because api-trace2 has no handle
 * @is_enabled: the other members are valid; atomic
 * @config: the settings
 * @sid: the session id, once it is created, even if the process is not traced; atomic
 * @early_sid, @own_sid: the memory of @sid if it was created before the stream; otherwise the
 * session owns it
 * @start_ns: the session's beginning by the monotonic clock; may be set before the session exists
 * @is_inherited: the state is the parent's, from fork()
 * @generation: number of times that inherited state was abandoned; part of the numbers of timers
 * and counters, so that numbers of the parent are invalid
 * @exit_code: of the last trace2_cmd_exit(); atomic like the members up to @lock
 * @listed_config, @listed_variables: the lists of parameters that were written
 * @next_thread, @next_child, @next_exec: free numbers
 * @lock: protects the following members, and the inherited name in the environment
 * @next_repository: a free number
 * @timers, @counters: all that were used, indexed by their number minus one
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
	struct parameter_list listed_config;
	struct parameter_list listed_variables;
	int next_thread;
	int next_child;
	int next_exec;
	pthread_mutex_t lock;
	int next_repository;
	struct buffer timers;
	struct buffer counters;
	struct sums totals;
};

/** process - the only instance */
extern struct process process;

/** string_of - the bytes of a C string; none if NULL */
static inline struct trace2_string string_of(const char *string)
{
	return (struct trace2_string){ string ? string : "", string ? strlen(string) : 0 };
}

/**
 * process_now_ns - the monotonic clock, cut to microseconds as in git, so that differences of
 * printed times are exact
 */
int64_t process_now_ns(void);

/**
 * process_shift_ns - the wall clock minus the session's clock, which started with the same time
 * @time_ns: the current time since the session began
 */
int64_t process_shift_ns(int64_t time_ns);

/**
 * process_sid_copy - the session id of a new stream; that of trace2_session_id() if it was called
 *
 * Returns a string for free(), or NULL if memory ran out.
 */
char *process_sid_copy(int64_t unix_ns);

/** process_number - the value of @next, which is incremented atomically */
int process_number(int *next);

/** self_get - the calling thread's state, created if it has none; NULL if memory ran out */
struct self *self_get(void);

/** self_find - the calling thread's state, or NULL */
struct self *self_find(void);

/**
 * self_new - create the calling thread's state; threads other than main get a number in their name
 * @name: NULL if it is unknown
 */
struct self *self_new(const char *name, int64_t now_ns, bool is_main);

/** self_forget - free the calling thread's state */
void self_forget(struct self *self);

/** self_depth - number of open regions */
unsigned int self_depth(const struct self *self);

/**
 * self_push, self_pop - begin a region, end the innermost; self_pop() returns its duration
 */
void self_push(struct self *self, int64_t now_ns);
int64_t self_pop(struct self *self, int64_t now_ns);

/** self_elapsed_ns - time since the innermost region began; outside of regions, since the thread */
int64_t self_elapsed_ns(const struct self *self, int64_t now_ns);

/**
 * self_format - the text of the event that is being written, in the thread's memory; without @format
 * it is absent, not empty
 */
struct trace2_string self_format(struct self *self, const char *format, va_list arguments);

/** self_unwind - drop open regions without events */
void self_unwind(struct self *self);

/** process_write - write an event with time @now_ns on the calling thread */
void process_write(struct self *self, struct trace2_event *event, int64_t now_ns);

/** sums_write - write totals, or the timers and counters of a thread that have thread events */
void sums_write(struct self *self, const struct sums *sums, bool is_total, int64_t now_ns);

/** sums_collect - add a thread's sums to the totals */
void sums_collect(const struct sums *sums);

/** sums_release - free the arrays */
void sums_release(struct sums *sums);

/** signals_watch - write an event when SIGPIPE kills, unless the program handles or ignores it */
void signals_watch(void);

#endif
