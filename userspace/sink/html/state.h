/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private header of the html sink. The page's data is lines of text. The events of a track are in
 * chunks, each with a summary that is enough to draw it at low zoom.
 *
 * A line is a letter and words, separated by blanks. Times are nanoseconds since the start of the
 * recording. DATA and ARGS are base64, of bytes and of a zlib stream; ARGS is - if there are none.
 *
 *   r OBJECT                                    the recording
 *   n STRING                                    a name; the first is number 0, and so on
 *   t OBJECT                                    a track begins
 *   e TRACK                                     it has ended
 *   c TRACK PLACE FROM TO COUNT BUSY DIGEST FIELDS TOKENS DATA ARGS
 *                                               slices of one depth; their total duration
 *   i TRACK FROM TO COUNT DEPTH FIELDS TOKENS DATA ARGS
 *                                               instants; the depth of the first one
 *   v TRACK FROM TO COUNT MIN MAX FIELDS TOKENS DATA ARGS
 *                                               samples
 *   p FROM COUNT DATA                           points of flows
 *   x FROM TO DATA                              where the time of slices went, by their begins
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
 * "". DATA of x is a zlib stream of a JSON array of [track, depth, object of 'ktrack why --json'].
 */
#ifndef SINK_HTML_STATE_H
#define SINK_HTML_STATE_H

#include "base/base.h"
#include "sink/file.h"
#include "sink/rows.h"

/** TOKENS_MAX - a chunk with more different tokens has none: it may have any */
#define TOKENS_MAX 4096

/**
 * struct html_tokens - hashes of what a chunk has: numbers, three letters in a row, names
 * @table: the hashes by their lowest bits; 0 is a free place
 * @size: number of different hashes
 * @window: the last three letters of a text
 * @nr_letters: number of letters since the text's begin
 */
struct html_tokens {
	uint32_t table[2 * TOKENS_MAX];
	unsigned int size;
	uint32_t window;
	unsigned int nr_letters;
};

/** html_tokens_clear - remove all tokens */
void html_tokens_clear(struct html_tokens *tokens);

/** html_tokens_add_name - add a name by its number */
void html_tokens_add_name(struct html_tokens *tokens, uint64_t name);

/** html_tokens_append - append the filter as a word: - if it is empty, * if it is full */
void html_tokens_append(struct buffer *out, const struct html_tokens *tokens);

/** INDEX_FIELDS_MAX - a chunk with more different fields is always searched */
#define INDEX_FIELDS_MAX 64

/**
 * struct index_field - a field of a chunk, and the range of its numbers
 * @has_numbers: @min and @max are set
 * @is_unlimited: it has texts that are numbers to the page, but not to this index
 * @max: 0 if all are negative
 */
struct index_field {
	struct text name;
	bool has_numbers;
	bool is_unlimited;
	int64_t min;
	uint64_t max;
};

/**
 * struct html_index - the fields of a chunk and the tokens of their values
 * @is_open: it has what is not indexed
 */
struct html_index {
	struct html_tokens tokens;
	struct index_field fields[INDEX_FIELDS_MAX];
	unsigned int nr_fields;
	bool is_open;
};

/** html_index_clear - forget the chunk before */
void html_index_clear(struct html_index *index);

/** html_index_add_range - add numbers of a field, without tokens; its name must stay valid */
void html_index_add_range(struct html_index *index, struct text name, int64_t min, int64_t max);

/** html_index_add_args - add the arguments of a chunk: JSON that ktrack wrote; must stay valid */
void html_index_add_args(struct html_index *index, struct text json);

/**
 * html_index_append - append the fields and the tokens as two words
 *
 * Fields are ";" and then "NAME=MIN~MAX;" for each, without numbers for texts alone, "~" for any;
 * behind "?" numbers may have no tokens. "*" stands for anything.
 */
void html_index_append(struct buffer *out, const struct html_index *index);

/** page_style, page_body, page_script - CSS, the body's content, and the scripts */
extern const char page_style[];
extern const char page_body[];
extern const char page_script[];

enum html_chunk_kind {
	CHUNK_SLICES,
	CHUNK_INSTANTS,
	CHUNK_SAMPLES,
};

/**
 * struct html_place - where slices are drawn
 * @depth: on their track, from 0
 * @row: of the thread, from 1; 0 if the track takes no part
 * @lane: of the row, from 0; the depth if the track takes no part
 */
struct html_place {
	unsigned int depth;
	unsigned int row;
	unsigned int lane;
};

/**
 * struct html_chunk - events of one row of a track that are not written yet
 * @after: of slices: of the same depth at another place
 * @place: of slices
 * @data: varints
 * @args: the array, without its brackets
 * @has_args: any element of it is more than 0
 * @last_ns: time of the last event, or of its end
 * @busy_ns: of slices: their total duration
 * @depth: of instants: number of open slices around the first one
 * @min, @max: of samples
 */
struct html_chunk {
	struct html_chunk *after;
	struct html_place place;
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
 * struct html_open - what is open at one depth of a track
 * @args: of the slice's begin; empty for none
 * @name: NULL if no slice is open
 * @place: of its begin, which the slice may leave
 * @is_written: of live lines: readers have it
 */
struct html_open {
	struct buffer args;
	struct timeline_name *name;
	int64_t begin_ns;
	struct html_place place;
	bool is_written;
};

/**
 * struct html_track - a track that has not ended
 * @row: of its thread
 * @slices: by depth, the first chunk of each
 * @nr_places: number of those that are not the first
 * @open: likewise
 * @points: instants or samples
 */
struct html_track {
	struct sink_track link;
	unsigned long number;
	enum track_kind kind;
	struct row_track row;
	struct html_chunk **slices;
	unsigned int nr_places;
	struct html_open *open;
	unsigned int nr_depths;
	struct html_chunk points;
};

/** struct html_flow_name - the name of a flow, and its number */
struct html_flow_name {
	struct text name;
	uint64_t number;
};

/**
 * struct html_sink - one page
 * @has_thread_rows: whether @rows are drawn, else each track has a row
 * @packed: for one word, or for the arguments of one slice
 * @index: of the chunk that is written
 * @next_name: the number of the next name
 * @pending_size: bytes in all chunks, and of those that are not the first of their depth
 * @last_ns: time of the last record of all tracks
 * @points: points of flows that are not written yet
 * @flow_names: names of flows so far
 * @nr_flow_names: their number
 * @explanations: where the time of slices went, NULL if none is explained
 * @size_max: of live lines: limit of the file's size, about
 * @is_full: of live lines: the limit is reached
 * @flush_ns: of live lines: when waiting events are written next
 * @newest_ns: of live lines: @last_ns at the last flush
 * @newest_seen_ns: of live lines: since when it is that, on CLOCK_MONOTONIC
 * @reached_ns: of live lines: trace time of the last flush, about
 * @written_ns: of live lines: the last such time that was written
 */
struct html_sink {
	struct sink_file file;
	bool has_thread_rows;
	struct rows rows;
	struct buffer packed;
	struct html_index index;
	uint64_t next_name;
	size_t pending_size;
	int64_t last_ns;
	struct html_chunk points;
	struct html_flow_name *flow_names;
	size_t nr_flow_names;
	const struct explanations *explanations;
	uint64_t size_max;
	bool is_full;
	int64_t flush_ns;
	int64_t newest_ns;
	int64_t newest_seen_ns;
	int64_t reached_ns;
	int64_t written_ns;
};

/** html_append_json - append a text as a JSON string without '<', which could end the element */
void html_append_json(struct buffer *out, struct text text);

/** html_append_object - append JSON, likewise without '<' */
void html_append_object(struct buffer *out, struct text json);

/** html_append_head, html_append_tail - append what is before and behind the lines of a page */
void html_append_head(struct buffer *out, const char *title);
void html_append_tail(struct buffer *out);

/** html_append_recording - append the first line */
void html_append_recording(struct buffer *out, const struct recording *recording);

/** html_append_packed - append a compressed text as a word; returns -1 if memory ran out */
int html_append_packed(struct html_sink *sink, struct text text);

/** html_append_escaped - append a text between tags */
void html_append_escaped(struct buffer *out, struct text text);

/** html_place_append - append the word PLACE */
void html_place_append(struct buffer *out, const struct html_place *place);

/** html_chunk_add - count an event whose data the chunk has; returns -1 with @error */
int html_chunk_add(struct html_sink *sink, struct html_track *track, enum html_chunk_kind kind,
		   struct html_chunk *chunk, struct text args, struct error *error);

/** html_points_of - the chunk of instants or samples; an empty one begins at @time_ns */
struct html_chunk *html_points_of(struct html_track *track, int64_t time_ns);

/** html_slices_of - the chunk of slices at a place, likewise; NULL with @error */
struct html_chunk *html_slices_of(struct html_sink *sink, struct html_track *track,
				  const struct html_place *place, int64_t time_ns,
				  struct error *error);

/** html_name_report - write a name; returns its number */
uint64_t html_name_report(struct html_sink *sink, struct text name);

/** html_flows_add - add the points of flows that @event is; returns -1 with @error */
int html_flows_add(struct html_sink *sink, const struct timeline_event *event, struct error *error);

/** html_flows_report - write all points that were added; returns -1 with @error */
int html_flows_report(struct html_sink *sink, struct error *error);

/** html_flows_release - free the points */
void html_flows_release(struct html_sink *sink);

/** html_report_all - write all chunks and points; returns -1 with @error */
int html_report_all(struct html_sink *sink, struct error *error);

/** html_track_report - write all chunks of a track; returns -1 with @error */
int html_track_report(struct html_sink *sink, struct html_track *track, struct error *error);

/** html_track_release - free the chunks of a track without writing them */
void html_track_release(struct sink_track *link);

#endif
