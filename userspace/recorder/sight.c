// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the files open that tell how an instance is: what they say may change, but nothing needs
 * the right to go there again.
 */
#include <errno.h>
#include <fcntl.h>

#include "recorder/parts.h"
#include "source/source.h"

int sight_open(struct sight *sight, const char *directory, struct error *error)
{
	const char *tracefs;

	if (source_directory(&tracefs, error) < 0)
		return -1;
	source_saved_open(&sight->saved, tracefs);
	sight->events_fd = file_open_in(directory, "events", O_PATH | O_DIRECTORY, error);
	if (sight->events_fd < 0)
		return -1;
	sight->clock_fd = file_open_in(directory, "trace_clock", O_RDONLY, error);
	return sight->clock_fd < 0 ? -1 : 0;
}

int sight_open_list(struct sight *sight, const char *directory, struct error *error)
{
	sight->list_fd = file_open_in(directory, "set_event", O_RDONLY, error);
	return sight->list_fd < 0 ? -1 : 0;
}

static int sight_read(int fd, const char *file, struct buffer *out, struct error *error)
{
	return file_read_anew(fd, out) == 0
		       ? 0
		       : error_set_system(error, errno, "cannot read the instance's %s", file);
}

int sight_list(const struct sight *sight, struct buffer *out, struct error *error)
{
	return sight_read(sight->list_fd, "set_event", out, error);
}

int sight_clock(const struct sight *sight, struct buffer *out, struct error *error)
{
	return sight_read(sight->clock_fd, "trace_clock", out, error);
}

void sight_close(struct sight *sight)
{
	file_close(sight->events_fd);
	file_close(sight->list_fd);
	file_close(sight->clock_fd);
	source_saved_close(&sight->saved);
}
