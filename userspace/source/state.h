/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a source: its streams, and what each kind of source does its own way. */
#ifndef SOURCE_STATE_H
#define SOURCE_STATE_H

#include "source/stream.h"

/**
 * struct source_ops - a kind of source
 * @await: wait for writers whose records up to @until_ns are on the way; returns up to when all
 * have arrived; NULL where nobody writes
 * @read_lost: how many records of one stream were lost in all; NULL where only the gaps tell
 * @visit: show all tracepoints whose records there may be
 * @find_task: who a thread is; @out is zeroed
 * @close: give back what the kind keeps, not the streams
 */
struct source_ops {
	int64_t (*await)(struct source *source, int64_t until_ns);
	int (*read_lost)(struct source *source, const struct stream *stream, uint64_t *lost,
			 struct error *error);
	int (*visit)(struct source *source, const struct source_visitor *visitor,
		     struct error *error);
	void (*find_task)(struct source *source, int tid, struct source_task *out);
	void (*close)(struct source *source);
};

/**
 * struct source - the head of every kind's own struct
 * @damage: what kept it from giving all, where something did
 */
struct source {
	const struct source_ops *ops;
	struct source_description description;
	struct stream *streams;
	size_t nr_streams;
	struct error damage;
};

/** source_add_stream - one stream more, zeroed; returns NULL with @error where memory ran out */
struct stream *source_add_stream(struct source *source, struct error *error);

#endif
