// SPDX-License-Identifier: GPL-2.0-only
/* Statistics as one line of JSON, for programs. */
#include <stdio.h>
#include <stdlib.h>

#include "sink/stat/state.h"

static void member_text(struct buffer *out, const char *name, struct text text, bool *first)
{
	json_append_member(out, text_of(name), first);
	json_append_string(out, text);
}

static void member_number(struct buffer *out, const char *name, int64_t number, bool *first)
{
	json_append_member(out, text_of(name), first);
	buffer_append_signed(out, number);
}

static void member_value(struct buffer *out, const char *name, const struct value *value,
			 bool *first)
{
	json_append_member(out, text_of(name), first);
	buffer_append_char(out, '"');
	value_append_text(out, value);
	buffer_append_char(out, '"');
}

/* Powers of two with anything in them: [from, count]. */
static void append_histogram(struct buffer *out, const struct quantiles *quantiles)
{
	for (size_t i = 0; i < quantiles->nr_octaves; i++) {
		unsigned int number = quantiles->octaves[i].number;

		buffer_append_string(out, i > 0 ? ",[" : "[");
		buffer_append_unsigned(out, quantile_octave_begin(number));
		buffer_append_char(out, ',');
		buffer_append_unsigned(out, quantiles_octave(quantiles, number));
		buffer_append_char(out, ']');
	}
}

static void append_percentiles(struct buffer *out, const struct stat_row *row,
			       const struct sink_stat_settings *settings, bool *first)
{
	for (size_t i = 0; i < settings->nr_permille; i++) {
		unsigned int permille = settings->permille[i];
		char name[16];

		snprintf(name, sizeof(name), permille % 10 ? "p%u.%u_ns" : "p%u_ns", permille / 10,
			 permille % 10);
		member_number(out, name, stat_row_quantile(row, permille), first);
	}
}

static void append_rate(struct buffer *out, const struct stat_sink *sink,
			const struct stat_row *row, bool *first)
{
	json_append_member(out, text_of("per_second"), first);
	buffer_printf(out, "%.6g", stat_row_rate(sink, row));
}

static void append_slices(struct buffer *out, const struct stat_sink *sink,
			  const struct stat_row *row, bool *first)
{
	const struct intervals *times = &row->times;

	member_number(out, "count", times->nr_intervals, first);
	member_number(out, "total_ns", times->total_ns, first);
	member_number(out, "self_ns", row->self_ns, first);
	if (times->nr_intervals > 0) {
		member_number(out, "min_ns", times->min_ns, first);
		member_number(out, "mean_ns", stat_row_mean_ns(row), first);
		append_percentiles(out, row, &sink->settings, first);
		member_number(out, "max_ns", times->max_ns, first);
	}
	append_rate(out, sink, row, first);
	member_number(out, "suspect", row->nr_suspect, first);
	member_number(out, "unfinished", row->nr_unfinished, first);
	member_number(out, "foreign", row->nr_foreign, first);
	json_append_member(out, text_of("histogram"), first);
	buffer_append_char(out, '[');
	append_histogram(out, &row->quantiles);
	buffer_append_char(out, ']');
}

static void append_counter(struct buffer *out, const struct stat_sink *sink,
			   const struct stat_row *row, bool *first)
{
	(void)sink;
	member_number(out, "samples", row->levels.nr_samples, first);
	member_value(out, "first", &row->levels.first, first);
	member_value(out, "last", &row->levels.last, first);
	member_value(out, "min", &row->levels.min, first);
	member_value(out, "max", &row->levels.max, first);
}

static void append_instants(struct buffer *out, const struct stat_sink *sink,
			    const struct stat_row *row, bool *first)
{
	member_number(out, "count", row->count, first);
	append_rate(out, sink, row, first);
}

static void (*const appenders[])(struct buffer *out, const struct stat_sink *sink,
				 const struct stat_row *row, bool *first) = {
	[STAT_SLICES] = append_slices,
	[STAT_COUNTER] = append_counter,
	[STAT_INSTANTS] = append_instants,
};
_Static_assert(sizeof(appenders) / sizeof(appenders[0]) == STAT_KIND_COUNT, "one for each");

static const char *const kind_names[] = {
	[STAT_SLICES] = "slices",
	[STAT_COUNTER] = "counters",
	[STAT_INSTANTS] = "instants",
};
_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == STAT_KIND_COUNT, "a name for each");

static void append_keys(struct buffer *out, const struct stat_row *row,
			const struct sink_stat_settings *settings, bool *first)
{
	for (size_t i = 0; i < settings->nr_groups; i++)
		member_text(out, settings->groups[i].word, stat_row_key(row, settings, i), first);
}

/* Of a counter, the group is the track's label. */
static void append_row(struct buffer *out, const struct stat_sink *sink, const struct stat_row *row)
{
	const struct sink_stat_settings *settings = &sink->settings;
	bool first = true;

	buffer_append_char(out, '{');
	member_text(out, "tracepoint", text_of(row->category->text), &first);
	if (row->kind == STAT_COUNTER)
		member_text(out, stat_has_key(settings, STAT_KEY_TRACK) ? "track" : "name",
			    buffer_text(&row->group), &first);
	else
		append_keys(out, row, settings, &first);
	appenders[row->kind](out, sink, row, &first);
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
		member_text(out, "tracepoint", text_of(slow->category->text), &first);
		member_text(out, "track", buffer_text(&slow->track), &first);
		member_text(out, "name", buffer_text(&slow->name), &first);
		member_number(out, "begin_ns", slow->begin_ns - sink->file.start_ns, &first);
		member_number(out, "ns", slow->ns, &first);
		member_text(out, "fields", buffer_text(&slow->fields), &first);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

static int append_rows(struct stat_sink *sink, enum stat_kind kind)
{
	struct buffer *out = &sink->file.out;
	size_t nr_rows, nr_more;
	const struct stat_row **rows = stat_rows_choose(sink, kind, &nr_rows, &nr_more);

	if (!rows)
		return -1;
	buffer_printf(out, ",\"%s\":[", kind_names[kind]);
	for (size_t i = 0; i < nr_rows; i++) {
		buffer_append_string(out, i > 0 ? "," : "");
		append_row(out, sink, rows[i]);
	}
	buffer_append_char(out, ']');
	free(rows);
	return 0;
}

static void append_losses(struct buffer *out, const struct stat_sink *sink)
{
	buffer_append_string(out, ",\"losses\":[");
	for (size_t i = 0; i < sink->nr_losses; i++) {
		const struct stat_loss *loss = &sink->losses[i];
		bool first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		member_number(out, "cpu", loss->cpu, &first);
		member_number(out, "gaps", loss->nr_gaps, &first);
		member_number(out, "records", loss->nr_records, &first);
		member_number(out, "gaps_of_unknown_size", loss->nr_unknown, &first);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

static void append_totals(struct buffer *out, const struct timeline_totals *totals)
{
	bool first = true;

	buffer_append_string(out, ",\"totals\":{");
	member_number(out, "lost_records", totals->lost_records, &first);
	member_number(out, "lost_gaps", totals->lost_gaps, &first);
	member_number(out, "lost_gaps_unknown", totals->lost_gaps_unknown, &first);
	member_number(out, "lost_task_records", totals->lost_task_records, &first);
	member_number(out, "unmatched_ends", totals->unmatched_ends, &first);
	member_number(out, "filtered_ends", totals->filtered_ends, &first);
	member_number(out, "foreign_ends", totals->foreign_ends, &first);
	member_number(out, "late_records", totals->late_records, &first);
	member_number(out, "malformed", totals->malformed, &first);
	member_number(out, "unfinished", totals->unfinished, &first);
	member_number(out, "suspect", totals->suspect, &first);
	member_number(out, "retired_tracks", totals->retired_tracks, &first);
	member_number(out, "renamed_threads", totals->renamed_threads, &first);
	member_number(out, "evicted_slices", totals->evicted_slices, &first);
	member_number(out, "other_names", totals->other_names, &first);
	buffer_append_string(out, "},\"malformed_of\":[");
	for (size_t i = 0; i < totals->nr_malformed_of; i++) {
		first = true;
		buffer_append_string(out, i > 0 ? ",{" : "{");
		member_text(out, "tracepoint", text_of(totals->malformed_of[i].tracepoint), &first);
		member_number(out, "count", totals->malformed_of[i].count, &first);
		buffer_append_char(out, '}');
	}
	buffer_append_char(out, ']');
}

int stat_print_json(struct stat_sink *sink)
{
	struct buffer *out = &sink->file.out;
	bool first = true;

	buffer_append_char(out, '{');
	member_number(out, "duration_ns", sink->now_ns - sink->file.start_ns, &first);
	if (sink->file.counts_ticks)
		member_text(out, "time_unit", text_of("ticks"), &first);
	json_append_member(out, text_of("quantile_error"), &first);
	buffer_printf(out, "%g", QUANTILE_ERROR);
	for (int kind = 0; kind < STAT_KIND_COUNT; kind++) {
		if (append_rows(sink, kind) < 0)
			return -1;
	}
	if (sink->settings.slowest > 0)
		append_slow(out, sink);
	append_losses(out, sink);
	if (sink->is_finished)
		append_totals(out, &sink->totals);
	member_number(out, "beyond_rows", sink->nr_beyond, &first);
	buffer_append_string(out, "}\n");
	return 0;
}
