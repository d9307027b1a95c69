// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Prints events as git's EVENT target does: a JSON object a line, same members, same order, no
 * white space.
 */
#include "trace2/target.h"

#define EVENT_FORMAT_VERSION "4"

/* Room for the names and numbers of a part of a line, beside the texts in it. */
#define FIXED_MAX 256

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

/* @first stands before the words; NULL for nothing. */
static void member_words(struct buffer *line, const char *name, const char *first,
			 char *const *words)
{
	bool is_first = true;

	member_open(line, name);
	buffer_append_char(line, '[');
	if (first) {
		json_append_string(line, text_of(first));
		is_first = false;
	}
	for (; *words; words++) {
		if (!is_first)
			buffer_append_char(line, ',');
		json_append_string(line, text_of(*words));
		is_first = false;
	}
	buffer_append_char(line, ']');
}

static void member_seconds(struct buffer *line, const struct trace2_session *session,
			   const char *name, int64_t ns)
{
	member_open(line, name);
	buffer_append_seconds(line, ns, session->settings.decimals);
}

hot_inline char *put_text(char *out, const struct trace2_text *text)
{
	return put_block(out, text->json.data, text->json.size);
}

hot_inline size_t text_size(const struct trace2_text *text)
{
	return text ? text->json.size : 0;
}

static TARGET_PRINT(print_nothing)
{
}

static TARGET_PRINT(print_version)
{
	member_string(line, "evt", text_of(EVENT_FORMAT_VERSION));
	member_string(line, "exe", text_of(event->version.exe));
}

static TARGET_PRINT(print_start)
{
	member_words(line, "argv", NULL, event->start.argv);
}

static TARGET_PRINT(print_exit)
{
	member_integer(line, "code", event->exit.code);
}

static TARGET_PRINT(print_signal)
{
	member_integer(line, "signo", event->signal.signo);
}

static TARGET_PRINT(print_error)
{
	if (!event->error.fmt || !*event->error.fmt)
		return;
	member_string(line, "msg", string_text(event->error.msg));
	member_string(line, "fmt", text_of(event->error.fmt));
}

static TARGET_PRINT(print_cmd_path)
{
	member_string(line, "path", text_of(event->cmd_path.path));
}

static TARGET_PRINT(print_cmd_ancestry)
{
	member_words(line, "ancestry", NULL, event->cmd_ancestry.ancestry);
}

static TARGET_PRINT(print_cmd_name)
{
	const char *hierarchy = event->cmd_name.hierarchy;

	member_string(line, "name", text_of(event->cmd_name.name));
	if (hierarchy && *hierarchy)
		member_string(line, "hierarchy", text_of(hierarchy));
}

static TARGET_PRINT(print_cmd_mode)
{
	member_string(line, "name", text_of(event->cmd_mode.name));
}

static TARGET_PRINT(print_alias)
{
	member_string(line, "alias", text_of(event->alias.alias));
	member_words(line, "argv", NULL, event->alias.argv);
}

static TARGET_PRINT(print_child_start)
{
	const char *class = event->child_start.child_class ? event->child_start.child_class : "?";

	member_integer(line, "child_id", event->child_start.id);
	member_string(line, "child_class", text_of(event->child_start.hook_name ? "hook" : class));
	if (event->child_start.hook_name)
		member_string(line, "hook_name", text_of(event->child_start.hook_name));
	if (event->child_start.cd)
		member_string(line, "cd", text_of(event->child_start.cd));
	member_boolean(line, "use_shell", event->child_start.use_shell);
	member_words(line, "argv", event->child_start.is_git ? "git" : NULL,
		     event->child_start.argv);
}

static TARGET_PRINT(print_child_exit)
{
	member_integer(line, "child_id", event->child_exit.id);
	member_integer(line, "pid", event->child_exit.pid);
	member_integer(line, "code", event->child_exit.code);
	member_seconds(line, session, "t_rel", event->child_exit.t_rel_ns);
}

static TARGET_PRINT(print_child_ready)
{
	member_integer(line, "child_id", event->child_ready.id);
	member_integer(line, "pid", event->child_ready.pid);
	member_string(line, "ready", text_of(event->child_ready.ready));
	member_seconds(line, session, "t_rel", event->child_ready.t_rel_ns);
}

static TARGET_PRINT(print_exec)
{
	member_integer(line, "exec_id", event->exec.id);
	if (event->exec.exe)
		member_string(line, "exe", text_of(event->exec.exe));
	member_words(line, "argv", NULL, event->exec.argv);
}

static TARGET_PRINT(print_exec_result)
{
	member_integer(line, "exec_id", event->exec_result.id);
	member_integer(line, "code", event->exec_result.code);
}

static TARGET_PRINT(print_thread_exit)
{
	member_seconds(line, session, "t_rel", event->thread_exit.t_rel_ns);
}

static TARGET_PRINT(print_def_param)
{
	member_string(line, "scope", text_of(event->def_param.scope));
	member_string(line, "param", text_of(event->def_param.param));
	if (event->def_param.value)
		member_string(line, "value", text_of(event->def_param.value));
}

static TARGET_PRINT(print_def_repo)
{
	member_string(line, "worktree", text_of(event->repository->worktree));
}

hot_inline char *put_region(char *out, const struct trace2_session *session,
			    const struct trace2_event *event)
{
	const struct trace2_text *category = event->region.category, *label = event->region.label;

	if (event->kind == TRACE2_REGION_LEAVE) {
		out = PUT_LITERAL(out, ",\"t_rel\":");
		out = put_seconds(out, event->region.t_rel_ns, session->settings.decimals);
	}
	out = put_unsigned(PUT_LITERAL(out, ",\"nesting\":"), event->region.nesting);
	if (category)
		out = put_text(PUT_LITERAL(out, ",\"category\":"), category);
	if (label)
		out = put_text(PUT_LITERAL(out, ",\"label\":"), label);
	return out;
}

static TARGET_PRINT(print_region)
{
	size_t size = text_size(event->region.category) + text_size(event->region.label);
	char *out = buffer_reserve_put(line, FIXED_MAX + size);

	if (!out)
		return;
	buffer_end_put(line, put_region(out, session, event));
	if (event->region.msg.data)
		member_string(line, "msg", string_text(event->region.msg));
}

static TARGET_PRINT(print_data)
{
	const struct trace2_text *category = event->data.category, *key = event->data.key;
	char *out = buffer_reserve_put(line, FIXED_MAX + text_size(category) + text_size(key));

	if (!out)
		return;
	out = PUT_LITERAL(out, ",\"t_rel\":");
	out = put_seconds(out, event->data.t_rel_ns, session->settings.decimals);
	out = put_unsigned(PUT_LITERAL(out, ",\"nesting\":"), event->data.nesting);
	out = put_text(PUT_LITERAL(out, ",\"category\":"), category);
	out = put_text(PUT_LITERAL(out, ",\"key\":"), key);
	buffer_end_put(line, PUT_LITERAL(out, ",\"value\":"));
	if (event->kind == TRACE2_DATA)
		json_append_string(line, string_text(event->data.value));
	else
		buffer_append(line, event->data.value.data, event->data.value.size);
}

static TARGET_PRINT(print_printf)
{
	if (event->printf.msg.data)
		member_string(line, "msg", string_text(event->printf.msg));
}

static TARGET_PRINT(print_timer)
{
	member_text(line, "category", event->timer.category);
	member_text(line, "name", event->timer.name);
	member_integer(line, "intervals", event->timer.intervals);
	member_seconds(line, session, "t_total", timer_ns(session, event->timer.total_ns));
	member_seconds(line, session, "t_min", timer_ns(session, event->timer.min_ns));
	member_seconds(line, session, "t_max", timer_ns(session, event->timer.max_ns));
}

/* A count beyond 2^63 is negative here, as git's is; NORMAL and PERF show it whole. */
static TARGET_PRINT(print_counter)
{
	member_text(line, "category", event->counter.category);
	member_text(line, "name", event->counter.name);
	member_integer(line, "count", event->counter.count);
}

/* What git's code does; its document names start where the code keeps the time of version. */
static bool has_time(const struct trace2_session *session, enum trace2_kind kind)
{
	return !session->settings.is_brief[TRACE2_EVENT] || kind == TRACE2_VERSION ||
	       kind == TRACE2_ATEXIT;
}

/* What all lines have: the kind, the session, the thread, the time. */
hot_inline char *put_head(char *out, struct stamp *stamp, const struct trace2_session *session,
			  const struct trace2_event *event)
{
	const struct buffer *thread = &event_thread(session, event)->json;
	const struct kind *kind = &kinds[event->kind];

	put_bytes(out, kind->head, sizeof(kind->head));
	out = put_bytes(out + kind->head_size, thread->data, thread->size);
	if (!has_time(session, event->kind))
		return out;
	out = PUT_LITERAL(out, ",\"time\":\"");
	out = stamp_put_utc(stamp, out, session->settings.start_unix_ns + event->time_ns);
	return put_char(out, '"');
}

hot_inline size_t head_size(const struct trace2_session *session, const struct trace2_event *event)
{
	return FIXED_MAX + event_thread(session, event)->json.size;
}

static void head_append(struct buffer *line, struct stamp *stamp,
			const struct trace2_session *session, const struct trace2_event *event)
{
	char *out = buffer_reserve_put(line, head_size(session, event));

	if (out)
		buffer_end_put(line, put_head(out, stamp, session, event));
}

static void event_begin(struct buffer *line, struct stamp *stamp,
			const struct trace2_session *session, const struct trace2_event *event)
{
	head_append(line, stamp, session, event);
	if (event->file && *event->file && !session->settings.is_brief[TRACE2_EVENT]) {
		member_string(line, "file", text_of(event->file));
		member_integer(line, "line", event->line);
	}
	if (event->repository)
		member_integer(line, "repo", event->repository->id);
	if (kinds[event->kind].has_t_abs)
		member_seconds(line, session, "t_abs", event->time_ns);
}

hot_inline size_t tail_size(const struct trace2_event *event)
{
	return FIXED_MAX + event->more.size;
}

hot_inline char *put_t_abs(char *out, struct stamp *stamp, const struct trace2_session *session,
			   const struct trace2_event *event)
{
	out = PUT_LITERAL(out, ",\"t_abs\":");
	return stamp_put_since(stamp, out, event->time_ns, session->settings.decimals);
}

hot_inline char *put_tail(char *out, struct stamp *stamp, const struct trace2_session *session,
			  const struct trace2_event *event)
{
	if (kinds[event->kind].may_have_t_abs && session->settings.has_more_t_abs)
		out = put_t_abs(out, stamp, session, event);
	if (event->more.size > 0)
		out = put_bytes(put_char(out, ','), event->more.data, event->more.size);
	return PUT_LITERAL(out, "}\n");
}

static void event_end(struct buffer *line, struct stamp *stamp,
		      const struct trace2_session *session, const struct trace2_event *event)
{
	char *out = buffer_reserve_put(line, tail_size(event));

	if (out)
		buffer_end_put(line, put_tail(out, stamp, session, event));
}

static bool event_wants(const struct trace2_session *session, const struct trace2_event *event)
{
	switch (event->kind) {
	case TRACE2_REGION_ENTER:
	case TRACE2_REGION_LEAVE:
		return event->region.nesting <= session->settings.max_nesting;
	case TRACE2_DATA:
	case TRACE2_DATA_JSON:
		return event->data.nesting <= session->settings.max_nesting;
	default:
		return true;
	}
}

const struct target event_target = {
	.begin = event_begin,
	.end = event_end,
	.line = event_line,
	.write = event_write,
	.wants = event_wants,
	.print = {
		[TRACE2_VERSION] = print_version,
		[TRACE2_TOO_MANY_FILES] = print_nothing,
		[TRACE2_START] = print_start,
		[TRACE2_EXIT] = print_exit,
		[TRACE2_ATEXIT] = print_exit,
		[TRACE2_SIGNAL] = print_signal,
		[TRACE2_ERROR] = print_error,
		[TRACE2_CMD_PATH] = print_cmd_path,
		[TRACE2_CMD_ANCESTRY] = print_cmd_ancestry,
		[TRACE2_CMD_NAME] = print_cmd_name,
		[TRACE2_CMD_MODE] = print_cmd_mode,
		[TRACE2_ALIAS] = print_alias,
		[TRACE2_CHILD_START] = print_child_start,
		[TRACE2_CHILD_EXIT] = print_child_exit,
		[TRACE2_CHILD_READY] = print_child_ready,
		[TRACE2_EXEC] = print_exec,
		[TRACE2_EXEC_RESULT] = print_exec_result,
		[TRACE2_THREAD_START] = print_nothing,
		[TRACE2_THREAD_EXIT] = print_thread_exit,
		[TRACE2_DEF_PARAM] = print_def_param,
		[TRACE2_DEF_REPO] = print_def_repo,
		[TRACE2_REGION_ENTER] = print_region,
		[TRACE2_REGION_LEAVE] = print_region,
		[TRACE2_DATA] = print_data,
		[TRACE2_DATA_JSON] = print_data,
		[TRACE2_PRINTF] = print_printf,
		[TRACE2_TH_TIMER] = print_timer,
		[TRACE2_TIMER] = print_timer,
		[TRACE2_TH_COUNTER] = print_counter,
		[TRACE2_COUNTER] = print_counter,
	},
};
