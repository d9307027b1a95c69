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

/** SLOT_RECORD_MIN - what word_peek() needs of a record */
#define SLOT_RECORD_MIN WORD_SIZE

/**
 * word_peek - the word at @data, which is within the record or its end, with zeros for what is
 * beyond that
 * @record: of at least SLOT_RECORD_MIN bytes
 */
hot_inline uint64_t word_peek(const struct record *record, const char *data)
{
	const char *end = (const char *)record->data + record->size;
	size_t left = end - data;

	if (left >= WORD_SIZE)
		return word_load(data);
	return left > 0 ? word_drop(word_load(end - WORD_SIZE), WORD_SIZE - left) : 0;
}

/**
 * slot_cut - cut @text, of a record as for word_peek(), at its first NUL
 *
 * Returns the text_head() of what is left. Most names are short.
 */
hot_inline uint64_t slot_cut(const struct record *record, struct text *text)
{
	uint64_t head = word_peek(record, text->data);
	size_t run = word_find_zero(head), done = run;

	while (done == WORD_SIZE && run < text->size) {
		done = word_find_zero(word_peek(record, text->data + run));
		run += done;
	}
	if (run < text->size)
		text->size = run;
	return word_keep(head, text->size);
}

/**
 * slot_find_text - where the text of a slot that is one stands, up to its end or a NUL before it;
 * false as slot_read()
 */
bool slot_find_text(const struct slot *slot, const struct record *record, struct text *out);

/**
 * slot_find_usual_text - the same for a slot whose is_usual_text is set, of a record that has it
 */
hot_inline bool slot_find_usual_text(const struct slot *slot, const struct record *record,
				     struct text *out)
{
	size_t offset, size;
	uint32_t place;

	memcpy(&place, record->data + slot->offset, sizeof(place));
	offset = place & 0xffff;
	size = place >> 16;
	if (offset + size > record->size)
		return false;
	*out = (struct text){ .data = (const char *)record->data + offset, .size = size };
	return true;
}

/** slot_read_text - the text of a slot that is one, and its text_head(); false as slot_read() */
bool slot_read_text(const struct slot *slot, const struct record *record, struct text *out,
		    uint64_t *head);

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

/** slot_read_integer - the number of a slot, with its sign; false as slot_read(), and if the slot
 * is no number */
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
	if (!slot_is_number(slot) || !slot_read(slot, record, &value))
		return false;
	*out = value.kind == VALUE_SIGNED ? value.signed_number : (int64_t)value.unsigned_number;
	return true;
}

#endif
