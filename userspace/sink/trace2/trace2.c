// SPDX-License-Identifier: GPL-2.0-only
/* The timeline as a trace2 session: one message for each event; libtrace2 prints them. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sink/kinds.h"
#include "sink/remark.h"
#include "sink/trace2/state.h"

#define LOSS_FORMAT_SIZE 128

int trace2_sink_fail(const struct trace2_sink *sink, struct error *error)
{
	return error_set(error, "%s", trace2_session_error(sink->session));
}

/* Consumers group errors by @format, the constant text that the message was made from. */
static int error_write(struct trace2_sink *sink, const struct timeline_event *event,
		       const char *format, struct text more, struct error *error)
{
	struct trace2_event line = {
		.kind = TRACE2_ERROR,
		.more = trace2_string_of(more),
		.error.fmt = format,
		.error.msg = trace2_string_of(remark_set(&sink->message, event)),
	};

	return trace2_sink_write(sink, &line, event->time_ns, error);
}

/* Appends a moment like t_abs, or null if it is not known. */
static void moment_append(struct trace2_sink *sink, const char *name, int64_t ns)
{
	buffer_printf(&sink->more, ",\"%s\":", name);
	if (ns >= sink->start_ns && ns != INT64_MAX)
		buffer_append_seconds(&sink->more, ns - sink->start_ns, TRACE2_SINK_DECIMALS);
	else
		buffer_append_string(&sink->more, "null");
}

/* The loss for machines. A sum of gaps has no time. */
static struct text loss_args_set(struct trace2_sink *sink, const struct timeline_event *event)
{
	struct buffer *more = &sink->more;

	buffer_clear(more);
	buffer_printf(more, "\"args\":{\"cpu\":%d,\"records\":", event->loss_cpu);
	if (event->loss_count == TIMELINE_COUNT_UNKNOWN)
		buffer_append_string(more, "null");
	else
		buffer_append_signed(more, event->loss_count);
	if (event->kind == TIMELINE_LOSS) {
		moment_append(sink, "from", event->begin_ns);
		moment_append(sink, "until", event->loss_end_ns);
	}
	if (event->loss_buffer) {
		buffer_append_string(more, ",\"buffer\":");
		json_append_string(more, text_of(event->loss_buffer));
	}
	if (event->loss_machine) {
		buffer_append_string(more, ",\"host\":");
		json_append_string(more, text_of(event->loss_machine->name));
	}
	buffer_append_char(more, '}');
	return buffer_text(more);
}

static int trace2_write_loss(struct trace2_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	static const char *const formats[][2] = {
		{ "lost an unknown number of records on cpu %d",
		  "lost an unknown number of records on cpu %d in buffer '%s'" },
		{ "lost %lu records on cpu %d", "lost %lu records on cpu %d in buffer '%s'" },
		{ "lost %lu records in gaps of unknown size on cpu %d",
		  "lost %lu records in gaps of unknown size on cpu %d in buffer '%s'" },
	};
	int kind = event->kind == TIMELINE_LOSS_SUM ? 2
						    : event->loss_count != TIMELINE_COUNT_UNKNOWN;
	char format[LOSS_FORMAT_SIZE];

	snprintf(format, sizeof(format), "%s%s", formats[kind][event->loss_buffer != NULL],
		 event->loss_machine ? " of machine '%s'" : "");
	return error_write(sink, event, format, loss_args_set(sink, event), error);
}

static int trace2_write_malformed(struct trace2_sink *sink, const struct timeline_event *event,
				  struct error *error)
{
	return error_write(sink, event, MALFORMED_FORMAT, (struct text){ 0 }, error);
}

static int trace2_write_foreign_end(struct trace2_sink *sink, const struct timeline_event *event,
				    struct error *error)
{
	return error_write(sink, event, FOREIGN_END_FORMAT, (struct text){ 0 }, error);
}

static int trace2_write_command_begin(struct trace2_sink *sink, const struct timeline_event *event,
				      struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_CHILD_START,
				     .file = __FILE__,
				     .line = __LINE__ };

	sink->command_ns = event->time_ns;
	line.child_start.child_class = "?";
	line.child_start.argv = event->argv;
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

static int trace2_write_command_end(struct trace2_sink *sink, const struct timeline_event *event,
				    struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_CHILD_EXIT,
				     .file = __FILE__,
				     .line = __LINE__ };

	line.child_exit.pid = event->pid;
	line.child_exit.code = event->status;
	line.child_exit.t_rel_ns = event->time_ns - sink->command_ns;
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

/* Keys and words are an interface. */
static int trace2_write_tracepoint(struct trace2_sink *sink, const struct timeline_event *event,
				   struct error *error)
{
	static const char *const words[] = {
		[TIMELINE_RECORDED_FROM_LOAD] = "from_load",
		[TIMELINE_RECORDED_FROM_NOW] = "from_now",
		[TIMELINE_RECORDED_UNTIL_NOW] = "until_now",
	};

	buffer_clear(&sink->message);
	buffer_append_string(&sink->message, "{\"tracepoint\":");
	json_append_string(&sink->message, text_of(event->tracepoint));
	buffer_printf(&sink->message, ",\"recorded\":\"%s\"}", words[event->recorded]);
	return trace2_json_write(sink, NULL, sink->start_ns, text_of("ktrack"),
				 text_of("tracepoint"), event->time_ns, error);
}

static int trace2_flush(struct sink *head, struct error *error)
{
	struct trace2_sink *sink = container_of(head, struct trace2_sink, sink);

	if (trace2_session_flush(sink->session) < 0)
		return trace2_sink_fail(sink, error);
	return compressor_flush(sink->compressor, error);
}

static int trace2_finish_write(struct trace2_sink *sink, const struct timeline_event *event,
			       struct error *error)
{
	if (trace2_recording_end(sink, event, error) < 0)
		return -1;
	if (!sink->compressor)
		return 0;
	return trace2_flush(&sink->sink, error) < 0 ? -1 : compressor_end(sink->compressor, error);
}

static int (*const writers[])(struct trace2_sink *sink, const struct timeline_event *event,
			      struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = trace2_track_begin,
	[TIMELINE_SLICE_BEGIN] = trace2_slice_begin_write,
	[TIMELINE_SLICE_END] = trace2_slice_end_write,
	[TIMELINE_INSTANT] = trace2_instant_write,
	[TIMELINE_COUNTER] = trace2_sample_write,
	[TIMELINE_TRACK_END] = trace2_track_end,
	[TIMELINE_LOSS] = trace2_write_loss,
	[TIMELINE_LOSS_SUM] = trace2_write_loss,
	[TIMELINE_MALFORMED] = trace2_write_malformed,
	[TIMELINE_FOREIGN_END] = trace2_write_foreign_end,
	[TIMELINE_TRACEPOINT] = trace2_write_tracepoint,
	[TIMELINE_COMMAND_BEGIN] = trace2_write_command_begin,
	[TIMELINE_COMMAND_END] = trace2_write_command_end,
	[TIMELINE_FINISH] = trace2_finish_write,
};
_Static_assert(sizeof(writers) / sizeof(writers[0]) == TIMELINE_KIND_COUNT,
	       "a writer for every kind");

static int trace2_event_write(struct sink *head, const struct timeline_event *event,
			      struct error *error)
{
	return writers[event->kind](container_of(head, struct trace2_sink, sink), event, error);
}

static int target_open(struct trace2_sink *sink, enum trace2_target target,
		       const struct sink_settings *settings, struct error *error)
{
	const char *value = settings->trace2->value;

	sink->has_data_messages = target != TRACE2_EVENT;
	if (!value && trace2_session_add(sink->session, target, settings->fd, settings->name) < 0)
		return error_set(error, "out of memory");
	if (value && trace2_session_open(sink->session, target, value, settings->name) < 0)
		return trace2_sink_fail(sink, error);
	return 0;
}

static int trace2_write_compressed(void *context, const char *lines, size_t size)
{
	return compressor_write(context, lines, size);
}

static struct trace2_session *sink_session_new(const struct sink_settings *given,
					       struct compressor *compressor)
{
	struct trace2_settings settings = {
		.sid = given->trace2->sid,
		.decimals = TRACE2_SINK_DECIMALS,
		.max_nesting = TRACE2_NESTING_ALL,
		.category_width = 24,
		.has_whole_names = true,
		.has_more_t_abs = true,
		.has_valid_json = true,
		.flush = TRACE2_FLUSH_BLOCKS,
		.file_mode = 0600,
		.file_user = given->trace2->file_user,
		.file_group = given->trace2->file_group,
		.wait = given->wait.wait,
		.wait_context = given->wait.context,
	};

	if (compressor) {
		settings.write = trace2_write_compressed;
		settings.write_context = compressor;
	}

	if (given->trace2->config)
		trace2_config_apply(given->trace2->config, &settings);
	return trace2_session_new(&settings);
}

/*
 * The session begins at a whole microsecond, so that the time of every line is the first line's
 * plus its t_abs, cut. No wall clock is read more exactly than that.
 */
static int trace2_sink_open(struct sink *head, const struct recording *recording,
			    unsigned int sink_index, struct error *error)
{
	struct trace2_sink *sink = container_of(head, struct trace2_sink, sink);
	int64_t start_ns = recording->start_ns + recording->wall_offset_ns;

	sink->sink_index = sink_index;
	sink->start_ns = recording->start_ns;
	sink->has_machines = recording->nr_machines > 0;
	trace2_session_begin(sink->session, start_ns / NS_PER_US * NS_PER_US);
	return trace2_recording_begin(sink, recording, error);
}

static void trace2_free(struct sink *head)
{
	struct trace2_sink *sink = container_of(head, struct trace2_sink, sink);

	trace2_tracks_free(sink);
	interval_table_release(&sink->totals);
	for (size_t i = 0; i < sink->nr_labels; i++)
		trace2_text_free(sink->labels[i]);
	free(sink->labels);
	trace2_sink_categories_free(sink);
	trace2_text_free(sink->short_text);
	trace2_text_free(sink->other_text);
	compressor_free(sink->compressor);
	trace2_session_free(sink->session);
	buffer_release(&sink->message);
	buffer_release(&sink->more);
	free(sink);
}

static const struct sink_ops trace2_sink = {
	.open = trace2_sink_open,
	.event = trace2_event_write,
	.flush = trace2_flush,
	.free = trace2_free,
};

/* Takes @compressor. */
static struct trace2_sink *trace2_new(const struct sink_settings *settings,
				      struct compressor *compressor)
{
	struct trace2_sink *sink = calloc(1, sizeof(*sink));

	if (!sink) {
		compressor_free(compressor);
		return NULL;
	}
	sink->sink.ops = &trace2_sink;
	sink->settings = *settings->trace2;
	sink->with = settings->with;
	sink->short_text = trace2_text_new((struct trace2_string){ .data = "", .size = 0 });
	sink->other_text = trace2_text_new((struct trace2_string){ .data = "", .size = 0 });
	sink->data.needs_no_escape = true;
	trace2_fields_line_init(&sink->fields_line);
	sink->compressor = compressor;
	sink->session = sink_session_new(settings, compressor);
	if (sink->short_text && sink->other_text && sink->session)
		return sink;
	trace2_free(&sink->sink);
	return NULL;
}

static struct sink *sink_trace2_new(const struct sink_settings *settings, enum trace2_target target,
				    struct error *error)
{
	struct compressor *compressor;
	struct trace2_sink *sink = NULL;

	if (compressor_new(settings, &compressor, error) == 0) {
		sink = trace2_new(settings, compressor);
		if (!sink)
			error_set(error, "out of memory");
	}
	if (!sink) {
		if (!settings->trace2->value)
			close(settings->fd);
		return NULL;
	}
	if (target_open(sink, target, settings, error) == 0)
		return &sink->sink;
	trace2_free(&sink->sink);
	return NULL;
}

struct sink *sink_event_new(const struct sink_settings *settings, struct error *error)
{
	return sink_trace2_new(settings, TRACE2_EVENT, error);
}

struct sink *sink_perf_new(const struct sink_settings *settings, struct error *error)
{
	return sink_trace2_new(settings, TRACE2_PERF, error);
}

struct sink *sink_normal_new(const struct sink_settings *settings, struct error *error)
{
	return sink_trace2_new(settings, TRACE2_NORMAL, error);
}
