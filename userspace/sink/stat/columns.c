// SPDX-License-Identifier: GPL-2.0-only
/*
 * The columns of statistics: one table, which tables, JSON, CSV, the interactive view and --sort
 * follow. A new column is a row, its value function, and a row of the table in ktrack-stat(1). The
 * options that select columns, keys and rows, and the rows in the order of a column.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink/stat/state.h"

static struct value text_value(struct text text)
{
	return (struct value){ .kind = VALUE_TEXT, .text = text };
}

static struct value count_value(uint64_t count)
{
	return (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = count };
}

static struct value duration_value(int64_t ns)
{
	return (struct value){ .kind = VALUE_SIGNED, .signed_number = ns };
}

const char *stat_kind_name(enum stat_kind kind)
{
	static const char *const names[] = {
		[STAT_SLICES] = "slice",
		[STAT_COUNTER] = "counter",
		[STAT_INSTANTS] = "instant",
	};
	_Static_assert(sizeof(names) / sizeof(names[0]) == STAT_KIND_COUNT, "a name for each");

	return names[kind];
}

static struct value kind_get(const struct stat_source *source, unsigned int of)
{
	(void)of;
	return text_value(text_of(stat_kind_name(source->row->kind)));
}

static struct value tracepoint_get(const struct stat_source *source, unsigned int of)
{
	(void)of;
	return text_value(text_of(source->row->category->text));
}

/* Of a counter, the group is the track's label: it is in the first column of a key. */
static struct value key_get(const struct stat_source *source, unsigned int of)
{
	if (source->row->kind == STAT_COUNTER)
		return text_value(of == 0 ? buffer_text(&source->row->group) : text_of(""));
	return text_value(stat_row_key(source->row, source->settings, of));
}

static struct value new_count_get(const struct stat_source *source, unsigned int of)
{
	(void)of;
	return count_value(source->new_count);
}

static struct value new_total_get(const struct stat_source *source, unsigned int of)
{
	(void)of;
	return duration_value(source->new_ns);
}

static struct value new_mean_get(const struct stat_source *source, unsigned int of)
{
	(void)of;
	return duration_value(source->new_count ? source->new_ns / (int64_t)source->new_count : 0);
}

static struct value count_get(const struct stat_source *source, unsigned int of)
{
	(void)of;
	return count_value(stat_row_count(source->row));
}

static struct value rate_get(const struct stat_source *source, unsigned int of)
{
	double seconds = (double)source->duration_ns / NS_PER_S;
	double count = (double)stat_row_count(source->row);

	(void)of;
	return (struct value){ .kind = VALUE_FLOATING,
			       .floating = seconds > 0 ? count / seconds : 0 };
}

static struct value share_get(const struct stat_source *source, unsigned int of)
{
	double total_ns = (double)source->row->window_ns;

	(void)of;
	return (struct value){ .kind = VALUE_FLOATING,
			       .floating = source->duration_ns > 0
						   ? total_ns / (double)source->duration_ns
						   : 0 };
}

static struct value mean_get(const struct stat_source *source, unsigned int of)
{
	const struct intervals *times = &source->row->times;

	(void)of;
	return duration_value(times->nr_intervals ? times->total_ns / (int64_t)times->nr_intervals
						  : 0);
}

static struct value percentile_get(const struct stat_source *source, unsigned int permille)
{
	const struct sink_stat_settings *settings = source->settings;

	for (size_t i = 0; source->percentiles && i < settings->nr_permille; i++) {
		if (settings->permille[i] == permille)
			return duration_value(source->percentiles[i]);
	}
	return duration_value(stat_row_quantile(source->row, permille));
}

static bool rows_have_self(const struct sink_stat_settings *settings,
			   const struct stat_row *const *rows, size_t nr_rows)
{
	(void)settings;
	for (size_t i = 0; i < nr_rows; i++) {
		if (rows[i]->self_ns != rows[i]->times.total_ns)
			return true;
	}
	return false;
}

/* With all others, tables would be too wide for most terminals. */
static bool rows_are_by_share(const struct sink_stat_settings *settings,
			      const struct stat_row *const *rows, size_t nr_rows)
{
	(void)rows;
	(void)nr_rows;
	return settings->sort->get == share_get;
}

#define SLICES (1u << STAT_SLICES)
#define COUNTERS (1u << STAT_COUNTER)
#define INSTANTS (1u << STAT_INSTANTS)
#define EVENTS (SLICES | INSTANTS)
#define ALL (SLICES | COUNTERS | INSTANTS)
/* Kinds of rows that have the column in all forms; in tables, JSON, CSV, and the view. */
#define EVERY(kinds) IN(kinds, kinds, kinds, kinds)
#define IN(tables, json, csv, view)     \
	{                               \
		tables, json, csv, view \
	}

/* A value without a function. */
#define ROW(name) .member = offsetof(struct stat_row, name)

/* Title, key, word of --sort, kinds of rows, unit, value. Forms place some differently. */
static const struct stat_column stat_columns[] = {
	{ NULL, "kind", NULL, IN(0, 0, ALL, 0), UNIT_TEXT, kind_get },
	{ "TRACEPOINT", "tracepoint", NULL, IN(0, ALL, ALL, 0), UNIT_TEXT, tracepoint_get },
	{ "TRACK", "track", "track", EVERY(ALL), UNIT_TEXT, key_get, .each = STAT_EACH_KEY },
	{ "+COUNT", NULL, NULL, IN(0, 0, 0, ALL), UNIT_COUNT, new_count_get },
	{ "+TOTAL", NULL, NULL, IN(0, 0, 0, SLICES), UNIT_DURATION, new_total_get },
	{ "+MEAN", NULL, NULL, IN(0, 0, 0, SLICES), UNIT_DURATION, new_mean_get, .view_rank = 1 },
	{ "COUNT", "count", "count", IN(EVENTS, EVENTS, ALL, ALL), UNIT_COUNT, count_get },
	{ "SAMPLES", "samples", NULL, IN(COUNTERS, COUNTERS, 0, 0), UNIT_COUNT, count_get },
	{ "RATE", "per_second", NULL, IN(EVENTS, 0, EVENTS, 0), UNIT_RATE, rate_get, .rank = 3 },
	{ "TOTAL", "total_ns", "total", EVERY(SLICES), UNIT_DURATION, ROW(times.total_ns) },
	{ "SHARE", "share", "share", EVERY(SLICES), UNIT_SHARE, share_get, .view_rank = 3,
	  .is_needed = rows_are_by_share },
	{ "SELF", "self_ns", "self", EVERY(SLICES), UNIT_DURATION, ROW(self_ns), .rank = 1,
	  .view_rank = 2, .is_needed = rows_have_self },
	{ "MIN", "min_ns", "min", EVERY(SLICES), UNIT_DURATION, ROW(times.min_ns), .rank = 1,
	  .view_rank = 3, .needs_slices = true },
	{ "MEAN", "mean_ns", "mean", EVERY(SLICES), UNIT_DURATION, mean_get, .rank = 1,
	  .view_rank = 2, .needs_slices = true },
	{ "P99", "p99_ns", "p99", EVERY(SLICES), UNIT_DURATION, percentile_get,
	  .each = STAT_EACH_PERCENTILE, .needs_slices = true },
	{ "MAX", "max_ns", "max", EVERY(SLICES), UNIT_DURATION, ROW(times.max_ns),
	  .needs_slices = true },
	{ "RATE", "per_second", NULL, IN(0, EVENTS, 0, 0), UNIT_RATE, rate_get },
	{ NULL, "suspect", NULL, IN(0, SLICES, SLICES, 0), UNIT_COUNT, ROW(nr_suspect) },
	{ NULL, "unfinished", NULL, IN(0, SLICES, SLICES, 0), UNIT_COUNT, ROW(nr_unfinished) },
	{ NULL, "foreign", NULL, IN(0, SLICES, SLICES, 0), UNIT_COUNT, ROW(nr_foreign) },
	{ "HISTOGRAM", "histogram", NULL, IN(SLICES, SLICES, 0, 0), UNIT_HISTOGRAM, .rank = 3 },
	{ "FIRST", "first", NULL, EVERY(COUNTERS), UNIT_LEVEL, ROW(levels.first), .view_rank = 2 },
	{ "LAST", "last", NULL, EVERY(COUNTERS), UNIT_LEVEL, ROW(levels.last) },
	{ "MIN", "min", NULL, EVERY(COUNTERS), UNIT_LEVEL, ROW(levels.min) },
	{ "MAX", "max", NULL, EVERY(COUNTERS), UNIT_LEVEL, ROW(levels.max) },
	{ "TRACEPOINT", "tracepoint", NULL, IN(SLICES, 0, 0, ALL), UNIT_TEXT, tracepoint_get,
	  .rank = 2, .view_rank = 3 },
	{ "TRACEPOINT", "tracepoint", NULL, IN(COUNTERS | INSTANTS, 0, 0, 0), UNIT_TEXT,
	  tracepoint_get, .rank = 3 },
};
#define NR_STAT_COLUMNS (sizeof(stat_columns) / sizeof(stat_columns[0]))
_Static_assert(NR_STAT_COLUMNS + STAT_GROUPS_MAX + STAT_PERCENTILES_MAX <= STAT_COLUMNS_MAX,
	       "all fit");

/* Title, key and, if rows can be sorted by it, word of --sort. */
static const char *const stat_keys[][3] = {
	[STAT_KEY_TRACK] = { "TRACK", "track", "track" },
	[STAT_KEY_NAME] = { "NAME", "name", "name" },
	[STAT_KEY_CGROUP] = { "CGROUP", "cgroup", NULL },
	[STAT_KEY_PID] = { "PID", "pid", NULL },
	[STAT_KEY_COMM] = { "COMM", "comm", NULL },
	[STAT_KEY_CPU] = { "CPU", "cpu", NULL },
	[STAT_KEY_FIELD] = { NULL, NULL, NULL },
};
_Static_assert(sizeof(stat_keys) / sizeof(stat_keys[0]) == STAT_KEY_COUNT, "a row for each");

/*
 * Parses a key such as "cpu" or "field:bytes"; returns false if there is none. @item stays as long
 * as the group; behind it is a NUL.
 */
static bool stat_group_parse(struct text item, struct stat_group *out)
{
	static const char prefix[] = "field:";

	*out = (struct stat_group){ .word = item.data };
	for (int key = 0; key < STAT_KEY_COUNT; key++) {
		out->key = key;
		if (stat_keys[key][1] && text_equals(item, text_of(stat_keys[key][1])))
			return true;
	}
	if (item.size <= strlen(prefix) || memcmp(item.data, prefix, strlen(prefix)) != 0)
		return false;
	out->key = STAT_KEY_FIELD;
	out->field = item.data + strlen(prefix);
	return true;
}

/* Parses a percentage such as "99.9"; returns false if @text is none. */
static bool stat_permille_parse(struct text text, unsigned int *out)
{
	const char *point = memchr(text.data, '.', text.size);
	size_t nr_digits = point ? (size_t)(point - text.data) : text.size;
	unsigned int number = 0;

	if (nr_digits < 1 || nr_digits > 2 || (point && text.size != nr_digits + 2))
		return false;
	for (size_t i = 0; i < text.size; i++) {
		if (i == nr_digits)
			continue;
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		number = number * 10 + (unsigned int)(text.data[i] - '0');
	}
	*out = point ? number : number * 10;
	return *out > 0;
}

/* The @of of a column with this word of --sort; returns false if it has another word. */
static bool sort_word_match(const struct stat_column *column, const char *word, unsigned int *of)
{
	*of = 0;
	if (column->each == STAT_EACH_PERCENTILE)
		return word[0] == 'p' && stat_permille_parse(text_of(word + 1), of);
	if (column->each != STAT_EACH_KEY)
		return column->sort && strcmp(column->sort, word) == 0;
	for (unsigned int key = 0; key < STAT_KEY_COUNT; key++) {
		*of = key;
		if (stat_keys[key][2] && strcmp(stat_keys[key][2], word) == 0)
			return true;
	}
	return false;
}

bool stat_sort_parse(struct sink_stat_settings *settings, const char *word)
{
	settings->is_reversed = word[0] == '-';
	for (size_t i = 0; i < NR_STAT_COLUMNS; i++) {
		settings->sort = &stat_columns[i];
		if (sort_word_match(settings->sort, word + settings->is_reversed,
				    &settings->sort_of))
			return true;
	}
	return false;
}

static void sort_word_append(struct buffer *out, const char *word, const char *more)
{
	buffer_printf(out, "%s%s%s", out->size > 0 ? ", " : "", word, more);
}

static int apply_sort(void *settings, const char *value, struct error *error)
{
	SCOPED_BUFFER(words);

	if (stat_sort_parse(settings, value))
		return 0;
	for (size_t i = 0; i < NR_STAT_COLUMNS; i++) {
		const struct stat_column *column = &stat_columns[i];

		for (size_t key = 0; column->each == STAT_EACH_KEY && key < STAT_KEY_COUNT; key++) {
			if (stat_keys[key][2])
				sort_word_append(&words, stat_keys[key][2], "");
		}
		if (column->sort && column->each != STAT_EACH_KEY)
			sort_word_append(&words, column->sort,
					 column->each == STAT_EACH_PERCENTILE
						 ? " (or another percentile)"
						 : "");
	}
	error_set(error, "--sort=%s: unknown; write one of %s", value, buffer_string(&words));
	return -1;
}

static int apply_percentiles(void *settings, const char *value, struct error *error)
{
	struct sink_stat_settings *form = settings;
	struct text rest = text_of(value), item;

	while (text_take_item(&rest, &item)) {
		if (form->nr_permille == STAT_PERCENTILES_MAX)
			return error_set(error, "--percentiles=%s: more than %d; leave out some",
					 value, STAT_PERCENTILES_MAX);
		if (!stat_permille_parse(item, &form->permille[form->nr_permille++]))
			return error_set(error,
					 "--percentiles=%s: '%.*s' is none; write numbers such as "
					 "50,90,99.9",
					 value, (int)item.size, item.data);
	}
	return 0;
}

static int group_add(struct sink_stat_settings *form, struct text item, const char *value,
		     struct error *error)
{
	struct stat_group group;

	if (!stat_group_parse(item, &group))
		return error_set(error,
				 "--group-by=%s: '%.*s' is unknown; write track, name, cgroup, "
				 "pid, comm, cpu or field:FIELD",
				 value, (int)item.size, item.data);
	for (size_t i = 0; i < form->nr_groups; i++) {
		const struct stat_group *other = &form->groups[i];

		if (other->key == group.key &&
		    (!group.field || strcmp(other->field, group.field) == 0))
			return error_set(error, "--group-by=%s: '%.*s' is given twice", value,
					 (int)item.size, item.data);
	}
	if (form->nr_groups == STAT_GROUPS_MAX)
		return error_set(error, "--group-by=%s: more than %d keys; leave out some", value,
				 STAT_GROUPS_MAX);
	form->groups[form->nr_groups++] = group;
	return 0;
}

/* The words are cut out of a copy. */
static int apply_group_by(void *settings, const char *value, struct error *error)
{
	struct sink_stat_settings *form = settings;
	struct text rest = text_of(value), item;

	free(form->group_words);
	form->group_words = strdup(value);
	if (!form->group_words)
		return error_set(error, "out of memory");
	form->nr_groups = 0;
	while (text_take_item(&rest, &item)) {
		char *copy = form->group_words + (item.data - value);

		copy[item.size] = '\0';
		if (group_add(form, text_of(copy), value, error) < 0)
			return -1;
	}
	return 0;
}

static int apply_stat_slowest(void *settings, const char *value, struct error *error)
{
	struct sink_stat_settings *form = settings;

	if (count_parse(value, "slices", &form->slowest, error) < 0)
		return -1;
	return form->slowest <= STAT_SLOWEST_MAX
		       ? 0
		       : error_set(error, "--slowest=%s: too large; write a number up to %d", value,
				   STAT_SLOWEST_MAX);
}

static int apply_limit(void *settings, const char *value, struct error *error)
{
	struct sink_stat_settings *form = settings;

	return count_parse(value, "rows", &form->limit, error);
}

const struct option_row stat_options[] = {
	{ 0, "sort", "WHAT", "sort by a column (default: total)", apply_sort },
	{ 0, "name", "GLOB", "only slices and instants of this name", option_store_text,
	  offsetof(struct sink_stat_settings, name), .needs_text = true, .is_rare = true },
	{ 0, "group-by", "LIST", "rows: track,name,cgroup,pid,comm,cpu,field:FIELD",
	  apply_group_by },
	{ 0, "percentiles", "LIST", "columns of percentiles (default: 50,99), such as 90,99.9",
	  apply_percentiles, .is_rare = true },
	{ 0, "slowest", "N", "list the N slowest slices with fields", apply_stat_slowest },
	OPTION_RARE_FLAG("histogram", "print the full histogram of each row of slices",
			 sink_stat_settings, has_histograms),
	{ 0, "limit", "N", "print at most N rows of each table", apply_limit, .is_rare = true },
	OPTION_RARE_FLAG("all", "print all rows, also of sleeping threads and idle CPUs",
			 sink_stat_settings, has_all),
	{ 0, "prometheus", "FILE",
	  "replace FILE at each interval, for node_exporter's textfile collector",
	  option_store_text, offsetof(struct sink_stat_settings, prometheus), .needs_text = true,
	  .is_rare = true },
	{ 0 },
};

void stat_settings_release(struct sink_stat_settings *settings)
{
	free(settings->group_words);
	settings->group_words = NULL;
}

static void shown_add(struct stat_columns *columns, struct stat_shown shown)
{
	columns->list[columns->size++] = shown;
}

/* A counter has one key, the label of its track. */
static void shown_add_keys(struct stat_columns *columns, const struct stat_column *column,
			   const struct sink_stat_settings *settings, enum stat_kind kind)
{
	if (kind == STAT_COUNTER) {
		enum stat_key key = stat_has_key(settings, STAT_KEY_TRACK) ? STAT_KEY_TRACK
									   : STAT_KEY_NAME;

		shown_add(columns, (struct stat_shown){ column, 0, key, stat_keys[key][0],
							stat_keys[key][1] });
		return;
	}
	for (unsigned int i = 0; i < settings->nr_groups; i++) {
		const struct stat_group *group = &settings->groups[i];
		const char *title = group->field ? group->field : stat_keys[group->key][0];

		shown_add(columns,
			  (struct stat_shown){ column, i, group->key, title, group->word });
	}
}

static void shown_add_percentiles(struct stat_columns *columns, const struct stat_column *column,
				  const struct sink_stat_settings *settings)
{
	for (size_t i = 0; i < settings->nr_permille; i++) {
		unsigned int permille = settings->permille[i], percent = permille / 10 % 100;
		char *title = columns->percentiles[i][0], *key = columns->percentiles[i][1];
		size_t size = sizeof(columns->percentiles[i][0]);

		snprintf(title, size, permille % 10 ? "P%u.%u" : "P%u", percent, permille % 10);
		snprintf(key, size, permille % 10 ? "p%u.%u_ns" : "p%u_ns", percent, permille % 10);
		shown_add(columns, (struct stat_shown){ column, permille, permille, title, key });
	}
}

void stat_columns_choose(struct stat_columns *columns, const struct sink_stat_settings *settings,
			 enum stat_form form, enum stat_kind kind)
{
	unsigned int kinds = kind == STAT_KIND_COUNT ? ALL : 1u << kind;

	columns->size = 0;
	for (size_t i = 0; i < NR_STAT_COLUMNS; i++) {
		const struct stat_column *column = &stat_columns[i];

		if (!(column->kinds[form] & kinds))
			continue;
		if (column->each == STAT_EACH_KEY)
			shown_add_keys(columns, column, settings, kind);
		else if (column->each == STAT_EACH_PERCENTILE)
			shown_add_percentiles(columns, column, settings);
		else
			shown_add(columns,
				  (struct stat_shown){ column, 0, 0, column->title, column->key });
	}
}

bool stat_shown_is_sort(const struct stat_shown *shown, const struct sink_stat_settings *settings)
{
	return shown->column == settings->sort && shown->sort_of == settings->sort_of;
}

bool stat_shown_has_value(const struct stat_shown *shown, const struct stat_row *row,
			  enum stat_form form)
{
	if (!(shown->column->kinds[form] & 1u << row->kind))
		return false;
	return !shown->column->needs_slices || row->times.nr_intervals > 0;
}

struct value stat_value_get(const struct stat_column *column, const struct stat_source *source,
			    unsigned int of)
{
	const char *member = (const char *)source->row + column->member;

	if (column->get)
		return column->get(source, of);
	if (column->unit == UNIT_LEVEL)
		return *(const struct value *)member;
	if (column->unit == UNIT_COUNT)
		return count_value(*(const uint64_t *)member);
	return duration_value(*(const int64_t *)member);
}

void stat_shown_append(const struct stat_shown *shown, const struct stat_source *source,
		       struct buffer *out)
{
	static const char *const units[] = { "", "k", "M", "G" };
	enum stat_unit unit = shown->column->unit;
	struct value value = stat_value_get(shown->column, source, shown->of);
	size_t thousands = 0;

	/* Of slices that are all left out. */
	if (unit != UNIT_TEXT && unit != UNIT_COUNT && stat_row_count(source->row) == 0)
		return;
	switch (unit) {
	case UNIT_DURATION:
		buffer_append_duration(out, value.signed_number);
		break;
	case UNIT_RATE:
		for (; value.floating >= 999.5 && thousands < 3; thousands++)
			value.floating /= 1000;
		buffer_printf(out, "%.3g%s/s", value.floating, units[thousands]);
		break;
	case UNIT_SHARE:
		buffer_printf(out, "%.1f%%", 100 * value.floating);
		break;
	default:
		value_append_text(out, &value);
	}
}

/* What is no number is below all others. */
static int stat_number_compare(const struct value *a, const struct value *b)
{
	double left = value_floating(a), right = value_floating(b);

	if (a->kind == VALUE_UNSIGNED && b->kind == VALUE_UNSIGNED)
		return (a->unsigned_number > b->unsigned_number) -
		       (a->unsigned_number < b->unsigned_number);
	if (__builtin_isnan(left) || __builtin_isnan(right))
		return __builtin_isnan(right) - __builtin_isnan(left);
	if (a->kind == VALUE_FLOATING || b->kind == VALUE_FLOATING)
		return (left > right) - (left < right);
	/* Of two kinds, a number above those of the other is unsigned. */
	if (a->kind == VALUE_UNSIGNED && a->unsigned_number > INT64_MAX)
		return 1;
	if (b->kind == VALUE_UNSIGNED && b->unsigned_number > INT64_MAX)
		return -1;
	return (a->signed_number > b->signed_number) - (a->signed_number < b->signed_number);
}

int stat_value_compare(const struct value *a, const struct value *b)
{
	return a->kind == VALUE_TEXT ? text_compare(a->text, b->text) : stat_number_compare(b, a);
}

/* The value that a row is sorted by; equal for all rows if that is a text. */
static struct value stat_row_weight(const struct stat_source *source)
{
	const struct sink_stat_settings *settings = source->settings;

	if (settings->sort->each == STAT_EACH_KEY)
		return count_value(0);
	if (source->row->kind != STAT_SLICES)
		return count_get(source, 0);
	return stat_value_get(settings->sort, source, settings->sort_of);
}

struct weighed_row {
	const struct stat_row *row;
	struct value weight;
	bool is_by_track;
	bool is_reversed;
};

/* Names decide between equal keys, so that the order is independent of the order of appearance. */
static int stat_row_compare(const void *left, const void *right)
{
	bool is_reversed = ((const struct weighed_row *)left)->is_reversed;
	const struct weighed_row *a = is_reversed ? right : left, *b = is_reversed ? left : right;
	int by_weight = stat_value_compare(&a->weight, &b->weight);
	int by_track = text_compare(buffer_text(&a->row->group), buffer_text(&b->row->group));
	int by_name = text_compare(stat_row_name(a->row), stat_row_name(b->row));
	int by_tracepoint = strcmp(a->row->category->text, b->row->category->text);

	if (by_weight)
		return by_weight;
	if (a->is_by_track && by_track)
		return by_track;
	if (by_name)
		return by_name;
	return by_track ? by_track : by_tracepoint;
}

int64_t stat_window_time(const struct stat_sink *sink, int64_t from_ns, int64_t to_ns)
{
	from_ns = from_ns > sink->from_ns ? from_ns : sink->from_ns;
	to_ns = to_ns < sink->to_ns ? to_ns : sink->to_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

int64_t stat_sink_duration(const struct stat_sink *sink, int64_t now_ns)
{
	return stat_window_time(sink, sink->from_ns, now_ns);
}

struct stat_source stat_source_of(const struct stat_sink *sink, const struct stat_row *row)
{
	return (struct stat_source){ .settings = &sink->settings,
				     .row = row,
				     .duration_ns = stat_sink_duration(sink, sink->now_ns) };
}

const struct stat_row **stat_rows_choose(struct stat_sink *sink, enum stat_kind kind,
					 size_t *nr_rows, size_t *nr_more)
{
	struct weighed_row *weighed = calloc(sink->nr_rows + 1, sizeof(*weighed));
	const struct stat_row **rows = calloc(sink->nr_rows + 1, sizeof(*rows));
	const struct sink_stat_settings *settings = &sink->settings;
	bool is_by_name = settings->sort->each == STAT_EACH_KEY &&
			  settings->sort_of == STAT_KEY_NAME;
	size_t size = 0, nr_resting = 0, limit = settings->limit;

	*nr_rows = *nr_more = 0;
	if (!weighed || !rows) {
		free(weighed);
		free(rows);
		sink->file.out.failed = true;
		return NULL;
	}
	for (size_t i = 0; i < sink->nr_rows; i++) {
		const struct stat_source source = stat_source_of(sink, sink->rows[i]);

		if (source.row->kind == kind && settings->is_brief && source.row->is_rest)
			nr_resting++;
		else if (source.row->kind == kind)
			weighed[size++] = (struct weighed_row){
				.row = source.row,
				.weight = stat_row_weight(&source),
				.is_by_track = !is_by_name,
				.is_reversed = settings->is_reversed,
			};
	}
	qsort(weighed, size, sizeof(*weighed), stat_row_compare);
	if (settings->is_brief)
		limit = STAT_BRIEF_ROWS;
	*nr_rows = limit > 0 && size > limit ? limit : size;
	*nr_more = size - *nr_rows + nr_resting;
	for (size_t i = 0; i < *nr_rows; i++)
		rows[i] = weighed[i].row;
	free(weighed);
	return rows;
}
