// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of threads: those that the kernel has saved, which are few but tell of threads that have
 * ended, then those that live.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/parts.h"
#include "source/source.h"

/** struct comms - the text, and whose names it has */
struct comms {
	struct buffer *out;
	struct buffer tids;
};

static bool comms_have(const struct comms *comms, int tid)
{
	const int *tids = (const int *)comms->tids.data;

	for (size_t i = 0; i < comms->tids.size / sizeof(tid); i++) {
		if (tids[i] == tid)
			return true;
	}
	return false;
}

/* Notes whose names the lines of the text have, from @line on. */
static void tids_note(struct comms *comms, const char *line)
{
	while (*line) {
		int tid = atoi(line);

		buffer_append(&comms->tids, &tid, sizeof(tid));
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
}

static int saved_append(struct comms *comms, struct error *error)
{
	size_t size = comms->out->size;
	const char *tracefs;

	if (source_directory(&tracefs, error) < 0 ||
	    folder_read(tracefs, "saved_cmdlines", comms->out, error) < 0)
		return -1;
	tids_note(comms, buffer_string(comms->out) + size);
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

int comms_append(struct buffer *out, struct error *error)
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
	buffer_release(&comms.tids);
	return out->failed ? error_set(error, "out of memory") : status;
}
