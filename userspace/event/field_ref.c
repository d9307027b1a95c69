// SPDX-License-Identifier: GPL-2.0-only
/* Kinds of fields, by their declared types. */
#include "event/field_ref.h"

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

/* Arrays of u8 and of unsigned char are bytes, as in Perfetto. */
static bool field_is_characters(const struct format_field *field)
{
	return type_has_word(field->type, "char") && !type_has_word(field->type, "unsigned") &&
	       !field->is_pointer;
}

static enum field_kind field_array_kind(const struct format_field *field)
{
	bool is_text = field_is_characters(field);

	if (!field->is_dynamic)
		return is_text ? FIELD_FIXED_TEXT : FIELD_FIXED_BYTES;
	if (field->is_relative)
		return is_text ? FIELD_RELATIVE_TEXT : FIELD_RELATIVE_BYTES;
	return is_text ? FIELD_DYNAMIC_TEXT : FIELD_DYNAMIC_BYTES;
}

static bool field_is_aggregate(const struct format_field *field)
{
	return !field->is_pointer &&
	       (type_has_word(field->type, "struct") || type_has_word(field->type, "union"));
}

/* One of two stars is no string. */
static bool field_is_constant(const struct format_field *field)
{
	const char *star = strchr(field->type, '*');

	return field->is_pointer && field->size >= sizeof(uint32_t) && star && !star[1] &&
	       type_has_word(field->type, "char") && !type_has_word(field->type, "unsigned");
}

static bool size_is_integer(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool field_is_floating(const struct format_field *field)
{
	return !field->is_pointer &&
	       ((field->size == sizeof(double) && strcmp(field->type, "double") == 0) ||
		(field->size == sizeof(float) && strcmp(field->type, "float") == 0));
}

static enum field_kind field_kind_of(const struct format_field *field)
{
	if (field->is_array || field->is_dynamic)
		return field_array_kind(field);
	if (!size_is_integer(field->size) || field_is_aggregate(field))
		return FIELD_FIXED_BYTES;
	if (field->size == 1 &&
	    (type_has_word(field->type, "bool") || type_has_word(field->type, "_Bool")))
		return FIELD_BOOLEAN;
	if (field_is_floating(field))
		return FIELD_FLOATING;
	if (field_is_constant(field))
		return FIELD_CONSTANT;
	return field->is_signed ? FIELD_SIGNED : FIELD_UNSIGNED;
}

/* Numbers that end in the record's first word are read from it, others from the word at their end.
 */
static void field_ref_set_word(struct field_ref *ref, unsigned int end)
{
	bool is_little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != ref->is_swapped;

	ref->word_offset = end > WORD_SIZE ? end - WORD_SIZE : 0;
	ref->shift_left = 8 * (is_little ? WORD_SIZE - (end - ref->word_offset)
					 : ref->offset - ref->word_offset);
	ref->shift_right = 8 * (WORD_SIZE - ref->size);
	ref->mask = ref->kind == FIELD_SIGNED ? UINT64_MAX : UINT64_MAX >> ref->shift_right;
}

struct field_ref field_ref_of(const struct format_field *field, bool is_swapped)
{
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
	if (field_ref_is_scalar(&ref) || ref.kind == FIELD_BOOLEAN || ref.kind == FIELD_FLOATING)
		field_ref_set_word(&ref, end);
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
