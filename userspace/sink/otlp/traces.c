// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slices as spans, written at their end. The outermost slice of a track is the root of a trace.
 * If its begin has a flow that another span had before, it continues that span's trace as its
 * child: it was caused by it. All further points of a flow are links to the previous one. An
 * instant is an event of the innermost open slice, or else a span without duration.
 */
#include "sink/otlp/state.h"

#include <stdlib.h>

#include "sink/flow.h"
#include "sink/text.h"

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

const struct sink_kind sink_otlp = {
	.name = "otlp",
	.help = "write OpenTelemetry's spans, lines of OTLP JSON",
	.is_rare = true,
	.is_lines = true,
	.use = SINK_USE_FILE,
	.can_append = true,
	.can_compress = true,
	.shows_dates = true,
	.file = &traces_file,
};
