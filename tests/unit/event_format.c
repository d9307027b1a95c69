// SPDX-License-Identifier: GPL-2.0-only
/* Tests of taking format files apart: as libtraceevent does it where a kernel wrote them. */
#include "event/format.h"

#include <event-parse.h>
#include <glob.h>
#include <string.h>

#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

/*
 * The type's words without blanks, since libtraceevent puts them together anew; and without the
 * brackets that it takes from behind the name.
 */
static void append_squeezed(struct buffer *out, const char *text, bool is_array)
{
	for (; *text && !(is_array && *text == '['); text++) {
		if (*text != ' ')
			buffer_append_char(out, *text);
	}
	if (is_array)
		buffer_append_string(out, "[]");
}

static struct buffer show_theirs(const struct tep_event *event)
{
	struct buffer out = { 0 };

	buffer_printf(&out, "%s %d\n", event->name, event->id);
	for (struct tep_format_field *field = event->format.fields; field; field = field->next) {
		unsigned long flags = field->flags;
		bool is_array = flags & TEP_FIELD_IS_ARRAY && !(flags & TEP_FIELD_IS_DYNAMIC);

		append_squeezed(&out, field->type, is_array);
		buffer_printf(&out, " %s %d %d %d %d %d %d\n", field->name, field->offset,
			      field->size, !!(flags & TEP_FIELD_IS_SIGNED),
			      !!(flags & TEP_FIELD_IS_POINTER), !!(flags & TEP_FIELD_IS_DYNAMIC),
			      !!(flags & TEP_FIELD_IS_RELATIVE));
	}
	return out;
}

static struct buffer show_ours(const struct format *format)
{
	struct buffer out = { 0 };

	buffer_printf(&out, "%s %d\n", format->name, (int)format->id);
	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		const struct format_field *field = &format->fields[i];

		append_squeezed(&out, field->type, field->is_array);
		buffer_printf(&out, " %s %d %d %d %d %d %d\n", field->name, (int)field->offset,
			      (int)field->size, field->is_signed, field->is_pointer,
			      field->is_dynamic, field->is_relative);
	}
	return out;
}

static void check_file(const char *path)
{
	struct tep_handle *tep = tep_alloc();
	struct buffer text = { 0 }, theirs, ours;
	struct tep_event *event = NULL;
	SCOPED(format) format;

	CHECK_NUMBER(file_read(path, &text), 0);
	CHECK_NUMBER(tep_parse_format(tep, &event, text.data, text.size, "system"), 0);
	CHECK_NUMBER(format_parse(&format, buffer_text(&text)), 0);
	theirs = show_theirs(event);
	ours = show_ours(&format);
	CHECK_TEXT(buffer_string(&ours), buffer_string(&theirs));
	buffer_release(&theirs);
	buffer_release(&ours);
	buffer_release(&text);
	tep_free(tep);
}

TEST(formats_of_real_kernels_are_read_as_libtraceevent_reads_them)
{
	glob_t paths;

	CHECK_NUMBER(glob("tests/formats/*/*/*", 0, NULL, &paths), 0);
	CHECK(paths.gl_pathc > 50);
	for (size_t i = 0; i < paths.gl_pathc; i++)
		check_file(paths.gl_pathv[i]);
	globfree(&paths);
}

static void check_fields(const char *fields, const char *want)
{
	SCOPED_BUFFER(text);
	SCOPED_BUFFER(got);
	SCOPED(format) format;

	buffer_printf(&text,
		      "name: event\nID: 5\nformat:\n\tfield:int common_pid;\toffset:4;"
		      "\tsize:4;\tsigned:1;\n\n%s\nprint fmt: \"field:\"\n",
		      fields);
	if (format_parse(&format, buffer_text(&text)) == 0)
		got = show_ours(&format);
	CHECK_TEXT(buffer_string(&got), want);
}

TEST(declarations_are_split_into_type_and_name)
{
	check_fields(FIELD("unsigned  int x", 8, 4, 0), "event 5\nunsignedint x 8 4 0 0 0 0\n");
	check_fields(FIELD("char *x", 8, 8, 0), "event 5\nchar* x 8 8 0 1 0 0\n");
	check_fields(FIELD("const char * const x[2]", 8, 8, 0),
		     "event 5\nconstchar*const[] x 8 8 0 1 0 0\n");
	check_fields(FIELD("u8 x[2][3]", 8, 6, 0), "event 5\nu8[] x 8 6 0 0 0 0\n");
	check_fields(FIELD("__rel_loc char[] x", 8, 4, 0),
		     "event 5\n__rel_locchar[] x 8 4 0 0 1 1\n");
	check_fields("\tfield:int x;\toffset:8;\tsize:4;\n", "event 5\nint x 8 4 0 0 0 0\n");
}

TEST(fields_without_a_name_are_passed_over)
{
	check_fields(FIELD("void (*call)(int)", 8, 8, 0) FIELD("int x", 16, 4, 1),
		     "event 5\nint x 16 4 1 0 0 0\n");
	check_fields(FIELD("int", 8, 4, 0) FIELD("]", 8, 4, 0) FIELD("", 8, 4, 0), "event 5\n");
}

TEST(lines_that_are_cut_or_say_something_else_make_a_file_unreadable)
{
	check_fields("\tfield:int x\n", "");
	check_fields("\tfield:int x;\toffset:8;\n", "");
	check_fields("\tfield:int x;\toffset:8;\tsize;\n", "");
	check_fields("\tfield:int x;\toffset:-8;\tsize:4;\tsigned:1;\n", "");
	check_fields("\tfield:int x;\toffset:;\tsize:4;\tsigned:1;\n", "");
	check_fields("\tfield:int x;\tsize:4;\toffset:8;\tsigned:1;\n", "");
}

static void check_unreadable(const char *text)
{
	SCOPED(format) format;

	CHECK_NUMBER(format_parse(&format, text_of(text)), 1);
}

TEST(a_file_without_name_or_number_is_unreadable)
{
	check_unreadable("");
	check_unreadable("name: event\n");
	check_unreadable("ID: 5\n");
	check_unreadable("name: \nID: 5\n");
	check_unreadable("name: event\nID: five\n");
	check_unreadable("name: event\nID: \n");
}

/* A format with so many fields, and so many bytes behind them. */
static int parse_long(size_t nr_fields, size_t size)
{
	struct buffer text = { 0 };
	struct format format;
	int status;

	buffer_append_string(&text, "name: event\nID: 5\nformat:\n");
	for (size_t i = 0; i < nr_fields; i++)
		buffer_append_string(&text, FIELD("u8 x", 8, 1, 0));
	buffer_append_string(&text, "\nprint fmt: \"");
	while (text.size < size)
		buffer_append_char(&text, 'x');
	status = format_parse(&format, buffer_text(&text));
	CHECK(status != 0 || format.nr_fields == nr_fields);
	format_release(&format);
	buffer_release(&text);
	return status;
}

TEST(a_format_has_at_most_1024_fields_and_one_mebibyte)
{
	CHECK_NUMBER(parse_long(1024, 0), 0);
	CHECK_NUMBER(parse_long(1025, 0), 1);
	CHECK_NUMBER(parse_long(1, 1024 * 1024), 0);
	CHECK_NUMBER(parse_long(1, 1024 * 1024 + 1), 1);
}

TEST(numbers_that_nothing_holds_stay_large)
{
	check_fields(FIELD("int x", 99999999999999999999999, 4, 0),
		     "event 5\nint x -1717986919 4 0 0 0 0\n");
}
