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

/**
 * slot_find_text - where the text of a slot that is one stands, up to its end or a NUL before it;
 * false as slot_read()
 */
bool slot_find_text(const struct slot *slot, const struct record *record, struct text *out);

/** slot_read_text - the text of a slot that is one; false as slot_read() */
bool slot_read_text(const struct slot *slot, const struct record *record, struct text *out);

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
