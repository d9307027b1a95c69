// SPDX-License-Identifier: GPL-2.0-only
/* The answer of ktrack why as one line of JSON. */
#include <stdlib.h>

#include "analysis/why.h"

static void why_put_text(struct buffer *out, const char *name, struct text text, bool *first)
{
	json_append_member(out, text_of(name), first);
	json_append_string(out, text);
}

static void why_put_name(struct why_sink *why, const char *name, uint32_t number, bool *first)
{
	if (number != NAMES_NONE)
		why_put_text(&why->out, name, name_table_text(&why->names, number), first);
}

static void why_put_number(struct buffer *out, const char *name, int64_t number, bool *first)
{
	json_append_member(out, text_of(name), first);
	buffer_append_signed(out, number);
}

static void why_put_flag(struct buffer *out, const char *name, bool flag, bool *first)
{
	json_append_member(out, text_of(name), first);
	buffer_append_string(out, flag ? "true" : "false");
}

static void why_put_number_above(struct buffer *out, const char *name, int64_t number, int64_t none,
				 bool *first)
{
	if (number > none)
		why_put_number(out, name, number, first);
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
			why_put_number(out, "behind_prio", key->prio, first);
			why_put_number(out, "prio", key->own_prio, first);
		}
		return;
	}
	if (key->kind == PART_WAITING) {
		why_put_number_above(out, "issuer_tid", key->tid, 0, first);
		why_put_name(why, "issuer", key->label ? key->label : key->name, first);
	}
	if (key->kind != PART_BLOCKED && key->kind != PART_STOPPED)
		return;
	why_put_flag(out, "woken", key->is_woken, first);
	if (key->is_woken)
		why_put_text(out, "waker_context", text_of(context_names[key->context]), first);
	why_put_number_above(out, "waker_tid", key->tid, -1, first);
	why_put_name(why, "waker", key->name, first);
	if (part_is_timeout(&why->names, key))
		why_put_flag(out, "timeout", true, first);
}

static void put_stack(struct why_sink *why, uint32_t number, bool *first)
{
	struct text frames = name_table_text(&why->names, number);
	struct buffer *out = &why->out;

	json_append_member(out, text_of("stack"), first);
	for (bool is_first = true; frames.size > 0; is_first = false) {
		const char *end = memchr(frames.data, ';', frames.size);
		struct text frame = { frames.data,
				      end ? (size_t)(end - frames.data) : frames.size };
		size_t taken = frame.size + (end != NULL);

		buffer_append_char(out, is_first ? '[' : ',');
		json_append_string(out, frame);
		frames = (struct text){ frames.data + taken, frames.size - taken };
	}
	buffer_append_char(out, ']');
}

static void put_what(struct why_sink *why, const struct part_key *key,
		     const struct why_slice *slice, bool *first)
{
	struct buffer text = { 0 };

	part_append_text_of(&text, &why->names, key, slice);
	why_put_text(&why->out, "what", buffer_text(&text), first);
	why->out.failed |= text.failed;
	buffer_release(&text);
}

static bool key_is_woken_by_thread(const struct part_key *key)
{
	return (key->kind == PART_BLOCKED || key->kind == PART_STOPPED) &&
	       key->context == CONTEXT_THREAD;
}

static void put_key(struct why_sink *why, const struct part_key *key, const struct why_slice *slice,
		    bool *first)
{
	struct buffer *out = &why->out;

	put_what(why, key, slice, first);
	why_put_text(out, "kind", text_of(part_kind_name(key->kind)), first);
	if (key->kind == PART_UNDECIDED)
		why_put_text(out, "reason", text_of(undecided_reason_name(key->reason)), first);
	why_put_number_above(out, "tid", key->owner, -1, first);
	why_put_name(why, "comm", key->owner_name, first);
	why_put_number_above(out, "cpu", key->cpu, -1, first);
	if (key->kind != PART_WAITING)
		why_put_name(why, "slice", key->label, first);
	why_put_name(why, "state", key->state, first);
	why_put_name(why, key_is_woken_by_thread(key) ? "waker_slice" : "interrupt", key->interrupt,
		     first);
	why_put_name(why, "operation", key->object, first);
	why_put_name(why, key->kind == PART_RUNNING ? "instant" : "after", key->instant, first);
	put_other(why, key, first);
	if (key->stack != NAMES_NONE)
		put_stack(why, key->stack, first);
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
		put_key(why, &part->key, slice, &first);
		why_put_number(out, "ns", part->total_ns, &first);
		why_put_number(out, "count", part->count, &first);
		why_put_number(out, "longest_ns", part->longest_ns, &first);
		why_put_number(out, "longest_at_ns", part->longest_at_ns - why->start_ns, &first);
		why_put_number_above(out, "instants", part->nr_instants, 0, &first);
		if (part->waker) {
			json_append_member(out, text_of("meanwhile"), &first);
			put_split(why, part->waker, NULL);
		}
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

void why_put_slice(struct why_sink *why, const struct why_slice *slice)
{
	struct buffer *out = &why->out;
	bool first = true;

	buffer_append_char(out, '{');
	why_put_text(out, "tracepoint", text_of(slice->category), &first);
	why_put_text(out, "name", name_table_text(&why->names, slice->name), &first);
	why_put_text(out, "track", buffer_text(&slice->track), &first);
	why_put_number_above(out, "tid", slice->tid, 0, &first);
	why_put_name(why, "comm", slice->comm, &first);
	why_put_number(out, "begin_ns", slice->begin_ns - why->start_ns, &first);
	why_put_number(out, "ns", slice->end_ns - slice->begin_ns, &first);
	why_put_flag(out, "async", slice->is_async, &first);
	why_put_flag(out, "suspect", slice->is_suspect, &first);
	why_put_flag(out, "unfinished", slice->is_unfinished, &first);
	json_append_member(out, text_of("parts"), &first);
	put_split(why, &slice->split, slice);
	buffer_append_char(out, '}');
}

static void put_group(struct buffer *out, const char *name, const struct aggregate_cell *group,
		      bool *first)
{
	bool is_first = true;

	json_append_member(out, text_of(name), first);
	buffer_append_char(out, '{');
	why_put_number(out, "count", group->count, &is_first);
	why_put_number(out, "ns", group->split.total_ns, &is_first);
	if (group->count > 0) {
		why_put_number(out, "min_ns", group->min_ns, &is_first);
		why_put_number(out, "max_ns", group->max_ns, &is_first);
	}
	buffer_append_char(out, '}');
}

static int put_rows(struct why_sink *why, const struct aggregate_groups *groups)
{
	struct buffer *out = &why->out;
	size_t nr_rows;
	struct group_row *rows = aggregate_rows(groups, &nr_rows);

	if (!rows)
		return -1;
	for (size_t i = 0; i < nr_rows; i++) {
		bool first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		put_key(why, &rows[i].key, NULL, &first);
		why_put_number(out, "slowest_ns", rows[i].slowest_ns, &first);
		why_put_number(out, "median_ns", rows[i].median_ns, &first);
		why_put_number(out, "excess_ns", rows[i].excess_ns, &first);
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
	int status = aggregate_groups_find(&why->aggregate, &groups);

	buffer_append_char(out, '{');
	why_put_number(out, "count", why->aggregate.count, &first);
	why_put_number(out, "not_counted", why->nr_left_out, &first);
	why_put_number(out, "not_explained", why->nr_unexplained, &first);
	put_group(out, "slowest", &groups.slowest, &first);
	put_group(out, "median", &groups.median, &first);
	buffer_append_string(out, ",\"parts\":[");
	if (status == 0)
		status = put_rows(why, &groups);
	buffer_append_string(out, "]}");
	aggregate_groups_release(&groups);
	return status;
}

int why_print_json(struct why_sink *why)
{
	struct buffer *out = &why->out;
	bool first = true;
	int status = 0;

	buffer_append_char(out, '{');
	if (why->counts_ticks)
		why_put_text(out, "time_unit", text_of("ticks"), &first);
	why_put_number(out, "matched", why->nr_matched, &first);
	if (why->settings->is_aggregate) {
		json_append_member(out, text_of("aggregate"), &first);
		status = put_aggregate(why);
	} else {
		json_append_member(out, text_of("slices"), &first);
		buffer_append_char(out, '[');
		for (size_t i = 0; i < why->nr_slices; i++) {
			buffer_append_string(out, i > 0 ? "," : "");
			why_put_slice(why, &why->slices[i]);
		}
		buffer_append_char(out, ']');
	}
	why_put_flag(out, "has_sched", why->history.has_states, &first);
	why_put_flag(out, "has_irq", why->history.has_interrupts, &first);
	why_put_number(out, "lost_records", why->lost_records, &first);
	why_put_number(out, "lost_gaps", why->nr_gaps, &first);
	buffer_append_string(out, "}\n");
	return status;
}
