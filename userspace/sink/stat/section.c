// SPDX-License-Identifier: GPL-2.0-only
/* The columns and cells of tables of statistics. */
#include <stdio.h>
#include <stdlib.h>

#include "sink/stat/state.h"

#define HISTOGRAM_CELLS 16

/**
 * struct columns - the columns of a table
 * @titles: of percentiles
 * @has_self: a row has time in inner slices
 */
struct columns {
	struct table_column list[TABLE_COLUMNS_MAX];
	size_t size;
	char titles[STAT_PERCENTILES_MAX][8];
	bool has_self;
};

static void column_add(struct columns *columns, struct table_column column)
{
	columns->list[columns->size++] = column;
}

static void number_add(struct columns *columns, const char *title, unsigned int rank)
{
	column_add(columns, (struct table_column){ title, .is_right = true, .rank = rank });
}

static const char *const key_titles[] = {
	[STAT_KEY_TRACK] = "TRACK", [STAT_KEY_NAME] = "NAME", [STAT_KEY_PID] = "PID",
	[STAT_KEY_COMM] = "COMM",   [STAT_KEY_CPU] = "CPU",   [STAT_KEY_FIELD] = NULL,
};
_Static_assert(sizeof(key_titles) / sizeof(key_titles[0]) == STAT_KEY_COUNT, "a title for each");

const char *stat_group_title(const struct stat_group *group)
{
	return group->field ? group->field : key_titles[group->key];
}

static void key_columns_add(struct columns *columns, const struct sink_stat_settings *settings)
{
	for (size_t i = 0; i < settings->nr_groups; i++) {
		const char *title = stat_group_title(&settings->groups[i]);

		column_add(columns, (struct table_column){ title, .is_flexible = true });
	}
}

static void percentiles_add(struct columns *columns, const struct sink_stat_settings *settings)
{
	for (size_t i = 0; i < settings->nr_permille; i++) {
		unsigned int permille = settings->permille[i];

		snprintf(columns->titles[i], sizeof(columns->titles[i]),
			 permille % 10 ? "P%u.%u" : "P%u", permille / 10 % 1000, permille % 10);
		number_add(columns, columns->titles[i], 0);
	}
}

static void slice_columns(struct columns *columns, const struct sink_stat_settings *settings)
{
	key_columns_add(columns, settings);
	number_add(columns, "COUNT", 0);
	number_add(columns, "RATE", 3);
	number_add(columns, "TOTAL", 0);
	if (columns->has_self)
		number_add(columns, "SELF", 1);
	number_add(columns, "MIN", 1);
	number_add(columns, "MEAN", 1);
	percentiles_add(columns, settings);
	number_add(columns, "MAX", 0);
	column_add(columns, (struct table_column){ "HISTOGRAM", .rank = 3 });
	column_add(columns, (struct table_column){ "TRACEPOINT", .rank = 2 });
}

static void counter_columns(struct columns *columns, const struct sink_stat_settings *settings)
{
	bool has_track = stat_has_key(settings, STAT_KEY_TRACK);

	column_add(columns,
		   (struct table_column){ has_track ? "TRACK" : "NAME", .is_flexible = true });
	number_add(columns, "SAMPLES", 0);
	number_add(columns, "FIRST", 0);
	number_add(columns, "LAST", 0);
	number_add(columns, "MIN", 0);
	number_add(columns, "MAX", 0);
	column_add(columns, (struct table_column){ "TRACEPOINT", .rank = 3 });
}

static void instant_columns(struct columns *columns, const struct sink_stat_settings *settings)
{
	key_columns_add(columns, settings);
	number_add(columns, "COUNT", 0);
	number_add(columns, "RATE", 3);
	column_add(columns, (struct table_column){ "TRACEPOINT", .rank = 3 });
}

/** struct scale - the powers of two that the histograms of a table span */
struct scale {
	unsigned int first;
	unsigned int last;
	unsigned int step;
};

static struct scale scale_of(const struct stat_row *const *rows, size_t nr_rows)
{
	struct scale scale = { .first = QUANTILE_OCTAVES, .last = 0 };

	for (size_t i = 0; i < nr_rows; i++) {
		const struct quantiles *quantiles = &rows[i]->quantiles;

		if (quantiles->nr_octaves == 0)
			continue;
		if (quantiles->octaves[0].number < scale.first)
			scale.first = quantiles->octaves[0].number;
		if (quantiles->octaves[quantiles->nr_octaves - 1].number > scale.last)
			scale.last = quantiles->octaves[quantiles->nr_octaves - 1].number;
	}
	if (scale.first > scale.last)
		scale.first = scale.last;
	scale.step = (scale.last - scale.first) / HISTOGRAM_CELLS + 1;
	return scale;
}

static uint64_t cell_count(const struct quantiles *quantiles, const struct scale *scale,
			   unsigned int octave)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i < scale->step; i++)
		count += quantiles_octave(quantiles, octave + i);
	return count;
}

/* A bar for each power of two, relative to the highest one. */
static void append_bars(struct buffer *out, const struct quantiles *quantiles,
			const struct scale *scale, bool is_utf8)
{
	static const char *const blocks[] = { " ",	"\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const letters[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	uint64_t highest = 0;

	for (unsigned int o = scale->first; o <= scale->last; o += scale->step) {
		uint64_t count = cell_count(quantiles, scale, o);

		highest = count > highest ? count : highest;
	}
	for (unsigned int o = scale->first; o <= scale->last; o += scale->step) {
		double share = (double)cell_count(quantiles, scale, o) /
			       (double)(highest ? highest : 1);
		unsigned int height = share > 0 ? 1 + (unsigned int)(share * 7) : 0;

		buffer_append_string(out, is_utf8 ? blocks[height] : letters[height]);
	}
}

/** struct filling - what the cells of a row are made of */
struct filling {
	const struct stat_sink *sink;
	const struct columns *columns;
	struct scale scale;
};

static void rate_append(struct buffer *out, double per_second)
{
	static const char *const units[] = { "", "k", "M", "G" };
	size_t unit = 0;

	while (per_second >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		per_second /= 1000;
		unit++;
	}
	buffer_printf(out, "%.3g%s/s", per_second, units[unit]);
}

static struct buffer *fill_keys(struct buffer *cell, const struct stat_row *row,
				const struct sink_stat_settings *settings)
{
	for (size_t i = 0; i < settings->nr_groups; i++) {
		struct text value = stat_row_key(row, settings, i);

		buffer_append(cell++, value.data, value.size);
	}
	return cell;
}

static struct buffer *fill_times(struct buffer *cell, const struct stat_row *row,
				 const struct filling *filling)
{
	const struct sink_stat_settings *settings = &filling->sink->settings;

	buffer_append_duration(cell++, row->times.total_ns);
	if (filling->columns->has_self)
		buffer_append_duration(cell++, row->self_ns);
	buffer_append_duration(cell++, row->times.min_ns);
	buffer_append_duration(cell++, stat_row_mean_ns(row));
	for (size_t i = 0; i < settings->nr_permille; i++)
		buffer_append_duration(cell++, stat_row_quantile(row, settings->permille[i]));
	buffer_append_duration(cell++, row->times.max_ns);
	append_bars(cell++, &row->quantiles, &filling->scale, settings->is_utf8);
	return cell;
}

static void fill_slices(struct buffer *cell, const struct stat_row *row,
			const struct filling *filling)
{
	struct buffer *last = cell + filling->columns->size - 1;

	cell = fill_keys(cell, row, &filling->sink->settings);
	buffer_append_unsigned(cell++, row->times.nr_intervals);
	if (row->times.nr_intervals > 0) {
		rate_append(cell++, stat_row_rate(filling->sink, row));
		fill_times(cell, row, filling);
	}
	buffer_append_string(last, row->category->text);
}

/* Of a counter, the group is the track's label. */
static void fill_counter(struct buffer *cell, const struct stat_row *row,
			 const struct filling *filling)
{
	const struct levels *levels = &row->levels;

	(void)filling;
	buffer_append(cell, row->group.data, row->group.size);
	cell++;
	buffer_append_unsigned(cell++, levels->nr_samples);
	value_append_text(cell++, &levels->first);
	value_append_text(cell++, &levels->last);
	value_append_text(cell++, &levels->min);
	value_append_text(cell++, &levels->max);
	buffer_append_string(cell, row->category->text);
}

static void fill_instants(struct buffer *cell, const struct stat_row *row,
			  const struct filling *filling)
{
	cell = fill_keys(cell, row, &filling->sink->settings);
	buffer_append_unsigned(cell++, row->count);
	rate_append(cell++, stat_row_rate(filling->sink, row));
	buffer_append_string(cell, row->category->text);
}

/** struct section - the table of one kind of rows */
struct section {
	const char *what;
	void (*columns)(struct columns *columns, const struct sink_stat_settings *settings);
	void (*fill)(struct buffer *cell, const struct stat_row *row,
		     const struct filling *filling);
};

static const struct section sections[] = {
	[STAT_SLICES] = { "slices", slice_columns, fill_slices },
	[STAT_COUNTER] = { "counters", counter_columns, fill_counter },
	[STAT_INSTANTS] = { "instants", instant_columns, fill_instants },
};
_Static_assert(sizeof(sections) / sizeof(sections[0]) == STAT_KIND_COUNT, "one for each");

static bool rows_have_self(const struct stat_row *const *rows, size_t nr_rows)
{
	for (size_t i = 0; i < nr_rows; i++) {
		if (rows[i]->self_ns != rows[i]->times.total_ns)
			return true;
	}
	return false;
}

static int rows_print(struct stat_sink *sink, const struct section *section,
		      const struct stat_row *const *rows, size_t nr_rows,
		      const struct table_style *style)
{
	struct columns columns = { .has_self = rows_have_self(rows, nr_rows) };
	const struct filling filling = { sink, &columns, scale_of(rows, nr_rows) };
	struct table table = { .columns = columns.list };
	int status = 0;

	section->columns(&columns, &sink->settings);
	table.nr_columns = columns.size;
	for (size_t i = 0; i < nr_rows && status == 0; i++) {
		struct buffer *cells = table_add(&table);

		if (cells)
			section->fill(cells, rows[i], &filling);
		else
			status = -1;
	}
	table_append(&table, &sink->file.out, style);
	table_release(&table);
	return status;
}

int stat_print_section(struct stat_sink *sink, enum stat_kind kind, const struct table_style *style)
{
	struct buffer *out = &sink->file.out;
	size_t nr_rows, nr_more;
	const struct stat_row **rows = stat_rows_choose(sink, kind, &nr_rows, &nr_more);
	int status = 0;

	if (!rows)
		return -1;
	if (nr_rows > 0) {
		status = rows_print(sink, &sections[kind], rows, nr_rows, style);
		if (nr_more > 0)
			buffer_printf(out, "and %zu more row%s of %s\n", nr_more,
				      nr_more == 1 ? "" : "s", sections[kind].what);
		buffer_append_char(out, '\n');
	}
	free(rows);
	return status;
}
