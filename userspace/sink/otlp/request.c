// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of OpenTelemetry's protocol: their resource, their ids, and the JSON of their members.
 */
#include "sink/otlp/state.h"

#include <stdlib.h>

#include "sink/text.h"

void otlp_append_separator(struct buffer *out)
{
	if (out->size > 0 && out->data[out->size - 1] != '[' && out->data[out->size - 1] != '{')
		buffer_append_char(out, ',');
}

static void otlp_key_append(struct buffer *out, const char *prefix, struct text key)
{
	size_t quote;

	if (!prefix[0]) {
		json_append_string(out, key);
		return;
	}
	/* The opening quote of the key is overwritten with the last character of the prefix. */
	buffer_append_char(out, '"');
	buffer_append(out, prefix, strlen(prefix) - 1);
	quote = out->size;
	json_append_string(out, key);
	if (!out->failed)
		out->data[quote] = prefix[strlen(prefix) - 1];
}

void otlp_append_key(struct buffer *out, const char *prefix, struct text key)
{
	otlp_append_separator(out);
	buffer_append_string(out, "{\"key\":");
	otlp_key_append(out, prefix, key);
	buffer_append_string(out, ",\"value\":");
}

static void otlp_number_append(struct buffer *out, int64_t number)
{
	buffer_append_string(out, "{\"intValue\":\"");
	buffer_append_signed(out, number);
	buffer_append_string(out, "\"}");
}

static void otlp_text_append(struct buffer *out, struct text text)
{
	buffer_append_string(out, "{\"stringValue\":");
	json_append_string(out, text);
	buffer_append_char(out, '}');
}

/* OTLP has no unsigned numbers. */
static void otlp_unsigned_append(struct buffer *out, uint64_t number)
{
	if (number <= INT64_MAX) {
		otlp_number_append(out, (int64_t)number);
		return;
	}
	buffer_append_string(out, "{\"stringValue\":\"");
	buffer_append_unsigned(out, number);
	buffer_append_string(out, "\"}");
}

static void otlp_value_append(struct buffer *out, const struct value *value)
{
	switch (value->kind) {
	case VALUE_SIGNED:
		otlp_number_append(out, value->signed_number);
		break;
	case VALUE_UNSIGNED:
		otlp_unsigned_append(out, value->unsigned_number);
		break;
	case VALUE_BOOLEAN:
		buffer_append_string(out, value->boolean ? "{\"boolValue\":true}"
							 : "{\"boolValue\":false}");
		break;
	case VALUE_FLOATING:
		buffer_append_string(out, "{\"doubleValue\":");
		value_append_json(out, value);
		buffer_append_char(out, '}');
		break;
	case VALUE_BYTES:
		buffer_append_string(out, "{\"bytesValue\":\"");
		base64_append(out, value->text);
		buffer_append_string(out, "\"}");
		break;
	default:
		otlp_text_append(out, value->text);
	}
}

void otlp_append_value(struct buffer *out, const struct value *value)
{
	otlp_value_append(out, value);
	buffer_append_char(out, '}');
}

void otlp_append_text(struct buffer *out, const char *key, struct text text)
{
	otlp_append_key(out, "", text_of(key));
	otlp_text_append(out, text);
	buffer_append_char(out, '}');
}

void otlp_append_number(struct buffer *out, const char *key, int64_t number)
{
	otlp_append_key(out, "", text_of(key));
	otlp_number_append(out, number);
	buffer_append_char(out, '}');
}

void otlp_append_true(struct buffer *out, const char *key)
{
	otlp_append_key(out, "", text_of(key));
	buffer_append_string(out, "{\"boolValue\":true}}");
}

void otlp_append_fields(struct buffer *out, const char *prefix, const struct field *fields,
			size_t nr_fields)
{
	for (size_t i = 0; i < nr_fields; i++) {
		otlp_append_key(out, prefix, fields[i].name);
		otlp_append_value(out, &fields[i].value);
	}
}

void otlp_append_time(struct buffer *out, const char *member, int64_t wall_ns)
{
	otlp_append_separator(out);
	buffer_append_char(out, '"');
	buffer_append_string(out, member);
	buffer_append_string(out, "\":\"");
	buffer_append_unsigned(out, wall_ns > 0 ? (uint64_t)wall_ns : 0);
	buffer_append_char(out, '"');
}

/* Distinguish the three ids that are made of one hash. */
enum {
	ID_TRACE_HIGH = 1,
	ID_TRACE_LOW,
	ID_SPAN,
};

/* The finalizer of SplitMix64: each bit of the argument changes half of those of the result. */
uint64_t otlp_mix(uint64_t hash, uint64_t number)
{
	uint64_t mixed = (hash ^ number) + UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

uint64_t otlp_mix_text(uint64_t hash, struct text text)
{
	for (size_t i = 0; i < text.size; i += sizeof(uint64_t)) {
		size_t left = text.size - i;
		uint64_t word = 0;

		memcpy(&word, text.data + i, left < sizeof(word) ? left : sizeof(word));
		hash = otlp_mix(hash, word);
	}
	return otlp_mix(hash, text.size);
}

/* An id of zeros is invalid. */
static uint64_t id_of(uint64_t hash, unsigned int which)
{
	uint64_t id = otlp_mix(hash, which);

	return id ? id : 1;
}

struct otlp_context otlp_root(uint64_t hash)
{
	return (struct otlp_context){
		.trace = { id_of(hash, ID_TRACE_HIGH), id_of(hash, ID_TRACE_LOW) },
		.span = id_of(hash, ID_SPAN),
	};
}

struct otlp_context otlp_child(const struct otlp_context *parent, uint64_t hash)
{
	return (struct otlp_context){ .trace = { parent->trace[0], parent->trace[1] },
				      .span = id_of(hash, ID_SPAN) };
}

void otlp_append_context(struct buffer *out, const struct otlp_context *context)
{
	buffer_printf(out, "\"traceId\":\"%016llx%016llx\",\"spanId\":\"%016llx\"",
		      (unsigned long long)context->trace[0], (unsigned long long)context->trace[1],
		      (unsigned long long)context->span);
}

void otlp_append_parent(struct buffer *out, uint64_t span)
{
	buffer_printf(out, ",\"parentSpanId\":\"%016llx\"", (unsigned long long)span);
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

static struct otlp_point *otlp_point_find(const struct otlp_flows *flows, const struct field *flow)
{
	uint64_t hash = otlp_flow_hash(flow);
	struct otlp_point *point = map_find(&flows->recent, hash, point_is, flow);

	return point ? point : map_find(&flows->older, hash, point_is, flow);
}

const struct otlp_context *otlp_flows_find(const struct otlp_flows *flows, const struct field *flow)
{
	const struct otlp_point *point = otlp_point_find(flows, flow);

	return point ? &point->context : NULL;
}

static void otlp_points_free(struct map *points)
{
	for (size_t i = 0; i < points->capacity; i++)
		free(points->slots[i].value);
	map_release(points);
}

/* A flow that is used stays among the recent ones. */
static struct otlp_point *otlp_point_take(struct otlp_flows *flows, const struct field *flow,
					  uint64_t hash)
{
	struct otlp_point *point = map_find(&flows->older, hash, point_is, flow);

	if (point) {
		map_remove(&flows->older, hash, point);
		return point;
	}
	point = malloc(sizeof(*point));
	if (point)
		*point = (struct otlp_point){ .name = flow->name,
					      .id = flow->value.unsigned_number };
	return point;
}

static int otlp_point_add(struct otlp_flows *flows, const struct field *flow,
			  const struct otlp_context *context)
{
	uint64_t hash = otlp_flow_hash(flow);
	struct otlp_point *point = otlp_point_take(flows, flow, hash);

	if (!point)
		return -1;
	point->context = *context;
	if (flows->recent.size == OTLP_FLOWS_RECENT) {
		otlp_points_free(&flows->older);
		flows->older = flows->recent;
		flows->recent = (struct map){ 0 };
	}
	if (map_insert(&flows->recent, hash, point) == 0)
		return 0;
	free(point);
	return -1;
}

int otlp_flows_set(struct otlp_flows *flows, const struct field *flow,
		   const struct otlp_context *context)
{
	struct otlp_point *point = map_find(&flows->recent, otlp_flow_hash(flow), point_is, flow);

	if (!point)
		return otlp_point_add(flows, flow, context);
	point->context = *context;
	return 0;
}

void otlp_flows_release(struct otlp_flows *flows)
{
	otlp_points_free(&flows->recent);
	otlp_points_free(&flows->older);
}

/* Bytes of a request, about: collectors read lines of some megabytes at most. */
#define REQUEST_SIZE (48 * 1024)

static void otlp_append_known_text(struct buffer *out, const char *key, const char *text)
{
	if (text && text[0])
		otlp_append_text(out, key, text_of(text));
}

/* Keys are unique, as those of attributes must be: labels_add(), labels_merge(). */
static void otlp_append_labels(struct buffer *out, const char *labels)
{
	struct text rest = text_of(labels ? labels : ""), key, text;

	while (recording_take_label(&rest, &key, &text)) {
		const struct value value = { .kind = VALUE_TEXT, .text = text };

		otlp_append_key(out, "ktrack.label.", key);
		otlp_append_value(out, &value);
	}
}

/* Backends require the name of a service. */
static void otlp_append_resource(struct buffer *out, const struct recording *recording)
{
	const struct recording_property *property = NULL;
	struct value value;

	otlp_append_text(out, "service.name", text_of("linux"));
	otlp_append_text(out, "os.type", text_of("linux"));
	otlp_append_known_text(out, "os.version", recording->kernel);
	otlp_append_known_text(out, "host.name", recording->host);
	otlp_append_known_text(out, "ktrack.recording_id", recording->id);
	while (recording_next(recording, RECORDING_OTLP, &property, &value)) {
		otlp_append_key(out, "ktrack.", text_of(property->name));
		otlp_append_value(out, &value);
	}
	otlp_append_labels(out, recording->labels);
}

static void otlp_seed_set(struct otlp_sink *sink, const struct recording *recording)
{
	if (recording->id)
		sink->seed = otlp_mix_text(sink->seed, text_of(recording->id));
	sink->seed = otlp_mix(sink->seed, (uint64_t)recording->wall_offset_ns);
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

void otlp_requests_release(struct otlp_sink *sink)
{
	for (size_t i = 0; i < sink->nr_requests; i++) {
		buffer_release(&sink->requests[i].head);
		buffer_release(&sink->requests[i].items);
	}
	free(sink->requests);
	sink->requests = NULL;
	sink->nr_requests = 0;
}

int otlp_open_requests(struct otlp_sink *sink, const struct recording *recording, const char *array,
		       struct error *error)
{
	size_t size = recording->nr_machines + 1;

	otlp_requests_release(sink);
	sink->requests = calloc(size, sizeof(*sink->requests));
	if (!sink->requests)
		return error_set(error, "out of memory");
	sink->nr_requests = size;
	sink->wall_offset_ns = recording->wall_offset_ns;
	sink->tail = "]}]}]}\n";
	otlp_seed_set(sink, recording);
	request_open(sink, &sink->requests[0], recording, array);
	for (size_t i = 0; i < recording->nr_machines; i++)
		request_open(sink, &sink->requests[i + 1], recording->machines[i].recording, array);
	return 0;
}

struct buffer *otlp_item_begin(struct otlp_sink *sink, const struct timeline_machine *machine)
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
		buffer_append_string(out, sink->tail);
	}
	out->failed |= request->items.failed;
	buffer_clear(&request->items);
}

int otlp_item_end(struct otlp_sink *sink, struct error *error)
{
	const struct buffer *items = &sink->current->items;

	if (items->size < REQUEST_SIZE && !items->failed && !sink->file.out.failed)
		return 0;
	request_end(sink, sink->current);
	return sink_file_flush(&sink->file, error);
}

void otlp_requests_end(struct otlp_sink *sink)
{
	for (size_t i = sink->nr_requests; i > 0; i--)
		request_end(sink, &sink->requests[i - 1]);
}

/* Keys of OpenTelemetry's semantic conventions, where they have one. */
static void otlp_append_scope(struct buffer *out, const struct timeline_track *track)
{
	const struct value *id = &track->id;

	if (track->scope == SCOPE_THREAD) {
		otlp_append_number(out, "thread.id", id->signed_number);
		otlp_append_known_text(out, "thread.name", track->comm);
		if (track->tgid > 0)
			otlp_append_number(out, "process.pid", track->tgid);
	} else if (track->scope == SCOPE_PROCESS) {
		otlp_append_number(out, "process.pid", id->signed_number);
	} else if (track->scope == SCOPE_CPU) {
		otlp_append_number(out, "cpu.logical_number", id->signed_number);
	} else if (track->scope == SCOPE_CUSTOM && track->field) {
		otlp_append_key(out, "ktrack.scope.", text_of(track->field));
		otlp_append_value(out, id);
	}
	otlp_append_fields(out, "ktrack.scope.", track->outer, track->nr_outer);
}

static void otlp_append_track(struct otlp_sink *sink, struct buffer *out,
			      const struct timeline_track *track)
{
	otlp_append_text(out, "ktrack.tracepoint", text_of(track->category->text));
	buffer_clear(&sink->file.text);
	track_append_label(&sink->file.text, track);
	otlp_append_text(out, "ktrack.track", buffer_text(&sink->file.text));
	otlp_append_scope(out, track);
	otlp_append_known_text(out, "ktrack.buffer", track->buffer);
}

int otlp_track_begin(struct otlp_sink *sink, const struct timeline_event *event,
		     struct error *error)
{
	struct otlp_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track),
						       error);

	if (!track)
		return -1;
	track->machine = event->track->machine;
	otlp_append_track(sink, &track->attributes, event->track);
	track->seed = otlp_mix_text(sink->seed, buffer_text(&track->attributes));
	track->begin_ns = INT64_MIN;
	if (track->attributes.failed)
		return error_set(error, "out of memory");
	return 0;
}

void otlp_track_release(struct sink_track *link)
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

static void append_emitter_number(struct buffer *out, const char *prefix, const char *key,
				  int64_t number)
{
	const struct field field = { .name = text_of(key),
				     .value = { .kind = VALUE_SIGNED, .signed_number = number } };

	otlp_append_fields(out, prefix, &field, 1);
}

void otlp_append_emitter(struct buffer *out, const struct timeline_event *event, unsigned int with,
			 const char *prefix)
{
	if (event_has_emitter(event, with, TIMELINE_EMITTER_TID))
		append_emitter_number(out, prefix, "ktrack.tid", event->tid);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_CPU))
		append_emitter_number(out, prefix, "ktrack.cpu", event->cpu);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_COMM)) {
		const struct field field = {
			.name = text_of("ktrack.comm"),
			.value = { .kind = VALUE_TEXT, .text = text_of(event->comm) },
		};

		otlp_append_fields(out, prefix, &field, 1);
	}
}
