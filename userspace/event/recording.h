/* SPDX-License-Identifier: GPL-2.0-only */
/* The properties of a recording as a whole. */
#ifndef EVENT_RECORDING_H
#define EVENT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct recording_text;
struct timeline_machine;

/**
 * struct recording - properties of a recorded stream as a whole
 * @command: the ktrack command ("stream")
 * @argv: its arguments; NULL-terminated
 * @source: human-readable name of the source
 * @id: a hash that identifies it, the same whenever it is read
 * @mode: buffering mode of a live recording, NULL for files
 * @clock: the trace clock, NULL if unknown
 * @counts_ticks: the clock does not count nanoseconds, and the length of its ticks is unknown; all
 * times are in ticks
 * @time_source: how wall-clock time was found ("realtime"), "none" if it is unknown
 * @kernel: release of the traced kernel, NULL if unknown
 * @machine: the traced machine as uname(2) names it, NULL if unknown
 * @host: name of the traced machine, NULL if unknown
 * @boot_id: the kernel's id of the boot that was traced, NULL if unknown
 * @nr_cpus: number of CPUs that may have written records
 * @buffers: names of its buffers ("" is the top level's), NULL if there is only one
 * @nr_buffers: how many
 * @convention_buffer: number of the buffer that ktrack made for tracepoints of the convention,
 * whose tracks are shown as those of the first; 0 for none
 * @buffer_kib: ring buffer size per CPU, 0 if unknown
 * @memory_kib: kernel memory of all its buffers, 0 if unknown
 * @overwrite: "1" if a full buffer overwrites its oldest records, "0" if it drops new ones; NULL if
 * @mode implies it or it is unknown
 * @has_one_buffer: all records are from one buffer, even if the source has more
 * @read_before: number of records that other readers consumed, which are not in the stream
 * @is_swapped: records are in the other byte order than this machine's
 * @writer: the thread of ktrack that recorded a file, 0 if unknown
 * @workload: numbers of the threads that a file is limited to, "1,2,3"; NULL if it is not
 * @narrow: numbers of threads that ran 32-bit programs when it began; NULL if unknown
 * @rules: rules for the records of probes, as ktrack-rules(5) describes them; NULL for none
 * @stored: lines of the selection with which ktrack recorded a file, see selection_add_stored();
 * NULL for none
 * @selection: what is selected of the source, for people
 * @triggers: why ktrack watch saved the records: lines "TIME TEXT", the time in nanoseconds of the
 * trace clock; NULL if they were not saved by a trigger
 * @labels: lines "KEY=VALUE" that the user gave the recording; NULL for none; a line may be of any
 * bytes
 * @part: of a part of a recording, what it has of the rest: lines, see reader/window.h; NULL if it
 * is no part
 * @start_ns: trace time at which the stream begins; of a part, that of the whole
 * @has_window: only what happened from trace time @from_ns up to @to_ns is shown
 * @wall_offset_ns: nanoseconds since 1970 minus trace time; if that is unknown, the offset that a
 * file states, or 0
 * @wall_error_ns: limit of the error of a file's wall clock when recording began; -1 if unknown
 * @machines: the recordings that are merged, in the order of the command line; they live as long as
 * the timeline; NULL for one
 * @texts: copies of recording_keep()
 *
 * A source sets what it knows, and the texts live as long as it is open. A run begins with a copy
 * of that, and adds what it decides itself; outputs read the result.
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
	const char *machine;
	const char *host;
	const char *boot_id;
	uint64_t nr_cpus;
	const char *const *buffers;
	size_t nr_buffers;
	unsigned int convention_buffer;
	uint64_t buffer_kib;
	uint64_t memory_kib;
	const char *overwrite;
	bool has_one_buffer;
	uint64_t read_before;
	bool is_swapped;
	int writer;
	const char *workload;
	const char *narrow;
	const char *rules;
	const char *stored;
	const char *selection;
	const char *triggers;
	const char *labels;
	const char *part;
	int64_t start_ns;
	bool has_window;
	int64_t from_ns;
	int64_t to_ns;
	int64_t wall_offset_ns;
	int64_t wall_error_ns;
	const struct timeline_machine *machines;
	size_t nr_machines;
	struct recording_text *texts;
};

/**
 * enum recording_output - which outputs print a property by the table, a set of bits
 * @RECORDING_TRACE2: EVENT, PERF and NORMAL lines
 * @RECORDING_TRACE2_MACHINE: those about one of several machines
 * @RECORDING_MACHINE: one of several machines, in a Chrome file and a page
 * @RECORDING_SQLITE: also those that are unknown, as 0 or a text of NULL
 */
enum recording_output {
	RECORDING_TRACE2 = 1 << 0,
	RECORDING_TRACE2_MACHINE = 1 << 1,
	RECORDING_CHROME = 1 << 2,
	RECORDING_HTML = 1 << 3,
	RECORDING_MACHINE = 1 << 4,
	RECORDING_PERFETTO = 1 << 5,
	RECORDING_SQLITE = 1 << 6,
	RECORDING_OTLP = 1 << 7,
};

/**
 * struct recording_property - a property that outputs print
 * @name: its name there
 * @kind: of the member: VALUE_TEXT is const char *, VALUE_UNSIGNED is uint64_t, VALUE_BOOLEAN
 * @offset: of the member
 * @outputs: set of enum recording_output
 * @word: is printed for a boolean that is true; NULL for itself
 * @has_zero: 0 is a number; else it means that the number is unknown
 */
struct recording_property {
	const char *name;
	enum value_kind kind;
	size_t offset;
	unsigned int outputs;
	const char *word;
	bool has_zero;
};

/**
 * recording_next - find the next property that an output prints, in the order of the table
 * @output: one bit of enum recording_output
 * @property: the one before, NULL at first
 * @value: of @property; its text is borrowed
 *
 * Returns false if there is none.
 */
bool recording_next(const struct recording *recording, unsigned int output,
		    const struct recording_property **property, struct value *value);

/**
 * recording_keep - set a property to a copy of a text
 * @member: of the recording
 *
 * Returns 0, or -1 if memory runs out.
 */
int recording_keep(struct recording *recording, const char **member, struct text text);

/** recording_keep_id - set the id to the digits of @hash; returns -1 if memory runs out */
int recording_keep_id(struct recording *recording, uint64_t hash);

/** recording_keep_system - set the properties of this machine; returns -1 if memory runs out */
int recording_keep_system(struct recording *recording);

/** recording_release - free the copies; not for a copy of the struct */
void recording_release(struct recording *recording);

/**
 * recording_take_label - take the next label
 * @rest: the rest of recording.labels, text_of(it) at first; lines without a key are skipped
 *
 * Returns false if there is none.
 */
bool recording_take_label(struct text *rest, struct text *key, struct text *value);

#endif
