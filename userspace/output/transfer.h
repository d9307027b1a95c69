/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows how far an operation is, or what it waits for, if it takes longer than a second. */
#ifndef OUTPUT_TRANSFER_H
#define OUTPUT_TRANSFER_H

#include "base/base.h"

/**
 * struct transfer - an operation on a file or on buffers
 * @bytes: for the modules that read or write
 * @report: shows the line; NULL if progress is off
 * @object: begins the line
 * @nr_events: number of track events until now, NULL if none are counted
 * @begin_ns: of the operation
 * @shown_ns: when the line was shown last, 0 if it is not shown
 */
struct transfer {
	struct byte_progress bytes;
	const struct report *report;
	const char *object;
	const uint64_t *nr_events;
	int64_t begin_ns;
	int64_t shown_ns;
};

/**
 * transfer_begin - begin an operation
 * @report: without a terminal, nothing is shown
 *
 * Returns what counts the bytes, or NULL if progress is off.
 */
struct byte_progress *transfer_begin(struct transfer *transfer, const struct report *report,
				     const char *object, const uint64_t *nr_events);

/** transfer_note - show that bytes are no longer counted, if the line is shown */
void transfer_note(struct transfer *transfer, const char *doing);

/** transfer_wait - show what the operation waits for; called again and again while it waits */
void transfer_wait(struct transfer *transfer, const char *what);

/** transfer_end - remove the line; the operation may begin again */
void transfer_end(struct transfer *transfer);

#endif
