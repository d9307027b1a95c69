/* SPDX-License-Identifier: GPL-2.0-only */
/* Layout of a trace.dat, for reader and writer. The header states the byte order of all numbers. */
#ifndef TRACEDAT_LAYOUT_H
#define TRACEDAT_LAYOUT_H

#include <stdint.h>

/**
 * TRACE_DAT_MAGIC - first bytes of a file; then come the version as a string, a byte that is 1 for
 * big-endian numbers, the size of userspace's longs in a byte, and that of a page in 4 bytes
 */
#define TRACE_DAT_MAGIC \
	"\x17\x08\x44"  \
	"tracing"

/** TRACE_DAT_VERSION_6, TRACE_DAT_VERSION_7 - versions of the format */
#define TRACE_DAT_VERSION_6 "6"
#define TRACE_DAT_VERSION_7 "7"

/** TRACE_DAT_HEADER_PAGE, TRACE_DAT_HEADER_EVENT - names of the texts with the records' layout */
#define TRACE_DAT_HEADER_PAGE "header_page"
#define TRACE_DAT_HEADER_EVENT "header_event"

/** TRACE_DAT_MARK_SIZE - size of each mark of version 6, with its NUL */
#define TRACE_DAT_MARK_SIZE 10

/** TRACE_DAT_OPTIONS, TRACE_DAT_RECORDS, TRACE_DAT_LATENCY - marks of version 6 */
#define TRACE_DAT_OPTIONS "options  "
#define TRACE_DAT_RECORDS "flyrecord"
#define TRACE_DAT_LATENCY "latency  "

/** TRACE_DAT_KTRACK - begin of the writer's name in ktrack's files; its version follows */
#define TRACE_DAT_KTRACK "ktrack "

/** TRACE_DAT_THREAD - behind that version, the writer's thread; its number follows */
#define TRACE_DAT_THREAD " thread "

/** TRACE_DAT_WORKLOAD - behind that number, the threads that were selected; "1,2,3" follows */
#define TRACE_DAT_WORKLOAD " workload "

/** TRACE_DAT_CHECKSUMS - behind these: the file ends with checksums, see tracedat/checksums.h */
#define TRACE_DAT_CHECKSUMS " checksums"

/** TRACE_DAT_NARROW - behind these, the threads of 32-bit programs; "1,2,3" follows */
#define TRACE_DAT_NARROW " 32-bit "

/**
 * TRACE_DAT_TRIGGER - begin of lines behind the writer's line that say why ktrack watch wrote the
 * file; to a reader of rules they are comments
 */
#define TRACE_DAT_TRIGGER "# trigger "

/** TRACE_DAT_LABEL - begin of lines there that are labels of the recording, "KEY=VALUE" */
#define TRACE_DAT_LABEL "# label "

/** TRACE_DAT_BOOT - begin of a line there: the kernel's id of the boot */
#define TRACE_DAT_BOOT "# boot "

/** TRACE_DAT_WALL_ERROR - begin of a line there: limit of the error of the wall clock, in ns */
#define TRACE_DAT_WALL_ERROR "# wall-error "

/** TRACE_DAT_BUFFER_HEADING, TRACE_DAT_CPU_HEADING - lines above statistics, with name or number */
#define TRACE_DAT_BUFFER_HEADING "Buffer: "
#define TRACE_DAT_CPU_HEADING "CPU: "

/** TRACE_DAT_SIDEBAND - name of the last buffer if it is the sideband buffer */
#define TRACE_DAT_SIDEBAND "ktrack-durable"

/** enum trace_dat_option - trace-cmd's ids of options, and of their sections */
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
	TRACE_DAT_SYMBOLS = 19,
	TRACE_DAT_CONSTANTS = 20,
	TRACE_DAT_COMMS = 21,
	/* Sections up to this id may be in a file without an option that names them. */
	TRACE_DAT_SECTION_MAX = 64,
};

#endif
