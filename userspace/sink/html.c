// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as one page that needs nothing else: what stands around its data, and which line of
 * the data stands for which event.
 */
#include <stdlib.h>

#include "sink/args.h"
#include "sink/html_state.h"
#include "sink/identity.h"
#include "sink/notes.h"
#include "sink/page/page.h"
#include "sink/proto.h"

/* Scripts and styles of the page itself are all that it may run; it may fetch nothing. */
#define PAGE_BEGIN                                                                    \
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"         \
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; " \
	"script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"                  \
	"<meta name=\"viewport\" content=\"width=device-width\">\n<title>ktrack: "

static struct html_track *event_track(const struct html_sink *sink,
				      const struct timeline_event *event)
{
	return event->track->slots[sink->file.slot];
}

/* A number that is added to a chunk's data. */
static void data_add(struct html_sink *sink, struct html_chunk *chunk, uint64_t number)
{
	size_t before = chunk->data.size;

	proto_append_number(&chunk->data, number);
	sink->pending_size += chunk->data.size - before;
}

static uint64_t name_tell(struct html_sink *sink, struct text name)
{
	struct buffer *out = &sink->file.writer.buffer;

	buffer_append_string(out, "n ");
	html_append_json(out, name);
	buffer_append_char(out, '\n');
	return sink->next_name++;
}

/* The number of a name; one that is not counted is told each time. The slot holds number + 1. */
static uint64_t name_number(struct html_sink *sink, struct timeline_name *name)
{
	void **slot = &name->slots[sink->file.slot];

	if (!name->is_counted)
		return name_tell(sink, name->text);
	if (!*slot)
		*slot = (void *)(uintptr_t)(name_tell(sink, name->text) + 1);
	return (uintptr_t)*slot - 1;
}

static void append_track(struct html_sink *sink, const struct timeline_track *shown)
{
	struct buffer *out = &sink->file.writer.buffer;

	buffer_printf(out, "t {\"number\":%lu,\"label\":", shown->number);
	buffer_clear(&sink->file.text);
	track_append_label(&sink->file.text, shown);
	html_append_json(out, buffer_text(&sink->file.text));
	buffer_append_string(out, ",\"identity\":");
	buffer_clear(&sink->file.text);
	track_append_identity(&sink->file.text, shown);
	html_append_object(out, buffer_text(&sink->file.text));
	buffer_append_string(out, "}\n");
}

static int html_track_begin(struct html_sink *sink, const struct timeline_event *event,
			    struct error *error)
{
	struct html_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track),
						       error);

	if (!track)
		return -1;
	track->number = event->track->number;
	track->kind = event->track->kind;
	append_track(sink, event->track);
	return writer_spill(&sink->file.writer, error);
}

static int html_track_end(struct html_sink *sink, const struct timeline_event *event,
			  struct error *error)
{
	return html_track_tell(sink, event_track(sink, event), error);
}

static int depths_grow(struct html_track *track, unsigned int nr_depths, struct error *error)
{
	struct html_chunk *slices = reallocarray(track->slices, nr_depths, sizeof(*slices));
	struct buffer *begins;

	if (slices)
		track->slices = slices;
	begins = slices ? reallocarray(track->begins, nr_depths, sizeof(*begins)) : NULL;
	if (!begins)
		return error_set(error, "out of memory");
	track->begins = begins;
	for (; track->nr_depths < nr_depths; track->nr_depths++) {
		slices[track->nr_depths] = (struct html_chunk){ 0 };
		begins[track->nr_depths] = (struct buffer){ 0 };
	}
	return 0;
}

/* The args of an event as JSON, "0" for none; lives until the next call. */
static struct text event_args(struct html_sink *sink, const struct timeline_event *event)
{
	buffer_clear(&sink->file.text);
	if (event->nr_fields > 0 || sink->file.with)
		event_append_args(&sink->file.text, event, sink->file.with, false);
	else
		buffer_append_char(&sink->file.text, '0');
	return buffer_text(&sink->file.text);
}

static int slice_begin(struct html_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	struct html_track *track = event_track(sink, event);
	struct buffer *begin;
	struct text args;

	if (event->depth > track->nr_depths && depths_grow(track, event->depth, error) < 0)
		return -1;
	begin = &track->begins[event->depth - 1];
	buffer_clear(begin);
	args = event_args(sink, event);
	if (args.size > 1)
		buffer_append(begin, args.data, args.size);
	return begin->failed ? error_set(error, "out of memory") : 0;
}

/* The args of a slice: those of its begin, then those of its end. */
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

static int slice_end(struct html_sink *sink, const struct timeline_event *event,
		     struct error *error)
{
	struct html_track *track = event_track(sink, event);
	unsigned int depth = event->depth - 1;
	struct html_chunk *chunk = html_chunk_of(track, CHUNK_SLICES, depth, event->begin_ns);
	int64_t duration_ns = event->time_ns - event->begin_ns;
	/* Marks are in the data, not among the args. */
	struct timeline_event plain = *event;

	plain.is_suspect = plain.is_unfinished = plain.is_foreign = false;
	data_add(sink, chunk, event->begin_ns - chunk->last_ns);
	data_add(sink, chunk, duration_ns);
	data_add(sink, chunk,
		 name_number(sink, event->name) << 3 | event->is_foreign << 2 |
			 event->is_unfinished << 1 | event->is_suspect);
	chunk->last_ns = chunk->to_ns = event->time_ns;
	chunk->busy_ns += duration_ns;
	return html_chunk_add(sink, track, CHUNK_SLICES, depth,
			      slice_args(sink, &track->begins[depth], &plain), error);
}

static int instant(struct html_sink *sink, const struct timeline_event *event, struct error *error)
{
	struct html_track *track = event_track(sink, event);
	struct html_chunk *chunk = html_chunk_of(track, CHUNK_INSTANTS, 0, event->time_ns);

	if (chunk->count == 0)
		chunk->depth = event->depth;
	data_add(sink, chunk, event->time_ns - chunk->last_ns);
	data_add(sink, chunk, event->depth);
	data_add(sink, chunk, name_number(sink, event->name));
	chunk->last_ns = chunk->to_ns = event->time_ns;
	return html_chunk_add(sink, track, CHUNK_INSTANTS, 0, event_args(sink, event), error);
}

static bool is_less(const struct value *a, const struct value *b)
{
	return a->kind == VALUE_SIGNED ? a->signed_number < b->signed_number
				       : a->unsigned_number < b->unsigned_number;
}

static void extremes_add(struct html_chunk *chunk, const struct value *value)
{
	if (chunk->count == 0)
		chunk->min = chunk->max = *value;
	if (is_less(value, &chunk->min))
		chunk->min = *value;
	if (is_less(&chunk->max, value))
		chunk->max = *value;
}

/* Small numbers of either sign become small ones without. */
static uint64_t value_zigzag(const struct value *value)
{
	uint64_t bits = value->unsigned_number;

	if (value->kind == VALUE_UNSIGNED)
		return bits;
	return bits << 1 ^ (value->signed_number < 0 ? UINT64_MAX : 0);
}

/* Whether samples have a sign is told with the first of a chunk. */
static int sample(struct html_sink *sink, const struct timeline_event *event, struct error *error)
{
	struct html_track *track = event_track(sink, event);
	struct html_chunk *chunk = html_chunk_of(track, CHUNK_SAMPLES, 0, event->time_ns);

	if (chunk->count == 0)
		data_add(sink, chunk, event->value.kind == VALUE_SIGNED);
	data_add(sink, chunk, event->time_ns - chunk->last_ns);
	data_add(sink, chunk, value_zigzag(&event->value));
	extremes_add(chunk, &event->value);
	chunk->last_ns = chunk->to_ns = event->time_ns;
	return html_chunk_add(sink, track, CHUNK_SAMPLES, 0, event_args(sink, event), error);
}

static int loss(struct html_sink *sink, const struct timeline_event *event, struct error *error)
{
	struct buffer *out = &sink->file.writer.buffer;

	buffer_printf(out, "l %d %lld %lld ", event->loss_cpu,
		      (long long)(event->begin_ns - sink->file.start_ns),
		      (long long)(event->loss_end_ns - sink->file.start_ns));
	buffer_clear(&sink->file.text);
	loss_append_text(&sink->file.text, event);
	html_append_json(out, buffer_text(&sink->file.text));
	buffer_append_char(out, '\n');
	return writer_spill(&sink->file.writer, error);
}

/* Tells the text in sink->file.text. */
static int mark_tell(struct html_sink *sink, int64_t time_ns, struct error *error)
{
	struct buffer *out = &sink->file.writer.buffer;

	buffer_printf(out, "m %lld ", (long long)(time_ns - sink->file.start_ns));
	html_append_json(out, buffer_text(&sink->file.text));
	buffer_append_char(out, '\n');
	return writer_spill(&sink->file.writer, error);
}

static int problem(struct html_sink *sink, const struct timeline_event *event, struct error *error)
{
	buffer_clear(&sink->file.text);
	notes_append_problem(&sink->file.text, event);
	return mark_tell(sink, event->time_ns, error);
}

static int tracepoint(struct html_sink *sink, const struct timeline_event *event,
		      struct error *error)
{
	buffer_clear(&sink->file.text);
	notes_append_tracepoint(&sink->file.text, event);
	return mark_tell(sink, event->time_ns, error);
}

static int command_begin(struct html_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	buffer_clear(&sink->file.text);
	buffer_append_string(&sink->file.text, "begin of: ");
	argv_append_text(&sink->file.text, event->argv);
	return mark_tell(sink, event->time_ns, error);
}

static int command_end(struct html_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	buffer_clear(&sink->file.text);
	buffer_printf(&sink->file.text, "end of process %d with status %d", event->pid,
		      event->status);
	return mark_tell(sink, event->time_ns, error);
}

static int note(void *context, struct text text, struct error *error)
{
	struct html_sink *sink = context;
	struct buffer *out = &sink->file.writer.buffer;

	buffer_append_string(out, "w ");
	html_append_json(out, text);
	buffer_append_char(out, '\n');
	return writer_spill(&sink->file.writer, error);
}

static int finish(struct html_sink *sink, const struct timeline_event *event, struct error *error)
{
	struct buffer *out = &sink->file.writer.buffer;

	const struct timeline_totals *totals = event->totals;

	if (notes_tell(totals, sink->file.counts_ticks, note, sink, error) < 0)
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
	buffer_append_string(out, "}\n");
	buffer_append_string(out, "</script>\n<script>\n");
	buffer_append_string(out, page_script);
	buffer_append_string(out, "</script>\n</body></html>\n");
	return 0;
}

/* The sum of lost records is in the totals. */
static int ignore(struct html_sink *sink, const struct timeline_event *event, struct error *error)
{
	(void)sink;
	(void)event;
	(void)error;
	return 0;
}

static int (*const writers[])(struct html_sink *sink, const struct timeline_event *event,
			      struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = html_track_begin,
	[TIMELINE_SLICE_BEGIN] = slice_begin,
	[TIMELINE_SLICE_END] = slice_end,
	[TIMELINE_INSTANT] = instant,
	[TIMELINE_COUNTER] = sample,
	[TIMELINE_TRACK_END] = html_track_end,
	[TIMELINE_LOSS] = loss,
	[TIMELINE_LOSS_SUM] = ignore,
	[TIMELINE_MALFORMED] = problem,
	[TIMELINE_FOREIGN_END] = problem,
	[TIMELINE_TRACEPOINT] = tracepoint,
	[TIMELINE_COMMAND_BEGIN] = command_begin,
	[TIMELINE_COMMAND_END] = command_end,
	[TIMELINE_FINISH] = finish,
};
_Static_assert(sizeof(writers) / sizeof(writers[0]) == TIMELINE_KIND_COUNT, "a writer for each");

/* Whether a record of a track made the event. Slices that no record ended go on to the very end. */
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

static int html_event(struct sink_file *file, const struct timeline_event *event,
		      struct error *error)
{
	struct html_sink *sink = (struct html_sink *)file;

	if (is_record(event) && event->time_ns > sink->last_ns)
		sink->last_ns = event->time_ns;
	return writers[event->kind](sink, event, error);
}

static void append_member(struct buffer *out, const char *name, const char *value)
{
	buffer_printf(out, "\"%s\":", name);
	html_append_json(out, text_of(value));
	buffer_append_char(out, ',');
}

static void append_recording(struct buffer *out, const struct recording *recording)
{
	buffer_append_string(out, "r {");
	append_member(out, "ktrack", KTRACK_VERSION);
	append_member(out, "source", recording->source);
	append_member(out, "clock", recording->clock);
	append_member(out, "time_source", recording->time_source);
	append_member(out, "kernel", recording->kernel);
	buffer_printf(out, "\"cpus\":%u,\"start_ns\":\"%lld\",\"unix_ns\":\"%lld\"}\n",
		      recording->nr_cpus, (long long)recording->start_ns,
		      (long long)(recording->start_ns + recording->wall_offset_ns));
}

static int html_open(struct sink_file *file, const struct recording *recording, struct error *error)
{
	struct html_sink *sink = (struct html_sink *)file;
	struct buffer *out = &sink->file.writer.buffer;

	sink->last_ns = recording->start_ns;
	buffer_append_string(out, PAGE_BEGIN);
	html_append_escaped(out, text_of(recording->source));
	buffer_append_string(out, "</title>\n<style>\n");
	buffer_append_string(out, page_style);
	buffer_append_string(out, "</style></head>\n<body>\n");
	buffer_append_string(out, page_body);
	buffer_append_string(out, "<script type=\"text/plain\" id=\"data\">\n");
	append_recording(out, recording);
	return writer_spill(&sink->file.writer, error);
}

static void html_release(struct sink_file *file)
{
	buffer_release(&((struct html_sink *)file)->packed);
}

static const struct sink_file_ops html_file = {
	.size = sizeof(struct html_sink),
	.open = html_open,
	.event = html_event,
	.track_release = html_track_release,
	.release = html_release,
};

struct sink *sink_html_new(const struct sink_file_settings *settings, struct error *error)
{
	return sink_file_new(&html_file, settings, error);
}
