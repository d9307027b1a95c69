/* SPDX-License-Identifier: GPL-2.0-only */
/* What each kind of source implements. */
#ifndef SOURCE_SOURCE_OPS_H
#define SOURCE_SOURCE_OPS_H

#include "source/source.h"
#include "tracefs/page.h"

/**
 * struct account - losses of a stream
 * @marked: lost records behind which a gap was found
 * @unmarked: lost records without a mark in the buffer
 * @reported: of these, the ones that @report_drops reported
 * @is_open: more of these may be lost
 * @keeps_last, @keeps_first: as in struct statistics
 */
struct account {
	uint64_t marked;
	uint64_t unmarked;
	uint64_t reported;
	bool is_open;
	bool keeps_last;
	bool keeps_first;
};

/**
 * struct source_ops - a kind of source; NULL where an operation does not apply
 * @wait, @read_ahead, @hold, @set_tap, @count, @freeze, @cut, @now_ns: as source_wait() and so on;
 * @out is zeroed
 * @settle, @start_over: as source_settle() and source_start_over(), without deliveries
 * @look: sub-buffers of @stream may have been read: deliver changes before their records; returns
 * -1 with @error
 * @await: wait for writers that have a timestamp and no committed record
 * @report_drops: deliver losses since the last call that leave no mark; returns -1 with @error
 * @read_account: losses of a stream; @out has those of its gaps; returns -1 with @error
 * @note_unknown: as source_note_unknown()
 * @finish: all records were delivered: check what can only be checked now
 * @visit, @find_task: never NULL; @out is zeroed
 * @set_progress: as source_set_progress()
 * @read_symbols: as source_read_symbols(); NULL for this machine's
 * @damage: as source_damage()
 * @close: free the source and its streams; never NULL
 */
struct source_ops {
	void (*wait)(struct source *source, int also_fd, int timeout_ms, int latency_ms);
	void (*read_ahead)(struct source *source);
	void (*hold)(struct source *source, bool is_held);
	void (*set_tap)(struct source *source, const struct source_tap *tap);
	void (*count)(struct source *source, struct buffer_counts *out);
	int (*settle)(struct source *source, struct error *error);
	void (*start_over)(struct source *source);
	void (*freeze)(struct source *source);
	void (*cut)(struct source *source);
	int64_t (*now_ns)(struct source *source);
	int (*look)(struct source *source, struct stream *stream,
		    const struct source_handler *handler, struct error *error);
	void (*await)(struct source *source);
	int (*report_drops)(struct source *source, const struct source_handler *handler,
			    struct error *error);
	int (*read_account)(struct source *source, const struct stream *stream, struct account *out,
			    struct error *error);
	void (*note_unknown)(struct source *source, const struct record *record);
	void (*finish)(struct source *source);
	int (*visit)(struct source *source, const struct tracepoint_visitor *visitor,
		     struct error *error);
	void (*find_task)(struct source *source, int tid, struct thread_identity *out);
	int (*read_symbols)(struct source *source, struct kallsyms **out, struct error *error);
	void (*set_progress)(struct source *source, struct byte_progress *progress);
	const char *(*damage)(const struct source *source);
	void (*close)(struct source *source);
};

struct programs_stream;

/**
 * struct source - the common part of every source, inside the struct of its kind
 * @programs: whose records are a stream; NULL for none
 * @programs_stream: data of that stream
 * @lost_sideband: lost records of sideband streams, after source_finish()
 * @span: the complete part, after source_finish()
 * @constants: the kernel's strings, to which records of its streams may point
 */
struct source {
	const struct source_ops *ops;
	struct recording recording;
	struct stream *streams;
	size_t nr_streams;
	struct programs *programs;
	struct programs_stream *programs_stream;
	uint64_t lost_sideband;
	struct source_span span;
	struct constants constants;
};

/** source_add_stream - append a zeroed stream; returns NULL with @error if memory ran out */
struct stream *source_add_stream(struct source *source, struct error *error);

/**
 * merge_drain - deliver all records up to a time, and the gaps before them
 *
 * Records with equal times are delivered CPU by CPU. Returns 0, or -1 with @error.
 */
int merge_drain(struct source *source, int64_t until_ns, const struct source_handler *handler,
		struct error *error);

#endif
