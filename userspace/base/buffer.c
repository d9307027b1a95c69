// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Growable bytes with a sticky failure. */
#include "base/buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Tables of digits, and numbers that are not short. */

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
const char put_blank_block[PUT_SLACK + 1] = "                                ";

char *put_large(char *out, uint64_t number)
{
	uint64_t high = number / 1000000000;

	if (number < 1000000000)
		return put_six(put_short(out, number / 1000000), number % 1000000);
	if (high < 1000000000)
		out = put_unsigned(out, high);
	else
		out = put_nine(put_short(out, high / 1000000000), high % 1000000000);
	return put_nine(out, number % 1000000000);
}

char *put_hex(char *out, uint64_t number)
{
	unsigned int nr_digits = number ? (64 - __builtin_clzll(number) + 3) / 4 : 1;

	out = PUT_LITERAL(out, "0x");
	for (unsigned int i = nr_digits; i-- > 0; number >>= 4)
		out[i] = "0123456789abcdef"[number & 0xf];
	return out + nr_digits;
}

/* Put @number / 10^@decimals with @decimals digits after the point, 1 to 9. */
static char *put_decimal(char *out, int64_t number, unsigned int decimals)
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

#define FIRST_CAPACITY 256
/* Most texts fit, so that they are formatted once. */
#define PRINT_CAPACITY 128

void buffer_release(struct buffer *buffer)
{
	int number = errno;

	free(buffer->data);
	errno = number;
	*buffer = (struct buffer){ 0 };
}

void buffer_seal(struct buffer *buffer)
{
	char *space = buffer_reserve(buffer, PUT_SLACK);

	if (space)
		memset(space, 0, PUT_SLACK);
}

void buffer_trim(struct buffer *buffer)
{
	size_t capacity = buffer->size + PUT_SLACK;
	char *data = buffer->failed ? NULL : realloc(buffer->data, capacity);

	if (!data)
		return;
	buffer->data = data;
	buffer->capacity = capacity;
}

static bool buffer_resize(struct buffer *buffer, size_t size)
{
	size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
	char *data;

	while (capacity - buffer->size <= size) {
		if (__builtin_mul_overflow(capacity, 2, &capacity))
			return false;
	}
	data = realloc(buffer->data, capacity);
	if (!data)
		return false;
	buffer->data = data;
	buffer->capacity = capacity;
	return true;
}

bool buffer_grow(struct buffer *buffer, size_t size)
{
	buffer->failed = !buffer_resize(buffer, size);
	return !buffer->failed;
}

/* Appends what a put function puts; @space is where. */
#define BUFFER_PUT(buffer, put)                                             \
	do {                                                                \
		char *space = buffer_reserve_put((buffer), PUT_NUMBER_MAX); \
                                                                            \
		if (space)                                                  \
			buffer_end_put((buffer), (put));                    \
	} while (0)

void buffer_append_unsigned(struct buffer *buffer, uint64_t number)
{
	BUFFER_PUT(buffer, put_unsigned(space, number));
}

void buffer_append_signed(struct buffer *buffer, int64_t number)
{
	BUFFER_PUT(buffer, put_signed(space, number));
}

void buffer_append_hex(struct buffer *buffer, uint64_t number)
{
	BUFFER_PUT(buffer, put_hex(space, number));
}

void buffer_append_decimal(struct buffer *buffer, int64_t number, unsigned int decimals)
{
	BUFFER_PUT(buffer, put_decimal(space, number, decimals));
}

void buffer_append_seconds(struct buffer *buffer, int64_t ns, unsigned int decimals)
{
	BUFFER_PUT(buffer, put_seconds(space, ns, decimals));
}

/* Returns the size of the whole text, of which up to @capacity - 1 bytes are written. */
static size_t buffer_try_printf(struct buffer *buffer, size_t capacity, const char *format,
				va_list arguments)
{
	char *space = buffer_reserve(buffer, capacity);
	int size = space ? vsnprintf(space, capacity, format, arguments) : 0;

	if (size < 0)
		buffer->failed = true;
	else if ((size_t)size < capacity)
		buffer->size += size;
	return size < 0 ? 0 : size;
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list arguments, again;
	size_t size;

	va_start(arguments, format);
	va_copy(again, arguments);
	size = buffer_try_printf(buffer, PRINT_CAPACITY, format, arguments);
	if (size >= PRINT_CAPACITY)
		buffer_try_printf(buffer, size + 1, format, again);
	va_end(again);
	va_end(arguments);
}

struct text buffer_text(const struct buffer *buffer)
{
	return (struct text){ .data = buffer->data, .size = buffer->size };
}

const char *buffer_string(struct buffer *buffer)
{
	if (buffer->failed || !buffer->data)
		return "";
	buffer->data[buffer->size] = '\0';
	return buffer->data;
}

void buffer_append_count(struct buffer *buffer, uint64_t count, const char *noun)
{
	buffer_printf(buffer, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

void buffer_append_grouped(struct buffer *buffer, uint64_t count)
{
	uint64_t unit = 1;

	while (count / unit >= 1000)
		unit *= 1000;
	buffer_printf(buffer, "%u", (unsigned int)(count / unit));
	while ((unit /= 1000) > 0)
		buffer_printf(buffer, ",%03u", (unsigned int)(count / unit % 1000));
}

void buffer_append_duration(struct buffer *buffer, int64_t ns)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 } };
	size_t i = 0;
	double number;

	while (i < 3 && ns < units[i].ns)
		i++;
	if (i == 3) {
		buffer_printf(buffer, "%lldns", (long long)ns);
		return;
	}
	number = (double)ns / (double)units[i].ns;
	buffer_printf(buffer, "%.*f%s", (number < 10) + (number < 100), number, units[i].unit);
}

#define PLAIN_CHARACTERS                                       \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"0123456789_-./:,=+@%"

void buffer_append_printable(struct buffer *buffer, struct text text)
{
	while (text.size > 0) {
		size_t size = utf8_sequence_size(text);

		if (size == 0 || utf8_is_control(utf8_value((struct text){ text.data, size })))
			buffer_append_char(buffer, '?');
		else
			buffer_append(buffer, text.data, size);
		text = text_from(text, size > 0 ? size : 1);
	}
}

void buffer_append_word(struct buffer *out, const char *word)
{
	if (*word && !word[strspn(word, PLAIN_CHARACTERS)]) {
		buffer_append_string(out, word);
		return;
	}
	buffer_append_char(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buffer_append_string(out, "'\\''");
		else
			buffer_append_char(out, *word);
	}
	buffer_append_char(out, '\'');
}
