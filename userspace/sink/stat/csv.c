// SPDX-License-Identifier: GPL-2.0-only
/* Statistics as comma-separated values: one row for each row of all tables, after the names. */
#include <stdlib.h>

#include "sink/csv.h"
#include "sink/stat/state.h"

static void csv_comma(struct buffer *out)
{
	buffer_append_char(out, ',');
}

static void csv_number(struct buffer *out, int64_t number)
{
	csv_comma(out);
	buffer_append_signed(out, number);
}

static void csv_value(struct buffer *out, const struct value *value)
{
	csv_comma(out);
	value_append_text(out, value);
}

static void csv_commas(struct buffer *out, size_t count)
{
	while (count-- > 0)
		csv_comma(out);
}

static void csv_header(struct buffer *out, const struct sink_stat_settings *settings)
{
	buffer_append_string(out, "kind,tracepoint");
	for (size_t i = 0; i < settings->nr_groups; i++) {
		csv_comma(out);
		csv_append_text(out, text_of(settings->groups[i].word));
	}
	buffer_append_string(out, ",count,per_second,total_ns,self_ns,min_ns,mean_ns");
	for (size_t i = 0; i < settings->nr_permille; i++)
		buffer_printf(out, settings->permille[i] % 10 ? ",p%u.%u_ns" : ",p%u_ns",
			      settings->permille[i] / 10, settings->permille[i] % 10);
	buffer_append_string(out, ",max_ns,suspect,unfinished,foreign,first,last,min,max\n");
}

static void csv_times(struct buffer *out, const struct stat_row *row,
		      const struct sink_stat_settings *settings)
{
	csv_number(out, row->times.total_ns);
	csv_number(out, row->self_ns);
	if (row->times.nr_intervals > 0) {
		csv_number(out, row->times.min_ns);
		csv_number(out, stat_row_mean_ns(row));
		for (size_t i = 0; i < settings->nr_permille; i++)
			csv_number(out, stat_row_quantile(row, settings->permille[i]));
		csv_number(out, row->times.max_ns);
	} else {
		csv_commas(out, 3 + settings->nr_permille);
	}
	csv_number(out, row->nr_suspect);
	csv_number(out, row->nr_unfinished);
	csv_number(out, row->nr_foreign);
}

static void csv_levels(struct buffer *out, const struct levels *levels)
{
	csv_value(out, &levels->first);
	csv_value(out, &levels->last);
	csv_value(out, &levels->min);
	csv_value(out, &levels->max);
}

/* Of a counter, the group is the track's label: it is in the first column of a key. */
static void csv_keys(struct buffer *out, const struct stat_row *row,
		     const struct sink_stat_settings *settings)
{
	for (size_t i = 0; i < settings->nr_groups; i++) {
		csv_comma(out);
		if (row->kind != STAT_COUNTER)
			csv_append_text(out, stat_row_key(row, settings, i));
		else if (i == 0)
			csv_append_text(out, buffer_text(&row->group));
	}
}

static const char *const kinds[] = {
	[STAT_SLICES] = "slice",
	[STAT_COUNTER] = "counter",
	[STAT_INSTANTS] = "instant",
};
_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == STAT_KIND_COUNT, "a name for each");

static uint64_t csv_count(const struct stat_row *row)
{
	if (row->kind == STAT_COUNTER)
		return row->levels.nr_samples;
	return row->kind == STAT_SLICES ? row->times.nr_intervals : row->count;
}

static void csv_row_append(struct buffer *out, const struct stat_sink *sink,
			   const struct stat_row *row)
{
	const struct sink_stat_settings *settings = &sink->settings;
	size_t nr_times = 8 + settings->nr_permille;

	buffer_append_string(out, kinds[row->kind]);
	csv_comma(out);
	csv_append_text(out, text_of(row->category->text));
	csv_keys(out, row, settings);
	csv_number(out, csv_count(row));
	csv_comma(out);
	if (row->kind != STAT_COUNTER)
		buffer_printf(out, "%.6g", stat_row_rate(sink, row));
	if (row->kind == STAT_SLICES)
		csv_times(out, row, settings);
	else
		csv_commas(out, nr_times);
	if (row->kind == STAT_COUNTER)
		csv_levels(out, &row->levels);
	else
		csv_commas(out, 4);
	buffer_append_char(out, '\n');
}

int stat_print_csv(struct stat_sink *sink)
{
	csv_header(&sink->file.out, &sink->settings);
	for (int kind = 0; kind < STAT_KIND_COUNT; kind++) {
		size_t nr_rows, nr_more;
		const struct stat_row **rows = stat_rows_choose(sink, kind, &nr_rows, &nr_more);

		if (!rows)
			return -1;
		for (size_t i = 0; i < nr_rows; i++)
			csv_row_append(&sink->file.out, sink, rows[i]);
		free(rows);
	}
	return 0;
}
