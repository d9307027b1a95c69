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

/** stat_kind_name - "slice", "counter" or "instant" */
const char *stat_kind_name(enum stat_kind kind);

/** struct stat_row - one line of the table */
struct stat_row {
	enum stat_kind kind;
	const struct timeline_category *category;
	/* Values of all keys but the name, each with a NUL; of counters the track's label. */
	struct buffer group;
	/* NULL for names that are not counted one by one, and if rows are not grouped by it. */
	struct timeline_name *name;
	struct intervals times;	    /* of complete slices */
	int64_t window_ns;	    /* their time in the window that is shown */
	int64_t self_ns;	    /* that outside of slices in them */
	struct quantiles quantiles; /* of complete slices */
	struct levels levels;	    /* of counters */
	uint64_t count;		    /* of instants */
	bool is_rest;		    /* a thread sleeps, or a CPU is idle */
	uint64_t nr_suspect;	    /* slices that @times excludes; one may be several of these */
	uint64_t nr_unfinished;
	uint64_t nr_foreign;
	uint64_t nr_left_out; /* all of them */
};

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

/** struct stat_open - a slice without an end yet */
struct stat_open {
	struct buffer group;  /* the values of its begin, if rows depend on it; else empty */
	int64_t inner_ns;     /* time of the slices in it */
	struct buffer fields; /* of the begin, if the slowest slices are listed */
};

/** STAT_RECENT_ROWS - rows of a track that need not be searched */
#define STAT_RECENT_ROWS 8

/** struct stat_track - a track that has not ended */
struct stat_track {
	struct sink_track link;
	struct buffer label;			   /* if rows are grouped by it */
	struct stat_row *recent[STAT_RECENT_ROWS]; /* by numbers of names, modulo their count */
	struct stat_open *open;			   /* by depth - 1 */
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

/** struct stat_sink - all rows, in order of appearance */
struct stat_sink {
	struct sink_file file;
	struct sink_stat_settings settings;
	bool groups_records; /* keys of rows depend on records */
	struct map map;	     /* of the rows */
	struct stat_row **rows;
	size_t nr_rows;
	size_t text_size;	/* bytes in their groups */
	struct stat_slow *slow; /* the slowest slices, a heap with the least slow one first */
	size_t nr_slow;
	struct stat_loss *losses;
	size_t nr_losses;
	struct timeline_totals totals; /* once @is_finished */
	uint64_t nr_beyond;	       /* slices, samples and instants in merged rows */
	bool has_reported;	       /* that the file of Prometheus cannot be written */
	unsigned int user; /* owner of that file in a directory of this user; 0 for the caller */
	unsigned int group;
	int64_t now_ns;
	const char *selection; /* what is shown, NULL if that is not known */
	int64_t printed_ns;    /* time of the last print, by the monotonic clock */
	bool is_finished;
	int64_t from_ns; /* the window that is shown */
	int64_t to_ns;
};

bool stat_has_key(const struct sink_stat_settings *settings, enum stat_key key);

/** stat_row_key - the value of the key with an index below @settings->nr_groups */
struct text stat_row_key(const struct stat_row *row, const struct sink_stat_settings *settings,
			 size_t index);
/**
 * stat_group_append - append the values of all keys but the name
 * @begun: of a slice, the values of its begin; what the begin does not have is the end's
 */
void stat_group_append(const struct stat_sink *sink, struct buffer *out,
		       const struct timeline_event *event, const struct stat_track *track,
		       const struct buffer *begun);
/** stat_slow_add - keep a slice that ends, if it is one of the slowest; -1 if memory ran out */
int stat_slow_add(struct stat_sink *sink, const struct timeline_event *event,
		  const struct stat_open *open);
/** stat_slow_sort - sort the slowest slices, the slowest last, which leaves them a heap */
void stat_slow_sort(struct stat_sink *sink);
/** stat_row_count - the number of complete slices, of samples or of instants */
uint64_t stat_row_count(const struct stat_row *row);
/** stat_row_name - a row's name, or "(other)" */
struct text stat_row_name(const struct stat_row *row);
/** stat_row_quantile - a quantile of a row's slices, between the shortest and the longest */
int64_t stat_row_quantile(const struct stat_row *row, unsigned int permille);

/** enum stat_unit - what values are, and so how each form prints them */
enum stat_unit {
	UNIT_TEXT,
	UNIT_COUNT,
	UNIT_DURATION,
	UNIT_RATE,
	UNIT_SHARE,
	UNIT_LEVEL,
	UNIT_HISTOGRAM,
};

/** enum stat_each - a column for each key, or for each percentile, of the settings */
enum stat_each {
	STAT_ONCE,
	STAT_EACH_KEY,
	STAT_EACH_PERCENTILE,
};

/** struct stat_source - what the values of a row are made of */
struct stat_source {
	const struct sink_stat_settings *settings;
	const struct stat_row *row;
	int64_t duration_ns; /* the recorded time */
	uint64_t new_count;  /* in the last interval of the interactive view */
	int64_t new_ns;
	const int64_t *percentiles; /* by the settings, if the row has no quantiles; else NULL */
};

/** stat_window_time - how much of a time is in the window that is shown */
int64_t stat_window_time(const struct stat_sink *sink, int64_t from_ns, int64_t to_ns);
/** stat_sink_duration - the time that is shown, up to @now_ns */
int64_t stat_sink_duration(const struct stat_sink *sink, int64_t now_ns);
/** stat_source_of - a source of the values of a row of the sink */
struct stat_source stat_source_of(const struct stat_sink *sink, const struct stat_row *row);

struct stat_column {
	const char *title; /* in tables and the view; NULL if these do not have it */
	const char *key;   /* in JSON and CSV; NULL if these do not have it */
	const char *sort;  /* word of --sort; NULL for none */
	unsigned int kinds[STAT_FORM_COUNT]; /* of rows that have it, one bit each, by form */
	enum stat_unit unit;
	/* Its value; of a key @of is the index among the groups, of a percentile the permille. */
	struct value (*get)(const struct stat_source *source, unsigned int of);
	size_t member;	     /* without @get: of struct stat_row, of the type of its unit */
	enum stat_each each; /* the names of such a column are examples */
	unsigned int rank;   /* in tables and in the view, see struct table_column */
	unsigned int view_rank;
	bool needs_slices; /* there is no value if no slice is complete */
	/* Whether tables of these rows have it; NULL for always. */
	bool (*is_needed)(const struct sink_stat_settings *settings,
			  const struct stat_row *const *rows, size_t nr_rows);
};

/** struct stat_shown - a column as the settings have it */
struct stat_shown {
	const struct stat_column *column;
	unsigned int of;      /* for stat_value_get() */
	unsigned int sort_of; /* as in the settings, if rows are sorted by it */
	const char *title;
	const char *key;
};

/** STAT_COLUMNS_MAX - most columns of a form */
#define STAT_COLUMNS_MAX TABLE_COLUMNS_MAX

/** struct stat_columns - the columns of a form; not to be copied */
struct stat_columns {
	struct stat_shown list[STAT_COLUMNS_MAX];
	size_t size;
	char percentiles[STAT_PERCENTILES_MAX][2][12]; /* titles and keys */
};

/** stat_columns_choose - the columns for a kind of rows, or with STAT_KIND_COUNT those for all */
void stat_columns_choose(struct stat_columns *columns, const struct sink_stat_settings *settings,
			 enum stat_form form, enum stat_kind kind);
/** stat_shown_is_sort - whether the settings sort by this column */
bool stat_shown_is_sort(const struct stat_shown *shown, const struct sink_stat_settings *settings);
/** stat_shown_has_value - whether a row has a value in this column */
bool stat_shown_has_value(const struct stat_shown *shown, const struct stat_row *row,
			  enum stat_form form);

/** stat_value_get - the value of a row in a column that is no histogram; @of as in struct
 * stat_shown */
struct value stat_value_get(const struct stat_column *column, const struct stat_source *source,
			    unsigned int of);

/** stat_shown_append - append a value for people; no histogram */
void stat_shown_append(const struct stat_shown *shown, const struct stat_source *source,
		       struct buffer *out);

/** stat_value_compare - the order of two values of a column: texts from a to z, large numbers first
 */
int stat_value_compare(const struct value *a, const struct value *b);

/**
 * stat_rows_choose - the rows of a kind, sorted and limited by the settings
 * @nr_rows: becomes the number of returned rows
 * @nr_more: becomes the number of the others
 *
 * Returns an array that the caller frees. If memory ran out, that is in the output buffer's state,
 * and it is NULL, and empty.
 */
const struct stat_row **stat_rows_choose(struct stat_sink *sink, enum stat_kind kind,
					 size_t *nr_rows, size_t *nr_more);

/** stat_print_table, stat_print_json, stat_print_csv - print all to the output buffer */
void stat_print_table(struct stat_sink *sink);
void stat_print_json(struct stat_sink *sink);
void stat_print_csv(struct stat_sink *sink);
/** stat_write_prometheus - replace the file of the settings; -1 with @error, the old file stays */
int stat_write_prometheus(struct stat_sink *sink, struct error *error);
/** stat_histogram_append - append a line for each power of two */
void stat_histogram_append(struct buffer *out, const struct quantiles *quantiles,
			   const struct table_style *style);
/** stat_sort_parse - sort by a column's word, the other way after '-'; returns false if unknown */
bool stat_sort_parse(struct sink_stat_settings *settings, const char *word);
/** stat_options - those of ktrack stat that are for a struct sink_stat_settings */
extern const struct option_row stat_options[];

/* The interactive view (ktrack stat --live on a terminal). */

/** top_begin - show the view, as soon as ktrack is in the foreground; returns -1 with @error */
int top_begin(struct stat_top *top, const struct stat_sink *sink, struct error *error);
/** top_update - process keys and signals, copy the rows if it @is_due, draw; -1 with @error */
int top_update(struct stat_top *top, bool is_due, struct error *error);
/** top_end - restore the terminal, and report what was kept; the sink may end */
void top_end(struct stat_top *top);

#endif
