// SPDX-License-Identifier: GPL-2.0-only
/*
 * States of threads in records of sched_switch whose print format is wrong. Linux 4.14 records the
 * number of a state, and its format takes it for bits: 8, an idle kernel thread, is printed as
 * traced. Linux 4.15 to 4.19, until their fix, record a bit that is one too high: a sleeping thread
 * is printed as D, and one in state D as stopped. The format is replaced by one that says what the
 * records mean.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracedat/file.h"

#define SYSTEM "sched"
#define EVENT "sched_switch"

/* Only 4.14 has this state together with the bit that earlier kernels used for preemption. */
#define NUMBERED "\"I\" }) : \"R\", REC->prev_state & 0x1000 ? \"+\""
/* States as the kernel's own header has them: not in a format that was replaced. */
#define BITS "{ 0x08, \"t\" }, { 0x10, \"X\" }"
#define LONG_BITS "{ 0x0008, \"t\" }, { 0x0010, \"X\" }"

/* So many sub-buffers of each CPU are searched for the end of an idle time. */
#define LOOKED_MAX 64

/** struct states_search - how records of switches are decoded */
struct states_search {
	struct trace_file *file;
	struct field_ref pid;
	struct field_ref state;
	uint64_t id;
};

static bool text_contains(struct text text, const char *part)
{
	return memmem(text.data, text.size, part, strlen(part));
}

static bool is_switch(const struct tracepoint *tracepoint)
{
	return strcmp(tracepoint->system, SYSTEM) == 0 && strcmp(tracepoint->name, EVENT) == 0;
}

/* The kernels whose bits may be one too high: 4.15 to 4.19, or unknown. */
static bool kernel_may_shift(const char *release)
{
	unsigned int minor;

	return !release || (sscanf(release, "4.%u", &minor) == 1 && minor >= 15);
}

static int switch_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct states_search *search = context;
	struct trace_file *file = search->file;
	struct format format;
	int status;

	if (!is_switch(tracepoint))
		return 0;
	if (text_contains(tracepoint->format, NUMBERED)) {
		file->states = STATES_NUMBERED;
		return 0;
	}
	if (!text_contains(tracepoint->format, BITS) &&
	    !text_contains(tracepoint->format, LONG_BITS))
		return 0;
	status = format_parse(&format, tracepoint->format);
	if (status == 0) {
		search->pid = field_ref_of(format_find(&format, text_of("prev_pid")),
					   file->is_swapped);
		search->state = field_ref_of(format_find(&format, text_of("prev_state")),
					     file->is_swapped);
		if (field_ref_is_scalar(&search->pid) && field_ref_is_scalar(&search->state))
			search->id = format.id;
	}
	format_release(&format);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

/* An idle task is always runnable, which has no bit. Returns whether one has stopped running. */
static bool states_look(struct states_search *search, struct page *page)
{
	bool is_swapped = search->file->is_swapped;
	struct record record = { 0 };
	uint16_t id;

	while (page_next(page, &record)) {
		if (!record_id(&record, is_swapped, &id) || id != search->id ||
		    record.size < search->pid.end || record.size < search->state.end ||
		    field_integer(&search->pid, &record, is_swapped) != 0)
			continue;
		if (field_integer(&search->state, &record, is_swapped) == 1)
			search->file->states = STATES_SHIFTED;
		return true;
	}
	return false;
}

/* Looks into a stream that was not read yet; returns 1 if it tells, -1 if memory ran out. */
static int stream_find_states(struct states_search *search, const struct stream *stream)
{
	const struct trace_stream *own = stream->own;
	size_t size = own->sub_buffer_size, nr_looked = 0;
	bool is_found = false;
	unsigned char *bytes;
	struct page page;

	if (stream->is_sideband || own->chunk || own->offset == own->end)
		return 0;
	bytes = malloc(size);
	if (!bytes)
		return -1;
	for (uint64_t offset = own->offset;
	     !is_found && own->end - offset >= size && nr_looked < LOOKED_MAX;
	     offset += size, nr_looked++) {
		/* What cannot be read is reported when the stream is. */
		if (input_read(&search->file->input, bytes, size, offset) < size)
			break;
		page_load(&page, search->file->layout, bytes, size);
		is_found = states_look(search, &page);
	}
	free(bytes);
	return is_found;
}

int trace_file_find_states(struct trace_file *file, struct error *error)
{
	struct states_search search = { .file = file, .id = UINT64_MAX };
	const struct tracepoint_visitor visitor = { .context = &search, .visit = switch_visit };
	const size_t nr_damages = file->nr_damages, damage_size = file->damage_size;
	const struct error damage = file->damage;
	int status = 0;

	if (file->recording.kernel && strncmp(file->recording.kernel, "4.", 2) != 0)
		return 0;
	if (trace_file_visit(file, &visitor, error) < 0)
		return -1;
	/* Damage of formats is reported when all are visited. */
	file->nr_damages = nr_damages;
	file->damage_size = damage_size;
	file->damage = damage;
	if (search.id == UINT64_MAX || !kernel_may_shift(file->recording.kernel))
		return 0;
	for (size_t i = 0; i < file->nr_streams && status == 0; i++)
		status = stream_find_states(&search, &file->streams[i]);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

bool trace_file_replace_states(const struct trace_file *file, struct tracepoint *tracepoint,
			       struct buffer *out)
{
	static const char key[] = "print fmt: ";
	static const char *const flags[] = {
		/* Conditions that ask for X must not find the bit of S. */
		[STATES_NUMBERED] = "{ 16, \"X\" }, { 7, \"P\" }, { 6, \"Z\" }, { 5, \"X\" }, "
				    "{ 3, \"T\" }, { 8, \"I\" }, { 1, \"S\" }, { 2, \"D\" }, "
				    "{ 4, \"t\" }",
		[STATES_SHIFTED] = "{ 2, \"S\" }, { 4, \"D\" }, { 8, \"T\" }, { 16, \"t\" }, "
				   "{ 32, \"X\" }, { 64, \"Z\" }, { 128, \"P\" }",
	};
	const char *print = memmem(tracepoint->format.data, tracepoint->format.size, key,
				   strlen(key));
	unsigned int mask = file->states == STATES_NUMBERED ? 15 : 254;
	unsigned int preempted = file->states == STATES_NUMBERED ? 4096 : 256;

	if (file->states == STATES_AS_PRINTED || !print || !is_switch(tracepoint))
		return true;
	buffer_clear(out);
	buffer_append(out, tracepoint->format.data, print - tracepoint->format.data);
	buffer_printf(out,
		      "%s\"prev_comm=%%s prev_pid=%%d prev_prio=%%d prev_state=%%s%%s ==> "
		      "next_comm=%%s next_pid=%%d next_prio=%%d\", REC->prev_comm, REC->prev_pid, "
		      "REC->prev_prio, (REC->prev_state & %u) ? __print_flags(REC->prev_state & "
		      "%u, \"|\", %s) : \"R\", REC->prev_state & %u ? \"+\" : \"\", "
		      "REC->next_comm, REC->next_pid, REC->next_prio\n",
		      key, mask, mask, flags[file->states], preempted);
	tracepoint->format = buffer_text(out);
	return !out->failed;
}
