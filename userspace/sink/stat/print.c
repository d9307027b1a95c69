// SPDX-License-Identifier: GPL-2.0-only
/* Statistics as human-readable tables, comma-separated values, and JSON. */
#include <stdio.h>
#include <stdlib.h>

#include "sink/text.h"
#include "sink/stat/state.h"

#define HISTOGRAM_CELLS 16

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

static void rows_print(struct stat_sink *sink, const struct stat_row *const *rows, size_t nr_rows,
		       const struct table_style *style)
{
	const struct scale scale = scale_of(rows, nr_rows);
	struct table_column list[STAT_COLUMNS_MAX];
	struct table table = { .columns = list };
	struct stat_columns columns;

	stat_columns_choose(&columns, &sink->settings, STAT_TABLES, rows[0]->kind);
	for (size_t i = 0; i < columns.size; i++) {
		const struct stat_shown *shown = &columns.list[i];
		const struct stat_column *column = shown->column;

		if (column->is_needed && !column->is_needed(&sink->settings, rows, nr_rows))
			continue;
		list[table.nr_columns] = (struct table_column){
			.title = shown->title,
			.is_right = column->unit != UNIT_TEXT && column->unit != UNIT_HISTOGRAM,
			.is_flexible = column->each == STAT_EACH_KEY,
			.rank = column->rank,
		};
		columns.list[table.nr_columns++] = *shown;
	}
	for (size_t i = 0; i < nr_rows; i++) {
		const struct stat_source source = stat_source_of(sink, rows[i]);
		struct buffer *cell = table_add(&table);

		for (size_t k = 0; k < table.nr_columns; k++, cell++) {
			if (columns.list[k].column->unit != UNIT_HISTOGRAM)
				stat_shown_append(&columns.list[k], &source, cell);
			else if (rows[i]->times.nr_intervals > 0)
				append_bars(cell, &rows[i]->quantiles, &scale, style->is_utf8);
		}
	}
	table_append(&table, &sink->file.out, style);
	table_release(&table);
}

static void stat_print_section(struct stat_sink *sink, enum stat_kind kind,
			       const struct table_style *style)
{
	struct buffer *out = &sink->file.out;
	size_t nr_rows, nr_more;
	const struct stat_row **rows = stat_rows_choose(sink, kind, &nr_rows, &nr_more);

	if (nr_rows + nr_more > 0) {
		if (nr_rows > 0)
			rows_print(sink, rows, nr_rows, style);
		if (nr_more > 0)
			buffer_printf(out, "%s%zu more row%s of %ss%s\n", nr_rows > 0 ? "and " : "",
				      nr_more, nr_more == 1 ? "" : "s", stat_kind_name(kind),
				      sink->settings.is_brief ? ": --all" : "");
		buffer_append_char(out, '\n');
	}
	free(rows);
}

#define BAR_WIDTH 40

static const struct table_column histogram_columns[] = {
	{ "FROM", .is_right = true },
	{ "BELOW", .is_right = true },
	{ "COUNT", .is_right = true },
	{ "SHARE", .is_right = true },
	{ "BAR" },
};

/* A count that is not 0 is visible. */
static void bar_append(struct buffer *out, uint64_t count, uint64_t highest)
{
	double share = (double)count / (double)highest * BAR_WIDTH;

	for (unsigned int i = 0; i < (count > 0 && share < 1 ? 1 : (unsigned int)share); i++)
		buffer_append_char(out, '#');
}

void stat_histogram_append(struct buffer *out, const struct quantiles *quantiles,
			   const struct table_style *style)
{
	struct table table = { .columns = histogram_columns,
			       .nr_columns = sizeof(histogram_columns) /
					     sizeof(histogram_columns[0]) };
	unsigned int last = quantiles->octaves[quantiles->nr_octaves - 1].number;
	uint64_t highest = 1;

	for (size_t i = 0; i < quantiles->nr_octaves; i++) {
		uint64_t count = quantiles_octave(quantiles, quantiles->octaves[i].number);

		highest = count > highest ? count : highest;
	}
	for (unsigned int number = quantiles->octaves[0].number; number <= last; number++) {
		uint64_t count = quantiles_octave(quantiles, number);
		struct buffer *cell = table_add(&table);

		buffer_append_duration(cell++, (int64_t)quantile_octave_begin(number));
		buffer_append_duration(cell++, (int64_t)quantile_octave_begin(number + 1));
		buffer_append_unsigned(cell++, count);
		buffer_printf(cell++, "%.1f%%", 100.0 * (double)count / (double)quantiles->count);
		bar_append(cell, count, highest);
	}
	table_append(&table, out, style);
	table_release(&table);
}

static void stat_print_histograms(struct stat_sink *sink)
{
	const struct table_style style = { .has_colour = sink->settings.has_colour,
					   .is_utf8 = sink->settings.is_utf8 };
	struct buffer *out = &sink->file.out;
	size_t nr_rows, nr_more;
	const struct stat_row **rows = stat_rows_choose(sink, STAT_SLICES, &nr_rows, &nr_more);

	for (size_t i = 0; i < nr_rows; i++) {
		const struct stat_row *row = rows[i];

		if (row->quantiles.nr_octaves == 0)
			continue;
		buffer_append_string(out, row->category->text);
		for (size_t group = 0; group < sink->settings.nr_groups; group++) {
			struct text value = stat_row_key(row, &sink->settings, group);

			buffer_append_string(out, value.size > 0 ? " " : "");
			table_append_text(out, value, &style);
		}
		buffer_append_char(out, '\n');
		stat_histogram_append(out, &row->quantiles, &style);
		buffer_append_char(out, '\n');
	}
	free(rows);
}

static const struct table_column slow_columns[] = {
	{ "TIME", .is_right = true },	   { "DURATION", .is_right = true },
	{ "NAME", .is_flexible = true },   { "TRACK", .is_flexible = true },
	{ "FIELDS", .is_flexible = true }, { "TRACEPOINT", .rank = 3 },
};

static void stat_print_slow(struct stat_sink *sink, const struct table_style *style)
{
	struct table table = { .columns = slow_columns,
			       .nr_columns = sizeof(slow_columns) / sizeof(slow_columns[0]) };

	stat_slow_sort(sink);
	for (size_t i = sink->nr_slow; i-- > 0;) {
		const struct stat_slow *slow = &sink->slow[i];
		struct buffer *cell = table_add(&table);

		buffer_append_decimal(cell++, slow->begin_ns - sink->file.start_ns, 9);
		buffer_append_duration(cell++, slow->ns);
		buffer_append(cell++, slow->name.data, slow->name.size);
		buffer_append(cell++, slow->track.data, slow->track.size);
		buffer_append(cell++, slow->fields.data, slow->fields.size);
		buffer_append_string(cell, slow->category->text);
	}
	if (sink->nr_slow > 0) {
		buffer_append_string(&sink->file.out, "Slowest slices\n");
		table_append(&table, &sink->file.out, style);
		buffer_append_char(&sink->file.out, '\n');
	}
	table_release(&table);
}

#define RED "\033[31m"
#define PLAIN "\033[0m"
/* Escape sequences that renew the tables on a terminal. */
#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"

/* Begins or ends a line that warns. */
static void warning_mark(struct stat_sink *sink, bool is_begin)
{
	if (sink->settings.has_colour)
		buffer_append_string(&sink->file.out, is_begin ? RED : PLAIN);
	if (!is_begin)
		buffer_append_char(&sink->file.out, '\n');
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
	warning_mark(sink, true);
	buffer_printf(out, "slices not counted: %llu (%llu suspect by losses, %llu without an end",
		      (unsigned long long)nr_left_out, (unsigned long long)nr_suspect,
		      (unsigned long long)nr_unfinished);
	if (nr_foreign > 0)
		buffer_printf(out, ", %llu where threads end each other's",
			      (unsigned long long)nr_foreign);
	if (nr_suspect + nr_unfinished + nr_foreign > nr_left_out)
		buffer_append_string(out, "; some for several reasons");
	buffer_append_char(out, ')');
	warning_mark(sink, false);
}

static void faults_print(struct stat_sink *sink)
{
	const struct table_style style = { .is_utf8 = sink->settings.is_utf8 };
	struct buffer *text = &sink->file.text;

	for (size_t i = 0; i < fault_limit(&sink->totals); i++) {
		if (!fault_set(text, &sink->totals, sink->file.counts_ticks, i))
			continue;
		warning_mark(sink, true);
		table_append_text(&sink->file.out, buffer_text(text), &style);
		warning_mark(sink, false);
	}
	sink->file.out.failed |= text->failed;
}

static void footer_print(struct stat_sink *sink, bool has_rows)
{
	struct buffer *out = &sink->file.out;

	for (size_t i = 0; i < sink->nr_losses; i++) {
		const struct stat_loss *loss = &sink->losses[i];

		warning_mark(sink, true);
		buffer_printf(out, "cpu %d ", loss->cpu);
		timeline_append_loss(out, loss->nr_records, loss->nr_gaps, loss->nr_unknown);
		warning_mark(sink, false);
	}
	left_out_print(sink);
	faults_print(sink);
	if (sink->nr_beyond > 0) {
		warning_mark(sink, true);
		buffer_printf(out, "%llu events in rows named (other), which combine several rows",
			      (unsigned long long)sink->nr_beyond);
		warning_mark(sink, false);
	}
	buffer_append_duration(out, stat_sink_duration(sink, sink->now_ns));
	if (has_rows)
		buffer_printf(out, " recorded; percentiles are within %.1f %% of the exact values",
			      100 * QUANTILE_ERROR);
	else if (sink->settings.name)
		buffer_printf(out, " recorded; no name matches --name=%s", sink->settings.name);
	else
		buffer_append_string(out, " recorded; no rows");
	if (sink->selection) {
		buffer_append_string(out, "; selection: ");
		buffer_append_printable(out, text_of(sink->selection));
	}
	buffer_append_char(out, '\n');
}

/* On a terminal new tables replace the old ones line by line. */
static void screen_renew(struct stat_sink *sink)
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
	out->failed |= plain.failed;
	buffer_release(&plain);
}

static void tables_print(struct stat_sink *sink)
{
	struct table_style style = {
		.width = sink->settings.width,
		.has_colour = sink->settings.has_colour,
		.is_utf8 = sink->settings.is_utf8,
	};
	size_t begin = sink->file.out.size;
	bool has_rows;

	for (int kind = 0; kind < STAT_KIND_COUNT; kind++)
		stat_print_section(sink, kind, &style);
	has_rows = sink->file.out.size > begin;
	if (sink->settings.has_histograms)
		stat_print_histograms(sink);
	stat_print_slow(sink, &style);
	footer_print(sink, has_rows);
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
static void tables_fit(struct stat_sink *sink)
{
	struct sink_stat_settings *settings = &sink->settings;
	size_t nr_beyond = settings->height > 0 ? lines_beyond(sink) : 0;

	while (nr_beyond > 0 && settings->limit != 1) {
		size_t fewer = (nr_beyond + STAT_KIND_COUNT - 1) / STAT_KIND_COUNT;
		size_t limit = settings->limit > 0 ? settings->limit : settings->height + fewer;

		settings->limit = limit > fewer ? limit - fewer : 1;
		sink->file.out.size = 0;
		tables_print(sink);
		nr_beyond = lines_beyond(sink);
	}
}

void stat_print_table(struct stat_sink *sink)
{
	tables_print(sink);
	tables_fit(sink);
	if (sink->settings.is_screen)
		screen_renew(sink);
	else if (!sink->is_finished)
		buffer_append_char(&sink->file.out, '\n');
}

/* For programs. Levels, which may be beyond what numbers in JSON can be, are texts there. */
static void stat_number_append(struct buffer *out, enum stat_unit unit, const struct value *value)
{
	if (unit == UNIT_RATE || unit == UNIT_SHARE)
		buffer_printf(out, "%.6g", value->floating);
	else
		value_append_text(out, value);
}

/* A row of comma-separated values; without @row the names of the columns. */
static void csv_row_append(struct buffer *out, const struct stat_sink *sink,
			   const struct stat_columns *columns, const struct stat_row *row)
{
	const struct stat_source source = stat_source_of(sink, row);

	for (size_t i = 0; i < columns->size; i++) {
		const struct stat_shown *shown = &columns->list[i];
		struct value value = { 0 };

		buffer_append_string(out, i > 0 ? "," : "");
		if (row && !stat_shown_has_value(shown, row, STAT_CSV))
			continue;
		if (row)
			value = stat_value_get(shown->column, &source, shown->of);
		if (!row)
			csv_append_text(out, text_of(shown->key));
		else if (shown->column->unit == UNIT_TEXT)
			csv_append_text(out, value.text);
		else
			stat_number_append(out, shown->column->unit, &value);
	}
	buffer_append_char(out, '\n');
}

void stat_print_csv(struct stat_sink *sink)
{
	struct stat_columns columns;

	stat_columns_choose(&columns, &sink->settings, STAT_CSV, STAT_KIND_COUNT);
	csv_row_append(&sink->file.out, sink, &columns, NULL);
	for (int kind = 0; kind < STAT_KIND_COUNT; kind++) {
		size_t nr_rows, nr_more;
		const struct stat_row **rows = stat_rows_choose(sink, kind, &nr_rows, &nr_more);

		for (size_t i = 0; i < nr_rows; i++)
			csv_row_append(&sink->file.out, sink, &columns, rows[i]);
		free(rows);
	}
}

/* Statistics as one line of JSON, for programs. */

/* Powers of two with anything in them: [from, count]. */
static void append_histogram(struct buffer *out, const struct quantiles *quantiles)
{
	buffer_append_char(out, '[');
	for (size_t i = 0; i < quantiles->nr_octaves; i++) {
		unsigned int number = quantiles->octaves[i].number;

		buffer_append_string(out, i > 0 ? ",[" : "[");
		buffer_append_unsigned(out, quantile_octave_begin(number));
		buffer_append_char(out, ',');
		buffer_append_unsigned(out, quantiles_octave(quantiles, number));
		buffer_append_char(out, ']');
	}
	buffer_append_char(out, ']');
}

static void append_row(struct buffer *out, const struct stat_sink *sink,
		       const struct stat_columns *columns, const struct stat_row *row)
{
	const struct stat_source source = stat_source_of(sink, row);
	bool first = true;

	buffer_append_char(out, '{');
	for (size_t i = 0; i < columns->size; i++) {
		const struct stat_shown *shown = &columns->list[i];
		enum stat_unit unit = shown->column->unit;
		struct value value;

		if (!stat_shown_has_value(shown, row, STAT_JSON))
			continue;
		json_append_member(out, text_of(shown->key), &first);
		if (unit == UNIT_HISTOGRAM) {
			append_histogram(out, &row->quantiles);
			continue;
		}
		value = stat_value_get(shown->column, &source, shown->of);
		buffer_append_string(out, unit == UNIT_LEVEL ? "\"" : "");
		if (unit == UNIT_TEXT)
			json_append_string(out, value.text);
		else
			stat_number_append(out, unit, &value);
		buffer_append_string(out, unit == UNIT_LEVEL ? "\"" : "");
	}
	buffer_append_char(out, '}');
}

static void append_slow(struct buffer *out, struct stat_sink *sink)
{
	stat_slow_sort(sink);
	buffer_append_string(out, ",\"slowest\":[");
	for (size_t i = sink->nr_slow; i-- > 0;) {
		const struct stat_slow *slow = &sink->slow[i];
		bool first = true;

		buffer_append_string(out, i + 1 < sink->nr_slow ? ",{" : "{");
		json_append_text(out, "tracepoint", text_of(slow->category->text), &first);
		json_append_text(out, "track", buffer_text(&slow->track), &first);
		json_append_text(out, "name", buffer_text(&slow->name), &first);
		json_append_number(out, "begin_ns", slow->begin_ns - sink->file.start_ns, &first);
		json_append_number(out, "ns", slow->ns, &first);
		json_append_text(out, "fields", buffer_text(&slow->fields), &first);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

static void append_rows(struct stat_sink *sink, enum stat_kind kind)
{
	struct buffer *out = &sink->file.out;
	struct stat_columns columns;
	size_t nr_rows, nr_more;
	const struct stat_row **rows = stat_rows_choose(sink, kind, &nr_rows, &nr_more);

	stat_columns_choose(&columns, &sink->settings, STAT_JSON, kind);
	buffer_printf(out, ",\"%ss\":[", stat_kind_name(kind));
	for (size_t i = 0; i < nr_rows; i++) {
		buffer_append_string(out, i > 0 ? "," : "");
		append_row(out, sink, &columns, rows[i]);
	}
	buffer_append_char(out, ']');
	free(rows);
}

static void append_totals(struct buffer *out, const struct timeline_totals *totals)
{
	bool first = true;

	buffer_append_string(out, ",\"totals\":{");
	json_append_number(out, "lost_records", totals->lost_records, &first);
	json_append_number(out, "lost_gaps", totals->lost_gaps, &first);
	json_append_number(out, "lost_gaps_unknown", totals->lost_gaps_unknown, &first);
	json_append_number(out, "lost_task_records", totals->lost_task_records, &first);
	json_append_number(out, "unmatched_ends", totals->unmatched_ends, &first);
	json_append_number(out, "filtered_ends", totals->filtered_ends, &first);
	json_append_number(out, "foreign_ends", totals->foreign_ends, &first);
	json_append_number(out, "late_records", totals->late_records, &first);
	json_append_number(out, "malformed", totals->malformed, &first);
	json_append_number(out, "unfinished", totals->unfinished, &first);
	json_append_number(out, "suspect", totals->suspect, &first);
	json_append_number(out, "retired_tracks", totals->retired_tracks, &first);
	json_append_number(out, "renamed_threads", totals->renamed_threads, &first);
	json_append_number(out, "evicted_slices", totals->evicted_slices, &first);
	json_append_number(out, "other_names", totals->other_names, &first);
	buffer_append_string(out, "},\"malformed_of\":[");
	for (size_t i = 0; i < totals->nr_malformed_of; i++) {
		first = true;
		buffer_append_string(out, i > 0 ? ",{" : "{");
		json_append_text(out, "tracepoint", text_of(totals->malformed_of[i].tracepoint),
				 &first);
		json_append_number(out, "count", totals->malformed_of[i].count, &first);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

void stat_print_json(struct stat_sink *sink)
{
	struct buffer *out = &sink->file.out;
	bool first = true;

	buffer_append_char(out, '{');
	json_append_number(out, "duration_ns", stat_sink_duration(sink, sink->now_ns), &first);
	if (sink->file.counts_ticks)
		json_append_text(out, "time_unit", text_of("ticks"), &first);
	if (sink->selection)
		json_append_text(out, "selection", text_of(sink->selection), &first);
	json_append_member(out, text_of("quantile_error"), &first);
	buffer_printf(out, "%g", QUANTILE_ERROR);
	for (int kind = 0; kind < STAT_KIND_COUNT; kind++)
		append_rows(sink, kind);
	if (sink->settings.slowest > 0)
		append_slow(out, sink);
	buffer_append_string(out, ",\"losses\":[");
	for (size_t i = 0; i < sink->nr_losses; i++) {
		const struct stat_loss *loss = &sink->losses[i];
		bool is_first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		json_append_number(out, "cpu", loss->cpu, &is_first);
		json_append_number(out, "gaps", loss->nr_gaps, &is_first);
		json_append_number(out, "records", loss->nr_records, &is_first);
		json_append_number(out, "gaps_of_unknown_size", loss->nr_unknown, &is_first);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
	if (sink->is_finished)
		append_totals(out, &sink->totals);
	json_append_number(out, "beyond_rows", sink->nr_beyond, &first);
	buffer_append_string(out, "}\n");
}
