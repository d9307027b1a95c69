// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of threads that a trace.dat has kept of saved_cmdlines, and the processes that ktrack
 * puts behind them, where others see no more than the end of a string.
 */
#include <stdlib.h>
#include <string.h>

#include "source/file.h"

/* The kernel keeps no more than 32,768 names, and ktrack adds those of threads that live. */
#define COMMS_SIZE_MAX (4 << 20)
#define COMMS_MAX 131072

/* Takes a number off the beginning of a line, 0 where there is none. */
static int number_take(struct text *line)
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

/* Reads "TID NAME"; returns false where it is something else, or says that the name is unknown. */
static bool comm_parse(struct trace_comm *comm, struct text line)
{
	comm->tid = number_take(&line);
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

/* How many lines may be names. */
static size_t lines_count(struct text text)
{
	size_t nr_lines = 1;

	for (size_t i = 0; i < text.size && nr_lines < COMMS_MAX; i++)
		nr_lines += text.data[i] == '\n';
	return nr_lines;
}

/* Takes a line off the beginning of a text. */
static struct text line_take(struct text *text)
{
	const char *end = memchr(text->data, '\n', text->size);
	size_t size = end ? (size_t)(end - text->data) : text->size;
	struct text line = { .data = text->data, .size = size };

	size += end != NULL;
	*text = (struct text){ .data = text->data + size, .size = text->size - size };
	return line;
}

/*
 * A name with a newline can look like the line of another thread: of two names of one thread,
 * nothing shows which one is forged.
 */
static void comms_drop_doubtful(struct trace_file *file)
{
	size_t nr_kept = 0, next;

	for (size_t i = 0; i < file->nr_comms; i = next) {
		bool is_sure = true;

		for (next = i + 1;
		     next < file->nr_comms && file->comms[next].tid == file->comms[i].tid; next++)
			is_sure &= text_equals(file->comms[next].name, file->comms[i].name);
		if (is_sure)
			file->comms[nr_kept++] = file->comms[i];
	}
	file->nr_comms = nr_kept;
}

static int comms_sort(struct trace_file *file, struct text text)
{
	size_t nr_lines = lines_count(text);

	file->comms = calloc(nr_lines, sizeof(*file->comms));
	if (!file->comms)
		return -1;
	while (text.size > 0 && file->nr_comms < nr_lines)
		file->nr_comms += comm_parse(&file->comms[file->nr_comms], line_take(&text));
	qsort(file->comms, file->nr_comms, sizeof(*file->comms), comm_compare);
	comms_drop_doubtful(file);
	return 0;
}

static struct trace_comm *comm_find(const struct trace_file *file, int tid)
{
	const struct trace_comm key = { .tid = tid };

	if (file->nr_comms == 0)
		return NULL;
	return bsearch(&key, file->comms, file->nr_comms, sizeof(key), comm_compare);
}

/* Lines "TID TGID". */
static void groups_read(struct trace_file *file, struct text text)
{
	while (text.size > 0) {
		struct text line = line_take(&text);
		struct trace_comm *comm = comm_find(file, number_take(&line));

		if (comm)
			comm->tgid = number_take(&line);
	}
}

static int comms_read(struct trace_file *file, struct text text)
{
	const char *nul = memchr(text.data, '\0', text.size);
	size_t size = nul ? (size_t)(nul - text.data) : text.size;

	if (comms_sort(file, (struct text){ .data = text.data, .size = size }) < 0)
		return -1;
	if (nul)
		groups_read(file, (struct text){ .data = nul + 1, .size = text.size - size - 1 });
	return 0;
}

/* Keeps the text, which the names are parts of. */
static int comms_keep(struct trace_file *file, struct trace_content *content, struct error *error)
{
	uint64_t size = cursor_u64(&content->cursor);
	struct text text;

	if (size > cursor_left(&content->cursor))
		content->cursor.is_over = true;
	trace_content_damage(file, content, "it is cut short: names of threads are missing");
	if (content->cursor.is_over)
		return 0;
	text = cursor_text(&content->cursor, size < COMMS_SIZE_MAX ? size : COMMS_SIZE_MAX);
	file->comm_text = malloc(text.size + 1);
	if (!file->comm_text)
		return error_set(error, "out of memory");
	memcpy(file->comm_text, text.data, text.size);
	text.data = file->comm_text;
	return comms_read(file, text) < 0 ? error_set(error, "out of memory") : 0;
}

int trace_file_read_comms(struct trace_file *file, struct error *error)
{
	struct trace_content content;
	int status;

	if (!trace_content_open(file, &file->parts[TRACE_COMMS], COMMS_SIZE_MAX, &content))
		return 0;
	status = comms_keep(file, &content, error);
	trace_content_close(&content);
	return status;
}

void trace_file_find_task(struct source *source, int tid, struct source_task *out)
{
	const struct trace_file *file = (const struct trace_file *)source;
	const struct trace_comm *comm = comm_find(file, tid);
	size_t size;

	if (!comm)
		return;
	out->tgid = comm->tgid;
	size = comm->name.size < sizeof(out->comm) ? comm->name.size : sizeof(out->comm) - 1;
	memcpy(out->comm, comm->name.data, size);
	out->comm[size] = '\0';
}
