// SPDX-License-Identifier: GPL-2.0-only
/* Everything about one row: its texts, counts, percentiles and histogram. */
#include "sink/top/top.h"

static const struct table_column detail_columns[] = { { "WHAT" }, { "VALUE" } };

static struct buffer *detail_add(struct table *table, const char *what)
{
	struct buffer *cell = table_add(table);

	if (!cell)
		return NULL;
	buffer_append_string(cell, what);
	return cell + 1;
}

static int detail_add_count(struct table *table, const char *what, uint64_t count)
{
	struct buffer *cell = count > 0 ? detail_add(table, what) : NULL;

	if (cell)
		buffer_append_unsigned(cell, count);
	return count > 0 && !cell ? -1 : 0;
}

/* One line for each column of the table, whether or not it fits there. */
static int detail_add_columns(const struct stat_top *top, const struct top_line *line,
			      struct table *table)
{
	const struct top_columns *columns = &top->columns[top->kind];

	for (size_t i = 0; i < columns->size; i++) {
		struct buffer *cell = detail_add(table, "");

		if (!cell)
			return -1;
		top_column_title(top, i, cell - 1);
		top_column_append(top, &columns->list[i], line, cell);
	}
	return 0;
}

static int detail_add_left_out(const struct stat_row *row, struct table *table)
{
	if (detail_add_count(table, "not counted", row->nr_left_out) < 0 ||
	    detail_add_count(table, "suspect by losses", row->nr_suspect) < 0 ||
	    detail_add_count(table, "without an end", row->nr_unfinished) < 0)
		return -1;
	return detail_add_count(table, "ended by other threads", row->nr_foreign);
}

/* The percentiles that are not among the columns. */
static int detail_add_percentiles(const struct stat_row *row, const struct quantiles *quantiles,
				  struct table *table)
{
	static const struct {
		const char *title;
		unsigned int permille;
	} percentiles[] = { { "percentile 10", 100 }, { "percentile 25", 250 },
			    { "percentile 75", 750 }, { "percentile 90", 900 },
			    { "percentile 95", 950 }, { "percentile 99.9", 999 } };
	struct stat_row whole = *row;

	whole.quantiles = *quantiles;
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
		struct buffer *cell = detail_add(table, percentiles[i].title);

		if (!cell)
			return -1;
		buffer_append_duration(cell, stat_row_quantile(&whole, percentiles[i].permille));
	}
	return 0;
}

int top_detail_append(const struct stat_top *top, struct buffer *out)
{
	const struct table_style style = { .width = top->screen.columns,
					   .is_utf8 = top->sink->settings.is_utf8 };
	const struct top_line *line = top_selected(top);
	struct table table = { .columns = detail_columns, .nr_columns = 2 };
	const struct quantiles *quantiles;
	int status;

	if (!line)
		return 0;
	quantiles = top->is_paused ? &line->row.quantiles : &line->source->quantiles;
	status = detail_add_columns(top, line, &table);
	if (status == 0)
		status = detail_add_left_out(&line->row, &table);
	if (status == 0 && quantiles->nr_octaves > 0)
		status = detail_add_percentiles(&line->row, quantiles, &table);
	if (status == 0)
		table_append(&table, out, &style);
	table_release(&table);
	if (status < 0 || quantiles->nr_octaves == 0)
		return status;
	buffer_append_char(out, '\n');
	return stat_histogram_append(out, quantiles, &style);
}
