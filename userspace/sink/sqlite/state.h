/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the SQLite outputs: the rows of a timeline. */
#ifndef SINK_SQLITE_STATE_H
#define SINK_SQLITE_STATE_H

#include "sink/file.h"
#include "sink/rows.h"
#include "sink/sqlite/database.h"
#include "sink/sqlite/schema.h"

/**
 * struct open_slice - a slice without an end yet
 * @id: in the database
 * @inner_ns: time of the slices in it
 * @nr_args: number of its args so far
 */
struct open_slice {
	int64_t id;
	int64_t inner_ns;
	int tid;
	int cpu;
	unsigned int nr_args;
};

/** struct sqlite_track - a track that has not ended; @open by depth - 1; @row of its thread */
struct sqlite_track {
	struct sink_track link;
	struct row_track row;
	struct open_slice *open;
	unsigned int nr_open;
};

/**
 * struct sqlite_sink - one database
 * @query: asks the database at the end of the recording; NULL for a database in a file
 * @explanations: NULL if no slice is explained
 * @user, @group: owner of the journal
 * @rows: of threads
 * @last_id: of slices, instants and samples
 * @nr_pending: number of rows since the last commit
 * @committed_ns: time of the last commit, by the monotonic clock
 */
struct sqlite_sink {
	struct sink_file file;
	struct database database;
	const struct sink_query_settings *query;
	const struct explanations *explanations;
	unsigned int user;
	unsigned int group;
	struct rows rows;
	sqlite3_stmt *statements[STATEMENT_COUNT];
	int64_t last_id;
	uint64_t nr_pending;
	int64_t committed_ns;
};

/** sqlite_row_begin - begin a row, or the values of another statement */
struct database_row sqlite_row_begin(struct sqlite_sink *sink, enum schema_statement statement);

/** sqlite_rows_add - add the rows of an event; returns -1 with @error */
int sqlite_rows_add(struct sqlite_sink *sink, const struct timeline_event *event,
		    struct error *error);

/** sqlite_explanations_add - add where the time of slices went; returns -1 with @error */
int sqlite_explanations_add(struct sqlite_sink *sink, struct error *error);

/** sqlite_recording_add - add the row of the recording; returns -1 with @error */
int sqlite_recording_add(struct sqlite_sink *sink, const struct recording *recording,
			 struct error *error);

#endif
