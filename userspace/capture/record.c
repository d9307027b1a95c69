// SPDX-License-Identifier: GPL-2.0-only
/* ktrack record: moves raw records to the spool, and makes a trace.dat of it. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/run.h"
#include "output/output.h"
#include "reader/reader.h"

/*
 * Longest wait of a round in ms: tracepoints that somebody disables are noticed within this time.
 * Records wait in the ring buffers until one is BUFFER_PERCENT full.
 */
#define ROUND_MS 4000

/* How often tracepoints are looked at while records are written. */
#define LOOK_EVERY_NS NS_PER_S

/* The same while progress is shown. */
#define PROGRESS_ROUND_MS 500

/** struct record_run - state of a run */
struct record_run {
	struct capture capture;
	struct record_settings *settings;
	struct convention *convention;
	struct spool *spool;
	struct progress progress;
	uint64_t nr_records; /* in the file */
	uint64_t memory_kib; /* size of the buffers */
	struct spool_summary summary;
	struct modules modules;
	int64_t looked_ns; /* time of the last look at tracepoints */
	/* Tracepoints of loaded modules are recorded, and their formats are not saved yet. */
	bool has_new_formats;
	bool is_incomplete; /* buffers were emptied with an unknown number of records */
	bool is_doubtful;   /* reported that records of some ids cannot be decoded */
};

static void record_run_report(const struct record_run *run)
{
	const struct capture_settings *settings = run->capture.settings;
	const struct programs_counts programs = capture_count_programs(&run->capture);
	/* A larger buffer does not prevent losses if the records are read only at the end. */
	bool is_small = run->summary.lost > programs.lost && !settings->mode->is_read_at_end;
	struct loss_summary loss = {
		.object = run->settings->path,
		.has_lost = run->summary.lost > 0 || run->is_incomplete,
		.records = run->summary.lost,
		.has_convention = instance_companion(run->capture.recorder, INSTANCE_CONVENTION),
		.convention_lost = run->summary.lost_convention,
		.programs_lost = programs.in_rings,
		.program_ring_kib = settings->program_ring_kib,
		.is_default = settings->selection.origin == SELECTION_DEFAULT,
		.is_attached = instance_is_attached(run->capture.recorder),
		.is_failure = capture_is_lost(&run->capture, run->settings->fails_on_loss),
	};

	if (is_small)
		capture_loss_size(&run->capture, &loss);
	loss_summary_report(&loss, run->capture.report);
	spool_report_span(&run->summary, run->settings->path, run->capture.report);
}

static int format_came(void *context, const char *tracepoint, const struct descriptor *descriptor,
		       bool is_early, struct error *error)
{
	struct record_run *run = context;

	(void)tracepoint, (void)descriptor, (void)is_early, (void)error;
	run->has_new_formats = true;
	return 0;
}

/* Modules with ktrack's macros stay loaded until the end; others may be unloaded. */
static int format_went(void *context, const char *tracepoint, const struct descriptor *descriptor,
		       struct error *error)
{
	struct record_run *run = context;

	(void)descriptor;
	if (run->is_incomplete)
		return 0;
	report_message(run->capture.report,
		       "%s: unloaded while it was recorded; the kernel emptied the buffers with an "
		       "unknown number of records",
		       tracepoint);
	run->is_incomplete = true;
	return spool_mark_incomplete(run->spool, run->capture.recorder, error);
}

static int record_run_save_formats(struct record_run *run, struct error *error)
{
	size_t nr_doubtful;

	if (!run->has_new_formats)
		return 0;
	run->has_new_formats = false;
	if (spool_save_more(run->spool, &nr_doubtful, error) < 0)
		return -1;
	if (nr_doubtful > 0 && !run->is_doubtful)
		report_message(run->capture.report,
			       "new tracepoints have the ids of unloaded ones; records with these "
			       "ids cannot be decoded and are not exported");
	run->is_doubtful = nr_doubtful > 0;
	return 0;
}

/* The file records that another program emptied the buffers. */
static int record_run_follow_changes(struct record_run *run, struct error *error)
{
	struct modules *modules = &run->modules;

	modules_look_changes(modules);
	if (modules->was_reclocked && !run->capture.has_failed) {
		struct error ignored = { 0 };

		/* Records that were moved since the last check may have another clock. */
		instance_stop(run->capture.recorder, &ignored);
		instance_restore_clock(run->capture.recorder);
		run->capture.has_failed = true;
		stop_now(&run->capture.stop);
		if (spool_rewind(run->spool, error) < 0)
			return -1;
	}
	spool_keep(run->spool);
	if (!modules->was_emptied)
		return 0;
	modules->was_emptied = false;
	run->is_incomplete = true;
	return spool_mark_incomplete(run->spool, run->capture.recorder, error);
}

static int record_run_set_up(struct record_run *run, struct error *error)
{
	const struct spool_owner owner = spool_owner_find();
	struct capture *capture = &run->capture;
	struct capture_settings *settings = capture->settings;
	const struct rules *rules;
	const struct modules_handler handler = { .context = run,
						 .came = format_came,
						 .went = format_went };
	bool is_known;

	run->convention = convention_new(false);
	if (!run->convention)
		return error_set(error, "out of memory");
	if (capture_prepare(capture, error) < 0 ||
	    modules_watch(&run->modules, capture, run->convention, error) < 0)
		return -1;
	/* An existing instance may have records of any tracepoint: all formats are read later. */
	if (!settings->instance) {
		settings->selection.formats = formats_new();
		if (!settings->selection.formats)
			return error_set(error, "out of memory");
		if (capture_choose(capture, run->convention, error) < 0)
			return -1;
	}
	if (capture_open(capture, run->convention, true, error) < 0)
		return -1;
	if (spool_new(&run->spool, run->settings->path, &owner, error) < 0)
		return -1;
	if (capture->programs && spool_set_programs(run->spool, capture->programs, error) < 0)
		return -1;
	if (spool_describe_capture(run->spool, capture, error) < 0)
		return -1;
	run->memory_kib = instance_memory_kib(capture->recorder);
	is_known = modules_are_unchanged(&run->modules) && !events_may_change();
	/* Enabled tracepoints still have the formats by which they were chosen, or they are read
	 * again. */
	if (spool_begin(run->spool, run->capture.recorder, settings->mode,
			is_known ? settings->selection.formats : NULL, error) < 0)
		return -1;
	rules = settings->selection.rules;
	if (((rules && rules_need_kallsyms(rules, true)) || settings->nr_stacks > 0) &&
	    spool_save_symbols(run->spool, error) < 0)
		return -1;
	return modules_open(&run->modules, &handler, error);
}

/*
 * All files for reading and switching are open. Names in the folders of the trace.dat and of its
 * spool are still created and removed: with the rights of the user of sudo in this user's folder,
 * otherwise with a capability.
 */
static int record_run_drop_privileges(const struct record_run *run, struct error *error)
{
	char *path = strdup(run->settings->path);
	uint64_t kept = capture_privileges(&run->capture);
	bool are_owners;

	if (!path)
		return error_set(error, "out of memory");
	if (spool_keep_rights(run->spool, &are_owners, error) < 0) {
		free(path);
		return -1;
	}
	if (!are_owners)
		kept |= privilege_for_files(dirname(path));
	free(path);
	return privilege_drop(kept, error);
}

static void record_run_wait(void *context, int wake_fd, int timeout_ms)
{
	const struct record_run *run = context;

	if (run->progress.report && timeout_ms > PROGRESS_ROUND_MS)
		timeout_ms = PROGRESS_ROUND_MS;
	spool_wait(run->spool, wake_fd, timeout_ms);
}

static int record_run_read(void *context, struct error *error)
{
	struct record_run *run = context;

	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);

	capture_refill_stacks(&run->capture);
	/* Reading the state of all tracepoints costs more than moving a buffer's records. */
	if (now_ns - run->looked_ns >= LOOK_EVERY_NS) {
		run->looked_ns = now_ns;
		if (modules_look(&run->modules, error) < 0)
			return -1;
	}
	if (modules_take_in(&run->modules, error) < 0 || record_run_save_formats(run, error) < 0 ||
	    spool_read(run->spool, error) < 0)
		return -1;
	return record_run_follow_changes(run, error);
}

static void record_run_count(void *context, struct progress_counts *out)
{
	const struct record_run *run = context;

	spool_count(run->spool, &out->records);
	out->file_bytes = spool_size(run->spool);
}

static bool record_run_is_full(void *context)
{
	const struct record_run *run = context;
	uint64_t max_kib = run->settings->max_kib;

	if (max_kib == 0 || spool_size(run->spool) / 1024 < max_kib)
		return false;
	report_message(run->capture.report, "%s: reached --max-size; recording ends",
		       run->settings->path);
	return true;
}

static int record_run_loop(struct record_run *run, struct error *error)
{
	const struct read_loop loop = {
		.context = run,
		.stop = &run->capture.stop,
		.progress = &run->progress,
		.wake_fd = modules_wake_fd(&run->modules, &run->capture),
		.wait_max_ms = capture_round_ms(&run->capture, ROUND_MS),
		.wait = record_run_wait,
		.read = record_run_read,
		.count = record_run_count,
		.is_full = record_run_is_full,
	};

	/* A command may write to the terminal itself. */
	if (!run->capture.command && run->memory_kib > 0)
		progress_begin(&run->progress, run->capture.report, 1024 * run->memory_kib,
			       time_now_ns(CLOCK_BOOTTIME));
	return read_loop_run(&loop, error);
}

static void record_run_report_end(const struct record_run *run)
{
	struct buffer next = { 0 };
	const struct closing closing = {
		.object = run->settings->path,
		.count = run->nr_records,
		.things = "record",
		.has_lost = run->summary.lost > 0 || run->is_incomplete,
		.lost = run->summary.lost,
		.empty = run->capture.empty,
	};

	/* The file has the selection. */
	buffer_append_string(&next, "ktrack export --html=page.html ");
	buffer_append_word(&next, run->settings->path);
	closing_report(&closing, buffer_string(&next), run->capture.report);
	buffer_release(&next);
}

static void record_run_end_transfer(struct record_run *run, struct transfer *transfer)
{
	transfer_end(transfer);
	spool_set_progress(run->spool, NULL);
}

/* Moves all records to the spool; after a failure, the spool reports the missing ones. */
static int record_run_move(struct record_run *run, struct error *error)
{
	struct instance *recorder = run->capture.recorder;
	struct buffer_counts counts;
	struct transfer transfer;
	struct error ignored = { 0 };
	size_t nr_doubtful;
	int status = record_run_loop(run, error);

	/* Names of functions of modules that were loaded meanwhile. */
	if (status == 0 && run->capture.probes.has_tracer)
		status = spool_save_more(run->spool, &nr_doubtful, error);
	if (status == 0 && instance_stop(recorder, error) == 0 &&
	    record_run_follow_changes(run, error) == 0) {
		/* In modes that read at the end, these are all records. */
		spool_set_progress(run->spool, transfer_begin(&transfer, run->capture.report,
							      "reading the buffers", NULL));
		status = spool_finish(run->spool, &run->summary, error);
		record_run_end_transfer(run, &transfer);
		if (status == 0) {
			spool_count(run->spool, &counts);
			run->nr_records = counts.read;
			return 0;
		}
	}
	instance_stop(recorder, &ignored);
	spool_abandon(run->spool);
	return -1;
}

static int record_run_all(struct record_run *run, struct error *error)
{
	struct capture *capture = &run->capture;
	struct transfer transfer;
	int status;

	if (record_run_set_up(run, error) < 0)
		return -1;
	capture_report_memory(capture);
	if (instance_start(capture->recorder, error) < 0 ||
	    capture_start_programs(capture, error) < 0 ||
	    modules_catch_up(&run->modules, error) < 0 || record_run_save_formats(run, error) < 0 ||
	    capture_check_files(error) < 0 || capture_signal_ready(capture, error) < 0 ||
	    capture_run_command(capture, error) < 0)
		return -1;
	stop_set_deadline(&capture->stop, time_now_ns(CLOCK_BOOTTIME),
			  capture->settings->duration_ns);
	if (record_run_drop_privileges(run, error) < 0 || spool_sync(run->spool, error) < 0)
		return -1;
	if (record_run_move(run, error) < 0)
		return -1;
	record_run_report(run);
	spool_set_progress(run->spool, transfer_begin(&transfer, run->capture.report,
						      run->settings->path, NULL));
	status = spool_join(run->spool, error);
	record_run_end_transfer(run, &transfer);
	return status;
}

/* Without a selection of the kernel's or of programs' records, the group of packs. */
static int record_choose(struct record_settings *settings, struct error *error)
{
	const struct capture_settings *capture = &settings->capture;
	struct selection *selection = &settings->capture.selection;

	if (settings->takes_all && capture->instance)
		return error_set(error, "--all: would change the instance of --instance; leave out "
					"one of the two");
	if (settings->takes_all && selection_is_chosen(selection))
		return error_set(error,
				 "--all: records what -e and -r select, too; leave them out, "
				 "and give -r to 'ktrack export'");
	if (settings->takes_all) {
		selection->origin = SELECTION_ALL;
		return selection_add(selection, "*", error);
	}
	if (selection_is_chosen(selection) || capture->instance || capture->records_programs ||
	    capture->nr_probes + capture->nr_functions > 0)
		return 0;
	selection->origin = SELECTION_DEFAULT;
	return selection_add_rules(selection, RULES_DEFAULT, error);
}

int record_run(struct record_settings *settings, struct error *error)
{
	struct record_run run = { .settings = settings };
	int result, status;
	bool has_lost;

	if (record_choose(settings, error) < 0 ||
	    programs_choose_events(&settings->capture, error) < 0 ||
	    record_settings_check(settings, error) < 0)
		return STATUS_USAGE;
	capture_init(&run.capture, &settings->capture);
	result = record_run_all(&run, error);
	modules_release(&run.modules);
	spool_close(run.spool);
	capture_close(&run.capture, result, error);
	if (result == 0 && !run.capture.has_failed)
		record_run_report_end(&run);
	has_lost = run.summary.lost > 0 || run.is_incomplete;
	status = capture_status(
		&run.capture, run.settings->fails_on_loss && has_lost ? STATUS_LOST : STATUS_DONE);
	capture_end(&run.capture);
	convention_free(run.convention);
	return status;
}
