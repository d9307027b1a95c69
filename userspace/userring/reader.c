// SPDX-License-Identifier: GPL-2.0-only
/* The reader's process: reads all rings when the recorder asks for it. */
#include "userring/reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Programs that have ended are noticed within this time. */
#define LOOK_NS (NS_PER_S / 2)

/* Records that were begun are awaited after the end, in steps of a millisecond. */
#define AWAIT_STEPS 200
#define HURRY_STEPS 20

#define READER_NAME "ktrack-reader"

/* Reads one program; returns the bytes, or -1 if the batch has failed. */
static int64_t reader_read(struct reader *reader, struct program *program, uint64_t size_max,
			   int64_t now_ns)
{
	const struct ring_reader rings = { .batch = &reader->batch,
					   .tasks = &reader->tasks,
					   .user_max = size_max / reader->nr_users,
					   .awaits_left = reader->nr_users == 1 &&
							  reader->held < READER_HELD_MAX };
	int64_t size;

	if (program->is_damaged)
		return 0;
	reader_set_place(reader, program->pid);
	size = program_read(program, &rings, now_ns);
	reader_set_place(reader, 0);
	/* The rest of its records stays in its memory. */
	if (program->is_damaged)
		program_switch(program, false);
	/* Reported once for a program. */
	if (program->search_state == SEARCH_IS_LATE) {
		program->search_state = SEARCH_IS_REPORTED;
		batch_note(&reader->batch, NOTE_THREADS, program->pid, 0, program->comm);
	}
	return size;
}

int64_t fill_ns_slower(int64_t fill_ns, int64_t elapsed_ns)
{
	double slower_ns = fill_ns * (1 + (double)elapsed_ns / NS_PER_S);

	return slower_ns < FILL_NEVER_NS ? slower_ns : FILL_NEVER_NS;
}

int64_t fill_ns_after(int64_t fill_ns, int64_t elapsed_ns, const struct program *program)
{
	double now_ns = FILL_NEVER_NS;

	if (program->most_bytes > 0)
		now_ns = (double)program->ring_size / program->most_bytes * elapsed_ns;
	return now_ns < fill_ns ? now_ns : fill_ns;
}

static int program_compare_turn(const void *a, const void *b)
{
	const struct program *const *one = a, *const *other = b;

	return ((*one)->turn > (*other)->turn) - ((*one)->turn < (*other)->turn);
}

/* Each user gets the same share. Who had the rest of it is behind all others in the next pass. */
bool reader_pass(struct reader *reader, uint64_t size_max)
{
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);
	int64_t elapsed_ns = now_ns - reader->passed_ns;
	uint64_t turn = reader->turn, sum = 0;
	bool is_cut = false;

	reader->ready_ns = now_ns;
	reader->passed_ns = now_ns;
	reader->fill_ns = fill_ns_slower(reader->fill_ns, elapsed_ns);
	reader->nr_users = user_table_begin_pass(&reader->users);
	for (size_t i = 0; i < reader->size; i++) {
		struct program *program = reader->list[i];
		int64_t size = reader_read(reader, program, size_max, now_ns);

		if (size < 0)
			return false;
		reader->fill_ns = fill_ns_after(reader->fill_ns, elapsed_ns, program);
		reader->ready_ns = program_ready_ns(program, reader->ready_ns);
		sum += size;
		is_cut |= program->is_cut && !program->is_damaged;
		if (size > 0 && program->is_cut)
			program->turn = ++reader->turn;
	}
	reader->held = is_cut ? reader->held + sum : 0;
	if (reader->turn != turn)
		qsort(reader->list, reader->size, sizeof(*reader->list), program_compare_turn);
	return batch_flush(&reader->batch);
}

static int program_compare_left(const void *a, const void *b)
{
	const struct program *const *left = a, *const *right = b;

	return ((*left)->left > (*right)->left) - ((*left)->left < (*right)->left);
}

/* Of each user the same is read, and of its programs those first that have the least. */
static void reader_limit(struct reader *reader)
{
	size_t nr_users = user_table_begin_pass(&reader->users);

	for (size_t i = 0; i < reader->users.size; i++)
		reader->users.list[i]->left = READER_END_MAX / nr_users;
	for (size_t i = 0; i < reader->size; i++)
		reader->list[i]->left = program_pending(reader->list[i]);
	if (reader->size > 0)
		qsort(reader->list, reader->size, sizeof(*reader->list), program_compare_left);
	for (size_t i = 0; i < reader->size; i++) {
		struct program *program = reader->list[i];

		if (program->left > program->user->left)
			program->left = program->user->left;
		program->user->left -= program->left;
		program->left += READER_END_MORE;
	}
}

/* What was sent is freed before the memory is unmapped. */
static bool reader_release(struct reader *reader, struct program *program)
{
	struct part_ended *part;

	if (program->is_cut)
		batch_note(&reader->batch, NOTE_LEFT, program->pid, 0, program->comm);
	part = batch_reserve(&reader->batch, sizeof(*part));
	if (part && program->is_announced) {
		*part = (struct part_ended){ .id = { program->device, program->inode },
					     .is_cut = program->is_cut };
		batch_add(&reader->batch, &part->head, PART_ENDED, sizeof(*part));
	}
	if (!batch_flush(&reader->batch))
		return false;
	program->user->nr_programs--;
	program_close(program);
	return true;
}

/** reader_look - release programs that have ended, after they were read; false as reader_pass() */
static bool reader_look(struct reader *reader, uint64_t size_max)
{
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);
	size_t nr_left = 0;
	bool is_whole = true;

	if (now_ns - reader->looked_ns < LOOK_NS)
		return true;
	reader->looked_ns = now_ns;
	reader->nr_users = user_table_begin_pass(&reader->users);
	for (size_t i = 0; i < reader->size; i++) {
		struct program *program = reader->list[i];

		if (is_whole)
			program_look(program);
		if (is_whole && program->has_ended)
			is_whole = reader_read(reader, program, size_max, now_ns) >= 0 &&
				   reader_release(reader, program);
		else
			reader->list[nr_left++] = program;
	}
	reader->size = nr_left;
	return is_whole && batch_flush(&reader->batch);
}

bool reader_release_programs(struct reader *reader)
{
	bool is_whole = true;

	while (is_whole && reader->size > 0)
		is_whole = reader_release(reader, reader->list[--reader->size]);
	return is_whole;
}

/** reader_switch - switch all programs on or off */
static void reader_switch(struct reader *reader, bool is_on)
{
	reader->is_on = is_on;
	for (size_t i = 0; i < reader->size; i++) {
		if (reader->list[i]->is_damaged)
			continue;
		program_switch(reader->list[i], is_on);
		reader->list[i]->from_ns = reader->from_ns;
	}
}

/* Whether records are begun. */
static bool reader_is_waiting(const struct reader *reader)
{
	for (size_t i = 0; i < reader->size; i++) {
		if (program_is_waiting(reader->list[i]))
			return true;
	}
	return false;
}

/* Whether records are left in rings. */
static bool reader_is_cut(const struct reader *reader)
{
	for (size_t i = 0; i < reader->size; i++) {
		if (reader->list[i]->is_cut && !reader->list[i]->is_damaged)
			return true;
	}
	return false;
}

static bool reader_send_passed(struct reader *reader, const struct part_passed *passed)
{
	struct part_passed *part = batch_reserve(&reader->batch, sizeof(*part));

	if (!part)
		return false;
	*part = *passed;
	batch_add(&reader->batch, &part->head, PART_PASSED, sizeof(*part));
	return batch_flush(&reader->batch);
}

struct part_passed reader_passed(const struct reader *reader, uint32_t number)
{
	bool is_cut = reader_is_cut(reader);

	return (struct part_passed){ .number = number,
				     .is_waiting = reader_is_waiting(reader),
				     .is_cut = is_cut,
				     .ready_ns = reader->ready_ns,
				     .wait_ns = is_cut ? 0 : reader->fill_ns / 4 };
}

void reader_check_end(struct reader *reader)
{
	struct reader_request request;
	bool is_late;

	if (reader->end_ns > 0)
		is_late = time_now_ns(CLOCK_THREAD_CPUTIME_ID) >= reader->end_ns;
	else
		is_late = recv(reader->fd, &request, sizeof(request), MSG_PEEK | MSG_DONTWAIT) ==
				  sizeof(request) &&
			  request.kind == REQUEST_FINISH && request.pid == getpid();
	reader->batch.is_hurried |= is_late;
}

bool reader_finish(struct reader *reader, uint64_t size_max)
{
	const struct timespec step = { .tv_nsec = NS_PER_S / 1000 };
	int nr_steps = reader->is_hurried ? HURRY_STEPS : AWAIT_STEPS;
	bool is_whole;

	reader_await_answers(reader);
	reader_switch(reader, false);
	reader->end_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID) +
			 (reader->is_hurried ? READER_HURRY_NS : READER_END_NS);
	reader->batch.is_hurried = false;
	/* A thread may have seen that recording is on, and reserves only now. */
	nanosleep(&step, NULL);
	reader->looked_ns = 0;
	is_whole = reader_accept(reader);
	reader_limit(reader);
	is_whole = is_whole && reader_pass(reader, size_max) && reader_look(reader, size_max);
	for (int i = 0; is_whole && i < nr_steps && reader_is_waiting(reader); i++) {
		nanosleep(&step, NULL);
		is_whole = reader_pass(reader, size_max);
	}
	return is_whole;
}

static bool reader_do(struct reader *reader, const struct reader_request *request)
{
	struct part_passed passed = { .number = request->number };

	switch (request->kind) {
	case REQUEST_SWITCH:
		reader->from_ns = request->from_ns;
		reader_switch(reader, request->is_on);
		break;
	case REQUEST_PASS:
		if (!reader_accept(reader) || !reader_pass(reader, request->size_max))
			return false;
		/* The end comes next, and reads those that have ended as a whole. */
		if (!reader->batch.is_hurried && !reader_look(reader, request->size_max))
			return false;
		passed = reader_passed(reader, request->number);
		break;
	default:
		reader->is_hurried = request->is_hurried;
		if (!reader_finish(reader, request->size_max))
			return false;
		passed = reader_passed(reader, request->number);
		if (!reader_release_programs(reader))
			return false;
		break;
	}
	return reader_send_passed(reader, &passed);
}

/* Takes a request; returns 0 if there is none, -1 if the recorder has ended. */
static int request_receive(struct reader *reader, struct reader_request *request, int flags)
{
	ssize_t size = recv(reader->fd, request, sizeof(*request), flags);

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	reader->is_over |= size != sizeof(*request);
	return reader->is_over ? -1 : request->pid == getpid();
}

static bool batch_bytes_send(void *context, const unsigned char *bytes, size_t size)
{
	struct reader *reader = context;
	ssize_t sent;

	do {
		sent = send(reader->fd, bytes, size, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	reader->is_over |= sent < 0 && (errno == EPIPE || errno == ECONNRESET);
	reader_check_end(reader);
	return sent == (ssize_t)size;
}

/* Nothing is taken before the recorder has said from which time on. */
static bool reader_begin(struct reader *reader)
{
	struct part_begun *part = batch_reserve(&reader->batch, sizeof(*part));
	struct reader_request request;
	int status = 0;

	if (!part)
		return false;
	*part = (struct part_begun){ .pid = getpid() };
	batch_add(&reader->batch, &part->head, PART_BEGUN, sizeof(*part));
	if (!batch_flush(&reader->batch))
		return false;
	while (status == 0)
		status = request_receive(reader, &request, 0);
	return status > 0 && reader_do(reader, &request);
}

/* Returns when the recorder has ended, or memory ran out. */
static void reader_serve(struct reader *reader)
{
	struct reader_request request;
	int status = 0;

	while (status >= 0) {
		struct pollfd fds[] = { { .fd = reader->fd, .events = POLLIN },
					{ .fd = reader->helper.fd, .events = POLLIN } };

		poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
		status = reader_accept(reader) ? request_receive(reader, &request, MSG_DONTWAIT)
					       : -1;
		if (status > 0 && !reader_do(reader, &request))
			status = -1;
	}
}

/* Whoever has ended by itself for want of memory leaves programs as they are to the next one. */
void reader_run(const struct helper_work *work, int inbox_fd, int *place, int search_number)
{
	struct reader reader = { .fill_ns = FILL_NEVER_NS,
				 .globs = work->globs,
				 .inspection = work->inspection,
				 .ring_size = work->ring_size,
				 .events = work->events,
				 .fd = work->reader_fd,
				 .helper = { .fd = inbox_fd },
				 .place = place,
				 .search_number = search_number,
				 .nr_users = 1 };

	prctl(PR_SET_NAME, READER_NAME);
	reader.batch.context = &reader;
	reader.batch.send = batch_bytes_send;
	reader_set_place(&reader, 0);
	reader_drop_rights(work);
	if (!batch_open(&reader.batch) || !reader_begin(&reader))
		return;
	reader_serve(&reader);
	for (size_t i = 0; i < reader.size && reader.is_over; i++)
		program_close(reader.list[i]);
}
