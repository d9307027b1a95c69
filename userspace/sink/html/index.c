// SPDX-License-Identifier: GPL-2.0-only
/*
 * The index of a chunk for searches: its fields, and a Bloom filter of its tokens. It never
 * excludes a value that the chunk has; search.js excludes by it the chunks that it does not
 * decompress. index.js has the same hashes.
 */
#include "sink/html/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sink/text.h"

#define TABLE_SIZE (2 * TOKENS_MAX)
/* About one of a hundred absent tokens seems to be present. */
#define BITS_PER_TOKEN 10
#define NR_PROBES 5
/* Bits of one letter of base64. */
#define LETTER_BITS 6
/* The edges of a text are letters, too. */
#define TEXT_BEGIN 2
#define TEXT_END 3
#define TEXT_LETTERS 3
#define NUMBER_SEED 0x811c9dc5u
#define NUMBER_FACTOR 0x01000193u
#define NAME_SEED 0x5eed0000u
#define STEP_SEED 0x9e3779b9u
/* Digits of a number in a text; longer texts are no numbers of this index. */
#define NUMBER_SIZE 24
#define UNIT_SIZE 3

void html_index_clear(struct html_index *index)
{
	for (unsigned int i = 0; i < index->nr_tokens; i++)
		index->tokens[index->places[i]] = 0;
	index->nr_tokens = 0;
	index->nr_fields = 0;
	index->at = 0;
	index->is_open = false;
}

/* Each bit of the result depends on each bit of the word. */
static uint32_t mix(uint32_t word)
{
	word = (word ^ word >> 16) * 0x85ebca6bu;
	word = (word ^ word >> 13) * 0xc2b2ae35u;
	return word ^ word >> 16;
}

static void token_add(struct html_index *index, uint32_t word)
{
	uint32_t hash = mix(word), at = hash % TABLE_SIZE;

	while (index->tokens[at] && index->tokens[at] != hash)
		at = (at + 1) % TABLE_SIZE;
	if (index->tokens[at] || hash == 0 || index->nr_tokens > TOKENS_MAX)
		return;
	index->tokens[at] = hash;
	index->places[index->nr_tokens++] = at;
}

void html_index_add_name(struct html_index *index, uint64_t name)
{
	token_add(index, (uint32_t)name ^ NAME_SEED);
}

/* Adds the next letter of a text, and the two before; case is ignored. */
static void letter_add(struct html_index *index, unsigned char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		letter += 'a' - 'A';
	index->window = (index->window << 8 | letter) & 0xffffff;
	if (++index->nr_letters >= TEXT_LETTERS)
		token_add(index, index->window);
}

/* NULL if the chunk has too many, or one with an odd name: it would need escapes. */
static struct index_field *index_field_of(struct html_index *index, struct text name)
{
	bool is_odd = false;

	for (unsigned int i = 0; i < index->nr_fields; i++) {
		if (text_equals(index->fields[i].name, name))
			return &index->fields[i];
	}
	for (size_t i = 0; i < name.size; i++) {
		unsigned char byte = name.data[i];

		is_odd |= byte <= ' ' || byte >= 0x7f || strchr("=;~\"\\", byte);
	}
	if (index->nr_fields == INDEX_FIELDS_MAX || is_odd) {
		index->is_open = true;
		return NULL;
	}
	index->fields[index->nr_fields] = (struct index_field){ .name = name,
								.after = index->nr_fields + 1 };
	return &index->fields[index->nr_fields++];
}

static void field_widen(struct index_field *field, int64_t low, uint64_t high)
{
	if (!field->has_numbers || low < field->min)
		field->min = low;
	if (!field->has_numbers || high > field->max)
		field->max = high;
	field->has_numbers = true;
}

void html_index_add_durations(struct html_index *index, uint64_t min_ns, uint64_t max_ns)
{
	index->fields[index->nr_fields++] = (struct index_field){
		.name = text_of(""), .after = 1, .has_numbers = true, .min = min_ns, .max = max_ns
	};
}

static void number_add(struct html_index *index, struct index_field *field, uint32_t hash,
		       bool is_negative, uint64_t number)
{
	token_add(index, hash);
	if (is_negative)
		field_widen(field, number > INT64_MAX ? INT64_MIN : -(int64_t)number, 0);
	else
		field_widen(field, number > INT64_MAX ? INT64_MAX : (int64_t)number, number);
}

/*
 * Adds a number as ktrack writes it, whose token is that of its text, up to @end; NULL is the end
 * of the member. Returns its end, or NULL if it is no such number.
 */
static const char *field_add_decimal(struct html_index *index, struct index_field *field,
				     const char *at, const char *end)
{
	bool is_negative = *at == '-';
	const char *begin = at + is_negative;
	uint32_t hash = is_negative ? (NUMBER_SEED ^ '-') * NUMBER_FACTOR : NUMBER_SEED;
	uint64_t number = 0;

	/* "-0", and numbers with zeros before them, have the token of another text. */
	for (at = begin; (unsigned char)(*at - '0') <= 9; at++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *at - '0', &number))
			return NULL;
		hash = (hash ^ (unsigned char)*at) * NUMBER_FACTOR;
	}
	if (at == begin || (*begin == '0' && (at > begin + 1 || is_negative)) ||
	    (end ? at != end : *at != ',' && *at != '}'))
		return NULL;
	number_add(index, field, hash, is_negative, number);
	return at;
}

/*
 * Adds a text to the numbers if it is one to the page: decimal, hexadecimal, with a fraction or a
 * unit. The last two, and numbers beyond 64 bits, have no token.
 */
static void field_add_digits(struct html_index *index, struct index_field *field, struct text text)
{
	char digits[PUT_NUMBER_MAX + PUT_SLACK + 1], *end;
	bool is_negative = text.size > 0 && text.data[0] == '-';
	uint32_t hash = NUMBER_SEED;
	unsigned long long number;

	if (field_add_decimal(index, field, text.data, text.data + text.size))
		return;
	text.data += is_negative;
	text.size -= is_negative;
	if (text.size == 0 || text.data[0] < '0' || text.data[0] > '9')
		return;
	if (text.size > NUMBER_SIZE) {
		field->is_unlimited = true;
		return;
	}
	memset(digits, 0, sizeof(digits));
	memcpy(digits, text.data, text.size);
	errno = 0;
	number = strtoull(digits, &end, digits[1] == 'x' || digits[1] == 'X' ? 16 : 10);
	if (*end || errno) {
		field->is_unlimited |= errno || strchr(". \\", *end) || *end & 0x80 ||
				       strlen(end) <= UNIT_SIZE;
		return;
	}
	end = is_negative && number ? put_char(digits, '-') : digits;
	end = put_unsigned(end, number);
	for (const char *at = digits; at < end; at++)
		hash = (hash ^ (unsigned char)*at) * NUMBER_FACTOR;
	number_add(index, field, hash, is_negative, number);
}

/* Adds the letters of a string behind its quote; returns the place of the quote at its end. */
static const char *letters_add(struct html_index *index, const char *at)
{
	for (; *at != '"'; at++) {
		if (*at != '\\' && !(*at & 0x80)) {
			letter_add(index, *at);
			continue;
		}
		/* Letters before and after this do not follow each other. */
		index->nr_letters = 0;
		/* Of these, K of Kelvin and I with a dot are ASCII in lower case. */
		index->is_open |= strncmp(at, "\xe2\x84\xaa", 3) == 0 ||
				  strncmp(at, "\xc4\xb0", 2) == 0;
		at += *at == '\\';
	}
	return at;
}

/* Adds the value of a member; returns its end. */
static const char *value_add(struct html_index *index, struct index_field *field, const char *at)
{
	const char *begin = at;

	if (*at == '-' || (*at >= '0' && *at <= '9')) {
		at = field_add_decimal(index, field, begin, NULL);
		if (at)
			return at;
		for (at = begin; *at != ',' && *at != '}'; at++)
			;
		field_add_digits(index, field, (struct text){ begin, at - begin });
		return at;
	}
	index->nr_letters = 0;
	letter_add(index, TEXT_BEGIN);
	if (*at == '"') {
		at = letters_add(index, begin + 1);
		field_add_digits(index, field, (struct text){ begin + 1, at - begin - 1 });
		at++;
	} else if (*at == '[') {
		/* Strings of an array are one text, with commas between. */
		for (at++; *at != ']'; at++) {
			if (*at == '"')
				at = letters_add(index, at + 1);
			else
				letter_add(index, *at);
		}
		at++;
	} else {
		/* true, false or null */
		while (*at != ',' && *at != '}')
			letter_add(index, *at++);
	}
	letter_add(index, TEXT_END);
	return at;
}

/*
 * Adds a member, of which @rest begins with the quote of its name; returns its end, or NULL if it
 * is not indexed. It is usually of the field that followed the last one's before, also in the next
 * object; a value that this field had last is indexed already.
 */
static const char *member_add(struct html_index *index, struct text rest)
{
	unsigned int *after = &index->fields[index->at].after;
	struct index_field *field = index->nr_fields > 0 && *after < index->nr_fields
					    ? &index->fields[*after]
					    : NULL;
	const char *begin = rest.data, *at = begin + 1;
	size_t size = field ? field->last.size : 0;

	if (size > 0 && rest.size > size && (begin[size] == ',' || begin[size] == '}') &&
	    text_equals((struct text){ begin, size }, field->last)) {
		index->at = *after;
		return begin + size;
	}
	size = field ? field->name.size : 0;
	if (size > 0 && rest.size > size + 1 && at[size] == '"' &&
	    text_equals((struct text){ at, size }, field->name)) {
		at += size;
	} else {
		for (; *at != '"'; at++)
			at += *at == '\\';
		field = index_field_of(index, (struct text){ begin + 1, at - begin - 1 });
	}
	if (!field)
		return NULL;
	at = value_add(index, field, at + strlen("\":"));
	field->last = (struct text){ begin, at - begin };
	index->at = *after = field - index->fields;
	return at;
}

/* The only quotes outside of values are those of names. */
void html_index_add_args(struct html_index *index, struct text json)
{
	const char *at = json.data, *end = json.data + json.size;

	while (at < end) {
		if (*at != '"') {
			at++;
			continue;
		}
		at = member_add(index, (struct text){ at, end - at });
		if (!at || index->is_open)
			return;
	}
}

static void filter_append(struct buffer *out, const struct html_index *index)
{
	size_t size = (index->nr_tokens * BITS_PER_TOKEN + LETTER_BITS - 1) / LETTER_BITS;
	char *letters = buffer_reserve(out, size);

	if (!letters)
		return;
	memset(letters, 0, size);
	for (unsigned int i = 0; i < index->nr_tokens; i++) {
		uint32_t hash = index->tokens[index->places[i]], step = mix(hash ^ STEP_SEED) | 1;

		for (unsigned int k = 0; k < NR_PROBES; k++) {
			uint32_t bit = (hash + k * step) % (uint32_t)(size * LETTER_BITS);

			letters[bit / LETTER_BITS] |= 1 << bit % LETTER_BITS;
		}
	}
	for (size_t i = 0; i < size; i++)
		letters[i] = base64_letters[(unsigned char)letters[i]];
	out->size += size;
}

void html_index_append(struct buffer *out, const struct html_index *index)
{
	bool is_odd = false;

	if (index->is_open) {
		buffer_append_string(out, "* *");
		return;
	}
	for (unsigned int i = 0; i < index->nr_fields; i++)
		is_odd = is_odd || index->fields[i].is_unlimited;
	buffer_append_string(out, is_odd ? "?;" : ";");
	for (unsigned int i = 0; i < index->nr_fields; i++) {
		const struct index_field *field = &index->fields[i];

		buffer_append(out, field->name.data, field->name.size);
		buffer_append_char(out, '=');
		if (!field->is_unlimited && field->has_numbers)
			buffer_append_signed(out, field->min);
		if (field->is_unlimited || field->has_numbers)
			buffer_append_char(out, '~');
		if (!field->is_unlimited && field->has_numbers)
			buffer_append_unsigned(out, field->max);
		buffer_append_char(out, ';');
	}
	buffer_append_char(out, ' ');
	if (index->nr_tokens == 0)
		buffer_append_char(out, '-');
	else if (index->nr_tokens > TOKENS_MAX)
		buffer_append_char(out, '*');
	else
		filter_append(out, index);
}
