// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Tables of digits, and numbers that are not short. */
#include "base/put.h"

#define TEN(before)                                                                         \
	before "0", before "1", before "2", before "3", before "4", before "5", before "6", \
		before "7", before "8", before "9"
#define HUNDRED(before)                                                                      \
	TEN(before "0"), TEN(before "1"), TEN(before "2"), TEN(before "3"), TEN(before "4"), \
		TEN(before "5"), TEN(before "6"), TEN(before "7"), TEN(before "8"),          \
		TEN(before "9")

const char put_triples[1000][4] = {
	HUNDRED("0"), HUNDRED("1"), HUNDRED("2"), HUNDRED("3"), HUNDRED("4"),
	HUNDRED("5"), HUNDRED("6"), HUNDRED("7"), HUNDRED("8"), HUNDRED("9"),
};

_Static_assert(PUT_SLACK == 32, "as many blanks");
const char put_blank_block[PUT_SLACK] __attribute__((nonstring)) =
	"                                ";

char *put_large(char *out, uint64_t number)
{
	if (number < 1000000000)
		return put_six(put_unsigned(out, number / 1000000), number % 1000000);
	return put_nine(put_unsigned(out, number / 1000000000), number % 1000000000);
}

char *put_hex(char *out, uint64_t number)
{
	unsigned int nr_digits = number ? (64 - __builtin_clzll(number) + 3) / 4 : 1;

	out = PUT_LITERAL(out, "0x");
	for (unsigned int i = nr_digits; i-- > 0; number >>= 4)
		out[i] = "0123456789abcdef"[number & 0xf];
	return out + nr_digits;
}

char *put_decimal(char *out, int64_t number, unsigned int decimals)
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	uint64_t unit = 1;

	for (unsigned int i = 0; i < decimals; i++)
		unit *= 10;
	if (number < 0)
		out = put_char(out, '-');
	out = put_char(put_unsigned(out, rest / unit), '.');
	put_nine(out, rest % unit * (1000000000 / unit));
	return out + decimals;
}

char *put_long_seconds(char *out, int64_t ns, unsigned int decimals)
{
	return decimals == 9 ? put_decimal(out, ns, 9) : put_decimal(out, ns / 1000, 6);
}
