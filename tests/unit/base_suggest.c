// SPDX-License-Identifier: GPL-2.0-only
/* Tests of suggestions for misspelled words. */
#include "base/suggest.h"

#include <string.h>

#include "fixtures/tap.h"

static const char *suggest(const char *typed)
{
	static const char *const known[] = { "clean",	"list",	  "stream", "record",
					     "recover", "export", "stat",   "release" };
	static struct suggestion suggestion;

	suggestion = (struct suggestion){ 0 };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		suggestion_add(&suggestion, text_of(typed), known[i]);
	return suggestion.word;
}

TEST(letters_are_swapped_missing_wrong_or_too_many)
{
	CHECK_TEXT(suggest("exprot"), "export");
	CHECK_TEXT(suggest("xport"), "export");
	CHECK_TEXT(suggest("steam"), "stream");
	CHECK_TEXT(suggest("recordd"), "record");
	CHECK_TEXT(suggest("lits"), "list");
	CHECK_TEXT(suggest("stax"), "stat");
	CHECK_TEXT(suggest("reocrd"), "record");
}

TEST(the_nearest_one_is_meant)
{
	CHECK_TEXT(suggest("recove"), "recover");
	CHECK_TEXT(suggest("recorx"), "record");
}

/* Not the one that a folder happens to have first. */
TEST(of_words_that_are_as_near_the_first_in_the_alphabet_is_meant)
{
	CHECK_TEXT(suggest("rec"), "record");
	CHECK_TEXT(suggest("re"), "record");
	CHECK_TEXT(suggest("st"), "stat");
}

TEST(of_words_that_begin_with_it_the_shortest_is_meant)
{
	struct suggestion meant = { 0 };

	suggestion_add(&meant, text_of("program"), "program-ring");
	suggestion_add(&meant, text_of("program"), "programs");
	suggestion_add(&meant, text_of("program"), "program-limits");
	CHECK_TEXT(meant.word, "programs");
}

TEST(a_prefix_or_another_case_is_enough)
{
	CHECK_TEXT(suggest("exp"), "export");
	CHECK_TEXT(suggest("EXPORT"), "export");
	CHECK_TEXT(suggest("Str"), "stream");
	CHECK_TEXT(suggest("e"), "");
}

TEST(what_is_too_different_or_too_long_is_nothing)
{
	CHECK_TEXT(suggest("nonsense"), "");
	CHECK_TEXT(suggest("x"), "");
	CHECK_TEXT(suggest(""), "");
	CHECK_TEXT(suggest("export-export-export-export-export"), "");
	CHECK_TEXT(suggest("export"), "");
}

TEST(words_of_any_size_are_compared_within_limits)
{
	char word[SUGGESTION_SIZE_MAX + 2];
	struct suggestion suggestion = { 0 };

	memset(word, 'a', sizeof(word));
	word[SUGGESTION_SIZE_MAX] = '\0';
	suggestion_add(&suggestion, (struct text){ word, SUGGESTION_SIZE_MAX - 1 }, word);
	CHECK_TEXT(suggestion.word, word);
	suggestion = (struct suggestion){ 0 };
	word[SUGGESTION_SIZE_MAX] = 'a';
	word[SUGGESTION_SIZE_MAX + 1] = '\0';
	suggestion_add(&suggestion, (struct text){ word, SUGGESTION_SIZE_MAX }, word);
	CHECK_TEXT(suggestion.word, "");
}
