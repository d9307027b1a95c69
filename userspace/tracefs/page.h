/* SPDX-License-Identifier: GPL-2.0-only */
/* One sub-buffer of the kernel's ring buffer, walked record by record. */
#ifndef TRACEFS_PAGE_H
#define TRACEFS_PAGE_H

#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

#include "event/event.h"

/**
 * struct page_layout - how the kernel that wrote lays out its numbers; zeroed where it is this
 * machine's, with 8-byte longs
 */
struct page_layout {
	bool is_swapped;      /* in the other byte order */
	bool has_short_longs; /* its longs have 4 bytes */
};

/** struct page - a cursor in a sub-buffer */
struct page {
	struct page_layout layout; /* how to read it */
	const unsigned char *data; /* first byte behind the header; borrowed */
	size_t size;		   /* how many bytes the writer committed */
	/* entries before this can be taken by page_take_short(); 0 where none can */
	size_t short_end;
	size_t offset;	   /* of the next entry */
	int64_t time_ns;   /* of the last entry */
	bool has_gap;	   /* records were lost before this sub-buffer's first one */
	int64_t gap_count; /* how many, or LOSS_COUNT_UNKNOWN */
	bool is_damaged;   /* an entry did not fit; the walk has ended there */
};

/**
 * page_load - put the cursor before the first record of a sub-buffer
 * @layout: of @bytes
 * @bytes: a whole sub-buffer as trace_pipe_raw gives it
 *
 * Sizes that the header claims beyond @size are cut; nothing outside @bytes is read, here or by
 * page_next().
 */
void page_load(struct page *page, struct page_layout layout, const void *bytes, size_t size);

/** PAGE_HEADER_SIZE - size of the header of this machine's sub-buffers: time and committed size */
#define PAGE_HEADER_SIZE 16
/** PAGE_COUNT_SIZE - how much space page_store_count() may need behind a sub-buffer */
#define PAGE_COUNT_SIZE 8

/**
 * page_store_count - add the number of records that were lost before a sub-buffer, where the kernel
 * had no space for it
 * @bytes: of this machine, and @page has just been loaded with it; PAGE_COUNT_SIZE bytes more than
 * there are of it can be written to
 *
 * Returns the size with that.
 */
size_t page_store_count(const struct page *page, void *bytes, uint64_t count);

/**
 * page_join - append the entries of another sub-buffer of the same CPU
 * @bytes: the sub-buffer of this machine that @page has walked to its end; there is no count of
 * lost records behind its data
 * @more: loaded, and not walked yet
 * @size_max: space at @bytes
 *
 * Returns the new size; 0 if they do not fit, or are older, and nothing changed.
 */
size_t page_join(void *bytes, const struct page *page, const struct page *more, size_t size_max);

/**
 * page_cut - drop the records before @from_ns and those after @to_ns
 * @bytes: a sub-buffer of this machine; if its first records are dropped, so is the gap before them
 *
 * Returns the number of records that are left.
 */
size_t page_cut(void *bytes, size_t size, int64_t from_ns, int64_t to_ns);

/** page_forget_count - drop the number of records lost before a sub-buffer, not the gap */
void page_forget_count(void *bytes);

/** struct page_builder - a sub-buffer of any machine that is filled with records */
struct page_builder {
	struct page_layout layout;
	unsigned char *bytes; /* @size bytes, allocated by the first record, for free(3) */
	size_t size;
	size_t used;	 /* bytes of them, with the header; 0 before the first record */
	int64_t last_ns; /* time of the last record */
	/* records were lost before the first one; @gap_count of them, or LOSS_COUNT_UNKNOWN */
	bool has_gap;
	int64_t gap_count;
};

/** page_builder_begin - begin a sub-buffer at a time; returns -1 if memory ran out */
int page_builder_begin(struct page_builder *builder, int64_t time_ns);
/** page_builder_add - append a record of any time; returns false if it does not fit */
bool page_builder_add(struct page_builder *builder, const struct record *record);
/** page_builder_end - complete the sub-buffer, with zeros behind the records; none is begun then */
void page_builder_end(struct page_builder *builder);
/** page_mark_gap - uncounted records are missing before a sub-buffer of this machine */
void page_mark_gap(void *bytes);

/** PAGE_DELTA_BITS, PAGE_TYPE_BITS - parts of an entry's head: time, and type or length in words */
#define PAGE_DELTA_BITS 27
#define PAGE_TYPE_BITS 5
/** PAGE_LENGTH_MAX - types from 1 to this are lengths */
#define PAGE_LENGTH_MAX 28
/** PAGE_AHEAD - bytes to prefetch ahead of a record; they may be in a file's next sub-buffer */
#define PAGE_AHEAD 1024
/** PAGE_SHORT_MAX - maximum size of an entry whose type is its length */
#define PAGE_SHORT_MAX (4 + 4 * PAGE_LENGTH_MAX)

/*
 * What most entries are: a record of at most 112 bytes, in this machine's order, which ends within
 * the sub-buffer and is far from any limit of time wherever it begins before @short_end. Says
 * false, and moves nothing, where the next entry is anything else.
 */
hot_inline bool page_take_short(struct page *page, struct record *record)
{
	const unsigned char *entry = page->data + page->offset;
	unsigned int type, delta;
	uint32_t head;

	if (page->offset >= page->short_end)
		return false;
	memcpy(&head, entry, sizeof(head));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	type = head >> PAGE_DELTA_BITS;
	delta = head & ((1U << PAGE_DELTA_BITS) - 1);
#else
	type = head & ((1U << PAGE_TYPE_BITS) - 1);
	delta = head >> PAGE_TYPE_BITS;
#endif
	if (type - 1 >= PAGE_LENGTH_MAX)
		return false;
	__builtin_prefetch(entry + PAGE_AHEAD);
	page->time_ns += delta;
	page->offset += sizeof(head) + type * 4;
	record->time_ns = page->time_ns;
	record->data = entry + sizeof(head);
	record->size = type * 4;
	return true;
}

/** page_search - page_next() over entries of any type */
bool page_search(struct page *page, struct record *record);

/**
 * page_next - step to the next record
 * @record: time, data and size are set; data points into the sub-buffer
 *
 * Returns false at the end. A record whose time is not below RECORD_TIME_LIMIT is damage.
 */
hot_inline bool page_next(struct page *page, struct record *record)
{
	return page_take_short(page, record) || page_search(page, record);
}

#include "tracefs/stream.h"

#endif
