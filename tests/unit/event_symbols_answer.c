// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading answers of the child, as a hostile one would send them. */
#include "event/symbol_node.h"
#include "fixtures/random.h"
#include "fixtures/symbols_fixture.h"

#define BYTES(...) (const char[]){ __VA_ARGS__ }, sizeof((const char[]){ __VA_ARGS__ })

/* One field, "v", of one part: {1: "one"} of field v. */
#define ONE                                                                                        \
	1, 1, SYMBOL_VALUES, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 'o', 'n', 'e', SYMBOL_FIELD, 1, 'v', \
		1, 'v'

static struct symbols *answer_read(const char *data, size_t size)
{
	struct format format;
	struct symbols *symbols;

	CHECK_NUMBER(format_parse(&format, text_of(FORMAT("event", 5, SYMBOLS_FIELDS))), 0);
	symbols = symbols_of_answer((struct text){ data, size }, &format, false);
	format_release(&format);
	return symbols;
}

static void check_refused(const char *data, size_t size)
{
	struct symbols *symbols = answer_read(data, size);

	CHECK(!symbols);
	symbols_free(symbols);
}

/* The text of "v" if it is 1. */
static void check_answer(const char *data, size_t size, const char *want)
{
	struct symbols *symbols = answer_read(data, size);
	struct event_builder builder;
	SCOPED_BUFFER(got);

	CHECK(symbols != NULL);
	event_builder_begin(&builder, 5, 7, SYMBOLS_RECORD_SIZE);
	event_builder_number(&builder, 12, 4, 1);
	symbols_append_text(&got, symbols, "v", &builder);
	CHECK_TEXT(buffer_string(&got), want);
	symbols_free(symbols);
}

TEST(an_answer_has_fields_parts_and_nodes)
{
	check_answer(BYTES(ONE), "one");
	check_answer(BYTES(1, 2, SYMBOL_TEXT, 1, 'a', SYMBOL_TEXT, 1, 'b', 1, 'v'), "ab");
}

TEST(an_answer_ends_where_its_last_field_does)
{
	const char answer[] = { ONE, 0 };

	check_refused(answer, sizeof(answer));
	for (size_t size = 0; size < sizeof(answer) - 1; size++)
		check_refused(answer, size);
}

TEST(an_answer_has_1_to_64_fields_of_up_to_8_parts)
{
	check_refused(BYTES(0));
	check_refused(BYTES(65, 0, 1, 'v'));
	check_refused(BYTES(1, 9, SYMBOL_TEXT, 0));
	check_answer(BYTES(1, 0, 1, 'v'), "");
}

TEST(kinds_and_operators_are_those_that_exist)
{
	check_refused(BYTES(1, 1, SYMBOL_KIND_COUNT, 0, 1, 'v'));
	check_refused(BYTES(1, 1, SYMBOL_CHOICE, SYMBOL_UNARY, SYMBOL_UNARY_COUNT, SYMBOL_FIELD, 1,
			    'v', SYMBOL_TEXT, 0, SYMBOL_TEXT, 0, 1, 'v'));
	check_refused(BYTES(1, 1, SYMBOL_CHOICE, SYMBOL_CAST, 3, 0, SYMBOL_FIELD, 1, 'v',
			    SYMBOL_TEXT, 0, SYMBOL_TEXT, 0, 1, 'v'));
	check_answer(BYTES(1, 1, SYMBOL_CHOICE, SYMBOL_CAST, 2, 0, SYMBOL_FIELD, 1, 'v',
			   SYMBOL_TEXT, 1, 'y', SYMBOL_TEXT, 1, 'n', 1, 'v'),
		     "y");
}

#define CONSTANT(value) SYMBOL_NUMBER, value, 0, 0, 0, 0, 0, 0, 0

/* "v" and a mask, the complement of the complement of (8 - 4) / 4 by a shift. */
TEST(operators_on_constants_are_evaluated_once)
{
	static const char answer[] = { 1,
				       1,
				       SYMBOL_CHOICE,
				       SYMBOL_BINARY,
				       SYMBOL_AND,
				       SYMBOL_FIELD,
				       1,
				       'v',
				       SYMBOL_UNARY,
				       SYMBOL_INVERT,
				       SYMBOL_UNARY,
				       SYMBOL_INVERT,
				       SYMBOL_BINARY,
				       SYMBOL_SHIFT_RIGHT,
				       SYMBOL_BINARY,
				       SYMBOL_SUBTRACT,
				       CONSTANT(8),
				       CONSTANT(4),
				       CONSTANT(2),
				       SYMBOL_TEXT,
				       1,
				       'y',
				       SYMBOL_TEXT,
				       1,
				       'n',
				       1,
				       'v' };
	struct symbols *symbols = answer_read(answer, sizeof(answer));

	check_answer(answer, sizeof(answer), "y");
	CHECK(symbols != NULL);
	/* The choice, the operator, the field, the mask and two texts. */
	CHECK_NUMBER(symbols->nr_nodes, 6);
	CHECK_NUMBER(symbols->nodes[3].number, 1);
	symbols_free(symbols);
}

TEST(numbers_and_texts_are_not_mixed_up)
{
	check_refused(BYTES(1, 1, SYMBOL_FIELD, 1, 'v', 1, 'v'));
	check_refused(
		BYTES(1, 1, SYMBOL_CHOICE, SYMBOL_TEXT, 0, SYMBOL_TEXT, 0, SYMBOL_TEXT, 0, 1, 'v'));
	check_refused(BYTES(1, 1, SYMBOL_CHOICE, SYMBOL_FIELD, 1, 'v', SYMBOL_FIELD, 1, 'v',
			    SYMBOL_TEXT, 0, 1, 'v'));
}

TEST(texts_contain_no_nul)
{
	check_refused(BYTES(1, 1, SYMBOL_TEXT, 2, 'a', '\0', 1, 'v'));
}

TEST(fields_that_do_not_exist_or_are_no_numbers_give_no_text)
{
	check_answer(BYTES(1, 1, SYMBOL_CHOICE, SYMBOL_FIELD, 1, 'x', SYMBOL_TEXT, 0, SYMBOL_TEXT,
			   0, 1, 'v'),
		     "-");
	check_answer(BYTES(1, 1, SYMBOL_CHOICE, SYMBOL_FIELD, 4, 'n', 'a', 'm', 'e', SYMBOL_TEXT, 0,
			   SYMBOL_TEXT, 0, 1, 'v'),
		     "-");
}

/* A text behind so many conditions. */
static struct symbols *nested_read(unsigned int depth)
{
	static const char condition[] = { SYMBOL_CHOICE, SYMBOL_FIELD, 1, 'v' };
	struct buffer answer = { 0 };
	struct symbols *symbols;

	buffer_append(&answer, BYTES(1, 1));
	for (unsigned int i = 0; i < depth; i++)
		buffer_append(&answer, condition, sizeof(condition));
	buffer_append(&answer, BYTES(SYMBOL_TEXT, 0));
	for (unsigned int i = 0; i < depth; i++)
		buffer_append(&answer, BYTES(SYMBOL_TEXT, 0));
	buffer_append(&answer, BYTES(1, 'v'));
	symbols = answer_read(answer.data, answer.size);
	buffer_release(&answer);
	return symbols;
}

TEST(nodes_are_nested_to_a_limit)
{
	struct symbols *symbols = nested_read(SYMBOL_DEPTH_MAX - 1);

	CHECK(symbols != NULL);
	symbols_free(symbols);
	CHECK(!nested_read(SYMBOL_DEPTH_MAX));
	CHECK(!nested_read(100000));
}

static struct symbols *parts_read(unsigned int nr_fields, unsigned int nr_entries)
{
	struct buffer answer = { 0 };
	struct symbols *symbols;

	buffer_append_char(&answer, nr_fields);
	for (unsigned int i = 0; i < nr_fields; i++) {
		uint16_t count = nr_entries;

		buffer_append(&answer, BYTES(1, SYMBOL_VALUES));
		buffer_append(&answer, &count, sizeof(count));
		for (unsigned int j = 0; j < nr_entries; j++)
			buffer_append(&answer, BYTES(0, 0, 0, 0, 0, 0, 0, 0, 0));
		buffer_append(&answer, BYTES(SYMBOL_FIELD, 1, 'v', 1, 'v'));
	}
	symbols = answer_read(answer.data, answer.size);
	buffer_release(&answer);
	return symbols;
}

TEST(entries_and_bytes_have_limits)
{
	struct symbols *symbols = parts_read(64, SYMBOL_ENTRIES_MAX / 64);

	CHECK(symbols != NULL);
	CHECK(symbols_size(symbols) < 512 * 1024);
	symbols_free(symbols);
	CHECK(!parts_read(64, SYMBOL_ENTRIES_MAX / 64 + 1));
	CHECK(!parts_read(1, 65535));
}

/* Changes bytes of a sound answer, and renders what is accepted. */
TEST(random_answers_do_no_harm)
{
	const char sound[] = { ONE };
	struct random random = { 7 };

	for (int i = 0; i < 20000; i++) {
		struct event_builder builder;
		struct buffer got = { 0 };
		struct symbols *symbols;
		char answer[sizeof(sound)];

		memcpy(answer, sound, sizeof(sound));
		for (uint64_t j = random_below(&random, 5); j > 0; j--)
			answer[random_below(&random, sizeof(answer))] = random_below(&random, 12);
		symbols = answer_read(answer, sizeof(answer));
		event_builder_begin(&builder, 5, 7, SYMBOLS_RECORD_SIZE);
		symbols_append_text(&got, symbols, "v", &builder);
		buffer_release(&got);
		symbols_free(symbols);
	}
}
