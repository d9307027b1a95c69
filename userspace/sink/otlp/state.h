/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the OTLP sinks: requests of spans, and requests of metrics. */
#ifndef SINK_OTLP_STATE_H
#define SINK_OTLP_STATE_H

#include "base/base.h"
#include "sink/file.h"

/** struct otlp_context - the ids of a span; @span is 0 for none */
struct otlp_context {
	uint64_t trace[2];
	uint64_t span;
};

/** otlp_mix, otlp_mix_text - add a number or a text to a hash that is the same in every process */
uint64_t otlp_mix(uint64_t hash, uint64_t number);
uint64_t otlp_mix_text(uint64_t hash, struct text text);

/** otlp_root - the ids of a span that begins a trace, of a hash of what identifies it */
struct otlp_context otlp_root(uint64_t hash);

/** otlp_child - the ids of a span of the same trace */
struct otlp_context otlp_child(const struct otlp_context *parent, uint64_t hash);

/** otlp_append_context - append the members "traceId" and "spanId" */
void otlp_append_context(struct buffer *out, const struct otlp_context *context);

/** otlp_append_parent - append the member "parentSpanId" */
void otlp_append_parent(struct buffer *out, uint64_t span);

/**
 * struct otlp_flows - the last span of each flow
 * @recent, @older: struct otlp_point; the second one is of longer ago
 *
 * A zeroed struct is empty. Its memory is limited: it forgets a flow after OTLP_FLOWS_RECENT others
 * at the earliest.
 */
struct otlp_flows {
	struct map recent;
	struct map older;
};

/** OTLP_FLOWS_RECENT - number of flows that are known at least */
#define OTLP_FLOWS_RECENT (64 * 1024)

/** otlp_flows_find - the last span of a flow; NULL if it had none */
const struct otlp_context *otlp_flows_find(const struct otlp_flows *flows,
					   const struct field *flow);

/** otlp_flows_set - set the last span of a flow; returns -1 if memory ran out */
int otlp_flows_set(struct otlp_flows *flows, const struct field *flow,
		   const struct otlp_context *context);

void otlp_flows_release(struct otlp_flows *flows);

/** otlp_append_key - append the begin of an attribute, after "," unless it is the first */
void otlp_append_key(struct buffer *out, const char *prefix, struct text key);

/** otlp_append_value - append the rest of an attribute */
void otlp_append_value(struct buffer *out, const struct value *value);

/** otlp_append_text, otlp_append_number, otlp_append_true - append an attribute */
void otlp_append_text(struct buffer *out, const char *key, struct text text);
void otlp_append_number(struct buffer *out, const char *key, int64_t number);
void otlp_append_true(struct buffer *out, const char *key);

/** otlp_append_fields - append an attribute for each field, with a prefix of its key */
void otlp_append_fields(struct buffer *out, const char *prefix, const struct field *fields,
			size_t nr_fields);

/** otlp_append_time - append a member with nanoseconds since 1970; times before are 0 */
void otlp_append_time(struct buffer *out, const char *member, int64_t wall_ns);

/** otlp_append_separator - append "," unless an array or an object was just opened, or is empty */
void otlp_append_separator(struct buffer *out);

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

#endif
