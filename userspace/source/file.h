/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace.dat that is being read: what its header and options say, and where its parts are. */
#ifndef SOURCE_FILE_H
#define SOURCE_FILE_H

#include "source/cursor.h"
#include "source/inflate.h"
#include "source/mapping.h"
#include "source/state.h"

/** TRACE_CPUS_MAX - no kernel has more */
#define TRACE_CPUS_MAX 65536

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
 * @cursor: in the file, or in what was inflated
 * @offset: of the section's content
 * @inflated: to be freed by trace_content_close(), NULL where nothing had to be inflated
 */
struct trace_content {
	struct cursor cursor;
	size_t offset;
	unsigned char *inflated;
};

/**
 * struct trace_options - what the options say
 * @statistics: texts of per_cpu/cpuN/stats, after headings "Buffer: NAME"
 * @clock: the trace clock, NULL where it is not said
 * @kernel: release of the kernel, NULL where it is not said
 * @nr_cpus: 0 where it is not said
 * @has_date: @date_us is what to add to trace time to get the wall clock's
 * @offset_ns: what to add besides
 * @shifts: of a guest's times to its host's
 */
struct trace_options {
	struct buffer statistics;
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
};

/**
 * struct trace_comm - a thread's name
 * @tgid: its process, 0 where the file does not say
 * @name: borrowed from the file or what was inflated of it
 */
struct trace_comm {
	int tid;
	int tgid;
	struct text name;
};

/**
 * struct trace_file - the source
 * @is_swapped: its numbers are in the other byte order
 * @page_size: of the traced machine; its sub-buffers have this size unless a buffer says otherwise
 * @buffers: their names
 * @comms: sorted by tid, into @comm_content
 */
struct trace_file {
	struct source source;
	char *path;
	struct mapping mapping;
	struct inflater inflater;
	bool is_swapped;
	size_t page_size;
	struct page_layout layout;
	struct trace_section parts[TRACE_PART_COUNT];
	struct trace_options options;
	char **buffers;
	size_t nr_buffers;
	struct trace_content comm_content;
	struct trace_comm *comms;
	size_t nr_comms;
};

/** trace_file_refuse - say why a file cannot be read at all; returns -1 with @error */
int trace_file_refuse(const struct trace_file *file, struct error *error, size_t offset,
		      const char *what);

/** trace_file_damage - note what is wrong with a file that goes on being read */
void trace_file_damage(struct trace_file *file, size_t offset, const char *what);

/** trace_file_cursor - all of the file from @offset on, which may lie beyond its end */
struct cursor trace_file_cursor(const struct trace_file *file, uint64_t offset);

/** trace_file_offset - where in the file the cursor stands */
size_t trace_file_offset(const struct trace_file *file, const struct cursor *cursor);

/**
 * trace_content_open - get at a part, inflated where it is compressed
 * @limit: the most that may be inflated
 *
 * Returns false where it is missing or damaged, which is noted.
 */
bool trace_content_open(struct trace_file *file, const struct trace_section *section, size_t limit,
			struct trace_content *content);

void trace_content_close(struct trace_content *content);

/** trace_content_damage - note that a part ends too early, where it does */
void trace_content_damage(struct trace_file *file, const struct trace_content *content,
			  const char *what);

/**
 * trace_file_read_v6, trace_file_read_v7 - find all parts and streams; @cursor stands behind the
 * page size
 */
int trace_file_read_v6(struct trace_file *file, struct cursor *cursor, struct error *error);
int trace_file_read_v7(struct trace_file *file, struct cursor *cursor, struct error *error);

/**
 * trace_file_read_layout - learn from the "header_page" that @cursor stands at; steps over it and
 * "header_event"
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

/** trace_file_is_open - whether the file says of a CPU that nobody knows how much of it was lost */
bool trace_file_is_open(const struct trace_file *file, int cpu, unsigned int buffer);

/**
 * trace_file_read_account - what the statistics of a stream's CPU say; @out stays where they say
 * nothing
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
 * trace_file_part_streams - see to it that no two streams read the same bytes, once all were added
 *
 * So all of them together read no more than the file has, whatever it says. Returns -1 with @error
 * where memory ran out.
 */
int trace_file_part_streams(struct trace_file *file, struct error *error);

/** trace_file_visit - show the tracepoints whose formats a file has */
int trace_file_visit(struct source *source, const struct source_visitor *visitor,
		     struct error *error);

/**
 * trace_file_skip_formats - step over the formats of ftrace's own events, trace_file_skip_events
 * over all others
 */
void trace_file_skip_formats(struct cursor *cursor);
void trace_file_skip_events(struct cursor *cursor);

/** trace_file_read_comms - sort the saved names; returns -1 with @error where memory ran out */
int trace_file_read_comms(struct trace_file *file, struct error *error);

void trace_file_find_task(struct source *source, int tid, struct source_task *out);

#endif
