/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private header of the interactive view of statistics (ktrack stat --live on a terminal).
 *
 * The rows of the stat sink are copied at each interval. Everything is shown, sorted and filtered
 * from the copy, so that a paused view stands still while the sink counts on.
 */
#ifndef SINK_TOP_TOP_H
#define SINK_TOP_TOP_H

#include "sink/stat/state.h"
#include "sink/top/screen.h"

/** enum top_value - what a column shows; those of the last interval have a + in their titles */
enum top_value {
	TOP_KEY,
	TOP_NEW_COUNT,
	TOP_NEW_TOTAL,
	TOP_NEW_MEAN,
	TOP_COUNT,
	TOP_TOTAL,
	TOP_SELF,
	TOP_MIN,
	TOP_MEAN,
	TOP_PERCENTILE,
	TOP_MAX,
	TOP_FIRST,
	TOP_LAST,
	TOP_LOWEST,
	TOP_HIGHEST,
	TOP_TRACEPOINT,
	TOP_VALUE_COUNT
};

/**
 * struct top_column - a column
 * @index: of the key or the percentile
 */
struct top_column {
	enum top_value value;
	size_t index;
};

/** TOP_COLUMNS_MAX - most columns of a table */
#define TOP_COLUMNS_MAX (STAT_GROUPS_MAX + STAT_PERCENTILES_MAX + 10)

/**
 * struct top_columns - the columns of a kind of rows
 * @sort: index of the one that rows are sorted by
 */
struct top_columns {
	struct top_column list[TOP_COLUMNS_MAX];
	size_t size;
	size_t sort;
	bool is_reversed;
};

/** struct top_sum - what a row had at one time */
struct top_sum {
	uint64_t count;
	int64_t total_ns;
};

/**
 * struct top_line - a row at the last interval
 * @row: a copy; its texts are the sink's; quantiles only while the view is paused
 * @source: the sink's row
 * @added: in the last interval
 * @percentiles: by the settings
 */
struct top_line {
	struct stat_row row;
	const struct stat_row *source;
	struct top_sum added;
	int64_t percentiles[STAT_PERCENTILES_MAX];
};

/** enum top_mode - what keys do */
enum top_mode {
	TOP_TABLE,
	TOP_FILTER,
	TOP_DETAIL,
};

/**
 * struct stat_top - the view
 * @sink: NULL before the recording begins
 * @report: receives messages after the view
 * @own_report: keeps them until then in @messages, one a line
 * @progress: the line about events and losses
 * @lines: all rows, in the sink's order
 * @before: by the same index, at the interval before
 * @order: indices of the lines that are shown
 * @kind: of the rows that are shown
 * @filter: part of a text that a row must have
 * @first: index in @order of the first line on the screen
 * @selected: the sink's row
 * @place: of the selected row in @order; where the next is selected if it is gone
 * @scroll: first line of the detail
 */
struct stat_top {
	struct screen screen;
	const struct stat_sink *sink;
	const struct report *report;
	struct report own_report;
	struct buffer messages;
	struct buffer progress;
	struct top_line *lines;
	struct top_sum *before;
	size_t *order;
	size_t nr_lines;
	size_t nr_shown;
	enum stat_kind kind;
	struct top_columns columns[STAT_KIND_COUNT];
	struct buffer filter;
	enum top_mode mode;
	size_t first;
	const struct stat_row *selected;
	size_t place;
	size_t scroll;
	int64_t copied_ns;
	bool is_paused;
	bool is_over;
};

/** top_columns_init - the columns of all kinds, and the sort key of the settings */
void top_columns_init(struct stat_top *top);

/** top_column_title - append the title of a column, marked if rows are sorted by it */
void top_column_title(const struct stat_top *top, size_t column, struct buffer *out);

/** top_column_append - append a cell, with control characters escaped */
void top_column_append(const struct stat_top *top, const struct top_column *column,
		       const struct top_line *line, struct buffer *out);

/** top_column_is_text - whether a column is aligned to the left, and sorted from a to z */
bool top_column_is_text(const struct top_column *column);

/** top_lines_compare - the order of two lines by the sort column; for qsort_r(3) */
int top_lines_compare(const void *a, const void *b, void *top);

/** top_lines_copy - copy the rows for the next interval; returns -1 if memory ran out */
int top_lines_copy(struct stat_top *top);

/** top_lines_keep - copy what a paused view needs, too; returns -1 if memory ran out */
int top_lines_keep(struct stat_top *top);

/** top_lines_release_kept - release what top_lines_keep() copied */
void top_lines_release_kept(struct stat_top *top);

/** top_lines_order - choose and sort the lines that are shown, and find the selected one */
void top_lines_order(struct stat_top *top);

/** top_lines_release - release all lines */
void top_lines_release(struct stat_top *top);

/** top_selected - the selected line; NULL if none is shown */
const struct top_line *top_selected(const struct stat_top *top);

/** top_page_size - number of rows of a table that fit on the screen */
size_t top_page_size(const struct stat_top *top);

/** top_key_apply - do what a key means; returns -1 if memory ran out */
int top_key_apply(struct stat_top *top, const struct screen_key *key);

/** top_draw - draw and show everything; returns -1 with @error */
int top_draw(struct stat_top *top, struct error *error);

/** top_detail_append - append the lines about the selected row; returns -1 if memory ran out */
int top_detail_append(const struct stat_top *top, struct buffer *out);

/** top_begin - show the view, as soon as ktrack is in the foreground; returns -1 with @error */
int top_begin(struct stat_top *top, const struct stat_sink *sink, struct error *error);

/**
 * top_update - process keys and signals of the terminal, and draw
 * @is_due: the interval is over: copy the rows, unless the view is paused
 *
 * Returns 0, or -1 with @error.
 */
int top_update(struct stat_top *top, bool is_due, struct error *error);

/** top_end - restore the terminal, and report what was kept; the sink may end */
void top_end(struct stat_top *top);

/** top_text_append - append a text with escapes such as \x1b for bytes that affect a terminal */
void top_text_append(struct buffer *out, struct text text);

#endif
