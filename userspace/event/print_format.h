/* SPDX-License-Identifier: GPL-2.0-only */
/* The print format of an event: how it prints each field. */
#ifndef EVENT_PRINT_FORMAT_H
#define EVENT_PRINT_FORMAT_H

#include "base/base.h"

/** enum print_conversion - how a field is printed */
enum print_conversion {
	/* Not printed, or only as a part of a longer expression. */
	PRINT_CONVERSION_NONE,
	/* %ps, %pS, %pf, %pF, %pB: the name of the function at this address. */
	PRINT_CONVERSION_SYMBOL,
	/* %pM, %pm: an address of a network device. */
	PRINT_CONVERSION_MAC,
	/* %p without a letter that means something else. */
	PRINT_CONVERSION_POINTER,
	/* %x, %X, %o: a number that is not decimal. */
	PRINT_CONVERSION_HEX,
	/* Any other conversion. */
	PRINT_CONVERSION_PLAIN,
};

/**
 * print_format_find - how an event prints a field
 * @text: of the whole format file, which may be hostile
 * @field: name of the field
 *
 * Only arguments that are the field alone count, casts and parentheses apart: the first one, or any
 * that is printed as a symbol.
 */
enum print_conversion print_format_find(struct text text, struct text field);

/**
 * print_format_find_enumerator - the first value with a text that is a name, not a number
 * @text: of the whole format file, which may be hostile
 * @out: borrowed from @text
 *
 * The kernel replaces an enumerator that the driver declared to it by its number. The text of any
 * other one is of no use. Returns false if there is none.
 */
bool print_format_find_enumerator(struct text text, struct text *out);

/** print_argument_has_field - whether a part of a print format mentions "REC->FIELD" */
bool print_argument_has_field(struct text argument, struct text field);

/** enum print_texts - what the texts of a field stand for: its values, or its bits */
enum print_texts {
	PRINT_TEXTS_OF_VALUES,
	PRINT_TEXTS_OF_BITS,
};

/**
 * print_format_find_value - the number that a field's text stands for
 * @text: of the whole format file, which may be hostile
 * @field: name of a field that is printed as a symbol, or whose bits are printed as flags
 * @wanted: one of its texts; the first number with it counts
 * @texts: receives the texts of all numbers, in quotes, if @wanted is none of them
 *
 * Returns false if there is none.
 */
bool print_format_find_value(struct text text, struct text field, enum print_texts kind,
			     struct text wanted, int64_t *out, struct buffer *texts);

/** print_format_is_symbol - whether the field is an address that is printed as a function's name */
static inline bool print_format_is_symbol(struct text text, struct text field)
{
	return print_format_find(text, field) == PRINT_CONVERSION_SYMBOL;
}

#endif
