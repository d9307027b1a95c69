// SPDX-License-Identifier: GPL-2.0-only
/* Sets up a run of ktrack stream. */
#include "capture/stream_state.h"

#include "capture/narrow.h"
#include "reader/reader.h"

/* Without them, functions of modules that are loaded later are shown as addresses. */
static void stream_run_follow_symbols(struct stream_run *run)
{
	struct rules *rules = run->settings->capture.selection.rules;
	struct late_symbols *late;
	struct error problem = { 0 };

	if (!rules || !rules->kallsyms)
		return;
	if (late_symbols_open(&late, NULL, NULL, &problem) == 0)
		rules_set_late_symbols(rules, late);
	else
		report_error(run->capture.report, &problem);
}

/* Names of functions and of system calls; programs that are executed later are found by records. */
static int stream_run_read_names(struct stream_run *run, struct error *error)
{
	struct selection *selection = &run->settings->capture.selection;
	struct buffer threads = { 0 };

	if (selection_read_functions(selection, run->source, run->capture.report, error) < 0)
		return -1;
	stream_run_follow_symbols(run);
	if (!selection->rules || !rules_name_calls(selection->rules))
		return 0;
	narrow_threads_append(&threads);
	rules_add_narrow(selection->rules, buffer_string(&threads));
	buffer_release(&threads);
	return 0;
}

/*
 * A blocked output must not stop reading while there is memory, nor the end of the recording.
 * stream_run_stop() reports a failure to stop.
 */
static int stream_run_await_output(void *context, int fd)
{
	struct stream_run *run = context;
	struct error error = { 0 };

	if (run->source)
		source_read_ahead(run->source);
	if (run->source && stop_is_due(&run->capture.stop, time_now_ns(CLOCK_BOOTTIME)))
		stream_run_stop_recording(run, &error);
	return stop_await_output(&run->capture.stop, fd);
}

void stream_run_set_deadline(struct stream_run *run)
{
	stop_set_deadline(&run->capture.stop, time_now_ns(CLOCK_BOOTTIME),
			  run->settings->capture.duration_ns);
}

static int stream_run_open_page(struct stream_run *run, struct error *error)
{
	if (serving_open(&run->serving, run->settings->outputs.port, error) < 0)
		return -1;
	run->outputs.lines_fd = serving_lines_fd(&run->serving, error);
	run->outputs.lines_max = SERVING_SIZE_MAX;
	return run->outputs.lines_fd < 0 ? -1 : 0;
}

/* The targets are opened last: only a recording that starts replaces their content. */
static int stream_run_open_targets(struct stream_run *run, struct error *error)
{
	const struct stream_watcher *watcher = run->settings->watcher;

	stream_run_set_deadline(run);
	if (watcher)
		return watcher->open(watcher->context, run, error);
	if (run->settings->outputs.serves && stream_run_open_page(run, error) < 0)
		return -1;
	run->outputs.set.wait = (struct file_wait){ .wait = stream_run_await_output,
						    .context = run };
	return outputs_open(&run->outputs, &run->pipeline.timeline, &run->renewal.identity, error);
}

int stream_run_stop_recording(struct stream_run *run, struct error *error)
{
	capture_stop_programs(&run->capture);
	if (instance_stop(run->capture.recorder, error) < 0)
		return -1;
	if (instance_is_attached(run->capture.recorder))
		source_freeze(run->source);
	return 0;
}

int64_t stream_run_now_ns(const struct stream_run *run)
{
	if (run->capture.has_clock)
		return capture_now_ns(&run->capture);
	return run->source ? source_now_ns(run->source) : run->drained_ns;
}

/* An existing instance keeps its clock. */
static int stream_run_attach_source(struct stream_run *run, struct error *error)
{
	struct capture *capture = &run->capture;
	const struct source_description *description;

	if (source_attached_open(&run->source, instance_directory(capture->recorder), error) < 0)
		return -1;
	description = source_describe(run->source);
	capture->has_clock = description->clock &&
			     trace_clock_find(description->clock, &capture->clock);
	if (run->settings->session_ns > 0 && description->counts_ticks)
		return error_set(error,
				 "--session-every: the clock of %s is %s, not a time; leave it out",
				 instance_name(capture->recorder), description->clock);
	return 0;
}

/* The sideband instance is read all the time. */
static int stream_run_open_live(struct stream_run *run, struct error *error)
{
	const struct instance *recorder = run->capture.recorder;
	const struct instance *sideband = instance_sideband(recorder);

	if (source_live_open(&run->source, instance_directory(recorder),
			     sideband ? instance_directory(sideband) : NULL, run->capture.recorder,
			     error) < 0)
		return -1;
	return run->capture.programs
		       ? source_add_programs(run->source, run->capture.programs, error)
		       : 0;
}

static int stream_run_open_source(struct stream_run *run, struct error *error)
{
	const struct instance *recorder = run->capture.recorder;

	run->pipeline.counts_others = instance_is_attached(recorder) &&
				      selection_is_empty(&run->settings->capture.selection);
	run->pipeline.rules = run->settings->capture.selection.rules;
	run->pipeline.report = run->capture.report;
	run->pipeline.workload = run->capture.workload;
	if (instance_is_attached(recorder))
		return stream_run_attach_source(run, error);
	if (!recorder)
		return source_programs_open(&run->source, run->capture.programs, error);
	if (stream_run_open_live(run, error) < 0)
		return -1;
	source_hold(run->source, stream_run_is_circular(run));
	return 0;
}

int stream_run_set_up(struct stream_run *run, struct error *error)
{
	struct capture *capture = &run->capture;
	struct capture_settings *settings = &run->settings->capture;

	run->pipeline.convention = convention_new(false);
	if (!run->pipeline.convention)
		return error_set(error, "out of memory");
	if (!run->settings->outputs.stat)
		convention_want_symbols(run->pipeline.convention, true);
	settings->selection.tasks = settings->instance ? TASK_FORMATS_ALL : TASK_FORMATS_SIDEBAND;
	if (capture_prepare(capture, error) < 0 ||
	    modules_watch(&run->modules, capture, run->pipeline.convention, error) < 0 ||
	    capture_choose(capture, run->pipeline.convention, error) < 0)
		return -1;
	if (identity_init(&run->renewal.identity, "stream", run->settings->outputs.sid, error) < 0)
		return -1;
	if (capture_open(capture, run->pipeline.convention, false, error) < 0 ||
	    stream_run_open_source(run, error) < 0)
		return -1;
	if (stream_run_read_names(run, error) < 0)
		return -1;
	if (settings->nr_stacks > 0 &&
	    stacks_open(&run->pipeline.stacks, run->source, settings->selection.rules,
			capture->report, error) < 0)
		return -1;
	stacks_read_functions(&run->pipeline.stacks);
	if (stream_run_follow(run, error) < 0)
		return -1;
	return stream_run_open_targets(run, error);
}

/* An existing instance: its settings, and the time of its first record. */
static int stream_run_describe_attached(struct stream_run *run, struct error *error)
{
	const struct source_description *description = source_describe(run->source);
	struct recording *recording = &run->recording;

	recording->clock = description->clock ? description->clock : "unknown";
	recording->counts_ticks = description->counts_ticks;
	recording->time_source = description->time_source;
	recording->buffer_kib = description->buffer_kib;
	recording->overwrite = description->overwrite;
	recording->read_before = description->read_before;
	return source_start_time(run->source, &recording->start_ns, error);
}

int stream_run_describe(struct stream_run *run, struct error *error)
{
	const struct capture_settings *capture = &run->settings->capture;
	struct recording *recording = &run->recording;

	uname(&run->kernel);
	*recording = (struct recording){
		.command = "stream",
		.argv = run->settings->argv,
		.source = instance_name(run->capture.recorder),
		.id = run->id,
		.mode = capture->mode->name,
		.clock = capture->clock,
		.time_source = "realtime",
		.kernel = run->kernel.release,
		.host = run->kernel.nodename,
		.labels = capture->labels.size > 0 ? capture->labels.data : NULL,
		.nr_cpus = source_describe(run->source)->nr_cpus,
		.buffer_kib = capture->buffer_kib,
		.memory_kib = instance_memory_kib(run->capture.recorder),
		.wall_offset_ns = capture_wall_offset_ns(&run->capture),
		.start_ns = capture_now_ns(&run->capture),
	};
	if (instance_is_attached(run->capture.recorder) &&
	    stream_run_describe_attached(run, error) < 0)
		return -1;
	identity_id(run->id, recording->source, recording->start_ns);
	renewal_begin(&run->renewal, recording->start_ns);
	return 0;
}
