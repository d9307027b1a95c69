// SPDX-License-Identifier: GPL-2.0-only
/* Tests of which formats follow the convention, and as what. */
#include "convention/convention.h"

#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

static void check_format(const char *format, const char *want)
{
	struct convention *convention = convention_new(false);
	const struct descriptor *descriptor;
	SCOPED_BUFFER(got);
	struct error error = { 0 };

	if (convention_add(convention, "demo", text_of(format), &descriptor, &error) != 0)
		buffer_append_string(&got, error.text);
	else if (!descriptor)
		buffer_append_string(&got, "does not follow");
	else
		append_descriptor(&got, descriptor);
	CHECK_TEXT(buffer_string(&got), want);
	CHECK_NUMBER(convention_size(convention), descriptor ? 1 : 0);
	CHECK(!descriptor || convention_descriptor(convention, 0) == descriptor);
	convention_free(convention);
}

#define CHECK_FIELDS(fields, want) check_format(FORMAT("event", 1300, fields), want)

TEST(the_two_slice_fields_or_a_counter_value_make_a_tracepoint_follow)
{
	CHECK_FIELDS(SLICE_FIELDS, "slice demo:event thread");
	CHECK_FIELDS(FIELD("s64 counter_value", 8, 8, 1), "counter demo:event thread");
	CHECK_FIELDS(FIELD("char track_event_type", 8, 1, 0), "does not follow");
	CHECK_FIELDS(FIELD("__data_loc char[] slice_name", 12, 4, 0), "does not follow");
	CHECK_FIELDS(FIELD("char track_event_types", 8, 1, 0)
			     FIELD("__data_loc char[] slice_name", 12, 4, 0),
		     "does not follow");
	CHECK_FIELDS(FIELD("s64 my_counter_value", 8, 8, 1), "does not follow");
	CHECK_FIELDS("", "does not follow");
}

TEST(scopes_are_distinguished_by_their_names)
{
	CHECK_FIELDS(SLICE_FIELDS FIELD("s32 scope_tgid", 16, 4, 1),
		     "slice demo:event process scope_tgid");
	CHECK_FIELDS(SLICE_FIELDS FIELD("u32 scope_cpu", 16, 4, 0),
		     "slice demo:event cpu scope_cpu");
	CHECK_FIELDS(SLICE_FIELDS FIELD("u8 scope_queue", 16, 1, 0),
		     "slice demo:event custom scope_queue");
	CHECK_FIELDS(SLICE_FIELDS FIELD("s64 scope_", 16, 8, 1), "slice demo:event custom scope_");
	CHECK_FIELDS(SLICE_FIELDS FIELD("s64 scope_tgids", 16, 8, 1),
		     "slice demo:event custom scope_tgids");
	CHECK_FIELDS(SLICE_FIELDS FIELD("s64 scoped", 16, 8, 1), "slice demo:event thread: scoped");
}

TEST(types_of_the_macros_mark_keys_ids_and_results)
{
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_scope_u32 scope_dev", 16, 4, 0)
			     FIELD("ktrack_scope_s32 scope_tgid", 20, 4, 1),
		     "slice demo:event process scope_tgid after scope_dev");
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_scope_u32 scope_dev", 16, 4, 0)
			     FIELD("u32 scope_queue", 20, 4, 0),
		     "slice demo:event custom scope_queue: scope_dev");
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_async_id scope_request", 16, 8, 0),
		     "slice demo:event global async: request");
	CHECK_FIELDS(SLICE_FIELDS FIELD("u32 scope_queue", 16, 4, 0)
			     FIELD("ktrack_async_id scope_request", 24, 8, 0),
		     "slice demo:event custom scope_queue async: request");
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_scope_global scope_global", 16, 1, 0),
		     "slice demo:event global");
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_result result", 16, 8, 1)
			     FIELD("u32 bytes", 24, 4, 0),
		     "slice demo:event thread: bytes result");
	CHECK_FIELDS(FIELD("s64 counter_value", 8, 8, 1)
			     FIELD("ktrack_async_id scope_request", 16, 8, 0),
		     "counter demo:event global: request");
}

TEST(a_flow_is_a_field_by_its_type)
{
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_flow_id request", 16, 8, 0)
			     FIELD("u32 bytes", 24, 4, 0) FIELD("ktrack_flow_id batch", 32, 8, 0),
		     "slice demo:event thread: bytes flow request flow batch");
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_flow_id flow", 16, 4, 0),
		     "slice demo:event thread flow flow");
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_flow_id scope_x", 16, 8, 0),
		     "slice demo:event custom scope_x");
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_flow_id * pointer", 16, 8, 0)
			     FIELD("ktrack_flow_id pair[2]", 24, 16, 0),
		     "slice demo:event thread: pointer pair");
	CHECK_FIELDS(FIELD("s64 counter_value", 8, 8, 1) FIELD("ktrack_flow_id request", 16, 8, 0),
		     "counter demo:event thread: request");
}

TEST(more_flows_than_the_limit_are_extra_fields)
{
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_flow_id a", 16, 8, 0)
			     FIELD("ktrack_flow_id b", 24, 8, 0)
				     FIELD("ktrack_flow_id c", 32, 8, 0)
					     FIELD("ktrack_flow_id d", 40, 8, 0)
						     FIELD("ktrack_flow_id e", 48, 8, 0),
		     "slice demo:event thread: e flow a flow b flow c flow d");
}

TEST(the_last_of_several_scopes_counts)
{
	CHECK_FIELDS(SLICE_FIELDS FIELD("s32 scope_tgid", 16, 4, 1) FIELD("s32 scope_x", 20, 4, 1),
		     "slice demo:event custom scope_x: scope_tgid");
	CHECK_FIELDS(SLICE_FIELDS FIELD("s32 scope_x", 20, 4, 1) FIELD("s32 scope_tgid", 16, 4, 1),
		     "slice demo:event process scope_tgid: scope_x");
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_scope_u32 scope_dev", 16, 4, 0)
			     FIELD("ktrack_scope_global scope_global", 20, 1, 0),
		     "slice demo:event global: scope_dev");
	CHECK_FIELDS(SLICE_FIELDS FIELD("ktrack_scope_global scope_global", 20, 1, 0)
			     FIELD("ktrack_scope_u32 scope_dev", 16, 4, 0),
		     "slice demo:event custom scope_dev: scope_global");
}

TEST(a_scope_that_is_no_integer_is_an_extra_field)
{
	CHECK_FIELDS(SLICE_FIELDS FIELD("__data_loc char[] scope_x", 16, 4, 0),
		     "slice demo:event thread: scope_x");
	CHECK_FIELDS(SLICE_FIELDS FIELD("u32 scope_x[2]", 16, 8, 0),
		     "slice demo:event thread: scope_x");
	CHECK_FIELDS(SLICE_FIELDS FIELD("struct pair scope_x", 16, 8, 0),
		     "slice demo:event thread: scope_x");
	CHECK_FIELDS(SLICE_FIELDS FIELD("bool scope_x", 16, 1, 0),
		     "slice demo:event thread: scope_x");
	CHECK_FIELDS(SLICE_FIELDS FIELD("struct triple scope_x", 16, 3, 0),
		     "slice demo:event thread: scope_x");
	CHECK_FIELDS(SLICE_FIELDS FIELD("void * scope_x[2]", 16, 16, 0),
		     "slice demo:event thread: scope_x");
}

TEST(a_scope_that_is_a_pointer_is_custom)
{
	CHECK_FIELDS(SLICE_FIELDS FIELD("void * scope_x", 16, 8, 0),
		     "slice demo:event custom scope_x");
	CHECK_FIELDS(SLICE_FIELDS FIELD("const struct request *scope_x", 16, 8, 0),
		     "slice demo:event custom scope_x");
	CHECK_FIELDS(SLICE_FIELDS FIELD("void * scope_tgid", 16, 8, 0),
		     "slice demo:event custom scope_tgid");
	CHECK_FIELDS(SLICE_FIELDS FIELD("void * scope_cpu", 16, 4, 0),
		     "slice demo:event custom scope_cpu");
}

TEST(slices_win_over_counters_and_an_incomplete_slice_is_a_counter)
{
	CHECK_FIELDS(SLICE_FIELDS FIELD("s64 counter_value", 16, 8, 1),
		     "slice demo:event thread: counter_value");
	CHECK_FIELDS(FIELD("char track_event_type", 8, 1, 0) FIELD("s64 counter_value", 16, 8, 1),
		     "counter demo:event thread: track_event_type");
	CHECK_FIELDS(FIELD("__data_loc char[] slice_name", 8, 4, 0)
			     FIELD("s64 counter_value", 16, 8, 1),
		     "counter demo:event thread: slice_name");
}

#define TYPE(declaration, size)                            \
	FIELD(declaration " track_event_type", 8, size, 0) \
	FIELD("__data_loc char[] slice_name", 16, 4, 0)

TEST(the_type_is_an_integer_of_any_width)
{
	CHECK_FIELDS(TYPE("u8", 1), "slice demo:event thread");
	CHECK_FIELDS(TYPE("short", 2), "slice demo:event thread");
	CHECK_FIELDS(TYPE("unsigned int", 4), "slice demo:event thread");
	CHECK_FIELDS(TYPE("enum kind", 4), "slice demo:event thread");
	CHECK_FIELDS(TYPE("u64", 8), "slice demo:event thread");
	CHECK_FIELDS(TYPE("bool", 1), "does not follow");
	CHECK_FIELDS(TYPE("char *", 8), "does not follow");
	CHECK_FIELDS(TYPE("__data_loc char[]", 4), "does not follow");
	CHECK_FIELDS(FIELD("char track_event_type[4]", 8, 4, 0)
			     FIELD("char slice_name[4]", 12, 4, 0),
		     "does not follow");
}

#define NAME(declaration, size) \
	FIELD("char track_event_type", 8, 1, 0) FIELD(declaration, 16, size, 0)

TEST(names_are_characters_of_any_kind_of_array)
{
	CHECK_FIELDS(NAME("__data_loc char[] slice_name", 4), "slice demo:event thread");
	CHECK_FIELDS(NAME("__data_loc const char[] slice_name", 4), "slice demo:event thread");
	CHECK_FIELDS(NAME("__data_loc signed char[] slice_name", 4), "slice demo:event thread");
	CHECK_FIELDS(NAME("__data_loc char[] slice_name", 8), "slice demo:event thread");
	CHECK_FIELDS(NAME("__rel_loc char[] slice_name", 4), "slice demo:event thread");
	CHECK_FIELDS(NAME("char slice_name[16]", 16), "slice demo:event thread");
	CHECK_FIELDS(NAME("const char slice_name[16]", 16), "slice demo:event thread");
	CHECK_FIELDS(NAME("char slice_name[]", 16), "slice demo:event thread");
	CHECK_FIELDS(NAME("char slice_name[TASK_COMM_LEN]", 16), "slice demo:event thread");
}

TEST(bytes_pointers_and_numbers_are_no_names)
{
	CHECK_FIELDS(NAME("__data_loc u8[] slice_name", 4), "does not follow");
	CHECK_FIELDS(NAME("__data_loc unsigned char[] slice_name", 4), "does not follow");
	CHECK_FIELDS(NAME("__rel_loc u8[] slice_name", 4), "does not follow");
	CHECK_FIELDS(NAME("u8 slice_name[16]", 16), "does not follow");
	CHECK_FIELDS(NAME("unsigned char slice_name[16]", 16), "does not follow");
	CHECK_FIELDS(NAME("char * slice_name", 8), "does not follow");
	CHECK_FIELDS(NAME("char * slice_name[2]", 16), "does not follow");
	CHECK_FIELDS(NAME("struct char_device slice_name[2]", 16), "does not follow");
	CHECK_FIELDS(NAME("uchar slice_name[16]", 16), "does not follow");
	CHECK_FIELDS(NAME("char slice_name", 1), "does not follow");
	CHECK_FIELDS(NAME("u64 slice_name", 8), "does not follow");
}

TEST(a_track_name_that_is_no_text_is_an_extra_field)
{
	CHECK_FIELDS(SLICE_FIELDS FIELD("__data_loc char[] track_name", 16, 4, 0),
		     "slice demo:event thread track_name");
	CHECK_FIELDS(SLICE_FIELDS FIELD("char track_name[8]", 16, 8, 0),
		     "slice demo:event thread track_name");
	CHECK_FIELDS(SLICE_FIELDS FIELD("u32 track_name", 16, 4, 0),
		     "slice demo:event thread: track_name");
	CHECK_FIELDS(SLICE_FIELDS FIELD("char * track_name", 16, 8, 0),
		     "slice demo:event thread: track_name");
}

#define VALUE(declaration, size) FIELD(declaration, 8, size, 1)

TEST(counters_are_integers_or_truths)
{
	CHECK_FIELDS(VALUE("s8 counter_value", 1), "counter demo:event thread");
	CHECK_FIELDS(VALUE("pid_t counter_value", 4), "counter demo:event thread");
	CHECK_FIELDS(VALUE("bool counter_value", 1), "counter demo:event thread");
	CHECK_FIELDS(VALUE("void * counter_value", 8), "does not follow");
	CHECK_FIELDS(VALUE("u32 counter_value[2]", 8), "does not follow");
	CHECK_FIELDS(VALUE("__data_loc char[] counter_value", 4), "does not follow");
	CHECK_FIELDS(VALUE("char counter_value[8]", 8), "does not follow");
	CHECK_FIELDS(VALUE("struct big counter_value", 16), "does not follow");
}

TEST(a_format_that_says_what_cannot_be_is_refused)
{
	check_format("name: event\nID: 65536\nformat:\n" VALUE("s8 counter_value",
							       1) "\n\nprint fmt: \"\"\n",
		     "demo:event has the impossible id 65536");
	check_format("counter_value", "the format of a tracepoint in system demo cannot be read");
	check_format("", "does not follow");
}

TEST(a_print_format_that_nobody_understands_does_no_harm)
{
	check_format("name: event\nID: 5\nformat:\n" FIELD("int common_pid", 4, 4, 1) "\n" VALUE(
			     "s8 counter_value",
			     1) "\nprint fmt: \"%d %pZ\", ({ while (1) REC->x(); }), sizeof(",
		     "counter demo:event thread");
}

TEST(fields_at_impossible_places_are_no_fields)
{
	CHECK_FIELDS(FIELD("s64 counter_value", 4294967295, 8, 1), "does not follow");
	CHECK_FIELDS(FIELD("s64 counter_value", 8, 0, 1), "does not follow");
	CHECK_FIELDS(NAME("char slice_name[0]", 0), "does not follow");
	CHECK_FIELDS(FIELD("s64 counter_value", 8, 4294967295, 1), "does not follow");
}

static struct buffer many_fields_format(size_t nr_fields)
{
	struct buffer format = { 0 };

	buffer_append_string(&format, "name: event\nID: 5\nformat:\n" FIELD(
					      "int common_pid", 4, 4,
					      1) "\n" FIELD("s64 counter_value", 8, 8, 1));
	for (size_t i = 0; i < nr_fields; i++)
		buffer_printf(&format, "\tfield:u8 f%zu;\toffset:%zu;\tsize:1;\tsigned:0;\n", i,
			      16 + i);
	buffer_append_string(&format, "\nprint fmt: \"\"\n");
	return format;
}

TEST(all_extra_fields_are_kept_however_many)
{
	struct convention *convention = convention_new(false);
	struct buffer format = many_fields_format(500);
	const struct descriptor *descriptor = convention_add_text(convention, "demo",
								  buffer_string(&format));

	if (CHECK(descriptor != NULL)) {
		CHECK_NUMBER(descriptor->nr_extras, 500);
		CHECK_TEXT(descriptor->extras[499].name, "f499");
	}
	buffer_release(&format);
	convention_free(convention);
}

/* Adds a tracepoint of its own name, or an event of a program; returns what convention_add() does. */
static int numbered_add(struct convention *convention, int number, bool is_of_program,
			bool is_of_many, const struct descriptor **out)
{
	struct buffer format = { 0 };
	struct error error = { 0 };
	int status;

	buffer_printf(&format, "name: event%d\nID: %d\nformat:\n%s\n%s", number, number % 65536,
		      FIELD("int common_pid", 4, 4, 1), FIELD("s64 counter_value", 8, 8, 1));
	status = is_of_program ? convention_add_program(convention, "demo", buffer_text(&format),
							is_of_many, out, &error)
			       : convention_add(convention, "demo", buffer_text(&format), out, &error);
	buffer_release(&format);
	return status;
}

static int add_numbered(struct convention *convention, int number, const struct descriptor **out)
{
	return numbered_add(convention, number, false, false, out);
}

TEST(above_8192_tracepoints_are_left_out)
{
	struct convention *convention = convention_new(false);
	const struct descriptor *descriptor, *first = NULL;

	for (int i = 0; i < CONVENTION_DESCRIPTORS_MAX; i++) {
		CHECK_NUMBER(add_numbered(convention, i, &descriptor), 0);
		first = first ? first : descriptor;
	}
	CHECK_NUMBER(descriptor->index, CONVENTION_DESCRIPTORS_MAX - 1);
	CHECK_NUMBER(add_numbered(convention, 10000, &descriptor), 1);
	CHECK(!descriptor);
	CHECK_NUMBER(add_numbered(convention, 10001, &descriptor), 0);
	CHECK(!descriptor);
	CHECK_NUMBER(convention_size(convention), CONVENTION_DESCRIPTORS_MAX);
	/* A module that is unloaded frees space, as often as it comes again. */
	for (int i = 0; i < 3; i++) {
		convention_drop(convention, first);
		convention_drop(convention, first);
		CHECK_NUMBER(add_numbered(convention, 0, &descriptor), 0);
		CHECK(descriptor && descriptor->index == 0);
		first = descriptor;
	}
	convention_free(convention);
}

/* One user's programs must not keep the events of others out of a stream. */
TEST(many_events_of_a_user_leave_a_quarter_to_others)
{
	enum { NR_MANY = CONVENTION_DESCRIPTORS_MAX / 4 * 3 };
	struct convention *convention = convention_new(false);
	const struct descriptor *descriptor;

	for (int i = 0; i < NR_MANY; i++)
		CHECK_NUMBER(numbered_add(convention, i, true, true, &descriptor), 0);
	CHECK(descriptor != NULL);
	CHECK_NUMBER(numbered_add(convention, NR_MANY, true, true, &descriptor), 1);
	CHECK(!descriptor);
	CHECK_NUMBER(numbered_add(convention, NR_MANY + 1, true, false, &descriptor), 0);
	CHECK(descriptor != NULL);
	CHECK_NUMBER(add_numbered(convention, NR_MANY + 2, &descriptor), 0);
	CHECK(descriptor != NULL);
	convention_free(convention);
}

TEST(fields_of_all_tracepoints_are_bounded_too)
{
	struct convention *convention = convention_new(false);
	struct buffer format = many_fields_format(1000);
	size_t nr_added = 0;

	while (nr_added < 1000 && convention_add_text(convention, "demo", buffer_string(&format)))
		nr_added++;
	CHECK(nr_added > 10 && nr_added < 100);
	buffer_release(&format);
	convention_free(convention);
}

static const struct descriptor *found(const struct convention *convention, unsigned int id)
{
	const unsigned char bytes[2] = { id & 255, id >> 8 };
	struct record record = { .data = bytes, .size = sizeof(bytes) };

	return record_descriptor(convention, &record);
}

TEST(records_are_distinguished_by_the_id_of_their_event)
{
	struct convention *convention = convention_new(false);
	const struct descriptor *a = convention_add_text(convention, "a",
							 FORMAT("same", 5, SLICE_FIELDS));
	const struct descriptor *b = convention_add_text(convention, "b",
							 FORMAT("same", 65535, SLICE_FIELDS));

	CHECK_NUMBER(convention_size(convention), 2);
	CHECK_TEXT(a->category, "a:same");
	CHECK_TEXT(b->category, "b:same");
	CHECK_TEXT(b->name, "same");
	CHECK_NUMBER(b->index, 1);
	CHECK(found(convention, 5) == a);
	CHECK(found(convention, 65535) == b);
	CHECK(!found(convention, 6));
	convention_free(convention);
}

TEST(an_id_that_is_used_again_means_the_newer_event)
{
	struct convention *convention = convention_new(false);

	convention_add_text(convention, "old", FORMAT("gone", 5, SLICE_FIELDS));
	convention_add_text(convention, "new", FORMAT("here", 5, SLICE_FIELDS));
	CHECK_NUMBER(convention_size(convention), 2);
	CHECK_TEXT(found(convention, 5)->category, "new:here");
	CHECK_TEXT(convention_descriptor(convention, 0)->category, "old:gone");
	convention_free(convention);
}

TEST(a_record_too_short_for_an_id_is_of_no_event)
{
	struct convention *convention = convention_new(false);
	unsigned char *byte = calloc(1, 1);
	struct record record = { .data = byte, .size = 1 };

	convention_add_text(convention, "demo", FORMAT("event", 0, SLICE_FIELDS));
	CHECK(!record_descriptor(convention, &record));
	record.size = 0;
	CHECK(!record_descriptor(convention, &record));
	free(byte);
	convention_free(convention);
}

TEST(freeing_nothing_is_fine)
{
	convention_free(NULL);
}
