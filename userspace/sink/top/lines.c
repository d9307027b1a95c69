// SPDX-License-Identifier: GPL-2.0-only
/* Copies the rows at each interval; filters and sorts the copies. */
#include <stdlib.h>
#include <string.h>

#include "sink/top/top.h"

void top_lines_release_kept(struct stat_top *top)
{
	for (size_t i = 0; i < top->nr_lines; i++)
		quantiles_release(&top->lines[i].row.quantiles);
}

void top_lines_release(struct stat_top *top)
{
	top_lines_release_kept(top);
	free(top->lines);
	free(top->before);
	free(top->order);
}

static int lines_grow(struct stat_top *top)
{
	size_t size = top->sink->nr_rows;
	struct top_line *lines = reallocarray(top->lines, size + 1, sizeof(*lines));
	struct top_sum *before = reallocarray(top->before, size + 1, sizeof(*before));
	size_t *order = reallocarray(top->order, size + 1, sizeof(*order));

	top->lines = lines ? lines : top->lines;
	top->before = before ? before : top->before;
	top->order = order ? order : top->order;
	if (!lines || !before || !order)
		return -1;
	memset(&lines[top->nr_lines], 0, (size - top->nr_lines) * sizeof(*lines));
	memset(&before[top->nr_lines], 0, (size - top->nr_lines) * sizeof(*before));
	top->nr_lines = size;
	/* cppcheck-suppress memleak ; top owns all three, also after a failure */
	return 0;
}

static struct top_sum row_sum(const struct stat_row *row)
{
	if (row->kind == STAT_SLICES)
		return (struct top_sum){ row->times.nr_intervals, row->times.total_ns };
	return (struct top_sum){ row->count + row->levels.nr_samples, 0 };
}

static void line_copy(const struct stat_top *top, struct top_line *line, struct top_sum *before,
		      const struct stat_row *row)
{
	const struct sink_stat_settings *settings = &top->sink->settings;
	struct top_sum now = row_sum(row);

	line->row = *row;
	line->row.quantiles = (struct quantiles){ 0 };
	line->source = row;
	line->added = (struct top_sum){ now.count - before->count,
					now.total_ns - before->total_ns };
	*before = now;
	for (size_t i = 0; i < settings->nr_permille && row->kind == STAT_SLICES; i++)
		line->percentiles[i] = stat_row_quantile(row, settings->permille[i]);
}

int top_lines_copy(struct stat_top *top)
{
	top_lines_release_kept(top);
	if (lines_grow(top) < 0)
		return -1;
	for (size_t i = 0; i < top->nr_lines; i++)
		line_copy(top, &top->lines[i], &top->before[i], top->sink->rows[i]);
	top->copied_ns = top->sink->now_ns;
	return 0;
}

int top_lines_keep(struct stat_top *top)
{
	for (size_t i = 0; i < top->nr_lines; i++) {
		if (quantiles_copy(&top->lines[i].row.quantiles, &top->lines[i].source->quantiles) <
		    0)
			return -1;
	}
	return 0;
}

/* Whether a cell that is a text contains the filter, in any case. */
static bool line_is_wanted(const struct stat_top *top, const struct top_line *line,
			   struct buffer *cell, const char *filter)
{
	const struct top_columns *columns = &top->columns[top->kind];

	if (line->row.kind != top->kind)
		return false;
	for (size_t i = 0; i < columns->size && *filter; i++) {
		if (!top_column_is_text(&columns->list[i]))
			continue;
		buffer_clear(cell);
		top_column_append(top, &columns->list[i], line, cell);
		if (strcasestr(buffer_string(cell), filter))
			return true;
	}
	return !*filter;
}

static void selected_find(struct stat_top *top)
{
	for (size_t i = 0; i < top->nr_shown; i++) {
		if (top->lines[top->order[i]].source == top->selected) {
			top->place = i;
			return;
		}
	}
	if (top->place >= top->nr_shown)
		top->place = top->nr_shown > 0 ? top->nr_shown - 1 : 0;
}

void top_lines_order(struct stat_top *top)
{
	struct buffer filter = { 0 }, cell = { 0 };

	buffer_append(&filter, top->filter.data, top->filter.size);
	top->nr_shown = 0;
	for (size_t i = 0; i < top->nr_lines; i++) {
		if (line_is_wanted(top, &top->lines[i], &cell, buffer_string(&filter)))
			top->order[top->nr_shown++] = i;
	}
	buffer_release(&filter);
	buffer_release(&cell);
	if (top->nr_shown > 1)
		qsort_r(top->order, top->nr_shown, sizeof(*top->order), top_lines_compare, top);
	selected_find(top);
}

const struct top_line *top_selected(const struct stat_top *top)
{
	return top->nr_shown > 0 ? &top->lines[top->order[top->place]] : NULL;
}
