// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktrack watch: a stream without outputs, whose sub-buffers are kept in memory. Triggers open a
 * window of time, which is written when it has passed.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/narrow.h"
#include "capture/watch_state.h"
#include "output/output.h"

/* After the end there are no records any more. */
static int watch_fire(void *context, const struct trigger_firing *firing)
{
	struct watch_run *watch = context;
	struct recent_span span;

	if (!watch->spool)
		return 0;
	span = watch_span(watch);
	return watch_windows_add(&watch->windows, firing, &span,
				 capture_wall_offset_ns(&watch->stream->capture));
}

static bool watch_take_signal(void *context, int number)
{
	struct watch_run *watch = context;

	watch->is_requested |= number == SIGUSR1;
	watch->is_reopening |= number == SIGHUP;
	return number == SIGUSR1 || number == SIGHUP;
}

static void watch_begin(void *context)
{
	struct watch_run *watch = context;

	spool_clear_recent(watch->spool, watch->stream->command_ns);
	watch_report_begin(watch);
}

static void watch_came(void *context)
{
	struct watch_run *watch = context;

	watch->has_new_formats = true;
	watch->persistent.is_behind = watch->persistent.spool != NULL;
}

static int64_t watch_due_ns(const struct watch_run *watch)
{
	int64_t trigger_ns = trigger_set_due_ns(watch->triggers);
	int64_t window_ns = watch_writer_is_busy(&watch->writer)
				    ? INT64_MAX
				    : watch_windows_next_ns(&watch->windows);

	return trigger_ns < window_ns ? trigger_ns : window_ns;
}

/* The time of the trace clock is that of the records. */
static int watch_wait_ms(void *context, int timeout_ms)
{
	const struct watch_run *watch = context;
	int64_t left_ns = watch_due_ns(watch) - capture_now_ns(&watch->stream->capture);

	timeout_ms = notify_wait_ms(&watch->notify, time_now_ns(CLOCK_MONOTONIC), timeout_ms);
	if (left_ns >= timeout_ms * NS_PER_MS)
		return timeout_ms;
	return left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS) + 1;
}

static int watch_save_formats(struct watch_run *watch, struct error *error)
{
	size_t nr_doubtful;

	if (!watch->has_new_formats)
		return 0;
	watch->has_new_formats = false;
	return spool_save_more(watch->spool, &nr_doubtful, error);
}

static int watch_write(struct watch_run *watch, struct watch_window *window, struct error *error)
{
	const struct watch_settings *settings = watch->settings;
	bool has_hook = settings->hook && watch_writer_has_hook(&watch->writer);
	const struct watch_job job = {
		.spool = watch->spool,
		.folder = &watch->folder,
		.limits = &watch->settings->retention,
		.window = window,
		.hook = has_hook ? buffer_string(&watch->hook) : NULL,
		.signals = &watch->stream->capture.stop.signals.before,
	};

	if (settings->hook && !has_hook)
		report_message(watch->report, "%s: %d of them still run; it is left out once",
			       settings->hook, WATCH_HOOKS_MAX);
	return watch_writer_start(&watch->writer, &job, error);
}

/* A recording that cannot be written does not end the run. */
static void watch_take_result(struct watch_run *watch)
{
	struct watch_result result;

	if (!watch_writer_take(&watch->writer, &result))
		return;
	watch_report_result(watch, &watch->windows.list[0], &result);
	watch_windows_drop(&watch->windows);
}

static int watch_serve_windows(struct watch_run *watch, int64_t delivered_ns, bool is_over,
			       struct error *error)
{
	struct recent_span span = watch_span(watch);
	struct error problem = { 0 };
	struct watch_window *window;

	watch_take_result(watch);
	if (watch_writer_is_busy(&watch->writer))
		return 0;
	window = watch_windows_due(&watch->windows, delivered_ns, &span, is_over);
	if (!window)
		return 0;
	if (watch_save_formats(watch, error) < 0)
		return -1;
	if (watch_write(watch, window, &problem) == 0)
		return 0;
	report_message(watch->report, "%s; a recording is missing", problem.text);
	watch_windows_drop(&watch->windows);
	return 0;
}

/*
 * A reader that fell behind reads more in one round than memory holds: a recording is written when
 * its last record is delivered, before younger records replace its first.
 */
static int watch_take_page(void *context, const struct tapped_page *page, struct error *error)
{
	struct watch_run *watch = context;

	if (trigger_set_advance(watch->triggers, page->delivered_ns) < 0)
		return error_set(error, "out of memory");
	if (watch->windows.size > 0 &&
	    watch_serve_windows(watch, page->delivered_ns, false, error) < 0)
		return -1;
	return spool_take(watch->spool, page->cpu, page->is_sideband, page->bytes, page->size,
			  error);
}

/* The spool has what decodes the records, and what was selected. */
static int watch_open_spool(struct watch_run *watch, struct error *error)
{
	struct capture *capture = &watch->stream->capture;
	const struct rules *rules = capture->settings->selection.rules;

	if (spool_new_recent(&watch->spool, capture->recorder, NULL,
			     watch->settings->keep_kib * 1024, error) < 0 ||
	    spool_describe_capture(watch->spool, capture, error) < 0)
		return -1;
	if ((rules && rules_need_kallsyms(rules)) || capture->settings->nr_stacks > 0)
		return spool_save_symbols(watch->spool, error);
	return 0;
}

static int watch_open(void *context, struct stream_run *run, struct error *error)
{
	struct watch_run *watch = context;
	const struct source_tap tap = { .context = watch, .take = watch_take_page };
	struct sink *sink;

	watch->stream = run;
	if (watch_open_spool(watch, error) < 0 ||
	    persistent_start(&watch->persistent, watch->settings->persistent, watch->folder.path,
			     &run->capture, error) < 0)
		return -1;
	source_set_tap(run->source, &tap);
	run->capture.stop.take = watch_take_signal;
	run->capture.stop.context = watch;
	sink = trigger_sink_new(watch->triggers, error);
	return sink ? timeline_add(&run->pipeline.timeline, sink, error) : -1;
}

static int watch_serve_signals(struct watch_run *watch)
{
	struct recent_span span = watch_span(watch);
	int status = 0;

	if (watch->is_reopening)
		watch_reopen(watch);
	watch->is_reopening = false;
	if (watch->is_requested)
		status = watch_windows_request(&watch->windows, "SIGUSR1",
					       watch->stream->drained_ns, &span,
					       capture_wall_offset_ns(&watch->stream->capture));
	watch->is_requested = false;
	return status;
}

static int watch_read(void *context, struct error *error)
{
	struct watch_run *watch = context;

	if (trigger_set_advance(watch->triggers, watch->stream->drained_ns) < 0 ||
	    watch_serve_signals(watch) < 0)
		return error_set(error, "out of memory");
	if (watch_serve_windows(watch, watch->stream->drained_ns, false, error) < 0)
		return -1;
	persistent_serve(&watch->persistent, watch->stream->capture.recorder, watch->report);
	watch_report_state(watch);
	return 0;
}

/* A second signal gives up recordings that are not written yet. */
static void watch_await_writer(struct watch_run *watch)
{
	struct stop_condition *stop = &watch->stream->capture.stop;
	struct pollfd polls[] = {
		{ .fd = watch->writer.fd, .events = POLLIN },
		{ .fd = stop->signals.fd, .events = POLLIN },
	};

	poll(polls, 2, -1);
	stop_is_due(stop, 0);
	if (stop->nr_requests <= 1)
		return;
	watch_writer_kill(&watch->writer);
	report_message(watch->report, "interrupted; %zu recording%s not written",
		       watch->windows.size, watch->windows.size == 1 ? " is" : "s are");
	while (watch->windows.size > 0)
		watch_windows_drop(&watch->windows);
}

/* Recordings of triggers that have fired are still written. */
static void watch_finish(struct watch_run *watch)
{
	struct error error = { 0 };

	notify_send(&watch->notify, "STOPPING=1");
	while (watch->windows.size > 0) {
		if (watch_serve_windows(watch, watch->stream->drained_ns, true, &error) < 0) {
			report_error(watch->report, &error);
			break;
		}
		if (watch_writer_is_busy(&watch->writer))
			watch_await_writer(watch);
	}
	watch_writer_reap(&watch->writer);
	watch_report_end(watch);
}

/* The instance can be removed only while nobody has its files open. */
static void watch_end(void *context)
{
	struct watch_run *watch = context;

	if (watch->has_begun)
		watch_finish(watch);
	persistent_stop(&watch->persistent, watch->report);
	spool_close(watch->spool);
	watch->spool = NULL;
}

static void hook_report_failure(void *context, int wait_status)
{
	struct watch_run *watch = context;

	if (WIFSIGNALED(wait_status))
		report_message(watch->report, "--hook=%s: killed by signal %d",
			       watch->settings->hook, WTERMSIG(wait_status));
	else
		report_message(watch->report, "--hook=%s: ended with status %d",
			       watch->settings->hook, WEXITSTATUS(wait_status));
}

/* It is executed in another working directory. */
static int hook_find(struct watch_run *watch, struct error *error)
{
	const char *name = watch->settings->hook;
	char *const words[] = { (char *)name, NULL };
	char *folder = NULL;
	int status;

	if (!name)
		return 0;
	if (command_check(words, &status, error) < 0)
		return -1;
	if (name[0] != '/' && strchr(name, '/')) {
		folder = getcwd(NULL, 0);
		if (!folder)
			return error_set_system(error, errno, "--hook=%s", name);
		buffer_printf(&watch->hook, "%s/", folder);
		free(folder);
	}
	buffer_append_string(&watch->hook, name);
	watch->writer.failed = hook_report_failure;
	watch->writer.context = watch;
	return watch->hook.failed ? error_set(error, "out of memory") : 0;
}

static int watch_prepare(struct watch_run *watch, struct error *error)
{
	const struct watch_settings *settings = watch->settings;
	const struct trigger_handler handler = { .context = watch, .fire = watch_fire };

	if (hook_find(watch, error) < 0)
		return STATUS_FAILED;
	if (trigger_set_new(&watch->triggers, settings->triggers, settings->nr_triggers, &handler,
			    error) < 0)
		return STATUS_USAGE;
	if (watch_windows_init(&watch->windows, settings->before_ns, settings->after_ns,
			       settings->max_rate) < 0)
		return error_set(error, "out of memory"), STATUS_FAILED;
	if (watch_folder_open(&watch->folder, settings->directory, error) < 0)
		return STATUS_FAILED;
	watch_clear_folder(watch);
	notify_open(&watch->notify);
	return STATUS_DONE;
}

static void watch_release(struct watch_run *watch)
{
	persistent_stop(&watch->persistent, watch->report);
	spool_close(watch->spool);
	watch_windows_release(&watch->windows);
	trigger_set_free(watch->triggers);
	watch_folder_close(&watch->folder);
	notify_close(&watch->notify);
	buffer_release(&watch->hook);
}

int watch_run(struct watch_settings *settings, struct error *error)
{
	struct watch_run watch = { .settings = settings,
				   .report = settings->capture.report,
				   .writer = { .fd = -1 },
				   .notify = { .fd = -1 },
				   .persistent = { .boot = BOOT_INSTANCE_NONE } };
	const struct stream_watcher watcher = { .context = &watch,
						.open = watch_open,
						.begin = watch_begin,
						.came = watch_came,
						.wait_ms = watch_wait_ms,
						.read = watch_read,
						.end = watch_end };
	struct stream_settings stream = { .capture = settings->capture,
					  .limits = settings->limits,
					  .watcher = &watcher,
					  .argv = settings->argv };
	int status = watch_prepare(&watch, error);

	if (status == STATUS_DONE)
		status = stream_run(&stream, error);
	watch_release(&watch);
	settings->capture = stream.capture;
	return status;
}
