/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the OTLP sinks: requests of spans, and requests of metrics. */
#ifndef SINK_OTLP_STATE_H
#define SINK_OTLP_STATE_H

#include "sink/file.h"
#include "sink/otlp/context.h"
#include "sink/otlp/json.h"

/**
 * struct otlp_request - spans or metrics of a machine
 * @head: of each request, with the resource
 * @items: that are not written yet
 */
struct otlp_request {
	struct buffer head;
	struct buffer items;
};

/**
 * struct otlp_sink - one file; each line of it is a request
 * @requests: the current one of each machine, by its number; the first is for what is on no track,
 * and all if there is one machine; @nr_requests of them
 * @current: the one of the item that is written
 * @tail: of requests
 * @seed: of ids: what identifies the recording
 * @wall_offset_ns: nanoseconds since 1970 minus trace time
 * @flows: of spans
 * @kept_size: bytes of events and links of open spans
 * @nr_own: number of ktrack's own spans
 * @dirty: of metrics: tracks with samples that are not in a request yet
 * @points_size: their bytes
 * @command, @command_ns: the traced command while it runs, and its begin
 */
struct otlp_sink {
	struct sink_file file;
	struct otlp_request *requests;
	size_t nr_requests;
	struct otlp_request *current;
	const char *tail;
	uint64_t seed;
	int64_t wall_offset_ns;
	struct otlp_flows flows;
	size_t kept_size;
	uint64_t nr_own;
	struct otlp_track *dirty;
	size_t points_size;
	struct buffer command;
	int64_t command_ns;
};

/**
 * struct otlp_open - a slice without an end yet
 * @parent: span id, 0 for none
 * @attributes, @events, @links: the members of arrays
 * @nr_dropped_events, @nr_dropped_links: beyond the limits
 */
struct otlp_open {
	struct otlp_context context;
	uint64_t parent;
	struct buffer attributes;
	struct buffer events;
	struct buffer links;
	unsigned int nr_events;
	unsigned int nr_links;
	unsigned int nr_dropped_events;
	unsigned int nr_dropped_links;
};

/**
 * struct otlp_track - a track that has not ended
 * @machine: whose track it is, NULL if there is only one
 * @attributes: those that all its spans or samples have
 * @seed: of ids: what identifies the track
 * @open: by depth - 1, of which @depth are open; @nr_open are allocated
 * @begin_ns, @nr_twins: of the last span, and how many before it began at the same time
 * @points: samples that are not in a request yet
 * @next: in the list of tracks with such samples; @is_dirty if it is there
 */
struct otlp_track {
	struct sink_track link;
	const struct timeline_machine *machine;
	struct buffer attributes;
	uint64_t seed;
	struct otlp_open *open;
	unsigned int nr_open;
	unsigned int depth;
	int64_t begin_ns;
	uint64_t nr_twins;
	struct buffer points;
	struct otlp_track *next;
	bool is_dirty;
};

/** otlp_track_of - the track's struct in the sink data */
static inline struct otlp_track *otlp_track_of(const struct otlp_sink *sink,
					       const struct timeline_track *track)
{
	return track->sink_data[sink->file.sink_index];
}

/** otlp_track_begin - make it; returns -1 with @error */
int otlp_track_begin(struct otlp_sink *sink, const struct timeline_event *event,
		     struct error *error);

/** otlp_track_release - of struct sink_file_ops */
void otlp_track_release(struct sink_track *link);

/** otlp_open_requests - set up the heads of requests; returns -1 with @error */
int otlp_open_requests(struct otlp_sink *sink, const struct recording *recording, const char *array,
		       struct error *error);

/** otlp_item_begin - begin a span or a metric; @machine is NULL for the common request */
struct buffer *otlp_item_begin(struct otlp_sink *sink, const struct timeline_machine *machine);

/** otlp_item_end - end it; write the request if it is large; returns -1 with @error */
int otlp_item_end(struct otlp_sink *sink, struct error *error);

/** otlp_requests_end - put all items that wait into the output, the common ones last */
void otlp_requests_end(struct otlp_sink *sink);

/** otlp_requests_release - free the requests */
void otlp_requests_release(struct otlp_sink *sink);

/** otlp_append_emitter - append attributes of an event's writer */
void otlp_append_emitter(struct buffer *out, const struct timeline_event *event, unsigned int with,
			 const char *prefix);

/**
 * otlp_own_span - write a span of ktrack's own, which is a trace
 * @machine: that it is about; NULL for none
 * @attributes: its attributes, ready-made
 * @is_error: its status is an error
 */
int otlp_own_span(struct otlp_sink *sink, const struct timeline_machine *machine, int64_t begin_ns,
		  int64_t end_ns, struct text name, struct text attributes, bool is_error,
		  struct error *error);

/** otlp_write_remark - write an event that is on no track; returns -1 with @error */
int otlp_write_remark(struct otlp_sink *sink, const struct timeline_event *event,
		      struct error *error);

/** otlp_write_slice - a slice begins or ends; otlp_write_instant - an instant; return -1 with
 * @error */
int otlp_write_slice(struct otlp_sink *sink, const struct timeline_event *event,
		     struct error *error);
int otlp_write_instant(struct otlp_sink *sink, const struct timeline_event *event,
		       struct error *error);

#endif
