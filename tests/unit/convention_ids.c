// SPDX-License-Identifier: GPL-2.0-only
/* Tests of tracepoints that go and come again, and of ids that others take over. */
#include "format.h"

#define INTEGER FIELD("int counter_value", 8, 4, 1)
#define LONG FIELD("long counter_value", 8, 8, 1)

static const struct template *template_of(struct convention *convention, const char *text)
{
	const struct template *template = NULL;
	struct error error = { 0 };

	CHECK_NUMBER(convention_add(convention, "system", text_of(text), &template, &error), 0);
	CHECK(template != NULL);
	return template;
}

static bool is_read(struct convention *convention, unsigned int id)
{
	unsigned char bytes[16] = { 0 };
	const struct record record = { .data = bytes, .size = sizeof(bytes) };

	memcpy(bytes, &id, 2);
	CHECK(convention_knows(convention, id) == (convention_read(convention, &record) != NULL));
	return convention_knows(convention, id);
}

TEST(no_record_is_read_by_what_was_dropped)
{
	struct convention *convention = convention_new(false);
	const struct template *template = template_of(convention, COUNTER_FORMAT("int", 4, 1));

	CHECK(is_read(convention, 5));
	convention_drop(convention, template);
	CHECK(!is_read(convention, 5));
	convention_use(convention, template);
	CHECK(is_read(convention, 5));
	convention_free(convention);
}

TEST(what_took_over_an_id_keeps_it_when_the_one_before_is_dropped)
{
	struct convention *convention = convention_new(false);
	const struct template *before = template_of(convention, COUNTER_FORMAT("int", 4, 1));

	template_of(convention, FORMAT("other", 5, LONG));
	convention_drop(convention, before);
	CHECK(is_read(convention, 5));
	CHECK(convention_find_name(convention, "system", "event") == before);
	CHECK(convention_find_name(convention, "system", "eve") == NULL);
	convention_free(convention);
}

TEST(what_comes_again_with_the_same_format_is_the_same_tracepoint)
{
	struct convention *convention = convention_new(false);
	const struct template *first = template_of(convention, FORMAT("a", 5, INTEGER));
	const struct template *again = template_of(convention, FORMAT("a", 6, INTEGER));
	const struct template *other = template_of(convention, FORMAT("a", 7, LONG));
	const struct template *named = template_of(convention, FORMAT("b", 8, INTEGER));

	CHECK_NUMBER(again->index, first->index);
	CHECK(other->index != first->index);
	CHECK(named->index != first->index && named->index != other->index);
	CHECK(convention_find_name(convention, "system", "a") == other);
	convention_free(convention);
}
