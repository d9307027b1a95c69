// SPDX-License-Identifier: GPL-2.0-only
/* Full histograms: a line for each power of two of a row's durations. */
#include <stdlib.h>

#include "sink/stat/state.h"

#define BAR_WIDTH 40

static const struct table_column histogram_columns[] = {
	{ "FROM", .is_right = true },
	{ "BELOW", .is_right = true },
	{ "COUNT", .is_right = true },
	{ "SHARE", .is_right = true },
	{ "BAR" },
};

static uint64_t highest_count(const struct quantiles *quantiles)
{
	uint64_t highest = 1;

	for (size_t i = 0; i < quantiles->nr_octaves; i++) {
		uint64_t count = quantiles_octave(quantiles, quantiles->octaves[i].number);

		highest = count > highest ? count : highest;
	}
	return highest;
}

/* A count that is not 0 is visible. */
static void bar_append(struct buffer *out, uint64_t count, uint64_t highest)
{
	double share = (double)count / (double)highest * BAR_WIDTH;

	for (unsigned int i = 0; i < (count > 0 && share < 1 ? 1 : (unsigned int)share); i++)
		buffer_append_char(out, '#');
}

static int octaves_add(struct table *table, const struct quantiles *quantiles)
{
	unsigned int last = quantiles->octaves[quantiles->nr_octaves - 1].number;
	uint64_t highest = highest_count(quantiles);

	for (unsigned int number = quantiles->octaves[0].number; number <= last; number++) {
		uint64_t count = quantiles_octave(quantiles, number);
		struct buffer *cell = table_add(table);

		if (!cell)
			return -1;
		buffer_append_duration(cell++, (int64_t)quantile_octave_begin(number));
		buffer_append_duration(cell++, (int64_t)quantile_octave_begin(number + 1));
		buffer_append_unsigned(cell++, count);
		buffer_printf(cell++, "%.1f%%", 100.0 * (double)count / (double)quantiles->count);
		bar_append(cell, count, highest);
	}
	return 0;
}

int stat_histogram_append(struct buffer *out, const struct quantiles *quantiles,
			  const struct table_style *style)
{
	struct table table = { .columns = histogram_columns,
			       .nr_columns = sizeof(histogram_columns) /
					     sizeof(histogram_columns[0]) };
	int status = octaves_add(&table, quantiles);

	table_append(&table, out, style);
	table_release(&table);
	return status;
}

static void row_title_append(struct stat_sink *sink, const struct stat_row *row,
			     const struct table_style *style)
{
	struct buffer *out = &sink->file.out;

	buffer_append_string(out, row->category->text);
	for (size_t i = 0; i < sink->settings.nr_groups; i++) {
		struct text value = stat_row_key(row, &sink->settings, i);

		buffer_append_string(out, value.size > 0 ? " " : "");
		table_append_text(out, value, style);
	}
	buffer_append_char(out, '\n');
}

static int row_histogram_print(struct stat_sink *sink, const struct stat_row *row)
{
	const struct table_style style = { .has_colour = sink->settings.has_colour,
					   .is_utf8 = sink->settings.is_utf8 };
	int status;

	if (row->quantiles.nr_octaves == 0)
		return 0;
	row_title_append(sink, row, &style);
	status = stat_histogram_append(&sink->file.out, &row->quantiles, &style);
	buffer_append_char(&sink->file.out, '\n');
	return status;
}

int stat_print_histograms(struct stat_sink *sink)
{
	size_t nr_rows, nr_more;
	const struct stat_row **rows = stat_rows_choose(sink, STAT_SLICES, &nr_rows, &nr_more);
	int status = 0;

	if (!rows)
		return -1;
	for (size_t i = 0; i < nr_rows && status == 0; i++)
		status = row_histogram_print(sink, rows[i]);
	free(rows);
	return status;
}
