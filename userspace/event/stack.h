/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel stacks: the records of ftrace:kernel_stack, which a stacktrace trigger of the kernel
 * writes behind the record of its tracepoint, on the same CPU and by the same thread.
 */
#ifndef EVENT_STACK_H
#define EVENT_STACK_H

#include "event/format.h"

/** STACK_SYSTEM, STACK_NAME - the tracepoint of stacks */
#define STACK_SYSTEM "ftrace"
#define STACK_NAME "kernel_stack"

/** STACK_CATEGORY - that of the instants */
#define STACK_CATEGORY STACK_SYSTEM ":" STACK_NAME

/** STACK_FRAMES_MAX - limit of frames that are read, the innermost */
#define STACK_FRAMES_MAX 64

/**
 * struct stack_layout - where the frames are in a record
 * @id: the common_type of its records
 * @tid: field of the writing thread
 * @size: field of the number of frames
 * @offset: of the first frame
 * @frame_size: bytes of a frame
 * @is_swapped: the byte order is not this machine's
 */
struct stack_layout {
	bool is_known;
	uint16_t id;
	struct field_ref tid;
	struct field_ref size;
	size_t offset;
	size_t frame_size;
	bool is_swapped;
};

/**
 * struct stack - a stack
 * @tid: the thread
 * @frames: addresses, the innermost first
 */
struct stack {
	int tid;
	uint64_t frames[STACK_FRAMES_MAX];
	size_t nr_frames;
};

/** stack_layout_read - read the format of ftrace:kernel_stack; an unknown one makes no stacks */
void stack_layout_read(struct stack_layout *out, struct text format, bool is_swapped);

/** stack_read - read a record with event id @id; returns false if it is no stack, or is malformed */
bool stack_read(const struct stack_layout *layout, uint16_t id, const struct record *record,
		struct stack *out);

#endif
