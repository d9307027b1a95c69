// SPDX-License-Identifier: GPL-2.0-only
/* Tests of comma-separated values. */
#include "sink/csv.h"

#include "fixtures/tap.h"

static void check_csv(const char *text, const char *want)
{
	struct buffer out = { 0 };

	csv_append_text(&out, text_of(text));
	CHECK_TEXT(buffer_string(&out), want);
	buffer_release(&out);
}

TEST(texts_with_separators_are_in_quotes)
{
	check_csv("", "");
	check_csv("read 'x'", "read 'x'");
	check_csv("a,b", "\"a,b\"");
	check_csv("two\nlines", "\"two\nlines\"");
	check_csv("\r", "\"\r\"");
}

TEST(quotes_are_doubled)
{
	check_csv("say \"x\"", "\"say \"\"x\"\"\"");
	check_csv("\"", "\"\"\"\"");
}
