/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the stat sink: a row for each name on each track, and losses by CPU. */
#ifndef SINK_STAT_STATE_H
#define SINK_STAT_STATE_H

#include "sink/file.h"
#include "sink/stat/table.h"
#include "sink/summary.h"

enum stat_kind {
	STAT_SLICES,
	STAT_COUNTER,
	STAT_INSTANTS,
	STAT_KIND_COUNT
};

/**
 * struct stat_row - one line of the table
 * @group: the values of all keys but the name, with a NUL behind each; of counters the track's
 * label
 * @name: of slices and instants; NULL for names that are not counted one by one, and if rows are
 * not grouped by name
 * @times: of complete slices
 * @self_ns: their time outside of slices in them
 * @quantiles: of complete slices
 * @levels: of counters
 * @count: of instants
 * @nr_suspect, @nr_unfinished, @nr_foreign: slices that @times excludes; a slice may be several
 * @nr_left_out: number of excluded slices
 */
struct stat_row {
	enum stat_kind kind;
	const struct timeline_category *category;
	struct buffer group;
	struct timeline_name *name;
	struct intervals times;
	int64_t self_ns;
	struct quantiles quantiles;
	struct levels levels;
	uint64_t count;
	uint64_t nr_suspect;
	uint64_t nr_unfinished;
	uint64_t nr_foreign;
	uint64_t nr_left_out;
};

/** struct stat_loss - losses of one CPU */
struct stat_loss {
	int cpu;
	uint64_t nr_gaps;
	uint64_t nr_records;
	uint64_t nr_unknown;
};

/** STAT_ROWS_MAX - limit of rows; further ones are merged by tracepoint and kind */
#define STAT_ROWS_MAX 4096

/** STAT_TEXT_MAX - limit of bytes in all rows' groups; a table has two more copies */
#define STAT_TEXT_MAX ((size_t)2 << 20)

/**
 * struct stat_open - a slice without an end yet
 * @group: the values of its begin, if rows depend on it; else empty
 * @inner_ns: time of the slices in it
 * @fields: of the begin, if the slowest slices are listed
 */
struct stat_open {
	struct buffer group;
	int64_t inner_ns;
	struct buffer fields;
};

/**
 * struct stat_track - a track that has not ended
 * @label: of the track, if rows are grouped by it
 * @last: the row of the last event
 * @open: by depth - 1
 */
struct stat_track {
	struct sink_track link;
	struct buffer label;
	struct stat_row *last;
	struct stat_open *open;
	unsigned int nr_open;
};

/** struct stat_slow - one of the slowest slices; texts are its own */
struct stat_slow {
	int64_t ns;
	int64_t begin_ns;
	const struct timeline_category *category;
	struct buffer track;
	struct buffer name;
	struct buffer fields;
};

/**
 * struct stat_sink - all rows, in order of appearance
 * @map: of the rows
 * @text_size: bytes in their groups
 * @slow: the slowest slices, a heap with the least slow one first
 * @nr_beyond: slices, samples and instants in merged rows
 * @totals: once @is_finished
 * @report: NULL for none; @has_reported that the file of Prometheus cannot be written
 * @user, @group: owner of the file of Prometheus in a directory of this user; 0 for the caller
 * @printed_ns: time of the last print, by the monotonic clock
 */
struct stat_sink {
	struct sink_file file;
	struct sink_stat_settings settings;
	struct map map;
	struct stat_row **rows;
	size_t nr_rows;
	size_t text_size;
	struct stat_slow *slow;
	size_t nr_slow;
	struct stat_loss *losses;
	size_t nr_losses;
	struct timeline_totals totals;
	uint64_t nr_beyond;
	const struct report *report;
	bool has_reported;
	unsigned int user;
	unsigned int group;
	int64_t now_ns;
	int64_t printed_ns;
	bool is_finished;
};

/** stat_has_key - whether rows are grouped by @key */
bool stat_has_key(const struct sink_stat_settings *settings, enum stat_key key);

/** stat_row_key - the value of the key with an index below @settings->nr_groups */
struct text stat_row_key(const struct stat_row *row, const struct sink_stat_settings *settings,
			 size_t index);

/** stat_group_title - the title of a key's column */
const char *stat_group_title(const struct stat_group *group);

/** stat_slow_sort - sort the slowest slices, the slowest last, which leaves them a heap */
void stat_slow_sort(struct stat_sink *sink);

/** stat_row_rate - slices or instants in a second */
double stat_row_rate(const struct stat_sink *sink, const struct stat_row *row);

/** stat_row_name - a row's name, or "(other)" */
struct text stat_row_name(const struct stat_row *row);

/** stat_row_quantile - a quantile of a row's slices, between the shortest and the longest */
int64_t stat_row_quantile(const struct stat_row *row, unsigned int permille);

/** stat_row_mean_ns - the mean of a row's slices */
int64_t stat_row_mean_ns(const struct stat_row *row);

/**
 * stat_rows_choose - the rows of a kind, sorted and limited by the settings
 * @nr_rows: becomes the number of returned rows
 * @nr_more: becomes the number of the others
 *
 * Returns an array that the caller frees, or NULL if memory ran out.
 */
const struct stat_row **stat_rows_choose(const struct stat_sink *sink, enum stat_kind kind,
					 size_t *nr_rows, size_t *nr_more);

/** stat_print_table, stat_print_json, stat_print_csv - print all to the output buffer; return -1 if
 * out of memory
 */
int stat_print_table(struct stat_sink *sink);
int stat_print_json(struct stat_sink *sink);
int stat_print_csv(struct stat_sink *sink);

/**
 * stat_write_prometheus - replace the file of the settings
 *
 * After a failure the old file stays. Returns -1 with @error.
 */
int stat_write_prometheus(struct stat_sink *sink, struct error *error);

/** stat_histogram_append - append a line for each power of two; returns -1 if memory ran out */
int stat_histogram_append(struct buffer *out, const struct quantiles *quantiles,
			  const struct table_style *style);

#endif
