/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the chrome sink: its file, processes and threads. */
#ifndef SINK_CHROME_STATE_H
#define SINK_CHROME_STATE_H

#include "sink/file.h"
#include "sink/flow.h"
#include "sink/rows.h"

/** CHROME_OWN_PROCESS - process of ktrack's own events: the kernel's limit; process ids are smaller
 */
#define CHROME_OWN_PROCESS 4194304

/** chrome_process - number of the process that a track is about, or of its group */
int64_t chrome_process(const struct timeline_track *track);

/**
 * struct chrome_rows - what is known of the rows of a file
 * @named: a bit for each process that was named after its main thread
 * @recent: the threads of tracks that were begun, see chrome_thread()
 */
struct chrome_rows {
	uint8_t *named;
	struct chrome_row *recent;
};

/** chrome_rows_new - for a number of machines; returns -1 if memory ran out */
int chrome_rows_new(struct chrome_rows *rows, size_t nr_machines);

void chrome_rows_release(struct chrome_rows *rows);

/**
 * chrome_append_process - append its name
 *
 * Appends nothing if it is no better than the one that the process has.
 */
void chrome_append_process(struct chrome_rows *rows, struct buffer *out,
			   const struct timeline_track *track);

/**
 * chrome_thread - number of the thread that shows a track, or the rows of a traced thread
 * @is_row: whether the latter; the first row has the number, and others have further ones
 * @text: scratch
 *
 * It is the track's number, or that of the track that it continues: of the same thread, which was
 * renamed. A limited number of tracks is kept; what continues others is a new thread.
 */
unsigned long chrome_thread(struct chrome_rows *rows, struct buffer *text,
			    const struct timeline_track *track, bool is_row);

/**
 * struct chrome_track - the constant parts of a track's events
 * @thread: its number
 * @row: the row of its thread, if it takes part in that
 * @place_row: for which @place was made
 * @place: its "pid", "tid" and "cat"
 * @thread_size: size of the first two in it
 * @name: of counters: the name in JSON
 */
struct chrome_track {
	struct sink_track link;
	unsigned long thread;
	struct row_track row;
	const struct row *place_row;
	struct buffer place;
	size_t thread_size;
	struct buffer name;
};

/**
 * struct chrome_sink - one file
 * @has_events: an event was written; the next one starts with a comma
 * @flows: flows that had a point
 * @nr_deep: slices and instants that were left out, see VIEWER_DEPTH_MAX
 * @has_thread_rows: whether @thread_rows are written, else each track has a row
 * @depth: of the event that is written, on its row
 * @held: of an end whose track has ended
 * @begin_track: of the last event, if it is the begin of a slice without flows, else NULL
 * @phase_at: where the phase of the last event is in the output
 */
struct chrome_sink {
	struct sink_file file;
	bool has_events;
	struct flow_set flows;
	struct chrome_rows rows;
	bool has_thread_rows;
	unsigned int depth;
	struct rows thread_rows;
	struct chrome_track held;
	uint64_t nr_deep;
	const struct report *report;
	const struct timeline_track *begin_track;
	size_t phase_at;
};

/**
 * chrome_event_begin - begin an event; returns the output, to which members are appended
 * @phase: its kind
 * @place: members: process and thread, and perhaps the category
 */
struct buffer *chrome_event_begin(struct chrome_sink *sink, const char *phase, struct text place,
				  int64_t time_ns);

/** chrome_event_end - end it; returns -1 with @error */
int chrome_event_end(struct chrome_sink *sink, struct error *error);

/** chrome_append_member - append a member, after others */
void chrome_append_member(struct buffer *out, const char *name, struct text text);

/** chrome_write_name - write the viewers' name for a process or thread; returns -1 with @error */
int chrome_write_name(struct chrome_sink *sink, const char *what, struct text place,
		      struct text name, struct error *error);

/** chrome_own_open - begin the file with facts of the recording; returns -1 with @error */
int chrome_own_open(struct chrome_sink *sink, const struct recording *recording,
		    struct error *error);

/** chrome_own_event - write an event that is on no track, also the finish; returns -1 with @error
 */
int chrome_own_event(struct chrome_sink *sink, const struct timeline_event *event,
		     struct error *error);

#endif
