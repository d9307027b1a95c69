// SPDX-License-Identifier: GPL-2.0-only
/* OpenTelemetry's protocol: lines of JSON, each a request of spans, or of metrics. */
#include <stdlib.h>

#include "sink/file.h"
#include "sink/flow.h"
#include "sink/text.h"

/** struct otlp_context - the ids of a span; @span is 0 for none */
struct otlp_context {
	uint64_t trace[2];
	uint64_t span;
};

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

/* Requests: their resource, and the JSON of their members. */

/* Appends "," unless an array or an object was just opened, or is empty. */
static void otlp_append_separator(struct buffer *out)
{
	if (out->size > 0 && out->data[out->size - 1] != '[' && out->data[out->size - 1] != '{')
		buffer_append_char(out, ',');
}

/* Appends an attribute, with a prefix of its key. */
static void otlp_append_value(struct buffer *out, const char *prefix, struct text key,
			      const struct value *value)
{
	size_t quote;

	otlp_append_separator(out);
	buffer_append_string(out, "{\"key\":");
	if (prefix[0]) {
		buffer_append_char(out, '"');
		buffer_append(out, prefix, strlen(prefix) - 1);
	}
	quote = out->size;
	json_append_string(out, key);
	/* The opening quote of the key becomes the last character of the prefix. */
	if (prefix[0] && !out->failed)
		out->data[quote] = prefix[strlen(prefix) - 1];
	buffer_append_string(out, ",\"value\":");
	switch (value->kind) {
	case VALUE_SIGNED:
	case VALUE_UNSIGNED:
		/* OTLP has no unsigned numbers. */
		buffer_append_string(out, value->kind == VALUE_UNSIGNED &&
							  value->unsigned_number > INT64_MAX
						  ? "{\"stringValue\":\""
						  : "{\"intValue\":\"");
		value_append_text(out, value);
		buffer_append_string(out, "\"}}");
		break;
	case VALUE_BYTES:
		buffer_append_string(out, "{\"bytesValue\":\"");
		base64_append(out, value->text);
		buffer_append_string(out, "\"}}");
		break;
	default:
		buffer_append_string(out, value->kind == VALUE_BOOLEAN	  ? "{\"boolValue\":"
					  : value->kind == VALUE_FLOATING ? "{\"doubleValue\":"
									  : "{\"stringValue\":");
		value_append_json(out, value);
		buffer_append_string(out, "}}");
	}
}

static void otlp_append_text(struct buffer *out, const char *prefix, const char *key,
			     struct text text)
{
	const struct value value = { .kind = VALUE_TEXT, .text = text };

	otlp_append_value(out, prefix, text_of(key), &value);
}

static void otlp_append_number(struct buffer *out, const char *prefix, const char *key,
			       int64_t number)
{
	const struct value value = { .kind = VALUE_SIGNED, .signed_number = number };

	otlp_append_value(out, prefix, text_of(key), &value);
}

static void otlp_append_true(struct buffer *out, const char *key)
{
	const struct value value = { .kind = VALUE_BOOLEAN, .boolean = true };

	otlp_append_value(out, "", text_of(key), &value);
}

static void otlp_append_fields(struct buffer *out, const char *prefix, const struct field *fields,
			       size_t nr_fields)
{
	for (size_t i = 0; i < nr_fields; i++)
		otlp_append_value(out, prefix, fields[i].name, &fields[i].value);
}

/* Appends a member with nanoseconds since 1970; times before are 0. */
static void otlp_append_time(struct buffer *out, const char *member, int64_t wall_ns)
{
	otlp_append_separator(out);
	buffer_append_char(out, '"');
	buffer_append_string(out, member);
	buffer_append_string(out, "\":\"");
	buffer_append_unsigned(out, wall_ns > 0 ? (uint64_t)wall_ns : 0);
	buffer_append_char(out, '"');
}

/* The finalizer of SplitMix64: each bit of the argument changes half of those of the result. */
static uint64_t otlp_mix(uint64_t hash, uint64_t number)
{
	uint64_t mixed = (hash ^ number) + UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

static uint64_t otlp_mix_text(uint64_t hash, struct text text)
{
	for (size_t i = 0; i < text.size; i += sizeof(uint64_t)) {
		size_t left = text.size - i;
		uint64_t word = 0;

		memcpy(&word, text.data + i, left < sizeof(word) ? left : sizeof(word));
		hash = otlp_mix(hash, word);
	}
	return otlp_mix(hash, text.size);
}

/* Bytes of a request, about: collectors read lines of some megabytes at most. */
#define REQUEST_SIZE (48 * 1024)

static void otlp_append_known_text(struct buffer *out, const char *key, const char *text)
{
	if (text && text[0])
		otlp_append_text(out, "", key, text_of(text));
}

/* Backends require the name of a service. */
static void otlp_append_resource(struct buffer *out, const struct recording *recording)
{
	struct text rest = text_of(recording->labels ? recording->labels : ""), key;
	const struct recording_property *property = NULL;
	struct value value;

	otlp_append_text(out, "", "service.name", text_of("linux"));
	otlp_append_text(out, "", "os.type", text_of("linux"));
	otlp_append_known_text(out, "os.version", recording->kernel);
	otlp_append_known_text(out, "host.name", recording->host);
	otlp_append_known_text(out, "ktrack.recording_id", recording->id);
	while (recording_next(recording, RECORDING_OTLP, &property, &value))
		otlp_append_value(out, "ktrack.", text_of(property->name), &value);
	/* Keys are unique, as those of attributes must be: labels_add(), labels_merge(). */
	value.kind = VALUE_TEXT;
	while (recording_take_label(&rest, &key, &value.text))
		otlp_append_value(out, "ktrack.label.", key, &value);
}

/* With several machines, what all have in common is about no host. */
static void request_open(struct otlp_sink *sink, struct otlp_request *request,
			 const struct recording *recording, const char *array)
{
	struct buffer *head = &request->head;
	bool is_spans = strcmp(array, "spans") == 0;

	buffer_append_string(head, is_spans ? "{\"resourceSpans\":[" : "{\"resourceMetrics\":[");
	buffer_append_string(head, "{\"resource\":{\"attributes\":[");
	otlp_append_resource(head, recording);
	buffer_append_string(head, "]},\"");
	buffer_append_string(head, is_spans ? "scopeSpans" : "scopeMetrics");
	buffer_append_string(head, "\":[{\"scope\":{\"name\":\"ktrack\",\"version\":");
	json_append_string(head, text_of(KTRACK_VERSION));
	buffer_printf(head, "},\"%s\":[", array);
	sink->file.out.failed |= head->failed;
}

static void otlp_requests_release(struct otlp_sink *sink)
{
	for (size_t i = 0; i < sink->nr_requests; i++) {
		buffer_release(&sink->requests[i].head);
		buffer_release(&sink->requests[i].items);
	}
	free(sink->requests);
}

static void otlp_open_requests(struct otlp_sink *sink, const struct recording *recording,
			       const char *array)
{
	size_t size = recording->nr_machines + 1;

	sink->requests = calloc(size, sizeof(*sink->requests));
	sink->file.out.failed |= !sink->requests;
	if (!sink->requests)
		return;
	sink->nr_requests = size;
	sink->wall_offset_ns = recording->wall_offset_ns;
	if (recording->id)
		sink->seed = otlp_mix_text(sink->seed, text_of(recording->id));
	sink->seed = otlp_mix(sink->seed, (uint64_t)recording->wall_offset_ns);
	request_open(sink, &sink->requests[0], recording, array);
	for (size_t i = 0; i < recording->nr_machines; i++)
		request_open(sink, &sink->requests[i + 1], recording->machines[i].recording, array);
}

/* Begins a span or a metric; @machine is NULL for the common request. */
static struct buffer *otlp_item_begin(struct otlp_sink *sink,
				      const struct timeline_machine *machine)
{
	struct otlp_request *request = &sink->requests[machine ? machine->number : 0];

	if (request->items.size > 0)
		buffer_append_char(&request->items, ',');
	sink->current = request;
	return &request->items;
}

static void request_end(struct otlp_sink *sink, struct otlp_request *request)
{
	struct buffer *out = &sink->file.out;

	if (request->items.size > 0) {
		buffer_append(out, request->head.data, request->head.size);
		buffer_append(out, request->items.data, request->items.size);
		buffer_append_string(out, "]}]}]}\n");
	}
	out->failed |= request->items.failed;
	buffer_clear(&request->items);
}

/* Ends it; writes the request if it is large. */
static void otlp_item_end(struct otlp_sink *sink)
{
	const struct buffer *items = &sink->current->items;

	if (items->size < REQUEST_SIZE && !items->failed)
		return;
	request_end(sink, sink->current);
	sink_file_flush(&sink->file);
}

/* Puts all items that wait into the output, the common ones last. */
static void otlp_requests_end(struct otlp_sink *sink)
{
	for (size_t i = sink->nr_requests; i > 0; i--)
		request_end(sink, &sink->requests[i - 1]);
}

static void otlp_track_begin(struct otlp_sink *sink, const struct timeline_event *event)
{
	struct otlp_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track));
	const struct timeline_track *shown = event->track;
	const struct value *id = &shown->id;
	struct buffer *out;

	if (!track)
		return;
	out = &track->attributes;
	track->machine = shown->machine;
	otlp_append_text(out, "", "ktrack.tracepoint", text_of(shown->category->text));
	buffer_clear(&sink->file.text);
	track_append_label(&sink->file.text, shown);
	otlp_append_text(out, "", "ktrack.track", buffer_text(&sink->file.text));
	/* Keys of OpenTelemetry's semantic conventions, where they have one. */
	if (shown->scope == SCOPE_THREAD) {
		otlp_append_number(out, "", "thread.id", id->signed_number);
		otlp_append_known_text(out, "thread.name", shown->comm);
		if (shown->tgid > 0)
			otlp_append_number(out, "", "process.pid", shown->tgid);
	} else if (shown->scope == SCOPE_PROCESS) {
		otlp_append_number(out, "", "process.pid", id->signed_number);
	} else if (shown->scope == SCOPE_CPU) {
		otlp_append_number(out, "", "cpu.logical_number", id->signed_number);
	} else if (shown->scope == SCOPE_CUSTOM && shown->field) {
		otlp_append_value(out, "ktrack.scope.", text_of(shown->field), id);
	}
	otlp_append_fields(out, "ktrack.scope.", shown->outer, shown->nr_outer);
	otlp_append_known_text(out, "ktrack.buffer", shown->buffer);
	track->seed = otlp_mix_text(sink->seed, buffer_text(&track->attributes));
	track->begin_ns = INT64_MIN;
	sink->file.out.failed |= track->attributes.failed;
}

static void otlp_track_release(struct sink_track *link)
{
	struct otlp_track *track = container_of(link, struct otlp_track, link);

	for (unsigned int i = 0; i < track->nr_open; i++) {
		buffer_release(&track->open[i].attributes);
		buffer_release(&track->open[i].events);
		buffer_release(&track->open[i].links);
	}
	free(track->open);
	buffer_release(&track->attributes);
	buffer_release(&track->points);
}

static void otlp_append_emitter(struct buffer *out, const struct timeline_event *event,
				unsigned int with, const char *prefix)
{
	if (event_has_emitter(event, with, TIMELINE_EMITTER_TID))
		otlp_append_number(out, prefix, "ktrack.tid", event->tid);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_CPU))
		otlp_append_number(out, prefix, "ktrack.cpu", event->cpu);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_COMM))
		otlp_append_text(out, prefix, "ktrack.comm", text_of(event->comm));
}

/*
 * Slices as spans, written at their end. The outermost slice of a track is the root of a trace.
 * If its begin has a flow that another span had before, it continues that span's trace as its
 * child: it was caused by it. All further points of a flow are links to the previous one. An
 * instant is an event of the innermost open slice, or else a span without duration.
 */

/* As in OpenTelemetry's own programs. */
#define EVENTS_MAX 128
#define LINKS_MAX 128
/* Limit of bytes in events and links of all open spans. */
#define KEPT_MAX ((size_t)32 << 20)
/* SPAN_KIND_INTERNAL */
#define SPAN_KIND 1

/* Distinguish the three ids that are made of one hash. */
enum {
	ID_TRACE_HIGH = 1,
	ID_TRACE_LOW,
	ID_SPAN,
};

/* An id of zeros is invalid. */
static uint64_t id_of(uint64_t hash, unsigned int which)
{
	uint64_t id = otlp_mix(hash, which);

	return id ? id : 1;
}

static struct otlp_context otlp_root(uint64_t hash)
{
	return (struct otlp_context){
		.trace = { id_of(hash, ID_TRACE_HIGH), id_of(hash, ID_TRACE_LOW) },
		.span = id_of(hash, ID_SPAN),
	};
}

static struct otlp_context otlp_child(const struct otlp_context *parent, uint64_t hash)
{
	return (struct otlp_context){ .trace = { parent->trace[0], parent->trace[1] },
				      .span = id_of(hash, ID_SPAN) };
}

static void otlp_append_context(struct buffer *out, const struct otlp_context *context)
{
	buffer_printf(out, "\"traceId\":\"%016llx%016llx\",\"spanId\":\"%016llx\"",
		      (unsigned long long)context->trace[0], (unsigned long long)context->trace[1],
		      (unsigned long long)context->span);
}

/** struct otlp_point - a flow, whose name lives as long as the timeline */
struct otlp_point {
	struct text name;
	uint64_t id;
	struct otlp_context context;
};

static bool point_is(const void *value, const void *key)
{
	const struct otlp_point *point = value;
	const struct field *flow = key;

	return point->id == flow->value.unsigned_number && text_equals(point->name, flow->name);
}

static uint64_t otlp_flow_hash(const struct field *flow)
{
	return hash_number(hash_text(flow->name) + flow->value.unsigned_number);
}

/* The last span of a flow; NULL if it had none. */
static struct otlp_context *flows_find(const struct otlp_flows *flows, const struct field *flow)
{
	uint64_t hash = otlp_flow_hash(flow);
	struct otlp_point *point = map_find(&flows->recent, hash, point_is, flow);

	if (!point)
		point = map_find(&flows->older, hash, point_is, flow);
	return point ? &point->context : NULL;
}

/* Sets the last span of a flow, which stays among the recent ones; returns false without memory. */
static bool flows_set(struct otlp_flows *flows, const struct field *flow,
		      const struct otlp_context *context)
{
	uint64_t hash = otlp_flow_hash(flow);
	struct otlp_point *point = map_find(&flows->recent, hash, point_is, flow);

	if (point) {
		point->context = *context;
		return true;
	}
	point = map_find(&flows->older, hash, point_is, flow);
	if (point)
		map_remove(&flows->older, hash, point);
	else
		point = malloc(sizeof(*point));
	if (!point)
		return false;
	*point = (struct otlp_point){ flow->name, flow->value.unsigned_number, *context };
	if (flows->recent.size == OTLP_FLOWS_RECENT) {
		map_free(&flows->older);
		flows->older = flows->recent;
		flows->recent = (struct map){ 0 };
	}
	if (map_insert(&flows->recent, hash, point) == 0)
		return true;
	free(point);
	return false;
}

/* Spans of a track with the same depth and begin are distinguished by their order. */
static uint64_t span_hash(struct otlp_track *track, const struct timeline_event *event,
			  unsigned int depth)
{
	if (event->time_ns != track->begin_ns)
		track->nr_twins = 0;
	track->begin_ns = event->time_ns;
	return otlp_mix(otlp_mix(otlp_mix(track->seed, (uint64_t)event->time_ns), depth),
			track->nr_twins++);
}

static void span_append_begin(struct buffer *out, const struct otlp_context *context,
			      uint64_t parent, struct text name)
{
	buffer_append_char(out, '{');
	otlp_append_context(out, context);
	if (parent)
		buffer_printf(out, ",\"parentSpanId\":\"%016llx\"", (unsigned long long)parent);
	buffer_append_string(out, ",\"name\":");
	json_append_string(out, name);
	buffer_printf(out, ",\"kind\":%d", SPAN_KIND);
}

static void span_append_times(const struct otlp_sink *sink, struct buffer *out, int64_t begin_ns,
			      int64_t end_ns)
{
	otlp_append_time(out, "startTimeUnixNano", begin_ns + sink->wall_offset_ns);
	otlp_append_time(out, "endTimeUnixNano", end_ns + sink->wall_offset_ns);
}

static void otlp_append_record(const struct otlp_sink *sink, struct buffer *out,
			       const struct timeline_event *event, const char *prefix)
{
	SCOPED_BUFFER(text);

	otlp_append_fields(out, prefix, event->fields, event->nr_fields);
	if (event->nr_flows > 0) {
		flows_append_text(&text, event);
		otlp_append_text(out, prefix, "ktrack.flow", buffer_text(&text));
		out->failed |= text.failed;
	}
	otlp_append_emitter(out, event, sink->file.with, prefix);
}

/* Links the span to the last one of each flow, and makes it the last one. */
static void span_add_flows(struct otlp_sink *sink, struct otlp_open *open,
			   const struct timeline_event *event)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct field *flow = timeline_event_flow(event, i);
		const struct otlp_context *last = flows_find(&sink->flows, flow);
		SCOPED_BUFFER(text);
		struct buffer *links = &open->links;
		bool has_link = last && last->span != open->context.span;
		size_t size = links->size;

		if (has_link && open->nr_links < LINKS_MAX && sink->kept_size < KEPT_MAX) {
			flow_append(&text, flow);
			otlp_append_separator(links);
			buffer_append_char(links, '{');
			otlp_append_context(links, last);
			buffer_append_string(links, ",\"attributes\":[");
			otlp_append_text(links, "", "ktrack.flow", buffer_text(&text));
			buffer_append_string(links, "]}");
			links->failed |= text.failed;
			open->nr_links++;
			sink->kept_size += links->size - size;
		} else if (has_link) {
			open->nr_dropped_links++;
		}
		sink->file.out.failed |= !flows_set(&sink->flows, flow, &open->context);
	}
}

/* The span that caused a root. */
static const struct otlp_context *span_cause(const struct otlp_sink *sink,
					     const struct timeline_event *event)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct otlp_context *last = flows_find(&sink->flows,
							     timeline_event_flow(event, i));

		if (last)
			return last;
	}
	return NULL;
}

static void open_clear(struct otlp_sink *sink, struct otlp_open *open)
{
	sink->kept_size -= open->events.size + open->links.size;
	buffer_clear(&open->attributes);
	buffer_clear(&open->events);
	buffer_clear(&open->links);
	open->nr_events = open->nr_links = 0;
	open->nr_dropped_events = open->nr_dropped_links = 0;
}

/* The open slice with this depth, NULL if there is none. */
static struct otlp_open *otlp_open_at(const struct otlp_track *track, unsigned int depth)
{
	bool is_open = depth > 0 && depth <= track->nr_open && track->open[depth - 1].is_open;

	return is_open ? &track->open[depth - 1] : NULL;
}

static void otlp_slice_begin(struct otlp_sink *sink, struct otlp_track *track,
			     const struct timeline_event *event)
{
	uint64_t hash = span_hash(track, event, event->depth);
	const struct otlp_context *parent;
	struct otlp_open *open, *outer;

	if (!array_extend(track->open, track->nr_open, event->depth - 1)) {
		sink->file.out.failed = true;
		return;
	}
	open = &track->open[event->depth - 1];
	open_clear(sink, open);
	outer = otlp_open_at(track, event->outer);
	parent = outer ? &outer->context : span_cause(sink, event);
	open->is_open = true;
	open->parent = parent ? parent->span : 0;
	open->context = parent ? otlp_child(parent, hash) : otlp_root(hash);
	otlp_append_record(sink, &open->attributes, event, "");
	span_add_flows(sink, open, event);
}

static void array_append(struct buffer *out, const char *name, const struct buffer *members,
			 const char *dropped, unsigned int nr_dropped)
{
	if (members->size > 0) {
		buffer_printf(out, ",\"%s\":[", name);
		buffer_append(out, members->data, members->size);
		buffer_append_char(out, ']');
	}
	if (nr_dropped > 0)
		buffer_printf(out, ",\"%s\":%u", dropped, nr_dropped);
	out->failed |= members->failed;
}

static void otlp_slice_end(struct otlp_sink *sink, struct otlp_track *track,
			   const struct timeline_event *event)
{
	struct otlp_open *open = &track->open[event->depth - 1];
	struct buffer *out;

	span_add_flows(sink, open, event);
	out = otlp_item_begin(sink, track->machine);
	span_append_begin(out, &open->context, open->parent, event->name->text);
	span_append_times(sink, out, event->begin_ns, event->time_ns);
	buffer_append_string(out, ",\"attributes\":[");
	buffer_append(out, track->attributes.data, track->attributes.size);
	if (open->attributes.size > 0)
		otlp_append_separator(out);
	buffer_append(out, open->attributes.data, open->attributes.size);
	out->failed |= open->attributes.failed;
	otlp_append_record(sink, out, event, "end.");
	if (event->is_suspect)
		otlp_append_true(out, "ktrack.suspect");
	if (event->is_unfinished)
		otlp_append_true(out, "ktrack.unfinished");
	if (event->is_foreign)
		otlp_append_true(out, "ktrack.foreign");
	if (event->is_crossing)
		otlp_append_true(out, "ktrack.crossing");
	if (event->is_continued)
		otlp_append_true(out, "ktrack.continued");
	buffer_append_char(out, ']');
	array_append(out, "events", &open->events, "droppedEventsCount", open->nr_dropped_events);
	array_append(out, "links", &open->links, "droppedLinksCount", open->nr_dropped_links);
	buffer_append_char(out, '}');
	open_clear(sink, open);
	open->is_open = false;
	otlp_item_end(sink);
}

static void otlp_event_write(struct otlp_sink *sink, struct otlp_open *open,
			     const struct timeline_event *event)
{
	size_t size = open->events.size;
	struct buffer *out = &open->events;

	if (open->nr_events == EVENTS_MAX || sink->kept_size >= KEPT_MAX) {
		open->nr_dropped_events++;
	} else {
		otlp_append_separator(out);
		buffer_append_char(out, '{');
		otlp_append_time(out, "timeUnixNano", event->time_ns + sink->wall_offset_ns);
		buffer_append_string(out, ",\"name\":");
		json_append_string(out, event->name->text);
		buffer_append_string(out, ",\"attributes\":[");
		otlp_append_record(sink, out, event, "");
		buffer_append_string(out, "]}");
		open->nr_events++;
		sink->kept_size += out->size - size;
	}
	span_add_flows(sink, open, event);
}

static void otlp_instant_write(struct otlp_sink *sink, struct otlp_track *track,
			       const struct timeline_event *event)
{
	const struct otlp_context *parent = span_cause(sink, event);
	uint64_t hash = span_hash(track, event, 0);
	struct otlp_open open = { .context = parent ? otlp_child(parent, hash) : otlp_root(hash),
				  .parent = parent ? parent->span : 0 };
	struct buffer *out = otlp_item_begin(sink, track->machine);

	span_add_flows(sink, &open, event);
	span_append_begin(out, &open.context, open.parent, event->name->text);
	span_append_times(sink, out, event->time_ns, event->time_ns);
	buffer_append_string(out, ",\"attributes\":[");
	buffer_append(out, track->attributes.data, track->attributes.size);
	otlp_append_true(out, "ktrack.instant");
	otlp_append_record(sink, out, event, "");
	buffer_append_char(out, ']');
	array_append(out, "links", &open.links, "droppedLinksCount", open.nr_dropped_links);
	buffer_append_char(out, '}');
	open_clear(sink, &open);
	buffer_release(&open.links);
	otlp_item_end(sink);
}

/* Writes a span of ktrack's own, which is a trace, with ready-made @attributes; frees these. */
static void otlp_own_span(struct otlp_sink *sink, const struct timeline_machine *machine,
			  int64_t begin_ns, int64_t end_ns, struct text name,
			  struct buffer *attributes, bool is_error)
{
	uint64_t hash = otlp_mix(otlp_mix_text(sink->seed, name), sink->nr_own++);
	struct otlp_context context = otlp_root(hash);
	struct buffer *out = otlp_item_begin(sink, machine);

	span_append_begin(out, &context, 0, name);
	span_append_times(sink, out, begin_ns, end_ns);
	buffer_append_string(out, ",\"attributes\":[");
	buffer_append(out, attributes->data, attributes->size);
	buffer_append_char(out, ']');
	if (is_error) {
		buffer_append_string(out, ",\"status\":{\"message\":");
		json_append_string(out, name);
		buffer_append_string(out, ",\"code\":2}");
	}
	buffer_append_char(out, '}');
	out->failed |= attributes->failed;
	buffer_release(attributes);
	otlp_item_end(sink);
}

static void otlp_loss_write(struct otlp_sink *sink, const struct timeline_event *event)
{
	struct buffer attributes = { 0 };

	otlp_append_number(&attributes, "", "cpu.logical_number", event->loss_cpu);
	if (event->loss_count != TIMELINE_COUNT_UNKNOWN)
		otlp_append_number(&attributes, "", "ktrack.lost_records", event->loss_count);
	if (event->loss_buffer && event->loss_buffer[0])
		otlp_append_text(&attributes, "", "ktrack.buffer", text_of(event->loss_buffer));
	otlp_own_span(sink, event->loss_machine, event->begin_ns, event->loss_end_ns,
		      remark_set(&sink->file.text, event), &attributes, true);
}

static void otlp_command_end(struct otlp_sink *sink, const struct timeline_event *event)
{
	struct buffer attributes = { 0 };

	if (sink->command.size == 0)
		return;
	if (event->kind == TIMELINE_COMMAND_END) {
		otlp_append_number(&attributes, "", "process.pid", event->pid);
		otlp_append_number(&attributes, "", "process.exit.code", event->status);
	} else {
		otlp_append_true(&attributes, "ktrack.unfinished");
	}
	sink->file.out.failed |= sink->command.failed;
	otlp_own_span(sink, NULL, sink->command_ns, event->time_ns, buffer_text(&sink->command),
		      &attributes, false);
	buffer_clear(&sink->command);
}

static void otlp_fault_write(struct sink_file *file, const struct timeline_event *finish,
			     struct text text)
{
	otlp_own_span(container_of(file, struct otlp_sink, file), NULL, finish->time_ns,
		      finish->time_ns, text, &(struct buffer){ 0 }, true);
}

static void append_known_sum(struct buffer *out, const char *key, uint64_t sum)
{
	if (sum > 0)
		otlp_append_number(out, "", key, sum > INT64_MAX ? INT64_MAX : (int64_t)sum);
}

/* The last span is the recording. A file without it is incomplete. */
static void otlp_finish(struct otlp_sink *sink, const struct timeline_event *finish)
{
	const struct timeline_totals *totals = finish->totals;
	int64_t begin_ns = sink->file.start_ns < finish->time_ns ? sink->file.start_ns
								 : finish->time_ns;
	struct buffer sums = { 0 };

	otlp_command_end(sink, finish);
	sink_file_report_faults(&sink->file, finish, otlp_fault_write);
	append_known_sum(&sums, "ktrack.lost_records", totals->lost_records);
	append_known_sum(&sums, "ktrack.lost_gaps", totals->lost_gaps);
	append_known_sum(&sums, "ktrack.lost_gaps_unknown", totals->lost_gaps_unknown);
	append_known_sum(&sums, "ktrack.suspect_slices", totals->suspect);
	append_known_sum(&sums, "ktrack.unfinished_slices", totals->unfinished);
	if (totals->has_wall_drift)
		otlp_append_number(&sums, "", "ktrack.wall_drift_ns", totals->wall_drift_ns);
	otlp_own_span(sink, NULL, begin_ns, finish->time_ns, text_of("recording"), &sums, false);
	otlp_requests_end(sink);
}

static void traces_event(struct sink_file *file, const struct timeline_event *event)
{
	struct otlp_sink *sink = container_of(file, struct otlp_sink, file);
	struct otlp_track *track = event->track ? otlp_track_of(sink, event->track) : NULL;
	struct otlp_open *open;

	switch (event->kind) {
	case TIMELINE_TRACK_BEGIN:
		otlp_track_begin(sink, event);
		break;
	case TIMELINE_SLICE_BEGIN:
		otlp_slice_begin(sink, track, event);
		break;
	case TIMELINE_SLICE_END:
		otlp_slice_end(sink, track, event);
		break;
	case TIMELINE_INSTANT:
		open = otlp_open_at(track, event->depth);
		if (open)
			otlp_event_write(sink, open, event);
		else
			otlp_instant_write(sink, track, event);
		break;
	case TIMELINE_LOSS:
		otlp_loss_write(sink, event);
		break;
	case TIMELINE_MALFORMED:
	case TIMELINE_FOREIGN_END:
	case TIMELINE_TRACEPOINT:
		otlp_own_span(sink, NULL, event->time_ns, event->time_ns,
			      remark_set(&file->text, event), &(struct buffer){ 0 },
			      event->kind != TIMELINE_TRACEPOINT);
		break;
	case TIMELINE_COMMAND_BEGIN:
		remark_set(&sink->command, event);
		sink->command_ns = event->time_ns;
		break;
	case TIMELINE_COMMAND_END:
		otlp_command_end(sink, event);
		break;
	case TIMELINE_FINISH:
		otlp_finish(sink, event);
		break;
	default:
		break;
	}
}

static void traces_open(struct sink_file *file, const struct recording *recording)
{
	otlp_open_requests(container_of(file, struct otlp_sink, file), recording, "spans");
}

static void traces_flush(struct sink_file *file)
{
	otlp_requests_end(container_of(file, struct otlp_sink, file));
	sink_file_flush(file);
}

static void traces_release(struct sink_file *file)
{
	struct otlp_sink *sink = container_of(file, struct otlp_sink, file);

	map_free(&sink->flows.recent);
	map_free(&sink->flows.older);
	otlp_requests_release(sink);
	buffer_release(&sink->command);
}

static const struct sink_file_ops traces_file = {
	.size = sizeof(struct otlp_sink),
	.open = traces_open,
	.event = traces_event,
	.flush = traces_flush,
	.track_release = otlp_track_release,
	.release = traces_release,
};

/* What spans and metrics have in common. */
#define OTLP_KIND                                                                    \
	.is_rare = true, .is_lines = true, .use = SINK_USE_FILE, .can_append = true, \
	.can_compress = true, .shows_dates = true

const struct sink_kind sink_otlp = {
	.name = "otlp",
	.help = "write OpenTelemetry's spans, lines of OTLP JSON",
	.file = &traces_file,
	OTLP_KIND,
};

/*
 * Counters as OpenTelemetry's metrics: lines of ExportMetricsServiceRequest. A counter is a gauge;
 * lost records are sums, of which each point counts one gap.
 *
 * They are a file of their own, because a file of OTLP has one type of data.
 */

/* Bytes of samples that wait for a request, about. */
#define POINTS_MAX ((size_t)48 << 10)
/* AGGREGATION_TEMPORALITY_DELTA */
#define TEMPORALITY_DELTA 1
/* Names of instruments have at most 255 characters, of these. */
#define METRIC_NAME_MAX 255

static void otlp_name_append(struct buffer *out, struct text text)
{
	for (size_t i = 0; i < text.size; i++) {
		char byte = text.data[i];
		bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
				(byte >= '0' && byte <= '9') || (byte && strchr("_.-/", byte));

		buffer_append_char(out, is_plain ? byte : '_');
	}
}

/* "demo:depth" of "queue" is demo.depth.queue, and demo.depth if that is the track's name, too. */
static void otlp_metric_name(struct buffer *out, const struct timeline_track *track)
{
	const char *category = track->category->text;
	const char *colon = strchr(category, ':');
	struct text system = { .data = category,
			       .size = colon ? (size_t)(colon - category) : strlen(category) };
	struct text event = text_of(colon ? colon + 1 : "");

	buffer_clear(out);
	if (system.size == 0 || (system.data[0] >= '0' && system.data[0] <= '9'))
		buffer_append_string(out, "ktrack.");
	otlp_name_append(out, system);
	if (event.size > 0) {
		buffer_append_char(out, '.');
		otlp_name_append(out, event);
	}
	if (!text_equals(event, track->name)) {
		buffer_append_char(out, '.');
		otlp_name_append(out, track->name);
	}
	if (out->size > METRIC_NAME_MAX)
		out->size = METRIC_NAME_MAX;
}

/* A sample is a number of 64 bits; larger ones are rounded. */
static void otlp_sample_append(struct buffer *out, const struct value *value)
{
	if (value->kind == VALUE_UNSIGNED && value->unsigned_number > INT64_MAX) {
		buffer_printf(out, ",\"asDouble\":%.17g", (double)value->unsigned_number);
	} else if (value->kind == VALUE_FLOATING) {
		buffer_append_string(out, ",\"asDouble\":");
		value_append_json(out, value);
	} else {
		buffer_append_string(out, ",\"asInt\":\"");
		buffer_append_signed(out, value->signed_number);
		buffer_append_char(out, '"');
	}
}

static void otlp_points_write(struct otlp_sink *sink)
{
	while (sink->dirty) {
		struct otlp_track *track = sink->dirty;
		struct buffer *out = otlp_item_begin(sink, track->machine);

		sink->dirty = track->next;
		track->is_dirty = false;
		buffer_append(out, track->points.data, track->points.size);
		buffer_append_string(out, "]}}");
		out->failed |= track->points.failed;
		buffer_clear(&track->points);
		otlp_item_end(sink);
	}
	sink->points_size = 0;
	otlp_requests_end(sink);
}

static void otlp_sample_write(struct otlp_sink *sink, const struct timeline_event *event)
{
	struct otlp_track *track = otlp_track_of(sink, event->track);
	struct buffer *out = &track->points;
	size_t size = out->size;

	if (!track->is_dirty) {
		track->is_dirty = true;
		track->next = sink->dirty;
		sink->dirty = track;
		otlp_metric_name(&sink->file.text, event->track);
		buffer_append_string(out, "{\"name\":");
		json_append_string(out, buffer_text(&sink->file.text));
		buffer_append_string(out, ",\"gauge\":{\"dataPoints\":[");
	}
	otlp_append_separator(out);
	buffer_append_string(out, "{\"attributes\":[");
	buffer_append(out, track->attributes.data, track->attributes.size);
	buffer_append_char(out, ']');
	otlp_append_time(out, "timeUnixNano", event->time_ns + sink->wall_offset_ns);
	otlp_sample_append(out, &event->value);
	buffer_append_char(out, '}');
	sink->points_size += out->size - size;
	if (sink->points_size >= POINTS_MAX || out->failed)
		otlp_points_write(sink);
}

static void otlp_loss_metric_write(struct otlp_sink *sink, const struct timeline_event *event)
{
	bool is_known = event->loss_count != TIMELINE_COUNT_UNKNOWN;
	struct buffer *out = otlp_item_begin(sink, event->loss_machine);

	buffer_printf(out,
		      "{\"name\":\"%s\",\"unit\":\"%s\",\"sum\":{\"dataPoints\":[{\"attributes\":[",
		      is_known ? "ktrack.lost_records" : "ktrack.gaps_of_unknown_size",
		      is_known ? "{record}" : "{gap}");
	otlp_append_number(out, "", "cpu.logical_number", event->loss_cpu);
	if (event->loss_buffer && event->loss_buffer[0])
		otlp_append_text(out, "", "ktrack.buffer", text_of(event->loss_buffer));
	buffer_append_char(out, ']');
	otlp_append_time(out, "startTimeUnixNano", event->begin_ns + sink->wall_offset_ns);
	otlp_append_time(out, "timeUnixNano", event->loss_end_ns + sink->wall_offset_ns);
	buffer_printf(out,
		      ",\"asInt\":\"%lld\"}],\"aggregationTemporality\":%d,\"isMonotonic\":true}}",
		      is_known ? (long long)event->loss_count : 1, TEMPORALITY_DELTA);
	otlp_item_end(sink);
}

static void metrics_event(struct sink_file *file, const struct timeline_event *event)
{
	struct otlp_sink *sink = container_of(file, struct otlp_sink, file);

	if (event->kind == TIMELINE_TRACK_BEGIN)
		otlp_track_begin(sink, event);
	else if (event->kind == TIMELINE_COUNTER)
		otlp_sample_write(sink, event);
	else if (event->kind == TIMELINE_LOSS)
		otlp_loss_metric_write(sink, event);
	else if (event->kind == TIMELINE_FINISH ||
		 (event->kind == TIMELINE_TRACK_END && otlp_track_of(sink, event->track)->is_dirty))
		otlp_points_write(sink);
}

static void metrics_open(struct sink_file *file, const struct recording *recording)
{
	otlp_open_requests(container_of(file, struct otlp_sink, file), recording, "metrics");
}

static void metrics_flush(struct sink_file *file)
{
	otlp_points_write(container_of(file, struct otlp_sink, file));
	sink_file_flush(file);
}

static void metrics_release(struct sink_file *file)
{
	otlp_requests_release(container_of(file, struct otlp_sink, file));
}

static const struct sink_file_ops metrics_file = {
	.size = sizeof(struct otlp_sink),
	.open = metrics_open,
	.event = metrics_event,
	.flush = metrics_flush,
	.track_release = otlp_track_release,
	.release = metrics_release,
};

const struct sink_kind sink_otlp_metrics = {
	.name = "otlp-metrics",
	.help = "write counters as OpenTelemetry's metrics, likewise",
	.file = &metrics_file,
	OTLP_KIND,
};
