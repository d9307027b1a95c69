// SPDX-License-Identifier: GPL-2.0-only
/* Requests of OpenTelemetry's protocol: their resource, and the JSON of their members. */
#include "sink/otlp/state.h"

#include <stdlib.h>

#include "sink/text.h"

void otlp_append_separator(struct buffer *out)
{
	if (out->size > 0 && out->data[out->size - 1] != '[' && out->data[out->size - 1] != '{')
		buffer_append_char(out, ',');
}

void otlp_append_value(struct buffer *out, const char *prefix, struct text key,
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

void otlp_append_text(struct buffer *out, const char *prefix, const char *key, struct text text)
{
	const struct value value = { .kind = VALUE_TEXT, .text = text };

	otlp_append_value(out, prefix, text_of(key), &value);
}

void otlp_append_number(struct buffer *out, const char *prefix, const char *key, int64_t number)
{
	const struct value value = { .kind = VALUE_SIGNED, .signed_number = number };

	otlp_append_value(out, prefix, text_of(key), &value);
}

void otlp_append_true(struct buffer *out, const char *key)
{
	const struct value value = { .kind = VALUE_BOOLEAN, .boolean = true };

	otlp_append_value(out, "", text_of(key), &value);
}

void otlp_append_fields(struct buffer *out, const char *prefix, const struct field *fields,
			size_t nr_fields)
{
	for (size_t i = 0; i < nr_fields; i++)
		otlp_append_value(out, prefix, fields[i].name, &fields[i].value);
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

void otlp_requests_release(struct otlp_sink *sink)
{
	for (size_t i = 0; i < sink->nr_requests; i++) {
		buffer_release(&sink->requests[i].head);
		buffer_release(&sink->requests[i].items);
	}
	free(sink->requests);
}

void otlp_open_requests(struct otlp_sink *sink, const struct recording *recording,
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
		buffer_append_string(out, "]}]}]}\n");
	}
	out->failed |= request->items.failed;
	buffer_clear(&request->items);
}

void otlp_item_end(struct otlp_sink *sink)
{
	const struct buffer *items = &sink->current->items;

	if (items->size < REQUEST_SIZE && !items->failed)
		return;
	request_end(sink, sink->current);
	sink_file_flush(&sink->file);
}

void otlp_requests_end(struct otlp_sink *sink)
{
	for (size_t i = sink->nr_requests; i > 0; i--)
		request_end(sink, &sink->requests[i - 1]);
}

void otlp_track_begin(struct otlp_sink *sink, const struct timeline_event *event)
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

void otlp_append_emitter(struct buffer *out, const struct timeline_event *event, unsigned int with,
			 const char *prefix)
{
	if (event_has_emitter(event, with, TIMELINE_EMITTER_TID))
		otlp_append_number(out, prefix, "ktrack.tid", event->tid);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_CPU))
		otlp_append_number(out, prefix, "ktrack.cpu", event->cpu);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_COMM))
		otlp_append_text(out, prefix, "ktrack.comm", text_of(event->comm));
}
