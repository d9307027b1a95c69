// SPDX-License-Identifier: GPL-2.0-only
/* Which programs are recorded: those that are found, and those that announce themselves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userring/process.h"
#include "userring/reader.h"

/* How long the end waits until the helper knows whether programs have waited, in steps. */
#define ANSWER_STEP_MS 50
#define ANSWER_STEPS 30

/* So many are taken before rings are read again. */
#define OFFERS_MAX 256

static bool reader_has(const struct reader *reader, const struct program *program)
{
	for (size_t i = 0; i < reader->size; i++) {
		if (reader->list[i]->inode == program->inode &&
		    reader->list[i]->device == program->device)
			return true;
	}
	return false;
}

/* Returns false if the program is one too many. */
static bool reader_has_place(struct reader *reader, const struct program *program)
{
	size_t nr_of_process = 0;

	for (size_t i = 0; i < reader->size; i++)
		nr_of_process += reader->list[i]->pid == program->pid &&
				 !reader->list[i]->has_ended;
	if (user_has_place(program->user->nr_programs, reader->size, PROGRAMS_MAX) &&
	    nr_of_process < PROCESS_PROGRAMS_MAX)
		return true;
	batch_note(&reader->batch, NOTE_FULL, program->pid, 0, program->comm);
	return false;
}

static bool message_has_mapped(const struct helper_message *message, ino_t inode)
{
	for (size_t i = 0; i < message->nr_mapped; i++) {
		if (message->mapped[i] == inode)
			return true;
	}
	return false;
}

/* After exec(2), earlier memory of the process has no writer. */
static void reader_end_replaced(struct reader *reader, const struct helper_message *message)
{
	for (size_t i = 0; i < reader->size && message->nr_mapped > 0; i++) {
		struct program *other = reader->list[i];

		other->has_ended |= other->pid == message->pid &&
				    other->added_ns < message->mapped_ns &&
				    !message_has_mapped(message, other->inode);
	}
}

static bool reader_lock(struct reader *reader, struct program *program)
{
	program->ring_wanted = reader->ring_size;
	program->events = reader->events;
	if (program_lock(program))
		return true;
	batch_note(&reader->batch, NOTE_LOCKED, program->pid, 0, program->comm);
	return false;
}

/* A program that has not waited for the answer was not recorded until now. */
static void reader_note_late(struct reader *reader, int pid)
{
	const struct program *program = NULL;

	for (size_t i = 0; i < reader->size; i++) {
		const struct program *other = reader->list[i];

		if (other->pid == pid && (!program || program->added_ns <= other->added_ns))
			program = other;
	}
	/* One that is alive and not recorded is not wanted. */
	if (program || process_started(pid) == 0)
		batch_note(&reader->batch, NOTE_LATE, pid, 0, program ? program->comm : NULL);
}

/*
 * The recorder knows of the program before it is switched on: if this reader is killed and the
 * program ends, records may be lost. Those that an earlier reader has read are the recorder's to
 * drop. Returns false if memory ran out.
 */
static bool reader_begin_program(struct reader *reader, struct program *program)
{
	if (!array_reserve(reader->list, reader->size))
		return false;
	reader->list[reader->size++] = program;
	program->added_ns = time_now_ns(CLOCK_BOOTTIME);
	program->user->nr_programs++;
	if (!program_announce(program, &reader->batch) || !batch_flush(&reader->batch))
		return true;
	program_switch(program, reader->is_on);
	program->from_ns = reader->from_ns;
	if (program_take_missed(program))
		reader_note_late(reader, program->pid);
	return true;
}

static void reader_add(struct reader *reader, struct program *program,
		       const struct helper_message *message)
{
	program->user = user_table_find(&reader->users, message->user);
	if (program->user)
		reader_end_replaced(reader, message);
	if (program->user && (!reader_has_place(reader, program) || !reader_lock(reader, program))) {
		program_close(program);
		return;
	}
	if (program->user && reader_begin_program(reader, program))
		return;
	batch_note(&reader->batch, NOTE_REFUSED, program->pid, ENOMEM, program->comm);
	program_close(program);
}

/* The reader itself may not read this of another user's process. */
static bool program_set_origin(struct program *program, const struct helper_message *message)
{
	char *path = strndup(message->path, sizeof(message->path));

	if (!path)
		return false;
	free(program->path);
	program->path = path;
	program->clock_offset_ns = message->clock_offset_ns;
	return true;
}

static void memory_take(struct reader *reader, const struct helper_report *report)
{
	const struct helper_message *message = &report->message;
	bool has_lease = message->kind == HELPER_LEASED;
	struct program *program = has_lease ? NULL : program_open(report->memory_fd, message->pid);
	int number = has_lease ? EAGAIN : errno;
	char comm[THREAD_COMM_SIZE];

	if (program && !program_set_origin(program, message)) {
		program_close(program);
		program = NULL;
		number = ENOMEM;
	}
	if (reader->inspection != INSPECTION_NONE) {
		reader_inspect(reader, program, message, number);
		return;
	}
	/* A child has the file of its parent until it executes another program. */
	if (!program && number != ESRCH) {
		process_comm(message->pid, comm, sizeof(comm));
		batch_note(&reader->batch, NOTE_REFUSED, message->pid, number, comm);
	}
	if (!program)
		return;
	if (reader_has(reader, program) || !program_matches(program, reader->globs))
		program_close(program);
	else
		reader_add(reader, program, message);
}

static void reader_take_report(struct reader *reader, const struct helper_report *report)
{
	const struct helper_message *message = &report->message;
	struct part *searched;

	switch (message->kind) {
	case HELPER_OFFER:
	case HELPER_FOUND:
	case HELPER_LEASED:
		/* What the search for an earlier reader has found is found again. */
		if (message->kind != HELPER_OFFER && message->number < reader->search_number)
			break;
		reader_set_place(reader, message->pid);
		memory_take(reader, report);
		reader_set_place(reader, 0);
		/* Without an answer, the next reader gets the offer. */
		if (message->kind == HELPER_OFFER && !reader->batch.has_failed)
			report_answer(report);
		break;
	case HELPER_ANSWERED:
		if (message->number)
			reader_note_late(reader, message->pid);
		break;
	case HELPER_DROPPED:
		batch_note(&reader->batch, NOTE_DROPPED, 0, 0, NULL);
		break;
	case HELPER_PROBLEM:
		batch_note(&reader->batch, NOTE_PROBLEM, message->pid, message->number, NULL);
		break;
	case HELPER_REFUSED:
		batch_note(&reader->batch, NOTE_UNACCEPTED, 0, message->number, NULL);
		break;
	case HELPER_CUT:
		batch_note(&reader->batch, NOTE_CUT, message->pid, message->number, NULL);
		break;
	case HELPER_SEARCHED:
		searched = message->number < reader->search_number
				   ? NULL
				   : batch_reserve(&reader->batch, sizeof(*searched));
		if (searched)
			batch_add(&reader->batch, searched, PART_SEARCHED, sizeof(*searched));
		break;
	default:
		break;
	}
}

/*
 * Takes the next message; returns false if there is none, or this reader has failed: then it is the
 * next reader's.
 */
static bool reader_accept_one(struct reader *reader, int timeout_ms)
{
	struct helper_report report;

	if (reader->batch.has_failed || !helper_receive(&reader->helper, &report, timeout_ms))
		return false;
	reader_take_report(reader, &report);
	report_close(&report);
	return true;
}

/* One that can receive no messages ends, and the next one gets them; without a helper, none comes. */
bool reader_accept(struct reader *reader)
{
	for (int i = 0; i < OFFERS_MAX && reader_accept_one(reader, 0); i++)
		;
	return batch_flush(&reader->batch) && !reader->helper.has_failed;
}

void reader_await_answers(struct reader *reader)
{
	int nr_steps = 0;

	reader_accept(reader);
	while (nr_steps < ANSWER_STEPS && reader->helper.nr_unanswered > 0)
		nr_steps += !reader_accept_one(reader, ANSWER_STEP_MS);
}
