/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checksums behind the last section of a recording that ktrack wrote. Programs that do not read
 * them ignore them, because no section refers to these bytes:
 *
 *   table    a checksum (64 bits) of each page of the file, from its first byte to the last record;
 *            the last page may be shorter
 *   trailer  struct checksums_trailer, the last bytes of the file
 *
 * Numbers are in the byte order of the machine that wrote them. The writer's option has the word
 * TRACE_DAT_CHECKSUMS, so that missing checksums are damage. The trailer is found without the rest
 * of the file, so that it verifies also the option, the header and everything else before the
 * records.
 */
#ifndef TRACEDAT_CHECKSUMS_H
#define TRACEDAT_CHECKSUMS_H

#include "base/base.h"
#include "tracedat/input.h"

/** CHECKSUMS_MAGIC - first bytes of a trailer */
#define CHECKSUMS_MAGIC "ktrack checksums"

#define CHECKSUMS_MAGIC_SIZE 16

/** CHECKSUMS_VERSION - of table and trailer; also shows their byte order */
#define CHECKSUMS_VERSION 1

/** CHECKSUMS_BLOCK_SIZE - the checksum of the table is a chain over blocks of this size */
#define CHECKSUMS_BLOCK_SIZE 65536

/**
 * struct checksums_trailer - end of a file with checksums
 * @covered: bytes that have checksums; the table follows them
 * @head_size: bytes before the first record
 * @table: checksum of the table
 * @own: checksum of the trailer up to here
 */
struct checksums_trailer {
	char magic[CHECKSUMS_MAGIC_SIZE];
	uint32_t version;
	uint32_t page_size;
	uint64_t covered;
	uint64_t head_size;
	uint64_t table;
	uint64_t own;
};

/**
 * struct checksums_writer - checksums of a file that is being written
 * @fd: also open for reading
 * @covered: bytes with a checksum
 * @table: of checksums
 */
struct checksums_writer {
	int fd;
	size_t page_size;
	uint64_t covered;
	struct buffer table;
};

/** checksums_add - the file has its first @end bytes now; returns -1 with errno */
int checksums_add(struct checksums_writer *writer, uint64_t end);

/** checksums_finish - append table and trailer behind @end bytes; returns -1 with errno */
int checksums_finish(struct checksums_writer *writer, uint64_t head_size, uint64_t end);

/** enum checksums_state - result of checksums_open() */
enum checksums_state {
	CHECKSUMS_ABSENT,
	CHECKSUMS_DAMAGED,
	CHECKSUMS_NEWER,
	CHECKSUMS_PRESENT,
};

/**
 * struct checksums - checksums of a file that is being read
 * @page_size: 0 without checksums
 * @covered, @head_size: as in the trailer
 */
struct checksums {
	bool is_swapped;
	size_t page_size;
	uint64_t covered;
	uint64_t head_size;
};

/** checksums_open - find and verify the table */
enum checksums_state checksums_open(struct checksums *checksums, const struct input *input);

/** CHECKSUMS_AHEAD - bytes of the table to read at once: for 1 MiB of records */
#define CHECKSUMS_AHEAD 2048

/**
 * checksums_match - verify bytes of the file
 * @table: a window that reads CHECKSUMS_AHEAD bytes at once
 *
 * Pages that the bytes contain only in part, and all pages of a file without checksums, match.
 */
bool checksums_match(const struct checksums *checksums, struct window *table, uint64_t offset,
		     const unsigned char *bytes, size_t size);

#endif
