// SPDX-License-Identifier: GPL-2.0-only
/* Operators of print formats. */
#include "event/symbol_number.h"

static struct symbol_number symbol_number_of_bool(bool value)
{
	return (struct symbol_number){ .bits = value };
}

struct symbol_number symbol_number_unary(enum symbol_unary op, struct symbol_number a)
{
	if (op == SYMBOL_NOT)
		return symbol_number_of_bool(!a.bits);
	a.bits = op == SYMBOL_INVERT ? ~a.bits : -a.bits;
	return a;
}

static bool symbol_number_less(struct symbol_number a, struct symbol_number b)
{
	if (a.is_unsigned || b.is_unsigned)
		return a.bits < b.bits;
	return (int64_t)a.bits < (int64_t)b.bits;
}

static bool symbol_number_compare(enum symbol_binary op, struct symbol_number a,
				  struct symbol_number b)
{
	switch (op) {
	case SYMBOL_EQUAL:
		return a.bits == b.bits;
	case SYMBOL_DIFFERENT:
		return a.bits != b.bits;
	case SYMBOL_LESS:
		return symbol_number_less(a, b);
	case SYMBOL_LESS_EQUAL:
		return !symbol_number_less(b, a);
	case SYMBOL_GREATER:
		return symbol_number_less(b, a);
	case SYMBOL_GREATER_EQUAL:
		return !symbol_number_less(a, b);
	case SYMBOL_BOTH:
		return a.bits && b.bits;
	default:
		return a.bits || b.bits;
	}
}

static uint64_t symbol_number_shift(enum symbol_binary op, struct symbol_number a, uint64_t count)
{
	if (count >= 64)
		return 0;
	if (op == SYMBOL_SHIFT_LEFT)
		return a.bits << count;
	return a.is_unsigned ? a.bits >> count : (uint64_t)((int64_t)a.bits >> count);
}

struct symbol_number symbol_number_binary(enum symbol_binary op, struct symbol_number a,
					  struct symbol_number b)
{
	struct symbol_number out = { .is_unsigned = a.is_unsigned || b.is_unsigned };

	switch (op) {
	case SYMBOL_AND:
		out.bits = a.bits & b.bits;
		return out;
	case SYMBOL_OR:
		out.bits = a.bits | b.bits;
		return out;
	case SYMBOL_XOR:
		out.bits = a.bits ^ b.bits;
		return out;
	case SYMBOL_ADD:
		out.bits = a.bits + b.bits;
		return out;
	case SYMBOL_SUBTRACT:
		out.bits = a.bits - b.bits;
		return out;
	case SYMBOL_SHIFT_LEFT:
	case SYMBOL_SHIFT_RIGHT:
		a.bits = symbol_number_shift(op, a, b.bits);
		return a;
	default:
		return symbol_number_of_bool(symbol_number_compare(op, a, b));
	}
}

/* Unsigned types of fewer than 64 bits fit into signed 64 bits. */
struct symbol_number symbol_number_cast(unsigned int size, bool is_signed, struct symbol_number a)
{
	unsigned int shift = 64 - 8 * size;
	uint64_t bits = a.bits << shift;

	if (is_signed)
		return (struct symbol_number){ .bits = (uint64_t)((int64_t)bits >> shift) };
	return (struct symbol_number){ .bits = bits >> shift, .is_unsigned = size == 8 };
}
