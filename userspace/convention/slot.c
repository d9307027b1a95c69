// SPDX-License-Identifier: GPL-2.0-only
/* Reads the fields of a record. */
#include "convention/slot.h"

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

/* Arrays of u8 and of unsigned char are bytes, as Perfetto takes them. */
static bool field_is_characters(const struct format_field *field)
{
	return type_has_word(field->type, "char") && !type_has_word(field->type, "unsigned") &&
	       !field->is_pointer;
}

static enum slot_kind array_kind(const struct format_field *field)
{
	bool is_text = field_is_characters(field);

	if (!field->is_dynamic)
		return is_text ? SLOT_FIXED_TEXT : SLOT_FIXED_BYTES;
	if (field->is_relative)
		return is_text ? SLOT_RELATIVE_TEXT : SLOT_RELATIVE_BYTES;
	return is_text ? SLOT_DYNAMIC_TEXT : SLOT_DYNAMIC_BYTES;
}

static bool field_is_aggregate(const struct format_field *field)
{
	return !field->is_pointer &&
	       (type_has_word(field->type, "struct") || type_has_word(field->type, "union"));
}

static bool is_integer_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static enum slot_kind field_kind(const struct format_field *field)
{
	if (field->is_array || field->is_dynamic)
		return array_kind(field);
	if (!is_integer_size(field->size) || field_is_aggregate(field))
		return SLOT_FIXED_BYTES;
	if (field->size == 1 &&
	    (type_has_word(field->type, "bool") || type_has_word(field->type, "_Bool")))
		return SLOT_BOOLEAN;
	return field->is_signed ? SLOT_SIGNED : SLOT_UNSIGNED;
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
	uint32_t place;
	size_t offset, size;

	if (slot->size < sizeof(place))
		return false;
	memcpy(&place, record->data + slot->offset, sizeof(place));
	if (slot->is_swapped)
		place = __builtin_bswap32(place);
	offset = place & 0xffff;
	size = place >> 16;
	if (is_relative)
		offset += slot->offset + slot->size;
	if (offset > record->size || size > record->size - offset)
		return false;
	*out = (struct text){ .data = (const char *)record->data + offset, .size = size };
	return true;
}

static struct text fixed_bytes(const struct slot *slot, const struct record *record)
{
	return (struct text){ .data = (const char *)record->data + slot->offset,
			      .size = slot->size };
}

bool slot_find_text(const struct slot *slot, const struct record *record, struct text *out)
{
	if (!slot->read || slot->end > record->size)
		return false;
	if (slot->kind != SLOT_FIXED_TEXT)
		return dynamic_find(slot, record, slot->kind == SLOT_RELATIVE_TEXT, out);
	*out = fixed_bytes(slot, record);
	return true;
}

bool slot_read_text(const struct slot *slot, const struct record *record, struct text *out,
		    uint64_t *head)
{
	if (!slot_find_text(slot, record, out))
		return false;
	out->size = strnlen(out->data, out->size);
	*head = text_head(*out);
	return true;
}

static bool read_text(const struct slot *slot, const struct record *record, struct value *out)
{
	uint64_t unused;

	out->kind = VALUE_TEXT;
	return slot_read_text(slot, record, &out->text, &unused);
}

static bool bytes_take(struct text bytes, struct value *out)
{
	out->kind = VALUE_BYTES;
	out->text = bytes;
	return true;
}

static bool read_fixed_bytes(const struct slot *slot, const struct record *record,
			     struct value *out)
{
	return bytes_take(fixed_bytes(slot, record), out);
}

static bool read_dynamic_bytes(const struct slot *slot, const struct record *record,
			       struct value *out)
{
	struct text bytes;

	return dynamic_find(slot, record, slot->kind == SLOT_RELATIVE_BYTES, &bytes) &&
	       bytes_take(bytes, out);
}

/* Integers of any size in any order. */
static bool read_number(const struct slot *slot, const struct record *record, struct value *out)
{
	uint64_t number = unsigned_read(record->data + slot->offset, slot->size, slot->is_swapped);

	if (slot->kind == SLOT_SIGNED)
		*out = (struct value){ .kind = VALUE_SIGNED,
				       .signed_number = sign_extend(number, slot->size) };
	else
		*out = (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = number };
	return true;
}

static bool read_boolean(const struct slot *slot, const struct record *record, struct value *out)
{
	*out = (struct value){ .kind = VALUE_BOOLEAN, .boolean = record->data[slot->offset] != 0 };
	return true;
}

/* The integers that records are full of: this machine's own, of 1, 4 or 8 bytes. */
#define DEFINE_READER(name, type, value_kind, member)                                             \
	static bool name(const struct slot *slot, const struct record *record, struct value *out) \
	{                                                                                         \
		type number;                                                                      \
                                                                                                  \
		memcpy(&number, record->data + slot->offset, sizeof(number));                     \
		*out = (struct value){ .kind = value_kind, .member = number };                    \
		return true;                                                                      \
	}
DEFINE_READER(read_s8, int8_t, VALUE_SIGNED, signed_number)
DEFINE_READER(read_u8, uint8_t, VALUE_UNSIGNED, unsigned_number)
DEFINE_READER(read_s32, int32_t, VALUE_SIGNED, signed_number)
DEFINE_READER(read_u32, uint32_t, VALUE_UNSIGNED, unsigned_number)
DEFINE_READER(read_s64, int64_t, VALUE_SIGNED, signed_number)
DEFINE_READER(read_u64, uint64_t, VALUE_UNSIGNED, unsigned_number)

/** struct reader - how to read the slots of one kind; @size is 0 where any size will do */
struct reader {
	enum slot_kind kind;
	unsigned int size;
	bool (*read)(const struct slot *slot, const struct record *record, struct value *out);
};

/* In the order of preference. */
static const struct reader readers[] = {
	{ SLOT_SIGNED, 1, read_s8 },
	{ SLOT_UNSIGNED, 1, read_u8 },
	{ SLOT_SIGNED, 4, read_s32 },
	{ SLOT_UNSIGNED, 4, read_u32 },
	{ SLOT_SIGNED, 8, read_s64 },
	{ SLOT_UNSIGNED, 8, read_u64 },
	{ SLOT_SIGNED, 0, read_number },
	{ SLOT_UNSIGNED, 0, read_number },
	{ SLOT_BOOLEAN, 0, read_boolean },
	{ SLOT_FIXED_TEXT, 0, read_text },
	{ SLOT_FIXED_BYTES, 0, read_fixed_bytes },
	{ SLOT_DYNAMIC_TEXT, 0, read_text },
	{ SLOT_RELATIVE_TEXT, 0, read_text },
	{ SLOT_DYNAMIC_BYTES, 0, read_dynamic_bytes },
	{ SLOT_RELATIVE_BYTES, 0, read_dynamic_bytes },
};

static void slot_set_reader(struct slot *slot)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]) && !slot->read; i++) {
		const struct reader *reader = &readers[i];
		bool is_fit = reader->size == 0 ||
			      (reader->size == slot->size && !slot->is_swapped);

		if (reader->kind == slot->kind && is_fit)
			slot->read = reader->read;
	}
}

struct slot slot_find(const struct format_field *field, bool is_swapped)
{
	struct slot slot = { .kind = SLOT_ABSENT };

	if (field->offset > INT32_MAX || field->size == 0 || field->size > INT32_MAX)
		return slot;
	slot = (struct slot){
		.kind = field_kind(field),
		.is_swapped = is_swapped,
		.offset = field->offset,
		.size = field->size,
		.end = field->offset + field->size,
	};
	slot.is_usual_text = slot.kind == SLOT_DYNAMIC_TEXT && !is_swapped &&
			     slot.size >= sizeof(uint32_t);
	slot_set_reader(&slot);
	return slot;
}
