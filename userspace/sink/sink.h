/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of the outputs: one table of all kinds, and the settings that open one of them.
 *
 * A new output is one file or directory in sink/, its constructor in kinds.h, and one row in the table
 * of sink.c.
 */
#ifndef SINK_SINK_H
#define SINK_SINK_H

#include "base/base.h"
#include "timeline/timeline.h"
#include "trace2/trace2.h"

/**
 * struct sink_trace2_settings - the session that a trace2 output writes
 * @value: the target for trace2_session_open(); NULL to write to the descriptor
 * @sid: the whole session id
 * @hierarchy: the command's name after the names of its parents ("git/stream")
 * @file_user, @file_group: owner of files that the target creates; @file_user 0 for the caller
 * @config: brief forms, nesting and parameters to print; NULL for none
 *
 * All strings and @config belong to the caller and outlive the sink.
 */
struct sink_trace2_settings {
	const char *value;
	const char *sid;
	const char *hierarchy;
	unsigned int file_user;
	unsigned int file_group;
	const struct trace2_config *config;
};

/** enum stat_sort - the sort key of a table: the largest number first, texts from a to z */
enum stat_sort {
	STAT_SORT_TOTAL,
	STAT_SORT_COUNT,
	STAT_SORT_MIN,
	STAT_SORT_MEAN,
	STAT_SORT_P50,
	STAT_SORT_P99,
	STAT_SORT_MAX,
	STAT_SORT_NAME,
	STAT_SORT_TRACK,
	STAT_SORT_COUNT_OF
};

/**
 * struct sink_stat_settings - the form of statistics
 * @limit: rows of each table; 0 for all
 * @width: characters of a line; 0 for no limit
 * @height: lines in all, as far as fewer rows help; 0 for no limit
 * @interval_ns: print the tables at this interval, too; 0 for only at the end
 * @is_json: print JSON instead of tables
 * @is_by_name: merge the tracks of a tracepoint
 * @is_utf8: the output may contain UTF-8
 * @is_screen: the output is a terminal; new tables replace the old ones
 */
struct sink_stat_settings {
	enum stat_sort sort;
	uint64_t limit;
	unsigned int width;
	unsigned int height;
	int64_t interval_ns;
	bool is_json;
	bool is_by_name;
	bool has_colour;
	bool is_utf8;
	bool is_screen;
};

/**
 * struct sink_settings - one output of one recording
 * @name: its name in error messages; belongs to the caller, outlives the sink
 * @fd: becomes the sink's, which closes it; unused if @trace2 has a value
 * @with: a set of 1 << enum timeline_emitter, printed with each record
 * @is_appending: @name is a path, and its file keeps its content
 * @wait: waits until the output can be written
 * @report: for messages about the output; may be NULL
 * @trace2: of SINK_USE_TRACE2 kinds
 * @stat: of the kind "stat"
 * @explanations: of outputs that show where the time of slices went; NULL if none is explained
 */
struct sink_settings {
	const char *name;
	int fd;
	unsigned int with;
	bool is_appending;
	struct file_wait wait;
	const struct report *report;
	const struct sink_trace2_settings *trace2;
	const struct sink_stat_settings *stat;
	const struct explanations *explanations;
};

/**
 * enum sink_use - how a command line asks for an output
 * @SINK_USE_TRACE2: --NAME[=TARGET], a target in libtrace2's grammar, which others may share
 * @SINK_USE_FILE: --NAME FILE, a file of its own
 * @SINK_USE_COMMAND: no option; the command NAME prints it
 */
enum sink_use {
	SINK_USE_TRACE2,
	SINK_USE_FILE,
	SINK_USE_COMMAND,
};

/**
 * struct sink_kind - an output format
 * @name: of its option, or of its command
 * @help: the option's line in --help
 * @can_append: its files can be appended to
 * @shows_explanations: it shows where the time of slices went
 * @trace2_key: of SINK_USE_TRACE2: the setting that names the default target
 * @sink_new: opens the output. Returns a sink for timeline_add(), or NULL with @error; it closes
 * the descriptor in that case. Nothing is written before the timeline is opened.
 */
struct sink_kind {
	const char *name;
	const char *help;
	enum sink_use use;
	bool can_append;
	bool shows_explanations;
	enum trace2_key trace2_key;
	struct sink *(*sink_new)(const struct sink_settings *settings, struct error *error);
};

/** SINK_KINDS_MAX - limit of sink_kinds_count, for arrays with one member for each kind */
#define SINK_KINDS_MAX TIMELINE_SINKS_MAX

/** sink_kinds - all outputs, in the order of --help */
extern const struct sink_kind sink_kinds[];
extern const size_t sink_kinds_count;

/** sink_kind_find - the kind of a name; NULL if there is none */
const struct sink_kind *sink_kind_find(const char *name);

#endif
