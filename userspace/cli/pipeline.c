// SPDX-License-Identifier: GPL-2.0-only
/* Carries records from room to room. */
#include "cli/pipeline.h"

#include <stdio.h>

static void task_find(void *context, int tid, int *tgid, char *comm, size_t comm_size)
{
	struct source_task task;

	source_find_task(context, tid, &task);
	*tgid = task.tgid;
	snprintf(comm, comm_size, "%s", task.comm);
}

int pipeline_open(struct pipeline *pipeline, struct source *source,
		  const struct recording *recording, bool has_comm, struct error *error)
{
	struct tracks_settings settings = {
		.idle_max = pipeline->bounds.max_tracks,
		.has_comm = has_comm,
		.buffers = source_describe(source)->buffers,
		.find_task = task_find,
		.context = source,
	};

	pipeline->source = source;
	pipeline->filter.start_ns = recording->start_ns;
	pipeline->is_open = filter_is_open(&pipeline->filter);
	pipeline->buffers = settings.buffers;
	pipeline->tracks = tracks_new(&settings, &pipeline->timeline, recording->start_ns);
	if (!pipeline->tracks)
		return error_set(error, "out of memory");
	return timeline_open(&pipeline->timeline, recording, error);
}

static int pipeline_record(void *context, const struct record *record, struct error *error);

/* What ktrack record keeps in the sideband buffer is only about threads. */
static bool record_is_beside(const struct pipeline *pipeline, const struct record *record)
{
	size_t nr_buffers = source_describe(pipeline->source)->nr_buffers;

	return record->buffer > 0 && record->buffer >= nr_buffers;
}

/* Which tracepoints are exported is the choice of whoever names some. */
static int pipeline_untaken(struct pipeline *pipeline, const struct record *record,
			    struct error *error)
{
	uint16_t id;

	if (!pipeline->counts_untaken || record_is_beside(pipeline, record) ||
	    !filter_wants_record(&pipeline->filter, record, pipeline->buffers))
		return 0;
	if (!convention_id(pipeline->convention, record, &id) ||
	    convention_knows(pipeline->convention, id))
		return 0;
	return untaken_add(&pipeline->untaken, id, error);
}

/* A record of a tracepoint that came just now, or of one that went before it was read. */
static int pipeline_stranger(struct pipeline *pipeline, const struct record *record,
			     struct error *error)
{
	const struct pipeline_finder *finder = &pipeline->finder;
	bool is_known = false;
	int status;

	if (!finder->find) {
		if (pipeline->source)
			source_note_unknown(pipeline->source, record);
		return pipeline_untaken(pipeline, record, error);
	}
	status = finder->find(finder->context, record, &is_known, error);
	if (is_known)
		return pipeline_record(pipeline, record, error);
	if (status <= 0)
		return status;
	pipeline->nr_strangers++;
	return strangers_add(&pipeline->strangers, record, error);
}

/* What the kernel says of tasks is no event of a track, but says whose tracks they are. */
static __attribute__((noinline)) int pipeline_task(struct pipeline *pipeline,
						   const struct record *record, struct error *error)
{
	struct task_change change;

	if (!convention_read_task(pipeline->convention, record, &change))
		return pipeline_stranger(pipeline, record, error);
	if (pipeline_untaken(pipeline, record, error) < 0)
		return -1;
	if (filter_is_past(&pipeline->filter, record->time_ns))
		return 0;
	return tracks_learn(pipeline->tracks, &change, error);
}

hot_inline int pipeline_observe(struct pipeline *pipeline, const struct observation *observation,
				struct error *error)
{
	return observation->problem ? tracks_reject(pipeline->tracks, observation, error)
				    : tracks_observe(pipeline->tracks, observation, error);
}

/* A record that may not be wanted. */
static __attribute__((noinline)) int record_filter(struct pipeline *pipeline,
						   const struct record *record,
						   const struct observation *observation,
						   struct error *error)
{
	const struct filter *filter = &pipeline->filter;

	if (!filter_wants_record(filter, record, pipeline->buffers))
		return 0;
	if (!observation->problem && !filter_wants_observation(filter, observation))
		return 0;
	return pipeline_observe(pipeline, observation, error);
}

static int pipeline_record(void *context, const struct record *record, struct error *error)
{
	struct pipeline *pipeline = context;
	const struct observation *observation = convention_read(pipeline->convention, record);

	if (!observation)
		return pipeline_task(pipeline, record, error);
	if (!pipeline->is_open)
		return record_filter(pipeline, record, observation, error);
	return pipeline_observe(pipeline, observation, error);
}

_Static_assert(TIMELINE_COUNT_UNKNOWN == SOURCE_COUNT_UNKNOWN, "an unknown number stays one");

static int pipeline_loss(void *context, const struct source_loss *loss, struct error *error)
{
	struct pipeline *pipeline = context;

	struct tracks_gap gap = {
		.buffer = loss->buffer,
		.cpu = loss->cpu,
		.from_ns = loss->from_ns,
		.to_ns = loss->to_ns,
		.count = loss->count,
		.is_sum = loss->is_sum,
	};

	/* The kernel's sums are of the whole time. */
	if (loss->is_sum && filter_has_times(&pipeline->filter))
		return 0;
	if (!filter_wants_loss(&pipeline->filter, loss, pipeline->buffers))
		return 0;
	pipeline->has_lost = true;
	if (loss->count > 0)
		pipeline->lost += loss->count;
	pipeline->nr_gaps += !loss->is_sum;
	pipeline->nr_gaps_unknown += loss->count == SOURCE_COUNT_UNKNOWN;
	if (loss->to_ns > pipeline->lost_until_ns)
		pipeline->lost_until_ns = loss->to_ns;
	return tracks_lose(pipeline->tracks, &gap, error);
}

static bool pipeline_wants(void *context, int cpu, unsigned int buffer)
{
	const struct pipeline *pipeline = context;

	return filter_wants_stream(&pipeline->filter, cpu, buffer, pipeline->buffers);
}

struct source_handler pipeline_handler(struct pipeline *pipeline)
{
	return (struct source_handler){ .context = pipeline,
					.record = pipeline_record,
					.loss = pipeline_loss,
					.wants = pipeline_wants };
}

int pipeline_tell_strangers(struct pipeline *pipeline, struct error *error)
{
	struct source_handler handler = pipeline_handler(pipeline);

	return strangers_tell(&pipeline->strangers, &handler, error);
}

void pipeline_release(struct pipeline *pipeline)
{
	tracks_free(pipeline->tracks);
	strangers_release(&pipeline->strangers);
	untaken_release(&pipeline->untaken);
	timeline_release(&pipeline->timeline);
	convention_free(pipeline->convention);
}
