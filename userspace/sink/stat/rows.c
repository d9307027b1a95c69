// SPDX-License-Identifier: GPL-2.0-only
/* Selects and sorts rows; derives values from them. */
#include <stdlib.h>
#include <string.h>

#include "sink/stat/state.h"

struct text stat_row_name(const struct stat_row *row)
{
	return row->name ? row->name->text : text_of("(other)");
}

int64_t stat_row_quantile(const struct stat_row *row, unsigned int permille)
{
	int64_t ns = (int64_t)quantiles_get(&row->quantiles, permille);

	if (ns < row->times.min_ns)
		return row->times.min_ns;
	return ns < row->times.max_ns ? ns : row->times.max_ns;
}

double stat_row_rate(const struct stat_sink *sink, const struct stat_row *row)
{
	double seconds = (double)(sink->now_ns - sink->file.start_ns) / NS_PER_S;
	uint64_t count = row->kind == STAT_SLICES ? row->times.nr_intervals : row->count;

	return seconds > 0 ? (double)count / seconds : 0;
}

int64_t stat_row_mean_ns(const struct stat_row *row)
{
	return row->times.nr_intervals ? row->times.total_ns / (int64_t)row->times.nr_intervals : 0;
}

/* The sort key, largest first; counters and instants have only a count. */
static int64_t row_weight(const struct stat_row *row, const struct sink_stat_settings *settings)
{
	if (row->kind != STAT_SLICES)
		return row->kind == STAT_COUNTER ? (int64_t)row->levels.nr_samples
						 : (int64_t)row->count;
	switch (settings->sort) {
	case STAT_SORT_SELF:
		return row->self_ns;
	case STAT_SORT_COUNT:
		return (int64_t)row->times.nr_intervals;
	case STAT_SORT_MIN:
		return row->times.min_ns;
	case STAT_SORT_MEAN:
		return stat_row_mean_ns(row);
	case STAT_SORT_PERCENTILE:
		return stat_row_quantile(row, settings->sort_permille);
	case STAT_SORT_MAX:
		return row->times.max_ns;
	default:
		return row->times.total_ns;
	}
}

/** struct weighed_row - a row and its sort key */
struct weighed_row {
	const struct stat_row *row;
	int64_t weight;
	bool is_by_track;
	bool is_reversed;
};

/* Names decide between equal keys, so that the order is independent of the order of appearance. */
static int weighed_row_compare(const struct weighed_row *a, const struct weighed_row *b)
{
	int by_track = text_compare(buffer_text(&a->row->group), buffer_text(&b->row->group));
	int by_name = text_compare(stat_row_name(a->row), stat_row_name(b->row));
	int by_tracepoint = strcmp(a->row->category->text, b->row->category->text);

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->is_by_track && by_track)
		return by_track;
	if (by_name)
		return by_name;
	return by_track ? by_track : by_tracepoint;
}

static int stat_row_compare(const void *a_pointer, const void *b_pointer)
{
	const struct weighed_row *a = a_pointer, *b = b_pointer;

	return a->is_reversed ? weighed_row_compare(b, a) : weighed_row_compare(a, b);
}

static size_t rows_weigh(const struct stat_sink *sink, enum stat_kind kind,
			 struct weighed_row *weighed)
{
	enum stat_sort sort = sink->settings.sort;
	bool is_by_text = sort == STAT_SORT_NAME || sort == STAT_SORT_TRACK;
	size_t size = 0;

	for (size_t i = 0; i < sink->nr_rows; i++) {
		const struct stat_row *row = sink->rows[i];

		if (row->kind == kind)
			weighed[size++] = (struct weighed_row){
				.row = row,
				.weight = is_by_text ? 0 : row_weight(row, &sink->settings),
				.is_by_track = sort != STAT_SORT_NAME,
				.is_reversed = sink->settings.is_reversed,
			};
	}
	return size;
}

const struct stat_row **stat_rows_choose(const struct stat_sink *sink, enum stat_kind kind,
					 size_t *nr_rows, size_t *nr_more)
{
	struct weighed_row *weighed = calloc(sink->nr_rows + 1, sizeof(*weighed));
	const struct stat_row **rows = calloc(sink->nr_rows + 1, sizeof(*rows));
	size_t size, limit = sink->settings.limit;

	if (!weighed || !rows) {
		free(weighed);
		free(rows);
		return NULL;
	}
	size = rows_weigh(sink, kind, weighed);
	qsort(weighed, size, sizeof(*weighed), stat_row_compare);
	*nr_rows = limit > 0 && size > limit ? limit : size;
	*nr_more = size - *nr_rows;
	for (size_t i = 0; i < *nr_rows; i++)
		rows[i] = weighed[i].row;
	free(weighed);
	return rows;
}
