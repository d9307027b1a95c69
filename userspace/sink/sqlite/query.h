/* SPDX-License-Identifier: GPL-2.0-only */
/* One query of a database, and its results as a table, as CSV or as JSON. */
#ifndef SINK_SQLITE_QUERY_H
#define SINK_SQLITE_QUERY_H

#include "sink/file.h"
#include "sink/sqlite/database.h"

/**
 * query_answer - run a query, and write its results
 * @file: the output; its @out is empty
 * @nr_rows: their number, if it succeeds; may be NULL
 *
 * The query can only read. Returns 0, or -1 with @error, which has the place of a mistake.
 */
int query_answer(struct database *database, const struct sink_query_settings *settings,
		 struct sink_file *file, uint64_t *nr_rows, struct error *error);

/** query_read_losses - read what the recording in the database lost; false if that is not there */
bool query_read_losses(struct database *database, struct sink_query_result *result);

/**
 * query_check - find mistakes of a query before the rows are there; returns -1 with @error
 *
 * The tables exist.
 */
int query_check(struct database *database, const struct sink_query_settings *settings,
		struct error *error);

/** query_text - the text of a query: @text itself, or that of "@NAME"; NULL with @error */
const char *query_text(const char *text, struct error *error);

/**
 * query_print - write the results of a statement
 * @nr_rows: their number; may be NULL
 *
 * Returns the status of SQLite, or -1 with @error if the output failed.
 */
int query_print(struct database *database, sqlite3_stmt *statement,
		const struct sink_query_settings *settings, struct sink_file *file,
		uint64_t *nr_rows, struct error *error);

#endif
