// SPDX-License-Identifier: GPL-2.0-only
/* ktrack why: keeps what records say of threads, selects slices, and explains them. */
#include "analysis/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"

/* A recording has nothing that an overview could show. */
static int why_refuse_empty(const struct why_sink *why, struct error *error)
{
	SCOPED_BUFFER(rest);

	if (why->overview.has_counters) {
		buffer_append_string(&rest, ", only counters, which 'ktrack stat ");
		buffer_append_word(&rest, why->source);
		buffer_append_string(&rest, "' counts");
	}
	return error_set(error, "%s: no slices%s; record with -r default%s", why->source,
			 buffer_string(&rest), why->has_programs ? " --programs" : "");
}

static int why_finish(struct why_sink *why, struct error *error)
{
	int status;

	if (why->settings->base && !why->settings->base->is_filled) {
		struct why_base *base = why->settings->base;

		if (why->nr_matched == 0)
			return why_refuse_unmatched(why, error);
		if (why->aggregate.count == 0)
			return error_set(error,
					 "%s: all slices that match '%.*s' are incomplete, suspect "
					 "or foreign; record longer, or without losses",
					 why->source, (int)why->settings->slice.size,
					 why->settings->slice.data);
		base->aggregate = why->aggregate;
		base->names = why->names;
		base->is_filled = true;
		why->aggregate = (struct aggregate){ 0 };
		return name_table_init(&why->names) < 0 ? error_set(error, "out of memory") : 0;
	}
	if (why->settings->evidence && why_find_evidence(why, error) < 0)
		return -1;
	status = why->settings->is_json ? why_print_json(why) : why_print_text(why);
	if (status == 0 && why->folded_fd >= 0)
		status = why_print_folded(why);
	if (status < 0 || why->out.failed)
		return error_set(error, "out of memory");
	if (why->folded_fd >= 0 &&
	    file_write_all(why->folded_fd, why->folded.data, why->folded.size, NULL) < 0)
		return error_set_system(error, errno, "cannot write to %s", why->settings->folded);
	if (file_write_all(why->fd, why->out.data, why->out.size, NULL) < 0)
		return error_set_system(error, errno, "cannot write to standard output");
	if (why->nr_matched > 0 || why->settings->is_live || why->overview.running_ns > 0 ||
	    why_has_only_instants(why))
		return 0;
	if (why->settings->is_overview)
		return why_refuse_empty(why, error);
	return why_refuse_unmatched(why, error);
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

/* The begin of the slice that ends, NULL if it is unknown. */
static const struct why_begin *why_open_begin(const struct why_track *track,
					      const struct timeline_event *event)
{
	return event->depth > 0 && event->depth <= track->nr_begins
		       ? &track->begins[event->depth - 1]
		       : NULL;
}

static uint64_t event_flow_key(const struct timeline_event *event)
{
	return event->nr_flows > 0 ? hop_key(timeline_event_flow(event, 0)) : 0;
}

static size_t slices_max(const struct why_sink *why)
{
	if (why->settings->slowest > 0)
		return why->settings->slowest;
	return why->settings->is_overview ? WHY_KINDS : 1;
}

/* Whether @a is explained before @b: the slowest first, at a given time the shortest. */
static bool slice_is_before(const struct why_sink *why, const struct why_slice *a,
			    const struct why_slice *b)
{
	int64_t first = a->end_ns - a->begin_ns, second = b->end_ns - b->begin_ns;

	if (a->kind && a->kind->rank != b->kind->rank)
		return a->kind->rank < b->kind->rank;
	if (a->is_own != b->is_own)
		return b->is_own;
	return why->settings->has_at ? first < second : first > second;
}

/* The place of the slice of a kind; why->nr_slices if there is none. */
static size_t kind_find(const struct why_sink *why, const struct slice_kind *kind)
{
	size_t at = 0;

	while (at < why->nr_slices && why->slices[at].kind != kind)
		at++;
	return at;
}

/* Whether a slice is among the best so far. */
static bool slice_is_best(const struct why_sink *why, const struct why_slice *slice)
{
	size_t at = slice->kind ? kind_find(why, slice->kind) : why->nr_slices;

	if (at < why->nr_slices)
		return slice_is_before(why, slice, &why->slices[at]);
	return why->nr_slices < slices_max(why) ||
	       slice_is_before(why, slice, &why->slices[why->nr_slices - 1]);
}

/* Whether an explained slice would be part of the answer; -1 if memory ran out. */
static int slice_is_wanted(struct why_sink *why, const struct why_track *track, struct why_end *end)
{
	const struct why_settings *settings = why->settings;
	const struct why_slice *slice = &end->slice;

	if (settings->is_aggregate)
		return 1;
	end->is_best = (!settings->explanations || slice->kind) && slice_is_best(why, slice);
	/* For other outputs all slices but states are explained. */
	if (!settings->explanations || settings->only_counts || track->role != WHY_ROLE_NONE)
		return end->is_best;
	end->kept = kept_name_get(&why->kept, slice->category, slice->name);
	if (!end->kept)
		return -1;
	if (!kept_wants(&why->kept, end->kept, slice->end_ns - slice->begin_ns))
		end->kept = NULL;
	return end->is_best || end->kept;
}

/* The stage between two records of a flow; NULL is the begin and the end of the slice itself. */
static struct part_key stage_between(const struct hop *first, const struct hop *last, int nr_open)
{
	bool is_slice = first && last && first->kind == HOP_BEGIN && last->kind == HOP_END &&
			first->name == last->name;

	return (struct part_key){ .kind = PART_STAGE,
				  .context = is_slice ? STAGE_SLICE
					     : last && last->kind == HOP_BEGIN && nr_open == 0
						     ? STAGE_QUEUED
						     : STAGE_BETWEEN,
				  .cpu = -1,
				  .tid = -1,
				  .owner = -1,
				  .label = first ? first->name : NAMES_NONE,
				  .object = last ? last->name : NAMES_NONE };
}

/*
 * If there are records of the slice's flow in it, they are the ends of its stages. Each is split
 * backwards from its end.
 */
static int slice_split_chain(struct why_sink *why, const struct why_slice *slice, struct span span,
			     struct split *out)
{
	const struct hop_flow *flow = slice->flow ? hop_flows_find(&why->flows, slice->flow) : NULL;
	const struct hop *hops[HOPS_MAX + 2] = { NULL }, *hop;
	const struct waker *writer;
	struct part_key stage;
	struct span part;
	unsigned int nr = 0;
	int nr_open = 0, status = 0;

	/* The latest first; the slice's own begin and end are of its flow, too. */
	for (unsigned int i = 0; flow && (hop = hop_get(flow, i)); i++) {
		if (hop->time_ns > span.from_ns && hop->time_ns < span.to_ns)
			hops[++nr] = hop;
	}
	if (nr == 0)
		return split_chain(&why->splitter, &slice->writer, span, out);
	for (unsigned int i = nr + 1; i > 0 && status == 0; i--) {
		const struct hop *first = hops[i], *last = hops[i - 1];

		nr_open += first && first->kind == HOP_BEGIN;
		nr_open -= first && first->kind == HOP_END && nr_open > 0;
		stage = stage_between(first, last, nr_open);
		part = (struct span){ first ? first->time_ns : span.from_ns,
				      last ? last->time_ns : span.to_ns };
		writer = last ? &last->writer : &slice->writer;
		/* Sums of many slices have no parts in others. */
		status = why->settings->is_aggregate
				 ? split_chain(&why->splitter, writer, part, out)
				 : split_stage(&why->splitter, &stage, writer, part, out);
	}
	return status;
}

static int slice_split(struct why_sink *why, const struct why_slice *slice, struct split *out)
{
	struct span span = { slice->begin_ns, slice->end_ns };
	/* Of slices around the median, only a comparison with others needs to know more. */
	bool is_followed = !why->settings->is_aggregate || why->settings->base;
	unsigned int depth = is_followed ? why->settings->depth : 0;

	if (!why->settings->is_aggregate) {
		out->limit = SPLIT_PARTS_SINGLE;
		out->names = &why->names;
	}
	if (span.from_ns < why->from_ns) {
		split_add_undecided(out, UNDECIDED_BEFORE,
				    (struct span){ span.from_ns, why->from_ns });
		span.from_ns = why->from_ns;
	}
	if (span.to_ns > why->to_ns) {
		split_add_undecided(out, UNDECIDED_BEHIND, (struct span){ why->to_ns, span.to_ns });
		span.to_ns = why->to_ns;
	}

	if (slice->thread)
		return split_slice(&why->splitter, slice->thread, span, depth, out);
	if (!slice->is_unfinished)
		return slice_split_chain(why, slice, span, out);
	split_add_undecided(out, UNDECIDED_NO_END, span);
	return out->failed ? -1 : 0;
}

/*
 * Splits one of any number of slices. Without steps left they are left out, until there are enough
 * for many of them: @why->is_resting is true then.
 */
static int slice_split_limited(struct why_sink *why, const struct why_slice *slice,
			       struct split *out)
{
	struct splitter *splitter = &why->splitter;

	why->is_resting &= splitter->nr_steps < SPLITTER_STEPS_MAX / 2;
	if (!why->is_resting) {
		if (slice_split(why, slice, out) < 0)
			return -1;
		why->is_resting = splitter->nr_steps <= 0;
	}
	why->nr_unexplained += why->is_resting;
	return 0;
}

static void slice_describe(const struct why_sink *why, const struct why_end *end,
			   struct why_slice *slice)
{
	const struct thread_history *thread = slice->thread, *process, *killed;

	track_append_label(&slice->track, end->track);
	slice->is_async = !thread;
	slice->tid = thread ? thread->tid : slice->writer.tid;
	slice->comm = thread ? thread->comm : NAMES_NONE;
	slice->track_number = end->track->number;
	slice->depth = end->depth;
	if (!thread || !slice->is_unfinished)
		return;
	/* The signal is that of the process. */
	process = history_thread(&why->history, thread->tgid, -1);
	killed = thread->killer || !process ? thread : process;
	slice->killer = killed->killer;
	slice->killer_name = killed->killer_name;
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

/* Chooses the slices that are explained, and explains them when they end. */

static void why_slice_release(struct why_slice *slice)
{
	if (slice->is_pending && slice->thread)
		slice->thread->nr_tracks--;
	buffer_release(&slice->track);
	split_release(&slice->split);
}

static int slice_summarize(struct why_sink *why, struct why_slice *slice)
{
	split_sort(&slice->split);
	return why->settings->shows_all
		       ? 0
		       : split_summarize(&slice->split, &why->history, &why->names,
					 slice->end_ns - slice->begin_ns, SUMMARY_PARTS);
}

static int slice_keep_text(struct why_sink *why, struct why_end *end)
{
	struct why_slice slice = end->slice;
	int status = slice_split_limited(why, &slice, &slice.split);

	if (status == 0 && !why->is_resting) {
		slice_describe(why, end, &slice);
		status = slice_summarize(why, &slice);
		if (status == 0)
			status = slice.track.failed ? -1 : kept_add_slice(why, end, &slice);
	}
	why_slice_release(&slice);
	return status;
}

/* Whether a thread is one of the ktrack that recorded a file; its helpers are known by their names. */
static bool thread_is_own(const struct why_sink *why, int tid, uint32_t name)
{
	const struct thread_history *thread = history_thread(&why->history, tid, -1);
	const struct text text = name_table_text(&why->names, name);

	if (why->writer <= 0 || tid == why->writer)
		return why->writer > 0;
	if (thread && thread->tgid == why->writer)
		return true;
	/* It has started the command, too, which has another name then. */
	if (text_equals(text, text_of("ktrack")))
		return thread && thread->parent == why->writer;
	return text_equals(text, text_of("ktrack-programs")) ||
	       text_equals(text, text_of("ktrack-reader"));
}

/* Whether a slice is the recorder's, or its main cause is, such as a program's wait until it is
 * recorded. */
static bool slice_is_own(struct why_sink *why, const struct why_slice *slice)
{
	struct cause causes[CAUSES_MAX];
	bool is_own = slice->thread && thread_is_own(why, slice->tid, slice->comm);
	int nr = is_own || why->writer == 0 ? 0
					    : split_find_causes(&slice->split, &why->names, causes);

	if (nr > 0 && causes[0].total_ns > slice->split.total_ns / 2) {
		const struct part_key *key = &causes[0].parts[0].key;

		is_own = thread_is_own(why, key->owner, key->owner_name);
		for (size_t i = 0; i < causes[0].nr_path; i++)
			is_own |= thread_is_own(why, causes[0].path[i]->key.tid,
						causes[0].path[i]->key.name);
	}
	return is_own;
}

/* Takes over @slice. */
static int slice_keep(struct why_sink *why, struct why_slice *slice)
{
	size_t at;

	/* Of a pending one, only its thread is known. */
	slice->is_own = !why->settings->has_at && slice_is_own(why, slice);
	if (slice->is_own && slice->end_ns - slice->begin_ns > why->own_ns) {
		why->own_ns = slice->end_ns - slice->begin_ns;
		why->own_at_ns = slice->begin_ns;
	}
	if (slice->is_own && why->nr_slices > 0 && !slice_is_best(why, slice)) {
		why_slice_release(slice);
		return 0;
	}
	if (!why->slices)
		why->slices = calloc(slices_max(why), sizeof(*why->slices));
	if (!why->slices) {
		why_slice_release(slice);
		return -1;
	}
	at = slice->kind ? kind_find(why, slice->kind) : why->nr_slices;
	if (at < why->nr_slices || why->nr_slices == slices_max(why)) {
		/* Another slice of the kind is no longer the slowest, or the last one goes. */
		at = at < why->nr_slices ? at : at - 1;
		why_slice_release(&why->slices[at]);
		why->nr_slices--;
		memmove(&why->slices[at], &why->slices[at + 1],
			(why->nr_slices - at) * sizeof(*why->slices));
	}
	for (at = why->nr_slices; at > 0 && slice_is_before(why, slice, &why->slices[at - 1]); at--)
		why->slices[at] = why->slices[at - 1];
	why->slices[at] = *slice;
	why->nr_slices++;
	return 0;
}

static int slice_explain(struct why_sink *why, struct why_end *end)
{
	struct why_slice slice;

	if (why->settings->is_aggregate) {
		struct split *split = &why->scratch;

		split_clear(split);
		if (slice_split_limited(why, &end->slice, split) < 0)
			return -1;
		return why->is_resting
			       ? 0
			       : aggregate_add(&why->aggregate,
					       end->slice.end_ns - end->slice.begin_ns, split);
	}
	if (end->kept && slice_keep_text(why, end) < 0)
		return -1;
	if (!end->is_best)
		return 0;
	slice = end->slice;
	slice_describe(why, end, &slice);
	/* Without steps left, it waits: each of many slices may be slower than all before. */
	if (!why->splitter.is_limited && why->splitter.nr_steps <= 0) {
		slice.is_pending = true;
		/* A thread that has a track is kept. */
		if (slice.thread)
			slice.thread->nr_tracks++;
		if (!why->has_pending) {
			why->has_pending = true;
			why->pending_segment = why->history.nr_segments;
			why->pending_operation = why->history.nr_operations;
		}
	} else if (!why->settings->only_counts && slice_split(why, &slice, &slice.split) < 0) {
		slice.split.failed = true;
	}
	if (slice.split.failed || slice.track.failed || slice_summarize(why, &slice) < 0) {
		why_slice_release(&slice);
		return -1;
	}
	return slice_keep(why, &slice);
}

/* Explains those of the best slices so far that wait for steps. */
static int why_explain_pending(struct why_sink *why)
{
	why->has_pending = false;
	for (size_t i = 0; i < why->nr_slices; i++) {
		struct why_slice *slice = &why->slices[i];

		if (!slice->is_pending)
			continue;
		slice->is_pending = false;
		if (slice_split(why, slice, &slice->split) < 0 || slice_summarize(why, slice) < 0)
			return -1;
		if (slice->thread)
			slice->thread->nr_tracks--;
	}
	return 0;
}

/* Whether the history is about to forget what pending slices need, or there are steps for them. */
static bool why_pending_is_due(const struct why_sink *why)
{
	const struct history *history = &why->history;

	return why->splitter.nr_steps > 0 ||
	       history->nr_segments - why->pending_segment > history->size / 2 ||
	       history->nr_operations - why->pending_operation > HISTORY_OPERATIONS / 2;
}

/* How much a slice says about a delay. */
static enum kind_rank slice_rank(struct why_sink *why, const struct why_track *track,
				 const struct timeline_event *event, uint32_t number)
{
	struct known_name *name = name_table_get(&why->names, number);
	const char *category = event->track->category->text;

	if (track->role == WHY_ROLE_THREAD)
		return name->state == THREAD_RUNNABLE || *name->text == 'D' ? KIND_STATE
									    : KIND_NONE;
	if (strcmp(category, "syscalls:call") == 0) {
		if (name->waits == 0)
			name->waits = call_waits(event->name->text) ? 2 : 1;
		if (name->waits == 2 || event->is_unfinished)
			return KIND_EVENT;
	}
	/* Of functions, the outermost has the time of all that it calls. */
	if (event->depth > 1 && strcmp(category, "functions:graph") == 0)
		return KIND_NONE;
	/* What a loss made longer is no delay. */
	return track->rank == KIND_WORK && event->is_suspect ? KIND_EVENT : track->rank;
}

/* Counts a slice of an overview; returns whether it is of a kind that is shown. */
static bool slice_classify(struct why_sink *why, struct why_track *track,
			   const struct timeline_event *event, struct why_slice *slice)
{
	struct slice_kind key = { .category = slice->category };
	struct slice_kind *kind = track->kind;

	if (!why->settings->is_overview)
		return true;
	key.name = why_name(why, event->name);
	key.rank = slice_rank(why, track, event, key.name);
	if (key.rank == KIND_NONE)
		return false;
	if (!kind || kind->name != key.name || kind->rank != key.rank)
		kind = track->kind = overview_kind(&why->overview, &why->overview.kinds, &key);
	if (!kind)
		return false;
	kind->count++;
	kind->total_ns += slice->end_ns - slice->begin_ns;
	if (slice->end_ns - slice->begin_ns > kind->max_ns)
		kind->max_ns = slice->end_ns - slice->begin_ns;
	slice->kind = kind;
	return true;
}

/* A slice ends on a track that is selected. */
static int why_select_end(struct why_sink *why, struct why_track *track,
			  const struct timeline_event *event)
{
	const struct why_settings *settings = why->settings;
	int64_t at_ns = why->start_ns + settings->at_ns;
	int is_wanted;
	const struct why_slice *last = why->nr_slices > 0 ? &why->slices[why->nr_slices - 1] : NULL;
	struct why_end end;

	if (!name_is_selected(why, event->name))
		return 0;
	/* Most slices are no answer. */
	if (why->only_slowest && last && !last->is_own && why->nr_slices == slices_max(why) &&
	    event->time_ns - event->begin_ns <= last->end_ns - last->begin_ns) {
		why->nr_matched++;
		return 0;
	}
	end = (struct why_end){ .track = event->track,
				.depth = event->depth,
				.slice = { .category = event->track->category->text,
					   .begin_ns = event->begin_ns,
					   .end_ns = event->time_ns,
					   .is_suspect = event->is_suspect,
					   .is_unfinished = event->is_unfinished } };
	/* One without an end is not the next thread's of that number; outputs have its whole time. */
	if (event->is_unfinished && !settings->explanations && why_is_of_thread(track, event) &&
	    track->thread->gone_ns > event->begin_ns)
		end.slice.end_ns = track->thread->gone_ns;
	if (!slice_classify(why, track, event, &end.slice) && !settings->explanations)
		return 0;
	if (settings->has_at && (event->begin_ns > at_ns || end.slice.end_ns < at_ns)) {
		if (why->named_to_ns == 0 || event->begin_ns < why->named_from_ns)
			why->named_from_ns = event->begin_ns;
		if (why->named_to_ns == 0 || end.slice.end_ns > why->named_to_ns)
			why->named_to_ns = end.slice.end_ns;
		return 0;
	}
	why->nr_matched++;
	/* Statistics leave out the same slices. */
	if (settings->is_aggregate && slice_is_doubtful(event)) {
		why->nr_left_out++;
		return 0;
	}
	end.slice.name = why_name(why, event->name);
	if (why_is_of_thread(track, event)) {
		end.slice.thread = track->thread;
	} else {
		const struct why_begin *begin = why_open_begin(track, event);
		int tid = begin ? begin->writer.tid : -1;

		/* Who ended a slice of another track than a thread's, and the thread that also
		 * began it, if any. */
		end.slice.writer = history_waker(&why->history, event->tid, event->cpu);
		end.slice.flow = event_flow_key(event);
		if (end.slice.flow == 0 && begin)
			end.slice.flow = begin->flow;
		if (event->track->lane == 0 && tid > 0 &&
		    (tid == end.slice.writer.tid || event->is_unfinished))
			end.slice.thread = history_thread(&why->history, tid, begin->writer.cpu);
	}
	is_wanted = slice_is_wanted(why, track, &end);
	if (is_wanted <= 0)
		return is_wanted;
	/* The record that ends a state shows why it ended, but the next event is about that. */
	if (track->role == WHY_ROLE_THREAD) {
		why->deferred = end;
		return 0;
	}
	return slice_explain(why, &end);
}

/** UNMATCHED_NAMES_MAX - limit of names that are kept until one matches */
#define UNMATCHED_NAMES_MAX 4096

/* Add the state of a thread to the times of its process. */
static void process_count(struct why_sink *why, struct process_times *process,
			  const struct timeline_event *event)
{
	const struct known_name *name = name_table_get(&why->names, why_name(why, event->name));
	int64_t begin_ns = event->begin_ns > why->from_ns ? event->begin_ns : why->from_ns;
	int64_t end_ns = event->time_ns < why->to_ns ? event->time_ns : why->to_ns;
	int64_t ns = end_ns > begin_ns ? end_ns - begin_ns : 0;

	if (name->state == THREAD_RUNNING) {
		process->running_ns += ns;
		why->overview.running_ns += ns;
	} else if (name->state == THREAD_RUNNABLE) {
		process->runnable_ns += ns;
	} else if (*name->text == 'D') {
		process->uninterruptible_ns += ns;
	}
}

/* A thread whose state ended, and has no other one, does not exist any more. */
static void why_learn_absence(struct why_sink *why)
{
	struct thread_history *thread = history_thread(&why->history, why->ended_tid, -1);

	why->ended_tid = 0;
	if (thread && thread->open.from_ns <= why->ended_ns)
		history_change_thread(&why->history, thread,
				      &(struct thread_change){ .time_ns = why->ended_ns,
							       .state = THREAD_ABSENT,
							       .cpu = thread->open.cpu,
							       .waker = { .tid = -1, .cpu = -1 } });
}

/* Take the end of a slice on @track into the history, after it was explained. */
static void why_learn_end(struct why_sink *why, struct why_track *track,
			  const struct timeline_event *event)
{
	struct cpu_history *cpu;

	/* Of some recordings, only some threads have tracks: the next one may be another. */
	if (track->role == WHY_ROLE_THREAD) {
		if (unlikely(why->ended_tid > 0))
			why_learn_absence(why);
		why->ended_tid = event->is_unfinished ? 0 : track->thread->tid;
		why->ended_ns = event->time_ns;
		if (track->process)
			process_count(why, track->process, event);
		cpu = track->thread->open.state == THREAD_RUNNING
			      ? history_cpu_find(&why->history, track->thread->open.cpu)
			      : NULL;
		if (cpu && cpu->open.tid == event->track->id.signed_number)
			history_run_thread(&why->history, cpu, event->time_ns, -1);
	} else if (track->role == WHY_ROLE_INTERRUPT) {
		cpu = history_cpu(&why->history, event->track->id.signed_number);
		if (cpu)
			history_end_interrupt(&why->history, cpu, event->time_ns);
	} else if (track->role == WHY_ROLE_NONE && why_is_of_thread(track, event)) {
		history_end_label(&why->history, track->thread, event->time_ns,
				  why_name(why, event->name));
	}
}

/* The selector that finds the slice: "block:request/R 4096@253,0". */
static uint32_t operation_name(struct why_sink *why, struct why_track *track,
			       const struct timeline_event *event)
{
	const struct timeline_track *shown = event->track;
	const char *tracepoint = strchr(shown->category->text, ':');
	uint32_t name = why_name(why, event->name);
	struct buffer text = { 0 };

	if (track->object != NAMES_NONE && track->object_name == name)
		return track->object;
	buffer_append_string(&text, shown->category->text);
	buffer_append_char(&text, '/');
	buffer_append(&text, event->name->text.data, event->name->text.size);
	buffer_append_char(&text, '@');
	/* Tracks that have the name of their tracepoint are distinguished by their scope. */
	if (shown->scope == SCOPE_CUSTOM && tracepoint &&
	    text_equals(shown->name, text_of(tracepoint + 1)))
		buffer_append_signed(&text, shown->id.signed_number);
	else
		buffer_append(&text, shown->name.data, shown->name.size);
	track->object_name = name;
	track->object = name_table_add(&why->names, buffer_text(&text));
	why->names.failed |= text.failed;
	buffer_release(&text);
	return track->object;
}

/* A slice ended that may be what a thread waits for. */
static void why_learn_operation(struct why_sink *why, struct why_track *track,
				const struct timeline_event *event)
{
	struct cpu_history *cpu = history_cpu_find(&why->history, event->cpu);
	const struct why_begin *begin = why_open_begin(track, event);

	if (!cpu || cpu->nr_interrupts == 0 || !begin || event->is_unfinished)
		return;
	history_end_operation(&why->history, cpu,
			      &(struct operation){ .name = operation_name(why, track, event),
						   .begin_ns = event->begin_ns,
						   .end_ns = event->time_ns,
						   .due_ns = INT64_MAX,
						   .writer = begin->writer });
}

/* Slices are explained before the history learns that they ended. */
static int why_slice_end(struct why_sink *why, const struct timeline_event *event)
{
	struct why_track *track = why_track_of(why, event);

	if (track->role == WHY_ROLE_NONE && !event->is_unfinished)
		why_see_writer(why, track, event);
	if (track->is_selected && why_select_end(why, track, event) < 0)
		return -1;
	if (why->nr_matched == 0 && why->others.names.size < UNMATCHED_NAMES_MAX)
		kept_name_get(&why->others, event->track->category->text,
			      why_name(why, event->name));
	why_learn_end(why, track, event);
	if (unlikely(event->track->lane > 0))
		why_learn_operation(why, track, event);
	return 0;
}

/* Takes events into the history: states of threads, interrupts, slices of threads, losses. */

/* A recording and a user's rules may have tracks of other scopes under these names. */
static const struct {
	const char *category;
	bool has_scope;
	enum scope_kind scope;
} roles[] = {
	[WHY_ROLE_CPU] = { WHY_CPUS, true, SCOPE_CPU },
	[WHY_ROLE_THREAD] = { WHY_STATES, true, SCOPE_THREAD },
	[WHY_ROLE_INTERRUPT] = { "irq:cpu", true, SCOPE_CPU },
	[WHY_ROLE_WAKEUP] = { WHY_WAKEUPS },
	[WHY_ROLE_ARMED] = { "timers:armed" },
	[WHY_ROLE_EXPIRED] = { "timers:expired" },
	[WHY_ROLE_STACK] = { STACK_CATEGORY, true, SCOPE_THREAD },
	[WHY_ROLE_RAISED] = { "irq:raised", true, SCOPE_CPU },
	[WHY_ROLE_BOOST] = { "sched:boost", true, SCOPE_THREAD },
	[WHY_ROLE_FREEZE] = { "sched:freezer", true, SCOPE_THREAD },
	[WHY_ROLE_SIGNAL] = { "sched:signal", true, SCOPE_THREAD },
	[WHY_ROLE_SIGNAL_FLOW] = { "signal:signal", true, SCOPE_THREAD },
	[WHY_ROLE_FORK] = { "sched:fork", true, SCOPE_THREAD },
};
_Static_assert(sizeof(roles) / sizeof(roles[0]) == WHY_ROLE_COUNT, "a category for each");

static enum why_role track_role(const struct timeline_track *track)
{
	for (int i = WHY_ROLE_NONE + 1; i < WHY_ROLE_COUNT; i++) {
		if (strcmp(track->category->text, roles[i].category) == 0)
			return !roles[i].has_scope || track->scope == roles[i].scope
				       ? i
				       : WHY_ROLE_NONE;
	}
	return WHY_ROLE_NONE;
}

static int thread_join(struct why_sink *why, struct why_track *one,
		       const struct timeline_track *track)
{
	struct thread_history *thread = history_thread_add(&why->history, track->id.signed_number,
							   track->cpu);

	if (!thread)
		return -1;
	one->thread = thread;
	thread->nr_tracks++;
	if (*track->comm)
		thread->comm = name_table_add(&why->names, text_of(track->comm));
	if (track->tgid > 0) {
		thread->tgid = track->tgid;
		thread->process = name_table_add(&why->names, text_of(track->process_comm));
	}
	if (track->cgroup)
		thread->cgroup = name_table_add(&why->names, text_of(track->cgroup));
	/* Another thread had the number, and was killed. */
	if (track->born_ns > thread->killed_ns)
		thread->killer = 0;
	if (!thread->is_seen && track->born_ns > why->start_ns) {
		thread->is_seen = true;
		thread->open.state = THREAD_ABSENT;
	}
	return 0;
}

/* What an overview shows of a track. An idle task is no thread, and the recorder no subject. */
static void overview_learn_track(struct why_sink *why, struct why_track *one,
				 const struct timeline_track *track)
{
	bool is_of_thread = track->scope == SCOPE_THREAD;
	int id = track->tgid > 0 ? track->tgid : (int)track->id.signed_number;
	bool is_left_out = is_of_thread && (track->cpu >= 0 || id == 0 || id == why->writer);
	const char *subjects = why->settings->subjects, *category = track->category->text;
	bool only_explains = subjects && why_category_explains(category) &&
			     !list_has_pack(subjects, category);

	why->overview.has_counters |= track->kind == TRACK_COUNTER;
	if (is_left_out || only_explains)
		one->rank = KIND_NONE;
	else if (one->role == WHY_ROLE_THREAD || one->role == WHY_ROLE_INTERRUPT)
		one->rank = KIND_STATE;
	else
		one->rank = one->role != WHY_ROLE_NONE || track->is_state ? KIND_NONE : KIND_WORK;
	if (is_of_thread && !is_left_out)
		one->process = overview_process(
			&why->overview, id,
			name_table_add(
				&why->names,
				text_of(*track->process_comm ? track->process_comm : track->comm)));
}

static int learn_track(struct why_sink *why, const struct timeline_event *event)
{
	const struct timeline_track *track = event->track;
	struct why_track *one = calloc(1, sizeof(*one));
	bool may_select;

	if (!one)
		return -1;
	one->next = why->tracks;
	one->before = &why->tracks;
	if (one->next)
		one->next->before = &one->next;
	why->tracks = one;
	event->track->sink_data[why->sink.index] = one;
	one->role = track_role(track);
	why->has_block |= strncmp(track->category->text, "block:", 6) == 0;
	/* With PREEMPT_RT, soft interrupts are slices of threads. */
	why->history.has_interrupts |= strcmp(track->category->text, "irq:thread") == 0;
	why->has_timers |= one->role == WHY_ROLE_ARMED;
	one->is_of_calls = strcmp(track->category->text, "syscalls:call") == 0;
	one->is_of_locks = strcmp(track->category->text, "locks:contention") == 0;
	/* Processes identify the tracks of programs, which have no buffer. */
	one->is_of_program = why->has_programs && !track->buffer;
	why->has_power |= strcmp(track->category->text, "power:idle") == 0;
	why->names.has_calls |= one->is_of_calls;
	why->has_memory |= strcmp(track->category->text, "memory:fault") == 0;
	/* A name alone is not meant for what explains slices. */
	if (why->settings->is_overview) {
		overview_learn_track(why, one, track);
		may_select = one->rank != KIND_NONE ||
			     (why->settings->explanations && one->role == WHY_ROLE_NONE);
	} else {
		may_select = why->selector.category ||
			     !why_category_explains(track->category->text);
	}
	one->is_selected = track->kind == TRACK_SLICES && may_select &&
			   slice_selector_matches_track(&why->selector, track);
	return track->scope == SCOPE_THREAD ? thread_join(why, one, track) : 0;
}

static int learn_track_end(struct why_sink *why, const struct timeline_event *event)
{
	struct why_track *one = why_track_of(why, event);

	if (one->thread)
		one->thread->nr_tracks--;
	*one->before = one->next;
	if (one->next)
		one->next->before = one->before;
	free(one->begins);
	free(one);
	event->track->sink_data[why->sink.index] = NULL;
	return 0;
}

static enum thread_state state_of(struct text name)
{
	if (text_equals(name, text_of("Running")))
		return THREAD_RUNNING;
	if (name.size > 0 && *name.data == 'R')
		return THREAD_RUNNABLE;
	if (name.size == 0 || strchr("XZ", *name.data))
		return THREAD_ABSENT;
	return strchr("Tt", *name.data) ? THREAD_STOPPED : THREAD_BLOCKED;
}

static int learn_running(struct why_sink *why, int number, int tid, int64_t time_ns)
{
	struct cpu_history *cpu = history_cpu(&why->history, number);

	if (!cpu)
		return -1;
	/* The usual case: the CPU's own track has begun the same. */
	if (cpu->open.tid != tid || cpu->open.from_ns != time_ns)
		history_run_thread(&why->history, cpu, time_ns, tid);
	return 0;
}

/* Whether a thread was in the cgroup that was thawed last, or below it, or may have been. */
static bool thread_was_frozen(const struct why_sink *why, const struct thread_history *thread)
{
	const struct text name = name_table_text(&why->names, why->thawed.name);
	const struct text cgroup = name_table_text(&why->names, thread->cgroup);
	const char *slash = memchr(name.data, '/', name.size);
	struct text path;

	if (!slash || thread->cgroup == NAMES_NONE || thread->cgroup == NAMES_OTHER)
		return true;
	path = (struct text){ slash, name.size - (slash - name.data) };
	return text_begins(cgroup, path) &&
	       (cgroup.size == path.size || cgroup.data[path.size] == '/');
}

/* What is known of the one that wakes a thread: its innermost open slice, and why it does. */
static void learn_wake(struct why_sink *why, const struct thread_history *thread,
		       struct thread_change *change)
{
	struct waker *waker = &change->waker;
	const struct thread_history *by = waker->tid > 0
						  ? history_thread(&why->history, waker->tid, -1)
						  : NULL;
	struct operation *raise = history_operation(&why->history, waker->operation);

	if (by)
		waker->interrupt = by->open.label;
	if (raise && raise->kind == OPERATION_RAISE)
		raise->woken = raise->woken == 0 || raise->woken == thread->tid ? thread->tid : -1;
	if (by && why->thawed.writer.tid == waker->tid &&
	    change->time_ns - why->thawed_ns <= ACT_NS &&
	    thread->open.from_ns >= why->thawed.begin_ns && thread_was_frozen(why, thread))
		waker->operation = history_add_operation(&why->history, &why->thawed);
}

static int learn_state(struct why_sink *why, const struct why_track *one,
		       const struct timeline_event *event)
{
	uint32_t number = why_name(why, event->name);
	struct known_name *name = name_table_get(&why->names, number);
	const struct cpu_history *cpu = history_cpu_find(&why->history, event->cpu);
	struct thread_change change = { .time_ns = event->time_ns,
					.cpu = event->cpu,
					.waker = { .tid = -1, .cpu = event->cpu } };

	if (why->ended_tid == one->thread->tid)
		why->ended_tid = 0;
	else if (unlikely(why->ended_tid > 0))
		why_learn_absence(why);
	if (name->state == THREAD_UNKNOWN || number == NAMES_OTHER)
		name->state = state_of(event->name->text);
	why->history.has_states = true;
	change.state = name->state;
	if (change.state == THREAD_BLOCKED || change.state == THREAD_STOPPED)
		change.state_name = number;
	if (change.state == THREAD_RUNNABLE && cpu && cpu->is_relieved && number != NAMES_RUNNABLE)
		change.state_name = NAMES_RUNNABLE;
	/* A thread that is woken runs on a CPU that its next record shows. */
	if (number == NAMES_RUNNABLE)
		change.cpu = -1;
	if (change.state != THREAD_RUNNING)
		change.waker = history_waker(&why->history, event->tid, event->cpu);
	/* sched_wakeup is written where the wake-up ends: its writer may be any thread there. */
	if (number == NAMES_RUNNABLE && event->nr_fields > 0 && !why->has_one_cpu)
		change.waker = (struct waker){ .tid = -1, .cpu = -1 };
	if (number == NAMES_RUNNABLE)
		learn_wake(why, one->thread, &change);
	/* Whether the timer of a period let it go on, perhaps behind others, after it was taken off
	 * its CPU. */
	if (change.state == THREAD_RUNNING && one->thread->open.state == THREAD_RUNNABLE &&
	    one->thread->open.cpu >= 0 && cpu && why->period_ns > one->thread->open.from_ns &&
	    cpu->idle_until_ns - why->period_ns <= PERIOD_NS)
		change.waker.interrupt = why->period;
	history_change_thread(&why->history, one->thread, &change);
	/* A track that continues under another number has no record, and no CPU. */
	return change.state == THREAD_RUNNING && event->cpu >= 0
		       ? learn_running(why, event->cpu, event->track->id.signed_number,
				       event->time_ns)
		       : 0;
}

/* Timers have the kind of the interrupt in which they run. */
static enum context_kind interrupt_context(struct why_sink *why, const struct cpu_history *cpu,
					   struct text text, uint32_t number)
{
	/* As the kernel prints them. */
	static const char *const soft_interrupts[] = {
		"HI",	    "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
		"IRQ_POLL", "TASKLET", "SCHED",	 "HRTIMER", "RCU",
	};
	/* The functions that end the throttling of cgroups. */
	static const char *const periods[] = { "hrtimer sched_cfs_period_timer",
					       "hrtimer sched_cfs_slack_timer",
					       "call __cfsb_csd_unthrottle" };
	struct known_name *name = name_table_get(&why->names, number);

	if (name->context == CONTEXT_THREAD || number == NAMES_OTHER) {
		bool is_timer = text.size > 6 && (memcmp(text.data, "timer ", 6) == 0 ||
						  memcmp(text.data, "hrtime", 6) == 0);

		name->context = is_timer ? CONTEXT_INHERITED : CONTEXT_HARD;
		why->history.has_hrtimers |= is_timer && *text.data == 'h';
		for (size_t i = 0; i < sizeof(soft_interrupts) / sizeof(soft_interrupts[0]); i++) {
			if (text_equals(text, text_of(soft_interrupts[i])))
				name->context = CONTEXT_SOFT;
		}
		/* The others serve timers, and what is due at any tick. */
		name->is_raised = name->context == CONTEXT_SOFT && text.data[0] != 'S' &&
				  text.data[0] != 'R' && !memmem(text.data, text.size, "TIMER", 5);
		name->is_period = false;
		for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
			name->is_period |= text_equals(text, text_of(periods[i]));
	}
	if (name->context != CONTEXT_INHERITED)
		return name->context;
	return cpu->nr_interrupts > 0 ? history_interrupt(cpu)->context : CONTEXT_HARD;
}

/* The record has the thread that a CPU runs, its name, and the priorities of both threads. */
static int learn_switch(struct why_sink *why, const struct timeline_event *event)
{
	struct cpu_history *cpu = history_cpu(&why->history, event->track->id.signed_number);
	const struct value *pid = timeline_event_field(event, text_of("next_pid"));
	const struct value *prio = timeline_event_field(event, text_of("next_prio"));
	const struct value *left = timeline_event_field(event, text_of("prev_prio"));
	int tid = pid ? (int)pid->signed_number : -1;
	struct thread_history *thread = tid > 0 ? history_thread_add(&why->history, tid, -1) : NULL;
	struct thread_history *before;

	if (!cpu)
		return -1;
	before = event->tid > 0 && left ? history_thread(&why->history, event->tid, -1) : NULL;
	cpu->is_relieved = tid == 0 || (left && prio && left->signed_number <= PRIO_REALTIME_MAX &&
					prio->signed_number > PRIO_REALTIME_MAX);
	if (before && cpu->open.tid == event->tid)
		history_leave(&why->history, cpu, before, left->signed_number);
	if (event->tid == 0)
		cpu->idle_until_ns = event->time_ns;
	history_run_thread(&why->history, cpu, event->time_ns, tid);
	if (!thread)
		return 0;
	thread->comm = why_name(why, event->name);
	thread->prio = prio ? (int)prio->signed_number : PRIO_UNKNOWN;
	cpu->open.prio = prio_keep(thread->prio);
	/* One that was woken may have got it since. */
	if (thread->open.state == THREAD_RUNNABLE && thread->open.cpu < 0)
		thread->open.prio = cpu->open.prio;
	return 0;
}

static int learn_interrupt(struct why_sink *why, const struct timeline_event *event)
{
	struct cpu_history *cpu = history_cpu(&why->history, event->track->id.signed_number);
	struct interrupt interrupt = { .name = why_name(why, event->name) };
	const struct known_name *name = name_table_get(&why->names, interrupt.name);

	if (!cpu)
		return -1;
	why->history.has_interrupts = true;
	interrupt.context = interrupt_context(why, cpu, event->name->text, interrupt.name);
	interrupt.is_raised = name->is_raised;
	interrupt.is_tick = text_equals(event->name->text, text_of("local timer"));
	if (name->is_raised) {
		const struct thread_history *thread = history_thread(&why->history, cpu->open.tid,
								     cpu->open.cpu);

		interrupt.is_deferred = thread &&
					text_begins(name_table_text(&why->names, thread->comm),
						    text_of("ksoftirqd/"));
	}
	if (name->is_period) {
		why->period = interrupt.name;
		why->period_ns = event->time_ns;
	}
	history_begin_interrupt(&why->history, cpu, event->time_ns, interrupt);
	return 0;
}

static int learn_begin(struct why_sink *why, const struct timeline_event *event)
{
	struct why_track *one = why_track_of(why, event);
	bool is_of_thread = why_is_of_thread(one, event), needs_begin;
	int status = 0;

	if (one->role == WHY_ROLE_THREAD) {
		status = learn_state(why, one, event);
	} else if (one->role == WHY_ROLE_CPU) {
		status = learn_switch(why, event);
	} else if (one->role == WHY_ROLE_INTERRUPT) {
		status = learn_interrupt(why, event);
	} else if (one->role == WHY_ROLE_NONE) {
		uint32_t number = why_name(why, event->name);
		struct known_name *name = name_table_get(&why->names, number);

		why_see_writer(why, one, event);
		if (one->is_of_calls) {
			name->sets_clock |= !name->is_call && call_sets_clock(event->name->text);
			name->is_call = true;
			if (name->sets_clock && is_of_thread) {
				why->splitter.clock_ns = event->time_ns;
				why->splitter.clock_tid = one->thread->tid;
				why->splitter.clock_call = number;
			}
		} else if (one->is_of_program)
			name->is_of_program = true;
		else if (one->is_of_locks)
			name->is_spin =
				memmem(event->name->text.data, event->name->text.size, "SPIN", 4) ||
				memmem(event->name->text.data, event->name->text.size, "MUTEX", 5);
		if (is_of_thread && one->thread->handler_ns > 0 &&
		    memmem(event->name->text.data, event->name->text.size, "sigreturn", 9))
			history_end_handler(&why->history, one->thread);
		if (is_of_thread)
			history_begin_label(&why->history, one->thread, event->time_ns, number);
	}
	/* Keep who began a slice that is selected, or that a thread may wait for, and flows. */
	needs_begin = event->nr_flows > 0 ||
		      (!is_of_thread && (one->is_selected || event->track->lane > 0));
	if (status < 0 || event->depth == 0 || (!needs_begin && event->depth > one->nr_begins))
		return status;
	if (!array_extend(one->begins, one->nr_begins, event->depth - 1))
		return -1;
	one->begins[event->depth - 1] = (struct why_begin){
		.writer = history_waker(&why->history, event->tid, event->cpu),
		.flow = event_flow_key(event),
	};
	return 0;
}

static int learn_loss(struct why_sink *why, const struct timeline_event *event)
{
	bool is_sum = event->kind == TIMELINE_LOSS_SUM;

	why->nr_gaps += !is_sum;
	why->nr_gaps_unknown += event->loss_count == TIMELINE_COUNT_UNKNOWN;
	if (event->loss_count > 0)
		why->lost_records = count_sum(why->lost_records, event->loss_count);
	return is_sum ? 0
		      : history_lose(&why->history, event->loss_cpu, event->begin_ns,
				     event->loss_end_ns);
}

/* Explain the slice that waits for the next event. */
static int why_explain_deferred(struct why_sink *why)
{
	struct why_end end = why->deferred;

	why->deferred = (struct why_end){ 0 };
	return slice_explain(why, &end);
}

/* The end of a slice is of the flow of its begin, too. */
static int learn_flows(struct why_sink *why, const struct timeline_event *event)
{
	const struct why_track *track = why_track_of(why, event);
	bool is_end = event->kind == TIMELINE_SLICE_END;
	const struct why_begin *begin = is_end ? why_open_begin(track, event) : NULL;
	uint64_t flow = begin ? begin->flow : 0;
	struct hop hop;

	/* Flows of wake-ups are in the history. */
	if (track->role != WHY_ROLE_NONE || (flow == 0 && event->nr_flows == 0))
		return 0;
	hop = (struct hop){ .time_ns = event->time_ns,
			    .writer = history_waker(&why->history, event->tid, event->cpu),
			    .name = why_name(why, event->name),
			    .kind = is_end				  ? HOP_END
				    : event->kind == TIMELINE_SLICE_BEGIN ? HOP_BEGIN
									  : HOP_INSTANT };
	if (flow && event->nr_flows == 0)
		return hop_flows_add(&why->flows, flow, &hop);
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		if (hop_flows_add(&why->flows, hop_key(timeline_event_flow(event, i)), &hop) < 0)
			return -1;
	}
	return 0;
}

static int why_learn(struct why_sink *why, const struct timeline_event *event)
{
	bool is_next_state = false;

	if (unlikely(why->deferred.track)) {
		is_next_state = event->kind == TIMELINE_SLICE_BEGIN &&
				event->track == why->deferred.track;
		if (!is_next_state && why_explain_deferred(why) < 0)
			return -1;
	}
	if (unlikely(why->has_pending) && why_pending_is_due(why) && why_explain_pending(why) < 0)
		return -1;
	if (why->splitter.nr_steps < SPLITTER_STEPS_MAX)
		why->splitter.nr_steps += SPLITTER_STEPS;
	switch (event->kind) {
	case TIMELINE_TRACK_BEGIN:
		return learn_track(why, event);
	case TIMELINE_TRACK_END:
		return learn_track_end(why, event);
	case TIMELINE_SLICE_BEGIN:
		if ((event->nr_flows > 0 && learn_flows(why, event) < 0) ||
		    learn_begin(why, event) < 0)
			return -1;
		return is_next_state ? why_explain_deferred(why) : 0;
	case TIMELINE_SLICE_END:
		if ((event->nr_flows > 0 || why_track_of(why, event)->nr_begins > 0) &&
		    learn_flows(why, event) < 0)
			return -1;
		return why_slice_end(why, event);
	case TIMELINE_INSTANT:
		if (event->nr_flows > 0 && learn_flows(why, event) < 0)
			return -1;
		return why_learn_instant(why, event);
	case TIMELINE_LOSS:
	case TIMELINE_LOSS_SUM:
		return learn_loss(why, event);
	default:
		return event->kind == TIMELINE_FINISH;
	}
}

/* Counts what an overview has. */
static int why_count(struct why_sink *why, const struct timeline_event *event)
{
	struct why_track *track;

	switch (event->kind) {
	case TIMELINE_TRACK_BEGIN:
		return learn_track(why, event);
	case TIMELINE_TRACK_END:
		return learn_track_end(why, event);
	case TIMELINE_SLICE_END:
		track = why_track_of(why, event);
		return track->is_selected ? why_select_end(why, track, event) : 0;
	case TIMELINE_INSTANT:
		why_count_instant(why, event);
		return 0;
	default:
		return event->kind == TIMELINE_FINISH;
	}
}

/* The end of the recording: the answer. */
static out_of_line int why_answer(struct why_sink *why, struct error *error)
{
	struct explanations *out = why->settings->explanations;
	int status = why->has_pending ? why_explain_pending(why) : 0;

	/* For other outputs, texts were made of these before. */
	if (why->names.failed || why->overview.failed)
		status = -1;
	if (status == 0 && !out)
		return why_finish(why, error);
	if (status == 0) {
		/* The sinks that show the explanations are called later. */
		out->has_states = why->history.has_states;
		out->has_interrupts = why->history.has_interrupts;
		buffer_clear(&why->out);
		why_put_overview(why);
		out->overview = buffer_text(&why->out);
		if (why->out.failed)
			status = -1;
		else if (!why->settings->only_counts)
			status = kept_finish(&why->kept, out);
		if (!out->has_states)
			out->nr_items = 0;
	}
	return status < 0 ? error_set(error, "out of memory") : 0;
}

/* What follows an event: nothing, a lack of memory (-1), or the answer (1). */
static int why_go_on(struct why_sink *why, int status, struct error *error)
{
	if (likely(status == 0))
		return 0;
	return status < 0 ? error_set(error, "out of memory") : why_answer(why, error);
}

static int why_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct why_sink *why = container_of(sink, struct why_sink, sink);

	return why_go_on(why, why_learn(why, event), error);
}

static int why_count_event(struct sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	struct why_sink *why = container_of(sink, struct why_sink, sink);

	return why_go_on(why, why_count(why, event), error);
}

/* What takes a CPU from real-time threads; since Linux 6.12 it is the fair server. */
static enum runnable_reason kernel_find_server(const char *release)
{
	unsigned int major, minor;

	if (!release || sscanf(release, "%u.%u", &major, &minor) != 2)
		return RUNNABLE_SERVED;
	return major > 6 || (major == 6 && minor >= 12) ? RUNNABLE_FAIR_SERVED : RUNNABLE_RT_SERVED;
}

static int why_open(struct sink *sink, const struct recording *recording, unsigned int sink_index,
		    struct error *error)
{
	struct why_sink *why = container_of(sink, struct why_sink, sink);

	(void)sink_index, (void)error;
	why->start_ns = recording->start_ns;
	why->from_ns = recording->has_window ? recording->from_ns : INT64_MIN;
	why->to_ns = recording->has_window ? recording->to_ns : INT64_MAX;
	why->counts_ticks = recording->counts_ticks;
	why->limits = recording->limits;
	why->writer = recording->writer;
	why->has_one_cpu = recording->nr_cpus == 1;
	why->stored = recording->stored;
	why->splitter.served = kernel_find_server(recording->kernel);
	why->names.has_calls |= stored_has_pack(recording->stored, "syscalls");
	why->has_memory |= stored_has_pack(recording->stored, "memory");
	for (size_t i = 0; recording->buffers && i < recording->nr_buffers; i++)
		why->has_programs |= strcmp(recording->buffers[i], PROGRAMS_BUFFER) == 0;
	why->history.start_ns = recording->start_ns;
	return 0;
}

static void why_free(struct sink *sink)
{
	struct why_sink *why = container_of(sink, struct why_sink, sink);

	while (why->tracks) {
		struct why_track *next = why->tracks->next;

		free(why->tracks->begins);
		free(why->tracks);
		why->tracks = next;
	}
	for (size_t i = 0; i < why->nr_slices; i++)
		why_slice_release(&why->slices[i]);
	why_slice_release(&why->deferred.slice);
	file_close(why->fd);
	file_close(why->folded_fd);
	buffer_release(&why->folded);
	free(why->slices);
	aggregate_release(&why->aggregate);
	overview_release(&why->overview);
	kept_release(&why->kept);
	kept_release(&why->others);
	split_release(&why->scratch);
	evidence_release(&why->evidence);
	hop_flows_release(&why->flows);
	timers_release(&why->timers);
	history_release(&why->history);
	name_table_release(&why->names);
	slice_selector_release(&why->selector);
	buffer_release(&why->out);
	free(why);
}

static const struct sink_ops why_ops = { .open = why_open, .event = why_event, .free = why_free };
static const struct sink_ops why_count_ops = {
	.open = why_open, .event = why_count_event, .free = why_free
};

void why_settings_set_slice(struct why_settings *settings, const char *text)
{
	size_t size = strlen(text), suffix_size = strlen(AGGREGATE_SUFFIX);

	if (size > suffix_size && strcmp(text + size - suffix_size, AGGREGATE_SUFFIX) == 0 &&
	    text[size - suffix_size - 1] != '\\') {
		settings->is_aggregate = true;
		size -= suffix_size;
	}
	settings->slice = (struct text){ .data = text, .size = size };
}

int why_settings_set_overview(struct why_settings *why, struct error *error)
{
	if (why->is_aggregate || why->has_at)
		return error_set(error, "%s: a slice is missing; write '*' for any",
				 why->is_aggregate ? "--aggregate" : "--at");
	why->is_overview = true;
	why->slice = text_of("*");
	return 0;
}

int why_settings_check(const struct why_settings *why, struct error *error)
{
	struct slice_selector selector;
	int status = slice_selector_parse(&selector, why->slice, error);

	slice_selector_release(&selector);
	if (status == 0 && why->is_aggregate && (why->slowest > 0 || why->has_at))
		return error_set(error, "--aggregate: covers all slices; leave out %s",
				 why->has_at ? "--at" : "--slowest");
	if (status == 0 && why->is_aggregate && why->folded)
		return error_set(error, "--folded: contains single slices; leave out --aggregate");
	if (status == 0 && why->folded && strcmp(why->folded, "-") == 0)
		return error_set(error, "--folded=-: standard output is that of the explanation; "
					"write a file");
	return status;
}

/* Parts of two recordings have the same names. */
static int why_init_names(struct why_sink *why)
{
	struct why_base *base = why->settings->base;

	if (!base || !base->is_filled)
		return name_table_init(&why->names);
	why->names = base->names;
	base->names = (struct name_table){ 0 };
	return 0;
}

struct sink *why_sink_new(const struct why_settings *settings, int fd, int folded_fd,
			  const char *source, struct error *error)
{
	const struct sink_ops *ops = settings->only_counts ? &why_count_ops : &why_ops;
	struct sink *sink = sink_new(ops, sizeof(struct why_sink), error);
	struct why_sink *why = container_of(sink, struct why_sink, sink);

	if (!sink) {
		file_close(fd);
		file_close(folded_fd);
		return NULL;
	}
	why->settings = settings;
	why->source = source;
	why->fd = fd;
	why->folded_fd = folded_fd;
	why->splitter = (struct splitter){ .history = &why->history,
					   .names = &why->names,
					   .is_limited = settings->is_aggregate ||
							 settings->explanations };
	why->only_slowest = !why->splitter.is_limited && !settings->is_overview &&
			    !settings->has_at;
	why->splitter.nr_steps = why->splitter.is_limited ? 0 : SPLITTER_STEPS_BEGIN;
	if (history_init(&why->history,
			 settings->explanations ? HISTORY_SIZE_BESIDE : HISTORY_SIZE) < 0 ||
	    why_init_names(why) < 0)
		error_set(error, "out of memory");
	else if (slice_selector_parse(&why->selector, settings->slice, error) == 0)
		return sink;
	why_free(sink);
	return NULL;
}
