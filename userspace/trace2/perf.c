// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Prints events as git's PERF target does: columns between bars, and dots for open regions. */
#include <string.h>

#include "trace2/message.h"
#include "trace2/plain.h"
#include "trace2/target.h"

#define PLACE_WIDTH 28
#define REPOSITORY_WIDTH 3
#define DOTS_PER_REGION 2

/* Room for all columns that have a width, and for numbers that are wider. */
#define COLUMNS_MAX 256

static const char bar[] = " | ";

#define PUT_BAR(out) put_bytes((out), bar, sizeof(bar) - 1)

static void file_append(struct buffer *line, const char *file)
{
	while (*file) {
		size_t run = strcspn(file, "|");

		plain_append(line, (struct text){ .data = file, .size = run });
		file += run;
		if (*file == '|') {
			buffer_append_string(line, PLAIN_BAR);
			file++;
		}
	}
}

/* A place that is too long is shown by its end, which begins at a character. */
static void place_shorten(struct buffer *line, size_t start)
{
	static const char dots[] = "...";
	size_t kept = PLACE_WIDTH - (sizeof(dots) - 1);
	char *end = line->data + line->size;

	while (((unsigned char)end[-(ptrdiff_t)kept] & 0xc0) == 0x80)
		kept--;
	memcpy(line->data + start, dots, sizeof(dots) - 1);
	memmove(line->data + start + sizeof(dots) - 1, end - kept, kept);
	line->size = start + sizeof(dots) - 1 + kept;
}

static void place_append(struct buffer *line, const char *file, int number)
{
	size_t start = line->size;

	file_append(line, file);
	buffer_append_char(line, ':');
	buffer_append_signed(line, number);
	if (!line->failed && line->size - start > PLACE_WIDTH)
		place_shorten(line, start);
	plain_append_blanks(line, start + PLACE_WIDTH);
}

/* When, and where the program said it; records have no place. */
static void origin_append(struct buffer *line, struct stamp *stamp,
			  const struct trace2_session *session, const struct trace2_event *event)
{
	char *out = buffer_reserve_put(line, STAMP_MAX + PLACE_WIDTH + sizeof(bar));

	if (!out)
		return;
	out = stamp_put_clock(stamp, out, session->settings.start_unix_ns + event->time_ns);
	out = put_char(out, ' ');
	if (!event->file || !*event->file) {
		buffer_end_put(line, PUT_BAR(put_blanks(out, PLACE_WIDTH)));
		return;
	}
	buffer_end_put(line, out);
	place_append(line, event->file, event->line);
	buffer_append(line, bar, sizeof(bar) - 1);
}

static char *put_repository(char *out, const struct trace2_repository *repository)
{
	char *start = out;

	if (!repository)
		return PUT_BAR(put_blanks(out, REPOSITORY_WIDTH));
	out = put_char(put_signed(put_char(out, 'r'), repository->id), ' ');
	while (out < start + REPOSITORY_WIDTH)
		out = put_char(out, ' ');
	return PUT_BAR(out);
}

static char *put_time(char *out, const struct trace2_session *session, const int64_t *time_ns)
{
	size_t width = seconds_width(session, PERF_SECONDS_WIDTH);

	if (time_ns)
		out = put_seconds_right(out, *time_ns, session->settings.decimals, width);
	else
		out = put_blanks(out, width);
	return PUT_BAR(out);
}

/* What stands in the column of the time since something began; NULL for nothing. */
static const int64_t *event_t_rel(const struct trace2_event *event)
{
	switch (event->kind) {
	case TRACE2_CHILD_EXIT:
		return &event->child_exit.t_rel_ns;
	case TRACE2_CHILD_READY:
		return &event->child_ready.t_rel_ns;
	case TRACE2_THREAD_EXIT:
		return &event->thread_exit.t_rel_ns;
	case TRACE2_REGION_LEAVE:
		return &event->region.t_rel_ns;
	case TRACE2_DATA:
	case TRACE2_DATA_JSON:
		return &event->data.t_rel_ns;
	default:
		return NULL;
	}
}

static const struct trace2_text *event_category(const struct trace2_event *event)
{
	switch (event->kind) {
	case TRACE2_REGION_ENTER:
	case TRACE2_REGION_LEAVE:
		return event->region.category;
	case TRACE2_DATA:
	case TRACE2_DATA_JSON:
		return event->data.category;
	case TRACE2_TH_TIMER:
	case TRACE2_TIMER:
		return event->timer.category;
	case TRACE2_TH_COUNTER:
	case TRACE2_COUNTER:
		return event->counter.category;
	default:
		return NULL;
	}
}

/* Where a parameter is from stands for its category. */
static void scope_append(struct buffer *line, size_t width, const char *word)
{
	struct buffer scope = { 0 };

	buffer_append_string(&scope, "scope:");
	plain_append_string(&scope, word);
	plain_append_cell(line, buffer_text(&scope), width, width);
	line->failed |= scope.failed;
	buffer_release(&scope);
}

static void category_append(struct buffer *line, const struct trace2_session *session,
			    const struct trace2_event *event)
{
	size_t width = session->settings.category_width;
	const struct trace2_text *category = event_category(event);
	char *out;

	if (event->kind == TRACE2_DEF_PARAM)
		scope_append(line, width, event->def_param.scope);
	else if (category && (category->has_bar || category->plain.size > width))
		plain_append_cell(line, buffer_text(&category->plain), width, width);
	else if ((out = buffer_reserve_put(line, width))) {
		buffer_end_put(line, put_blanks(out, width));
		if (category)
			put_bytes(out, category->plain.data, category->plain.size);
	}
	buffer_append(line, bar, sizeof(bar) - 1);
}

/* Where a caller does not tell its nesting, nothing is open. */
static unsigned int nesting_depth(unsigned int nesting)
{
	return nesting > 0 ? nesting - 1 : 0;
}

static unsigned int event_depth(const struct trace2_event *event)
{
	switch (event->kind) {
	case TRACE2_REGION_ENTER:
	case TRACE2_REGION_LEAVE:
		return nesting_depth(event->region.nesting);
	case TRACE2_DATA:
	case TRACE2_DATA_JSON:
		return nesting_depth(event->data.nesting);
	default:
		return event->nr_regions;
	}
}

static void dots_append(struct buffer *line, unsigned int depth)
{
	size_t size = (size_t)depth * DOTS_PER_REGION;
	char *room = buffer_reserve(line, size);

	if (!room || size == 0)
		return;
	memset(room, '.', size);
	line->size += size;
}

/* The columns that all lines have. */
static void columns_append(struct buffer *line, const struct trace2_session *session,
			   const struct trace2_event *event)
{
	const struct buffer *cell = &event_thread(session, event)->cell;
	const struct kind *kind = &kinds[event->kind];
	char *out = buffer_reserve_put(line, COLUMNS_MAX + cell->size);

	if (!out)
		return;
	out = put_block(out, cell->data, cell->size);
	out = PUT_BAR(put_bytes(out, kind->column, PERF_NAME_WIDTH));
	out = put_repository(out, event->repository);
	out = put_time(out, session, kind->has_t_abs_column ? &event->time_ns : NULL);
	buffer_end_put(line, put_time(out, session, event_t_rel(event)));
}

static void perf_begin(struct buffer *line, struct stamp *stamp,
		       const struct trace2_session *session, const struct trace2_event *event)
{
	if (!session->settings.is_brief[TRACE2_PERF])
		origin_append(line, stamp, session, event);
	columns_append(line, session, event);
	category_append(line, session, event);
	dots_append(line, event_depth(event));
}

static TARGET_PRINT(print_nothing)
{
}

static TARGET_PRINT(print_exit)
{
	message_signed(line, "code:", event->exit.code);
}

static TARGET_PRINT(print_signal)
{
	message_signed(line, "signo:", event->signal.signo);
}

static void words_append(struct buffer *line, const char *name, char *const *words)
{
	buffer_append_string(line, name);
	plain_append_words(line, words);
	buffer_append_char(line, ']');
}

static TARGET_PRINT(print_cmd_ancestry)
{
	words_append(line, "ancestry:[", event->cmd_ancestry.ancestry);
}

static TARGET_PRINT(print_alias)
{
	buffer_append_string(line, "alias:");
	plain_append_string(line, event->alias.alias);
	words_append(line, " argv:[", event->alias.argv);
}

static void child_append(struct buffer *line, int id)
{
	message_signed(line, "[ch", id);
	buffer_append_char(line, ']');
}

static TARGET_PRINT(print_child_start)
{
	const char *class = event->child_start.child_class ? event->child_start.child_class : "?";

	child_append(line, event->child_start.id);
	buffer_append_string(line, " class:");
	plain_append_string(line, event->child_start.hook_name ? "hook" : class);
	if (event->child_start.hook_name) {
		buffer_append_string(line, " hook:");
		plain_append_string(line, event->child_start.hook_name);
	}
	if (event->child_start.cd) {
		buffer_append_string(line, " cd:");
		plain_append_word(line, event->child_start.cd);
	}
	buffer_append_string(line, " argv:[");
	if (event->child_start.is_git)
		buffer_append_string(line, event->child_start.argv[0] ? "git " : "git");
	words_append(line, "", event->child_start.argv);
}

static TARGET_PRINT(print_child_exit)
{
	child_append(line, event->child_exit.id);
	message_signed(line, " pid:", event->child_exit.pid);
	message_signed(line, " code:", event->child_exit.code);
}

static TARGET_PRINT(print_child_ready)
{
	child_append(line, event->child_ready.id);
	message_signed(line, " pid:", event->child_ready.pid);
	buffer_append_string(line, " ready:");
	plain_append_string(line, event->child_ready.ready);
}

static TARGET_PRINT(print_exec)
{
	message_signed(line, "id:", event->exec.id);
	buffer_append_string(line, " argv:[");
	if (event->exec.exe) {
		plain_append_string(line, event->exec.exe);
		buffer_append_string(line, event->exec.argv[0] ? " " : "");
	}
	words_append(line, "", event->exec.argv);
}

static TARGET_PRINT(print_exec_result)
{
	message_signed(line, "id:", event->exec_result.id);
	message_signed(line, " code:", event->exec_result.code);
	message_reason(line, event->exec_result.code);
}

static TARGET_PRINT(print_def_param)
{
	plain_append_string(line, event->def_param.param);
	if (!event->def_param.value)
		return;
	buffer_append_char(line, ':');
	plain_append_string(line, event->def_param.value);
}

static TARGET_PRINT(print_def_repo)
{
	buffer_append_string(line, "worktree:");
	plain_append_word(line, event->repository->worktree);
}

static TARGET_PRINT(print_region)
{
	if (event->region.label) {
		buffer_append_string(line, "label:");
		message_text(line, event->region.label);
	}
	if (event->region.msg.data) {
		buffer_append_char(line, ' ');
		plain_append(line, string_text(event->region.msg));
	}
}

static TARGET_PRINT(print_data)
{
	message_text(line, event->data.key);
	buffer_append_char(line, ':');
	plain_append(line, string_text(event->data.value));
}

static TARGET_PRINT(print_timer)
{
	buffer_append_string(line, "name:");
	message_text(line, event->timer.name);
	message_timer(line, session, event);
}

static TARGET_PRINT(print_counter)
{
	buffer_append_string(line, "name:");
	message_text(line, event->counter.name);
	message_unsigned(line, " value:", event->counter.count);
}

/* PERF has no too_many_files. */
const struct target perf_target = {
	.begin = perf_begin,
	.end = message_end,
	.line = perf_line,
	.write = perf_write,
	.print = {
		[TRACE2_VERSION] = message_version,
		[TRACE2_START] = message_start,
		[TRACE2_EXIT] = print_exit,
		[TRACE2_ATEXIT] = print_exit,
		[TRACE2_SIGNAL] = print_signal,
		[TRACE2_ERROR] = message_error,
		[TRACE2_CMD_PATH] = message_cmd_path,
		[TRACE2_CMD_ANCESTRY] = print_cmd_ancestry,
		[TRACE2_CMD_NAME] = message_cmd_name,
		[TRACE2_CMD_MODE] = message_cmd_mode,
		[TRACE2_ALIAS] = print_alias,
		[TRACE2_CHILD_START] = print_child_start,
		[TRACE2_CHILD_EXIT] = print_child_exit,
		[TRACE2_CHILD_READY] = print_child_ready,
		[TRACE2_EXEC] = print_exec,
		[TRACE2_EXEC_RESULT] = print_exec_result,
		[TRACE2_THREAD_START] = print_nothing,
		[TRACE2_THREAD_EXIT] = print_nothing,
		[TRACE2_DEF_PARAM] = print_def_param,
		[TRACE2_DEF_REPO] = print_def_repo,
		[TRACE2_REGION_ENTER] = print_region,
		[TRACE2_REGION_LEAVE] = print_region,
		[TRACE2_DATA] = print_data,
		[TRACE2_DATA_JSON] = print_data,
		[TRACE2_PRINTF] = message_printf,
		[TRACE2_TH_TIMER] = print_timer,
		[TRACE2_TIMER] = print_timer,
		[TRACE2_TH_COUNTER] = print_counter,
		[TRACE2_COUNTER] = print_counter,
	},
};
