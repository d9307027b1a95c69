// SPDX-License-Identifier: GPL-2.0-only
/* Tests of tables: what fits, what is cut, what is left out, and what never gets through. */
#include "sink/stat/table.h"

#include <locale.h>

#include "fixtures/tap.h"

static const struct table_column columns[] = {
	{ "NAME", .is_flexible = true },
	{ "COUNT", .is_right = true },
	{ "MORE", .rank = 1 },
	{ "MOST", .rank = 2 },
};

static void table_fill(struct table *table, const char *name)
{
	struct buffer *cells = table_add(table);

	buffer_append_string(&cells[0], name);
	buffer_append_string(&cells[1], "7");
	buffer_append_string(&cells[2], "m");
	buffer_append_string(&cells[3], "n");
}

static void check_table(const char *name, struct table_style style, const char *want)
{
	SCOPED(table) table = { .columns = columns, .nr_columns = 4 };
	SCOPED_BUFFER(out);

	table_fill(&table, name);
	table_append(&table, &out, &style);
	CHECK_TEXT(buffer_string(&out), want);
}

TEST(columns_are_as_wide_as_what_is_in_them)
{
	check_table("a", (struct table_style){ 0 },
		    "NAME  COUNT  MORE  MOST\n"
		    "a         7  m     n\n");
	check_table("a long name", (struct table_style){ 0 },
		    "NAME         COUNT  MORE  MOST\n"
		    "a long name      7  m     n\n");
}

TEST(names_that_nothing_has_need_no_column)
{
	check_table("", (struct table_style){ 0 },
		    "COUNT  MORE  MOST\n"
		    "    7  m     n\n");
}

TEST(names_are_cut_before_columns_go)
{
	check_table("a name of 26 columns in all", (struct table_style){ .width = 39 },
		    "NAME                  COUNT  MORE  MOST\n"
		    "a name of ~ns in all      7  m     n\n");
	check_table("a long name", (struct table_style){ .width = 24 },
		    "NAME         COUNT  MORE\n"
		    "a long name      7  m\n");
	check_table("a long name", (struct table_style){ .width = 15 },
		    "NAME      COUNT\n"
		    "a lo~ame      7\n");
}

TEST(what_is_always_there_stays_in_any_width)
{
	check_table("a long name", (struct table_style){ .width = 1 },
		    "NAME      COUNT\n"
		    "a lo~ame      7\n");
}

TEST(characters_that_act_do_not_get_through)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	check_table("a\033[2J\n\x7f\xff\xc2\x9b", (struct table_style){ .is_utf8 = true },
		    "NAME       COUNT  MORE  MOST\n"
		    "a?[2J????      7  m     n\n");
	check_table("\xe2\x80\xae"
		    "abc",
		    (struct table_style){ .is_utf8 = true },
		    "NAME  COUNT  MORE  MOST\n"
		    "?abc      7  m     n\n");
}

TEST(widths_are_those_of_the_terminal)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	check_table("\u00fc\u4e2d\u6587", (struct table_style){ .is_utf8 = true },
		    "NAME   COUNT  MORE  MOST\n"
		    "\u00fc\u4e2d\u6587      7  m     n\n");
	check_table("\u00fc\u4e2d", (struct table_style){ 0 },
		    "NAME  COUNT  MORE  MOST\n"
		    "??        7  m     n\n");
	check_table("\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d",
		    (struct table_style){ .is_utf8 = true, .width = 15 },
		    "NAME      COUNT\n"
		    "\u4e2d\u4e2d\u2026\u4e2d       7\n");
}

TEST(titles_are_bold_where_there_are_colours)
{
	check_table("a", (struct table_style){ .has_colour = true },
		    "\033[1mNAME  COUNT  MORE  MOST\033[0m\n"
		    "a         7  m     n\n");
}
