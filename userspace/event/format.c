// SPDX-License-Identifier: GPL-2.0-only
/* Parses format files. They come with any trace, so that their text may be hostile. */
#include "event/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The rest of a line after @head, NULL if the line does not begin with it. */
static char *line_skip(char *line, const char *head)
{
	size_t size = strlen(head);

	return strncmp(line, head, size) == 0 ? line + size : NULL;
}

/* Parses all of @digits as a decimal number; too large numbers become a large one. */
static bool decimal_parse(const char *digits, uint64_t *out)
{
	uint64_t number = 0;

	if (!*digits)
		return false;
	for (; *digits; digits++) {
		if (*digits < '0' || *digits > '9')
			return false;
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *digits - '0', &number))
			number = UINT64_MAX / 10;
	}
	*out = number;
	return true;
}

/* Removes the part of a line up to the next semicolon; returns NULL if there is none. */
static char *part_take(char **line)
{
	char *part = *line + strspn(*line, " \t");
	char *end = strchr(part, ';');

	if (!end)
		return NULL;
	*end = '\0';
	*line = end + 1;
	return part;
}

static bool number_take(char **line, const char *head, uint64_t *out)
{
	char *part = part_take(line);
	char *digits = part ? line_skip(part, head) : NULL;

	return digits && decimal_parse(digits, out);
}

static char *blanks_cut(char *begin, char *end)
{
	while (end > begin && isblank((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return end;
}

/*
 * Splits "TYPE NAME[N]"; returns false if there is no name. The byte before @text is writable and
 * unused.
 */
static bool declaration_split(struct format_field *field, char *text)
{
	char *end = blanks_cut(text, text + strlen(text));
	char *bracket;

	while (end > text && end[-1] == ']') {
		bracket = strrchr(text, '[');
		if (!bracket)
			return false;
		field->is_array = true;
		end = blanks_cut(text, bracket);
	}
	while (end > text && (isalnum((unsigned char)end[-1]) || end[-1] == '_'))
		end--;
	field->name = end;
	if (!*end || end == text || !(isblank((unsigned char)end[-1]) || end[-1] == '*'))
		return false;
	/* The type may end directly before the name, so it is moved to make space for its NUL. */
	memmove(text - 1, text, end - text);
	end[-1] = '\0';
	blanks_cut(text - 1, end - 1);
	field->type = text - 1;
	field->is_pointer = strchr(field->type, '*') != NULL;
	return true;
}

static void field_classify(struct format_field *field)
{
	field->is_relative = strncmp(field->type, "__rel_loc ", strlen("__rel_loc ")) == 0;
	field->is_dynamic = field->is_relative ||
			    strncmp(field->type, "__data_loc ", strlen("__data_loc ")) == 0;
	if (!field->is_dynamic && strchr(field->type, '['))
		field->is_array = true;
}

/*
 * Parses a field's line after "field:". Returns 1 if that fails; a field without a name, as a
 * pointer to a function, is skipped.
 */
static int field_parse(struct format *format, char *line)
{
	struct format_field field = { 0 };
	uint64_t is_signed = 0;
	char *declaration = part_take(&line);

	if (!declaration || !number_take(&line, "offset:", &field.offset) ||
	    !number_take(&line, "size:", &field.size))
		return 1;
	if (!declaration_split(&field, declaration))
		return 0;
	if (format->nr_fields == FORMAT_FIELDS_MAX)
		return 1;
	/* Kernels before 2.6.32 do not print it. */
	number_take(&line, "signed:", &is_signed);
	field.is_signed = is_signed;
	field_classify(&field);
	format->fields[format->nr_fields++] = field;
	return 0;
}

static int format_line_parse(struct format *format, char *line, bool *has_id)
{
	char *rest;

	line += strspn(line, " \t");
	rest = line_skip(line, "field:");
	if (rest)
		return field_parse(format, rest);
	rest = line_skip(line, "name: ");
	if (rest)
		format->name = rest;
	rest = line_skip(line, "ID: ");
	if (rest)
		*has_id = decimal_parse(rest, &format->id);
	return 0;
}

/* Upper limit of the number of fields. */
static size_t lines_count(const char *text)
{
	size_t nr_lines = 1;

	while (nr_lines < FORMAT_FIELDS_MAX && (text = strchr(text, '\n'))) {
		text++;
		nr_lines++;
	}
	return nr_lines;
}

static int format_lines_parse(struct format *format)
{
	bool has_id = false, has_common = false;
	char *line, *rest = format->text;

	while ((line = strsep(&rest, "\n"))) {
		if (line_skip(line, "print fmt:"))
			break;
		/* A blank line separates the common fields from the others. */
		has_common = has_common || (!*line && format->nr_fields > 0);
		if (format_line_parse(format, line, &has_id) != 0)
			return 1;
		if (!has_common)
			format->nr_common = format->nr_fields;
	}
	return format->name && *format->name && has_id ? 0 : 1;
}

int format_parse(struct format *out, struct text file)
{
	*out = (struct format){ 0 };
	if (file.size > FORMAT_SIZE_MAX)
		return 1;
	*out = (struct format){ .text = strndup(file.data, file.size), .file = file };
	if (!out->text)
		return -1;
	out->fields = calloc(lines_count(out->text), sizeof(*out->fields));
	return out->fields ? format_lines_parse(out) : -1;
}

void format_release(struct format *format)
{
	free(format->fields);
	free(format->text);
	*format = (struct format){ 0 };
}

const struct format_field *format_find(const struct format *format, struct text name)
{
	for (size_t i = 0; i < format->nr_fields; i++) {
		if (text_equals(text_of(format->fields[i].name), name))
			return &format->fields[i];
	}
	return NULL;
}

int64_t format_read_id(struct text text)
{
	static const char key[] = "\nID: ";
	const char *begin = memmem(text.data, text.size, key, strlen(key));
	const char *end = text.data + text.size;
	int64_t id = 0;

	if (!begin)
		return -1;
	for (begin += strlen(key); begin < end && *begin >= '0' && *begin <= '9'; begin++) {
		id = id * 10 + (*begin - '0');
		if (id > UINT16_MAX)
			return -1;
	}
	return id;
}
