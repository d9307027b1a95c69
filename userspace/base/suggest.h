/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Suggestions for misspelled words. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/text.h"

/** SUGGESTION_SIZE_MAX - longer words are not compared */
#define SUGGESTION_SIZE_MAX 95

/** struct suggestion - the nearest known word so far; none if zeroed */
struct suggestion {
	char word[SUGGESTION_SIZE_MAX + 1];
	unsigned int distance; /* number of different letters; 0 if there is no word */
};

/**
 * suggestion_add - compare with one more known word
 * @typed: the misspelled one
 *
 * Of several words at the same distance, the first one in the alphabet stays. A known word is also
 * suggested if @typed is a prefix of it, in any case; of several such words, the shortest. A word that is equal to @typed is not suggested.
 */
void suggestion_add(struct suggestion *suggestion, struct text typed, const char *known);

/** suggestion_set - suggest a word before all others */
void suggestion_set(struct suggestion *suggestion, const char *word);

#endif
