/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding a field's place by its format, and reading it from a record without trusting either. */
#ifndef CONVENTION_SLOT_H
#define CONVENTION_SLOT_H

#include "convention/convention.h"
#include "convention/format.h"

/** slot_find - how and where to read @field; SLOT_ABSENT where its type is none that we read */
struct slot slot_find(const struct format_field *field, bool is_swapped);

/** slot_is_number - whether the slot holds an integer (a bool is none) */
static inline bool slot_is_number(const struct slot *slot)
{
	return slot->kind == SLOT_SIGNED || slot->kind == SLOT_UNSIGNED;
}

/** slot_is_text - whether the slot holds characters */
bool slot_is_text(const struct slot *slot);

/** word_peek - the word at @data, within the record, with zeros for what is beyond its end */
hot_inline uint64_t word_peek(const struct record *record, const char *data)
{
	const char *end = (const char *)record->data + record->size;
	size_t left = end - data;
	uint64_t word = 0;

	if (left >= WORD_SIZE)
		return word_load(data);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (record->size >= WORD_SIZE && left > 0)
		return word_load(end - WORD_SIZE) >> 8 * (WORD_SIZE - left);
#endif
	memcpy(&word, data, left);
	return word;
}

/** slot_long_run - slot_run() of a text without a NUL in its first word */
size_t slot_long_run(const struct record *record, struct text text);

/** slot_run - how far it is to the first NUL in @text, or to its end; most names are short */
hot_inline size_t slot_run(const struct record *record, struct text text)
{
	size_t run = word_find_zero(word_peek(record, text.data));

	if (run == WORD_SIZE && text.size > WORD_SIZE)
		return slot_long_run(record, text);
	return run < text.size ? run : text.size;
}

/** slot_find_other_text - slot_find_text() of any slot */
bool slot_find_other_text(const struct slot *slot, const struct record *record, struct text *out);

/**
 * slot_find_text - where the text of a slot that is one stands, up to its end or a NUL before it;
 * false as slot_read()
 */
hot_inline bool slot_find_text(const struct slot *slot, const struct record *record,
			       struct text *out)
{
	size_t offset, size;
	uint32_t place;

	if (!slot->is_usual_text)
		return slot_find_other_text(slot, record, out);
	if (slot->end > record->size)
		return false;
	memcpy(&place, record->data + slot->offset, sizeof(place));
	offset = place & 0xffff;
	size = place >> 16;
	if (offset + size > record->size)
		return false;
	*out = (struct text){ .data = (const char *)record->data + offset, .size = size };
	return true;
}

/** slot_read_text - the text of a slot that is one; false as slot_read() */
hot_inline bool slot_read_text(const struct slot *slot, const struct record *record,
			       struct text *out)
{
	struct text text;

	if (!slot_find_text(slot, record, &text))
		return false;
	out->data = text.data;
	out->size = slot_run(record, text);
	return true;
}

/**
 * slot_read - read a field
 * @out: VALUE_SIGNED or VALUE_UNSIGNED by the field's own sign, VALUE_BOOLEAN, VALUE_TEXT up to the
 * first NUL, VALUE_BYTES
 *
 * Returns false where the field, or the data that it points to, is not inside the record. An absent
 * slot reads as false.
 */
hot_inline bool slot_read(const struct slot *slot, const struct record *record, struct value *out)
{
	return slot->read && slot->end <= record->size && slot->read(slot, record, out);
}

/** slot_read_integer - the number of a slot that is one, sign and all; false as slot_read() */
hot_inline bool slot_read_integer(const struct slot *slot, const struct record *record,
				  int64_t *out)
{
	struct value value;
	int32_t number;

	/* What nearly all are. */
	if (slot->kind == SLOT_SIGNED && slot->size == sizeof(number) && !slot->is_swapped &&
	    slot->end <= record->size) {
		memcpy(&number, record->data + slot->offset, sizeof(number));
		*out = number;
		return true;
	}
	if (!slot_read(slot, record, &value))
		return false;
	*out = value.kind == VALUE_SIGNED ? value.signed_number : (int64_t)value.unsigned_number;
	return true;
}

#endif
