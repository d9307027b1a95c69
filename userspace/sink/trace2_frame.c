// SPDX-License-Identifier: GPL-2.0-only
/* What stands on a session's main thread before and after the recording. */
#include "sink/trace2_state.h"

static int version_write(struct trace2_sink *sink, const struct recording *recording,
			 struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_VERSION, .file = __FILE__, .line = __LINE__ };

	line.version.exe = KTRACK_VERSION;
	return trace2_sink_write(sink, &line, recording->start_ns, error);
}

static int start_write(struct trace2_sink *sink, const struct recording *recording,
		       struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_START, .file = __FILE__, .line = __LINE__ };

	line.start.argv = recording->argv;
	return trace2_sink_write(sink, &line, recording->start_ns, error);
}

static int command_write(struct trace2_sink *sink, const struct recording *recording,
			 struct error *error)
{
	struct trace2_event name = { .kind = TRACE2_CMD_NAME, .file = __FILE__, .line = __LINE__ };
	struct trace2_event mode = { .kind = TRACE2_CMD_MODE, .file = __FILE__, .line = __LINE__ };

	name.cmd_name.name = recording->command;
	name.cmd_name.hierarchy = sink->settings.hierarchy;
	if (trace2_sink_write(sink, &name, recording->start_ns, error) < 0)
		return -1;
	if (!recording->mode)
		return 0;
	mode.cmd_mode.name = recording->mode;
	return trace2_sink_write(sink, &mode, recording->start_ns, error);
}

static int parameter_write(struct trace2_sink *sink, const struct recording *recording,
			   const char *param, const char *value, struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_DEF_PARAM, .file = __FILE__, .line = __LINE__ };

	line.def_param.scope = "command";
	line.def_param.param = param;
	line.def_param.value = value;
	return trace2_sink_write(sink, &line, recording->start_ns, error);
}

static int number_write(struct trace2_sink *sink, const struct recording *recording,
			const char *param, uint64_t number, struct error *error)
{
	buffer_clear(&sink->message);
	buffer_append_unsigned(&sink->message, number);
	return parameter_write(sink, recording, param, buffer_string(&sink->message), error);
}

/* Those that are known. */
static int numbers_write(struct trace2_sink *sink, const struct recording *recording,
			 struct error *error)
{
	const struct {
		const char *param;
		uint64_t number;
	} numbers[] = {
		{ "buffer_kib", recording->buffer_kib },
		{ "memory_kib", recording->memory_kib },
		{ "read_before", recording->read_before },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].number > 0 &&
		    number_write(sink, recording, numbers[i].param, numbers[i].number, error) < 0)
			return -1;
	}
	return 0;
}

static int parameters_write(struct trace2_sink *sink, const struct recording *recording,
			    struct error *error)
{
	const struct {
		const char *param;
		const char *value;
	} parameters[] = {
		{ "source", recording->source }, { "recording_id", recording->id },
		{ "clock", recording->clock },	 { "time_source", recording->time_source },
		{ "kernel", recording->kernel },
	};

	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		if (parameter_write(sink, recording, parameters[i].param, parameters[i].value,
				    error) < 0)
			return -1;
	}
	if (recording->counts_ticks &&
	    parameter_write(sink, recording, "time_unit", "ticks", error) < 0)
		return -1;
	if (recording->overwrite &&
	    parameter_write(sink, recording, "overwrite", recording->overwrite, error) < 0)
		return -1;
	if (number_write(sink, recording, "cpus", recording->nr_cpus, error) < 0)
		return -1;
	return numbers_write(sink, recording, error);
}

/** struct frame - what a parameter of the configuration is written with */
struct frame {
	struct trace2_sink *sink;
	int64_t time_ns;
	struct error *error;
};

static int configured_write(void *context, const char *scope, const char *param, const char *value)
{
	struct trace2_event line = { .kind = TRACE2_DEF_PARAM, .file = __FILE__, .line = __LINE__ };
	const struct frame *frame = context;

	line.def_param.scope = scope;
	line.def_param.param = param;
	line.def_param.value = value;
	return trace2_sink_write(frame->sink, &line, frame->time_ns, frame->error);
}

/* What the settings ask to be told. */
static int configuration_write(struct trace2_sink *sink, int64_t time_ns, struct error *error)
{
	struct frame frame = { .sink = sink, .time_ns = time_ns, .error = error };

	return sink->settings.config
		       ? trace2_config_visit(sink->settings.config, configured_write, &frame)
		       : 0;
}

int trace2_frame_begin(struct trace2_sink *sink, const struct recording *recording,
		       struct error *error)
{
	if (version_write(sink, recording, error) < 0 || start_write(sink, recording, error) < 0)
		return -1;
	if (command_write(sink, recording, error) < 0)
		return -1;
	if (parameters_write(sink, recording, error) < 0)
		return -1;
	return configuration_write(sink, recording->start_ns, error);
}

/* Keys and words are constant, for who looks for them. */
static void tracepoint_render(struct buffer *out, const struct timeline_event *event)
{
	static const char *const words[] = {
		[TIMELINE_RECORDED_FROM_LOAD] = "from_load",
		[TIMELINE_RECORDED_FROM_NOW] = "from_now",
		[TIMELINE_RECORDED_UNTIL_NOW] = "until_now",
	};

	buffer_clear(out);
	buffer_append_string(out, "{\"tracepoint\":");
	json_append_string(out, text_of(event->tracepoint));
	buffer_printf(out, ",\"recorded\":\"%s\"}", words[event->recorded]);
}

int trace2_tracepoint_write(struct trace2_sink *sink, const struct timeline_event *event,
			    struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_DATA_JSON };

	if (trace2_text_set(sink->label, trace2_string_of(text_of("ktrack"))) < 0 ||
	    trace2_text_set(sink->short_text, trace2_string_of(text_of("tracepoint"))) < 0)
		return error_set(error, "out of memory");
	tracepoint_render(&sink->message, event);
	line.data.nesting = 1;
	line.data.t_rel_ns = event->time_ns - sink->start_ns;
	line.data.category = sink->label;
	line.data.key = sink->short_text;
	line.data.value = trace2_string_of(buffer_text(&sink->message));
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

int trace2_count_write(struct trace2_sink *sink, struct trace2_event *line, const char *category,
		       const char *name, int64_t time_ns, struct error *error)
{
	struct trace2_text *text = trace2_text_new(trace2_string_of(text_of(category)));
	int status = -1;

	if (!text || trace2_text_set(sink->short_text, trace2_string_of(text_of(name))) < 0) {
		error_set(error, "out of memory");
	} else {
		line->counter.category = text;
		line->counter.name = sink->short_text;
		status = trace2_sink_write(sink, line, time_ns, error);
	}
	trace2_text_free(text);
	return status;
}

static int exit_write(struct trace2_sink *sink, const struct timeline_event *event,
		      enum trace2_kind kind, struct error *error)
{
	struct trace2_event line = { .kind = kind, .file = __FILE__, .line = __LINE__ };

	line.exit.code = event->status;
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

static int total_write(struct trace2_sink *sink, const char *category, const char *name,
		       uint64_t count, int64_t time_ns, struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_COUNTER };

	line.counter.count = count;
	return count > 0 ? trace2_count_write(sink, &line, category, name, time_ns, error) : 0;
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
		status = total_write(sink, "ktrack", rows[i].name, rows[i].count, event->time_ns,
				     error);
	for (size_t i = 0; i < totals->nr_malformed_of && status == 0; i++)
		status = total_write(sink, totals->malformed_of[i].tracepoint, "malformed",
				     totals->malformed_of[i].count, event->time_ns, error);
	return status;
}

/* A parameter that is known only in the end; sink->message is its value. */
static int late_parameter_write(struct trace2_sink *sink, const char *param, int64_t time_ns,
				struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_DEF_PARAM, .file = __FILE__, .line = __LINE__ };

	line.def_param.scope = "command";
	line.def_param.param = param;
	line.def_param.value = buffer_string(&sink->message);
	return trace2_sink_write(sink, &line, time_ns, error);
}

/* As t_abs tells it. */
static int moment_write(struct trace2_sink *sink, const char *param, int64_t moment_ns,
			int64_t time_ns, struct error *error)
{
	moment_ns -= sink->start_ns;
	buffer_clear(&sink->message);
	buffer_printf(&sink->message, "%lld.%09lld", (long long)(moment_ns / NS_PER_S),
		      (long long)(moment_ns % NS_PER_S));
	return late_parameter_write(sink, param, time_ns, error);
}

static int completeness_write(struct trace2_sink *sink, const struct timeline_event *event,
			      struct error *error)
{
	const struct timeline_totals *totals = event->totals;

	if (totals->has_complete_from &&
	    moment_write(sink, "complete_from", totals->complete_from_ns, event->time_ns, error) <
		    0)
		return -1;
	return totals->has_complete_until
		       ? moment_write(sink, "complete_until", totals->complete_until_ns,
				      event->time_ns, error)
		       : 0;
}

/*
 * The time of every line is by the offset at the beginning; this says how far off that is in the
 * end.
 */
static int drift_write(struct trace2_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	if (!event->totals->has_wall_drift)
		return 0;
	buffer_clear(&sink->message);
	buffer_append_signed(&sink->message, event->totals->wall_drift_ns);
	return late_parameter_write(sink, "wall_drift_ns", event->time_ns, error);
}

int trace2_frame_end(struct trace2_sink *sink, const struct timeline_event *event,
		     struct error *error)
{
	if (completeness_write(sink, event, error) < 0 || drift_write(sink, event, error) < 0)
		return -1;
	if (exit_write(sink, event, TRACE2_EXIT, error) < 0)
		return -1;
	if (trace2_timers_write(sink, &sink->totals, TRACE2_TIMER, NULL, event->time_ns, error) < 0)
		return -1;
	if (totals_write(sink, event, error) < 0)
		return -1;
	return exit_write(sink, event, TRACE2_ATEXIT, error);
}
