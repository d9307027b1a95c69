/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the known word that is nearest to a misspelled one. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/**
 * struct suggestion - the nearest known word so far; none if zeroed
 * @distance: number of different letters; 0 if there is no word
 */
struct suggestion {
	const char *word;
	unsigned int distance;
};

/**
 * suggestion_add - compare with one more known word
 * @typed: the misspelled one
 *
 * Of several words at the same distance, the first one stays. A known word is also suggested if
 * @typed is a prefix of it, in any case.
 */
void suggestion_add(struct suggestion *suggestion, const char *typed, const char *known);

#endif
