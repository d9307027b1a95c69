/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The folder of a spool, FILE.spool next to the future FILE. It may belong to another user (sudo):
 * then it is accessed with that user's rights.
 */
#ifndef TRACEDAT_SPOOL_FOLDER_H
#define TRACEDAT_SPOOL_FOLDER_H

#include <dirent.h>

#include "tracedat/tracedat.h"

/**
 * struct spool_folder - an open, locked folder
 * @target: path of the future trace.dat
 * @path: of the folder
 * @owner: owner of the trace.dat
 * @is_owners: the owner may write to the parent folder: files are created, opened and removed with
 * the owner's rights
 * @parent_fd: folder that contains both
 * @fd: the folder; its lock is released on close
 * @joined_fd: the trace.dat being written, if it was created before dropping privileges; else -1
 * @is_synced: each write is synced from now on
 * @is_kept: the folder is not removed on release
 *
 * All functions below that return int return -1 with @error on failure, unless noted.
 */
struct spool_folder {
	char *target;
	char *path;
	struct owner owner;
	bool is_owners;
	int parent_fd;
	int fd;
	int joined_fd;
	bool is_synced;
	bool is_kept;
};

/** spool_folder_init - an unopened folder; for spool_folder_release() even on failure */
int spool_folder_init(struct spool_folder *folder, const char *target,
		      const struct spool_owner *owner, struct error *error);

/** spool_folder_create - create the folder empty, unless it contains a killed recording */
int spool_folder_create(struct spool_folder *folder, struct error *error);

/** spool_folder_open - open the folder of a killed ktrack, which may be root's or the owner's */
int spool_folder_open(struct spool_folder *folder, struct error *error);

/** spool_folder_release - remove the folder unless it is kept, and close it */
void spool_folder_release(struct spool_folder *folder);

/** spool_folder_sweep - remove a folder without a recording; fails if it has foreign files */
int spool_folder_sweep(struct spool_folder *folder, struct error *error);

/** spool_folder_has_target - whether the trace.dat exists */
bool spool_folder_has_target(const struct spool_folder *folder);

/** spool_folder_has_recording - whether the folder contains a recording that can be recovered */
bool spool_folder_has_recording(const struct spool_folder *folder);

/** spool_folder_scan - list the folder as scandir(3) does; returns -1 with errno */
int spool_folder_scan(const struct spool_folder *folder, struct dirent ***entries);

/** spool_folder_rights - rights for accessing the folder, for owner_begin() */
const struct owner *spool_folder_rights(const struct spool_folder *folder);

/** spool_folder_user - user that must own the folder and its files */
uid_t spool_folder_user(const struct spool_folder *folder);

/** spool_folder_sync - sync the folder itself */
int spool_folder_sync(struct spool_folder *folder, struct error *error);

/** spool_folder_open_joined - an empty, unfinished trace.dat; returns its descriptor, for close()
 */
int spool_folder_open_joined(struct spool_folder *folder, struct error *error);

/** spool_folder_publish - move the unfinished trace.dat to its target, and sync that */
int spool_folder_publish(struct spool_folder *folder, struct error *error);

/** spool_folder_remove_joined - remove the unfinished trace.dat */
void spool_folder_remove_joined(const struct spool_folder *folder);

#endif
