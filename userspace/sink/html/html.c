// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as one self-contained page: lines of data for its events. The output of --serve is
 * these lines alone, written soon after their events, for a page that follows them.
 */
#include "sink/html/state.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "sink/proto.h"
#include "sink/text.h"

static struct html_track *event_track(const struct html_sink *sink,
				      const struct timeline_event *event)
{
	return event->track->sink_data[sink->file.sink_index];
}

static void data_add(struct html_sink *sink, struct html_chunk *chunk, uint64_t number)
{
	size_t before = chunk->data.size;

	proto_append_number(&chunk->data, number);
	sink->pending_size += chunk->data.size - before;
}

uint64_t html_name_report(struct html_sink *sink, struct text name)
{
	struct buffer *out = &sink->file.out;

	buffer_append_string(out, "n ");
	html_append_json(out, name);
	buffer_append_char(out, '\n');
	return sink->next_name++;
}

/* A name that is not counted is written each time. The sink data is the number + 1. */
static uint64_t html_name_number(struct html_sink *sink, struct timeline_name *name)
{
	void **data = &name->sink_data[sink->file.sink_index];

	if (!name->is_counted)
		return html_name_report(sink, name->text);
	if (!*data)
		*data = (void *)(uintptr_t)(html_name_report(sink, name->text) + 1);
	return (uintptr_t)*data - 1;
}

static int html_track_begin(struct html_sink *sink, const struct timeline_event *event,
			    struct error *error)
{
	const struct timeline_track *shown = event->track;
	bool joins = sink->has_thread_rows && rows_take_track(shown);
	struct buffer *out = &sink->file.out, *text = &sink->file.text;
	struct timeline_track own = *shown;
	struct html_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track),
						       error);

	if (!track)
		return -1;
	track->number = shown->number;
	track->kind = shown->kind;
	if (joins && rows_track_begin(&sink->rows, &track->row, event->track, error) < 0)
		return -1;
	buffer_printf(out, "t {\"number\":%lu,\"label\":", shown->number);
	/* In the tree, a track is below its machine. */
	own.machine = NULL;
	buffer_clear(text);
	track_append_label(text, &own);
	html_append_json(out, buffer_text(text));
	out->failed |= text->failed;
	buffer_append_string(out, ",\"identity\":");
	buffer_clear(text);
	track_append_identity(text, shown);
	html_append_object(out, buffer_text(text));
	out->failed |= text->failed;
	buffer_append_string(out, joins ? ",\"joins\":true}\n" : "}\n");
	return sink_file_spill(&sink->file, error);
}

static int html_track_end(struct html_sink *sink, const struct timeline_event *event,
			  struct error *error)
{
	struct html_track *track = event_track(sink, event);

	if (html_track_report(sink, track, error) < 0)
		return -1;
	if (track->row.row)
		rows_track_end(&sink->rows, &track->row);
	buffer_printf(&sink->file.out, "e %lu\n", track->number);
	return sink_file_spill(&sink->file, error);
}

static int html_open(struct sink_file *file, const struct recording *recording, struct error *error)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);
	struct buffer *out = &sink->file.out;

	sink->last_ns = recording->start_ns;
	html_append_head(out, recording->source);
	html_append_recording(out, recording);
	return sink_file_spill(&sink->file, error);
}

static int depths_grow(struct html_track *track, unsigned int nr_depths, struct error *error)
{
	unsigned int size = track->nr_depths;

	if (sink_array_grow((void **)&track->slices, &size, nr_depths, sizeof(*track->slices),
			    error) < 0)
		return -1;
	return sink_array_grow((void **)&track->open, &track->nr_depths, nr_depths,
			       sizeof(*track->open), error);
}

/* The arguments of an event as JSON, "0" for none; valid until the next call. */
static struct text event_args(struct html_sink *sink, const struct timeline_event *event)
{
	bool is_slice = event->kind == TIMELINE_SLICE_BEGIN || event->kind == TIMELINE_SLICE_END;
	unsigned int with = sink->file.with;

	/* Slices that are not a thread's have the threads that began and ended them. */
	if (is_slice && event->track->scope != SCOPE_THREAD && !event->is_unfinished)
		with |= 1u << TIMELINE_EMITTER_TID;
	buffer_clear(&sink->file.text);
	if (event->nr_any > 0 || with)
		event_append_args(&sink->file.text, event, with, false);
	else
		buffer_append_char(&sink->file.text, '0');
	return buffer_text(&sink->file.text);
}

/* Sets the place of a begin or an end as far as it is known. */
static int slice_place(struct html_sink *sink, struct html_track *track,
		       const struct timeline_event *event, struct html_place *place,
		       struct error *error)
{
	struct row_place found;

	*place = (struct html_place){ .depth = event->depth - 1, .lane = event->depth - 1 };
	if (!track->row.row)
		return 0;
	if (rows_event(&sink->rows, &track->row, event, &found, error) < 0)
		return -1;
	place->row = found.row->number;
	place->lane = found.depth - 1;
	return 0;
}

static int html_slice_begin(struct html_sink *sink, const struct timeline_event *event,
			    struct error *error)
{
	struct html_track *track = event_track(sink, event);
	struct html_open *open;
	struct text args;

	if (event->depth > track->nr_depths && depths_grow(track, event->depth, error) < 0)
		return -1;
	open = &track->open[event->depth - 1];
	if (slice_place(sink, track, event, &open->place, error) < 0)
		return -1;
	open->name = event->name;
	open->begin_ns = event->time_ns;
	open->is_written = false;
	buffer_clear(&open->args);
	args = event_args(sink, event);
	if (args.size > 1)
		buffer_append(&open->args, args.data, args.size);
	return open->args.failed ? error_set(error, "out of memory") : 0;
}

/* The arguments of a slice's begin and of its end. */
static struct text slice_args(struct html_sink *sink, const struct buffer *begin,
			      const struct timeline_event *event)
{
	struct text end = event_args(sink, event);

	if (begin->size == 0 && end.size == 1)
		return text_of("0");
	buffer_clear(&sink->packed);
	buffer_append_char(&sink->packed, '[');
	buffer_append(&sink->packed, begin->data, begin->size);
	buffer_append_string(&sink->packed, begin->size ? "," : "0,");
	buffer_append(&sink->packed, end.data, end.size);
	buffer_append_char(&sink->packed, ']');
	return buffer_text(&sink->packed);
}

static int html_slice_end(struct html_sink *sink, const struct timeline_event *event,
			  struct error *error)
{
	struct html_track *track = event_track(sink, event);
	unsigned int depth = event->depth - 1;
	struct html_place place;
	struct html_chunk *chunk;
	int64_t duration_ns = event->time_ns - event->begin_ns;
	/* Flags are part of the data, not of the arguments. */
	struct timeline_event plain = *event;

	if (slice_place(sink, track, event, &place, error) < 0)
		return -1;
	chunk = html_slices_of(sink, track, &place, event->begin_ns, error);
	if (!chunk)
		return -1;
	plain.is_suspect = plain.is_unfinished = plain.is_foreign = false;
	data_add(sink, chunk, event->begin_ns - chunk->last_ns);
	data_add(sink, chunk, duration_ns);
	data_add(sink, chunk,
		 html_name_number(sink, event->name) << 3 | event->is_foreign << 2 |
			 event->is_unfinished << 1 | event->is_suspect);
	chunk->last_ns = chunk->to_ns = event->time_ns;
	chunk->busy_ns += duration_ns;
	track->open[depth].name = NULL;
	return html_chunk_add(sink, track, CHUNK_SLICES, chunk,
			      slice_args(sink, &track->open[depth].args, &plain), error);
}

static int html_instant(struct html_sink *sink, const struct timeline_event *event,
			struct error *error)
{
	struct html_track *track = event_track(sink, event);
	struct html_chunk *chunk = html_points_of(track, event->time_ns);
	struct row_place place = { .depth = event->depth };

	if (track->row.row && rows_event(&sink->rows, &track->row, event, &place, error) < 0)
		return -1;
	if (track->row.row)
		place.depth = row_first(place.row)->nr_open;
	if (chunk->count == 0)
		chunk->depth = place.depth;
	data_add(sink, chunk, event->time_ns - chunk->last_ns);
	data_add(sink, chunk, place.depth);
	data_add(sink, chunk, html_name_number(sink, event->name));
	chunk->last_ns = chunk->to_ns = event->time_ns;
	return html_chunk_add(sink, track, CHUNK_INSTANTS, chunk, event_args(sink, event), error);
}

/* A chunk begins with a number: 1 if its samples are signed, 2 if they are floating. */
static int html_sample(struct html_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	struct html_track *track = event_track(sink, event);
	struct html_chunk *chunk = html_points_of(track, event->time_ns);
	const struct value *value = &event->value;
	bool is_floating = value->kind == VALUE_FLOATING;
	uint64_t bits = value->unsigned_number;

	if (chunk->count == 0)
		data_add(sink, chunk, is_floating ? 2 : value->kind == VALUE_SIGNED);
	data_add(sink, chunk, event->time_ns - chunk->last_ns);
	if (is_floating) {
		/* The two halves are words, of which the lower one is often 0. */
		memcpy(&bits, &value->floating, sizeof(bits));
		data_add(sink, chunk, (uint32_t)bits);
		data_add(sink, chunk, bits >> 32);
	} else {
		/* Zigzag: small numbers of either sign become small unsigned ones. */
		if (value->kind != VALUE_UNSIGNED)
			bits = bits << 1 ^ (value->signed_number < 0 ? UINT64_MAX : 0);
		data_add(sink, chunk, bits);
	}
	if (chunk->count == 0)
		chunk->min = chunk->max = *value;
	value_range_add(&chunk->min, &chunk->max, value);
	chunk->last_ns = chunk->to_ns = event->time_ns;
	return html_chunk_add(sink, track, CHUNK_SAMPLES, chunk, event_args(sink, event), error);
}

static int html_loss(struct html_sink *sink, const struct timeline_event *event,
		     struct error *error)
{
	struct buffer *out = &sink->file.out;

	buffer_printf(out, "l %d %lld %lld ", event->loss_cpu,
		      (long long)(event->begin_ns - sink->file.start_ns),
		      (long long)(event->loss_end_ns - sink->file.start_ns));
	html_append_json(out, remark_set(&sink->file.text, event));
	buffer_append_char(out, '\n');
	return sink_file_spill(&sink->file, error);
}

static int html_remark(struct html_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	struct buffer *out = &sink->file.out, *text = &sink->file.text;

	buffer_clear(text);
	if (event->kind == TIMELINE_COMMAND_BEGIN)
		buffer_append_string(text, "begin of: ");
	if (event->kind == TIMELINE_COMMAND_END)
		buffer_printf(text, "end of process %d with status %d", event->pid, event->status);
	else
		remark_append(text, event);
	buffer_printf(out, "m %lld ", (long long)(event->time_ns - sink->file.start_ns));
	html_append_json(out, buffer_text(text));
	buffer_append_char(out, '\n');
	return sink_file_spill(&sink->file, error);
}

/* Writes a fault of the recording as a whole. */
static void html_note_write(struct html_sink *sink, struct text text)
{
	struct buffer *out = &sink->file.out;

	buffer_append_string(out, "w ");
	html_append_json(out, text);
	buffer_append_char(out, '\n');
}

/* The page decompresses them together. */
#define EXPLAINED_MAX 128

/* Writes where the time of slices went, in the order of begins; returns -1 with @error. */
static int html_explanations_report(struct html_sink *sink, struct error *error)
{
	const struct explanations *all = sink->explanations;
	struct buffer *out = &sink->file.out, *text = &sink->file.text;

	for (size_t i = 0, end; all && i < all->nr_items; i = end) {
		end = all->nr_items - i < EXPLAINED_MAX ? all->nr_items : i + EXPLAINED_MAX;
		buffer_clear(text);
		for (size_t j = i; j < end; j++) {
			const struct explanation *one = &all->items[j];

			buffer_append_string(text, j > i ? ",[" : "[[");
			buffer_append_unsigned(text, one->track);
			buffer_printf(text, ",%u,", one->depth - 1);
			buffer_append(text, one->json.data, one->json.size);
			buffer_append_char(text, ']');
		}
		buffer_append_char(text, ']');
		buffer_append_string(out, "x ");
		buffer_append_signed(out, all->items[i].begin_ns - sink->file.start_ns);
		buffer_append_char(out, ' ');
		buffer_append_signed(out, all->items[end - 1].begin_ns - sink->file.start_ns);
		buffer_append_char(out, ' ');
		if (text->failed || html_append_packed(sink, buffer_text(text)) < 0)
			return error_set(error, "out of memory");
		buffer_append_char(out, '\n');
		if (sink_file_spill(&sink->file, error) < 0)
			return -1;
	}
	return 0;
}

static int html_finish(struct html_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	struct buffer *out = &sink->file.out, *text = &sink->file.text;
	const struct explanations *explained = sink->explanations;
	const struct timeline_totals *totals = event->totals;

	if (html_flows_report(sink, error) < 0 || html_explanations_report(sink, error) < 0)
		return -1;
	for (size_t i = 0; i < fault_limit(totals); i++) {
		if (!fault_set(text, totals, sink->file.counts_ticks, i))
			continue;
		html_note_write(sink, buffer_text(text));
		out->failed |= text->failed;
	}
	if (sink_file_spill(&sink->file, error) < 0)
		return -1;
	buffer_printf(out, "f {\"last_ns\":%lld,\"end_ns\":%lld,\"lost\":%llu,",
		      (long long)(sink->last_ns - sink->file.start_ns),
		      (long long)(event->time_ns - sink->file.start_ns),
		      (unsigned long long)totals->lost_records);
	buffer_printf(out, "\"lost_gaps_unknown\":%llu,\"suspect\":%llu,\"unfinished\":%llu",
		      (unsigned long long)totals->lost_gaps_unknown,
		      (unsigned long long)totals->suspect, (unsigned long long)totals->unfinished);
	if (totals->has_wall_drift)
		buffer_printf(out, ",\"wall_drift_ns\":%lld", (long long)totals->wall_drift_ns);
	if (explained)
		buffer_printf(out, ",\"explained\":{\"states\":%s,\"interrupts\":%s,\"limit\":%zu}",
			      explained->has_states ? "true" : "false",
			      explained->has_interrupts ? "true" : "false", explained->limit);
	buffer_append_string(out, "}\n");
	return 0;
}

static int (*const writers[TIMELINE_KIND_COUNT])(struct html_sink *sink,
						 const struct timeline_event *event,
						 struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = html_track_begin,
	[TIMELINE_SLICE_BEGIN] = html_slice_begin,
	[TIMELINE_SLICE_END] = html_slice_end,
	[TIMELINE_INSTANT] = html_instant,
	[TIMELINE_COUNTER] = html_sample,
	[TIMELINE_TRACK_END] = html_track_end,
	[TIMELINE_LOSS] = html_loss,
	[TIMELINE_MALFORMED] = html_remark,
	[TIMELINE_FOREIGN_END] = html_remark,
	[TIMELINE_TRACEPOINT] = html_remark,
	[TIMELINE_COMMAND_BEGIN] = html_remark,
	[TIMELINE_COMMAND_END] = html_remark,
	[TIMELINE_FINISH] = html_finish,
};

/* Whether a record caused the event. Incomplete slices last until the end of the recording. */
static bool is_record(const struct timeline_event *event)
{
	switch (event->kind) {
	case TIMELINE_INSTANT:
	case TIMELINE_COUNTER:
		return true;
	case TIMELINE_SLICE_BEGIN:
	case TIMELINE_SLICE_END:
		return !event->is_continued && !event->is_unfinished;
	default:
		return false;
	}
}

/* Writes the lines of an event, or keeps it for a later one; returns -1 with @error. */
static int html_lines_write(struct html_sink *sink, const struct timeline_event *event,
			    struct error *error)
{
	if (is_record(event) && event->time_ns > sink->last_ns)
		sink->last_ns = event->time_ns;
	if (unlikely(event->nr_flows > 0) && html_flows_add(sink, event, error) < 0)
		return -1;
	return writers[event->kind] ? writers[event->kind](sink, event, error) : 0;
}

static int html_event(struct sink_file *file, const struct timeline_event *event,
		      struct error *error)
{
	int status = html_lines_write(container_of(file, struct html_sink, file), event, error);

	if (event->kind == TIMELINE_FINISH)
		html_append_tail(&file->out);
	return status;
}

/* Frees what the sink refers to. */
static void html_release(struct sink_file *file)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);

	html_flows_release(sink);
	rows_release(&sink->rows);
	buffer_release(&sink->packed);
}

static const struct sink_file_ops html_file = {
	.size = sizeof(struct html_sink),
	.open = html_open,
	.event = html_event,
	.track_release = html_track_release,
	.release = html_release,
};

static struct sink *sink_html_new(const struct sink_settings *settings, struct error *error)
{
	struct sink *sink = sink_file_new(&html_file, settings, error);
	struct html_sink *html = sink ? container_of(sink, struct html_sink, file.sink) : NULL;

	if (!sink)
		return NULL;
	html->explanations = settings->explanations;
	html->has_thread_rows = settings->rows == SINK_ROWS_THREAD;
	return sink;
}

const struct sink_kind sink_html = {
	.name = "html",
	.help = "write a page for any browser (works offline)",
	.viewer = "a browser",
	.use = SINK_USE_FILE,
	.shows_explanations = true,
	.sink_new = sink_html_new,
};

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

/* After the limit, only the end is written. */
static int live_event(struct sink_file *file, const struct timeline_event *event,
		      struct error *error)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);

	if (!sink->is_full || event->kind == TIMELINE_FINISH)
		return html_lines_write(sink, event, error);
	/* Tracks must exist until their end; they get no events. */
	if (event->kind != TIMELINE_TRACK_BEGIN)
		return 0;
	return sink_file_track_new(file, event->track, sizeof(struct html_track), error) ? 0 : -1;
}

/* Writes the slices of a track that were open at the last flush, too; returns whether any is. */
static bool track_write_open(struct html_sink *sink, const struct html_track *track)
{
	struct buffer *out = &sink->file.out;
	bool is_any = false;

	for (unsigned int i = 0; i < track->nr_depths; i++) {
		struct html_open *open = &track->open[i];
		uint64_t name;

		if (!open->name || open->begin_ns > sink->reached_ns)
			continue;
		is_any = true;
		if (open->is_written)
			continue;
		name = html_name_number(sink, open->name);
		buffer_printf(out, "o %lu ", track->number);
		html_place_append(out, &open->place);
		buffer_printf(out, " %lld %llu ", (long long)(open->begin_ns - sink->file.start_ns),
			      (unsigned long long)name);
		html_append_object(out,
				   open->args.size > 0 ? buffer_text(&open->args) : text_of("0"));
		buffer_append_char(out, '\n');
		open->is_written = true;
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
	/* Trace time goes on while nothing is recorded. */
	if (sink->newest_ns != sink->last_ns) {
		sink->newest_ns = sink->last_ns;
		sink->newest_seen_ns = now_ns;
	}
	sink->reached_ns = sink->newest_ns;
	if (!sink->file.counts_ticks)
		sink->reached_ns += now_ns - sink->newest_seen_ns;
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
	struct buffer *text = &file->text;
	struct stat about;

	if (sink->is_full || begin_ns < sink->flush_ns)
		return 0;
	if (html_report_all(sink, error) < 0 || live_write_open(sink, begin_ns, error) < 0 ||
	    sink_file_flush(file, error) < 0)
		return -1;
	end_ns = time_now_ns(CLOCK_MONOTONIC);
	sink->flush_ns = end_ns + (end_ns - begin_ns) * WRITING_SHARE;
	if (sink->flush_ns < begin_ns + INTERVAL_NS)
		sink->flush_ns = begin_ns + INTERVAL_NS;
	if (fstat(file->fd, &about) < 0 || (uint64_t)about.st_size < sink->size_max)
		return 0;
	sink->is_full = true;
	/* Explanations of slices would be added at the end. */
	sink->explanations = NULL;
	buffer_clear(text);
	buffer_append_string(text, "this page is full: it has nothing after ");
	buffer_append_duration(text, sink->last_ns - file->start_ns);
	buffer_printf(text, " (limit %llu MiB)", (unsigned long long)sink->size_max >> 20);
	html_note_write(sink, buffer_text(text));
	return sink_file_flush(file, error);
}

static const struct sink_file_ops live_file = {
	.size = sizeof(struct html_sink),
	.open = live_open,
	.event = live_event,
	.flush = live_flush,
	.track_release = html_track_release,
	.release = html_release,
};

static struct sink *sink_serve_new(const struct sink_settings *settings, struct error *error)
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

const struct sink_kind sink_serve = {
	.name = "serve",
	.help = "serve a page that follows the recording",
	.use = SINK_USE_SERVER,
	.shows_explanations = true,
	.sink_new = sink_serve_new,
};
