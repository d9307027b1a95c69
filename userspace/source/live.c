// SPDX-License-Identifier: GPL-2.0-only
/* Reads a tracefs instance's ring buffers while they are written. */
#include "source/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "source/merge.h"
#include "source/statistics.h"

/*
 * Where the kernel refuses membarrier (it does with nohz_full), records younger than this are left for the next time:
 * a writer is between its time stamp and its commit for microseconds, unless interrupts stack up on it.
 */
#define HOLD_BACK_NS (20 * NS_PER_MS)

struct source {
	char *directory;
	struct stream *streams;
	size_t nr_streams;
};

static ssize_t live_refill(struct stream *stream, struct error *error)
{
	ssize_t size;

	do {
		size = read(stream->fd, stream->bytes, stream->bytes_size);
	} while (size < 0 && errno == EINTR);
	if (size < 0 && errno == EAGAIN)
		return 0;
	if (size < 0)
		return error_set_system(error, errno, "cannot read the ring buffer of cpu %d", stream->cpu);
	return size;
}

static const struct stream_ops live_ops = {
	.refill = live_refill,
};

static int stream_open(struct stream *stream, const char *directory, int cpu, struct error *error)
{
	struct buffer path = { 0 };

	*stream = (struct stream){ .ops = &live_ops, .cpu = cpu, .fd = -1 };
	stream->bytes_size = sysconf(_SC_PAGESIZE);
	stream->bytes = malloc(stream->bytes_size);
	buffer_printf(&path, "%s/per_cpu/cpu%d/trace_pipe_raw", directory, cpu);
	stream->fd = open(buffer_string(&path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (!stream->bytes)
		error_set(error, "out of memory");
	else if (stream->fd < 0)
		error_set_system(error, errno, "cannot open %s", buffer_string(&path));
	buffer_release(&path);
	return error->text[0] ? -1 : 0;
}

/* Adds a stream for a directory entry "cpuN"; passes over others. */
static int source_add(struct source *source, const char *entry, struct error *error)
{
	struct stream *streams;
	int cpu;
	char rest;

	if (sscanf(entry, "cpu%d%c", &cpu, &rest) != 1)
		return 0;
	streams = reallocarray(source->streams, source->nr_streams + 1, sizeof(*streams));
	if (!streams)
		return error_set(error, "out of memory");
	source->streams = streams;
	return stream_open(&streams[source->nr_streams++], source->directory, cpu, error);
}

static int stream_compare(const void *a, const void *b)
{
	return ((const struct stream *)a)->cpu - ((const struct stream *)b)->cpu;
}

/* Adds all CPUs, sorted, so that what is told of them does not depend on the order of a directory. */
static int source_add_all(struct source *source, struct error *error)
{
	struct buffer path = { 0 };
	struct dirent *entry;
	int status = 0;
	DIR *list;

	buffer_printf(&path, "%s/per_cpu", source->directory);
	list = opendir(buffer_string(&path));
	if (!list)
		status = error_set_system(error, errno, "cannot open %s", buffer_string(&path));
	while (list && status == 0 && (entry = readdir(list)))
		status = source_add(source, entry->d_name, error);
	if (list)
		closedir(list);
	if (status == 0 && source->nr_streams == 0)
		status = error_set(error, "%s names no CPU", buffer_string(&path));
	if (status == 0)
		qsort(source->streams, source->nr_streams, sizeof(*source->streams), stream_compare);
	buffer_release(&path);
	return status;
}

int source_live_open(struct source **out, const char *directory, struct error *error)
{
	struct source *source = calloc(1, sizeof(*source));

	*out = source;
	if (source)
		source->directory = strdup(directory);
	if (!source || !source->directory)
		error_set(error, "out of memory");
	else if (source_add_all(source, error) == 0)
		return 0;
	source_close(source);
	*out = NULL;
	return -1;
}

unsigned int source_nr_cpus(const struct source *source)
{
	return source->nr_streams;
}

int source_drain(struct source *source, int64_t until_ns, const struct source_handler *handler, struct error *error)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
		until_ns -= HOLD_BACK_NS;
	return merge_drain(source->streams, source->nr_streams, until_ns, handler, error);
}

static int stream_read_lost(const struct stream *stream, const char *directory, uint64_t *lost, struct error *error)
{
	struct buffer path = { 0 }, text = { 0 };
	int status = 0;

	buffer_printf(&path, "%s/per_cpu/cpu%d/stats", directory, stream->cpu);
	if (file_read(buffer_string(&path), &text) < 0)
		status = error_set_system(error, errno, "cannot read %s", buffer_string(&path));
	*lost = statistics_lost(buffer_text(&text));
	buffer_release(&path);
	buffer_release(&text);
	return status;
}

/* Settles one CPU's account: what no gap explains was lost somewhere up to the end. */
static int stream_settle(const struct stream *stream, int64_t end_ns, uint64_t lost,
			 const struct source_handler *handler, struct error *error)
{
	struct source_loss loss = { .cpu = stream->cpu, .from_ns = stream->last_ns, .to_ns = end_ns };

	if (!stream->has_uncounted && lost > stream->counted)
		loss.count = lost - stream->counted;
	else if (stream->is_behind_gap)
		loss.count = SOURCE_COUNT_UNKNOWN;
	else
		return 0;
	return handler->loss(handler->context, &loss, error);
}

int source_finish(struct source *source, int64_t end_ns, const struct source_handler *handler, uint64_t *lost,
		  struct error *error)
{
	*lost = 0;
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	if (merge_drain(source->streams, source->nr_streams, INT64_MAX, handler, error) < 0)
		return -1;
	for (size_t i = 0; i < source->nr_streams; i++) {
		const struct stream *stream = &source->streams[i];
		uint64_t stream_lost;

		if (stream_read_lost(stream, source->directory, &stream_lost, error) < 0)
			return -1;
		if (stream_settle(stream, end_ns, stream_lost, handler, error) < 0)
			return -1;
		*lost += stream_lost;
	}
	return 0;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	for (size_t i = 0; i < source->nr_streams; i++) {
		if (source->streams[i].fd >= 0)
			close(source->streams[i].fd);
		free(source->streams[i].bytes);
	}
	free(source->streams);
	free(source->directory);
	free(source);
}
