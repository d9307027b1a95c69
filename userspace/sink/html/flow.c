// SPDX-License-Identifier: GPL-2.0-only
/* Points of flows: slices and instants that have an id. */
#include <stdlib.h>

#include "sink/html/base64.h"
#include "sink/html/state.h"
#include "sink/proto.h"

#define POINTS_MAX 512

/* Few different ones: the names of fields. Those of several tracepoints may be the same text. */
static int flow_name_number(struct html_sink *sink, struct text name, uint64_t *number)
{
	struct html_flow_name *names;

	for (size_t i = 0; i < sink->nr_flow_names; i++) {
		if (!text_equals(sink->flow_names[i].name, name))
			continue;
		*number = sink->flow_names[i].number;
		return 0;
	}
	names = reallocarray(sink->flow_names, sink->nr_flow_names + 1, sizeof(*names));
	if (!names)
		return -1;
	sink->flow_names = names;
	*number = html_name_report(sink, name);
	names[sink->nr_flow_names++] = (struct html_flow_name){ .name = name, .number = *number };
	return 0;
}

int html_flows_report(struct html_sink *sink, struct error *error)
{
	struct html_chunk *chunk = &sink->points;
	struct buffer *out = &sink->file.out;

	if (chunk->count == 0)
		return 0;
	if (chunk->data.failed)
		return error_set(error, "out of memory");
	buffer_append_string(out, "p ");
	buffer_append_signed(out, chunk->from_ns - sink->file.start_ns);
	buffer_printf(out, " %u ", chunk->count);
	base64_append(out, buffer_text(&chunk->data));
	buffer_append_char(out, '\n');
	buffer_clear(&chunk->data);
	chunk->count = 0;
	return sink_file_spill(&sink->file, error);
}

static int point_add(struct html_sink *sink, const struct timeline_event *event,
		     const struct field *flow, struct error *error)
{
	struct html_chunk *chunk = &sink->points;
	bool is_end = event->kind == TIMELINE_SLICE_END;
	uint64_t name;

	if (flow_name_number(sink, flow->name, &name) < 0)
		return error_set(error, "out of memory");
	if (chunk->count == 0)
		chunk->from_ns = chunk->last_ns = event->time_ns;
	proto_append_number(&chunk->data, event->time_ns - chunk->last_ns);
	proto_append_number(&chunk->data, is_end ? event->time_ns - event->begin_ns : 0);
	proto_append_number(&chunk->data, event->track->number);
	proto_append_number(&chunk->data, event->kind == TIMELINE_INSTANT ? 0 : event->depth);
	proto_append_number(&chunk->data, name);
	proto_append_number(&chunk->data, flow->value.unsigned_number);
	chunk->last_ns = event->time_ns;
	return ++chunk->count == POINTS_MAX ? html_flows_report(sink, error) : 0;
}

int html_flows_add(struct html_sink *sink, const struct timeline_event *event, struct error *error)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		if (point_add(sink, event, timeline_event_flow(event, i), error) < 0)
			return -1;
	}
	return 0;
}

void html_flows_release(struct html_sink *sink)
{
	buffer_release(&sink->points.data);
	free(sink->flow_names);
}
