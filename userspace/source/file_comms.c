// SPDX-License-Identifier: GPL-2.0-only
/* The names of threads that a trace.dat has kept of saved_cmdlines. */
#include <stdlib.h>
#include <string.h>

#include "source/file.h"

/* The kernel keeps no more than 32,768 names. */
#define COMMS_SIZE_MAX (4 << 20)

/* Reads "TID NAME"; returns false where it is something else, or says that the name is unknown. */
static bool comm_parse(struct trace_comm *comm, struct text line)
{
	const char *end = line.data + line.size;
	const char *at = line.data;

	comm->tid = 0;
	while (at < end && *at == ' ')
		at++;
	for (; at < end && *at >= '0' && *at <= '9' && comm->tid < INT32_MAX / 10; at++)
		comm->tid = comm->tid * 10 + (*at - '0');
	if (comm->tid == 0 || at == end || *at != ' ')
		return false;
	comm->name = (struct text){ .data = at + 1, .size = end - at - 1 };
	return comm->name.size > 0 && !text_equals(comm->name, text_of("<...>"));
}

static int comm_compare(const void *a, const void *b)
{
	const struct trace_comm *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

static size_t lines_count(struct text text)
{
	size_t nr_lines = 1;

	for (size_t i = 0; i < text.size; i++)
		nr_lines += text.data[i] == '\n';
	return nr_lines;
}

static int comms_sort(struct trace_file *file, struct text text)
{
	const char *end = text.data + text.size;
	const char *next;

	file->comms = calloc(lines_count(text), sizeof(*file->comms));
	if (!file->comms)
		return -1;
	for (const char *begin = text.data; begin < end; begin = next + 1) {
		next = memchr(begin, '\n', end - begin);
		if (!next)
			next = end;
		file->nr_comms += comm_parse(&file->comms[file->nr_comms],
					     (struct text){ .data = begin, .size = next - begin });
	}
	qsort(file->comms, file->nr_comms, sizeof(*file->comms), comm_compare);
	return 0;
}

int trace_file_read_comms(struct trace_file *file, struct error *error)
{
	struct trace_content *content = &file->comm_content;
	uint64_t size;

	if (!trace_content_open(file, &file->parts[TRACE_COMMS], COMMS_SIZE_MAX, content))
		return 0;
	size = cursor_u64(&content->cursor);
	if (size > cursor_left(&content->cursor))
		content->cursor.is_over = true;
	trace_content_damage(file, content, "it is cut short: names of threads are missing");
	if (content->cursor.is_over)
		return 0;
	if (size > COMMS_SIZE_MAX)
		size = COMMS_SIZE_MAX;
	if (comms_sort(file, cursor_text(&content->cursor, size)) < 0)
		return error_set(error, "out of memory");
	return 0;
}

void trace_file_find_task(struct source *source, int tid, struct source_task *out)
{
	const struct trace_file *file = (const struct trace_file *)source;
	const struct trace_comm key = { .tid = tid };
	const struct trace_comm *comm;
	size_t size;

	comm = file->nr_comms == 0
		       ? NULL
		       : bsearch(&key, file->comms, file->nr_comms, sizeof(key), comm_compare);
	if (!comm)
		return;
	size = comm->name.size < sizeof(out->comm) ? comm->name.size : sizeof(out->comm) - 1;
	memcpy(out->comm, comm->name.data, size);
	out->comm[size] = '\0';
}
