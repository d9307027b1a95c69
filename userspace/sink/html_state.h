/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of the html sink: the page's data is lines of text, and what happens on a track is
 * told in chunks, each with what a picture from far away needs.
 *
 * A line begins with a letter, then come words with blanks between them. Times are nanoseconds
 * since the recording's start; DATA and ARGS are base64, of bytes and of zlib's stream, ARGS is -
 * where there are none.
 *
 *   r OBJECT                                    the recording
 *   n STRING                                    a name; the first is number 0, and so on
 *   t OBJECT                                    a track begins
 *   c TRACK DEPTH FROM TO COUNT BUSY DATA ARGS  slices of one depth: how long they are in all
 *   i TRACK FROM TO COUNT DEPTH DATA ARGS       instants; the depth of the first one
 *   v TRACK FROM TO COUNT MIN MAX DATA ARGS     samples
 *   l CPU FROM TO STRING                        records were lost
 *   m TIME STRING                               something about the recording
 *   w STRING                                    something wrong with the recording as a whole
 *   f OBJECT                                    the end; last_ns is the time of the last record
 *
 * DATA is varints. Of a slice: its begin since the last one's end (the first: since FROM), its
 * duration, and 8 * its name + 4 if it is foreign + 2 if it is unfinished + 1 if it is suspect; of
 * an instant: its time since the last one, its depth, its name; of a sample: its time since the
 * last one, its value, signed ones zigzag. ARGS is a JSON array with an element for each: [object
 * of the begin, object of the end] of slices, an object of others, 0 for none.
 */
#ifndef SINK_HTML_STATE_H
#define SINK_HTML_STATE_H

#include "sink/file.h"

enum html_chunk_kind {
	CHUNK_SLICES,
	CHUNK_INSTANTS,
	CHUNK_SAMPLES,
};

/**
 * struct html_chunk - what happened on one row of a track, as far as it was not told yet
 * @data: varints
 * @args: the array, without its brackets
 * @has_args: any element of it is more than 0
 * @last_ns: when the last one ended, or happened
 * @busy_ns: of slices: how long they are in all
 * @depth: of instants: how many slices are open around the first one
 * @min, @max: of samples
 */
struct html_chunk {
	struct buffer data;
	struct buffer args;
	bool has_args;
	unsigned int count;
	int64_t from_ns;
	int64_t to_ns;
	int64_t last_ns;
	int64_t busy_ns;
	unsigned int depth;
	struct value min;
	struct value max;
};

/**
 * struct html_track - a track that goes on
 * @slices: by depth
 * @begins: the args of open slices' begins, by depth; empty for none
 * @points: instants or samples
 */
struct html_track {
	struct note note;
	unsigned long number;
	enum track_kind kind;
	struct html_chunk *slices;
	struct buffer *begins;
	unsigned int nr_depths;
	struct html_chunk points;
};

/**
 * struct html_sink - one page
 * @next_name: the number of the next name
 * @pending_size: bytes in all chunks
 * @last_ns: when the last record of any track was written
 */
struct html_sink {
	struct sink_file file;
	struct buffer packed;
	uint64_t next_name;
	size_t pending_size;
	int64_t last_ns;
};

/** html_append_json - add a text as a JSON string that ends no element of the page */
void html_append_json(struct buffer *out, struct text text);

/** html_append_object - add JSON that was made elsewhere, likewise */
void html_append_object(struct buffer *out, struct text json);

/** html_append_escaped - add a text as it stands between tags */
void html_append_escaped(struct buffer *out, struct text text);

/** html_chunk_add - one more thing in a chunk; what it is was added to its data */
int html_chunk_add(struct html_sink *sink, struct html_track *track, enum html_chunk_kind kind,
		   unsigned int depth, struct text args, struct error *error);

/** html_chunk_of - the chunk of a kind and depth, which is begun at @time_ns where it is empty */
struct html_chunk *html_chunk_of(struct html_track *track, enum html_chunk_kind kind,
				 unsigned int depth, int64_t time_ns);

/** html_track_tell - write down all chunks of a track */
int html_track_tell(struct html_sink *sink, struct html_track *track, struct error *error);

/** html_track_release - forget what was not told */
void html_track_release(struct note *note);

#endif
