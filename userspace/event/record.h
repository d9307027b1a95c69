/* SPDX-License-Identifier: GPL-2.0-only */
/* Input of the pipeline: records, losses, and the identity of threads. */
#ifndef EVENT_RECORD_H
#define EVENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/** RECORD_TIME_LIMIT - limit of a record's time in ns, 146 years: sums of two do not overflow */
#define RECORD_TIME_LIMIT (INT64_C(1) << 62)

struct constants;

/** struct record - one record as the kernel wrote it */
struct record {
	int64_t time_ns;     /* trace time */
	int cpu;	     /* the CPU whose ring buffer contained it */
	unsigned int buffer; /* index into the source's list of buffers, 0 if it has only one */
	/* the bytes, common fields first, laid out by the record's format; borrowed, unaligned */
	const unsigned char *data;
	size_t size; /* number of bytes at @data; hostile content must not cause reads beyond it */
	/* the kernel's strings that the record points to, NULL if unknown */
	struct constants *constants;
};

/** struct record_copy - a record that outlives the sub-buffer that contained it */
struct record_copy {
	size_t users;	      /* it is freed with the last one */
	uint64_t number;      /* in the order of the records */
	size_t *all_size;     /* of all copies, to which it belongs */
	struct record record; /* its data are @bytes */
	unsigned char bytes[];
};

/** record_copy_put - one user less; NULL is fine */
static inline void record_copy_put(struct record_copy *copy)
{
	if (copy && --copy->users == 0) {
		*copy->all_size -= sizeof(*copy) + copy->record.size;
		free(copy);
	}
}

/** record_id - read the id of a record's event (common_type); false if it is too short */
hot_inline bool record_id(const struct record *record, bool is_swapped, uint16_t *id)
{
	if (record->size < sizeof(*id))
		return false;
	memcpy(id, record->data, sizeof(*id));
	if (unlikely(is_swapped))
		*id = __builtin_bswap16(*id);
	return true;
}

/** LOSS_COUNT_UNKNOWN - number of lost records if the kernel does not know it */
#define LOSS_COUNT_UNKNOWN (-1)

/**
 * struct loss - records of one CPU that were overwritten or dropped before they were read
 * @is_sum: no interval, but the total of all losses of unknown count on that CPU, from the kernel's
 * statistics
 */
struct loss {
	int cpu;
	unsigned int buffer; /* as in struct record */
	int64_t from_ns;     /* all lost records are younger than this */
	int64_t to_ns;	     /* and older than this */
	int64_t count;	     /* number of records, or LOSS_COUNT_UNKNOWN */
	bool is_sum;
};

/** THREAD_COMM_SIZE - size of a thread's name, with its NUL */
#define THREAD_COMM_SIZE 64

/** struct thread_identity - process and name of a thread */
struct thread_identity {
	int tgid;		     /* its process, 0 if unknown */
	char comm[THREAD_COMM_SIZE]; /* its name, "" if unknown */
};

#endif
