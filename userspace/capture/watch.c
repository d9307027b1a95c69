// SPDX-License-Identifier: GPL-2.0-only
/* ktrack watch: saves what happened around events. */
#include "capture/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "capture/capture.h"
#include "output/output.h"

#define SOCKET_VARIABLE "NOTIFY_SOCKET"
#define WATCHDOG_VARIABLE "WATCHDOG_USEC"
#define PROCESS_VARIABLE "WATCHDOG_PID"

/* To a path, or "@NAME" of the abstract namespace; -1 if it is none. */
static int notify_connect(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t size = name ? strlen(name) : 0;
	int fd;

	if (size < 2 || size >= sizeof(address.sun_path) || (*name != '/' && *name != '@'))
		return -1;
	memcpy(address.sun_path, name, size);
	if (*name == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address,
			       offsetof(struct sockaddr_un, sun_path) + size + (*name == '/')) == 0)
		return fd;
	file_close(fd);
	return -1;
}

static int64_t watchdog_interval_ns(void)
{
	const char *text = getenv(WATCHDOG_VARIABLE), *process = getenv(PROCESS_VARIABLE);
	char *end;
	long long us;

	/* Of another process, if the variable was inherited by mistake. */
	if (!text || (process && atoll(process) != getpid()))
		return 0;
	errno = 0;
	us = strtoll(text, &end, 10);
	return errno || *end || us <= 0 || us > INT64_MAX / NS_PER_US ? 0 : us * NS_PER_US;
}

void notify_open(struct notify *notify)
{
	*notify = (struct notify){ .fd = notify_connect(getenv(SOCKET_VARIABLE)),
				   .watchdog_ns = watchdog_interval_ns() };
	unsetenv(SOCKET_VARIABLE);
	unsetenv(WATCHDOG_VARIABLE);
	unsetenv(PROCESS_VARIABLE);
}

bool notify_send(struct notify *notify, const char *state)
{
	size_t size = strlen(state);

	return notify->fd >= 0 &&
	       send(notify->fd, state, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size;
}

/* Twice as often as the manager expects. */
static int64_t notify_due_ns(const struct notify *notify)
{
	return notify->reported_ns + notify->watchdog_ns / 2;
}

int notify_wait_ms(const struct notify *notify, int64_t now_ns, int max_ms)
{
	int64_t left_ns = notify_due_ns(notify) - now_ns;

	if (notify->fd < 0 || notify->watchdog_ns == 0 || left_ns >= max_ms * NS_PER_MS)
		return max_ms;
	return left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS);
}

void notify_keep_alive(struct notify *notify, int64_t now_ns)
{
	if (notify->watchdog_ns == 0 || now_ns < notify_due_ns(notify))
		return;
	if (notify_send(notify, "WATCHDOG=1"))
		notify->reported_ns = now_ns;
}

void notify_close(struct notify *notify)
{
	file_close(notify->fd);
	notify->fd = -1;
}

/* Sets up the second recording of ktrack watch, and removes it. */

/* Names of threads that end between this and a crash are only in records. */
#define SAVE_EVERY_NS (60 * NS_PER_S)

static int events_copy(struct boot_instance *boot, const struct instance *recorder,
		       struct error *error)
{
	const struct instance_paths paths = instance_directories(recorder);
	int status = 0;

	for (int kind = 0; kind < INSTANCE_KINDS && status == 0; kind++) {
		if (paths.list[kind])
			status = boot_instance_copy(boot, paths.list[kind], error);
	}
	return status;
}

int persistent_start(struct persistent *persistent, const char *name, const char *directory,
		     const struct capture *capture, struct error *error)
{
	struct boot_instance *boot = &persistent->boot;
	struct buffer path = { 0 }, cpus = { 0 };
	uint64_t nr_records;
	int status;

	if (!name)
		return 0;
	if (!capture->recorder)
		return error_set(error,
				 "--persistent=%s: no tracepoints; programs have no such buffer",
				 name);
	if (boot_instance_open(boot, name, capture_writes(capture->settings), error) < 0)
		return -1;
	persistent->name = name;
	persistent->saved_ns = time_now_ns(CLOCK_MONOTONIC);
	nr_records = boot_instance_count(boot, &cpus);
	status = persistent_path(&path, directory, name, error);
	/* What an earlier run left must be recovered first. */
	if (status == 0 &&
	    (spool_exists(buffer_string(&path)) || access(buffer_string(&path), F_OK) == 0))
		status = error_set(error,
				   "%s: has records of an earlier run; run 'ktrack recover "
				   "--persistent=%s --dir=%s'",
				   name, name, directory);
	if (status == 0 && nr_records > 0)
		status = error_set(error,
				   "%s: has %llu records that ktrack did not write; read them, "
				   "then run 'echo >%s/trace'",
				   name, (unsigned long long)nr_records, boot->directory);
	/* From here on the instance has to be emptied if the run ends. */
	persistent->is_taken = status == 0;
	buffer_clear(&cpus);
	if (status == 0 &&
	    (boot_instance_prepare(boot, capture->settings->clock, error) < 0 ||
	     events_copy(boot, capture->recorder, error) < 0 ||
	     spool_new_boot(&persistent->spool, buffer_string(&path), boot->directory, error) < 0 ||
	     spool_describe_capture(persistent->spool, capture, error) < 0 ||
	     boot_instance_start(boot, instance_has_markers(capture->recorder), error) < 0))
		status = -1;
	/* Recording begins before the spool is complete: CPUs without a record would look lost. */
	if (status == 0) {
		boot_instance_mark(boot, "ktrack watch begins", &cpus);
		status = spool_keep_boot(persistent->spool, name, buffer_text(&cpus), error);
	}
	buffer_release(&path);
	buffer_release(&cpus);
	return status;
}

/* Record tracepoints of loaded modules, and save names of threads now and then. */
static void persistent_serve(struct persistent *persistent, const struct instance *recorder,
			     const struct report *report)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	struct error error = { 0 };
	size_t nr_doubtful;
	int status = 0;

	if (!persistent->spool)
		return;
	if (persistent->is_behind && (events_copy(&persistent->boot, recorder, &error) < 0 ||
				      spool_save_more(persistent->spool, &nr_doubtful, &error) < 0))
		status = -1;
	persistent->is_behind = false;
	if (status == 0 && now_ns - persistent->saved_ns >= SAVE_EVERY_NS) {
		persistent->saved_ns = now_ns;
		status = spool_refresh_boot(persistent->spool, &error);
	}
	if (status == 0 || persistent->has_failed)
		return;
	persistent->has_failed = true;
	report_error(report, &error);
}

void persistent_stop(struct persistent *persistent, const struct report *report)
{
	struct boot_instance *boot = &persistent->boot;
	struct error error = { 0 };

	if (persistent->is_taken &&
	    (boot_instance_stop(boot, &error) < 0 || boot_instance_clear(boot, &error) < 0))
		report_error(report, &error);
	persistent->is_taken = false;
	if (persistent->spool)
		spool_drop_boot(persistent->spool);
	spool_close(persistent->spool);
	persistent->spool = NULL;
	boot_instance_close(boot);
}

/*
 * ktrack watch: a stream without outputs, whose sub-buffers are kept in memory. Triggers open a
 * window of time, which is written when it has passed.
 */

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

static void state_append(const struct watch_run *watch, struct buffer *out)
{
	struct recent_span span = watch_span(watch);
	int64_t held_ns = span.end_ns > span.begin_ns ? span.end_ns - span.begin_ns : 0;

	buffer_printf(out, "holds ");
	buffer_append_seconds(out, held_ns, 1);
	buffer_printf(out, " s, %llu records; %llu recording%s, %llu lost record%s",
		      (unsigned long long)span.nr_records, (unsigned long long)watch->nr_written,
		      watch->nr_written == 1 ? "" : "s",
		      (unsigned long long)watch->stream->pipeline.lost,
		      watch->stream->pipeline.lost == 1 ? "" : "s");
}

static void state_notify(struct watch_run *watch, const char *before)
{
	struct buffer state = { 0 };

	buffer_append_string(&state, before);
	buffer_append_string(&state, "STATUS=");
	state_append(watch, &state);
	notify_send(&watch->notify, buffer_string(&state));
	buffer_release(&state);
}

static void watch_begin(void *context)
{
	struct watch_run *watch = context;

	spool_clear_recent(watch->spool, watch->stream->command_ns);
	watch->has_begun = true;
	report_message(watch->report, "watching; recordings are written to %s", watch->folder.path);
	state_notify(watch, "READY=1\n");
}

static void watch_came(void *context)
{
	struct watch_run *watch = context;

	watch->has_new_formats = true;
	watch->persistent.is_behind = watch->persistent.spool != NULL;
}

/* Whether a recording is being written. */
static bool watch_writer_is_busy(const struct watch_writer *writer)
{
	return writer->fd >= 0;
}

/* The time of the trace clock is that of the records. */
static int watch_wait_ms(void *context, int timeout_ms)
{
	const struct watch_run *watch = context;
	int64_t trigger_ns = trigger_set_due_ns(watch->triggers);
	int64_t window_ns = watch_writer_is_busy(&watch->writer)
				    ? INT64_MAX
				    : watch_windows_next_ns(&watch->windows);

	return time_left_ms(
		trigger_ns < window_ns ? trigger_ns : window_ns,
		capture_now_ns(&watch->stream->capture),
		notify_wait_ms(&watch->notify, time_now_ns(CLOCK_MONOTONIC), timeout_ms));
}

/* Behind the standard streams. */
#define FIRST_FD 3

/* The descriptor for the result is closed when the hook is executed. */
static void writer_main(const struct watch_job *job, int fd)
{
	struct watch_window *window = job->window;
	struct watch_result result = { .saved = { .from_ns = window->from_ns,
						  .to_ns = window->until_ns } };
	struct error error = { 0 };
	struct buffer name = { 0 };
	int status = -1;
	struct buffer path = { 0 };
	int null_fd;

	if (fchdir(job->folder->fd) < 0)
		error_set_system(&error, errno, "cannot enter the directory");
	else if (!watch_folder_name(job->folder, window->wall_ns, buffer_string(&window->trigger),
				    &name))
		error_set_system(&error, errno, "no name is left");
	else
		status = spool_save_recent(job->spool, buffer_string(&name),
					   buffer_text(&window->lines), &result.saved, &error);
	if (status == 0) {
		watch_folder_date(job->folder, buffer_string(&name));
		watch_folder_share(job->folder, buffer_string(&name));
		snprintf(result.name, sizeof(result.name), "%s", buffer_string(&name));
	} else {
		/* An error without its remedy, which is for other commands. */
		snprintf(result.problem, sizeof(result.problem), "%.*s",
			 (int)strcspn(error.text, ";"), error.text);
		if (!result.problem[0])
			snprintf(result.problem, sizeof(result.problem), "unknown error");
	}
	watch_folder_trim(job->folder, job->limits, status == 0 ? buffer_string(&name) : NULL);
	buffer_release(&name);
	spool_close(job->spool);
	/* The instance can be removed only while nobody has its files open. */
	if (fd > FIRST_FD)
		close_range(FIRST_FD, fd - 1, 0);
	close_range(fd + 1, ~0U, 0);
	if (write(fd, &result, sizeof(result)) != sizeof(result))
		_exit(EXIT_FAILURE);
	close(fd);
	if (!job->hook || result.problem[0])
		_exit(EXIT_SUCCESS);
	null_fd = open("/dev/null", O_RDONLY);
	/* Without a shell. The hook has the rights of this process. */
	buffer_printf(&path, "%s/%s", job->folder->path, result.name);
	setenv("KTRACK_RECORDING", buffer_string(&path), 1);
	setenv("KTRACK_TRIGGER", buffer_string(&window->trigger), 1);
	if (null_fd >= 0)
		dup2(null_fd, STDIN_FILENO);
	command_signals_apply(job->signals);
	execlp(job->hook, job->hook, buffer_string(&path), (char *)NULL);
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
}

/* Begins to write a recording; none is being written. */
static int watch_write(struct watch_run *watch, struct watch_window *window, struct error *error)
{
	struct watch_writer *writer = &watch->writer;
	const char *hook = watch->settings->hook;
	struct watch_job job = {
		.spool = watch->spool,
		.folder = &watch->folder,
		.limits = &watch->settings->retention,
		.window = window,
		.signals = &watch->stream->capture.stop.signals.before,
	};
	int fds[2];
	pid_t pid;

	for (size_t i = 0; hook && i < WATCH_HOOKS_MAX; i++) {
		if (writer->hooks[i] == 0)
			job.hook = buffer_string(&watch->hook);
	}
	if (hook && !job.hook)
		report_message(watch->report, "%s: %d of them still run; it is left out once", hook,
			       WATCH_HOOKS_MAX);
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return error_set_system(error, errno, "cannot create a pipe");
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		writer_main(&job, fds[1]);
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return error_set_system(error, errno, "cannot start a process");
	}
	writer->fd = fds[0];
	writer->pid = pid;
	return 0;
}

/* Receive the result of a recording, without waiting. */
static bool watch_writer_take(struct watch_writer *writer, struct watch_result *result)
{
	ssize_t size;

	watch_writer_reap(writer);
	if (writer->fd < 0)
		return false;
	size = TEMP_FAILURE_RETRY(read(writer->fd, result, sizeof(*result)));
	if (size < 0 && errno == EAGAIN)
		return false;
	if (size != sizeof(*result)) {
		*result = (struct watch_result){ 0 };
		snprintf(result->problem, sizeof(result->problem), "its process was killed");
		waitpid(writer->pid, NULL, 0);
		writer->pid = 0;
	}
	close(writer->fd);
	writer->fd = -1;
	if (writer->pid > 0) {
		/* What a child without a result leaves is removed when a recording of that name is
		 * written. */
		for (size_t i = 0; i < WATCH_HOOKS_MAX; i++) {
			if (writer->hooks[i] == 0) {
				writer->hooks[i] = writer->pid;
				break;
			}
		}
		writer->pid = 0;
	}
	watch_writer_reap(writer);
	return true;
}

/* A recording was written, or not. */
static void watch_report_result(struct watch_run *watch, struct watch_window *window,
				const struct watch_result *result)
{
	const struct recent_saved *saved = &result->saved;
	struct buffer line = { 0 };

	buffer_printf(&line, "%s: %s", buffer_string(&window->trigger),
		      buffer_string(&window->detail));
	if (window->nr_triggers > 1)
		buffer_printf(&line, ", and %llu more trigger%s",
			      (unsigned long long)window->nr_triggers - 1,
			      window->nr_triggers == 2 ? "" : "s");
	if (result->problem[0]) {
		report_message(watch->report, "%s: not recorded: %s", buffer_string(&line),
			       result->problem);
		buffer_release(&line);
		return;
	}
	watch->nr_written++;
	strcpy(watch->newest, result->name);
	buffer_append_string(&line, "; ");
	buffer_append_seconds(&line, saved->to_ns - saved->from_ns, 3);
	buffer_printf(&line, " s, %llu records", (unsigned long long)saved->nr_records);
	if (saved->lost > 0 || saved->has_unknown) {
		buffer_append_string(&line, ", ");
		timeline_append_loss(&line, saved->lost, 0, 0);
	}
	if (saved->from_ns > window->from_ns) {
		buffer_append_string(&line, ", without its first ");
		buffer_append_seconds(&line, saved->from_ns - window->from_ns, 3);
		buffer_append_string(&line, " s, which had left memory; --keep keeps more");
	}
	report_message(watch->report, "%s: %s", result->name, buffer_string(&line));
	buffer_release(&line);
}

static int watch_serve_windows(struct watch_run *watch, int64_t delivered_ns, bool is_over,
			       struct error *error)
{
	struct recent_span span = watch_span(watch);
	struct error problem = { 0 };
	struct watch_window *window;
	struct watch_result result;
	size_t nr_doubtful;

	/* A recording that cannot be written does not end the run. */
	if (watch_writer_take(&watch->writer, &result)) {
		watch_report_result(watch, &watch->windows.list[0], &result);
		watch_windows_drop(&watch->windows);
	}
	if (watch_writer_is_busy(&watch->writer))
		return 0;
	window = watch_windows_due(&watch->windows, delivered_ns, &span, is_over);
	if (!window)
		return 0;
	if (watch->has_new_formats && spool_save_more(watch->spool, &nr_doubtful, error) < 0)
		return -1;
	watch->has_new_formats = false;
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
	return spool_take(watch->spool, page->cpu, page->kind, page->bytes, page->size, error);
}

static int watch_open(void *context, struct stream_run *run, struct error *error)
{
	struct watch_run *watch = context;
	const struct source_tap tap = { .context = watch, .take = watch_take_page };
	const struct rules *rules = run->capture.settings->selection.rules;
	struct sink *sink;

	watch->stream = run;
	/* The spool has what decodes the records, and what was selected. */
	if (spool_new_recent(&watch->spool, run->capture.recorder, NULL,
			     watch->settings->keep_kib * 1024, error) < 0 ||
	    spool_describe_capture(watch->spool, &run->capture, error) < 0)
		return -1;
	if (((rules && rules_need_kallsyms(rules, true)) || run->capture.settings->nr_stacks > 0) &&
	    spool_save_symbols(watch->spool, error) < 0)
		return -1;
	if (persistent_start(&watch->persistent, watch->settings->persistent, watch->folder.path,
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

	if (watch->is_reopening) {
		struct buffer state = { 0 };
		struct error error = { 0 };

		buffer_printf(&state, "RELOADING=1\nMONOTONIC_USEC=%lld",
			      (long long)(time_now_ns(CLOCK_MONOTONIC) / NS_PER_US));
		notify_send(&watch->notify, buffer_string(&state));
		buffer_release(&state);
		if (watch_folder_reopen(&watch->folder, &error) < 0)
			report_error(watch->report, &error);
		state_notify(watch, "READY=1\n");
	}
	watch->is_reopening = false;
	if (watch->is_requested)
		status = watch_windows_request(&watch->windows, "SIGUSR1",
					       watch->stream->drained_ns, &span,
					       capture_wall_offset_ns(&watch->stream->capture));
	watch->is_requested = false;
	return status;
}

/* What ktrack watch reports: messages, and the state for the service manager. */

/* Messages about lost records and refused triggers are this far apart. */
#define SAY_EVERY_NS (60 * NS_PER_S)

/* The state is reported this often. */
#define STATE_EVERY_NS (2 * NS_PER_S)

/* Report losses as messages, and the state to the service manager. */
static void watch_report_state(struct watch_run *watch)
{
	const struct pipeline *pipeline = &watch->stream->pipeline;
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	bool is_due = watch->said_ns == 0 || now_ns - watch->said_ns >= SAY_EVERY_NS;
	uint64_t nr_refused = watch->windows.nr_refused - watch->said_refused;
	struct buffer line = { 0 };

	notify_keep_alive(&watch->notify, now_ns);
	if (is_due &&
	    (pipeline->lost != watch->said_lost || pipeline->nr_gaps != watch->said_gaps)) {
		timeline_append_loss(&line, pipeline->lost - watch->said_lost,
				     pipeline->nr_gaps - watch->said_gaps, 0);
		report_message(watch->report, "%s; a larger buffer (-b) tolerates longer stalls",
			       buffer_string(&line));
		if (pipeline->nr_gaps != watch->said_gaps)
			watch->said_ns = now_ns;
		watch->said_lost = pipeline->lost;
		watch->said_gaps = pipeline->nr_gaps;
	}
	if (is_due && nr_refused > 0) {
		report_message(watch->report,
			       "%llu trigger%s without a recording; --max-rate=%llu in an hour is "
			       "reached",
			       (unsigned long long)nr_refused, nr_refused == 1 ? "" : "s",
			       (unsigned long long)watch->settings->max_rate);
		watch->said_ns = now_ns;
		watch->said_refused = watch->windows.nr_refused;
	}
	if (now_ns - watch->reported_ns >= STATE_EVERY_NS) {
		watch->reported_ns = now_ns;
		state_notify(watch, "");
		buffer_clear(&line);
		state_append(watch, &line);
		if (watch->report->progress)
			watch->report->progress(watch->report->context, buffer_string(&line));
	}
	buffer_release(&line);
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
	if (watch->writer.fd >= 0) {
		kill(watch->writer.pid, SIGKILL);
		waitpid(watch->writer.pid, NULL, 0);
		file_close(watch->writer.fd);
		watch->writer.fd = -1;
	}
	report_message(watch->report, "interrupted; %zu recording%s not written",
		       watch->windows.size, watch->windows.size == 1 ? " is" : "s are");
	while (watch->windows.size > 0)
		watch_windows_drop(&watch->windows);
}

/* The instance can be removed only while nobody has its files open. */
static void watch_end(void *context)
{
	struct watch_run *watch = context;

	if (watch->has_begun) {
		struct error error = { 0 };
		struct buffer next = { 0 };
		uint64_t nr_unwatched;
		struct buffer path = { 0 };

		/* Recordings of triggers that have fired are still written. */
		notify_send(&watch->notify, "STOPPING=1");
		while (watch->windows.size > 0) {
			if (watch_serve_windows(watch, watch->stream->drained_ns, true, &error) <
			    0) {
				report_error(watch->report, &error);
				break;
			}
			if (watch_writer_is_busy(&watch->writer))
				watch_await_writer(watch);
		}
		watch_writer_reap(&watch->writer);
		nr_unwatched = trigger_set_unwatched(watch->triggers);
		if (watch->report->progress)
			watch->report->progress(watch->report->context, "");
		if (nr_unwatched > 0)
			report_message(
				watch->report,
				"%llu slices were not watched: more than %d were open; narrow the "
				"triggers",
				(unsigned long long)nr_unwatched, TRIGGER_SLICES_MAX);
		if (watch->newest[0]) {
			buffer_printf(&path, "%s/%s", watch->folder.path, watch->newest);
			buffer_printf(&next, "; next: %sktrack export --html=page.html ",
				      sudo_prefix());
			buffer_append_word(&next, buffer_string(&path));
		}
		buffer_release(&path);
		report_closing(watch->report, "%llu recording%s in %s%s",
			       (unsigned long long)watch->nr_written,
			       watch->nr_written == 1 ? "" : "s", watch->folder.path,
			       buffer_string(&next));
		buffer_release(&next);
	}
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
	const struct capture_settings *capture = &settings->capture;
	int before;

	if (!selection_is_chosen(&capture->selection) &&
	    capture->nr_probes + capture->nr_functions == 0)
		return error_set(error, "nothing is selected to watch; add what the triggers need, "
					"such as -r sched,irq, or -r convention for drivers"),
		       STATUS_USAGE;
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
	before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (before >= 0 && fchdir(watch->folder.fd) == 0) {
		watch_folder_sweep(&watch->folder);
		if (fchdir(before) < 0)
			report_message(watch->report, "cannot return to the working directory: %m");
	}
	file_close(before);
	watch_folder_trim(&watch->folder, &watch->settings->retention, NULL);
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

/* Decides which time is recorded: merges triggers that are close, and limits the rate. */

#define HOUR_NS (3600 * NS_PER_S)

int watch_windows_init(struct watch_windows *windows, int64_t before_ns, int64_t after_ns,
		       size_t rate)
{
	*windows = (struct watch_windows){ .before_ns = before_ns,
					   .after_ns = after_ns,
					   .rate = rate };
	windows->hour = calloc(rate + 1, sizeof(*windows->hour));
	return windows->hour ? 0 : -1;
}

static int64_t time_add(int64_t time_ns, int64_t more_ns)
{
	int64_t sum;

	return __builtin_add_overflow(time_ns, more_ns, &sum) ? INT64_MAX : sum;
}

/* Whether another recording is allowed; counts it then. Times are above 0. */
static bool rate_take(struct watch_windows *windows, int64_t now_ns)
{
	int64_t *oldest = &windows->hour[windows->next];

	if (*oldest > 0 && now_ns - *oldest < HOUR_NS)
		return false;
	*oldest = now_ns;
	windows->next = (windows->next + 1) % windows->rate;
	return true;
}

static int window_add_line(struct watch_window *window, const struct trigger_firing *firing)
{
	if (window->nr_triggers++ < WATCH_LINES_MAX)
		buffer_printf(&window->lines, "%lld %s: %s\n", (long long)firing->time_ns,
			      firing->trigger, firing->detail);
	return window->lines.failed ? -1 : 0;
}

/* The window that the trigger belongs to, NULL if it is outside of all. */
static struct watch_window *window_find(struct watch_windows *windows, int64_t time_ns)
{
	struct watch_window *last = windows->size > 0 ? &windows->list[windows->size - 1] : NULL;
	int64_t from_ns = windows->before_ns > 0 ? time_ns - windows->before_ns : 0;
	int64_t end_ns;

	if (!last || last->is_taken || from_ns > last->until_ns)
		return NULL;
	end_ns = time_add(last->first_ns, WATCH_MERGED_TIMES * windows->after_ns);
	return time_ns <= end_ns || time_ns <= last->until_ns ? last : NULL;
}

static int window_begin(struct watch_windows *windows, const struct trigger_firing *firing,
			const struct recent_span *span, int64_t wall_offset_ns)
{
	struct watch_window *window = &windows->list[windows->size];
	/* Records may have been lost before the first one. */
	int64_t time_ns = firing->time_ns > span->begin_ns ? firing->time_ns : span->begin_ns;
	int64_t held_ns = time_ns - span->begin_ns;

	*window = (struct watch_window){ .wall_ns = time_ns + wall_offset_ns,
					 .first_ns = time_ns,
					 .from_ns = span->begin_ns,
					 .until_ns = time_add(time_ns, windows->after_ns),
					 .margin_ns = held_ns > 0 ? held_ns / 2 : 0 };
	if (windows->before_ns > 0 && windows->before_ns < held_ns)
		window->from_ns = time_ns - windows->before_ns;
	if (windows->before_ns > 0 && windows->before_ns < window->margin_ns)
		window->margin_ns = windows->before_ns;
	buffer_append_string(&window->trigger, firing->trigger);
	buffer_append_string(&window->detail, firing->detail);
	if (window->until_ns < firing->end_ns)
		window->until_ns = firing->end_ns;
	windows->size++;
	return window->trigger.failed || window->detail.failed ? -1
							       : window_add_line(window, firing);
}

int watch_windows_add(struct watch_windows *windows, const struct trigger_firing *firing,
		      const struct recent_span *span, int64_t wall_offset_ns)
{
	struct watch_window *window = window_find(windows, firing->time_ns);

	if (window) {
		int64_t end_ns = time_add(window->first_ns, WATCH_MERGED_TIMES * windows->after_ns);
		int64_t until_ns = time_add(firing->time_ns, windows->after_ns);

		/* A recording of a loss has the record behind it, which says how much was lost. */
		if (until_ns > end_ns)
			until_ns = end_ns;
		if (until_ns < firing->end_ns)
			until_ns = firing->end_ns;
		if (until_ns > window->until_ns)
			window->until_ns = until_ns;
		return window_add_line(window, firing);
	}
	if (windows->size == WATCH_WINDOWS_MAX || !rate_take(windows, firing->time_ns)) {
		windows->nr_refused++;
		return 0;
	}
	return window_begin(windows, firing, span, wall_offset_ns);
}

int watch_windows_request(struct watch_windows *windows, const char *reason, int64_t now_ns,
			  const struct recent_span *span, int64_t wall_offset_ns)
{
	const struct trigger_firing firing = {
		.trigger = reason, .detail = "requested", .time_ns = now_ns, .end_ns = now_ns
	};

	if (windows->size == WATCH_WINDOWS_MAX) {
		windows->nr_refused++;
		return 0;
	}
	if (window_begin(windows, &firing, span, wall_offset_ns) < 0)
		return -1;
	windows->list[windows->size - 1].until_ns = windows->list[windows->size - 1].first_ns;
	return 0;
}

/* Old records are dropped from memory while the recording waits for its end. */
struct watch_window *watch_windows_due(struct watch_windows *windows, int64_t drained_ns,
				       const struct recent_span *span, bool is_over)
{
	struct watch_window *first = &windows->list[0];
	bool is_vanishing;

	if (windows->size == 0)
		return NULL;
	is_vanishing = span->begin_ns > first->first_ns - first->margin_ns;
	if (drained_ns < first->until_ns && !is_vanishing && !is_over)
		return NULL;
	if (drained_ns < first->until_ns)
		first->until_ns = drained_ns;
	first->is_taken = true;
	return first;
}

int64_t watch_windows_next_ns(const struct watch_windows *windows)
{
	return windows->size > 0 ? windows->list[0].until_ns : INT64_MAX;
}

void watch_windows_drop(struct watch_windows *windows)
{
	buffer_release(&windows->list[0].trigger);
	buffer_release(&windows->list[0].detail);
	buffer_release(&windows->list[0].lines);
	windows->size--;
	memmove(windows->list, windows->list + 1, windows->size * sizeof(*windows->list));
}

void watch_windows_release(struct watch_windows *windows)
{
	while (windows->size > 0)
		watch_windows_drop(windows);
	free(windows->hour);
	windows->hour = NULL;
}

/* The child that writes one recording. */

static_assert(sizeof(struct watch_result) <= PIPE_BUF, "a result is written at once");

void watch_writer_reap(struct watch_writer *writer)
{
	int status = 0;

	for (size_t i = 0; i < WATCH_HOOKS_MAX; i++) {
		pid_t pid = writer->hooks[i] > 0 ? waitpid(writer->hooks[i], &status, WNOHANG) : 0;

		if (pid == 0)
			continue;
		writer->hooks[i] = 0;
		if (pid > 0 && status != 0 && writer->failed)
			writer->failed(writer->context, status);
	}
}
