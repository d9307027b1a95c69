/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the html sink: the set of tokens of a chunk, as a Bloom filter. */
#ifndef SINK_HTML_TOKENS_H
#define SINK_HTML_TOKENS_H

#include "base/base.h"

/** TOKENS_MAX - a chunk with more different tokens has none: it may have any */
#define TOKENS_MAX 4096

/**
 * struct html_tokens - hashes of what a chunk has: numbers, three letters in a row, names
 * @table: the hashes by their lowest bits; 0 is a free place
 * @size: number of different hashes
 * @window: the last three letters of a text
 * @nr_letters: number of letters since the text's begin
 */
struct html_tokens {
	uint32_t table[2 * TOKENS_MAX];
	unsigned int size;
	uint32_t window;
	unsigned int nr_letters;
};

/** html_tokens_clear - remove all tokens */
void html_tokens_clear(struct html_tokens *tokens);

/** html_tokens_add_number - add a number by its digits */
void html_tokens_add_number(struct html_tokens *tokens, struct text digits);

/** html_tokens_add_name - add a name by its number */
void html_tokens_add_name(struct html_tokens *tokens, uint64_t name);

/** html_tokens_begin_text, html_tokens_end_text - the edges of a text are letters, too */
void html_tokens_begin_text(struct html_tokens *tokens);
void html_tokens_end_text(struct html_tokens *tokens);

/** html_tokens_add_letter - add the next letter of a text, and the two before; case is ignored */
void html_tokens_add_letter(struct html_tokens *tokens, unsigned char letter);

/** html_tokens_add_gap - letters before and after this do not follow each other */
void html_tokens_add_gap(struct html_tokens *tokens);

/** html_tokens_append - append the filter as a word: - if it is empty, * if it is full */
void html_tokens_append(struct buffer *out, const struct html_tokens *tokens);

#endif
