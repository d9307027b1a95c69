// SPDX-License-Identifier: GPL-2.0-only
/* Lost and malformed records: counted, and delivered to the timeline. */
#include <stdlib.h>
#include <string.h>

#include "track/state.h"

_Static_assert(TIMELINE_COUNT_UNKNOWN == LOSS_COUNT_UNKNOWN, "counts are passed on unchanged");

int tracks_pass(struct tracks *tracks, struct timeline_event *event, int64_t time_ns,
		struct error *error)
{
	tracks_advance(tracks, time_ns);
	event->time_ns = tracks->now_ns;
	return timeline_push(tracks->timeline, event, error);
}

static bool category_add_problem(struct category *category, const char *problem)
{
	for (size_t i = 0; i < PROBLEMS_MAX; i++) {
		if (category->problems[i] == problem)
			return false;
		if (!category->problems[i]) {
			category->problems[i] = problem;
			return true;
		}
	}
	return false;
}

int tracks_reject(struct tracks *tracks, const struct decoded_event *decoded, struct error *error)
{
	struct category *category = tracks_category(tracks, decoded->descriptor);
	struct timeline_event event = { .kind = TIMELINE_MALFORMED,
					.problem = decoded->problem,
					.tracepoint = decoded->descriptor->category };

	tracks->totals.malformed++;
	if (!category)
		return error_set(error, "out of memory");
	category->malformed++;
	if (!category_add_problem(category, decoded->problem))
		return 0;
	return tracks_pass(tracks, &event, decoded->time_ns, error);
}

int tracks_show_loss(struct tracks *tracks, const struct loss *loss, struct error *error)
{
	struct timeline_event event = { .kind = loss->is_sum ? TIMELINE_LOSS_SUM : TIMELINE_LOSS,
					.begin_ns = loss->from_ns,
					.loss_cpu = loss->cpu,
					.loss_end_ns = loss->to_ns,
					.loss_count = loss->count };

	/* Of ktrack's own two buffers, only that of the convention is named. */
	if (tracks->settings.buffers && !(tracks->settings.hides_buffers && loss->buffer == 0))
		event.loss_buffer = tracks->settings.buffers[loss->buffer];
	tracks->totals.lost_gaps += !loss->is_sum;
	tracks->totals.lost_gaps_unknown += !loss->is_sum && loss->count == LOSS_COUNT_UNKNOWN;
	return tracks_pass(tracks, &event, loss->from_ns, error);
}

int tracks_lose(struct tracks *tracks, const struct loss *loss, struct error *error)
{
	if (!loss->is_sum &&
	    (!array_extend(tracks->suspicions, tracks->nr_suspicions, loss->buffer) ||
	     suspicion_add(&tracks->suspicions[loss->buffer], loss->cpu, loss->to_ns) < 0))
		return error_set(error, "out of memory");
	return tracks_show_loss(tracks, loss, error);
}

/* Keeps how far the losses of a buffer reach. */

void suspicion_release(struct suspicion *suspicion)
{
	free(suspicion->cpu_until_ns);
	*suspicion = (struct suspicion){ 0 };
}

int suspicion_add(struct suspicion *suspicion, int cpu, int64_t to_ns)
{
	size_t index = cpu, had = suspicion->nr_cpus;

	if (!array_extend(suspicion->cpu_until_ns, suspicion->nr_cpus, index))
		return -1;
	for (size_t i = had; i < suspicion->nr_cpus; i++)
		suspicion->cpu_until_ns[i] = INT64_MIN;
	/* A slice may have begun between two losses that end at one time. */
	if (to_ns == suspicion->cpu_until_ns[index] && to_ns < INT64_MAX)
		to_ns++;
	if (to_ns > suspicion->cpu_until_ns[index])
		suspicion->cpu_until_ns[index] = to_ns;
	if (to_ns >= suspicion->until_ns) {
		suspicion->until_cpu = to_ns > suspicion->until_ns ? cpu : -1;
		suspicion->until_ns = to_ns;
	}
	return 0;
}
