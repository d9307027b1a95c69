/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How far a long operation is. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdint.h>

/**
 * struct byte_progress - counts the bytes that an operation has read or written
 * @advanced: called for each block of bytes; @done is at most @total, which is 0 if it is unknown
 * @done: bytes until now; data that is read again counts again
 */
struct byte_progress {
	void (*advanced)(void *context, uint64_t done, uint64_t total);
	void *context;
	uint64_t done;
};

/**
 * byte_progress_add - count @size bytes of @total, 0 if that is unknown
 *
 * A NULL @progress counts nothing. With @size 0, only the time has advanced.
 */
static inline void byte_progress_add(struct byte_progress *progress, uint64_t size, uint64_t total)
{
	if (!progress)
		return;
	progress->done += size;
	progress->advanced(progress->context,
			   progress->done < total || total == 0 ? progress->done : total, total);
}

#endif
