// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the slices that are explained, and explains them when they end. */
#include <stdlib.h>

#include "analysis/why.h"

void why_slice_release(struct why_slice *slice)
{
	buffer_release(&slice->track);
	split_release(&slice->split);
}

static bool name_is_selected(struct why_sink *why, struct timeline_name *name)
{
	uint32_t number = why_name(why, name);
	struct known_name *known = name_table_get(&why->names, number);

	if (number == NAMES_OTHER)
		return slice_selector_matches_name(&why->selector, name->text);
	if (known->match == 0)
		known->match = slice_selector_matches_name(&why->selector, name->text) ? 2 : 1;
	return known->match == 2;
}

static uint64_t event_flow_key(const struct timeline_event *event)
{
	return event->nr_flows > 0 ? hop_key(timeline_event_flow(event, 0)) : 0;
}

int why_keep_begin(struct why_sink *why, struct why_track *track,
		   const struct timeline_event *event, struct error *error)
{
	size_t nr = event->depth;

	if (nr > track->nr_begins) {
		struct why_begin *begins = reallocarray(track->begins, nr, sizeof(*begins));

		if (!begins)
			return error_set(error, "out of memory");
		memset(begins + track->nr_begins, 0, (nr - track->nr_begins) * sizeof(*begins));
		track->begins = begins;
		track->nr_begins = nr;
	}
	if (nr > 0)
		track->begins[nr - 1] = (struct why_begin){
			.writer = history_waker(&why->history, event->tid, event->cpu),
			.flow = event_flow_key(event),
		};
	return 0;
}

const struct why_begin *why_open_begin(const struct why_track *track,
				       const struct timeline_event *event)
{
	return event->depth > 0 && event->depth <= track->nr_begins
		       ? &track->begins[event->depth - 1]
		       : NULL;
}

/* Who ended a slice of another track than a thread's, and the thread that also began it, if any. */
static void end_find_writer(struct why_sink *why, const struct why_track *track,
			    const struct timeline_event *event, struct why_end *end)
{
	const struct why_begin *begin = why_open_begin(track, event);
	int tid = begin ? begin->writer.tid : -1;

	end->writer = history_waker(&why->history, event->tid, event->cpu);
	end->flow = event_flow_key(event);
	if (end->flow == 0 && begin)
		end->flow = begin->flow;
	if (event->track->lane == 0 && tid > 0 && (tid == end->writer.tid || event->is_unfinished))
		end->thread = history_thread(&why->history, tid, begin->writer.cpu);
}

/* Whether @a is explained before @b: the slowest first, at a given time the shortest. */
static bool slice_is_before(const struct why_sink *why, const struct why_slice *a,
			    const struct why_slice *b)
{
	int64_t first = a->end_ns - a->begin_ns, second = b->end_ns - b->begin_ns;

	return why->settings->has_at ? first < second : first > second;
}

static size_t slices_max(const struct why_sink *why)
{
	return why->settings->slowest > 0 ? why->settings->slowest : 1;
}

/* Whether a slice is among the best so far. */
static bool slice_is_chosen(const struct why_sink *why, const struct why_slice *slice)
{
	return why->nr_slices < slices_max(why) ||
	       slice_is_before(why, slice, &why->slices[why->nr_slices - 1]);
}

/* Takes over @slice. */
static int slice_keep(struct why_sink *why, struct why_slice *slice)
{
	size_t at;

	if (!why->slices)
		why->slices = calloc(slices_max(why), sizeof(*why->slices));
	if (!why->slices) {
		why_slice_release(slice);
		return -1;
	}
	if (why->nr_slices == slices_max(why))
		why_slice_release(&why->slices[--why->nr_slices]);
	for (at = why->nr_slices; at > 0 && slice_is_before(why, slice, &why->slices[at - 1]); at--)
		why->slices[at] = why->slices[at - 1];
	why->slices[at] = *slice;
	why->nr_slices++;
	return 0;
}

/* From the end to the latest record of the slice's flow, from this one to the one before, ... */
static int slice_split_chain(struct why_sink *why, struct why_end *end, struct split *out)
{
	const struct hop_flow *flow = end->flow ? hop_flows_find(&why->flows, end->flow) : NULL;
	struct span span = { end->slice.begin_ns, end->slice.end_ns };
	struct waker writer = end->writer;

	for (unsigned int i = 0; flow && hop_get(flow, i); i++) {
		const struct hop *hop = hop_get(flow, i);
		const struct span part = { hop->time_ns, span.to_ns };

		if (hop->time_ns >= span.to_ns)
			continue;
		if (hop->time_ns <= span.from_ns)
			break;
		if (split_chain(&why->splitter, &writer, part, out) < 0)
			return -1;
		span.to_ns = hop->time_ns;
		writer = hop->writer;
	}
	return split_chain(&why->splitter, &writer, span, out);
}

static int slice_split(struct why_sink *why, struct why_end *end, struct split *out)
{
	struct why_slice *slice = &end->slice;
	const struct span span = { slice->begin_ns, slice->end_ns };
	unsigned int depth = why->settings->is_aggregate ? 0 : why->settings->depth;

	if (end->thread)
		return split_slice(&why->splitter, end->thread, span, depth, out);
	if (!slice->is_unfinished)
		return slice_split_chain(why, end, out);
	split_add_undecided(out, UNDECIDED_NO_END, span);
	return out->failed ? -1 : 0;
}

/*
 * Splits one of any number of slices. Without steps left they are left out, until there are enough
 * for many of them: @why->is_resting is true then.
 */
static int slice_split_limited(struct why_sink *why, struct why_end *end, struct split *out)
{
	struct splitter *splitter = &why->splitter;

	why->is_resting &= splitter->nr_steps < SPLITTER_STEPS_MAX / 2;
	if (!why->is_resting) {
		if (slice_split(why, end, out) < 0)
			return -1;
		why->is_resting = splitter->nr_steps == 0;
	}
	why->nr_unexplained += why->is_resting;
	return 0;
}

static int slice_aggregate(struct why_sink *why, struct why_end *end)
{
	struct split *split = &why->scratch;

	split_clear(split);
	if (slice_split_limited(why, end, split) < 0)
		return -1;
	return why->is_resting ? 0
			       : aggregate_add(&why->aggregate,
					       end->slice.end_ns - end->slice.begin_ns, split);
}

/* Keeps the text of an explained slice. */
static int kept_add_slice(struct why_sink *why, const struct why_end *end,
			  const struct why_slice *slice)
{
	buffer_clear(&why->out);
	why_put_slice(why, slice);
	if (why->out.failed)
		return -1;
	return kept_add(&why->kept, end->kept,
			&(struct explanation){ .track = end->track->number,
					       .depth = end->depth,
					       .begin_ns = slice->begin_ns,
					       .end_ns = slice->end_ns,
					       .json = buffer_text(&why->out) });
}

static void slice_describe(const struct why_end *end, struct why_slice *slice)
{
	track_append_label(&slice->track, end->track);
	slice->is_async = !end->thread;
	slice->tid = end->thread ? end->thread->tid : end->writer.tid;
	slice->comm = end->thread ? end->thread->comm : NAMES_NONE;
}

static int slice_keep_text(struct why_sink *why, struct why_end *end)
{
	struct why_slice slice = end->slice;
	int status = slice_split_limited(why, end, &slice.split);

	if (status == 0 && !why->is_resting) {
		slice_describe(end, &slice);
		split_sort(&slice.split);
		status = slice.track.failed ? -1 : kept_add_slice(why, end, &slice);
	}
	why_slice_release(&slice);
	return status;
}

static int slice_explain(struct why_sink *why, struct why_end *end)
{
	struct why_slice slice;

	if (why->settings->is_aggregate)
		return slice_aggregate(why, end);
	if (why->settings->explanations)
		return slice_keep_text(why, end);
	slice = end->slice;
	slice_describe(end, &slice);
	if (slice_split(why, end, &slice.split) < 0 || slice.track.failed) {
		why_slice_release(&slice);
		return -1;
	}
	split_sort(&slice.split);
	return slice_keep(why, &slice);
}

int why_explain_deferred(struct why_sink *why, struct error *error)
{
	struct why_end end = why->deferred;

	why->deferred = (struct why_end){ 0 };
	return slice_explain(why, &end) < 0 ? error_set(error, "out of memory") : 0;
}

/* Whether an explained slice would be part of the answer; -1 if memory ran out. */
static int slice_is_wanted(struct why_sink *why, struct why_end *end)
{
	const struct why_slice *slice = &end->slice;

	if (why->settings->is_aggregate)
		return 1;
	if (!why->settings->explanations)
		return slice_is_chosen(why, slice);
	end->kept = kept_name_get(&why->kept, slice->category, slice->name);
	if (!end->kept)
		return -1;
	return kept_wants(&why->kept, end->kept, slice->end_ns - slice->begin_ns);
}

/* Statistics leave out the same slices. */
static bool slice_is_left_out(struct why_sink *why, const struct timeline_event *event)
{
	if (!why->settings->is_aggregate || (event->flags == 0))
		return false;
	why->nr_left_out++;
	return true;
}

static void slice_note_times(struct why_sink *why, const struct timeline_event *event)
{
	if (why->named_to_ns == 0 || event->begin_ns < why->named_from_ns)
		why->named_from_ns = event->begin_ns;
	if (why->named_to_ns == 0 || event->time_ns > why->named_to_ns)
		why->named_to_ns = event->time_ns;
}

int why_select_end(struct why_sink *why, struct why_track *track,
		   const struct timeline_event *event, struct error *error)
{
	const struct why_settings *settings = why->settings;
	int64_t at_ns = why->start_ns + settings->at_ns;
	int is_wanted;
	struct why_end end = { .track = event->track,
			       .depth = event->depth,
			       .slice = { .category = event->track->category->text,
					  .begin_ns = event->begin_ns,
					  .end_ns = event->time_ns,
					  .is_suspect = event->is_suspect,
					  .is_unfinished = event->is_unfinished } };

	if (!name_is_selected(why, event->name))
		return 0;
	if (settings->has_at && (event->begin_ns > at_ns || event->time_ns < at_ns)) {
		slice_note_times(why, event);
		return 0;
	}
	why->nr_matched++;
	if (slice_is_left_out(why, event))
		return 0;
	end.slice.name = why_name(why, event->name);
	if (why_is_of_thread(track, event))
		end.thread = track->thread;
	else
		end_find_writer(why, track, event, &end);
	is_wanted = slice_is_wanted(why, &end);
	if (is_wanted <= 0)
		return is_wanted < 0 ? error_set(error, "out of memory") : 0;
	/* The record that ends a state shows why it ended, but the next event is about that. */
	if (track->role == WHY_ROLE_THREAD) {
		why->deferred = end;
		return 0;
	}
	return slice_explain(why, &end) < 0 ? error_set(error, "out of memory") : 0;
}
