// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading records: every shape of a field, and records that lie about where their data are. */
#include "convention/convention.h"

#include "dice.h"
#include "format.h"
#include "tap.h"

static void check_draft(const struct convention *convention, const struct draft *draft, const char *want)
{
	struct buffer got = draft_read(convention, draft);

	CHECK_TEXT(buffer_string(&got), want);
	buffer_release(&got);
}

/* Reads one draft by one format. */
static void check_by_format(const char *format, const struct draft *draft, const char *want)
{
	struct convention *convention = convention_new(false);

	CHECK(convention_add_text(convention, "demo", format) != NULL);
	check_draft(convention, draft, want);
	convention_free(convention);
}

static void check_slice(char type, const char *want)
{
	struct draft draft;

	draft_slice(&draft, 5, type, "work", 16);
	check_by_format(FORMAT("event", 5, SLICE_FIELDS), &draft, want);
}

TEST(slices_begin_end_and_may_be_instants)
{
	check_slice('B', "B 'work' on 'event' of s7");
	check_slice('E', "E 'work' on 'event' of s7");
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

#define TYPE_FORMAT(type, size, is_signed)                                                  \
	FORMAT("event", 5, FIELD(type " track_event_type", 8, size, is_signed)               \
			   FIELD("__data_loc char[] slice_name", 16, 4, 0))

/* Reads a slice record whose type is @number in @size bytes. */
static void check_type(const char *format, size_t size, uint64_t number, const char *want)
{
	struct draft draft;

	draft_begin(&draft, 5, 7, 20);
	draft_number(&draft, 8, size, number);
	draft_text(&draft, 16, "work");
	check_by_format(format, &draft, want);
}

TEST(the_type_counts_in_its_whole_width)
{
	check_type(TYPE_FORMAT("s8", 1, 1), 1, 'B', "B 'work' on 'event' of s7");
	check_type(TYPE_FORMAT("u16", 2, 0), 2, 'E', "E 'work' on 'event' of s7");
	check_type(TYPE_FORMAT("u16", 2, 0), 2, 'B' + 256, "unknown track_event_type");
	check_type(TYPE_FORMAT("s32", 4, 1), 4, 'I', "I 'work' on 'event' of s7");
	check_type(TYPE_FORMAT("s32", 4, 1), 4, 'B' - 256, "unknown track_event_type");
	check_type(TYPE_FORMAT("u64", 8, 0), 8, 'B', "B 'work' on 'event' of s7");
	check_type(TYPE_FORMAT("u64", 8, 0), 8, 'B' + (UINT64_C(1) << 32), "unknown track_event_type");
	check_type(TYPE_FORMAT("u64", 8, 0), 8, UINT64_MAX, "unknown track_event_type");
}

#define COUNTER_FORMAT(type, size, is_signed) \
	FORMAT("event", 5, FIELD(type " counter_value", 8, size, is_signed))

static void check_counter(const char *format, size_t size, uint64_t number, const char *want)
{
	struct draft draft;

	draft_begin(&draft, 5, 7, 8 + size);
	draft_number(&draft, 8, size, number);
	check_by_format(format, &draft, want);
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
	check_counter(COUNTER_FORMAT("s64", 8, 1), 8, INT64_MIN, "C s-9223372036854775808 on 'event' of s7");
	check_counter(COUNTER_FORMAT("u64", 8, 0), 8, UINT64_MAX, "C u18446744073709551615 on 'event' of s7");
	check_counter(COUNTER_FORMAT("bool", 1, 0), 1, 1, "C u1 on 'event' of s7");
	check_counter(COUNTER_FORMAT("bool", 1, 0), 1, 0, "C u0 on 'event' of s7");
}

#define SCOPE_FORMAT(type, size, is_signed) \
	FORMAT("event", 5, SLICE_FIELDS FIELD(type " scope_x", 16, size, is_signed))

static void check_scope(const char *format, size_t size, uint64_t number, const char *want)
{
	struct draft draft;

	draft_slice(&draft, 5, 'B', "work", 16 + size);
	draft_number(&draft, 16, size, number);
	check_by_format(format, &draft, want);
}

TEST(scopes_keep_any_value)
{
	check_scope(SCOPE_FORMAT("s32", 4, 1), 4, -1, "B 'work' on 'event' of s-1");
	check_scope(SCOPE_FORMAT("s32", 4, 1), 4, INT32_MIN, "B 'work' on 'event' of s-2147483648");
	check_scope(SCOPE_FORMAT("u8", 1, 0), 1, 200, "B 'work' on 'event' of u200");
	check_scope(SCOPE_FORMAT("u64", 8, 0), 8, UINT64_MAX, "B 'work' on 'event' of u18446744073709551615");
}

TEST(the_thread_is_the_scope_where_there_is_no_field)
{
	struct draft draft;

	draft_slice(&draft, 5, 'B', "work", 16);
	draft_number(&draft, 4, 4, 4194304);
	check_by_format(FORMAT("event", 5, SLICE_FIELDS), &draft, "B 'work' on 'event' of s4194304");
	draft_number(&draft, 4, 4, -1);
	check_by_format(FORMAT("event", 5, SLICE_FIELDS), &draft, "B 'work' on 'event' of s-1");
}

TEST(an_observation_carries_time_cpu_and_thread)
{
	struct convention *convention = convention_new(false);
	const struct template *template = convention_add_text(convention, "demo", SCOPE_FORMAT("u32", 4, 0));
	struct observation observation;
	struct draft draft;
	struct record record = { .time_ns = 123, .cpu = 3, .buffer = 2, .data = draft.bytes };

	draft_slice(&draft, 5, 'B', "work", 20);
	record.size = draft.size;
	CHECK(!observation_read(&observation, template, &record));
	CHECK(observation.template == template);
	CHECK_NUMBER(observation.time_ns, 123);
	CHECK_NUMBER(observation.cpu, 3);
	CHECK_NUMBER(observation.buffer, 2);
	CHECK_NUMBER(observation.tid, 7);
	convention_free(convention);
}

#define NAMES_FORMAT(declaration, size) \
	FORMAT("event", 5, SLICE_FIELDS FIELD(declaration, 16, size, 0))

TEST(dynamic_names_end_at_their_first_nul_or_at_their_size)
{
	struct draft draft;

	draft_slice(&draft, 5, 'B', "a\377b\001", 20);
	draft_text(&draft, 16, "queue0");
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 4), &draft, "B 'a\377b\001' on 'queue0' of s7");
	draft_number(&draft, 18, 2, 5);
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 4), &draft, "B 'a\377b\001' on 'queue' of s7");
	draft_number(&draft, 18, 2, 0);
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 4), &draft, "B 'a\377b\001' on '' of s7");
	draft.bytes[draft.size - 5] = '\0';
	draft_number(&draft, 18, 2, 7);
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 4), &draft, "B 'a\377b\001' on 'qu' of s7");
}

TEST(relative_places_count_from_the_end_of_their_field)
{
	struct draft draft;

	draft_slice(&draft, 5, 'B', "work", 20);
	draft_number(&draft, 16, 4, 4 << 16 | 0);
	check_by_format(NAMES_FORMAT("__rel_loc char[] track_name", 4), &draft, "B 'work' on 'work' of s7");
	draft_number(&draft, 16, 4, 4 << 16 | 1);
	check_by_format(NAMES_FORMAT("__rel_loc char[] track_name", 4), &draft, "B 'work' on 'ork' of s7");
	draft_number(&draft, 16, 4, 4 << 16 | 2);
	check_by_format(NAMES_FORMAT("__rel_loc char[] track_name", 4), &draft, "unreadable track_name");
}

TEST(places_of_eight_bytes_use_the_first_four)
{
	struct draft draft;

	draft_slice(&draft, 5, 'B', "work", 24);
	draft_text(&draft, 16, "queue0");
	draft_number(&draft, 20, 4, UINT32_MAX);
	check_by_format(NAMES_FORMAT("__data_loc char[] track_name", 8), &draft, "B 'work' on 'queue0' of s7");
}

TEST(fixed_names_are_read_with_and_without_a_nul)
{
	struct draft draft;

	draft_slice(&draft, 5, 'B', "work", 24);
	memcpy(draft.bytes + 16, "eight ch", 8);
	check_by_format(NAMES_FORMAT("char track_name[8]", 8), &draft, "B 'work' on 'eight ch' of s7");
	check_by_format(NAMES_FORMAT("char track_name[]", 8), &draft, "B 'work' on 'eight ch' of s7");
	draft.bytes[19] = '\0';
	check_by_format(NAMES_FORMAT("char track_name[8]", 8), &draft, "B 'work' on 'eig' of s7");
	draft.bytes[16] = '\0';
	check_by_format(NAMES_FORMAT("char track_name[8]", 8), &draft, "B 'work' on '' of s7");
}

TEST(fields_need_not_be_aligned)
{
	const char *format = FORMAT("event", 5, FIELD("unsigned long __probe_ip", 8, 8, 0)
				    FIELD("s8 track_event_type", 16, 1, 1)
				    FIELD("__data_loc char[] slice_name", 17, 4, 1)
				    FIELD("u64 scope_fd", 21, 8, 0) FIELD("s64 left", 29, 8, 1));
	struct draft draft;

	draft_begin(&draft, 5, 7, 37);
	draft_number(&draft, 8, 8, 4096);
	draft_number(&draft, 16, 1, 'B');
	draft_text(&draft, 17, "read");
	draft_number(&draft, 21, 8, UINT64_MAX - 1);
	draft_number(&draft, 29, 8, -2);
	check_by_format(format, &draft, "B 'read' on 'event' of u18446744073709551614 __probe_ip=u4096 left=s-2");
}

#define EXTRA_FORMAT(declaration, size, is_signed) \
	FORMAT("event", 5, SLICE_FIELDS FIELD(declaration, 16, size, is_signed))

/* Reads a slice record whose extra field holds @size bytes of @data, of which text "dynamic" begins at byte 40. */
static void check_extra(const char *format, size_t size, const char *data, const char *want)
{
	struct draft draft;

	draft_slice(&draft, 5, 'B', "w", 38);
	memcpy(draft.bytes + 16, data, size);
	memcpy(draft.bytes + draft.size, "dynamic", 7);
	draft.size += 7;
	check_by_format(format, &draft, want);
}

TEST(extra_fields_are_read_by_their_type)
{
	check_extra(EXTRA_FORMAT("s32 x", 4, 1), 4, "\xfe\xff\xff\xff", "B 'w' on 'event' of s7 x=s-2");
	check_extra(EXTRA_FORMAT("size_t x", 8, 0), 8, "\1\0\0\0\0\0\0\1",
		    "B 'w' on 'event' of s7 x=u72057594037927937");
	check_extra(EXTRA_FORMAT("bool x", 1, 0), 1, "\1", "B 'w' on 'event' of s7 x=true");
	check_extra(EXTRA_FORMAT("_Bool x", 1, 0), 1, "\0", "B 'w' on 'event' of s7 x=false");
	check_extra(EXTRA_FORMAT("enum e x", 4, 0), 4, "\3\0\0\0", "B 'w' on 'event' of s7 x=u3");
	check_extra(EXTRA_FORMAT("void * x", 8, 0), 8, "\0\1\0\0\0\0\0\0", "B 'w' on 'event' of s7 x=u256");
	check_extra(EXTRA_FORMAT("struct rq * x", 8, 0), 8, "\0\1\0\0\0\0\0\0", "B 'w' on 'event' of s7 x=u256");
	check_extra(EXTRA_FORMAT("struct s x", 4, 0), 4, "\0\1\2\377", "B 'w' on 'event' of s7 x=<000102ff>");
	check_extra(EXTRA_FORMAT("struct s x", 3, 0), 3, "\0\1\2", "B 'w' on 'event' of s7 x=<000102>");
	check_extra(EXTRA_FORMAT("odd_t x", 3, 0), 3, "\0\1\2", "B 'w' on 'event' of s7 x=<000102>");
	check_extra(EXTRA_FORMAT("u8 x[3]", 3, 0), 3, "\0\1\377", "B 'w' on 'event' of s7 x=<0001ff>");
	check_extra(EXTRA_FORMAT("u16 x[2]", 4, 0), 4, "\1\0\2\0", "B 'w' on 'event' of s7 x=<01000200>");
	check_extra(EXTRA_FORMAT("char x[4]", 4, 0), 4, "ab\0d", "B 'w' on 'event' of s7 x='ab'");
	check_extra(EXTRA_FORMAT("__data_loc char[] x", 4, 0), 4, "\50\0\3\0", "B 'w' on 'event' of s7 x='dyn'");
	check_extra(EXTRA_FORMAT("__data_loc u8[] x", 4, 0), 4, "\50\0\3\0", "B 'w' on 'event' of s7 x=<64796e>");
	check_extra(EXTRA_FORMAT("__rel_loc u8[] x", 4, 0), 4, "\24\0\2\0", "B 'w' on 'event' of s7 x=<6479>");
}

TEST(an_extra_field_that_cannot_be_read_is_left_out)
{
	check_extra(EXTRA_FORMAT("__data_loc char[] x", 4, 0), 4, "\50\0\10\0", "B 'w' on 'event' of s7");
	check_extra(EXTRA_FORMAT("__data_loc u8[] x", 2, 0), 4, "\50\0\3\0", "B 'w' on 'event' of s7");
	check_extra(FORMAT("event", 5, SLICE_FIELDS FIELD("u8 y", 60, 1, 0) FIELD("u8 z", 16, 1, 0)), 1, "\4",
		    "B 'w' on 'event' of s7 z=u4");
}

/* Turns the bytes of a field around. */
static void draft_swap(struct draft *draft, size_t offset, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		unsigned char byte = draft->bytes[offset + i];

		draft->bytes[offset + i] = draft->bytes[offset + size - 1 - i];
		draft->bytes[offset + size - 1 - i] = byte;
	}
}

TEST(records_in_the_other_byte_order_are_read)
{
	struct convention *convention = convention_new(true);
	struct draft draft;

	convention_add_text(convention, "demo",
			    FORMAT("event", 1300, SLICE_FIELDS FIELD("s64 scope_x", 16, 8, 1) FIELD("u16 y", 24, 2, 0)
				   FIELD("__rel_loc char[] track_name", 26, 4, 0) FIELD("char z[2]", 30, 2, 0)));
	draft_slice(&draft, 1300, 'B', "work", 32);
	draft_number(&draft, 16, 8, -2);
	draft_number(&draft, 24, 2, 258);
	draft_number(&draft, 26, 4, 3 << 16 | 3);
	memcpy(draft.bytes + 30, "zy", 2);
	draft_swap(&draft, 0, 2);
	draft_swap(&draft, 4, 4);
	draft_swap(&draft, 12, 4);
	draft_swap(&draft, 16, 8);
	draft_swap(&draft, 24, 2);
	draft_swap(&draft, 26, 4);
	check_draft(convention, &draft, "B 'work' on 'ork' of s-2 y=u258 z='zy'");
	convention_free(convention);
}

/* For every place that a record could name, whether it is inside decides whether it is read. */
static void check_places(const struct convention *convention, bool is_relative)
{
	for (unsigned int offset = 0; offset < 64; offset++) {
		for (unsigned int size = 0; size < 64; size++) {
			unsigned int begin = is_relative ? offset + 16 : offset;
			struct draft draft;
			struct buffer got;
			bool is_read;

			draft_begin(&draft, 5, 7, 40);
			memset(draft.bytes + 16, 'x', 24);
			draft_number(&draft, 8, 1, 'B');
			draft_number(&draft, 12, 4, size << 16 | offset);
			got = draft_read(convention, &draft);
			is_read = strcmp(buffer_string(&got), "unreadable slice_name") != 0;
			buffer_release(&got);
			if (!CHECK(is_read == (begin + size <= 40)))
				return;
		}
	}
}

TEST(places_outside_the_record_are_never_read)
{
	struct convention *convention = convention_new(false);

	convention_add_text(convention, "demo", FORMAT("event", 5, SLICE_FIELDS));
	check_places(convention, false);
	convention_add_text(convention, "demo", FORMAT("event", 5, FIELD("char track_event_type", 8, 1, 0)
						       FIELD("__rel_loc char[] slice_name", 12, 4, 0)));
	check_places(convention, true);
	convention_free(convention);
}

TEST(places_are_taken_with_all_their_bits)
{
	for (unsigned int bit = 6; bit < 16; bit++) {
		struct draft draft;

		draft_slice(&draft, 5, 'B', "work", 16);
		draft_number(&draft, 12, 4, 4 << 16 | 16 | 1 << bit);
		check_by_format(FORMAT("event", 5, SLICE_FIELDS), &draft, "unreadable slice_name");
		draft_number(&draft, 12, 4, UINT32_C(1) << (16 + bit) | 16);
		check_by_format(FORMAT("event", 5, SLICE_FIELDS), &draft, "unreadable slice_name");
	}
}

TEST(a_counter_cut_in_its_value_cannot_be_read)
{
	struct draft draft;

	draft_begin(&draft, 5, 7, 15);
	check_by_format(COUNTER_FORMAT("s64", 8, 1), &draft, "unreadable counter_value");
}

static const char all_fields[] = FORMAT("event", 5, SLICE_FIELDS FIELD("u64 scope_x", 16, 8, 0)
					FIELD("__rel_loc char[] track_name", 24, 4, 0)
					FIELD("char fixed[8]", 28, 8, 0) FIELD("__data_loc u8[] bytes", 36, 4, 0)
					FIELD("__data_loc char[] wide", 40, 8, 0) FIELD("s16 number", 48, 2, 1));

TEST(a_record_cut_anywhere_names_the_first_field_that_is_missing)
{
	struct convention *convention = convention_new(false);
	struct draft draft;

	convention_add_text(convention, "demo", all_fields);
	draft_slice(&draft, 5, 'B', "", 50);
	draft_number(&draft, 12, 4, 0);
	for (draft.size = 0; draft.size <= 50; draft.size++) {
		const char *want = draft.size < 2 ? "no template" :
			draft.size < 9 ? "unreadable track_event_type" :
			draft.size < 16 ? "unreadable slice_name" :
			draft.size < 24 ? "unreadable scope" :
			draft.size < 28 ? "unreadable track_name" : NULL;
		struct buffer got = draft_read(convention, &draft);

		if (want)
			CHECK_TEXT(buffer_string(&got), want);
		else
			CHECK(strncmp(buffer_string(&got), "B '' on '' of u0", 16) == 0);
		buffer_release(&got);
	}
	convention_free(convention);
}

TEST(a_format_without_common_pid_gives_no_observations)
{
	struct draft draft;

	draft_slice(&draft, 5, 'B', "work", 16);
	check_by_format("name: event\nID: 5\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0) "\n" SLICE_FIELDS
			"\nprint fmt: \"\"\n", &draft, "unreadable common_pid");
}

/* Random bytes, many of them 0, with places of data that are mostly somewhere near the record. */
static void draft_random(struct draft *draft, struct dice *dice)
{
	static const unsigned char places[] = { 12, 24, 36, 40 };

	draft->size = dice_below(dice, 120);
	for (size_t at = 0; at < sizeof(draft->bytes); at++)
		draft->bytes[at] = dice_below(dice, 3) ? 0 : dice_roll(dice);
	for (size_t i = 0; i < sizeof(places); i++) {
		if (dice_below(dice, 8))
			draft_number(draft, places[i], 4, dice_below(dice, 60) << 16 | dice_below(dice, 80));
	}
	draft_number(draft, 0, 2, 5);
	if (dice_below(dice, 8))
		draft_number(draft, 8, 1, "BEI"[dice_below(dice, 3)]);
}

TEST(random_records_are_never_read_beyond_their_end)
{
	struct convention *convention = convention_new(false);
	struct dice dice = { .state = 11 };
	unsigned int nr_read = 0;

	convention_add_text(convention, "demo", all_fields);
	for (int i = 0; i < 10000; i++) {
		struct draft draft;
		struct buffer got;

		draft_random(&draft, &dice);
		got = draft_read(convention, &draft);
		nr_read += strchr("BEI", buffer_string(&got)[0]) != NULL;
		buffer_release(&got);
	}
	/* Enough of them have to get through all fields, or this proves little. */
	CHECK(nr_read > 1000);
	convention_free(convention);
}

TEST(formats_with_random_places_are_never_read_beyond_the_record)
{
	struct dice dice = { .state = 12 };

	for (int i = 0; i < 300; i++) {
		struct convention *convention = convention_new(false);
		struct buffer format = { 0 };
		struct draft draft;

		buffer_append_string(&format, all_fields);
		for (int changes = 1 + dice_below(&dice, 12); changes > 0; changes--) {
			size_t at = dice_below(&dice, format.size - 30);

			if (format.data[at] >= '0' && format.data[at] <= '9')
				format.data[at] = '0' + dice_below(&dice, 10);
		}
		convention_add_text(convention, "demo", buffer_string(&format));
		draft_slice(&draft, 5, 'B', "work", 50);
		for (; draft.size > 0; draft.size--) {
			struct buffer got = draft_read(convention, &draft);

			buffer_release(&got);
		}
		buffer_release(&format);
		convention_free(convention);
	}
}
