// SPDX-License-Identifier: GPL-2.0-only
/* Processes of Chrome's format: those of the traced machines, and groups of tracks. */
#include "sink/chrome_process.h"

/* Each machine has a range of numbers. */
#define MACHINE_PIDS INT64_C(8388608)

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

/* The name of a process is its main thread's. */
void chrome_append_process(struct buffer *out, const struct timeline_track *track)
{
	int64_t pid = track_pid(track);

	if (track->machine)
		buffer_printf(out, "%s: ", track->machine->name);
	if (pid > CHROME_OWN_PROCESS)
		buffer_append_string(out, group_names[pid - CHROME_OWN_PROCESS - 1]);
	else if (track->comm[0] && track->id.signed_number == pid)
		buffer_append_string(out, track->comm);
	else
		buffer_printf(out, "process %lld", (long long)pid);
}
