// SPDX-License-Identifier: GPL-2.0-only
/* Recognizes FILE and FILE.spool of a killed recording. */
#include "session/unfinished.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".spool"

static bool is_spool_folder(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

size_t unfinished_size(const char *path)
{
	size_t size = strlen(path);

	while (size > 1 && path[size - 1] == '/')
		size--;
	if (size <= strlen(SUFFIX) ||
	    memcmp(path + size - strlen(SUFFIX), SUFFIX, strlen(SUFFIX)) != 0)
		return 0;
	return is_spool_folder(path) ? size - strlen(SUFFIX) : 0;
}

int unfinished_check(const char *path, struct error *error)
{
	size_t size = unfinished_size(path);
	struct buffer folder = { 0 };
	bool is_unfinished = size > 0;

	if (!is_unfinished && access(path, F_OK) < 0) {
		size = strlen(path);
		buffer_printf(&folder, "%s" SUFFIX, path);
		is_unfinished = is_spool_folder(buffer_string(&folder));
	}
	buffer_release(&folder);
	if (!is_unfinished)
		return 0;
	return error_set(error,
			 "%s: raw records of a recording that was killed or still runs; 'ktrack "
			 "recover %.*s' makes a trace.dat of them",
			 path, (int)size, path);
}
