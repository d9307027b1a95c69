// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of threads: those that the kernel has saved, which are few but tell of threads that have
 * ended, then those that live, then those that lived when it was noted before.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/parts.h"
#include "source/source.h"

/** struct comms - the text, and whose names it had when that was looked at, sorted */
struct comms {
	struct buffer *out;
	struct buffer tids;
};

static int tid_compare(const void *a, const void *b)
{
	const int *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static bool comms_have(const struct comms *comms, int tid)
{
	size_t size = comms->tids.size / sizeof(tid);

	return size > 0 && bsearch(&tid, comms->tids.data, size, sizeof(tid), tid_compare) != NULL;
}

static const char *line_next(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* Notes whose names the text has now. */
static void tids_note(struct comms *comms)
{
	buffer_clear(&comms->tids);
	for (const char *line = buffer_string(comms->out); *line; line = line_next(line)) {
		int tid = atoi(line);

		buffer_append(&comms->tids, &tid, sizeof(tid));
	}
	if (comms->tids.size > 0)
		qsort(comms->tids.data, comms->tids.size / sizeof(int), sizeof(int), tid_compare);
}

static int saved_append(struct comms *comms, struct error *error)
{
	const char *tracefs;

	if (source_directory(&tracefs, error) < 0 ||
	    folder_read(tracefs, "saved_cmdlines", comms->out, error) < 0)
		return -1;
	tids_note(comms);
	return 0;
}

/* One that has just ended is none. */
static void thread_append(struct comms *comms, const char *process, const char *thread)
{
	struct buffer path = { 0 }, name = { 0 };

	buffer_printf(&path, "/proc/%s/task/%s/comm", process, thread);
	if (!comms_have(comms, atoi(thread)) && file_read(buffer_string(&path), &name) == 0)
		buffer_printf(comms->out, "%s %s", thread, buffer_string(&name));
	buffer_release(&path);
	buffer_release(&name);
}

static bool is_number(const char *name)
{
	return *name && !name[strspn(name, "0123456789")];
}

static void process_append(struct comms *comms, const char *process)
{
	struct buffer path = { 0 };
	struct dirent *entry;
	DIR *threads;

	buffer_printf(&path, "/proc/%s/task", process);
	threads = opendir(buffer_string(&path));
	while (threads && (entry = readdir(threads))) {
		if (is_number(entry->d_name))
			thread_append(comms, process, entry->d_name);
	}
	if (threads)
		closedir(threads);
	buffer_release(&path);
}

static void earlier_append(struct comms *comms, const char *earlier)
{
	tids_note(comms);
	for (const char *line = earlier; *line; line = line_next(line)) {
		if (!comms_have(comms, atoi(line)))
			buffer_append(comms->out, line, line_next(line) - line);
	}
}

int comms_append(struct buffer *out, const char *earlier, struct error *error)
{
	struct comms comms = { .out = out };
	int status = saved_append(&comms, error);
	DIR *processes = status == 0 ? opendir("/proc") : NULL;
	struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		if (is_number(entry->d_name))
			process_append(&comms, entry->d_name);
	}
	if (processes)
		closedir(processes);
	earlier_append(&comms, earlier);
	buffer_release(&comms.tids);
	return out->failed ? error_set(error, "out of memory") : status;
}
