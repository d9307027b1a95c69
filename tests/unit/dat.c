// SPDX-License-Identifier: GPL-2.0-only
/* Writes trace.dat files, versions 6 and 7. */
#include "dat.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define RECORDS_IN_SHEET 4
#define TRACE_ID UINT64_C(0x1122334455667788)

static const char *const buffer_names[DAT_BUFFERS] = { "", "other" };
static const char formats[] = "name: word\nID: 7\nformat:\n";

const struct dat dat_small = {
	.version = 7,
	.long_size = 8,
	.compression = "none",
	.nr_sheets_in_chunk = 2,
	.sub_buffer_size = 64,
	.clock = "[boot]",
	.has_trace_id = true,
};

/* A record that needs more than a page. */
static const unsigned char large[6000];

void dat_begin(struct dat *dat)
{
	for (int i = 0; i < DAT_BUFFERS * DAT_CPUS * DAT_SHEETS; i++) {
		int buffer = i / (DAT_CPUS * DAT_SHEETS), cpu = i / DAT_SHEETS % DAT_CPUS,
		    number = i % DAT_SHEETS;
		struct sheet *sheet = &dat->sheets[buffer][cpu][number];
		uint64_t time_ns = 1000 * (number + 1) + 10 * cpu + buffer;

		sheet_begin_as(sheet, time_ns, dat->is_swapped, dat->long_size);
		if (dat->sub_buffer_size > 2 * sizeof(large))
			sheet_long(sheet, 0, large, sizeof(large));
		for (int record = 0; record < RECORDS_IN_SHEET; record++)
			sheet_at(sheet, time_ns + 100 * record, 100 * i + record);
		if (buffer == 0 && cpu == 1 && number == 1)
			sheet_end_behind_counted(sheet, 5);
		else
			sheet_end(sheet);
	}
}

static void put_number(struct buffer *out, const struct dat *dat, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		bool is_little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != dat->is_swapped;

		buffer_append_char(out, number >> 8 * (is_little ? i : size - 1 - i));
	}
}

static void put_string(struct buffer *out, const char *string)
{
	buffer_append(out, string, strlen(string) + 1);
}

/* Writes a number over one that was left open. */
static void patch_number(struct buffer *out, const struct dat *dat, size_t at, uint64_t number,
			 size_t size)
{
	struct buffer bytes = { 0 };

	put_number(&bytes, dat, number, size);
	memcpy(out->data + at, bytes.data, size);
	buffer_release(&bytes);
}

static void put_header(struct buffer *out, const struct dat *dat)
{
	bool is_big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != dat->is_swapped;

	buffer_append_string(out, "\x17\x08\x44"
				  "tracing");
	put_string(out, dat->version == 6 ? "6" : "7");
	buffer_append_char(out, is_big);
	buffer_append_char(out, 8);
	put_number(out, dat, dat->version == 6 ? dat->sub_buffer_size : 4096, 4);
}

static void put_layout(struct buffer *out, const struct dat *dat)
{
	struct buffer text = { 0 };

	buffer_printf(&text,
		      "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		      "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		      "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		      "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		      dat->long_size, 8 + dat->long_size,
		      (unsigned int)(dat->sub_buffer_size - 8 - dat->long_size));
	put_string(out, "header_page");
	put_number(out, dat, text.size, 8);
	buffer_append(out, text.data, text.size);
	put_string(out, "header_event");
	put_number(out, dat, 6, 8);
	buffer_append_string(out, "# none");
	buffer_release(&text);
}

static void put_ftrace_formats(struct buffer *out, const struct dat *dat)
{
	put_number(out, dat, 0, 4);
}

static void put_event_formats(struct buffer *out, const struct dat *dat)
{
	put_number(out, dat, 2, 4);
	put_string(out, "empty");
	put_number(out, dat, 0, 4);
	put_string(out, "demo");
	put_number(out, dat, 1, 4);
	put_number(out, dat, strlen(formats), 8);
	buffer_append_string(out, formats);
}

static void put_comms(struct buffer *out, const struct dat *dat)
{
	put_number(out, dat, sizeof(DAT_COMMS) - 1, 8);
	buffer_append(out, DAT_COMMS, sizeof(DAT_COMMS) - 1);
}

static void put_option(struct buffer *out, const struct dat *dat, unsigned int id, const void *data,
		       size_t size)
{
	put_number(out, dat, id, 2);
	put_number(out, dat, size, 4);
	buffer_append(out, data, size);
}

static void put_text_option(struct buffer *out, const struct dat *dat, unsigned int id,
			    const char *text)
{
	if (text)
		put_option(out, dat, id, text, strlen(text) + 1);
}

static void put_options(struct buffer *out, const struct dat *dat)
{
	struct buffer data = { 0 };

	put_text_option(out, dat, 1, dat->date);
	put_text_option(out, dat, 4, dat->clock);
	put_text_option(out, dat, 5, "Linux node 1.2.3 machine");
	put_text_option(out, dat, 7, dat->offset);
	put_text_option(out, dat, 9, dat->writer);
	put_text_option(out, dat, 999, "of a kind that nobody knows");
	for (size_t i = 0; dat->statistics && dat->statistics[i]; i++)
		put_text_option(out, dat, 2, dat->statistics[i]);
	put_number(&data, dat, TRACE_ID, 8);
	if (dat->has_trace_id)
		put_option(out, dat, 11, data.data, data.size);
	buffer_clear(&data);
	put_number(&data, dat, dat->multiplier, 4);
	put_number(&data, dat, dat->shift, 4);
	put_number(&data, dat, 0, 8);
	if (dat->multiplier)
		put_option(out, dat, 14, data.data, data.size);
	buffer_release(&data);
}

static void put_plain_sheets(struct buffer *out, const struct dat *dat, const struct sheet *sheets)
{
	for (int i = 0; i < DAT_SHEETS; i++)
		buffer_append(out, sheets[i].bytes, dat->sub_buffer_size);
}

void dat_pack(struct buffer *out, const struct dat *dat, const void *data, size_t size)
{
	bool is_zlib = strcmp(dat->compression, "zlib") == 0;
	uLongf packed = is_zlib ? compressBound(size) : ZSTD_compressBound(size);
	unsigned char *bytes = malloc(packed);

	if (is_zlib)
		compress(bytes, &packed, data, size);
	else
		packed = ZSTD_compress(bytes, packed, data, size, 3);
	put_number(out, dat, packed, 4);
	put_number(out, dat, size, 4);
	buffer_append(out, bytes, packed);
	free(bytes);
}

static void put_packed_sheets(struct buffer *out, const struct dat *dat, const struct sheet *sheets)
{
	size_t in_chunk = dat->nr_sheets_in_chunk;
	struct buffer chunk = { 0 };

	put_number(out, dat, (DAT_SHEETS + in_chunk - 1) / in_chunk, 4);
	for (size_t i = 0; i < DAT_SHEETS; i++) {
		buffer_append(&chunk, sheets[i].bytes, dat->sub_buffer_size);
		if ((i + 1) % in_chunk != 0 && i + 1 < DAT_SHEETS)
			continue;
		dat_pack(out, dat, chunk.data, chunk.size);
		buffer_clear(&chunk);
	}
	buffer_release(&chunk);
}

static bool is_packed(const struct dat *dat)
{
	return dat->version == 7 && strcmp(dat->compression, "none") != 0;
}

/* Writes "flyrecord" and a table that is filled in while the sub-buffers follow. */
static void put_records_v6(struct buffer *out, const struct dat *dat, int buffer)
{
	size_t table;

	put_string(out, "flyrecord");
	table = out->size;
	for (int i = 0; i < 2 * DAT_CPUS; i++)
		put_number(out, dat, 0, 8);
	for (int cpu = 0; cpu < DAT_CPUS; cpu++) {
		patch_number(out, dat, table + 16 * cpu, out->size, 8);
		patch_number(out, dat, table + 16 * cpu + 8, DAT_SHEETS * dat->sub_buffer_size, 8);
		put_plain_sheets(out, dat, dat->sheets[buffer][cpu]);
	}
}

static void write_v6(struct buffer *out, const struct dat *dat)
{
	struct buffer data = { 0 };
	size_t place;

	put_layout(out, dat);
	put_ftrace_formats(out, dat);
	put_event_formats(out, dat);
	put_number(out, dat, 3, 4);
	buffer_append_string(out, "sym");
	put_number(out, dat, 0, 4);
	put_comms(out, dat);
	put_number(out, dat, DAT_CPUS, 4);
	put_string(out, "options  ");
	put_options(out, dat);
	put_number(&data, dat, 0, 8);
	put_string(&data, buffer_names[1]);
	put_option(out, dat, 3, data.data, data.size);
	place = out->size - data.size;
	put_number(out, dat, 0, 2);
	put_records_v6(out, dat, 0);
	patch_number(out, dat, place, out->size, 8);
	put_records_v6(out, dat, 1);
	buffer_release(&data);
}

/* Writes a section's head; returns where its size stands. */
static size_t put_section(struct buffer *out, const struct dat *dat, unsigned int id,
			  bool is_compressed)
{
	put_number(out, dat, id, 2);
	put_number(out, dat, is_compressed, 2);
	put_number(out, dat, 0, 4);
	put_number(out, dat, 0, 8);
	return out->size - 8;
}

static void section_end(struct buffer *out, const struct dat *dat, size_t place)
{
	patch_number(out, dat, place, out->size - place - 8, 8);
}

/* Writes a part as a section, and the option that points to it. */
static void put_part(struct buffer *out, struct buffer *options, const struct dat *dat,
		     unsigned int id, void (*put)(struct buffer *out, const struct dat *dat))
{
	struct buffer content = { 0 }, offset = { 0 };
	size_t place;

	put(&content, dat);
	put_number(&offset, dat, out->size, 8);
	put_option(options, dat, id, offset.data, offset.size);
	place = put_section(out, dat, id, is_packed(dat));
	if (is_packed(dat))
		dat_pack(out, dat, content.data, content.size);
	else
		buffer_append(out, content.data, content.size);
	section_end(out, dat, place);
	buffer_release(&content);
	buffer_release(&offset);
}

/*
 * Writes a section of options that ends with the place of the next one; returns where that stands.
 */
static size_t put_option_section(struct buffer *out, const struct dat *dat,
				 const struct buffer *options)
{
	size_t place = put_section(out, dat, 0, false);

	buffer_append(out, options->data, options->size);
	put_number(out, dat, 0, 2);
	put_number(out, dat, 8, 4);
	put_number(out, dat, 0, 8);
	section_end(out, dat, place);
	return out->size - 8;
}

/*
 * Writes the records of a buffer, and what an option says of them. trace-cmd's sizes leave out a
 * chunk's number.
 */
static void put_records_v7(struct buffer *out, struct buffer *option, const struct dat *dat,
			   int buffer)
{
	size_t place, begin;

	put_number(option, dat, out->size, 8);
	put_string(option, buffer_names[buffer]);
	put_string(option, "mono");
	put_number(option, dat, dat->sub_buffer_size, 4);
	put_number(option, dat, DAT_CPUS, 4);
	place = put_section(out, dat, 3, is_packed(dat));
	for (int cpu = 0; cpu < DAT_CPUS; cpu++) {
		begin = out->size;
		put_number(option, dat, cpu, 4);
		put_number(option, dat, begin, 8);
		if (is_packed(dat))
			put_packed_sheets(out, dat, dat->sheets[buffer][cpu]);
		else
			put_plain_sheets(out, dat, dat->sheets[buffer][cpu]);
		put_number(option, dat, out->size - begin - (is_packed(dat) ? 4 : 0), 8);
	}
	section_end(out, dat, place);
}

static void write_v7(struct buffer *out, const struct dat *dat)
{
	struct buffer options = { 0 }, data = { 0 };
	size_t place;

	put_string(out, dat->compression);
	put_string(out, "1.0");
	place = out->size;
	put_number(out, dat, 0, 8);
	put_part(out, &options, dat, 16, put_layout);
	put_part(out, &options, dat, 17, put_ftrace_formats);
	put_part(out, &options, dat, 18, put_event_formats);
	put_part(out, &options, dat, 21, put_comms);
	put_options(&options, dat);
	for (int buffer = 0; buffer < DAT_BUFFERS; buffer++) {
		patch_number(out, dat, place, out->size, 8);
		place = put_option_section(out, dat, &options);
		buffer_clear(&options);
		buffer_clear(&data);
		put_records_v7(out, &data, dat, buffer);
		put_option(&options, dat, 3, data.data, data.size);
	}
	patch_number(out, dat, place, out->size, 8);
	put_option_section(out, dat, &options);
	buffer_release(&options);
	buffer_release(&data);
}

void dat_write(struct buffer *out, const struct dat *dat)
{
	put_header(out, dat);
	if (dat->version == 6)
		write_v6(out, dat);
	else
		write_v7(out, dat);
}
