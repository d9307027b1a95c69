/* SPDX-License-Identifier: GPL-2.0-only */
/* One source of an export: its records, and the pipeline that makes track events of them. */
#ifndef REPLAY_EXPORT_PART_H
#define REPLAY_EXPORT_PART_H

#include "output/output.h"
#include "reader/reader.h"
#include "replay/replay.h"
#include "source/source.h"

/**
 * struct export_part - a source
 * @settings: of the export
 * @name: of the source, as in @settings
 * @selection: that of @settings, or @own if there are several sources
 * @directory: of the instance that is read; empty for a file
 * @lock_fd: keeps other ktracks from reading the instance; -1 for a file
 * @transfer: shows how much was read
 * @recording: describes it, in its own times
 * @labels: of the recording: lines "KEY=VALUE"
 * @has_next: a record at @next_ns is the next one
 */
struct export_part {
	struct export_settings *settings;
	const char *name;
	struct selection *selection;
	struct selection own;
	struct buffer directory;
	int lock_fd;
	struct source *source;
	struct pipeline pipeline;
	struct transfer transfer;
	struct recording recording;
	struct buffer labels;
	bool has_next;
	int64_t next_ns;
};

/**
 * export_part_open - open a source, find its track events, and describe it
 * @index: of the source in @settings
 *
 * Returns 0, or -1 with @error; export_part_release() works in both cases.
 */
int export_part_open(struct export_part *part, struct export_settings *settings, size_t index,
		     struct error *error);

/** export_part_find_start - set the recording's start; returns -1 with @error */
int export_part_find_start(struct export_part *part, struct error *error);

/** export_part_begin - open its timeline, whose sinks were added; returns -1 with @error */
int export_part_begin(struct export_part *part, struct error *error);

/**
 * export_part_read - deliver records
 * @until_ns: up to this time of the source
 *
 * Also those before damage. Returns 0, or -1 with @error.
 */
int export_part_read(struct export_part *part, int64_t until_ns, struct error *error);

/** export_part_find_next - set @has_next and @next_ns; returns -1 with @error */
int export_part_find_next(struct export_part *part, struct error *error);

/** export_part_read_rest - deliver all remaining records and losses; returns -1 with @error */
int export_part_read_rest(struct export_part *part, struct error *error);

/**
 * export_part_finish - finish the timeline; the recording ends with the last record
 * @status: exit status of the run
 *
 * Returns 0, or -1 with @error.
 */
int export_part_finish(struct export_part *part, int status, struct error *error);

/** export_part_is_damaged - whether the source is, or formats of a file could not be read */
bool export_part_is_damaged(const struct export_part *part);

/** export_part_is_of_file - whether the source can be read again: it is no pipe or instance */
bool export_part_is_of_file(const struct export_part *part);

/** export_part_file - the file that is read: the source, or what was saved of it */
const char *export_part_file(const struct export_part *part);

/** export_part_title - the source, in messages */
const char *export_part_title(const struct export_part *part);

/**
 * export_part_report_loss - report lost records, and begins without an end
 * @is_failure: --fail-on-loss decides the status
 */
void export_part_report_loss(const struct export_part *part, bool is_failure);

/** export_part_report_empty - report if there are no track events, and what there is instead */
void export_part_report_empty(struct export_part *part);

void export_part_release(struct export_part *part);

#endif
