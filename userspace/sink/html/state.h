/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private header of the html sink. The page's data is lines of text. The events of a track are in
 * chunks, each with a summary that is enough to draw it at low zoom.
 *
 * A line is a letter and words, separated by blanks. Times are nanoseconds since the start of the
 * recording. DATA and ARGS are base64, of bytes and of deflated ones; ARGS is - if there are none.
 *
 *   r OBJECT                                    the recording
 *   n STRING                                    a name; the first is number 0, and so on
 *   t OBJECT                                    a track begins
 *   e TRACK [UNMATCHED [RUNNING]]               it has ended: ends without a begin; how long the
 *                                               thread ran, of one with states
 *   c TRACK PLACE FROM TO COUNT BUSY DIGEST FIELDS TOKENS DATA ARGS
 *                                               slices of one depth; their total duration
 *   i TRACK FROM TO COUNT DEPTH FIELDS TOKENS DATA ARGS
 *                                               instants; the depth of the first one
 *   v TRACK FROM TO COUNT MIN MAX FIELDS TOKENS DATA ARGS
 *                                               samples
 *   p FROM COUNT DATA                           points of flows
 *   x FROM TO DATA                              where the time of slices went, by their begins
 *   y OBJECT                                    who used the CPUs, the slowest kinds of slices
 *   l CPU FROM TO STRING                        lost records
 *   m TIME STRING                               a remark
 *   w STRING                                    a fault of the recording as a whole
 *   f OBJECT                                    the end; last_ns is the time of the last record
 *   o TRACK PLACE FROM NAME STRING              live: a slice that is open; the JSON of its begin's
 *                                               arguments, 0 for none. The first slice of the next
 *                                               line c of this track, depth and FROM is the same
 *                                               one
 *   a TIME                                      live: the recording has got so far
 *   u                                           a live page was saved before the end
 *
 * PLACE is DEPTH, from 0; on the second or a later row of its thread, or inside of slices of other
 * tracks, DEPTH/ROW/LANE: the row from 1, and how many slices of it are around. A track has
 * "joins":true if it is on the rows of its thread; its instants are on the first of them.
 *
 * DATA is varints. Of a slice: its begin since the last one's end (the first: since FROM), its
 * duration, and 8 * its name + 4 if it is foreign + 2 if it is incomplete + 1 if it is suspect; of
 * an instant: its time since the last one, its depth, its name; of a sample: its time since the
 * last one, its value, signed ones zigzag, floating ones as two words; of a point: its time since
 * the last one, its time since its slice's begin, its track, its slice's depth from 1, or 0 for an
 * instant, the flow's name, and its id. ARGS is a JSON array with an element for each: [object of
 * the begin, object of the end] of slices, an object of others, 0 for none. DIGEST is base64, or -
 * for few slices: varints, the number of names and each of them, then two bytes for each of 64
 * parts of the chunk's time: how much of it slices fill, up to 255, and 32 * the marks of all of
 * them + the index of the longest one's name, 31 if it is not among the names. FIELDS and TOKENS
 * are the index of a chunk for searches: see html_index_append(); durations are those of the field
 * "". DATA of x is a deflated JSON array of [track, depth, object of 'ktrack why --json'].
 */
#ifndef SINK_HTML_STATE_H
#define SINK_HTML_STATE_H

#include "base/base.h"
#include "sink/file.h"
#include "sink/text.h"

/** TOKENS_MAX - a chunk with more different tokens has none: it may have any */
#define TOKENS_MAX 4096
/** INDEX_FIELDS_MAX - a chunk with more different fields is always searched */
#define INDEX_FIELDS_MAX 64

/** struct index_field - a field of a chunk, and the range of its numbers */
struct index_field {
	struct text name;
	struct text last;   /* the member that was added last, empty before the first */
	unsigned int after; /* the field that followed last */
	bool has_numbers;   /* @min and @max are set */
	bool is_unlimited;  /* it has texts that are numbers to the page, but not to this index */
	int64_t min;
	uint64_t max; /* 0 if all are negative */
};

/** struct html_index - the fields of a chunk, and tokens: numbers, three letters in a row, names */
struct html_index {
	uint32_t tokens[2 * TOKENS_MAX]; /* hashes, by their lowest bits; 0 is a free place */
	uint16_t places[TOKENS_MAX + 1]; /* where they are */
	unsigned int nr_tokens;
	uint32_t window;	 /* the last three letters of a text */
	unsigned int nr_letters; /* since the text's begin */
	struct index_field fields[INDEX_FIELDS_MAX];
	unsigned int nr_fields;
	unsigned int at; /* the field of the last member */
	bool is_open;	 /* it has what is not indexed */
};

void html_index_clear(struct html_index *index);

void html_index_add_name(struct html_index *index, uint64_t name);

/** html_index_add_durations - add the shortest and the longest of slices, before their arguments */
void html_index_add_durations(struct html_index *index, uint64_t min_ns, uint64_t max_ns);
/** html_index_add_args - add the arguments of a chunk: JSON that ktrack wrote; must stay valid */
void html_index_add_args(struct html_index *index, struct text json);

/**
 * html_index_append - append the fields and the tokens as two words
 *
 * Fields are ";" and then "NAME=MIN~MAX;" for each, without numbers for texts alone, "~" for any;
 * behind "?" numbers may have no tokens. Tokens are a filter, or - for none. "*" stands for
 * anything.
 */
void html_index_append(struct buffer *out, const struct html_index *index);

/** page_style, page_body, page_script - CSS, the body's content, and the scripts */
extern const char page_style[];
extern const char page_body[];
extern const char page_script[];

/** struct html_place - where slices are drawn */
struct html_place {
	unsigned int depth; /* on their track, from 0 */
	unsigned int row;   /* of the thread, from 1; 0 if the track takes no part */
	unsigned int lane;  /* of the row, from 0; the depth if the track takes no part */
};

/** struct html_chunk - events of one row of a track that are not written yet */
struct html_chunk {
	struct html_chunk *after; /* of slices: of the same depth at another place */
	struct html_place place;  /* of slices */
	struct buffer data;	  /* varints */
	struct buffer args;	  /* the array, without its brackets */
	struct buffer members;	  /* of instants and samples: those of the array to index */
	uint64_t number;	  /* of a chunk with such members: from 1 */
	bool has_args;		  /* any element of it is more than 0 */
	unsigned int count;
	int64_t from_ns;
	int64_t to_ns;
	int64_t last_ns;    /* time of the last event, or of its end */
	int64_t busy_ns;    /* of slices: their total duration */
	unsigned int depth; /* of instants: number of open slices around the first one */
	struct value min;   /* of samples */
	struct value max;
};

/** struct html_depth - the slices of one depth of a track, of which the last may be open */
struct html_depth {
	struct html_chunk *chunks;  /* the first one stays */
	struct buffer args;	    /* of the open slice's begin; empty for none */
	struct timeline_name *name; /* NULL if no slice is open */
	int64_t begin_ns;
	struct html_place place; /* of its begin, which the slice may leave */
	bool is_written;	 /* of live lines: readers have it */
};

/** struct html_track - a track that has not ended */
struct html_track {
	struct sink_track link;
	unsigned long number;
	enum track_kind kind;
	struct html_depth *depths;
	unsigned int nr_depths;
	unsigned int nr_places;	  /* number of chunks that are not the first of their depth */
	struct html_chunk points; /* instants or samples */
	int64_t running_ns;	  /* of states: how long the thread ran */
};

/** struct html_flow_name - the name of a flow, and its number */
struct html_flow_name {
	struct text name;
	uint64_t number;
};

struct html_sink {
	struct sink_file file;
	struct buffer packed;	     /* for one word */
	struct z_stream_s *deflater; /* compresses such words; NULL before the first */
	struct html_index index;     /* of the chunk that is written */
	uint64_t next_name;	     /* the number of the next name */
	struct json_sets fields;     /* of all tracepoints */
	uint64_t nr_chunks;	     /* that have members */
	size_t pending_size;	     /* bytes in all chunks, and of those that are not the first */
	int64_t last_ns;	     /* time of the last record of all tracks */
	struct html_chunk points;    /* of flows */
	struct html_flow_name *flow_names;
	size_t nr_flow_names;
	bool is_live;		/* lines alone; the members below are of these */
	uint64_t size_max;	/* limit of the file's size, about */
	bool is_full;		/* the limit is reached */
	int64_t flush_ns;	/* when waiting events are written next */
	int64_t newest_ns;	/* @last_ns at the last flush */
	int64_t newest_seen_ns; /* since when it is that, on CLOCK_MONOTONIC */
	int64_t reached_ns;	/* trace time of the last flush, about */
	int64_t written_ns;	/* the last such time that was written */
};

/** html_append_head, html_append_tail - append what is before and behind the lines of a page */
void html_append_head(struct buffer *out, const char *title);
void html_append_tail(struct buffer *out);

void html_report_all(struct html_sink *sink);

#endif
