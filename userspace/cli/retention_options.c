// SPDX-License-Identifier: GPL-2.0-only
/* Options that limit the files in a directory, of recordings and of sessions. */
#include "cli/option_parts.h"

static int apply_max_files(void *settings, const char *value, struct error *error)
{
	struct retention *retention = settings;

	return count_parse(value, "files", &retention->max_files, error);
}

static int apply_files_size(void *settings, const char *value, struct error *error)
{
	struct retention *retention = settings;

	return size_kib_parse(value, &retention->max_kib, error);
}

static int apply_max_age(void *settings, const char *value, struct error *error)
{
	struct retention *retention = settings;

	return duration_parse(value, "--max-age", "no file would be kept", &retention->max_age_ns,
			      error);
}

static const struct option_row recording_rows[] = {
	{ 0, "max-files", "N", "remove the oldest of more recordings (default: 100)",
	  apply_max_files, .is_rare = true },
	{ 0, "max-size", "SIZE", "remove the oldest if all are larger (default: 1G)",
	  apply_files_size, .is_rare = true },
	{ 0, "max-age", "TIME", "remove those that are older (default: 168h)", apply_max_age,
	  .is_rare = true },
};

const struct option_part recording_retention_options = {
	recording_rows, sizeof(recording_rows) / sizeof(recording_rows[0])
};

static const struct option_row session_rows[] = {
	{ 0, "max-files", "N", "with --event=DIRECTORY: remove the oldest of more files",
	  apply_max_files, .is_rare = true },
	{ 0, "max-size", "SIZE", "with --event=DIRECTORY: remove the oldest if all are larger",
	  apply_files_size, .is_rare = true },
	{ 0, "max-age", "TIME", "with --event=DIRECTORY: remove those that are older",
	  apply_max_age, .is_rare = true },
};

const struct option_part session_retention_options = {
	session_rows, sizeof(session_rows) / sizeof(session_rows[0])
};
