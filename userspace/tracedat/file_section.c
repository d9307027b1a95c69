// SPDX-License-Identifier: GPL-2.0-only
/* Finds and reads sections, decompressed if needed. */
#include <stdlib.h>

#include "tracedat/file.h"
#include "tracedat/layout.h"

static const unsigned int section_ids[TRACE_SECTION_KINDS] = {
	[TRACE_HEADER_INFO] = TRACE_DAT_HEADER_INFO,
	[TRACE_FTRACE_FORMATS] = TRACE_DAT_FTRACE_FORMATS,
	[TRACE_EVENT_FORMATS] = TRACE_DAT_EVENT_FORMATS,
	[TRACE_SYMBOLS] = TRACE_DAT_SYMBOLS,
	[TRACE_CONSTANTS] = TRACE_DAT_CONSTANTS,
	[TRACE_COMMS] = TRACE_DAT_COMMS,
};

enum trace_section_kind trace_section_kind_of(unsigned int id)
{
	enum trace_section_kind kind = 0;

	while (kind < TRACE_SECTION_KINDS && section_ids[kind] != id)
		kind++;
	return kind;
}

#define SECTION_IS_COMPRESSED 1

/* An id, flags, the offset of the title, and the size. */
#define SECTION_HEAD_SIZE 16

/* Limit of used ranges in a file. */
#define RANGES_MAX 65536

struct cursor trace_file_cursor(struct trace_file *file, uint64_t offset)
{
	bool is_inside = offset <= file->input.size;

	return (struct cursor){
		.window = &file->window,
		.size = file->input.size,
		.offset = is_inside ? offset : file->input.size,
		.is_swapped = file->is_swapped,
		.is_over = !is_inside,
	};
}

void trace_file_cover(struct trace_file *file, uint64_t begin, uint64_t end)
{
	struct trace_range range = { .begin = begin, .end = end, .number = SIZE_MAX };

	if (begin < end && file->ranges.size / sizeof(range) < RANGES_MAX)
		buffer_append(&file->ranges, &range, sizeof(range));
}

/* The end of a content at @offset, at most that of the file. */
static uint64_t section_end(const struct trace_file *file, uint64_t offset, uint64_t size)
{
	uint64_t left = offset < file->input.size ? file->input.size - offset : 0;

	return offset + (size < left ? size : left);
}

bool trace_section_find(struct trace_file *file, unsigned int id, uint64_t offset,
			struct trace_section *section)
{
	unsigned char head[SECTION_HEAD_SIZE];
	struct cursor cursor = { .data = head, .is_swapped = file->is_swapped };
	unsigned int found, flags;

	cursor.size = input_read(&file->input, head, sizeof(head), offset);
	found = cursor_u16(&cursor);
	flags = cursor_u16(&cursor);
	cursor_u32(&cursor);
	*section = (struct trace_section){ .size = cursor_u64(&cursor),
					   .is_compressed = flags & SECTION_IS_COMPRESSED };
	section->offset = offset + cursor.offset;
	if (cursor.is_over || found != id) {
		trace_file_report(file, cursor.is_over ? file->input.size : offset,
				  cursor.is_over ? "it is cut short: a section is missing"
						 : "a section is missing that an option names");
		*section = (struct trace_section){ 0 };
		return false;
	}
	/* Its records are covered by their streams. */
	if (id == TRACE_DAT_BUFFER)
		trace_file_cover(file, offset, section->offset);
	else
		trace_file_cover(file, offset, section_end(file, section->offset, section->size));
	return true;
}

/* Decompresses a content: two sizes, compressed and not, then the compressed bytes. */
static const char *content_inflate(struct trace_file *file, size_t limit,
				   struct trace_content *content)
{
	struct cursor *cursor = &content->cursor;
	uint32_t packed_size = cursor_u32(cursor);
	uint32_t size = cursor_u32(cursor);
	struct text packed;

	if (size > limit || packed_size > limit / 2)
		return "a compressed section claims a size that cannot be";
	packed = cursor_text(cursor, packed_size);
	if (cursor->is_over)
		return "a compressed section is cut short";
	content->inflated = malloc(size ? size : 1);
	if (!content->inflated)
		return "there is no memory to inflate a section";
	if (!inflater_run(&file->inflater, packed, content->inflated, size))
		return "a compressed section is damaged";
	if (cursor_left(cursor) > 0)
		trace_file_report(file, cursor->offset,
				  "a section is longer than its compressed content");
	*cursor = (struct cursor){
		.data = content->inflated,
		.size = size,
		.is_swapped = file->is_swapped,
	};
	return NULL;
}

bool trace_content_open(struct trace_file *file, const struct trace_section *section, size_t limit,
			struct trace_content *content)
{
	struct cursor cursor = trace_file_cursor(file, section->offset);
	size_t left = cursor_left(&cursor);
	const char *problem = NULL;

	*content = (struct trace_content){ .offset = section->offset };
	if (section->offset == 0)
		return false;
	content->cursor = cursor_part(&cursor, section->size < left ? section->size : left);
	if (section->is_compressed)
		problem = content_inflate(file, limit, content);
	if (section->is_compressed)
		window_release(&file->window);
	if (!problem)
		return true;
	trace_file_report(file, section->offset, problem);
	trace_content_close(content);
	return false;
}

void trace_content_close(struct trace_content *content)
{
	free(content->inflated);
	*content = (struct trace_content){ 0 };
}

void trace_content_check(struct trace_file *file, const struct trace_content *content,
			 const char *problem)
{
	if (content->cursor.is_over)
		trace_file_report(file,
				  content->inflated ? content->offset : content->cursor.offset,
				  problem);
}
