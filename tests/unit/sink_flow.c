// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sets of flows. */
#include "sink/flow.h"

#include "fixtures/tap.h"

static int set_add(struct flow_set *set, const char *name, uint64_t id)
{
	const struct field flow = { .name = text_of(name),
				    .value = { .kind = VALUE_UNSIGNED, .unsigned_number = id } };

	return flow_set_add(set, &flow);
}

TEST(flows_are_distinguished_by_name_and_id)
{
	SCOPED(flow_set) set = { 0 };

	CHECK_NUMBER(set_add(&set, "request", 1), 0);
	CHECK_NUMBER(set_add(&set, "request", 2), 0);
	CHECK_NUMBER(set_add(&set, "reply", 1), 0);
	CHECK_NUMBER(set_add(&set, "request", 1), 1);
}

/* With another point, it is new again. */
TEST(a_flow_is_remembered_while_64_ki_others_begin_and_forgotten_in_the_end)
{
	SCOPED(flow_set) set = { 0 };
	uint64_t id = 1;

	CHECK_NUMBER(set_add(&set, "request", 0), 0);
	for (; id < FLOW_SET_RECENT + 100; id++)
		CHECK_NUMBER(set_add(&set, "request", id), 0);
	CHECK_NUMBER(set_add(&set, "request", 0), 1);
	for (; id < 4 * FLOW_SET_RECENT; id++)
		set_add(&set, "request", id);
	CHECK(set.recent.size + set.older.size <= 2 * FLOW_SET_RECENT);
	CHECK_NUMBER(set_add(&set, "request", 0), 0);
}
