// SPDX-License-Identifier: GPL-2.0-only
/* What all kinds of sources have in common: streams, their merge, the account of losses. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "source/source_ops.h"

/* Merges streams by time. One stream delivers until the next record of another is earlier. */

/** struct merge_queue - streams with a next record, sorted by its time */
struct merge_queue {
	struct stream **list;
	size_t size;
};

/* Whether records of @a precede records of @b with the same time. */
static bool stream_comes_first(const struct stream *a, const struct stream *b)
{
	/* Two buffers have streams of one CPU. */
	return a->cpu != b->cpu ? a->cpu < b->cpu : a < b;
}

/* Whether the next record of @a precedes that of @b. */
static bool stream_is_before(const struct stream *a, const struct stream *b)
{
	if (a->next.time_ns != b->next.time_ns)
		return a->next.time_ns < b->next.time_ns;
	return stream_comes_first(a, b);
}

static int stream_compare(const void *a, const void *b)
{
	const struct stream *first = *(struct stream *const *)a;
	const struct stream *second = *(struct stream *const *)b;

	if (first == second)
		return 0;
	return stream_is_before(first, second) ? -1 : 1;
}

/* Steps of the linear search for the new place of a stream, before the binary search. */
#define MERGE_STEPS 4

/*
 * Moves the streams behind @place that precede @stream, at least one, forward by one place. Returns
 * the free place.
 */
static struct stream **merge_queue_pass(struct stream **place, struct stream **last,
					const struct stream *stream)
{
	struct stream **passed = place + 1;

	while (passed < last) {
		struct stream **middle = passed + (last - passed + 1) / 2;

		if (stream_is_before(*middle, stream))
			passed = middle;
		else
			last = middle - 1;
	}
	memmove(place, place + 1, (passed - place) * sizeof(*place));
	return passed;
}

/* Moves the first stream, whose next record is later now, back; mostly by one or two places. */
hot_inline void merge_queue_settle(struct merge_queue *queue)
{
	struct stream **place = queue->list, **last = place + queue->size - 1, *stream = *place;

	for (int steps = 0; place < last && stream_is_before(place[1], stream); steps++) {
		if (steps == MERGE_STEPS) {
			place = merge_queue_pass(place, last, stream);
			break;
		}
		place[0] = place[1];
		place++;
	}
	*place = stream;
}

/* Restores the order after the first stream delivered. */
hot_inline void merge_queue_update(struct merge_queue *queue)
{
	if (queue->list[0]->has_next)
		merge_queue_settle(queue);
	else
		memmove(queue->list, queue->list + 1, --queue->size * sizeof(*queue->list));
}

/* Checks for changes after sub-buffers were read and before their records are delivered. */
static int source_fill_stream(struct source *source, struct stream *stream,
			      const struct source_handler *handler, struct error *error)
{
	struct loss loss;

	if (stream_fill(stream, error) < 0)
		return -1;
	if (source->ops->look && source->ops->look(source, stream, handler, error) < 0)
		return -1;
	if (!stream_take_gap(stream, &loss) || stream->is_sideband)
		return 0;
	return handler->loss(handler->context, &loss, error);
}

static int merge_queue_fill(struct merge_queue *queue, struct source *source,
			    const struct source_handler *handler, struct error *error)
{
	for (size_t i = 0; i < source->nr_streams; i++) {
		struct stream *stream = &source->streams[i];

		if (source_fill_stream(source, stream, handler, error) < 0)
			return -1;
		if (stream->has_next)
			queue->list[queue->size++] = stream;
	}
	qsort(queue->list, queue->size, sizeof(*queue->list), stream_compare);
	return 0;
}

/* Delivers the next record of a stream that has one. */
hot_inline int stream_deliver(struct source *source, struct stream *stream,
			      const struct source_handler *handler, struct error *error)
{
	int status = handler->record(handler->context, &stream->next, error);

	if (stream_advance(stream) || status < 0)
		return status;
	return source_fill_stream(source, stream, handler, error);
}

static bool stream_is_due(const struct stream *stream, int64_t until_ns)
{
	return stream->has_next && stream->next.time_ns <= until_ns;
}

/* The time up to which records of the first stream precede those of all others. */
hot_inline int64_t merge_queue_turn(const struct merge_queue *queue, int64_t until_ns)
{
	const struct stream *first = queue->list[0], *second = queue->list[1];
	int64_t turn_ns;

	if (queue->size == 1)
		return until_ns;
	turn_ns = second->next.time_ns - stream_comes_first(second, first);
	return turn_ns > until_ns ? until_ns : turn_ns;
}

static int merge_queue_drain(struct merge_queue *queue, struct source *source, int64_t until_ns,
			     const struct source_handler *handler, struct error *error)
{
	while (queue->size > 0 && stream_is_due(queue->list[0], until_ns)) {
		struct stream *first = queue->list[0];
		int64_t turn_ns = merge_queue_turn(queue, until_ns);

		do {
			if (stream_deliver(source, first, handler, error) < 0)
				return -1;
		} while (stream_is_due(first, turn_ns));
		merge_queue_update(queue);
	}
	return 0;
}

int merge_drain(struct source *source, int64_t until_ns, const struct source_handler *handler,
		struct error *error)
{
	struct merge_queue queue = { .list = calloc(source->nr_streams + 1, sizeof(*queue.list)) };
	int status;

	if (!queue.list)
		return error_set(error, "out of memory");
	status = merge_queue_fill(&queue, source, handler, error);
	if (status == 0)
		status = merge_queue_drain(&queue, source, until_ns, handler, error);
	free(queue.list);
	for (size_t i = 0; i < source->nr_streams && status == 0; i++) {
		if (source->streams[i].settled_ns < until_ns)
			source->streams[i].settled_ns = until_ns;
	}
	return status;
}

unsigned int source_add_buffer(struct source *source, const char *name)
{
	struct recording *recording = &source->recording;

	if (recording->nr_buffers == 0)
		source->buffers[recording->nr_buffers++] = "";
	source->buffers[recording->nr_buffers++] = name;
	recording->buffers = source->buffers;
	/* The sideband buffer is the last one. */
	for (size_t i = 0; i < source->nr_streams; i++) {
		if (source->streams[i].is_sideband)
			source->streams[i].buffer = recording->nr_buffers;
	}
	return recording->nr_buffers - 1;
}

struct stream *source_add_stream(struct source *source, struct error *error)
{
	if (!array_reserve(source->streams, source->nr_streams)) {
		error_set(error, "out of memory");
		return NULL;
	}
	source->streams[source->nr_streams] = (struct stream){ 0 };
	return &source->streams[source->nr_streams++];
}

/* The stream of programs' records, beside those of an instance, or alone. */

/* A record that a program has begun is awaited for so long before all streams are held back. */
#define AWAIT_STEPS 20
#define AWAIT_STEP_MS 1

/** struct programs_stream - the stream's data */
struct programs_stream {
	struct programs *programs;
	bool is_over; /* no program writes any more: all records are final */
	unsigned char page[PROGRAM_PAGE_SIZE];
};

static ssize_t programs_stream_refill(struct stream *stream, struct error *error)
{
	struct programs_stream *own = stream->own;
	int64_t until_ns = own->is_over ? INT64_MAX : programs_ready_ns(own->programs);

	(void)error;
	return programs_fill(own->programs, until_ns, own->page);
}

static void programs_stream_close(struct stream *stream)
{
	free(stream->own);
}

static const struct stream_ops programs_stream_ops = {
	.refill = programs_stream_refill,
	.close = programs_stream_close,
};

static bool stream_is_of_programs(const struct stream *stream)
{
	return stream->ops == &programs_stream_ops;
}

int source_add_programs(struct source *source, struct programs *programs, struct error *error)
{
	struct programs_stream *own = calloc(1, sizeof(*own));
	struct stream *stream = own ? source_add_stream(source, error) : NULL;

	if (!stream) {
		free(own);
		return error_set(error, "out of memory");
	}
	own->programs = programs;
	*stream = (struct stream){ .ops = &programs_stream_ops, .own = own, .bytes = own->page };
	stream->buffer = source_add_buffer(source, PROGRAMS_BUFFER);
	source->programs = programs;
	source->programs_stream = own;
	return 0;
}

/* New events come before their first records. */
static int source_deliver_events(struct source *source, const struct source_handler *handler,
				 struct error *error)
{
	const struct program_event *event;

	while ((event = programs_next_event(source->programs))) {
		if (handler->event && handler->event(handler->context, event, error) < 0)
			return -1;
	}
	return 0;
}

static int source_read_programs(struct source *source, int64_t *until_ns,
				const struct source_handler *handler, struct error *error)
{
	const struct timespec step = { .tv_nsec = AWAIT_STEP_MS * (NS_PER_S / 1000) };
	struct programs *programs = source->programs;
	int64_t ready_ns;

	if (!programs)
		return 0;
	for (int i = 0;; i++) {
		if (programs_read(programs, AWAIT_STEP_MS, error) < 0)
			return -1;
		ready_ns = programs_ready_ns(programs);
		if (ready_ns >= *until_ns || i == AWAIT_STEPS)
			break;
		nanosleep(&step, NULL);
	}
	if (ready_ns < *until_ns)
		*until_ns = ready_ns;
	return source_deliver_events(source, handler, error);
}

static int source_finish_programs(struct source *source, const struct source_handler *handler,
				  struct error *error)
{
	if (!source->programs)
		return 0;
	source->programs_stream->is_over = true;
	return source_deliver_events(source, handler, error);
}

static void source_account_programs(const struct source *source, struct account *out)
{
	struct programs_counts counts;

	programs_count(source->programs, &counts);
	out->marked = counts.lost;
	out->is_open = counts.is_damaged;
}

static int source_programs_wait_ms(const struct source *source, int timeout_ms)
{
	int programs_ms = source->programs ? programs_wait_ms(source->programs) : timeout_ms;

	return timeout_ms < 0 || programs_ms < timeout_ms ? programs_ms : timeout_ms;
}

/* What callers know of a source, and ask it for. */

const struct recording *source_describe(const struct source *source)
{
	return &source->recording;
}

bool source_has_one_buffer(const struct source *source)
{
	const struct stream *first = NULL;

	for (size_t i = 0; i < source->nr_streams; i++) {
		const struct stream *stream = &source->streams[i];

		if (stream->is_sideband)
			continue;
		if (first && first->buffer != stream->buffer)
			return false;
		first = stream;
	}
	return true;
}

int source_next_time(struct source *source, int64_t *time_ns, struct error *error)
{
	bool has_next = false;

	for (size_t i = 0; i < source->nr_streams; i++) {
		struct stream *stream = &source->streams[i];

		if (stream->is_sideband)
			continue;
		if (stream_fill(stream, error) < 0)
			return -1;
		if (!stream->has_next || (has_next && stream->next.time_ns >= *time_ns))
			continue;
		*time_ns = stream->next.time_ns;
		has_next = true;
	}
	return has_next;
}

int source_first_time(struct source *source, int64_t *time_ns, struct error *error)
{
	int status = source_next_time(source, time_ns, error);

	for (size_t i = 0; i < source->nr_streams && status > 0; i++) {
		struct stream *stream = &source->streams[i];

		if (!stream->is_sideband && stream->has_next)
			stream->first_ns = stream->next.time_ns;
	}
	return status;
}

void source_wait(struct source *source, int also_fd, int timeout_ms, int latency_ms)
{
	if (source->ops->wait)
		source->ops->wait(source, also_fd, source_programs_wait_ms(source, timeout_ms),
				  latency_ms);
}

void source_count(struct source *source, struct buffer_counts *out)
{
	*out = (struct buffer_counts){ 0 };
	if (source->ops->count)
		source->ops->count(source, out);
}

void source_read_ahead(struct source *source)
{
	struct error ignored = { 0 };

	if (source->ops->read_ahead)
		source->ops->read_ahead(source);
	/* A failure is met again when records are delivered. */
	if (source->programs)
		programs_read(source->programs, PROGRAMS_PASS_MS, &ignored);
}

void source_hold(struct source *source, bool is_held)
{
	if (source->ops->hold)
		source->ops->hold(source, is_held);
}

uint64_t source_lost_sideband(const struct source *source)
{
	return source->lost_sideband;
}

const struct source_span *source_span(const struct source *source)
{
	return &source->span;
}

void source_set_tap(struct source *source, const struct source_tap *tap)
{
	if (source->ops->set_tap)
		source->ops->set_tap(source, tap);
}

void source_freeze(struct source *source)
{
	if (source->ops->freeze)
		source->ops->freeze(source);
}

void source_cut(struct source *source)
{
	if (source->ops->cut)
		source->ops->cut(source);
}

int64_t source_now_ns(struct source *source)
{
	return source->ops->now_ns ? source->ops->now_ns(source) : 0;
}

/* Writers whose timestamp is older than now have committed before the first record is read. */
int source_start_time(struct source *source, int64_t *start_ns, struct error *error)
{
	int64_t first_ns;
	int status;

	*start_ns = source_now_ns(source);
	if (source->ops->await)
		source->ops->await(source);
	status = source_first_time(source, &first_ns, error);
	if (status > 0 && first_ns < *start_ns)
		*start_ns = first_ns;
	return status < 0 ? -1 : 0;
}

int source_settle(struct source *source, struct error *error)
{
	return source->ops->settle ? source->ops->settle(source, error) : 0;
}

int source_start_over(struct source *source, enum instance_kind kind, bool was_read, int64_t now_ns,
		      const struct source_handler *handler, struct error *error)
{
	unsigned int buffer = kind == INSTANCE_CONVENTION ? source->recording.convention_buffer : 0;

	/* Without buffers of its own, nothing of it was emptied. */
	if (kind == INSTANCE_CONVENTION && buffer == 0)
		return 0;
	if (source->ops->start_over)
		source->ops->start_over(source, kind);
	for (size_t i = 0; i < source->nr_streams && !was_read; i++) {
		struct stream *stream = &source->streams[i];
		struct loss loss = {
			.cpu = stream->cpu,
			.buffer = stream->buffer,
			.from_ns = stream->last_ns > stream->settled_ns ? stream->last_ns
									: stream->settled_ns,
			.to_ns = now_ns,
			.count = LOSS_COUNT_UNKNOWN,
		};

		if (stream->buffer == buffer && !stream_is_of_programs(stream) &&
		    handler->loss(handler->context, &loss, error) < 0)
			return -1;
	}
	return 0;
}

/* Reports all drops up to now before younger records are delivered. */
static int source_settle_writers(struct source *source, const struct source_handler *handler,
				 struct error *error)
{
	if (source->ops->await)
		source->ops->await(source);
	return source->ops->report_drops ? source->ops->report_drops(source, handler, error) : 0;
}

int source_drain(struct source *source, int64_t until_ns, const struct source_handler *handler,
		 struct error *error)
{
	if (source_read_programs(source, &until_ns, handler, error) < 0 ||
	    source_settle_writers(source, handler, error) < 0)
		return -1;
	return merge_drain(source, until_ns, handler, error);
}

/* What one CPU does not have bounds what is complete of all of them. */
static void span_narrow(struct source_span *span, const struct stream *stream,
			const struct account *account)
{
	span->has_from |= account->keeps_last;
	if (account->keeps_last && account->marked > 0 && stream->first_ns > span->from_ns)
		span->from_ns = stream->first_ns;
	if (!account->keeps_first || account->unmarked == 0 ||
	    (span->has_until && stream->last_ns >= span->until_ns))
		return;
	span->has_until = true;
	span->until_ns = stream->last_ns;
}

/*
 * Delivers what no gap explains. Lost after the last record, or at an unknown place, is a gap up to
 * the end; the records of all gaps of unknown size are a sum.
 */
static int rest_deliver(const struct stream *stream, const struct account *account, int64_t end_ns,
			const struct source_handler *handler, struct error *error)
{
	uint64_t marked = account->marked - stream->counted;
	uint64_t sum = stream->has_uncounted ? marked : 0;
	uint64_t behind = account->unmarked - account->reported + marked - sum;
	struct loss loss = {
		.cpu = stream->cpu,
		.buffer = stream->buffer,
		.from_ns = stream->last_ns,
		.to_ns = end_ns,
		.count = behind,
	};

	if (account->is_open || behind > INT64_MAX ||
	    (stream->is_behind_gap && (stream->has_uncounted || behind == 0))) {
		loss.count = LOSS_COUNT_UNKNOWN;
		sum += behind;
	}
	if (loss.count != 0 && handler->loss(handler->context, &loss, error) < 0)
		return -1;
	if (sum == 0 || sum > INT64_MAX)
		return 0;
	loss.is_sum = true;
	loss.count = sum;
	return handler->loss(handler->context, &loss, error);
}

/* A gap at the end of a stream has no record behind it that would let it be delivered. */
static uint64_t stream_marked(const struct stream *stream)
{
	bool is_counted = stream->is_behind_gap && stream->gap_count > 0;

	return count_sum(stream->counted, is_counted ? stream->gap_count : 0);
}

static int stream_settle(struct source *source, const struct stream *stream, int64_t end_ns,
			 const struct source_handler *handler, uint64_t *lost, struct error *error)
{
	struct account account = { .marked = stream_marked(stream) };
	uint64_t all;

	if (stream_is_of_programs(stream))
		source_account_programs(source, &account);
	else if (source->ops->read_account &&
		 source->ops->read_account(source, stream, &account, error) < 0)
		return -1;
	if (account.marked < stream_marked(stream))
		account.marked = stream_marked(stream);
	all = count_sum(account.marked, account.unmarked);
	if (stream->is_sideband) {
		source->lost_sideband = count_sum(source->lost_sideband, all);
		return 0;
	}
	*lost = count_sum(*lost, all);
	span_narrow(&source->span, stream, &account);
	return rest_deliver(stream, &account, end_ns, handler, error);
}

int source_finish(struct source *source, int64_t end_ns, const struct source_handler *handler,
		  uint64_t *lost, struct error *error)
{
	*lost = 0;
	source->lost_sideband = 0;
	source->span = (struct source_span){ 0 };
	if (source_finish_programs(source, handler, error) < 0 ||
	    source_settle_writers(source, handler, error) < 0 ||
	    merge_drain(source, INT64_MAX, handler, error) < 0)
		return -1;
	for (size_t i = 0; i < source->nr_streams; i++) {
		const struct stream *stream = &source->streams[i];

		if (handler->wants && !stream->is_sideband &&
		    !handler->wants(handler->context, stream->cpu, stream->buffer))
			continue;
		if (stream_settle(source, stream, end_ns, handler, lost, error) < 0)
			return -1;
	}
	if (source->ops->finish)
		source->ops->finish(source);
	return 0;
}

int source_visit(struct source *source, const struct tracepoint_visitor *visitor,
		 struct error *error)
{
	return source->ops->visit(source, visitor, error);
}

void source_note_unknown(struct source *source, uint16_t id, const struct record *record)
{
	if (source->ops->note_unknown)
		source->ops->note_unknown(source, id, record);
}

void source_find_task(struct source *source, int tid, struct thread_identity *out)
{
	*out = (struct thread_identity){ 0 };
	if (!source->programs || !programs_find_task(source->programs, tid, out))
		source->ops->find_task(source, tid, out);
}

void source_find_cgroup(struct source *source, int pid, struct buffer *out)
{
	if (source->ops->find_cgroup)
		source->ops->find_cgroup(source, pid, out);
	else if (namespace_has_kernel_pids())
		proc_cgroup_append(pid, out);
}

bool source_formats_name_functions(struct source *source)
{
	return constants_name_functions(&source->constants);
}

int source_read_symbols(struct source *source, struct kallsyms **out, struct error *error)
{
	if (source->ops->read_symbols)
		return source->ops->read_symbols(source, out, error);
	return kallsyms_read(out, NULL, error);
}

void source_set_progress(struct source *source, struct byte_progress *progress)
{
	if (source->ops->set_progress)
		source->ops->set_progress(source, progress);
}

const char *source_damage(const struct source *source)
{
	return source->ops->damage ? source->ops->damage(source) : NULL;
}

const char *source_lack(const struct source *source)
{
	return source->ops->lack ? source->ops->lack(source) : NULL;
}

int source_part_begin(struct source *source, const char *path, const struct spool_owner *owner,
		      struct part_writer **out, struct error *error)
{
	*out = NULL;
	if (source->ops->part_begin)
		return source->ops->part_begin(source, path, owner, out, error);
	return error_set(error,
			 "--save: only a trace.dat has parts, and this is a text; leave it out "
			 "and write an output of that time, such as --html=page.html");
}

void source_close(struct source *source)
{
	if (!source)
		return;
	constants_release(&source->constants);
	source->ops->close(source);
}

/* A source that has only the stream of programs. */

static void programs_source_wait(struct source *source, int also_fd, int timeout_ms, int latency_ms)
{
	struct pollfd fds[] = { { .fd = programs_fd(source->programs), .events = POLLIN },
				{ .fd = also_fd, .events = POLLIN } };

	(void)latency_ms;
	poll(fds, sizeof(fds) / sizeof(fds[0]), timeout_ms);
}

static int64_t programs_source_now_ns(struct source *source)
{
	(void)source;
	return time_now_ns(CLOCK_BOOTTIME);
}

static void programs_source_count(struct source *source, struct buffer_counts *out)
{
	struct programs_counts counts;

	programs_count(source->programs, &counts);
	out->read = counts.read;
	out->lost = counts.lost;
}

static int programs_source_visit(struct source *source, const struct tracepoint_visitor *visitor,
				 struct error *error)
{
	(void)source, (void)visitor, (void)error;
	return 0;
}

static void programs_source_find_task(struct source *source, int tid, struct thread_identity *out)
{
	static const struct saved_tasks none = SAVED_TASKS_NONE;

	(void)source;
	thread_find(&none, tid, out);
}

static void programs_source_close(struct source *source)
{
	streams_close(source->streams, source->nr_streams);
	recording_release(&source->recording);
	free(source);
}

static const struct source_ops programs_source_ops = {
	.wait = programs_source_wait,
	.now_ns = programs_source_now_ns,
	.count = programs_source_count,
	.visit = programs_source_visit,
	.find_task = programs_source_find_task,
	.close = programs_source_close,
};

int source_programs_open(struct source **out, struct programs *programs, struct error *error)
{
	struct source *source = calloc(1, sizeof(*source));

	*out = NULL;
	if (!source)
		return error_set(error, "out of memory");
	source->ops = &programs_source_ops;
	source->recording.clock = "boot";
	source->recording.nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (recording_keep_system(&source->recording) < 0) {
		programs_source_close(source);
		return error_set(error, "out of memory");
	}
	if (source_add_programs(source, programs, error) < 0) {
		programs_source_close(source);
		return -1;
	}
	*out = source;
	return 0;
}
