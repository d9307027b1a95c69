/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace.dat that is being read: what its header and options say, and where its parts are. */
#ifndef SOURCE_FILE_H
#define SOURCE_FILE_H

#include "source/cursor.h"
#include "source/inflate.h"
#include "source/state.h"
#include "source/statistics.h"
#include "source/window.h"

/** TRACE_CPUS_MAX - no kernel has more */
#define TRACE_CPUS_MAX 65536

/** TRACE_BUFFERS_MAX - more buffers than a file of any use has */
#define TRACE_BUFFERS_MAX 4096

/** TRACE_EMPTY_MAX - how many streams may have no data in the file */
#define TRACE_EMPTY_MAX 16384

/** enum trace_part - what a file holds beside records */
enum trace_part {
	TRACE_HEADER_INFO,
	TRACE_FTRACE_FORMATS,
	TRACE_EVENT_FORMATS,
	TRACE_COMMS,
	TRACE_PART_COUNT
};

/**
 * struct trace_section - where a part is
 * @offset: of its content in the file, 0 where the part is missing
 * @size: of the content in the file
 */
struct trace_section {
	size_t offset;
	size_t size;
	bool is_compressed;
};

/**
 * struct trace_content - a part that is being read
 * @cursor: in the file, or in the decompressed bytes
 * @offset: of the section's content
 * @inflated: to be freed by trace_content_close(), NULL if the section is not compressed
 */
struct trace_content {
	struct cursor cursor;
	size_t offset;
	unsigned char *inflated;
};

/**
 * struct trace_options - what the options say
 * @clock: the trace clock, NULL where it is not said
 * @kernel: release of the kernel, NULL where it is not said
 * @nr_cpus: 0 where it is not said
 * @has_date: @date_us is what to add to trace time to get the wall clock's
 * @offset_ns: what to add besides
 * @shifts: of a guest's times to its host's
 * @is_ktrack: ktrack wrote the file, and its statistics count just what is in it
 */
struct trace_options {
	char *clock;
	char *kernel;
	unsigned int nr_cpus;
	bool has_clock;
	bool has_trace_id;
	uint64_t trace_id;
	bool has_date;
	int64_t date_us;
	int64_t offset_ns;
	struct stream_rate rate;
	struct shifts shifts;
	bool is_ktrack;
};

/**
 * struct trace_statistics - the parsed texts of per_cpu/cpuN/stats
 * @headings: of buffers, "Buffer: NAME" each; the rows before the first are the first buffer's
 * @rows: of struct statistics_row
 * @heading: which one was read last, counted from 1; 0 before the first
 * @current: the row that lines belong to, if @has_current
 * @is_full: there were more rows or headings than there can be
 */
struct trace_statistics {
	struct buffer headings;
	struct buffer rows;
	unsigned int nr_headings;
	unsigned int heading;
	size_t current;
	bool has_current;
	bool is_full;
};

struct trace_stream;

/**
 * struct trace_range - bytes of the file with a known use
 * @own: of the stream they belong to, NULL for none
 * @number: of that stream before others were added, SIZE_MAX for none: the order at one place
 */
struct trace_range {
	uint64_t begin;
	uint64_t end;
	struct trace_stream *own;
	size_t number;
};

/**
 * struct trace_slot - the decompressed chunk that streams share if it is too large for each to
 * keep its own
 * @owner: whose chunk it is, NULL if it is empty
 */
struct trace_slot {
	const struct stream *owner;
	uint64_t offset;
	unsigned char *bytes;
	size_t capacity;
};

/**
 * struct trace_id_count - records of an id without a format
 */
struct trace_id_count {
	unsigned int id;
	uint64_t nr_records;
};

/** TRACE_IDS_MAX - how many such ids are counted one by one */
#define TRACE_IDS_MAX 8

/**
 * struct trace_ids - which ids of records have a format
 * @has_format: a bit for each
 * @is_visited: formats were read
 * @list: the first ids without one
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
 * @tgid: its process, 0 where the file does not say
 * @name: borrowed from the file's text of them
 */
struct trace_comm {
	int tid;
	int tgid;
	struct text name;
};

/**
 * struct trace_file - the source
 * @window: for all parts but records
 * @packed: for compressed chunks
 * @slot: for large chunks
 * @kept_size: how much memory streams have beyond what each may have anyway
 * @inflated_size: of all chunks that were decompressed
 * @nr_damages: how many problems were found
 * @damage_size: of the text of the first of them
 * @is_swapped: its numbers are in the other byte order
 * @page_size: of the traced machine; its sub-buffers have this size unless a buffer says otherwise
 * @has_sections: it is of version 7
 * @sub_buffer_size: that header_page describes, 0 if it does not
 * @ranges: of struct trace_range: all bytes of the file with a known use
 * @seen: a bit for each cpu of the last buffer that has an area
 * @nr_empty: how many streams have no data
 * @claimed_size: of all areas in the file, which may overlap
 * @buffers: their names
 * @comms: sorted by tid, into @comm_text
 */
struct trace_file {
	struct source source;
	char *path;
	struct input input;
	struct window window;
	struct window packed;
	struct inflater inflater;
	struct trace_slot slot;
	size_t kept_size;
	uint64_t inflated_size;
	size_t nr_damages;
	size_t damage_size;
	bool is_swapped;
	bool has_sections;
	size_t page_size;
	size_t sub_buffer_size;
	struct page_layout layout;
	struct trace_section parts[TRACE_PART_COUNT];
	struct trace_options options;
	struct trace_statistics statistics;
	struct buffer ranges;
	uint8_t *seen;
	struct trace_ids ids;
	size_t nr_empty;
	uint64_t claimed_size;
	char **buffers;
	size_t nr_buffers;
	char *comm_text;
	struct trace_comm *comms;
	size_t nr_comms;
};

/** trace_file_refuse - say why a file cannot be read at all; returns -1 with @error */
int trace_file_refuse(const struct trace_file *file, struct error *error, uint64_t offset,
		      const char *what);

/**
 * trace_file_damage - note what is wrong with a file that continues to be read; the first problem
 * is reported, with the number of all others
 */
void trace_file_damage(struct trace_file *file, uint64_t offset, const char *what);

/** trace_file_cursor - all of the file from @offset on, which may lie beyond its end */
struct cursor trace_file_cursor(struct trace_file *file, uint64_t offset);

/**
 * trace_file_cover - note that these bytes have a known use; those that have none and are not zero
 * are reported
 */
void trace_file_cover(struct trace_file *file, uint64_t begin, uint64_t end);

/**
 * trace_section_find - read the head of a section at @offset
 *
 * Returns false, and reports it, if there is no such section.
 */
bool trace_section_find(struct trace_file *file, unsigned int id, uint64_t offset,
			struct trace_section *section);

/** TRACE_SECTION_SIZE_MAX - the most that is read of any section but records */
#define TRACE_SECTION_SIZE_MAX (16 << 20)

/**
 * trace_content_open - read a part, decompressed if need be
 * @limit: the most that may be in it
 *
 * Returns false if it is missing or damaged, which is reported.
 */
bool trace_content_open(struct trace_file *file, const struct trace_section *section, size_t limit,
			struct trace_content *content);

void trace_content_close(struct trace_content *content);

/** trace_content_damage - report that a part ends too early, if it does */
void trace_content_damage(struct trace_file *file, const struct trace_content *content,
			  const char *what);

/**
 * trace_file_read_v6, trace_file_read_v7 - find all parts and streams; @cursor stands behind the
 * page size
 */
int trace_file_read_v6(struct trace_file *file, struct cursor *cursor, struct error *error);
int trace_file_read_v7(struct trace_file *file, struct cursor *cursor, struct error *error);

/**
 * trace_file_read_layout - read "header_page" at @cursor; steps over it and "header_event"
 */
int trace_file_read_layout(struct trace_file *file, struct cursor *cursor);

/**
 * trace_file_option - take in an option that both versions have; others are passed over; returns
 * -1 where memory ran out
 */
int trace_file_option(struct trace_file *file, unsigned int id, struct cursor data);

/**
 * trace_file_set_clock - the clock's name, where no option has it; returns -1 where memory ran out
 */
int trace_file_set_clock(struct trace_file *file, struct text name);

void trace_file_options_release(struct trace_options *options);

/** trace_file_describe - fill the source's description, once all was read */
void trace_file_describe(struct trace_file *file);

/** trace_file_read_statistics - parse one option; returns -1 if memory runs out */
int trace_file_read_statistics(struct trace_file *file, struct text text);

/** trace_file_sort_statistics - once all were read, so that they can be found */
void trace_file_sort_statistics(struct trace_file *file);

/** trace_file_is_open - whether it is unknown how much of a cpu was lost */
bool trace_file_is_open(const struct trace_file *file, unsigned int buffer, int cpu);

/**
 * trace_file_add_open - add a stream without data for each cpu whose loss is unknown and that has
 * none; returns -1 with @error
 */
int trace_file_add_open(struct trace_file *file, struct error *error);

void trace_file_statistics_release(struct trace_statistics *statistics);

/**
 * trace_file_read_account - what the statistics of a stream's cpu count; @out stays if there are
 * none. More records than were read is damage in a file that ktrack wrote.
 */
int trace_file_read_account(struct source *source, const struct stream *stream, struct account *out,
			    struct error *error);

/** trace_file_add_buffer - one buffer more; returns -1 with @error */
int trace_file_add_buffer(struct trace_file *file, struct text name, struct error *error);

/** trace_file_tracks - how many buffers have records of tracks; a durable one is behind those */
size_t trace_file_tracks(const struct trace_file *file);

/**
 * struct trace_area - where the records of one CPU are
 * @buffer: which buffer
 * @size: as the file claims
 */
struct trace_area {
	unsigned int buffer;
	unsigned int cpu;
	uint64_t offset;
	uint64_t size;
	size_t sub_buffer_size;
	bool is_compressed;
};

/**
 * trace_file_add_stream - one CPU more; what cannot be is damage; returns -1 with @error where
 * memory ran out
 */
int trace_file_add_stream(struct trace_file *file, const struct trace_area *area,
			  struct error *error);

/**
 * trace_file_check_areas - once all were added: no two streams read the same bytes
 *
 * So all streams together read no more than the file has. Returns -1 with @error if memory runs
 * out.
 */
int trace_file_check_areas(struct trace_file *file, struct error *error);

/** trace_file_check_holes - report bytes that nothing in the file names, unless they are zero */
void trace_file_check_holes(struct trace_file *file);

/** trace_file_add_empty - a stream of a cpu that has no data; returns -1 with @error */
int trace_file_add_empty(struct trace_file *file, unsigned int buffer, unsigned int cpu,
			 struct error *error);

/** trace_file_sort_streams - by buffer, then by cpu */
void trace_file_sort_streams(struct trace_file *file);

/** trace_file_set_windows - share memory among all streams */
void trace_file_set_windows(struct trace_file *file);

/** trace_file_visit - show the tracepoints whose formats a file has */
int trace_file_visit(struct source *source, const struct source_visitor *visitor,
		     struct error *error);

/**
 * trace_file_skip_formats - step over the formats of ftrace's own events, trace_file_skip_events
 * over all others
 */
void trace_file_skip_formats(struct cursor *cursor);
void trace_file_skip_events(struct cursor *cursor);

/** trace_file_add_id - records of this id have a format */
void trace_file_add_id(struct trace_file *file, unsigned int id);

/** trace_file_note_unknown - count a record whose id has no format */
void trace_file_note_unknown(struct source *source, const struct record *record);

/** trace_file_check_ids - report these */
void trace_file_check_ids(struct trace_file *file);

/** trace_file_read_comms - sort the saved names; returns -1 with @error where memory ran out */
int trace_file_read_comms(struct trace_file *file, struct error *error);

void trace_file_find_task(struct source *source, int tid, struct source_task *out);

#endif
