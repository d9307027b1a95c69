/* SPDX-License-Identifier: GPL-2.0-only */
/* One query of a database, and its results as a table, as CSV or as JSON. */
#ifndef SINK_SQLITE_QUERY_H
#define SINK_SQLITE_QUERY_H

#include "sink/file.h"
#include "sink/sqlite/database.h"

/**
 * query_answer - run a query, and write its results
 * @file: the output; its @out is empty
 *
 * The query can only read. Returns 0, or -1 with @error, which has the place of a mistake.
 */
int query_answer(struct database *database, const struct sink_query_settings *settings,
		 struct sink_file *file, struct error *error);

/**
 * query_check - find mistakes of a query before the rows are there; returns -1 with @error
 *
 * The tables exist.
 */
int query_check(struct database *database, const struct sink_query_settings *settings,
		struct error *error);

/** query_find - the text of a query: @text itself, or that of "@NAME"; NULL with @error */
const char *query_find(const char *text, struct error *error);

/**
 * query_print - write the results of a statement
 *
 * Returns the status of SQLite, or -1 with @error if the output failed.
 */
int query_print(struct database *database, sqlite3_stmt *statement,
		const struct sink_query_settings *settings, struct sink_file *file,
		struct error *error);

#endif
