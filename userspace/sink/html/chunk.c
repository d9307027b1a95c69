// SPDX-License-Identifier: GPL-2.0-only
/* Chunks of the page's data, their digests, and points of flows. */
#include "sink/html/state.h"

#include <stdlib.h>
#include <zlib.h>

#include "sink/proto.h"
#include "sink/text.h"

/* The page draws a chunk as a whole at low zoom, and decodes it at once at high zoom. */
#define CHUNK_COUNT_MAX 512

/* A track with more chunks that are not the first of their depth is written. */
#define PLACES_MAX 64

/* All chunks together, in bytes. */
#define PENDING_SIZE_MAX (8 * 1024 * 1024)

void html_append_object(struct buffer *out, struct text json)
{
	size_t begin = 0;

	for (size_t i = 0; i < json.size; i++) {
		if (json.data[i] != '<')
			continue;
		buffer_append(out, json.data + begin, i - begin);
		buffer_append_string(out, "\\u003c");
		begin = i + 1;
	}
	buffer_append(out, json.data + begin, json.size - begin);
}

void html_append_json(struct buffer *out, struct text text)
{
	struct buffer json = { 0 };

	json_append_string(&json, text);
	html_append_object(out, buffer_text(&json));
	out->failed = out->failed || json.failed;
	buffer_release(&json);
}

void html_append_escaped(struct buffer *out, struct text text)
{
	while (text.size > 0) {
		size_t size = utf8_sequence_size(text);
		unsigned char byte = text.data[0];

		if (size == 0 || byte < 0x20 || byte == 0x7f)
			buffer_append_string(out, "?");
		else if (byte == '<' || byte == '>' || byte == '&' || byte == '"')
			buffer_printf(out, "&#%d;", byte);
		else
			buffer_append(out, text.data, size);
		size += size == 0;
		text = (struct text){ .data = text.data + size, .size = text.size - size };
	}
}

int html_append_packed(struct html_sink *sink, struct text text)
{
	uLong size = compressBound(text.size);
	char *target;

	buffer_clear(&sink->packed);
	target = buffer_reserve(&sink->packed, size);
	if (!target || compress2((Bytef *)target, &size, (const Bytef *)text.data, text.size,
				 Z_BEST_SPEED) != Z_OK)
		return -1;
	base64_append(&sink->file.out, (struct text){ .data = target, .size = size });
	return 0;
}

void html_place_append(struct buffer *out, const struct html_place *place)
{
	buffer_printf(out, "%u", place->depth);
	if (place->row > 1 || place->lane != place->depth)
		buffer_printf(out, "/%u/%u", place->row, place->lane);
}

#define BINS 64
#define FILLED 255

/* Smaller chunks are decoded at once. */
#define COUNT_MIN 64

/* So many names have an index in a bin; the index behind them is any other name. */
#define NAMES_MAX 31

/*
 * struct bin - a part of the chunk's time: how much of it slices fill, the longest of them, and the
 * marks of all
 */
struct bin {
	double filled_ns;
	double longest_ns;
	uint8_t name;
	uint8_t marks;
};

struct digest {
	struct bin bins[BINS];
	uint64_t names[NAMES_MAX];
	unsigned int nr_names;
	double bin_ns;
};

/* The next number of a chunk's data; moves behind it. */
static uint64_t html_data_read(const char **at)
{
	uint64_t number = 0;
	unsigned int shift = 0;
	unsigned char byte;

	do {
		byte = *(*at)++;
		number |= (uint64_t)(byte & 127) << shift;
		shift += 7;
	} while (byte > 127);
	return number;
}

static unsigned int bin_at(const struct digest *digest, double at_ns)
{
	double place = at_ns / digest->bin_ns;

	return place < BINS - 1 ? place : BINS - 1;
}

/* A slice without a duration counts as one nanosecond. */
static void slice_add(struct digest *digest, double begin_ns, double duration_ns, uint64_t word)
{
	double end_ns = begin_ns + (duration_ns > 0 ? duration_ns : 1);
	unsigned int last = bin_at(digest, end_ns), name = 0;

	while (name < digest->nr_names && digest->names[name] != word >> 3)
		name++;
	if (name == digest->nr_names && name < NAMES_MAX)
		digest->names[digest->nr_names++] = word >> 3;
	for (unsigned int i = bin_at(digest, begin_ns); i <= last; i++) {
		struct bin *bin = &digest->bins[i];
		double next_ns = i < BINS - 1 ? (i + 1) * digest->bin_ns : end_ns;
		double part_ns = (next_ns < end_ns ? next_ns : end_ns) - begin_ns;

		bin->filled_ns += part_ns;
		bin->marks |= part_ns > 0 ? word & 7 : 0;
		if (part_ns > bin->longest_ns) {
			bin->longest_ns = part_ns;
			bin->name = name;
		}
		begin_ns += part_ns;
	}
}

/* Appends the digest of a chunk of slices as a word. */
static void html_digest_append(struct html_sink *sink, const struct html_chunk *chunk)
{
	struct digest digest = { .bin_ns = (chunk->to_ns - chunk->from_ns) / (double)BINS };
	struct buffer *out = &sink->file.out, *packed = &sink->packed;
	const char *at = chunk->data.data;
	double time_ns = 0;

	if (chunk->count < COUNT_MIN || chunk->to_ns == chunk->from_ns) {
		buffer_append_char(out, '-');
		return;
	}
	for (unsigned int i = 0; i < chunk->count; i++) {
		double begin_ns = time_ns + html_data_read(&at), duration_ns = html_data_read(&at);

		slice_add(&digest, begin_ns, duration_ns, html_data_read(&at));
		time_ns = begin_ns + duration_ns;
	}
	buffer_clear(packed);
	proto_append_number(packed, digest.nr_names);
	for (unsigned int i = 0; i < digest.nr_names; i++)
		proto_append_number(packed, digest.names[i]);
	for (unsigned int i = 0; i < BINS; i++) {
		const struct bin *bin = &digest.bins[i];
		double part = bin->filled_ns / digest.bin_ns * FILLED;
		/* Any slice leaves a trace: only an empty bin has 0. */
		uint8_t filled = bin->filled_ns > 0 ? 1 : 0;

		if (part > 1)
			filled = part >= FILLED ? FILLED : part + 0.5;
		buffer_append_char(packed, filled);
		buffer_append_char(packed, bin->marks << 5 | bin->name);
	}
	out->failed = out->failed || packed->failed;
	base64_append(out, buffer_text(packed));
}

static void append_head(struct html_sink *sink, const struct html_track *track,
			enum html_chunk_kind kind, const struct html_chunk *chunk)
{
	static const char letters[] = {
		[CHUNK_SLICES] = 'c', [CHUNK_INSTANTS] = 'i', [CHUNK_SAMPLES] = 'v'
	};
	struct buffer *out = &sink->file.out;

	buffer_printf(out, "%c %lu", letters[kind], track->number);
	if (kind == CHUNK_SLICES) {
		buffer_append_char(out, ' ');
		html_place_append(out, &chunk->place);
	}
	buffer_append_char(out, ' ');
	buffer_append_signed(out, chunk->from_ns - sink->file.start_ns);
	buffer_append_char(out, ' ');
	buffer_append_signed(out, chunk->to_ns - sink->file.start_ns);
	buffer_printf(out, " %u ", chunk->count);
	if (kind == CHUNK_SLICES) {
		buffer_append_signed(out, chunk->busy_ns);
		buffer_append_char(out, ' ');
		html_digest_append(sink, chunk);
		buffer_append_char(out, ' ');
	} else if (kind == CHUNK_INSTANTS) {
		buffer_printf(out, "%u ", chunk->depth);
	} else {
		value_append_text(out, &chunk->min);
		buffer_append_char(out, ' ');
		value_append_text(out, &chunk->max);
		buffer_append_char(out, ' ');
	}
}

static int chunk_report(struct html_sink *sink, const struct html_track *track,
			enum html_chunk_kind kind, struct html_chunk *chunk, struct error *error)
{
	struct html_index *index = &sink->index;
	struct buffer *out = &sink->file.out;
	const char *at = chunk->data.data;

	if (chunk->count == 0)
		return 0;
	if (chunk->data.failed || chunk->args.failed)
		return error_set(error, "out of memory");
	append_head(sink, track, kind, chunk);
	buffer_append_char(&chunk->args, ']');
	html_index_clear(index);
	/*
	 * Of a slice: begin, duration, name above the marks; of an instant: time, depth, name. The
	 * least and the largest sample are words of their own.
	 */
	for (unsigned int i = 0; i < chunk->count && kind != CHUNK_SAMPLES; i++) {
		uint64_t number, name;

		html_data_read(&at);
		number = html_data_read(&at);
		name = html_data_read(&at);
		if (kind == CHUNK_SLICES)
			html_index_add_range(index, text_of(""), number, number);
		html_tokens_add_name(&index->tokens, kind == CHUNK_SLICES ? name >> 3 : name);
	}
	if (chunk->has_args)
		html_index_add_args(index, buffer_text(&chunk->args));
	html_index_append(out, index);
	buffer_append_char(out, ' ');
	base64_append(out, buffer_text(&chunk->data));
	buffer_append_char(out, ' ');
	if (!chunk->has_args)
		buffer_append_char(out, '-');
	else if (html_append_packed(sink, buffer_text(&chunk->args)) < 0)
		return error_set(error, "out of memory");
	buffer_append_char(out, '\n');
	sink->pending_size -= chunk->data.size + chunk->args.size - 1;
	buffer_release(&chunk->data);
	buffer_release(&chunk->args);
	*chunk = (struct html_chunk){ .after = chunk->after, .place = chunk->place };
	return sink_file_spill(&sink->file, error);
}

/* A track may be at many places of its thread, each for a short time: only the first chunk stays.
 */
static int depth_report(struct html_sink *sink, struct html_track *track, struct html_chunk *first,
			struct error *error)
{
	for (struct html_chunk *one = first; one; one = one->after) {
		if (chunk_report(sink, track, CHUNK_SLICES, one, error) < 0)
			return -1;
	}
	while (first && first->after) {
		struct html_chunk *empty = first->after;

		first->after = empty->after;
		track->nr_places--;
		sink->pending_size -= sizeof(*empty);
		free(empty);
	}
	return 0;
}

int html_track_report(struct html_sink *sink, struct html_track *track, struct error *error)
{
	for (unsigned int i = 0; i < track->nr_depths; i++) {
		if (depth_report(sink, track, track->slices[i], error) < 0)
			return -1;
	}
	return chunk_report(sink, track,
			    track->kind == TRACK_COUNTER ? CHUNK_SAMPLES : CHUNK_INSTANTS,
			    &track->points, error);
}

int html_flows_report(struct html_sink *sink, struct error *error)
{
	struct html_chunk *chunk = &sink->points;
	struct buffer *out = &sink->file.out;

	if (chunk->count == 0)
		return 0;
	if (chunk->data.failed)
		return error_set(error, "out of memory");
	buffer_append_string(out, "p ");
	buffer_append_signed(out, chunk->from_ns - sink->file.start_ns);
	buffer_printf(out, " %u ", chunk->count);
	base64_append(out, buffer_text(&chunk->data));
	buffer_append_char(out, '\n');
	buffer_clear(&chunk->data);
	chunk->count = 0;
	return sink_file_spill(&sink->file, error);
}

int html_report_all(struct html_sink *sink, struct error *error)
{
	for (struct sink_track *link = sink->file.tracks; link; link = link->after) {
		if (html_track_report(sink, container_of(link, struct html_track, link), error) < 0)
			return -1;
	}
	return html_flows_report(sink, error);
}

static struct html_chunk *html_chunk_begin(struct html_chunk *chunk, int64_t time_ns)
{
	if (chunk->count == 0)
		chunk->from_ns = chunk->last_ns = time_ns;
	return chunk;
}

struct html_chunk *html_points_of(struct html_track *track, int64_t time_ns)
{
	return html_chunk_begin(&track->points, time_ns);
}

struct html_chunk *html_slices_of(struct html_sink *sink, struct html_track *track,
				  const struct html_place *place, int64_t time_ns,
				  struct error *error)
{
	struct html_chunk **first = &track->slices[place->depth], **at = first;

	while (*at && ((*at)->place.row != place->row || (*at)->place.lane != place->lane))
		at = &(*at)->after;
	if (*at)
		return html_chunk_begin(*at, time_ns);
	if (at != first && track->nr_places == PLACES_MAX) {
		if (html_track_report(sink, track, error) < 0)
			return NULL;
		at = &(*first)->after;
	}
	*at = calloc(1, sizeof(**at));
	if (!*at) {
		error_set(error, "out of memory");
		return NULL;
	}
	if (at != first) {
		track->nr_places++;
		sink->pending_size += sizeof(**at);
	}
	(*at)->place = *place;
	return html_chunk_begin(*at, time_ns);
}

int html_chunk_add(struct html_sink *sink, struct html_track *track, enum html_chunk_kind kind,
		   struct html_chunk *chunk, struct text args, struct error *error)
{
	sink->pending_size += args.size + 1;
	buffer_append_char(&chunk->args, chunk->count > 0 ? ',' : '[');
	buffer_append(&chunk->args, args.data, args.size);
	chunk->has_args = chunk->has_args || args.size > 1;
	chunk->count++;
	if (chunk->count == CHUNK_COUNT_MAX)
		return chunk_report(sink, track, kind, chunk, error);
	return sink->pending_size > PENDING_SIZE_MAX ? html_report_all(sink, error) : 0;
}

static void chunk_release(struct html_chunk *chunk)
{
	buffer_release(&chunk->data);
	buffer_release(&chunk->args);
}

void html_track_release(struct sink_track *link)
{
	struct html_track *track = container_of(link, struct html_track, link);

	for (unsigned int i = 0; i < track->nr_depths; i++) {
		while (track->slices[i]) {
			struct html_chunk *chunk = track->slices[i];

			track->slices[i] = chunk->after;
			chunk_release(chunk);
			free(chunk);
		}
		buffer_release(&track->open[i].args);
	}
	chunk_release(&track->points);
	free(track->slices);
	free(track->open);
}

#define POINTS_MAX 512

/* Few different ones: the names of fields. Those of several tracepoints may be the same text. */
static int flow_name_number(struct html_sink *sink, struct text name, uint64_t *number)
{
	struct html_flow_name *names;

	for (size_t i = 0; i < sink->nr_flow_names; i++) {
		if (!text_equals(sink->flow_names[i].name, name))
			continue;
		*number = sink->flow_names[i].number;
		return 0;
	}
	names = reallocarray(sink->flow_names, sink->nr_flow_names + 1, sizeof(*names));
	if (!names)
		return -1;
	sink->flow_names = names;
	*number = html_name_report(sink, name);
	names[sink->nr_flow_names++] = (struct html_flow_name){ .name = name, .number = *number };
	return 0;
}

static int point_add(struct html_sink *sink, const struct timeline_event *event,
		     const struct field *flow, struct error *error)
{
	struct html_chunk *chunk = &sink->points;
	bool is_end = event->kind == TIMELINE_SLICE_END;
	uint64_t name;

	if (flow_name_number(sink, flow->name, &name) < 0)
		return error_set(error, "out of memory");
	if (chunk->count == 0)
		chunk->from_ns = chunk->last_ns = event->time_ns;
	proto_append_number(&chunk->data, event->time_ns - chunk->last_ns);
	proto_append_number(&chunk->data, is_end ? event->time_ns - event->begin_ns : 0);
	proto_append_number(&chunk->data, event->track->number);
	proto_append_number(&chunk->data, event->kind == TIMELINE_INSTANT ? 0 : event->depth);
	proto_append_number(&chunk->data, name);
	proto_append_number(&chunk->data, flow->value.unsigned_number);
	chunk->last_ns = event->time_ns;
	return ++chunk->count == POINTS_MAX ? html_flows_report(sink, error) : 0;
}

int html_flows_add(struct html_sink *sink, const struct timeline_event *event, struct error *error)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		if (point_add(sink, event, timeline_event_flow(event, i), error) < 0)
			return -1;
	}
	return 0;
}

void html_flows_release(struct html_sink *sink)
{
	buffer_release(&sink->points.data);
	free(sink->flow_names);
}
