// SPDX-License-Identifier: GPL-2.0-only
/* All programs of a recording: reads what they write. */
#include <stdlib.h>
#include <time.h>

#include "userring/programs.h"

/* Running programs are searched this often: rarely if those that start announce themselves. */
#define SEARCH_NS NS_PER_S
#define SEARCH_RARELY_NS (10 * NS_PER_S)

/* Programs that have ended are noticed within this time. */
#define LOOK_NS (NS_PER_S / 2)

/* Records that were begun are awaited after the end, in steps of a millisecond. */
#define AWAIT_STEPS 200

/* How long rings may be left alone: if one pass found few records, or many. */
#define WAIT_MS 50
#define WAIT_BUSY_MS 2
#define BUSY_BYTES (64 << 10)

/*
 * A pass that has begun is completed, whatever is in the rings: so much may wait above the limit.
 * All rings of a usual program fit.
 */
#define PASS_SIZE_MAX ((size_t)128 << 20)

int programs_new(struct programs **out, const struct programs_settings *settings,
		 struct error *error)
{
	struct programs *programs = calloc(1, sizeof(*programs));

	*out = NULL;
	if (!programs)
		return error_set(error, "out of memory");
	programs->settings = *settings;
	programs->socket.fd = -1;
	programs->helper.fd = -1;
	if (program_socket_open(&programs->socket, error) < 0 ||
	    programs_begin(programs, error) < 0) {
		programs_close(programs);
		return -1;
	}
	*out = programs;
	return 0;
}

void programs_close(struct programs *programs)
{
	if (!programs)
		return;
	program_socket_close(&programs->socket);
	helper_end(&programs->helper);
	for (size_t i = 0; i < programs->size; i++)
		program_close(programs->list[i]);
	free(programs->list);
	queue_release(&programs->queue);
	event_table_release(&programs->events);
	task_table_release(&programs->tasks);
	user_table_release(&programs->users);
	free(programs);
}

void programs_export_socket(const struct programs *programs)
{
	if (programs->socket.folder)
		setenv(KTRACK_USER_SOCKET_VARIABLE, programs->socket.path, 1);
}

int programs_fd(const struct programs *programs)
{
	return programs->helper.fd;
}

static void programs_switch(struct programs *programs, bool is_on)
{
	programs->is_on = is_on;
	for (size_t i = 0; i < programs->size; i++)
		program_switch(programs->list[i], is_on);
}

int programs_start(struct programs *programs, struct error *error)
{
	int status = programs_accept(programs, error);

	if (status == 0)
		programs_switch(programs, true);
	return status;
}

/* Each user gets the same share. */
static struct ring_reader programs_reader(struct programs *programs)
{
	size_t size_max = programs->settings.size_max + PASS_SIZE_MAX;

	return (struct ring_reader){ .queue = &programs->queue,
				     .tasks = &programs->tasks,
				     .events = &programs->events,
				     .size_max = size_max,
				     .user_max = size_max / programs->nr_users };
}

/* Reported once; the rest of the program's records stays in its memory. */
static void program_report_damage(const struct programs *programs, struct program *program)
{
	report_message(programs->settings.report,
		       "%s (%d): its rings are damaged; an unknown number of its records is lost",
		       program->comm, program->pid);
	program_switch(program, false);
}

/* Reported once for a program. */
static void program_report_search(const struct programs *programs, struct program *program)
{
	if (program->search_state != SEARCH_IS_LATE)
		return;
	program->search_state = SEARCH_IS_REPORTED;
	report_message(programs->settings.report,
		       "%s (%d): too many threads; some records are on the track of the first",
		       program->comm, program->pid);
}

/* Reported once for all programs: one program can fill the table of all. */
static void program_report_left_out(struct programs *programs, const struct program *program)
{
	if (programs->events.is_full && !programs->has_left_out)
		report_message(programs->settings.report,
			       "%s (%d): some events are left out, as later ones are: at most %zu "
			       "different events of programs are recorded",
			       program->comm, program->pid, programs->events.size);
	programs->has_left_out |= programs->events.is_full;
}

/* Reads one program; returns the bytes, or -1 with @error. */
static int64_t programs_read_one(struct programs *programs, struct program *program, int64_t now_ns,
				 struct error *error)
{
	const struct ring_reader reader = programs_reader(programs);
	int64_t size;

	if (program->is_damaged)
		return 0;
	size = program_read(program, &reader, now_ns);
	if (size < 0 || programs->events.has_failed)
		return error_set(error, "out of memory");
	if (program->is_damaged)
		program_report_damage(programs, program);
	program_report_search(programs, program);
	program_report_left_out(programs, program);
	return size;
}

/* Makes space for the records of a program; returns false if it is full. */
static bool programs_make_space(struct programs *programs)
{
	struct record_queue *queue = &programs->queue;
	size_t size_max = programs->settings.size_max;

	if (queue_bytes(queue) < size_max)
		return true;
	switch (programs->settings.mode) {
	case PROGRAMS_KEEP_LAST:
		queue_shrink(queue, size_max - size_max / 4);
		return true;
	case PROGRAMS_KEEP_FIRST:
		queue->is_closed = true;
		return true;
	default:
		/* What is left at the end is delivered at once. */
		return !programs->is_on;
	}
}

static int programs_read_all(struct programs *programs, struct error *error)
{
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME), ready_ns = now_ns;

	programs->last_bytes = 0;
	programs->nr_users = user_table_begin_pass(&programs->users);
	for (size_t i = 0; i < programs->size; i++) {
		struct program *program = programs->list[i];
		int64_t size, program_ns;

		/* A pass that has begun is completed: then its records are final, and delivered. */
		if (!programs_make_space(programs) && i == 0)
			return 0;
		size = programs_read_one(programs, program, now_ns, error);
		if (size < 0)
			return -1;
		if (size > programs->last_bytes)
			programs->last_bytes = size;
		program_ns = program_ready_ns(program, now_ns);
		if (program_ns < ready_ns)
			ready_ns = program_ns;
	}
	if (ready_ns > programs->ready_ns)
		programs->ready_ns = ready_ns;
	return 0;
}

/* What it has left in its rings is lost. */
static void programs_remove(struct programs *programs, struct program *program)
{
	if (program->is_cut)
		programs_lose(programs);
	if (program->user)
		program->user->nr_programs--;
	program_close(program);
}

/* A program that has ended is read once more before it is closed. */
static int programs_look(struct programs *programs, struct error *error)
{
	size_t nr_left = 0;
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);
	int64_t size = 0;

	if (now_ns - programs->looked_ns < LOOK_NS)
		return 0;
	programs->nr_users = user_table_begin_pass(&programs->users);
	programs->looked_ns = now_ns;
	for (size_t i = 0; i < programs->size; i++) {
		struct program *program = programs->list[i];

		program_look(program);
		if (program->has_ended && size >= 0)
			size = programs_read_one(programs, program, now_ns, error);
		if (program->has_ended)
			programs_remove(programs, program);
		else
			programs->list[nr_left++] = program;
	}
	programs->size = nr_left;
	return size < 0 ? -1 : 0;
}

int programs_read(struct programs *programs, struct error *error)
{
	int64_t every_ns = programs->socket.folder ? SEARCH_NS : SEARCH_RARELY_NS;

	if (programs_accept(programs, error) < 0)
		return -1;
	if (time_now_ns(CLOCK_BOOTTIME) - programs->searched_ns >= every_ns)
		programs_search(programs);
	return programs_read_all(programs, error) < 0 ? -1 : programs_look(programs, error);
}

static bool programs_are_waiting(const struct programs *programs)
{
	for (size_t i = 0; i < programs->size; i++) {
		if (program_is_waiting(programs->list[i]))
			return true;
	}
	return false;
}

/* Whether records are left in rings at the end. */
static bool programs_are_cut(const struct programs *programs)
{
	for (size_t i = 0; i < programs->size; i++) {
		if (programs->list[i]->is_cut)
			return true;
	}
	return false;
}

void programs_stop(struct programs *programs)
{
	const struct timespec step = { .tv_nsec = NS_PER_S / 1000 };
	struct error ignored = { 0 };

	programs_await_answers(programs, &ignored);
	programs_switch(programs, false);
	/* A thread may have seen that recording is on, and reserves only now. */
	nanosleep(&step, NULL);
	programs->looked_ns = 0;
	programs_read(programs, &ignored);
	for (int i = 0; i < AWAIT_STEPS && programs_are_waiting(programs); i++) {
		nanosleep(&step, NULL);
		programs_read_all(programs, &ignored);
	}
	if (programs_are_waiting(programs) || programs_are_cut(programs) || programs->refused != 0)
		programs_lose(programs);
	programs_report_rest(programs);
}

int64_t programs_ready_ns(const struct programs *programs)
{
	return programs->ready_ns;
}

int programs_wait_ms(const struct programs *programs)
{
	return programs->last_bytes > BUSY_BYTES ? WAIT_BUSY_MS : WAIT_MS;
}

size_t programs_fill(struct programs *programs, int64_t until_ns, unsigned char *page)
{
	return queue_fill(&programs->queue, until_ns, page);
}

void programs_count(const struct programs *programs, struct programs_counts *out)
{
	*out = programs->queue.counts;
}

size_t programs_nr_events(const struct programs *programs)
{
	return programs->events.size;
}

const struct program_event *programs_event(const struct programs *programs, size_t index)
{
	return programs->events.list[index];
}

bool programs_find_task(const struct programs *programs, int tid, struct thread_identity *out)
{
	const struct program_task *task = task_table_find(&programs->tasks, tid);

	if (task)
		*out = task->identity;
	return task;
}

bool programs_task(const struct programs *programs, size_t index, int *tid,
		   struct thread_identity *out)
{
	if (index >= programs->tasks.size)
		return false;
	*tid = programs->tasks.list[index]->tid;
	*out = programs->tasks.list[index]->identity;
	return true;
}

size_t programs_nr(const struct programs *programs)
{
	return programs->size;
}
