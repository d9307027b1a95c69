// SPDX-License-Identifier: GPL-2.0-only
/* Inspects programs: starts a helper whose reader does so, and collects what that sends. */
#include "userring/inspection.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "userring/process.h"
#include "userring/reader.h"
#include "userring/recorded.h"
#include "userring/refusals.h"

/* How long an inspection takes at most: a step counts once, however long this process is stopped. */
#define STEP_MS 100
#define TIME_MAX_NS (60 * NS_PER_S)

/* A reader that sends more is damaged. */
#define FOUND_MAX 65536
#define EVENTS_MAX (1u << 20)

/**
 * struct inspecting - an inspection that runs
 * @fd: the connection to the reader
 * @message: BATCH_MAX bytes
 * @recorded: receives no part
 * @nr_events: of all memory
 * @is_over: all was found
 * @has_failed: memory ran out, or the reader is damaged
 */
struct inspecting {
	struct inspection *out;
	struct helper helper;
	int fd;
	unsigned char *message;
	struct recorded recorded;
	size_t nr_events;
	bool is_over;
	bool has_failed;
};

static void inspection_release(struct inspection *inspection)
{
	for (size_t i = 0; i < inspection->size; i++) {
		struct found_memory *memory = inspection->list[i];

		for (size_t j = 0; j < memory->nr_events; j++)
			free(memory->events[j]);
		free(memory->events);
		map_release(&memory->by_name);
		free(memory);
	}
	free(inspection->list);
	inspection->list = NULL;
	inspection->size = 0;
}

/* Returns false if memory ran out, or there are too many. */
static bool found_add(struct inspecting *own, const struct part_found *part)
{
	struct inspection *out = own->out;
	struct found_memory *memory;

	if (out->size == FOUND_MAX || !array_reserve(out->list, out->size))
		return false;
	memory = calloc(1, sizeof(*memory));
	if (!memory)
		return false;
	memory->found = *part;
	memory->found.comm[sizeof(part->comm) - 1] = 0;
	memory->found.path[sizeof(part->path) - 1] = 0;
	out->list[out->size++] = memory;
	out->nr_freed += part->is_freed != 0;
	return true;
}

static bool event_name_equals(const void *value, const void *key)
{
	return strcmp(value, key) == 0;
}

/* Takes the name; returns false if memory ran out. */
static bool found_add_name(struct found_memory *memory, char *name)
{
	uint64_t hash = hash_text(text_of(name));

	if (memory->nr_events == PROGRAM_LISTED_MAX ||
	    map_find(&memory->by_name, hash, event_name_equals, name)) {
		free(name);
		return true;
	}
	if (!array_reserve(memory->events, memory->nr_events) ||
	    map_insert(&memory->by_name, hash, name) < 0) {
		free(name);
		return false;
	}
	memory->events[memory->nr_events++] = name;
	return true;
}

static bool found_add_event(struct inspecting *own, const struct part_event *part)
{
	struct described_event *event;
	bool is_added = false;
	char *name;

	if (own->out->size == 0 || own->nr_events++ == EVENTS_MAX ||
	    part->size > part->head.size - sizeof(*part))
		return false;
	event = malloc(sizeof(*event));
	if (event && !event_describe(event, (const unsigned char *)(part + 1), part->size))
		is_added = true;
	else if (event && asprintf(&name, "%s:%s", event->system, event->name) >= 0)
		is_added = found_add_name(own->out->list[own->out->size - 1], name);
	free(event);
	return is_added;
}

static void inspecting_take(void *context, const struct part *part)
{
	struct inspecting *own = context;
	const struct part_note *note = (const struct part_note *)part;

	if (part->kind == PART_BEGUN) {
		const struct reader_request request = {
			.kind = REQUEST_SWITCH, .pid = ((const struct part_begun *)part)->pid
		};

		/* A new reader finds all programs again; what an earlier one has switched off
		 * stays counted. */
		inspection_release(own->out);
		own->nr_events = 0;
		own->has_failed |= send(own->fd, &request, sizeof(request),
					MSG_DONTWAIT | MSG_NOSIGNAL) < 0;
	}
	if (part->kind == PART_FOUND)
		own->has_failed |= !found_add(own, (const struct part_found *)part);
	if (part->kind == PART_FOUND_EVENT)
		own->has_failed |= !found_add_event(own, (const struct part_event *)part);
	if (part->kind == PART_NOTE && note->kind == NOTE_CUT && own->out->nr_cut < REFUSALS_MAX)
		own->out->cut_pids[own->out->nr_cut++] = note->pid;
	own->is_over |= part->kind == PART_SEARCHED;
}

/* Takes a message if one comes within a step. */
static void inspecting_receive(struct inspecting *own)
{
	const struct part_visitor visitor = { own, inspecting_take };
	struct pollfd state = { .fd = own->fd, .events = POLLIN };
	ssize_t size;

	if (poll(&state, 1, STEP_MS) <= 0)
		return;
	size = recv(own->fd, own->message, BATCH_MAX, MSG_DONTWAIT);
	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	own->has_failed |= size <= 0 || recorded_take(&own->recorded, own->message, size,
						      &visitor) != RECORDED_WHOLE;
}

static int inspecting_await(struct inspecting *own, struct error *error)
{
	int64_t before_ns = time_now_ns(CLOCK_MONOTONIC), left_ns = TIME_MAX_NS;

	while (!own->is_over && !own->has_failed && left_ns > 0) {
		int64_t now_ns, step_ns;

		inspecting_receive(own);
		now_ns = time_now_ns(CLOCK_MONOTONIC);
		step_ns = now_ns - before_ns;
		left_ns -= step_ns < STEP_MS * NS_PER_MS ? step_ns : STEP_MS * NS_PER_MS;
		before_ns = now_ns;
	}
	if (own->is_over && !own->has_failed)
		return 0;
	return error_set(error, "running programs may be missing: the search of them %s",
			 own->has_failed ? "has failed" : "takes too long");
}

/**
 * inspection_run - search programs and inspect them
 * @wants: as of struct helper_work
 *
 * Returns -1 with @error if it is not complete; @out has then what was found until then. The caller
 * releases it in any case.
 */
static int inspection_run(struct inspection *out, enum inspection_kind kind,
			  bool (*wants)(void *context, int pid), struct error *error)
{
	struct helper_work work = {
		.socket_fd = -1,
		.descendants_fd = -1,
		.own_pid = getpid(),
		.inspection = kind,
		.wants = wants,
	};
	struct inspecting own = { .out = out };
	int status = -1;

	*out = (struct inspection){ 0 };
	if (access("/proc/self/fd", F_OK) < 0)
		return error_set(error, "/proc: cannot be read; mount it");
	own.message = malloc(BATCH_MAX);
	if (!own.message)
		return error_set(error, "out of memory");
	if (helper_start_reader(&own.helper, &work, &own.fd, error) == 0) {
		status = inspecting_await(&own, error);
		helper_end(&own.helper);
		close(own.fd);
	}
	recorded_release(&own.recorded);
	free(own.message);
	return status;
}

/* The reader's part of an inspection: reports memory that a search has found, and reads no ring. */

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
		/* One that is on and not locked is recorded by nobody: closing switches it off. */
		part->is_freed = program && reader->inspection == INSPECTION_FREE &&
				 __atomic_load_n(&program->control->on, __ATOMIC_RELAXED) &&
				 program_lock(program);
		process_comm(message->pid, part->comm, sizeof(part->comm));
		memcpy(part->path, message->path, sizeof(part->path));
		batch_add(&reader->batch, &part->head, PART_FOUND, sizeof(*part));
	}
	if (part && program && reader->inspection == INSPECTION_EVENTS)
		inspect_events(&reader->batch, program);
	program_close(program);
}

/* Lists programs, and cleans up behind a killed ktrack. */

static int found_visit(const struct found_memory *memory, const struct program_visitor *visitor,
		       struct error *error)
{
	const struct program_found found = { .pid = memory->found.pid,
					     .path = memory->found.path,
					     .comm = memory->found.comm,
					     .is_recorded = memory->found.is_recorded,
					     .nr_events = memory->nr_events,
					     .events = (const char *const *)memory->events };

	return memory->found.number == 0 ? visitor->visit(visitor->context, &found, error) : 0;
}

/* What was found is visited also if more may be missing. */
int programs_visit(const struct program_visitor *visitor, struct error *error)
{
	struct inspection inspection;
	int status = inspection_run(&inspection, INSPECTION_EVENTS, NULL, error);

	for (size_t i = 0; i < inspection.size; i++) {
		if (found_visit(inspection.list[i], visitor, error) < 0) {
			status = -1;
			break;
		}
	}
	inspection_release(&inspection);
	return status;
}

/* Whoever chose a socket leaves the programs of other ktracks alone. */
static bool chosen_wants(void *context, int pid)
{
	const char *chosen = getenv(KTRACK_USER_SOCKET_VARIABLE);
	char *path = chosen ? process_socket(pid) : NULL;
	bool wants = !chosen || (path && strcmp(path, chosen) == 0);

	(void)context;
	free(path);
	return wants;
}

static void inspection_sum(struct programs_examined *out, const struct inspection *inspection,
			   struct refusals *refusals)
{
	for (size_t i = 0; i < inspection->size; i++) {
		const struct part_found *found = &inspection->list[i]->found;

		if (found->is_recorded)
			refusals_add(refusals, found->pid, found->comm, "a ktrack records it");
		else if (found->number != 0)
			refusals_add(refusals, found->pid, found->comm,
				     refusal_reason(found->number));
		else
			out->nr_programs++;
	}
	for (size_t i = 0; i < inspection->nr_cut; i++)
		refusals_add(refusals, inspection->cut_pids[i], "", refusal_reason(EBUSY));
}

int programs_examine(struct programs_examined *out, struct error *error)
{
	struct refusals *refusals = calloc(1, sizeof(*refusals));
	struct inspection inspection;
	int status;

	*out = (struct programs_examined){ 0 };
	if (!refusals)
		return error_set(error, "out of memory");
	status = inspection_run(&inspection, INSPECTION_STATE, chosen_wants, error);
	inspection_sum(out, &inspection, refusals);
	out->nr_refused = refusals->size;
	buffer_append_string(&out->refused, refusals_text(refusals));
	refusals_release(refusals);
	free(refusals);
	inspection_release(&inspection);
	return status;
}

unsigned int programs_clean(void)
{
	struct error ignored = { 0 };
	struct inspection inspection;
	unsigned int number;

	inspection_run(&inspection, INSPECTION_FREE, chosen_wants, &ignored);
	number = inspection.nr_freed;
	inspection_release(&inspection);
	return number;
}
