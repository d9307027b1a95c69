// SPDX-License-Identifier: GPL-2.0-only
/* What ktrack watch reports: messages, and the state for the service manager. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/watch_state.h"
#include "output/output.h"

/* Messages about lost records and refused triggers are this far apart. */
#define SAY_EVERY_NS (60 * NS_PER_S)

/* The state is reported this often. */
#define STATE_EVERY_NS (2 * NS_PER_S)

void watch_clear_folder(struct watch_run *watch)
{
	int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (before >= 0 && fchdir(watch->folder.fd) == 0) {
		watch_folder_sweep(&watch->folder);
		if (fchdir(before) < 0)
			report_message(watch->report, "cannot return to the working directory: %m");
	}
	file_close(before);
	watch_folder_trim(&watch->folder, &watch->settings->retention, NULL);
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

void watch_report_begin(struct watch_run *watch)
{
	watch->has_begun = true;
	report_message(watch->report, "watching; recordings are written to %s", watch->folder.path);
	state_notify(watch, "READY=1\n");
}

static void result_append_triggers(struct watch_window *window, struct buffer *out)
{
	buffer_printf(out, "%s: %s", buffer_string(&window->trigger),
		      buffer_string(&window->detail));
	if (window->nr_triggers > 1)
		buffer_printf(out, ", and %llu more trigger%s",
			      (unsigned long long)window->nr_triggers - 1,
			      window->nr_triggers == 2 ? "" : "s");
}

void watch_report_result(struct watch_run *watch, struct watch_window *window,
			 const struct watch_result *result)
{
	const struct recent_saved *saved = &result->saved;
	struct buffer line = { 0 };

	result_append_triggers(window, &line);
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

static void say_lost(struct watch_run *watch)
{
	const struct pipeline *pipeline = &watch->stream->pipeline;
	struct buffer line = { 0 };

	if (pipeline->lost == watch->said_lost && pipeline->nr_gaps == watch->said_gaps)
		return;
	timeline_append_loss(&line, pipeline->lost - watch->said_lost,
			     pipeline->nr_gaps - watch->said_gaps, 0);
	report_message(watch->report, "%s; a larger buffer (-b) tolerates longer stalls",
		       buffer_string(&line));
	buffer_release(&line);
	watch->said_lost = pipeline->lost;
	watch->said_gaps = pipeline->nr_gaps;
}

static void say_refused(struct watch_run *watch)
{
	uint64_t nr_new = watch->windows.nr_refused - watch->said_refused;

	if (nr_new == 0)
		return;
	report_message(watch->report,
		       "%llu trigger%s without a recording; --max-rate=%llu in an hour is reached",
		       (unsigned long long)nr_new, nr_new == 1 ? "" : "s",
		       (unsigned long long)watch->settings->max_rate);
	watch->said_refused = watch->windows.nr_refused;
}

void watch_report_state(struct watch_run *watch)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	struct buffer line = { 0 };

	notify_keep_alive(&watch->notify, now_ns);
	if (watch->said_ns == 0 || now_ns - watch->said_ns >= SAY_EVERY_NS) {
		uint64_t said = watch->said_gaps + watch->said_refused;

		say_lost(watch);
		say_refused(watch);
		if (watch->said_gaps + watch->said_refused != said)
			watch->said_ns = now_ns;
	}
	if (now_ns - watch->reported_ns < STATE_EVERY_NS)
		return;
	watch->reported_ns = now_ns;
	state_notify(watch, "");
	if (!watch->report->progress)
		return;
	state_append(watch, &line);
	watch->report->progress(watch->report->context, buffer_string(&line));
	buffer_release(&line);
}

void watch_reopen(struct watch_run *watch)
{
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

static void watch_append_next(const struct watch_run *watch, struct buffer *out)
{
	struct buffer path = { 0 };

	if (watch->newest[0]) {
		buffer_printf(&path, "%s/%s", watch->folder.path, watch->newest);
		buffer_printf(out, "; next: %sktrack export --html=page.html ", sudo_prefix());
		buffer_append_word(out, buffer_string(&path));
	}
	buffer_release(&path);
}

void watch_report_end(const struct watch_run *watch)
{
	struct buffer next = { 0 };
	uint64_t nr_unwatched = trigger_set_unwatched(watch->triggers);

	if (watch->report->progress)
		watch->report->progress(watch->report->context, "");
	if (nr_unwatched > 0)
		report_message(watch->report,
			       "%llu slices were not watched: more than %d were open; narrow the "
			       "triggers",
			       (unsigned long long)nr_unwatched, TRIGGER_SLICES_MAX);
	watch_append_next(watch, &next);
	report_closing(watch->report, "%llu recording%s in %s%s",
		       (unsigned long long)watch->nr_written, watch->nr_written == 1 ? "" : "s",
		       watch->folder.path, buffer_string(&next));
	buffer_release(&next);
}
