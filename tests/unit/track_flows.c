// SPDX-License-Identifier: GPL-2.0-only
/* Tests of flows: a slice has one id of each, that of its begin or else that of its end. */
#include "fixtures/tap.h"
#include "fixtures/track_fixture.h"

#define REQUEST "request"
#define BATCH "batch"

static struct extra flows[] = {
	{ .name = (char *)REQUEST, .label = { REQUEST, sizeof(REQUEST) - 1 } },
	{ .name = (char *)BATCH, .label = { BATCH, sizeof(BATCH) - 1 } },
};

static const struct descriptor linked = {
	.kind = DESCRIPTOR_SLICE,
	.category = (char *)"a:work",
	.name = "work",
	.flows = flows,
	.nr_flows = 2,
};

/* The descriptor of a tracepoint with flows has keys, maybe none of them. */
static const struct decoded_keys no_keys;

/* Shows a record with ids of both flows, 0 for none, and an extra field. */
static void show(struct track_fixture *fixture, enum decoded_kind kind, int64_t time_ns,
		 uint64_t request, uint64_t batch)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_WORK, kind, time_ns, 7);
	struct field fields[3] = { { text_of("bytes"), { .kind = VALUE_UNSIGNED } } };
	const uint64_t ids[] = { request, batch };

	for (size_t i = 0; i < 2; i++) {
		struct field *field = &fields[1 + decoded.nr_flows];

		if (ids[i] == 0)
			continue;
		*field = (struct field){ linked.flows[i].label, { .kind = VALUE_UNSIGNED } };
		field->value.unsigned_number = ids[i];
		decoded.nr_flows++;
	}
	decoded.descriptor = &linked;
	decoded.keys = &no_keys;
	decoded.slice_name = kind == DECODED_END ? text_of("") : text_of("x");
	decoded.slice_head = text_head(decoded.slice_name);
	decoded.extras = fields;
	decoded.nr_extras = 1;
	CHECK_NUMBER(track_fixture_add(fixture, &decoded), 0);
}

TEST(an_end_adds_only_ids_that_the_begin_does_not_have)
{
	FIXTURE(track_fixture, fixture, NULL);

	show(&fixture, DECODED_BEGIN, 110, 1, 0);
	CHECK_TEXT(track_fixture_output(&fixture), "110 #1 + a:work slices 'work' tid 7\n"
						   "110 #1 begin 'x' depth 1 bytes=0 flow request=1\n");
	show(&fixture, DECODED_END, 120, 1, 2);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "120 #1 end 'x' depth 1 from 110 bytes=0 flow batch=2\n");
	show(&fixture, DECODED_BEGIN, 130, 0, 0);
	show(&fixture, DECODED_END, 140, 3, 4);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "130 #1 begin 'x' depth 1 bytes=0\n"
		   "140 #1 end 'x' depth 1 from 130 bytes=0 flow request=3 flow batch=4\n");
	show(&fixture, DECODED_BEGIN, 150, 5, 6);
	show(&fixture, DECODED_END, 160, 7, 8);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "150 #1 begin 'x' depth 1 bytes=0 flow request=5 flow batch=6\n"
		   "160 #1 end 'x' depth 1 from 150 bytes=0\n");
}

TEST(nested_slices_have_ids_of_their_own)
{
	FIXTURE(track_fixture, fixture, NULL);

	show(&fixture, DECODED_BEGIN, 110, 1, 0);
	show(&fixture, DECODED_BEGIN, 120, 0, 1);
	show(&fixture, DECODED_INSTANT, 125, 9, 9);
	track_fixture_output(&fixture);
	show(&fixture, DECODED_END, 130, 2, 2);
	show(&fixture, DECODED_END, 140, 3, 3);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "130 #1 end 'x' depth 2 from 120 bytes=0 flow request=2\n"
		   "140 #1 end 'x' depth 1 from 110 bytes=0 flow batch=3\n");
}

TEST(a_slice_keeps_its_ids_in_the_next_session)
{
	FIXTURE(track_fixture, fixture, NULL);

	show(&fixture, DECODED_BEGIN, 110, 1, 0);
	track_fixture_renew(&fixture, 120);
	track_fixture_output(&fixture);
	show(&fixture, DECODED_END, 130, 1, 1);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "130 #1 end 'x' depth 1 from 120 continued bytes=0 flow batch=1\n");
	show(&fixture, DECODED_BEGIN, 140, 1, 1);
	track_fixture_finish(&fixture, 150);
}
