// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what a child does with print formats, in this process: its own sanitizers report nothing
 * once it is confined.
 */
#include "event/symbol_node.h"
#include "fixtures/symbols_fixture.h"

/* The symbols of a print format; NULL if there are none. */
static struct symbols *symbols_here(const char *print)
{
	struct buffer text = { 0 }, prepared = { 0 }, answer = { 0 };
	struct symbols *symbols = NULL;
	struct format format;

	symbols_format_append(&text, print);
	symbol_format_prepare(&prepared, buffer_text(&text));
	CHECK(symbols_answer(&answer, buffer_text(&prepared)));
	if (answer.size > 0 && format_parse(&format, buffer_text(&text)) == 0) {
		symbols = symbols_of_answer(buffer_text(&answer), &format, false);
		format_release(&format);
		CHECK(symbols);
	}
	buffer_release(&text);
	buffer_release(&prepared);
	buffer_release(&answer);
	return symbols;
}

/* The text of field @name, and that of a child. The record has this v, and 3 as flags. */
static void check_both(const char *print, const char *name, uint64_t v, const char *want)
{
	struct symbols *symbols = symbols_here(print);
	struct event_builder builder;
	SCOPED_BUFFER(got);

	event_builder_begin(&builder, 5, 7, SYMBOLS_RECORD_SIZE);
	event_builder_number(&builder, 8, 4, 3);
	event_builder_number(&builder, 12, 4, v);
	symbols_append_text(&got, symbols, name, &builder);
	CHECK_TEXT(buffer_string(&got), want);
	if (strcmp(name, "v") == 0)
		CHECK_V(print, v, want);
	symbols_free(symbols);
}

TEST(tables_of_values_and_flags)
{
	check_both("\"%s\", __print_symbolic(REC->v, { 1, \"one\" }, { -2, \"minus\" })", "v", 1,
		   "one");
	check_both("\"%s\", __print_symbolic(REC->v, { 1, \"one\" }, { -2, \"minus\" })", "v", -2,
		   "minus");
	check_both("\"%s\", __print_symbolic_u64(REC->v, { 0x10UL, \"hex\" })", "v", 16, "hex");
	check_both("\"%s\", __print_flags(REC->flags, \"+\", { 1, \"a\" }, { 2, \"b\" })", "flags",
		   0, "a+b");
	check_both("\"%s\", __print_flags(REC->flags, \"\", { 1, \"a\" }, { 2, \"b\" })", "flags",
		   0, "ab");
}

TEST(numbers_are_computed)
{
	check_both("\"%s\", __print_symbolic((REC->v >> 4) & (1 | 2), { 2, \"two\" })", "v", 0x20,
		   "two");
	check_both("\"%s\", __print_symbolic((u8)REC->v, { 1, \"low\" })", "v", 0x101, "low");
	check_both("\"%s\", __print_symbolic(~REC->v & 0xff, { 0xff, \"none\" })", "v", 0, "none");
	check_both("\"%s\", __print_symbolic(REC->v + 1, { 8, \"eight\" })", "v", 7, "eight");
}

TEST(a_choice_and_parts_side_by_side)
{
	static const char print[] =
		"\"%s%s\", __print_symbolic(REC->v & 7, { 1, \"one\" }), REC->v > 8 ? \"+\" : \"\"";

	check_both(print, "v", 1, "one");
	check_both(print, "v", 9, "one+");
	check_both("\"%s %d%%%*s %pS\", __print_symbolic(REC->v, { 1, \"one\" }), REC->v, 3, "
		   "REC->name, REC->big",
		   "v", 1, "one");
}

TEST(escape_sequences_of_texts)
{
	check_both("\"%s\", __print_symbolic(REC->v, { 1, \"a\\\"b\\\\c\" })", "v", 1, "a\"b\\c");
}

TEST(entries_that_cannot_be_used_are_left_out)
{
	static const char print[] =
		"\"%s\", __print_symbolic(REC->v, { ENUM_NAME, \"name\" }, { 2, \"two\" }, { -1, ((void *)0) })";

	check_both(print, "v", 2, "two");
	check_both(print, "v", 0, "0x0");
}

TEST(what_is_no_text_of_a_field)
{
	CHECK(!symbols_here("\"%d\", REC->v"));
	CHECK(!symbols_here("\"%s\", REC->name"));
	CHECK(!symbols_here("\"%s\", __print_symbolic(7, { 7, \"seven\" })"));
	CHECK(!symbols_here("\"%s\", __print_symbolic((struct a)REC->v, { 7, \"seven\" })"));
	CHECK(!symbols_here("\"%s\", __print_symbolic(REC->v % 3, { 1, \"rest\" })"));
	CHECK(!symbols_here("no print format"));
}

TEST(a_text_that_is_too_long_has_no_symbols)
{
	SCOPED_BUFFER(print);

	buffer_append_string(&print, "\"%s\", __print_symbolic(REC->v, { 1, \"");
	for (int i = 0; i <= SYMBOL_STRING_MAX; i++)
		buffer_append_char(&print, 'x');
	buffer_append_string(&print, "\" })");
	CHECK(!symbols_here(buffer_string(&print)));
}
