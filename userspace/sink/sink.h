/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of the outputs: one table of all kinds, and the settings that open one of them.
 *
 * A new output is one file or directory in sink/ with a struct sink_kind, and one row of the list
 * in sink.c.
 */
#ifndef SINK_SINK_H
#define SINK_SINK_H

#include "base/base.h"
#include "timeline/timeline.h"
#include "trace2/trace2.h"

/**
 * struct sink_trace2_settings - the session that a trace2 output writes
 * @file_user, @file_group: owner of files that the target creates; @file_user 0 for the caller
 *
 * All strings and @config belong to the caller and outlive the sink.
 */
struct sink_trace2_settings {
	/* the target for trace2_session_open(); NULL to write to the descriptor */
	const char *value;
	const char *sid; /* the whole session id */
	/* the command's name after the names of its parents ("git/stream") */
	const char *hierarchy;
	unsigned int file_user;
	unsigned int file_group;
	/* brief forms, nesting and parameters to print; NULL for none */
	const struct trace2_config *config;
};

/**
 * enum stat_key - what rows are grouped by, next to the tracepoint
 * @STAT_KEY_CGROUP: of the track's process
 * @STAT_KEY_PID, @STAT_KEY_COMM, @STAT_KEY_CPU, @STAT_KEY_FIELD: of the record; of slices, that of
 * the begin
 */
enum stat_key {
	STAT_KEY_TRACK,
	STAT_KEY_NAME,
	STAT_KEY_CGROUP,
	STAT_KEY_PID,
	STAT_KEY_COMM,
	STAT_KEY_CPU,
	STAT_KEY_FIELD,
	STAT_KEY_COUNT
};

/** STAT_GROUPS_MAX - most keys of a table */
#define STAT_GROUPS_MAX 6

/** struct stat_group - a key */
struct stat_group {
	enum stat_key key;
	const char *word;  /* as on the command line: "cpu", "field:bytes" */
	const char *field; /* the name of its field; NULL for other keys */
};

/** STAT_PERCENTILES_MAX - most columns of percentiles */
#define STAT_PERCENTILES_MAX 6
/** STAT_BRIEF_ROWS - rows of a brief table, which leaves out sleeping threads and idle CPUs */
#define STAT_BRIEF_ROWS 25
/** STAT_SLOWEST_MAX - limit of slices that are listed one by one */
#define STAT_SLOWEST_MAX 1000

/** enum stat_form - how statistics are printed, or shown in the interactive view */
enum stat_form {
	STAT_TABLES,
	STAT_JSON,
	STAT_CSV,
	STAT_VIEW,
	STAT_FORM_COUNT
};

struct sink_file_ops;
struct stat_column;
struct stat_top;

/**
 * stat_top_new - an interactive view of statistics on the terminal of standard input and output
 * @report: receives the messages of the run after the view
 *
 * The terminal does not change before the recording begins. Returns the view for stat_top_free(),
 * or NULL with @error if the terminal cannot show it.
 */
struct stat_top *stat_top_new(const struct report *report, struct error *error);

/** stat_top_report - the destination of messages and progress during the run */
const struct report *stat_top_report(const struct stat_top *top);
/** stat_top_watch - a descriptor that is readable if @fd is, or if flushing the sink has work */
int stat_top_watch(struct stat_top *top, int fd, struct error *error);
/** stat_top_wait_ms - @timeout_ms, or less if the view has to be drawn before */
int stat_top_wait_ms(const struct stat_top *top, int timeout_ms);
/** stat_top_is_over - whether the user asked for the end, or the terminal is gone */
bool stat_top_is_over(const struct stat_top *top);
/** stat_top_free - restore the terminal; the sink must have ended; @top may be NULL */
void stat_top_free(struct stat_top *top);

/** struct sink_stat_settings - the form of statistics */
struct sink_stat_settings {
	const struct stat_column *sort; /* column by which rows are sorted; NULL for the total */
	unsigned int sort_of;		/* of a percentile in 1/1000, of a key its enum stat_key */
	bool is_reversed;		/* sort the other way */
	/* @groups, @nr_groups: keys of the rows; 0 for track and name */
	struct stat_group groups[STAT_GROUPS_MAX];
	size_t nr_groups;
	char *group_words; /* has their words, if it is not NULL */
	/* @permille, @nr_permille: the percentiles, in 1/1000; 0 for 500 and 990 */
	unsigned int permille[STAT_PERCENTILES_MAX];
	size_t nr_permille;
	/* only slices and instants with such a name, a pattern for fnmatch(3); NULL for all */
	const char *name;
	uint64_t slowest; /* number of the slowest slices that are listed one by one; 0 for none */
	bool has_histograms; /* print the full histogram of each row */
	uint64_t limit;	     /* rows of each table; 0 for all */
	/* also rows of sleeping threads and idle CPUs; no limit is the default then */
	bool has_all;
	bool is_brief;	     /* neither @sort nor any of these was chosen; see STAT_BRIEF_ROWS */
	unsigned int width;  /* characters of a line; 0 for no limit */
	unsigned int height; /* lines in all, as far as fewer rows help; 0 for no limit */
	int64_t interval_ns; /* print the tables at this interval, too; 0 for only at the end */
	enum stat_form form; /* of what is printed */
	/* a file that is written in Prometheus' text format instead; NULL for none */
	const char *prometheus;
	/* @has_colour, @is_utf8: the output may contain colours, and UTF-8 */
	bool has_colour;
	bool is_utf8;
	bool is_screen;	      /* the output is a terminal; new tables replace the old ones */
	struct stat_top *top; /* an interactive view until the end; NULL for none */
};

void stat_settings_release(struct sink_stat_settings *settings);

/** enum query_form - how the results of a query are printed */
enum query_form {
	QUERY_TABLE,
	QUERY_CSV,
	QUERY_JSON,
};

/** struct sink_query_settings - a query of the recording as a database */
struct sink_query_settings {
	const char *sql; /* one statement, or "@NAME" for a query that is built in */
	/* @nr_parameters of the form "NAME=VALUE", the value of :NAME in the query */
	const char *const *parameters;
	size_t nr_parameters;
	enum query_form form;
	bool has_header;    /* the first line of QUERY_CSV has the names of the columns */
	unsigned int width; /* characters of a line; 0 for no limit */
	/* @has_colour, @is_utf8: the output may contain colours, and UTF-8 */
	bool has_colour;
	bool is_utf8;
};

/** struct sink_query - a query that is built in */
struct sink_query {
	const char *name;
	const char *about; /* what it answers, one line */
	const char *sql;   /* its text */
};

/** sink_queries - all of them; the last one has no name */
extern const struct sink_query sink_queries[];

/**
 * enum sink_rows - what has a row of its own in outputs that draw
 * @SINK_ROWS_THREAD: a thread, see sink/rows.h
 * @SINK_ROWS_TRACEPOINT: each track
 */
enum sink_rows {
	SINK_ROWS_THREAD,
	SINK_ROWS_TRACEPOINT,
};

/** struct sink_settings - one output of one recording */
struct sink_settings {
	const char *name; /* its name in error messages; belongs to the caller, outlives the sink */
	const char *path; /* of its file; NULL for standard output */
	int fd;		  /* becomes the sink's, which closes it; unused if @trace2 has a value */
	unsigned int with;     /* a set of 1 << enum timeline_emitter, printed with each record */
	enum sink_rows rows;   /* of outputs that draw */
	bool is_appending;     /* @name is a path, and its file keeps its content */
	bool is_compressed;    /* the file is compressed with zstd; of kinds that can be */
	struct file_wait wait; /* waits until the output can be written */
	const struct report *report;		   /* for messages about the output; may be NULL */
	const struct sink_trace2_settings *trace2; /* of SINK_USE_TRACE2 kinds */
	/* @user, @group: owner of files next to its own; @user 0 for the caller */
	unsigned int user;
	unsigned int group;
	const struct sink_stat_settings *stat;	 /* of the kind "stat" */
	const struct sink_query_settings *query; /* of the kind "query" */
	/* of outputs that show where the time of slices went; NULL if none is explained */
	const struct explanations *explanations;
	uint64_t size_max; /* of the kind "serve": limit of the size of its file, about */
	/* for the kind's own options, if it is no command's; zeroed if none was given */
	const void *own;
};

/**
 * enum sink_use - how a command line asks for an output
 * @SINK_USE_TRACE2: --NAME[=TARGET], a target in libtrace2's grammar, which others may share
 * @SINK_USE_FILE: --NAME FILE, a file of its own
 * @SINK_USE_FOLDER: --NAME DIRECTORY, of which the output gets the path
 * @SINK_USE_COMMAND: no option; the command NAME prints it
 * @SINK_USE_SERVER: --NAME[=PORT], a server of the command
 */
enum sink_use {
	SINK_USE_TRACE2,
	SINK_USE_FILE,
	SINK_USE_FOLDER,
	SINK_USE_COMMAND,
	SINK_USE_SERVER,
};

/** struct sink_kind - an output format */
struct sink_kind {
	const char *name;   /* of its option, or of its command */
	const char *help;   /* the option's line in --help */
	const char *viewer; /* what opens its files, NULL if they are text */
	bool is_rare;	    /* only --help-all prints it */
	enum sink_use use;
	/* of SINK_USE_FILE: its files are lines, which another session can continue */
	bool is_lines;
	bool can_append;	 /* its files can be appended to */
	bool can_compress;	 /* a file whose name ends with ".zst" is compressed */
	bool creates_files;	 /* it creates files next to its own until the end */
	bool shows_explanations; /* it shows where the time of slices went */
	bool shows_overview;	 /* it shows who used the CPUs, and the slowest kinds of slices */
	/* its times are those of the wall clock, and nothing in it says if that is unknown */
	bool shows_dates;
	/* @target, @trace2_key: of SINK_USE_TRACE2; the setting names the default target */
	enum trace2_target target;
	enum trace2_key trace2_key;
	/*
	 * rows up to one without a name, of this output alone; NULL for none. Those of a
	 * command are for the struct of its settings, others for a zeroed struct of at most
	 * SINK_OWN_SIZE bytes, which is sink_settings.own
	 */
	const struct option_row *options;
	const struct sink_file_ops *file; /* of an output that writes one file; see sink/file.h */
	/* opens any other output, as sink_open() does; NULL for sink_file_new() */
	struct sink *(*sink_new)(const struct sink_kind *kind, const struct sink_settings *settings,
				 struct error *error);
};

/**
 * sink_open - open an output
 *
 * Returns a sink for timeline_add(), or NULL with @error; it closes the descriptor in that case.
 * Nothing is written before the timeline is opened.
 */
struct sink *sink_open(const struct sink_kind *kind, const struct sink_settings *settings,
		       struct error *error);

/** SINK_KINDS_MAX - limit of sink_kinds_count, for arrays with one member for each kind */
#define SINK_KINDS_MAX 24
/** SINK_OWN_SIZE - limit of the settings that an output's own options set, which asserts it */
#define SINK_OWN_SIZE 64

/** sink_kinds - all outputs, in the order of --help */
extern const struct sink_kind *const sink_kinds[];
extern const size_t sink_kinds_count;

/** struct sink_query_result - about the answer to a query of a database */
struct sink_query_result {
	uint64_t nr_rows;   /* number of its rows */
	bool has_recording; /* the rest is what was lost: records, in gaps, some of unknown size */
	uint64_t lost;
	uint64_t gaps;
	uint64_t gaps_unknown;
};

/** sink_query_database - query the database @path, and close the descriptor; -1 with @error */
int sink_query_database(const struct sink_settings *settings, const char *path,
			struct sink_query_result *result, struct error *error);
/** sink_query_find - the text of the query "@NAME"; NULL with @error, which suggests a near one */
const char *sink_query_find(const char *text, struct error *error);
/** sink_live_page_append - append the page that reads the lines of the kind "serve" from "lines" */
void sink_live_page_append(struct buffer *out, const char *title);
/** sink_kind_number - where sink_kinds has the kind of a name; sink_kinds_count if there is none */
size_t sink_kind_number(const char *name);

#endif
