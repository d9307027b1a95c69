/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the word that a misspelled one may have been meant for. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/**
 * struct suggestion - the nearest of the known words so far; zeroed there is none
 * @distance: how many letters differ; 0 if there is no word
 */
struct suggestion {
	const char *word;
	unsigned int distance;
};

/**
 * suggestion_add - look at one more known word
 * @typed: the misspelled one
 *
 * The first of several at the same distance stays. A word that differs in too many letters is none.
 */
void suggestion_add(struct suggestion *suggestion, const char *typed, const char *known);

#endif
