// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters as OpenTelemetry's metrics: lines of ExportMetricsServiceRequest. A counter is a gauge;
 * lost records are sums, of which each point counts one gap.
 *
 * They are a file of their own, because a file of OTLP has one type of data.
 */
#include "sink/otlp/state.h"

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
	.is_rare = true,
	.is_lines = true,
	.use = SINK_USE_FILE,
	.can_append = true,
	.can_compress = true,
	.shows_dates = true,
	.file = &metrics_file,
};
