// SPDX-License-Identifier: GPL-2.0-only
/* Finds a thread's name and process while it lives, or in what the kernel saved of it. */
#include "tracefs/tracefs.h"

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
	struct buffer path = { 0 }, text = { 0 };
	const char *line;

	buffer_printf(&path, "/proc/%d/comm", tid);
	if (file_read(buffer_string(&path), &text) == 0 && text.size > 0)
		comm_set(task, text.data, text.size - 1);
	buffer_clear(&path);
	buffer_clear(&text);
	buffer_printf(&path, "/proc/%d/status", tid);
	if (file_read(buffer_string(&path), &text) == 0) {
		line = strstr(buffer_string(&text), "\nTgid:");
		if (line)
			task->tgid = atoi(line + strlen("\nTgid:"));
	}
	buffer_release(&path);
	buffer_release(&text);
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
	struct buffer names = { 0 }, groups = { 0 };
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
	buffer_release(&names);
	buffer_release(&groups);
}

void thread_find(const struct saved_tasks *saved, int tid, struct thread_identity *out)
{
	*out = (struct thread_identity){ 0 };
	if (!saved->is_nested)
		procfs_find(tid, out);
	if (!out->comm[0] || !out->tgid)
		saved_names_find(saved, tid, out);
}
