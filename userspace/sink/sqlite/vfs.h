/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a database, for SQLite.
 *
 * SQLite opens files by their paths and follows symbolic links. Here the database is the file that
 * was opened with the rights of its owner, and its rollback journal is created with the same
 * rights. The journal exists while the database changes: if ktrack is killed, the next reader of
 * the database restores its last complete state. Until it is closed, the database is locked.
 */
#ifndef SINK_SQLITE_VFS_H
#define SINK_SQLITE_VFS_H

#include "sink/sqlite/api.h"

/**
 * struct database_files - a database and its journal
 * @vfs: registered with SQLite
 * @base: SQLite's own, for temporary files
 * @fd: of the database
 * @journal: path of the journal
 * @user, @group: owner of the journal; @user 0 for the caller
 * @failure: errno of the last access that failed
 *
 * SQLite has pointers to it: it must not move.
 */
struct database_files {
	sqlite3_vfs vfs;
	sqlite3_vfs *base;
	char vfs_name[48];
	int fd;
	struct buffer journal;
	unsigned int user;
	unsigned int group;
	int failure;
};

/**
 * database_files_open - register the files of a database
 * @fd: a regular file that is open for writing; stays the caller's
 * @path: of the database
 * @user, @group: owner of the journal; @user 0 for the caller
 *
 * Returns 0, or -1 with @error; database_files_close() works in both cases.
 */
int database_files_open(struct database_files *files, const struct sqlite_api *api, int fd,
			const char *path, unsigned int user, unsigned int group,
			struct error *error);

/** database_files_close - after the database was closed; removes the journal if @is_complete */
void database_files_close(struct database_files *files, const struct sqlite_api *api,
			  bool is_complete);

#endif
