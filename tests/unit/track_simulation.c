// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads migrate between CPUs, open and close slices, and CPUs lose stretches of their records.
 * What the track module then reports is compared with what really happened: every slice reported
 * wrong must be suspect, and none may be that no loss touches.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fixtures/random.h"
#include "fixtures/track_fixture.h"
#include "fixtures/tap.h"
#include "track/track.h"

#define NR_CPUS 4
#define NR_THREADS 6
/* Each CPU's idle task is a task too. */
#define NR_TASKS (NR_THREADS + NR_CPUS)
#define NR_RECORDS 300
#define NR_STRETCHES 5
#define STRETCH_MAX 12
#define DEPTH_MAX 5
#define NR_RUNS 1000
#define STILL_OPEN INT64_MAX

/** struct entry - a record as it was written; @order distinguishes records of one CPU and time */
struct entry {
	int64_t time_ns;
	int order;
	int cpu;
	int task;
	bool is_begin;
	bool is_lost;
	unsigned int slice;
};

/** struct truth - what really happened to a slice */
struct truth {
	int task;
	int64_t begin_ns;
	int64_t end_ns;
};

/** struct gap - a stretch of lost records of one CPU */
struct gap {
	int cpu;
	int64_t from_ns;
	int64_t to_ns;
	bool was_reported;
};

/** struct world - the records, the lost ones, and the sink that checks the output */
struct world {
	struct sink sink;
	struct random random;
	struct entry entries[NR_RECORDS];
	struct truth slices[NR_RECORDS];
	unsigned int nr_slices;
	struct gap gaps[NR_RECORDS];
	size_t nr_gaps;
	int64_t end_ns;
	unsigned int nr_reported;
	unsigned int nr_falsified;
	unsigned int nr_suspect;
	unsigned int nr_wrong;
};

/** struct task - a task while the world is made */
struct task {
	int cpu;
	int64_t last_ns;
	unsigned int open[DEPTH_MAX];
	size_t depth;
};

static void task_migrate(struct world *world, struct task *tasks, int number)
{
	if (number >= NR_THREADS)
		tasks[number].cpu = number - NR_THREADS;
	else if (random_below(&world->random, 4) == 0)
		tasks[number].cpu = random_below(&world->random, NR_CPUS);
}

static void task_act(struct world *world, struct task *task, int number, struct entry *entry)
{
	/* A task does one thing at a time; different ones may do theirs at the same. */
	world->end_ns += task->last_ns == world->end_ns;
	task->last_ns = world->end_ns;
	*entry = (struct entry){ .time_ns = world->end_ns, .cpu = task->cpu, .task = number };
	entry->is_begin = task->depth == 0 ||
			  (task->depth < DEPTH_MAX && random_below(&world->random, 2));
	if (!entry->is_begin) {
		world->slices[task->open[--task->depth]].end_ns = entry->time_ns;
		return;
	}
	entry->slice = world->nr_slices++;
	task->open[task->depth++] = entry->slice;
	world->slices[entry->slice] =
		(struct truth){ .task = number, .begin_ns = entry->time_ns, .end_ns = STILL_OPEN };
}

/* The order in which records are read: by time, and at one time CPU by CPU. */
static int entry_compare(const void *a, const void *b)
{
	const struct entry *first = a, *second = b;

	if (first->time_ns != second->time_ns)
		return first->time_ns < second->time_ns ? -1 : 1;
	return first->cpu != second->cpu ? first->cpu - second->cpu : first->order - second->order;
}

static void world_happen(struct world *world)
{
	struct task tasks[NR_TASKS] = { 0 };

	world->end_ns = FIXTURE_START_NS;
	for (int i = 0; i < NR_RECORDS; i++) {
		int number = random_below(&world->random, NR_TASKS);

		world->end_ns += random_below(&world->random, 3);
		task_migrate(world, tasks, number);
		task_act(world, &tasks[number], number, &world->entries[i]);
		world->entries[i].order = i;
	}
	world->end_ns++;
	qsort(world->entries, NR_RECORDS, sizeof(world->entries[0]), entry_compare);
}

/*
 * Takes stretches of one CPU's records away; they may meet, reach the end, or begin with the first
 * record.
 */
static void world_lose(struct world *world)
{
	for (int stretch = 0; stretch < NR_STRETCHES; stretch++) {
		int cpu = random_below(&world->random, NR_CPUS);
		unsigned int left = random_below(&world->random, STRETCH_MAX + 1);

		for (int i = random_below(&world->random, NR_RECORDS); i < NR_RECORDS && left > 0;
		     i++) {
			if (world->entries[i].cpu != cpu)
				continue;
			world->entries[i].is_lost = true;
			left--;
		}
	}
}

/*
 * A gap begins with the last record that was read before it, or with the moment up to which the CPU
 * is known to have been read, which is later; it ends with the first record that was read after it.
 */
static void world_find_gaps(struct world *world, int cpu)
{
	int64_t last_ns = FIXTURE_START_NS;
	struct gap *gap = NULL;

	for (int i = 0; i < NR_RECORDS; i++) {
		const struct entry *entry = &world->entries[i];

		if (entry->cpu != cpu)
			continue;
		if (entry->is_lost && !gap) {
			gap = &world->gaps[world->nr_gaps++];
			*gap = (struct gap){ .cpu = cpu,
					     .from_ns = last_ns,
					     .to_ns = world->end_ns };
			if (entry->time_ns > last_ns && random_below(&world->random, 2))
				gap->from_ns += random_below(&world->random,
							     entry->time_ns - last_ns);
		} else if (!entry->is_lost && gap) {
			gap->to_ns = entry->time_ns;
			gap = NULL;
		}
		last_ns = entry->time_ns;
	}
}

/*
 * Whether a loss touches the moments from @begin_ns to @end_ns of a task; each end counts where
 * @with_ends.
 */
static bool world_has_gap(const struct world *world, int task, int64_t begin_ns, int64_t end_ns,
			  bool with_ends)
{
	for (size_t i = 0; i < world->nr_gaps; i++) {
		const struct gap *gap = &world->gaps[i];
		bool is_touched = begin_ns - with_ends < gap->to_ns &&
				  end_ns + with_ends > gap->from_ns;

		if (is_touched && (task < NR_THREADS || gap->cpu == task - NR_THREADS))
			return true;
	}
	return false;
}

static int world_open(struct sink *sink, const struct recording *recording, unsigned int sink_index,
		      struct error *error)
{
	(void)sink;
	(void)recording;
	(void)sink_index;
	(void)error;
	return 0;
}

static int track_task(const struct timeline_track *track)
{
	return track->id.signed_number == 0 ? NR_THREADS + track->cpu
					    : (int)track->id.signed_number - 1;
}

/* Compares a slice with the truth; its name is its number. */
static int world_judge(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct world *world = (struct world *)sink;
	const struct truth *truth;
	int64_t end_ns = event->is_unfinished ? STILL_OPEN : event->time_ns;
	bool is_falsified, is_wrong;

	(void)error;
	if (event->kind != TIMELINE_SLICE_END)
		return 0;
	truth = &world->slices[atoi(event->name->text.data)];
	is_falsified = truth->end_ns != end_ns;
	if (truth->begin_ns != event->begin_ns || truth->task != track_task(event->track))
		world->nr_wrong++;
	/*
	 * The mark is needed where a loss overlaps the slice, and allowed where it only touches it.
	 */
	if (event->is_suspect)
		is_wrong = !world_has_gap(world, truth->task, event->begin_ns, event->time_ns,
					  true);
	else
		is_wrong = is_falsified || world_has_gap(world, truth->task, event->begin_ns,
							 event->time_ns, false);
	world->nr_wrong += is_wrong;
	world->nr_reported++;
	world->nr_falsified += is_falsified;
	world->nr_suspect += event->is_suspect;
	return 0;
}

static void world_free(struct sink *sink)
{
	(void)sink;
}

static const struct sink_ops world_sink = {
	.open = world_open,
	.event = world_judge,
	.free = world_free,
};

/* Reports the gaps that begin before @time_ns. */
static void report_gaps(struct world *world, struct tracks *tracks, int64_t time_ns)
{
	struct error error = { 0 };

	for (size_t i = 0; i < world->nr_gaps; i++) {
		struct gap *gap = &world->gaps[i];
		struct loss loss = {
			.cpu = gap->cpu, .from_ns = gap->from_ns, .to_ns = gap->to_ns, .count = 1
		};

		if (gap->was_reported || gap->from_ns >= time_ns)
			continue;
		gap->was_reported = true;
		CHECK_NUMBER(tracks_lose(tracks, &loss, &error), 0);
	}
}

static void report_entry(struct tracks *tracks, const struct entry *entry)
{
	enum decoded_kind kind = entry->is_begin ? DECODED_BEGIN : DECODED_END;
	int tid = entry->task < NR_THREADS ? entry->task + 1 : 0;
	struct decoded_event decoded = track_fixture_event(FIXTURE_WORK, kind, entry->time_ns, tid);
	struct error error = { 0 };
	char name[16];

	snprintf(name, sizeof(name), "%u", entry->slice);
	decoded.cpu = entry->cpu;
	/* The space keeps the NUL too, so that the sink can read the number. */
	decoded.slice_name = (struct text){ .data = name, .size = sizeof(name) };
	decoded.slice_head = text_head(decoded.slice_name);
	decoded.track_head = text_head(decoded.track_name);
	CHECK_NUMBER(tracks_observe(tracks, &decoded, &error), 0);
}

/* Reports all that was not lost. */
static void world_report(struct world *world)
{
	struct tracks_settings settings = { 0 };
	struct recording recording = { .start_ns = FIXTURE_START_NS };
	SCOPED(timeline) timeline = { 0 };
	struct tracks *tracks = tracks_new(&settings, &timeline, FIXTURE_START_NS);
	struct error error = { 0 };

	CHECK_NUMBER(timeline_add(&timeline, &world->sink, &error), 0);
	CHECK_NUMBER(timeline_open(&timeline, &recording, &error), 0);
	for (int i = 0; i < NR_RECORDS; i++) {
		report_gaps(world, tracks, world->entries[i].time_ns);
		if (!world->entries[i].is_lost)
			report_entry(tracks, &world->entries[i]);
	}
	report_gaps(world, tracks, INT64_MAX);
	CHECK_NUMBER(tracks_finish(tracks, world->end_ns, 0, 0, &error), 0);
	tracks_free(tracks);
}

static void world_run(struct world *world, uint64_t seed, bool with_loss)
{
	*world = (struct world){ .sink.ops = &world_sink, .random = { seed } };
	world_happen(world);
	if (with_loss)
		world_lose(world);
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		world_find_gaps(world, cpu);
	world_report(world);
}

TEST(without_losses_every_slice_is_reported_as_it_was_and_none_is_suspect)
{
	static struct world world;

	for (unsigned int seed = 1; seed <= NR_RUNS / 10; seed++) {
		world_run(&world, seed, false);
		CHECK_NUMBER(world.nr_reported, world.nr_slices);
		CHECK_NUMBER(world.nr_falsified + world.nr_suspect + world.nr_wrong, 0);
	}
}

TEST(with_losses_every_falsified_slice_is_suspect_and_none_that_no_loss_touches)
{
	static struct world world;
	unsigned int nr_reported = 0, nr_falsified = 0, nr_suspect = 0;

	for (unsigned int seed = 1; seed <= NR_RUNS; seed++) {
		world_run(&world, seed, true);
		if (!CHECK_NUMBER(world.nr_wrong, 0))
			break;
		nr_reported += world.nr_reported;
		nr_falsified += world.nr_falsified;
		nr_suspect += world.nr_suspect;
	}
	/* The losses do harm, the mark says more than the harm, and less than everything. */
	CHECK(nr_falsified > 5 * NR_RUNS);
	CHECK(nr_suspect > nr_falsified);
	CHECK(nr_reported > nr_suspect + nr_suspect / 4);
}
