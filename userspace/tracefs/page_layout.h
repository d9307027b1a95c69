/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of a sub-buffer's layout, for the walk through it and for changes of it. */
#ifndef TRACEFS_PAGE_LAYOUT_H
#define TRACEFS_PAGE_LAYOUT_H

#include "tracefs/page.h"

#define TIMESTAMP_SIZE 8
#define SHORT_LONG_SIZE 4
#define LONG_SIZE 8

/*
 * The committed size's upper bits: records are missing before this sub-buffer; and their number
 * stands behind the data.
 */
#define MISSED_EVENTS (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(1) << 30)
#define COMMIT_MASK (MISSED_STORED - 1)
/* An absolute timestamp has 59 bits; the rest is that of the time before. */
#define TIMESTAMP_MASK ((UINT64_C(1) << 59) - 1)

enum entry_type {
	ENTRY_LONG_RECORD = 0,
	ENTRY_PADDING = 29,
	ENTRY_TIME_EXTEND = 30,
	ENTRY_TIMESTAMP = 31,
};

#endif
