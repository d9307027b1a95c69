/* SPDX-License-Identifier: GPL-2.0-only */
/* Inputs of targets that read records: a format, then after a NUL records, each behind a byte that is its size. */
#ifndef FUZZ_RECORDS_H
#define FUZZ_RECORDS_H

#include <stdlib.h>
#include <string.h>

#include "event/event.h"

static inline struct text records_take_format(const uint8_t *data, size_t size, struct text *records)
{
	const char *text = (const char *)data;
	size_t format_size = strnlen(text, size);
	size_t rest = size > format_size ? size - format_size - 1 : 0;

	*records = (struct text){ .data = text + size - rest, .size = rest };
	return (struct text){ .data = text, .size = format_size };
}

/* A record's bytes are in a block of their own, so that nothing behind them is read unnoticed. */
static inline void record_copy_read(const uint8_t *data, size_t size,
				    void (*read)(void *context, const struct record *record),
				    void *context)
{
	unsigned char *bytes = malloc(size ? size : 1);

	memcpy(bytes, data, size);
	read(context, &(struct record){ .data = bytes, .size = size });
	free(bytes);
}

static inline void records_read(struct text records,
				void (*read)(void *context, const struct record *record),
				void *context)
{
	const uint8_t *data = (const uint8_t *)records.data;
	size_t size = records.size;

	while (size > 0) {
		size_t record_size = data[0] < size - 1 ? data[0] : size - 1;

		record_copy_read(data + 1, record_size, read, context);
		data += 1 + record_size;
		size -= 1 + record_size;
	}
}

#endif
