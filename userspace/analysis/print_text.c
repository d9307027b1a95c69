// SPDX-License-Identifier: GPL-2.0-only
/* The answer of ktrack why as tables. */
#include <stdlib.h>

#include "analysis/why.h"

void why_append_clean(struct buffer *out, struct text text)
{
	while (text.size > 0) {
		size_t size = utf8_sequence_size(text);

		if (size == 0 || utf8_is_control(utf8_value((struct text){ text.data, size })))
			buffer_append_char(out, '?');
		else
			buffer_append(out, text.data, size);
		text = (struct text){ text.data + (size ? size : 1),
				      text.size - (size ? size : 1) };
	}
}

static void append_cell(struct buffer *out, const char *text, int width)
{
	buffer_printf(out, "%*s", width, text);
}

static void append_time_cell(struct buffer *out, int64_t ns, int width)
{
	struct buffer cell = { 0 };

	if (ns < 0)
		buffer_append_char(&cell, '-');
	buffer_append_duration(&cell, ns < 0 ? -ns : ns);
	append_cell(out, buffer_string(&cell), width);
	buffer_release(&cell);
}

static void append_what(struct why_sink *why, const struct part_key *key,
			const struct why_slice *slice)
{
	struct buffer text = { 0 };

	part_append_text_of(&text, &why->names, key, slice);
	why_append_clean(&why->out, buffer_text(&text));
	buffer_release(&text);
}

/* The least share of the slice of parts that are shown one by one; others are summed up. */
#define SHOWN_PERMILLE 5

/**
 * struct listing_level - a table of parts within another one
 * @slice: the slice that is explained, NULL for parts of wakers
 * @slice_ns: time of the whole slice
 * @level: 0 for the slice's own parts
 */
struct listing_level {
	const struct why_slice *slice;
	int64_t slice_ns;
	unsigned int level;
};

static void print_cells(struct buffer *out, const struct listing_level *level, int64_t part_ns,
			uint64_t count)
{
	append_time_cell(out, part_ns, 8);
	if (level->slice)
		buffer_printf(out, "  %5.1f%%", 100.0 * (double)part_ns / (double)level->slice_ns);
	else
		buffer_append_string(out, "        ");
	buffer_printf(out, "  %5llu  %*s", (unsigned long long)count, (int)level->level * 2, "");
}

/* The outer half of a long stack is left out. */
#define SHOWN_FRAMES 8

static void print_stack(struct why_sink *why, const struct listing_level *level, uint32_t number)
{
	struct text frames = name_table_text(&why->names, number);
	struct buffer *out = &why->out;

	buffer_printf(out, "%*s%*sat ", 25, "", (int)level->level * 2, "");
	for (int i = 0; i < SHOWN_FRAMES && frames.size > 0; i++) {
		const char *end = memchr(frames.data, ';', frames.size);
		struct text frame = { frames.data,
				      end ? (size_t)(end - frames.data) : frames.size };
		size_t taken = frame.size + (end != NULL);

		buffer_append_string(out, i > 0 ? " < " : "");
		why_append_clean(out, frame);
		frames = (struct text){ frames.data + taken, frames.size - taken };
	}
	buffer_append_string(out, frames.size > 0 ? " < ...\n" : "\n");
}

static void print_part(struct why_sink *why, const struct listing_level *level,
		       const struct part *part)
{
	print_cells(&why->out, level, part->total_ns, part->count);
	append_what(why, &part->key, level->slice);
	if (part->nr_instants > 0) {
		buffer_append_string(&why->out, ", ");
		buffer_append_count(&why->out, part->nr_instants, "time");
	}
	buffer_append_char(&why->out, '\n');
	if (part->key.stack != NAMES_NONE)
		print_stack(why, level, part->key.stack);
}

static void print_parts(struct why_sink *why, const struct split *split,
			const struct listing_level *level);

static void print_waker(struct why_sink *why, const struct part *part,
			const struct listing_level *level)
{
	const struct listing_level inner = { .slice_ns = level->slice_ns,
					     .level = level->level + 1 };
	struct buffer *out = &why->out;

	bool is_operation = part->key.object != NAMES_NONE;

	buffer_printf(out, "%*s%*s%s ", 25, "", (int)level->level * 2, "",
		      is_operation ? "up to the end of" : "meanwhile");
	why_append_clean(out, name_table_text(&why->names,
					      is_operation ? part->key.object : part->key.name));
	if (part->key.tid >= 0)
		buffer_printf(out, " (%d)", part->key.tid);
	buffer_append_string(out, ":\n");
	print_parts(why, part->waker, &inner);
}

static int64_t level_least_ns(const struct listing_level *level)
{
	return level->slice_ns * SHOWN_PERMILLE / 1000;
}

/* That a wait for an operation was nothing else needs no table; small parts alone need none. */
static bool waker_is_shown(const struct part *part, const struct listing_level *level)
{
	const struct split *split = part->waker;
	const struct part *first = split && split->nr_parts > 0 ? &split->parts[0] : NULL;

	if (!first || first->total_ns < level_least_ns(level))
		return false;
	return first->key.kind != PART_WAITING || first->key.object != part->key.object ||
	       part->total_ns - first->total_ns >= level_least_ns(level);
}

/* The longest parts come first. */
static void print_parts(struct why_sink *why, const struct split *split,
			const struct listing_level *level)
{
	int64_t least_ns = level_least_ns(level), rest_ns = 0;
	uint64_t nr_rest = 0, nr_segments = 0;

	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];

		if (part->total_ns < least_ns) {
			rest_ns += part->total_ns;
			nr_segments += part->count;
			nr_rest++;
			continue;
		}
		print_part(why, level, part);
		if (waker_is_shown(part, level))
			print_waker(why, part, level);
	}
	if (nr_rest == 0)
		return;
	print_cells(&why->out, level, rest_ns, nr_segments);
	buffer_append_count(&why->out, nr_rest, "smaller part");
	buffer_append_char(&why->out, '\n');
}

static void print_slice(struct why_sink *why, const struct why_slice *slice)
{
	struct buffer *out = &why->out;

	why_append_clean(out, text_of(slice->category));
	buffer_append_char(out, '/');
	why_append_clean(out, name_table_text(&why->names, slice->name));
	buffer_append_string(out, " @ ");
	why_append_clean(out, buffer_text(&slice->track));
	buffer_append_string(out, ": ");
	buffer_append_duration(out, slice->end_ns - slice->begin_ns);
	buffer_append_string(out, " from ");
	buffer_append_seconds(out, slice->begin_ns - why->start_ns, 9);
	buffer_append_string(out, slice->is_async ? ", asynchronous" : "");
	buffer_append_string(out, slice->is_suspect ? ", suspect: records were lost" : "");
	buffer_append_string(out, slice->is_unfinished ? ", incomplete: no end was recorded" : "");
	buffer_append_string(out, "\n    TIME   SHARE  COUNT  WHAT\n");
	print_parts(why, &slice->split,
		    &(struct listing_level){ .slice = slice,
					     .slice_ns = slice->end_ns - slice->begin_ns });
}

static bool row_is_small(const struct aggregate_groups *groups, const struct group_row *row)
{
	return row->slowest_ns * 1000 < groups->slowest.split.total_ns * SHOWN_PERMILLE &&
	       row->median_ns * 1000 < groups->median.split.total_ns * SHOWN_PERMILLE;
}

static void print_row_times(struct why_sink *why, const struct aggregate_groups *groups,
			    const struct group_row *row)
{
	struct buffer *out = &why->out;

	append_time_cell(out, aggregate_mean_ns(&groups->slowest, row->slowest_ns), 9);
	append_time_cell(out, aggregate_mean_ns(&groups->median, row->median_ns), 10);
	append_time_cell(out, row->excess_ns, 12);
	buffer_append_string(out, "  ");
}

static int print_rows(struct why_sink *why, const struct aggregate_groups *groups)
{
	struct group_row rest = { 0 };
	size_t nr_rows, nr_rest = 0;
	struct group_row *rows = aggregate_rows(groups, &nr_rows);

	if (!rows)
		return -1;
	buffer_append_string(&why->out, "  SLOWEST    MEDIAN  DIFFERENCE  WHAT\n");
	for (size_t i = 0; i < nr_rows; i++) {
		if (row_is_small(groups, &rows[i])) {
			nr_rest++;
			rest.slowest_ns += rows[i].slowest_ns;
			rest.median_ns += rows[i].median_ns;
			rest.excess_ns += rows[i].excess_ns;
			continue;
		}
		print_row_times(why, groups, &rows[i]);
		append_what(why, &rows[i].key, NULL);
		buffer_append_char(&why->out, '\n');
	}
	free(rows);
	if (nr_rest == 0)
		return 0;
	print_row_times(why, groups, &rest);
	buffer_append_count(&why->out, nr_rest, "smaller part");
	buffer_append_char(&why->out, '\n');
	return 0;
}

static void print_group(struct why_sink *why, const char *name, const struct aggregate_cell *group)
{
	struct buffer *out = &why->out;

	buffer_append_string(out, name);
	buffer_append_count(out, group->count, "slice");
	buffer_append_string(out, " of ");
	buffer_append_duration(out, group->min_ns);
	buffer_append_string(out, " to ");
	buffer_append_duration(out, group->max_ns);
	buffer_append_char(out, '\n');
}

static int print_aggregate(struct why_sink *why)
{
	struct aggregate_groups groups;
	int status = aggregate_groups_find(&why->aggregate, &groups);

	if (status == 0 && why->aggregate.count > 0) {
		buffer_append_count(&why->out, why->aggregate.count, "slice");
		buffer_append_string(&why->out, "; the time of a part is the mean of a slice\n");
		print_group(why, "slowest 1%: ", &groups.slowest);
		print_group(why, "median: ", &groups.median);
		status = print_rows(why, &groups);
	}
	aggregate_groups_release(&groups);
	return status;
}

static void print_remarks(struct why_sink *why)
{
	struct buffer *out = &why->out;
	bool is_aggregate = why->settings->is_aggregate;

	if (!is_aggregate && why->nr_matched > why->nr_slices)
		buffer_printf(out, "%s of %llu slices that match\n",
			      why->settings->has_at ? "the shortest" : "the slowest",
			      (unsigned long long)why->nr_matched);
	if (is_aggregate && why->nr_left_out > 0) {
		buffer_append_count(out, why->nr_left_out, "slice");
		buffer_append_string(out, " not counted: incomplete, suspect or foreign\n");
	}
	if (why->nr_unexplained > 0) {
		buffer_append_count(out, why->nr_unexplained, "slice");
		buffer_append_string(out, " not explained: too many overlap\n");
	}
	if (why->nr_matched == 0 && why->settings->is_live) {
		buffer_append_string(out, "no slice matches '");
		why_append_clean(out, why->settings->slice);
		buffer_append_string(out, "'\n");
	}
	if (why->nr_matched > 0 && why->history.has_states && !why->history.has_interrupts)
		buffer_append_string(out, "interrupts were not recorded: their time is part of "
					  "'running'; record with -r sched,irq\n");
	if (why->nr_matched > 0 && !why->history.has_states)
		buffer_append_string(out, "nothing can be attributed without the scheduler's "
					  "records; record with -r sched,irq\n");
	if (why->nr_gaps > 0 || why->lost_records > 0) {
		timeline_append_loss(out, why->lost_records, why->nr_gaps, why->nr_gaps_unknown);
		buffer_append_char(out, '\n');
	}
	if (why->counts_ticks)
		buffer_append_string(out, "the clock does not count nanoseconds: all times are in "
					  "its ticks\n");
}

int why_print_text(struct why_sink *why)
{
	if (why->settings->is_aggregate && print_aggregate(why) < 0)
		return -1;
	for (size_t i = 0; i < why->nr_slices; i++) {
		print_slice(why, &why->slices[i]);
		buffer_append_char(&why->out, '\n');
	}
	print_remarks(why);
	if (why->history.has_states)
		why_print_hints(why);
	return 0;
}
