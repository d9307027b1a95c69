/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all outputs of one file share: how they are made and freed, where their bytes go, what is
 * kept for each track, and losses that have no end before the recording has.
 *
 * An output is a struct that begins with a struct sink_file, and a struct sink_file_ops.
 */
#ifndef SINK_FILE_H
#define SINK_FILE_H

#include "sink/losses.h"
#include "sink/note.h"
#include "sink/sink.h"
#include "sink/writer.h"

struct sink_file;

/**
 * struct sink_file_ops - what makes an output another than the others
 * @size: of its struct
 * @open: write what stands before all events; may be NULL
 * @event: write one. A loss has its end here: one that lasts to the end of the recording comes just
 * before the finish. What is kept of a track is there until its end was delivered
 * @complete: the finish was written, nothing follows; may be NULL
 * @flush: bring everything so far to where readers see it; NULL where that is in the writer
 * @track_release: give back what hangs on what is kept of a track; may be NULL
 * @release: give back all else that hangs on the struct; may be NULL
 */
struct sink_file_ops {
	size_t size;
	int (*open)(struct sink_file *file, const struct recording *recording, struct error *error);
	int (*event)(struct sink_file *file, const struct timeline_event *event,
		     struct error *error);
	int (*complete)(struct sink_file *file, struct error *error);
	int (*flush)(struct sink_file *file, struct error *error);
	void (*track_release)(struct note *track);
	void (*release)(struct sink_file *file);
};

/**
 * struct sink_file - one output, as far as all are alike
 * @text: scratch
 * @slot: its slot of tracks, names and categories
 * @with: a set of 1 << enum timeline_emitter, told with each record
 * @start_ns: when the recording begins
 * @counts_ticks: its clock counts something else than nanoseconds
 */
struct sink_file {
	struct sink sink;
	const struct sink_file_ops *ops;
	struct writer writer;
	struct note *tracks;
	struct losses losses;
	struct buffer text;
	unsigned int slot;
	unsigned int with;
	int64_t start_ns;
	bool counts_ticks;
};

/**
 * sink_file_new - an output; all of its own members are 0
 *
 * Returns a sink for timeline_add(), or NULL with @error; the descriptor is closed then.
 */
struct sink *sink_file_new(const struct sink_file_ops *ops,
			   const struct sink_file_settings *settings, struct error *error);

/**
 * sink_file_track_new - what is kept of a track, from its begin to its end
 * @size: of a struct whose first member is a struct note
 *
 * Returns it, zeroed and in the track's slot, or NULL with @error.
 */
void *sink_file_track_new(struct sink_file *file, struct timeline_track *track, size_t size,
			  struct error *error);

#endif
