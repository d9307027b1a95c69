/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel counts for one CPU's ring buffer. */
#ifndef TRACEFS_STATISTICS_H
#define TRACEFS_STATISTICS_H

#include "base/base.h"

/** STATISTICS_IN_FLIGHT, STATISTICS_MODE - names of ktrack's own lines */
#define STATISTICS_IN_FLIGHT "in flight"
#define STATISTICS_MODE "mode"

/** STATISTICS_UNKNOWN - how many are in flight, where recording has not ended in order */
#define STATISTICS_UNKNOWN "unknown"

/** STATISTICS_CIRCULAR, STATISTICS_ONESHOT - modes in which a buffer was read at the end only */
#define STATISTICS_CIRCULAR "circular"
#define STATISTICS_ONESHOT "oneshot"

/**
 * struct statistics - since the instance was made, or emptied
 * @overwritten: "overrun": before anybody read them; the sub-buffer behind them is marked
 * @dropped: "dropped events" (the buffer was full and must not overwrite) and "commit overrun"
 * (interrupts filled it while a record was being written), which no sub-buffer shows; and those
 * "in flight", a line that ktrack adds in a trace.dat: they were read, but did not get into the
 * file
 * @in_flight: how many of these were in flight
 * @read: "read events"
 * @unread: "entries", which are in the buffer now
 * @held_bytes: "bytes": what waits to be read
 * @now: "now ts": what the trace clock showed; its microseconds as nanoseconds, or its ticks
 * @is_open: "in flight: unknown": recording did not end in order, and more may be lost
 * @keeps_last: "mode: circular": what was overwritten is older than all there is of the CPU
 * @keeps_first: "mode: oneshot": what was dropped is younger
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

/** statistics_read_line - add what one line says, without its newline */
void statistics_read_line(struct statistics *out, struct text line);

/** statistics_read - read the text of per_cpu/cpuN/stats; what it does not say is 0 */
void statistics_read(struct statistics *out, struct text text);

/** statistics_since - how much more a count is than it was; where somebody empties the buffer, the
 * kernel begins anew
 */
static inline uint64_t statistics_since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

/**
 * cpu_file_open - open a file that an instance has for each CPU
 * @directory: the instance's, which cannot be removed until the descriptor is closed
 * @flags: as for open(2)
 *
 * Returns a descriptor, or -1 with @error.
 */
int cpu_file_open(const char *directory, int cpu, const char *file, int flags, struct error *error);

/** statistics_open - likewise, what the kernel counts, which can be read again and again */
int statistics_open(const char *directory, int cpu, struct error *error);

/** statistics_text - append what the kernel counts now, in its words; returns -1 with @error */
int statistics_text(int fd, int cpu, struct buffer *out, struct error *error);

/** statistics_load - read what the kernel counts now; returns -1 with @error */
int statistics_load(struct statistics *out, int fd, int cpu, struct error *error);

#endif
