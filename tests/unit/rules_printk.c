// SPDX-License-Identifier: GPL-2.0-only
/* Tests of texts of trace_printk(): recordings of other byte orders and sizes, and hostile formats
 * and values. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/random.h"
#include "fixtures/tap.h"
#include "rules/naming.h"

static const struct naming_names no_names;

static void check_print(const char *format, const void *bytes, size_t size, size_t pointer_size,
			bool is_big_endian, const char *want)
{
	const struct printk_values values = { .bytes = { bytes, size },
					      .pointer_size = pointer_size,
					      .is_big_endian = is_big_endian };
	SCOPED_BUFFER(found);

	printk_append(&found, text_of(format), &values, &no_names);
	if (!CHECK_TEXT(buffer_string(&found), want))
		CHECK_TEXT(format, "");
}

#define CHECK_PRINT(format, bytes, pointer_size, is_big_endian, want) \
	check_print(format, bytes, sizeof(bytes) - 1, pointer_size, is_big_endian, want)

TEST(values_have_the_order_and_sizes_of_their_kernel)
{
	CHECK_PRINT("%d %d", "\1\0\0\0\2\0\0\0", 8, false, "1 2");
	CHECK_PRINT("%d %d", "\0\0\0\1\0\0\0\2", 8, true, "1 2");
	CHECK_PRINT("%hd|%c", "\0\1A", 8, true, "1|A");
	CHECK_PRINT("%ld %d", "\1\0\0\0\2\0\0\0", 4, false, "1 2");
	CHECK_PRINT("%ld %d", "\1\0\0\0\0\0\0\0\2\0\0\0", 8, false, "1 2");
	CHECK_PRINT("%lld", "\0\0\0\0\0\0\0\5", 4, true, "5");
	CHECK_PRINT("%px %zu", "\0\0\0\20\0\0\0\7", 4, true, "0x10 7");
	/* Eight bytes are at multiples of four; a string may end anywhere. */
	CHECK_PRINT("%s%llu", "a\0xx\7\0\0\0\0\0\0\0", 8, false, "a7");
	CHECK_PRINT("%s%hhu%hu", "a\0\3x\7\0", 8, false, "a37");
}

TEST(numbers_are_padded_as_by_printf)
{
	CHECK_PRINT("%5d|%-5d|%05d|%+d|% d", "\1\0\0\0\2\0\0\0\375\377\377\377\4\0\0\0\5\0\0\0", 8,
		    false, "    1|2    |-0003|+4| 5");
	CHECK_PRINT("%.3d|%6.3d|%06.3d", "\1\0\0\0\2\0\0\0\3\0\0\0", 8, false, "001|   002|   003");
	CHECK_PRINT("%#x %#o %X", "\377\0\0\0\10\0\0\0\253\0\0\0", 8, false, "0xff 010 AB");
	CHECK_PRINT("%*d|%-*d|%.*s", "\3\0\0\0\1\0\0\0\375\377\377\377\2\0\0\0\1\0\0\0xyz", 8,
		    false, "  1|2  |%.*s");
	CHECK_PRINT("%.*s", "\1\0\0\0xyz\0", 8, false, "x");
	CHECK_PRINT("%lld", "\0\0\0\0\0\0\0\200", 8, false, "-9223372036854775808");
}

TEST(what_is_missing_or_unknown_stays_as_it_is)
{
	CHECK_PRINT("%d and %d%%", "\1\0\0\0\2\0\0", 8, false, "1 and %d%%");
	CHECK_PRINT("%n%d", "\1\0\0\0", 8, false, "%n%d");
	CHECK_PRINT("%", "", 8, false, "%");
	CHECK_PRINT("%-08.3l", "", 8, false, "%-08.3l");
	CHECK_PRINT("%s", "ab", 8, false, "%s");
	CHECK_PRINT("%pM", "\1\0\0\0\0\0\0\0", 8, false, "0x1");
	CHECK_PRINT("%pM|", "00:01\0", 8, false, "00:01|");
}

TEST(random_formats_and_values_stay_within_their_bytes)
{
	static const char letters[] = "%%%%-+ #0123456789.*hlLztjcspdiuoxXn%MUSsfFBe";

	struct random random = { 1 };

	for (int i = 0; i < 20000; i++) {
		size_t format_size = random_below(&random, 24), size = random_below(&random, 40);
		char *format = malloc(format_size + 1), *bytes = malloc(size + 1);
		const struct printk_values values = { .bytes = { bytes, size },
						      .pointer_size = random_below(&random, 2) ? 4
											       : 8,
						      .is_big_endian = random_below(&random, 2) };
		struct buffer found = { 0 };

		for (size_t j = 0; j < format_size; j++)
			format[j] = letters[random_below(&random, sizeof(letters) - 1)];
		for (size_t j = 0; j < size; j++)
			bytes[j] = random_below(&random, 3) ? (char)random_below(&random, 256) : 0;
		/* Exactly as large as they are, for the address sanitizer. */
		format = realloc(format, format_size ? format_size : 1);
		printk_append(&found, (struct text){ format, format_size }, &values, &no_names);
		CHECK(!found.failed && found.size < 4 * NAMING_SIZE_MAX);
		buffer_release(&found);
		free(format);
		free(bytes);
	}
}
