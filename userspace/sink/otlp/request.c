// SPDX-License-Identifier: GPL-2.0-only
/* Requests: lines of many spans or metrics, each with the resource that they are about. */
#include <stdlib.h>

#include "sink/args.h"
#include "sink/otlp/state.h"

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
