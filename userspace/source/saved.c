// SPDX-License-Identifier: GPL-2.0-only
/* Opens the files in which the kernel saves names and processes of threads. */
#include "source/source.h"

#include <fcntl.h>

void source_saved_open(struct source_saved *out, const char *tracefs)
{
	struct error ignored = { 0 };

	out->names_fd = file_open_in(tracefs, "saved_cmdlines", O_RDONLY, &ignored);
	out->groups_fd = file_open_in(tracefs, "saved_tgids", O_RDONLY, &ignored);
}

void source_saved_close(struct source_saved *saved)
{
	file_close(saved->names_fd);
	file_close(saved->groups_fd);
	*saved = (struct source_saved)SOURCE_SAVED_NONE;
}
