/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes trace.dat files of every layout from a description, for the tests of the source room. */
#ifndef UNIT_DAT_H
#define UNIT_DAT_H

#include "base/base.h"

/* Room for the largest sub-buffers that are written here. */
#define SHEET_SIZE 16384
#include "sheet.h"

#define DAT_BUFFERS 2
#define DAT_CPUS 2
#define DAT_SHEETS 3

/**
 * struct dat - what a file is to hold: two buffers of two CPUs with three sub-buffers each
 * @version: 6 or 7
 * @long_size: of the kernel that wrote
 * @compression: of version 7: "none", "zlib" or "zstd"
 * @nr_sheets_in_chunk: how many sub-buffers a compressed chunk holds
 * @date, @offset, @clock: texts of options, NULL where there is none
 * @statistics: texts of per_cpu/cpuN/stats and of headings; NULL behind the last
 * @writer: who wrote it, NULL for nobody
 * @has_trace_id: give it one
 * @multiplier, @shift: how stamps become nanoseconds, 0 where they are some
 * @sheets: [buffer][cpu][number]
 */
struct dat {
	int version;
	bool is_swapped;
	unsigned int long_size;
	const char *compression;
	size_t nr_sheets_in_chunk;
	size_t sub_buffer_size;
	const char *date;
	const char *offset;
	const char *clock;
	const char *const *statistics;
	const char *writer;
	bool has_trace_id;
	uint32_t multiplier;
	uint32_t shift;
	struct sheet sheets[DAT_BUFFERS][DAT_CPUS][DAT_SHEETS];
};

/** DAT_COMMS - what the file has of saved_cmdlines, and of threads' processes behind the NUL */
#define DAT_COMMS                                          \
	"7 seven\n300 three hundred\n12 <...>\n4 four\n\0" \
	"300 299\nodd\n12 5\n9 9\n7"

/** dat_small - a short file to begin with: version 7, not compressed */
extern const struct dat dat_small;

/**
 * dat_begin - fill the sheets with a few records each; one is behind a gap of five, all others are
 * whole
 */
void dat_begin(struct dat *dat);

/** dat_write - make a file of it */
void dat_write(struct buffer *out, const struct dat *dat);

/** dat_pack - compress as in the file: both sizes, packed and not, then the packed bytes */
void dat_pack(struct buffer *out, const struct dat *dat, const void *data, size_t size);

#endif
