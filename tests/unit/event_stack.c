// SPDX-License-Identifier: GPL-2.0-only
/* Tests of kernel stacks: the layout of their records, byte orders, records that are too short. */
#include "event/stack.h"

#include "fixtures/tap.h"

#define FORMAT_HEAD                                                                    \
	"name: kernel_stack\nID: 4\nformat:\n"                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"

static const char wide[] = FORMAT_HEAD
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n";
static const char narrow[] = FORMAT_HEAD
	"\tfield:unsigned long caller[8];\toffset:12;\tsize:32;\tsigned:0;\n";

static bool read_stack(const char *format, bool is_swapped, const void *data, size_t size,
		       struct stack *out)
{
	const struct record record = { .data = data, .size = size };
	struct stack_layout layout;
	uint16_t id;

	stack_layout_read(&layout, text_of(format), is_swapped);
	CHECK(layout.is_known);
	return record_id(&record, is_swapped, &id) && stack_read(&layout, id, &record, out);
}

TEST(all_frames_of_a_record_are_read)
{
	uint64_t record[12] = { 0x0000002a00000004, 10 };
	struct stack stack;

	for (size_t i = 0; i < 10; i++)
		record[2 + i] = 0xffffffff81000000 + i;
	CHECK(read_stack(wide, false, record, sizeof(record), &stack));
	CHECK_NUMBER(stack.tid, 42);
	CHECK_NUMBER(stack.nr_frames, 10);
	CHECK(stack.frames[0] == 0xffffffff81000000 && stack.frames[9] == 0xffffffff81000009);
}

TEST(a_record_that_is_too_short_has_fewer_frames)
{
	uint64_t record[4] = { 4, 1000000, 5, 6 };
	struct stack stack;

	CHECK(read_stack(wide, false, record, sizeof(record), &stack));
	CHECK_NUMBER(stack.nr_frames, 2);
	CHECK(read_stack(wide, false, record, sizeof(record) - 1, &stack));
	CHECK_NUMBER(stack.nr_frames, 1);
	for (size_t size = 0; size < 24; size++)
		CHECK(!read_stack(wide, false, record, size, &stack));
}

TEST(a_frame_of_ones_ends_the_stack)
{
	uint64_t record[6] = { 4, 4, 5, UINT64_MAX, 6, 7 };
	struct stack stack;

	CHECK(read_stack(wide, false, record, sizeof(record), &stack));
	CHECK_NUMBER(stack.nr_frames, 1);
}

TEST(other_machines_have_other_sizes_and_byte_orders)
{
	uint32_t record[5] = { __builtin_bswap16(4), __builtin_bswap32(42), __builtin_bswap32(2),
			       __builtin_bswap32(0xc0001000), __builtin_bswap32(0xc0002000) };
	struct stack stack;

	CHECK(read_stack(narrow, true, record, sizeof(record), &stack));
	CHECK_NUMBER(stack.tid, 42);
	CHECK_NUMBER(stack.nr_frames, 2);
	CHECK_NUMBER(stack.frames[0], 0xc0001000);
	CHECK_NUMBER(stack.frames[1], 0xc0002000);
}

TEST(other_records_and_formats_have_no_stack)
{
	uint64_t record[4] = { 5, 2, 5, 6 };
	struct stack_layout layout;
	struct stack stack;

	CHECK(!read_stack(wide, false, record, sizeof(record), &stack));
	stack_layout_read(&layout, text_of("name: x\nID: 4\nformat:\n"), false);
	CHECK(!layout.is_known);
	stack_layout_read(&layout, text_of(""), false);
	CHECK(!layout.is_known);
}
