// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The state of each thread, with which it writes without a lock. */
#include <stdlib.h>

#include "trace2/process_state.h"

/* The name of a thread that has none. */
#define UNKNOWN "unknown"

static __thread struct self *current;
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

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
	pthread_key_create(&key, self_end);
}

/* Git numbers threads from 1 and writes at least two digits. */
static struct trace2_thread *thread_make(const char *name, bool is_main)
{
	struct buffer whole = { 0 };
	struct trace2_thread *thread = NULL;

	if (!is_main)
		buffer_printf(&whole, "th%02d:", 1 + process_number(&process.next_thread));
	buffer_append_string(&whole, name ? name : UNKNOWN);
	if (!whole.failed)
		thread = trace2_thread_new(process.session,
					   (struct trace2_string){ whole.data, whole.size });
	buffer_release(&whole);
	return thread;
}

struct self *self_new(const char *name, int64_t now_ns, bool is_main)
{
	struct self *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	pthread_once(&key_once, key_make);
	self->is_main = is_main;
	self->thread = thread_make(name, is_main);
	self_push(self, now_ns);
	if (!self->thread || self->starts.failed || pthread_setspecific(key, self) != 0) {
		self_free(self);
		return NULL;
	}
	current = self;
	return self;
}

struct self *self_find(void)
{
	return current;
}

struct self *self_get(void)
{
	return current ? current : self_new(NULL, process_now_ns(), false);
}

void self_forget(struct self *self)
{
	pthread_setspecific(key, NULL);
	current = NULL;
	self_free(self);
}

static size_t nr_starts(const struct self *self)
{
	return self->starts.size / sizeof(int64_t);
}

unsigned int self_depth(const struct self *self)
{
	return nr_starts(self) > 0 ? nr_starts(self) - 1 : 0;
}

void self_push(struct self *self, int64_t now_ns)
{
	buffer_append(&self->starts, &now_ns, sizeof(now_ns));
}

int64_t self_elapsed_ns(const struct self *self, int64_t now_ns)
{
	const int64_t *starts = (const int64_t *)self->starts.data;

	return now_ns - starts[nr_starts(self) - 1];
}

/* A leave without an enter keeps the thread's own start, which later events count from. */
int64_t self_pop(struct self *self, int64_t now_ns)
{
	int64_t elapsed_ns = self_elapsed_ns(self, now_ns);

	if (nr_starts(self) > 1)
		self->starts.size -= sizeof(int64_t);
	return elapsed_ns;
}

void self_unwind(struct self *self)
{
	self->starts.size = sizeof(int64_t);
}

void trace2_thread_start_at(const char *file, int line, const char *name)
{
	struct trace2_event event = { .kind = TRACE2_THREAD_START, .file = file, .line = line };
	int64_t now_ns = process_now_ns();
	struct self *self;

	if (!trace2_is_enabled())
		return;
	self = self_find();
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
	struct self *self;

	if (!trace2_is_enabled())
		return;
	self = self_get();
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
