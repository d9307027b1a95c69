// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the ring buffers of an instance while they are written: of one's own, and of another
 * owner's, of which it changes nothing. Opens the source that a name on a command line means.
 */
#include "source/source_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * Unused memory that the allocator keeps. What sub-buffers used is needed again in the next round;
 * the kernel would clear it each time.
 */
#define KEPT_SIZE (4 * 1024 * 1024)
/* Limit of what is read ahead, of all CPUs together; with a tap, which keeps sub-buffers. */
#define AHEAD_SIZE_MAX (64 * 1024 * 1024)
#define AHEAD_SIZE_TAPPED (8 * 1024 * 1024)

static void live_source_wait(struct source *source, int also_fd, int timeout_ms, int latency_ms)
{
	buffer_reader_wait(live_source_of(source)->reader, also_fd, timeout_ms, latency_ms);
}

static void live_source_await(struct source *source)
{
	(void)source;
	buffer_reader_await_writers();
}

static struct live_page *live_page_new(const struct live_stream *own)
{
	struct live_page *page =
		malloc(sizeof(*page) + own->buffer->sub_buffer_size + PAGE_COUNT_SIZE);

	if (page)
		page->next = NULL;
	return page;
}

/* Reads the next sub-buffer: returns 1, 0 if there is none now, or -1 with @error. */
static int live_page_read(struct live_stream *own, struct live_page *page, struct error *error)
{
	if (own->live->is_cut)
		return 0;
	page->size = cpu_buffer_read(own->buffer, page->bytes, error);
	own->live->is_unseen |= page->size > 0;
	return page->size < 0 ? -1 : page->size > 0;
}

/* Returns NULL if there is no sub-buffer now. Errors are met again when the queue is empty. */
static struct live_page *live_page_queue(struct live_stream *own)
{
	struct live_page *page = live_page_new(own);
	struct error ignored = { 0 };

	if (!page || live_page_read(own, page, &ignored) <= 0) {
		free(page);
		return NULL;
	}
	if (own->last)
		own->last->next = page;
	else
		own->first = page;
	own->last = page;
	own->live->ahead_size += own->buffer->sub_buffer_size;
	return page;
}

/*
 * The kernel's count of overwritten records is that of all gaps up to @page, unless more records
 * are overwritten meanwhile: then the next sub-buffer has a gap, too. Returns that sub-buffer, or
 * NULL if there is none.
 */
static struct live_page *live_gap_measure(struct live_stream *own, struct live_page *page,
					  const struct page *walk)
{
	struct error ignored = { 0 };
	struct statistics now;
	int status = cpu_buffer_statistics(own->buffer, &now, &ignored);
	struct live_page *next = live_page_queue(own);
	struct page behind = { 0 };
	bool is_exact;

	if (next)
		page_load(&behind, (struct page_layout){ 0 }, next->bytes, next->size);
	is_exact = status == 0 && !behind.has_gap;
	if (is_exact && own->is_counted && now.overwritten > own->overwritten)
		page->size = page_store_count(walk, page->bytes,
					      now.overwritten - own->overwritten);
	own->is_counted = is_exact;
	own->overwritten = now.overwritten;
	return next;
}

/*
 * The kernel marks every gap, but stores its size only if the sub-buffer is not full. Finds the
 * size, which may read ahead.
 */
static void live_gap_count(struct live_stream *own, struct live_page *page)
{
	struct page walk;

	while (page) {
		page_load(&walk, (struct page_layout){ 0 }, page->bytes, page->size);
		if (!walk.has_gap || walk.gap_count >= 0)
			break;
		page = live_gap_measure(own, page, &walk);
	}
	if (page && walk.has_gap)
		own->overwritten += walk.gap_count;
}

static void live_stream_read_ahead(struct live_stream *own)
{
	struct live_page *page;

	while (own->live->ahead_size < own->live->ahead_max && (page = live_page_queue(own)))
		live_gap_count(own, page);
}

/* Reads all that the buffers contain now, up to a limit. */
static void live_source_read_ahead(struct source *source)
{
	struct live_source *live = live_source_of(source);

	if (!live->reads_ahead)
		return;
	for (size_t i = 0; i < live->reader->size; i++) {
		struct live_stream *own = source->streams[i].own;

		if (!buffer_reader_is_left(live->reader, own->buffer))
			live_stream_read_ahead(own);
	}
	live->ahead_ns = time_now_ns(CLOCK_MONOTONIC);
}

static void live_source_set_tap(struct source *source, const struct source_tap *tap)
{
	struct live_source *live = live_source_of(source);

	live->tap = *tap;
	live->ahead_max = AHEAD_SIZE_TAPPED;
}

static void live_source_hold(struct source *source, bool is_held)
{
	live_source_of(source)->reader->is_held = is_held;
}

/*
 * If others have read the buffer before, only gaps show the records overwritten since, unless the
 * account was ended by buffer_reader_freeze(). Drops may be older than the first read by others.
 */
static int live_source_read_account(struct source *source, const struct stream *stream,
				    struct account *out, struct error *error)
{
	const struct live_stream *own = stream->own;
	struct statistics statistics;

	if (cpu_buffer_account(own->buffer, &statistics, error) < 0)
		return -1;
	if (own->buffer->before.read == 0 || own->buffer->is_frozen)
		out->marked = statistics.overwritten;
	out->unmarked = statistics.dropped;
	out->is_open = own->has_older_drops;
	if (live_source_of(source)->watches_drops)
		out->unmarked = out->reported = own->reported;
	return 0;
}

static void live_source_count(struct source *source, struct buffer_counts *out)
{
	buffer_reader_count(live_source_of(source)->reader, out);
}

/* The total is what the buffers and the queues contain now. */
static void live_source_set_progress(struct source *source, struct byte_progress *progress)
{
	struct live_source *live = live_source_of(source);
	struct buffer_counts counts = { 0 };

	if (progress)
		buffer_reader_count(live->reader, &counts);
	live->progress = progress;
	live->progress_total = live->ahead_size + counts.held_bytes;
}

static int live_source_settle(struct source *source, struct error *error)
{
	return buffer_reader_settle(live_source_of(source)->reader, error);
}

static void live_source_start_over(struct source *source, enum instance_kind kind)
{
	for (size_t i = 0; i < live_source_of(source)->reader->size; i++) {
		struct live_stream *own = source->streams[i].own;

		if (own->buffer->kind == kind && cpu_buffer_forget(own->buffer, own->overwritten))
			own->overwritten = 0;
	}
}

static void live_source_freeze(struct source *source)
{
	struct buffer_reader *reader = live_source_of(source)->reader;
	struct error ignored = { 0 };

	/* If the statistics cannot be read, source_finish() fails, too. */
	buffer_reader_freeze(reader, &ignored);
	for (size_t i = 0; i < reader->size; i++)
		reader->list[i].sub_buffers_left = 0;
}

static struct live_page *live_page_take(struct live_stream *own)
{
	struct live_page *page = own->first;

	own->first = page->next;
	if (!own->first)
		own->last = NULL;
	own->live->ahead_size -= own->buffer->sub_buffer_size;
	return page;
}

static void live_source_cut(struct source *source)
{
	live_source_of(source)->is_cut = true;
	for (size_t i = 0; i < live_source_of(source)->reader->size; i++) {
		struct live_stream *own = source->streams[i].own;

		while (own->first)
			free(live_page_take(own));
	}
}

/* The kernel shows any of its clocks, though only in microseconds. */
static int64_t live_source_now_ns(struct source *source)
{
	const struct live_source *live = live_source_of(source);
	struct error ignored = { 0 };
	struct statistics now;

	if (live->has_clock_id)
		return time_now_ns(live->clock_id);
	if (statistics_load(&now, live->reader->list[0].statistics_fd, live->reader->list[0].cpu,
			    &ignored) < 0)
		return 0;
	return now.now;
}

/** struct live_look - where the changes of one look are delivered */
struct live_look {
	const struct source_handler *handler;
	bool is_reclocked; /* one of them changed the clock */
};

static int live_change_deliver(void *context, const struct instance_change *change,
			       struct error *error)
{
	struct live_look *look = context;

	look->is_reclocked |= change->is_reclocked;
	return look->handler->change(look->handler->context, change, error);
}

/*
 * What is true of the instance after sub-buffers were read was true when their records were
 * written. If the clock was changed, the clock of these records is uncertain: they are dropped.
 */
static int live_source_look(struct source *source, struct stream *stream,
			    const struct source_handler *handler, struct error *error)
{
	struct live_source *live = live_source_of(source);
	struct live_look look = { .handler = handler };
	const struct instance_observer observer = { .context = &look,
						    .change = live_change_deliver };

	if (!live->is_unseen)
		return 0;
	live->is_unseen = false;
	if (!live->watched || !handler->change)
		return 0;
	if (instance_look(live->watched, &observer, error) < 0)
		return -1;
	if (!look.is_reclocked)
		return 0;
	live_source_cut(source);
	stream->has_next = false;
	stream->is_behind_gap = false;
	stream->page = (struct page){ 0 };
	return 0;
}

static int live_source_visit(struct source *source, const struct tracepoint_visitor *visitor,
			     struct error *error)
{
	return events_visit(file_open_in(live_source_of(source)->directory, "events",
					 O_PATH | O_DIRECTORY, error),
			    visitor, error);
}

static void live_source_find_task(struct source *source, int tid, struct thread_identity *out)
{
	thread_find(&live_source_of(source)->saved, tid, out);
}

static void live_source_close(struct source *source)
{
	struct live_source *live = live_source_of(source);

	streams_close(source->streams, source->nr_streams);
	buffer_reader_close(live->reader);
	saved_tasks_close(&live->saved);
	free(live->directory);
	recording_release(&source->recording);
	free(live);
}

static int drops_report(const struct stream *stream, int64_t count, int64_t to_ns,
			const struct source_handler *handler, struct error *error)
{
	const struct loss loss = {
		.cpu = stream->cpu,
		.buffer = stream->buffer,
		.from_ns = stream->settled_ns,
		.to_ns = to_ns,
		.count = count,
	};

	return count == 0 ? 0 : handler->loss(handler->context, &loss, error);
}

/* How many records were dropped since the last call. */
static int64_t drops_count(struct live_stream *own, uint64_t dropped)
{
	uint64_t count = statistics_since(dropped, own->dropped);

	own->dropped = dropped;
	own->reported += count;
	return count;
}

/*
 * Reports drops since the last call, as in struct source_ops. Drops of a full buffer leave no mark.
 * They are younger than all delivered records, and older than now.
 */
static int live_source_report_drops(struct source *source, const struct source_handler *handler,
				    struct error *error)
{
	struct live_source *live = live_source_of(source);

	for (size_t i = 0; live->watches_drops && i < live->reader->size; i++) {
		const struct stream *stream = &source->streams[i];
		struct live_stream *own = stream->own;
		const struct statistics *before = &own->buffer->before;
		struct statistics now;
		int64_t count = 0;

		if (cpu_buffer_statistics(own->buffer, &now, error) < 0)
			return -1;
		if (!own->has_looked)
			count = drops_count(own, before->dropped);
		/* Earlier drops are younger than the records that the buffer contained then. */
		if (!own->has_looked && own->has_older_drops) {
			own->has_older_drops = false;
			own->reported = 0;
			count = before->unread > 0 ? LOSS_COUNT_UNKNOWN : 0;
		}
		if (drops_report(stream, count, live->attached_ns, handler, error) < 0)
			return -1;
		own->has_looked = true;
		if (drops_report(stream, drops_count(own, now.dropped), source_now_ns(source),
				 handler, error) < 0)
			return -1;
	}
	return 0;
}

static const struct source_ops live_source_ops = {
	.wait = live_source_wait,
	.read_ahead = live_source_read_ahead,
	.hold = live_source_hold,
	.set_tap = live_source_set_tap,
	.count = live_source_count,
	.set_progress = live_source_set_progress,
	.settle = live_source_settle,
	.start_over = live_source_start_over,
	.freeze = live_source_freeze,
	.cut = live_source_cut,
	.now_ns = live_source_now_ns,
	.look = live_source_look,
	.await = live_source_await,
	.report_drops = live_source_report_drops,
	.read_account = live_source_read_account,
	.visit = live_source_visit,
	.find_task = live_source_find_task,
	.close = live_source_close,
};

/*
 * The sub-buffers of one CPU, read ahead if delivery is slow: what was read cannot be overwritten.
 */

/* While records are delivered, buffers are read this often. */
#define AHEAD_EVERY_NS (5 * NS_PER_MS)

static ssize_t live_stream_refill(struct stream *stream, struct error *error)
{
	struct live_stream *own = stream->own;
	struct live_source *live = own->live;
	struct tapped_page page;

	/* As much at once as there is: one look for changes covers all of it. */
	if (live->reads_ahead && time_now_ns(CLOCK_MONOTONIC) - live->ahead_ns > AHEAD_EVERY_NS)
		live_source_read_ahead(&live->source);
	else if (live->reads_ahead && !own->first && !live->reader->is_held)
		live_stream_read_ahead(own);
	if (own->first) {
		free(own->page);
		own->page = live_page_take(own);
		stream->bytes = own->page->bytes;
	} else {
		int status = live_page_read(own, own->page, error);

		if (status <= 0)
			return status;
		live_gap_count(own, own->page);
	}
	byte_progress_add(live->progress, own->page->size, live->progress_total);
	/* Records of other CPUs with the time of the last one may follow. */
	page = (struct tapped_page){ .cpu = own->buffer->cpu,
				     .kind = own->buffer->kind,
				     .bytes = own->page->bytes,
				     .size = own->page->size,
				     .delivered_ns = stream->last_ns - 1 };
	if (live->tap.take && live->tap.take(live->tap.context, &page, error) < 0)
		return -1;
	return own->page->size;
}

static void live_stream_close(struct stream *stream)
{
	struct live_stream *own = stream->own;

	while (own->first)
		free(live_page_take(own));
	free(own->page);
	free(own);
}

static const struct stream_ops live_stream_ops = {
	.refill = live_stream_refill,
	.close = live_stream_close,
};

/* The sideband buffer has the number behind those that have names, or 1. */
static unsigned int live_buffer_number(const struct live_source *live, enum instance_kind kind)
{
	const struct recording *recording = &live->source.recording;

	if (kind == INSTANCE_MAIN)
		return 0;
	if (kind == INSTANCE_CONVENTION)
		return recording->convention_buffer;
	return recording->nr_buffers > 0 ? recording->nr_buffers : 1;
}

/* Makes the stream of a CPU; returns -1 with @error. */
static int live_stream_open(struct stream *stream, struct live_source *live,
			    struct cpu_buffer *buffer, struct error *error)
{
	struct live_stream *own = calloc(1, sizeof(*own));

	if (!own)
		return error_set(error, "out of memory");
	*own = (struct live_stream){ .live = live, .buffer = buffer, .is_counted = true };
	own->page = live_page_new(own);
	*stream = (struct stream){ .ops = &live_stream_ops,
				   .cpu = buffer->cpu,
				   .buffer = live_buffer_number(live, buffer->kind),
				   .is_sideband = buffer->kind == INSTANCE_SIDEBAND,
				   .own = own };
	stream->bytes = own->page ? own->page->bytes : NULL;
	return own->page ? 0 : error_set(error, "out of memory");
}

static int live_source_open(struct live_source *live, const struct instance_paths *paths,
			    struct error *error)
{
	const char *directory = paths->list[INSTANCE_MAIN];
	struct source *source = &live->source;
	const char *below = strstr(directory, "/instances/");
	SCOPED_BUFFER(devices);
	SCOPED_BUFFER(top);
	int status;

	live->saved = (struct saved_tasks)SAVED_TASKS_NONE;
	live->directory = strdup(directory);
	devices_append(&devices, DEVICES_FOLDER);
	if (!live->directory || recording_keep_system(&source->recording) < 0 ||
	    recording_keep(&source->recording, &source->recording.devices, buffer_text(&devices)) < 0)
		return error_set(error, "out of memory");
	/* These files are at the top level. Without them, fewer names and strings are known. */
	buffer_append(&top, directory, below ? (size_t)(below - directory) : strlen(directory));
	saved_tasks_open(&live->saved, buffer_string(&top));
	buffer_append_string(&top, "/printk_formats");
	status = constants_read_later(&source->constants, buffer_string(&top));
	if (status < 0)
		return error_set(error, "out of memory");
	if (buffer_reader_open(&live->reader, paths, error) < 0)
		return -1;
	if (paths->list[INSTANCE_CONVENTION])
		source->recording.convention_buffer = source_add_buffer(source, CONVENTION_BUFFER);
	for (size_t i = 0; i < live->reader->size; i++) {
		struct cpu_buffer *buffer = &live->reader->list[i];
		struct stream *stream = source_add_stream(source, error);

		if (!stream || live_stream_open(stream, live, buffer, error) < 0)
			return -1;
		stream->next.constants = &source->constants;
		source->recording.nr_cpus += buffer->kind == INSTANCE_MAIN;
	}
	return 0;
}

/*
 * Opens the buffers of an instance and its companions
 * @out: for source_close(); NULL on failure
 *
 * Returns -1 with @error.
 */
static int live_source_new(struct live_source **out, const struct instance_paths *paths,
			   struct error *error)
{
	struct live_source *live = calloc(1, sizeof(*live));

	*out = live;
	if (!live)
		return error_set(error, "out of memory");
	live->source.ops = &live_source_ops;
	live->ahead_max = AHEAD_SIZE_MAX;
	if (namespace_check_clocks(error) == 0 && live_source_open(live, paths, error) == 0)
		return 0;
	source_close(&live->source);
	*out = NULL;
	return -1;
}

int source_live_open(struct source **out, const struct instance_paths *paths,
		     struct instance *watched, struct error *error)
{
	struct live_source *live;

	*out = NULL;
	if (live_source_new(&live, paths, error) < 0)
		return -1;
	live->reads_ahead = true;
	mallopt(M_TRIM_THRESHOLD, KEPT_SIZE);
	live->watched = watched;
	buffer_reader_wake_early(live->reader, paths);
	*out = &live->source;
	return 0;
}

/* Reads the instance of another owner, and changes nothing of it. */

/* Sets the clock, which is in brackets: "local global [boot]". Returns -1 if memory ran out. */
static int describe_time(struct recording *recording, const char *directory)
{
	SCOPED_BUFFER(text);
	const char *begin = NULL;
	clockid_t clock;

	if (file_read_in(directory, "trace_clock", &text) == 0)
		begin = strchr(buffer_string(&text), '[');
	recording->time_source = "none";
	if (begin && recording_keep(recording, &recording->clock,
				    (struct text){ begin + 1, strcspn(begin + 1, "]") }) < 0)
		return -1;
	recording->counts_ticks = trace_clock_counts_ticks(recording->clock);
	if (recording->clock && trace_clock_find(recording->clock, &clock)) {
		recording->time_source = "realtime";
		recording->wall_offset_ns = time_wall_offset_ns(clock);
	}
	return 0;
}

/*
 * Reads the settings of another owner's instance, and what it counted: how many of the overwritten
 * records earlier gaps explained is unknown, if others read them. Returns -1 with @error if memory
 * runs out.
 */
static int live_source_describe(struct live_source *live, struct error *error)
{
	struct recording *recording = &live->source.recording;
	SCOPED_BUFFER(text);
	int status = describe_time(recording, live->directory);

	recording->buffer_kib = instance_number(live->directory, "buffer_size_kb");
	file_read_boot_id(&text);
	buffer_append_string(&text, live->directory);
	if (recording_keep_id(recording, text_hash(buffer_text(&text))) < 0)
		status = -1;
	buffer_reader_share(live->reader);
	for (size_t i = 0; i < live->reader->size; i++) {
		struct live_stream *own = live->source.streams[i].own;
		const struct statistics *before = &own->buffer->before;

		own->is_counted = before->read == 0;
		own->has_older_drops = before->read > 0 && before->dropped > 0;
		if (own->buffer->kind != INSTANCE_SIDEBAND)
			recording->read_before += before->read;
	}
	return status < 0 ? error_set(error, "out of memory") : 0;
}

int source_attached_open(struct source **out, const struct instance_paths *paths,
			 struct error *error)
{
	struct live_source *live;
	const char *clock;

	*out = NULL;
	if (live_source_new(&live, paths, error) < 0)
		return -1;
	if (live_source_describe(live, error) < 0) {
		source_close(&live->source);
		return -1;
	}
	live->watches_drops = instance_number(live->directory, "options/overwrite") == 0;
	live->source.recording.overwrite = live->watches_drops ? "0" : "1";
	live->reads_ahead = true;
	clock = live->source.recording.clock;
	live->has_clock_id = clock && trace_clock_find(clock, &live->clock_id);
	live->attached_ns = source_now_ns(&live->source);
	*out = &live->source;
	return 0;
}

/*
 * Opens what the buffers of the instance in @directory contain now: read with one source_finish(),
 * which consumes it. The sideband instance of a killed run has the names of its threads.
 */
static int live_source_snapshot_open(struct source **out, const char *directory,
				     struct error *error)
{
	struct instance_paths paths;
	struct live_source *live;
	int status = instance_paths_find(&paths, directory, error);

	if (status == 0)
		status = live_source_new(&live, &paths, error);
	instance_paths_release(&paths);
	if (status < 0)
		return -1;
	if (live_source_describe(live, error) < 0) {
		source_close(&live->source);
		return -1;
	}
	/* Writers may continue: their later records are not part of the snapshot. */
	buffer_reader_limit(live->reader);
	*out = &live->source;
	return 0;
}

/* Opens the source that a name on the command line means. */

#define TRACEFS "tracefs"

/* The rest of the name of an instance: nothing for the top level, or a colon and a name; or NULL.
 */
static const char *instance_rest(const char *name)
{
	size_t size = strlen(TRACEFS);

	if (strncmp(name, TRACEFS, size) != 0 || (name[size] && name[size] != ':'))
		return NULL;
	return name + size;
}

bool source_name_is_instance(const char *name)
{
	return instance_rest(name);
}

int source_name_find(struct buffer *out, const char *name, struct error *error)
{
	const char *rest = instance_rest(name);

	if (!rest)
		return error_set(error,
				 "'%s': not a tracing instance; write tracefs or "
				 "tracefs:INSTANCE",
				 name);
	if (*rest && (!rest[1] || rest[1] == '.' || strchr(rest, '/')))
		return error_set(error, "'%s' is no source; write tracefs or tracefs:INSTANCE",
				 name);
	return instance_find(out, *rest ? rest + 1 : NULL, error);
}

int source_open(struct source **out, const char *name, const struct input_settings *settings,
		struct error *error)
{
	SCOPED_BUFFER(directory);

	if (!instance_rest(name))
		return source_file_open(out, name, settings, error);
	*out = NULL;
	if (source_name_find(&directory, name, error) < 0)
		return -1;
	return live_source_snapshot_open(out, buffer_string(&directory), error);
}
