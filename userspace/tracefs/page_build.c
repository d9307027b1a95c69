// SPDX-License-Identifier: GPL-2.0-only
/* Fills sub-buffers of any machine with records, as page.c describes them. */
#include <stdlib.h>
#include <string.h>

#include "tracefs/page_layout.h"

/* Heads of an entry: of a record, of a long one, and of the time before it. */
#define HEAD_SIZE 4
#define LONG_HEAD_SIZE 8
#define TIME_SIZE 8

static void layout_store_u32(struct page_layout layout, unsigned char *out, uint32_t number)
{
	if (layout.is_swapped)
		number = __builtin_bswap32(number);
	memcpy(out, &number, sizeof(number));
}

static void layout_store_u64(struct page_layout layout, unsigned char *out, uint64_t number)
{
	if (layout.is_swapped)
		number = __builtin_bswap64(number);
	memcpy(out, &number, sizeof(number));
}

static void layout_store_long(struct page_layout layout, unsigned char *out, uint64_t number)
{
	if (layout.has_short_longs)
		layout_store_u32(layout, out, number);
	else
		layout_store_u64(layout, out, number);
}

static size_t layout_header_size(struct page_layout layout)
{
	return TIMESTAMP_SIZE + (layout.has_short_longs ? SHORT_LONG_SIZE : LONG_SIZE);
}

/* Big-endian machines put the first part of a bit-field into the upper bits. */
static void entry_head_store(struct page_layout layout, unsigned char *out, unsigned int type,
			     uint32_t delta)
{
	bool is_big = layout.is_swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	layout_store_u32(layout, out,
			 is_big ? type << PAGE_DELTA_BITS | delta : delta << PAGE_TYPE_BITS | type);
}

int page_builder_begin(struct page_builder *builder, int64_t time_ns)
{
	if (!builder->bytes)
		builder->bytes = malloc(builder->size);
	if (!builder->bytes)
		return -1;
	layout_store_u64(builder->layout, builder->bytes, time_ns);
	builder->used = layout_header_size(builder->layout);
	builder->last_ns = time_ns;
	return 0;
}

/* The time before an entry; a record that is older than the one before it has an absolute one. */
static unsigned char *entry_time_put(const struct page_builder *builder, unsigned char *out,
				     int64_t time_ns)
{
	bool is_late = time_ns < builder->last_ns;
	uint64_t time = is_late ? (uint64_t)time_ns & TIMESTAMP_MASK
				: (uint64_t)time_ns - (uint64_t)builder->last_ns;

	entry_head_store(builder->layout, out, is_late ? ENTRY_TIMESTAMP : ENTRY_TIME_EXTEND,
			 time & ((1U << PAGE_DELTA_BITS) - 1));
	layout_store_u32(builder->layout, out + HEAD_SIZE, time >> PAGE_DELTA_BITS);
	return out + TIME_SIZE;
}

bool page_builder_add(struct page_builder *builder, const struct record *record)
{
	size_t size = record->size, padded = (size + 3) & ~(size_t)3;
	bool is_short = size > 0 && size == padded && size / 4 <= PAGE_LENGTH_MAX;
	uint64_t delta = (uint64_t)record->time_ns - (uint64_t)builder->last_ns;
	size_t time_size = delta >> PAGE_DELTA_BITS ? TIME_SIZE : 0;
	size_t head_size = is_short ? HEAD_SIZE : LONG_HEAD_SIZE;
	unsigned char *out = builder->bytes + builder->used;

	/* The number of lost records may follow the last one. */
	if (builder->used + time_size + head_size + padded + LONG_SIZE > builder->size)
		return false;
	if (time_size > 0)
		out = entry_time_put(builder, out, record->time_ns);
	if (time_size > 0)
		delta = 0;
	entry_head_store(builder->layout, out, is_short ? size / 4 : ENTRY_LONG_RECORD, delta);
	if (!is_short)
		layout_store_u32(builder->layout, out + HEAD_SIZE, size + HEAD_SIZE);
	memcpy(out + head_size, record->data, size);
	memset(out + head_size + size, 0, padded - size);
	builder->used += time_size + head_size + padded;
	builder->last_ns = record->time_ns;
	return true;
}

void page_builder_end(struct page_builder *builder)
{
	uint64_t commit = builder->used - layout_header_size(builder->layout);

	memset(builder->bytes + builder->used, 0, builder->size - builder->used);
	if (builder->has_gap)
		commit |= MISSED_EVENTS;
	if (builder->has_gap && builder->gap_count >= 0) {
		commit |= MISSED_STORED;
		layout_store_long(builder->layout, builder->bytes + builder->used,
				  builder->gap_count);
	}
	layout_store_long(builder->layout, builder->bytes + TIMESTAMP_SIZE, commit);
	builder->used = 0;
}
