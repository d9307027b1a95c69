// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Writes blocks of whole lines to a file descriptor. */
#include "trace2/destination.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int destination_init(struct destination *destination, int fd, const char *name)
{
	*destination = (struct destination){ .fd = fd, .name = strdup(name) };
	if (destination->name)
		return 0;
	destination_release(destination);
	return -1;
}

static const char *remedy(int number)
{
	switch (number) {
	case ENOSPC:
	case EDQUOT:
		return "; make room, or write elsewhere";
	case EPIPE:
		return "; its reader has gone";
	default:
		return "";
	}
}

int destination_flush(struct destination *destination, struct error *error)
{
	struct buffer *lines = &destination->lines;

	if (lines->failed)
		return error_set(error, "out of memory");
	if (file_write_all(destination->fd, lines->data, lines->size) < 0)
		return error_set(error, "cannot write to %s: %s%s", destination->name, strerror(errno),
				 remedy(errno));
	buffer_clear(lines);
	return 0;
}

void destination_release(struct destination *destination)
{
	if (destination->fd >= 0)
		close(destination->fd);
	free(destination->name);
	buffer_release(&destination->lines);
	*destination = (struct destination){ .fd = -1 };
}
