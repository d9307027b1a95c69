// SPDX-License-Identifier: GPL-2.0-only
/* One run of ktrack stream: start, read in rounds, stop, finish. */
#include <errno.h>

#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/ending.h"
#include "cli/loss.h"
#include "cli/note.h"
#include "cli/output.h"
#include "cli/privilege.h"
#include "cli/quantity.h"
#include "cli/ready.h"
#include "cli/stream_state.h"
#include "cli/wall_clock.h"

/* How long a round waits at most: an event is out within this time and that of reading it. */
#define ROUND_MS 50

/* The longest rest where nothing is to be read. */
#define REST_MS 60000

static struct run *run_of(struct capture *capture)
{
	return (struct run *)capture;
}

/* Delivers all up to now, and brings it to the readers. */
static int run_drain(struct run *run, int64_t until_ns, struct error *error)
{
	if (run_deliver(run, until_ns, error) < 0)
		return -1;
	return timeline_flush(&run->pipeline.timeline, error);
}

static int run_tell_command(struct run *run, struct error *error)
{
	struct timeline_event begin = { .kind = TIMELINE_COMMAND_BEGIN };

	if (!run->capture.command)
		return 0;
	begin.argv = command_argv(run->capture.command);
	/* What others wrote before the command began comes before it. */
	if (run_drain(run, run->command_ns, error) < 0)
		return -1;
	return tracks_pass(run->pipeline.tracks, &begin, run->command_ns, error);
}

/* Its files may be in a folder of somebody else's, and are given to the user behind sudo. */
static uint64_t session_privileges(const struct run *run)
{
	unsigned int user, group;

	if (run->settings->session_ns == 0)
		return 0;
	return PRIVILEGE(CAP_DAC_OVERRIDE) |
	       (output_owner(&user, &group) ? PRIVILEGE(CAP_CHOWN) : 0);
}

/* Files of sessions to come are opened with the rights of the user behind sudo. */
static int run_settle_owner(const struct run *run, struct error *error)
{
	struct owner owner = { 0 };
	unsigned int user, group;
	int status;

	if (run->settings->session_ns == 0 || !output_owner(&user, &group))
		return 0;
	status = owner_init(&owner, user, group);
	if (status == 0)
		status = owner_settle(&owner);
	if (status < 0)
		error_set_system(error, errno, "cannot act as user %u", user);
	owner_release(&owner);
	return status;
}

/* All that is to be read, switched or written is open, but for the files of sessions to come. */
static int run_drop_privileges(struct run *run, struct error *error)
{
	if (run_settle_owner(run, error) < 0)
		return -1;
	return privilege_drop(capture_privileges(&run->capture) | session_privileges(run), error);
}

/*
 * Files are emptied before the command runs, which may write to them, and after everything else
 * that can be known to fail; the first line comes only when it runs.
 */
static int run_start(struct run *run, struct error *error)
{
	struct outputs *outputs = &run->settings->outputs;

	if (run_describe(run, error) < 0)
		return -1;
	if (!outputs->set.has_terminal)
		capture_tell_memory(&run->capture);
	if (!outputs->stat)
		wall_clock_check(&run->recording, true);
	run_set_deadline(run);
	if (recorder_start(run->capture.recorder, error) < 0 || run_catch_up(run, error) < 0 ||
	    ready_signal(&run->settings->capture.ready_fd, error) < 0)
		return -1;
	run->command_ns = run_now_ns(run);
	if (output_set_begin(&outputs->set, error) < 0 ||
	    capture_run_command(&run->capture, error) < 0)
		return -1;
	if (pipeline_open(&run->pipeline, run->source, &run->recording, outputs_have_comm(outputs),
			  error) < 0 ||
	    run_drop_privileges(run, error) < 0)
		return -1;
	return run_is_circular(run) ? 0 : run_tell_command(run, error);
}

/* A terminal that the stream itself or the command writes to is left to them. */
static void run_begin_progress(struct run *run)
{
	uint64_t room_kib = run->recording.buffer_kib * run->recording.nr_cpus;

	if (!run->settings->outputs.set.has_terminal && !run->capture.command && room_kib > 0)
		progress_begin(&run->progress, 1024 * room_kib, clock_boot_ns());
}

static void run_show_progress(struct run *run)
{
	int64_t now_ns = clock_boot_ns();
	struct source_counts now;

	if (!progress_is_due(&run->progress, now_ns))
		return;
	source_count(run->source, &now);
	progress_show(&run->progress, &now, 0, now_ns);
}

static int run_renew_session(struct run *run, struct error *error)
{
	if (!session_is_due(&run->session, run->drained_ns))
		return 0;
	return session_renew(&run->session, &run->pipeline, &run->recording, run->drained_ns,
			     capture_wall_offset_ns(&run->capture), error);
}

static int run_await_end(struct run *run, struct error *error)
{
	struct ending *ending = &run->capture.ending;

	while (!ending_is_due(ending, clock_boot_ns())) {
		source_wait(run->source, run_wake_fd(run),
			    ending_wait_ms(ending, clock_boot_ns(), REST_MS));
		source_read_ahead(run->source);
		if (run_see_modules(run, error) < 0)
			return -1;
	}
	return 0;
}

static int run_read(struct run *run, struct error *error)
{
	struct ending *ending = &run->capture.ending;
	bool is_over = false;

	run_begin_progress(run);
	while (!is_over) {
		if (run_renew_session(run, error) < 0)
			return -1;
		source_wait(run->source, run_wake_fd(run),
			    ending_wait_ms(ending, clock_boot_ns(), ROUND_MS));
		run_show_progress(run);
		is_over = ending_is_due(ending, clock_boot_ns());
		if (run_see_modules(run, error) < 0)
			return -1;
		if (run_drain(run, run_now_ns(run), error) < 0)
			return -1;
	}
	progress_end(&run->progress);
	return 0;
}

static int run_tell_command_end(struct run *run, int64_t time_ns, struct error *error)
{
	struct timeline_event end = { .kind = TIMELINE_COMMAND_END };
	struct command *command = run->capture.command;

	if (!command || run->command_end_is_told || !command_has_ended(command))
		return 0;
	run->command_end_is_told = true;
	end.pid = command_pid(command);
	end.status = command_status(command);
	return tracks_pass(run->pipeline.tracks, &end, time_ns, error);
}

/* A larger buffer helps only against records that did not fit, and not if the oldest give way. */
static uint64_t run_small_buffer_kib(const struct run *run)
{
	bool is_overrun = run->pipeline.lost > run->pipeline.nr_strangers;

	return is_overrun && !run_is_circular(run) ? run->recording.buffer_kib : 0;
}

static void run_report_loss(struct capture *capture)
{
	const struct run *run = run_of(capture);
	bool is_attached = recorder_is_attached(capture->recorder);
	const struct loss_report report = {
		.object = is_attached ? recorder_name(capture->recorder) : NULL,
		.has_lost = run->pipeline.has_lost,
		.records = run->pipeline.lost,
		.gaps = run->pipeline.nr_gaps,
		.gaps_unknown = run->pipeline.nr_gaps_unknown,
		.buffer_kib = run_small_buffer_kib(run),
		.is_attached = is_attached,
		.is_failure = capture_is_lost(capture, run->settings->outputs.fails_on_loss),
	};
	uint64_t lost_durable = source_lost_durable(run->source);

	tracks_lose_tasks(run->pipeline.tracks, lost_durable);
	if (lost_durable > 0)
		capture_tell_durable(lost_durable);
	loss_print(&report);
}

/* An instance that somebody set up may have records of any kind, or of none. */
static void run_report_untaken(struct run *run)
{
	const struct recorder *recorder = run->capture.recorder;
	struct pipeline *pipeline = &run->pipeline;
	bool is_empty = run->settings->session_ns == 0 && !pipeline->has_lost &&
			tracks_are_unused(pipeline->tracks);

	if (!recorder_is_attached(recorder))
		return;
	if (is_empty && pipeline->untaken.total == 0 &&
	    source_is_disabled(recorder_directory(recorder)))
		note_say("%s: no track events (no tracepoint is enabled); " UNTAKEN_REMEDY,
			 recorder_name(recorder));
	else
		untaken_print(&pipeline->untaken, run->source, pipeline->convention,
			      recorder_name(recorder), is_empty);
}

/* What was written up to @over_ns, when the end was noticed, and what the command did. */
static int run_read_at_end(struct run *run, int64_t over_ns, struct error *error)
{
	return run_tell_command(run, error) < 0 || run_drain(run, over_ns, error) < 0 ? -1 : 0;
}

static void run_tell_completeness(struct run *run)
{
	int64_t from_ns = run->pipeline.lost_until_ns, start_ns = run->recording.start_ns;

	if (run_is_circular(run))
		tracks_complete_from(run->pipeline.tracks, from_ns > start_ns ? from_ns : start_ns);
}

static int run_stop(struct run *run, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);
	int64_t over_ns = run_now_ns(run);
	int64_t end_ns;
	uint64_t lost;

	if (run_stop_recording(run, error) < 0 || run_see_changes(run, error) < 0)
		return -1;
	source_hold(run->source, false);
	if (run_is_circular(run) && run_read_at_end(run, over_ns, error) < 0)
		return -1;
	if (run_tell_command_end(run, run->drained_ns, error) < 0)
		return -1;
	end_ns = run_now_ns(run);
	if (source_finish(run->source, end_ns, &handler, &lost, error) < 0 ||
	    run_see_changes(run, error) < 0 || pipeline_tell_strangers(&run->pipeline, error) < 0)
		return -1;
	run->drained_ns = end_ns;
	run_report_loss(&run->capture);
	run_report_untaken(run);
	run_tell_completeness(run);
	if (tracks_end_all(run->pipeline.tracks, end_ns, error) < 0)
		return -1;
	return timeline_flush(&run->pipeline.timeline, error);
}

static int run_record(struct capture *capture, struct error *error)
{
	struct run *run = run_of(capture);

	if (run_set_up(run, error) < 0 || run_start(run, error) < 0)
		return -1;
	if ((run_is_circular(run) ? run_await_end(run, error) : run_read(run, error)) < 0)
		return -1;
	return run_stop(run, error);
}

static void run_close(struct capture *capture)
{
	struct run *run = run_of(capture);

	run_take_leave(run);
	source_close(run->source);
	run->source = NULL;
}

static int run_status(const struct capture *capture)
{
	const struct run *run = (const struct run *)capture;

	return outputs_status(&run->settings->outputs, run->pipeline.has_lost);
}

/* The stream ends with the command, which may have gone on for longer than the recording. */
static int run_finish(struct capture *capture, struct error *error)
{
	struct run *run = run_of(capture);
	int64_t end_ns = run_now_ns(run);

	if (run_tell_command_end(run, end_ns, error) < 0)
		return -1;
	tracks_drift(run->pipeline.tracks,
		     capture_wall_offset_ns(capture) - run->recording.wall_offset_ns);
	if (tracks_finish(run->pipeline.tracks, end_ns,
			  run->pipeline.lost - run->session.lost_before, capture_status(capture),
			  error) < 0)
		return -1;
	return timeline_flush(&run->pipeline.timeline, error);
}

static const struct capture_ops run_ops = {
	.record = run_record,
	.close = run_close,
	.finish = run_finish,
	.status = run_status,
};

int stream_run(struct stream_settings *settings, struct error *error)
{
	struct run run = {
		.settings = settings,
		.pipeline = { .bounds = settings->bounds },
		.session = { .outputs = &settings->outputs, .every_ns = settings->session_ns },
	};
	int status = capture_run(&run.capture, &settings->capture, &run_ops, error);

	pipeline_release(&run.pipeline);
	identity_release(&run.session.identity);
	return status;
}
