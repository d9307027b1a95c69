/* SPDX-License-Identifier: GPL-2.0-only */
/* Input of the pipeline: records, losses, format changes, and the identity of threads. */
#ifndef EVENT_RECORD_H
#define EVENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/**
 * RECORD_TIME_LIMIT - every record's time is at least 0 and below this, in nanoseconds
 *
 * That is 146 years: sums and differences of two times do not overflow.
 */
#define RECORD_TIME_LIMIT (INT64_C(1) << 62)

/**
 * struct record - one record as the kernel wrote it
 * @time_ns: trace time
 * @cpu: the CPU whose ring buffer contained it
 * @buffer: index into the source's list of buffers, 0 if it has only one
 * @data: the bytes, common fields first, laid out by the record's format; borrowed, unaligned
 * @size: number of bytes at @data; hostile content must not cause reads beyond it
 */
struct record {
	int64_t time_ns;
	int cpu;
	unsigned int buffer;
	const unsigned char *data;
	size_t size;
};

/** LOSS_COUNT_UNKNOWN - number of lost records if the kernel did not report it */
#define LOSS_COUNT_UNKNOWN (-1)

/**
 * struct loss - records of one CPU that were overwritten or dropped before they were read
 * @buffer: as in struct record
 * @from_ns: all lost records are younger than this
 * @to_ns: and older than this
 * @count: number of records, or LOSS_COUNT_UNKNOWN
 * @is_sum: no interval, but the total of all losses of unknown count on that CPU, from the kernel's
 * statistics
 */
struct loss {
	int cpu;
	unsigned int buffer;
	int64_t from_ns;
	int64_t to_ns;
	int64_t count;
	bool is_sum;
};

/** enum format_change_kind - what happened to a tracepoint's format */
enum format_change_kind {
	FORMAT_ADDED,
	FORMAT_REMOVED,
	FORMAT_REPLACED,
};

/**
 * struct format_change - a tracepoint's format was added, removed or replaced
 * @time_ns: trace time of the change
 * @id: the tracepoint's event id, the common_type of its records
 * @system: name of its system; borrowed for the call, as all pointers here
 * @name: name of the event
 * @format: text of the format file; empty if FORMAT_REMOVED
 * @is_from_load: FORMAT_ADDED: the stream has its records since its module was loaded
 *
 * A source delivers it between records, in its place: earlier records of @id have the old format,
 * later ones the new format. Other tracepoints are not affected.
 */
struct format_change {
	enum format_change_kind kind;
	int64_t time_ns;
	uint16_t id;
	const char *system;
	const char *name;
	struct text format;
	bool is_from_load;
};

/** THREAD_COMM_SIZE - size of a thread's name, with its NUL */
#define THREAD_COMM_SIZE 64

/**
 * struct thread_identity - process and name of a thread
 * @tgid: its process, 0 if unknown
 * @comm: its name, "" if unknown
 */
struct thread_identity {
	int tgid;
	char comm[THREAD_COMM_SIZE];
};

#endif
