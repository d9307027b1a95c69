// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stream: outputs of a live recording. */
#include "capture/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "capture/capture.h"
#include "output/output.h"
#include "reader/reader.h"
#include "sink/sink.h"

/* Skips times that passed while an output was blocked. */
static void renewal_set_due(struct renewal *renewal, int64_t now_ns)
{
	int64_t late_ns = now_ns - renewal->due_ns;

	if (renewal->every_ns >= INT64_MAX - now_ns)
		renewal->due_ns = INT64_MAX;
	else
		renewal->due_ns += (late_ns / renewal->every_ns + 1) * renewal->every_ns;
}

void renewal_begin(struct renewal *renewal, int64_t start_ns)
{
	renewal->due_ns = start_ns;
	if (renewal->every_ns > 0)
		renewal_set_due(renewal, start_ns);
}

bool renewal_is_due(const struct renewal *renewal, int64_t now_ns)
{
	return renewal->every_ns > 0 && now_ns >= renewal->due_ns;
}

static int renewal_wait_ms(const struct renewal *renewal, int64_t now_ns, int max_ms)
{
	return renewal->every_ns > 0 ? time_left_ms(renewal->due_ns, now_ns, max_ms) : max_ms;
}

int renewal_run(struct renewal *renewal, struct pipeline *pipeline, struct recording *recording,
		int64_t now_ns, int64_t wall_offset_ns, struct error *error)
{
	struct tracks *tracks = pipeline->tracks;

	renewal_set_due(renewal, now_ns);
	tracks_drift(tracks, wall_offset_ns - recording->wall_offset_ns);
	if (tracks_suspend(tracks, now_ns, pipeline->lost - renewal->lost_before, error) < 0 ||
	    timeline_flush(&pipeline->timeline, error) < 0)
		return -1;
	renewal->lost_before = pipeline->lost;
	timeline_release(&pipeline->timeline);
	if (identity_renew(&renewal->identity, error) < 0)
		return -1;
	recording->start_ns = now_ns;
	recording->wall_offset_ns = wall_offset_ns;
	if (outputs_open(renewal->outputs, &pipeline->timeline, &renewal->identity, error) < 0 ||
	    timeline_open(&pipeline->timeline, recording, error) < 0)
		return -1;
	return tracks_resume(tracks, error);
}

/* Serves a page that follows a recording. */

/* How long pages may read after the end; shorter if a signal ended the recording. */
#define LINGER_S 60
#define LINGER_SIGNAL_S 5

/* It is reported that pages are waited for which have not read the rest after this time. */
#define QUICK_NS (500 * NS_PER_MS)

/* Longest wait between two looks at the clients' timeouts. */
#define LOOK_MS 500

int serving_open(struct serving *serving, unsigned int port, struct error *error)
{
	serving->fd = file_open_temporary(NULL);
	if (serving->fd < 0)
		return error_set_system(error, errno,
					"--serve: cannot create a temporary file in "
					"TMPDIR or /tmp");
	serving->wake_fd = -1;
	return serve_open(&serving->serve, port, error);
}

int serving_lines_fd(const struct serving *serving, struct error *error)
{
	int fd = fcntl(serving->fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? error_set_system(error, errno, "--serve: cannot write lines") : fd;
}

int serving_begin(struct serving *serving, const char *title, int fd, const struct report *report,
		  struct error *error)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (!serving->serve)
		return 0;
	sink_live_page_append(&serving->page, title);
	if (serving->page.failed)
		return error_set(error, "out of memory");
	serving->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (serving->wake_fd < 0 ||
	    epoll_ctl(serving->wake_fd, EPOLL_CTL_ADD, serve_fd(serving->serve), &event) < 0 ||
	    epoll_ctl(serving->wake_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return error_set_system(error, errno, "--serve: cannot wait for connections");
	serving->content = (struct serve_content){ .fd = serving->fd,
						   .page = buffer_text(&serving->page) };
	serve_begin(serving->serve, &serving->content);
	serving_round(serving);
	report_message(report, "%s follows this recording; open it in a browser of this machine",
		       serve_url(serving->serve));
	return 0;
}

int serving_wake_fd(const struct serving *serving, int fd)
{
	return serving->serve ? serving->wake_fd : fd;
}

void serving_round(struct serving *serving)
{
	if (serving->serve)
		serve_run(serving->serve, time_now_ns(CLOCK_MONOTONIC));
}

/* Serves until pages are done, or until another signal or a time. Returns false after the time. */
static bool serving_linger(struct serving *serving, struct stop_condition *stop, int64_t end_ns)
{
	/* Whether pages are done; whoever ended the recording by a signal opens no other one. */
	while (!(!serve_has_followers(serving->serve) &&
		 (stop->nr_requests > 0 || serve_was_read(serving->serve))) &&
	       !stop_is_asked_again(stop)) {
		struct pollfd polls[] = {
			{ .fd = stop->signals.fd, .events = POLLIN },
			{ .fd = serve_fd(serving->serve), .events = POLLIN },
		};

		if (time_now_ns(CLOCK_MONOTONIC) >= end_ns)
			return false;
		/* Waits for a request, a signal or timeouts. */
		poll(polls, 2, LOOK_MS);
		serving_round(serving);
	}
	return true;
}

void serving_finish(struct serving *serving, struct stop_condition *stop,
		    const struct report *report)
{
	bool was_signalled = stop->nr_requests > 0;
	int limit_s = was_signalled ? LINGER_SIGNAL_S : LINGER_S;
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);

	if (!serving->serve)
		return;
	serve_complete(serving->serve);
	serving_round(serving);
	if (serving_linger(serving, stop, now_ns + QUICK_NS))
		return;
	report_message(report,
		       "%s: the recording has ended; it is served for up to %d s until a "
		       "browser has read it; Ctrl-C ends ktrack at once",
		       serve_url(serving->serve), limit_s);
	serving_linger(serving, stop, now_ns + limit_s * NS_PER_S);
}

void serving_release(struct serving *serving)
{
	if (!serving->serve)
		return;
	serve_close(serving->serve);
	file_close(serving->fd);
	file_close(serving->wake_fd);
	buffer_release(&serving->page);
}

/* ktrack stream: starts, reads in rounds, stops and finishes. */

/* Longest time in ms that a record waits for being read. */
#define LATENCY_MS 50

/* Longest wait of a round in ms: disabled tracepoints are noticed within this time. */
#define ROUND_MS 1000

static size_t pending_due(const struct stream_run *run, int64_t until_ns)
{
	size_t size = 0;

	while (size < run->nr_pending && run->pending[size].time_ns <= until_ns)
		size++;
	return size;
}

static int records_deliver(struct stream_run *run, int64_t until_ns, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);

	if (source_drain(run->source, until_ns, &handler, error) < 0)
		return -1;
	return pipeline_report_unknown(&run->pipeline, error);
}

/* Deliver all records up to a time in the past; returns -1 with @error. */
static int stream_run_deliver(struct stream_run *run, int64_t until_ns, struct error *error)
{
	struct modules *modules = &run->modules;
	struct tracks *tracks = run->pipeline.tracks;
	size_t size;

	while ((size = pending_due(run, until_ns)) > 0) {
		int64_t time_ns = run->pending[size - 1].time_ns;

		/* Passes the first events at once, after all records up to the last of them. */
		if (records_deliver(run, time_ns, error) < 0)
			return -1;
		for (size_t i = 0; i < size; i++) {
			const struct pending_event one = run->pending[i];
			struct timeline_event passed = { .kind = TIMELINE_TRACEPOINT,
							 .tracepoint = one.tracepoint,
							 .recorded = one.recorded };

			if (tracks_pass(tracks, &passed, time_ns, error) < 0)
				return -1;
			if (one.recorded == TIMELINE_RECORDED_UNTIL_NOW && one.descriptor &&
			    tracks_drop(tracks, one.descriptor, error) < 0)
				return -1;
		}
		run->nr_pending -= size;
		memmove(run->pending, run->pending + size, run->nr_pending * sizeof(*run->pending));
		if (tracks_close_dropped(tracks, time_ns, error) < 0)
			return -1;
	}
	if (modules->doubtful_ns && modules->doubtful_ns <= until_ns) {
		if (records_deliver(run, modules->doubtful_ns, error) < 0)
			return -1;
		modules_trust(modules);
	}
	if (records_deliver(run, until_ns, error) < 0)
		return -1;
	run->drained_ns = until_ns;
	return 0;
}

/* Delivers all records up to a time, and flushes the outputs. */
static int stream_run_drain(struct stream_run *run, int64_t until_ns, struct error *error)
{
	if (stream_run_deliver(run, until_ns, error) < 0)
		return -1;
	return timeline_flush(&run->pipeline.timeline, error);
}

static int stream_run_report_command(struct stream_run *run, struct error *error)
{
	struct timeline_event begin = { .kind = TIMELINE_COMMAND_BEGIN };

	if (!run->capture.command)
		return 0;
	begin.argv = command_argv(run->capture.command);
	/* Records before the start of the command come first. */
	if (stream_run_drain(run, run->command_ns, error) < 0)
		return -1;
	return tracks_pass(run->pipeline.tracks, &begin, run->command_ns, error);
}

/*
 * All files are open, except for those that later sessions, databases and Prometheus create: with
 * the rights of the user of sudo, to whom they belong, maybe in another user's folder.
 */
static int stream_run_drop_privileges(struct stream_run *run, struct error *error)
{
	uint64_t kept = capture_privileges(&run->capture);
	struct owner owner = { 0 };
	unsigned int user, group;
	int status = 0;

	if (run->settings->session_ns > 0 ||
	    output_settings_create_files(&run->settings->outputs)) {
		kept |= PRIVILEGE(CAP_DAC_OVERRIDE);
		if (output_owner(&user, &group)) {
			kept |= PRIVILEGE(CAP_CHOWN);
			status = owner_init(&owner, user, group);
			if (status == 0)
				status = owner_settle(&owner);
			if (status < 0)
				error_set_system(error, errno, "cannot act as user %u", user);
			owner_release(&owner);
		}
	}
	return status < 0 ? -1 : privilege_drop(kept, error);
}

/* Fill the description of the recording; returns -1 with @error. */
static int stream_run_describe(struct stream_run *run, struct error *error)
{
	const struct capture_settings *capture = &run->settings->capture;
	struct recording *recording = &run->recording;

	*recording = *source_describe(run->source);
	recording->command = "stream";
	recording->argv = run->settings->argv;
	recording->source = instance_name(run->capture.recorder);
	recording->id = run->id;
	recording->mode = capture->mode->name;
	buffer_clear(&run->selected);
	selection_describe(&run->settings->capture.selection, &run->selected);
	/* Programs alone need no selection. */
	recording->selection = capture_records_kernel(capture) ? buffer_string(&run->selected)
							       : NULL;
	recording->labels = capture->labels.size > 0 ? capture->labels.data : NULL;
	recording->memory_kib = instance_memory_kib(run->capture.recorder);
	recording->wall_offset_ns = capture_wall_offset_ns(&run->capture);
	if (!instance_is_attached(run->capture.recorder)) {
		recording->clock = capture->clock;
		recording->time_source = "realtime";
		recording->buffer_kib = capture->buffer_kib;
		recording->start_ns = capture_now_ns(&run->capture);
	} else {
		/* The settings of an existing instance are those of its source. */
		if (!recording->clock)
			recording->clock = "unknown";
		if (source_start_time(run->source, &recording->start_ns, error) < 0)
			return -1;
	}
	identity_id(run->id, recording->source, recording->start_ns);
	renewal_begin(&run->renewal, recording->start_ns);
	return 0;
}

/*
 * Follows changes of modules: the stream has an event for each one, in its place.
 *
 * When a module is unloaded, the kernel empties all buffers that ever had records of it, and resets
 * its statistics. If its tracepoints are released first, all their records are delivered and their
 * losses counted before. Then only records that others write to the same buffers meanwhile are
 * lost.
 */

static int pending_add(struct stream_run *run, const char *tracepoint,
		       const struct descriptor *descriptor, enum timeline_recorded recorded,
		       struct error *error)
{
	if (!array_reserve(run->pending, run->nr_pending))
		return error_set(error, "out of memory");
	run->pending[run->nr_pending++] =
		(struct pending_event){ .time_ns = capture_now_ns(&run->capture),
					.tracepoint = tracepoint,
					.descriptor = descriptor,
					.recorded = recorded };
	return 0;
}

/* Record modules that were loaded during the set-up. */
static int stream_run_catch_up(struct stream_run *run, struct error *error)
{
	const struct convention *convention = run->pipeline.convention;
	const struct rules *rules = run->pipeline.rules;
	bool waits = run->settings->capture.selection.waits;

	if (!run->capture.recorder || instance_is_attached(run->capture.recorder))
		return 0;
	for (size_t i = 0; waits && i < convention_size(convention); i++) {
		const struct descriptor *descriptor = convention_descriptor(convention, i);

		if (pending_add(run, descriptor->category, descriptor, TIMELINE_RECORDED_FROM_NOW,
				error) < 0)
			return -1;
	}
	for (size_t i = 0; waits && rules && i < rules->nr_tracepoints; i++) {
		if (pending_add(run, rules->tracepoints[i]->category, NULL,
				TIMELINE_RECORDED_FROM_NOW, error) < 0)
			return -1;
	}
	return modules_catch_up(&run->modules, error);
}

/* Time of the records' clock. */
static int64_t stream_run_now_ns(const struct stream_run *run)
{
	if (run->capture.has_clock)
		return capture_now_ns(&run->capture);
	return run->source ? source_now_ns(run->source) : run->drained_ns;
}

/* The duration starts now. */
static void stream_run_set_deadline(struct stream_run *run)
{
	stop_set_deadline(&run->capture.stop, time_now_ns(CLOCK_BOOTTIME),
			  run->settings->capture.duration_ns);
}

/*
 * Files are truncated before the command runs, which may write to them, and after everything that
 * can fail; the first line is written when the command runs.
 */
static int stream_run_start(struct stream_run *run, struct error *error)
{
	const struct outputs *outputs = &run->outputs;

	if (stream_run_describe(run, error) < 0)
		return -1;
	if (!outputs->set.has_terminal)
		capture_report_memory(&run->capture);
	if (outputs->has_chosen_perf)
		report_hint(run->capture.report,
			    "standard output: PERF lines, because it is a terminal; add --event "
			    "for EVENT lines");
	clock_order_check(&run->recording, run->capture.report);
	if (outputs->shows_dates)
		wall_clock_check(&run->recording, true, run->capture.report);
	if (instance_start(run->capture.recorder, error) < 0 ||
	    capture_start_programs(&run->capture, error) < 0 ||
	    stream_run_catch_up(run, error) < 0 || capture_check_files(error) < 0 ||
	    capture_signal_ready(&run->capture, error) < 0)
		return -1;
	run->command_ns = stream_run_now_ns(run);
	if (output_set_begin(&outputs->set, error) < 0 ||
	    capture_run_command(&run->capture, error) < 0)
		return -1;
	/* Until here it limited how long targets are waited for. */
	stream_run_set_deadline(run);
	if (pipeline_open(&run->pipeline, run->source, &run->recording, outputs->settings->with,
			  error) < 0 ||
	    serving_begin(&run->serving, run->recording.source,
			  modules_wake_fd(&run->modules, &run->capture), run->capture.report,
			  error) < 0 ||
	    stream_run_drop_privileges(run, error) < 0)
		return -1;
	if (run->settings->watcher)
		run->settings->watcher->begin(run->settings->watcher->context);
	return stream_run_is_circular(run) ? 0 : stream_run_report_command(run, error);
}

/* The interactive view of the outputs; NULL for none. */
static struct stat_top *stream_run_top(const struct stream_run *run)
{
	const struct sink_stat_settings *stat = run->settings->outputs.stat;

	return stat ? stat->top : NULL;
}

static void stream_run_count(void *context, struct progress_counts *out)
{
	const struct stream_run *run = context;

	source_count(run->source, &out->records);
	out->file_bytes = 0;
}

static void stream_run_wait(void *context, int wake_fd, int timeout_ms)
{
	struct stream_run *run = context;
	const struct stream_watcher *watcher = run->settings->watcher;

	if (watcher)
		timeout_ms = watcher->wait_ms(watcher->context, timeout_ms);
	timeout_ms = renewal_wait_ms(&run->renewal, run->drained_ns, timeout_ms);
	if (stream_run_top(run))
		timeout_ms = stat_top_wait_ms(stream_run_top(run), timeout_ms);
	source_wait(run->source, wake_fd, timeout_ms, stream_run_is_circular(run) ? 0 : LATENCY_MS);
}

/* Ignore records from now on; returns -1 with @error. */
static int stream_run_stop_recording(struct stream_run *run, struct error *error)
{
	capture_stop_programs(&run->capture);
	if (instance_stop(run->capture.recorder, error) < 0)
		return -1;
	if (instance_is_attached(run->capture.recorder))
		source_freeze(run->source);
	return 0;
}

/* Process changes of our instance by other programs. */
static int stream_run_follow_changes(struct stream_run *run, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);
	struct modules *modules = &run->modules;
	int status = 0;

	modules_look_changes(modules);
	if (modules->was_reclocked && !run->capture.has_failed) {
		struct error ignored = { 0 };

		/* Restoring the clock empties the buffers of records with another clock. */
		source_cut(run->source);
		stream_run_stop_recording(run, &ignored);
		instance_restore_clock(run->capture.recorder);
		run->capture.has_failed = true;
		stop_now(&run->capture.stop);
	}
	for (int kind = 0; kind < INSTANCE_KINDS && status == 0; kind++) {
		bool was_read = !modules->had_unread[kind];

		if (!modules->has_gone[kind])
			continue;
		modules->has_gone[kind] = modules->had_unread[kind] = false;
		status = source_start_over(run->source, kind, was_read,
					   capture_now_ns(&run->capture), &handler, error);
	}
	return status;
}

/* While records are delivered, more tracepoints may be released. */
static int stream_run_release_tracepoints(struct stream_run *run, struct error *error)
{
	struct releasing_list *releasing = &run->modules.releasing;
	size_t passed = 0;

	while (passed < releasing->size) {
		for (; passed < releasing->size; passed++) {
			const struct releasing *one = &releasing->list[passed];

			if (pending_add(run, one->category, one->descriptor,
					TIMELINE_RECORDED_UNTIL_NOW, error) < 0)
				return -1;
		}
		if (stream_run_deliver(run, capture_now_ns(&run->capture), error) < 0)
			return -1;
	}
	modules_drop_releasing(&run->modules);
	if (source_settle(run->source, error) < 0)
		return -1;
	instance_release_events(run->capture.recorder);
	return 0;
}

/* Process changes of modules; returns -1 with @error. */
static int stream_run_follow_modules(struct stream_run *run, struct error *error)
{
	struct modules *modules = &run->modules;

	if (modules_look(modules, error) < 0 || stream_run_follow_changes(run, error) < 0)
		return -1;
	if (modules_take_in(modules, error) < 0)
		return -1;
	return modules->releasing.size > 0 && !stream_run_is_circular(run)
		       ? stream_run_release_tracepoints(run, error)
		       : 0;
}

static int stream_run_read(void *context, struct error *error)
{
	struct stream_run *run = context;
	const struct stream_watcher *watcher = run->settings->watcher;

	if (stream_run_top(run) && stat_top_is_over(stream_run_top(run)))
		stop_now(&run->capture.stop);
	capture_refill_stacks(&run->capture);
	if (renewal_is_due(&run->renewal, run->drained_ns) &&
	    renewal_run(&run->renewal, &run->pipeline, &run->recording, run->drained_ns,
			capture_wall_offset_ns(&run->capture), error) < 0)
		return -1;
	if (stream_run_follow_modules(run, error) < 0 ||
	    stream_run_drain(run, stream_run_now_ns(run), error) < 0)
		return -1;
	serving_round(&run->serving);
	/* Other outputs become complete. */
	if (run->pipeline.timeline.nr_unread > 0)
		stop_now(&run->capture.stop);
	return watcher ? watcher->read(watcher->context, error) : 0;
}

/* Only the sideband buffer is read before the end. */
static int stream_run_read_sideband(void *context, struct error *error)
{
	struct stream_run *run = context;

	capture_refill_stacks(&run->capture);
	source_read_ahead(run->source);
	return stream_run_follow_modules(run, error);
}

static int stream_run_loop(struct stream_run *run, struct error *error)
{
	bool is_circular = stream_run_is_circular(run);
	struct stat_top *top = stream_run_top(run);
	struct read_loop loop = {
		.context = run,
		.stop = &run->capture.stop,
		.progress = &run->progress,
		.wake_fd = serving_wake_fd(&run->serving,
					   modules_wake_fd(&run->modules, &run->capture)),
		.wait_max_ms = capture_round_ms(&run->capture, ROUND_MS),
		.wait = stream_run_wait,
		.read = is_circular ? stream_run_read_sideband : stream_run_read,
		.count = stream_run_count,
	};
	uint64_t buffers_kib;
	bool is_free;

	if (top)
		loop.wake_fd = stat_top_watch(top, loop.wake_fd, error);
	if (loop.wake_fd < 0)
		return -1;
	buffers_kib = (run->recording.buffer_kib + capture_convention_kib(run->capture.settings)) *
		      run->recording.nr_cpus;
	is_free = !run->outputs.set.has_terminal || top;
	/* The stream or the command may write to the terminal itself. */
	if (is_free && !run->capture.command && buffers_kib > 0 && !is_circular)
		progress_begin(&run->progress, run->capture.report, 1024 * buffers_kib,
			       time_now_ns(CLOCK_BOOTTIME));
	return read_loop_run(&loop, error);
}

static int stream_run_report_command_end(struct stream_run *run, int64_t time_ns,
					 struct error *error)
{
	struct timeline_event end = { .kind = TIMELINE_COMMAND_END };
	struct command *command = run->capture.command;

	if (!command || run->has_command_end || !command_has_ended(command))
		return 0;
	run->has_command_end = true;
	end.pid = command_pid(command);
	end.status = command_status(command);
	return tracks_pass(run->pipeline.tracks, &end, time_ns, error);
}

static void stream_run_report_loss(const struct stream_run *run)
{
	const struct capture *capture = &run->capture;
	bool is_attached = instance_is_attached(capture->recorder);
	const struct programs_counts programs = capture_count_programs(capture);
	/* A larger buffer helps only if records did not fit, not if they are overwritten. */
	bool is_small = run->pipeline.lost > run->pipeline.nr_unknown + programs.lost &&
			capture->recorder && !stream_run_is_circular(run);
	struct loss_summary loss = {
		.object = is_attached ? instance_name(capture->recorder) : NULL,
		.has_lost = run->pipeline.has_lost,
		.records = run->pipeline.lost,
		.gaps = run->pipeline.nr_gaps,
		.gaps_unknown = run->pipeline.nr_gaps_unknown,
		.has_convention = instance_companion(capture->recorder, INSTANCE_CONVENTION),
		.convention_lost = run->pipeline.lost_convention,
		.programs_lost = programs.in_rings,
		.program_ring_kib = capture->settings->program_ring_kib,
		.is_attached = is_attached,
		.is_failure = capture_is_lost(capture, run->settings->outputs.fails_on_loss),
	};
	uint64_t lost_sideband = source_lost_sideband(run->source);

	tracks_lose_tasks(run->pipeline.tracks, lost_sideband);
	loss_report_sideband(lost_sideband, capture->report);
	if (is_small)
		capture_loss_size(capture, &loss);
	loss_summary_report(&loss, capture->report);
}

/* An existing instance may have records of any kind, or none. */
static void stream_run_report_others(struct stream_run *run)
{
	const struct instance *recorder = run->capture.recorder;
	struct pipeline *pipeline = &run->pipeline;
	bool is_empty = run->settings->session_ns == 0 && !pipeline->has_lost &&
			tracks_are_unused(pipeline->tracks);

	if (!instance_is_attached(recorder))
		return;
	other_records_report(&pipeline->others,
			     &(struct other_source){ .source = run->source,
						     .convention = pipeline->convention,
						     .name = instance_name(recorder),
						     .directory = instance_directory(recorder) },
			     is_empty, run->capture.report);
}

static int stream_run_stop(struct stream_run *run, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);
	int64_t over_ns = stream_run_now_ns(run);
	int64_t end_ns, from_ns, start_ns = run->recording.start_ns;
	uint64_t lost;
	const struct report *report;

	if (stream_run_stop_recording(run, error) < 0 || stream_run_follow_changes(run, error) < 0)
		return -1;
	source_hold(run->source, false);
	report = run->outputs.set.has_terminal ? NULL : run->capture.report;
	/* The stream may write to the terminal itself. */
	source_set_progress(run->source,
			    transfer_begin(&run->transfer, report, "reading the buffers",
					   &run->pipeline.nr_events));
	/* Delivers the records up to @over_ns, when the end was noticed. */
	if (stream_run_is_circular(run) && (stream_run_report_command(run, error) < 0 ||
					    stream_run_drain(run, over_ns, error) < 0))
		return -1;
	if (stream_run_report_command_end(run, run->drained_ns, error) < 0)
		return -1;
	end_ns = stream_run_now_ns(run);
	if (source_finish(run->source, end_ns, &handler, &lost, error) < 0 ||
	    stream_run_follow_changes(run, error) < 0 ||
	    pipeline_report_unknown(&run->pipeline, error) < 0)
		return -1;
	run->drained_ns = end_ns;
	/* The command, too. */
	source_set_progress(run->source, NULL);
	if (run->capture.command)
		transfer_end(&run->transfer);
	else
		transfer_note(&run->transfer, "writing the rest");
	from_ns = run->pipeline.lost_until_ns;
	stream_run_report_loss(run);
	stream_run_report_others(run);
	if (stream_run_is_circular(run))
		tracks_complete_from(run->pipeline.tracks, from_ns > start_ns ? from_ns : start_ns);
	if (tracks_end_all(run->pipeline.tracks, end_ns, error) < 0)
		return -1;
	return timeline_flush(&run->pipeline.timeline, error);
}

static int stream_run_open_source(struct stream_run *run, struct error *error)
{
	const struct instance *recorder = run->capture.recorder;
	struct instance_paths paths;

	run->pipeline.counts_others = instance_is_attached(recorder) &&
				      selection_is_empty(&run->settings->capture.selection);
	run->pipeline.rules = run->settings->capture.selection.rules;
	run->pipeline.report = run->capture.report;
	run->pipeline.workload = run->capture.workload;
	if (instance_is_attached(recorder)) {
		struct capture *capture = &run->capture;
		const struct recording *recording;

		/* An existing instance keeps its clock. */
		paths = instance_directories(recorder);
		if (source_attached_open(&run->source, &paths, error) < 0)
			return -1;
		recording = source_describe(run->source);
		capture->has_clock = recording->clock &&
				     trace_clock_find(recording->clock, &capture->clock);
		if (run->settings->session_ns > 0 && recording->counts_ticks)
			return error_set(
				error,
				"--session-every: the clock of %s is %s, not a time; leave it out",
				instance_name(capture->recorder), recording->clock);
		return 0;
	}
	if (!recorder)
		return source_programs_open(&run->source, run->capture.programs, error);
	paths = instance_directories(recorder);
	if (source_live_open(&run->source, &paths, run->capture.recorder, error) < 0)
		return -1;
	if (run->capture.programs &&
	    source_add_programs(run->source, run->capture.programs, error) < 0)
		return -1;
	source_hold(run->source, stream_run_is_circular(run));
	return 0;
}

/* Sets up a run of ktrack stream. */

/* Names of functions and of system calls; programs that are executed later are found by records. */
static int stream_run_read_names(struct stream_run *run, struct error *error)
{
	struct selection *selection = &run->settings->capture.selection;
	struct rules *rules = selection->rules;
	struct late_symbols *late;
	struct buffer threads = { 0 };
	struct error problem = { 0 };

	if (selection_read_functions(selection, run->source, run->capture.report, error) < 0)
		return -1;
	/* Without them, functions of modules that are loaded later are shown as addresses. */
	if (rules && rules->kallsyms) {
		if (late_symbols_open(&late, NULL, NULL, &problem) == 0)
			rules_set_late_symbols(rules, late);
		else
			report_error(run->capture.report, &problem);
	}
	if (!rules || !rules_name_calls(rules))
		return 0;
	narrow_threads_append(&threads);
	rules_add_narrow(rules, buffer_string(&threads));
	buffer_release(&threads);
	return 0;
}

static int tracepoint_came(void *context, const char *tracepoint,
			   const struct descriptor *descriptor, bool is_early, struct error *error)
{
	const struct stream_run *run = context;
	const struct stream_watcher *watcher = run->settings->watcher;

	if (watcher)
		watcher->came(watcher->context);
	return pending_add(context, tracepoint, descriptor,
			   is_early ? TIMELINE_RECORDED_FROM_LOAD : TIMELINE_RECORDED_FROM_NOW,
			   error);
}

static int tracepoint_went(void *context, const char *tracepoint,
			   const struct descriptor *descriptor, struct error *error)
{
	return pending_add(context, tracepoint, descriptor, TIMELINE_RECORDED_UNTIL_NOW, error);
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

/* Choose tracepoints, and open everything; returns -1 with @error. */
static int stream_run_set_up(struct stream_run *run, struct error *error)
{
	struct capture *capture = &run->capture;
	struct capture_settings *settings = &run->settings->capture;
	const struct stream_watcher *watcher = run->settings->watcher;
	const struct modules_handler handler = { .context = run,
						 .came = tracepoint_came,
						 .went = tracepoint_went };

	run->pipeline.convention = convention_new(false);
	if (!run->pipeline.convention)
		return error_set(error, "out of memory");
	if (!run->settings->outputs.stat)
		convention_want_symbols(run->pipeline.convention, true);
	settings->selection.tasks = settings->instance ? TASK_FORMATS_ALL : TASK_FORMATS_SIDEBAND;
	if (capture_prepare(capture, error) < 0 ||
	    modules_watch(&run->modules, capture, run->pipeline.convention, error) < 0 ||
	    capture_choose(capture, run->pipeline.convention, error) < 0 ||
	    identity_init(&run->renewal.identity, "stream", run->settings->outputs.sid, error) <
		    0 ||
	    capture_open(capture, run->pipeline.convention, false, error) < 0 ||
	    stream_run_open_source(run, error) < 0 || stream_run_read_names(run, error) < 0)
		return -1;
	if (settings->nr_stacks > 0 &&
	    stacks_open(&run->pipeline.stacks, run->source, settings->selection.rules,
			capture->report, error) < 0)
		return -1;
	stacks_read_functions(&run->pipeline.stacks);
	/* Follows modules from now on. */
	if (capture->recorder && !instance_is_attached(capture->recorder)) {
		if (modules_open(&run->modules, &handler, error) < 0)
			return -1;
		run->pipeline.follower = (struct pipeline_follower){ .context = &run->modules,
								     .find = modules_find,
								     .change = modules_change };
	}
	/* The targets are opened last: only a recording that starts replaces their content. */
	stream_run_set_deadline(run);
	if (watcher)
		return watcher->open(watcher->context, run, error);
	if (run->settings->outputs.serves) {
		if (serving_open(&run->serving, run->settings->outputs.port, error) < 0)
			return -1;
		run->outputs.lines_fd = serving_lines_fd(&run->serving, error);
		run->outputs.lines_max = SERVING_SIZE_MAX;
		if (run->outputs.lines_fd < 0)
			return -1;
	}
	run->outputs.set.wait = (struct file_wait){ .wait = stream_run_await_output,
						    .context = run };
	return outputs_open(&run->outputs, &run->pipeline.timeline, &run->renewal.identity, error);
}

static int stream_run_status(const struct stream_run *run)
{
	const struct output_losses losses = pipeline_losses(&run->pipeline);

	return capture_status(&run->capture, outputs_status(&run->outputs, &losses));
}

/* The stream ends with the command, which may end after the recording. */
static int stream_run_finish(struct stream_run *run, struct error *error)
{
	int64_t end_ns = stream_run_now_ns(run);
	struct output_losses losses;

	if (stream_run_report_command_end(run, end_ns, error) < 0)
		return -1;
	tracks_drift(run->pipeline.tracks,
		     capture_wall_offset_ns(&run->capture) - run->recording.wall_offset_ns);
	if (tracks_finish(run->pipeline.tracks, end_ns,
			  run->pipeline.lost - run->renewal.lost_before, stream_run_status(run),
			  error) < 0 ||
	    timeline_flush(&run->pipeline.timeline, error) < 0)
		return -1;
	tracks_report_endless(run->pipeline.tracks, "recorded", run->settings->capture.report);
	transfer_end(&run->transfer);
	losses = pipeline_losses(&run->pipeline);
	return outputs_report_budgets(&run->outputs, &losses, error);
}

static void stream_run_append_next(const struct stream_run *run, struct buffer *out)
{
	const struct stream_settings *settings = run->settings;
	const struct selection *selection = &settings->capture.selection;

	if (closing_append_view(out, &settings->outputs))
		return;
	if (settings->outputs.serves) {
		buffer_append_string(out, "the button \"save\" of the page keeps it");
		return;
	}
	buffer_append_string(out, sudo_prefix());
	closing_append_command(out, settings->outputs.stat ? "record" : "stream --html=page.html",
			       selection, NULL);
	if (settings->capture.records_programs)
		buffer_append_string(out, " --programs");
	buffer_append_string(out, settings->outputs.stat ? " keeps records in a file"
							 : " draws a timeline");
}

int stream_run(struct stream_settings *settings, struct error *error)
{
	struct stream_run run = {
		.settings = settings,
		.pipeline = { .limits = settings->limits },
		.renewal = { .outputs = &run.outputs, .every_ns = settings->session_ns },
	};
	int result, status;
	bool is_unread;

	if (programs_choose_events(&settings->capture, error) < 0 ||
	    stream_settings_check(settings, error) < 0)
		return STATUS_USAGE;
	if (settings->outputs.why && selection_add_why(&settings->capture.selection, error) < 0)
		return STATUS_FAILED;
	/* A live source has what the selection names. */
	if (settings->capture.selection.origin == SELECTION_ALL)
		settings->capture.selection.origin = SELECTION_DEFAULT;
	settings->outputs.counts = output_settings_show_overview(&settings->outputs);
	settings->outputs.explains = output_settings_show_explanations(&settings->outputs) &&
				     selection_has_states(&settings->capture.selection);
	capture_init(&run.capture, &settings->capture);
	outputs_init(&run.outputs, &settings->outputs, settings->capture.report);
	result = stream_run_set_up(&run, error) < 0 || stream_run_start(&run, error) < 0 ||
				 stream_run_loop(&run, error) < 0
			 ? -1
			 : stream_run_stop(&run, error);
	/* Ends without a message, when the command has ended, too. */
	is_unread = error_is_unread(error);
	if (is_unread)
		*error = (struct error){ 0 };
	if (settings->watcher)
		settings->watcher->end(settings->watcher->context);
	modules_release(&run.modules);
	free(run.pending);
	run.pending = NULL;
	run.nr_pending = 0;
	source_close(run.source);
	run.source = NULL;
	capture_close(&run.capture, result, error);
	if (result == 0 && stream_run_finish(&run, error) < 0)
		run.capture.has_failed = true;
	if (result == 0 && !run.capture.has_failed && !settings->watcher) {
		struct pipeline_counts counts = { 0 };
		struct buffer next = { 0 };

		pipeline_add_counts(&run.pipeline, &counts);
		stream_run_append_next(&run, &next);
		pipeline_report_end(&counts, &run.settings->outputs, "recorded",
				    buffer_string(&next), run.capture.empty,
				    run.settings->capture.report);
		buffer_release(&next);
	}
	if (result == 0)
		serving_finish(&run.serving, &run.capture.stop, run.capture.report);
	status = stream_run_status(&run);
	if (is_unread || run.pipeline.timeline.nr_unread > 0)
		error_set(error, "%s", UNREAD_OUTPUT);
	transfer_end(&run.transfer);
	capture_end(&run.capture);
	pipeline_release(&run.pipeline);
	identity_release(&run.renewal.identity);
	outputs_release(&run.outputs);
	buffer_release(&run.selected);
	serving_release(&run.serving);
	return status;
}
