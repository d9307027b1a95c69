// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows changes of modules: the stream has an event for each one, in its place.
 *
 * When a module is unloaded, the kernel empties all buffers that ever had records of it, and resets
 * its statistics. If its tracepoints are released first, all their records are delivered and their
 * losses counted before. Then only records that others write to the same buffers meanwhile are
 * lost.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/stream_state.h"

static int pending_add(struct stream_run *run, const char *tracepoint,
		       const struct descriptor *descriptor, enum timeline_recorded recorded,
		       struct error *error)
{
	struct pending_event *pending = reallocarray(run->pending, run->nr_pending + 1,
						     sizeof(*pending));

	if (!pending)
		return error_set(error, "out of memory");
	run->pending = pending;
	pending[run->nr_pending++] =
		(struct pending_event){ .time_ns = capture_now_ns(&run->capture),
					.tracepoint = tracepoint,
					.descriptor = descriptor,
					.recorded = recorded };
	return 0;
}

static int tracepoint_came(void *context, const char *tracepoint,
			   const struct descriptor *descriptor, bool is_early, struct error *error)
{
	const struct stream_run *run = context;
	const struct stream_watcher *watcher = run->settings->watcher;

	if (watcher)
		watcher->came(watcher->context);
	return pending_add(context, tracepoint, descriptor,
			   is_early ? TIMELINE_RECORDED_FROM_LOAD : TIMELINE_RECORDED_FROM_NOW,
			   error);
}

static int tracepoint_went(void *context, const char *tracepoint,
			   const struct descriptor *descriptor, struct error *error)
{
	return pending_add(context, tracepoint, descriptor, TIMELINE_RECORDED_UNTIL_NOW, error);
}

int stream_run_follow(struct stream_run *run, struct error *error)
{
	const struct modules_handler handler = { .context = run,
						 .came = tracepoint_came,
						 .went = tracepoint_went };

	if (!run->capture.recorder || instance_is_attached(run->capture.recorder))
		return 0;
	if (modules_open(&run->modules, &handler, error) < 0)
		return -1;
	run->pipeline.follower = (struct pipeline_follower){ .context = &run->modules,
							     .find = modules_find,
							     .change = modules_change };
	return 0;
}

static int stream_run_list_recorded(struct stream_run *run, struct error *error)
{
	const struct convention *convention = run->pipeline.convention;
	const struct rules *rules = run->pipeline.rules;
	size_t nr_tracepoints = rules ? rules->nr_tracepoints : 0;

	for (size_t i = 0; i < convention_size(convention); i++) {
		const struct descriptor *descriptor = convention_descriptor(convention, i);

		if (pending_add(run, descriptor->category, descriptor, TIMELINE_RECORDED_FROM_NOW,
				error) < 0)
			return -1;
	}
	for (size_t i = 0; i < nr_tracepoints; i++) {
		if (pending_add(run, rules->tracepoints[i]->category, NULL,
				TIMELINE_RECORDED_FROM_NOW, error) < 0)
			return -1;
	}
	return 0;
}

int stream_run_catch_up(struct stream_run *run, struct error *error)
{
	bool waits = run->settings->capture.selection.waits;

	if (!run->capture.recorder || instance_is_attached(run->capture.recorder))
		return 0;
	if (waits && stream_run_list_recorded(run, error) < 0)
		return -1;
	return modules_catch_up(&run->modules, error);
}

static int records_deliver(struct stream_run *run, int64_t until_ns, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);

	if (source_drain(run->source, until_ns, &handler, error) < 0)
		return -1;
	return pipeline_report_unknown(&run->pipeline, error);
}

static int pending_pass_one(struct stream_run *run, const struct pending_event *event,
			    int64_t time_ns, struct error *error)
{
	struct timeline_event passed = { .kind = TIMELINE_TRACEPOINT,
					 .tracepoint = event->tracepoint,
					 .recorded = event->recorded };

	if (tracks_pass(run->pipeline.tracks, &passed, time_ns, error) < 0)
		return -1;
	return event->recorded == TIMELINE_RECORDED_UNTIL_NOW && event->descriptor
		       ? tracks_drop(run->pipeline.tracks, event->descriptor, error)
		       : 0;
}

/* Passes the first events at once, after all records up to the last of them. */
static int pending_pass(struct stream_run *run, size_t size, struct error *error)
{
	int64_t time_ns = run->pending[size - 1].time_ns;

	if (records_deliver(run, time_ns, error) < 0)
		return -1;
	for (size_t i = 0; i < size; i++) {
		const struct pending_event event = run->pending[i];

		if (pending_pass_one(run, &event, time_ns, error) < 0)
			return -1;
	}
	run->nr_pending -= size;
	memmove(run->pending, run->pending + size, run->nr_pending * sizeof(*run->pending));
	return tracks_close_dropped(run->pipeline.tracks, time_ns, error);
}

static size_t pending_due(const struct stream_run *run, int64_t until_ns)
{
	size_t size = 0;

	while (size < run->nr_pending && run->pending[size].time_ns <= until_ns)
		size++;
	return size;
}

int stream_run_deliver(struct stream_run *run, int64_t until_ns, struct error *error)
{
	struct modules *modules = &run->modules;
	size_t size;

	while ((size = pending_due(run, until_ns)) > 0) {
		if (pending_pass(run, size, error) < 0)
			return -1;
	}
	if (modules->doubtful_ns && modules->doubtful_ns <= until_ns) {
		if (records_deliver(run, modules->doubtful_ns, error) < 0)
			return -1;
		modules_trust(modules);
	}
	if (records_deliver(run, until_ns, error) < 0)
		return -1;
	run->drained_ns = until_ns;
	return 0;
}

/* While records are delivered, more tracepoints may be released. */
static int stream_run_release_tracepoints(struct stream_run *run, struct error *error)
{
	struct releasing_list *releasing = &run->modules.releasing;
	size_t passed = 0;

	while (passed < releasing->size) {
		for (; passed < releasing->size; passed++) {
			const struct releasing *one = &releasing->list[passed];

			if (pending_add(run, one->category, one->descriptor,
					TIMELINE_RECORDED_UNTIL_NOW, error) < 0)
				return -1;
		}
		if (stream_run_deliver(run, capture_now_ns(&run->capture), error) < 0)
			return -1;
	}
	modules_drop_releasing(&run->modules);
	if (source_settle(run->source, error) < 0)
		return -1;
	instance_release_events(run->capture.recorder);
	return 0;
}

/* Other recorded tracepoints may have new records since the last check. */
static int stream_run_start_over(struct stream_run *run, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);
	struct modules *modules = &run->modules;
	bool was_read = !modules->had_unread && instance_count_events(run->capture.recorder) == 0;

	modules->has_gone = false;
	modules->had_unread = false;
	return source_start_over(run->source, was_read, capture_now_ns(&run->capture), &handler,
				 error);
}

/* Restoring the clock empties the buffers of records with another clock. */
static void stream_run_end_reclocked(struct stream_run *run)
{
	struct error ignored = { 0 };

	source_cut(run->source);
	stream_run_stop_recording(run, &ignored);
	instance_restore_clock(run->capture.recorder);
	run->capture.has_failed = true;
	stop_now(&run->capture.stop);
}

int stream_run_follow_changes(struct stream_run *run, struct error *error)
{
	struct modules *modules = &run->modules;

	modules_look_changes(modules);
	if (modules->was_reclocked && !run->capture.has_failed)
		stream_run_end_reclocked(run);
	return modules->has_gone ? stream_run_start_over(run, error) : 0;
}

int stream_run_follow_modules(struct stream_run *run, struct error *error)
{
	struct modules *modules = &run->modules;

	if (modules_look(modules, error) < 0 || stream_run_follow_changes(run, error) < 0)
		return -1;
	if (modules_take_in(modules, error) < 0)
		return -1;
	return modules->releasing.size > 0 && !stream_run_is_circular(run)
		       ? stream_run_release_tracepoints(run, error)
		       : 0;
}

void stream_run_close_modules(struct stream_run *run)
{
	modules_release(&run->modules);
	free(run->pending);
	run->pending = NULL;
	run->nr_pending = 0;
}
