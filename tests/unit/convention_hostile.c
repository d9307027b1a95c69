// SPDX-License-Identifier: GPL-2.0-only
/* Tests of records and formats that lie about where their data are. */
#include "convention/convention.h"

#include "fixtures/random.h"
#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

/* For every place that a record could name, whether it is inside decides whether it is read. */
static void check_places(const struct convention *convention, bool is_relative)
{
	for (unsigned int offset = 0; offset < 64; offset++) {
		for (unsigned int size = 0; size < 64; size++) {
			unsigned int begin = is_relative ? offset + 16 : offset;
			struct event_builder builder;
			struct buffer got;
			bool is_read;

			event_builder_begin(&builder, 5, 7, 40);
			memset(builder.bytes + 16, 'x', 24);
			event_builder_number(&builder, 8, 1, 'B');
			event_builder_number(&builder, 12, 4, size << 16 | offset);
			got = event_builder_read(convention, &builder);
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
		struct event_builder builder;

		event_builder_slice(&builder, 5, 'B', "work", 16);
		event_builder_number(&builder, 12, 4, 4 << 16 | 16 | 1 << bit);
		check_by_format(FORMAT("event", 5, SLICE_FIELDS), &builder,
				"unreadable slice_name");
		event_builder_number(&builder, 12, 4, UINT32_C(1) << (16 + bit) | 16);
		check_by_format(FORMAT("event", 5, SLICE_FIELDS), &builder,
				"unreadable slice_name");
	}
}

TEST(a_counter_cut_in_its_value_cannot_be_read)
{
	struct event_builder builder;

	event_builder_begin(&builder, 5, 7, 15);
	check_by_format(COUNTER_FORMAT("s64", 8, 1), &builder, "unreadable counter_value");
}

static const char all_fields[] = FORMAT(
	"event", 5,
	SLICE_FIELDS FIELD("u64 scope_x", 16, 8, 0) FIELD("__rel_loc char[] track_name", 24, 4, 0)
		FIELD("char fixed[8]", 28, 8, 0) FIELD("__data_loc u8[] bytes", 36, 4, 0)
			FIELD("__data_loc char[] wide", 40, 8, 0) FIELD("s16 number", 48, 2, 1));

TEST(a_record_cut_anywhere_names_the_first_field_that_is_missing)
{
	struct convention *convention = convention_new(false);
	struct event_builder builder;

	convention_add_text(convention, "demo", all_fields);
	event_builder_slice(&builder, 5, 'B', "", 50);
	event_builder_number(&builder, 12, 4, 0);
	for (builder.size = 0; builder.size <= 50; builder.size++) {
		const char *want = builder.size < 2    ? "no descriptor"
				   : builder.size < 9  ? "unreadable track_event_type"
				   : builder.size < 16 ? "unreadable slice_name"
				   : builder.size < 24 ? "unreadable scope"
				   : builder.size < 28 ? "unreadable track_name"
						       : NULL;
		struct buffer got = event_builder_read(convention, &builder);

		if (want)
			CHECK_TEXT(buffer_string(&got), want);
		else
			CHECK(strncmp(buffer_string(&got), "B '' on '' of u0", 16) == 0);
		buffer_release(&got);
	}
	convention_free(convention);
}

/* A record of a slice without a name, whose last field of 8 bytes is at 24. */
static void check_cut_in_the_last_field(const char *format)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "", 32);
	event_builder_number(&builder, 12, 4, 0);
	for (builder.size = 24; builder.size < 32; builder.size++)
		check_by_format(format, &builder, "unreadable scope");
}

TEST(a_record_cut_in_an_outer_scope_or_an_id_has_no_scope)
{
	check_cut_in_the_last_field(FORMAT("event", 5,
					   SLICE_FIELDS
						   FIELD("ktrack_scope_u64 scope_dev", 24, 8, 0)
							   FIELD("ktrack_scope_u32 scope_queue",
								 16, 4, 0)));
	check_cut_in_the_last_field(
		FORMAT("event", 5,
		       SLICE_FIELDS FIELD("ktrack_async_id scope_request", 24, 8, 0)));
}

TEST(a_format_without_common_pid_gives_no_events)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "work", 16);
	check_by_format("name: event\nID: 5\nformat:\n" FIELD("unsigned short common_type", 0, 2,
							      0) "\n" SLICE_FIELDS
								 "\nprint fmt: \"\"\n",
			&builder, "unreadable common_pid");
}

/* A format whose common_pid is not what it is in every kernel. */
static void check_pid_field(const char *line)
{
	SCOPED_BUFFER(format);
	struct event_builder builder;

	buffer_printf(&format,
		      "name: event\nID: 5\nformat:\n"
		      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		      "%s\n" SLICE_FIELDS "\nprint fmt: \"\"\n",
		      line);
	event_builder_slice(&builder, 5, 'B', "work", 24);
	event_builder_number(&builder, 16, 8, UINT64_C(0x8000000180000000));
	check_by_format(buffer_string(&format), &builder, "unreadable common_pid");
}

TEST(a_common_pid_that_is_no_number_makes_records_malformed)
{
	check_pid_field(FIELD("int common_pid", 4, 5, 1));
	check_pid_field(FIELD("int common_pid[1]", 4, 4, 1));
	check_pid_field(FIELD("char common_pid[4]", 4, 4, 1));
	check_pid_field(FIELD("__data_loc char[] common_pid", 12, 4, 0));
	check_pid_field(FIELD("void * common_pid", 4, 4, 1));
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
static void event_builder_random(struct event_builder *builder, struct random *random)
{
	static const unsigned char places[] = { 12, 24, 36, 40 };

	builder->size = random_below(random, 120);
	for (size_t at = 0; at < sizeof(builder->bytes); at++)
		builder->bytes[at] = random_below(random, 3) ? 0 : random_next(random);
	for (size_t i = 0; i < sizeof(places); i++) {
		if (random_below(random, 8))
			event_builder_number(builder, places[i], 4,
					     random_below(random, 60) << 16 |
						     random_below(random, 80));
	}
	event_builder_number(builder, 0, 2, 5);
	if (random_below(random, 8))
		event_builder_number(builder, 8, 1, "BEI"[random_below(random, 3)]);
}

TEST(random_records_are_never_read_beyond_their_end)
{
	struct convention *convention = convention_new(false);
	struct random random = { .state = 11 };
	unsigned int nr_read = 0;

	convention_add_text(convention, "demo", all_fields);
	for (int i = 0; i < 10000; i++) {
		struct event_builder builder;
		struct buffer got;

		event_builder_random(&builder, &random);
		got = event_builder_read(convention, &builder);
		nr_read += strchr("BEI", buffer_string(&got)[0]) != NULL;
		buffer_release(&got);
	}
	/* Enough of them have to get through all fields, or this proves little. */
	CHECK(nr_read > 1000);
	convention_free(convention);
}

TEST(formats_with_random_places_are_never_read_beyond_the_record)
{
	struct random random = { .state = 12 };

	for (int i = 0; i < 300; i++) {
		struct convention *convention = convention_new(false);
		struct buffer format = { 0 };
		struct event_builder builder;

		buffer_append_string(&format, all_fields);
		for (int changes = 1 + random_below(&random, 12); changes > 0; changes--) {
			size_t at = random_below(&random, format.size - 30);

			if (format.data[at] >= '0' && format.data[at] <= '9')
				format.data[at] = '0' + random_below(&random, 10);
		}
		convention_add_text(convention, "demo", buffer_string(&format));
		event_builder_slice(&builder, 5, 'B', "work", 50);
		for (; builder.size > 0; builder.size--) {
			struct buffer got = event_builder_read(convention, &builder);

			buffer_release(&got);
		}
		buffer_release(&format);
		convention_free(convention);
	}
}
