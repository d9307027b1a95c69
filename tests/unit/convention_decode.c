// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading records: every shape of a field. */
#include "convention/convention.h"

#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

static void check_slice(char type, const char *want)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, type, "work", 16);
	check_by_format(FORMAT("event", 5, SLICE_FIELDS), &builder, want);
}

TEST(slices_begin_end_and_may_be_instants)
{
	check_slice('B', "B 'work' on 'event' of s7");
	check_slice('E', "E '' on 'event' of s7");
	check_slice('I', "I 'work' on 'event' of s7");
}

TEST(other_types_are_unknown)
{
	check_slice('X', "unknown track_event_type");
	check_slice('b', "unknown track_event_type");
	check_slice('C', "unknown track_event_type");
	check_slice('\0', "unknown track_event_type");
	check_slice('\xff', "unknown track_event_type");
}

#define TYPE_FORMAT(type, size, is_signed)                         \
	FORMAT("event", 5,                                         \
	       FIELD(type " track_event_type", 8, size, is_signed) \
		       FIELD("__data_loc char[] slice_name", 16, 4, 0))

/* Reads a slice record whose type is @number in @size bytes. */
static void check_type(const char *format, size_t size, uint64_t number, const char *want)
{
	struct event_builder builder;

	event_builder_begin(&builder, 5, 7, 20);
	event_builder_number(&builder, 8, size, number);
	event_builder_text(&builder, 16, "work");
	check_by_format(format, &builder, want);
}

TEST(the_type_counts_in_its_whole_width)
{
	check_type(TYPE_FORMAT("s8", 1, 1), 1, 'B', "B 'work' on 'event' of s7");
	check_type(TYPE_FORMAT("u16", 2, 0), 2, 'E', "E '' on 'event' of s7");
	check_type(TYPE_FORMAT("u16", 2, 0), 2, 'B' + 256, "unknown track_event_type");
	check_type(TYPE_FORMAT("s32", 4, 1), 4, 'I', "I 'work' on 'event' of s7");
	check_type(TYPE_FORMAT("s32", 4, 1), 4, 'B' - 256, "unknown track_event_type");
	check_type(TYPE_FORMAT("u64", 8, 0), 8, 'B', "B 'work' on 'event' of s7");
	check_type(TYPE_FORMAT("u64", 8, 0), 8, 'B' + (UINT64_C(1) << 32),
		   "unknown track_event_type");
	check_type(TYPE_FORMAT("u64", 8, 0), 8, UINT64_MAX, "unknown track_event_type");
}

static void check_counter(const char *format, size_t size, uint64_t number, const char *want)
{
	struct event_builder builder;

	event_builder_begin(&builder, 5, 7, 8 + size);
	event_builder_number(&builder, 8, size, number);
	check_by_format(format, &builder, want);
}

TEST(counters_have_the_width_and_the_sign_of_their_field)
{
	check_counter(COUNTER_FORMAT("s8", 1, 1), 1, -5, "C s-5 on 'event' of s7");
	check_counter(COUNTER_FORMAT("u8", 1, 0), 1, -5, "C u251 on 'event' of s7");
	check_counter(COUNTER_FORMAT("char", 1, 0), 1, -5, "C u251 on 'event' of s7");
	check_counter(COUNTER_FORMAT("short", 2, 1), 2, INT16_MIN, "C s-32768 on 'event' of s7");
	check_counter(COUNTER_FORMAT("u16", 2, 0), 2, UINT16_MAX, "C u65535 on 'event' of s7");
	check_counter(COUNTER_FORMAT("int", 4, 1), 4, INT32_MIN, "C s-2147483648 on 'event' of s7");
	check_counter(COUNTER_FORMAT("u32", 4, 0), 4, UINT32_MAX, "C u4294967295 on 'event' of s7");
	check_counter(COUNTER_FORMAT("s64", 8, 1), 8, INT64_MIN,
		      "C s-9223372036854775808 on 'event' of s7");
	check_counter(COUNTER_FORMAT("u64", 8, 0), 8, UINT64_MAX,
		      "C u18446744073709551615 on 'event' of s7");
	check_counter(COUNTER_FORMAT("bool", 1, 0), 1, 1, "C u1 on 'event' of s7");
	check_counter(COUNTER_FORMAT("bool", 1, 0), 1, 0, "C u0 on 'event' of s7");
	check_counter(COUNTER_FORMAT("bool", 1, 0), 1, 2, "C u1 on 'event' of s7");
}

#define SCOPE_FORMAT(type, size, is_signed) \
	FORMAT("event", 5, SLICE_FIELDS FIELD(type " scope_x", 16, size, is_signed))

static void check_scope(const char *format, size_t size, uint64_t number, const char *want)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "work", 16 + size);
	event_builder_number(&builder, 16, size, number);
	check_by_format(format, &builder, want);
}

TEST(scopes_keep_any_value)
{
	check_scope(SCOPE_FORMAT("s32", 4, 1), 4, -1, "B 'work' on 'event' of s-1");
	check_scope(SCOPE_FORMAT("s32", 4, 1), 4, INT32_MIN, "B 'work' on 'event' of s-2147483648");
	check_scope(SCOPE_FORMAT("u8", 1, 0), 1, 200, "B 'work' on 'event' of u200");
	check_scope(SCOPE_FORMAT("u64", 8, 0), 8, UINT64_MAX,
		    "B 'work' on 'event' of u18446744073709551615");
}

TEST(the_thread_is_the_scope_where_there_is_no_field)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "work", 16);
	event_builder_number(&builder, 4, 4, 4194304);
	check_by_format(FORMAT("event", 5, SLICE_FIELDS), &builder,
			"B 'work' on 'event' of s4194304");
	event_builder_number(&builder, 4, 4, -1);
	check_by_format(FORMAT("event", 5, SLICE_FIELDS), &builder, "B 'work' on 'event' of s-1");
}

/* Reads a record of @size bytes with the flows 0 and 31, or others in place of these. */
static void check_flows(char type, size_t size, uint64_t first, uint64_t second, const char *want)
{
	static const char format[] =
		FORMAT("event", 5,
		       SLICE_FIELDS FIELD("ktrack_flow_id request", 24, 8, 0)
			       FIELD("s64 bytes", 32, 8, 1) FIELD("ktrack_flow_id batch", 40, 8, 0));
	struct event_builder builder;

	event_builder_slice(&builder, 5, type, "x", 16);
	event_builder_number(&builder, 24, 8, first);
	event_builder_number(&builder, 32, 8, 5);
	event_builder_number(&builder, 40, 8, second);
	builder.size = size;
	check_by_format(format, &builder, want);
}

TEST(flows_are_ids_other_than_0)
{
	check_flows('B', 48, 31, 0, "B 'x' on 'event' of s7 bytes=s5 flow request=u31");
	check_flows('E', 48, 0, UINT64_MAX,
		    "E '' on 'event' of s7 bytes=s5 flow batch=u18446744073709551615");
	check_flows('I', 48, 1, 1,
		    "I 'x' on 'event' of s7 bytes=s5 flow request=u1 flow batch=u1");
	check_flows('I', 48, 0, 0, "I 'x' on 'event' of s7 bytes=s5");
}

TEST(flows_that_the_record_does_not_contain_are_left_out)
{
	check_flows('B', 47, 31, 1, "B 'x' on 'event' of s7 bytes=s5 flow request=u31");
	check_flows('B', 31, 31, 1, "B 'x' on 'event' of s7");
}

TEST(an_event_carries_time_cpu_and_thread)
{
	struct convention *convention = convention_new(false);
	const struct descriptor *descriptor = convention_add_text(convention, "demo",
								  SCOPE_FORMAT("u32", 4, 0));
	struct decoded_event decoded;
	struct event_builder builder;
	struct record record = { .time_ns = 123, .cpu = 3, .buffer = 2, .data = builder.bytes };

	event_builder_slice(&builder, 5, 'B', "work", 20);
	record.size = builder.size;
	CHECK(!convention_decode(&decoded, descriptor, &record));
	CHECK(decoded.descriptor == descriptor);
	CHECK_NUMBER(decoded.time_ns, 123);
	CHECK_NUMBER(decoded.cpu, 3);
	CHECK_NUMBER(decoded.buffer, 2);
	CHECK_NUMBER(decoded.tid, 7);
	convention_free(convention);
}

#define NAMES_FORMAT(declaration, size) \
	FORMAT("event", 5, SLICE_FIELDS FIELD(declaration, 16, size, 0))

TEST(dynamic_names_end_at_their_first_nul_or_at_their_size)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "a\377b\001", 20);
	event_builder_text(&builder, 16, "queue0");
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 4), &builder,
			"B 'a\377b\001' on 'queue0' of s7");
	event_builder_number(&builder, 18, 2, 5);
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 4), &builder,
			"B 'a\377b\001' on 'queue' of s7");
	event_builder_number(&builder, 18, 2, 0);
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 4), &builder,
			"B 'a\377b\001' on '' of s7");
	builder.bytes[builder.size - 5] = '\0';
	event_builder_number(&builder, 18, 2, 7);
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 4), &builder,
			"B 'a\377b\001' on 'qu' of s7");
}

TEST(relative_places_count_from_the_end_of_their_field)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "work", 20);
	event_builder_number(&builder, 16, 4, 4 << 16 | 0);
	check_by_format(NAMES_FORMAT("__rel_loc char[] track_name", 4), &builder,
			"B 'work' on 'work' of s7");
	event_builder_number(&builder, 16, 4, 4 << 16 | 1);
	check_by_format(NAMES_FORMAT("__rel_loc char[] track_name", 4), &builder,
			"B 'work' on 'ork' of s7");
	event_builder_number(&builder, 16, 4, 4 << 16 | 2);
	check_by_format(NAMES_FORMAT("__rel_loc char[] track_name", 4), &builder,
			"unreadable track_name");
}

TEST(places_of_eight_bytes_use_the_first_four)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "work", 24);
	event_builder_text(&builder, 16, "queue0");
	event_builder_number(&builder, 20, 4, UINT32_MAX);
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 8), &builder,
			"B 'work' on 'queue0' of s7");
}

TEST(fixed_names_are_read_with_and_without_a_nul)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "work", 24);
	memcpy(builder.bytes + 16, "eight ch", 8);
	check_by_format(NAMES_FORMAT("char track_name[8]", 8), &builder,
			"B 'work' on 'eight ch' of s7");
	check_by_format(NAMES_FORMAT("char track_name[]", 8), &builder,
			"B 'work' on 'eight ch' of s7");
	builder.bytes[19] = '\0';
	check_by_format(NAMES_FORMAT("char track_name[8]", 8), &builder, "B 'work' on 'eig' of s7");
	builder.bytes[16] = '\0';
	check_by_format(NAMES_FORMAT("char track_name[8]", 8), &builder, "B 'work' on '' of s7");
}

TEST(fields_need_not_be_aligned)
{
	const char *format = FORMAT(
		"event", 5,
		FIELD("unsigned long __probe_ip", 8, 8, 0) FIELD("s8 track_event_type", 16, 1, 1)
			FIELD("__data_loc char[] slice_name", 17, 4, 1)
				FIELD("u64 scope_fd", 21, 8, 0) FIELD("s64 left", 29, 8, 1));
	struct event_builder builder;

	event_builder_begin(&builder, 5, 7, 37);
	event_builder_number(&builder, 8, 8, 4096);
	event_builder_number(&builder, 16, 1, 'B');
	event_builder_text(&builder, 17, "read");
	event_builder_number(&builder, 21, 8, UINT64_MAX - 1);
	event_builder_number(&builder, 29, 8, -2);
	check_by_format(format, &builder,
			"B 'read' on 'event' of u18446744073709551614 __probe_ip=u4096 left=s-2");
}

#define EXTRA_FORMAT(declaration, size, is_signed) \
	FORMAT("event", 5, SLICE_FIELDS FIELD(declaration, 16, size, is_signed))

/*
 * Reads a slice record whose extra field holds @size bytes of @data, of which text "dynamic" begins
 * at byte 40.
 */
static void check_extra(const char *format, size_t size, const char *data, const char *want)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "w", 38);
	memcpy(builder.bytes + 16, data, size);
	memcpy(builder.bytes + builder.size, "dynamic", 7);
	builder.size += 7;
	check_by_format(format, &builder, want);
}

TEST(extra_fields_are_read_by_their_type)
{
	check_extra(EXTRA_FORMAT("s32 x", 4, 1), 4, "\xfe\xff\xff\xff",
		    "B 'w' on 'event' of s7 x=s-2");
	check_extra(EXTRA_FORMAT("size_t x", 8, 0), 8, "\1\0\0\0\0\0\0\1",
		    "B 'w' on 'event' of s7 x=u72057594037927937");
	check_extra(EXTRA_FORMAT("bool x", 1, 0), 1, "\1", "B 'w' on 'event' of s7 x=true");
	check_extra(EXTRA_FORMAT("_Bool x", 1, 0), 1, "\0", "B 'w' on 'event' of s7 x=false");
	check_extra(EXTRA_FORMAT("enum e x", 4, 0), 4, "\3\0\0\0", "B 'w' on 'event' of s7 x=u3");
	check_extra(EXTRA_FORMAT("void * x", 8, 0), 8, "\0\1\0\0\0\0\0\0",
		    "B 'w' on 'event' of s7 x=u256");
	check_extra(EXTRA_FORMAT("struct rq * x", 8, 0), 8, "\0\1\0\0\0\0\0\0",
		    "B 'w' on 'event' of s7 x=u256");
	check_extra(EXTRA_FORMAT("struct s x", 4, 0), 4, "\0\1\2\377",
		    "B 'w' on 'event' of s7 x=<000102ff>");
	check_extra(EXTRA_FORMAT("struct s x", 3, 0), 3, "\0\1\2",
		    "B 'w' on 'event' of s7 x=<000102>");
	check_extra(EXTRA_FORMAT("odd_t x", 3, 0), 3, "\0\1\2",
		    "B 'w' on 'event' of s7 x=<000102>");
	check_extra(EXTRA_FORMAT("u8 x[3]", 3, 0), 3, "\0\1\377",
		    "B 'w' on 'event' of s7 x=<0001ff>");
	check_extra(EXTRA_FORMAT("u16 x[2]", 4, 0), 4, "\1\0\2\0",
		    "B 'w' on 'event' of s7 x=<01000200>");
	check_extra(EXTRA_FORMAT("char x[4]", 4, 0), 4, "ab\0d", "B 'w' on 'event' of s7 x='ab'");
	check_extra(EXTRA_FORMAT("__data_loc char[] x", 4, 0), 4, "\50\0\3\0",
		    "B 'w' on 'event' of s7 x='dyn'");
	check_extra(EXTRA_FORMAT("__data_loc u8[] x", 4, 0), 4, "\50\0\3\0",
		    "B 'w' on 'event' of s7 x=<64796e>");
	check_extra(EXTRA_FORMAT("__rel_loc u8[] x", 4, 0), 4, "\24\0\2\0",
		    "B 'w' on 'event' of s7 x=<6479>");
}

TEST(an_extra_field_that_cannot_be_read_is_left_out)
{
	check_extra(EXTRA_FORMAT("__data_loc char[] x", 4, 0), 4, "\50\0\10\0",
		    "B 'w' on 'event' of s7");
	check_extra(EXTRA_FORMAT("__data_loc u8[] x", 2, 0), 4, "\50\0\3\0",
		    "B 'w' on 'event' of s7");
	check_extra(
		FORMAT("event", 5, SLICE_FIELDS FIELD("u8 y", 60, 1, 0) FIELD("u8 z", 16, 1, 0)), 1,
		"\4", "B 'w' on 'event' of s7 z=u4");
}

TEST(texts_that_share_their_bytes_take_no_more_than_the_record)
{
	static const char format[] =
		FORMAT("event", 5,
		       SLICE_FIELDS FIELD("__data_loc char[] a", 16, 4, 0)
			       FIELD("__data_loc char[] b", 16, 4, 0) FIELD("u8 c", 16, 1, 0)
				       FIELD("__data_loc u8[] d", 16, 4, 0));
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "w", 20);
	event_builder_text(&builder, 16, "0123456789");
	check_by_format(format, &builder,
			"B 'w' on 'event' of s7 a='0123456789' b='0123456789' c=u22 "
			"d=<3031323334353637383900>");
	event_builder_slice(&builder, 5, 'B', "w", 20);
	event_builder_text(&builder, 16, "0123456789012345678901234567890123456789");
	check_by_format(format, &builder,
			"B 'w' on 'event' of s7 a='0123456789012345678901234567890123456789' "
			"c=u22");
}

TEST(a_field_that_was_left_out_comes_again)
{
	struct convention *convention = convention_new(false);
	struct event_builder builder;

	convention_add_text(
		convention, "demo",
		FORMAT("event", 5, SLICE_FIELDS FIELD("u32 y", 60, 4, 0) FIELD("s64 z", 16, 8, 1)));
	for (int i = 0; i < 2; i++) {
		event_builder_slice(&builder, 5, 'B', "w", 24);
		event_builder_number(&builder, 16, 8, -4);
		check_event(convention, &builder, "B 'w' on 'event' of s7 z=s-4");
		event_builder_slice(&builder, 5, 'B', "w", 64);
		event_builder_number(&builder, 16, 8, 5);
		event_builder_number(&builder, 60, 4, UINT32_MAX);
		check_event(convention, &builder, "B 'w' on 'event' of s7 y=u4294967295 z=s5");
	}
	convention_free(convention);
}

/* Turns the bytes of a field around. */
static void event_builder_swap(struct event_builder *builder, size_t offset, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		unsigned char byte = builder->bytes[offset + i];

		builder->bytes[offset + i] = builder->bytes[offset + size - 1 - i];
		builder->bytes[offset + size - 1 - i] = byte;
	}
}

TEST(records_in_the_other_byte_order_are_read)
{
	struct convention *convention = convention_new(true);
	struct event_builder builder;

	convention_add_text(convention, "demo",
			    FORMAT("event", 1300,
				   SLICE_FIELDS FIELD("s64 scope_x", 16, 8, 1)
					   FIELD("u16 y", 24, 2, 0)
						   FIELD("__rel_loc char[] track_name", 26, 4, 0)
							   FIELD("char z[2]", 30, 2, 0)));
	event_builder_slice(&builder, 1300, 'B', "work", 32);
	event_builder_number(&builder, 16, 8, -2);
	event_builder_number(&builder, 24, 2, 258);
	event_builder_number(&builder, 26, 4, 3 << 16 | 3);
	memcpy(builder.bytes + 30, "zy", 2);
	event_builder_swap(&builder, 0, 2);
	event_builder_swap(&builder, 4, 4);
	event_builder_swap(&builder, 12, 4);
	event_builder_swap(&builder, 16, 8);
	event_builder_swap(&builder, 24, 2);
	event_builder_swap(&builder, 26, 4);
	check_event(convention, &builder, "B 'work' on 'ork' of s-2 y=u258 z='zy'");
	convention_free(convention);
}
