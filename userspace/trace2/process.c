// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The stream of a process: its threads, its messages, and the event of SIGPIPE. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace2/process.h"
#include "trace2/region.h"
#include "trace2/session.h"

/* As git's warnings; only this API prints to stderr. */
#define ERROR_DESCRIPTOR 2
#define UNKNOWN "unknown"

/** struct parameter_list - parameters that trace2_cmd_name() writes unless the program did */
struct parameter_list {
	bool is_done;  /* it was written */
	bool is_ahead; /* by trace2_cmd_name(), so the next call is skipped; git calls both */
};

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

/* The stream of this process; global, because api-trace2 has no handle. */
static struct process {
	bool is_enabled;   /* the other members are valid; atomic */
	bool is_inherited; /* the state is the parent's, from fork() */
	int generation;	   /* inherited states that were abandoned, in the numbers of timers */
	struct trace2_session *session;
	struct trace2_config *config;
	const char *sid; /* once it is created, even if the process is not traced; atomic */
	char *early_sid; /* the memory of @sid if it was created before the stream, */
	char own_sid[TRACE2_SID_SIZE]; /* as this; otherwise the session owns it */
	int64_t start_ns; /* by the monotonic clock; may be set before the session exists */
	int exit_code;	  /* of the last trace2_cmd_exit(); atomic like the members up to @lock */
	struct parameter_list listed_config;
	struct parameter_list listed_variables;
	int next_thread;
	int next_child;
	int next_exec;
	pthread_mutex_t lock; /* of the following, and the name in the environment */
	int next_repository;
	struct buffer timers;	/* all that were used, by their number minus one */
	struct buffer counters; /* likewise */
	struct sums totals;
} process = { .lock = PTHREAD_MUTEX_INITIALIZER };

/** struct self - the state of a thread, with which it writes without a lock */
struct self {
	bool is_main;
	struct trace2_thread *thread;
	struct buffer starts; /* int64_t: the thread's start, then that of each open region */
	struct printer printer;
	struct trace2_text first;  /* a text of the event that is being written, */
	struct trace2_text second; /* another one, */
	struct buffer message;	   /* and its formatted message */
	struct sums sums;
};

static __thread struct self *current;
static pthread_key_t self_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static struct trace2_string string_of(const char *string)
{
	return (struct trace2_string){ string ? string : "", string ? strlen(string) : 0 };
}

/* Times are cut to microseconds as in git, so that differences of printed times are exact. */
static int64_t clock_us_ns(clockid_t clock)
{
	return time_now_ns(clock) / NS_PER_US * NS_PER_US;
}

static int64_t process_now_ns(void)
{
	return clock_us_ns(CLOCK_MONOTONIC);
}

/* The wall clock minus the session's clock, @time_ns, which started with the same time. */
static int64_t process_shift_ns(int64_t time_ns)
{
	return clock_us_ns(CLOCK_REALTIME) - process.session->settings.start_unix_ns - time_ns;
}

static int process_number(int *next)
{
	return __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
}

bool trace2_is_enabled(void)
{
	return __atomic_load_n(&process.is_enabled, __ATOMIC_ACQUIRE);
}

/* The state of each thread. */

static void sums_release(struct sums *sums)
{
	free(sums->timers);
	free(sums->counters);
}

static void self_free(struct self *self)
{
	trace2_thread_free(self->thread);
	buffer_release(&self->starts);
	buffer_release(&self->first.json);
	buffer_release(&self->first.escaped);
	buffer_release(&self->second.json);
	buffer_release(&self->second.escaped);
	buffer_release(&self->message);
	printer_release(&self->printer);
	sums_release(&self->sums);
	free(self);
}

/* For threads that end without trace2_thread_exit(); a later call creates new state. */
static void self_end(void *self)
{
	current = NULL;
	self_free(self);
}

static void key_make(void)
{
	pthread_key_create(&self_key, self_end);
}

/* Threads other than main get a number in their name: git's begins with 1 and two digits. */
static struct self *self_new(const char *name, int64_t now_ns, bool is_main)
{
	struct self *self = calloc(1, sizeof(*self));
	struct buffer whole = { 0 };

	if (!self)
		return NULL;
	pthread_once(&key_once, key_make);
	self->is_main = is_main;
	if (!is_main)
		buffer_printf(&whole, "th%02d:", 1 + process_number(&process.next_thread));
	buffer_append_string(&whole, name ? name : UNKNOWN);
	if (!whole.failed)
		self->thread = trace2_thread_new(process.session,
						 (struct trace2_string){ whole.data, whole.size });
	buffer_release(&whole);
	buffer_append(&self->starts, &now_ns, sizeof(now_ns));
	if (!self->thread || self->starts.failed || pthread_setspecific(self_key, self) != 0) {
		self_free(self);
		return NULL;
	}
	current = self;
	return self;
}

/* The calling thread's state, created if it has none; NULL if tracing is off or memory ran out. */
static struct self *enabled_self(void)
{
	if (!trace2_is_enabled())
		return NULL;
	return current ? current : self_new(NULL, process_now_ns(), false);
}

static void self_forget(struct self *self)
{
	pthread_setspecific(self_key, NULL);
	current = NULL;
	self_free(self);
}

static unsigned int self_depth(const struct self *self)
{
	size_t nr_starts = self->starts.size / sizeof(int64_t);

	return nr_starts > 0 ? nr_starts - 1 : 0;
}

/* Time since the innermost region began; outside of regions, since the thread. */
static int64_t self_elapsed_ns(const struct self *self, int64_t now_ns)
{
	return now_ns - ((const int64_t *)self->starts.data)[self_depth(self)];
}

/* Drops open regions without events. */
static void self_unwind(struct self *self)
{
	self->starts.size = sizeof(int64_t);
}

/* The message of an event, in the thread's memory; without a format it is absent, not empty. */
static struct trace2_string self_format(struct self *self, const char *format, va_list arguments)
{
	va_list again;
	char *space;
	int size;

	if (!format || !*format)
		return (struct trace2_string){ NULL, 0 };
	va_copy(again, arguments);
	size = vsnprintf(NULL, 0, format, again);
	va_end(again);
	buffer_clear(&self->message);
	space = buffer_reserve(&self->message, size < 0 ? 1 : (size_t)size + 1);
	if (size < 0 || !space)
		return (struct trace2_string){ "", 0 };
	va_copy(again, arguments);
	vsnprintf(space, (size_t)size + 1, format, again);
	va_end(again);
	return (struct trace2_string){ space, size };
}

static void process_write(struct self *self, struct trace2_event *event, int64_t now_ns)
{
	int number = errno;

	event->time_ns = now_ns - process.start_ns;
	event->thread = self->thread;
	event->nr_regions = self_depth(self);
	time_cache_shift(&self->printer.times, process_shift_ns(event->time_ns));
	session_print(process.session, &self->printer, event);
	errno = number;
}

/* Writes an event on the calling thread with the current time. */
static void process_event_write(struct trace2_event *event)
{
	struct self *self = enabled_self();

	if (self)
		process_write(self, event, process_now_ns());
}

/* The same with these members, for a function whose caller is at @file and @line. */
#define event_write(name, ...)                      \
	process_event_write(&(struct trace2_event){ \
		.kind = TRACE2_##name, .file = file, .line = line, ##__VA_ARGS__ })

/* Timers and counters: each thread has its own sums, which join the totals when it ends. */

/* Lower bits: the number of a timer or counter, from 1; higher bits: the generation. */
#define NUMBER_BITS 20
#define NUMBER_MASK ((1 << NUMBER_BITS) - 1)

/* The number within this generation; 0 if it has none. */
static int sum_number_decode(const int *number)
{
	int whole = __atomic_load_n(number, __ATOMIC_ACQUIRE);

	return whole >> NUMBER_BITS == process.generation ? whole & NUMBER_MASK : 0;
}

/* Numbers a timer or counter at its first use and lists it; returns 0 if memory ran out. */
static int sum_number(struct buffer *list, int *number, const void *owner)
{
	int found = sum_number_decode(number);

	if (found)
		return found;
	pthread_mutex_lock(&process.lock);
	found = sum_number_decode(number);
	if (!found && list->size / sizeof(owner) < NUMBER_MASK) {
		buffer_append(list, &owner, sizeof(owner));
		found = list->failed ? 0 : (int)(list->size / sizeof(owner));
		__atomic_store_n(number, process.generation << NUMBER_BITS | found,
				 __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&process.lock);
	return found;
}

static struct interval_sum *sums_timer(struct sums *sums, size_t number)
{
	return array_extend(sums->timers, sums->nr_timers, number - 1) ? &sums->timers[number - 1]
								       : NULL;
}

static uint64_t *sums_counter(struct sums *sums, size_t number)
{
	return array_extend(sums->counters, sums->nr_counters, number - 1)
		       ? &sums->counters[number - 1]
		       : NULL;
}

/* The timer of the calling thread; NULL if tracing is off or memory ran out. */
static struct interval_sum *own_timer(struct trace2_timer *timer)
{
	struct self *self = timer ? enabled_self() : NULL;
	int number = self ? sum_number(&process.timers, &timer->number, timer) : 0;

	return number ? sums_timer(&self->sums, number) : NULL;
}

void trace2_timer_start(struct trace2_timer *timer)
{
	struct interval_sum *sum = own_timer(timer);

	/* Sums of short times need nanoseconds, so these are not cut to microseconds. */
	if (sum && sum->nr_starts++ == 0)
		sum->start_ns = time_now_ns(CLOCK_MONOTONIC);
}

static void interval_add(struct interval_sum *sum, const struct interval_sum *more)
{
	if (more->nr_intervals == 0)
		return;
	if (sum->nr_intervals == 0 || more->min_ns < sum->min_ns)
		sum->min_ns = more->min_ns;
	if (sum->nr_intervals == 0 || more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
	sum->total_ns += more->total_ns;
	sum->nr_intervals += more->nr_intervals;
}

void trace2_timer_stop(struct trace2_timer *timer)
{
	struct interval_sum *sum = own_timer(timer);
	int64_t elapsed_ns;

	if (!sum || sum->nr_starts == 0 || --sum->nr_starts > 0)
		return;
	elapsed_ns = time_now_ns(CLOCK_MONOTONIC) - sum->start_ns;
	interval_add(sum, &(struct interval_sum){ .nr_intervals = 1,
						  .total_ns = elapsed_ns,
						  .min_ns = elapsed_ns,
						  .max_ns = elapsed_ns });
}

void trace2_counter_add(struct trace2_counter *counter, uint64_t value)
{
	struct self *self = counter ? enabled_self() : NULL;
	int number = self ? sum_number(&process.counters, &counter->number, counter) : 0;
	uint64_t *sum = number ? sums_counter(&self->sums, number) : NULL;

	if (sum)
		*sum += value;
}

static void sums_collect(const struct sums *sums)
{
	pthread_mutex_lock(&process.lock);
	for (size_t i = 0; i < sums->nr_timers; i++) {
		struct interval_sum *total = sums_timer(&process.totals, i + 1);

		if (total)
			interval_add(total, &sums->timers[i]);
	}
	for (size_t i = 0; i < sums->nr_counters; i++) {
		uint64_t *total = sums_counter(&process.totals, i + 1);

		if (total)
			*total += sums->counters[i];
	}
	pthread_mutex_unlock(&process.lock);
}

/*
 * The owner of a number; other threads may be appending to the list. Nothing is written under the
 * lock, because a slow reader or a cancelled thread would block all threads.
 */
static const void *owner_of(const struct buffer *list, size_t index)
{
	const void *owner;

	pthread_mutex_lock(&process.lock);
	owner = ((const void **)list->data)[index];
	pthread_mutex_unlock(&process.lock);
	return owner;
}

static void sum_write(struct self *self, struct trace2_event *event, const char *category,
		      const char *name, int64_t now_ns)
{
	event->file = __FILE__;
	event->line = __LINE__;
	if (trace2_text_set(&self->first, string_of(category)) == 0 &&
	    trace2_text_set(&self->second, string_of(name)) == 0)
		process_write(self, event, now_ns);
}

/* Writes totals, or the timers and counters of a thread that have thread events. */
static void sums_write(struct self *self, const struct sums *sums, bool is_total, int64_t now_ns)
{
	for (size_t i = 0; i < sums->nr_timers; i++) {
		const struct trace2_timer *timer = owner_of(&process.timers, i);
		const struct interval_sum *sum = &sums->timers[i];
		struct trace2_event event = { .kind = is_total ? TRACE2_TIMER : TRACE2_TH_TIMER,
					      .timer = { &self->first, &self->second,
							 sum->nr_intervals, sum->total_ns,
							 sum->min_ns, sum->max_ns } };

		if (sum->nr_intervals > 0 && (is_total || timer->has_thread_events))
			sum_write(self, &event, timer->category, timer->name, now_ns);
	}
	for (size_t i = 0; i < sums->nr_counters; i++) {
		const struct trace2_counter *counter = owner_of(&process.counters, i);
		struct trace2_event event = { .kind = is_total ? TRACE2_COUNTER : TRACE2_TH_COUNTER,
					      .counter = { &self->first, &self->second,
							   sums->counters[i] } };

		if (sums->counters[i] > 0 && (is_total || counter->has_thread_events))
			sum_write(self, &event, counter->category, counter->name, now_ns);
	}
}

/* The event of SIGPIPE, written in the signal handler: without allocation, without locks. */

/* Fits a line without its session id and thread name. */
#define LINE_SIZE 8192

static struct printer printer;
static bool is_reporting;

static void signal_write(int number)
{
	struct trace2_event event = { .kind = TRACE2_SIGNAL, .file = __FILE__, .line = __LINE__ };

	event.time_ns = process_now_ns() - process.start_ns;
	event.signal.signo = number;
	if (current) {
		event.thread = current->thread;
		event.nr_regions = self_depth(current);
	}
	time_cache_shift(&printer.times, process_shift_ns(event.time_ns));
	session_print(process.session, &printer, &event);
}

/* The signal is raised again when this returns, and kills. */
static void signal_handle(int number)
{
	static const struct sigaction death = { .sa_handler = SIG_DFL };
	int saved = errno;

	if (trace2_is_enabled() && !__atomic_exchange_n(&is_reporting, true, __ATOMIC_ACQ_REL))
		signal_write(number);
	sigaction(number, &death, NULL);
	pthread_kill(pthread_self(), number);
	errno = saved;
}

/* Writes an event when SIGPIPE kills; the program may handle or ignore it instead. */
static void signals_watch(void)
{
	struct sigaction action = { .sa_handler = signal_handle }, before;
	const struct trace2_session *session = process.session;
	size_t size = LINE_SIZE + 2 * session->main_thread->json.size +
		      2 * session->main_thread->columns.size;

	/* A forked child inherits the handler. */
	if (sigaction(SIGPIPE, NULL, &before) < 0 || before.sa_flags & SA_SIGINFO ||
	    (before.sa_handler != SIG_DFL && before.sa_handler != signal_handle) ||
	    !buffer_reserve(&printer.line, size))
		return;
	time_cache_freeze(&printer.times, session->settings.start_unix_ns);
	sigemptyset(&action.sa_mask);
	sigaction(SIGPIPE, &action, NULL);
}

/* The beginning and the end of the stream. */

static void warning_print(void *context, const char *message)
{
	(void)context;
	dprintf(ERROR_DESCRIPTOR, "warning: %s\n", message);
}

void trace2_initialize_clock(void)
{
	if (!process.is_inherited && !process.config)
		process.start_ns = process_now_ns();
}

static struct trace2_session *process_session_new(const struct trace2_config *config)
{
	struct trace2_settings settings = { .is_lenient = true, .report = warning_print };
	struct trace2_session *session;
	char own[TRACE2_SID_SIZE], *sid;

	trace2_config_apply(config, &settings);
	settings.start_unix_ns = clock_us_ns(CLOCK_REALTIME);
	if (process.start_ns)
		settings.start_unix_ns -= process_now_ns() - process.start_ns;
	else
		process.start_ns = process_now_ns();
	if (process.sid) {
		sid = strdup(process.sid);
	} else {
		trace2_sid_make(own, settings.start_unix_ns, getpid());
		sid = parent_join(TRACE2_PARENT_SID, own);
	}
	if (!sid)
		return NULL;
	settings.sid = sid;
	session = trace2_session_new(&settings);
	free(sid);
	return session;
}

static bool process_open(const struct trace2_program *program)
{
	process.config = trace2_config_new(program->prefix, program->system_path,
					   program->user_path);
	process.session = process.config ? process_session_new(process.config) : NULL;
	if (!process.session || trace2_config_open(process.config, process.session) != 1)
		return false;
	/* The children of a program that is not traced are below its parent. */
	setenv(TRACE2_PARENT_SID, process.session->sid, 1);
	if (!self_new("main", process.start_ns, true))
		return false;
	__atomic_store_n(&process.sid, process.session->sid, __ATOMIC_RELEASE);
	return true;
}

static void process_close(void)
{
	trace2_session_free(process.session);
	trace2_config_free(process.config);
	process.session = NULL;
	process.config = NULL;
}

/*
 * The session is the parent's, and a child would write its totals and end a second time, as git's
 * children do. So a child writes nothing until it begins its own session.
 */
static void child_silence(void)
{
	__atomic_store_n(&process.is_enabled, false, __ATOMIC_RELEASE);
	process.is_inherited = true;
}

static void fork_watch(void)
{
	pthread_atfork(NULL, NULL, child_silence);
}

static void process_abandon(void)
{
	if (current)
		self_forget(current);
	process_close();
	free(process.early_sid);
	/*
	 * Other threads of the parent may have been changing its state during fork(). If the lock
	 * was free, the state that it protects is consistent and is freed; otherwise it is leaked.
	 */
	if (pthread_mutex_trylock(&process.lock) == 0) {
		buffer_release(&process.timers);
		buffer_release(&process.counters);
		sums_release(&process.totals);
	}
	process = (struct process){ .lock = PTHREAD_MUTEX_INITIALIZER,
				    .generation = process.generation + 1 };
}

static void process_begin(const char *file, int line, const struct trace2_program *program)
{
	if (process.is_inherited)
		process_abandon();
	if (process.config)
		return;
	if (!process_open(program)) {
		process_close();
		return;
	}
	process.next_repository = 1;
	pthread_once(&fork_once, fork_watch);
	__atomic_store_n(&process.is_enabled, true, __ATOMIC_RELEASE);
	if (program->has_atexit)
		atexit(trace2_finish);
	if (program->has_sigpipe)
		signals_watch();
	event_write(VERSION, .version.exe = program->version);
}

void trace2_initialize_at(const char *file, int line, const struct trace2_program *program)
{
	static const struct trace2_program nobody;
	int number = errno;

	process_begin(file, line, program ? program : &nobody);
	errno = number;
}

/* The time is read before the totals are written, as in git. */
void trace2_finish(void)
{
	struct trace2_event event = { .kind = TRACE2_ATEXIT, .file = __FILE__, .line = __LINE__ };
	int64_t now_ns = process_now_ns();
	struct self *self = enabled_self();

	if (self) {
		self_unwind(self);
		sums_write(self, &self->sums, false, now_ns);
		sums_collect(&self->sums);
		sums_write(self, &process.totals, true, now_ns);
		event.exit.code = __atomic_load_n(&process.exit_code, __ATOMIC_RELAXED);
		process_write(self, &event, now_ns);
	}
	__atomic_store_n(&process.is_enabled, false, __ATOMIC_RELEASE);
}

/*
 * It exists even if the process is not traced. git creates the id at its first use and sets it in
 * the environment at once (tr2_sid_compute() in tr2_sid.c), so that children are below an id that
 * was sent to a server.
 */
const char *trace2_session_id(void)
{
	const char *sid = __atomic_load_n(&process.sid, __ATOMIC_ACQUIRE);

	if (sid)
		return sid;
	pthread_mutex_lock(&process.lock);
	if (!process.sid) {
		trace2_sid_make(process.own_sid, time_now_ns(CLOCK_REALTIME), getpid());
		process.early_sid = trace2_inherit(TRACE2_PARENT_SID, process.own_sid);
		__atomic_store_n(&process.sid,
				 process.early_sid ? process.early_sid : process.own_sid,
				 __ATOMIC_RELEASE);
	}
	sid = process.sid;
	pthread_mutex_unlock(&process.lock);
	return sid;
}

/* Messages of a program, except regions and data. */

void trace2_cmd_start_at(const char *file, int line, char *const *argv)
{
	event_write(START, .start.argv = argv);
}

int trace2_cmd_exit_at(const char *file, int line, int code)
{
	code &= 0xff;
	if (trace2_is_enabled())
		__atomic_store_n(&process.exit_code, code, __ATOMIC_RELAXED);
	event_write(EXIT, .exit.code = code);
	return code;
}

void trace2_cmd_path_at(const char *file, int line, const char *path)
{
	event_write(CMD_PATH, .cmd_path.path = path);
}

void trace2_cmd_ancestry_at(const char *file, int line, char *const *names)
{
	event_write(CMD_ANCESTRY, .cmd_ancestry.ancestry = names);
}

void trace2_def_param_at(const char *file, int line, const char *scope, const char *param,
			 const char *value)
{
	event_write(DEF_PARAM, .def_param = { scope, param, value });
}

struct location {
	const char *file;
	int line;
};

static int process_write_parameter(void *context, const char *scope, const char *param,
				   const char *value)
{
	const struct location *place = context;

	trace2_def_param_at(place->file, place->line, scope, param, value);
	return 0;
}

/* Writes a list of parameters; @is_ahead: trace2_cmd_name() asks, not the program. */
static void parameter_list_write(struct parameter_list *list, bool is_ahead, const char *file,
				 int line)
{
	struct location place = { file, line };
	bool is_done = __atomic_exchange_n(&list->is_done, true, __ATOMIC_RELAXED);

	if (is_ahead && is_done)
		return;
	if (__atomic_exchange_n(&list->is_ahead, is_ahead, __ATOMIC_RELAXED))
		return;
	if (list == &process.listed_config)
		config_visit_params(process.config, process_write_parameter, &place);
	else
		config_visit_variables(process.config, process_write_parameter, &place);
}

void trace2_cmd_list_config_at(const char *file, int line)
{
	if (trace2_is_enabled())
		parameter_list_write(&process.listed_config, false, file, line);
}

void trace2_cmd_list_env_vars_at(const char *file, int line)
{
	if (trace2_is_enabled())
		parameter_list_write(&process.listed_variables, false, file, line);
}

void trace2_cmd_name_at(const char *file, int line, const char *name)
{
	char *hierarchy;

	if (!trace2_is_enabled())
		return;
	pthread_mutex_lock(&process.lock);
	hierarchy = trace2_inherit(TRACE2_PARENT_NAME, name);
	pthread_mutex_unlock(&process.lock);
	event_write(CMD_NAME, .cmd_name = { name, hierarchy });
	free(hierarchy);
	parameter_list_write(&process.listed_config, true, file, line);
	parameter_list_write(&process.listed_variables, true, file, line);
}

void trace2_cmd_mode_at(const char *file, int line, const char *mode)
{
	event_write(CMD_MODE, .cmd_mode.name = mode);
}

void trace2_cmd_alias_at(const char *file, int line, const char *alias, char *const *argv)
{
	event_write(ALIAS, .alias = { alias, argv });
}

void trace2_cmd_set_config_at(const char *file, int line, const char *key, const char *value)
{
	if (key && trace2_is_enabled() && trace2_config_wants(process.config, key))
		trace2_def_param_at(file, line, "unknown", key, value);
}

void trace2_def_repo_at(const char *file, int line, struct trace2_repository *repository)
{
	bool is_new;

	if (!trace2_is_enabled() || !repository)
		return;
	/* Other threads may read its number at any time. */
	pthread_mutex_lock(&process.lock);
	is_new = repository->id == 0;
	if (is_new)
		__atomic_store_n(&repository->id, process.next_repository++, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&process.lock);
	if (is_new)
		event_write(DEF_REPO, .repository = repository);
}

void trace2_child_start_at(const char *file, int line, struct trace2_child *child)
{
	if (!child || !trace2_is_enabled())
		return;
	child->id = process_number(&process.next_child);
	child->start_ns = process_now_ns();
	event_write(CHILD_START, .child_start = { .id = child->id,
						  .child_class = child->child_class,
						  .hook_name = child->hook_name,
						  .cd = child->directory,
						  .use_shell = child->use_shell,
						  .is_git = child->is_git,
						  .argv = child->argv });
}

static int64_t child_elapsed_ns(const struct trace2_child *child)
{
	return child->start_ns ? process_now_ns() - child->start_ns : 0;
}

void trace2_child_exit_at(const char *file, int line, const struct trace2_child *child, int code)
{
	if (child && trace2_is_enabled())
		event_write(CHILD_EXIT, .child_exit = { .id = child->id,
							.pid = child->pid,
							.code = code,
							.t_rel_ns = child_elapsed_ns(child) });
}

void trace2_child_ready_at(const char *file, int line, const struct trace2_child *child,
			   const char *ready)
{
	if (child && trace2_is_enabled())
		event_write(CHILD_READY, .child_ready = { .id = child->id,
							  .pid = child->pid,
							  .ready = ready,
							  .t_rel_ns = child_elapsed_ns(child) });
}

int trace2_exec_at(const char *file, int line, const char *exe, char *const *argv)
{
	int id;

	if (!trace2_is_enabled())
		return -1;
	id = process_number(&process.next_exec);
	event_write(EXEC, .exec = { .id = id, .exe = exe, .argv = argv });
	return id;
}

void trace2_exec_result_at(const char *file, int line, int id, int code)
{
	event_write(EXEC_RESULT, .exec_result = { id, code });
}

void trace2_printf_va_at(const char *file, int line, const char *format, va_list arguments)
{
	struct self *self = enabled_self();

	if (self)
		event_write(PRINTF, .printf.msg = self_format(self, format, arguments));
}

void trace2_printf_at(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	trace2_printf_va_at(file, line, format, arguments);
	va_end(arguments);
}

void trace2_cmd_error_va_at(const char *file, int line, const char *format, va_list arguments)
{
	struct self *self = enabled_self();

	if (self)
		event_write(ERROR, .error = { self_format(self, format, arguments), format });
}

void trace2_cmd_error_at(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	trace2_cmd_error_va_at(file, line, format, arguments);
	va_end(arguments);
}

/* Regions of a process, and data in them. */

/* Sets @text to @string; returns NULL if that is NULL or memory ran out. */
static const struct trace2_text *text_fill(struct trace2_text *text, const char *string)
{
	if (!string || trace2_text_set(text, string_of(string)) < 0)
		return NULL;
	return text;
}

/* Copies a repository, whose number another thread may be setting; returns NULL without one. */
static const struct trace2_repository *repository_copy(struct trace2_repository *copy,
						       const struct trace2_repository *repository)
{
	if (!repository)
		return NULL;
	copy->worktree = repository->worktree;
	copy->id = __atomic_load_n(&repository->id, __ATOMIC_RELAXED);
	return copy;
}

/* The lines of a region's beginning and end are outside of it. */
static void region_write_va(enum trace2_kind kind, const struct trace2_region *region,
			    const char *format, va_list arguments)
{
	struct trace2_event event = { .kind = kind, .file = region->file, .line = region->line };
	struct self *self = enabled_self();
	struct trace2_repository repository;
	int64_t now_ns;

	if (!self)
		return;
	event.region.msg = self_format(self, format, arguments);
	now_ns = process_now_ns();
	if (kind == TRACE2_REGION_LEAVE) {
		event.region.t_rel_ns = self_elapsed_ns(self, now_ns);
		/* A leave without an enter keeps the thread's start: later events count from it. */
		if (self_depth(self) > 0)
			self->starts.size -= sizeof(now_ns);
	}
	event.repository = repository_copy(&repository, region->repository);
	event.region.nesting = self_depth(self) + 1;
	event.region.category = text_fill(&self->first, region->category);
	event.region.label = text_fill(&self->second, region->label);
	process_write(self, &event, now_ns);
	if (kind == TRACE2_REGION_ENTER)
		buffer_append(&self->starts, &now_ns, sizeof(now_ns));
}

static void region_write(enum trace2_kind kind, const struct trace2_region *region,
			 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	region_write_va(kind, region, format, arguments);
	va_end(arguments);
}

void trace2_region_enter_at(const char *file, int line, const char *category, const char *label,
			    const struct trace2_repository *repository)
{
	struct trace2_region region = { file, line, category, label, repository };

	region_write(TRACE2_REGION_ENTER, &region, NULL);
}

void trace2_region_enter_printf_va_at(const char *file, int line, const char *category,
				      const char *label, const struct trace2_repository *repository,
				      const char *format, va_list arguments)
{
	struct trace2_region region = { file, line, category, label, repository };

	region_write_va(TRACE2_REGION_ENTER, &region, format, arguments);
}

void trace2_region_enter_printf_at(const char *file, int line, const char *category,
				   const char *label, const struct trace2_repository *repository,
				   const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	trace2_region_enter_printf_va_at(file, line, category, label, repository, format,
					 arguments);
	va_end(arguments);
}

void trace2_region_leave_at(const char *file, int line, const char *category, const char *label,
			    const struct trace2_repository *repository)
{
	struct trace2_region region = { file, line, category, label, repository };

	region_write(TRACE2_REGION_LEAVE, &region, NULL);
}

void trace2_region_leave_printf_va_at(const char *file, int line, const char *category,
				      const char *label, const struct trace2_repository *repository,
				      const char *format, va_list arguments)
{
	struct trace2_region region = { file, line, category, label, repository };

	region_write_va(TRACE2_REGION_LEAVE, &region, format, arguments);
}

void trace2_region_leave_printf_at(const char *file, int line, const char *category,
				   const char *label, const struct trace2_repository *repository,
				   const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	trace2_region_leave_printf_va_at(file, line, category, label, repository, format,
					 arguments);
	va_end(arguments);
}

static void data_write(enum trace2_kind kind, const char *file, int line, const char *category,
		       const struct trace2_repository *repository, const char *key,
		       const char *value)
{
	struct trace2_event event = { .kind = kind, .file = file, .line = line };
	struct self *self = enabled_self();
	struct trace2_repository copy;
	int64_t now_ns;

	if (!self)
		return;
	now_ns = process_now_ns();
	event.data.nesting = self_depth(self) + 1;
	event.data.t_rel_ns = self_elapsed_ns(self, now_ns);
	event.repository = repository_copy(&copy, repository);
	event.data.category = text_fill(&self->first, category);
	event.data.key = text_fill(&self->second, key);
	event.data.value = string_of(value);
	process_write(self, &event, now_ns);
}

void trace2_data_string_at(const char *file, int line, const char *category,
			   const struct trace2_repository *repository, const char *key,
			   const char *value)
{
	data_write(TRACE2_DATA, file, line, category, repository, key, value);
}

void trace2_data_intmax_at(const char *file, int line, const char *category,
			   const struct trace2_repository *repository, const char *key,
			   intmax_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIdMAX, value);
	data_write(TRACE2_DATA, file, line, category, repository, key, text);
}

void trace2_data_json_at(const char *file, int line, const char *category,
			 const struct trace2_repository *repository, const char *key,
			 const char *json)
{
	data_write(TRACE2_DATA_JSON, file, line, category, repository, key, json);
}

/* Threads of a process. */

void trace2_thread_start_at(const char *file, int line, const char *name)
{
	struct trace2_event event = { .kind = TRACE2_THREAD_START, .file = file, .line = line };
	int64_t now_ns = process_now_ns();
	struct self *self = current;

	if (!trace2_is_enabled())
		return;
	if (self && self->is_main) {
		trace2_region_enter_printf_at(file, line, NULL, NULL, NULL,
					      "thread-proc on main: %s", name ? name : UNKNOWN);
		return;
	}
	if (self) {
		sums_collect(&self->sums);
		self_forget(self);
	}
	self = self_new(name, now_ns, false);
	if (self)
		process_write(self, &event, now_ns);
}

void trace2_thread_exit_at(const char *file, int line)
{
	struct trace2_event event = { .kind = TRACE2_THREAD_EXIT, .file = file, .line = line };
	int64_t now_ns = process_now_ns();
	struct self *self = enabled_self();

	if (!self)
		return;
	if (self->is_main) {
		trace2_region_leave_printf_at(file, line, NULL, NULL, NULL, "thread-proc on main");
		return;
	}
	self_unwind(self);
	event.thread_exit.t_rel_ns = self_elapsed_ns(self, now_ns);
	sums_write(self, &self->sums, false, now_ns);
	sums_collect(&self->sums);
	process_write(self, &event, now_ns);
	self_forget(self);
}
