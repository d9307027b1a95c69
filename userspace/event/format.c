// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses format files, and the kinds of their fields. They come with any trace, so that their text
 * may be hostile.
 */
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
	field.is_relative = strncmp(field.type, "__rel_loc ", strlen("__rel_loc ")) == 0;
	field.is_dynamic = field.is_relative ||
			   strncmp(field.type, "__data_loc ", strlen("__data_loc ")) == 0;
	field.is_array |= !field.is_dynamic && strchr(field.type, '[');
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
	size_t nr_lines = 1;

	*out = (struct format){ 0 };
	if (file.size > FORMAT_SIZE_MAX)
		return 1;
	*out = (struct format){ .text = strndup(file.data, file.size), .file = file };
	if (!out->text)
		return -1;
	for (const char *at = out->text; nr_lines < FORMAT_FIELDS_MAX && (at = strchr(at, '\n'));
	     at++)
		nr_lines++;
	out->fields = calloc(nr_lines, sizeof(*out->fields));
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

/* Kinds of fields, by their declared types. */

/* A dynamic field contains at least this word: offset and size of the data. */
#define DYNAMIC_SIZE_MIN sizeof(uint32_t)

static bool type_has_word(const char *type, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = strstr(type, word); at; at = strstr(at + 1, word)) {
		bool is_begin = at == type || at[-1] == ' ';
		bool is_end = at[size] == '\0' || at[size] == ' ' || at[size] == '[';

		if (is_begin && is_end)
			return true;
	}
	return false;
}

/* u8 and unsigned char are bytes, as in Perfetto. */
static bool type_is_character(const char *type)
{
	return type_has_word(type, "char") && !type_has_word(type, "unsigned");
}

static enum field_kind field_kind_of(const struct format_field *field)
{
	const char *type = field->type, *star = strchr(type, '*');
	uint64_t size = field->size;

	bool is_text = type_is_character(type) && !field->is_pointer;

	if (field->is_dynamic && field->is_relative)
		return is_text ? FIELD_RELATIVE_TEXT : FIELD_RELATIVE_BYTES;
	if (field->is_dynamic)
		return is_text ? FIELD_DYNAMIC_TEXT : FIELD_DYNAMIC_BYTES;
	if (field->is_array)
		return is_text ? FIELD_FIXED_TEXT : FIELD_FIXED_BYTES;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return FIELD_FIXED_BYTES;
	if (!field->is_pointer && (type_has_word(type, "struct") || type_has_word(type, "union")))
		return FIELD_FIXED_BYTES;
	if (size == 1 && (type_has_word(type, "bool") || type_has_word(type, "_Bool")))
		return FIELD_BOOLEAN;
	if ((size == sizeof(double) && strcmp(type, "double") == 0) ||
	    (size == sizeof(float) && strcmp(type, "float") == 0))
		return FIELD_FLOATING;
	/* A pointer to a pointer is no string. */
	if (field->is_pointer && star && !star[1] && size >= sizeof(uint32_t) &&
	    type_is_character(type))
		return FIELD_CONSTANT;
	return field->is_signed ? FIELD_SIGNED : FIELD_UNSIGNED;
}

struct field_ref field_ref_of(const struct format_field *field, bool is_swapped)
{
	bool is_little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != is_swapped;
	struct field_ref ref = FIELD_REF_ABSENT;
	unsigned int end;

	if (!field || field->offset > INT32_MAX || field->size == 0 || field->size > INT32_MAX)
		return ref;
	end = field->offset + field->size;
	ref.kind = field_kind_of(field);
	ref.is_swapped = is_swapped;
	ref.offset = field->offset;
	ref.size = field->size;
	if (!field->is_dynamic || ref.size >= DYNAMIC_SIZE_MIN)
		ref.end = end > WORD_SIZE ? end : WORD_SIZE;
	/* In synthetic events the word is followed by four unused bytes. */
	if (field->is_relative)
		ref.base = end;
	if (!field_ref_is_scalar(&ref) && ref.kind != FIELD_BOOLEAN && ref.kind != FIELD_FLOATING)
		return ref;
	/* Read from the first word of the record if it ends there, else from the one at its end. */
	ref.word_offset = end > WORD_SIZE ? end - WORD_SIZE : 0;
	ref.shift_left = 8 * (is_little ? WORD_SIZE - (end - ref.word_offset)
					: ref.offset - ref.word_offset);
	ref.shift_right = 8 * (WORD_SIZE - ref.size);
	ref.mask = ref.kind == FIELD_SIGNED ? UINT64_MAX : UINT64_MAX >> ref.shift_right;
	return ref;
}

double field_floating(const struct field_ref *ref, const struct record *record)
{
	uint64_t bits = field_integer(ref, record, ref->is_swapped);
	uint32_t half = bits;
	double number;
	float single;

	if (ref->size == sizeof(single)) {
		memcpy(&single, &half, sizeof(single));
		return single;
	}
	memcpy(&number, &bits, sizeof(number));
	return number;
}

bool field_read(const struct field_ref *ref, const struct record *record, struct value *out)
{
	struct text text;

	if (ref->end > record->size)
		return false;
	switch (ref->kind) {
	case FIELD_ABSENT:
		return false;
	case FIELD_SIGNED:
	case FIELD_UNSIGNED:
		field_read_number(ref, record, ref->is_swapped, out);
		return true;
	case FIELD_CONSTANT:
		field_read_number(ref, record, ref->is_swapped, out);
		if (record->constants &&
		    constants_find(record->constants, out->unsigned_number, &text))
			*out = (struct value){ .kind = VALUE_TEXT, .text = text };
		return true;
	case FIELD_BOOLEAN:
		*out = (struct value){ .kind = VALUE_BOOLEAN,
				       .boolean = field_integer(ref, record, ref->is_swapped) !=
						  0 };
		return true;
	case FIELD_FLOATING:
		*out = (struct value){ .kind = VALUE_FLOATING,
				       .floating = field_floating(ref, record) };
		return true;
	default:
		break;
	}
	if (!field_bytes(ref, record, ref->is_swapped, &out->text))
		return false;
	out->kind = field_ref_is_text(ref) ? VALUE_TEXT : VALUE_BYTES;
	if (out->kind == VALUE_TEXT)
		field_cut_text(record, &out->text);
	return true;
}
