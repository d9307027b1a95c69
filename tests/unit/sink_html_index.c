// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the index of a chunk: fields and their ranges. tests/outputs/page_search.t tests the
 * tokens. */
#include "sink/html/state.h"

#include <stdio.h>
#include <string.h>

#include "fixtures/tap.h"

static struct html_index html_index;
static struct buffer out;

/* The fields of arguments; the tokens follow a blank. */
static const char *fields_of(const char *json)
{
	html_index_clear(&html_index);
	html_index_add_args(&html_index, text_of(json));
	buffer_clear(&out);
	html_index_append(&out, &html_index);
	*strchr(buffer_string(&out), ' ') = '\0';
	return buffer_string(&out);
}

TEST(fields_have_the_range_of_their_numbers)
{
	CHECK_TEXT(fields_of("[0,0]"), ";");
	CHECK_TEXT(fields_of("[{\"a\":5},{\"a\":-7,\"b\":0}]"), ";a=-7~5;b=0~0;");
	CHECK_TEXT(fields_of("[[{\"a\":5},{\"a\":9}],0]"), ";a=5~9;");
	CHECK_TEXT(fields_of("[{\"a\":-5},{\"a\":-7}]"), ";a=-7~0;");
	CHECK_TEXT(fields_of("[{\"a\":\"18446744073709551615\"}]"),
		   ";a=9223372036854775807~18446744073709551615;");
	CHECK_TEXT(fields_of("[{\"a\":\"-9223372036854775808\"}]"), ";a=-9223372036854775808~0;");
}

TEST(a_value_that_begins_like_the_last_one_is_another)
{
	CHECK_TEXT(fields_of("[{\"a\":1},{\"a\":12},{\"a\":12}]"), ";a=1~12;");
	CHECK_TEXT(fields_of("[{\"a\":1,\"b\":2},{\"b\":3,\"a\":4}]"), ";a=1~4;b=2~3;");
	CHECK_TEXT(fields_of("[{\"a\":1},{\"ab\":2},{\"a\":3}]"), ";a=1~3;ab=2~2;");
}

TEST(texts_are_no_numbers_unless_the_page_reads_them_as_such)
{
	CHECK_TEXT(fields_of("[{\"a\":\"x1\",\"b\":true,\"f\":[\"q:0x1\"]}]"), ";a=;b=;f=;");
	CHECK_TEXT(fields_of("[{\"a\":\"12\",\"b\":\"0x1F\",\"c\":\"8,0 or so\"}]"),
		   ";a=12~12;b=31~31;c=;");
	CHECK_TEXT(fields_of("[{\"a\":\"12ms\"}]"), "?;a=~;");
	CHECK_TEXT(fields_of("[{\"a\":\"1.5\"}]"), "?;a=~;");
	CHECK_TEXT(fields_of("[{\"a\":\"99999999999999999999\"}]"), "?;a=~;");
	CHECK_TEXT(fields_of("[{\"a\":\"000000000000000000000000001\"}]"), "?;a=~;");
}

TEST(what_cannot_be_indexed_opens_the_chunk)
{
	static char many[20 * INDEX_FIELDS_MAX + 20];
	size_t size = 0;

	CHECK_TEXT(fields_of("[{\"a;b\":1}]"), "*");
	CHECK_TEXT(fields_of("[{\"a\\\"b\":1}]"), "*");
	CHECK_TEXT(fields_of("[{\"a\":\"\xe2\x84\xaa\"}]"), "*");
	CHECK_TEXT(fields_of("[{\"a\":\"\xc3\xa4\\\"\\\\ b\"}]"), ";a=;");
	for (int i = 0; i <= INDEX_FIELDS_MAX; i++)
		size += snprintf(many + size, sizeof(many) - size, "%s\"f%d\":1", i ? "," : "[{",
				 i);
	strcpy(many + size, "}]");
	CHECK_TEXT(fields_of(many), "*");
}

/* The tokens of @count numbers. */
static const char *tokens_of(uint64_t count)
{
	html_index_clear(&html_index);
	for (uint64_t i = 0; i < count; i++)
		html_index_add_name(&html_index, i);
	buffer_clear(&out);
	html_index_append(&out, &html_index);
	return strchr(buffer_string(&out), ' ') + 1;
}

TEST(a_filter_has_ten_bits_for_a_token_until_there_are_too_many)
{
	CHECK_TEXT(tokens_of(0), "-");
	CHECK_NUMBER(strlen(tokens_of(3)), 5);
	CHECK_NUMBER(strlen(tokens_of(TOKENS_MAX)), (TOKENS_MAX * 10 + 5) / 6);
	CHECK_TEXT(tokens_of(TOKENS_MAX + 1), "*");
	CHECK_TEXT(tokens_of(2 * TOKENS_MAX), "*");
	buffer_release(&out);
}
