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

/** spool_folder_sync - sync the folder itself */
int spool_folder_sync(struct spool_folder *folder, struct error *error);

/** spool_folder_open_joined - an empty, unfinished trace.dat; returns its descriptor, for close()
 */
int spool_folder_open_joined(struct spool_folder *folder, struct error *error);

/** spool_folder_publish - move the unfinished trace.dat to its target, and sync that */
int spool_folder_publish(struct spool_folder *folder, struct error *error);

/** spool_folder_remove_joined - remove the unfinished trace.dat */
void spool_folder_remove_joined(const struct spool_folder *folder);

/**
 * SPOOL_FORMATS, SPOOL_COMMS, SPOOL_OPTIONS, SPOOL_SYMBOLS, SPOOL_CONSTANTS - parts of the future
 * trace.dat but the records; the last two may be absent
 */
#define SPOOL_FORMATS "formats"
#define SPOOL_COMMS "comms"
#define SPOOL_OPTIONS "options"
#define SPOOL_SYMBOLS "symbols"
#define SPOOL_CONSTANTS "constants"

/** SPOOL_PROGRAMS - records of programs; may be absent */
#define SPOOL_PROGRAMS "programs"

/** SPOOL_MACHINE - the options without statistics, of a boot that is over; may be absent */
#define SPOOL_MACHINE "machine"

/** SPOOL_ORIGIN - origin of the records; written last: a folder without it is no recording */
#define SPOOL_ORIGIN "instance"

/** SPOOL_JOINED - the unfinished trace.dat */
#define SPOOL_JOINED "trace.dat"

/** SPOOL_NAME_SIZE - size of any of these names, of a CPU's file, and of ".new" and NUL behind it
 */
#define SPOOL_NAME_SIZE 32

/** spool_cpu_name - write the name of a CPU's file to @out of SPOOL_NAME_SIZE */
void spool_cpu_name(char *out, int cpu, bool is_sideband);

/** spool_cpu_parse - parse such a name; returns false if it is another one */
bool spool_cpu_parse(const char *name, int *cpu, bool *is_sideband);

/** spool_entry_is_known - whether ktrack creates files of this name */
bool spool_entry_is_known(const char *name);

/**
 * spool_entry_open - open a file of the folder
 * @flags: as for open(2)
 *
 * Refuses links, other file types and files of other users. Returns a descriptor, or -1 with
 * @error.
 */
int spool_entry_open(const struct spool_folder *folder, const char *name, int flags,
		     struct error *error);

/** spool_entry_create - replace a file by an empty one; returns a descriptor, or -1 with @error */
int spool_entry_create(const struct spool_folder *folder, const char *name, struct error *error);

/** spool_entry_read - append the content of a file to @out; returns -1 with @error */
int spool_entry_read(const struct spool_folder *folder, const char *name, struct buffer *out,
		     struct error *error);

/** spool_entry_write - replace a file atomically; returns -1 with @error */
int spool_entry_write(struct spool_folder *folder, const char *name, const struct buffer *content,
		      struct error *error);

/** spool_entry_overwrite - write a file in place, which works on a full disk; -1 with @error */
int spool_entry_overwrite(struct spool_folder *folder, const char *name,
			  const struct buffer *content, struct error *error);

/** spool_entry_reserve - allocate @size bytes of disk for a file, if the filesystem can */
void spool_entry_reserve(const struct spool_folder *folder, const char *name, size_t size);

/** spool_entry_sync - sync a file to the disk; returns -1 with @error */
int spool_entry_sync(struct spool_folder *folder, const char *name, struct error *error);

/** spool_entry_fail - a write to a file failed with errno @number: keep the spool; returns -1 */
int spool_entry_fail(struct spool_folder *folder, int number, const char *name,
		     struct error *error);

#endif
