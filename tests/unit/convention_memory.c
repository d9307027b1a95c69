// SPDX-License-Identifier: GPL-2.0-only
/* Tests of remembered records: they say what they would say if they were read. */
#include "convention/memory.h"

#include "dice.h"
#include "format.h"
#include "tap.h"

/* With a gap, texts, an extra number before a text's place, and an extra text. */
#define QUEUE_FORMAT                                                                        \
	FORMAT("queue", 5,                                                                  \
	       SLICE_FIELDS FIELD("u32 bytes", 16, 4, 0) FIELD("s32 scope_queue", 20, 4, 1) \
		       FIELD("__data_loc char[] track_name", 24, 4, 0)                      \
			       FIELD("__data_loc char[] note", 28, 4, 0))
#define QUEUE_SIZE 32

#define WORK_FORMAT FORMAT("work", 6, SLICE_FIELDS)
#define LEVEL_FORMAT \
	FORMAT("level", 7, FIELD("s64 counter_value", 8, 8, 1) FIELD("u64 scope_x", 16, 8, 0))

static struct convention *conventions(void)
{
	struct convention *convention = convention_new(false);

	CHECK(convention_add_text(convention, "demo", QUEUE_FORMAT) != NULL);
	CHECK(convention_add_text(convention, "demo", WORK_FORMAT) != NULL);
	CHECK(convention_add_text(convention, "demo", LEVEL_FORMAT) != NULL);
	return convention;
}

static uint64_t likeness_of(struct convention *convention, const struct draft *draft, int cpu,
			    unsigned int buffer)
{
	struct record record = {
		.cpu = cpu, .buffer = buffer, .data = draft->bytes, .size = draft->size
	};

	return convention_read(convention, &record)->likeness;
}

static struct draft work(int pid, const char *name)
{
	struct draft draft;

	draft_slice(&draft, 6, 'B', name, 16);
	draft_number(&draft, 4, 4, pid);
	return draft;
}

TEST(records_that_say_the_same_are_alike)
{
	struct convention *convention = conventions();
	struct draft one = work(7, "handle"), same = work(7, "handle"), thread = work(8, "handle"),
		     name = work(7, "handlf"), size = work(7, "handles");
	uint64_t likeness = likeness_of(convention, &one, 0, 0);

	/* Flags, what stands in no field, and behind the texts. */
	draft_number(&same, 2, 2, 0x101);
	draft_number(&same, 9, 2, 0x5a5a);
	same.bytes[same.size++] = 'x';
	CHECK(likeness != 0);
	CHECK(likeness_of(convention, &same, 3, 0) == likeness);
	CHECK(likeness_of(convention, &thread, 0, 0) != likeness);
	CHECK(likeness_of(convention, &name, 0, 0) != likeness);
	CHECK(likeness_of(convention, &size, 0, 0) != likeness);
	CHECK(likeness_of(convention, &one, 0, 1) != likeness);
	CHECK(likeness_of(convention, &one, 0, 0) == likeness);
	convention_free(convention);
}

TEST(idle_tasks_of_two_cpus_are_not_alike)
{
	struct convention *convention = conventions();
	struct draft idle = work(0, "tick");
	uint64_t likeness = likeness_of(convention, &idle, 1, 0);

	CHECK(likeness_of(convention, &idle, 2, 0) != likeness);
	CHECK(likeness_of(convention, &idle, 1, 0) == likeness);
	convention_free(convention);
}

TEST(a_new_tracepoint_makes_all_forgotten)
{
	struct convention *convention = conventions();
	struct draft draft = work(7, "handle");
	uint64_t likeness = likeness_of(convention, &draft, 0, 0);

	CHECK(convention_add_text(convention, "demo", FORMAT("other", 8, SLICE_FIELDS)) != NULL);
	CHECK(likeness_of(convention, &draft, 0, 0) != likeness);
	convention_free(convention);
}

static const char *const texts[] = {
	"", "read", "read\nmore", "a name of more than a word",
	"another name that is so long that no short entry has room for "
	"it, whatever else it has, and then some, and then some more"
};

static void queue_roll(struct draft *draft, struct dice *dice)
{
	static const char letters[] = "BEIX";

	draft_begin(draft, 5, dice_below(dice, 3), QUEUE_SIZE);
	draft_number(draft, 8, 1, letters[dice_below(dice, 10) % 4]);
	draft_number(draft, 9, 3, dice_below(dice, 3));
	draft_number(draft, 16, 4, dice_below(dice, 1000));
	draft_number(draft, 20, 4, -dice_below(dice, 3));
	draft_text(draft, 12, texts[dice_below(dice, 5)]);
	draft_text(draft, 24, texts[dice_below(dice, 5)]);
	draft_text(draft, 28, texts[dice_below(dice, 4)]);
}

/* What a text is said to be may lie anywhere, so in a number. */
static void queue_lie(struct draft *draft, struct dice *dice)
{
	unsigned int field = 12 + 12 * dice_below(dice, 2);

	draft_number(draft, field, 2, dice_below(dice, draft->size + 4));
	if (dice_below(dice, 2))
		draft_number(draft, field + 2, 2, dice_below(dice, 8));
}

static void level_roll(struct draft *draft, struct dice *dice)
{
	draft_begin(draft, 7, dice_below(dice, 3), 24);
	draft_number(draft, 8, 8, dice_roll(dice));
	draft_number(draft, 16, 8, dice_below(dice, 3));
}

static void draft_roll(struct draft *draft, struct dice *dice)
{
	switch (dice_below(dice, 4)) {
	case 0:
		*draft = work(dice_below(dice, 3), texts[dice_below(dice, 5)]);
		break;
	case 1:
		level_roll(draft, dice);
		break;
	default:
		queue_roll(draft, dice);
		if (dice_below(dice, 8) == 0)
			queue_lie(draft, dice);
	}
	draft_number(draft, 2, 2, dice_below(dice, 3));
	if (dice_below(dice, 16) == 0)
		draft->size = dice_below(dice, draft->size + 1);
}

/* Reads a record from a block of just its size; returns whether it was like an earlier one. */
static bool check_reading(struct convention *convention, const struct draft *draft,
			  struct dice *dice)
{
	unsigned char *block = malloc(draft->size + 1);
	struct record record = { .cpu = dice_below(dice, 3),
				 .buffer = dice_below(dice, 2),
				 .time_ns = dice_below(dice, 1000),
				 .data = block,
				 .size = draft->size };
	static uint64_t newest;
	const struct observation *observation;
	struct buffer got = { 0 }, want;
	bool is_like;

	block = realloc(block, draft->size ? draft->size : 1);
	record.data = block;
	memcpy(block, draft->bytes, draft->size);
	want = record_read(convention, &record);
	observation = convention_read(convention, &record);
	append_reading(&got, observation);
	CHECK_TEXT(buffer_string(&got), buffer_string(&want));
	is_like = observation && observation->likeness && observation->likeness <= newest;
	if (observation) {
		CHECK_NUMBER(observation->time_ns, record.time_ns);
		CHECK_NUMBER(observation->cpu, record.cpu);
		CHECK_NUMBER(observation->buffer, record.buffer);
		newest = observation->likeness > newest ? observation->likeness : newest;
	}
	buffer_release(&got);
	buffer_release(&want);
	free(block);
	return is_like;
}

TEST(whatever_comes_is_read_as_if_nothing_were_remembered)
{
	struct convention *convention = conventions();
	struct dice dice = { 1 };
	unsigned int nr_like = 0;
	struct draft draft;

	for (unsigned int i = 0; i < 40000; i++) {
		draft_roll(&draft, &dice);
		nr_like += check_reading(convention, &draft, &dice);
	}
	CHECK(nr_like > 10000);
	convention_free(convention);
}

TEST(a_text_may_lie_in_a_number)
{
	struct convention *convention = conventions();
	struct dice dice = { 3 };
	struct draft draft;

	for (unsigned int i = 0; i < 16; i++) {
		draft_begin(&draft, 5, 7, QUEUE_SIZE);
		draft_number(&draft, 8, 1, 'B');
		draft_number(&draft, 12, 4, 4 << 16 | 16);
		draft_number(&draft, 16, 4, 0x616161 + i % 3);
		draft_text(&draft, 24, "queue0");
		check_reading(convention, &draft, &dice);
	}
	convention_free(convention);
}

TEST(more_than_there_is_room_for_are_read_all_the_same)
{
	struct convention *convention = conventions();
	struct dice dice = { 2 };
	struct draft draft;

	for (unsigned int i = 0; i < 10 * OBSERVATION_PLACES; i++) {
		draft = work(i % (3 * OBSERVATION_PLACES), "handle");
		check_reading(convention, &draft, &dice);
	}
	convention_free(convention);
}
