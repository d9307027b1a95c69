// SPDX-License-Identifier: GPL-2.0-only
/* Opens databases, and reports their failures. */
#include "sink/sqlite/database.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The page cache, and the sorter that creates indexes, take up to 16 MiB each. */
#define SETTINGS                                                                          \
	"PRAGMA page_size = 8192; PRAGMA cache_size = -16384; PRAGMA synchronous = OFF; " \
	"PRAGMA temp_store = FILE; PRAGMA locking_mode = EXCLUSIVE;"

/* Of existing databases: one value, and all memory of SQLite. */
#define VALUE_SIZE_MAX (16 << 20)
#define HEAP_SIZE_MAX (INT64_C(256) << 20)

/* Of the file format: two bytes, of which a write-ahead log needs this value. */
#define VERSIONS_OFFSET 18
#define WAL_VERSION 2

int database_fail(struct database *database, struct error *error)
{
	if (database->files.failure)
		return error_set_system(error, database->files.failure, "cannot write to %s",
					database->name);
	if (!database->handle)
		return error_set(error, "out of memory");
	return error_set(error, "%s: %s", database->name, database->api.errmsg(database->handle));
}

static int database_open(struct database *database, const char *path, int flags,
			 struct error *error)
{
	const struct sqlite_api *api = &database->api;

	if (api->open_v2(path, &database->handle, flags, database->vfs) == SQLITE_OK)
		return 0;
	return database_fail(database, error);
}

int database_open_file(struct database *database, int fd, const char *path, unsigned int user,
		       unsigned int group, struct error *error)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE;

	database->name = path;
	database->files.fd = -1;
	if (sqlite_api_load(&database->api, error) < 0 ||
	    database_files_open(&database->files, &database->api, fd, path, user, group, error) < 0)
		return -1;
	database->vfs = database->files.vfs_name;
	return database_open(database, "database", flags, error) < 0
		       ? -1
		       : database_run(database, SETTINGS, error);
}

/* No path: SQLite creates a file in SQLITE_TMPDIR, TMPDIR or /var/tmp, and unlinks it at once. */
int database_open_temporary(struct database *database, const char *name, struct error *error)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE;

	database->name = name;
	database->files.fd = -1;
	if (sqlite_api_load(&database->api, error) < 0 ||
	    database_open(database, "", flags, error) < 0)
		return -1;
	return database_run(database, SETTINGS "PRAGMA journal_mode = OFF", error);
}

/*
 * An existing database may be hostile: its schema runs no code of ours, its triggers never run, and
 * no value takes much memory. What it computes is limited only by the patience of the user.
 */
static void database_defend(const struct database *database)
{
	static const struct {
		int option;
		int value;
	} options[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
		{ SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
	};
	const struct sqlite_api *api = &database->api;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		api->db_config(database->handle, options[i].option, options[i].value, NULL);
	api->limit(database->handle, SQLITE_LIMIT_LENGTH, VALUE_SIZE_MAX);
	api->limit(database->handle, SQLITE_LIMIT_ATTACHED, 0);
	api->limit(database->handle, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
	api->limit(database->handle, SQLITE_LIMIT_WORKER_THREADS, 0);
	api->hard_heap_limit64(HEAP_SIZE_MAX);
}

/*
 * Even to read such a file, SQLite creates two others next to it. @path is that of a file that
 * begins like a database.
 */
static int database_check_journal(const struct database *database, const char *path,
				  struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char versions[2] = { 0 };
	ssize_t size = fd >= 0 ? file_read_block(fd, versions, sizeof(versions), VERSIONS_OFFSET) : -1;

	file_close(fd);
	if (size < 0)
		return error_set_system(error, errno, "cannot open %s", database->name);
	if (versions[0] != WAL_VERSION && versions[1] != WAL_VERSION)
		return 0;
	return error_set(error,
			 "%s: has a write-ahead log; write PRAGMA journal_mode = DELETE with "
			 "sqlite3(1)",
			 database->name);
}

int database_open_existing(struct database *database, const char *path, struct error *error)
{
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_PRIVATECACHE;

	database->name = path;
	database->files.fd = -1;
	if (database_check_journal(database, path, error) < 0 ||
	    sqlite_api_load(&database->api, error) < 0 ||
	    database_open(database, path, flags, error) < 0)
		return -1;
	database_defend(database);
	return database_run(database,
			    "PRAGMA cache_size = -16384;"
			    "PRAGMA cell_size_check = ON; PRAGMA query_only = ON",
			    error);
}

int database_run(struct database *database, const char *sql, struct error *error)
{
	if (database->api.exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return database_fail(database, error);
}

int database_prepare(struct database *database, const char *sql, sqlite3_stmt **out,
		     struct error *error)
{
	if (database->api.prepare_v2(database->handle, sql, -1, out, NULL) == SQLITE_OK)
		return 0;
	return database_fail(database, error);
}

void database_close(struct database *database)
{
	if (database->handle)
		database->api.close_v2(database->handle);
	if (database->files.fd >= 0)
		database_files_close(&database->files, &database->api, database->is_complete);
	sqlite_api_release(&database->api);
	buffer_release(&database->text);
	*database = (struct database){ .files.fd = -1 };
}
