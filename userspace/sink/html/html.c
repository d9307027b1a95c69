// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as one self-contained page: lines of data for its events, of which those of a track
 * wait in chunks. The output of --serve is these lines alone, written soon after their events, for
 * a page that follows them.
 */
#include "sink/html/state.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>

#include "sink/proto.h"
#include "sink/text.h"

/* The page draws a chunk as a whole at low zoom, and decodes it at once at high zoom. */
#define CHUNK_COUNT_MAX 512
/* A track with more chunks that are not the first of their depth is written. */
#define PLACES_MAX 64
/* zlib's memLevel: a larger table of hashes takes longer to clear than it saves bytes. */
#define DEFLATE_MEMORY 6
/* All chunks together, in bytes. */
#define PENDING_SIZE_MAX (8 * 1024 * 1024)

enum html_chunk_kind {
	CHUNK_SLICES,
	CHUNK_INSTANTS,
	CHUNK_SAMPLES,
};

/* Escapes each '<' in JSON from @begin on: it could end the element of the page. */
static void html_escape(struct buffer *out, size_t begin)
{
	static const char escape[] = "\\u003c";
	const size_t more = strlen(escape) - 1;

	for (size_t i = begin; i < out->size && !out->failed; i++) {
		if (out->data[i] != '<' || !buffer_reserve(out, more))
			continue;
		memmove(out->data + i + more, out->data + i, out->size - i);
		memcpy(out->data + i, escape, strlen(escape));
		out->size += more;
	}
}

static void append_json(struct buffer *out, struct text text)
{
	size_t begin = out->size;

	json_append_string(out, text);
	html_escape(out, begin);
}

static void append_time(struct html_sink *sink, int64_t time_ns)
{
	buffer_append_signed(&sink->file.out, time_ns - sink->file.start_ns);
	buffer_append_char(&sink->file.out, ' ');
}

/*
 * To set up a stream takes a third of the time that compressing a chunk takes: there is one for
 * all. They are without zlib's header and checksum, which takes as long as half of the compression.
 */
static void append_packed(struct html_sink *sink, const struct buffer *text)
{
	struct text bytes = { .size = compressBound(text->size) };
	struct z_stream_s *deflater = sink->deflater;

	if (!deflater) {
		deflater = sink->deflater = calloc(1, sizeof(*deflater));
		sink->file.out.failed |=
			!deflater || deflateInit2(deflater, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS,
						  DEFLATE_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK;
	}
	buffer_clear(&sink->packed);
	bytes.data = buffer_reserve(&sink->packed, bytes.size);
	sink->file.out.failed |= !bytes.data || text->failed || bytes.size > UINT_MAX;
	if (sink->file.out.failed)
		return;
	deflater->next_in = (Bytef *)text->data;
	deflater->avail_in = text->size;
	deflater->next_out = (Bytef *)bytes.data;
	deflater->avail_out = bytes.size;
	sink->file.out.failed = deflate(deflater, Z_FINISH) != Z_STREAM_END;
	bytes.size = deflater->total_out;
	deflateReset(deflater);
	base64_append(&sink->file.out, bytes);
}

static void append_place(struct buffer *out, const struct html_place *place)
{
	buffer_append_unsigned(out, place->depth);
	if (place->row > 1 || place->lane != place->depth)
		buffer_printf(out, "/%u/%u", place->row, place->lane);
	buffer_append_char(out, ' ');
}

#define BINS 64
#define FILLED 255
/* Smaller chunks are decoded at once. */
#define COUNT_MIN 64
/* So many names have an index in a bin; the index behind them is any other name. */
#define NAMES_MAX 31

/* Of a part of the chunk's time: what slices fill, the longest one, and the marks of all. */
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
static uint64_t data_read(const char **at)
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

static void digest_append(struct html_sink *sink, const struct digest *digest)
{
	struct buffer *out = &sink->file.out, *packed = &sink->packed;

	buffer_clear(packed);
	proto_append_number(packed, digest->nr_names);
	for (unsigned int i = 0; i < digest->nr_names; i++)
		proto_append_number(packed, digest->names[i]);
	for (unsigned int i = 0; i < BINS; i++) {
		const struct bin *bin = &digest->bins[i];
		double part = bin->filled_ns / digest->bin_ns * FILLED;
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

/* Reads the data of slices or instants, for the index and the digest, which is of many slices. */
static void chunk_scan(const struct html_chunk *chunk, enum html_chunk_kind kind,
		       struct html_index *index, struct digest *digest)
{
	bool has_digest = chunk->count >= COUNT_MIN && chunk->to_ns != chunk->from_ns;
	uint64_t min_ns = UINT64_MAX, max_ns = 0;
	const char *at = chunk->data.data;
	double time_ns = 0;

	digest->bin_ns = has_digest ? (chunk->to_ns - chunk->from_ns) / (double)BINS : 0;
	for (unsigned int i = 0; i < chunk->count; i++) {
		/* Of a slice: begin, duration, name above the marks; of an instant: time, depth,
		 * name. */
		double begin_ns = time_ns + data_read(&at);
		uint64_t number = data_read(&at), name = data_read(&at);

		if (kind == CHUNK_SLICES) {
			if (has_digest)
				slice_add(digest, begin_ns, number, name);
			time_ns = begin_ns + number;
			min_ns = number < min_ns ? number : min_ns;
			max_ns = number > max_ns ? number : max_ns;
			name >>= 3;
		}
		html_index_add_name(index, name);
	}
	if (kind == CHUNK_SLICES)
		html_index_add_durations(index, min_ns, max_ns);
}

static void chunk_release(struct html_chunk *chunk)
{
	buffer_release(&chunk->data);
	buffer_release(&chunk->args);
	buffer_release(&chunk->members);
}

static void chunk_report(struct html_sink *sink, const struct html_track *track,
			 enum html_chunk_kind kind, struct html_chunk *chunk)
{
	struct html_index *index = &sink->index;
	struct buffer *out = &sink->file.out;
	struct digest digest = { 0 };

	out->failed |= chunk->data.failed || chunk->args.failed || chunk->members.failed;
	if (chunk->count == 0 || out->failed)
		return;
	buffer_append_char(&chunk->args, ']');
	html_index_clear(index);
	/* The least and the largest sample are words of their own. */
	if (kind != CHUNK_SAMPLES)
		chunk_scan(chunk, kind, index, &digest);
	if (chunk->members.size > 0)
		buffer_append_char(&chunk->members, '}');
	if (chunk->has_args)
		html_index_add_args(index, buffer_text(kind == CHUNK_SLICES ? &chunk->args
									    : &chunk->members));
	buffer_printf(out, "%c %lu ", "civ"[kind], track -> number);
	if (kind == CHUNK_SLICES)
		append_place(out, &chunk->place);
	append_time(sink, chunk->from_ns);
	append_time(sink, chunk->to_ns);
	buffer_printf(out, "%u ", chunk->count);
	if (kind == CHUNK_SLICES) {
		buffer_append_signed(out, chunk->busy_ns);
		buffer_append_char(out, ' ');
		if (digest.bin_ns > 0)
			digest_append(sink, &digest);
		else
			buffer_append_char(out, '-');
	} else if (kind == CHUNK_INSTANTS) {
		buffer_append_unsigned(out, chunk->depth);
	} else {
		value_append_text(out, &chunk->min);
		buffer_append_char(out, ' ');
		value_append_text(out, &chunk->max);
	}
	buffer_append_char(out, ' ');
	html_index_append(out, index);
	buffer_append_char(out, ' ');
	base64_append(out, buffer_text(&chunk->data));
	buffer_append_char(out, ' ');
	if (!chunk->has_args)
		buffer_append_char(out, '-');
	else
		append_packed(sink, &chunk->args);
	buffer_append_char(out, '\n');
	sink->pending_size -= chunk->data.size + chunk->args.size - 1;
	if (chunk->members.size > 0)
		sink->pending_size -= chunk->members.size - 1;
	chunk_release(chunk);
	*chunk = (struct html_chunk){ .after = chunk->after, .place = chunk->place };
	sink_file_spill(&sink->file);
}

static void html_track_report(struct html_sink *sink, struct html_track *track)
{
	for (unsigned int i = 0; i < track->nr_depths; i++) {
		struct html_chunk *first = track->depths[i].chunks, *chunk;

		for (chunk = first; chunk; chunk = chunk->after)
			chunk_report(sink, track, CHUNK_SLICES, chunk);
		/* A track may be at many places of its thread, each for a short time. */
		while (first && first->after) {
			chunk = first->after;
			first->after = chunk->after;
			track->nr_places--;
			sink->pending_size -= sizeof(*chunk);
			chunk_release(chunk);
			free(chunk);
		}
	}
	chunk_report(sink, track, track->kind == TRACK_COUNTER ? CHUNK_SAMPLES : CHUNK_INSTANTS,
		     &track->points);
}

static void append_recording(struct buffer *out, const struct recording *recording)
{
	size_t begin = out->size;
	bool first = true;

	buffer_append_string(out, "r {");
	json_append_text(out, "ktrack", text_of(KTRACK_VERSION), &first);
	recording_append(out, recording, RECORDING_HTML);
	machines_append(out, recording);
	html_escape(out, begin);
	buffer_printf(out, ",\"cpus\":%llu,\"start_ns\":\"%lld\",\"unix_ns\":\"%lld\"}\n",
		      (unsigned long long)recording->nr_cpus, (long long)recording->start_ns,
		      (long long)(recording->start_ns + recording->wall_offset_ns));
}

static void html_flows_report(struct html_sink *sink)
{
	struct html_chunk *chunk = &sink->points;
	struct buffer *out = &sink->file.out;

	if (chunk->count == 0)
		return;
	buffer_append_string(out, "p ");
	append_time(sink, chunk->from_ns);
	buffer_printf(out, "%u ", chunk->count);
	base64_append(out, buffer_text(&chunk->data));
	buffer_append_char(out, '\n');
	out->failed |= chunk->data.failed;
	buffer_clear(&chunk->data);
	chunk->count = 0;
}

void html_report_all(struct html_sink *sink)
{
	for (struct sink_track *link = sink->file.tracks; link; link = link->after) {
		html_track_report(sink, container_of(link, struct html_track, link));
		sink_file_spill(&sink->file);
	}
	html_flows_report(sink);
}

/* The chunk of slices at a place; NULL if memory ran out. */
static struct html_chunk *slices_of(struct html_sink *sink, struct html_track *track,
				    const struct html_place *place)
{
	struct html_chunk **first = &track->depths[place->depth].chunks, **at = first;

	while (*at && ((*at)->place.row != place->row || (*at)->place.lane != place->lane))
		at = &(*at)->after;
	if (*at)
		return *at;
	if (at != first && track->nr_places == PLACES_MAX) {
		html_track_report(sink, track);
		at = &(*first)->after;
	}
	*at = calloc(1, sizeof(**at));
	if (!*at) {
		sink->file.out.failed = true;
		return NULL;
	}
	if (at != first) {
		track->nr_places++;
		sink->pending_size += sizeof(**at);
	}
	(*at)->place = *place;
	return *at;
}

static void data_add(struct html_sink *sink, struct html_chunk *chunk, uint64_t number)
{
	size_t before = chunk->data.size;

	proto_append_number(&chunk->data, number);
	sink->pending_size += chunk->data.size - before;
}

/* Adds the time since the last event of a chunk, which begins with it if it is empty. */
static void chunk_time_add(struct html_sink *sink, struct html_chunk *chunk, int64_t time_ns)
{
	if (chunk->count == 0)
		chunk->from_ns = chunk->last_ns = time_ns;
	data_add(sink, chunk, time_ns - chunk->last_ns);
}

/* Adds what slices and instants have: a time, as chunk_time_add() does, and two numbers. */
static void chunk_data_add(struct html_sink *sink, struct html_chunk *chunk, int64_t time_ns,
			   uint64_t second, uint64_t third)
{
	size_t before = chunk->data.size;
	char *at = buffer_reserve(&chunk->data, 3 * PROTO_NUMBER_MAX);

	if (chunk->count == 0)
		chunk->from_ns = chunk->last_ns = time_ns;
	if (!at)
		return;
	at = proto_put_number(at, time_ns - chunk->last_ns);
	at = proto_put_number(proto_put_number(at, second), third);
	buffer_end_put(&chunk->data, at);
	sink->pending_size += chunk->data.size - before;
}

/* Begins the arguments of an event, to append them to; returns the size before. */
static size_t chunk_args_begin(struct html_chunk *chunk)
{
	size_t before = chunk->args.size;

	buffer_append_char(&chunk->args, chunk->count > 0 ? ',' : '[');
	return before;
}

/* Counts an event whose data and arguments the chunk has, these behind @before. */
static void chunk_add(struct html_sink *sink, struct html_track *track, enum html_chunk_kind kind,
		      struct html_chunk *chunk, size_t before)
{
	size_t size = chunk->args.size - before;

	sink->pending_size += size;
	chunk->has_args = chunk->has_args || size > strlen(",0");
	chunk->count++;
	if (chunk->count == CHUNK_COUNT_MAX)
		chunk_report(sink, track, kind, chunk);
	else if (sink->pending_size > PENDING_SIZE_MAX)
		html_report_all(sink);
}

static uint64_t name_report(struct html_sink *sink, struct text name)
{
	struct buffer *out = &sink->file.out;

	buffer_append_string(out, "n ");
	append_json(out, name);
	buffer_append_char(out, '\n');
	return sink->next_name++;
}

/* A name that is not counted is written each time. The sink data is the number + 1. */
static uint64_t name_number(struct html_sink *sink, struct timeline_name *name)
{
	void **data = &name->sink_data[sink->file.sink_index];

	if (!name->is_counted)
		return name_report(sink, name->text);
	if (!*data)
		*data = (void *)(uintptr_t)(name_report(sink, name->text) + 1);
	return (uintptr_t)*data - 1;
}

static struct html_track *event_track(const struct html_sink *sink,
				      const struct timeline_event *event)
{
	return event->track->sink_data[sink->file.sink_index];
}

static void html_track_begin(struct html_sink *sink, const struct timeline_event *event)
{
	struct html_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track));
	struct buffer *out = &sink->file.out, *text = &sink->file.text;
	struct timeline_track own = *event->track;
	size_t begin;

	if (!track || !sink_file_rows_begin(&sink->file, &track->link, event->track))
		return;
	track->number = own.number;
	track->kind = own.kind;
	buffer_printf(out, "t {\"number\":%lu,\"label\":", own.number);
	/* In the tree, a track is below its machine. */
	own.machine = NULL;
	buffer_clear(text);
	track_append_label(text, &own);
	append_json(out, buffer_text(text));
	out->failed |= text->failed;
	buffer_append_string(out, ",\"identity\":");
	begin = out->size;
	track_append_identity(out, event->track);
	html_escape(out, begin);
	buffer_append_string(out, track->link.row.row ? ",\"joins\":true}\n" : "}\n");
}

static void html_track_end(struct html_sink *sink, const struct timeline_event *event)
{
	const struct html_track *track = event_track(sink, event);
	struct buffer *out = &sink->file.out;

	html_track_report(sink, event_track(sink, event));
	buffer_printf(out, "e %lu", event->track->number);
	if (event->unmatched_ends > 0 || track->running_ns > 0)
		buffer_printf(out, " %lu", event->unmatched_ends);
	if (track->running_ns > 0)
		buffer_printf(out, " %lld", (long long)track->running_ns);
	buffer_append_char(out, '\n');
}

/* What the arguments of an event have beside its fields. */
static unsigned int args_with(const struct html_sink *sink, const struct timeline_event *event)
{
	bool is_slice = event->kind == TIMELINE_SLICE_BEGIN || event->kind == TIMELINE_SLICE_END;
	unsigned int with = sink->file.with;

	/* Slices that are not a thread's have the threads that began and ended them. */
	if (is_slice && event->track->scope != SCOPE_THREAD && !event->is_unfinished)
		with |= 1u << TIMELINE_EMITTER_TID;
	return with;
}

/* Appends the arguments of an event as JSON, "0" for none. */
static void page_args_append(struct html_sink *sink, struct buffer *out,
			     const struct timeline_event *event, unsigned int with)
{
	if (event->nr_any > 0 || with)
		event_append_args(out, &sink->fields, event, with, false);
	else
		buffer_append_char(out, '0');
}

/* Adds the arguments of an instant or a sample, and what of them is to be indexed. */
static void point_args_add(struct html_sink *sink, struct html_chunk *chunk,
			   const struct timeline_event *event)
{
	struct buffer *args = &chunk->args, *members = &chunk->members;
	unsigned int with = args_with(sink, event);
	size_t size = members->size, before = args->size;

	if (chunk->number == 0)
		chunk->number = ++sink->nr_chunks;
	if (with || !event_append_fields(args, &sink->fields, event, members, chunk->number)) {
		page_args_append(sink, args, event, with);
		/* A number ends with a comma. */
		buffer_append_char(members, ',');
		if (!args->failed)
			buffer_append(members, args->data + before, args->size - before);
	}
	sink->pending_size += members->size - size;
}

/* The place of a begin or an end as far as it is known. */
static struct html_place slice_place(struct html_sink *sink, struct html_track *track,
				     const struct timeline_event *event)
{
	const struct row_place *place = &sink->file.rows.place;
	unsigned int depth = event->depth - 1;

	if (!track->link.row.row)
		return (struct html_place){ .depth = depth, .lane = depth };
	if (unlikely(!rows_event(&sink->file.rows, &track->link.row, event))) {
		sink->file.out.failed = true;
		return (struct html_place){ .depth = depth };
	}
	return (struct html_place){ .depth = depth,
				    .row = place->row->number,
				    .lane = place->depth - 1 };
}

static void html_slice_begin(struct html_sink *sink, const struct timeline_event *event)
{
	struct html_track *track = event_track(sink, event);
	struct html_depth *open;

	if (!array_extend(track->depths, track->nr_depths, event->depth - 1)) {
		sink->file.out.failed = true;
		return;
	}
	open = &track->depths[event->depth - 1];
	open->place = slice_place(sink, track, event);
	open->name = event->name;
	open->begin_ns = event->time_ns;
	open->is_written = false;
	buffer_clear(&open->args);
	page_args_append(sink, &open->args, event, args_with(sink, event));
	if (open->args.size == 1)
		buffer_clear(&open->args);
	sink->file.out.failed |= open->args.failed;
}

static void html_slice_end(struct html_sink *sink, const struct timeline_event *event)
{
	struct html_track *track = event_track(sink, event);
	struct html_depth *open = &track->depths[event->depth - 1];
	struct html_place place = slice_place(sink, track, event);
	struct html_chunk *chunk = slices_of(sink, track, &place);
	int64_t duration_ns = event->time_ns - event->begin_ns;
	/* Flags are part of the data, not of the arguments. */
	struct timeline_event plain = *event;
	unsigned int with;
	size_t before;

	if (!chunk)
		return;
	chunk_data_add(sink, chunk, event->begin_ns, duration_ns,
		       name_number(sink, event->name) << 3 | event->is_foreign << 2 |
			       event->is_unfinished << 1 | event->is_suspect);
	chunk->last_ns = chunk->to_ns = event->time_ns;
	chunk->busy_ns += duration_ns;
	if (event->track->is_state && text_equals(event->name->text, text_of("Running")))
		track->running_ns += duration_ns;
	open->name = NULL;
	plain.is_suspect = plain.is_unfinished = plain.is_foreign = false;
	with = args_with(sink, &plain);
	before = chunk_args_begin(chunk);
	if (open->args.size > 0 || plain.nr_any > 0 || with) {
		buffer_append_char(&chunk->args, '[');
		buffer_append(&chunk->args, open->args.data, open->args.size);
		buffer_append_string(&chunk->args, open->args.size ? "," : "0,");
		page_args_append(sink, &chunk->args, &plain, with);
		buffer_append_char(&chunk->args, ']');
	} else {
		buffer_append_char(&chunk->args, '0');
	}
	chunk_add(sink, track, CHUNK_SLICES, chunk, before);
}

static void html_instant(struct html_sink *sink, const struct timeline_event *event)
{
	struct html_track *track = event_track(sink, event);
	struct html_chunk *chunk = &track->points;
	unsigned int depth = event->depth;
	size_t before;

	if (sink_file_rows_event(&sink->file, &track->link, event) && !sink->file.out.failed)
		depth = row_first(sink->file.rows.place.row)->nr_open;
	if (chunk->count == 0)
		chunk->depth = depth;
	chunk_data_add(sink, chunk, event->time_ns, depth, name_number(sink, event->name));
	chunk->last_ns = chunk->to_ns = event->time_ns;
	before = chunk_args_begin(chunk);
	point_args_add(sink, chunk, event);
	chunk_add(sink, track, CHUNK_INSTANTS, chunk, before);
}

/* A chunk begins with a number: 1 if its samples are signed, 2 if they are floating. */
static void html_sample(struct html_sink *sink, const struct timeline_event *event)
{
	struct html_track *track = event_track(sink, event);
	struct html_chunk *chunk = &track->points;
	const struct value *value = &event->value;
	bool is_floating = value->kind == VALUE_FLOATING;
	uint64_t bits = value->unsigned_number;
	size_t before;

	if (chunk->count == 0)
		data_add(sink, chunk, is_floating ? 2 : value->kind == VALUE_SIGNED);
	chunk_time_add(sink, chunk, event->time_ns);
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
	before = chunk_args_begin(chunk);
	point_args_add(sink, chunk, event);
	chunk_add(sink, track, CHUNK_SAMPLES, chunk, before);
}

static void html_track_release(struct sink_track *link)
{
	struct html_track *track = container_of(link, struct html_track, link);

	for (unsigned int i = 0; i < track->nr_depths; i++) {
		struct html_depth *depth = &track->depths[i];

		while (depth->chunks) {
			struct html_chunk *chunk = depth->chunks;

			depth->chunks = chunk->after;
			chunk_release(chunk);
			free(chunk);
		}
		buffer_release(&depth->args);
	}
	chunk_release(&track->points);
	free(track->depths);
}

#define POINTS_MAX 512

/* Adds a point of a flow. Their names are few: those of fields, for several tracepoints. */
static void point_add(struct html_sink *sink, const struct timeline_event *event,
		      const struct field *flow)
{
	struct html_chunk *chunk = &sink->points;
	bool is_end = event->kind == TIMELINE_SLICE_END;
	size_t i = 0;

	while (i < sink->nr_flow_names && !text_equals(sink->flow_names[i].name, flow->name))
		i++;
	if (i == sink->nr_flow_names) {
		if (!array_reserve(sink->flow_names, i)) {
			sink->file.out.failed = true;
			return;
		}
		sink->flow_names[sink->nr_flow_names++] =
			(struct html_flow_name){ flow->name, name_report(sink, flow->name) };
	}
	if (chunk->count == 0)
		chunk->from_ns = chunk->last_ns = event->time_ns;
	proto_append_number(&chunk->data, event->time_ns - chunk->last_ns);
	proto_append_number(&chunk->data, is_end ? event->time_ns - event->begin_ns : 0);
	proto_append_number(&chunk->data, event->track->number);
	proto_append_number(&chunk->data, event->kind == TIMELINE_INSTANT ? 0 : event->depth);
	proto_append_number(&chunk->data, sink->flow_names[i].number);
	proto_append_number(&chunk->data, flow->value.unsigned_number);
	chunk->last_ns = event->time_ns;
	if (++chunk->count == POINTS_MAX)
		html_flows_report(sink);
}

static void html_loss(struct html_sink *sink, const struct timeline_event *event)
{
	struct buffer *out = &sink->file.out;

	buffer_printf(out, "l %d ", event->loss_cpu);
	append_time(sink, event->begin_ns);
	append_time(sink, event->loss_end_ns);
	append_json(out, remark_set(&sink->file.text, event));
	buffer_append_char(out, '\n');
}

static void html_remark(struct html_sink *sink, const struct timeline_event *event)
{
	struct buffer *out = &sink->file.out;

	buffer_append_string(out, "m ");
	append_time(sink, event->time_ns);
	append_json(out, message_set(&sink->file.text, event));
	buffer_append_char(out, '\n');
}

static void html_note_write(struct sink_file *file, const struct timeline_event *finish,
			    struct text text)
{
	(void)finish;
	buffer_append_string(&file->out, "w ");
	append_json(&file->out, text);
	buffer_append_char(&file->out, '\n');
}

/* The page decompresses them together. */
#define EXPLAINED_MAX 128

static void html_explanations_report(struct html_sink *sink)
{
	const struct explanations *all = sink->file.explanations;
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
		append_time(sink, all->items[i].begin_ns);
		append_time(sink, all->items[end - 1].begin_ns);
		append_packed(sink, text);
		buffer_append_char(out, '\n');
		sink_file_spill(&sink->file);
	}
}

static void html_finish(struct html_sink *sink, const struct timeline_event *event)
{
	struct buffer *out = &sink->file.out;
	const struct explanations *explained = sink->file.explanations;
	const struct timeline_totals *totals = event->totals;

	html_flows_report(sink);
	html_explanations_report(sink);
	if (explained && explained->overview.size > 0) {
		size_t begin = out->size;

		buffer_append_string(out, "y ");
		buffer_append(out, explained->overview.data, explained->overview.size);
		html_escape(out, begin);
		buffer_append_char(out, '\n');
	}
	sink_file_report_faults(&sink->file, event, html_note_write);
	buffer_printf(out, "f {\"last_ns\":%lld,\"end_ns\":%lld,\"lost\":%llu,",
		      (long long)(sink->last_ns - sink->file.start_ns),
		      (long long)(event->time_ns - sink->file.start_ns),
		      (unsigned long long)totals->lost_records);
	buffer_printf(out, "\"lost_gaps_unknown\":%llu,\"suspect\":%llu,\"unfinished\":%llu",
		      (unsigned long long)totals->lost_gaps_unknown,
		      (unsigned long long)totals->suspect, (unsigned long long)totals->unfinished);
	if (totals->has_wall_drift)
		buffer_printf(out, ",\"wall_drift_ns\":%lld", (long long)totals->wall_drift_ns);
	if (explained && explained->items)
		buffer_printf(out, ",\"explained\":{\"states\":%s,\"interrupts\":%s,\"limit\":%zu}",
			      explained->has_states ? "true" : "false",
			      explained->has_interrupts ? "true" : "false", explained->limit);
	buffer_append_string(out, "}\n");
}

static void (*const writers[TIMELINE_KIND_COUNT])(struct html_sink *sink,
						  const struct timeline_event *event) = {
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

static void html_init(struct sink_file *file, const struct sink_settings *settings)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);

	sink->is_live = file->kind->use == SINK_USE_SERVER;
	sink->size_max = settings->size_max;
}

static void html_open(struct sink_file *file, const struct recording *recording)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);

	sink->last_ns = recording->start_ns;
	if (!sink->is_live)
		html_append_head(&file->out, recording->source);
	append_recording(&file->out, recording);
}

/* Writes the lines of an event, or keeps it for a later one. */
static void html_event(struct sink_file *file, const struct timeline_event *event)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);

	/* After the limit, only the end is written. Tracks must exist until their end. */
	if (sink->is_full && event->kind != TIMELINE_FINISH) {
		if (event->kind == TIMELINE_TRACK_BEGIN)
			sink_file_track_new(file, event->track, sizeof(struct html_track));
		return;
	}
	if (is_record(event) && event->time_ns > sink->last_ns)
		sink->last_ns = event->time_ns;
	for (unsigned int i = 0; i < event->nr_flows; i++)
		point_add(sink, event, timeline_event_flow(event, i));
	if (writers[event->kind])
		writers[event->kind](sink, event);
	if (event->kind == TIMELINE_FINISH && !sink->is_live)
		html_append_tail(&file->out);
}

static void html_release(struct sink_file *file)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);

	buffer_release(&sink->points.data);
	free(sink->flow_names);
	buffer_release(&sink->packed);
	json_sets_free(&sink->fields);
	if (sink->deflater)
		deflateEnd(sink->deflater);
	free(sink->deflater);
}

/*
 * Waiting events are written at this interval; at a longer one if writing them takes more than a
 * share of 1 / WRITING_SHARE of the time, because a chunk for each of many tracks is small then.
 */
#define INTERVAL_NS (250 * NS_PER_MS)
#define WRITING_SHARE 20
/* The time is written at this interval while slices are open. */
#define TIME_INTERVAL_NS NS_PER_S

/* Writes the slices of a track that were open at the last flush, too; returns whether any is. */
static bool track_write_open(struct html_sink *sink, const struct html_track *track)
{
	struct buffer *out = &sink->file.out;
	bool is_any = false;

	for (unsigned int i = 0; i < track->nr_depths; i++) {
		struct html_depth *open = &track->depths[i];
		uint64_t name;
		size_t begin;

		if (!open->name || open->begin_ns > sink->reached_ns)
			continue;
		is_any = true;
		if (open->is_written)
			continue;
		name = name_number(sink, open->name);
		buffer_printf(out, "o %lu ", track->number);
		append_place(out, &open->place);
		append_time(sink, open->begin_ns);
		buffer_append_unsigned(out, name);
		buffer_append_char(out, ' ');
		begin = out->size;
		buffer_append(out, open->args.data, open->args.size);
		buffer_append_string(out, open->args.size > 0 ? "\n" : "0\n");
		html_escape(out, begin);
		open->is_written = true;
	}
	return is_any;
}

/* Short slices are not worth it: each line is for one that lasts longer than an interval. */
static void live_write_open(struct html_sink *sink, int64_t now_ns)
{
	bool is_any = false;

	for (struct sink_track *link = sink->file.tracks; link; link = link->after) {
		is_any |= track_write_open(sink, container_of(link, struct html_track, link));
		sink_file_spill(&sink->file);
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
}

static void html_flush(struct sink_file *file)
{
	struct html_sink *sink = container_of(file, struct html_sink, file);
	int64_t begin_ns = time_now_ns(CLOCK_MONOTONIC), end_ns;
	struct buffer *text = &file->text;
	struct stat about;

	if (!sink->is_live)
		sink_file_flush(file);
	if (!sink->is_live || sink->is_full || begin_ns < sink->flush_ns)
		return;
	html_report_all(sink);
	live_write_open(sink, begin_ns);
	sink_file_flush(file);
	end_ns = time_now_ns(CLOCK_MONOTONIC);
	sink->flush_ns = end_ns + (end_ns - begin_ns) * WRITING_SHARE;
	if (sink->flush_ns < begin_ns + INTERVAL_NS)
		sink->flush_ns = begin_ns + INTERVAL_NS;
	if (fstat(file->fd, &about) < 0 || (uint64_t)about.st_size < sink->size_max)
		return;
	sink->is_full = true;
	/* Explanations of slices would be added at the end. */
	sink->file.explanations = NULL;
	buffer_clear(text);
	buffer_append_string(text, "this page is full: it has nothing after ");
	buffer_append_duration(text, sink->last_ns - file->start_ns);
	buffer_printf(text, " (limit %llu MiB)", (unsigned long long)sink->size_max >> 20);
	html_note_write(file, NULL, buffer_text(text));
	sink_file_flush(file);
}

static const struct sink_file_ops html_file = {
	.size = sizeof(struct html_sink),
	.init = html_init,
	.open = html_open,
	.event = html_event,
	.flush = html_flush,
	.track_release = html_track_release,
	.release = html_release,
};

const struct sink_kind sink_html = {
	.name = "html",
	.help = "write a page for any browser (works offline)",
	.viewer = "a browser",
	.use = SINK_USE_FILE,
	.shows_explanations = true,
	.shows_overview = true,
	.file = &html_file,
};

const struct sink_kind sink_serve = {
	.name = "serve",
	.help = "serve a page that follows the recording",
	.use = SINK_USE_SERVER,
	.shows_explanations = true,
	.shows_overview = true,
	.file = &html_file,
};
