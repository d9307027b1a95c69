/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's statistics of a CPU's ring buffer. */
#ifndef TRACEFS_STATISTICS_H
#define TRACEFS_STATISTICS_H

#include "base/base.h"

/** STATISTICS_IN_FLIGHT, STATISTICS_MODE - names of ktrack's own lines */
#define STATISTICS_IN_FLIGHT "in flight"
#define STATISTICS_MODE "mode"

/** STATISTICS_UNKNOWN - value of STATISTICS_IN_FLIGHT if the recording was killed */
#define STATISTICS_UNKNOWN "unknown"

/** STATISTICS_CIRCULAR, STATISTICS_ONESHOT - modes whose buffers are read only at the end */
#define STATISTICS_CIRCULAR "circular"
#define STATISTICS_ONESHOT "oneshot"

/**
 * struct statistics - counts since the instance was created or emptied
 * @overwritten: "overrun": overwritten before they were read; the next sub-buffer is marked
 * @dropped: "dropped events" (the buffer was full and may not overwrite), "commit overrun"
 * (interrupts filled the buffer during a write), and "in flight", a line that ktrack adds in a
 * trace.dat: records that were read, but not written to the file. No sub-buffer is marked
 * @in_flight: the part of @dropped that was in flight
 * @read: "read events"
 * @unread: "entries": records in the buffer
 * @held_bytes: "bytes": bytes of unread records
 * @now: "now ts": time of the trace clock; microseconds as nanoseconds, or ticks
 * @is_open: "in flight: unknown": the recording was killed, and more records may be lost
 * @keeps_last: "mode: circular": overwritten records are older than all records of the CPU
 * @keeps_first: "mode: oneshot": dropped records are younger than all records of the CPU
 *
 * The kernel counts each lost record in exactly one of the three ways.
 */
struct statistics {
	uint64_t overwritten;
	uint64_t dropped;
	uint64_t in_flight;
	uint64_t read;
	uint64_t unread;
	uint64_t held_bytes;
	int64_t now;
	bool is_open;
	bool keeps_last;
	bool keeps_first;
};

/**
 * struct buffer_counts - sums of a running instance's statistics, over all CPUs
 * @read: records that were read
 * @unread: records in the buffers
 * @lost: records that were overwritten or dropped
 * @held_bytes: bytes that wait in the buffers
 */
struct buffer_counts {
	uint64_t read;
	uint64_t unread;
	uint64_t lost;
	uint64_t held_bytes;
};

/** statistics_read_line - add the count of one line, which has no newline */
void statistics_read_line(struct statistics *out, struct text line);

/** statistics_read - parse the text of per_cpu/cpuN/stats; missing counts are 0 */
void statistics_read(struct statistics *out, struct text text);

/** statistics_since - the increase of a count, which restarts at 0 when the buffer is emptied */
static inline uint64_t statistics_since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

/**
 * cpu_file_open - open a CPU's file of an instance
 * @directory: of the instance, which cannot be removed until the descriptor is closed
 * @flags: as for open(2)
 *
 * Returns a descriptor, or -1 with @error.
 */
int cpu_file_open(const char *directory, int cpu, const char *file, int flags, struct error *error);

/** statistics_open - likewise, a CPU's statistics, which can be read repeatedly */
int statistics_open(const char *directory, int cpu, struct error *error);

/** statistics_text - append the kernel's current text; returns -1 with @error */
int statistics_text(int fd, int cpu, struct buffer *out, struct error *error);

/** statistics_load - read the current statistics; returns -1 with @error */
int statistics_load(struct statistics *out, int fd, int cpu, struct error *error);

#endif
