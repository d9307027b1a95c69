// SPDX-License-Identifier: GPL-2.0-only
/* Tests of comma-separated values. */
#include "sink/text.h"

#include "fixtures/tap.h"

static void check_csv(const char *text, const char *want)
{
	SCOPED_BUFFER(out);

	csv_append_text(&out, text_of(text));
	CHECK_TEXT(buffer_string(&out), want);
}

TEST(texts_with_separators_are_in_quotes)
{
	check_csv("", "");
	check_csv("read 'x'", "read 'x'");
	check_csv("a,b", "\"a,b\"");
}

TEST(texts_are_utf8_without_control_characters)
{
	check_csv("two\nlines", "two\\x0alines");
	check_csv("\r\x1b[31m\x7f", "\\x0d\\x1b[31m\\x7f");
	check_csv("\xff,\xe4\xbd", "\"\\xff,\\xe4\\xbd\"");
	check_csv("\xc2\x9b \xe2\x80\xae \xe4\xbd\xa0", "\\x9b \\u202e \xe4\xbd\xa0");
}

TEST(texts_are_no_formulas)
{
	check_csv("=1+1", "'=1+1");
	check_csv("-x,\"", "\"'-x,\"\"\"");
	check_csv("+", "'+");
	check_csv("@SUM", "'@SUM");
	check_csv("a=1", "a=1");
}

TEST(quotes_are_doubled)
{
	check_csv("say \"x\"", "\"say \"\"x\"\"\"");
	check_csv("\"", "\"\"\"\"");
}
