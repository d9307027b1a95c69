// SPDX-License-Identifier: GPL-2.0-only
/* Tests of records and formats that lie about where their data are. */
#include "convention/convention.h"

#include "dice.h"
#include "format.h"
#include "tap.h"

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
	convention_add_text(convention, "demo",
			    FORMAT("event", 5,
				   FIELD("char track_event_type", 8, 1, 0)
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

static const char all_fields[] = FORMAT(
	"event", 5,
	SLICE_FIELDS FIELD("u64 scope_x", 16, 8, 0) FIELD("__rel_loc char[] track_name", 24, 4, 0)
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
		const char *want = draft.size < 2    ? "no template"
				   : draft.size < 9  ? "unreadable track_event_type"
				   : draft.size < 16 ? "unreadable slice_name"
				   : draft.size < 24 ? "unreadable scope"
				   : draft.size < 28 ? "unreadable track_name"
						     : NULL;
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
	check_by_format("name: event\nID: 5\nformat:\n" FIELD("unsigned short common_type", 0, 2,
							      0) "\n" SLICE_FIELDS
								 "\nprint fmt: \"\"\n",
			&draft, "unreadable common_pid");
}

/* A format whose common_pid is not what it is in every kernel. */
static void check_pid_field(const char *line)
{
	struct buffer format = { 0 };
	struct draft draft;

	buffer_printf(&format,
		      "name: event\nID: 5\nformat:\n"
		      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		      "%s\n" SLICE_FIELDS "\nprint fmt: \"\"\n",
		      line);
	draft_slice(&draft, 5, 'B', "work", 24);
	draft_number(&draft, 16, 8, UINT64_C(0x8000000180000000));
	check_by_format(buffer_string(&format), &draft, "unreadable common_pid");
	buffer_release(&format);
}

TEST(a_common_pid_that_is_no_number_makes_records_malformed)
{
	check_pid_field(FIELD("int common_pid", 4, 5, 1));
	check_pid_field(FIELD("int common_pid[1]", 4, 4, 1));
	check_pid_field(FIELD("char common_pid[4]", 4, 4, 1));
	check_pid_field(FIELD("__data_loc char[] common_pid", 12, 4, 0));
	check_pid_field(FIELD("struct pid common_pid", 4, 4, 0));
	check_pid_field(FIELD("bool common_pid", 4, 1, 0));
	check_pid_field(FIELD("void * common_pid", 16, 8, 0));
}

TEST(a_common_pid_that_no_thread_can_have_makes_records_malformed)
{
	check_pid_field(FIELD("u64 common_pid", 16, 8, 0));
	check_pid_field(FIELD("u32 common_pid", 20, 4, 0));
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
			draft_number(draft, places[i], 4,
				     dice_below(dice, 60) << 16 | dice_below(dice, 80));
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
