/* SPDX-License-Identifier: GPL-2.0-only */
/* Files in the folder of a spool. Only regular files that ktrack created are opened. */
#ifndef TRACEDAT_SPOOL_ENTRY_H
#define TRACEDAT_SPOOL_ENTRY_H

#include "tracedat/spool_folder.h"

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
