// SPDX-License-Identifier: GPL-2.0-only
/* Statistics as human-readable tables. */
#include <stdlib.h>

#include "sink/remark.h"
#include "sink/stat/state.h"
#include "sink/stat/table.h"

#define RED "\033[31m"
#define PLAIN "\033[0m"

/* Escape sequences that renew the tables on a terminal. */
#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"

#define HISTOGRAM_CELLS 16

static const struct table_column slice_columns[] = {
	{ "TRACK", .is_flexible = true },
	{ "NAME", .is_flexible = true },
	{ "COUNT", .is_right = true },
	{ "TOTAL", .is_right = true },
	{ "MIN", .is_right = true, .rank = 1 },
	{ "MEAN", .is_right = true, .rank = 1 },
	{ "P50", .is_right = true },
	{ "P99", .is_right = true },
	{ "MAX", .is_right = true },
	{ "HISTOGRAM", .rank = 2 },
	{ "TRACEPOINT", .rank = 3 },
};

#define COUNTER_COLUMNS(label)                                                       \
	{                                                                            \
		{ label, .is_flexible = true }, { "SAMPLES", .is_right = true },     \
			{ "FIRST", .is_right = true }, { "LAST", .is_right = true }, \
			{ "MIN", .is_right = true }, { "MAX", .is_right = true },    \
			{ "TRACEPOINT", .rank = 3 },                                 \
	}

static const struct table_column counter_columns[] = COUNTER_COLUMNS("TRACK");
static const struct table_column counter_name_columns[] = COUNTER_COLUMNS("NAME");

static const struct table_column instant_columns[] = {
	{ "TRACK", .is_flexible = true },
	{ "NAME", .is_flexible = true },
	{ "COUNT", .is_right = true },
	{ "TRACEPOINT", .rank = 3 },
};

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
			       (double)(highest | !highest);
		unsigned int height = share > 0 ? 1 + (unsigned int)(share * 7) : 0;

		buffer_append_string(out, is_utf8 ? blocks[height] : letters[height]);
	}
}

static void fill_slices(struct buffer *cell, const struct stat_row *row, const struct scale *scale,
			const struct sink_stat_settings *settings)
{
	const struct intervals *times = &row->times;

	buffer_append(cell, row->track.data, row->track.size);
	cell++;
	buffer_append(cell, stat_row_name(row).data, stat_row_name(row).size);
	cell++;
	buffer_append_unsigned(cell++, times->nr_intervals);
	if (times->nr_intervals > 0) {
		buffer_append_duration(cell++, times->total_ns);
		buffer_append_duration(cell++, times->min_ns);
		buffer_append_duration(cell++, stat_row_mean_ns(row));
		buffer_append_duration(cell++, stat_row_quantile(row, 500));
		buffer_append_duration(cell++, stat_row_quantile(row, 990));
		buffer_append_duration(cell++, times->max_ns);
		append_bars(cell++, &row->quantiles, scale, settings->is_utf8);
	} else {
		cell += 7;
	}
	buffer_append_string(cell, row->category->text);
}

static void fill_counter(struct buffer *cell, const struct stat_row *row, const struct scale *scale,
			 const struct sink_stat_settings *settings)
{
	const struct levels *levels = &row->levels;

	(void)scale;
	(void)settings;
	buffer_append(cell, row->track.data, row->track.size);
	cell++;
	buffer_append_unsigned(cell++, levels->nr_samples);
	value_append_text(cell++, &levels->first);
	value_append_text(cell++, &levels->last);
	value_append_text(cell++, &levels->min);
	value_append_text(cell++, &levels->max);
	buffer_append_string(cell, row->category->text);
}

static void fill_instants(struct buffer *cell, const struct stat_row *row,
			  const struct scale *scale, const struct sink_stat_settings *settings)
{
	(void)scale;
	(void)settings;
	buffer_append(cell, row->track.data, row->track.size);
	cell++;
	buffer_append(cell, stat_row_name(row).data, stat_row_name(row).size);
	cell++;
	buffer_append_unsigned(cell++, row->count);
	buffer_append_string(cell, row->category->text);
}

/**
 * struct section - the table of one kind of rows
 * @name_columns: with --by-name
 */
struct section {
	const char *what;
	const struct table_column *columns;
	const struct table_column *name_columns;
	size_t nr_columns;
	void (*fill)(struct buffer *cell, const struct stat_row *row, const struct scale *scale,
		     const struct sink_stat_settings *settings);
};

#define COLUMNS(columns, name_columns) columns, name_columns, sizeof(columns) / sizeof(columns[0])

static const struct section sections[] = {
	[STAT_SLICES] = { "slices", COLUMNS(slice_columns, slice_columns), fill_slices },
	[STAT_COUNTER] = { "counters", COLUMNS(counter_columns, counter_name_columns),
			   fill_counter },
	[STAT_INSTANTS] = { "instants", COLUMNS(instant_columns, instant_columns), fill_instants },
};
_Static_assert(sizeof(sections) / sizeof(sections[0]) == STAT_KIND_COUNT, "one for each");

static int rows_print(struct stat_sink *sink, const struct section *section,
		      const struct stat_row *const *rows, size_t nr_rows,
		      const struct table_style *style)
{
	bool is_by_name = sink->settings.is_by_name;
	struct table table = { .columns = is_by_name ? section->name_columns : section->columns,
			       .nr_columns = section->nr_columns };
	struct scale scale = scale_of(rows, nr_rows);
	int status = 0;

	for (size_t i = 0; i < nr_rows && status == 0; i++) {
		struct buffer *cells = table_add(&table);

		if (cells)
			section->fill(cells, rows[i], &scale, &sink->settings);
		else
			status = -1;
	}
	table_append(&table, &sink->file.out, style);
	table_release(&table);
	return status;
}

static int section_print(struct stat_sink *sink, enum stat_kind kind,
			 const struct table_style *style)
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

static void warning_begin(struct stat_sink *sink)
{
	buffer_append_string(&sink->file.out, sink->settings.has_colour ? RED : "");
}

static void warning_end(struct stat_sink *sink)
{
	buffer_append_string(&sink->file.out, sink->settings.has_colour ? PLAIN "\n" : "\n");
}

static void stat_loss_print(struct stat_sink *sink, const struct stat_loss *loss)
{
	struct buffer *out = &sink->file.out;

	warning_begin(sink);
	buffer_printf(out, "cpu %d ", loss->cpu);
	timeline_append_loss(out, loss->nr_records, loss->nr_gaps, loss->nr_unknown);
	warning_end(sink);
}

static void left_out_print(struct stat_sink *sink)
{
	uint64_t nr_left_out = 0, nr_suspect = 0, nr_unfinished = 0, nr_foreign = 0;
	struct buffer *out = &sink->file.out;

	for (size_t i = 0; i < sink->nr_rows; i++) {
		nr_left_out += sink->rows[i]->nr_left_out;
		nr_suspect += sink->rows[i]->nr_suspect;
		nr_unfinished += sink->rows[i]->nr_unfinished;
		nr_foreign += sink->rows[i]->nr_foreign;
	}
	if (nr_left_out == 0)
		return;
	warning_begin(sink);
	buffer_printf(out, "slices not counted: %llu (%llu suspect by losses, %llu without an end",
		      (unsigned long long)nr_left_out, (unsigned long long)nr_suspect,
		      (unsigned long long)nr_unfinished);
	if (nr_foreign > 0)
		buffer_printf(out, ", %llu where threads end each other's",
			      (unsigned long long)nr_foreign);
	buffer_append_char(out, ')');
	warning_end(sink);
}

static int faults_print(struct stat_sink *sink)
{
	const struct table_style style = { .is_utf8 = sink->settings.is_utf8 };
	struct buffer *text = &sink->file.text;

	for (size_t i = 0; i < fault_limit(&sink->totals); i++) {
		if (!fault_set(text, &sink->totals, sink->file.counts_ticks, i))
			continue;
		warning_begin(sink);
		table_append_text(&sink->file.out, buffer_text(text), &style);
		warning_end(sink);
	}
	return text->failed ? -1 : 0;
}

static void total_print(struct stat_sink *sink, uint64_t count, const char *what)
{
	if (count == 0)
		return;
	warning_begin(sink);
	buffer_printf(&sink->file.out, "%llu %s", (unsigned long long)count, what);
	warning_end(sink);
}

static int footer_print(struct stat_sink *sink)
{
	struct buffer *out = &sink->file.out;

	for (size_t i = 0; i < sink->nr_losses; i++)
		stat_loss_print(sink, &sink->losses[i]);
	left_out_print(sink);
	if (faults_print(sink) < 0)
		return -1;
	total_print(sink, sink->nr_beyond,
		    "events in rows named (other), which combine several rows");
	buffer_append_duration(out, sink->now_ns - sink->file.start_ns);
	buffer_printf(out, " recorded; P50 and P99 are within %.1f %% of the exact values\n",
		      100 * QUANTILE_ERROR);
	return 0;
}

/* On a terminal new tables replace the old ones line by line. */
static int screen_renew(struct stat_sink *sink)
{
	struct buffer *out = &sink->file.out;
	struct buffer plain = *out;

	*out = (struct buffer){ 0 };
	buffer_append_string(out, HOME);
	for (size_t i = 0; i < plain.size; i++) {
		if (plain.data[i] == '\n')
			buffer_append_string(out, CLEAR_LINE);
		buffer_append_char(out, plain.data[i]);
	}
	buffer_append_string(out, CLEAR_BELOW);
	buffer_release(&plain);
	return 0;
}

static int tables_print(struct stat_sink *sink)
{
	struct table_style style = {
		.width = sink->settings.width,
		.has_colour = sink->settings.has_colour,
		.is_utf8 = sink->settings.is_utf8,
	};

	for (int kind = 0; kind < STAT_KIND_COUNT; kind++) {
		if (section_print(sink, kind, &style) < 0)
			return -1;
	}
	return footer_print(sink);
}

/* The number of lines that exceed the screen; the cursor needs the last line. */
static size_t lines_beyond(const struct stat_sink *sink)
{
	struct text text = buffer_text(&sink->file.out);
	size_t nr_lines = 1;

	for (size_t i = 0; i < text.size; i++)
		nr_lines += text.data[i] == '\n';
	return nr_lines > sink->settings.height ? nr_lines - sink->settings.height : 0;
}

/* Shortens tables until the screen need not scroll, or each has one row. */
static int tables_fit(struct stat_sink *sink)
{
	struct sink_stat_settings *settings = &sink->settings;
	size_t nr_beyond = settings->height > 0 ? lines_beyond(sink) : 0;

	while (nr_beyond > 0 && settings->limit != 1) {
		size_t fewer = (nr_beyond + STAT_KIND_COUNT - 1) / STAT_KIND_COUNT;
		size_t limit = settings->limit > 0 ? settings->limit : settings->height + fewer;

		settings->limit = limit > fewer ? limit - fewer : 1;
		buffer_clear(&sink->file.out);
		if (tables_print(sink) < 0)
			return -1;
		nr_beyond = lines_beyond(sink);
	}
	return 0;
}

int stat_print_table(struct stat_sink *sink)
{
	if (tables_print(sink) < 0 || tables_fit(sink) < 0)
		return -1;
	if (sink->settings.is_screen)
		return screen_renew(sink);
	if (!sink->is_finished)
		buffer_append_char(&sink->file.out, '\n');
	return 0;
}
