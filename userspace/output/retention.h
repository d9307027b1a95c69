/* SPDX-License-Identifier: GPL-2.0-only */
/* Removes the oldest files of a directory that ktrack writes. */
#ifndef OUTPUT_RETENTION_H
#define OUTPUT_RETENTION_H

#include "base/base.h"

/**
 * struct retention - limits of files in a directory; the oldest are removed
 * @max_files: number of them; 0 for no limit, as in all
 * @max_kib: size of all together
 * @max_age_ns: since they were written last
 */
struct retention {
	uint64_t max_files;
	uint64_t max_kib;
	int64_t max_age_ns;
};

/**
 * retention_apply - remove the oldest files until the limits are met
 * @folder_fd: of the directory
 * @pattern: of the names, for fnmatch(3); other files are not counted and not removed
 * @now_ns: nanoseconds since 1970, from which ages are measured
 * @kept: name of a file that stays, also with a dot and more behind it; NULL for none
 */
void retention_apply(const struct retention *limits, int folder_fd, const char *pattern,
		     int64_t now_ns, const char *kept);

/**
 * retention_apply_to_sessions - the same for the files of trace2 sessions in a directory
 * @folder: path of the directory; the user of sudo may own it
 * @sid: the id of the session that writes there
 */
void retention_apply_to_sessions(const struct retention *limits, const char *folder,
				 const char *sid);

/** retention_is_limited - whether there is a limit */
bool retention_is_limited(const struct retention *limits);

#endif
