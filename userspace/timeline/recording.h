/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording as a whole, and the recordings of several machines that are merged into one. */
#ifndef TIMELINE_RECORDING_H
#define TIMELINE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/** TIMELINE_MACHINES_MAX - limit of recordings that are merged */
#define TIMELINE_MACHINES_MAX 64

/**
 * struct timeline_machine - one of several recordings that are merged into one stream
 * @number: from 1
 * @name: of the machine; if it is not unique, with the file
 * @recording: with its own times: add @shift_ns for those of the stream
 * @shift_ns: from its times to those of the stream
 * @wall_error_ns: limit of the error of its wall clock, -1 if unknown
 */
struct timeline_machine {
	unsigned int number;
	const char *name;
	const struct recording *recording;
	int64_t shift_ns;
	int64_t wall_error_ns;
};

/**
 * struct recording - properties of the recorded stream as a whole
 * @command: the ktrack command ("stream")
 * @argv: its arguments; NULL-terminated
 * @source: human-readable name of the source
 * @id: stable hash of the source
 * @mode: buffering mode, NULL if another program made the recording
 * @clock: the trace clock
 * @counts_ticks: the clock does not count nanoseconds; all times are in its ticks
 * @time_source: how wall-clock time was found ("realtime"), "none" if it is unknown
 * @kernel: release of the kernel
 * @nr_cpus: number of CPUs that may have written records
 * @buffer_kib: ring buffer size per CPU, 0 if unknown
 * @memory_kib: kernel memory of all its buffers, 0 if unknown
 * @overwrite: "1" if a full buffer overwrites its oldest records, "0" if it drops new ones; NULL if
 * @mode implies it or it is unknown
 * @has_one_buffer: all records are from one buffer, even if the source has more
 * @read_before: number of records that other readers consumed, which are not in the stream
 * @triggers: why the records were saved: lines "TIME TEXT", the time in nanoseconds of trace time;
 * NULL if they were not saved by a trigger
 * @host: name of the machine, NULL if unknown
 * @labels: lines "KEY=VALUE"; NULL for none; a line may be of any bytes
 * @start_ns: trace time at which the stream begins
 * @wall_offset_ns: nanoseconds since 1970 minus trace time
 * @machines: the recordings that are merged, in the order of the command line; they live as long as
 * the timeline; NULL for one
 */
struct recording {
	const char *command;
	char *const *argv;
	const char *source;
	const char *id;
	const char *mode;
	const char *clock;
	bool counts_ticks;
	const char *time_source;
	const char *kernel;
	unsigned int nr_cpus;
	uint64_t buffer_kib;
	uint64_t memory_kib;
	const char *overwrite;
	bool has_one_buffer;
	uint64_t read_before;
	const char *triggers;
	const char *host;
	const char *labels;
	int64_t start_ns;
	int64_t wall_offset_ns;
	const struct timeline_machine *machines;
	size_t nr_machines;
};

/**
 * recording_take_label - take the next label
 * @rest: the rest of recording.labels, text_of(it) at first; lines without a key are skipped
 *
 * Returns false if there is none.
 */
bool recording_take_label(struct text *rest, struct text *key, struct text *value);

#endif
