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

/**
 * struct otlp_flows - the last span of each flow
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

/** otlp_append_value - append an attribute, with a prefix of its key */
void otlp_append_value(struct buffer *out, const char *prefix, struct text key,
		       const struct value *value);
/** otlp_append_text, otlp_append_number, otlp_append_true - append one of that type */
void otlp_append_text(struct buffer *out, const char *prefix, const char *key, struct text text);
void otlp_append_number(struct buffer *out, const char *prefix, const char *key, int64_t number);
void otlp_append_true(struct buffer *out, const char *key);
/** otlp_append_fields - append an attribute for each field, with a prefix of its key */
void otlp_append_fields(struct buffer *out, const char *prefix, const struct field *fields,
			size_t nr_fields);
/** otlp_append_time - append a member with nanoseconds since 1970; times before are 0 */
void otlp_append_time(struct buffer *out, const char *member, int64_t wall_ns);
/** otlp_append_separator - append "," unless an array or an object was just opened, or is empty */
void otlp_append_separator(struct buffer *out);

/** struct otlp_request - spans or metrics of a machine */
struct otlp_request {
	struct buffer head;  /* of each request, with the resource */
	struct buffer items; /* that are not written yet */
};

/** struct otlp_sink - one file; each line of it is a request */
struct otlp_sink {
	struct sink_file file;
	/* By the machine's number; the first is for what is on no machine. */
	struct otlp_request *requests;
	size_t nr_requests;
	struct otlp_request *current; /* the one of the item that is written */
	uint64_t seed;		      /* of ids: what identifies the recording */
	int64_t wall_offset_ns;	      /* nanoseconds since 1970 minus trace time */
	struct otlp_flows flows;      /* of spans */
	size_t kept_size;	      /* bytes of events and links of open spans */
	uint64_t nr_own;	      /* number of ktrack's own spans */
	struct otlp_track *dirty; /* of metrics: tracks with samples that are in no request yet */
	size_t points_size;	  /* their bytes */
	struct buffer command;	  /* the traced command while it runs, and its begin */
	int64_t command_ns;
};

/** struct otlp_open - a slice without an end yet, if @is_open */
struct otlp_open {
	struct otlp_context context;
	uint64_t parent;	  /* span id, 0 for none */
	struct buffer attributes; /* the members of arrays */
	struct buffer events;
	struct buffer links;
	unsigned int nr_events;
	unsigned int nr_links;
	unsigned int nr_dropped_events; /* beyond the limits */
	unsigned int nr_dropped_links;
	bool is_open;
};

/** struct otlp_track - a track that has not ended */
struct otlp_track {
	struct sink_track link;
	const struct timeline_machine *machine; /* whose track it is, NULL if there is only one */
	struct buffer attributes;		/* those that all its spans or samples have */
	uint64_t seed;				/* of ids: what identifies the track */
	struct otlp_open *open;			/* by depth - 1 */
	unsigned int nr_open;			/* allocated */
	int64_t begin_ns; /* of the last span, and how many before it began at the same time */
	uint64_t nr_twins;
	struct buffer points;	 /* samples that are not in a request yet */
	struct otlp_track *next; /* in the list of tracks with such samples, if @is_dirty */
	bool is_dirty;
};

static inline struct otlp_track *otlp_track_of(const struct otlp_sink *sink,
					       const struct timeline_track *track)
{
	return track->sink_data[sink->file.sink_index];
}

void otlp_track_begin(struct otlp_sink *sink, const struct timeline_event *event);

void otlp_track_release(struct sink_track *link);

/** otlp_open_requests - set up the heads of requests */
void otlp_open_requests(struct otlp_sink *sink, const struct recording *recording,
			const char *array);
/** otlp_item_begin - begin a span or a metric; @machine is NULL for the common request */
struct buffer *otlp_item_begin(struct otlp_sink *sink, const struct timeline_machine *machine);
/** otlp_item_end - end it; write the request if it is large */
void otlp_item_end(struct otlp_sink *sink);
/** otlp_requests_end - put all items that wait into the output, the common ones last */
void otlp_requests_end(struct otlp_sink *sink);

void otlp_requests_release(struct otlp_sink *sink);

void otlp_append_emitter(struct buffer *out, const struct timeline_event *event, unsigned int with,
			 const char *prefix);

#endif
