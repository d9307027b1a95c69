/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the stat sink: a row for each name on each track, and losses by CPU. */
#ifndef SINK_STAT_STATE_H
#define SINK_STAT_STATE_H

#include "sink/file.h"
#include "sink/stat/quantile.h"
#include "sink/summary.h"

enum stat_kind {
	STAT_SLICES,
	STAT_COUNTER,
	STAT_INSTANTS,
	STAT_KIND_COUNT
};

/**
 * struct stat_row - one line of the table
 * @track: the track's label; empty if the slices or instants of all tracks are merged
 * @name: of slices and instants; NULL for names that are not counted one by one
 * @times: of complete slices
 * @quantiles: of complete slices
 * @levels: of counters
 * @count: of instants
 * @nr_suspect, @nr_unfinished, @nr_foreign: slices that @times excludes; a slice may be several
 * @nr_left_out: number of excluded slices
 */
struct stat_row {
	enum stat_kind kind;
	const struct timeline_category *category;
	struct buffer track;
	struct timeline_name *name;
	struct intervals times;
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

/** STAT_TEXT_MAX - limit of bytes in all rows' track labels; a table has two more copies */
#define STAT_TEXT_MAX ((size_t)2 << 20)

/**
 * struct stat_sink - all rows, in order of appearance
 * @map: of the rows
 * @text_size: bytes in their track labels
 * @nr_beyond: slices, samples and instants in merged rows
 * @totals: once @is_finished
 * @printed_ns: time of the last print, by the monotonic clock
 */
struct stat_sink {
	struct sink_file file;
	struct sink_stat_settings settings;
	struct map map;
	struct stat_row **rows;
	size_t nr_rows;
	size_t text_size;
	struct stat_loss *losses;
	size_t nr_losses;
	struct timeline_totals totals;
	uint64_t nr_beyond;
	int64_t now_ns;
	int64_t printed_ns;
	bool is_finished;
};

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

/** stat_print_table, stat_print_json - print all to the output buffer; return -1 if out of memory
 */
int stat_print_table(struct stat_sink *sink);
int stat_print_json(struct stat_sink *sink);

#endif
