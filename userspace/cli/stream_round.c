// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens between records: modules come and go, and the stream says so in its place.
 *
 * With a module that goes, the kernel empties all buffers that ever had records of it, and forgets
 * what it has counted. Where somebody lets go of its tracepoints first, all that is there is
 * delivered, and what was lost is noted, before they are given up; nothing is lost then but what
 * others wrote meanwhile to the same buffers.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/stream_state.h"

static int tell_add(struct run *run, const struct template *template,
		    enum timeline_recorded recorded, struct error *error)
{
	struct tell *tells = reallocarray(run->tells, run->nr_tells + 1, sizeof(*tells));

	if (!tells)
		return error_set(error, "out of memory");
	run->tells = tells;
	tells[run->nr_tells++] = (struct tell){ .time_ns = capture_now_ns(&run->capture),
						.template = template,
						.recorded = recorded };
	return 0;
}

static int template_came(void *context, const struct template *template, bool is_early,
			 struct error *error)
{
	return tell_add(context, template,
			is_early ? TIMELINE_RECORDED_FROM_LOAD : TIMELINE_RECORDED_FROM_NOW, error);
}

static int template_went(void *context, const struct template *template, struct error *error)
{
	return tell_add(context, template, TIMELINE_RECORDED_UNTIL_NOW, error);
}

/* Of what was just read, nobody knows which clock it shows, if that was changed. */
static int run_look(void *context, struct error *error)
{
	struct run *run = context;

	if (modules_look(&run->modules, error) < 0)
		return -1;
	if (run->modules.was_reclocked)
		source_cut(run->source);
	return 0;
}

static int run_find(void *context, const struct record *record, bool *is_known, struct error *error)
{
	struct run *run = context;

	return modules_find(&run->modules, record, is_known, error);
}

int run_watch(struct run *run, struct error *error)
{
	if (run->settings->capture.instance)
		return 0;
	return modules_watch(&run->modules, &run->capture, run->pipeline.convention, error);
}

int run_follow(struct run *run, struct error *error)
{
	const struct modules_handler handler = { .context = run,
						 .came = template_came,
						 .went = template_went };
	const struct source_watcher watcher = { .context = run, .look = run_look };

	if (recorder_is_attached(run->capture.recorder))
		return 0;
	if (modules_open(&run->modules, &handler, error) < 0)
		return -1;
	run->pipeline.finder = (struct pipeline_finder){ .context = run, .find = run_find };
	source_watch(run->source, &watcher);
	return 0;
}

int run_catch_up(struct run *run, struct error *error)
{
	const struct convention *convention = run->pipeline.convention;
	bool waits = run->settings->capture.selection.waits;

	if (recorder_is_attached(run->capture.recorder))
		return 0;
	for (size_t i = 0; i < convention_size(convention) && waits; i++) {
		if (tell_add(run, convention_template(convention, i), TIMELINE_RECORDED_FROM_NOW,
			     error) < 0)
			return -1;
	}
	return modules_catch_up(&run->modules, error);
}

int run_wake_fd(const struct run *run)
{
	return recorder_is_attached(run->capture.recorder) ? run->capture.ending.signals.fd
							   : run->modules.fd;
}

static int records_deliver(struct run *run, int64_t until_ns, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);

	if (source_drain(run->source, until_ns, &handler, error) < 0)
		return -1;
	return pipeline_tell_strangers(&run->pipeline, error);
}

static int tell_pass(struct run *run, const struct tell *tell, int64_t time_ns, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_TRACEPOINT,
					.tracepoint = tell->template->category,
					.recorded = tell->recorded };

	if (tracks_pass(run->pipeline.tracks, &event, time_ns, error) < 0)
		return -1;
	return tell->recorded == TIMELINE_RECORDED_UNTIL_NOW
		       ? tracks_drop(run->pipeline.tracks, tell->template, error)
		       : 0;
}

/* The first of the tells, all at once, when all records up to the last of these are delivered. */
static int tells_pass(struct run *run, size_t size, struct error *error)
{
	int64_t time_ns = run->tells[size - 1].time_ns;

	if (records_deliver(run, time_ns, error) < 0)
		return -1;
	for (size_t i = 0; i < size; i++) {
		const struct tell tell = run->tells[i];

		if (tell_pass(run, &tell, time_ns, error) < 0)
			return -1;
	}
	run->nr_tells -= size;
	memmove(run->tells, run->tells + size, run->nr_tells * sizeof(*run->tells));
	return tracks_close_dropped(run->pipeline.tracks, time_ns, error);
}

static size_t tells_due(const struct run *run, int64_t until_ns)
{
	size_t size = 0;

	while (size < run->nr_tells && run->tells[size].time_ns <= until_ns)
		size++;
	return size;
}

int run_deliver(struct run *run, int64_t until_ns, struct error *error)
{
	struct modules *modules = &run->modules;
	size_t size;

	while ((size = tells_due(run, until_ns)) > 0) {
		if (tells_pass(run, size, error) < 0)
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

/* While records are delivered, more may be let go of. */
static int run_let_go(struct run *run, struct error *error)
{
	struct template_list *let_go = &run->modules.let_go;
	size_t told = 0;

	while (told < let_go->size) {
		for (; told < let_go->size; told++) {
			if (tell_add(run, let_go->list[told], TIMELINE_RECORDED_UNTIL_NOW, error) <
			    0)
				return -1;
		}
		if (run_deliver(run, capture_now_ns(&run->capture), error) < 0)
			return -1;
	}
	for (size_t i = 0; i < let_go->size; i++)
		convention_drop(run->pipeline.convention, let_go->list[i]);
	let_go->size = 0;
	if (source_settle(run->source, error) < 0)
		return -1;
	recorder_give_up(run->capture.recorder);
	return 0;
}

/* Others that are recorded may have written since the last look. */
static int run_start_over(struct run *run, struct error *error)
{
	struct source_handler handler = pipeline_handler(&run->pipeline);
	struct modules *modules = &run->modules;
	bool was_read = !modules->had_unread && recorder_size(run->capture.recorder) == 0;

	modules->has_gone = false;
	modules->had_unread = false;
	return source_start_over(run->source, was_read, capture_now_ns(&run->capture), &handler,
				 error);
}

/* What there is of records with another clock is emptied with that. */
static void run_end_reclocked(struct run *run)
{
	struct error ignored = { 0 };

	source_cut(run->source);
	run_stop_recording(run, &ignored);
	recorder_restore_clock(run->capture.recorder);
	run->capture.has_failed = true;
	ending_stop(&run->capture.ending);
}

int run_see_changes(struct run *run, struct error *error)
{
	struct modules *modules = &run->modules;

	if (recorder_is_attached(run->capture.recorder))
		return 0;
	modules_look_changes(modules);
	if (modules->was_reclocked && !run->capture.has_failed)
		run_end_reclocked(run);
	return modules->has_gone ? run_start_over(run, error) : 0;
}

int run_see_modules(struct run *run, struct error *error)
{
	struct modules *modules = &run->modules;

	if (recorder_is_attached(run->capture.recorder))
		return 0;
	if (modules_look(modules, error) < 0 || run_see_changes(run, error) < 0)
		return -1;
	if (modules_take_in(modules, error) < 0)
		return -1;
	return modules->let_go.size > 0 && !run_is_circular(run) ? run_let_go(run, error) : 0;
}

void run_take_leave(struct run *run)
{
	modules_release(&run->modules);
	free(run->tells);
	run->tells = NULL;
	run->nr_tells = 0;
}
