// SPDX-License-Identifier: GPL-2.0-only
/* Reads records of ftrace:kernel_stack. */
#include "event/stack.h"

void stack_layout_read(struct stack_layout *out, struct text file, bool is_swapped)
{
	const struct format_field *frames;
	struct format format;

	*out = (struct stack_layout){ .is_swapped = is_swapped };
	if (format_parse(&format, file) == 0 && format.id <= UINT16_MAX) {
		frames = format_find(&format, text_of("caller"));
		out->id = format.id;
		out->tid = field_ref_of(format_find(&format, text_of("common_pid")), is_swapped);
		out->size = field_ref_of(format_find(&format, text_of("size")), is_swapped);
		out->offset = frames ? frames->offset : 0;
		/* The array of the format has 8 frames; records have as many as there are. */
		out->frame_size = frames ? frames->size / 8 : 0;
		out->is_known = frames && (out->frame_size == 4 || out->frame_size == 8) &&
				field_ref_is_number(&out->tid) && field_ref_is_number(&out->size);
	}
	format_release(&format);
}

static uint64_t frame_read(const struct stack_layout *layout, const unsigned char *data)
{
	uint64_t wide;
	uint32_t narrow;

	if (layout->frame_size == sizeof(wide)) {
		memcpy(&wide, data, sizeof(wide));
		return layout->is_swapped ? __builtin_bswap64(wide) : wide;
	}
	memcpy(&narrow, data, sizeof(narrow));
	return layout->is_swapped ? __builtin_bswap32(narrow) : narrow;
}

bool stack_read(const struct stack_layout *layout, uint16_t id, const struct record *record,
		struct stack *out)
{
	struct value tid, size;

	if (!layout->is_known || id != layout->id || record->size < layout->offset ||
	    !field_read(&layout->tid, record, &tid) || !field_read(&layout->size, record, &size))
		return false;
	out->tid = tid.signed_number;
	out->nr_frames = 0;
	for (size_t i = 0; i < STACK_FRAMES_MAX && i < size.unsigned_number; i++) {
		size_t offset = layout->offset + i * layout->frame_size;
		uint64_t frame;

		if (offset + layout->frame_size > record->size)
			break;
		frame = frame_read(layout, record->data + offset);
		/* A frame of all ones ends a stack of older kernels. */
		if (frame == (layout->frame_size == 8 ? UINT64_MAX : UINT32_MAX))
			break;
		out->frames[out->nr_frames++] = frame;
	}
	return out->nr_frames > 0;
}
