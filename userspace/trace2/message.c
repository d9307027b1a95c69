// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The parts of lines that NORMAL and PERF share, and their text escaping: any bytes stay on one
 * line and in one column.
 */
#include "trace2/session.h"

#include <ctype.h>
#include <string.h>

/* Text escaping: any bytes stay on one line and in one column. */

static bool escape_is_literal(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f;
}

static void escape_append_control(struct buffer *line, unsigned char byte)
{
	static const char letters[] = { ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't' };

	if (byte < sizeof(letters) && letters[byte])
		buffer_append(line, (char[]){ '\\', letters[byte] }, 2);
	else
		buffer_printf(line, "\\x%02x", byte);
}

/* Appends a character that is escaped or has several bytes; returns its size in @rest. */
static size_t escape_append_special(struct buffer *line, struct text rest)
{
	const unsigned char *bytes = (const unsigned char *)rest.data;
	size_t size = utf8_sequence_size(rest);
	uint32_t code = size > 0 ? utf8_value((struct text){ rest.data, size }) : 0;

	if (size == 0) {
		buffer_append_string(line, "\xef\xbf\xbd");
		return 1;
	}
	if (size == 1)
		escape_append_control(line, bytes[0]);
	else if (utf8_is_control(code))
		buffer_printf(line, "\\u%04x", code);
	else
		buffer_append(line, rest.data, size);
	return size;
}

/* escape_is_literal() of eight bytes. */
static bool escape_is_literal_word(uint64_t word)
{
	return !word_test(word | word_below(word, 0x20) | word_equal(word, 0x7f));
}

static size_t escape_literal_run(struct text text)
{
	size_t run = 0;

	while (text.size - run >= WORD_SIZE && escape_is_literal_word(word_load(text.data + run)))
		run += WORD_SIZE;
	while (run < text.size && escape_is_literal(text.data[run]))
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

static bool word_needs_quotes(const char *word)
{
	if (!*word)
		return true;
	for (; *word; word++) {
		bool is_ascii = (unsigned char)*word < 0x80;

		if (!is_ascii || (!isalnum((unsigned char)*word) && !strchr("+,-./:=@_^", *word)))
			return true;
	}
	return false;
}

void escape_append_word(struct buffer *line, const char *word)
{
	if (!word_needs_quotes(word)) {
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

void escape_append_words(struct buffer *line, char *const *words)
{
	for (size_t i = 0; words[i]; i++) {
		if (i > 0)
			buffer_append_char(line, ' ');
		escape_append_word(line, words[i]);
	}
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

static void escape_append_bars(struct buffer *line, struct text text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '|')
			buffer_append_string(line, ESCAPED_BAR);
		else
			buffer_append_char(line, text.data[i]);
	}
}

void column_append(struct buffer *line, struct text text, size_t width, size_t width_max)
{
	size_t start = line->size;

	text = text_cut(text, width_max);
	if (text.size > 0 && memchr(text.data, '|', text.size))
		escape_append_bars(line, text);
	else
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

/*
 * Appends seconds with @decimals, right-aligned in @width
 * @time_ns: cut to @decimals
 */
static void seconds_append_right(struct buffer *line, int64_t time_ns, unsigned int decimals,
				 size_t width)
{
	size_t start = line->size, size, blanks;

	buffer_append_seconds(line, time_ns, decimals);
	size = line->size - start;
	if (line->failed || size >= width)
		return;
	blanks = width - size;
	blanks_append(line, start + width);
	if (line->failed)
		return;
	memmove(line->data + start + blanks, line->data + start, size);
	memset(line->data + start, ' ', blanks);
}

/* The parts of lines that NORMAL and PERF share. */

/* Minimum width of a timer's seconds. */
#define TIMER_WIDTH 8

TARGET_PRINT(message_version)
{
	escape_append_string(line, event->version.exe);
}

TARGET_PRINT(message_start)
{
	escape_append_words(line, event->start.argv);
}

TARGET_PRINT(message_error)
{
	if (event->error.fmt && *event->error.fmt)
		escape_append(line, string_text(event->error.msg));
}

TARGET_PRINT(message_cmd_path)
{
	escape_append_string(line, event->cmd_path.path);
}

TARGET_PRINT(message_cmd_name)
{
	const char *hierarchy = event->cmd_name.hierarchy;

	escape_append_string(line, event->cmd_name.name);
	if (!hierarchy || !*hierarchy)
		return;
	buffer_append_string(line, " (");
	escape_append_string(line, hierarchy);
	buffer_append_char(line, ')');
}

TARGET_PRINT(message_cmd_mode)
{
	escape_append_string(line, event->cmd_mode.name);
}

TARGET_PRINT(message_printf)
{
	escape_append(line, string_text(event->printf.msg));
}

void message_reason(struct buffer *line, int code)
{
	if (code <= 0)
		return;
	buffer_append_string(line, " err:");
	escape_append_string(line, strerror(code));
}

void message_text(struct buffer *line, const struct trace2_text *text)
{
	buffer_append(line, text->escaped.data, text->escaped.size);
}

void message_signed(struct buffer *line, const char *name, int64_t number)
{
	buffer_append_string(line, name);
	buffer_append_signed(line, number);
}

void message_unsigned(struct buffer *line, const char *name, uint64_t number)
{
	buffer_append_string(line, name);
	buffer_append_unsigned(line, number);
}

void message_seconds(struct buffer *line, const struct trace2_session *session, const char *name,
		     int64_t time_ns, size_t width)
{
	buffer_append_string(line, name);
	seconds_append_right(line, time_ns, session->settings.decimals,
			     seconds_width(session, width));
}

TARGET_PRINT(message_timer)
{
	message_unsigned(line, " intervals:", event->timer.intervals);
	message_seconds(line, session, " total:", timer_ns(session, event->timer.total_ns),
			TIMER_WIDTH);
	message_seconds(line, session, " min:", timer_ns(session, event->timer.min_ns),
			TIMER_WIDTH);
	message_seconds(line, session, " max:", timer_ns(session, event->timer.max_ns),
			TIMER_WIDTH);
}
