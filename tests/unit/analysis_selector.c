// SPDX-License-Identifier: GPL-2.0-only
/* Tests of selectors of slices: grammar, wildcards, escapes. */
#include "analysis/analysis.h"

#include "fixtures/tap.h"

static struct timeline_category category = { .text = "mydrv:mydrv_io" };
static struct timeline_track track = { .category = &category,
				       .scope = SCOPE_THREAD,
				       .name = { "queue0", 6 },
				       .id = { .kind = VALUE_SIGNED, .signed_number = 812 },
				       .comm = "sh" };

static bool selects(const char *text, const char *name)
{
	struct slice_selector selector;
	struct error error = { 0 };
	bool is_selected;

	CHECK_NUMBER(slice_selector_parse(&selector, text_of(text), &error), 0);
	CHECK_TEXT(error.text, "");
	is_selected = slice_selector_matches_track(&selector, &track) &&
		      slice_selector_matches_name(&selector, text_of(name));
	slice_selector_release(&selector);
	return is_selected;
}

static const char *refuses(const char *text, struct error *error)
{
	struct slice_selector selector;

	*error = (struct error){ 0 };
	CHECK_NUMBER(slice_selector_parse(&selector, text_of(text), error), -1);
	slice_selector_release(&selector);
	return error->text;
}

TEST(a_name_alone_selects_slices_of_all_tracks)
{
	CHECK(selects("read", "read"));
	CHECK(!selects("read", "read more"));
	CHECK(selects("*", "anything"));
	CHECK(selects("rea[cd] ?*", "read more"));
}

TEST(a_category_has_a_colon)
{
	CHECK(selects("mydrv:mydrv_io/read", "read"));
	CHECK(selects("mydrv:*/read", "read"));
	CHECK(selects("*:mydrv_io/read", "read"));
	CHECK(!selects("other:*/read", "read"));
	CHECK(selects("kworker/0", "kworker/0"));
	CHECK(selects("mydrv:mydrv_io/a/b", "a/b"));
}

TEST(a_category_alone_means_all_its_slices)
{
	CHECK(selects("mydrv:mydrv_io", "read"));
	CHECK(selects("mydrv:*", "read"));
	CHECK(selects("mydrv:mydrv_i[op]@queue0", "anything"));
	CHECK(!selects("mydrv:mydrv_request", "mydrv:mydrv_request"));
	CHECK(!selects("mydrv:mydrv_io@queue1", "read"));
	CHECK(!selects("program:mydrv:mydrv_io", "read"));
	category.text = "program:mydrv:mydrv_io";
	CHECK(selects("program:mydrv:mydrv_io", "read"));
	CHECK(selects("program:*:mydrv_io", "read"));
	category.text = "mydrv:mydrv_io";
}

TEST(other_names_with_a_colon_are_names)
{
	CHECK(selects("std::sort", "std::sort"));
	CHECK(selects("http: get", "http: get"));
	CHECK(selects("mydrv\\:mydrv_io", "mydrv:mydrv_io"));
	CHECK(!selects("mydrv\\:mydrv_io", "read"));
	CHECK(selects(":read", ":read"));
	CHECK(selects("read:", "read:"));
}

TEST(a_track_is_found_by_its_name_its_thread_or_its_number)
{
	CHECK(selects("read@queue*", "read"));
	CHECK(selects("read@sh", "read"));
	CHECK(selects("read@812", "read"));
	CHECK(!selects("read@81", "read"));
	CHECK(!selects("read@queue1", "read"));
	CHECK(selects("mydrv:*/read@sh", "read"));
}

TEST(a_backslash_makes_a_character_ordinary)
{
	CHECK(selects("user\\@host", "user@host"));
	CHECK(selects("a:b\\/c", "a:b/c"));
	CHECK(selects("read\\*", "read*"));
	CHECK(!selects("read\\*", "reads"));
	CHECK(selects("user@host@sh", "user@host"));
}

TEST(incomplete_selectors_are_refused)
{
	struct error error;

	CHECK_TEXT(refuses("", &error),
		   "'': no name of a slice; write [CATEGORY/]NAME[@TRACK]");
	CHECK_TEXT(refuses("mydrv:io/", &error),
		   "'mydrv:io/': no name of a slice; write [CATEGORY/]NAME[@TRACK]");
	CHECK_TEXT(refuses("@queue", &error),
		   "'@queue': no name of a slice; write [CATEGORY/]NAME[@TRACK]");
	CHECK_TEXT(refuses("read@", &error),
		   "'read@': no track behind '@'; write \\@ for an @ of a name");
}
