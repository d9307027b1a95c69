/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of the recordings of ktrack watch: its check, their names, their limits. */
#ifndef OUTPUT_WATCH_FOLDER_H
#define OUTPUT_WATCH_FOLDER_H

#include "base/base.h"
#include "output/retention.h"

/**
 * struct watch_folder - the open directory, which other ktracks cannot use
 * @path: absolute
 * @wall_offset_ns: nanoseconds since 1970 minus the boot clock when it was opened first: the age of
 * files does not depend on later changes of the wall clock
 */
struct watch_folder {
	char *path;
	int fd;
	int64_t wall_offset_ns;
};

/**
 * watch_folder_open - create or open the directory, and lock it
 * @folder: zeroed; for watch_folder_close()
 *
 * Refuses a directory that is another user's, or that others may write to. Returns -1 with @error.
 */
int watch_folder_open(struct watch_folder *folder, const char *path, struct error *error);

/** watch_folder_reopen - open it by its name again; on failure, -1 with @error, it stays open */
int watch_folder_reopen(struct watch_folder *folder, struct error *error);

void watch_folder_close(struct watch_folder *folder);

/** watch_folder_sweep - remove what killed runs left; the working directory is the folder */
void watch_folder_sweep(const struct watch_folder *folder);

/**
 * watch_folder_name - append an unused name of a recording
 * @wall_ns: time of the trigger since 1970
 * @trigger: its text
 *
 * Returns false if there is none.
 */
bool watch_folder_name(const struct watch_folder *folder, int64_t wall_ns, const char *trigger,
		       struct buffer *out);

/** watch_folder_date - set the time of a file to the current one, by @wall_offset_ns */
void watch_folder_date(const struct watch_folder *folder, const char *name);

/**
 * watch_folder_share - let the directory's group read a recording, if the directory has the
 * set-group-ID bit
 */
void watch_folder_share(const struct watch_folder *folder, const char *name);

/**
 * watch_folder_trim - remove the oldest recordings until the limits are met
 * @kept: name of a recording that stays, NULL for none
 */
void watch_folder_trim(const struct watch_folder *folder, const struct retention *limits,
		       const char *kept);

/**
 * persistent_path - append the path of the future trace.dat
 * @directory: of recordings
 *
 * Returns -1 with @error if @name is no name of an instance.
 */
int persistent_path(struct buffer *out, const char *directory, const char *name,
		    struct error *error);

#endif
