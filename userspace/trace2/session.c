// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A session: its identity, its targets, and the first failure. */
#include "trace2/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace2/place.h"
#include "trace2/prepare.h"
#include "trace2/target.h"

#define DEFAULT_DECIMALS 6
#define DEFAULT_NESTING 2
#define DEFAULT_CATEGORY_WIDTH 12

/* Few lines are longer. A block with less room than that leaves before it grows. */
#define LINE_MAX 4096

static const struct target *const targets[] = {
	[TRACE2_NORMAL] = &normal_target,
	[TRACE2_PERF] = &perf_target,
	[TRACE2_EVENT] = &event_target,
};
_Static_assert(sizeof(targets) / sizeof(targets[0]) == TRACE2_TARGET_COUNT,
	       "a table for every target");

static unsigned int count_parents(const char *sid)
{
	unsigned int nr_parents = 0;

	while ((sid = strchr(sid, '/'))) {
		nr_parents++;
		sid++;
	}
	return nr_parents;
}

static void settings_complete(struct trace2_settings *settings)
{
	if (settings->decimals != 9)
		settings->decimals = DEFAULT_DECIMALS;
	if (settings->max_nesting == 0)
		settings->max_nesting = DEFAULT_NESTING;
	if (settings->category_width == 0)
		settings->category_width = DEFAULT_CATEGORY_WIDTH;
}

static unsigned int usual_nesting(const struct trace2_settings *settings)
{
	if (settings->is_brief[TRACE2_EVENT])
		return 0;
	return settings->max_nesting < PUT_SHORT_LIMIT ? settings->max_nesting + 1
						       : PUT_SHORT_LIMIT;
}

static int session_write(struct trace2_session *session, const struct trace2_event *event);

struct trace2_session *trace2_session_new(const struct trace2_settings *settings)
{
	static const struct trace2_string main_name = { .data = "main", .size = 4 };
	struct trace2_session *session;

	if (!settings->sid) {
		errno = EINVAL;
		return NULL;
	}
	session = calloc(1, sizeof(*session));
	if (!session)
		return NULL;
	session->settings = *settings;
	settings_complete(&session->settings);
	session->usual_nesting = usual_nesting(&session->settings);
	session->write = session_write;
	session->depth = count_parents(settings->sid);
	session->sid = strdup(settings->sid);
	session->settings.sid = session->sid;
	if (session->sid)
		session->main_thread = trace2_thread_new(session, main_name);
	if (session->main_thread)
		return session;
	trace2_session_free(session);
	return NULL;
}

void trace2_session_begin(struct trace2_session *session, int64_t start_unix_ns)
{
	session->settings.start_unix_ns = start_unix_ns;
	session->printer.stamp.window.span_ns = 0;
}

static bool writes_blocks(const struct trace2_session *session,
			  const struct destination *destination)
{
	return session->settings.flush == TRACE2_FLUSH_BLOCKS && !destination->is_datagram;
}

/* git prints a double: which way an exact half goes is up to how near it comes to that. */
static bool is_half_rounded_up(int64_t time_ns)
{
	char text[64];
	size_t size = snprintf(text, sizeof(text), "%.6f", time_ns / (double)NS_PER_S);

	return text[size - 1] - '0' != time_ns / NS_PER_US % 10;
}

int64_t timer_ns(const struct trace2_session *session, int64_t time_ns)
{
	bool is_shown_whole = session->settings.decimals == 9;

	if (is_shown_whole || time_ns > INT64_MAX - NS_PER_US)
		return time_ns;
	if (time_ns % NS_PER_US == NS_PER_US / 2 && !is_half_rounded_up(time_ns))
		return time_ns;
	return time_ns + NS_PER_US / 2;
}

static bool machine_is_wide(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

/* Notes which targets there are, so that events need not ask all. */
static void session_list_opened(struct trace2_session *session)
{
	enum trace2_target first;

	session->nr_opened = 0;
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++) {
		if (destination_is_on(&session->destinations[i]))
			session->opened[session->nr_opened++] = i;
	}
	first = session->opened[0];
	session->usual = NULL;
	session->write = session_write;
	if (session->nr_opened != 1 || !targets[first]->write ||
	    !session->settings.has_valid_json || session->settings.is_lenient ||
	    session->error.text[0] || !writes_blocks(session, &session->destinations[first]))
		return;
	session->usual = &session->destinations[first];
	session->write = first == TRACE2_EVENT && machine_is_wide() ? event_write_wide
								    : targets[first]->write;
}

/* Nothing is written any more after @status, which is error_set()'s. */
static int session_stop(struct trace2_session *session, int status)
{
	session->write = session_write;
	return status;
}

static bool is_target(enum trace2_target target)
{
	return (unsigned int)target < TRACE2_TARGET_COUNT;
}

int trace2_session_add(struct trace2_session *session, enum trace2_target target, int fd,
		       const char *name)
{
	struct destination *destination = &session->destinations[target];
	int status;

	if (!is_target(target)) {
		close(fd);
		return session_stop(session, error_set(&session->error,
						       "trace2: there is no target %d", target));
	}
	destination_release(destination);
	status = destination_init(destination, name);
	if (status == 0)
		destination_set(destination, fd, true);
	else
		close(fd);
	session_list_opened(session);
	return status;
}

void session_report(const struct trace2_session *session, bool is_always, const char *message)
{
	const struct trace2_settings *settings = &session->settings;

	if (settings->report && (is_always || settings->reports_all))
		settings->report(settings->report_context, message);
}

int trace2_session_open(struct trace2_session *session, enum trace2_target target,
			const char *value, const char *name)
{
	struct destination *destination = &session->destinations[target];
	struct error error = { 0 };
	enum place_result result;

	if (!is_target(target))
		return session_stop(session, error_set(&session->error,
						       "trace2: there is no target %d", target));
	destination_release(destination);
	result = place_open(destination, &session->settings, value, name ? name : "trace2", &error);
	if (result != PLACE_OPEN)
		destination_release(destination);
	session_list_opened(session);
	if (result == PLACE_OPEN)
		return 1;
	if (result == PLACE_OFF)
		return 0;
	if (!session->settings.is_lenient)
		return session_stop(session, error_set(&session->error, "%s", error.text));
	session_report(session, result == PLACE_UNKNOWN, error.text);
	return 0;
}

bool trace2_session_has(const struct trace2_session *session, enum trace2_target target)
{
	return is_target(target) && destination_is_on(&session->destinations[target]);
}

/* What a failed write means is the session's policy. */
static int destination_failed(struct trace2_session *session, struct destination *destination,
			      struct error *error)
{
	if (!session->settings.is_lenient)
		return session_stop(session, error_set(&session->error, "%s", error->text));
	if (destination_turn_off(destination))
		session_report(session, false, error->text);
	return 0;
}

static int destination_send(struct trace2_session *session, struct destination *destination,
			    const struct buffer *lines)
{
	struct error error = { 0 };

	if (destination_write(destination, lines, &session->settings, &error) == 0)
		return 0;
	return destination_failed(session, destination, &error);
}

int trace2_session_flush(struct trace2_session *session)
{
	if (session->error.text[0])
		return -1;
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++) {
		struct destination *destination = &session->destinations[i];

		if (destination_is_on(destination) &&
		    destination_send(session, destination, &destination->lines) < 0)
			return -1;
		buffer_clear(&destination->lines);
	}
	return 0;
}

static bool target_wants(const struct target *target, const struct trace2_session *session,
			 const struct trace2_event *event)
{
	return target->print[event->kind] && (!target->wants || target->wants(session, event));
}

static void line_append(struct buffer *line, struct printer *printer,
			const struct trace2_session *session, const struct target *target,
			const struct trace2_event *event)
{
	target->begin(line, &printer->stamp, session, event);
	target->print[event->kind](line, session, event);
	target->end(line, &printer->stamp, session, event);
}

/* Lines that leave at once. */
static int line_send(struct trace2_session *session, struct printer *printer,
		     const struct target *target, struct destination *destination,
		     const struct trace2_event *event)
{
	if (!target_wants(target, session, event))
		return 0;
	buffer_clear(&printer->line);
	line_append(&printer->line, printer, session, target, event);
	return destination_send(session, destination, &printer->line);
}

/* Lines that leave with many others. */
hot_inline int line_keep(struct trace2_session *session, struct printer *printer,
			 const struct target *target, struct destination *destination,
			 const struct trace2_event *event)
{
	struct buffer *lines = &destination->lines;

	if (!target->line || !target->line(session, event)) {
		if (!target_wants(target, session, event))
			return 0;
		line_append(lines, printer, session, target, event);
	}
	return lines->size < SESSION_BLOCK_SIZE && !lines->failed ? 0
								  : trace2_session_flush(session);
}

hot_inline int line_print(struct trace2_session *session, struct printer *printer,
			  enum trace2_target number, const struct trace2_event *event)
{
	struct destination *destination = &session->destinations[number];

	if (!destination_is_on(destination))
		return 0;
	if (writes_blocks(session, destination))
		return line_keep(session, printer, targets[number], destination, event);
	return line_send(session, printer, targets[number], destination, event);
}

static int event_print(struct trace2_session *session, struct printer *printer,
		       const struct trace2_event *event)
{
	for (unsigned int i = 0; i < session->nr_opened; i++) {
		if (line_print(session, printer, session->opened[i], event) < 0)
			return -1;
	}
	return 0;
}

/* A stream that goes into the sentinel of a full folder says so behind its version. */
static __attribute__((noinline)) int version_print(struct trace2_session *session,
						   struct printer *printer,
						   const struct trace2_event *version)
{
	struct trace2_event event = { .kind = TRACE2_TOO_MANY_FILES, .time_ns = version->time_ns };

	if (event_print(session, printer, version) < 0)
		return -1;
	event.file = version->file;
	event.line = version->line;
	if (!session->destinations[TRACE2_EVENT].is_sentinel)
		return 0;
	return event_print(session, printer, &event);
}

/* An event that must not be printed as it is. */
static __attribute__((noinline)) int unprepared_print(struct trace2_session *session,
						      struct printer *printer,
						      const struct trace2_event *event)
{
	struct prepared prepared;
	int status;

	if (prepared_init(&prepared, &session->settings, event) < 0)
		status = session->settings.is_lenient
				 ? 0
				 : session_stop(session,
						error_set(&session->error, "out of memory"));
	else if (event->kind == TRACE2_VERSION)
		status = version_print(session, printer, prepared.event);
	else
		status = event_print(session, printer, prepared.event);
	prepared_release(&prepared);
	return status;
}

int session_print(struct trace2_session *session, struct printer *printer,
		  const struct trace2_event *event)
{
	if (session->error.text[0])
		return -1;
	if (!is_prepared(&session->settings, event))
		return unprepared_print(session, printer, event);
	if (event->kind == TRACE2_VERSION)
		return version_print(session, printer, event);
	return event_print(session, printer, event);
}

static int session_write(struct trace2_session *session, const struct trace2_event *event)
{
	if ((unsigned int)event->kind >= TRACE2_KIND_COUNT)
		return session->settings.is_lenient
			       ? 0
			       : session_stop(session,
					      error_set(&session->error, "%d is no kind of event",
							event->kind));
	return session_print(session, &session->printer, event);
}

int session_write_other(struct trace2_session *session, const struct trace2_event *event)
{
	const struct target *target = targets[session->opened[0]];
	struct buffer *lines = &session->usual->lines;

	if (lines->size > SESSION_BLOCK_SIZE - LINE_MAX && trace2_session_flush(session) < 0)
		return -1;
	if (target->line(session, event))
		return 0;
	return session_write(session, event);
}

int trace2_session_write(struct trace2_session *session, const struct trace2_event *event)
{
	return session->write(session, event);
}

const char *trace2_session_error(const struct trace2_session *session)
{
	return session->error.text;
}

const char *trace2_session_sid(const struct trace2_session *session)
{
	return session->sid;
}

void printer_release(struct printer *printer)
{
	buffer_release(&printer->line);
}

void trace2_session_free(struct trace2_session *session)
{
	if (!session)
		return;
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++)
		destination_release(&session->destinations[i]);
	printer_release(&session->printer);
	trace2_thread_free(session->main_thread);
	free(session->sid);
	free(session);
}
