// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Growable bytes whose failure sticks. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256
#define DIGITS_MAX 20

void buffer_release(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){ 0 };
}

void buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
	buffer->failed = false;
}

void buffer_trim(struct buffer *buffer)
{
	char *data = buffer->size > 0 ? realloc(buffer->data, buffer->size) : NULL;

	if (!data)
		return;
	buffer->data = data;
	buffer->capacity = buffer->size;
}

static bool buffer_grow(struct buffer *buffer, size_t size)
{
	size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
	char *data;

	while (capacity - buffer->size < size) {
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

char *buffer_reserve(struct buffer *buffer, size_t size)
{
	if (buffer->failed)
		return NULL;
	if (buffer->capacity - buffer->size < size && !buffer_grow(buffer, size)) {
		buffer->failed = true;
		return NULL;
	}
	return buffer->data + buffer->size;
}

void buffer_append(struct buffer *buffer, const void *data, size_t size)
{
	char *room = buffer_reserve(buffer, size);

	if (!room || size == 0)
		return;
	memcpy(room, data, size);
	buffer->size += size;
}

void buffer_append_string(struct buffer *buffer, const char *string)
{
	buffer_append(buffer, string, strlen(string));
}

void buffer_append_char(struct buffer *buffer, char byte)
{
	buffer_append(buffer, &byte, 1);
}

/* Writes the digits of @number so that they end at @end; returns where they begin. */
static char *digits_before(char *end, uint64_t number)
{
	do {
		*--end = '0' + number % 10;
		number /= 10;
	} while (number);
	return end;
}

void buffer_append_unsigned(struct buffer *buffer, uint64_t number)
{
	char digits[DIGITS_MAX];
	char *end = digits + sizeof(digits);
	char *begin = digits_before(end, number);

	buffer_append(buffer, begin, end - begin);
}

void buffer_append_signed(struct buffer *buffer, int64_t number)
{
	if (number < 0)
		buffer_append_char(buffer, '-');
	buffer_append_unsigned(buffer, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void buffer_append_decimal(struct buffer *buffer, int64_t number, unsigned int decimals)
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char text[DIGITS_MAX + 2];
	char *end = text + sizeof(text);
	char *begin = end;

	for (unsigned int i = 0; i < decimals; i++) {
		*--begin = '0' + rest % 10;
		rest /= 10;
	}
	*--begin = '.';
	begin = digits_before(begin, rest);
	if (number < 0)
		*--begin = '-';
	buffer_append(buffer, begin, end - begin);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list arguments, again;
	char *room;
	int size;

	va_start(arguments, format);
	va_copy(again, arguments);
	size = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (size < 0)
		buffer->failed = true;
	room = buffer_reserve(buffer, (size_t)size + 1);
	if (room) {
		vsnprintf(room, (size_t)size + 1, format, again);
		buffer->size += size;
	}
	va_end(again);
}

struct text buffer_text(const struct buffer *buffer)
{
	return (struct text){ .data = buffer->data, .size = buffer->size };
}

const char *buffer_string(struct buffer *buffer)
{
	char *room = buffer_reserve(buffer, 1);

	if (!room)
		return "";
	*room = '\0';
	return buffer->data;
}
