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
		recorder_stop(run->capture.recorder, &error);
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

/* What is beside the instance is read all the time. */
static int run_open_source(struct run *run, struct error *error)
{
	const struct recorder *recorder = run->capture.recorder;
	const struct recorder *durable = recorder_durable(recorder);

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
	if (capture_prepare(capture, error) < 0 ||
	    capture_choose(capture, run->pipeline.convention, error) < 0)
		return -1;
	if (identity_init(&run->session.identity, "stream", run->settings->outputs.sid, error) < 0)
		return -1;
	if (capture_open(capture, run->pipeline.convention, error) < 0 ||
	    run_open_source(run, error) < 0)
		return -1;
	return run_open_targets(run, error);
}

void run_describe(struct run *run)
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
	identity_id(run->id, recording->source, recording->start_ns);
	session_begin(&run->session, recording->start_ns);
}
