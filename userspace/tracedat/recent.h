/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest sub-buffers of all CPUs, in memory of a limited size. When it is full, the oldest
 * sub-buffer of all CPUs is dropped, so that every CPU is complete from the same time on.
 */
#ifndef TRACEDAT_RECENT_H
#define TRACEDAT_RECENT_H

#include "base/base.h"
#include "tracefs/page.h"

/** RECENT_NONE - no slot */
#define RECENT_NONE UINT32_MAX

/**
 * struct recent_slot - a sub-buffer
 * @next: of the same CPU, or of the free ones
 * @size: of its bytes
 * @first_ns, @last_ns: times of its first and last record
 * @gap_count: records that were lost before it, if @has_gap; LOSS_COUNT_UNKNOWN
 * @is_closed: nothing can be appended
 */
struct recent_slot {
	uint32_t next;
	uint32_t size;
	uint32_t nr_records;
	bool has_gap;
	bool is_closed;
	int64_t first_ns;
	int64_t last_ns;
	int64_t gap_count;
};

/** struct recent_cpu - the sub-buffers of a CPU, the oldest first */
struct recent_cpu {
	int cpu;
	bool is_sideband;
	uint32_t first;
	uint32_t last;
};

/**
 * struct recent - the memory
 * @bytes: @nr_slots sub-buffers of @page_size bytes, used one after the other
 * @nr_used: slots that were used at least once
 * @free: the first of the slots that were dropped
 * @begin_ns: every record from this time on is kept
 * @end_ns: time of the newest record
 * @nr_records: kept records
 */
struct recent {
	unsigned char *bytes;
	struct recent_slot *slots;
	size_t page_size;
	uint32_t nr_slots;
	uint32_t nr_used;
	uint32_t free;
	struct recent_cpu *cpus;
	size_t nr_cpus;
	int64_t begin_ns;
	int64_t end_ns;
	uint64_t nr_records;
};

/** recent_init - empty; @size: of its memory in bytes; returns -1 with @error */
int recent_init(struct recent *recent, size_t size, struct error *error);

/**
 * recent_add - keep a sub-buffer
 * @size: as it was read; a number of lost records may be behind a full sub-buffer
 *
 * Returns 0, or -1 with @error.
 */
int recent_add(struct recent *recent, int cpu, bool is_sideband, const void *bytes, size_t size,
	       struct error *error);

/** recent_clear - drop everything; records before @now_ns are missing from now on */
void recent_clear(struct recent *recent, int64_t now_ns);

/**
 * struct recent_part - the records of a CPU between two times
 * @size: bytes of its sub-buffers, which are whole pages
 * @lost: records in gaps of known size
 * @has_unknown: there is a gap of unknown size
 */
struct recent_part {
	const struct recent *recent;
	const struct recent_cpu *cpu;
	int64_t from_ns;
	int64_t to_ns;
	uint64_t size;
	uint64_t nr_records;
	uint64_t lost;
	bool has_unknown;
};

/** recent_part_init - count the records of a CPU */
void recent_part_init(struct recent_part *part, const struct recent *recent,
		      const struct recent_cpu *cpu, int64_t from_ns, int64_t to_ns);

/** recent_part_write - write the sub-buffers, cut to both times; returns -1 with errno */
int recent_part_write(const struct recent_part *part, int fd);

void recent_release(struct recent *recent);

#endif
