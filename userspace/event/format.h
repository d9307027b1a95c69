/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tracepoint's format file, which may be hostile, its fields, and readers that check every bound
 * of a record.
 */
#ifndef EVENT_FORMAT_H
#define EVENT_FORMAT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "event/constants.h"
#include "event/record.h"

/* Parser of a tracepoint's format file, which may be hostile. */

/** FORMAT_SIZE_MAX, FORMAT_FIELDS_MAX - limits of a format; the kernel's have a few KiB */
#define FORMAT_SIZE_MAX (1024 * 1024)
#define FORMAT_FIELDS_MAX 1024

/** struct format_field - a line "field:TYPE NAME; offset:N; size:N; signed:N;" */
struct format_field {
	const char *type; /* without the brackets that follow the name of an array */
	const char *name;
	uint64_t offset;
	uint64_t size;
	bool is_signed;
	bool is_array; /* an array of fixed size */
	bool is_pointer;
	/* the field contains offset and size of its data, by __data_loc or __rel_loc */
	bool is_dynamic;
	bool is_relative; /* by __rel_loc */
};

/** struct format - a parsed format file */
struct format {
	char *text;	  /* bytes of all strings */
	struct text file; /* what was parsed; only as long as whoever has parsed it has the text */
	const char *name;
	uint64_t id;		     /* event id, the common_type of its records */
	struct format_field *fields; /* first @nr_common common fields, then the event's own */
	size_t nr_fields;
	size_t nr_common;
};

/** format_parse - parse up to the fields; 1 if malformed, -1 without memory; release it anyhow */
int format_parse(struct format *out, struct text file);
/** format_release - free a format, and zero it */
void format_release(struct format *format);
/** format_find - the field with this name, NULL if there is none */
const struct format_field *format_find(const struct format *format, struct text name);
/** format_read_id - the number of the line "ID: N" of a format, -1 if there is none up to 65535 */
int64_t format_read_id(struct text text);

/* Field references: where a field is in a record, and readers that check every bound. */

/** enum field_kind - representation of a field */
enum field_kind {
	FIELD_ABSENT,
	FIELD_SIGNED,
	FIELD_UNSIGNED,
	FIELD_BOOLEAN,
	FIELD_FLOATING, /* a double of 8 bytes, or a float of 4 */
	FIELD_CONSTANT, /* a pointer to a string of the kernel */
	FIELD_FIXED_TEXT,
	FIELD_FIXED_BYTES,
	FIELD_DYNAMIC_TEXT,
	FIELD_RELATIVE_TEXT,
	FIELD_DYNAMIC_BYTES,
	FIELD_RELATIVE_BYTES,
};

/** FIELD_END_NEVER - end of a field that no record contains */
#define FIELD_END_NEVER UINT_MAX

/**
 * struct field_ref - position and representation of a field in the records of one tracepoint
 * @base: added to the offset that a dynamic field contains: 0, or the field's end if it is relative
 * @shift_left, @shift_right: numbers of bits to shift that word, to get the number
 */
struct field_ref {
	enum field_kind kind;
	bool is_swapped;     /* the byte order is not this machine's */
	unsigned int offset; /* of its first byte */
	unsigned int size;
	unsigned int end; /* minimum size of a record that contains the field, at least WORD_SIZE */
	unsigned int base;
	unsigned int word_offset; /* of a word that contains the number */
	unsigned int shift_left;
	unsigned int shift_right;
	uint64_t mask; /* bits of the number; all if it is signed */
};

/** FIELD_REF_ABSENT - initializer of a reference that no record contains */
#define FIELD_REF_ABSENT                                      \
	{                                                     \
		.kind = FIELD_ABSENT, .end = FIELD_END_NEVER, \
	}

/** field_ref_of - reference to @field; absent if that is NULL or at an impossible position */
struct field_ref field_ref_of(const struct format_field *field, bool is_swapped);

/** field_ref_is_number - whether the field is an integer; a bool is not */
static inline bool field_ref_is_number(const struct field_ref *ref)
{
	return ref->kind == FIELD_SIGNED || ref->kind == FIELD_UNSIGNED;
}

/** field_ref_is_scalar - whether field_integer() can read the field; a bool is not */
static inline bool field_ref_is_scalar(const struct field_ref *ref)
{
	return field_ref_is_number(ref) || ref->kind == FIELD_CONSTANT;
}

/** field_ref_is_text - whether the field contains characters */
static inline bool field_ref_is_text(const struct field_ref *ref)
{
	return ref->kind == FIELD_FIXED_TEXT || ref->kind == FIELD_DYNAMIC_TEXT ||
	       ref->kind == FIELD_RELATIVE_TEXT;
}

/**
 * field_integer - the integer in a record that contains the field
 * @ref: of a field that field_ref_is_scalar(), a FIELD_BOOLEAN, or a FIELD_FLOATING for its bits
 * @is_swapped: of @ref; as a constant it saves instructions
 *
 * Returns the bits of an unsigned field.
 */
hot_inline int64_t field_integer(const struct field_ref *ref, const struct record *record,
				 bool is_swapped)
{
	uint64_t word = word_load((const char *)record->data + ref->word_offset);

	if (is_swapped)
		word = __builtin_bswap64(word);
	return ((int64_t)(word << ref->shift_left) >> ref->shift_right) & ref->mask;
}

/** field_integer_kind - the kind of value that field_integer() returns */
hot_inline enum value_kind field_integer_kind(const struct field_ref *ref)
{
	return ref->kind == FIELD_SIGNED ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/** field_floating - the number in a FIELD_FLOATING of a record that contains the field */
double field_floating(const struct field_ref *ref, const struct record *record);

/** field_read_number - field_integer() of a field that field_ref_is_number(), and its kind */
hot_inline void field_read_number(const struct field_ref *ref, const struct record *record,
				  bool is_swapped, struct value *out)
{
	out->kind = field_integer_kind(ref);
	out->signed_number = field_integer(ref, record, is_swapped);
}

/**
 * field_bytes - the bytes of a text or of bytes, in a record that contains the field
 * @is_swapped: of @ref; as a constant it saves instructions
 * @out: borrowed from the record
 *
 * The word of a dynamic field contains offset (lower 16 bits) and size (upper 16 bits) of the data.
 * Returns false if the data are not in the record.
 */
hot_inline bool field_bytes(const struct field_ref *ref, const struct record *record,
			    bool is_swapped, struct text *out)
{
	size_t offset = ref->offset, size = ref->size;
	uint32_t word;

	if (ref->kind >= FIELD_DYNAMIC_TEXT) {
		memcpy(&word, record->data + offset, sizeof(word));
		if (is_swapped)
			word = __builtin_bswap32(word);
		size = word >> 16;
		offset = (word & 0xffff) + (size_t)ref->base;
		if (offset + size > record->size)
			return false;
	}
	out->data = (const char *)record->data + offset;
	out->size = size;
	return true;
}

/**
 * field_peek_word - the word at @data, which is in the record or at its end; bytes beyond the end
 * read as zeros
 * @record: of at least WORD_SIZE bytes
 */
hot_inline uint64_t field_peek_word(const struct record *record, const char *data)
{
	const char *end = (const char *)record->data + record->size;
	size_t left = end - data;

	if (left >= WORD_SIZE)
		return word_load(data);
	return left > 0 ? word_drop(word_load(end - WORD_SIZE), WORD_SIZE - left) : 0;
}

/** field_cut_text - cut @text, of a record of a word or more, at its NUL; returns text_head() */
hot_inline uint64_t field_cut_text(const struct record *record, struct text *text)
{
	uint64_t head = field_peek_word(record, text->data);
	size_t size = word_find_zero(head), found = size;

	while (unlikely(found == WORD_SIZE) && size < text->size) {
		found = word_find_zero(field_peek_word(record, text->data + size));
		size += found;
	}
	if (size < text->size)
		text->size = size;
	return word_keep(head, text->size);
}

/** field_read_text - read a field that field_ref_is_text(); see field_read() */
hot_inline bool field_read_text(const struct field_ref *ref, const struct record *record,
				struct text *out)
{
	if (ref->end > record->size || !field_bytes(ref, record, ref->is_swapped, out))
		return false;
	field_cut_text(record, out);
	return true;
}

/**
 * field_read - read a field of any kind
 * @out: VALUE_SIGNED or VALUE_UNSIGNED by the field's type, VALUE_BOOLEAN, VALUE_FLOATING,
 * VALUE_TEXT up to the first NUL, or VALUE_BYTES; texts and bytes are borrowed from the record. A
 * FIELD_CONSTANT is the text, borrowed from @record->constants, or a VALUE_UNSIGNED if it is
 * unknown
 *
 * Returns false if the record does not contain the field or its data.
 */
bool field_read(const struct field_ref *ref, const struct record *record, struct value *out);

/** record_space - limit of the texts of a record, for value_take_space() */
static inline size_t record_space(const struct record *record)
{
	return record->size + (record->constants ? CONSTANTS_TEXTS_MAX : 0);
}

/**
 * value_take_space - take the size of a text from what is left of its record; returns whether it
 * fits
 *
 * Without this limit, fields that share their bytes, as only hostile formats have, would turn a
 * small record into any number of bytes.
 */
static inline bool value_take_space(const struct value *value, size_t *left)
{
	bool has_text = value->kind == VALUE_TEXT || value->kind == VALUE_BYTES;
	size_t size = has_text ? value->text.size : 0;

	if (size > *left)
		return false;
	*left -= size;
	return true;
}

/** field_read_any - field_read() without a call for an integer, which most fields are */
hot_inline bool field_read_any(const struct field_ref *ref, const struct record *record,
			       struct value *out)
{
	if (unlikely(!field_ref_is_number(ref) || ref->end > record->size))
		return field_read(ref, record, out);
	field_read_number(ref, record, ref->is_swapped, out);
	return true;
}

#endif
