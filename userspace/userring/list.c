// SPDX-License-Identifier: GPL-2.0-only
/* Lists programs, and cleans up behind a killed ktrack. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userring/events.h"
#include "userring/process.h"
#include "userring/program.h"
#include "userring/refusals.h"
#include "userring/scan.h"

/** struct listing - events of a program, as "SYSTEM:EVENT" */
struct listing {
	const struct program_visitor *visitor;
	char **names;
	size_t size;
};

static void listing_add(struct listing *listing, const struct described_event *event)
{
	char **names = reallocarray(listing->names, listing->size + 1, sizeof(*names));

	if (!names)
		return;
	listing->names = names;
	if (asprintf(&names[listing->size], "%s:%s", event->system, event->name) >= 0)
		listing->size++;
}

static bool listing_has(const struct listing *listing, const struct described_event *event)
{
	struct buffer name = { 0 };
	bool is_known = false;

	buffer_printf(&name, "%s:%s", event->system, event->name);
	for (size_t i = 0; i < listing->size && !is_known; i++)
		is_known = strcmp(listing->names[i], buffer_string(&name)) == 0;
	buffer_release(&name);
	return is_known;
}

static void listing_read(struct listing *listing, const struct program *program)
{
	struct described_event *event = malloc(sizeof(*event));
	unsigned char *copy = malloc(program->events_size);

	if (event && copy &&
	    program_pread(program, copy, program->events_size, KTRACK_USER_CONTROL_SIZE)) {
		struct ktrack_user_event head;

		for (uint32_t at = 0; at + sizeof(head) <= program->events_size;
		     at += head.word & ~7u) {
			memcpy(&head, copy + at, sizeof(head));
			if (!(head.word & KTRACK_USER_COMMITTED) || head.word < sizeof(head) ||
			    (head.word & ~7u) > program->events_size - at ||
			    !event_describe(event, copy + at, head.word & ~7u) ||
			    listing->size == PROGRAM_LISTED_MAX)
				break;
			if (!listing_has(listing, event))
				listing_add(listing, event);
		}
	}
	free(event);
	free(copy);
}

static int listing_visit(void *context, int fd, int pid, struct error *error)
{
	struct listing *listing = context;
	struct program *program = program_open(fd, pid);
	struct program_found found;
	int status;

	if (!program)
		return 0;
	listing->names = NULL;
	listing->size = 0;
	listing_read(listing, program);
	found = (struct program_found){ .pid = pid,
					.path = program->path,
					.comm = program->comm,
					.is_recorded = program_is_locked(program),
					.nr_events = listing->size,
					.events = (const char *const *)listing->names };
	status = listing->visitor->visit(listing->visitor->context, &found, error);
	for (size_t i = 0; i < listing->size; i++)
		free(listing->names[i]);
	free(listing->names);
	program_close(program);
	return status;
}

int programs_visit(const struct program_visitor *visitor, struct error *error)
{
	struct listing listing = { .visitor = visitor };
	const struct memory_visitor files = { .context = &listing, .visit = listing_visit };

	return memfds_visit(&files, error);
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

/** struct examination - what programs_examine() finds */
struct examination {
	size_t nr_programs;
	struct refusals refusals;
};

/* A child has the file of its parent until it executes another program. */
static int examination_visit(void *context, int fd, int pid, struct error *error)
{
	struct examination *examination = context;
	struct program *program = program_open(fd, pid);
	int number = errno;
	char comm[THREAD_COMM_SIZE];

	(void)error;
	process_comm(pid, comm, sizeof(comm));
	if (program && program_is_locked(program))
		refusals_add(&examination->refusals, pid, comm, "a ktrack records it");
	else if (program)
		examination->nr_programs++;
	else if (number != ESRCH)
		refusals_add(&examination->refusals, pid, comm, refusal_reason(number));
	program_close(program);
	return 0;
}

int programs_examine(struct programs_examined *out, struct error *error)
{
	struct examination *examination = calloc(1, sizeof(*examination));
	const struct memory_visitor files = { .context = examination,
					      .wants = chosen_wants,
					      .visit = examination_visit };
	int status;

	*out = (struct programs_examined){ 0 };
	if (!examination)
		return error_set(error, "out of memory");
	status = memfds_visit(&files, error);
	out->nr_programs = examination->nr_programs;
	out->nr_refused = examination->refusals.size;
	buffer_append_string(&out->refused, refusals_text(&examination->refusals));
	refusals_release(&examination->refusals);
	free(examination);
	return status;
}

static int clean_visit(void *context, int fd, int pid, struct error *error)
{
	unsigned int *number = context;
	struct program *program = program_open(fd, pid);

	(void)error;
	if (!program)
		return 0;
	if (__atomic_load_n(&program->control->on, __ATOMIC_RELAXED) && program_lock(program))
		(*number)++;
	program_close(program);
	return 0;
}

unsigned int programs_clean(void)
{
	unsigned int number = 0;
	const struct memory_visitor files = { .context = &number,
					      .wants = chosen_wants,
					      .visit = clean_visit };
	struct error ignored = { 0 };

	memfds_visit(&files, &ignored);
	return number;
}
