// SPDX-License-Identifier: GPL-2.0-only
/* Reads a tracefs instance's ring buffers while they are written. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "source/live.h"

/*
 * Where the kernel refuses membarrier (it does with nohz_full), writers get this long: one is
 * between its time stamp and its commit for microseconds, unless interrupts stack up on it.
 */
#define WRITERS_WAIT_NS (20 * NS_PER_MS)

uint64_t live_number(const char *directory, const char *file)
{
	struct buffer path = { 0 }, text = { 0 };
	uint64_t number = 0;

	buffer_printf(&path, "%s/%s", directory, file);
	if (file_read(buffer_string(&path), &text) == 0)
		number = strtoull(buffer_string(&text), NULL, 10);
	buffer_release(&path);
	buffer_release(&text);
	return number;
}

/* Adds a stream for a directory entry "cpuN"; passes over others. */
static int live_add(struct live *live, const char *entry, bool is_durable, struct error *error)
{
	struct stream *stream;
	int cpu;
	char rest;

	if (sscanf(entry, "cpu%d%c", &cpu, &rest) != 1)
		return 0;
	stream = source_add_stream(&live->source, error);
	return stream ? live_stream_open(stream, live, cpu, is_durable, error) : -1;
}

static int stream_compare(const void *a, const void *b)
{
	return ((const struct stream *)a)->cpu - ((const struct stream *)b)->cpu;
}

/*
 * Adds all CPUs of an instance, sorted, so that what is told of them does not depend on the order
 * of a directory.
 */
static int live_add_all(struct live *live, bool is_durable, struct error *error)
{
	struct source *source = &live->source;
	size_t nr_before = source->nr_streams;
	struct buffer path = { 0 };
	struct dirent *entry;
	int status = 0;
	DIR *list;

	buffer_printf(&path, "%s/per_cpu", is_durable ? live->durable : live->directory);
	list = opendir(buffer_string(&path));
	if (!list)
		status = error_set_system(error, errno, "cannot open %s", buffer_string(&path));
	while (list && status == 0 && (entry = readdir(list)))
		status = live_add(live, entry->d_name, is_durable, error);
	if (list)
		closedir(list);
	if (status == 0 && source->nr_streams == nr_before)
		status = error_set(error, "%s names no CPU", buffer_string(&path));
	if (status == 0)
		qsort(source->streams + nr_before, source->nr_streams - nr_before,
		      sizeof(*source->streams), stream_compare);
	buffer_release(&path);
	return status;
}

/*
 * A CPU that is absent must not be polled: kernels up to 6.1 answer with an error number, which
 * says that everything has happened.
 */
static void live_wait(struct source *source, int also_fd, int timeout_ms)
{
	const struct live *live = (const struct live *)source;
	struct pollfd *polls = calloc(source->nr_streams + 1, sizeof(*polls));
	size_t nr_polls = 0;

	for (size_t i = 0; polls && i < source->nr_streams; i++) {
		const struct live_stream *own = source->streams[i].own;

		if (!own->is_absent && !live_leaves(live, &source->streams[i]))
			polls[nr_polls++] = (struct pollfd){ .fd = own->fd, .events = POLLIN };
	}
	if (polls)
		polls[nr_polls++] = (struct pollfd){ .fd = also_fd, .events = POLLIN };
	poll(polls, nr_polls, timeout_ms);
	free(polls);
}

static void live_await(struct source *source)
{
	struct timespec left = { .tv_nsec = WRITERS_WAIT_NS };

	(void)source;
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
		return;
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

/*
 * The kernel counts since the instance was made. Where somebody has read from it before us, what
 * was overwritten since is marked; what was dropped may have been between then and now, or before.
 */
static int live_read_account(struct source *source, const struct stream *stream,
			     struct account *out, struct error *error)
{
	const struct live *live = (const struct live *)source;
	const struct live_stream *own = stream->own;
	const struct statistics *before = &own->before;
	const struct statistics *forgotten = &own->forgotten;
	struct statistics now;

	if (live_statistics(stream, &now, error) < 0)
		return -1;
	if (before->read == 0 || own->is_sealed)
		out->marked = forgotten->overwritten +
			      statistics_since(now.overwritten,
					       before->read ? before->overwritten : 0);
	out->unmarked = forgotten->dropped + now.dropped - (before->read > 0 ? before->dropped : 0);
	out->is_open = own->has_older_drops;
	if (live->watches_drops)
		out->unmarked = out->told = own->told;
	return 0;
}

/* A CPU whose numbers cannot be read now is left out. */
static void live_count(struct source *source, struct source_counts *out)
{
	for (size_t i = 0; i < source->nr_streams; i++) {
		const struct live_stream *own = source->streams[i].own;
		const struct statistics *forgotten = &own->forgotten;
		struct statistics now;
		struct error error;

		if (source->streams[i].is_durable || live_statistics_now(own, &now, &error) < 0)
			continue;
		out->read += forgotten->read + now.read;
		out->lost += forgotten->overwritten + forgotten->dropped + now.overwritten +
			     now.dropped;
		out->held_bytes += now.held_bytes;
	}
}

static int live_settle(struct source *source, struct error *error)
{
	for (size_t i = 0; i < source->nr_streams; i++) {
		struct live_stream *own = source->streams[i].own;

		if (live_statistics_now(own, &own->settled, error) < 0)
			return -1;
	}
	return 0;
}

/*
 * The kernel does not empty the buffers of CPUs that are not online: they have counted nothing
 * since.
 */
static bool is_unchanged(const struct live_stream *own)
{
	struct error ignored = { 0 };
	struct statistics now;

	return live_statistics_now(own, &now, &ignored) == 0 && now.read == own->settled.read &&
	       now.overwritten == own->settled.overwritten && now.overwritten >= own->overwritten;
}

static void live_start_over(struct source *source)
{
	for (size_t i = 0; i < source->nr_streams; i++) {
		struct live_stream *own = source->streams[i].own;

		if (source->streams[i].is_durable || is_unchanged(own))
			continue;
		own->forgotten.overwritten += own->settled.overwritten;
		own->forgotten.dropped += own->settled.dropped;
		own->forgotten.read += own->settled.read;
		own->settled = (struct statistics){ 0 };
		own->overwritten = 0;
	}
}

static int live_visit(struct source *source, const struct source_visitor *visitor,
		      struct error *error)
{
	const struct live *live = (const struct live *)source;
	int events_fd = file_open_in(live->directory, "events", O_PATH | O_DIRECTORY, error);
	int status;

	if (events_fd < 0)
		return -1;
	status = source_tracepoints_visit(events_fd, visitor, error);
	close(events_fd);
	return status;
}

static void find_task(struct source *source, int tid, struct source_task *out)
{
	live_find_task(&((struct live *)source)->saved, tid, out);
}

static void live_close(struct source *source)
{
	struct live *live = (struct live *)source;

	source_saved_close(&live->saved);
	free(live->directory);
	free(live->durable);
	free(live->clock);
	free(live->kernel);
	free(live);
}

static void live_hold(struct source *source, bool is_held)
{
	((struct live *)source)->is_held = is_held;
}

static const struct source_ops live_ops = {
	.wait = live_wait,
	.read_ahead = live_read_ahead,
	.hold = live_hold,
	.count = live_count,
	.settle = live_settle,
	.start_over = live_start_over,
	.await = live_await,
	.tell_drops = live_tell_drops,
	.read_account = live_read_account,
	.visit = live_visit,
	.find_task = find_task,
	.close = live_close,
};

/* They are at the top, be this an instance or the top. Without them, fewer names are known. */
static void live_open_saved(struct live *live)
{
	const char *below = strstr(live->directory, "/instances/");
	struct buffer top = { 0 };

	buffer_append(&top, live->directory,
		      below ? (size_t)(below - live->directory) : strlen(live->directory));
	source_saved_open(&live->saved, buffer_string(&top));
	buffer_release(&top);
}

static int live_open(struct live *live, struct error *error)
{
	if (!live->directory)
		return error_set(error, "out of memory");
	live_open_saved(live);
	if (live_add_all(live, false, error) < 0)
		return -1;
	live->source.description.nr_cpus = live->source.nr_streams;
	return 0;
}

int live_new(struct live **out, const char *directory, struct error *error)
{
	struct live *live = calloc(1, sizeof(*live));
	struct utsname kernel;

	*out = live;
	if (!live)
		return error_set(error, "out of memory");
	live->source.ops = &live_ops;
	live->saved = (struct source_saved)SOURCE_SAVED_NONE;
	live->directory = strdup(directory);
	live->kernel = uname(&kernel) < 0 ? NULL : strdup(kernel.release);
	live->source.description.kernel = live->kernel;
	if (live_open(live, error) == 0)
		return 0;
	source_close(&live->source);
	*out = NULL;
	return -1;
}

int source_live_add(struct source *source, const char *directory, struct error *error)
{
	struct live *live = (struct live *)source;

	live->durable = strdup(directory);
	if (!live->durable)
		return error_set(error, "out of memory");
	return live_add_all(live, true, error);
}

int source_live_open(struct source **out, const char *directory, struct error *error)
{
	struct live *live;
	int status = live_new(&live, directory, error);

	*out = live ? &live->source : NULL;
	if (live)
		live->reads_ahead = true;
	return status;
}
