// SPDX-License-Identifier: GPL-2.0-only
/* Tests of suggestions for misspelled words. */
#include "cli/suggest.h"

#include <string.h>

#include "tap.h"

static const char *suggest(const char *typed)
{
	static const char *const known[] = { "clean",   "list",   "stream", "record",
					     "recover", "export", "stat",   "release" };
	struct suggestion suggestion = { 0 };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		suggestion_add(&suggestion, typed, known[i]);
	return suggestion.word ? suggestion.word : "";
}

TEST(letters_are_swapped_missing_wrong_or_too_many)
{
	CHECK_STRING(suggest("exprot"), "export");
	CHECK_STRING(suggest("xport"), "export");
	CHECK_STRING(suggest("steam"), "stream");
	CHECK_STRING(suggest("recordd"), "record");
	CHECK_STRING(suggest("lits"), "list");
	CHECK_STRING(suggest("stax"), "stat");
	CHECK_STRING(suggest("reocrd"), "record");
}

TEST(the_nearest_one_is_meant)
{
	CHECK_STRING(suggest("recove"), "recover");
	CHECK_STRING(suggest("recorer"), "record");
}

TEST(what_is_too_different_or_too_long_is_nothing)
{
	CHECK_STRING(suggest("nonsense"), "");
	CHECK_STRING(suggest("x"), "");
	CHECK_STRING(suggest(""), "");
	CHECK_STRING(suggest("export-export-export-export-export"), "");
	CHECK_STRING(suggest("export"), "");
}
