// SPDX-License-Identifier: GPL-2.0-only
/* Reads the instance of another owner, and changes nothing of it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/live_source.h"

/* The clock is in brackets: "local global [boot]". */
static int describe_time(struct recording *recording, const char *directory)
{
	struct buffer text = { 0 };
	clockid_t clock;
	int status = 0;

	if (file_read_in(directory, "trace_clock", &text) == 0) {
		const char *begin = strchr(buffer_string(&text), '[');

		if (begin)
			status =
				recording_keep(recording, &recording->clock,
					       (struct text){ begin + 1, strcspn(begin + 1, "]") });
	}
	buffer_release(&text);
	recording->counts_ticks = trace_clock_counts_ticks(recording->clock);
	recording->time_source = "none";
	if (!recording->clock || !trace_clock_find(recording->clock, &clock))
		return status;
	recording->time_source = "realtime";
	recording->wall_offset_ns = time_wall_offset_ns(clock);
	return 0;
}

/*
 * How many of the overwritten records earlier gaps explained is unknown, if others read them.
 */
static void live_source_share(struct live_source *live)
{
	buffer_reader_share(live->reader);
	for (size_t i = 0; i < live->reader->size; i++) {
		struct live_stream *own = live->source.streams[i].own;
		const struct statistics *before = &own->buffer->before;

		own->is_counted = before->read == 0;
		own->has_older_drops = before->read > 0 && before->dropped > 0;
		if (!own->buffer->is_sideband)
			live->source.recording.read_before += before->read;
	}
}

/**
 * live_source_describe - read the settings of another owner's instance, and what it counted
 *
 * Returns -1 with @error if memory runs out.
 */
static int live_source_describe(struct live_source *live, struct error *error)
{
	struct recording *recording = &live->source.recording;
	struct buffer text = { 0 };
	int status = describe_time(recording, live->directory);

	recording->buffer_kib = instance_number(live->directory, "buffer_size_kb");
	file_read_boot_id(&text);
	buffer_append_string(&text, live->directory);
	if (recording_keep_id(recording, text_hash(buffer_text(&text))) < 0)
		status = -1;
	buffer_release(&text);
	live_source_share(live);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

int source_attached_open(struct source **out, const char *directory, struct error *error)
{
	struct live_source *live;
	const char *clock;

	*out = NULL;
	if (live_source_new(&live, directory, NULL, error) < 0)
		return -1;
	if (live_source_describe(live, error) < 0) {
		source_close(&live->source);
		return -1;
	}
	live->watches_drops = instance_number(directory, "options/overwrite") == 0;
	live->source.recording.overwrite = live->watches_drops ? "0" : "1";
	live->reads_ahead = true;
	clock = live->source.recording.clock;
	live->has_clock_id = clock && trace_clock_find(clock, &live->clock_id);
	live->attached_ns = source_now_ns(&live->source);
	*out = &live->source;
	return 0;
}

/* The sideband instance of a killed run has the names of its threads. */
int live_source_snapshot_open(struct source **out, const char *directory, struct error *error)
{
	struct buffer sideband = { 0 };
	struct live_source *live;
	int status = sideband_directory(&sideband, directory, error);

	if (status == 0)
		status = live_source_new(&live, directory,
					 sideband.size > 0 ? buffer_string(&sideband) : NULL,
					 error);
	buffer_release(&sideband);
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

/* How many records were dropped since the last call. */
static int64_t drops_count(struct live_stream *own, uint64_t dropped)
{
	uint64_t count = statistics_since(dropped, own->dropped);

	own->dropped = dropped;
	own->reported += count;
	return count;
}

/* Earlier drops are younger than the records that the buffer contained then. */
static int64_t older_drops_count(struct live_stream *own)
{
	int64_t count = drops_count(own, own->buffer->before.dropped);

	if (!own->has_older_drops)
		return count;
	own->has_older_drops = false;
	own->reported = 0;
	return own->buffer->before.unread > 0 ? LOSS_COUNT_UNKNOWN : 0;
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

/*
 * Drops of a full buffer leave no mark. They are younger than all delivered records, and older than
 * now.
 */
static int stream_report_drops(struct live_source *live, const struct stream *stream,
			       const struct source_handler *handler, struct error *error)
{
	struct live_stream *own = stream->own;
	struct statistics now;

	if (cpu_buffer_statistics(own->buffer, &now, error) < 0)
		return -1;
	if (!own->has_looked &&
	    drops_report(stream, older_drops_count(own), live->attached_ns, handler, error) < 0)
		return -1;
	own->has_looked = true;
	return drops_report(stream, drops_count(own, now.dropped), source_now_ns(&live->source),
			    handler, error);
}

int live_source_report_drops(struct source *source, const struct source_handler *handler,
			     struct error *error)
{
	struct live_source *live = live_source_of(source);

	for (size_t i = 0; live->watches_drops && i < live_source_of(source)->reader->size; i++) {
		if (stream_report_drops(live, &source->streams[i], handler, error) < 0)
			return -1;
	}
	return 0;
}
