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

/** struct stack_layout - where the frames are in a record */
struct stack_layout {
	bool is_known;
	uint16_t id;	       /* the common_type of its records */
	struct field_ref tid;  /* field of the writing thread */
	struct field_ref size; /* field of the number of frames */
	size_t offset;	       /* of the first frame */
	size_t frame_size;     /* bytes of a frame */
	bool is_swapped;       /* the byte order is not this machine's */
};

/** struct stack - a stack */
struct stack {
	int tid;			   /* the thread */
	uint64_t frames[STACK_FRAMES_MAX]; /* addresses, the innermost first */
	size_t nr_frames;
};

/** stack_layout_read - read the format of ftrace:kernel_stack; an unknown one makes no stacks */
void stack_layout_read(struct stack_layout *out, struct text format, bool is_swapped);
/** stack_read - read a record with event id @id; false if it is no stack, or malformed */
bool stack_read(const struct stack_layout *layout, uint16_t id, const struct record *record,
		struct stack *out);

#endif
