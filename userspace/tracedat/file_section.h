/* SPDX-License-Identifier: GPL-2.0-only */
/* Sections of a trace.dat other than records. Version 6 has them without heads. */
#ifndef TRACEDAT_FILE_SECTION_H
#define TRACEDAT_FILE_SECTION_H

#include "tracedat/cursor.h"

struct trace_file;

/** enum trace_section_kind - sections that are read */
enum trace_section_kind {
	TRACE_HEADER_INFO,
	TRACE_FTRACE_FORMATS,
	TRACE_EVENT_FORMATS,
	TRACE_SYMBOLS,
	TRACE_CONSTANTS,
	TRACE_COMMS,
	TRACE_SECTION_KINDS
};

/**
 * struct trace_section - place of a section's content
 * @offset: in the file, 0 if the section is missing
 * @size: in the file
 */
struct trace_section {
	size_t offset;
	size_t size;
	bool is_compressed;
};

/**
 * struct trace_content - content of a section that is being read
 * @cursor: in the file, or in @inflated
 * @offset: of the content in the file
 * @inflated: decompressed content, NULL if the section is not compressed
 */
struct trace_content {
	struct cursor cursor;
	size_t offset;
	unsigned char *inflated;
};

/** TRACE_SECTION_SIZE_MAX - limit of a section's content, unless stated otherwise */
#define TRACE_SECTION_SIZE_MAX (16 << 20)

/** trace_section_kind_of - the kind of a section by the id of its option, or TRACE_SECTION_KINDS */
enum trace_section_kind trace_section_kind_of(unsigned int id);

/** trace_section_find - read a section's head; reports and returns false if it is not there */
bool trace_section_find(struct trace_file *file, unsigned int id, uint64_t offset,
			struct trace_section *section);

/**
 * trace_content_open - open a section's content, decompress it if needed
 * @limit: largest decompressed size
 *
 * Returns false if it is missing, or damaged, which is reported.
 */
bool trace_content_open(struct trace_file *file, const struct trace_section *section, size_t limit,
			struct trace_content *content);

void trace_content_close(struct trace_content *content);

/** trace_content_check - report @problem if the content ended too early */
void trace_content_check(struct trace_file *file, const struct trace_content *content,
			 const char *problem);

#endif
