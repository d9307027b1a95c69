// SPDX-License-Identifier: GPL-2.0-only
/* Processes and threads of Chrome's format. */
#include "sink/chrome/state.h"

#include <stdlib.h>

/* Each machine has a range of numbers. */
#define MACHINE_PIDS INT64_C(8388608)

#define ROWS_RECENT 65536

/** struct chrome_row - a thread, and the hash of what its tracks share; 0 for none */
struct chrome_row {
	uint64_t hash;
	unsigned long thread;
};

/** enum chrome_group - processes that are groups, with numbers behind CHROME_OWN_PROCESS */
enum chrome_group {
	GROUP_CPUS,
	GROUP_CUSTOM,
	GROUP_THREADS,
	GROUP_COUNT
};

static const char *const group_names[] = {
	[GROUP_CPUS] = "CPUs",
	[GROUP_CUSTOM] = "custom scopes",
	[GROUP_THREADS] = "threads of unknown processes",
};
_Static_assert(sizeof(group_names) / sizeof(group_names[0]) == GROUP_COUNT, "a name for each");

static enum chrome_group track_group(const struct timeline_track *track)
{
	switch (track->scope) {
	case SCOPE_THREAD:
		return GROUP_THREADS;
	case SCOPE_CPU:
		return GROUP_CPUS;
	default:
		return GROUP_CUSTOM;
	}
}

/* The process that a track is about, or the number of its group. */
static int64_t track_pid(const struct timeline_track *track)
{
	bool is_pid = track->scope == SCOPE_PROCESS && track->id.kind == VALUE_SIGNED &&
		      track->id.signed_number > 0 && track->id.signed_number < CHROME_OWN_PROCESS;

	if (is_pid)
		return track->id.signed_number;
	if (track->scope == SCOPE_THREAD && track->tgid > 0 && track->tgid < CHROME_OWN_PROCESS)
		return track->tgid;
	return CHROME_OWN_PROCESS + 1 + track_group(track);
}

int64_t chrome_process(const struct timeline_track *track)
{
	int64_t machine = track->machine ? track->machine->number * MACHINE_PIDS : 0;

	return machine + track_pid(track);
}

int chrome_rows_new(struct chrome_rows *rows, size_t nr_machines)
{
	rows->named = calloc(1 + nr_machines, MACHINE_PIDS / 8);
	rows->recent = calloc(ROWS_RECENT, sizeof(*rows->recent));
	return rows->named && rows->recent ? 0 : -1;
}

void chrome_rows_release(struct chrome_rows *rows)
{
	free(rows->named);
	free(rows->recent);
}

/* The name of a process is its main thread's, which need not have a track. */
void chrome_append_process(struct chrome_rows *rows, struct buffer *out,
			   const struct timeline_track *track)
{
	int64_t process = chrome_process(track), pid = track_pid(track);
	uint8_t bit = 1u << process % 8;
	bool is_main = pid < CHROME_OWN_PROCESS && track->comm[0] && track->id.signed_number == pid;
	const char *comm = is_main ? track->comm : track->process_comm;

	if (pid > CHROME_OWN_PROCESS)
		comm = "";
	if (comm[0] && (is_main || !(rows->named[process / 8] & bit)))
		rows->named[process / 8] |= bit;
	else if (rows->named[process / 8] & bit)
		return;
	if (track->machine)
		buffer_printf(out, "%s: ", track->machine->name);
	if (pid > CHROME_OWN_PROCESS)
		buffer_append_string(out, group_names[pid - CHROME_OWN_PROCESS - 1]);
	else if (comm[0])
		buffer_append_string(out, comm);
	else
		buffer_printf(out, "process %lld", (long long)pid);
}

/* Tracks of a thread before and after it is renamed differ in its name only. */
unsigned long chrome_thread(struct chrome_rows *rows, struct buffer *text,
			    const struct timeline_track *track, bool is_row)
{
	struct timeline_category none = { .text = "" };
	struct timeline_track shared = *track;
	struct chrome_row *row;
	uint64_t hash;

	shared.comm = "";
	if (is_row) {
		shared.category = &none;
		shared.name = text_of("");
		shared.field = shared.buffer = NULL;
	}
	buffer_clear(text);
	track_append_identity(text, &shared);
	buffer_append_signed(text, track->born_ns);
	hash = text_hash(buffer_text(text)) | 1;
	row = &rows->recent[hash / 2 % ROWS_RECENT];
	if (row->hash != hash)
		*row = (struct chrome_row){ .hash = hash, .thread = track->number };
	return row->thread;
}
