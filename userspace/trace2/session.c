// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A session: its identity, its targets, the first failure, and the texts of its threads. */
#include "trace2/session.h"

#include <errno.h>
#include <sha1.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "trace2/trace2.h"

struct trace2_thread *trace2_thread_new(const struct trace2_session *session,
					struct trace2_string name)
{
	struct buffer all = { 0 }, escaped = { 0 };
	struct text text = string_text(name);
	struct trace2_thread *thread = NULL;
	size_t json_size;

	/* git cuts within characters, which leaves bytes that are not UTF-8. */
	if (!session->settings.has_whole_names)
		text = text_cut(text, THREAD_NAME_SIZE);
	buffer_append_string(&all, "\"sid\":");
	json_append_string(&all, text_of(session->sid));
	buffer_append_string(&all, ",\"thread\":");
	json_append_string(&all, text);
	json_size = all.size;
	/* "d0 | main                     | " */
	buffer_printf(&all, "d%u | ", session->depth);
	escape_append(&escaped, text);
	column_append(&all, buffer_text(&escaped), THREAD_NAME_SIZE, SIZE_MAX);
	buffer_append_string(&all, " | ");
	/* Of its final size: there are very many threads. */
	if (!all.failed && !escaped.failed)
		thread = malloc(sizeof(*thread) + all.size + PUT_SLACK);
	if (thread) {
		memcpy(thread->bytes, all.data, all.size);
		memset(thread->bytes + all.size, 0, PUT_SLACK);
		thread->json = (struct text){ thread->bytes, json_size };
		thread->columns =
			(struct text){ thread->bytes + json_size, all.size - json_size };
	}
	buffer_release(&all);
	buffer_release(&escaped);
	return thread;
}

void trace2_thread_free(struct trace2_thread *thread)
{
	free(thread);
}

/* The category of texts that are no labels; no event has it. */
static const struct trace2_text no_category;

int trace2_text_set(struct trace2_text *text, struct trace2_string string)
{
	struct buffer *json = &text->json, *escaped = &text->escaped;

	text->category = &no_category;
	buffer_clear(json);
	buffer_clear(escaped);
	json_append_string(json, string_text(string));
	escape_append(escaped, string_text(string));
	buffer_seal(json);
	buffer_seal(escaped);
	text->has_bar = escaped->size > 0 && memchr(escaped->data, '|', escaped->size);
	return json->failed || escaped->failed ? -1 : 0;
}

/* Sets the members that a line has of a label and its category. */
static void label_members_set(struct buffer *members, const struct trace2_text *category,
			     const char *name, const struct trace2_text *label)
{
	buffer_clear(members);
	buffer_append_string(members, ",\"category\":");
	buffer_append(members, category->json.data, category->json.size);
	buffer_append_string(members, name);
	buffer_append(members, label->json.data, label->json.size);
}

int trace2_label_set(struct trace2_text *text, const struct trace2_text *category,
		     struct trace2_string string)
{
	if (trace2_text_set(text, string) < 0)
		return -1;
	if (!category)
		return 0;
	label_members_set(&text->members, category, ",\"label\":", text);
	label_members_set(&text->key_members, category, ",\"key\":", text);
	buffer_append_string(&text->key_members, ",\"value\":");
	buffer_seal(&text->members);
	buffer_seal(&text->key_members);
	if (text->members.failed || text->key_members.failed)
		return -1;
	text->category = category;
	return 0;
}

struct trace2_text *trace2_label_new(const struct trace2_text *category,
				     struct trace2_string string)
{
	struct trace2_text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	if (trace2_label_set(text, category, string) < 0) {
		trace2_text_free(text);
		return NULL;
	}
	buffer_trim(&text->json);
	buffer_trim(&text->escaped);
	if (category) {
		buffer_trim(&text->members);
		buffer_trim(&text->key_members);
	}
	return text;
}

struct trace2_text *trace2_text_new(struct trace2_string string)
{
	return trace2_label_new(NULL, string);
}

void trace2_text_free(struct trace2_text *text)
{
	if (!text)
		return;
	buffer_release(&text->json);
	buffer_release(&text->escaped);
	buffer_release(&text->members);
	buffer_release(&text->key_members);
	free(text);
}

#define DEFAULT_DECIMALS 6
#define DEFAULT_NESTING 2
#define DEFAULT_CATEGORY_WIDTH 12

static int (*const printers[])(struct buffer *line, struct time_cache *times,
			       const struct trace2_session *session,
			       const struct trace2_event *event) = {
	[TRACE2_NORMAL] = normal_print,
	[TRACE2_PERF] = perf_print,
	[TRACE2_EVENT] = event_print,
};
_Static_assert(sizeof(printers) / sizeof(printers[0]) == TRACE2_TARGET_COUNT,
	       "a printer for every target");

struct trace2_session *trace2_session_new(const struct trace2_settings *settings)
{
	static const struct trace2_string main_name = { .data = "main", .size = 4 };
	struct trace2_session *session;
	struct trace2_settings *own;

	if (!settings || !settings->sid) {
		errno = EINVAL;
		return NULL;
	}
	session = calloc(1, sizeof(*session));
	if (!session)
		return NULL;
	own = &session->settings;
	*own = *settings;
	if (own->decimals != 9)
		own->decimals = DEFAULT_DECIMALS;
	if (own->max_nesting == 0)
		own->max_nesting = DEFAULT_NESTING;
	if (own->category_width == 0)
		own->category_width = DEFAULT_CATEGORY_WIDTH;
	session->short_nesting = own->max_nesting < PUT_SHORT_LIMIT ? own->max_nesting
								    : PUT_SHORT_LIMIT - 1;
	for (const char *sid = settings->sid; (sid = strchr(sid, '/')); sid++)
		session->depth++;
	session->sid = strdup(settings->sid);
	own->sid = session->sid;
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
	session->printer.times.span_ns = 0;
}

static void session_list_opened(struct trace2_session *session)
{
	session->nr_opened = 0;
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++) {
		struct destination *destination = &session->destinations[i];

		if (!destination_is_on(destination))
			continue;
		session->opened[session->nr_opened++] = (struct opened_target){
			.destination = destination,
			.print = printers[i],
			.has_blocks = session->settings.flush == TRACE2_FLUSH_BLOCKS &&
				      !destination->is_datagram,
		};
	}
	session->block_target = NULL;
	if (session->nr_opened == 1 && session->opened[0].has_blocks &&
	    session->settings.has_valid_json && !session->error.text[0])
		session->block_target = &session->opened[0];
}

/*
 * The targets are not written without checks any more: the session failed, or one was turned off.
 * Several threads may do so at once, and only read what is NULL already.
 */
static void session_stop_blocks(struct trace2_session *session)
{
	if (session->block_target)
		session->block_target = NULL;
}

/* The session has failed with @text; returns -1. */
static int session_failed(struct trace2_session *session, const char *text)
{
	session_stop_blocks(session);
	return error_set(&session->error, "%s", text);
}

/* Whether there is such a target; fails the session if there is none. */
static bool session_check_target(struct trace2_session *session, enum trace2_target target)
{
	if ((unsigned int)target < TRACE2_TARGET_COUNT)
		return true;
	session_stop_blocks(session);
	error_set(&session->error, "trace2: there is no target %d", target);
	return false;
}

int trace2_session_add(struct trace2_session *session, enum trace2_target target, int fd,
		       const char *name)
{
	struct destination *destination = &session->destinations[target];
	int status;

	if (!session_check_target(session, target)) {
		close(fd);
		return -1;
	}
	destination_release(destination);
	status = destination_init(destination, name);
	if (status == 0)
		destination_set(destination, fd, true);
	else
		close(fd);
	destination->is_added = status == 0;
	session_list_opened(session);
	return status;
}

/**
 * session_report - report a failure that a lenient session survives
 * @is_always: report it even if the settings do not ask for all failures
 */
static void session_report(const struct trace2_session *session, bool is_always,
			   const char *message)
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
	enum open_result result;

	if (!session_check_target(session, target))
		return -1;
	destination_release(destination);
	result = open_target(destination, &session->settings, value, name ? name : "trace2",
			     &error);
	if (result != OPEN_OPEN)
		destination_release(destination);
	session_list_opened(session);
	if (result == OPEN_OPEN)
		return 1;
	if (result == OPEN_OFF)
		return 0;
	if (!session->settings.is_lenient)
		return session_failed(session, error.text);
	session_report(session, result == OPEN_UNKNOWN, error.text);
	return 0;
}

bool trace2_session_has(const struct trace2_session *session, enum trace2_target target)
{
	return (unsigned int)target < TRACE2_TARGET_COUNT &&
	       destination_is_on(&session->destinations[target]);
}

/* Writes lines; a failure fails a strict session, and turns the destination of a lenient one off.
 */
static int destination_send(struct trace2_session *session, struct destination *destination,
			    const struct buffer *lines)
{
	struct error error = { 0 };

	if (destination_write(destination, lines, &session->settings, &error) == 0)
		return 0;
	if (!session->settings.is_lenient)
		return session_failed(session, error.text);
	session_stop_blocks(session);
	if (destination_turn_off(destination))
		session_report(session, false, error.text);
	return 0;
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

/* Writes a complete block, and prints the first line of the next one. */
static out_of_line int session_begin_block(struct trace2_session *session, struct printer *printer,
					   const struct opened_target *target,
					   const struct trace2_event *event)
{
	if (trace2_session_flush(session) < 0)
		return -1;
	return target->print(&target->destination->lines, &printer->times, session, event);
}

hot_inline int session_append_line(struct trace2_session *session, struct printer *printer,
				   const struct opened_target *target,
				   const struct trace2_event *event)
{
	struct buffer *lines = &target->destination->lines;

	if (unlikely(lines->size >= SESSION_BLOCK_SIZE || lines->failed))
		return session_begin_block(session, printer, target, event);
	return target->print(lines, &printer->times, session, event);
}

/* Prints to any targets, in blocks or as one line that is written at once. */
static out_of_line int session_print_targets(struct trace2_session *session,
					     struct printer *printer,
					     const struct trace2_event *event)
{
	int status = 0;

	for (unsigned int i = 0; i < session->nr_opened && status == 0; i++) {
		const struct opened_target *target = &session->opened[i];

		if (!destination_is_on(target->destination))
			continue;
		if (target->has_blocks) {
			status = session_append_line(session, printer, target, event);
			continue;
		}
		buffer_clear(&printer->line);
		target->print(&printer->line, &printer->times, session, event);
		status = destination_send(session, target->destination, &printer->line);
	}
	return status;
}

hot_inline int session_print_lines(struct trace2_session *session, struct printer *printer,
				   const struct trace2_event *event)
{
	if (unlikely(!session->block_target))
		return session_print_targets(session, printer, event);
	return session_append_line(session, printer, session->block_target, event);
}

/* Prints versions, and events with parts that are missing, secret or unchecked. */
static out_of_line int unprepared_print(struct trace2_session *session, struct printer *printer,
					const struct trace2_event *event)
{
	struct trace2_event full = { .kind = TRACE2_TOO_MANY_FILES,
				     .time_ns = event->time_ns,
				     .file = event->file,
				     .line = event->line };
	struct prepared prepared;
	int status = 0;

	if ((unsigned int)event->kind >= TRACE2_KIND_COUNT) {
		if (session->settings.is_lenient)
			return 0;
		session_stop_blocks(session);
		return error_set(&session->error, "%d is no kind of event", event->kind);
	}
	if (prepared_init(&prepared, &session->settings, event) == 0) {
		status = session_print_lines(session, printer, &prepared.event);
		/* The last file of a full directory says so after its version. */
		if (status == 0 && event->kind == TRACE2_VERSION &&
		    session->destinations[TRACE2_EVENT].is_sentinel)
			status = session_print_lines(session, printer, &full);
	} else if (!session->settings.is_lenient) {
		status = session_failed(session, "out of memory");
	}
	prepared_release(&prepared);
	return status;
}

static out_of_line int session_print_any(struct trace2_session *session, struct printer *printer,
					 const struct trace2_event *event)
{
	if (session->error.text[0])
		return -1;
	if (is_prepared(&session->settings, event))
		return session_print_lines(session, printer, event);
	return unprepared_print(session, printer, event);
}

hot_inline int session_print_event(struct trace2_session *session, struct printer *printer,
				   const struct trace2_event *event)
{
	const struct opened_target *target = session->block_target;

	if (likely(target && is_record_prepared(event)))
		return session_append_line(session, printer, target, event);
	return session_print_any(session, printer, event);
}

int session_print(struct trace2_session *session, struct printer *printer,
		  const struct trace2_event *event)
{
	return session_print_event(session, printer, event);
}

int trace2_session_write(struct trace2_session *session, const struct trace2_event *event)
{
	return session_print_event(session, &session->printer, event);
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

void trace2_sid_make(char *out, int64_t unix_ns, int pid)
{
	char date[TIME_DATE_SIZE], name[256] = "", digest[SHA1_DIGEST_STRING_LENGTH];
	bool has_name = gethostname(name, sizeof(name) - 1) == 0 && name[0] &&
			SHA1Data((const uint8_t *)name, strlen(name), digest);
	unsigned int us;

	time_date_text(date, time_split(unix_ns, &us), "%Y%m%dT%H%M%S");
	/* "H" and the first 8 digits of the SHA-1 of the host name, as in git's tr2_sid.c. */
	snprintf(out, TRACE2_SID_SIZE, "%.16s.%06uZ-%s%.8s-P%08x", date, us,
		 has_name ? "H" : "Localhost", has_name ? digest : "", (unsigned int)pid);
}

char *parent_join(const char *variable, const char *own)
{
	const char *parent = secure_getenv(variable);
	bool has_parent = parent && *parent;
	char *whole;

	if (asprintf(&whole, "%s%s%s", has_parent ? parent : "", has_parent ? "/" : "",
		     own ? own : "") < 0)
		return NULL;
	return whole;
}

char *trace2_inherit(const char *variable, const char *own)
{
	char *whole = parent_join(variable, own);

	if (whole)
		setenv(variable, whole, 1);
	return whole;
}
