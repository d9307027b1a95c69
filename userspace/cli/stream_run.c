// SPDX-License-Identifier: GPL-2.0-only
/*
 * One run of ktrack stream: set up, read in rounds, stop, clean up. Everything that was set up is
 * in one struct, whose release works however far the set-up came.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/ending.h"
#include "cli/identity.h"
#include "cli/note.h"
#include "cli/pipeline.h"
#include "cli/quantity.h"
#include "cli/stream.h"
#include "recorder/recorder.h"

/* How long a round waits at most: an event is out within this time and that of reading it. */
#define ROUND_MS 50

/**
 * struct run - all that a run holds
 * @drained_ns: everything up to here has been delivered
 * @lost: how many records were lost in all
 * @command_end_is_told: the stream has the command's end
 * @failure: the exit status where something fails
 * @has_failed: it did, though the stream could go on
 */
struct run {
	struct stream_settings *settings;
	struct ending ending;
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
	bool command_end_is_told;
	int failure;
	bool has_failed;
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
	if (run->source && ending_is_due(&run->ending, clock_boot_ns()))
		recorder_stop(run->recorder, &error);
	return ending_await_output(&run->ending, fd);
}

/** struct stale - instances that were left behind */
struct stale {
	char first[64];
	unsigned int number;
};

static int stale_note(void *context, const char *name, const char *directory, struct error *error)
{
	struct stale *stale = context;

	(void)directory;
	(void)error;
	if (stale->number++ == 0)
		snprintf(stale->first, sizeof(stale->first), "%s", name);
	return 0;
}

/* Where a run was killed, its instance goes on recording, and keeps modules from being removed. */
static int run_tell_stale(struct error *error)
{
	struct stale stale = { .number = 0 };
	struct stale_visitor visitor = { .context = &stale, .visit = stale_note };

	if (stale_visit(&visitor, error) < 0)
		return -1;
	if (stale.number > 0)
		note_say(
			"%u killed run%s left an instance behind; 'ktrack export tracefs:%s' tells "
			"what is in it, 'ktrack clean' removes it",
			stale.number, stale.number > 1 ? "s" : "", stale.first);
	return 0;
}

/* What is to be left out. */
static int run_narrow(struct run *run, struct error *error)
{
	const struct stream_settings *settings = run->settings;

	if (settings->has_cpus && recorder_limit_cpus(run->recorder, &settings->cpus, error) < 0)
		return -1;
	if (settings->follows_command)
		return recorder_follow(run->recorder, command_pid(run->command), error);
	return 0;
}

static int run_open_instance(struct run *run, struct error *error)
{
	if (recorder_open(&run->recorder, run->settings->buffer_kib, error) < 0)
		return -1;
	if (run_narrow(run, error) < 0)
		return -1;
	if (run_enable(run, error) < 0 || recorder_resize(run->recorder, error) < 0)
		return -1;
	return source_live_open(&run->source, recorder_directory(run->recorder), error);
}

/* The targets come last: what they hold is replaced only by a recording that takes place. */
static int run_open_targets(struct run *run, struct error *error)
{
	struct outputs *outputs = &run->settings->outputs;

	ending_set_deadline(&run->ending, clock_boot_ns(), run->settings->duration_ns);
	outputs->set.wait = (struct file_wait){ .wait = run_await_output, .context = run };
	return outputs_open(outputs, &run->pipeline.timeline, &run->identity, error);
}

static int run_set_up(struct run *run, struct error *error)
{
	char *const *argv = run->settings->command;

	if (signals_init(&run->ending.signals, error) < 0)
		return -1;
	if (argv && command_check(argv, &run->failure, error) < 0)
		return -1;
	if (run_choose(run, error) < 0 || run_tell_stale(error) < 0)
		return -1;
	if (identity_init(&run->identity, "stream", run->settings->outputs.sid, error) < 0)
		return -1;
	/* Before anything is open that the waiting process would keep open. */
	if (argv && command_new(&run->command, argv, &run->ending.signals.before,
				&run->settings->user, error) < 0)
		return -1;
	if (run_open_instance(run, error) < 0)
		return -1;
	return run_open_targets(run, error);
}

static void run_describe(struct run *run)
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
}

static int run_start_command(struct run *run, struct error *error)
{
	if (!run->command)
		return 0;
	if (command_run(run->command, error) < 0) {
		run->failure = command_status(run->command);
		return -1;
	}
	run->ending.command = run->command;
	return 0;
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

static int run_tell_command(struct run *run, int64_t begin_ns, struct error *error)
{
	struct timeline_event begin = { .kind = TIMELINE_COMMAND_BEGIN };

	if (!run->command)
		return 0;
	begin.argv = command_argv(run->command);
	/* What others wrote before the command began comes before it. */
	if (run_drain(run, begin_ns, error) < 0)
		return -1;
	return tracks_pass(run->pipeline.tracks, &begin, begin_ns, error);
}

/*
 * Files are emptied before the command runs, which may write to them, and after everything else
 * that can be known to fail; the first line comes only when it runs.
 */
static int run_start(struct run *run, struct error *error)
{
	struct outputs *outputs = &run->settings->outputs;
	int64_t begin_ns;

	run_describe(run);
	ending_set_deadline(&run->ending, run->recording.start_ns, run->settings->duration_ns);
	if (recorder_start(run->recorder, error) < 0)
		return -1;
	begin_ns = clock_boot_ns();
	if (output_set_begin(&outputs->set, error) < 0 || run_start_command(run, error) < 0)
		return -1;
	if (pipeline_open(&run->pipeline, run->source, &run->recording, outputs_have_comm(outputs),
			  error) < 0)
		return -1;
	return run_tell_command(run, begin_ns, error);
}

static int run_read(struct run *run, struct error *error)
{
	bool is_over = false;

	while (!is_over) {
		int64_t now_ns = clock_boot_ns();

		source_wait(run->source, run->ending.signals.fd,
			    ending_wait_ms(&run->ending, now_ns, ROUND_MS));
		now_ns = clock_boot_ns();
		is_over = ending_is_due(&run->ending, now_ns);
		if (run_drain(run, now_ns, error) < 0)
			return -1;
	}
	return 0;
}

static int run_tell_command_end(struct run *run, int64_t time_ns, struct error *error)
{
	struct timeline_event end = { .kind = TIMELINE_COMMAND_END };

	if (!run->command || run->command_end_is_told || !command_has_ended(run->command))
		return 0;
	run->command_end_is_told = true;
	end.pid = command_pid(run->command);
	end.status = command_status(run->command);
	return tracks_pass(run->pipeline.tracks, &end, time_ns, error);
}

static void run_say_loss(const struct run *run)
{
	unsigned long long lost = run->lost, kib = run->settings->buffer_kib;
	unsigned long long more = 8 * kib < SIZE_KIB_MAX ? 8 * kib : SIZE_KIB_MAX;

	if (lost > 0)
		note_say("lost %llu records, more than fit into %llu KiB for each CPU; try -b %llu",
			 lost, kib, more);
}

static int run_stop(struct run *run, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);
	int64_t end_ns;

	if (run_tell_command_end(run, run->drained_ns, error) < 0 ||
	    recorder_stop(run->recorder, error) < 0)
		return -1;
	end_ns = clock_boot_ns();
	if (source_finish(run->source, end_ns, &handler, &run->lost, error) < 0)
		return -1;
	run_say_loss(run);
	if (tracks_end_all(run->pipeline.tracks, end_ns, error) < 0)
		return -1;
	return timeline_flush(&run->pipeline.timeline, error);
}

static int run_record(struct run *run, struct error *error)
{
	if (run_set_up(run, error) < 0 || run_start(run, error) < 0)
		return -1;
	if (run_read(run, error) < 0)
		return -1;
	return run_stop(run, error);
}

static int run_remove_instance(struct run *run, struct error *error)
{
	struct recorder *recorder = run->recorder;

	source_close(run->source);
	run->source = NULL;
	run->recorder = NULL;
	return recorder_close(recorder, error);
}

/* The command goes on where the duration was over first, or something failed. */
static void run_await_command(struct run *run)
{
	if (!run->ending.command || ending_is_due(&run->ending, 0))
		return;
	if (!run->has_failed)
		note_say("the recording is over, '%s' goes on; a second signal leaves it alone",
			 run->settings->command[0]);
	ending_await_command(&run->ending);
}

static int run_status(const struct run *run)
{
	if (run->has_failed)
		return run->failure;
	if (ending_is_abandoned(&run->ending))
		return 128 + run->ending.signal_number;
	if (run->command && command_status(run->command) != STATUS_DONE)
		return command_status(run->command);
	return outputs_status(&run->settings->outputs, run->pipeline.has_lost);
}

/* The stream ends with the command, which may have gone on for longer than the recording. */
static int run_finish(struct run *run, struct error *error)
{
	int64_t end_ns = clock_boot_ns();

	if (run_tell_command_end(run, end_ns, error) < 0)
		return -1;
	tracks_drift(run->pipeline.tracks, clock_wall_offset_ns() - run->recording.wall_offset_ns);
	if (tracks_finish(run->pipeline.tracks, end_ns, run->lost, run_status(run), error) < 0)
		return -1;
	return timeline_flush(&run->pipeline.timeline, error);
}

static void run_release(struct run *run)
{
	command_free(run->command);
	pipeline_release(&run->pipeline);
	identity_release(&run->identity);
	signals_release(&run->ending.signals);
}

/*
 * What fails is said at once, and the instance goes before the command is waited for: tracing ends
 * no program, but a program does not keep tracing from its end either.
 */
int stream_run(struct stream_settings *settings, struct error *error)
{
	struct run run = { .settings = settings, .ending.signals.fd = -1 };
	int result, status;

	run.failure = settings->command ? STATUS_TRACING_FAILED : STATUS_FAILED;
	result = run_record(&run, error);
	note_error(error);
	run.has_failed = run_remove_instance(&run, error) < 0 || result < 0;
	note_error(error);
	run_await_command(&run);
	if (result == 0)
		result = run_finish(&run, error);
	status = result < 0 ? run.failure : run_status(&run);
	run_release(&run);
	return status;
}
