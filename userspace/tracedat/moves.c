// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cgroups of processes: the paths that a recording has, and which of these are of which time. The
 * sideband buffer has the moves of processes; it is read once to find who was moved at all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracedat/file.h"

/** struct moves_search - how records of moves are decoded */
struct moves_search {
	struct task_descriptor descriptor;
	uint64_t id;
	bool is_swapped;
};

static int move_format_visit(void *context, const struct tracepoint *tracepoint,
			     struct error *error)
{
	const struct task_rule *rule = task_rule_find(MOVE_SYSTEM, MOVE_EVENT);
	struct moves_search *search = context;
	struct format format;
	int status;

	if (strcmp(tracepoint->system, MOVE_SYSTEM) != 0 ||
	    strcmp(tracepoint->name, MOVE_EVENT) != 0)
		return 0;
	status = format_parse(&format, tracepoint->format);
	if (status == 0) {
		search->descriptor = task_descriptor_of(rule, &format, search->is_swapped);
		search->id = format.id;
	}
	format_release(&format);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

/* Finds the moved processes in a sub-buffer. */
static void moves_look(struct thread_set *moved, const struct moves_search *search,
		       struct page *page)
{
	struct record record = { 0 };
	struct task_change change;
	uint16_t id;

	while (page_next(page, &record)) {
		if (record_id(&record, search->is_swapped, &id) && id == search->id &&
		    task_change_read(&change, &search->descriptor, &record) &&
		    change.cgroup.size > 0)
			thread_set_add(moved, change.tid);
	}
}

/* Looks into a stream that was not read yet. */
static int stream_find_moves(struct trace_file *file, const struct stream *stream,
			     const struct moves_search *search)
{
	const struct trace_stream *own = stream->own;
	unsigned char *bytes;
	size_t wanted, size;
	struct page page;

	if (!stream->is_sideband || own->chunk || own->offset == own->end)
		return 0;
	bytes = malloc(own->sub_buffer_size);
	if (!bytes || thread_set_reserve(&file->moved) < 0) {
		free(bytes);
		return -1;
	}
	for (uint64_t offset = own->offset; offset < own->end; offset += own->sub_buffer_size) {
		wanted = own->end - offset < own->sub_buffer_size ? own->end - offset
								  : own->sub_buffer_size;
		size = input_read(&file->input, bytes, wanted, offset);
		if (size < wanted && errno != 0) {
			trace_file_report(file, offset + size, "it cannot be read any more");
			break;
		}
		page_load(&page, file->layout, bytes, size);
		moves_look(&file->moved, search, &page);
	}
	free(bytes);
	return 0;
}

int trace_file_find_moves(struct trace_file *file, struct error *error)
{
	struct moves_search search = { .is_swapped = file->is_swapped, .id = UINT64_MAX };
	const struct tracepoint_visitor visitor = { .context = &search,
						    .visit = move_format_visit };
	const size_t nr_damages = file->nr_damages, damage_size = file->damage_size;
	const struct error damage = file->damage;

	/* Only these depend on moves. */
	if (file->comms.first_cgroups.size == 0)
		return 0;
	if (trace_file_visit(file, &visitor, error) < 0)
		return -1;
	/* Damage of formats is reported when all are visited. */
	file->nr_damages = nr_damages;
	file->damage_size = damage_size;
	file->damage = damage;
	for (size_t i = 0; i < file->nr_streams && search.id != UINT64_MAX; i++) {
		if (stream_find_moves(file, &file->streams[i], &search) < 0)
			return error_set(error, "out of memory");
	}
	return 0;
}

/* Without a mark, the path is that of the process's begin and end, or of the only time known. */
struct text trace_file_find_cgroup(const struct trace_file *file, int pid)
{
	const struct trace_comms *comms = &file->comms;
	const struct trace_comm key = { .tid = pid };
	const struct trace_comm *found = NULL;

	if (thread_set_has(&file->moved, pid))
		found = bsearch(&key, comms->first_cgroups.data,
				comms->first_cgroups.size / sizeof(key), sizeof(key), comm_compare);
	if (!found && comms->cgroups.size > 0)
		found = bsearch(&key, comms->cgroups.data, comms->cgroups.size / sizeof(key),
				sizeof(key), comm_compare);
	return found ? found->name : text_of("");
}
