// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the lines of saved_cmdlines that no thread can have forged by a newline in its name. */
#include <stdlib.h>
#include <string.h>

#include "tracefs/tracefs.h"

/* TASK_COMM_LEN without the NUL: a name with all lines that it forges is no longer. */
#define NAME_SIZE_MAX 15

/** struct saved_line - "TID NAME"; @tid is -1 if the line is something else */
struct saved_line {
	int tid;
	struct text name;
	struct text whole;
};

static struct saved_line line_take(struct text *rest)
{
	const char *end = memchr(rest->data, '\n', rest->size);
	size_t size = end ? (size_t)(end - rest->data) : rest->size, nr_digits = 0;
	struct saved_line line = { .tid = -1, .whole = { rest->data, size } };

	while (nr_digits < size && rest->data[nr_digits] >= '0' && rest->data[nr_digits] <= '9')
		nr_digits++;
	if (nr_digits > 0 && nr_digits < 10 && nr_digits < size && rest->data[nr_digits] == ' ') {
		line.tid = atoi(rest->data);
		line.name = (struct text){ rest->data + nr_digits + 1, size - nr_digits - 1 };
	}
	size += end != NULL;
	*rest = (struct text){ rest->data + size, rest->size - size };
	return line;
}

/* Reads a living thread's name, which ends with a newline. */
static void living_name_read(int tid, struct buffer *name)
{
	struct buffer path = { 0 };

	buffer_printf(&path, "/proc/%d/comm", tid);
	if (file_read(buffer_string(&path), name) < 0)
		buffer_clear(name);
	buffer_release(&path);
}

/*
 * The name of a living thread can be read. If it continues after the end of the line, the lines
 * that contain the rest of it are removed. Longer lines cannot belong to it and are skipped.
 */
static void forged_take(const struct saved_line *line, struct text *rest)
{
	const char *end = rest->size > 0 ? memchr(rest->data, '\n', rest->size) : NULL;
	struct buffer name = { 0 };
	struct text more;

	if (!end || line->name.size + 1 + (end - rest->data) > NAME_SIZE_MAX)
		return;
	living_name_read(line->tid, &name);
	more = (struct text){ name.data, name.size };
	if (text_begins(more, line->name) && more.size > line->name.size + 1 &&
	    more.data[line->name.size] == '\n') {
		more.data += line->name.size + 1;
		more.size -= line->name.size + 1;
		if (text_begins(*rest, more))
			*rest = (struct text){ rest->data + more.size, rest->size - more.size };
	}
	buffer_release(&name);
}

static int line_compare(const void *a, const void *b)
{
	const struct saved_line *left = a, *right = b;

	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return (left->whole.data > right->whole.data) - (left->whole.data < right->whole.data);
}

static void lines_read(struct buffer *lines, struct text rest)
{
	while (rest.size > 0) {
		struct saved_line line = line_take(&rest);

		if (line.tid < 0)
			continue;
		forged_take(&line, &rest);
		buffer_append(lines, &line, sizeof(line));
	}
}

/* The kernel has one name for each thread: of two lines, one is forged, and nothing shows which. */
static void single_lines_append(struct buffer *out, const struct saved_line *lines, size_t nr_lines)
{
	size_t next;

	for (size_t i = 0; i < nr_lines; i = next) {
		next = i + 1;
		while (next < nr_lines && lines[next].tid == lines[i].tid)
			next++;
		if (next > i + 1)
			continue;
		buffer_append(out, lines[i].whole.data, lines[i].whole.size);
		buffer_append_char(out, '\n');
	}
}

void saved_names_clean(struct buffer *names)
{
	struct buffer lines = { 0 }, out = { 0 };

	lines_read(&lines, (struct text){ names->data, names->size });
	if (lines.size > 0)
		qsort(lines.data, lines.size / sizeof(struct saved_line), sizeof(struct saved_line),
		      line_compare);
	single_lines_append(&out, (struct saved_line *)lines.data,
			    lines.size / sizeof(struct saved_line));
	out.failed |= lines.failed || names->failed;
	buffer_release(&lines);
	buffer_release(names);
	*names = out;
}

void thread_name_append(struct buffer *out, struct text name)
{
	for (size_t i = 0; i < name.size; i++) {
		unsigned char byte = name.data[i];

		buffer_append_char(out, byte < 0x20 || byte == 0x7f ? '?' : byte);
	}
}
