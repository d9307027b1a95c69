/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of print formats, and what their operators do as in C with 64 bits. */
#ifndef EVENT_SYMBOL_NUMBER_H
#define EVENT_SYMBOL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/** struct symbol_number - a number of 64 bits; @is_unsigned decides how it is compared and shifted
 */
struct symbol_number {
	uint64_t bits;
	bool is_unsigned;
};

enum symbol_unary {
	SYMBOL_INVERT,
	SYMBOL_NOT,
	SYMBOL_NEGATE,
	SYMBOL_UNARY_COUNT
};

enum symbol_binary {
	SYMBOL_AND,
	SYMBOL_OR,
	SYMBOL_XOR,
	SYMBOL_SHIFT_LEFT,
	SYMBOL_SHIFT_RIGHT,
	SYMBOL_ADD,
	SYMBOL_SUBTRACT,
	SYMBOL_EQUAL,
	SYMBOL_DIFFERENT,
	SYMBOL_LESS,
	SYMBOL_LESS_EQUAL,
	SYMBOL_GREATER,
	SYMBOL_GREATER_EQUAL,
	SYMBOL_BOTH,
	SYMBOL_EITHER,
	SYMBOL_BINARY_COUNT
};

/** symbol_number_unary - an operator with one operand */
struct symbol_number symbol_number_unary(enum symbol_unary op, struct symbol_number a);

/** symbol_number_binary - an operator with two operands; shifting by 64 and more gives 0 */
struct symbol_number symbol_number_binary(enum symbol_binary op, struct symbol_number a,
					  struct symbol_number b);

/** symbol_number_cast - convert to an integer type of @size bytes: 1, 2, 4 or 8 */
struct symbol_number symbol_number_cast(unsigned int size, bool is_signed, struct symbol_number a);

#endif
