// SPDX-License-Identifier: GPL-2.0-only
/* Lines of the main thread: parameters before the recording, totals after it. */
#include <stdio.h>
#include <stdlib.h>

#include "sink/trace2/state.h"

#define MACHINE_PARAM_SIZE 48

/* These lines have the place in the source that writes them. */
#define LINE_OF(line_kind)                                               \
	{                                                                \
		.kind = (line_kind), .file = __FILE__, .line = __LINE__, \
	}

static int version_write(struct trace2_sink *sink, int64_t time_ns, struct error *error)
{
	struct trace2_event line = LINE_OF(TRACE2_VERSION);

	line.version.exe = KTRACK_VERSION;
	return trace2_sink_write(sink, &line, time_ns, error);
}

static int start_write(struct trace2_sink *sink, const struct recording *recording,
		       struct error *error)
{
	struct trace2_event line = LINE_OF(TRACE2_START);

	line.start.argv = recording->argv;
	return trace2_sink_write(sink, &line, recording->start_ns, error);
}

static int command_write(struct trace2_sink *sink, const struct recording *recording,
			 struct error *error)
{
	struct trace2_event name = LINE_OF(TRACE2_CMD_NAME);
	struct trace2_event mode = LINE_OF(TRACE2_CMD_MODE);

	name.cmd_name.name = recording->command;
	name.cmd_name.hierarchy = sink->settings.hierarchy;
	if (trace2_sink_write(sink, &name, recording->start_ns, error) < 0)
		return -1;
	if (!recording->mode)
		return 0;
	mode.cmd_mode.name = recording->mode;
	return trace2_sink_write(sink, &mode, recording->start_ns, error);
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

static int parameters_write(struct trace2_sink *sink, const struct recording *recording,
			    struct error *error)
{
	const struct recording_property *property = NULL;
	struct value value;

	while (recording_next(recording, RECORDING_TRACE2, &property, &value)) {
		buffer_clear(&sink->message);
		value_append_text(&sink->message, &value);
		if (message_parameter_write(sink, property->name, recording->start_ns, error) < 0)
			return -1;
	}
	return 0;
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

static int machines_write(struct trace2_sink *sink, const struct recording *recording,
			  struct error *error)
{
	for (size_t i = 0; i < recording->nr_machines; i++) {
		if (machine_write(sink, &recording->machines[i], recording->start_ns, error) < 0)
			return -1;
	}
	return 0;
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

static int config_write(struct trace2_sink *sink, int64_t time_ns, struct error *error)
{
	const struct trace2_config *config = sink->settings.config;
	struct config_writer writer = { .sink = sink, .time_ns = time_ns, .error = error };

	return config ? trace2_config_visit(config, configured_write, &writer) : 0;
}

int trace2_recording_begin(struct trace2_sink *sink, const struct recording *recording,
			   struct error *error)
{
	if (version_write(sink, recording->start_ns, error) < 0 ||
	    start_write(sink, recording, error) < 0 || command_write(sink, recording, error) < 0 ||
	    parameters_write(sink, recording, error) < 0 ||
	    machines_write(sink, recording, error) < 0 ||
	    labels_write(sink, recording, error) < 0 || triggers_write(sink, recording, error) < 0)
		return -1;
	return config_write(sink, recording->start_ns, error);
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

/* Every line's time uses the wall clock's offset at the beginning. */
static int drift_write(struct trace2_sink *sink, int64_t drift_ns, int64_t time_ns,
		       struct error *error)
{
	buffer_clear(&sink->message);
	buffer_append_signed(&sink->message, drift_ns);
	return message_parameter_write(sink, "wall_drift_ns", time_ns, error);
}

/* Parameters that are known only at the end. */
static int late_parameters_write(struct trace2_sink *sink, const struct timeline_event *event,
				 struct error *error)
{
	const struct timeline_totals *totals = event->totals;
	int status = 0;

	if (totals->has_complete_from)
		status = moment_write(sink, "complete_from", totals->complete_from_ns,
				      event->time_ns, error);
	if (totals->has_complete_until && status == 0)
		status = moment_write(sink, "complete_until", totals->complete_until_ns,
				      event->time_ns, error);
	if (totals->has_wall_drift && status == 0)
		status = drift_write(sink, totals->wall_drift_ns, event->time_ns, error);
	return status;
}

int trace2_recording_end(struct trace2_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	/* Tracepoints of several machines have the same names. */
	if (sink->has_machines && interval_table_unite(&sink->totals) < 0)
		return error_set(error, "out of memory");
	if (late_parameters_write(sink, event, error) < 0 ||
	    exit_write(sink, event, TRACE2_EXIT, error) < 0 ||
	    trace2_timers_write(sink, &sink->totals, TRACE2_TIMER, NULL, event->time_ns, error) <
		    0 ||
	    totals_write(sink, event, error) < 0)
		return -1;
	return exit_write(sink, event, TRACE2_ATEXIT, error);
}
