// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The kinds of events and their members; the parts of lines that NORMAL and PERF share; and NORMAL,
 * as git prints it: a verb and its words.
 */
#include "trace2/session.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The members of each kind, in the order of EVENT: its name, NORMAL's text, PERF's text. */

#define MEMBER(type, member) MEMBER_##type, offsetof(struct trace2_event, member)
#define LITERAL MEMBER_LITERAL, 0

static const struct member members[TRACE2_KIND_COUNT][MEMBERS_MAX] = {
	[TRACE2_VERSION] = {
		{ LITERAL, ",\"evt\":\"4\"", NULL, NULL },
		{ MEMBER(STRING, version.exe), "exe", "", "" },
	},
	[TRACE2_START] = { { MEMBER(WORDS, start.argv), "argv", "", "" } },
	[TRACE2_EXIT] = {
		{ MEMBER(SECONDS, time_ns), NULL, " elapsed:", NULL },
		{ MEMBER(INTEGER, exit.code), "code", " code:", "code:" },
	},
	[TRACE2_SIGNAL] = {
		{ MEMBER(SECONDS, time_ns), NULL, " elapsed:", NULL },
		{ MEMBER(INTEGER, signal.signo), "signo", " code:", "signo:" },
	},
	[TRACE2_ERROR] = { { MEMBER(ERROR, error.msg), "msg", " ", "" } },
	[TRACE2_CMD_PATH] = { { MEMBER(STRING, cmd_path.path), "path", "", "" } },
	[TRACE2_CMD_ANCESTRY] = {
		{ MEMBER(ANCESTRY, cmd_ancestry.ancestry), "ancestry", "", "ancestry:[" },
		{ LITERAL, NULL, NULL, "]" },
	},
	[TRACE2_CMD_NAME] = {
		{ MEMBER(STRING, cmd_name.name), "name", "", "" },
		{ MEMBER(HIERARCHY, cmd_name.hierarchy), "hierarchy", " (", " (" },
	},
	[TRACE2_CMD_MODE] = { { MEMBER(STRING, cmd_mode.name), "name", "", "" } },
	[TRACE2_ALIAS] = {
		{ MEMBER(STRING, alias.alias), "alias", "", "alias:" },
		{ MEMBER(WORDS, alias.argv), "argv", " -> ", " argv:[" },
		{ LITERAL, NULL, NULL, "]" },
	},
	[TRACE2_CHILD_START] = {
		{ MEMBER(INTEGER, child_start.id), "child_id", "", "[ch" },
		{ LITERAL, NULL, "]", "]" },
		{ MEMBER(CLASS, child_start.child_class), "child_class", NULL, " class:" },
		{ MEMBER(OPTIONAL, child_start.hook_name), "hook_name", NULL, " hook:" },
		{ MEMBER(DIRECTORY, child_start.cd), "cd", " cd ", " cd:" },
		{ MEMBER(BOOLEAN, child_start.use_shell), "use_shell", NULL, NULL },
		{ MEMBER(PROGRAM, child_start.is_git), NULL, " ", " argv:[" },
		{ MEMBER(WORDS, child_start.argv), "argv", "", "" },
		{ LITERAL, NULL, NULL, "]" },
	},
	[TRACE2_CHILD_EXIT] = {
		{ MEMBER(INTEGER, child_exit.id), "child_id", "", "[ch" },
		{ MEMBER(INTEGER, child_exit.pid), "pid", "] pid:", "] pid:" },
		{ MEMBER(INTEGER, child_exit.code), "code", " code:", " code:" },
		{ MEMBER(SECONDS, child_exit.t_rel_ns), "t_rel", " elapsed:", NULL },
	},
	[TRACE2_CHILD_READY] = {
		{ MEMBER(INTEGER, child_ready.id), "child_id", "", "[ch" },
		{ MEMBER(INTEGER, child_ready.pid), "pid", "] pid:", "] pid:" },
		{ MEMBER(STRING, child_ready.ready), "ready", " ready:", " ready:" },
		{ MEMBER(SECONDS, child_ready.t_rel_ns), "t_rel", " elapsed:", NULL },
	},
	[TRACE2_EXEC] = {
		{ MEMBER(INTEGER, exec.id), "exec_id", "", "id:" },
		{ MEMBER(OPTIONAL, exec.exe), "exe", NULL, NULL },
		{ MEMBER(PROGRAM, exec.exe), NULL, "] ", " argv:[" },
		{ MEMBER(WORDS, exec.argv), "argv", "", "" },
		{ LITERAL, NULL, NULL, "]" },
	},
	[TRACE2_EXEC_RESULT] = {
		{ MEMBER(INTEGER, exec_result.id), "exec_id", "", "id:" },
		{ MEMBER(INTEGER, exec_result.code), "code", "] code:", " code:" },
		{ MEMBER(REASON, exec_result.code), NULL, " err:", " err:" },
	},
	[TRACE2_THREAD_EXIT] = { { MEMBER(SECONDS, thread_exit.t_rel_ns), "t_rel", NULL, NULL } },
	[TRACE2_DEF_PARAM] = {
		{ MEMBER(STRING, def_param.scope), "scope", "", NULL },
		{ MEMBER(STRING, def_param.param), "param", " ", "" },
		{ MEMBER(OPTIONAL, def_param.value), "value", "=", ":" },
	},
	[TRACE2_DEF_REPO] = { { MEMBER(WORKTREE, repository), "worktree", "", "worktree:" } },
	[TRACE2_DATA] = {
		{ MEMBER(TEXT, data.category), NULL, NULL, NULL },
		{ MEMBER(TEXT, data.key), NULL, NULL, NULL },
	},
	[TRACE2_PRINTF] = { { MEMBER(BYTES, printf.msg), "msg", "", "" } },
	[TRACE2_TIMER] = {
		{ MEMBER(TEXT, timer.category), "category", "", NULL },
		{ MEMBER(TEXT, timer.name), "name", "/", "name:" },
		{ MEMBER(COUNT, timer.intervals), "intervals", " intervals:", " intervals:" },
		{ MEMBER(TIMER, timer.total_ns), "t_total", " total:", " total:" },
		{ MEMBER(TIMER, timer.min_ns), "t_min", " min:", " min:" },
		{ MEMBER(TIMER, timer.max_ns), "t_max", " max:", " max:" },
	},
	[TRACE2_COUNTER] = {
		{ MEMBER(TEXT, counter.category), "category", "", NULL },
		{ MEMBER(TEXT, counter.name), "name", "/", "name:" },
		{ MEMBER(COUNT, counter.count), "count", " value:", " value:" },
	},
};

#define HEAD(word) "{\"event\":\"" #word "\","
#define BLANKS "            "
#define KIND(word, kind)                                                                 \
	.head = HEAD(word), .head_size = sizeof(HEAD(word)) - 1, .column = #word BLANKS, \
	.members = members[TRACE2_##kind]

#define T_REL(part) .t_rel_offset = offsetof(struct trace2_event, part.t_rel_ns)
#define CATEGORY(part) .category_offset = offsetof(struct trace2_event, part.category)

/* Regions and data, which are most of a stream, are printed by functions of their own. */
const struct kind kinds[TRACE2_KIND_COUNT] = {
	[TRACE2_VERSION] = { KIND(version, VERSION), .verb = "version " },
	[TRACE2_TOO_MANY_FILES] = { KIND(too_many_files, TOO_MANY_FILES) },
	[TRACE2_START] = { KIND(start, START), .verb = "start ", .has_t_abs = true,
			   .has_t_abs_column = true, .has_secrets = true },
	[TRACE2_EXIT] = { KIND(exit, EXIT), .verb = "exit", .has_t_abs = true,
			  .has_t_abs_column = true },
	[TRACE2_ATEXIT] = { KIND(atexit, EXIT), .verb = "atexit", .has_t_abs = true,
			    .has_t_abs_column = true },
	[TRACE2_SIGNAL] = { KIND(signal, SIGNAL), .verb = "signal", .has_t_abs = true,
			    .has_t_abs_column = true },
	[TRACE2_ERROR] = { KIND(error, ERROR), .verb = "error", .may_have_t_abs = true },
	[TRACE2_CMD_PATH] = { KIND(cmd_path, CMD_PATH), .verb = "cmd_path " },
	[TRACE2_CMD_ANCESTRY] = { KIND(cmd_ancestry, CMD_ANCESTRY), .verb = "cmd_ancestry " },
	[TRACE2_CMD_NAME] = { KIND(cmd_name, CMD_NAME), .verb = "cmd_name " },
	[TRACE2_CMD_MODE] = { KIND(cmd_mode, CMD_MODE), .verb = "cmd_mode " },
	[TRACE2_ALIAS] = { KIND(alias, ALIAS), .verb = "alias " },
	[TRACE2_CHILD_START] = { KIND(child_start, CHILD_START), .verb = "child_start[",
				 .has_t_abs_column = true, .has_secrets = true },
	[TRACE2_CHILD_EXIT] = { KIND(child_exit, CHILD_EXIT), .verb = "child_exit[",
				.has_t_abs_column = true, T_REL(child_exit) },
	[TRACE2_CHILD_READY] = { KIND(child_ready, CHILD_READY), .verb = "child_ready[",
				 .has_t_abs_column = true, T_REL(child_ready) },
	[TRACE2_EXEC] = { KIND(exec, EXEC), .verb = "exec[", .has_t_abs_column = true,
			  .has_secrets = true },
	[TRACE2_EXEC_RESULT] = { KIND(exec_result, EXEC_RESULT), .verb = "exec_result[",
				 .has_t_abs_column = true },
	[TRACE2_THREAD_START] = { KIND(thread_start, THREAD_START), .may_have_t_abs = true,
				  .has_t_abs_column = true },
	[TRACE2_THREAD_EXIT] = { KIND(thread_exit, THREAD_EXIT), .may_have_t_abs = true,
				 .has_t_abs_column = true, T_REL(thread_exit) },
	[TRACE2_DEF_PARAM] = { KIND(def_param, DEF_PARAM),
			       .verb = "def_param scope:", .has_secrets = true },
	[TRACE2_DEF_REPO] = { KIND(def_repo, DEF_REPO), .verb = "worktree " },
	[TRACE2_REGION_ENTER] = { KIND(region_enter, REGION_ENTER), .may_have_t_abs = true,
				  .has_t_abs_column = true, CATEGORY(region) },
	[TRACE2_REGION_LEAVE] = { KIND(region_leave, REGION_LEAVE), .may_have_t_abs = true,
				  .has_t_abs_column = true, T_REL(region), CATEGORY(region) },
	[TRACE2_DATA] = { KIND(data, DATA), .has_t_abs = true, .has_t_abs_column = true,
			  T_REL(data), CATEGORY(data) },
	[TRACE2_DATA_JSON] = { KIND(data_json, DATA), .has_t_abs = true, .has_t_abs_column = true,
			       T_REL(data), CATEGORY(data) },
	[TRACE2_PRINTF] = { KIND(printf, PRINTF), .verb = "", .has_t_abs = true,
			    .has_t_abs_column = true },
	[TRACE2_TH_TIMER] = { KIND(th_timer, TIMER), .verb = "th_timer ", CATEGORY(timer) },
	[TRACE2_TIMER] = { KIND(timer, TIMER), .verb = "timer ", CATEGORY(timer) },
	[TRACE2_TH_COUNTER] = { KIND(th_counter, COUNTER), .verb = "th_counter ",
				CATEGORY(counter) },
	[TRACE2_COUNTER] = { KIND(counter, COUNTER), .verb = "counter ", CATEGORY(counter) },
};

/* Text escaping: any bytes stay on one line and in one column. */

/* Appends a character that is escaped or has several bytes; returns its size in @rest. */
static size_t escape_append_special(struct buffer *line, struct text rest)
{
	static const char letters[] = { ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't' };
	unsigned char byte = rest.data[0];
	size_t size = utf8_sequence_size(rest);
	uint32_t code = size > 0 ? utf8_value((struct text){ rest.data, size }) : 0;

	if (size == 0) {
		buffer_append_string(line, "\xef\xbf\xbd");
		return 1;
	}
	if (size == 1 && byte < sizeof(letters) && letters[byte])
		buffer_append(line, (char[]){ '\\', letters[byte] }, 2);
	else if (size == 1)
		buffer_printf(line, "\\x%02x", byte);
	else if (utf8_is_control(code))
		buffer_printf(line, "\\u%04x", code);
	else
		buffer_append(line, rest.data, size);
	return size;
}

/* The size of the first bytes that are printed as they are, from 0x20 to 0x7e. */
static size_t escape_literal_run(struct text text)
{
	size_t run = 0;

	for (; text.size - run >= WORD_SIZE; run += WORD_SIZE) {
		uint64_t word = word_load(text.data + run);

		if (word_test(word | word_below(word, 0x20) | word_equal(word, 0x7f)))
			break;
	}
	while (run < text.size && text.data[run] >= 0x20 && text.data[run] < 0x7f)
		run++;
	return run;
}

void escape_append(struct buffer *line, struct text text)
{
	while (text.size > 0) {
		size_t done = escape_literal_run(text);

		buffer_append(line, text.data, done);
		if (done < text.size)
			done += escape_append_special(
				line, (struct text){ text.data + done, text.size - done });
		text = (struct text){ text.data + done, text.size - done };
	}
}

void escape_append_string(struct buffer *line, const char *string)
{
	escape_append(line, text_of(string));
}

/* Appends a word, in single quotes if git quotes it for a shell. */
static void escape_append_word(struct buffer *line, const char *word)
{
	bool needs_quotes = !*word;

	for (const char *byte = word; *byte && !needs_quotes; byte++)
		needs_quotes = (unsigned char)*byte >= 0x80 ||
			       (!isalnum((unsigned char)*byte) && !strchr("+,-./:=@_^", *byte));
	if (!needs_quotes) {
		buffer_append_string(line, word);
		return;
	}
	buffer_append_char(line, '\'');
	while (*word) {
		size_t run = strcspn(word, "'!");

		escape_append(line, (struct text){ .data = word, .size = run });
		word += run;
		if (!*word)
			break;
		buffer_append(line, (char[]){ '\'', '\\', *word++, '\'' }, 4);
	}
	buffer_append_char(line, '\'');
}

struct text text_cut(struct text text, size_t size_max)
{
	if (text.size <= size_max)
		return text;
	text.size = size_max;
	while (text.size > 0 && ((unsigned char)text.data[text.size] & 0xc0) == 0x80)
		text.size--;
	return text;
}

void column_append(struct buffer *line, struct text text, size_t width, size_t width_max)
{
	size_t start = line->size;

	text = text_cut(text, width_max);
	for (const char *bar; text.size > 0 && (bar = memchr(text.data, '|', text.size));) {
		size_t size = bar - text.data;

		buffer_append(line, text.data, size);
		buffer_append_string(line, ESCAPED_BAR);
		text = (struct text){ bar + 1, text.size - size - 1 };
	}
	buffer_append(line, text.data, text.size);
	blanks_append(line, start + width);
}

void blanks_append(struct buffer *line, size_t size)
{
	char *space;

	if (size <= line->size)
		return;
	space = buffer_reserve(line, size - line->size);
	if (!space)
		return;
	memset(space, ' ', size - line->size);
	line->size = size;
}

/* The parts of lines that NORMAL and PERF share. */

/* Minimum width of a timer's seconds, at six decimals. */
#define TIMER_WIDTH 8

/* git prints a double; its representation decides how an exact half is rounded. */
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

/* A timer's time, right-aligned and at least TIMER_WIDTH wide. */
static void message_append_timer(struct buffer *line, const struct trace2_session *session,
				 int64_t time_ns)
{
	size_t width = seconds_width(session, TIMER_WIDTH);
	char *out = buffer_reserve_put(line, PUT_NUMBER_MAX + width);

	if (out)
		buffer_end_put(line, put_seconds_right(out, timer_ns(session, time_ns),
						       session->settings.decimals, width));
}

bool member_is_there(const struct trace2_event *event, const struct member *member)
{
	const void *value = (const char *)event + member->offset;

	switch (member->type) {
	case MEMBER_OPTIONAL:
	case MEMBER_DIRECTORY:
		return *(const char *const *)value;
	case MEMBER_HIERARCHY:
		return event->cmd_name.hierarchy && *event->cmd_name.hierarchy;
	case MEMBER_BYTES:
		return ((const struct trace2_string *)value)->data;
	case MEMBER_ERROR:
		return event->error.fmt && *event->error.fmt;
	case MEMBER_REASON:
		return event->exec_result.code > 0;
	default:
		return true;
	}
}

/* The program in front of @words, if there is one; in NORMAL a blank always follows. */
static void message_append_program(struct buffer *line, const char *program, char *const *words,
				   bool is_perf)
{
	if (!program)
		return;
	escape_append_string(line, program);
	if (!is_perf || words[0])
		buffer_append_char(line, ' ');
}

static void message_append_words(struct buffer *line, char *const *words)
{
	for (size_t i = 0; words[i]; i++) {
		if (i > 0)
			buffer_append_char(line, ' ');
		escape_append_word(line, words[i]);
	}
}

static void message_append_member(struct buffer *line, const struct trace2_session *session,
				  const struct trace2_event *event, const struct member *member,
				  bool is_perf)
{
	const void *value = (const char *)event + member->offset;

	switch (member->type) {
	case MEMBER_STRING:
	case MEMBER_OPTIONAL:
	case MEMBER_HIERARCHY:
		escape_append_string(line, *(const char *const *)value);
		if (member->type == MEMBER_HIERARCHY)
			buffer_append_char(line, ')');
		break;
	case MEMBER_CLASS:
		escape_append_string(line, event_child_class(event));
		break;
	case MEMBER_DIRECTORY:
		escape_append_word(line, event->child_start.cd);
		if (!is_perf)
			buffer_append_char(line, ';');
		break;
	case MEMBER_WORKTREE:
		escape_append_word(line, event->repository->worktree);
		break;
	case MEMBER_PROGRAM:
		if (event->kind == TRACE2_EXEC)
			message_append_program(line, event->exec.exe, event->exec.argv, is_perf);
		else
			message_append_program(line, event->child_start.is_git ? "git" : NULL,
					       event->child_start.argv, is_perf);
		break;
	case MEMBER_ANCESTRY:
		for (char *const *name = event->cmd_ancestry.ancestry; !is_perf && *name; name++) {
			escape_append_string(line, *name);
			buffer_append_string(line, name[1] ? " <- " : "");
		}
		if (is_perf)
			message_append_words(line, event->cmd_ancestry.ancestry);
		break;
	case MEMBER_WORDS:
		message_append_words(line, *(char *const *const *)value);
		break;
	case MEMBER_TEXT: {
		const struct buffer *escaped =
			&(*(const struct trace2_text *const *)value)->escaped;

		buffer_append(line, escaped->data, escaped->size);
		break;
	}
	case MEMBER_BYTES:
	case MEMBER_ERROR:
		escape_append(line, string_text(*(const struct trace2_string *)value));
		break;
	case MEMBER_INTEGER:
		buffer_append_signed(line, *(const int *)value);
		break;
	case MEMBER_COUNT:
		buffer_append_unsigned(line, *(const uint64_t *)value);
		break;
	case MEMBER_SECONDS:
		buffer_append_seconds(line, *(const int64_t *)value, session->settings.decimals);
		break;
	case MEMBER_TIMER:
		message_append_timer(line, session, *(const int64_t *)value);
		break;
	case MEMBER_REASON:
		escape_append_string(line, strerror(event->exec_result.code));
		break;
	default:
		break;
	}
}

void message_append(struct buffer *line, const struct trace2_session *session,
		    const struct trace2_event *event, bool is_perf)
{
	const struct member *member = kinds[event->kind].members;

	for (; member->type != MEMBER_END; member++) {
		const char *before = is_perf ? member->perf : member->normal;

		if (!before || !member_is_there(event, member))
			continue;
		buffer_append_string(line, before);
		message_append_member(line, session, event, member, is_perf);
	}
	buffer_append_char(line, '\n');
}

/* NORMAL's lines. */

/* The column of messages; a longer location shifts them. */
#define MESSAGE_COLUMN 50

int normal_print(struct buffer *line, struct time_cache *times,
		 const struct trace2_session *session, const struct trace2_event *event)
{
	const char *verb = kinds[event->kind].verb;
	size_t start = line->size;

	if (!verb)
		return 0;
	if (!session->settings.is_brief[TRACE2_NORMAL]) {
		int64_t unix_ns = session->settings.start_unix_ns + event->time_ns;
		char *out = buffer_reserve_put(line, TIME_CACHE_MAX);

		if (out)
			buffer_end_put(line,
				       put_char(time_cache_put_clock(times, out, unix_ns), ' '));
		if (event->file && *event->file) {
			escape_append_string(line, event->file);
			buffer_append_char(line, ':');
			buffer_append_signed(line, event->line);
			buffer_append_char(line, ' ');
		}
		blanks_append(line, start + MESSAGE_COLUMN);
	}
	buffer_append_string(line, verb);
	message_append(line, session, event, false);
	return 0;
}
