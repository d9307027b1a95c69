/* SPDX-License-Identifier: GPL-2.0-only */
/* A database: opened, filled with rows, queried. */
#ifndef SINK_SQLITE_DATABASE_H
#define SINK_SQLITE_DATABASE_H

#include "sink/sqlite/vfs.h"

/**
 * struct database - an open database
 * @name: in error messages
 * @files: of a database that is written; unused if @vfs is NULL
 * @vfs: name of the file access, NULL for SQLite's own
 * @text: scratch
 * @is_complete: nothing is left to write, and so there is no journal to keep
 *
 * It must not move while it is open. A zeroed struct can be closed.
 */
struct database {
	struct sqlite_api api;
	sqlite3 *handle;
	const char *name;
	struct database_files files;
	const char *vfs;
	struct buffer text;
	bool is_complete;
};

/**
 * database_open_file - open an empty database in the file @fd, which stays the caller's
 * @path: of the file
 * @user, @group: owner of files next to it; @user 0 for the caller
 *
 * This and the following functions return 0, or -1 with @error.
 */
int database_open_file(struct database *database, int fd, const char *path, unsigned int user,
		       unsigned int group, struct error *error);

/** database_open_temporary - open a database in an unnamed temporary file */
int database_open_temporary(struct database *database, const char *name, struct error *error);

/** database_open_existing - open the database @path for reading */
int database_open_existing(struct database *database, const char *path, struct error *error);

/** database_fail - set @error to the last failure of SQLite; returns -1 */
int database_fail(struct database *database, struct error *error);

/** database_run - run statements without results */
int database_run(struct database *database, const char *sql, struct error *error);

/** database_prepare - prepare a statement that is used often */
int database_prepare(struct database *database, const char *sql, sqlite3_stmt **out,
		     struct error *error);

/** database_close - close it, after its statements were finalized */
void database_close(struct database *database);

/**
 * struct database_row - a row that is being added
 * @index: number of values so far
 */
struct database_row {
	struct database *database;
	sqlite3_stmt *statement;
	int index;
	bool failed;
};

/** row_begin - begin a row with a prepared INSERT */
static inline struct database_row row_begin(struct database *database, sqlite3_stmt *statement)
{
	return (struct database_row){ .database = database, .statement = statement };
}

/** row_add_number - add a value; this and the others in the order of the statement */
static inline void row_add_number(struct database_row *row, int64_t number)
{
	if (row->database->api.bind_int64(row->statement, ++row->index, number) != SQLITE_OK)
		row->failed = true;
}

void row_add_null(struct database_row *row);

/** row_add_known - add a number that is not negative, or NULL */
static inline void row_add_known(struct database_row *row, int64_t number)
{
	if (number < 0)
		row_add_null(row);
	else
		row_add_number(row, number);
}

/** row_add_text - add a text that stays until row_end(); bytes that are no UTF-8 become U+FFFD */
void row_add_text(struct database_row *row, struct text text);

/** row_add_string - add a text, or NULL */
void row_add_string(struct database_row *row, const char *string);

/** row_add_unsigned - add a number; beyond the integers of SQLite as decimal text */
void row_add_unsigned(struct database_row *row, uint64_t number);

/** row_add_value - add a value of a record; opaque bytes as hexadecimal text */
void row_add_value(struct database_row *row, const struct value *value);

/** row_end - insert the row */
int row_end(struct database_row *row, struct error *error);

#endif
