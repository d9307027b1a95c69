// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scans print formats: "TEXT", ARGUMENT, ARGUMENT... They are C expressions of any kind, and may be
 * hostile; only casts of a field are understood.
 */
#include "event/print_format.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Takes the text up to the next comma that is not in parentheses or quotes. */
static struct text part_split(struct text *rest)
{
	struct text part = { .data = rest->data };
	bool is_quoted = false;
	size_t depth = 0, size;

	for (size = 0; size < rest->size; size++) {
		char byte = rest->data[size];

		if (byte == '\\' && size + 1 < rest->size)
			size++;
		else if (byte == '"')
			is_quoted = !is_quoted;
		else if (is_quoted)
			continue;
		else if (strchr("({[", byte) && byte)
			depth++;
		else if (strchr(")}]", byte) && byte)
			depth -= depth > 0;
		else if (byte == ',' && depth == 0)
			break;
	}
	part.size = size;
	*rest = text_from(*rest, size < rest->size ? size + 1 : size);
	return part;
}

static char print_conversion_take(struct text *format)
{
	char byte = format->size > 0 ? *format->data : '\0';

	*format = text_from(*format, format->size > 0);
	return byte;
}

static enum print_conversion pointer_conversion(struct text *format)
{
	unsigned char byte = format->size > 0 ? *format->data : '\0';

	if (!isalnum(byte) || byte == 'x' || byte == 'K')
		return PRINT_CONVERSION_POINTER;
	if (strchr("sSfFB", byte))
		return PRINT_CONVERSION_SYMBOL;
	return byte == 'm' || byte == 'M' ? PRINT_CONVERSION_MAC : PRINT_CONVERSION_PLAIN;
}

/*
 * Takes the next conversion that has an argument; a width "*" is one, too, and leaves the rest for
 * the next call. Returns false at the end.
 */
static bool print_conversion_next(struct text *format, bool *is_inside, enum print_conversion *out)
{
	char byte;

	*out = PRINT_CONVERSION_NONE;
	while (format->size > 0) {
		if (!*is_inside && print_conversion_take(format) != '%')
			continue;
		*is_inside = true;
		while (format->size > 0 && *format->data &&
		       strchr("-+ #0123456789.hlLqjzt", *format->data))
			*format = text_from(*format, 1);
		byte = print_conversion_take(format);
		if (byte == '*')
			return true;
		*is_inside = false;
		if (byte == 'p')
			*out = pointer_conversion(format);
		else if (byte == 'x' || byte == 'X' || byte == 'o')
			*out = PRINT_CONVERSION_HEX;
		else
			*out = PRINT_CONVERSION_PLAIN;
		if (byte != '%')
			return true;
	}
	return false;
}

static struct text blanks_trim(struct text text)
{
	while (text.size > 0 && isspace((unsigned char)*text.data))
		text = text_from(text, 1);
	while (text.size > 0 && isspace((unsigned char)text.data[text.size - 1]))
		text.size--;
	return text;
}

static bool text_cut_end(struct text *text, struct text word)
{
	if (text->size < word.size ||
	    memcmp(text->data + text->size - word.size, word.data, word.size) != 0)
		return false;
	text->size -= word.size;
	return true;
}

/* Whether a text has only casts and as many open parentheses as given. */
static bool casts_match(struct text text, size_t nr_open)
{
	bool has_word = false;
	size_t depth = 0;

	for (size_t i = 0; i < text.size; i++) {
		char byte = text.data[i];

		if ((byte == '(' && has_word) || (byte == ')' && depth == 0))
			return false;
		depth += (byte == '(') - (byte == ')');
		if (byte == '(' || byte == ')')
			has_word = false;
		else if (isalnum((unsigned char)byte) || byte == '_' || byte == '*')
			has_word = true;
		else if (!isspace((unsigned char)byte))
			return false;
	}
	return !has_word && depth == nr_open;
}

/* Whether an argument is the field alone: (void *)(REC->field). */
static bool argument_is_field(struct text argument, struct text field)
{
	size_t nr_closed = 0;

	argument = blanks_trim(argument);
	while (argument.size > 0 && argument.data[argument.size - 1] == ')') {
		argument.size--;
		argument = blanks_trim(argument);
		nr_closed++;
	}
	return text_cut_end(&argument, field) && text_cut_end(&argument, text_of("REC->")) &&
	       casts_match(argument, nr_closed);
}

static struct text print_format_locate(struct text text)
{
	while (text.size > 0) {
		struct text line = text_take_line(&text);

		if (text_take_begin(&line, "print fmt:"))
			return line;
	}
	return (struct text){ .data = "" };
}

enum print_conversion print_format_find(struct text text, struct text field)
{
	struct text arguments = print_format_locate(text);
	struct text format = part_split(&arguments);
	enum print_conversion found = PRINT_CONVERSION_NONE, conversion;
	bool is_inside = false;

	while (arguments.size > 0 && print_conversion_next(&format, &is_inside, &conversion)) {
		if (!argument_is_field(part_split(&arguments), field))
			continue;
		if (conversion == PRINT_CONVERSION_SYMBOL)
			return conversion;
		if (found == PRINT_CONVERSION_NONE)
			found = conversion;
	}
	return found;
}

/* A word of C in parentheses or without them; a number or an expression is none. */
static bool value_is_word(struct text value, struct text *out)
{
	value = blanks_trim(value);
	while (value.size > 1 && value.data[0] == '(' && value.data[value.size - 1] == ')')
		value = blanks_trim((struct text){ value.data + 1, value.size - 2 });
	if (value.size == 0 || isdigit((unsigned char)value.data[0]))
		return false;
	for (size_t i = 0; i < value.size; i++) {
		if (!isalnum((unsigned char)value.data[i]) && value.data[i] != '_')
			return false;
	}
	*out = value;
	return true;
}

bool print_format_find_enumerator(struct text text, struct text *out)
{
	struct text rest = print_format_locate(text);
	bool is_quoted = false;

	while (rest.size > 0) {
		char byte = rest.data[0];

		rest = text_from(rest, byte == '\\' && rest.size > 1 ? 2 : 1);
		if (byte == '"') {
			is_quoted = !is_quoted;
		} else if (byte == '{' && !is_quoted) {
			struct text entry = rest;
			struct text value = part_split(&entry);

			/* Behind a word alone is the text; a block of statements is no entry. */
			entry = blanks_trim(entry);
			if (entry.size > 0 && *entry.data == '"' && value_is_word(value, out))
				return true;
		}
	}
	return false;
}

/* Behind the braces of the last entry is the end of the call, and what follows it. */
static bool braces_find(struct text entry, struct text *out)
{
	bool is_quoted = false;

	if (entry.size == 0 || entry.data[0] != '{')
		return false;
	for (size_t i = 1; i < entry.size; i++) {
		is_quoted ^= entry.data[i] == '"';
		if (entry.data[i] == '}' && !is_quoted) {
			*out = (struct text){ entry.data + 1, i - 1 };
			return true;
		}
	}
	return false;
}

static bool entry_take(struct text *rest, struct text *value, struct text *text)
{
	struct text entry;

	if (!braces_find(blanks_trim(part_split(rest)), &entry))
		return false;
	*value = blanks_trim(part_split(&entry));
	*text = blanks_trim(entry);
	if (text->size < 2 || text->data[0] != '"' || text->data[text->size - 1] != '"')
		return false;
	*text = (struct text){ text->data + 1, text->size - 2 };
	return true;
}

static bool value_parse_number(struct text value, int64_t *out)
{
	char digits[32], *end;

	while (value.size > 1 && value.data[0] == '(' && value.data[value.size - 1] == ')')
		value = blanks_trim((struct text){ value.data + 1, value.size - 2 });
	if (value.size == 0 || value.size >= sizeof(digits))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)value.size, value.data);
	errno = 0;
	*out = *digits == '-' ? strtoll(digits, &end, 0) : (int64_t)strtoull(digits, &end, 0);
	return errno == 0 && end != digits && end[strspn(end, "uUlL")] == '\0';
}

bool print_argument_has_field(struct text argument, struct text field)
{
	static const char record[] = "REC->";
	const char *found;

	while ((found = memmem(argument.data, argument.size, record, strlen(record)))) {
		size_t size = 0;

		argument = text_from(argument, found - argument.data + strlen(record));
		while (size < argument.size &&
		       (isalnum((unsigned char)argument.data[size]) || argument.data[size] == '_'))
			size++;
		if (text_equals((struct text){ argument.data, size }, field))
			return true;
	}
	return false;
}

/* The entries of the next call that prints the field's texts; false if there is none. */
static bool symbols_take(struct text *rest, struct text field, enum print_texts kind,
			 struct text *entries)
{
	bool is_flags = kind == PRINT_TEXTS_OF_BITS;
	const char *call = is_flags ? "__print_flags(" : "__print_symbolic(", *found;

	while ((found = memmem(rest->data, rest->size, call, strlen(call)))) {
		struct text argument;

		*rest = text_from(*rest, found - rest->data + strlen(call));
		*entries = *rest;
		argument = part_split(entries);
		/* What is between the flags. */
		if (is_flags)
			part_split(entries);
		/* Flags are mostly some bits of a field: REC->FIELD & 255. */
		if (is_flags ? print_argument_has_field(argument, field)
			     : argument_is_field(argument, field))
			return true;
	}
	return false;
}

bool print_format_find_value(struct text text, struct text field, enum print_texts kind,
			     struct text wanted, int64_t *out, struct buffer *texts)
{
	struct text rest = print_format_locate(text), entries, value, name;

	while (symbols_take(&rest, field, kind, &entries)) {
		while (entry_take(&entries, &value, &name)) {
			if (!value_parse_number(value, out))
				continue;
			if (text_equals(name, wanted))
				return true;
			buffer_printf(texts, "%s\"%.*s\"", texts->size > 0 ? ", " : "",
				      (int)name.size, name.data);
		}
	}
	return false;
}
