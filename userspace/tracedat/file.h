/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a trace.dat that is being read. */
#ifndef TRACEDAT_FILE_H
#define TRACEDAT_FILE_H

#include "base/base.h"
#include "tracedat/checksums.h"
#include "tracedat/file_section.h"
#include "tracedat/inflate.h"
#include "tracedat/shift.h"
#include "tracedat/tracedat.h"

/** TRACE_CPUS_MAX - no kernel has more CPUs */
#define TRACE_CPUS_MAX 65536

/** TRACE_BUFFERS_MAX - limit of buffers in a file */
#define TRACE_BUFFERS_MAX 4096

/**
 * struct trace_options - content of the options that is no property of the recording
 * @nr_cpus: 0 if unknown
 * @date_us: offset from trace time to the wall clock, if @has_date
 * @offset_ns: offset to add in any case
 * @rate: of the trace clock
 * @shifts: from a guest's times to its host's
 * @is_ktrack: ktrack wrote the file: its statistics count only records of the file
 * @has_checksums: the file states that it ends with checksums
 */
struct trace_options {
	unsigned int nr_cpus;
	bool has_clock;
	bool has_trace_id;
	uint64_t trace_id;
	bool has_date;
	int64_t date_us;
	int64_t offset_ns;
	struct trace_rate rate;
	struct shifts shifts;
	bool is_ktrack;
	bool has_checksums;
};

/**
 * struct trace_statistics - parsed statistics of all CPUs
 * @headings: names of buffers, each with a NUL; rows before the first are the first buffer's
 * @rows: of struct statistics_row
 * @nr_headings: how many headings, also the number of the current one; 0 before the first
 * @current: the row that lines belong to, if @has_current
 * @is_full: there were more rows or headings than allowed
 */
struct trace_statistics {
	struct buffer headings;
	struct buffer rows;
	unsigned int nr_headings;
	size_t current;
	bool has_current;
	bool is_full;
};

struct trace_stream;

/**
 * struct trace_range - bytes of the file with a known use
 * @own: the stream that reads them, NULL for none
 * @number: of the stream, SIZE_MAX for none: the order of ranges that begin at one offset
 */
struct trace_range {
	uint64_t begin;
	uint64_t end;
	struct trace_stream *own;
	size_t number;
};

/**
 * struct trace_shared_chunk - the decompressed chunk of the streams whose chunks are large
 * @owner: the stream it belongs to, NULL if it is empty
 */
struct trace_shared_chunk {
	const struct stream *owner;
	uint64_t offset;
	unsigned char *bytes;
	size_t capacity;
};

/** struct trace_id_count - number of records of an id without a format */
struct trace_id_count {
	unsigned int id;
	uint64_t nr_records;
};

/** TRACE_IDS_MAX - how many such ids are counted separately */
#define TRACE_IDS_MAX 8

/**
 * struct trace_ids - ids of records with and without a format
 * @has_format: a bit for each id
 * @is_visited: formats were read
 * @list: the first ids without a format
 * @nr_others: records of further ids without one
 */
struct trace_ids {
	uint8_t has_format[UINT16_MAX / 8 + 1];
	bool is_visited;
	struct trace_id_count list[TRACE_IDS_MAX];
	size_t nr_listed;
	uint64_t nr_others;
};

/**
 * struct trace_comm - a thread's name
 * @tgid: its process, 0 if unknown
 * @name: borrowed from trace_comms.text
 */
struct trace_comm {
	int tid;
	int tgid;
	struct text name;
};

/** struct trace_comms - names of threads, sorted by tid */
struct trace_comms {
	char *text;
	struct trace_comm *list;
	size_t size;
};

/**
 * struct trace_file - a trace.dat
 * @streams: one for each CPU of each buffer, sorted
 * @damage: the first of @nr_damages problems, in @damage_size bytes, and the number of others
 * @window: for all sections but records
 * @packed: for compressed chunks
 * @shared_chunk: for large decompressed chunks
 * @kept_size: memory of streams beyond what each may have anyway
 * @inflated_size: total size of decompressed chunks
 * @is_swapped: numbers are in the other byte order
 * @has_sections: version 7
 * @page_size: of the traced machine; default size of sub-buffers
 * @sub_buffer_size: as header_page states it, 0 if it does not
 * @checksums: of a file that ktrack wrote
 * @ranges: of struct trace_range
 * @has_area: a bit for each CPU of the last buffer that has an area
 * @nr_empty: streams without records
 * @claimed_size: total size of all areas, which may overlap
 * @buffers: names of @nr_buffers buffers
 */
struct trace_file {
	char *path;
	struct recording recording;
	struct stream *streams;
	size_t nr_streams;
	struct error damage;
	size_t nr_damages;
	size_t damage_size;
	struct input input;
	struct window window;
	struct window packed;
	struct inflater inflater;
	struct trace_shared_chunk shared_chunk;
	size_t kept_size;
	uint64_t inflated_size;
	bool is_swapped;
	bool has_sections;
	size_t page_size;
	size_t sub_buffer_size;
	struct page_layout layout;
	struct trace_section sections[TRACE_SECTION_KINDS];
	struct trace_options options;
	struct trace_statistics statistics;
	struct trace_ids ids;
	struct trace_comms comms;
	struct checksums checksums;
	enum checksums_state checksums_state;
	struct buffer ranges;
	uint8_t *has_area;
	size_t nr_empty;
	uint64_t claimed_size;
	char **buffers;
	size_t nr_buffers;
};

/** trace_file_report - report damage in a file that is read all the same */
void trace_file_report(struct trace_file *file, uint64_t offset, const char *problem);

/** trace_file_cursor - a cursor to the end of the file; it is over if @offset is behind that */
struct cursor trace_file_cursor(struct trace_file *file, uint64_t offset);

/** trace_file_cover - mark bytes as used; other bytes but zeros are reported */
void trace_file_cover(struct trace_file *file, uint64_t begin, uint64_t end);

/** trace_file_check_holes - report bytes that nothing uses, unless they are zeros */
void trace_file_check_holes(struct trace_file *file);

/** trace_file_open_checksums - find them, and verify everything before the records */
void trace_file_open_checksums(struct trace_file *file);

/** trace_file_miss_checksums - after all options were read: report checksums that are missing */
void trace_file_miss_checksums(struct trace_file *file);

/** trace_file_nr_buffers - number of buffers without the sideband buffer, which is the last */
size_t trace_file_nr_buffers(const struct trace_file *file);

/**
 * trace_file_read_v6, trace_file_read_v7 - find all sections and streams
 * @cursor: behind the page size
 *
 * Returns 0, or -1 with @error.
 */
int trace_file_read_v6(struct trace_file *file, struct cursor *cursor, struct error *error);
int trace_file_read_v7(struct trace_file *file, struct cursor *cursor, struct error *error);

/** trace_file_read_layout - read header_page, skip header_event; returns -1 if they are damaged */
int trace_file_read_layout(struct trace_file *file, struct cursor *cursor);

/** trace_file_skip_formats, trace_file_skip_events - skip formats of ftrace's own, of all events */
void trace_file_skip_formats(struct cursor *cursor);
void trace_file_skip_events(struct cursor *cursor);

/** trace_file_read_option - read an option of both versions, ignore others; -1 without memory */
int trace_file_read_option(struct trace_file *file, unsigned int id, struct cursor data);

/** trace_file_complete - set what depends on all options and streams, after they were read */
void trace_file_complete(struct trace_file *file);

/** trace_file_read_statistics - parse one option; returns -1 if memory runs out */
int trace_file_read_statistics(struct trace_file *file, struct text text);

/** trace_file_sort_statistics - after all were read; one row of each CPU is left */
void trace_file_sort_statistics(struct trace_file *file);

/** trace_file_is_open - whether the number of lost records of a CPU is unknown */
bool trace_file_is_open(const struct trace_file *file, unsigned int buffer, int cpu);

/** trace_file_add_open - add empty streams for such CPUs without records; -1 with @error */
int trace_file_add_open(struct trace_file *file, struct error *error);

void trace_statistics_release(struct trace_statistics *statistics);

/** trace_file_add_id - records of this id have a format */
void trace_file_add_id(struct trace_file *file, unsigned int id);

/** trace_file_check_ids - report records whose id has no format */
void trace_file_check_ids(struct trace_file *file);

/** trace_file_read_comms - read the names of threads; returns -1 with @error */
int trace_file_read_comms(struct trace_file *file, struct error *error);

/**
 * file_kind_describe - kind of a file by its first bytes, and what opens it
 * @size: of @bytes, FILE_KIND_SIZE unless the file is shorter
 *
 * Returns a constant text.
 */
const char *file_kind_describe(const unsigned char *bytes, size_t size);

/** FILE_KIND_SIZE - bytes that identify any kind */
#define FILE_KIND_SIZE 64

#endif
