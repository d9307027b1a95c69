// SPDX-License-Identifier: GPL-2.0-only
/* The timeline as OpenTelemetry's traces: lines of ExportTraceServiceRequest. */
#include "sink/kinds.h"
#include "sink/otlp/state.h"

static int traces_event(struct sink_file *file, const struct timeline_event *event,
			struct error *error)
{
	struct otlp_sink *sink = container_of(file, struct otlp_sink, file);

	switch (event->kind) {
	case TIMELINE_TRACK_BEGIN:
		return otlp_track_begin(sink, event, error);
	case TIMELINE_SLICE_BEGIN:
	case TIMELINE_SLICE_END:
		return otlp_write_slice(sink, event, error);
	case TIMELINE_INSTANT:
		return otlp_write_instant(sink, event, error);
	default:
		return otlp_write_remark(sink, event, error);
	}
}

static int traces_open(struct sink_file *file, const struct recording *recording,
		       struct error *error)
{
	return otlp_open_requests(container_of(file, struct otlp_sink, file), recording, "spans",
				  error);
}

static int traces_flush(struct sink_file *file, struct error *error)
{
	otlp_requests_end(container_of(file, struct otlp_sink, file));
	return sink_file_flush(file, error);
}

static void traces_release(struct sink_file *file)
{
	struct otlp_sink *sink = container_of(file, struct otlp_sink, file);

	otlp_flows_release(&sink->flows);
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

struct sink *sink_otlp_new(const struct sink_settings *settings, struct error *error)
{
	return sink_file_new(&traces_file, settings, error);
}
