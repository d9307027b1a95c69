// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording of programs: starts the helper, asks its reader for passes over the rings of all
 * programs, and takes the answers. Nothing here waits for a process that may hang: one that does
 * not answer is replaced.
 */
#include "userring/programs.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "userring/process.h"
#include "userring/reader.h"

/* Running programs are searched this often: rarely if those that start announce themselves. */
#define SEARCH_NS NS_PER_S
#define SEARCH_RARELY_NS (10 * NS_PER_S)

/* How long rings may be left alone: what the reader says, within these limits. */
#define WAIT_MIN_NS (NS_PER_S / 1000)
#define WAIT_MAX_NS (NS_PER_S / 50)

/*
 * A pass that has begun is completed, whatever is in the rings: so much may wait above the limit.
 * All rings of a usual program fit.
 */
#define PASS_SIZE_MAX ((size_t)128 << 20)

/* How long the start waits for the search of running programs, in steps. */
#define SEARCH_STEP_MS 100
#define SEARCH_STEPS 100

/* How long the end waits for the reader: so many steps in which it does not run. */
#define ANSWER_STEP_MS 50
#define ANSWER_STEPS 36

/* So many steps in which the helper runs are one: programs can keep it busy. */
#define BUSY_STEPS 4

/*
 * A reader that does not run for so long, as often as it is looked for, is replaced; and one that
 * runs, but never answers.
 */
#define HANG_NS (5 * NS_PER_S)
#define HANG_SLEEPS 30
#define HANG_RUNS_NS (30 * NS_PER_S)
#define HANG_RUNS 200

/* How often a signal is looked for while records are delivered. */
#define LOOK_NS (NS_PER_S / 100)

/*
 * A signal ends a recording soon: so long records are delivered, and for so much CPU time, which
 * passes slowly on a busy machine; then at most so many, of each user the same number. One may take
 * ten times as long as another, as the first of a track does: of those that still wait after a step,
 * fewer are delivered, if possible only of users that had too many before.
 */
#define HURRY_NS (NS_PER_S / 2)
#define HURRY_CPU_NS (NS_PER_S / 10)
#define HURRY_STEP_NS (NS_PER_S / 8)
#define HURRY_STEPS 2
#define HURRY_RECORDS 8192
#define HURRY_AGAIN_RECORDS 1024

/*
 * Records wait for the end of the pass that reads them, and for those before them: if the next pass
 * is asked for so late, and so much CPU time was taken meanwhile, it reads half as much, but not
 * less than this.
 */
#define ROUND_NS (NS_PER_S / 2)
#define ROUND_CPU_NS (NS_PER_S / 10)
#define ROUND_SIZE_MIN ((size_t)1 << 20)

/* The first pass: with less, programs lose records that all begin at once on a busy machine. */
#define ROUND_SIZE_FIRST (16 * ROUND_SIZE_MIN)

static void programs_expect(struct programs *programs)
{
	programs->asked_ns = time_now_ns(CLOCK_MONOTONIC);
	programs->nr_looks = 0;
	programs->nr_sleeps = 0;
}

/* Asks the reader, unless its last answer is missing; returns false if that is not possible now. */
static bool programs_ask(struct programs *programs, enum request_kind kind)
{
	const struct reader_request request = {
		.kind = kind,
		.pid = programs->reader_pid,
		.number = programs->number + 1,
		.is_on = programs->is_on,
		.is_hurried = programs->hurried_ns > 0,
		.from_ns = programs->from_ns,
		.size_max = kind == REQUEST_PASS ? programs->pass_size
						 : programs->recorded.size_max,
	};

	if (programs->reader_pid == 0 || programs->is_asked ||
	    send(programs->fd, &request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return false;
	programs->number++;
	programs->is_asked = true;
	programs_expect(programs);
	return true;
}

static void programs_ask_switch(struct programs *programs)
{
	if (!programs->is_switched)
		programs->is_switched = programs_ask(programs, REQUEST_SWITCH);
}

/* A new reader begins, which has to find all programs. */
static void take_begun(struct programs *programs, const struct part_begun *part)
{
	programs->reader_pid = part->pid;
	programs->is_asked = false;
	programs->is_found = false;
	programs->is_searching = true;
	if (++programs->nr_readers > 1 && !programs->has_replaced) {
		programs->has_replaced = true;
		report_message(programs->settings.report,
			       "the process that reads programs has ended; another one goes on");
	}
	recorded_begin_search(&programs->recorded);
	programs->is_switched = false;
	programs_ask_switch(programs);
}

static void take_passed(struct programs *programs, const struct part_passed *part)
{
	if (!programs->is_asked || part->number != programs->number)
		return;
	programs->is_asked = false;
	programs->wait_ns = part->wait_ns;
	programs->is_waiting = part->is_waiting;
	programs->is_cut = part->is_cut;
	/* No time is ready that has not come. */
	if (part->ready_ns > programs->ready_ns && part->ready_ns <= time_now_ns(CLOCK_BOOTTIME))
		programs->ready_ns = part->ready_ns;
}

static void programs_take(void *context, const struct part *part)
{
	struct programs *programs = context;

	switch (part->kind) {
	case PART_BEGUN:
		take_begun(programs, (const struct part_begun *)part);
		break;
	case PART_NOTE:
		programs_take_note(programs, (const struct part_note *)part);
		break;
	case PART_SEARCHED:
		programs->is_searching = false;
		/* Those that the last reader has read, and that are not found any more, may have
		 * had records. */
		if (!programs->is_found && recorded_end_search(&programs->recorded) > 0)
			programs_lose(programs);
		programs->is_found = true;
		break;
	case PART_PASSED:
		take_passed(programs, (const struct part_passed *)part);
		break;
	default:
		break;
	}
}

/* Its records since the last message are found by the next reader. */
static void programs_replace_reader(struct programs *programs)
{
	programs->reader_pid = 0;
	programs->is_asked = false;
	programs->is_found = false;
	helper_replace_reader(&programs->helper);
}

/* Makes space for records; returns false if it is full. */
static bool programs_make_space(struct programs *programs)
{
	struct record_queue *queue = &programs->recorded.queue;
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

/* Reported once for all programs: one program can fill the table of all. */
static void programs_report_left_out(struct programs *programs)
{
	const struct event_table *events = &programs->recorded.events;

	if (events->is_full && !programs->has_left_out)
		report_message(programs->settings.report,
			       "some events of programs are left out: at most %zu different ones "
			       "are recorded",
			       events->size);
	programs->has_left_out |= events->is_full;
}

static void message_take(struct programs *programs, size_t size)
{
	const struct part_visitor others = { programs, programs_take };
	enum recorded_status status = recorded_take(&programs->recorded, programs->message, size,
						    &others);

	programs->has_failed |= status == RECORDED_NO_MEMORY;
	if (status != RECORDED_WHOLE)
		programs_lose(programs);
	if (status == RECORDED_DAMAGED)
		programs_replace_reader(programs);
	programs_report_left_out(programs);
	programs_make_space(programs);
	programs_expect(programs);
}

/* No process can read programs any more: those that start must not wait for one. */
static void programs_end(struct programs *programs)
{
	helper_end(&programs->helper);
	file_close(programs->fd);
	programs->fd = -1;
	programs->reader_pid = 0;
	programs->is_asked = false;
	programs_lose(programs);
	report_message(programs->settings.report,
		       "programs are recorded no more: the processes that read them have ended");
}

/* Takes a message; returns false if there is none. */
static bool programs_receive(struct programs *programs, int timeout_ms)
{
	struct pollfd state = { .fd = programs->fd, .events = POLLIN };
	ssize_t size;

	if (programs->fd < 0 || poll(&state, 1, timeout_ms) <= 0)
		return false;
	size = recv(programs->fd, programs->message, BATCH_MAX, MSG_DONTWAIT);
	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (size > 0)
		message_take(programs, size);
	else
		programs_end(programs);
	return size > 0;
}

/* Programs that start later are missing. */
static void programs_check_helper(struct programs *programs)
{
	struct helper_report report;

	if (programs->has_lost_helper || helper_receive(&programs->helper, &report, 0) ||
	    !programs->helper.has_ended)
		return;
	programs->has_lost_helper = true;
	programs->is_searching = false;
	programs_lose(programs);
	report_message(programs->settings.report,
		       "programs that start from now on are missing: the helper process has ended");
}

/* A busy machine does not make the reader sleep. */
static void programs_check_reader(struct programs *programs)
{
	int64_t since_ns = time_now_ns(CLOCK_MONOTONIC) - programs->asked_ns;

	if (!programs->is_asked || programs->reader_pid == 0)
		return;
	programs->nr_looks++;
	programs->nr_sleeps += process_is_sleeping(programs->reader_pid);
	if ((since_ns >= HANG_NS && programs->nr_sleeps >= HANG_SLEEPS) ||
	    (since_ns >= HANG_RUNS_NS && programs->nr_looks >= HANG_RUNS))
		programs_replace_reader(programs);
}

/* Whether there is a reader that has found the programs and answered, or there never will be. */
static bool programs_are_idle(const struct programs *programs)
{
	return programs->fd < 0 ||
	       (programs->is_found && programs->is_switched && !programs->is_asked);
}

/*
 * What a step counts in which nothing was received. A busy machine makes no process sleep. Until
 * the reader has found the programs, it waits for the helper and for the search, a child of that.
 */
static unsigned int step_count(const struct programs *programs)
{
	if (programs->is_found && programs->reader_pid > 0)
		return process_is_sleeping(programs->reader_pid) ? BUSY_STEPS : 0;
	return process_family_is_sleeping(programs->helper.pid) ? BUSY_STEPS : 1;
}

/* Waits until there is nothing to wait for, or the reader has not run for too many steps. */
static void programs_await(struct programs *programs, int step_ms, unsigned int nr_steps)
{
	for (unsigned int i = 0; i < nr_steps * BUSY_STEPS && !programs_are_idle(programs);) {
		programs_ask_switch(programs);
		if (!programs_receive(programs, step_ms))
			i += step_count(programs);
	}
}

/* A system user is there; asking other databases may fail in more ways. */
bool programs_find_reader(uid_t *user, gid_t *group)
{
	FILE *file = geteuid() == 0 ? fopen("/etc/passwd", "re") : NULL;
	const struct passwd *entry;
	bool is_found = false;

	while (file && !is_found && (entry = fgetpwent(file))) {
		is_found = strcmp(entry->pw_name, PROGRAMS_READER_USER) == 0 && entry->pw_uid != 0;
		*user = is_found ? entry->pw_uid : 0;
		*group = is_found ? entry->pw_gid : 0;
	}
	if (file)
		fclose(file);
	return is_found;
}

/* Compilers and linkers merge a text with the end of another one. */
bool program_may_emit(const struct buffer *file, const char *system)
{
	return memmem(file->data, file->size, KTRACK_USER_SOCKET, sizeof(KTRACK_USER_SOCKET)) &&
	       !strpbrk(system, "*?[") &&
	       memmem(file->data, file->size, system, strlen(system) + 1);
}

/* In a process of the helper. */
static bool process_is_wanted(void *context, int pid)
{
	const struct programs *programs = context;

	if (programs->settings.of_descendants)
		return process_descends(pid, programs->own_pid, ANCESTORS_MAX);
	return program_socket_owns(&programs->socket, pid);
}

/* Starts the helper, whose reader adds the programs that run. */
static int programs_begin(struct programs *programs, struct error *error)
{
	struct helper_work work = { .socket_fd = programs->socket.fd,
				    .descendants_fd = programs->socket.descendants_fd,
				    .of_descendants = programs->settings.of_descendants,
				    .own_pid = programs->own_pid,
				    .globs = programs->settings.globs,
				    .ring_size = programs->settings.ring_size,
				    .events = programs->settings.events,
				    .context = programs,
				    .wants = process_is_wanted };

	if (helper_start_reader(&programs->helper, &work, &programs->fd, error) < 0)
		return -1;
	/* The helper has the sockets. */
	close(programs->socket.fd);
	file_close(programs->socket.descendants_fd);
	programs->socket.fd = -1;
	programs->socket.descendants_fd = -1;
	programs->searched_ns = time_now_ns(CLOCK_BOOTTIME);
	programs_await(programs, SEARCH_STEP_MS, SEARCH_STEPS);
	return 0;
}

int programs_new(struct programs **out, const struct programs_settings *settings,
		 struct error *error)
{
	struct programs *programs = calloc(1, sizeof(*programs));

	*out = NULL;
	if (!programs)
		return error_set(error, "out of memory");
	programs->settings = *settings;
	programs->own_pid = getpid();
	programs->socket.fd = -1;
	programs->socket.descendants_fd = -1;
	programs->helper.fd = -1;
	programs->fd = -1;
	programs->from_ns = time_now_ns(CLOCK_BOOTTIME);
	programs->recorded.size_max = settings->size_max + PASS_SIZE_MAX;
	programs->pass_size = ROUND_SIZE_FIRST;
	programs->message = malloc(BATCH_MAX);
	if (!programs->message)
		error_set(error, "out of memory");
	if (!programs->message ||
	    program_socket_open(&programs->socket, settings->of_descendants, error) < 0) {
		programs_close(programs);
		return -1;
	}
	if (settings->of_descendants && programs->socket.descendants_fd < 0)
		report_message(settings->report,
			       "programs: cannot listen for descendants that have another "
			       KTRACK_USER_SOCKET_VARIABLE "; those that end within a second may "
			       "be missing");
	if (programs_begin(programs, error) < 0) {
		programs_close(programs);
		return -1;
	}
	*out = programs;
	return 0;
}

/* The reader switches off what it has left; the next ktrack need not find these programs locked. */
static void programs_close_reader(struct programs *programs)
{
	helper_end(&programs->helper);
	if (programs->fd < 0)
		return;
	shutdown(programs->fd, SHUT_WR);
	for (int i = 0; i < ANSWER_STEPS / 2;) {
		struct pollfd state = { .fd = programs->fd, .events = POLLIN };

		if (poll(&state, 1, ANSWER_STEP_MS) == 0)
			i++;
		else if (recv(programs->fd, programs->message, BATCH_MAX, MSG_DONTWAIT) <= 0)
			break;
	}
	close(programs->fd);
}

void programs_close(struct programs *programs)
{
	if (!programs)
		return;
	program_socket_close(&programs->socket);
	programs_close_reader(programs);
	recorded_release(&programs->recorded);
	refusals_release(&programs->refusals);
	free(programs->message);
	free(programs);
}

void programs_export_socket(const struct programs *programs)
{
	if (programs->socket.folder)
		setenv(KTRACK_USER_SOCKET_VARIABLE, programs->socket.path, 1);
}

const char *programs_socket(const struct programs *programs)
{
	return programs->socket.path;
}

int programs_fd(const struct programs *programs)
{
	return programs->fd;
}

int programs_start(struct programs *programs, struct error *error)
{
	programs->is_on = true;
	programs->from_ns = time_now_ns(CLOCK_BOOTTIME);
	programs->is_switched = false;
	programs_await(programs, ANSWER_STEP_MS, ANSWER_STEPS);
	return programs->has_failed ? error_set(error, "out of memory") : 0;
}

static void programs_search(struct programs *programs)
{
	int64_t every_ns = programs->socket.folder || programs->was_locked ? SEARCH_NS
									   : SEARCH_RARELY_NS;
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);

	if (programs->is_searching || programs->helper.fd < 0 ||
	    now_ns - programs->searched_ns < every_ns)
		return;
	programs->searched_ns = now_ns;
	programs->was_locked = false;
	programs->helper.is_searching = false;
	helper_search(&programs->helper);
	programs->is_searching = programs->helper.is_searching;
}

/* Asks for the last pass until it is answered, or the reader has not run for too many steps. */
static bool programs_finish(struct programs *programs)
{
	uint32_t number;

	/* A pass is cut short by this request, and its answer ignored. */
	if (programs->is_found && programs->is_switched)
		programs->is_asked = false;
	programs_await(programs, ANSWER_STEP_MS, ANSWER_STEPS);
	for (unsigned int nr_readers = 0;
	     programs->is_found && nr_readers != programs->nr_readers;) {
		nr_readers = programs->nr_readers;
		number = programs->number + 1;
		programs_ask(programs, REQUEST_FINISH);
		programs_await(programs, ANSWER_STEP_MS, ANSWER_STEPS);
		if (programs->number == number && !programs->is_asked && programs->fd >= 0)
			return true;
	}
	return false;
}

/* Whether a signal has asked for the end. */
static bool programs_are_hurried(struct programs *programs)
{
	const struct programs_settings *settings = &programs->settings;

	if (programs->hurried_ns == 0 && settings->mode == PROGRAMS_WAIT && settings->is_hurried &&
	    settings->is_hurried(settings->context)) {
		programs->hurried_ns = time_now_ns(CLOCK_MONOTONIC);
		programs->hurried_cpu_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID);
	}
	return programs->hurried_ns > 0;
}

void programs_stop(struct programs *programs)
{
	bool was_read;

	if (programs->is_over)
		return;
	programs->is_over = true;
	programs->is_on = false;
	programs_are_hurried(programs);
	was_read = programs_finish(programs);
	if (!was_read && programs->fd >= 0)
		report_message(programs->settings.report,
			       "the process that reads programs does not answer; the last records "
			       "of programs are missing");
	if (!was_read || programs->is_waiting || programs->is_cut || programs->refused != 0)
		programs_lose(programs);
	programs_report_rest(programs);
}

/* Events that lose all their records: making each known would take longer than all that is left. */
static void programs_leave_events(const struct event_table *events,
				  const struct record_queue *queue)
{
	uint16_t id;

	for (size_t i = 0; i < events->size; i++)
		events->list[i]->is_unused = true;
	for (size_t i = 0; i < queue->size; i++) {
		memcpy(&id, queue->bytes.data + queue->list[i].offset, sizeof(id));
		events->list[id - PROGRAM_EVENT_ID]->is_unused = false;
	}
}

/* How many records a user may have if all together have so many. */
static size_t share_of_records(const struct record_queue *queue, size_t nr_records)
{
	size_t share = 0, too_many = nr_records + 1;

	while (too_many - share > 1) {
		size_t middle = share + (too_many - share) / 2, sum = 0;

		for (size_t i = 0; i < queue->nr_users; i++)
			sum += queue->users[i].nr_records < middle ? queue->users[i].nr_records
								   : middle;
		*(sum <= nr_records ? &share : &too_many) = middle;
	}
	return share;
}

static void programs_limit(struct programs *programs)
{
	const struct user_table *users = &programs->recorded.users;
	struct record_queue *queue = &programs->recorded.queue;
	size_t nr_max, nr_again, nr_cut = 0;

	for (size_t i = 0; i < queue->nr_users; i++)
		nr_cut += queue->users[i].was_cut;
	/* Others have what the first limit left them. */
	nr_max = share_of_records(queue, nr_cut == 0 && programs->nr_limits > 0
						 ? HURRY_RECORDS / 2
						 : HURRY_RECORDS);
	nr_again = nr_cut > 0 ? HURRY_AGAIN_RECORDS / nr_cut : nr_max;
	programs->nr_limits++;
	programs->limited_ns = time_now_ns(CLOCK_MONOTONIC);
	if (queue_limit(queue, nr_max, nr_again) == 0)
		return;
	for (size_t i = 0; i < queue->nr_users; i++) {
		if (queue->users[i].nr_cut > 0)
			report_message(programs->settings.report,
				       "programs of user %u: their last %zu records are lost, they "
				       "would have delayed the end",
				       (unsigned int)users->list[i]->uid, queue->users[i].nr_cut);
	}
	programs_leave_events(&programs->recorded.events, queue);
}

/* Whether records that would still be delivered take too long. */
static bool programs_are_too_many(const struct programs *programs)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);

	if (programs->nr_limits > 0)
		return now_ns - programs->limited_ns >= HURRY_STEP_NS;
	return now_ns - programs->hurried_ns >= HURRY_NS ||
	       time_now_ns(CLOCK_THREAD_CPUTIME_ID) - programs->hurried_cpu_ns >= HURRY_CPU_NS;
}

/* Receiving and delivering may take long: the end comes meanwhile. */
static void programs_hurry(struct programs *programs)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);

	if (programs->nr_limits == HURRY_STEPS || now_ns - programs->looked_ns < LOOK_NS)
		return;
	programs->looked_ns = now_ns;
	if (!programs_are_hurried(programs))
		return;
	programs_stop(programs);
	if (programs_are_too_many(programs))
		programs_limit(programs);
}

/*
 * Asks for a pass that is over soon, with all that is delivered before the next one. It reads more
 * than the last one if that was over very soon, and was not enough.
 */
static void programs_ask_pass(struct programs *programs)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC), cpu_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t took_ns = now_ns - programs->round_ns, took_cpu_ns = cpu_ns - programs->round_cpu_ns;
	size_t before = programs->pass_size, size = before, size_max = programs->recorded.size_max;

	if (programs->round_ns > 0 && took_ns >= ROUND_NS && took_cpu_ns >= ROUND_CPU_NS)
		size = before / 2 > ROUND_SIZE_MIN ? before / 2 : ROUND_SIZE_MIN;
	else if (programs->is_cut && (took_ns < ROUND_NS / 4 || took_cpu_ns < ROUND_CPU_NS / 4))
		size = before < size_max / 2 ? 2 * before : size_max;
	programs->pass_size = size;
	if (!programs_ask(programs, REQUEST_PASS)) {
		programs->pass_size = before;
		return;
	}
	programs->round_ns = now_ns;
	programs->round_cpu_ns = cpu_ns;
}

/* Behind the end, new programs and those that go on writing have nothing that belongs to it. */
int programs_read(struct programs *programs, int timeout_ms, struct error *error)
{
	while (!programs->is_over && programs_receive(programs, 0))
		programs_hurry(programs);
	if (programs->is_over)
		return programs->has_failed ? error_set(error, "out of memory") : 0;
	programs_check_helper(programs);
	programs_search(programs);
	programs_ask_switch(programs);
	/* If no record is final, only a pass can find that a record was completed that holds them
	 * back. */
	if (programs->is_found &&
	    (programs_make_space(programs) ||
	     !queue_has_record(&programs->recorded.queue, programs->ready_ns)))
		programs_ask_pass(programs);
	while (programs->is_asked && programs_receive(programs, timeout_ms))
		programs_hurry(programs);
	programs_check_reader(programs);
	return programs->has_failed ? error_set(error, "out of memory") : 0;
}

int64_t programs_ready_ns(const struct programs *programs)
{
	return programs->fd < 0 ? time_now_ns(CLOCK_BOOTTIME) : programs->ready_ns;
}

int programs_wait_ms(const struct programs *programs)
{
	int64_t wait_ns = programs->wait_ns;

	if (wait_ns > WAIT_MAX_NS)
		wait_ns = WAIT_MAX_NS;
	if (wait_ns < WAIT_MIN_NS)
		wait_ns = WAIT_MIN_NS;
	return wait_ns / (NS_PER_S / 1000);
}

size_t programs_fill(struct programs *programs, int64_t until_ns, unsigned char *page)
{
	programs_hurry(programs);
	return queue_fill(&programs->recorded.queue, until_ns, page);
}

size_t programs_extend(struct programs *programs, int64_t until_ns, unsigned char *page)
{
	return queue_extend(&programs->recorded.queue, until_ns, page);
}

void programs_count(const struct programs *programs, struct programs_counts *out)
{
	*out = programs->recorded.queue.counts;
}

size_t programs_nr_events(const struct programs *programs)
{
	return programs->recorded.events.size;
}

const struct program_event *programs_event(const struct programs *programs, size_t index)
{
	return programs->recorded.events.list[index];
}

const struct program_event *programs_next_event(struct programs *programs)
{
	const struct event_table *events = &programs->recorded.events;

	programs_hurry(programs);
	while (programs->next_event < events->size) {
		const struct program_event *event = events->list[programs->next_event++];

		if (!event->is_unused)
			return event;
	}
	return NULL;
}

bool programs_find_task(const struct programs *programs, int tid, struct thread_identity *out)
{
	const struct program_task *task = task_table_find(&programs->recorded.tasks, tid);

	if (task)
		*out = task->identity;
	return task;
}

bool programs_task(const struct programs *programs, size_t index, int *tid,
		   struct thread_identity *out)
{
	const struct task_table *tasks = &programs->recorded.tasks;

	if (index >= tasks->size)
		return false;
	*tid = tasks->list[index]->tid;
	*out = tasks->list[index]->identity;
	return true;
}
