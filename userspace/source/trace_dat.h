/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a trace.dat is made of, for those who read and who write one. All numbers are in the byte
 * order that the header names.
 */
#ifndef SOURCE_TRACE_DAT_H
#define SOURCE_TRACE_DAT_H

#include <stdint.h>

/**
 * TRACE_DAT_MAGIC - how a file begins; behind it stand the version as a string, a byte that is 1
 * for big-endian numbers, the size of userspace's longs, and that of a page as 4 bytes
 */
#define TRACE_DAT_MAGIC \
	"\x17\x08\x44"  \
	"tracing"

/** TRACE_DAT_HEADER_PAGE, TRACE_DAT_HEADER_EVENT - names of the texts that say how records lie */
#define TRACE_DAT_HEADER_PAGE "header_page"
#define TRACE_DAT_HEADER_EVENT "header_event"

/** TRACE_DAT_MARK_SIZE - of each mark of version 6, its NUL included */
#define TRACE_DAT_MARK_SIZE 10

/** TRACE_DAT_OPTIONS, TRACE_DAT_RECORDS, TRACE_DAT_LATENCY - marks between parts of version 6 */
#define TRACE_DAT_OPTIONS "options  "
#define TRACE_DAT_RECORDS "flyrecord"
#define TRACE_DAT_LATENCY "latency  "

/**
 * TRACE_DAT_DURABLE - the name of a last buffer whose records are no track's, but tell who threads
 * are
 */
#define TRACE_DAT_DURABLE "ktrack-durable"

/** enum trace_dat_option - numbers that the format has given to options, and to their sections */
enum trace_dat_option {
	TRACE_DAT_END = 0,
	TRACE_DAT_DATE = 1,
	TRACE_DAT_CPU_STATISTICS = 2,
	TRACE_DAT_BUFFER = 3,
	TRACE_DAT_CLOCK = 4,
	TRACE_DAT_UNAME = 5,
	TRACE_DAT_OFFSET = 7,
	TRACE_DAT_CPU_COUNT = 8,
	TRACE_DAT_WRITER = 9,
	TRACE_DAT_ID = 11,
	TRACE_DAT_TIME_SHIFT = 12,
	TRACE_DAT_TSC_TO_NS = 14,
	TRACE_DAT_HEADER_INFO = 16,
	TRACE_DAT_FTRACE_FORMATS = 17,
	TRACE_DAT_EVENT_FORMATS = 18,
	TRACE_DAT_COMMS = 21,
	/* Sections of these numbers may be in a file that no option names: texts, and later ones.
	 */
	TRACE_DAT_SECTION_MAX = 64,
};

#endif
