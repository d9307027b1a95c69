/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Files that a file with settings asks to be read in its place. */
#ifndef TRACE2_CONFIG_INCLUDE_H
#define TRACE2_CONFIG_INCLUDE_H

/** INCLUDE_KEY - the setting that names such a file */
#define INCLUDE_KEY "include.path"

/** INCLUDE_DEPTH_MAX - how many files may be within one another, as in git */
#define INCLUDE_DEPTH_MAX 10

/**
 * include_path - what @value means in the file @including: relative to that file's folder, or with
 * "~/" to the user's home
 *
 * Returns a string for free(), or NULL where memory ran out.
 */
char *include_path(const char *including, const char *value);

#endif
