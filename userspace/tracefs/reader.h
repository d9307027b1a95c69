/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the ring buffers of an instance; a part of tracefs.h. Two consumers use it: source/ parses
 * sub-buffers, tracedat/ spools them. Reading consumes; the instance is not changed otherwise.
 */
#ifndef TRACEFS_READER_H
#define TRACEFS_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"
#include "tracefs/statistics.h"

/**
 * struct cpu_buffer - the ring buffer of one CPU
 * @is_sideband: it belongs to the sideband instance
 * @fd: its trace_pipe_raw
 * @statistics_fd: its stats
 * @size_fd: its buffer_size_kb; -1 if there is none
 * @sub_buffer_size: in bytes
 * @sub_buffers_left: how many may still be read
 * @is_absent: the CPU was never online
 * @has_read: a sub-buffer was read since the last buffer_reader_wait()
 * @before: statistics at buffer_reader_share()
 * @after: statistics at buffer_reader_freeze(), if @is_frozen
 * @settled: statistics at buffer_reader_settle()
 * @forgotten: sum of the statistics that the kernel reset
 */
struct cpu_buffer {
	int cpu;
	bool is_sideband;
	int fd;
	int statistics_fd;
	int size_fd;
	size_t sub_buffer_size;
	uint64_t sub_buffers_left;
	bool is_absent;
	bool has_read;
	struct statistics before;
	struct statistics after;
	bool is_frozen;
	struct statistics settled;
	struct statistics forgotten;
};

/**
 * struct buffer_reader - all ring buffers of an instance and of its sideband instance
 * @list: sorted by CPU, sideband buffers last
 * @is_held: only sideband buffers are read for now
 * @percent_fd: the instance's buffer_percent, -1 if the reader may not change it
 * @wakes_first: the first record wakes buffer_reader_wait()
 */
struct buffer_reader {
	struct cpu_buffer *list;
	size_t size;
	bool is_held;
	int percent_fd;
	bool wakes_first;
};

/**
 * buffer_reader_open - open the buffers of all CPUs
 * @out: for buffer_reader_close(); NULL on failure
 * @directory: of the instance, which cannot be removed before buffer_reader_close()
 * @sideband: of the sideband instance; NULL for none
 *
 * CPUs that are not online are read once they are. Returns 0, or -1 with @error.
 */
int buffer_reader_open(struct buffer_reader **out, const char *directory, const char *sideband,
		       struct error *error);

/** buffer_reader_close - close all files; NULL is fine */
void buffer_reader_close(struct buffer_reader *reader);

/**
 * buffer_reader_wake_early - let the first unread record wake buffer_reader_wait()
 * @directory: of the instance, which this process set up
 *
 * The reader then changes buffer_percent: 0 while nothing is unread, BUFFER_PERCENT otherwise. If
 * the kernel does not accept 0, as 6.1, buffer_reader_wait() returns after its latency instead.
 */
void buffer_reader_wake_early(struct buffer_reader *reader, const char *directory);

/** BUFFER_PERCENT - how full a buffer gets before its reader wakes; of all instances of ktrack */
#define BUFFER_PERCENT "20"

/**
 * buffer_reader_wait - wait until buffers should be read
 * @also_fd: or until this is readable; -1 for none
 * @timeout_ms: or until this time has passed
 * @latency_ms: how long records may wait; 0 waits only for buffer_percent
 */
void buffer_reader_wait(struct buffer_reader *reader, int also_fd, int timeout_ms, int latency_ms);

/**
 * buffer_reader_await_writers - wait for all writers that have a timestamp and no committed record
 */
void buffer_reader_await_writers(void);

/** buffer_reader_is_left - whether a buffer is not to be read for now */
static inline bool buffer_reader_is_left(const struct buffer_reader *reader,
					 const struct cpu_buffer *buffer)
{
	return reader->is_held && !buffer->is_sideband;
}

/**
 * buffer_reader_share - the instance is another owner's: exclude older statistics from the account
 *
 * Unreadable statistics count as zeros; reading them at the end reports the error.
 */
void buffer_reader_share(struct buffer_reader *reader);

/** buffer_reader_limit - read no more than the buffers contain now */
void buffer_reader_limit(struct buffer_reader *reader);

/**
 * buffer_reader_freeze - end the account now; later records and losses are another reader's
 *
 * Returns -1 with @error.
 */
int buffer_reader_freeze(struct buffer_reader *reader, struct error *error);

/** buffer_reader_count - the kernel's counts now; unreadable CPUs are left out */
void buffer_reader_count(const struct buffer_reader *reader, struct buffer_counts *out);

/**
 * buffer_reader_settle - save the statistics before the kernel empties the buffers, which resets
 * them; returns -1 with @error
 */
int buffer_reader_settle(struct buffer_reader *reader, struct error *error);

/**
 * cpu_buffer_read - read the next sub-buffer, even if it is not full
 * @bytes: of @buffer->sub_buffer_size bytes
 *
 * Returns its size, 0 if there is none now, or -1 with @error.
 */
ssize_t cpu_buffer_read(struct cpu_buffer *buffer, void *bytes, struct error *error);

/**
 * cpu_buffer_splice - move full sub-buffers to a pipe without copying them
 * @size: at most so many bytes
 *
 * Returns the number of bytes, 0 if there is no full sub-buffer now, or -1 with @error.
 */
ssize_t cpu_buffer_splice(struct cpu_buffer *buffer, int pipe_fd, size_t size, struct error *error);

/** cpu_buffer_statistics - the kernel's statistics now; after buffer_reader_freeze(), those of
 * then; returns -1 with @error
 */
int cpu_buffer_statistics(const struct cpu_buffer *buffer, struct statistics *out,
			  struct error *error);

/**
 * cpu_buffer_account - the statistics of this reader's time only
 *
 * If nobody read the buffer before, older losses count: they are before the first record. Returns
 * -1 with @error.
 */
int cpu_buffer_account(const struct cpu_buffer *buffer, struct statistics *out,
		       struct error *error);

/**
 * cpu_buffer_forget - keep the settled statistics, if the kernel has reset them
 * @overwritten: an earlier count of overwritten records
 *
 * Returns false if the kernel has not reset them.
 */
bool cpu_buffer_forget(struct cpu_buffer *buffer, uint64_t overwritten);

#endif
