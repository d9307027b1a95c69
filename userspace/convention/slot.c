// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the fields of a record. libtraceevent parses the formats, but its readers are not used:
 * they don't extend signs, and don't check where __data_loc points.
 */
#include "convention/slot.h"

#include <event-parse.h>
#include <string.h>

/* Whether @word stands in @type as a word of its own. */
static bool type_has_word(const char *type, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = strstr(type, word); at; at = strstr(at + 1, word)) {
		bool begins = at == type || at[-1] == ' ';
		bool ends = at[size] == '\0' || at[size] == ' ' || at[size] == '[';

		if (begins && ends)
			return true;
	}
	return false;
}

/*
 * Arrays of u8 and of unsigned char are bytes, as Perfetto takes them, although libtraceevent calls
 * them strings.
 */
static bool field_is_characters(const struct tep_format_field *field)
{
	return type_has_word(field->type, "char") && !type_has_word(field->type, "unsigned") &&
	       !(field->flags & TEP_FIELD_IS_POINTER);
}

static enum slot_kind array_kind(const struct tep_format_field *field)
{
	bool is_text = field_is_characters(field);

	if (!(field->flags & TEP_FIELD_IS_DYNAMIC))
		return is_text ? SLOT_FIXED_TEXT : SLOT_FIXED_BYTES;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		return is_text ? SLOT_RELATIVE_TEXT : SLOT_RELATIVE_BYTES;
	return is_text ? SLOT_DYNAMIC_TEXT : SLOT_DYNAMIC_BYTES;
}

static bool field_is_aggregate(const struct tep_format_field *field)
{
	return !(field->flags & TEP_FIELD_IS_POINTER) &&
	       (type_has_word(field->type, "struct") || type_has_word(field->type, "union"));
}

static bool is_integer_size(int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static enum slot_kind field_kind(const struct tep_format_field *field)
{
	if (field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		return array_kind(field);
	if (!is_integer_size(field->size) || field_is_aggregate(field))
		return SLOT_FIXED_BYTES;
	if (field->size == 1 &&
	    (type_has_word(field->type, "bool") || type_has_word(field->type, "_Bool")))
		return SLOT_BOOLEAN;
	return field->flags & TEP_FIELD_IS_SIGNED ? SLOT_SIGNED : SLOT_UNSIGNED;
}

struct slot slot_find(const struct tep_format_field *field, bool is_swapped)
{
	if (field->offset < 0 || field->size <= 0)
		return (struct slot){ .kind = SLOT_ABSENT };
	return (struct slot){
		.kind = field_kind(field),
		.is_swapped = is_swapped,
		.offset = field->offset,
		.size = field->size,
	};
}

bool slot_is_number(const struct slot *slot)
{
	return slot->kind == SLOT_SIGNED || slot->kind == SLOT_UNSIGNED;
}

bool slot_is_text(const struct slot *slot)
{
	return slot->kind == SLOT_FIXED_TEXT || slot->kind == SLOT_DYNAMIC_TEXT ||
	       slot->kind == SLOT_RELATIVE_TEXT;
}

static uint64_t unsigned_read(const unsigned char *bytes, unsigned int size, bool is_swapped)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} number;

	memcpy(&number, bytes, size);
	switch (size) {
	case 1:
		return number.u8;
	case 2:
		return is_swapped ? __builtin_bswap16(number.u16) : number.u16;
	case 4:
		return is_swapped ? __builtin_bswap32(number.u32) : number.u32;
	default:
		return is_swapped ? __builtin_bswap64(number.u64) : number.u64;
	}
}

static int64_t sign_extend(uint64_t number, unsigned int size)
{
	unsigned int shift = 64 - 8 * size;

	return (int64_t)(number << shift) >> shift;
}

/*
 * A dynamic field holds the place of its data: offset in the lower, size in the upper 16 bits.
 * Relative ones count from their own end. Synthetic events have 8 bytes here, of which the first
 * four are these.
 */
static bool dynamic_find(const struct slot *slot, const struct record *record, bool is_relative,
			 struct text *out)
{
	uint32_t place = unsigned_read(record->data + slot->offset, 4, slot->is_swapped);
	size_t offset = place & 0xffff;
	size_t size = place >> 16;

	if (is_relative)
		offset += slot->offset + slot->size;
	if (offset > record->size || size > record->size - offset)
		return false;
	*out = (struct text){ .data = (const char *)record->data + offset, .size = size };
	return true;
}

static bool array_find(const struct slot *slot, const struct record *record, struct text *out)
{
	switch (slot->kind) {
	case SLOT_DYNAMIC_TEXT:
	case SLOT_DYNAMIC_BYTES:
		return slot->size >= 4 && dynamic_find(slot, record, false, out);
	case SLOT_RELATIVE_TEXT:
	case SLOT_RELATIVE_BYTES:
		return slot->size >= 4 && dynamic_find(slot, record, true, out);
	default:
		*out = (struct text){ .data = (const char *)record->data + slot->offset,
				      .size = slot->size };
		return true;
	}
}

static bool number_read(const struct slot *slot, const struct record *record, struct value *out)
{
	uint64_t number = unsigned_read(record->data + slot->offset, slot->size, slot->is_swapped);

	if (slot->kind == SLOT_SIGNED)
		*out = (struct value){ .kind = VALUE_SIGNED,
				       .signed_number = sign_extend(number, slot->size) };
	else if (slot->kind == SLOT_UNSIGNED)
		*out = (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = number };
	else
		*out = (struct value){ .kind = VALUE_BOOLEAN, .boolean = number != 0 };
	return true;
}

bool slot_read(const struct slot *slot, const struct record *record, struct value *out)
{
	if (slot->kind == SLOT_ABSENT || slot->offset > record->size ||
	    slot->size > record->size - slot->offset)
		return false;
	if (slot_is_number(slot) || slot->kind == SLOT_BOOLEAN)
		return number_read(slot, record, out);
	out->kind = slot_is_text(slot) ? VALUE_TEXT : VALUE_BYTES;
	if (!array_find(slot, record, &out->text))
		return false;
	if (out->kind == VALUE_TEXT)
		out->text.size = strnlen(out->text.data, out->text.size);
	return true;
}
