/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common part of outputs that write one file: output buffer, tracks, and losses without an end.
 *
 * Such an output is a struct that begins with a struct sink_file, and a struct sink_file_ops.
 */
#ifndef SINK_FILE_H
#define SINK_FILE_H

#include "sink/compression.h"
#include "sink/rows.h"
#include "sink/sink.h"

/** struct sink_track - the first member of a sink's own struct of a track */
struct sink_track {
	struct sink_track *before;
	struct sink_track *after;
	struct row_track row;	 /* among @rows of the sink, if it takes part in them */
	struct row_track single; /* in @single_rows: the track's own, if its slices may cross */
};

static inline void sink_track_link(struct sink_track **list, struct sink_track *track)
{
	track->before = NULL;
	track->after = *list;
	if (track->after)
		track->after->before = track;
	*list = track;
}

static inline void sink_track_unlink(struct sink_track **list, struct sink_track *track)
{
	if (track->before)
		track->before->after = track->after;
	else
		*list = track->after;
	if (track->after)
		track->after->before = track->before;
}

struct sink_file;

/**
 * struct sink_file_ops - one output format
 * @event: write one event. For each TIMELINE_TRACK_BEGIN it calls sink_file_track_new(), if only
 * with the size of a struct sink_track; that struct exists until this returns from the track's end.
 * Losses that last to the end of the recording are delivered just before the finish, and so every
 * loss has an end; none begins before the recording
 *
 * What fails sets @has_failed of the file and @error, or only @failed of @out if memory ran out. It
 * may go on until it returns: no further call but @release follows.
 */
struct sink_file_ops {
	size_t size; /* of its struct */
	/* set members of a zeroed struct; may be NULL */
	void (*init)(struct sink_file *file, const struct sink_settings *settings);
	/* write the head of the file; may be NULL */
	void (*open)(struct sink_file *file, const struct recording *recording);
	void (*event)(struct sink_file *file, const struct timeline_event *event);
	/* the finish was written, nothing follows; may be NULL */
	void (*complete)(struct sink_file *file);
	/* bring all output to the readers; NULL for sink_file_flush() */
	void (*flush)(struct sink_file *file);
	/* the write() of the sink's rows; NULL for none */
	void (*row_write)(void *file, const struct row_place *place,
			  const struct timeline_event *event);
	/* the write() of its rows of one track each; NULL for none */
	void (*single_write)(void *file, const struct row_place *place,
			     const struct timeline_event *event);
	/* free what the track's struct refers to; may be NULL */
	void (*track_release)(struct sink_track *track);
	/* free what the sink's struct refers to; may be NULL */
	void (*release)(struct sink_file *file);
};

struct sink_file {
	struct sink sink;
	const struct sink_kind *kind;
	const struct sink_file_ops *ops;
	struct error *error; /* of the call that runs */
	bool has_failed;     /* @error is set */
	bool is_held;	     /* @out is not written yet: the next event may change its end */
	const char *name;    /* in error messages */
	const struct report *report; /* may be NULL */
	int fd;
	struct file_wait wait;
	struct compressor *compressor; /* writes to @fd; NULL if the file is not compressed */
	struct buffer out;	       /* bytes that are not written yet */
	struct sink_track *tracks;
	struct rows rows;	 /* of the tracks that rows_track_begin() adds */
	struct rows single_rows; /* of tracks that have a row each */
	bool has_rows;		 /* the user wants rows of threads, else each track has a row */
	struct timeline_event *losses; /* without an end; at most one for each CPU of each buffer */
	size_t nr_losses;
	uint64_t nr_deep; /* slices and instants that were left out, see VIEWER_DEPTH_MAX */
	const struct explanations *explanations; /* NULL if no slice is explained */
	struct buffer text;			 /* scratch */
	unsigned int sink_index; /* into the sink data of tracks, names and categories */
	unsigned int with;	 /* a set of 1 << enum timeline_emitter */
	int64_t start_ns;	 /* trace time at which the recording begins */
	bool counts_ticks;	 /* the trace clock does not count nanoseconds */
};

/** sink_file_new - an output, whose own members are 0; NULL with @error and a closed descriptor */
struct sink *sink_file_new(const struct sink_kind *kind, const struct sink_settings *settings,
			   struct error *error);

/**
 * sink_file_track_new - a track's struct, which exists until the track's end
 * @size: of a struct whose first member is a struct sink_track
 *
 * Returns it, zeroed and in the track's sink data, or NULL if the file has failed.
 */
void *sink_file_track_new(struct sink_file *file, struct timeline_track *track, size_t size);

/**
 * sink_file_rows_begin - add a track to the rows of its thread, if the user wants these, or give it
 * a row of its own, if its slices may cross; returns false if the file has failed
 */
bool sink_file_rows_begin(struct sink_file *file, struct sink_track *track,
			  struct timeline_track *shown);

/** sink_file_rows_event - let the rows write an event; returns false if its track is on none */
bool sink_file_rows_event(struct sink_file *file, struct sink_track *track,
			  const struct timeline_event *event);
/** sink_file_report_faults - write faults of the recording, and what was left out */
void sink_file_report_faults(struct sink_file *file, const struct timeline_event *finish,
			     void (*write)(struct sink_file *file,
					   const struct timeline_event *finish, struct text text));
/** sink_file_flush - write all of @out */
void sink_file_flush(struct sink_file *file);

/** SINK_BLOCK_SIZE - bytes of @out that are written at once, about */
#define SINK_BLOCK_SIZE (64 * 1024)

/** sink_file_spill - write @out if it has a block's size; follows each event by itself */
static inline void sink_file_spill(struct sink_file *file)
{
	if (unlikely(file->out.size >= SINK_BLOCK_SIZE) && !file->is_held)
		sink_file_flush(file);
}

/** sink_file_status - the result of a call: 0, or -1 with @error if the file has failed */
int sink_file_status(struct sink_file *file);

#endif
