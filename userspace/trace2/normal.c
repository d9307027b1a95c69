// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Prints events as git's NORMAL target does: a verb and its words. */
#include "trace2/session.h"

/* The column of messages; a longer location shifts them. */
#define MESSAGE_COLUMN 50

/* The verb of each kind; NULL for none. */
static const char *const verbs[TRACE2_KIND_COUNT] = {
	[TRACE2_VERSION] = "version ",
	[TRACE2_START] = "start ",
	[TRACE2_EXIT] = "exit",
	[TRACE2_ATEXIT] = "atexit",
	[TRACE2_SIGNAL] = "signal",
	[TRACE2_ERROR] = "error",
	[TRACE2_CMD_PATH] = "cmd_path ",
	[TRACE2_CMD_ANCESTRY] = "cmd_ancestry ",
	[TRACE2_CMD_NAME] = "cmd_name ",
	[TRACE2_CMD_MODE] = "cmd_mode ",
	[TRACE2_ALIAS] = "alias ",
	[TRACE2_CHILD_START] = "child_start[",
	[TRACE2_CHILD_EXIT] = "child_exit[",
	[TRACE2_CHILD_READY] = "child_ready[",
	[TRACE2_EXEC] = "exec[",
	[TRACE2_EXEC_RESULT] = "exec_result[",
	[TRACE2_DEF_PARAM] = "def_param scope:",
	[TRACE2_DEF_REPO] = "worktree ",
	[TRACE2_TH_TIMER] = "th_timer ",
	[TRACE2_TIMER] = "timer ",
	[TRACE2_TH_COUNTER] = "th_counter ",
	[TRACE2_COUNTER] = "counter ",
};

static void normal_append_time(struct buffer *line, struct time_cache *times,
			       const struct trace2_session *session,
			       const struct trace2_event *event)
{
	char *out = buffer_reserve_put(line, TIME_CACHE_MAX);

	if (!out)
		return;
	out = time_cache_put_clock(times, out, session->settings.start_unix_ns + event->time_ns);
	buffer_end_put(line, put_char(out, ' '));
}

static void normal_append_location(struct buffer *line, const char *file, int number)
{
	if (!file || !*file)
		return;
	escape_append_string(line, file);
	buffer_append_char(line, ':');
	buffer_append_signed(line, number);
	buffer_append_char(line, ' ');
}

static void normal_append_head(struct buffer *line, struct time_cache *times,
			       const struct trace2_session *session,
			       const struct trace2_event *event)
{
	size_t start = line->size;
	const char *verb = verbs[event->kind];

	if (!session->settings.is_brief[TRACE2_NORMAL]) {
		normal_append_time(line, times, session, event);
		normal_append_location(line, event->file, event->line);
		blanks_append(line, start + MESSAGE_COLUMN);
	}
	if (verb)
		buffer_append_string(line, verb);
}

static TARGET_PRINT(normal_print_exit)
{
	message_seconds(line, session, " elapsed:", event->time_ns, 0);
	message_signed(line, " code:", event->exit.code);
}

static TARGET_PRINT(normal_print_signal)
{
	message_seconds(line, session, " elapsed:", event->time_ns, 0);
	message_signed(line, " code:", event->signal.signo);
}

static TARGET_PRINT(normal_print_error)
{
	if (event->error.fmt && *event->error.fmt)
		buffer_append_char(line, ' ');
	message_error(line, session, event);
}

static TARGET_PRINT(normal_print_cmd_ancestry)
{
	for (char *const *name = event->cmd_ancestry.ancestry; *name; name++) {
		escape_append_string(line, *name);
		if (name[1])
			buffer_append_string(line, " <- ");
	}
}

static TARGET_PRINT(normal_print_alias)
{
	escape_append_string(line, event->alias.alias);
	buffer_append_string(line, " -> ");
	escape_append_words(line, event->alias.argv);
}

static TARGET_PRINT(normal_print_child_start)
{
	buffer_append_signed(line, event->child_start.id);
	buffer_append_char(line, ']');
	if (event->child_start.cd) {
		buffer_append_string(line, " cd ");
		escape_append_word(line, event->child_start.cd);
		buffer_append_char(line, ';');
	}
	buffer_append_string(line, event->child_start.is_git ? " git " : " ");
	escape_append_words(line, event->child_start.argv);
}

static TARGET_PRINT(normal_print_child_exit)
{
	buffer_append_signed(line, event->child_exit.id);
	message_signed(line, "] pid:", event->child_exit.pid);
	message_signed(line, " code:", event->child_exit.code);
	message_seconds(line, session, " elapsed:", event->child_exit.t_rel_ns, 0);
}

static TARGET_PRINT(normal_print_child_ready)
{
	buffer_append_signed(line, event->child_ready.id);
	message_signed(line, "] pid:", event->child_ready.pid);
	buffer_append_string(line, " ready:");
	escape_append_string(line, event->child_ready.ready);
	message_seconds(line, session, " elapsed:", event->child_ready.t_rel_ns, 0);
}

static TARGET_PRINT(normal_print_exec)
{
	buffer_append_signed(line, event->exec.id);
	buffer_append_string(line, "] ");
	if (event->exec.exe) {
		escape_append_string(line, event->exec.exe);
		buffer_append_char(line, ' ');
	}
	escape_append_words(line, event->exec.argv);
}

static TARGET_PRINT(normal_print_exec_result)
{
	buffer_append_signed(line, event->exec_result.id);
	message_signed(line, "] code:", event->exec_result.code);
	message_reason(line, event->exec_result.code);
}

static TARGET_PRINT(normal_print_def_param)
{
	escape_append_string(line, event->def_param.scope);
	buffer_append_char(line, ' ');
	escape_append_string(line, event->def_param.param);
	if (!event->def_param.value)
		return;
	buffer_append_char(line, '=');
	escape_append_string(line, event->def_param.value);
}

static TARGET_PRINT(normal_print_def_repo)
{
	escape_append_word(line, event->repository->worktree);
}

static void normal_append_name(struct buffer *line, const struct trace2_text *category,
			       const struct trace2_text *name)
{
	message_text(line, category);
	buffer_append_char(line, '/');
	message_text(line, name);
}

static TARGET_PRINT(normal_print_timer)
{
	normal_append_name(line, event->timer.category, event->timer.name);
	message_timer(line, session, event);
}

static TARGET_PRINT(normal_print_counter)
{
	normal_append_name(line, event->counter.category, event->counter.name);
	message_unsigned(line, " value:", event->counter.count);
}

/* NORMAL has no lines for threads, regions, data and too_many_files. */
static TARGET_PRINTS(normal_prints) = {
	[TRACE2_VERSION] = message_version,
	[TRACE2_START] = message_start,
	[TRACE2_EXIT] = normal_print_exit,
	[TRACE2_ATEXIT] = normal_print_exit,
	[TRACE2_SIGNAL] = normal_print_signal,
	[TRACE2_ERROR] = normal_print_error,
	[TRACE2_CMD_PATH] = message_cmd_path,
	[TRACE2_CMD_ANCESTRY] = normal_print_cmd_ancestry,
	[TRACE2_CMD_NAME] = message_cmd_name,
	[TRACE2_CMD_MODE] = message_cmd_mode,
	[TRACE2_ALIAS] = normal_print_alias,
	[TRACE2_CHILD_START] = normal_print_child_start,
	[TRACE2_CHILD_EXIT] = normal_print_child_exit,
	[TRACE2_CHILD_READY] = normal_print_child_ready,
	[TRACE2_EXEC] = normal_print_exec,
	[TRACE2_EXEC_RESULT] = normal_print_exec_result,
	[TRACE2_DEF_PARAM] = normal_print_def_param,
	[TRACE2_DEF_REPO] = normal_print_def_repo,
	[TRACE2_PRINTF] = message_printf,
	[TRACE2_TH_TIMER] = normal_print_timer,
	[TRACE2_TIMER] = normal_print_timer,
	[TRACE2_TH_COUNTER] = normal_print_counter,
	[TRACE2_COUNTER] = normal_print_counter,
};

int normal_print(struct buffer *line, struct time_cache *times,
		 const struct trace2_session *session, const struct trace2_event *event)
{
	if (!normal_prints[event->kind])
		return 0;
	normal_append_head(line, times, session, event);
	normal_prints[event->kind](line, session, event);
	buffer_append_char(line, '\n');
	return 0;
}
