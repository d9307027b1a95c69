// SPDX-License-Identifier: GPL-2.0-only
/* All that a run of ktrack stream needs before it records. */
#include "cli/stream_state.h"

#include "cli/clock.h"
#include "cli/ending.h"
#include "cli/identity.h"

/*
 * An output that takes nothing must not keep records from being read, as long as there is room, nor
 * the recording from ending in time; a failure of that is told by run_stop().
 */
static int run_await_output(void *context, int fd)
{
	struct run *run = context;
	struct error error;

	if (run->source)
		source_read_ahead(run->source);
	if (run->source && ending_is_due(&run->capture.ending, clock_boot_ns()))
		run_stop_recording(run, &error);
	return ending_await_output(&run->capture.ending, fd);
}

void run_set_deadline(struct run *run)
{
	ending_set_deadline(&run->capture.ending, clock_boot_ns(),
			    run->settings->capture.duration_ns);
}

/* The targets come last: what they hold is replaced only by a recording that takes place. */
static int run_open_targets(struct run *run, struct error *error)
{
	struct outputs *outputs = &run->settings->outputs;

	run_set_deadline(run);
	outputs->set.wait = (struct file_wait){ .wait = run_await_output, .context = run };
	return outputs_open(outputs, &run->pipeline.timeline, &run->session.identity, error);
}

int run_stop_recording(struct run *run, struct error *error)
{
	if (recorder_stop(run->capture.recorder, error) < 0)
		return -1;
	if (recorder_is_attached(run->capture.recorder))
		source_seal(run->source);
	return 0;
}

int64_t run_now_ns(const struct run *run)
{
	if (run->capture.has_clock)
		return capture_now_ns(&run->capture);
	return run->source ? source_now_ns(run->source) : run->drained_ns;
}

/* The clock of an instance that somebody set up is what it is. */
static int run_attach_source(struct run *run, struct error *error)
{
	struct capture *capture = &run->capture;
	const struct source_description *description;

	if (source_attached_open(&run->source, recorder_directory(capture->recorder), error) < 0)
		return -1;
	description = source_describe(run->source);
	capture->has_clock = description->clock &&
			     source_clock_find(description->clock, &capture->clock);
	if (run->settings->session_ns > 0 && description->counts_ticks)
		return error_set(error, "--session-every is about time, and the clock of %s is %s",
				 recorder_name(capture->recorder), description->clock);
	return 0;
}

/* What is beside the instance is read all the time. */
static int run_open_source(struct run *run, struct error *error)
{
	const struct recorder *recorder = run->capture.recorder;
	const struct recorder *durable = recorder_durable(recorder);

	run->pipeline.counts_untaken = recorder_is_attached(recorder) &&
				       run->settings->capture.selection.nr_options == 0;
	if (recorder_is_attached(recorder))
		return run_attach_source(run, error);
	if (source_live_open(&run->source, recorder_directory(recorder), error) < 0)
		return -1;
	source_hold(run->source, run_is_circular(run));
	return durable ? source_live_add(run->source, recorder_directory(durable), error) : 0;
}

int run_set_up(struct run *run, struct error *error)
{
	struct capture *capture = &run->capture;

	run->pipeline.convention = convention_new(false);
	if (!run->pipeline.convention)
		return error_set(error, "out of memory");
	if (capture_prepare(capture, error) < 0 || run_watch(run, error) < 0 ||
	    capture_choose(capture, run->pipeline.convention, error) < 0)
		return -1;
	if (identity_init(&run->session.identity, "stream", run->settings->outputs.sid, error) < 0)
		return -1;
	if (capture_open(capture, run->pipeline.convention, error) < 0 ||
	    run_open_source(run, error) < 0)
		return -1;
	if (run_follow(run, error) < 0)
		return -1;
	return run_open_targets(run, error);
}

/* How somebody's instance is, and from when on it has records. */
static int run_describe_attached(struct run *run, struct error *error)
{
	const struct source_description *description = source_describe(run->source);
	struct recording *recording = &run->recording;

	recording->clock = description->clock ? description->clock : "unknown";
	recording->counts_ticks = description->counts_ticks;
	recording->time_source = description->time_source;
	recording->buffer_kib = description->buffer_kib;
	recording->overwrite = description->overwrite;
	recording->read_before = description->read_before;
	return source_attached_start(run->source, &recording->start_ns, error);
}

int run_describe(struct run *run, struct error *error)
{
	const struct recorder_settings *recorder = &run->settings->capture.recorder;
	struct recording *recording = &run->recording;

	uname(&run->kernel);
	*recording = (struct recording){
		.command = "stream",
		.argv = run->settings->argv,
		.source = recorder_name(run->capture.recorder),
		.id = run->id,
		.mode = recorder->mode->name,
		.clock = recorder->clock,
		.time_source = "realtime",
		.kernel = run->kernel.release,
		.nr_cpus = source_describe(run->source)->nr_cpus,
		.buffer_kib = recorder->buffer_kib,
		.memory_kib = recorder_memory_kib(run->capture.recorder),
		.wall_offset_ns = capture_wall_offset_ns(&run->capture),
		.start_ns = capture_now_ns(&run->capture),
	};
	if (recorder_is_attached(run->capture.recorder) && run_describe_attached(run, error) < 0)
		return -1;
	identity_id(run->id, recording->source, recording->start_ns);
	session_begin(&run->session, recording->start_ns);
	return 0;
}
