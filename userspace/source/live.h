/* SPDX-License-Identifier: GPL-2.0-only */
/* A source whose records are in the ring buffers of a tracefs instance. */
#ifndef SOURCE_LIVE_H
#define SOURCE_LIVE_H

#include "source/state.h"
#include "source/statistics.h"

/**
 * struct live - the source
 * @directory: the instance's
 * @clock: its clock's name, where it was asked for
 * @kernel: the running kernel's release
 */
struct live {
	struct source source;
	char *directory;
	char *clock;
	char *kernel;
};

/**
 * struct live_stream - one CPU's trace_pipe_raw, and room for a sub-buffer
 * @sub_buffers_left: how many may still be read
 * @before: what the kernel had counted when somebody else's buffer was opened; zeros for our own
 */
struct live_stream {
	int fd;
	size_t sub_buffers_left;
	struct statistics before;
	size_t size;
	unsigned char bytes[];
};

/** live_new - open the files of all CPUs; returns -1 with @error */
int live_new(struct live **out, const char *directory, struct error *error);

/** live_number - the number in a file of an instance, 0 where there is none */
uint64_t live_number(const char *directory, const char *file);

/** live_statistics - what the kernel counts for a stream; returns -1 with @error */
int live_statistics(const struct live *live, const struct stream *stream, struct statistics *out,
		    struct error *error);

/** instance_open - like source_instance_open(), by the instance's directory */
int instance_open(struct source **out, const char *directory, struct error *error);

#endif
