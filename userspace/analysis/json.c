// SPDX-License-Identifier: GPL-2.0-only
/* The answer of ktrack why as one line of JSON. */
#include "analysis/internal.h"

#include <stdlib.h>

static void why_put_name(struct why_sink *why, const char *name, uint32_t number, bool *first)
{
	if (number != NAMES_NONE)
		json_append_text(&why->out, name, name_table_text(&why->names, number), first);
}

static void why_put_number_above(struct buffer *out, const char *name, int64_t number, int64_t none,
				 bool *first)
{
	if (number > none)
		json_append_number(out, name, number, first);
}

static const char *const context_names[] = {
	[CONTEXT_THREAD] = "thread",
	[CONTEXT_HARD] = "hard interrupt",
	[CONTEXT_SOFT] = "soft interrupt",
};

/* What another thread has to do with a part. */
static void put_other(struct why_sink *why, const struct part_key *key, bool *first)
{
	struct buffer *out = &why->out;

	if (key->kind == PART_RUNNABLE || key->kind == PART_LATE) {
		why_put_number_above(out, "behind_tid", key->tid, -1, first);
		why_put_name(why, "behind", key->name, first);
		if (part_has_priorities(key)) {
			json_append_number(out, "behind_prio", key->prio, first);
			json_append_number(out, "prio", key->own_prio, first);
		}
		return;
	}
	if (key->kind == PART_WAITING) {
		why_put_number_above(out, "issuer_tid", key->tid, 0, first);
		why_put_name(why, "issuer", key->label ? key->label : key->name, first);
		why_put_name(why, "beside", key->via, first);
	}
	if (key->kind != PART_BLOCKED && key->kind != PART_STOPPED)
		return;
	json_append_flag(out, "woken", key->is_woken, first);
	if (key->is_woken)
		json_append_text(out, "waker_context", text_of(context_names[key->context]), first);
	why_put_number_above(out, key->context == CONTEXT_THREAD ? "waker_tid" : "issuer_tid",
			     key->tid, -1, first);
	why_put_name(why, key->context == CONTEXT_THREAD ? "waker" : "issuer", key->name, first);
	why_put_name(why, "waker_soft_interrupt", key->via, first);
	if (part_is_timeout(&why->names, key))
		json_append_flag(out, "timeout", true, first);
}

/* The records of a part, if they were asked for. */
static void put_evidence(struct why_sink *why, const struct part *part, bool *first)
{
	struct buffer *out = &why->out;
	char before = '[';
	size_t nr;

	if (!why->settings->evidence)
		return;
	json_append_member(out, text_of("evidence"), first);
	for (int i = 0; i < 2; i++) {
		int64_t time_ns = part->longest_at_ns + (i ? part->longest_ns : 0);
		const struct evidence_record *record = evidence_at(&why->evidence, time_ns, &nr);

		for (; nr > 0; nr--, record++) {
			bool is_first = true;

			buffer_printf(out, "%c{", before);
			before = ',';
			json_append_text(out, "buffer", text_of(record->buffer), &is_first);
			json_append_number(out, "cpu", record->cpu, &is_first);
			json_append_number(out, "time_ns", time_ns, &is_first);
			json_append_text(out, "event", text_of(record->event), &is_first);
			buffer_append_char(out, '}');
		}
	}
	buffer_append_string(out, before == '[' ? "[]" : "]");
}

static void put_key(struct why_sink *why, const struct part *part, const struct why_slice *slice,
		    bool *first)
{
	const struct part_key *key = &part->key;
	struct buffer *out = &why->out;
	struct buffer text = { 0 };
	struct text frames;
	const char *reason = part_find_reason(&why->names, part);

	append_sum_text(&text, &why->names, part, slice);
	json_append_text(out, "what", buffer_text(&text), first);
	out->failed |= text.failed;
	buffer_release(&text);
	json_append_text(out, "kind", text_of(part_kind_word(key)), first);
	if (reason)
		json_append_text(out, "reason", text_of(reason), first);
	if (key->is_probable)
		json_append_flag(out, "probable", true, first);
	why_put_number_above(out, "tid", key->owner, -1, first);
	why_put_name(why, "comm", key->owner_name, first);
	why_put_number_above(out, "cpu", key->cpu, -1, first);
	if (key->kind != PART_WAITING)
		why_put_name(why, "slice", key->label, first);
	why_put_name(why, "state", key->state, first);
	why_put_name(why,
		     ((key->kind == PART_BLOCKED || key->kind == PART_STOPPED) &&
		      key->context == CONTEXT_THREAD)
			     ? "waker_slice"
			     : "interrupt",
		     key->interrupt, first);
	why_put_name(why, "operation", key->object, first);
	why_put_name(why, key->kind == PART_RUNNING ? "instant" : "after", key->instant, first);
	put_other(why, key, first);
	if (key->stack == NAMES_NONE)
		return;
	frames = name_table_text(&why->names, key->stack);
	json_append_member(out, text_of("stack"), first);
	for (char before = '['; frames.size > 0; before = ',') {
		buffer_append_char(out, before);
		json_append_string(out, frame_take(&frames));
	}
	buffer_append_char(out, ']');
}

/* @slice is NULL for a waker's parts. */
static void put_split(struct why_sink *why, const struct split *split,
		      const struct why_slice *slice)
{
	struct buffer *out = &why->out;

	buffer_append_char(out, '[');
	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];
		bool first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		put_key(why, part, slice, &first);
		json_append_number(out, "ns", part->total_ns, &first);
		json_append_number(out, "count", part->count, &first);
		json_append_number(out, "longest_ns", part->longest_ns, &first);
		json_append_number(out, "longest_at_ns", part->longest_at_ns - why->start_ns,
				   &first);
		why_put_number_above(out, "instants", part->nr_instants, 0, &first);
		why_put_number_above(out, "summed", part->nr_members, 1, &first);
		if (part->key.tid < 0)
			why_put_number_above(out, "threads", part->nr_threads, 1, &first);
		put_evidence(why, part, &first);
		if (part->waker) {
			json_append_member(out, text_of("meanwhile"), &first);
			put_split(why, part->waker, NULL);
		}
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

/* Another thread that explains the slice; of cpu and waker it has the one for which it waited. */
static void put_companion(struct why_sink *why, const struct companion *other, bool *first)
{
	struct buffer *out = &why->out;
	bool is_first = true;

	if (other->tid == 0)
		return;
	json_append_member(out, text_of("meanwhile"), first);
	buffer_append_char(out, '{');
	json_append_number(out, "tid", other->tid, &is_first);
	why_put_name(why, "comm", other->name, &is_first);
	json_append_number(out, "ns", other->ns, &is_first);
	why_put_name(why, "slice", other->label, &is_first);
	why_put_number_above(out, "waker_tid", other->waker, 0, &is_first);
	why_put_name(why, "waker", other->waker_name, &is_first);
	if (other->cpu >= 0) {
		json_append_number(out, "cpu", other->cpu, &is_first);
		json_append_number(out, "behind_tid", other->behind, &is_first);
		why_put_number_above(out, "prio", other->prio, PRIO_UNKNOWN, &is_first);
		why_put_number_above(out, "behind_prio", other->behind_prio, PRIO_UNKNOWN,
				     &is_first);
		why_put_name(why, "behind", other->behind_name, &is_first);
	}
	buffer_append_char(out, '}');
}

static void put_causes(struct why_sink *why, const struct why_slice *slice, bool *first)
{
	struct cause causes[CAUSES_MAX];
	int nr = slice_find_causes(why, slice, causes);
	struct buffer *out = &why->out, text = { 0 };

	json_append_member(out, text_of("causes"), first);
	buffer_append_char(out, '[');
	for (int i = 0; i < nr; i++) {
		bool is_first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		buffer_clear(&text);
		append_cause(&text, why, slice, &causes[i]);
		json_append_text(out, "what", buffer_text(&text), &is_first);
		json_append_number(out, "ns", causes[i].total_ns, &is_first);
		json_append_member(out, text_of("through"), &is_first);
		buffer_append_char(out, '[');
		for (size_t j = 0; j < path_size(why, &causes[i]); j++) {
			buffer_append_string(out, j > 0 ? "," : "");
			buffer_clear(&text);
			append_path(&text, &why->names, causes[i].path[j]);
			json_append_string(out, buffer_text(&text));
		}
		buffer_append_char(out, ']');
		if (causes[i].is_first)
			put_companion(why, &slice->split.companion, &is_first);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
	out->failed |= text.failed;
	buffer_release(&text);
}

/* The page finds a slice by its track and depth. */
static void put_slice(struct why_sink *why, const struct why_slice *slice, bool with_place)
{
	struct buffer *out = &why->out;
	bool first = true;

	buffer_append_char(out, '{');
	json_append_text(out, "tracepoint", text_of(slice->category), &first);
	json_append_text(out, "name", name_table_text(&why->names, slice->name), &first);
	json_append_text(out, "track", buffer_text(&slice->track), &first);
	why_put_number_above(out, "tid", slice->tid, 0, &first);
	why_put_name(why, "comm", slice->comm, &first);
	json_append_number(out, "begin_ns", slice->begin_ns - why->start_ns, &first);
	json_append_number(out, "ns", slice->end_ns - slice->begin_ns, &first);
	json_append_flag(out, "async", slice->is_async, &first);
	json_append_flag(out, "suspect", slice->is_suspect, &first);
	json_append_flag(out, "unfinished", slice->is_unfinished, &first);
	if (slice->is_unfinished && slice->killer > 0) {
		json_append_number(out, "killer_tid", slice->killer, &first);
		why_put_name(why, "killer", slice->killer_name, &first);
	}
	put_causes(why, slice, &first);
	json_append_member(out, text_of("parts"), &first);
	put_split(why, &slice->split, slice);
	if (with_place) {
		json_append_number(out, "track_number", slice->track_number, &first);
		json_append_number(out, "depth", slice->depth, &first);
	}
	buffer_append_char(out, '}');
}

void why_put_slice(struct why_sink *why, const struct why_slice *slice)
{
	put_slice(why, slice, false);
}

static void put_group(struct buffer *out, const char *name, const struct aggregate_cell *group,
		      bool *first)
{
	bool is_first = true;

	json_append_member(out, text_of(name), first);
	buffer_append_char(out, '{');
	json_append_number(out, "count", group->count, &is_first);
	json_append_number(out, "ns", group->split.total_ns, &is_first);
	if (group->count > 0) {
		json_append_number(out, "min_ns", group->min_ns, &is_first);
		json_append_number(out, "max_ns", group->max_ns, &is_first);
	}
	buffer_append_char(out, '}');
}

static int put_rows(struct why_sink *why, const struct aggregate_groups *groups)
{
	const struct why_base *base = why->settings->base;
	struct buffer *out = &why->out;
	size_t nr_rows;
	struct group_row *rows = aggregate_rows(groups, &nr_rows);

	if (!rows)
		return -1;
	for (size_t i = 0; i < nr_rows; i++) {
		bool first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		put_key(why, &(struct part){ .key = rows[i].key }, NULL, &first);
		json_append_number(out, base ? "source_ns" : "slowest_ns", rows[i].slowest_ns,
				   &first);
		json_append_number(out, base ? "base_ns" : "median_ns", rows[i].median_ns, &first);
		json_append_number(out, "excess_ns", rows[i].excess_ns, &first);
		buffer_append_char(out, '}');
	}
	free(rows);
	return 0;
}

static int put_aggregate(struct why_sink *why)
{
	struct buffer *out = &why->out;
	struct aggregate_groups groups;
	bool first = true;
	const struct why_base *base = why->settings->base;
	int status = aggregate_groups_find(&why->aggregate, base ? &base->aggregate : NULL,
					   &groups);

	buffer_append_char(out, '{');
	json_append_number(out, "count", why->aggregate.count, &first);
	json_append_number(out, "not_counted", why->nr_left_out, &first);
	json_append_number(out, "not_explained", why->nr_unexplained, &first);
	put_group(out, base ? "source" : "slowest", &groups.slowest, &first);
	put_group(out, base ? "base" : "median", &groups.median, &first);
	buffer_append_string(out, ",\"parts\":[");
	if (status == 0)
		status = put_rows(why, &groups);
	buffer_append_string(out, "]}");
	split_release(&groups.slowest.split);
	split_release(&groups.median.split);
	return status;
}

static void put_processes(struct why_sink *why, size_t max, bool *first)
{
	const struct process_times *busiest[PROCESSES_KEPT];
	size_t nr = overview_busiest(&why->overview, busiest, max);
	struct buffer *out = &why->out;

	json_append_member(out, text_of("processes"), first);
	buffer_append_char(out, '[');
	for (size_t i = 0; i < nr; i++) {
		const struct process_times *process = busiest[i];
		bool is_first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		json_append_number(out, "pid", process->id, &is_first);
		json_append_text(out, "comm", name_table_text(&why->names, process->name),
				 &is_first);
		json_append_number(out, "running_ns", process->running_ns, &is_first);
		json_append_number(out, "runnable_ns", process->runnable_ns, &is_first);
		json_append_number(out, "uninterruptible_ns", process->uninterruptible_ns,
				   &is_first);
		if (process->running_ns == 0)
			json_append_number(out, "instants", process->nr_instants, &is_first);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

static void put_kinds(struct why_sink *why, bool with_places, bool *first)
{
	struct buffer *out = &why->out;

	json_append_member(out, text_of("kinds"), first);
	buffer_append_char(out, '[');
	for (size_t i = 0; i < why->nr_slices; i++) {
		const struct slice_kind *kind = why->slices[i].kind;
		bool is_first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		json_append_number(out, "count", kind->count, &is_first);
		json_append_number(out, "total_ns", kind->total_ns, &is_first);
		json_append_member(out, text_of("slowest"), &is_first);
		put_slice(why, &why->slices[i], with_places);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

static void put_instants(struct why_sink *why, bool *first)
{
	const struct slice_kind *instants[INSTANTS_SHOWN];
	size_t nr = overview_frequent(&why->overview, instants, INSTANTS_SHOWN);
	struct buffer *out = &why->out;

	json_append_member(out, text_of("instants"), first);
	buffer_append_char(out, '[');
	for (size_t i = 0; i < nr; i++) {
		bool is_first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		json_append_number(out, "count", instants[i]->count, &is_first);
		json_append_text(out, "tracepoint", text_of(instants[i]->category), &is_first);
		json_append_text(out, "name", name_table_text(&why->names, instants[i]->name),
				 &is_first);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

void why_put_overview(struct why_sink *why)
{
	bool first = true;

	buffer_append_char(&why->out, '{');
	json_append_number(&why->out, "running_ns", why->overview.running_ns, &first);
	put_processes(why, PROCESSES_KEPT, &first);
	json_append_number(&why->out, "nr_kinds", why->overview.kinds.size, &first);
	put_kinds(why, true, &first);
	if (why_has_only_instants(why)) {
		json_append_number(&why->out, "nr_instants", why->overview.nr_instants, &first);
		put_instants(why, &first);
	}
	buffer_append_char(&why->out, '}');
}

int why_print_json(struct why_sink *why)
{
	struct buffer *out = &why->out;
	bool first = true;
	int status = 0;

	buffer_append_char(out, '{');
	if (why->counts_ticks)
		json_append_text(out, "time_unit", text_of("ticks"), &first);
	json_append_number(out, "matched", why->nr_matched, &first);
	if (why->settings->is_aggregate) {
		json_append_member(out, text_of("aggregate"), &first);
		status = put_aggregate(why);
	} else if (why->settings->is_overview) {
		put_processes(why, PROCESSES_SHOWN, &first);
		put_kinds(why, false, &first);
		if (why_has_only_instants(why))
			put_instants(why, &first);
	} else {
		json_append_member(out, text_of("slices"), &first);
		buffer_append_char(out, '[');
		for (size_t i = 0; i < why->nr_slices; i++) {
			buffer_append_string(out, i > 0 ? "," : "");
			why_put_slice(why, &why->slices[i]);
		}
		buffer_append_char(out, ']');
	}
	why_put_left_out(why, &first);
	json_append_flag(out, "has_sched", why->history.has_states, &first);
	json_append_flag(out, "has_irq", why->history.has_interrupts, &first);
	json_append_number(out, "lost_records", why->lost_records, &first);
	json_append_number(out, "lost_gaps", why->nr_gaps, &first);
	buffer_append_string(out, "}\n");
	return status;
}
