// SPDX-License-Identifier: GPL-2.0-only
/* The Bloom filter of a chunk's tokens. index.js has the same hashes. */
#include "sink/html/tokens.h"

#include <string.h>

#include "sink/html/base64.h"

#define TABLE_SIZE (2 * TOKENS_MAX)

/* About one of a hundred absent tokens seems to be present. */
#define BITS_PER_TOKEN 10
#define NR_PROBES 5

/* Bits of one letter of base64. */
#define LETTER_BITS 6

#define TEXT_BEGIN 2
#define TEXT_END 3
#define TEXT_LETTERS 3

#define NUMBER_SEED 0x811c9dc5u
#define NUMBER_FACTOR 0x01000193u
#define NAME_SEED 0x5eed0000u
#define STEP_SEED 0x9e3779b9u

/* Each bit of the result depends on each bit of the word. */
static uint32_t mix(uint32_t word)
{
	word = (word ^ word >> 16) * 0x85ebca6bu;
	word = (word ^ word >> 13) * 0xc2b2ae35u;
	return word ^ word >> 16;
}

void html_tokens_clear(struct html_tokens *tokens)
{
	if (tokens->size > 0)
		memset(tokens->table, 0, sizeof(tokens->table));
	tokens->size = 0;
}

static void token_add(struct html_tokens *tokens, uint32_t hash)
{
	uint32_t at = hash % TABLE_SIZE;

	while (tokens->table[at] && tokens->table[at] != hash)
		at = (at + 1) % TABLE_SIZE;
	if (tokens->table[at] || hash == 0 || tokens->size > TOKENS_MAX)
		return;
	tokens->table[at] = hash;
	tokens->size++;
}

void html_tokens_add_number(struct html_tokens *tokens, struct text digits)
{
	uint32_t hash = NUMBER_SEED;

	for (size_t i = 0; i < digits.size; i++)
		hash = (hash ^ (unsigned char)digits.data[i]) * NUMBER_FACTOR;
	token_add(tokens, mix(hash));
}

void html_tokens_add_name(struct html_tokens *tokens, uint64_t name)
{
	token_add(tokens, mix((uint32_t)name ^ NAME_SEED));
}

static void letter_add(struct html_tokens *tokens, unsigned char letter)
{
	tokens->window = (tokens->window << 8 | letter) & 0xffffff;
	if (++tokens->nr_letters >= TEXT_LETTERS)
		token_add(tokens, mix(tokens->window));
}

void html_tokens_add_letter(struct html_tokens *tokens, unsigned char letter)
{
	letter_add(tokens, letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter);
}

void html_tokens_add_gap(struct html_tokens *tokens)
{
	tokens->nr_letters = 0;
}

void html_tokens_begin_text(struct html_tokens *tokens)
{
	html_tokens_add_gap(tokens);
	letter_add(tokens, TEXT_BEGIN);
}

void html_tokens_end_text(struct html_tokens *tokens)
{
	letter_add(tokens, TEXT_END);
}

static void bits_set(char *letters, uint32_t nr_bits, uint32_t hash)
{
	uint32_t step = mix(hash ^ STEP_SEED) | 1;

	for (unsigned int i = 0; i < NR_PROBES; i++) {
		uint32_t bit = (hash + i * step) % nr_bits;

		letters[bit / LETTER_BITS] |= 1 << bit % LETTER_BITS;
	}
}

static void filter_append(struct buffer *out, const struct html_tokens *tokens)
{
	size_t size = (tokens->size * BITS_PER_TOKEN + LETTER_BITS - 1) / LETTER_BITS;
	char *letters = buffer_reserve(out, size);

	if (!letters)
		return;
	memset(letters, 0, size);
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		if (tokens->table[i])
			bits_set(letters, size * LETTER_BITS, tokens->table[i]);
	}
	for (size_t i = 0; i < size; i++)
		letters[i] = base64_letters[(unsigned char)letters[i]];
	out->size += size;
}

void html_tokens_append(struct buffer *out, const struct html_tokens *tokens)
{
	if (tokens->size == 0)
		buffer_append_char(out, '-');
	else if (tokens->size > TOKENS_MAX)
		buffer_append_char(out, '*');
	else
		filter_append(out, tokens);
}
