// SPDX-License-Identifier: GPL-2.0-only
/* The stream of programs' records, beside those of an instance, or alone. */
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "source/source_ops.h"

/* A record that a program has begun is awaited for so long before all streams are held back. */
#define AWAIT_STEPS 20
#define AWAIT_STEP_MS 1

/** struct programs_stream - the stream's data */
struct programs_stream {
	struct programs *programs;
	bool is_over;	  /* no program writes any more: all records are final */
	size_t nr_events; /* events that were delivered to the handler */
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

bool stream_is_of_programs(const struct stream *stream)
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
	struct programs_stream *own = source->programs_stream;

	while (own->nr_events < programs_nr_events(own->programs)) {
		const struct program_event *event = programs_event(own->programs, own->nr_events++);

		if (handler->event && handler->event(handler->context, event, error) < 0)
			return -1;
	}
	return 0;
}

int source_read_programs(struct source *source, int64_t *until_ns,
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

int source_finish_programs(struct source *source, const struct source_handler *handler,
			   struct error *error)
{
	if (!source->programs)
		return 0;
	source->programs_stream->is_over = true;
	return source_deliver_events(source, handler, error);
}

void source_account_programs(const struct source *source, struct account *out)
{
	struct programs_counts counts;

	programs_count(source->programs, &counts);
	out->marked = counts.lost;
	out->is_open = counts.is_damaged;
}

int source_programs_wait_ms(const struct source *source, int timeout_ms)
{
	int programs_ms = source->programs ? programs_wait_ms(source->programs) : timeout_ms;

	return timeout_ms < 0 || programs_ms < timeout_ms ? programs_ms : timeout_ms;
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
