/* SPDX-License-Identifier: GPL-2.0-only */
/* A source that reads the ring buffers of a tracing instance. */
#ifndef SOURCE_LIVE_SOURCE_H
#define SOURCE_LIVE_SOURCE_H

#include <stddef.h>

#include "source/source_ops.h"

/**
 * struct live_source - the source
 * @directory: of the instance
 * @saved: names of ended threads
 * @watched: the instance whose changes are delivered; NULL for none
 * @reads_ahead: sub-buffers may be read before their records are due
 * @ahead_ns: time of the last such reading
 * @ahead_size: bytes in the queues of all streams, @ahead_max at most
 * @tap: receives the sub-buffers; without @take if nobody does
 * @watches_drops: writers continue; a full buffer drops new records
 * @attached_ns: when the source was opened
 * @clock_id: system clock behind @clock, if @has_clock_id
 * @is_unseen: sub-buffers were read since the last look for changes
 * @is_cut: nothing more is read
 * @progress: counts delivered sub-buffers of about @progress_total bytes; NULL for nothing
 */
struct live_source {
	struct source source;
	struct buffer_reader *reader;
	char *directory;
	struct saved_tasks saved;
	struct instance *watched;
	bool reads_ahead;
	int64_t ahead_ns;
	size_t ahead_size;
	size_t ahead_max;
	struct source_tap tap;
	bool watches_drops;
	int64_t attached_ns;
	bool has_clock_id;
	clockid_t clock_id;
	bool is_unseen;
	bool is_cut;
	struct byte_progress *progress;
	uint64_t progress_total;
};

/** struct live_page - a sub-buffer that was read */
struct live_page {
	struct live_page *next;
	ssize_t size;
	unsigned char bytes[];
};

/**
 * struct live_stream - the stream of one CPU
 * @overwritten: records behind all gaps so far, if @is_counted
 * @has_older_drops: some of the earlier drops may be younger than the first read by others
 * @has_looked: drops were looked for
 * @dropped: the kernel's count of drops then
 * @reported: dropped records that were reported
 * @page: the sub-buffer whose records are delivered
 * @first, @last: queue of sub-buffers that were read ahead
 */
struct live_stream {
	struct live_source *live;
	struct cpu_buffer *buffer;
	uint64_t overwritten;
	bool is_counted;
	bool has_older_drops;
	bool has_looked;
	uint64_t dropped;
	uint64_t reported;
	struct live_page *page;
	struct live_page *first;
	struct live_page *last;
};

/** live_source_of - the live source that contains @source */
static inline struct live_source *live_source_of(struct source *source)
{
	return container_of(source, struct live_source, source);
}

/**
 * live_source_new - open the buffers of an instance
 * @out: for source_close(); NULL on failure
 * @sideband: directory of the sideband instance; NULL for none
 *
 * Returns -1 with @error.
 */
int live_source_new(struct live_source **out, const char *directory, const char *sideband,
		    struct error *error);

/**
 * live_source_snapshot_open - open what the buffers of the instance in @directory contain now
 * @out: for source_close(); NULL on failure
 *
 * Reading consumes the records; the instance does not change otherwise. Read it with one
 * source_finish(). Returns 0, or -1 with @error.
 */
int live_source_snapshot_open(struct source **out, const char *directory, struct error *error);

/** live_source_report_drops - report drops since the last call, as in struct source_ops */
int live_source_report_drops(struct source *source, const struct source_handler *handler,
			     struct error *error);

/** live_stream_open - make the stream of a CPU; returns -1 with @error */
int live_stream_open(struct stream *stream, struct live_source *live, struct cpu_buffer *buffer,
		     struct error *error);

/** live_stream_clear - drop the sub-buffers that were read ahead */
void live_stream_clear(struct live_stream *own);

/** live_streams_read_ahead - read all that the buffers contain now, up to a limit */
void live_streams_read_ahead(struct live_source *live);

#endif
