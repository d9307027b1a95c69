// SPDX-License-Identifier: GPL-2.0-only
/* Spans of ktrack's own: losses, problems, faults, and the traced command. */
#include "sink/remark.h"

#include "sink/otlp/state.h"

static int otlp_loss_write(struct otlp_sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	struct buffer text = { 0 }, attributes = { 0 };
	int status;

	otlp_append_number(&attributes, "cpu.logical_number", event->loss_cpu);
	if (event->loss_count != TIMELINE_COUNT_UNKNOWN)
		otlp_append_number(&attributes, "ktrack.lost_records", event->loss_count);
	if (event->loss_buffer && event->loss_buffer[0])
		otlp_append_text(&attributes, "ktrack.buffer", text_of(event->loss_buffer));
	sink->file.out.failed |= attributes.failed;
	status = otlp_own_span(sink, event->loss_machine, event->begin_ns, event->loss_end_ns,
			       remark_set(&text, event), buffer_text(&attributes), true, error);
	buffer_release(&text);
	buffer_release(&attributes);
	return status;
}

static int otlp_problem_write(struct otlp_sink *sink, const struct timeline_event *event,
			      struct error *error)
{
	struct buffer text = { 0 };
	int status = otlp_own_span(sink, NULL, event->time_ns, event->time_ns,
				   remark_set(&text, event), text_of(""),
				   event->kind != TIMELINE_TRACEPOINT, error);

	buffer_release(&text);
	return status;
}

static int otlp_command_begin(struct otlp_sink *sink, const struct timeline_event *event)
{
	remark_set(&sink->command, event);
	sink->command_ns = event->time_ns;
	return 0;
}

static int otlp_command_end(struct otlp_sink *sink, const struct timeline_event *event,
			    bool has_ended, struct error *error)
{
	struct buffer attributes = { 0 };
	int status;

	if (sink->command.size == 0)
		return 0;
	if (has_ended) {
		otlp_append_number(&attributes, "process.pid", event->pid);
		otlp_append_number(&attributes, "process.exit.code", event->status);
	} else {
		otlp_append_true(&attributes, "ktrack.unfinished");
	}
	sink->file.out.failed |= attributes.failed || sink->command.failed;
	status = otlp_own_span(sink, NULL, sink->command_ns, event->time_ns,
			       buffer_text(&sink->command), buffer_text(&attributes), false, error);
	buffer_clear(&sink->command);
	buffer_release(&attributes);
	return status;
}

static int otlp_faults_write(struct otlp_sink *sink, const struct timeline_event *finish,
			     struct error *error)
{
	struct buffer text = { 0 };
	int status = 0;

	for (size_t i = 0; i < fault_limit(finish->totals) && status == 0; i++) {
		if (fault_set(&text, finish->totals, sink->file.counts_ticks, i))
			status = otlp_own_span(sink, NULL, finish->time_ns, finish->time_ns,
					       buffer_text(&text), text_of(""), true, error);
	}
	if (text.failed)
		status = error_set(error, "out of memory");
	buffer_release(&text);
	return status;
}

static void append_known_sum(struct buffer *out, const char *key, uint64_t sum)
{
	if (sum > 0)
		otlp_append_number(out, key, sum > INT64_MAX ? INT64_MAX : (int64_t)sum);
}

/* The last span. A file without it is incomplete. */
static int otlp_recording_write(struct otlp_sink *sink, const struct timeline_event *finish,
				struct error *error)
{
	const struct timeline_totals *totals = finish->totals;
	int64_t begin_ns = sink->file.start_ns < finish->time_ns ? sink->file.start_ns
								 : finish->time_ns;
	struct buffer sums = { 0 };
	int status;

	append_known_sum(&sums, "ktrack.lost_records", totals->lost_records);
	append_known_sum(&sums, "ktrack.lost_gaps", totals->lost_gaps);
	append_known_sum(&sums, "ktrack.lost_gaps_unknown", totals->lost_gaps_unknown);
	append_known_sum(&sums, "ktrack.suspect_slices", totals->suspect);
	append_known_sum(&sums, "ktrack.unfinished_slices", totals->unfinished);
	if (totals->has_wall_drift)
		otlp_append_number(&sums, "ktrack.wall_drift_ns", totals->wall_drift_ns);
	sink->file.out.failed |= sums.failed;
	status = otlp_own_span(sink, NULL, begin_ns, finish->time_ns, text_of("recording"),
			       buffer_text(&sums), false, error);
	buffer_release(&sums);
	return status;
}

static int otlp_finish_write(struct otlp_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	if (otlp_command_end(sink, event, false, error) < 0 ||
	    otlp_faults_write(sink, event, error) < 0 ||
	    otlp_recording_write(sink, event, error) < 0)
		return -1;
	otlp_requests_end(sink);
	return 0;
}

int otlp_write_remark(struct otlp_sink *sink, const struct timeline_event *event,
		      struct error *error)
{
	switch (event->kind) {
	case TIMELINE_LOSS:
		return otlp_loss_write(sink, event, error);
	case TIMELINE_MALFORMED:
	case TIMELINE_FOREIGN_END:
	case TIMELINE_TRACEPOINT:
		return otlp_problem_write(sink, event, error);
	case TIMELINE_COMMAND_BEGIN:
		return otlp_command_begin(sink, event);
	case TIMELINE_COMMAND_END:
		return otlp_command_end(sink, event, true, error);
	case TIMELINE_FINISH:
		return otlp_finish_write(sink, event, error);
	default:
		return 0;
	}
}
