// SPDX-License-Identifier: GPL-2.0-only
/* The digest of a chunk of slices: the page draws it at low zoom without decoding the chunk. */
#include "sink/html/base64.h"
#include "sink/html/state.h"
#include "sink/proto.h"

#define BINS 64
#define FILLED 255

/* So many names have an index in a bin; the index behind them is any other name. */
#define NAMES_MAX 31

/* Smaller chunks are decoded at once. */
#define COUNT_MIN 64

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

uint64_t html_data_read(const char **at)
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

static uint8_t name_index(struct digest *digest, uint64_t name)
{
	unsigned int i = 0;

	while (i < digest->nr_names && digest->names[i] != name)
		i++;
	if (i == digest->nr_names && i < NAMES_MAX)
		digest->names[digest->nr_names++] = name;
	return i;
}

static unsigned int bin_at(const struct digest *digest, double at_ns)
{
	double place = at_ns / digest->bin_ns;

	return place < BINS - 1 ? place : BINS - 1;
}

/* A slice without a duration counts as one nanosecond. */
static void slice_add(struct digest *digest, double begin_ns, double duration_ns, uint64_t word)
{
	uint8_t name = name_index(digest, word >> 3);
	double end_ns = begin_ns + (duration_ns > 0 ? duration_ns : 1);
	unsigned int last = bin_at(digest, end_ns);

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

static void slices_add(struct digest *digest, const struct html_chunk *chunk)
{
	const char *at = chunk->data.data;
	double time_ns = 0;

	for (unsigned int i = 0; i < chunk->count; i++) {
		double begin_ns = time_ns + html_data_read(&at), duration_ns = html_data_read(&at);

		slice_add(digest, begin_ns, duration_ns, html_data_read(&at));
		time_ns = begin_ns + duration_ns;
	}
}

/* Any slice leaves a trace: only an empty bin has 0. */
static uint8_t filled_of(const struct digest *digest, const struct bin *bin)
{
	double part = bin->filled_ns / digest->bin_ns * FILLED;

	if (part >= FILLED)
		return FILLED;
	return bin->filled_ns > 0 ? part > 1 ? part + 0.5 : 1 : 0;
}

static void digest_append(struct buffer *out, const struct digest *digest)
{
	proto_append_number(out, digest->nr_names);
	for (unsigned int i = 0; i < digest->nr_names; i++)
		proto_append_number(out, digest->names[i]);
	for (unsigned int i = 0; i < BINS; i++) {
		buffer_append_char(out, filled_of(digest, &digest->bins[i]));
		buffer_append_char(out, digest->bins[i].marks << 5 | digest->bins[i].name);
	}
}

void html_digest_append(struct html_sink *sink, const struct html_chunk *chunk)
{
	struct digest digest = { .bin_ns = (chunk->to_ns - chunk->from_ns) / (double)BINS };
	struct buffer *out = &sink->file.out;

	if (chunk->count < COUNT_MIN || chunk->to_ns == chunk->from_ns) {
		buffer_append_char(out, '-');
		return;
	}
	slices_add(&digest, chunk);
	buffer_clear(&sink->packed);
	digest_append(&sink->packed, &digest);
	out->failed = out->failed || sink->packed.failed;
	base64_append(out, buffer_text(&sink->packed));
}
