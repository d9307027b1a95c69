// SPDX-License-Identifier: GPL-2.0-only
/* The columns of the view: titles, cells, order. */
#include <stdio.h>

#include "sink/top/top.h"

/* Appends a character, or escapes of its bytes. */
static void character_append(struct buffer *out, struct text character)
{
	bool is_safe = !utf8_is_control(utf8_value(character));

	for (size_t i = 0; i < character.size; i++) {
		if (is_safe)
			buffer_append_char(out, character.data[i]);
		else
			buffer_printf(out, "\\x%02x", (unsigned char)character.data[i]);
	}
}

void top_text_append(struct buffer *out, struct text text)
{
	while (text.size > 0) {
		size_t size = utf8_sequence_size(text);

		if (size > 0)
			character_append(out, (struct text){ text.data, size });
		else
			buffer_printf(out, "\\x%02x", (unsigned char)text.data[0]);
		size += size == 0;
		text = (struct text){ text.data + size, text.size - size };
	}
}

static void top_column_add(struct top_columns *columns, enum top_value value, size_t index)
{
	columns->list[columns->size++] = (struct top_column){ value, index };
}

static void top_columns_add(struct top_columns *columns, enum top_value first, enum top_value last)
{
	for (int value = first; value <= (int)last; value++)
		top_column_add(columns, value, 0);
}

static void top_keys_add(struct top_columns *columns, const struct sink_stat_settings *settings)
{
	for (size_t i = 0; i < settings->nr_groups; i++)
		top_column_add(columns, TOP_KEY, i);
}

static void top_slice_columns(struct top_columns *columns,
			      const struct sink_stat_settings *settings)
{
	top_keys_add(columns, settings);
	top_columns_add(columns, TOP_NEW_COUNT, TOP_MEAN);
	for (size_t i = 0; i < settings->nr_permille; i++)
		top_column_add(columns, TOP_PERCENTILE, i);
	top_column_add(columns, TOP_MAX, 0);
	top_column_add(columns, TOP_TRACEPOINT, 0);
}

/* The group of a counter is its label. */
static void top_counter_columns(struct top_columns *columns)
{
	top_column_add(columns, TOP_KEY, 0);
	top_column_add(columns, TOP_NEW_COUNT, 0);
	top_column_add(columns, TOP_COUNT, 0);
	top_columns_add(columns, TOP_FIRST, TOP_TRACEPOINT);
}

static void top_instant_columns(struct top_columns *columns,
				const struct sink_stat_settings *settings)
{
	top_keys_add(columns, settings);
	top_column_add(columns, TOP_NEW_COUNT, 0);
	top_column_add(columns, TOP_COUNT, 0);
	top_column_add(columns, TOP_TRACEPOINT, 0);
}

static const enum top_value sort_values[] = {
	[STAT_SORT_TOTAL] = TOP_TOTAL, [STAT_SORT_SELF] = TOP_SELF,
	[STAT_SORT_COUNT] = TOP_COUNT, [STAT_SORT_MIN] = TOP_MIN,
	[STAT_SORT_MEAN] = TOP_MEAN,   [STAT_SORT_PERCENTILE] = TOP_PERCENTILE,
	[STAT_SORT_MAX] = TOP_MAX,     [STAT_SORT_NAME] = TOP_KEY,
	[STAT_SORT_TRACK] = TOP_KEY,
};
_Static_assert(sizeof(sort_values) / sizeof(sort_values[0]) == STAT_SORT_COUNT_OF, "for each");

static bool column_is_sort(const struct top_column *column,
			   const struct sink_stat_settings *settings)
{
	if (column->value != sort_values[settings->sort])
		return false;
	if (column->value == TOP_PERCENTILE)
		return settings->permille[column->index] == settings->sort_permille;
	if (column->value != TOP_KEY)
		return true;
	return settings->groups[column->index].key ==
	       (settings->sort == STAT_SORT_NAME ? STAT_KEY_NAME : STAT_KEY_TRACK);
}

/* Tables without the column are sorted by their count. */
static void sort_init(struct top_columns *columns, const struct sink_stat_settings *settings)
{
	columns->is_reversed = settings->is_reversed;
	for (size_t i = 0; i < columns->size; i++) {
		if (columns->list[i].value == TOP_COUNT)
			columns->sort = i;
	}
	for (size_t i = 0; i < columns->size; i++) {
		if (column_is_sort(&columns->list[i], settings))
			columns->sort = i;
	}
}

void top_columns_init(struct stat_top *top)
{
	const struct sink_stat_settings *settings = &top->sink->settings;

	top_slice_columns(&top->columns[STAT_SLICES], settings);
	top_counter_columns(&top->columns[STAT_COUNTER]);
	top_instant_columns(&top->columns[STAT_INSTANTS], settings);
	for (int kind = 0; kind < STAT_KIND_COUNT; kind++)
		sort_init(&top->columns[kind], settings);
}

static const char *const titles[TOP_VALUE_COUNT] = {
	[TOP_NEW_COUNT] = "+COUNT", [TOP_NEW_TOTAL] = "+TOTAL",
	[TOP_NEW_MEAN] = "+MEAN",   [TOP_COUNT] = "COUNT",
	[TOP_TOTAL] = "TOTAL",	    [TOP_SELF] = "SELF",
	[TOP_MIN] = "MIN",	    [TOP_MEAN] = "MEAN",
	[TOP_MAX] = "MAX",	    [TOP_FIRST] = "FIRST",
	[TOP_LAST] = "LAST",	    [TOP_LOWEST] = "MIN",
	[TOP_HIGHEST] = "MAX",	    [TOP_TRACEPOINT] = "TRACEPOINT",
};

static void key_title_append(const struct stat_top *top, size_t index, struct buffer *out)
{
	const struct stat_group *group = &top->sink->settings.groups[index];

	if (top->kind == STAT_COUNTER)
		buffer_append_string(out, "TRACK");
	else
		top_text_append(out, text_of(stat_group_title(group)));
}

void top_column_title(const struct stat_top *top, size_t column, struct buffer *out)
{
	const struct top_columns *columns = &top->columns[top->kind];
	const struct top_column *shown = &columns->list[column];
	unsigned int permille = top->sink->settings.permille[shown->index];

	if (shown->value == TOP_KEY)
		key_title_append(top, shown->index, out);
	else if (shown->value == TOP_PERCENTILE)
		buffer_printf(out, permille % 10 ? "P%u.%u" : "P%u", permille / 10, permille % 10);
	else
		buffer_append_string(out, titles[shown->value]);
	if (column == columns->sort)
		buffer_append_string(out, columns->is_reversed ? "^" : "v");
}

bool top_column_is_text(const struct top_column *column)
{
	return column->value == TOP_KEY || column->value == TOP_TRACEPOINT;
}

static struct text line_text(const struct stat_top *top, const struct top_column *column,
			     const struct top_line *line)
{
	if (column->value == TOP_TRACEPOINT)
		return text_of(line->row.category->text);
	if (line->row.kind == STAT_COUNTER)
		return buffer_text(&line->row.group);
	return stat_row_key(&line->row, &top->sink->settings, column->index);
}

static uint64_t row_count(const struct stat_row *row)
{
	if (row->kind == STAT_SLICES)
		return row->times.nr_intervals;
	return row->kind == STAT_COUNTER ? row->levels.nr_samples : row->count;
}

static int64_t sum_mean_ns(const struct top_sum *sum)
{
	return sum->count ? sum->total_ns / (int64_t)sum->count : 0;
}

/* Counts and durations. */
static int64_t line_number(const struct top_column *column, const struct top_line *line)
{
	const struct stat_row *row = &line->row;

	switch (column->value) {
	case TOP_NEW_COUNT:
		return (int64_t)line->added.count;
	case TOP_NEW_TOTAL:
		return line->added.total_ns;
	case TOP_NEW_MEAN:
		return sum_mean_ns(&line->added);
	case TOP_COUNT:
		return (int64_t)row_count(row);
	case TOP_TOTAL:
		return row->times.total_ns;
	case TOP_SELF:
		return row->self_ns;
	case TOP_MIN:
		return row->times.min_ns;
	case TOP_MEAN:
		return stat_row_mean_ns(row);
	case TOP_PERCENTILE:
		return line->percentiles[column->index];
	default:
		return row->times.max_ns;
	}
}

/* The value of a counter; NULL for other columns. */
static const struct value *line_level(const struct top_column *column, const struct top_line *line)
{
	const struct levels *levels = &line->row.levels;

	switch (column->value) {
	case TOP_FIRST:
		return &levels->first;
	case TOP_LAST:
		return &levels->last;
	case TOP_LOWEST:
		return &levels->min;
	case TOP_HIGHEST:
		return &levels->max;
	default:
		return NULL;
	}
}

static bool column_is_count(const struct top_column *column)
{
	return column->value == TOP_NEW_COUNT || column->value == TOP_COUNT;
}

void top_column_append(const struct stat_top *top, const struct top_column *column,
		       const struct top_line *line, struct buffer *out)
{
	const struct value *level = line_level(column, line);

	if (top_column_is_text(column))
		top_text_append(out, line_text(top, column, line));
	else if (level)
		value_append_text(out, level);
	else if (column_is_count(column))
		buffer_append_signed(out, line_number(column, line));
	else if (row_count(&line->row) > 0)
		buffer_append_duration(out, line_number(column, line));
}

/* What is no number is below all others. */
static int floating_compare(double a, double b)
{
	if (__builtin_isnan(a) || __builtin_isnan(b))
		return __builtin_isnan(b) - __builtin_isnan(a);
	return (a > b) - (a < b);
}

static int level_compare(const struct value *a, const struct value *b)
{
	if (a->kind == VALUE_UNSIGNED && b->kind == VALUE_UNSIGNED)
		return (a->unsigned_number > b->unsigned_number) -
		       (a->unsigned_number < b->unsigned_number);
	if (a->kind == VALUE_FLOATING || b->kind == VALUE_FLOATING)
		return floating_compare(value_floating(a), value_floating(b));
	/* Of two kinds, a number above those of the other is unsigned. */
	if (a->kind == VALUE_UNSIGNED && a->unsigned_number > INT64_MAX)
		return 1;
	if (b->kind == VALUE_UNSIGNED && b->unsigned_number > INT64_MAX)
		return -1;
	return (a->signed_number > b->signed_number) - (a->signed_number < b->signed_number);
}

static int cells_compare(const struct stat_top *top, const struct top_column *column,
			 const struct top_line *a, const struct top_line *b)
{
	int64_t number_a, number_b;

	if (top_column_is_text(column))
		return text_compare(line_text(top, column, a), line_text(top, column, b));
	if (line_level(column, a))
		return level_compare(line_level(column, b), line_level(column, a));
	number_a = line_number(column, a);
	number_b = line_number(column, b);
	return (number_a < number_b) - (number_a > number_b);
}

int top_lines_compare(const void *a_pointer, const void *b_pointer, void *context)
{
	const struct stat_top *top = context;
	const size_t *a = a_pointer, *b = b_pointer;
	const struct top_columns *columns = &top->columns[top->kind];
	int order = cells_compare(top, &columns->list[columns->sort], &top->lines[*a],
				  &top->lines[*b]);

	if (order == 0)
		order = (*a > *b) - (*a < *b);
	return columns->is_reversed ? -order : order;
}
