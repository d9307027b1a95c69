// SPDX-License-Identifier: GPL-2.0-only
/* The text of print formats, before and for libtraceevent. */
#include <ctype.h>

#include "event/symbol_child.h"
#include "event/symbols.h"

static struct text text_behind(struct text text, const char *key)
{
	const char *at = memmem(text.data, text.size, key, strlen(key));
	size_t size = at ? (size_t)(at - text.data) + strlen(key) : text.size;

	return (struct text){ text.data + size, text.size - size };
}

static struct text print_format_of(struct text format)
{
	return text_behind(format, "\nprint fmt:");
}

static bool is_name_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* Whether @text, up to the end of the first argument of a call, contains "REC->NAME". */
static bool argument_mentions(struct text text, struct text name)
{
	const char *comma = memchr(text.data, ',', text.size);
	struct text rest = { text.data, comma ? (size_t)(comma - text.data) : text.size };

	for (;;) {
		rest = text_behind(rest, "REC->");
		if (rest.size < name.size || rest.size == 0)
			return false;
		if (memcmp(rest.data, name.data, name.size) == 0 &&
		    (rest.size == name.size || !is_name_byte(rest.data[name.size])))
			return true;
	}
}

bool symbols_have_text(struct text format, struct text name)
{
	static const char *const calls[] = { "__print_symbolic", "__print_flags" };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct text rest = text_behind(print_format_of(format), calls[i]);

		for (; rest.size > 0; rest = text_behind(rest, calls[i])) {
			if (argument_mentions(rest, name))
				return true;
		}
	}
	return false;
}

/* Whether a parenthesis behind @text is an operand of a binary operator. */
static bool ends_with_operator(const struct buffer *text)
{
	size_t size = text->size;

	while (size > 0 && text->data[size - 1] == ' ')
		size--;
	return size > 0 && memchr("&|^+-*/%<>=", text->data[size - 1], 11);
}

/* The size of the string literal at the begin of @text, with its quotes. */
static size_t literal_size(struct text text)
{
	size_t size = 1;

	while (size < text.size && text.data[size] != '"')
		size += text.data[size] == '\\' ? 2 : 1;
	return size < text.size ? size + 1 : text.size;
}

static struct text suffix_skip(struct text rest)
{
	static const char suffix[] = "_u64(";
	size_t size = sizeof(suffix) - 2;

	if (rest.size > size && memcmp(rest.data, suffix, size + 1) == 0)
		return (struct text){ rest.data + size, rest.size - size };
	return rest;
}

static size_t word_size(struct text text)
{
	size_t size = 0;

	while (size < text.size && is_name_byte(text.data[size]))
		size++;
	return size;
}

static size_t blanks_size(struct text text)
{
	size_t size = 0;

	while (size < text.size && text.data[size] == ' ')
		size++;
	return size;
}

static struct text text_from(struct text text, size_t size)
{
	return (struct text){ text.data + size, text.size - size };
}

/* The size of a cast, "(TYPE)" before an operand, at the begin of @text; 0 if there is none. */
static size_t cast_size(struct text text)
{
	size_t size = 1;
	struct text operand;

	while (size < text.size && (is_name_byte(text.data[size]) || text.data[size] == ' '))
		size++;
	if (size == text.size || text.data[size] != ')')
		return 0;
	size++;
	operand = text_from(text, size);
	operand = text_from(operand, blanks_size(operand));
	if (operand.size == 0 ||
	    (!is_name_byte(operand.data[0]) && !strchr("(-~", operand.data[0])))
		return 0;
	return size;
}

/* Whether the value of a table's entry contains a name, which the kernel did not replace. */
static bool value_has_name(struct text value)
{
	while (value.size > 0) {
		size_t size = value.data[0] == '(' ? cast_size(value) : word_size(value);

		if (size > 0 && is_name_byte(value.data[0]) &&
		    !isdigit((unsigned char)value.data[0]))
			return true;
		value = text_from(value, size > 0 ? size : 1);
	}
	return false;
}

/*
 * The size of "{ VALUE," at the begin of @text if the entry cannot be used: libtraceevent takes
 * names in VALUE as 0. An entry without a literal text, "{ -1, NULL }", ends some tables. Returns
 * 0 if it can be used.
 */
static size_t entry_useless_size(struct text text)
{
	const char *comma = memchr(text.data, ',', text.size);
	struct text behind;
	size_t size;

	if (!comma)
		return 0;
	size = comma + 1 - text.data;
	behind = text_from(text, size);
	behind = text_from(behind, blanks_size(behind));
	if (value_has_name((struct text){ text.data + 1, size - 2 }))
		return size;
	return behind.size > 0 && behind.data[0] == '"' ? 0 : size;
}

/* Appends the first piece of @rest: a string literal, an entry's value, or another byte. */
static struct text piece_prepare(struct buffer *out, struct text rest)
{
	size_t size = rest.data[0] == '{' ? entry_useless_size(rest) : 0;

	if (size > 0) {
		buffer_append_string(out, "{ useless,");
		return text_from(rest, size);
	}
	size = rest.data[0] == '"' ? literal_size(rest) : 1;
	if (rest.data[0] == '(' && ends_with_operator(out))
		buffer_append_string(out, "(u64)");
	buffer_append(out, rest.data, size);
	return text_from(rest, size);
}

void symbol_format_prepare(struct buffer *out, struct text format)
{
	struct text rest = print_format_of(format);

	buffer_append(out, format.data, format.size - rest.size);
	while (rest.size > 0)
		rest = piece_prepare(out, suffix_skip(rest));
}
