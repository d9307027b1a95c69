// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The stream of a process: its beginning and its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace2/process_state.h"

/* As git's warnings; only this API prints to stderr. */
#define ERROR_DESCRIPTOR 2

struct process process = { .lock = PTHREAD_MUTEX_INITIALIZER };

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static int64_t clock_us_ns(clockid_t clock)
{
	return time_now_ns(clock) / NS_PER_US * NS_PER_US;
}

int64_t process_now_ns(void)
{
	return clock_us_ns(CLOCK_MONOTONIC);
}

int64_t process_shift_ns(int64_t time_ns)
{
	return clock_us_ns(CLOCK_REALTIME) - process.session->settings.start_unix_ns - time_ns;
}

int process_number(int *next)
{
	return __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
}

bool trace2_is_enabled(void)
{
	return __atomic_load_n(&process.is_enabled, __ATOMIC_ACQUIRE);
}

void process_write(struct self *self, struct trace2_event *event, int64_t now_ns)
{
	int number = errno;

	event->time_ns = now_ns - process.start_ns;
	event->thread = self->thread;
	event->nr_regions = self_depth(self);
	time_cache_shift(&self->printer.times, process_shift_ns(event->time_ns));
	session_print(process.session, &self->printer, event);
	errno = number;
}

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
	char *sid;

	trace2_config_apply(config, &settings);
	settings.start_unix_ns = clock_us_ns(CLOCK_REALTIME);
	if (process.start_ns)
		settings.start_unix_ns -= process_now_ns() - process.start_ns;
	else
		process.start_ns = process_now_ns();
	sid = process_sid_copy(settings.start_unix_ns);
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

/*
 * Other threads of the parent may have been changing its state during fork(). If the lock was free,
 * the state that it protects is consistent and is freed; otherwise it is leaked.
 */
static void shared_abandon(void)
{
	if (pthread_mutex_trylock(&process.lock) != 0)
		return;
	buffer_release(&process.timers);
	buffer_release(&process.counters);
	sums_release(&process.totals);
}

static void process_abandon(void)
{
	struct self *self = self_find();

	if (self)
		self_forget(self);
	process_close();
	free(process.early_sid);
	shared_abandon();
	process = (struct process){ .lock = PTHREAD_MUTEX_INITIALIZER,
				    .generation = process.generation + 1 };
}

static void process_begin(const char *file, int line, const struct trace2_program *program)
{
	struct trace2_event event = { .kind = TRACE2_VERSION, .file = file, .line = line };

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
	event.version.exe = program->version;
	process_write(self_get(), &event, process_now_ns());
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
	struct self *self;

	if (!trace2_is_enabled())
		return;
	self = self_get();
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
