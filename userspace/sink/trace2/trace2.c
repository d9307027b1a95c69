// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as a trace2 session: one message for each event, which libtrace2 prints. Lines of
 * the main thread are parameters before the recording, and totals after it.
 */
#include "sink/trace2/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MACHINE_PARAM_SIZE 48
/* These lines have the place in the source that writes them. */
#define LINE_OF(line_kind)                                               \
	{                                                                \
		.kind = (line_kind), .file = __FILE__, .line = __LINE__, \
	}

static void parameter_write(struct trace2_sink *sink, const char *scope, const char *param,
			    const char *value, int64_t time_ns)
{
	struct trace2_event line = LINE_OF(TRACE2_DEF_PARAM);

	line.def_param.scope = scope;
	line.def_param.param = param;
	line.def_param.value = value;
	trace2_sink_write(sink, &line, time_ns);
}

/* The value is sink->message, which becomes empty. */
static void message_parameter_write(struct trace2_sink *sink, const char *param, int64_t time_ns)
{
	sink->has_failed |= sink->message.failed;
	parameter_write(sink, "command", param, buffer_string(&sink->message), time_ns);
	buffer_clear(&sink->message);
}

static void machine_parameter_write(struct trace2_sink *sink,
				    const struct timeline_machine *machine, const char *param,
				    const struct value *value, int64_t time_ns)
{
	char name[MACHINE_PARAM_SIZE];

	snprintf(name, sizeof(name), "machine.%u.%s", machine->number, param);
	value_append_text(&sink->message, value);
	message_parameter_write(sink, name, time_ns);
}

static void machine_write(struct trace2_sink *sink, const struct timeline_machine *machine,
			  int64_t time_ns)
{
	const struct recording_property *property = NULL;
	struct value value = { .kind = VALUE_TEXT, .text = text_of(machine->name) };

	machine_parameter_write(sink, machine, "host", &value, time_ns);
	while (recording_next(machine->recording, RECORDING_TRACE2_MACHINE, &property, &value))
		machine_parameter_write(sink, machine, property->name, &value, time_ns);
	value = (struct value){ .kind = VALUE_SIGNED, .signed_number = machine->shift_ns };
	machine_parameter_write(sink, machine, "shift_ns", &value, time_ns);
	value.signed_number = machine->recording->wall_error_ns;
	if (value.signed_number >= 0)
		machine_parameter_write(sink, machine, "wall_error_ns", &value, time_ns);
}

static void labels_write(struct trace2_sink *sink, const struct recording *recording)
{
	struct text rest = text_of(recording->labels ? recording->labels : ""), key, value;
	SCOPED_BUFFER(param);

	while (recording_take_label(&rest, &key, &value)) {
		buffer_clear(&param);
		buffer_append_string(&param, "label.");
		buffer_append(&param, key.data, key.size);
		buffer_append(&sink->message, value.data, value.size);
		message_parameter_write(sink, buffer_string(&param), recording->start_ns);
	}
}

/* Times as t_abs of other lines. A file may contain anything. */
static void triggers_write(struct trace2_sink *sink, const struct recording *recording)
{
	struct text rest = text_of(recording->triggers ? recording->triggers : "");
	unsigned int number = 0;
	char param[24];

	while (rest.size > 0) {
		struct text line = text_take_line(&rest);
		char *end;
		int64_t time_ns = strtoll(line.data, &end, 10);
		size_t size = end - line.data;

		if (size >= line.size || time_ns < recording->start_ns)
			continue;
		buffer_append_decimal(&sink->message, time_ns - recording->start_ns, 9);
		buffer_append(&sink->message, end, line.size - size);
		snprintf(param, sizeof(param), "trigger.%u", ++number);
		message_parameter_write(sink, param, recording->start_ns);
	}
}

static int configured_write(void *context, const char *scope, const char *param, const char *value)
{
	struct trace2_sink *sink = context;

	parameter_write(sink, scope, param, value, sink->start_ns);
	return 0;
}

static void trace2_recording_begin(struct trace2_sink *sink, const struct recording *recording)
{
	struct trace2_event version = LINE_OF(TRACE2_VERSION), start = LINE_OF(TRACE2_START);
	struct trace2_event name = LINE_OF(TRACE2_CMD_NAME), mode = LINE_OF(TRACE2_CMD_MODE);
	const struct trace2_config *config = sink->settings.config;
	const struct recording_property *property = NULL;
	int64_t time_ns = recording->start_ns;
	struct value value;

	version.version.exe = KTRACK_VERSION;
	start.start.argv = recording->argv;
	name.cmd_name.name = recording->command;
	name.cmd_name.hierarchy = sink->settings.hierarchy;
	mode.cmd_mode.name = recording->mode;
	trace2_sink_write(sink, &version, time_ns);
	trace2_sink_write(sink, &start, time_ns);
	trace2_sink_write(sink, &name, time_ns);
	if (recording->mode)
		trace2_sink_write(sink, &mode, time_ns);
	buffer_clear(&sink->message);
	while (recording_next(recording, RECORDING_TRACE2, &property, &value)) {
		value_append_text(&sink->message, &value);
		message_parameter_write(sink, property->name, time_ns);
	}
	for (size_t i = 0; i < recording->nr_machines; i++)
		machine_write(sink, &recording->machines[i], time_ns);
	labels_write(sink, recording);
	triggers_write(sink, recording);
	if (config)
		trace2_config_visit(config, configured_write, sink);
}

static void exit_write(struct trace2_sink *sink, const struct timeline_event *event,
		       enum trace2_kind kind)
{
	struct trace2_event line = LINE_OF(kind);

	line.exit.code = event->status;
	trace2_sink_write(sink, &line, event->time_ns);
}

static void totals_write(struct trace2_sink *sink, const struct timeline_event *event)
{
	const struct timeline_totals *totals = event->totals;
	const struct {
		const char *name;
		uint64_t count;
	} rows[] = {
		{ "lost_records", totals->lost_records },
		{ "lost_gaps", totals->lost_gaps },
		{ "lost_gaps_unknown", totals->lost_gaps_unknown },
		{ "lost_task_records", totals->lost_task_records },
		{ "late_records", totals->late_records },
		{ "unmatched_ends", totals->unmatched_ends },
		{ "filtered_ends", totals->filtered_ends },
		{ "foreign_ends", totals->foreign_ends },
		{ "malformed", totals->malformed },
		{ "unfinished", totals->unfinished },
		{ "suspect", totals->suspect },
		{ "retired_tracks", totals->retired_tracks },
		{ "renamed_threads", totals->renamed_threads },
		{ "evicted_slices", totals->evicted_slices },
		{ "other_names", totals->other_names },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		trace2_count_write(sink, TRACE2_COUNTER, NULL, "ktrack", rows[i].name,
				   rows[i].count, event->time_ns);
	for (size_t i = 0; i < totals->nr_malformed_of; i++)
		trace2_count_write(sink, TRACE2_COUNTER, NULL, totals->malformed_of[i].tracepoint,
				   "malformed", totals->malformed_of[i].count, event->time_ns);
}

/* In the unit of t_abs. */
static void moment_write(struct trace2_sink *sink, const char *param, int64_t moment_ns,
			 int64_t time_ns)
{
	moment_ns -= sink->start_ns;
	buffer_printf(&sink->message, "%lld.%09lld", (long long)(moment_ns / NS_PER_S),
		      (long long)(moment_ns % NS_PER_S));
	message_parameter_write(sink, param, time_ns);
}

static void trace2_recording_end(struct trace2_sink *sink, const struct timeline_event *event)
{
	const struct timeline_totals *totals = event->totals;
	int64_t time_ns = event->time_ns;

	/* Tracepoints of several machines have the same names. */
	sink->has_failed |= sink->has_machines && interval_table_unite(&sink->totals) < 0;
	/* Parameters that are known only at the end. */
	buffer_clear(&sink->message);
	if (totals->has_complete_from)
		moment_write(sink, "complete_from", totals->complete_from_ns, time_ns);
	if (totals->has_complete_until)
		moment_write(sink, "complete_until", totals->complete_until_ns, time_ns);
	if (totals->has_wall_drift) {
		/* Every line's time uses the wall clock's offset at the beginning. */
		buffer_append_signed(&sink->message, totals->wall_drift_ns);
		message_parameter_write(sink, "wall_drift_ns", time_ns);
	}
	exit_write(sink, event, TRACE2_EXIT);
	trace2_timers_write(sink, &sink->totals, TRACE2_TIMER, NULL, time_ns);
	totals_write(sink, event);
	exit_write(sink, event, TRACE2_ATEXIT);
}

#define LOSS_FORMAT_SIZE 128

static out_of_line int trace2_status(const struct trace2_sink *sink, struct error *error)
{
	const char *problem = trace2_session_error(sink->session);

	if (!sink->has_failed)
		return 0;
	return error_set(error, "%s", problem[0] ? problem : "out of memory");
}

/* Consumers group errors by @format, the constant text that the message was made from. */
static void error_write(struct trace2_sink *sink, const struct timeline_event *event,
			const char *format, struct text more)
{
	struct trace2_event line = {
		.kind = TRACE2_ERROR,
		.more = trace2_string_of(more),
		.error.fmt = format,
		.error.msg = trace2_string_of(remark_set(&sink->message, event)),
	};

	trace2_sink_write(sink, &line, event->time_ns);
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

static void trace2_write_loss(struct trace2_sink *sink, const struct timeline_event *event)
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
	error_write(sink, event, format, loss_args_set(sink, event));
}

/* Without members for machines: their meaning is in the format. */
static void trace2_write_remark(struct trace2_sink *sink, const struct timeline_event *event)
{
	error_write(sink, event,
		    event->kind == TIMELINE_MALFORMED ? MALFORMED_FORMAT : FOREIGN_END_FORMAT,
		    (struct text){ 0 });
}

static void trace2_write_command_begin(struct trace2_sink *sink, const struct timeline_event *event)
{
	struct trace2_event line = LINE_OF(TRACE2_CHILD_START);

	sink->command_ns = event->time_ns;
	line.child_start.child_class = "?";
	line.child_start.argv = event->argv;
	trace2_sink_write(sink, &line, event->time_ns);
}

static void trace2_write_command_end(struct trace2_sink *sink, const struct timeline_event *event)
{
	struct trace2_event line = LINE_OF(TRACE2_CHILD_EXIT);

	line.child_exit.pid = event->pid;
	line.child_exit.code = event->status;
	line.child_exit.t_rel_ns = event->time_ns - sink->command_ns;
	trace2_sink_write(sink, &line, event->time_ns);
}

/* Keys and words are an interface. */
static void trace2_write_tracepoint(struct trace2_sink *sink, const struct timeline_event *event)
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
	trace2_json_write(sink, NULL, sink->start_ns, text_of("ktrack"), text_of("tracepoint"),
			  event->time_ns);
}

static int trace2_flush(struct sink *head, struct error *error)
{
	struct trace2_sink *sink = container_of(head, struct trace2_sink, sink);

	sink->has_failed |= trace2_session_flush(sink->session) < 0;
	return trace2_status(sink, error) < 0 ? -1 : compressor_flush(sink->compressor, error);
}

static out_of_line int trace2_finish_write(struct trace2_sink *sink,
					   const struct timeline_event *event, struct error *error)
{
	trace2_recording_end(sink, event);
	if (!sink->compressor)
		return trace2_status(sink, error);
	return trace2_flush(&sink->sink, error) < 0 ? -1 : compressor_end(sink->compressor, error);
}

static void (*const writers[])(struct trace2_sink *sink, const struct timeline_event *event) = {
	[TIMELINE_TRACK_BEGIN] = trace2_track_begin,
	[TIMELINE_SLICE_BEGIN] = trace2_slice_begin_write,
	[TIMELINE_SLICE_END] = trace2_slice_end_write,
	[TIMELINE_INSTANT] = trace2_instant_write,
	[TIMELINE_COUNTER] = trace2_sample_write,
	[TIMELINE_TRACK_END] = trace2_track_end,
	[TIMELINE_LOSS] = trace2_write_loss,
	[TIMELINE_LOSS_SUM] = trace2_write_loss,
	[TIMELINE_MALFORMED] = trace2_write_remark,
	[TIMELINE_FOREIGN_END] = trace2_write_remark,
	[TIMELINE_TRACEPOINT] = trace2_write_tracepoint,
	[TIMELINE_COMMAND_BEGIN] = trace2_write_command_begin,
	[TIMELINE_COMMAND_END] = trace2_write_command_end,
};
_Static_assert(sizeof(writers) / sizeof(writers[0]) == TIMELINE_FINISH,
	       "a writer for every kind but the last");

static int trace2_event_write(struct sink *head, const struct timeline_event *event,
			      struct error *error)
{
	struct trace2_sink *sink = container_of(head, struct trace2_sink, sink);

	if (unlikely(event->kind == TIMELINE_FINISH))
		return trace2_finish_write(sink, event, error);
	sink->error = error;
	writers[event->kind](sink, event);
	return unlikely(sink->has_failed) ? trace2_status(sink, sink->error) : 0;
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
	trace2_recording_begin(sink, recording);
	return trace2_status(sink, error);
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
	json_sets_free(&sink->fields);
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

static struct sink *sink_trace2_new(const struct sink_kind *kind,
				    const struct sink_settings *settings, struct error *error)
{
	const struct trace2_string none = { .data = "", .size = 0 };
	const char *value = settings->trace2->value;
	struct compressor *compressor = NULL;
	struct trace2_sink *sink = NULL;
	bool is_made = false;

	if (compressor_new(settings, &compressor, error) == 0) {
		sink = calloc(1, sizeof(*sink));
		if (!sink) {
			compressor_free(compressor);
			error_set(error, "out of memory");
		}
	}
	if (sink) {
		sink->sink.ops = &trace2_sink;
		sink->settings = *settings->trace2;
		sink->with = settings->with;
		sink->short_text = trace2_text_new(none);
		sink->other_text = trace2_text_new(none);
		sink->data.needs_no_escape = true;
		sink->instant = sink->data;
		sink->instant.kind = TRACE2_DATA_JSON;
		sink->instant.has_slack = true;
		sink->fields.have_texts = true;
		sink->has_data_messages = kind->target != TRACE2_EVENT;
		trace2_fields_line_init(&sink->fields_line);
		sink->compressor = compressor;
		sink->session = sink_session_new(settings, compressor);
		is_made = sink->short_text && sink->other_text && sink->session;
		if (!is_made)
			error_set(error, "out of memory");
	}
	if (!is_made) {
		if (!value)
			close(settings->fd);
	} else if (value) {
		sink->has_failed = trace2_session_open(sink->session, kind->target, value,
						       settings->name) < 0;
		if (trace2_status(sink, error) == 0)
			return &sink->sink;
	} else if (trace2_session_add(sink->session, kind->target, settings->fd, settings->name) ==
		   0) {
		return &sink->sink;
	} else {
		error_set(error, "out of memory");
	}
	if (sink)
		trace2_free(&sink->sink);
	return NULL;
}

/* What the three forms have in common. */
#define TRACE2_KIND(form)                                                                      \
	.use = SINK_USE_TRACE2, .can_append = true, .can_compress = true, .shows_dates = true, \
	.target = TRACE2_##form, .trace2_key = TRACE2_KEY_##form, .sink_new = sink_trace2_new

const struct sink_kind sink_event = {
	.name = "event",
	.help = "write EVENT lines (JSON) to - or a path",
	TRACE2_KIND(EVENT),
};

const struct sink_kind sink_perf = {
	.name = "perf",
	.help = "write PERF lines (columns for people)",
	TRACE2_KIND(PERF),
};

const struct sink_kind sink_normal = {
	.name = "normal",
	.help = "write NORMAL lines (messages for people)",
	.is_rare = true,
	TRACE2_KIND(NORMAL),
};
