/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sink room's public header: what the timeline can be turned into, one constructor for each
 * output.
 */
#ifndef SINK_SINK_H
#define SINK_SINK_H

#include "base/base.h"
#include "timeline/timeline.h"
#include "trace2/trace2.h"

/**
 * struct sink_trace2_target - where the lines of a target go
 * @name: what errors call it; NULL for a target that is off
 * @value: where trace2_session_open() is to write; NULL where there is @fd
 * @fd: becomes the sink's, which closes it
 */
struct sink_trace2_target {
	const char *name;
	const char *value;
	int fd;
};

/**
 * struct sink_trace2_settings - where trace2 lines go, and whose session it is
 * @sid: the whole session id
 * @hierarchy: the command's name behind those of the commands that started this one ("git/stream")
 * @with: a set of 1 << enum timeline_emitter, told with each record
 * @file_user, @file_group: to whom files are given that targets make; 0 as @file_user for nobody
 * else
 * @config: brief forms, nesting, and parameters that are to be told; NULL for none
 * @targets: by enum trace2_target
 * @wait: what to do where a target takes nothing now
 *
 * All strings and @config are the caller's and live as long as the sink.
 */
struct sink_trace2_settings {
	const char *sid;
	const char *hierarchy;
	unsigned int with;
	unsigned int file_user;
	unsigned int file_group;
	const struct trace2_config *config;
	struct sink_trace2_target targets[TRACE2_TARGET_COUNT];
	struct file_wait wait;
};

/**
 * sink_trace2_new - one trace2 session for one recording
 *
 * All targets are opened here; nothing is written to them before the timeline is opened.
 *
 * Returns a sink for timeline_add(), or NULL with @error; all descriptors are closed then.
 */
struct sink *sink_trace2_new(const struct sink_trace2_settings *settings, struct error *error);

/**
 * struct sink_file_settings - a file that one recording is written to
 * @name: what errors call it; the caller's, lives as long as the sink
 * @fd: becomes the sink's, which closes it
 * @with: a set of 1 << enum timeline_emitter, told with each record
 * @is_appending: @name is a path whose file may hold something, which is added to
 * @wait: what to do where it takes nothing now
 * @report: print a message about the file on standard error; may be NULL
 */
struct sink_file_settings {
	const char *name;
	int fd;
	unsigned int with;
	bool is_appending;
	struct file_wait wait;
	void (*report)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/**
 * sink_chrome_new - trace events in JSON, as chrome://tracing, Perfetto and speedscope open them
 *
 * Returns a sink for timeline_add(), or NULL with @error; the descriptor is closed then.
 */
struct sink *sink_chrome_new(const struct sink_file_settings *settings, struct error *error);

/** sink_perfetto_new - likewise a trace in Perfetto's native form */
struct sink *sink_perfetto_new(const struct sink_file_settings *settings, struct error *error);

/** sink_html_new - likewise a page that needs no other file and no network */
struct sink *sink_html_new(const struct sink_file_settings *settings, struct error *error);

/** enum stat_sort - what a table is sorted by: the largest first, texts from a to z */
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
 * struct sink_stat_settings - what statistics look like
 * @file: where they are printed to
 * @limit: show at most so many rows of each table; 0 for all
 * @width: at most so many characters a line; 0 for no bound
 * @height: at most so many lines, in all, as far as fewer rows help; 0 for no bound
 * @interval_ns: print them also while the recording goes on, so often; 0 for only at the end
 * @is_json: instead of tables
 * @is_by_name: put the tracks of a tracepoint together
 * @is_utf8: what reads them understands it
 * @is_screen: it is a terminal, on which new tables take the place of the old ones
 */
struct sink_stat_settings {
	struct sink_file_settings file;
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

/** sink_stat_new - statistics of slices, counters and instants; otherwise as sink_chrome_new() */
struct sink *sink_stat_new(const struct sink_stat_settings *settings, struct error *error);

#endif
