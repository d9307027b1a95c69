// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The messages of a process, except regions and data: commands, parameters, children, exec(), texts,
 * errors.
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace2/config.h"
#include "trace2/process_state.h"

/* Writes an event on the calling thread with the current time. */
static void process_event_write(struct trace2_event *event, const char *file, int line)
{
	struct self *self = self_get();

	event->file = file;
	event->line = line;
	if (self)
		process_write(self, event, process_now_ns());
}

void trace2_cmd_start_at(const char *file, int line, char *const *argv)
{
	struct trace2_event event = { .kind = TRACE2_START, .start.argv = argv };

	if (trace2_is_enabled())
		process_event_write(&event, file, line);
}

int trace2_cmd_exit_at(const char *file, int line, int code)
{
	struct trace2_event event = { .kind = TRACE2_EXIT };

	code &= 0xff;
	event.exit.code = code;
	if (!trace2_is_enabled())
		return code;
	__atomic_store_n(&process.exit_code, code, __ATOMIC_RELAXED);
	process_event_write(&event, file, line);
	return code;
}

void trace2_cmd_path_at(const char *file, int line, const char *path)
{
	struct trace2_event event = { .kind = TRACE2_CMD_PATH, .cmd_path.path = path };

	if (trace2_is_enabled())
		process_event_write(&event, file, line);
}

void trace2_cmd_ancestry_at(const char *file, int line, char *const *names)
{
	struct trace2_event event = { .kind = TRACE2_CMD_ANCESTRY, .cmd_ancestry.ancestry = names };

	if (trace2_is_enabled())
		process_event_write(&event, file, line);
}

void trace2_def_param_at(const char *file, int line, const char *scope, const char *param,
			 const char *value)
{
	struct trace2_event event = { .kind = TRACE2_DEF_PARAM,
				      .def_param = { scope, param, value } };

	if (trace2_is_enabled())
		process_event_write(&event, file, line);
}

/** struct location - the source location of a call */
struct location {
	const char *file;
	int line;
};

static int process_write_parameter(void *context, const char *scope, const char *param,
				   const char *value)
{
	const struct location *place = context;

	trace2_def_param_at(place->file, place->line, scope, param, value);
	return 0;
}

static void config_list(const char *file, int line)
{
	struct location place = { file, line };

	config_visit_params(process.config, process_write_parameter, &place);
}

static void variables_list(const char *file, int line)
{
	struct location place = { file, line };

	config_visit_variables(process.config, process_write_parameter, &place);
}

/* Whether trace2_cmd_name() writes a list. */
static bool parameter_list_complete(struct parameter_list *list)
{
	if (__atomic_exchange_n(&list->is_done, true, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&list->is_ahead, true, __ATOMIC_RELAXED);
	return true;
}

/* Whether a list that the program asks for was not written yet. */
static bool parameter_list_take(struct parameter_list *list)
{
	__atomic_store_n(&list->is_done, true, __ATOMIC_RELAXED);
	return !__atomic_exchange_n(&list->is_ahead, false, __ATOMIC_RELAXED);
}

void trace2_cmd_list_config_at(const char *file, int line)
{
	if (trace2_is_enabled() && parameter_list_take(&process.listed_config))
		config_list(file, line);
}

void trace2_cmd_list_env_vars_at(const char *file, int line)
{
	if (trace2_is_enabled() && parameter_list_take(&process.listed_variables))
		variables_list(file, line);
}

void trace2_cmd_name_at(const char *file, int line, const char *name)
{
	struct trace2_event event = { .kind = TRACE2_CMD_NAME, .cmd_name.name = name };
	char *hierarchy;

	if (!trace2_is_enabled())
		return;
	pthread_mutex_lock(&process.lock);
	hierarchy = trace2_inherit(TRACE2_PARENT_NAME, name);
	pthread_mutex_unlock(&process.lock);
	event.cmd_name.hierarchy = hierarchy;
	process_event_write(&event, file, line);
	free(hierarchy);
	if (parameter_list_complete(&process.listed_config))
		config_list(file, line);
	if (parameter_list_complete(&process.listed_variables))
		variables_list(file, line);
}

void trace2_cmd_mode_at(const char *file, int line, const char *mode)
{
	struct trace2_event event = { .kind = TRACE2_CMD_MODE, .cmd_mode.name = mode };

	if (trace2_is_enabled())
		process_event_write(&event, file, line);
}

void trace2_cmd_alias_at(const char *file, int line, const char *alias, char *const *argv)
{
	struct trace2_event event = { .kind = TRACE2_ALIAS, .alias = { alias, argv } };

	if (trace2_is_enabled())
		process_event_write(&event, file, line);
}

void trace2_cmd_set_config_at(const char *file, int line, const char *key, const char *value)
{
	if (key && trace2_is_enabled() && trace2_config_wants(process.config, key))
		trace2_def_param_at(file, line, "unknown", key, value);
}

/* Returns false if it has a number already, which other threads may read at any time. */
static bool repository_number(struct trace2_repository *repository)
{
	bool is_new;

	pthread_mutex_lock(&process.lock);
	is_new = repository->id == 0;
	if (is_new)
		__atomic_store_n(&repository->id, process.next_repository++, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&process.lock);
	return is_new;
}

void trace2_def_repo_at(const char *file, int line, struct trace2_repository *repository)
{
	struct trace2_event event = { .kind = TRACE2_DEF_REPO, .repository = repository };

	if (trace2_is_enabled() && repository && repository_number(repository))
		process_event_write(&event, file, line);
}

void trace2_child_start_at(const char *file, int line, struct trace2_child *child)
{
	struct trace2_event event = { .kind = TRACE2_CHILD_START };

	if (!child || !trace2_is_enabled())
		return;
	child->id = process_number(&process.next_child);
	child->start_ns = process_now_ns();
	event.child_start.id = child->id;
	event.child_start.child_class = child->child_class;
	event.child_start.hook_name = child->hook_name;
	event.child_start.cd = child->directory;
	event.child_start.use_shell = child->use_shell;
	event.child_start.is_git = child->is_git;
	event.child_start.argv = child->argv;
	process_event_write(&event, file, line);
}

static int64_t child_elapsed_ns(const struct trace2_child *child)
{
	return child->start_ns ? process_now_ns() - child->start_ns : 0;
}

void trace2_child_exit_at(const char *file, int line, const struct trace2_child *child, int code)
{
	struct trace2_event event = { .kind = TRACE2_CHILD_EXIT };

	if (!child || !trace2_is_enabled())
		return;
	event.child_exit.id = child->id;
	event.child_exit.pid = child->pid;
	event.child_exit.code = code;
	event.child_exit.t_rel_ns = child_elapsed_ns(child);
	process_event_write(&event, file, line);
}

void trace2_child_ready_at(const char *file, int line, const struct trace2_child *child,
			   const char *ready)
{
	struct trace2_event event = { .kind = TRACE2_CHILD_READY };

	if (!child || !trace2_is_enabled())
		return;
	event.child_ready.id = child->id;
	event.child_ready.pid = child->pid;
	event.child_ready.ready = ready;
	event.child_ready.t_rel_ns = child_elapsed_ns(child);
	process_event_write(&event, file, line);
}

int trace2_exec_at(const char *file, int line, const char *exe, char *const *argv)
{
	struct trace2_event event = { .kind = TRACE2_EXEC, .exec = { .exe = exe, .argv = argv } };

	if (!trace2_is_enabled())
		return -1;
	event.exec.id = process_number(&process.next_exec);
	process_event_write(&event, file, line);
	return event.exec.id;
}

void trace2_exec_result_at(const char *file, int line, int id, int code)
{
	struct trace2_event event = { .kind = TRACE2_EXEC_RESULT, .exec_result = { id, code } };

	if (trace2_is_enabled())
		process_event_write(&event, file, line);
}

struct trace2_string self_format(struct self *self, const char *format, va_list arguments)
{
	va_list again;
	char *space;
	int size;

	if (!format || !*format)
		return (struct trace2_string){ NULL, 0 };
	va_copy(again, arguments);
	size = vsnprintf(NULL, 0, format, again);
	va_end(again);
	buffer_clear(&self->message);
	space = buffer_reserve(&self->message, size < 0 ? 1 : (size_t)size + 1);
	if (size < 0 || !space)
		return (struct trace2_string){ "", 0 };
	va_copy(again, arguments);
	vsnprintf(space, (size_t)size + 1, format, again);
	va_end(again);
	return (struct trace2_string){ space, size };
}

void trace2_printf_va_at(const char *file, int line, const char *format, va_list arguments)
{
	struct trace2_event event = { .kind = TRACE2_PRINTF };
	struct self *self = trace2_is_enabled() ? self_get() : NULL;

	if (!self)
		return;
	event.printf.msg = self_format(self, format, arguments);
	process_event_write(&event, file, line);
}

void trace2_printf_at(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	trace2_printf_va_at(file, line, format, arguments);
	va_end(arguments);
}

void trace2_cmd_error_va_at(const char *file, int line, const char *format, va_list arguments)
{
	struct trace2_event event = { .kind = TRACE2_ERROR };
	struct self *self = trace2_is_enabled() ? self_get() : NULL;

	if (!self)
		return;
	event.error.msg = self_format(self, format, arguments);
	event.error.fmt = format;
	process_event_write(&event, file, line);
}

void trace2_cmd_error_at(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	trace2_cmd_error_va_at(file, line, format, arguments);
	va_end(arguments);
}
