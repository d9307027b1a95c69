// SPDX-License-Identifier: GPL-2.0-only
/*
 * One run of ktrack stream: set up, read in rounds, stop, clean up. Everything that was set up is
 * in one struct, whose release works however far the set-up came.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/identity.h"
#include "cli/pipeline.h"
#include "cli/signals.h"
#include "cli/stream.h"
#include "recorder/recorder.h"

/* How long a round waits for a signal: an event is out within this time and that of reading it. */
#define ROUND_MS 50

/**
 * struct run - all that a run holds
 * @drained_ns: everything up to here has been delivered
 * @lost: how many records were lost in all
 * @cannot_run: exec failed
 * @signal_number: of the last signal that asked for an end, 0 for none
 * @is_abandoned: a second one came while the command was running: it goes on without us
 */
struct run {
	struct stream_settings *settings;
	struct signals signals;
	struct identity identity;
	struct pipeline pipeline;
	struct recorder *recorder;
	struct source *source;
	struct command *command;
	struct recording recording;
	struct utsname kernel;
	char id[IDENTITY_ID_SIZE];
	int64_t drained_ns;
	uint64_t lost;
	bool cannot_run;
	int signal_number;
	bool is_abandoned;
};

static int run_choose(struct run *run, struct error *error)
{
	run->pipeline.convention = convention_new(false);
	if (!run->pipeline.convention)
		return error_set(error, "out of memory");
	if (tracepoints_find(run->pipeline.convention, NULL, &run->settings->selection, error) < 0)
		return -1;
	if (convention_size(run->pipeline.convention) == 0)
		return error_set(error, "no tracepoint of this machine follows the convention; "
					"load a module that has some");
	return 0;
}

static int run_enable(struct run *run, struct error *error)
{
	struct buffer system = { 0 };
	int status = 0;

	for (size_t i = 0; i < convention_size(run->pipeline.convention) && status == 0; i++) {
		const struct template *template = convention_template(run->pipeline.convention, i);

		buffer_clear(&system);
		template_system(template, &system);
		status = recorder_enable(run->recorder, buffer_string(&system), template->name,
					 error);
	}
	buffer_release(&system);
	return status;
}

static int run_identify(struct run *run, struct error *error)
{
	const char *sid = run->settings->outputs.sid;

	if (sid && strcmp(sid, "recording") == 0)
		return error_set(
			error,
			"--sid=recording is for ktrack export: a live recording happens only once");
	return identity_init(&run->identity, "stream", sid, error);
}

static int run_set_up(struct run *run, struct error *error)
{
	if (signals_init(&run->signals, error) < 0)
		return -1;
	if (run_choose(run, error) < 0)
		return -1;
	if (run_identify(run, error) < 0)
		return -1;
	if (outputs_open(&run->settings->outputs, &run->pipeline.timeline, &run->identity, error) <
	    0)
		return -1;
	if (run->settings->command &&
	    command_new(&run->command, run->settings->command, &run->signals.before, error) < 0)
		return -1;
	if (recorder_open(&run->recorder, run->settings->buffer_kib, error) < 0)
		return -1;
	if (source_live_open(&run->source, recorder_directory(run->recorder), error) < 0)
		return -1;
	return run_enable(run, error);
}

static int run_begin(struct run *run, struct error *error)
{
	struct recording *recording = &run->recording;

	uname(&run->kernel);
	*recording = (struct recording){
		.command = "stream",
		.argv = run->settings->argv,
		.source = recorder_name(run->recorder),
		.id = run->id,
		.mode = "streaming",
		.clock = "boot",
		.time_source = "realtime",
		.kernel = run->kernel.release,
		.nr_cpus = source_describe(run->source)->nr_cpus,
		.buffer_kib = run->settings->buffer_kib,
		.wall_offset_ns = clock_wall_offset_ns(),
		.start_ns = clock_boot_ns(),
	};
	identity_id(run->id, recording->source, recording->start_ns);
	if (recorder_start(run->recorder, error) < 0)
		return -1;
	return pipeline_open(&run->pipeline, run->source, recording,
			     outputs_have_comm(&run->settings->outputs), error);
}

static int run_command(struct run *run, struct error *error)
{
	struct timeline_event begin = { .kind = TIMELINE_COMMAND_BEGIN };

	if (!run->command)
		return 0;
	begin.argv = command_argv(run->command);
	if (tracks_pass(run->pipeline.tracks, &begin, clock_boot_ns(), error) < 0)
		return -1;
	if (command_run(run->command, error) == 0)
		return 0;
	run->cannot_run = true;
	return -1;
}

/* Delivers all up to now, and brings it to the readers. */
static int run_drain(struct run *run, int64_t until_ns, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);

	if (source_drain(run->source, until_ns, &handler, error) < 0)
		return -1;
	run->drained_ns = until_ns;
	return timeline_flush(&run->pipeline.timeline, error);
}

/*
 * A first signal asks for an end: the command's, which gets it too, or without a command ours. A
 * second one does not wait for the command.
 */
static bool run_take_signals(struct run *run)
{
	bool was_sent = false;
	int number;

	while ((number = signals_take(&run->signals, &was_sent))) {
		if (run->command && run->signal_number)
			run->is_abandoned = true;
		else if (run->command && was_sent)
			kill(command_pid(run->command), number);
		run->signal_number = number;
	}
	return run->is_abandoned || (run->signal_number && !run->command);
}

static int run_wait_ms(const struct run *run, int64_t now_ns)
{
	int64_t left_ns;

	if (run->settings->duration_ns == 0)
		return ROUND_MS;
	left_ns = run->settings->duration_ns - (now_ns - run->recording.start_ns);
	if (left_ns <= 0)
		return 0;
	return left_ns < ROUND_MS * NS_PER_MS ? (int)(left_ns / NS_PER_MS) + 1 : ROUND_MS;
}

static bool run_is_over(const struct run *run, int64_t now_ns)
{
	return run->settings->duration_ns > 0 &&
	       now_ns - run->recording.start_ns >= run->settings->duration_ns;
}

static int run_read(struct run *run, struct error *error)
{
	struct pollfd wait = { .fd = run->signals.fd, .events = POLLIN };
	bool is_over = false;

	while (!is_over) {
		int64_t now_ns = clock_boot_ns();

		poll(&wait, 1, run_wait_ms(run, now_ns));
		is_over = run_take_signals(run);
		now_ns = clock_boot_ns();
		is_over = is_over || run_is_over(run, now_ns);
		is_over = is_over || (run->command && command_has_ended(run->command));
		if (run_drain(run, now_ns, error) < 0)
			return -1;
	}
	return 0;
}

static int run_command_end(struct run *run, struct error *error)
{
	struct timeline_event end = { .kind = TIMELINE_COMMAND_END };

	if (!run->command || !command_has_ended(run->command))
		return 0;
	end.pid = command_pid(run->command);
	end.status = command_status(run->command);
	return tracks_pass(run->pipeline.tracks, &end, run->drained_ns, error);
}

static int run_status(const struct run *run)
{
	if (run->is_abandoned)
		return 128 + run->signal_number;
	if (run->command && command_status(run->command) != STATUS_DONE)
		return command_status(run->command);
	return outputs_status(&run->settings->outputs, run->pipeline.has_lost);
}

static int run_end(struct run *run, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);
	int64_t end_ns;

	if (run_command_end(run, error) < 0 || recorder_stop(run->recorder, error) < 0)
		return -1;
	end_ns = clock_boot_ns();
	if (source_finish(run->source, end_ns, &handler, &run->lost, error) < 0)
		return -1;
	tracks_drift(run->pipeline.tracks, clock_wall_offset_ns() - run->recording.wall_offset_ns);
	if (tracks_finish(run->pipeline.tracks, end_ns, run->lost, run_status(run), error) < 0)
		return -1;
	return timeline_flush(&run->pipeline.timeline, error);
}

static int run_all(struct run *run, struct error *error)
{
	if (run_set_up(run, error) < 0 || run_begin(run, error) < 0)
		return -1;
	if (run_command(run, error) < 0 || run_read(run, error) < 0)
		return -1;
	return run_end(run, error);
}

/*
 * The instance goes first, so that it does not stay while a command comes to its end that runs
 * longer than the recording. From then on signals act as ever.
 */
static int run_remove_instance(struct run *run, struct error *error)
{
	source_close(run->source);
	run->source = NULL;
	signals_release(&run->signals);
	return recorder_close(run->recorder, error);
}

static int failure_status(const struct run *run)
{
	if (!run->settings->command)
		return STATUS_FAILED;
	return run->cannot_run ? command_status(run->command) : STATUS_TRACING_FAILED;
}

static void run_release(struct run *run)
{
	command_free(run->command);
	pipeline_release(&run->pipeline);
	identity_release(&run->identity);
}

int stream_run(struct stream_settings *settings, struct error *error)
{
	struct run run = { .settings = settings, .signals.fd = -1 };
	int result = run_all(&run, error);
	int status;

	if (run_remove_instance(&run, error) < 0)
		result = -1;
	if (!run.is_abandoned)
		command_wait(run.command);
	status = result < 0 ? failure_status(&run) : run_status(&run);
	run_release(&run);
	return status;
}
