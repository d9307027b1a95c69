// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the texts that fields have by their print formats. */
#include "fixtures/symbols_fixture.h"

#define SOFTIRQ                                                                                   \
	"\"vec=%u [action=%s]\", REC->v, __print_symbolic(REC->v, { 0, \"HI\" }, { 1, \"TIMER\" " \
	"}, "                                                                                     \
	"{ 2, \"NET_TX\" }, { 3, \"NET_RX\" })"

TEST(a_symbol_is_the_text_of_its_value)
{
	CHECK_V(SOFTIRQ, 0, "HI");
	CHECK_V(SOFTIRQ, 3, "NET_RX");
}

TEST(an_unknown_value_is_hexadecimal)
{
	CHECK_V(SOFTIRQ, 10, "0xa");
	CHECK_V(SOFTIRQ, UINT32_MAX, "0xffffffffffffffff");
}

TEST(a_field_without_symbols_has_no_text)
{
	CHECK_FLAGS(SOFTIRQ, 1, "-");
	CHECK_V("\"%d\", REC->v", 1, "-");
	CHECK_V("\"\"", 1, "-");
	CHECK_V("", 1, "-");
}

TEST(the_first_of_two_equal_values_counts)
{
	CHECK_V("\"%s\", __print_symbolic(REC->v, { 1, \"a\" }, { 1, \"b\" })", 1, "a");
}

TEST(signed_values_match_negative_numbers)
{
	static const char print[] =
		"\"%s\", __print_symbolic(REC->v, { -1, \"none\" }, { -22, \"EINVAL\" })";

	CHECK_V(print, -1, "none");
	CHECK_V(print, -22, "EINVAL");
	CHECK_V(print, -2, "0xfffffffffffffffe");
}

TEST(values_have_64_bits)
{
	static const char print[] = "\"%s\", __print_symbolic(REC->big, { (1ULL << 63), \"top\" }, "
				    "{ 0xffffffffffffffff, \"all\" }, { ~0ULL - 1, \"but one\" })";

	CHECK_BIG(print, UINT64_C(1) << 63, "top");
	CHECK_BIG(print, UINT64_MAX, "all");
	CHECK_BIG(print, UINT64_MAX - 1, "but one");
	CHECK_BIG(print, 0x123456789abcdef0, "0x123456789abcdef0");
}

TEST(flags_are_joined_and_the_rest_is_hexadecimal)
{
	static const char print[] =
		"\"%s\", __print_flags(REC->flags, \"|\", { 0x1, \"A\" }, { 0x2, \"B\" })";

	CHECK_FLAGS(print, 1, "A");
	CHECK_FLAGS(print, 3, "A|B");
	CHECK_FLAGS(print, 0x43, "A|B|0x40");
	CHECK_FLAGS(print, 0x40, "0x40");
	CHECK_FLAGS(print, 0, "");
}

TEST(a_flag_of_several_bits_needs_them_all_and_takes_them)
{
	static const char print[] =
		"\"%s\", __print_flags(REC->flags, \",\", { 0x3, \"AB\" }, { 0x1, \"A\" })";

	CHECK_FLAGS(print, 3, "AB");
	CHECK_FLAGS(print, 1, "A");
	CHECK_FLAGS(print, 2, "0x2");
}

TEST(flags_may_have_no_delimiter)
{
	CHECK_FLAGS("\"%s\", __print_flags(REC->flags, \"\", { 1, \"a\" }, { 2, \"b\" })", 7,
		    "ab0x4");
}

TEST(bools_and_bytes_have_symbols)
{
	check_symbol("\"%s\", __print_symbolic(REC->on, { 0, \"off\" }, { 1, \"on\" })", "on", 25,
		     1, 1, "on");
	check_symbol("\"%s\", __print_symbolic(REC->op, { 200, \"op\" })", "op", 24, 1, 200, "op");
}

/* libtraceevent alone reads (flags & 1) | 2 | 4 here. */
TEST(masks_in_parentheses_are_masks)
{
	static const char print[] = "\"%s\", __print_flags(REC->flags & (1 | 2 | 4), \"|\", { 1, "
				    "\"a\" }, { 2, \"b\" }, { 4, \"c\" })";

	CHECK_FLAGS(print, 0, "");
	CHECK_FLAGS(print, 2, "b");
	CHECK_FLAGS(print, 0xf5, "a|c");
	CHECK_FLAGS("\"%s\", __print_symbolic(REC->flags >> (1 + 3) & 0xf, { 5, \"five\" })",
		    0x1253, "five");
}

TEST(numbers_are_computed_as_in_c)
{
	CHECK_V("\"%s\", __print_symbolic(REC->v + 2, { 0, \"zero\" })", -2, "zero");
	CHECK_V("\"%s\", __print_symbolic(-REC->v, { 5, \"five\" })", -5, "five");
	CHECK_V("\"%s\", __print_symbolic(REC->v < 0, { 1, \"negative\" })", -5, "negative");
	CHECK_V("\"%s\", __print_symbolic(REC->v >> 1, { -2, \"half\" })", -4, "half");
	CHECK_V("\"%s\", __print_symbolic((u8)REC->v, { 255, \"byte\" })", -1, "byte");
	CHECK_V("\"%s\", __print_symbolic((unsigned int)REC->v, { 0xffffffff, \"word\" })", -1,
		"word");
	CHECK_BIG("\"%s\", __print_symbolic(REC->big > 5, { 1, \"more\" })", UINT64_MAX, "more");
	CHECK_BIG("\"%s\", __print_symbolic(REC->big ^ 1, { 3, \"three\" })", 2, "three");
	CHECK_BIG("\"%s\", __print_symbolic(!REC->big, { 1, \"none\" })", 0, "none");
	CHECK_BIG("\"%s\", __print_symbolic(REC->big << 70, { 0, \"nothing\" })", 1, "nothing");
}

TEST(a_condition_selects_the_text)
{
	static const char print[] =
		"\"%s\", (REC->big) ? __print_flags((unsigned long)(REC->big), \"|\", "
		"{ (unsigned long)(((gfp_t)(0x400u|0x800u)) | ((gfp_t)0x40u)), \"GFP_KERNEL\" }, "
		"{ ( unsigned long)(( gfp_t)0x100u), \"__GFP_ZERO\" }) : \"none\"";

	CHECK_BIG(print, 0, "none");
	CHECK_BIG(print, 0xd40, "GFP_KERNEL|__GFP_ZERO");
	CHECK_BIG(print, 0xc41, "GFP_KERNEL|0x1");
}

TEST(adjacent_texts_of_a_field_belong_together)
{
	static const char print[] =
		"\"state=%s%s %s\", REC->state & 255 ? __print_flags(REC->state & 255, \"|\", "
		"{ 1, \"S\" }, { 2, \"D\" }) : \"R\", REC->state & 256 ? \"+\" : \"\", "
		"REC->state & 2 ? \"x\" : \"y\"";

	CHECK_STATE(print, 0, "R");
	CHECK_STATE(print, 0x100, "R+");
	CHECK_STATE(print, 0x83, "S|D|0x80");
}

TEST(adjacent_texts_of_another_field_do_not)
{
	static const char print[] =
		"\"%s%s\", __print_symbolic(REC->v, { 1, \"one\" }), REC->flags ? \"f\" : \"g\"";

	CHECK_V(print, 1, "one");
}

TEST(texts_of_two_fields_in_one_symbol_are_none)
{
	CHECK_V("\"%s\", REC->v ? __print_symbolic(REC->v, { 1, \"a\" }) : "
		"__print_symbolic(REC->op, { 1, \"b\" })",
		1, "-");
}

/* As in the kernel's text, a condition may depend on another field. */
TEST(conditions_may_have_other_fields)
{
	static const char print[] =
		"\"%s\", (REC->flags == 1) ? __print_symbolic(REC->v & 0xffff, { 1, \"a\" }) : "
		"__print_symbolic(REC->v, { 1, \"b\" })";

	CHECK_V(print, 1, "b");
}

TEST(percent_signs_widths_and_pointers_do_not_confuse_the_arguments)
{
	CHECK_V("\"100%% %*d %pS%-5.3s %s\", REC->op, REC->flags, REC->big, REC->name, "
		"__print_symbolic(REC->v, { 1, \"one\" })",
		1, "one");
}

TEST(enumerators_that_the_kernel_did_not_replace_are_skipped)
{
	CHECK_V("\"%s\", __print_symbolic(REC->v, { NAME, \"name\" }, { 0, \"zero\" })", 0, "zero");
	CHECK_V("\"%s\", __print_symbolic(REC->v, { NAME, \"name\" }, { 0, \"zero\" })", -1,
		"0xffffffffffffffff");
	CHECK_FLAGS("\"%s\", __print_flags(REC->flags & MASK, \"|\", { 1, \"a\" })", 1, "-");
}

TEST(values_with_names_that_the_kernel_did_not_replace_are_skipped)
{
	static const char print[] =
		"\"%s\", __print_flags(REC->flags, \"|\", { (1 << NAME), \"a\" }, "
		"{ 1 << (NAME), \"b\" }, { (NAME | (1UL << (0))), \"c\" }, "
		"{ ( unsigned long)((( gfp_t)0x2u)), \"d\" }, { (u32)4, \"e\" })";

	CHECK_FLAGS(print, 7, "d|e|0x1");
	CHECK_V("\"%s\", __print_symbolic(REC->v, { 1 << (NAME), \"a\" }, { 2, \"two\" })", 1,
		"0x1");
}

TEST(an_entry_without_text_is_skipped)
{
	CHECK_V("\"%s\", __print_symbolic(REC->v, { 2, \"two\" }, { -1, ((void *)0) })", -1,
		"0xffffffffffffffff");
}

TEST(calls_for_64_bits_are_the_same)
{
	CHECK_BIG("\"%s\", __print_symbolic_u64(REC->big, { 5, \"five\" })", 5, "five");
	CHECK_BIG("\"%s\", __print_flags_u64(REC->big, \"|\", { 4, \"four\" }, { 1, \"one\" })", 5,
		  "four|one");
}

TEST(escapes_in_texts_are_characters)
{
	CHECK_V("\"%s\", __print_symbolic(REC->v, { 1, \"a\\\"b\\\\c\" })", 1, "a\"b\\c");
}

TEST(arrays_and_pointers_have_no_symbols)
{
	check_symbol("\"%s\", __print_symbolic(REC->name, { 1, \"a\" })", "name", 40, 1, 1, "-");
}

TEST(a_short_record_has_no_text)
{
	struct symbols_reader reader = { 0 };
	struct event_builder builder;
	SCOPED_BUFFER(got);
	bool has_failed;
	struct symbols *symbols = symbols_of_print(&reader, SOFTIRQ, &has_failed);

	event_builder_begin(&builder, 5, 7, 15);
	symbols_append_text(&got, symbols, "v", &builder);
	CHECK_TEXT(buffer_string(&got), "-");
	symbols_free(symbols);
}

/* Many flags with long names: each record has some of 4 KiB. */
TEST(texts_of_a_record_are_limited)
{
	SCOPED_BUFFER(print);
	SCOPED_BUFFER(long_name);

	for (int i = 0; i < 200; i++)
		buffer_append_char(&long_name, 'x');
	buffer_append_string(&print, "\"%s\", __print_flags(REC->flags, \"|\"");
	for (int i = 0; i < 32; i++)
		buffer_printf(&print, ", { 1 << %d, \"%s\" }", i, buffer_string(&long_name));
	buffer_append_char(&print, ')');
	CHECK_FLAGS(buffer_string(&print), UINT32_MAX, "-");
	CHECK_FLAGS(buffer_string(&print), 0x80000000, buffer_string(&long_name));
}

TEST(only_fields_that_a_call_mentions_may_have_symbols)
{
	struct buffer format = { 0 };

	symbols_format_append(
		&format, "\"%d %s\", REC->op, __print_symbolic(REC->v, { 1, \"REC->flags\" })");
	CHECK(symbols_have_text(buffer_text(&format), text_of("v")));
	CHECK(!symbols_have_text(buffer_text(&format), text_of("op")));
	CHECK(!symbols_have_text(buffer_text(&format), text_of("flags")));
	buffer_release(&format);
	CHECK(!symbols_have_text(text_of("print fmt: __print_flags(REC->"), text_of("v")));
	CHECK(!symbols_have_text(text_of(""), text_of("v")));
}
