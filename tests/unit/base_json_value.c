// SPDX-License-Identifier: GPL-2.0-only
/* Tests of checking JSON that others made. */
#include <string.h>

#include "base/base.h"
#include "fixtures/tap.h"

/* What becomes of a text behind "x"; "(none)" behind it where it is no JSON. */
static void check_bytes(const char *bytes, size_t size, const char *want)
{
	SCOPED_BUFFER(out);

	buffer_append_char(&out, 'x');
	if (json_append_value(&out, (struct text){ .data = bytes, .size = size }) < 0)
		buffer_append_string(&out, "(none)");
	CHECK_TEXT(buffer_string(&out) + 1, want);
}

static void check(const char *json, const char *want)
{
	check_bytes(json, strlen(json), want);
}

TEST(every_kind_of_value_is_one)
{
	static const char *const values[] = {
		"true",
		"false",
		"null",
		"0",
		"-0",
		"12",
		"-1.50",
		"1e9",
		"2E-3",
		"1.5e+10",
		"\"\"",
		"\"a b\"",
		"[]",
		"{}",
		"[[],{}]",
		"{\"a\":{\"b\":[1,2]},\"\":3}",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00Af\"",
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		check(values[i], values[i]);
}

TEST(blanks_between_parts_are_left_out_and_those_in_strings_stay)
{
	check(" [ 1 ,\n\t\"a b\" ]\r\n", "[1,\"a b\"]");
	check("{ }", "{}");
	check("{ \"a\" : [ ] , \"b\" : 0 }", "{\"a\":[],\"b\":0}");
}

TEST(bytes_that_strings_must_not_have_are_mended)
{
	check("\"a\nb\t\x01\"", "\"a\\nb\\t\\u0001\"");
	check("\"\xff\xc3\"", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	check("{\"\n\":1}", "{\"\\n\":1}");
	check_bytes("\"\0\"", 3, "\"\\u0000\"");
}

TEST(halves_of_surrogate_pairs_are_mended)
{
	check("\"\\ud83d\\uDE00\"", "\"\\ud83d\\uDE00\"");
	check("\"\\udc00\"", "\"\\ufffd\"");
	check("\"\\ud800x\"", "\"\\ufffdx\"");
	check("\"\\ud800\\ud83d\\ude00\"", "\"\\ufffd\\ud83d\\ude00\"");
	check("\"\\ud800\\u0041\\ud8\"", "(none)");
}

TEST(what_is_no_value_adds_nothing)
{
	static const char *const others[] = {
		"",	    " ",	  "-",		 "01",	      "1.",    ".5",	"1e",
		"+1",	    "0x1",	  "NaN",	 "tru",	      "nulls", "\"",	"\"\\",
		"\"\\x\"",  "\"\\u12\"",  "\"\\u12g4\"", "'a'",	      "[",     "]",	"[1",
		"[1,",	    "[1,]",	  "[,1]",	 "[1 2]",     "[1}",   "{1:2}", "{\"a\"}",
		"{\"a\":}", "{\"a\":1,}", "{,}",	 "{\"a\" 1}", "1 2",   "{}{}",	"1,2",
		"a",	    "\xff",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		check(others[i], "(none)");
	check_bytes("1\0", 2, "(none)");
	check_bytes("\0", 1, "(none)");
}

TEST(nesting_ends_where_readers_would_give_up)
{
	char deep[2 * 129 + 1] = "";

	memset(deep, '[', 128);
	memset(deep + 128, ']', 128);
	check(deep, deep);
	memset(deep, '[', 129);
	memset(deep + 129, ']', 129);
	check_bytes(deep, sizeof(deep) - 1, "(none)");
}

TEST(a_string_is_plain_if_nothing_in_it_needs_an_escape)
{
	static const char *const others[] = { "a\"b", "\\", "a\n", "\x7f\xc3\xa9", "\xff" };

	CHECK(json_is_plain(text_of("bytes_req")));
	CHECK(json_is_plain(text_of("")));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CHECK(!json_is_plain(text_of(others[i])));
}
