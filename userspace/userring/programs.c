// SPDX-License-Identifier: GPL-2.0-only
/* All programs of a recording. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "userring/events.h"
#include "userring/process.h"
#include "userring/program.h"
#include "userring/scan.h"

/* Limits of programs at once, and of those of one process, whose libraries may have their own. */
#define PROGRAMS_MAX 4096
#define PROCESS_PROGRAMS_MAX 256

/* So many are taken before rings are read again. */
#define OFFERS_MAX 256

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

/* So many programs that did not wait are reported. */
#define LATE_MAX 10

/**
 * struct programs - the state
 * @is_on: recording has started
 * @ready_ns: all records up to this time are read
 * @last_bytes: what the last pass found
 * @nr_late: programs that did not wait and are reported
 * @was_full, @has_dropped: a program was one too many, or sent nothing for too long
 */
struct programs {
	struct programs_settings settings;
	struct program_socket socket;
	struct program **list;
	size_t size;
	struct record_queue queue;
	struct event_table events;
	struct task_table tasks;
	bool is_on;
	int64_t ready_ns;
	int64_t searched_ns;
	int64_t looked_ns;
	int64_t last_bytes;
	unsigned int nr_late;
	bool was_full;
	bool has_dropped;
};

static bool programs_have(const struct programs *programs, const struct program *program)
{
	for (size_t i = 0; i < programs->size; i++) {
		if (programs->list[i]->inode == program->inode &&
		    programs->list[i]->device == program->device)
			return true;
	}
	return false;
}

/* Returns false if the program is not recorded by this run. */
static bool programs_wants(const struct programs *programs, struct program *program)
{
	return !programs_have(programs, program) &&
	       program_matches(program, programs->settings.globs);
}

static size_t programs_count_process(const struct programs *programs, int pid)
{
	size_t nr = 0;

	for (size_t i = 0; i < programs->size; i++)
		nr += programs->list[i]->pid == pid && !programs->list[i]->has_ended;
	return nr;
}

/* Nobody counts the records of a program that is not recorded. If memory runs out, the sum has it.
 */
static void programs_lose(struct programs *programs)
{
	queue_lose(&programs->queue, time_now_ns(CLOCK_BOOTTIME), LOSS_COUNT_UNKNOWN);
}

/* Reported once. Returns false if the program is one too many. */
static bool programs_have_place(struct programs *programs, const struct program *program)
{
	if (programs->size < PROGRAMS_MAX &&
	    programs_count_process(programs, program->pid) < PROCESS_PROGRAMS_MAX)
		return true;
	if (!programs->was_full) {
		report_message(programs->settings.report,
			       "%s (%d): not recorded, as later ones may be: at most %d programs, "
			       "and %d of a process, are recorded; select some by "
			       "--programs=GLOB",
			       program->comm, program->pid, PROGRAMS_MAX, PROCESS_PROGRAMS_MAX);
		programs_lose(programs);
	}
	programs->was_full = true;
	return false;
}

/* After exec(2), earlier memory of the process has no writer. */
static void programs_end_replaced(struct programs *programs, const struct program *program)
{
	struct buffer maps = { 0 };

	for (size_t i = 0; i < programs->size; i++) {
		struct program *other = programs->list[i];

		if (other->pid != program->pid || other->has_ended)
			continue;
		if (maps.size == 0 && !process_read_maps(other->pid, &maps))
			break;
		other->has_ended = !maps_have(buffer_string(&maps), other->inode);
	}
	buffer_release(&maps);
}

static int programs_add(struct programs *programs, struct program *program, struct error *error)
{
	struct program **list;

	if (!programs_wants(programs, program)) {
		program_close(program);
		return 0;
	}
	programs_end_replaced(programs, program);
	if (!programs_have_place(programs, program) || !program_lock(program)) {
		program_close(program);
		return 0;
	}
	list = reallocarray(programs->list, programs->size + 1, sizeof(*list));
	if (!list) {
		program_close(program);
		return error_set(error, "out of memory");
	}
	programs->list = list;
	list[programs->size++] = program;
	program_switch(program, programs->is_on);
	return 0;
}

static int memory_add(void *context, int fd, int pid, struct error *error)
{
	struct program *program = program_open(fd, pid);

	if (program)
		return programs_add(context, program, error);
	if (errno == EINVAL)
		return 0;
	return error_set_system(error, errno, "cannot record process %d", pid);
}

static int programs_search(struct programs *programs, struct error *error)
{
	const struct memory_visitor visitor = { .context = programs, .visit = memory_add };

	programs->searched_ns = time_now_ns(CLOCK_BOOTTIME);
	return memfds_visit(&visitor, error);
}

static const struct program *programs_find(const struct programs *programs, int pid)
{
	for (size_t i = programs->size; i > 0; i--) {
		if (programs->list[i - 1]->pid == pid)
			return programs->list[i - 1];
	}
	return NULL;
}

/* A program that has not waited for the answer was not recorded until now. */
static void programs_report_late(struct programs *programs, int pid)
{
	const struct program *program = programs_find(programs, pid);
	const char *more = "";

	/* One that is alive and not recorded is not wanted. */
	if (!programs->is_on || programs->nr_late == LATE_MAX ||
	    (!program && process_started(pid) != 0))
		return;
	programs_lose(programs);
	if (++programs->nr_late == LATE_MAX)
		more = "; more programs are not reported";
	report_message(programs->settings.report,
		       "%s (%d): did not wait for ktrack, which was busy; its records until now "
		       "are missing%s",
		       program && *program->comm ? program->comm : "a program", pid, more);
}

/* Reported once, and no loss: whoever connects and sends nothing need not be a program. */
static void programs_report_dropped(struct programs *programs)
{
	if (programs->socket.nr_dropped == 0 || programs->has_dropped)
		return;
	programs->has_dropped = true;
	report_message(programs->settings.report, "a program may be missing: it connected, and "
						  "sent nothing for too long");
}

/* Takes programs that announce themselves. */
static int programs_accept(struct programs *programs, struct error *error)
{
	struct program_offer offer;
	int status = 0;

	for (int i = 0; i < OFFERS_MAX && status == 0; i++) {
		if (!program_socket_take(&programs->socket, &offer))
			break;
		status = memory_add(programs, offer.memory_fd, offer.pid, error);
		if (offer.is_late)
			programs_report_late(programs, offer.pid);
		close(offer.memory_fd);
		close(offer.connection);
	}
	programs_report_dropped(programs);
	return status;
}

int programs_new(struct programs **out, const struct programs_settings *settings,
		 struct error *error)
{
	struct programs *programs = calloc(1, sizeof(*programs));

	*out = NULL;
	if (!programs)
		return error_set(error, "out of memory");
	programs->settings = *settings;
	programs->socket = (struct program_socket){ .fd = -1, .poll_fd = -1 };
	if (program_socket_open(&programs->socket, error) < 0 ||
	    programs_search(programs, error) < 0) {
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
	for (size_t i = 0; i < programs->size; i++)
		program_close(programs->list[i]);
	free(programs->list);
	queue_release(&programs->queue);
	event_table_release(&programs->events);
	task_table_release(&programs->tasks);
	free(programs);
}

void programs_export_socket(const struct programs *programs)
{
	if (programs->socket.folder)
		setenv(KTRACK_USER_SOCKET_VARIABLE, programs->socket.path, 1);
}

int programs_fd(const struct programs *programs)
{
	return programs->socket.poll_fd;
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

static struct ring_reader programs_reader(struct programs *programs)
{
	return (struct ring_reader){ .queue = &programs->queue,
				     .tasks = &programs->tasks,
				     .events = &programs->events };
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
	return size;
}

/* Makes space for the records of a program; returns false if they must wait. */
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
	for (size_t i = 0; i < programs->size; i++) {
		struct program *program = programs->list[i];
		int64_t size, program_ns;

		if (!programs_make_space(programs))
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

/* A program that has ended is read once more before it is closed. */
static int programs_look(struct programs *programs, struct error *error)
{
	size_t nr_left = 0;
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);
	int64_t size = 0;

	if (now_ns - programs->looked_ns < LOOK_NS)
		return 0;
	programs->looked_ns = now_ns;
	for (size_t i = 0; i < programs->size; i++) {
		struct program *program = programs->list[i];

		program_look(program);
		if (program->has_ended && size >= 0)
			size = programs_read_one(programs, program, now_ns, error);
		if (program->has_ended)
			program_close(program);
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
	if (time_now_ns(CLOCK_BOOTTIME) - programs->searched_ns >= every_ns &&
	    programs_search(programs, error) < 0)
		return -1;
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

void programs_stop(struct programs *programs)
{
	const struct timespec step = { .tv_nsec = NS_PER_S / 1000 };
	struct error ignored = { 0 };

	programs_switch(programs, false);
	/* A thread may have seen that recording is on, and reserves only now. */
	nanosleep(&step, NULL);
	programs->looked_ns = 0;
	programs_read(programs, &ignored);
	for (int i = 0; i < AWAIT_STEPS && programs_are_waiting(programs); i++) {
		nanosleep(&step, NULL);
		programs_read_all(programs, &ignored);
	}
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
