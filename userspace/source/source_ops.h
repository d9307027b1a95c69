/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of source/: what each kind of source implements. */
#ifndef SOURCE_SOURCE_OPS_H
#define SOURCE_SOURCE_OPS_H

#include <stddef.h>

#include "source/source.h"
#include "tracefs/page.h"

/* What each kind of source implements. */

/** struct account - losses of a stream */
struct account {
	uint64_t marked;   /* lost records behind which a gap was found */
	uint64_t unmarked; /* lost records without a mark in the buffer */
	uint64_t reported; /* of these, the ones that @report_drops reported */
	bool is_open;	   /* more of these may be lost */
	/* @keeps_last, @keeps_first: as in struct statistics */
	bool keeps_last;
	bool keeps_first;
};

/**
 * struct source_ops - a kind of source; NULL where an operation does not apply
 * @wait, @read_ahead, @hold, @set_tap, @count, @freeze, @cut, @now_ns: as source_wait() and so on;
 * @out is zeroed
 * @look: sub-buffers of @stream may have been read: deliver changes before their records; returns
 * -1 with @error
 */
struct source_ops {
	void (*wait)(struct source *source, int also_fd, int timeout_ms, int latency_ms);
	void (*read_ahead)(struct source *source);
	void (*hold)(struct source *source, bool is_held);
	void (*set_tap)(struct source *source, const struct source_tap *tap);
	void (*count)(struct source *source, struct buffer_counts *out);
	/* @settle, @start_over: as source_settle() and source_start_over(), without deliveries */
	int (*settle)(struct source *source, struct error *error);
	void (*start_over)(struct source *source, enum instance_kind kind);
	void (*freeze)(struct source *source);
	void (*cut)(struct source *source);
	int64_t (*now_ns)(struct source *source);
	int (*look)(struct source *source, struct stream *stream,
		    const struct source_handler *handler, struct error *error);
	/* wait for writers that have a timestamp and no committed record */
	void (*await)(struct source *source);
	/* deliver losses since the last call that leave no mark; returns -1 with @error */
	int (*report_drops)(struct source *source, const struct source_handler *handler,
			    struct error *error);
	/* losses of a stream; @out has those of its gaps; returns -1 with @error */
	int (*read_account)(struct source *source, const struct stream *stream, struct account *out,
			    struct error *error);
	/* as source_note_unknown() */
	void (*note_unknown)(struct source *source, uint16_t id, const struct record *record);
	/* all records were delivered: check what can only be checked now */
	void (*finish)(struct source *source);
	/* @visit, @find_task: never NULL; @out is zeroed */
	int (*visit)(struct source *source, const struct tracepoint_visitor *visitor,
		     struct error *error);
	void (*find_task)(struct source *source, int tid, struct thread_identity *out);
	/* as source_find_cgroup(); NULL for this machine's */
	void (*find_cgroup)(struct source *source, int pid, struct buffer *out);
	/* as source_read_symbols(); NULL for this machine's */
	int (*read_symbols)(struct source *source, struct kallsyms **out, struct error *error);
	/* as source_set_progress() */
	void (*set_progress)(struct source *source, struct byte_progress *progress);
	const char *(*damage)(const struct source *source); /* as source_damage() */
	const char *(*lack)(const struct source *source);   /* as source_lack() */
	/* as source_part_begin() */
	int (*part_begin)(struct source *source, const char *path, const struct spool_owner *owner,
			  struct part_writer **out, struct error *error);
	void (*close)(struct source *source); /* free the source and its streams; never NULL */
};

struct programs_stream;

/** LIVE_BUFFERS_MAX - most buffers of a live source: two of instances, and that of programs */
#define LIVE_BUFFERS_MAX 3

/** struct source - the common part of every source, inside the struct of its kind */
struct source {
	const struct source_ops *ops;
	void *own; /* of a kind that needs no struct around this one */
	struct recording recording;
	const char *buffers[LIVE_BUFFERS_MAX]; /* names of the buffers of a live source */
	struct stream *streams;
	size_t nr_streams;
	struct programs *programs;		 /* whose records are a stream; NULL for none */
	struct programs_stream *programs_stream; /* data of that stream */
	uint64_t lost_sideband;	 /* lost records of sideband streams, after source_finish() */
	struct source_span span; /* the complete part, after source_finish() */
	/* the kernel's strings, to which records of its streams may point */
	struct constants constants;
};

/** source_add_buffer - name another buffer of a live source, behind the unnamed first one; returns
 * its number
 */
unsigned int source_add_buffer(struct source *source, const char *name);

/** source_add_stream - append a zeroed stream; returns NULL with @error if memory ran out */
struct stream *source_add_stream(struct source *source, struct error *error);

/**
 * merge_drain - deliver all records up to a time, and the gaps before them
 *
 * Records with equal times are delivered CPU by CPU. Returns 0, or -1 with @error.
 */
int merge_drain(struct source *source, int64_t until_ns, const struct source_handler *handler,
		struct error *error);

/* A source that reads the ring buffers of a tracing instance. */

/** struct live_source - the source */
struct live_source {
	struct source source;
	struct buffer_reader *reader;
	char *directory;	  /* of the instance */
	struct saved_tasks saved; /* names of ended threads */
	struct instance *watched; /* the instance whose changes are delivered; NULL for none */
	bool reads_ahead;	  /* sub-buffers may be read before their records are due */
	int64_t ahead_ns;	  /* time of the last such reading */
	size_t ahead_size;	  /* bytes in the queues of all streams, @ahead_max at most */
	size_t ahead_max;
	struct source_tap tap; /* receives the sub-buffers; without @take if nobody does */
	bool watches_drops;    /* writers continue; a full buffer drops new records */
	int64_t attached_ns;   /* when the source was opened */
	bool has_clock_id;
	clockid_t clock_id; /* system clock behind @clock, if @has_clock_id */
	bool is_unseen;	    /* sub-buffers were read since the last look for changes */
	bool is_cut;	    /* nothing more is read */
	/* counts delivered sub-buffers of about @progress_total bytes; NULL for nothing */
	struct byte_progress *progress;
	uint64_t progress_total;
};

/** struct live_page - a sub-buffer that was read */
struct live_page {
	struct live_page *next;
	ssize_t size;
	unsigned char bytes[];
};

/** struct live_stream - the stream of one CPU */
struct live_stream {
	struct live_source *live;
	struct cpu_buffer *buffer;
	uint64_t overwritten; /* records behind all gaps so far, if @is_counted */
	bool is_counted;
	/* some of the earlier drops may be younger than the first read by others */
	bool has_older_drops;
	bool has_looked;	/* drops were looked for */
	uint64_t dropped;	/* the kernel's count of drops then */
	uint64_t reported;	/* dropped records that were reported */
	struct live_page *page; /* the sub-buffer whose records are delivered */
	/* @first, @last: queue of sub-buffers that were read ahead */
	struct live_page *first;
	struct live_page *last;
};

/** live_source_of - the live source that contains @source */
static inline struct live_source *live_source_of(struct source *source)
{
	return container_of(source, struct live_source, source);
}

#endif
