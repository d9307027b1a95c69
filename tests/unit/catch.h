/* SPDX-License-Identifier: GPL-2.0-only */
/* A file without a name, to give a descriptor of it away and look at what was written there. */
#ifndef UNIT_CATCH_H
#define UNIT_CATCH_H

#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

/** struct catch - the file, and a copy of its bytes */
struct catch
{
	int fd;
	struct buffer text;
};

/** catch_init - make the file; returns a descriptor of it that is the caller's */
static inline int catch_init(struct catch *catch)
{
	*catch = (struct catch){ .fd = memfd_create("catch", MFD_CLOEXEC) };
	return dup(catch->fd);
}

/** catch_text - all that was written so far, as a string that lives until the next call */
static inline const char *catch_text(struct catch *catch)
{
	off_t size = lseek(catch->fd, 0, SEEK_END);
	char *room;

	buffer_clear(&catch->text);
	room = buffer_reserve(&catch->text, size + 1);
	if (pread(catch->fd, room, size, 0) == size)
		catch->text.size = size;
	return buffer_string(&catch->text);
}

static inline void catch_release(struct catch *catch)
{
	close(catch->fd);
	buffer_release(&catch->text);
}

#endif
