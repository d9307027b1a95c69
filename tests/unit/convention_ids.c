// SPDX-License-Identifier: GPL-2.0-only
/* Tests of tracepoints that go and come again, and of ids that others take over. */
#include "fixtures/event_builder.h"

#define INTEGER FIELD("int counter_value", 8, 4, 1)
#define LONG FIELD("long counter_value", 8, 8, 1)

static const struct descriptor *descriptor_of(struct convention *convention, const char *text)
{
	const struct descriptor *descriptor = NULL;
	struct error error = { 0 };

	CHECK_NUMBER(convention_add(convention, "system", text_of(text), &descriptor, &error), 0);
	CHECK(descriptor != NULL);
	return descriptor;
}

static bool is_read(struct convention *convention, unsigned int id)
{
	unsigned char bytes[16] = { 0 };
	const struct record record = { .data = bytes, .size = sizeof(bytes) };

	memcpy(bytes, &id, 2);
	CHECK(convention_has_id(convention, id) == (record_descriptor(convention, &record) != NULL));
	return convention_has_id(convention, id);
}

TEST(no_record_is_read_by_what_was_dropped)
{
	struct convention *convention = convention_new(false);
	const struct descriptor *descriptor = descriptor_of(convention,
							    COUNTER_FORMAT("int", 4, 1));

	CHECK(is_read(convention, 5));
	convention_drop(convention, descriptor);
	CHECK(!is_read(convention, 5));
	convention_use(convention, descriptor);
	CHECK(is_read(convention, 5));
	convention_free(convention);
}

TEST(what_took_over_an_id_keeps_it_when_the_one_before_is_dropped)
{
	struct convention *convention = convention_new(false);
	const struct descriptor *before = descriptor_of(convention, COUNTER_FORMAT("int", 4, 1));

	descriptor_of(convention, FORMAT("other", 5, LONG));
	convention_drop(convention, before);
	CHECK(is_read(convention, 5));
	CHECK(convention_find_name(convention, "system", "event") == before);
	CHECK(convention_find_name(convention, "system", "eve") == NULL);
	convention_free(convention);
}

TEST(what_comes_again_with_the_same_format_is_the_same_tracepoint)
{
	struct convention *convention = convention_new(false);
	const struct descriptor *first = descriptor_of(convention, FORMAT("a", 5, INTEGER));
	const struct descriptor *again = descriptor_of(convention, FORMAT("a", 6, INTEGER));
	const struct descriptor *other = descriptor_of(convention, FORMAT("a", 7, LONG));
	const struct descriptor *named = descriptor_of(convention, FORMAT("b", 8, INTEGER));

	CHECK_NUMBER(again->index, first->index);
	CHECK(other->index != first->index);
	CHECK(named->index != first->index && named->index != other->index);
	CHECK(convention_find_name(convention, "system", "a") == other);
	convention_free(convention);
}
