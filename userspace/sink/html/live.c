// SPDX-License-Identifier: GPL-2.0-only
/* The lines of the page alone, written soon after their events, for a page that follows them. */
#include <sys/stat.h>

#include "sink/html/state.h"
#include "sink/kinds.h"

/*
 * Waiting events are written at this interval; at a longer one if writing them takes more than a
 * share of 1 / WRITING_SHARE of the time, because a chunk for each of many tracks is small then.
 */
#define INTERVAL_NS (250 * NS_PER_MS)
#define WRITING_SHARE 20

/* The time is written at this interval while slices are open. */
#define TIME_INTERVAL_NS NS_PER_S

static int live_open(struct sink_file *file, const struct recording *recording, struct error *error)
{
	container_of(file, struct html_sink, file)->last_ns = recording->start_ns;
	html_append_recording(&file->out, recording);
	return sink_file_spill(file, error);
}

/* Tracks must exist until their end; they get no events. */
static int full_track_begin(struct sink_file *file, const struct timeline_event *event,
			    struct error *error)
{
	return sink_file_track_new(file, event->track, sizeof(struct html_track), error) ? 0 : -1;
}

/* After the limit, only the end is written. */
static int live_event(struct sink_file *file, const struct timeline_event *event,
		      struct error *error)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);

	if (!sink->is_full || event->kind == TIMELINE_FINISH)
		return html_lines_write(sink, event, error);
	return event->kind == TIMELINE_TRACK_BEGIN ? full_track_begin(file, event, error) : 0;
}

/* Explanations of slices would be added at the end. */
static int live_end_early(struct html_sink *sink, struct error *error)
{
	struct buffer *text = &sink->file.text;

	sink->is_full = true;
	sink->explanations = NULL;
	buffer_clear(text);
	buffer_append_string(text, "this page is full: it has nothing after ");
	buffer_append_duration(text, sink->last_ns - sink->file.start_ns);
	buffer_printf(text, " (limit %llu MiB)", (unsigned long long)sink->size_max >> 20);
	html_note_write(sink, buffer_text(text));
	return sink_file_flush(&sink->file, error);
}

static bool live_is_large(const struct html_sink *sink)
{
	struct stat about;

	return fstat(sink->file.fd, &about) == 0 && (uint64_t)about.st_size >= sink->size_max;
}

/* Trace time goes on while nothing is recorded. */
static int64_t live_time_ns(struct html_sink *sink, int64_t now_ns)
{
	if (sink->newest_ns != sink->last_ns) {
		sink->newest_ns = sink->last_ns;
		sink->newest_seen_ns = now_ns;
	}
	return sink->file.counts_ticks ? sink->newest_ns
				       : sink->newest_ns + now_ns - sink->newest_seen_ns;
}

static void open_write(struct html_sink *sink, unsigned long track, struct html_open *open)
{
	struct buffer *out = &sink->file.out;
	uint64_t name = html_name_number(sink, open->name);

	buffer_printf(out, "o %lu ", track);
	html_place_append(out, &open->place);
	buffer_printf(out, " %lld %llu ", (long long)(open->begin_ns - sink->file.start_ns),
		      (unsigned long long)name);
	html_append_object(out, open->args.size > 0 ? buffer_text(&open->args) : text_of("0"));
	buffer_append_char(out, '\n');
	open->is_written = true;
}

/* Writes the slices of a track that were open at the last flush, too; returns whether any is. */
static bool track_write_open(struct html_sink *sink, const struct html_track *track)
{
	bool is_any = false;

	for (unsigned int i = 0; i < track->nr_depths; i++) {
		struct html_open *open = &track->open[i];

		if (!open->name || open->begin_ns > sink->reached_ns)
			continue;
		if (!open->is_written)
			open_write(sink, track->number, open);
		is_any = true;
	}
	return is_any;
}

/* Short slices are not worth it: each line is for one that lasts longer than an interval. */
static int live_write_open(struct html_sink *sink, int64_t now_ns, struct error *error)
{
	bool is_any = false;

	for (struct sink_track *link = sink->file.tracks; link; link = link->after) {
		is_any |= track_write_open(sink, container_of(link, struct html_track, link));
		if (sink_file_spill(&sink->file, error) < 0)
			return -1;
	}
	sink->reached_ns = live_time_ns(sink, now_ns);
	if (is_any && sink->reached_ns >= sink->written_ns + TIME_INTERVAL_NS) {
		buffer_printf(&sink->file.out, "a %lld\n",
			      (long long)(sink->reached_ns - sink->file.start_ns));
		sink->written_ns = sink->reached_ns;
	}
	return sink_file_spill(&sink->file, error);
}

static int live_flush(struct sink_file *file, struct error *error)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);
	int64_t begin_ns = time_now_ns(CLOCK_MONOTONIC), end_ns;

	if (sink->is_full || begin_ns < sink->flush_ns)
		return 0;
	if (html_report_all(sink, error) < 0 || live_write_open(sink, begin_ns, error) < 0 ||
	    sink_file_flush(file, error) < 0)
		return -1;
	end_ns = time_now_ns(CLOCK_MONOTONIC);
	sink->flush_ns = end_ns + (end_ns - begin_ns) * WRITING_SHARE;
	if (sink->flush_ns < begin_ns + INTERVAL_NS)
		sink->flush_ns = begin_ns + INTERVAL_NS;
	return live_is_large(sink) ? live_end_early(sink, error) : 0;
}

static const struct sink_file_ops live_file = {
	.size = sizeof(struct html_sink),
	.open = live_open,
	.event = live_event,
	.flush = live_flush,
	.track_release = html_track_release,
	.release = html_release,
};

struct sink *sink_serve_new(const struct sink_settings *settings, struct error *error)
{
	struct sink *sink = sink_file_new(&live_file, settings, error);
	struct html_sink *live = sink ? container_of(sink, struct html_sink, file.sink) : NULL;

	if (!live)
		return NULL;
	live->explanations = settings->explanations;
	live->has_thread_rows = settings->rows == SINK_ROWS_THREAD;
	live->size_max = settings->size_max;
	return sink;
}
