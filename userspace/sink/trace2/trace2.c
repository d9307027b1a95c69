// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as a trace2 session: one message for each event, which libtrace2 prints. Lines of
 * the main thread are parameters before the recording, and totals after it.
 */
#include "sink/trace2/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sink/text.h"

#define MACHINE_PARAM_SIZE 48

/* These lines have the place in the source that writes them. */
#define LINE_OF(line_kind)                                               \
	{                                                                \
		.kind = (line_kind), .file = __FILE__, .line = __LINE__, \
	}

static int start_write(struct trace2_sink *sink, const struct recording *recording,
		       struct error *error)
{
	struct trace2_event line = LINE_OF(TRACE2_START);

	line.start.argv = recording->argv;
	return trace2_sink_write(sink, &line, recording->start_ns, error);
}

static int recording_parameter_write(struct trace2_sink *sink, const char *scope, const char *param,
				     const char *value, int64_t time_ns, struct error *error)
{
	struct trace2_event line = LINE_OF(TRACE2_DEF_PARAM);

	line.def_param.scope = scope;
	line.def_param.param = param;
	line.def_param.value = value;
	return trace2_sink_write(sink, &line, time_ns, error);
}

/* The value is sink->message. */
static int message_parameter_write(struct trace2_sink *sink, const char *param, int64_t time_ns,
				   struct error *error)
{
	if (sink->message.failed)
		return error_set(error, "out of memory");
	return recording_parameter_write(sink, "command", param, buffer_string(&sink->message),
					 time_ns, error);
}

/* The value is sink->message. */
static int machine_parameter_write(struct trace2_sink *sink, const struct timeline_machine *machine,
				   const char *param, int64_t time_ns, struct error *error)
{
	char name[MACHINE_PARAM_SIZE];

	snprintf(name, sizeof(name), "machine.%u.%s", machine->number, param);
	return message_parameter_write(sink, name, time_ns, error);
}

static int machine_write(struct trace2_sink *sink, const struct timeline_machine *machine,
			 int64_t time_ns, struct error *error)
{
	const struct recording_property *property = NULL;
	struct buffer *text = &sink->message;
	struct value value;

	buffer_clear(text);
	buffer_append_string(text, machine->name);
	if (machine_parameter_write(sink, machine, "host", time_ns, error) < 0)
		return -1;
	while (recording_next(machine->recording, RECORDING_TRACE2_MACHINE, &property, &value)) {
		buffer_clear(text);
		value_append_text(text, &value);
		if (machine_parameter_write(sink, machine, property->name, time_ns, error) < 0)
			return -1;
	}
	buffer_clear(text);
	buffer_append_signed(text, machine->shift_ns);
	if (machine_parameter_write(sink, machine, "shift_ns", time_ns, error) < 0)
		return -1;
	if (machine->recording->wall_error_ns < 0)
		return 0;
	buffer_clear(text);
	buffer_append_signed(text, machine->recording->wall_error_ns);
	return machine_parameter_write(sink, machine, "wall_error_ns", time_ns, error);
}

static int labels_write(struct trace2_sink *sink, const struct recording *recording,
			struct error *error)
{
	struct text rest = text_of(recording->labels ? recording->labels : ""), key, value;
	struct buffer param = { 0 };
	int status = 0;

	while (status == 0 && recording_take_label(&rest, &key, &value)) {
		buffer_clear(&param);
		buffer_append_string(&param, "label.");
		buffer_append(&param, key.data, key.size);
		buffer_clear(&sink->message);
		buffer_append(&sink->message, value.data, value.size);
		status = message_parameter_write(sink, buffer_string(&param), recording->start_ns,
						 error);
	}
	buffer_release(&param);
	return status;
}

/* Times as t_abs of other lines. A file may contain anything. */
static int triggers_write(struct trace2_sink *sink, const struct recording *recording,
			  struct error *error)
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
		buffer_clear(&sink->message);
		buffer_append_decimal(&sink->message, time_ns - recording->start_ns, 9);
		buffer_append(&sink->message, end, line.size - size);
		snprintf(param, sizeof(param), "trigger.%u", ++number);
		if (message_parameter_write(sink, param, recording->start_ns, error) < 0)
			return -1;
	}
	return 0;
}

/** struct config_writer - context of a visit of the configuration */
struct config_writer {
	struct trace2_sink *sink;
	int64_t time_ns;
	struct error *error;
};

static int configured_write(void *context, const char *scope, const char *param, const char *value)
{
	const struct config_writer *writer = context;

	return recording_parameter_write(writer->sink, scope, param, value, writer->time_ns,
					 writer->error);
}

/* First and last lines of the main thread. */
static int trace2_recording_begin(struct trace2_sink *sink, const struct recording *recording,
				  struct error *error)
{
	struct trace2_event version = LINE_OF(TRACE2_VERSION);
	struct trace2_event name = LINE_OF(TRACE2_CMD_NAME);
	struct trace2_event mode = LINE_OF(TRACE2_CMD_MODE);
	const struct trace2_config *config = sink->settings.config;
	int64_t time_ns = recording->start_ns;
	struct config_writer writer = { .sink = sink, .time_ns = time_ns, .error = error };
	const struct recording_property *property = NULL;
	struct value value;

	version.version.exe = KTRACK_VERSION;
	name.cmd_name.name = recording->command;
	name.cmd_name.hierarchy = sink->settings.hierarchy;
	mode.cmd_mode.name = recording->mode;
	if (trace2_sink_write(sink, &version, time_ns, error) < 0 ||
	    start_write(sink, recording, error) < 0 ||
	    trace2_sink_write(sink, &name, time_ns, error) < 0 ||
	    (recording->mode && trace2_sink_write(sink, &mode, time_ns, error) < 0))
		return -1;
	while (recording_next(recording, RECORDING_TRACE2, &property, &value)) {
		buffer_clear(&sink->message);
		value_append_text(&sink->message, &value);
		if (message_parameter_write(sink, property->name, time_ns, error) < 0)
			return -1;
	}
	for (size_t i = 0; i < recording->nr_machines; i++) {
		if (machine_write(sink, &recording->machines[i], time_ns, error) < 0)
			return -1;
	}
	if (labels_write(sink, recording, error) < 0 || triggers_write(sink, recording, error) < 0)
		return -1;
	return config ? trace2_config_visit(config, configured_write, &writer) : 0;
}

int trace2_json_write(struct trace2_sink *sink, const struct trace2_thread *thread,
		      int64_t begin_ns, struct text category, struct text key, int64_t time_ns,
		      struct error *error)
{
	struct trace2_event line = {
		.kind = TRACE2_DATA_JSON,
		.thread = thread,
		.data.nesting = 1,
		.data.t_rel_ns = time_ns - begin_ns,
		.data.category = sink->short_text,
		.data.key = sink->other_text,
		.data.value = trace2_string_of(buffer_text(&sink->message)),
	};

	if (trace2_text_set(sink->short_text, trace2_string_of(category)) < 0 ||
	    trace2_text_set(sink->other_text, trace2_string_of(key)) < 0)
		return error_set(error, "out of memory");
	return trace2_sink_write(sink, &line, time_ns, error);
}

int trace2_count_write(struct trace2_sink *sink, enum trace2_kind kind,
		       const struct trace2_thread *thread, const char *category, const char *name,
		       uint64_t count, int64_t time_ns, struct error *error)
{
	struct trace2_event line = {
		.kind = kind,
		.thread = thread,
		.counter.category = sink->short_text,
		.counter.name = sink->other_text,
		.counter.count = count,
	};

	if (count == 0)
		return 0;
	if (trace2_text_set(sink->short_text, trace2_string_of(text_of(category))) < 0 ||
	    trace2_text_set(sink->other_text, trace2_string_of(text_of(name))) < 0)
		return error_set(error, "out of memory");
	return trace2_sink_write(sink, &line, time_ns, error);
}

static int exit_write(struct trace2_sink *sink, const struct timeline_event *event,
		      enum trace2_kind kind, struct error *error)
{
	struct trace2_event line = LINE_OF(kind);

	line.exit.code = event->status;
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

static int totals_write(struct trace2_sink *sink, const struct timeline_event *event,
			struct error *error)
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
	int status = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && status == 0; i++)
		status = trace2_count_write(sink, TRACE2_COUNTER, NULL, "ktrack", rows[i].name,
					    rows[i].count, event->time_ns, error);
	for (size_t i = 0; i < totals->nr_malformed_of && status == 0; i++)
		status = trace2_count_write(sink, TRACE2_COUNTER, NULL,
					    totals->malformed_of[i].tracepoint, "malformed",
					    totals->malformed_of[i].count, event->time_ns, error);
	return status;
}

/* In the unit of t_abs. */
static int moment_write(struct trace2_sink *sink, const char *param, int64_t moment_ns,
			int64_t time_ns, struct error *error)
{
	moment_ns -= sink->start_ns;
	buffer_clear(&sink->message);
	buffer_printf(&sink->message, "%lld.%09lld", (long long)(moment_ns / NS_PER_S),
		      (long long)(moment_ns % NS_PER_S));
	return message_parameter_write(sink, param, time_ns, error);
}

static int trace2_recording_end(struct trace2_sink *sink, const struct timeline_event *event,
				struct error *error)
{
	const struct timeline_totals *totals = event->totals;
	int64_t time_ns = event->time_ns;
	int status = 0;

	/* Tracepoints of several machines have the same names. */
	if (sink->has_machines && interval_table_unite(&sink->totals) < 0)
		return error_set(error, "out of memory");
	/* Parameters that are known only at the end. */
	if (totals->has_complete_from)
		status = moment_write(sink, "complete_from", totals->complete_from_ns, time_ns,
				      error);
	if (totals->has_complete_until && status == 0)
		status = moment_write(sink, "complete_until", totals->complete_until_ns, time_ns,
				      error);
	if (totals->has_wall_drift && status == 0) {
		/* Every line's time uses the wall clock's offset at the beginning. */
		buffer_clear(&sink->message);
		buffer_append_signed(&sink->message, totals->wall_drift_ns);
		status = message_parameter_write(sink, "wall_drift_ns", time_ns, error);
	}
	if (status < 0 || exit_write(sink, event, TRACE2_EXIT, error) < 0 ||
	    trace2_timers_write(sink, &sink->totals, TRACE2_TIMER, NULL, time_ns, error) < 0 ||
	    totals_write(sink, event, error) < 0)
		return -1;
	return exit_write(sink, event, TRACE2_ATEXIT, error);
}

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

static struct sink *sink_event_new(const struct sink_settings *settings, struct error *error)
{
	return sink_trace2_new(settings, TRACE2_EVENT, error);
}

const struct sink_kind sink_event = {
	.name = "event",
	.help = "write EVENT lines (JSON) to - or a path",
	.use = SINK_USE_TRACE2,
	.can_append = true,
	.can_compress = true,
	.shows_dates = true,
	.trace2_key = TRACE2_KEY_EVENT,
	.sink_new = sink_event_new,
};

static struct sink *sink_perf_new(const struct sink_settings *settings, struct error *error)
{
	return sink_trace2_new(settings, TRACE2_PERF, error);
}

const struct sink_kind sink_perf = {
	.name = "perf",
	.help = "write PERF lines (columns for people)",
	.use = SINK_USE_TRACE2,
	.can_append = true,
	.can_compress = true,
	.shows_dates = true,
	.trace2_key = TRACE2_KEY_PERF,
	.sink_new = sink_perf_new,
};

static struct sink *sink_normal_new(const struct sink_settings *settings, struct error *error)
{
	return sink_trace2_new(settings, TRACE2_NORMAL, error);
}

const struct sink_kind sink_normal = {
	.name = "normal",
	.help = "write NORMAL lines (messages for people)",
	.is_rare = true,
	.use = SINK_USE_TRACE2,
	.can_append = true,
	.can_compress = true,
	.shows_dates = true,
	.trace2_key = TRACE2_KEY_NORMAL,
	.sink_new = sink_normal_new,
};
