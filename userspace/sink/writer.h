/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that grows at its end, in blocks: what the outputs of one file write to. */
#ifndef SINK_WRITER_H
#define SINK_WRITER_H

#include "base/base.h"

/**
 * struct writer - an open file, and what was not written to it yet
 * @name: what errors call it
 * @wait: what to do where it takes nothing now
 * @buffer: append here, then call writer_spill()
 */
struct writer {
	const char *name;
	int fd;
	struct file_wait wait;
	struct buffer buffer;
};

/** writer_spill - write what is there, if it is worth a call; returns 0, or -1 with @error */
int writer_spill(struct writer *writer, struct error *error);

/** writer_flush - write what is there */
int writer_flush(struct writer *writer, struct error *error);

/** writer_release - close the file; what was not flushed is forgotten */
void writer_release(struct writer *writer);

#endif
