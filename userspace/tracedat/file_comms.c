// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads names of threads: lines "TID NAME"; ktrack adds a NUL and lines "TID TGID", which other
 * readers ignore.
 */
#include <stdlib.h>
#include <string.h>

#include "tracedat/file.h"

/* The kernel saves at most 32,768 names; ktrack adds those of living threads. */
#define COMMS_SIZE_MAX (4 << 20)
#define COMMS_MAX 131072

/* Removes a number from the begin of a line; returns 0 if there is none. */
static int comm_take_number(struct text *line)
{
	const char *end = line->data + line->size;
	const char *at = line->data;
	int number = 0;

	while (at < end && *at == ' ')
		at++;
	for (; at < end && *at >= '0' && *at <= '9' && number < INT32_MAX / 10; at++)
		number = number * 10 + (*at - '0');
	*line = (struct text){ .data = at, .size = end - at };
	return number;
}

/* Parses "TID NAME"; returns false if it is another line, or the name is unknown. */
static bool comm_parse(struct trace_comm *comm, struct text line)
{
	comm->tid = comm_take_number(&line);
	if (comm->tid == 0 || line.size == 0 || *line.data != ' ')
		return false;
	comm->name = (struct text){ .data = line.data + 1, .size = line.size - 1 };
	return comm->name.size > 0 && !text_equals(comm->name, text_of("<...>"));
}

static int comm_compare(const void *a, const void *b)
{
	const struct trace_comm *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

static size_t comms_count_lines(struct text text)
{
	size_t nr_lines = 1;

	for (size_t i = 0; i < text.size && nr_lines < COMMS_MAX; i++)
		nr_lines += text.data[i] == '\n';
	return nr_lines;
}

/*
 * A name with a newline can look like the line of another thread. If a thread has two names, either
 * may be forged: both are dropped.
 */
static void comms_drop_doubtful(struct trace_comms *comms)
{
	const struct trace_comm *list = comms->list;
	size_t nr_kept = 0, next;

	for (size_t i = 0; i < comms->size; i = next) {
		bool is_sure = true;

		for (next = i + 1; next < comms->size && list[next].tid == list[i].tid; next++)
			is_sure &= text_equals(list[next].name, list[i].name);
		if (is_sure)
			comms->list[nr_kept++] = list[i];
	}
	comms->size = nr_kept;
}

static int comms_read_names(struct trace_comms *comms, struct text text)
{
	size_t nr_lines = comms_count_lines(text);

	comms->list = calloc(nr_lines, sizeof(*comms->list));
	if (!comms->list)
		return -1;
	while (text.size > 0 && comms->size < nr_lines)
		comms->size += comm_parse(&comms->list[comms->size], text_take_line(&text));
	qsort(comms->list, comms->size, sizeof(*comms->list), comm_compare);
	comms_drop_doubtful(comms);
	return 0;
}

static struct trace_comm *comm_find(const struct trace_comms *comms, int tid)
{
	const struct trace_comm key = { .tid = tid };

	if (comms->size == 0)
		return NULL;
	return bsearch(&key, comms->list, comms->size, sizeof(key), comm_compare);
}

static void comms_read_processes(struct trace_comms *comms, struct text text)
{
	while (text.size > 0) {
		struct text line = text_take_line(&text);
		struct trace_comm *comm = comm_find(comms, comm_take_number(&line));

		if (comm)
			comm->tgid = comm_take_number(&line);
	}
}

static int comms_read(struct trace_comms *comms, struct text text)
{
	size_t size = strnlen(text.data, text.size);

	comms->text = malloc(text.size + 1);
	if (!comms->text)
		return -1;
	memcpy(comms->text, text.data, text.size);
	if (comms_read_names(comms, (struct text){ .data = comms->text, .size = size }) < 0)
		return -1;
	if (size < text.size)
		comms_read_processes(comms, (struct text){ .data = comms->text + size + 1,
							   .size = text.size - size - 1 });
	return 0;
}

int trace_file_read_comms(struct trace_file *file, struct error *error)
{
	struct trace_content content;
	uint64_t size;
	struct text text;
	int status = 0;

	if (!trace_content_open(file, &file->sections[TRACE_COMMS], COMMS_SIZE_MAX, &content))
		return 0;
	size = cursor_u64(&content.cursor);
	content.cursor.is_over |= size > cursor_left(&content.cursor);
	trace_content_check(file, &content, "it is cut short: names of threads are missing");
	if (!content.cursor.is_over) {
		text = cursor_text(&content.cursor, size < COMMS_SIZE_MAX ? size : COMMS_SIZE_MAX);
		status = comms_read(&file->comms, text);
	}
	trace_content_close(&content);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

void trace_file_find_task(const struct trace_file *file, int tid, struct thread_identity *out)
{
	const struct trace_comm *comm = comm_find(&file->comms, tid);
	size_t size;

	if (!comm)
		return;
	out->tgid = comm->tgid;
	size = comm->name.size < sizeof(out->comm) ? comm->name.size : sizeof(out->comm) - 1;
	memcpy(out->comm, comm->name.data, size);
	out->comm[size] = '\0';
}
