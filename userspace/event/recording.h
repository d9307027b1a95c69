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
 * @counts_ticks: the clock does not count nanoseconds, and the length of its ticks is unknown; all
 * times are in ticks
 * @convention_buffer: number of the buffer that ktrack made for tracepoints of the convention,
 * whose tracks are shown as those of the first; 0 for none
 * @overwrite: "1" if a full buffer overwrites its oldest records, "0" if it drops new ones; NULL if
 * @mode implies it or it is unknown
 * @stored: lines of the selection with which ktrack recorded a file, see selection_add_stored();
 * NULL for none
 * @triggers: why ktrack watch saved the records: lines "TIME TEXT", the time in nanoseconds of the
 * trace clock; NULL if they were not saved by a trigger
 * @labels: lines "KEY=VALUE" that the user gave the recording; NULL for none; a line may be of any
 * bytes
 * @limits: lines "TIMES MICROSECONDS QUOTA PERIOD PATH" of the cgroups that were throttled while it
 * was recorded: how often and for how long, and cpu.max; NULL for none
 * @devices: lines "MAJOR:MINOR NAME" of the block devices when it began; NULL for none
 * @part: of a part of a recording, what it has of the rest: lines, see reader/window.h; NULL if it
 * is no part
 * @wall_offset_ns: nanoseconds since 1970 minus trace time; if that is unknown, the offset that a
 * file states, or 0
 * @machines: the recordings that are merged, in the order of the command line; they live as long as
 * the timeline; NULL for one
 *
 * A source sets what it knows, and the texts live as long as it is open. A run begins with a copy
 * of that, and adds what it decides itself; outputs read the result.
 */
struct recording {
	const char *command; /* the ktrack command ("stream") */
	char *const *argv;   /* its arguments; NULL-terminated */
	const char *source;  /* human-readable name of the source */
	const char *id;	     /* a hash that identifies it, the same whenever it is read */
	const char *mode;    /* buffering mode of a live recording, NULL for files */
	const char *clock;   /* the trace clock, NULL if unknown */
	bool counts_ticks;
	/* how wall-clock time was found ("realtime"), "none" if it is unknown */
	const char *time_source;
	const char *kernel;  /* release of the traced kernel, NULL if unknown */
	const char *machine; /* the traced machine as uname(2) names it, NULL if unknown */
	const char *host;    /* name of the traced machine, NULL if unknown */
	const char *boot_id; /* the kernel's id of the boot that was traced, NULL if unknown */
	const char *process; /* number of the recorded command's process, NULL if unknown or none */
	uint64_t nr_cpus;    /* number of CPUs that may have written records */
	/* names of its buffers ("" is the top level's), NULL if there is only one */
	const char *const *buffers;
	size_t nr_buffers;
	unsigned int convention_buffer;
	uint64_t buffer_kib; /* ring buffer size per CPU, 0 if unknown */
	uint64_t memory_kib; /* kernel memory of all its buffers, 0 if unknown */
	const char *overwrite;
	bool has_one_buffer; /* all records are from one buffer, even if the source has more */
	/* number of records that other readers consumed, which are not in the stream */
	uint64_t read_before;
	bool is_swapped; /* records are in the other byte order than this machine's */
	int writer;	 /* the thread of ktrack that recorded a file, 0 if unknown */
	/* numbers of the threads that a file is limited to, "1,2,3"; NULL if it is not */
	const char *workload;
	/* numbers of threads that ran 32-bit programs when it began; NULL if unknown */
	const char *narrow;
	/* rules for the records of probes, as ktrack-rules(5) describes them; NULL for none */
	const char *rules;
	const char *stored;
	const char *selection; /* what is selected of the source, for people */
	const char *triggers;
	const char *labels;
	const char *limits;
	const char *devices;
	const char *part;
	int64_t start_ns; /* trace time at which the stream begins; of a part, that of the whole */
	bool has_window;  /* only what happened from trace time @from_ns up to @to_ns is shown */
	int64_t from_ns;
	int64_t to_ns;
	int64_t wall_offset_ns;
	/* limit of the error of a file's wall clock when recording began; -1 if unknown */
	int64_t wall_error_ns;
	const struct timeline_machine *machines;
	size_t nr_machines;
	struct recording_text *texts; /* copies of recording_keep() */
};

/** enum recording_output - which outputs print a property by the table, a set of bits */
enum recording_output {
	RECORDING_TRACE2 = 1 << 0,	   /* EVENT, PERF and NORMAL lines */
	RECORDING_TRACE2_MACHINE = 1 << 1, /* those about one of several machines */
	RECORDING_CHROME = 1 << 2,
	RECORDING_HTML = 1 << 3,
	RECORDING_MACHINE = 1 << 4, /* one of several machines, in a Chrome file and a page */
	RECORDING_PERFETTO = 1 << 5,
	RECORDING_SQLITE = 1 << 6, /* also those that are unknown, as 0 or a text of NULL */
	RECORDING_OTLP = 1 << 7,
};

/** struct recording_property - a property that outputs print */
struct recording_property {
	const char *name; /* its name there */
	/* of the member: VALUE_TEXT is const char *, VALUE_UNSIGNED is uint64_t, VALUE_BOOLEAN */
	enum value_kind kind;
	size_t offset;	      /* of the member */
	unsigned int outputs; /* set of enum recording_output */
	const char *word;     /* is printed for a boolean that is true; NULL for itself */
	bool has_zero;	      /* 0 is a number; else it means that the number is unknown */
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

/** recording_keep - set a @member to a copy of a text; returns -1 if memory ran out */
int recording_keep(struct recording *recording, const char **member, struct text text);
/** recording_keep_id - set the id to the digits of @hash; returns -1 if memory runs out */
int recording_keep_id(struct recording *recording, uint64_t hash);
/** recording_keep_system - set the properties of this machine; returns -1 if memory runs out */
int recording_keep_system(struct recording *recording);
/** recording_release - free the copies; not for a copy of the struct */
void recording_release(struct recording *recording);
/** DEVICE_MINOR_BITS - a dev_t of the kernel has the major number above these */
#define DEVICE_MINOR_BITS 20

/**
 * recording_device - the name of a block device by the kernel's number, a dev_t of its own
 * @devices: as in struct recording
 *
 * Returns an empty text if it is unknown.
 */
struct text recording_device(const char *devices, uint64_t number);
/** recording_take_label - take the next label of @rest, text_of(recording.labels) at first */
bool recording_take_label(struct text *rest, struct text *key, struct text *value);

#endif
