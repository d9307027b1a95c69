// SPDX-License-Identifier: GPL-2.0-only
/* Writes blocks to a file. */
#include "sink/writer.h"

#include <errno.h>
#include <unistd.h>

#define BLOCK_SIZE (64 * 1024)

int writer_flush(struct writer *writer, struct error *error)
{
	struct buffer *buffer = &writer->buffer;

	if (buffer->failed)
		return error_set(error, "out of memory");
	if (buffer->size > 0 &&
	    file_write_all(writer->fd, buffer->data, buffer->size, &writer->wait) < 0)
		return errno == ECANCELED
			       ? error_set(error, "cannot write to %s: nobody reads it",
					   writer->name)
			       : error_set_system(error, errno, "cannot write to %s", writer->name);
	buffer_clear(buffer);
	return 0;
}

int writer_spill(struct writer *writer, struct error *error)
{
	if (writer->buffer.size < BLOCK_SIZE && !writer->buffer.failed)
		return 0;
	return writer_flush(writer, error);
}

void writer_release(struct writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	buffer_release(&writer->buffer);
}
