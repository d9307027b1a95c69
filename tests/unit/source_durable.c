// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading the small instance beside another one along with that. */
#include "instance.h"

/** struct pair - an instance and the one beside it, read by the first's source */
struct pair {
	struct rig rig;
	struct rig beside;
};

static void pair_begin(struct pair *pair)
{
	rig_begin(&pair->rig, 2);
	rig_begin(&pair->beside, 2);
	ADD(&pair->rig, 0, 0, 10, 30);
	ADD(&pair->beside, 1, 0, 5, 20, 60);
}

static void pair_open(struct pair *pair)
{
	CHECK_NUMBER(source_live_open(&pair->rig.source, pair->rig.instance.path, &pair->rig.error),
		     0);
	CHECK_NUMBER(
		source_live_add(pair->rig.source, pair->beside.instance.path, &pair->rig.error), 0);
}

static void pair_end(struct pair *pair)
{
	rig_end(&pair->rig);
	rig_end(&pair->beside);
}

TEST(both_are_merged_and_count_their_cpus_once)
{
	struct pair pair;

	pair_begin(&pair);
	pair_open(&pair);
	CHECK_NUMBER(source_describe(pair.rig.source)->nr_cpus, 2);
	CHECK(source_describe(pair.rig.source)->buffers == NULL);
	check_drain(&pair.rig, 25, "cpu 1 at 5\ncpu 0 at 10\ncpu 1 at 20\n");
	check_finish(&pair.rig, 100, 0, "cpu 0 at 30\ncpu 1 at 60\n");
	pair_end(&pair);
}

TEST(what_is_lost_beside_is_counted_apart)
{
	struct pair pair;

	pair_begin(&pair);
	ADD(&pair.beside, 1, 4, 70);
	folder_add_text(&pair.beside.instance, "per_cpu/cpu1/stats", "overrun: 4\n");
	folder_add_text(&pair.beside.instance, "per_cpu/cpu0/stats", "dropped events: 2\n");
	folder_add_text(&pair.rig.instance, "per_cpu/cpu1/stats", "dropped events: 1\n");
	pair_open(&pair);
	check_finish(&pair.rig, 100, 1,
		     "cpu 1 at 5\ncpu 0 at 10\ncpu 1 at 20\ncpu 0 at 30\ncpu 1 at 60\n"
		     "cpu 1 at 70\ncpu 1 lost 1 from 0 to 100\n");
	CHECK_NUMBER(source_lost_durable(pair.rig.source), 6);
	pair_end(&pair);
}

TEST(the_first_record_is_that_of_a_track)
{
	struct pair pair;
	int64_t first_ns;

	pair_begin(&pair);
	pair_open(&pair);
	CHECK_NUMBER(source_first_time(pair.rig.source, &first_ns, &pair.rig.error), 1);
	CHECK_NUMBER(first_ns, 10);
	pair_end(&pair);
}

static void buffer_empty(struct rig *rig, const char *file)
{
	CHECK_NUMBER(truncate(folder_path(&rig->instance, file), 0), 0);
}

/* What is held may be overwritten, what is beside it not. */
TEST(what_is_beside_is_read_while_the_rest_is_held)
{
	struct pair pair;

	pair_begin(&pair);
	pair_open(&pair);
	source_hold(pair.rig.source, true);
	source_read_ahead(pair.rig.source);
	buffer_empty(&pair.rig, "per_cpu/cpu0/trace_pipe_raw");
	buffer_empty(&pair.beside, "per_cpu/cpu1/trace_pipe_raw");
	source_hold(pair.rig.source, false);
	check_finish(&pair.rig, 100, 0, "cpu 1 at 5\ncpu 1 at 20\ncpu 1 at 60\n");
	pair_end(&pair);
}
