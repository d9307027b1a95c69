// SPDX-License-Identifier: GPL-2.0-only
/* Finds a thread's name and process while it lives, or in what the kernel saved of it. */
#include "tracefs/tracefs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void comm_set(struct thread_identity *task, const char *data, size_t size)
{
	if (size >= sizeof(task->comm))
		size = sizeof(task->comm) - 1;
	memcpy(task->comm, data, size);
	task->comm[size] = '\0';
}

/*
 * The name has a file of its own, because the others escape or cut it. Both files exist for a
 * zombie too.
 */
static void procfs_find(int tid, struct thread_identity *task)
{
	SCOPED_BUFFER(text);
	const char *line;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (file_read(path, &text) == 0 && text.size > 0)
		comm_set(task, text.data, text.size - 1);
	buffer_clear(&text);
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	line = file_read(path, &text) == 0 ? strstr(buffer_string(&text), "\nTgid:") : NULL;
	if (line)
		task->tgid = atoi(line + strlen("\nTgid:"));
}

/* Finds the line "TID rest", and returns its rest, up to the line's end. */
static struct text saved_find(const char *text, int tid)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		char *rest;

		line += *line == '\n';
		if (strtol(line, &rest, 10) == tid && *rest == ' ')
			return (struct text){ .data = rest + 1, .size = strcspn(rest + 1, "\n") };
	}
	return (struct text){ 0 };
}

static void saved_names_find(const struct saved_tasks *saved, int tid, struct thread_identity *task)
{
	SCOPED_BUFFER(names);
	SCOPED_BUFFER(groups);
	struct text name, group;

	if (saved->names_fd >= 0)
		file_read_anew(saved->names_fd, &names);
	if (saved->groups_fd >= 0)
		file_read_anew(saved->groups_fd, &groups);
	saved_names_clean(&names);
	name = saved_find(buffer_string(&names), tid);
	group = saved_find(buffer_string(&groups), tid);
	if (name.size > 0 && !text_equals(name, text_of("<...>")))
		comm_set(task, name.data, name.size);
	if (group.size > 0)
		task->tgid = atoi(group.data);
}

void thread_find(const struct saved_tasks *saved, int tid, struct thread_identity *out)
{
	*out = (struct thread_identity){ 0 };
	if (!saved->is_nested)
		procfs_find(tid, out);
	if (!out->comm[0] || !out->tgid)
		saved_names_find(saved, tid, out);
}

/* Opens the files in which the kernel saves names and processes of threads. */

void saved_tasks_open(struct saved_tasks *out, const char *tracefs)
{
	struct error ignored = { 0 };

	out->names_fd = file_open_in(tracefs, "saved_cmdlines", O_RDONLY, &ignored);
	out->groups_fd = file_open_in(tracefs, "saved_tgids", O_RDONLY, &ignored);
	out->is_nested = !namespace_has_kernel_pids();
}

void saved_tasks_close(struct saved_tasks *saved)
{
	file_close(saved->names_fd);
	file_close(saved->groups_fd);
	*saved = (struct saved_tasks)SAVED_TASKS_NONE;
}

/* Keeps the lines of saved_cmdlines that no thread can have forged by a newline in its name. */

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
	struct text whole = text_take_line(rest);
	struct saved_line line = { .tid = -1, .whole = whole };
	size_t nr_digits = 0;

	while (nr_digits < whole.size && whole.data[nr_digits] >= '0' &&
	       whole.data[nr_digits] <= '9')
		nr_digits++;
	if (nr_digits > 0 && nr_digits < 10 && nr_digits < whole.size &&
	    whole.data[nr_digits] == ' ') {
		line.tid = atoi(whole.data);
		line.name = text_from(whole, nr_digits + 1);
	}
	return line;
}

/*
 * The name of a living thread can be read. If it continues after the end of the line, the lines
 * that contain the rest of it are removed. Longer lines cannot belong to it and are skipped.
 */
static void forged_take(const struct saved_line *line, struct text *rest)
{
	const char *end = rest->size > 0 ? memchr(rest->data, '\n', rest->size) : NULL;
	SCOPED_BUFFER(name);
	struct text more;
	char path[64];

	if (!end || line->name.size + 1 + (end - rest->data) > NAME_SIZE_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", line->tid);
	if (file_read(path, &name) < 0)
		return;
	/* It ends with a newline. */
	more = buffer_text(&name);
	if (text_begins(more, line->name) && more.size > line->name.size + 1 &&
	    more.data[line->name.size] == '\n') {
		more = text_from(more, line->name.size + 1);
		if (text_begins(*rest, more))
			*rest = text_from(*rest, more.size);
	}
}

static int line_compare(const void *a, const void *b)
{
	const struct saved_line *left = a, *right = b;

	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return (left->whole.data > right->whole.data) - (left->whole.data < right->whole.data);
}

void saved_names_clean(struct buffer *names)
{
	SCOPED_BUFFER(lines);
	struct buffer out = { 0 };
	struct text rest = { names->data, names->size };
	const struct saved_line *list;
	size_t nr_lines, next;

	while (rest.size > 0) {
		struct saved_line line = line_take(&rest);

		if (line.tid < 0)
			continue;
		forged_take(&line, &rest);
		buffer_append(&lines, &line, sizeof(line));
	}
	list = (const struct saved_line *)lines.data;
	nr_lines = lines.size / sizeof(*list);
	if (nr_lines > 0)
		qsort(lines.data, nr_lines, sizeof(*list), line_compare);
	/* The kernel has one name for each thread: nothing shows which of two lines is forged. */
	for (size_t i = 0; i < nr_lines; i = next) {
		for (next = i + 1; next < nr_lines && list[next].tid == list[i].tid;)
			next++;
		if (next > i + 1)
			continue;
		buffer_append(&out, list[i].whole.data, list[i].whole.size);
		buffer_append_char(&out, '\n');
	}
	out.failed |= lines.failed || names->failed;
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
