/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a source: its streams, and what each kind of source does its own way. */
#ifndef SOURCE_STATE_H
#define SOURCE_STATE_H

#include "source/stream.h"

/**
 * struct account - what was lost of a stream
 * @marked: how many records behind which a gap was found
 * @unmarked: how many without a trace in the buffer
 * @told: how many of these were told of while they were dropped
 * @is_open: perhaps more of these
 * @keeps_last, @keeps_first: as in struct statistics
 */
struct account {
	uint64_t marked;
	uint64_t unmarked;
	uint64_t told;
	bool is_open;
	bool keeps_last;
	bool keeps_first;
};

/**
 * struct source_ops - a kind of source
 * @wait, @read_ahead, @hold, @count: as source_wait(), source_read_ahead(), source_hold() and
 * source_count(); NULL where nobody writes; @out is zeroed
 * @settle, @start_over: as source_settle() and source_start_over(), but for the telling; NULL where
 * nobody empties anything
 * @await: wait for writers that have a time stamp but have not committed their record; NULL where
 * nobody writes
 * @tell_drops: tell of losses since the last time that buffers do not tell of; NULL where only
 * @read_account does; returns -1 with @error
 * @read_account: what else is known to be lost of a stream than its gaps tell; NULL where nothing
 * is; @out is that of the gaps
 * @note_unknown: as source_note_unknown(); NULL if formats come later or are all known
 * @finish: report what is wrong now that all was delivered; NULL if nothing can be
 * @visit: show all tracepoints whose records there may be
 * @find_task: who a thread is; @out is zeroed
 * @close: give back what the kind keeps, not the streams
 */
struct source_ops {
	void (*wait)(struct source *source, int also_fd, int timeout_ms);
	void (*read_ahead)(struct source *source);
	void (*hold)(struct source *source, bool is_held);
	void (*count)(struct source *source, struct source_counts *out);
	int (*settle)(struct source *source, struct error *error);
	void (*start_over)(struct source *source);
	void (*await)(struct source *source);
	int (*tell_drops)(struct source *source, const struct source_handler *handler,
			  struct error *error);
	int (*read_account)(struct source *source, const struct stream *stream, struct account *out,
			    struct error *error);
	void (*note_unknown)(struct source *source, const struct record *record);
	void (*finish)(struct source *source);
	int (*visit)(struct source *source, const struct source_visitor *visitor,
		     struct error *error);
	void (*find_task)(struct source *source, int tid, struct source_task *out);
	void (*close)(struct source *source);
};

/**
 * struct source - the head of every kind's own struct
 * @lost_durable: how many records of durable streams were lost, once all was delivered
 * @span: in which nothing was lost, once all was delivered
 * @watcher: who looks at what is read
 * @damage: what kept it from giving all, where something did
 */
struct source {
	const struct source_ops *ops;
	struct source_description description;
	struct stream *streams;
	size_t nr_streams;
	uint64_t lost_durable;
	struct source_span span;
	struct source_watcher watcher;
	struct error damage;
};

/** clock_counts_ticks - whether a trace clock counts something else than nanoseconds */
bool clock_counts_ticks(const char *clock);

/** source_add_stream - one stream more, zeroed; returns NULL with @error where memory ran out */
struct stream *source_add_stream(struct source *source, struct error *error);

#endif
