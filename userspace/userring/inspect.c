// SPDX-License-Identifier: GPL-2.0-only
/* The reader's part of an inspection: reports memory that a search has found, and reads no ring. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userring/process.h"
#include "userring/reader.h"

static bool inspect_event(struct batch *batch, const unsigned char *bytes, size_t size)
{
	struct part_event *part = batch_reserve(batch, sizeof(*part) + size);

	if (!part)
		return false;
	*part = (struct part_event){ .size = size };
	memcpy(part + 1, bytes, size);
	batch_add(batch, &part->head, PART_FOUND_EVENT, sizeof(*part) + size);
	return true;
}

/* Reports descriptions up to the first that is damaged, or not complete. */
static void inspect_events(struct batch *batch, const struct program *program)
{
	unsigned char *copy = malloc(program->events_size);
	struct ktrack_user_event head;
	size_t size;

	if (!copy ||
	    !program_pread(program, copy, program->events_size, KTRACK_USER_CONTROL_SIZE)) {
		free(copy);
		return;
	}
	for (size_t at = 0; at + sizeof(head) <= program->events_size; at += size) {
		memcpy(&head, copy + at, sizeof(head));
		size = head.word & ~7u;
		if (!(head.word & KTRACK_USER_COMMITTED) || size < sizeof(head) ||
		    size > program->events_size - at || size > PART_DATA_MAX ||
		    !inspect_event(batch, copy + at, size))
			break;
	}
	free(copy);
}

/* A program that is on and not locked is recorded by nobody: closing it switches it off. */
static bool inspect_free(struct program *program)
{
	return __atomic_load_n(&program->control->on, __ATOMIC_RELAXED) && program_lock(program);
}

/* A child has the file of its parent until it executes another program. */
void reader_inspect(struct reader *reader, struct program *program,
		    const struct helper_message *message, int number)
{
	struct part_found *part = NULL;

	if (program || number != ESRCH)
		part = batch_reserve(&reader->batch, sizeof(*part));
	if (part) {
		*part = (struct part_found){ .pid = message->pid, .number = program ? 0 : number };
		part->is_recorded = program && program_is_locked(program);
		part->is_freed = program && reader->inspection == INSPECTION_FREE &&
				 inspect_free(program);
		process_comm(message->pid, part->comm, sizeof(part->comm));
		memcpy(part->path, message->path, sizeof(part->path));
		batch_add(&reader->batch, &part->head, PART_FOUND, sizeof(*part));
	}
	if (part && program && reader->inspection == INSPECTION_EVENTS)
		inspect_events(&reader->batch, program);
	program_close(program);
}
