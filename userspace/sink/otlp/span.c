// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slices as spans, written at their end. The outermost slice of a track is the root of a trace. If
 * its begin has a flow that another span had before, it continues that span's trace as its child:
 * it was caused by it. All further points of a flow are links to the previous one.
 *
 * An instant is an event of the innermost open slice, or else a span without duration.
 */
#include "sink/flow.h"
#include "sink/otlp/state.h"

/* As in OpenTelemetry's own programs. */
#define EVENTS_MAX 128
#define LINKS_MAX 128

/* Limit of bytes in events and links of all open spans. */
#define KEPT_MAX ((size_t)32 << 20)

/* SPAN_KIND_INTERNAL */
#define SPAN_KIND 1

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
		otlp_append_parent(out, parent);
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

static void otlp_append_flows(struct buffer *out, const struct timeline_event *event,
			      const char *prefix)
{
	struct buffer text = { 0 };

	if (event->nr_flows == 0)
		return;
	flows_append_text(&text, event);
	otlp_append_key(out, prefix, text_of("ktrack.flow"));
	otlp_append_value(out, &(struct value){ .kind = VALUE_TEXT, .text = buffer_text(&text) });
	out->failed |= text.failed;
	buffer_release(&text);
}

static void otlp_append_record(const struct otlp_sink *sink, struct buffer *out,
			       const struct timeline_event *event, const char *prefix)
{
	otlp_append_fields(out, prefix, event->fields, event->nr_fields);
	otlp_append_flows(out, event, prefix);
	otlp_append_emitter(out, event, sink->file.with, prefix);
}

static void otlp_append_flags(struct buffer *out, const struct timeline_event *event)
{
	if (event->is_suspect)
		otlp_append_true(out, "ktrack.suspect");
	if (event->is_unfinished)
		otlp_append_true(out, "ktrack.unfinished");
	if (event->is_foreign)
		otlp_append_true(out, "ktrack.foreign");
	if (event->is_continued)
		otlp_append_true(out, "ktrack.continued");
}

static void link_append(struct buffer *out, const struct otlp_context *context,
			const struct field *flow)
{
	struct buffer text = { 0 };

	flow_append(&text, flow);
	otlp_append_separator(out);
	buffer_append_char(out, '{');
	otlp_append_context(out, context);
	buffer_append_string(out, ",\"attributes\":[");
	otlp_append_text(out, "ktrack.flow", buffer_text(&text));
	buffer_append_string(out, "]}");
	out->failed |= text.failed;
	buffer_release(&text);
}

/* Links the span to the last one of the flow, and makes it the last one. */
static int span_add_flow(struct otlp_sink *sink, struct otlp_open *open, const struct field *flow)
{
	const struct otlp_context *last = otlp_flows_find(&sink->flows, flow);
	size_t size = open->links.size;

	if (last && last->span != open->context.span) {
		if (open->nr_links < LINKS_MAX && sink->kept_size < KEPT_MAX) {
			link_append(&open->links, last, flow);
			open->nr_links++;
			sink->kept_size += open->links.size - size;
		} else {
			open->nr_dropped_links++;
		}
	}
	return otlp_flows_set(&sink->flows, flow, &open->context);
}

static int span_add_flows(struct otlp_sink *sink, struct otlp_open *open,
			  const struct timeline_event *event, struct error *error)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		if (span_add_flow(sink, open, timeline_event_flow(event, i)) < 0)
			return error_set(error, "out of memory");
	}
	return 0;
}

/* The span that caused a root. */
static const struct otlp_context *span_cause(const struct otlp_sink *sink,
					     const struct timeline_event *event)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct otlp_context *last = otlp_flows_find(&sink->flows,
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

static void open_set_context(const struct otlp_sink *sink, struct otlp_track *track,
			     struct otlp_open *open, const struct timeline_event *event)
{
	const struct otlp_context *parent = event->depth > 1 && track->depth + 1 >= event->depth
						    ? &open[-1].context
						    : span_cause(sink, event);
	uint64_t hash = span_hash(track, event, event->depth);

	open->parent = parent ? parent->span : 0;
	open->context = parent ? otlp_child(parent, hash) : otlp_root(hash);
}

static int otlp_slice_begin(struct otlp_sink *sink, struct otlp_track *track,
			    const struct timeline_event *event, struct error *error)
{
	struct otlp_open *open;

	if (event->depth > track->nr_open &&
	    sink_array_grow((void **)&track->open, &track->nr_open, event->depth, sizeof(*open),
			    error) < 0)
		return -1;
	open = &track->open[event->depth - 1];
	open_clear(sink, open);
	open_set_context(sink, track, open, event);
	track->depth = event->depth;
	otlp_append_record(sink, &open->attributes, event, "");
	return span_add_flows(sink, open, event, error);
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

static int otlp_slice_end(struct otlp_sink *sink, struct otlp_track *track,
			  const struct timeline_event *event, struct error *error)
{
	struct otlp_open *open = &track->open[event->depth - 1];
	struct buffer *out;

	if (span_add_flows(sink, open, event, error) < 0)
		return -1;
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
	otlp_append_flags(out, event);
	buffer_append_char(out, ']');
	array_append(out, "events", &open->events, "droppedEventsCount", open->nr_dropped_events);
	array_append(out, "links", &open->links, "droppedLinksCount", open->nr_dropped_links);
	buffer_append_char(out, '}');
	open_clear(sink, open);
	track->depth = event->depth - 1;
	return otlp_item_end(sink, error);
}

int otlp_write_slice(struct otlp_sink *sink, const struct timeline_event *event,
		     struct error *error)
{
	struct otlp_track *track = otlp_track_of(sink, event->track);

	if (event->kind == TIMELINE_SLICE_BEGIN)
		return otlp_slice_begin(sink, track, event, error);
	return otlp_slice_end(sink, track, event, error);
}

static int otlp_event_write(struct otlp_sink *sink, struct otlp_open *open,
			    const struct timeline_event *event, struct error *error)
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
	return span_add_flows(sink, open, event, error);
}

/* A span of its own. */
static int otlp_instant_write(struct otlp_sink *sink, struct otlp_track *track,
			      const struct timeline_event *event, struct error *error)
{
	const struct otlp_context *parent = span_cause(sink, event);
	uint64_t hash = span_hash(track, event, 0);
	struct otlp_open open = { .context = parent ? otlp_child(parent, hash) : otlp_root(hash),
				  .parent = parent ? parent->span : 0 };
	int status = span_add_flows(sink, &open, event, error);
	struct buffer *out = otlp_item_begin(sink, track->machine);

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
	return status < 0 ? -1 : otlp_item_end(sink, error);
}

int otlp_write_instant(struct otlp_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	struct otlp_track *track = otlp_track_of(sink, event->track);

	if (track->depth > 0)
		return otlp_event_write(sink, &track->open[track->depth - 1], event, error);
	return otlp_instant_write(sink, track, event, error);
}

int otlp_own_span(struct otlp_sink *sink, const struct timeline_machine *machine, int64_t begin_ns,
		  int64_t end_ns, struct text name, struct text attributes, bool is_error,
		  struct error *error)
{
	uint64_t hash = otlp_mix(otlp_mix_text(sink->seed, name), sink->nr_own++);
	struct otlp_context context = otlp_root(hash);
	struct buffer *out = otlp_item_begin(sink, machine);

	span_append_begin(out, &context, 0, name);
	span_append_times(sink, out, begin_ns, end_ns);
	buffer_append_string(out, ",\"attributes\":[");
	buffer_append(out, attributes.data, attributes.size);
	buffer_append_char(out, ']');
	if (is_error) {
		buffer_append_string(out, ",\"status\":{\"message\":");
		json_append_string(out, name);
		buffer_append_string(out, ",\"code\":2}");
	}
	buffer_append_char(out, '}');
	return otlp_item_end(sink, error);
}
