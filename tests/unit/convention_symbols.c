// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the texts of extra fields: which fields have them, and what is reported. */
#include "convention/convention.h"
#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

#define FIELDS                                                              \
	SLICE_FIELDS FIELD("u8 op", 16, 1, 0) FIELD("int result", 20, 4, 1) \
		FIELD("u32 flags", 24, 4, 0)

#define PRINT                                                                    \
	"\"%s %s %s\", __print_symbolic(REC->track_event_type, { 66, \"B\" }), " \
	"__print_symbolic(REC->op, { 0, \"read\" }, { 1, \"write\" }), "         \
	"__print_flags(REC->flags, \"|\", { 1, \"sync\" }, { 2, \"meta\" })"

#define CRASHING                                                                                 \
	"\"%s\", __print_symbolic(REC->absent, { 1, \"one\" }), __print_flags(REC->op, \"\", { " \
	"1, \"a\" })"

/* Adds an event of this print format; returns its descriptor. */
static const struct descriptor *print_add(struct convention *convention, const char *format,
					  const char *print)
{
	struct buffer text = { 0 };
	const struct descriptor *descriptor;

	buffer_append(&text, format, strlen(format) - strlen("\"\"\n"));
	buffer_append_string(&text, print);
	buffer_append_char(&text, '\n');
	descriptor = convention_add_text(convention, "demo", buffer_string(&text));
	buffer_release(&text);
	CHECK(descriptor != NULL);
	return descriptor;
}

static void message_append(void *context, const char *line)
{
	buffer_printf(context, "%s\n", line);
}

static struct convention *convention_with_symbols(bool is_trusted)
{
	struct convention *convention = convention_new(false);

	convention_want_symbols(convention, is_trusted);
	return convention;
}

static void check_record(const struct convention *convention, unsigned int op, unsigned int flags,
			 const char *want)
{
	struct event_builder builder;

	event_builder_slice(&builder, 5, 'B', "work", 28);
	event_builder_number(&builder, 16, 1, op);
	event_builder_number(&builder, 24, 4, flags);
	check_event(convention, &builder, want);
}

static void check_reports(struct convention *convention, const char *want)
{
	SCOPED_BUFFER(lines);
	const struct report report = { .context = &lines, .message = message_append };

	CHECK_NUMBER(convention_read_symbols(convention, &report), 0);
	CHECK_TEXT(buffer_string(&lines), want);
}

TEST(extra_fields_have_texts_if_they_are_wanted)
{
	struct convention *convention = convention_with_symbols(false);

	print_add(convention, FORMAT("event", 5, FIELDS), PRINT);
	check_reports(convention, "");
	check_record(convention, 1, 7,
		     "B 'work' on 'event' of s7 op='write' result=s0 flags='sync|meta|0x4'");
	check_record(convention, 9, 0, "B 'work' on 'event' of s7 op='0x9' result=s0 flags=''");
	convention_free(convention);
}

TEST(extra_fields_are_numbers_unless_texts_are_wanted)
{
	struct convention *convention = convention_new(false);

	print_add(convention, FORMAT("event", 5, FIELDS), PRINT);
	check_reports(convention, "");
	check_record(convention, 1, 3, "B 'work' on 'event' of s7 op=u1 result=s0 flags=u3");
	convention_free(convention);
}

TEST(crashes_are_reported_in_one_line)
{
	struct convention *convention = convention_with_symbols(false);

	print_add(convention, FORMAT("event", 5, FIELDS), CRASHING);
	check_reports(convention, "demo:event: libtraceevent crashed on the print format; symbolic "
				  "fields are numbers\n");
	check_record(convention, 1, 1, "B 'work' on 'event' of s7 op=u1 result=s0 flags=u1");
	print_add(convention, FORMAT("a", 6, FIELDS), CRASHING);
	print_add(convention, FORMAT("event", 5, FIELDS), PRINT);
	print_add(convention, FORMAT("b", 7, FIELDS), CRASHING);
	check_reports(convention,
		      "demo:a and 1 other tracepoint: libtraceevent crashed on the print "
		      "format; symbolic fields are numbers\n");
	check_record(convention, 1, 1,
		     "B 'work' on 'event' of s7 op='write' result=s0 flags='sync'");
	check_reports(convention, "");
	convention_free(convention);
}

/* The child is only started for fields that are passed on, and 66 is no number of the type's. */
TEST(fields_with_a_role_keep_their_numbers)
{
	struct convention *convention = convention_with_symbols(false);
	struct event_builder builder;
	const struct descriptor *descriptor =
		print_add(convention, FORMAT("event", 5, SLICE_FIELDS),
			  "\"%s\", __print_symbolic(REC->track_event_type, { 66, \"B\" }, { "
			  "REC->absent, \"E\" })");

	check_reports(convention, "");
	CHECK(!descriptor->symbols);
	print_add(convention,
		  FORMAT("level", 6, FIELD("u32 counter_value", 8, 4, 0) FIELD("u8 op", 12, 1, 0)),
		  "\"%s%s\", __print_symbolic(REC->counter_value, { 1, \"one\" }), "
		  "__print_symbolic(REC->op, { 0, \"read\" })");
	check_reports(convention, "");
	event_builder_begin(&builder, 6, 7, 16);
	event_builder_number(&builder, 8, 4, 1);
	check_event(convention, &builder, "C u1 on 'level' of s7 op='read'");
	convention_free(convention);
}

/* Formats of 1 MiB together are read at once. */
TEST(many_formats_need_little_memory)
{
	struct convention *convention = convention_with_symbols(false);
	SCOPED_BUFFER(print);

	buffer_append_string(&print, PRINT);
	while (print.size < 100 * 1024)
		buffer_append_char(&print, ' ');
	for (int i = 0; i < 30; i++) {
		print_add(convention, FORMAT("event", 5, FIELDS), buffer_string(&print));
		CHECK(convention->symbols.pending_size <= 1024 * 1024);
	}
	check_reports(convention, "");
	check_record(convention, 1, 1,
		     "B 'work' on 'event' of s7 op='write' result=s0 flags='sync'");
	convention_free(convention);
}

TEST(dropped_descriptors_give_their_memory_back)
{
	struct convention *convention = convention_with_symbols(false);
	const struct descriptor *descriptor = print_add(convention, FORMAT("event", 5, FIELDS),
							PRINT);

	check_reports(convention, "");
	CHECK(descriptor->symbols != NULL);
	CHECK(convention->used_size > 0);
	convention_drop(convention, descriptor);
	CHECK_NUMBER(convention->used_size, 0);
	convention_free(convention);
}

TEST(an_unreadable_field_does_not_move_the_texts)
{
	struct convention *convention = convention_with_symbols(false);
	struct event_builder builder;

	print_add(convention,
		  FORMAT("event", 5,
			 SLICE_FIELDS FIELD("__data_loc char[] path", 16, 4, 0)
				 FIELD("u8 op", 20, 1, 0)),
		  "\"%s\", __print_symbolic(REC->op, { 1, \"write\" })");
	check_reports(convention, "");
	event_builder_slice(&builder, 5, 'B', "work", 24);
	event_builder_number(&builder, 16, 4, 0xffffffff);
	event_builder_number(&builder, 20, 1, 1);
	check_event(convention, &builder, "B 'work' on 'event' of s7 op='write'");
	convention_free(convention);
}
