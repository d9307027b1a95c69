// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The members of EVENT lines of each kind but regions and data. */
#include "trace2/event_members.h"

#define EVENT_FORMAT_VERSION "4"

static void event_member_open(struct buffer *line, const char *name)
{
	buffer_append(line, ",\"", 2);
	buffer_append_string(line, name);
	buffer_append(line, "\":", 2);
}

static void event_member_string(struct buffer *line, const char *name, struct text text)
{
	event_member_open(line, name);
	json_append_string(line, text);
}

static void event_member_text(struct buffer *line, const char *name, const struct trace2_text *text)
{
	event_member_open(line, name);
	buffer_append(line, text->json.data, text->json.size);
}

static void event_member_integer(struct buffer *line, const char *name, int64_t number)
{
	event_member_open(line, name);
	buffer_append_signed(line, number);
}

static void event_member_boolean(struct buffer *line, const char *name, bool is_true)
{
	event_member_open(line, name);
	buffer_append_string(line, is_true ? "true" : "false");
}

/* @first: a word to put before @words; NULL for none */
static void event_member_words(struct buffer *line, const char *name, const char *first,
			       char *const *words)
{
	bool is_first = true;

	event_member_open(line, name);
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

static void event_member_seconds(struct buffer *line, const struct trace2_session *session,
				 const char *name, int64_t ns)
{
	event_member_open(line, name);
	buffer_append_seconds(line, ns, session->settings.decimals);
}

static TARGET_PRINT(event_print_version)
{
	event_member_string(line, "evt", text_of(EVENT_FORMAT_VERSION));
	event_member_string(line, "exe", text_of(event->version.exe));
}

static TARGET_PRINT(event_print_start)
{
	event_member_words(line, "argv", NULL, event->start.argv);
}

static TARGET_PRINT(event_print_exit)
{
	event_member_integer(line, "code", event->exit.code);
}

static TARGET_PRINT(event_print_signal)
{
	event_member_integer(line, "signo", event->signal.signo);
}

static TARGET_PRINT(event_print_error)
{
	if (!event->error.fmt || !*event->error.fmt)
		return;
	event_member_string(line, "msg", string_text(event->error.msg));
	event_member_string(line, "fmt", text_of(event->error.fmt));
}

static TARGET_PRINT(event_print_cmd_path)
{
	event_member_string(line, "path", text_of(event->cmd_path.path));
}

static TARGET_PRINT(event_print_cmd_ancestry)
{
	event_member_words(line, "ancestry", NULL, event->cmd_ancestry.ancestry);
}

static TARGET_PRINT(event_print_cmd_name)
{
	const char *hierarchy = event->cmd_name.hierarchy;

	event_member_string(line, "name", text_of(event->cmd_name.name));
	if (hierarchy && *hierarchy)
		event_member_string(line, "hierarchy", text_of(hierarchy));
}

static TARGET_PRINT(event_print_cmd_mode)
{
	event_member_string(line, "name", text_of(event->cmd_mode.name));
}

static TARGET_PRINT(event_print_alias)
{
	event_member_string(line, "alias", text_of(event->alias.alias));
	event_member_words(line, "argv", NULL, event->alias.argv);
}

static TARGET_PRINT(event_print_child_start)
{
	const char *class = event->child_start.child_class ? event->child_start.child_class : "?";

	event_member_integer(line, "child_id", event->child_start.id);
	event_member_string(line, "child_class",
			    text_of(event->child_start.hook_name ? "hook" : class));
	if (event->child_start.hook_name)
		event_member_string(line, "hook_name", text_of(event->child_start.hook_name));
	if (event->child_start.cd)
		event_member_string(line, "cd", text_of(event->child_start.cd));
	event_member_boolean(line, "use_shell", event->child_start.use_shell);
	event_member_words(line, "argv", event->child_start.is_git ? "git" : NULL,
			   event->child_start.argv);
}

static TARGET_PRINT(event_print_child_exit)
{
	event_member_integer(line, "child_id", event->child_exit.id);
	event_member_integer(line, "pid", event->child_exit.pid);
	event_member_integer(line, "code", event->child_exit.code);
	event_member_seconds(line, session, "t_rel", event->child_exit.t_rel_ns);
}

static TARGET_PRINT(event_print_child_ready)
{
	event_member_integer(line, "child_id", event->child_ready.id);
	event_member_integer(line, "pid", event->child_ready.pid);
	event_member_string(line, "ready", text_of(event->child_ready.ready));
	event_member_seconds(line, session, "t_rel", event->child_ready.t_rel_ns);
}

static TARGET_PRINT(event_print_exec)
{
	event_member_integer(line, "exec_id", event->exec.id);
	if (event->exec.exe)
		event_member_string(line, "exe", text_of(event->exec.exe));
	event_member_words(line, "argv", NULL, event->exec.argv);
}

static TARGET_PRINT(event_print_exec_result)
{
	event_member_integer(line, "exec_id", event->exec_result.id);
	event_member_integer(line, "code", event->exec_result.code);
}

static TARGET_PRINT(event_print_thread_exit)
{
	event_member_seconds(line, session, "t_rel", event->thread_exit.t_rel_ns);
}

static TARGET_PRINT(event_print_def_param)
{
	event_member_string(line, "scope", text_of(event->def_param.scope));
	event_member_string(line, "param", text_of(event->def_param.param));
	if (event->def_param.value)
		event_member_string(line, "value", text_of(event->def_param.value));
}

static TARGET_PRINT(event_print_def_repo)
{
	event_member_string(line, "worktree", text_of(event->repository->worktree));
}

static TARGET_PRINT(event_print_printf)
{
	if (event->printf.msg.data)
		event_member_string(line, "msg", string_text(event->printf.msg));
}

static TARGET_PRINT(event_print_timer)
{
	event_member_text(line, "category", event->timer.category);
	event_member_text(line, "name", event->timer.name);
	event_member_integer(line, "intervals", event->timer.intervals);
	event_member_seconds(line, session, "t_total", timer_ns(session, event->timer.total_ns));
	event_member_seconds(line, session, "t_min", timer_ns(session, event->timer.min_ns));
	event_member_seconds(line, session, "t_max", timer_ns(session, event->timer.max_ns));
}

/* A count of 2^63 or more is negative, as in git's EVENT; NORMAL and PERF print it unsigned. */
static TARGET_PRINT(event_print_counter)
{
	event_member_text(line, "category", event->counter.category);
	event_member_text(line, "name", event->counter.name);
	event_member_integer(line, "count", event->counter.count);
}

/* Kinds without a function have no members of their own. */
static TARGET_PRINTS(event_prints) = {
	[TRACE2_VERSION] = event_print_version,
	[TRACE2_START] = event_print_start,
	[TRACE2_EXIT] = event_print_exit,
	[TRACE2_ATEXIT] = event_print_exit,
	[TRACE2_SIGNAL] = event_print_signal,
	[TRACE2_ERROR] = event_print_error,
	[TRACE2_CMD_PATH] = event_print_cmd_path,
	[TRACE2_CMD_ANCESTRY] = event_print_cmd_ancestry,
	[TRACE2_CMD_NAME] = event_print_cmd_name,
	[TRACE2_CMD_MODE] = event_print_cmd_mode,
	[TRACE2_ALIAS] = event_print_alias,
	[TRACE2_CHILD_START] = event_print_child_start,
	[TRACE2_CHILD_EXIT] = event_print_child_exit,
	[TRACE2_CHILD_READY] = event_print_child_ready,
	[TRACE2_EXEC] = event_print_exec,
	[TRACE2_EXEC_RESULT] = event_print_exec_result,
	[TRACE2_THREAD_EXIT] = event_print_thread_exit,
	[TRACE2_DEF_PARAM] = event_print_def_param,
	[TRACE2_DEF_REPO] = event_print_def_repo,
	[TRACE2_PRINTF] = event_print_printf,
	[TRACE2_TH_TIMER] = event_print_timer,
	[TRACE2_TIMER] = event_print_timer,
	[TRACE2_TH_COUNTER] = event_print_counter,
	[TRACE2_COUNTER] = event_print_counter,
};

void event_append_origin(struct buffer *line, const struct trace2_session *session,
			 const struct trace2_event *event)
{
	if (event->file && *event->file && !session->settings.is_brief[TRACE2_EVENT]) {
		event_member_string(line, "file", text_of(event->file));
		event_member_integer(line, "line", event->line);
	}
	if (event->repository)
		event_member_integer(line, "repo", event->repository->id);
}

void event_append_members(struct buffer *line, const struct trace2_session *session,
			  const struct trace2_event *event)
{
	if (event_prints[event->kind])
		event_prints[event->kind](line, session, event);
}
