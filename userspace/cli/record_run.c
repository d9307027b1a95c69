// SPDX-License-Identifier: GPL-2.0-only
/* One run of ktrack record: set up, move records to files, put the files together. */
#include "cli/record.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/loss.h"
#include "cli/modules.h"
#include "cli/note.h"
#include "cli/output.h"
#include "cli/privilege.h"
#include "cli/progress.h"
#include "cli/ready.h"
#include "source/source.h"

/* How long a round waits at most; what comes meanwhile waits in the ring buffers. */
#define ROUND_MS 100

/**
 * struct record_run - all that a run holds
 * @capture: its head
 * @modules: that come and go
 * @memory_kib: what the buffers take
 * @has_come: tracepoints of theirs are recorded whose formats were not noted yet
 * @is_torn: some have gone, and with them records that nobody has counted
 * @is_doubtful: records of some ids cannot be read, which was said
 */
struct record_run {
	struct capture capture;
	struct record_settings *settings;
	struct convention *convention;
	struct parts *parts;
	struct progress progress;
	uint64_t memory_kib;
	struct parts_summary summary;
	struct modules modules;
	bool has_come;
	bool is_torn;
	bool is_doubtful;
};

static struct record_run *record_of(struct capture *capture)
{
	return (struct record_run *)capture;
}

struct parts_owner record_owner(void)
{
	struct parts_owner owner = { .is_other = false };
	unsigned int user, group;

	if (output_owner(&user, &group))
		owner = (struct parts_owner){ .is_other = true, .user = user, .group = group };
	return owner;
}

static void moment_tell(const char *what, int64_t time_ns, const char *path)
{
	struct buffer text = { 0 };

	buffer_append_decimal(&text, time_ns, 9);
	note_say("%s is complete %s %s on the trace's clock", path, what, buffer_string(&text));
	buffer_release(&text);
}

void record_report_span(const struct parts_summary *summary, const char *path)
{
	if (summary->lost_durable > 0)
		capture_tell_durable(summary->lost_durable);
	if (summary->has_begin)
		moment_tell("from", summary->begin_ns, path);
	if (summary->has_end)
		moment_tell("up to", summary->end_ns, path);
}

static void record_report(const struct record_run *run)
{
	const struct capture_settings *settings = run->capture.settings;
	bool is_small = run->summary.lost > 0 && !settings->instance &&
			!settings->recorder.mode->is_read_at_end;
	const struct loss_report report = {
		.object = run->settings->path,
		.has_lost = run->summary.lost > 0 || run->is_torn,
		.records = run->summary.lost,
		.buffer_kib = is_small ? settings->recorder.buffer_kib : 0,
		.is_failure = capture_is_lost(&run->capture, run->settings->fails_on_loss),
	};

	loss_print(&report);
	record_report_span(&run->summary, run->settings->path);
}

static int template_came(void *context, const struct template *template, bool is_early,
			 struct error *error)
{
	struct record_run *run = context;

	(void)template;
	(void)is_early;
	(void)error;
	run->has_come = true;
	return 0;
}

/* Modules that ktrack's macros are in stay until the end; others need not. */
static int template_went(void *context, const struct template *template, struct error *error)
{
	struct record_run *run = context;

	if (run->is_torn)
		return 0;
	note_say("%s was unloaded while it was recorded: the kernel has emptied the buffers, and "
		 "how much was lost by that is not known",
		 template->category);
	run->is_torn = true;
	return parts_tear(run->parts, run->capture.recorder, error);
}

static int record_follow(struct record_run *run, struct error *error)
{
	const struct modules_handler handler = { .context = run,
						 .came = template_came,
						 .went = template_went };

	if (recorder_is_attached(run->capture.recorder))
		return 0;
	return modules_open(&run->modules, &handler, error);
}

static int record_wake_fd(const struct record_run *run)
{
	return recorder_is_attached(run->capture.recorder) ? run->capture.ending.signals.fd
							   : run->modules.fd;
}

static int record_note_more(struct record_run *run, struct error *error)
{
	size_t nr_doubtful;

	if (!run->has_come)
		return 0;
	run->has_come = false;
	if (parts_note_more(run->parts, &nr_doubtful, error) < 0)
		return -1;
	if (nr_doubtful > 0 && !run->is_doubtful)
		note_say("tracepoints have come under numbers that others had before: their "
			 "records cannot be told from one another, and will not be shown");
	run->is_doubtful = nr_doubtful > 0;
	return 0;
}

static int record_see_modules(struct record_run *run, struct error *error)
{
	if (recorder_is_attached(run->capture.recorder))
		return 0;
	if (modules_look(&run->modules, error) < 0 || modules_take_in(&run->modules, error) < 0)
		return -1;
	return record_note_more(run, error);
}

/* What was moved since the last look may show another clock. */
static int record_end_reclocked(struct record_run *run, struct error *error)
{
	struct error ignored = { 0 };

	recorder_stop(run->capture.recorder, &ignored);
	recorder_restore_clock(run->capture.recorder);
	run->capture.has_failed = true;
	ending_stop(&run->capture.ending);
	return parts_rewind(run->parts, error);
}

/* What others did to our instance; the file says that they emptied its buffers. */
static int record_see_changes(struct record_run *run, struct error *error)
{
	struct modules *modules = &run->modules;

	if (recorder_is_attached(run->capture.recorder))
		return 0;
	modules_look_changes(modules);
	if (modules->was_reclocked && !run->capture.has_failed &&
	    record_end_reclocked(run, error) < 0)
		return -1;
	parts_keep(run->parts);
	if (!modules->was_emptied)
		return 0;
	modules->was_emptied = false;
	run->is_torn = true;
	return parts_tear(run->parts, run->capture.recorder, error);
}

static int record_watch(struct record_run *run, struct error *error)
{
	if (run->capture.settings->instance)
		return 0;
	return modules_watch(&run->modules, &run->capture, run->convention, error);
}

/* Recording is on: what came since record_watch() is recorded, too. */
static int record_catch_up(struct record_run *run, struct error *error)
{
	if (recorder_is_attached(run->capture.recorder))
		return 0;
	if (modules_catch_up(&run->modules, error) < 0)
		return -1;
	return record_note_more(run, error);
}

static int record_set_up(struct record_run *run, struct error *error)
{
	const struct parts_owner owner = record_owner();
	struct capture *capture = &run->capture;

	run->convention = convention_new(false);
	if (!run->convention)
		return error_set(error, "out of memory");
	if (capture_prepare(capture, error) < 0 || record_watch(run, error) < 0 ||
	    (!capture->settings->instance && capture_choose(capture, run->convention, error) < 0))
		return -1;
	if (capture_open(capture, run->convention, error) < 0)
		return -1;
	if (parts_new(&run->parts, run->settings->path, &owner, error) < 0)
		return -1;
	run->memory_kib = recorder_memory_kib(capture->recorder);
	if (parts_begin(run->parts, capture->recorder, capture->settings->recorder.mode, error) < 0)
		return -1;
	return record_follow(run, error);
}

/*
 * All that there is to read or to switch is open. Names in the folder of the trace.dat and in that
 * of its parts are still made and removed: with the rights of the user behind sudo where they are
 * in this user's folder, and with what that takes beyond root's own rights elsewhere. The command,
 * which gets signals, may be another user's.
 */
static int record_drop_privileges(const struct record_run *run, struct error *error)
{
	char *path = strdup(run->settings->path);
	uint64_t kept = capture_privileges(&run->capture);
	bool are_owners;

	if (!path)
		return error_set(error, "out of memory");
	if (parts_keep_rights(run->parts, &are_owners, error) < 0) {
		free(path);
		return -1;
	}
	if (!are_owners)
		kept |= privilege_for_files(dirname(path));
	free(path);
	return privilege_drop(kept, error);
}

/* A terminal that the command may write to is left to it. */
static void record_begin_progress(struct record_run *run)
{
	if (!run->capture.command)
		progress_begin(&run->progress, 1024 * run->memory_kib, clock_boot_ns());
}

static void record_show_progress(struct record_run *run)
{
	int64_t now_ns = clock_boot_ns();
	struct source_counts now;

	if (!progress_is_due(&run->progress, now_ns))
		return;
	parts_count(run->parts, &now);
	progress_show(&run->progress, &now, parts_size(run->parts), now_ns);
}

static bool record_is_full(const struct record_run *run)
{
	uint64_t max_kib = run->settings->max_kib;

	if (max_kib == 0 || parts_size(run->parts) / 1024 < max_kib)
		return false;
	note_say("%s has the size that --max-size allows", run->settings->path);
	return true;
}

static int record_read(struct record_run *run, struct error *error)
{
	struct ending *ending = &run->capture.ending;
	bool is_over = false;

	record_begin_progress(run);
	while (!is_over) {
		parts_wait(run->parts, record_wake_fd(run),
			   ending_wait_ms(ending, clock_boot_ns(), ROUND_MS));
		is_over = ending_is_due(ending, clock_boot_ns());
		if (record_see_modules(run, error) < 0)
			return -1;
		if (parts_read(run->parts, error) < 0 || record_see_changes(run, error) < 0)
			return -1;
		record_show_progress(run);
		is_over = is_over || record_is_full(run);
	}
	progress_end(&run->progress);
	return 0;
}

/* Moves all there is; where that fails, says what did not get there. */
static int record_move(struct record_run *run, struct error *error)
{
	struct recorder *recorder = run->capture.recorder;
	struct error ignored = { 0 };

	if (record_read(run, error) == 0 && recorder_stop(recorder, error) == 0 &&
	    record_see_changes(run, error) == 0 &&
	    parts_finish(run->parts, &run->summary, error) == 0)
		return 0;
	recorder_stop(recorder, &ignored);
	parts_abandon(run->parts);
	return -1;
}

static int record_all(struct capture *capture, struct error *error)
{
	struct record_run *run = record_of(capture);

	if (record_set_up(run, error) < 0)
		return -1;
	capture_tell_memory(capture);
	ending_set_deadline(&capture->ending, clock_boot_ns(), capture->settings->duration_ns);
	if (recorder_start(capture->recorder, error) < 0 || record_catch_up(run, error) < 0 ||
	    ready_signal(&capture->settings->ready_fd, error) < 0 ||
	    capture_run_command(capture, error) < 0)
		return -1;
	if (record_drop_privileges(run, error) < 0 || parts_sync(run->parts, error) < 0)
		return -1;
	if (record_move(run, error) < 0)
		return -1;
	record_report(run);
	return parts_join(run->parts, error);
}

static void record_close(struct capture *capture)
{
	struct record_run *run = record_of(capture);

	modules_release(&run->modules);
	parts_close(run->parts);
	run->parts = NULL;
}

/* The file is whole before the command is waited for. */
static int record_finish(struct capture *capture, struct error *error)
{
	(void)capture;
	(void)error;
	return 0;
}

static int record_status(const struct capture *capture)
{
	const struct record_run *run = (const struct record_run *)capture;

	return run->settings->fails_on_loss && (run->summary.lost > 0 || run->is_torn)
		       ? STATUS_LOST
		       : STATUS_DONE;
}

static const struct capture_ops record_ops = {
	.record = record_all,
	.close = record_close,
	.finish = record_finish,
	.status = record_status,
};

int record_run(struct record_settings *settings, struct error *error)
{
	struct record_run run = { .settings = settings };
	int status = capture_run(&run.capture, &settings->capture, &record_ops, error);

	convention_free(run.convention);
	return status;
}
