// SPDX-License-Identifier: GPL-2.0-only
/* Reads an instance that somebody set up, while it is written, and changes nothing of it. */
#include "source/live.h"

int source_attached_open(struct source **out, const char *directory, struct error *error)
{
	struct live *live;

	*out = NULL;
	if (live_new(&live, directory, error) < 0)
		return -1;
	instance_describe(live);
	live->watches_drops = live_number(directory, "options/overwrite") == 0;
	live->source.description.overwrite = live->watches_drops ? "0" : "1";
	live->reads_ahead = true;
	live->has_clock_id = live->clock && source_clock_find(live->clock, &live->clock_id);
	live->attached_ns = source_now_ns(&live->source);
	*out = &live->source;
	return 0;
}

/* The kernel says what any of its clocks shows, if only in microseconds. */
int64_t source_now_ns(const struct source *source)
{
	const struct live *live = (const struct live *)source;
	struct error ignored = { 0 };
	struct statistics now;

	if (live->has_clock_id)
		return time_now_ns(live->clock_id);
	if (live_statistics_now(source->streams[0].own, &now, &ignored) < 0)
		return 0;
	return now.now;
}

/* A writer that took its stamp before now has committed before its record is looked for. */
int source_attached_start(struct source *source, int64_t *start_ns, struct error *error)
{
	int64_t first_ns;
	int status;

	*start_ns = source_now_ns(source);
	source->ops->await(source);
	status = source_first_time(source, &first_ns, error);
	if (status > 0 && first_ns < *start_ns)
		*start_ns = first_ns;
	return status < 0 ? -1 : 0;
}

int live_statistics(const struct stream *stream, struct statistics *out, struct error *error)
{
	const struct live_stream *own = stream->own;

	if (!own->is_sealed)
		return live_statistics_now(own, out, error);
	*out = own->after;
	return 0;
}

void source_seal(struct source *source)
{
	for (size_t i = 0; i < source->nr_streams; i++) {
		struct live_stream *own = source->streams[i].own;
		struct error ignored = { 0 };

		own->sub_buffers_left = 0;
		if (own->is_sealed)
			continue;
		own->is_sealed = live_statistics_now(own, &own->after, &ignored) == 0;
	}
}

/* How many were dropped since the last look. */
static int64_t drops_count(struct live_stream *own, uint64_t dropped)
{
	uint64_t count = statistics_since(dropped, own->dropped);

	own->dropped = dropped;
	own->told += count;
	return count;
}

/* What was dropped before we came was so behind what the buffer held then. */
static int64_t older_drops_count(struct live_stream *own)
{
	int64_t count = drops_count(own, own->before.dropped);

	if (!own->has_older_drops)
		return count;
	own->has_older_drops = false;
	own->told = 0;
	return own->before.unread > 0 ? SOURCE_COUNT_UNKNOWN : 0;
}

static int drops_tell(const struct stream *stream, int64_t count, int64_t to_ns,
		      const struct source_handler *handler, struct error *error)
{
	const struct source_loss loss = {
		.cpu = stream->cpu,
		.buffer = stream->buffer,
		.from_ns = stream->settled_ns,
		.to_ns = to_ns,
		.count = count,
	};

	return count == 0 ? 0 : handler->loss(handler->context, &loss, error);
}

/*
 * What a full buffer that must not overwrite drops leaves no mark. It happened after all that was
 * delivered, and before now.
 */
static int stream_tell_drops(const struct live *live, const struct stream *stream,
			     const struct source_handler *handler, struct error *error)
{
	struct live_stream *own = stream->own;
	struct statistics now;

	if (live_statistics(stream, &now, error) < 0)
		return -1;
	if (!own->has_looked &&
	    drops_tell(stream, older_drops_count(own), live->attached_ns, handler, error) < 0)
		return -1;
	own->has_looked = true;
	return drops_tell(stream, drops_count(own, now.dropped), source_now_ns(&live->source),
			  handler, error);
}

int live_tell_drops(struct source *source, const struct source_handler *handler,
		    struct error *error)
{
	const struct live *live = (const struct live *)source;

	for (size_t i = 0; live->watches_drops && i < source->nr_streams; i++) {
		if (stream_tell_drops(live, &source->streams[i], handler, error) < 0)
			return -1;
	}
	return 0;
}
