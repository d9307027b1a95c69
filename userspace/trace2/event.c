// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Prints events as git's EVENT target does (trace2/tr2_tgt_event.c): same keys, same order, no white space. */
#include "trace2/event.h"

#include <string.h>

#define EVENT_FORMAT_VERSION "4"

static void member_open(struct buffer *line, const char *name)
{
	buffer_append(line, ",\"", 2);
	buffer_append_string(line, name);
	buffer_append(line, "\":", 2);
}

static void member_string(struct buffer *line, const char *name, struct text text)
{
	member_open(line, name);
	json_append_string(line, text);
}

static void member_text(struct buffer *line, const char *name, const struct trace2_text *text)
{
	member_open(line, name);
	buffer_append(line, text->json.data, text->json.size);
}

static void member_integer(struct buffer *line, const char *name, int64_t number)
{
	member_open(line, name);
	buffer_append_signed(line, number);
}

static void member_boolean(struct buffer *line, const char *name, bool is_true)
{
	member_open(line, name);
	buffer_append_string(line, is_true ? "true" : "false");
}

static void member_argv(struct buffer *line, char *const *argv)
{
	member_open(line, "argv");
	buffer_append_char(line, '[');
	for (size_t i = 0; argv[i]; i++) {
		if (i > 0)
			buffer_append_char(line, ',');
		json_append_string(line, text_of(argv[i]));
	}
	buffer_append_char(line, ']');
}

static void member_seconds(struct buffer *line, const struct trace2_session *session, const char *name, int64_t ns)
{
	member_open(line, name);
	if (session->settings.decimals == 9)
		buffer_append_decimal(line, ns, 9);
	else
		buffer_append_decimal(line, ns / NS_PER_US, 6);
}

/* One kind's name, whether git gives it a t_abs, whether we may, and its own members. */
struct event_row {
	const char *name;
	bool has_t_abs;
	bool may_have_t_abs;
	void (*print)(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event);
};

static void print_version(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	(void)session;
	member_string(line, "evt", text_of(EVENT_FORMAT_VERSION));
	member_string(line, "exe", text_of(event->version.exe));
}

static void print_start(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	(void)session;
	member_argv(line, event->start.argv);
}

static void print_exit(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	(void)session;
	member_integer(line, "code", event->exit.code);
}

static void print_error(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	(void)session;
	if (event->error.msg.size == 0)
		return;
	member_string(line, "msg", string_text(event->error.msg));
	member_string(line, "fmt", text_of(event->error.fmt));
}

static void print_cmd_name(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	(void)session;
	member_string(line, "name", text_of(event->cmd_name.name));
	if (event->cmd_name.hierarchy)
		member_string(line, "hierarchy", text_of(event->cmd_name.hierarchy));
}

static void print_cmd_mode(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	(void)session;
	member_string(line, "name", text_of(event->cmd_mode.name));
}

static void print_child_start(struct buffer *line, const struct trace2_session *session,
			      const struct trace2_event *event)
{
	(void)session;
	member_integer(line, "child_id", event->child_start.id);
	member_string(line, "child_class", text_of(event->child_start.class));
	member_boolean(line, "use_shell", event->child_start.use_shell);
	member_argv(line, event->child_start.argv);
}

static void print_child_exit(struct buffer *line, const struct trace2_session *session,
			     const struct trace2_event *event)
{
	member_integer(line, "child_id", event->child_exit.id);
	member_integer(line, "pid", event->child_exit.pid);
	member_integer(line, "code", event->child_exit.code);
	member_seconds(line, session, "t_rel", event->child_exit.t_rel_ns);
}

static void print_thread_exit(struct buffer *line, const struct trace2_session *session,
			      const struct trace2_event *event)
{
	member_seconds(line, session, "t_rel", event->thread_exit.t_rel_ns);
}

static void print_def_param(struct buffer *line, const struct trace2_session *session,
			    const struct trace2_event *event)
{
	(void)session;
	member_string(line, "scope", text_of(event->def_param.scope));
	member_string(line, "param", text_of(event->def_param.param));
	if (event->def_param.value)
		member_string(line, "value", text_of(event->def_param.value));
}

static void print_region(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	if (event->kind == TRACE2_REGION_LEAVE)
		member_seconds(line, session, "t_rel", event->region.t_rel_ns);
	member_integer(line, "nesting", event->region.nesting);
	if (event->region.category)
		member_text(line, "category", event->region.category);
	if (event->region.label)
		member_text(line, "label", event->region.label);
	if (event->region.msg.size > 0)
		member_string(line, "msg", string_text(event->region.msg));
}

static void print_data(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	member_seconds(line, session, "t_rel", event->data.t_rel_ns);
	member_integer(line, "nesting", event->data.nesting);
	member_text(line, "category", event->data.category);
	member_text(line, "key", event->data.key);
	if (event->kind == TRACE2_DATA) {
		member_string(line, "value", string_text(event->data.value));
		return;
	}
	member_open(line, "value");
	buffer_append(line, event->data.value.data, event->data.value.size);
}

static void print_timer(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	member_text(line, "category", event->timer.category);
	member_text(line, "name", event->timer.name);
	member_integer(line, "intervals", event->timer.intervals);
	member_seconds(line, session, "t_total", event->timer.total_ns);
	member_seconds(line, session, "t_min", event->timer.min_ns);
	member_seconds(line, session, "t_max", event->timer.max_ns);
}

static void print_counter(struct buffer *line, const struct trace2_session *session, const struct trace2_event *event)
{
	(void)session;
	member_text(line, "category", event->counter.category);
	member_text(line, "name", event->counter.name);
	member_integer(line, "count", event->counter.count);
}

static const struct event_row rows[] = {
	[TRACE2_VERSION] = { "version", false, false, print_version },
	[TRACE2_START] = { "start", true, false, print_start },
	[TRACE2_EXIT] = { "exit", true, false, print_exit },
	[TRACE2_ATEXIT] = { "atexit", true, false, print_exit },
	[TRACE2_ERROR] = { "error", false, true, print_error },
	[TRACE2_CMD_NAME] = { "cmd_name", false, false, print_cmd_name },
	[TRACE2_CMD_MODE] = { "cmd_mode", false, false, print_cmd_mode },
	[TRACE2_CHILD_START] = { "child_start", false, false, print_child_start },
	[TRACE2_CHILD_EXIT] = { "child_exit", false, false, print_child_exit },
	[TRACE2_THREAD_START] = { "thread_start", false, true, NULL },
	[TRACE2_THREAD_EXIT] = { "thread_exit", false, true, print_thread_exit },
	[TRACE2_DEF_PARAM] = { "def_param", false, false, print_def_param },
	[TRACE2_REGION_ENTER] = { "region_enter", false, true, print_region },
	[TRACE2_REGION_LEAVE] = { "region_leave", false, true, print_region },
	[TRACE2_DATA] = { "data", true, false, print_data },
	[TRACE2_DATA_JSON] = { "data_json", true, false, print_data },
	[TRACE2_TH_TIMER] = { "th_timer", false, false, print_timer },
	[TRACE2_TIMER] = { "timer", false, false, print_timer },
	[TRACE2_COUNTER] = { "counter", false, false, print_counter },
};
_Static_assert(sizeof(rows) / sizeof(rows[0]) == TRACE2_KIND_COUNT, "a row for every kind");

/* Date and microseconds, cut, not rounded, and the closing quote. */
static void append_time(struct buffer *line, struct trace2_session *session, int64_t time_ns)
{
	unsigned int us;
	int64_t second = time_split(session->settings.start_unix_ns + time_ns, &us);
	char fraction[] = ".000000Z\"";

	if (second != session->date_s) {
		session->date_s = second;
		time_date_text(session->date, second, "%Y-%m-%dT%H:%M:%S");
		session->date_size = strlen(session->date);
	}
	for (int i = 6; i > 0; i--) {
		fraction[i] = '0' + us % 10;
		us /= 10;
	}
	buffer_append(line, session->date, session->date_size);
	buffer_append(line, fraction, sizeof(fraction) - 1);
}

static void append_head(struct buffer *line, struct trace2_session *session, const struct event_row *row,
			const struct trace2_event *event)
{
	const struct trace2_thread *thread = event->thread ? event->thread : session->main_thread;

	buffer_append(line, "{\"event\":\"", 10);
	buffer_append_string(line, row->name);
	buffer_append(line, "\",", 2);
	buffer_append(line, thread->prefix.data, thread->prefix.size);
	append_time(line, session, event->time_ns);
	if (!event->file)
		return;
	member_string(line, "file", text_of(event->file));
	member_integer(line, "line", event->line);
}

void event_print(struct buffer *line, struct trace2_session *session, const struct trace2_event *event)
{
	const struct event_row *row = &rows[event->kind];

	append_head(line, session, row, event);
	if (row->has_t_abs)
		member_seconds(line, session, "t_abs", event->time_ns);
	if (row->print)
		row->print(line, session, event);
	if (row->may_have_t_abs && session->settings.has_more_t_abs)
		member_seconds(line, session, "t_abs", event->time_ns);
	if (event->more.size > 0) {
		buffer_append_char(line, ',');
		buffer_append(line, event->more.data, event->more.size);
	}
	buffer_append(line, "}\n", 2);
}
