// SPDX-License-Identifier: GPL-2.0-only
/* Tokenizer of rules. It works on one line at a time; the parser joins the lines of a rule. */
#include "rules/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const key_names[] = {
	[KEY_BEGIN] = "begin", [KEY_END] = "end",   [KEY_ON] = "on",	   [KEY_EVENT] = "event",
	[KEY_FROM] = "from",   [KEY_TO] = "to",	    [KEY_MATCH] = "match", [KEY_SCOPE] = "scope",
	[KEY_TRACK] = "track", [KEY_NAME] = "name", [KEY_ARGS] = "args",   [KEY_WHERE] = "where",
	[KEY_VALUE] = "value", [KEY_UNIT] = "unit", [KEY_OF] = "of",	   [KEY_UNLESS] = "unless",
};
_Static_assert(sizeof(key_names) / sizeof(key_names[0]) == KEY_COUNT, "a name for every key");

const char *rule_key_name(enum rule_key key)
{
	return key_names[key];
}

int line_error(const struct line_place *place, const char *at, struct error *error,
	       const char *format, ...)
{
	struct error problem;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem.text, sizeof(problem.text), format, arguments);
	va_end(arguments);
	return error_set(error, "%s:%u:%zu: %s", place->source, place->line,
			 (size_t)(at - place->begin) + 1, problem.text);
}

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_word(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || (byte && strchr("_:.-*?[]", byte));
}

static void rule_line_skip(struct text *text, size_t size)
{
	text->data += size;
	text->size -= size;
}

void line_take_space(struct text *line)
{
	while (line->size > 0 && is_space(line->data[0]))
		rule_line_skip(line, 1);
}

struct text rule_line_take_word(struct text *line)
{
	struct text word = { .data = line->data };

	while (word.size < line->size && is_word(line->data[word.size]))
		word.size++;
	rule_line_skip(line, word.size);
	return word;
}

static struct text text_trim_end(struct text text)
{
	while (text.size > 0 && is_space(text.data[text.size - 1]))
		text.size--;
	return text;
}

/** struct nesting - whether a byte is within quotes or braces */
struct nesting {
	char quote;
	unsigned int braces;
};

static bool nesting_pass(struct nesting *nesting, char byte)
{
	if (nesting->quote) {
		if (byte == nesting->quote)
			nesting->quote = 0;
		return true;
	}
	if (byte == '"')
		nesting->quote = byte;
	else if (byte == '{')
		nesting->braces++;
	else if (byte == '}' && nesting->braces > 0)
		nesting->braces--;
	return nesting->quote || nesting->braces > 0;
}

struct text line_cut_comment(struct text line)
{
	struct nesting nesting = { 0 };

	for (size_t i = 0; i < line.size; i++) {
		bool is_nested = nesting_pass(&nesting, line.data[i]);

		if (line.data[i] == '#' && !is_nested && (i == 0 || is_space(line.data[i - 1]))) {
			line.size = i;
			break;
		}
	}
	return text_trim_end(line);
}

/* Takes "KEY =" from the line, which is no "KEY ==". Returns KEY_COUNT if that does not follow. */
static enum rule_key key_take(struct text *line)
{
	struct text rest = *line;
	struct text word = rule_line_take_word(&rest);
	enum rule_key key = 0;

	line_take_space(&rest);
	if (rest.size == 0 || rest.data[0] != '=' || (rest.size > 1 && rest.data[1] == '='))
		return KEY_COUNT;
	while (key < KEY_COUNT && !text_equals(word, text_of(key_names[key])))
		key++;
	rule_line_skip(&rest, 1);
	if (key < KEY_COUNT)
		*line = rest;
	return key;
}

static size_t value_size(struct text line)
{
	struct nesting nesting = { 0 };

	for (size_t i = 0; i < line.size; i++) {
		struct text rest = { .data = line.data + i + 1, .size = line.size - i - 1 };

		if (!nesting_pass(&nesting, line.data[i]) && is_space(line.data[i]) &&
		    key_take(&rest) != KEY_COUNT)
			return i;
	}
	return line.size;
}

/* Quotes around the whole value only protect it. */
static struct text value_unquote(struct text value)
{
	bool is_quoted = value.size >= 2 && value.data[0] == '"' &&
			 memchr(value.data + 1, '"', value.size - 1) == value.data + value.size - 1;

	if (is_quoted) {
		rule_line_skip(&value, 1);
		value.size--;
	}
	return value;
}

static int key_refuse(const struct line_place *place, struct text line, struct error *error)
{
	const char *begin = line.data;
	struct text word = rule_line_take_word(&line);
	struct suggestion meant = { 0 };

	for (enum rule_key key = 0; key < KEY_COUNT; key++)
		suggestion_add(&meant, word, key_names[key]);
	if (meant.word[0])
		return line_error(place, begin, error, "no key '%.*s'; did you mean '%s'?",
				  (int)word.size, word.data, meant.word);
	return line_error(place, begin, error, "expected KEY = VALUE; see ktrack-rules(5)");
}

int line_take_setting(const struct line_place *place, struct text *line, enum rule_key *key,
		      struct text *value, struct error *error)
{
	const char *begin = line->data;

	*key = key_take(line);
	if (*key == KEY_COUNT)
		return key_refuse(place, *line, error);
	line_take_space(line);
	value->data = line->data;
	value->size = value_size(*line);
	rule_line_skip(line, value->size);
	*value = text_trim_end(*value);
	line_take_space(line);
	if (value->size == 0)
		return line_error(place, begin, error, "'%s' has no value", key_names[*key]);
	*value = value_unquote(*value);
	return 0;
}
