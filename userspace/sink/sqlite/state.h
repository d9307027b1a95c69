/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the SQLite outputs: the database, its schema, the rows of a timeline, queries.
 */
#ifndef SINK_SQLITE_STATE_H
#define SINK_SQLITE_STATE_H

#include <sqlite3.h>

#include "base/base.h"
#include "sink/file.h"

#define SQLITE_API_FUNCTIONS(apply)                                                               \
	apply(bind_double) apply(bind_int64) apply(bind_null) apply(bind_parameter_count) apply(  \
		bind_parameter_name) apply(bind_text) apply(close_v2) apply(column_count)         \
		apply(column_double) apply(column_int64) apply(column_name) apply(column_text)    \
			apply(column_blob) apply(column_bytes) apply(column_type) apply(          \
				db_config) apply(errcode) apply(errmsg) apply(error_offset)       \
				apply(exec) apply(finalize) apply(hard_heap_limit64) apply(limit) \
					apply(open_v2) apply(prepare_v2) apply(progress_handler)  \
						apply(reset) apply(set_authorizer) apply(step)    \
							apply(vfs_find) apply(vfs_register)       \
								apply(vfs_unregister)

/** struct sqlite_api - pointers to the functions of SQLite, named like them without "sqlite3_" */
struct sqlite_api {
	void *handle;
#define SQLITE_API_MEMBER(name) __typeof__(&sqlite3_##name) name;
	SQLITE_API_FUNCTIONS(SQLITE_API_MEMBER)
#undef SQLITE_API_MEMBER
};

/** struct database_files - a database and its journal; SQLite points to it, so it must not move */
struct database_files {
	sqlite3_vfs vfs;   /* registered with SQLite */
	sqlite3_vfs *base; /* SQLite's own, for temporary files */
	char vfs_name[48];
	int fd;		       /* of the database */
	struct buffer journal; /* path of the journal */
	unsigned int user;     /* owner of the journal; 0 for the caller */
	unsigned int group;
	int failure; /* errno of the last access that failed */
};

/** struct database - an open database, which must not move; a zeroed struct can be closed */
struct database {
	struct sqlite_api api;
	sqlite3 *handle;
	const char *name;	     /* in error messages */
	struct database_files files; /* of a database that is written; unused if @vfs is NULL */
	const char *vfs;	     /* name of the file access, NULL for SQLite's own */
	struct buffer text;	     /* scratch */
	bool is_complete; /* nothing is left to write, and so there is no journal to keep */
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

/** struct database_row - a row that is being added */
struct database_row {
	struct database *database;
	sqlite3_stmt *statement;
	int index; /* number of values so far */
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
	row->failed |= row->database->api.bind_int64(row->statement, ++row->index, number) !=
		       SQLITE_OK;
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
/** query_check - find mistakes of a query when the tables are empty; returns -1 with @error */
int query_check(struct database *database, const struct sink_query_settings *settings,
		struct error *error);

#endif
