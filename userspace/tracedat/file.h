/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private header of tracedat/ for files that are read: their layout, input, checksums, sections,
 * areas and state.
 */
#ifndef TRACEDAT_FILE_H
#define TRACEDAT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "tracedat/tracedat.h"

/* Layout of a trace.dat, for reader and writer. The header states the byte order of all numbers. */

/**
 * TRACE_DAT_MAGIC - first bytes of a file; then come the version as a string, a byte that is 1 for
 * big-endian numbers, the size of userspace's longs in a byte, and that of a page in 4 bytes
 */
#define TRACE_DAT_MAGIC \
	"\x17\x08\x44"  \
	"tracing"

/** TRACE_DAT_VERSION_6, TRACE_DAT_VERSION_7 - versions of the format */
#define TRACE_DAT_VERSION_6 "6"
#define TRACE_DAT_VERSION_7 "7"
/** TRACE_DAT_HEADER_PAGE, TRACE_DAT_HEADER_EVENT - names of the texts with the records' layout */
#define TRACE_DAT_HEADER_PAGE "header_page"
#define TRACE_DAT_HEADER_EVENT "header_event"
/** TRACE_DAT_MARK_SIZE - size of each mark of version 6, with its NUL */
#define TRACE_DAT_MARK_SIZE 10
/** TRACE_DAT_OPTIONS, TRACE_DAT_RECORDS, TRACE_DAT_LATENCY - marks of version 6 */
#define TRACE_DAT_OPTIONS "options  "
#define TRACE_DAT_RECORDS "flyrecord"
#define TRACE_DAT_LATENCY "latency  "
/** TRACE_DAT_KTRACK - begin of the writer's name in ktrack's files; its version follows */
#define TRACE_DAT_KTRACK "ktrack "
/** TRACE_DAT_THREAD - behind that version, the writer's thread; its number follows */
#define TRACE_DAT_THREAD " thread "
/** TRACE_DAT_WORKLOAD - behind that number, the threads that were selected; "1,2,3" follows */
#define TRACE_DAT_WORKLOAD " workload "
/** TRACE_DAT_CHECKSUMS - behind these: the file ends with checksums, see below */
#define TRACE_DAT_CHECKSUMS " checksums"
/** TRACE_DAT_NARROW - behind these, the threads of 32-bit programs; "1,2,3" follows */
#define TRACE_DAT_NARROW " 32-bit "
/** TRACE_DAT_OF_OTHERS - behind these: a part of a file that another program wrote */
#define TRACE_DAT_OF_OTHERS " of-others"

/**
 * TRACE_DAT_TRIGGER - begin of lines behind the writer's line that say why ktrack watch wrote the
 * file; to a reader of rules they are comments
 */
#define TRACE_DAT_TRIGGER "# trigger "
/** TRACE_DAT_LABEL - begin of lines there that are labels of the recording, "KEY=VALUE" */
#define TRACE_DAT_LABEL "# label "
/** TRACE_DAT_LIMIT - begin of lines there: what cgroup_limits_append() says of the recording */
#define TRACE_DAT_LIMIT "# limit "
/** TRACE_DAT_SELECTION - begin of lines there: what was selected, see selection_add_stored() */
#define TRACE_DAT_SELECTION "# select "
/** TRACE_DAT_BOOT - begin of a line there: the kernel's id of the boot */
#define TRACE_DAT_BOOT "# boot "
/** TRACE_DAT_WALL_ERROR - begin of a line there: limit of the error of the wall clock, in ns */
#define TRACE_DAT_WALL_ERROR "# wall-error "
/** TRACE_DAT_COMMAND - begin of a line there: the number of the process of the recorded command */
#define TRACE_DAT_COMMAND "# command "
/** TRACE_DAT_DEVICE - begin of lines there: what devices_append() says of the traced machine */
#define TRACE_DAT_DEVICE "# device "
/** TRACE_DAT_PART - begin of lines there, of a part of a recording: what it has of the rest */
#define TRACE_DAT_PART "# part "
/** TRACE_DAT_RECORDING - begin of a line there: the id of the whole recording, in hexadecimal */
#define TRACE_DAT_RECORDING "# recording "
/** TRACE_DAT_BUFFER_HEADING, TRACE_DAT_CPU_HEADING - lines above statistics, with name or number */
#define TRACE_DAT_BUFFER_HEADING "Buffer: "
#define TRACE_DAT_CPU_HEADING "CPU: "
/** TRACE_DAT_SIDEBAND - name of the last buffer if it is the sideband buffer */
#define TRACE_DAT_SIDEBAND "ktrack-durable"

/** enum trace_dat_option - trace-cmd's ids of options, and of their sections */
enum trace_dat_option {
	TRACE_DAT_END = 0,
	TRACE_DAT_DATE = 1,
	TRACE_DAT_CPU_STATISTICS = 2,
	TRACE_DAT_BUFFER = 3,
	TRACE_DAT_CLOCK = 4,
	TRACE_DAT_UNAME = 5,
	TRACE_DAT_OFFSET = 7,
	TRACE_DAT_CPU_COUNT = 8,
	TRACE_DAT_WRITER = 9,
	TRACE_DAT_ID = 11,
	TRACE_DAT_TIME_SHIFT = 12,
	TRACE_DAT_TSC_TO_NS = 14,
	TRACE_DAT_HEADER_INFO = 16,
	TRACE_DAT_FTRACE_FORMATS = 17,
	TRACE_DAT_EVENT_FORMATS = 18,
	TRACE_DAT_SYMBOLS = 19,
	TRACE_DAT_CONSTANTS = 20,
	TRACE_DAT_COMMS = 21,
	/* Sections up to this id may be in a file without an option that names them. */
	TRACE_DAT_SECTION_MAX = 64,
};

/* A file that is read by offset, the copy of a pipe, and a window that moves over the file. */

/** struct input - an open file */
struct input {
	int fd;				/* -1 if there is none */
	uint64_t size;			/* at open; it may change later */
	struct byte_progress *progress; /* counts what is read, NULL for nothing */
};

/** INPUT_NONE - no open file */
#define INPUT_NONE ((struct input){ .fd = -1 })

/** input_set - read @fd, which it takes, of the file at @path; returns -1 with @error */
int input_set(struct input *input, int fd, const char *path, struct error *error);
/** input_name - name of the file at @path in errors */
const char *input_name(const char *path);

/**
 * input_refuse_raw - refuse what a killed trace-cmd leaves: the file of one CPU
 * @is_absent: the file has nothing; then those files may be beside it
 *
 * Returns 0 if there are none, or -1 with @error.
 */
int input_refuse_raw(const char *path, bool is_absent, struct error *error);

/** input_is_packed - whether the first bytes are those of a file that is compressed as a whole */
bool input_is_packed(struct text head);

/**
 * input_unpack - decompress such a file into an unnamed temporary file
 * @fd: is returned if it is no such file, and closed otherwise
 * @name: of the file, in errors
 * @max_kib: as in struct input_settings
 *
 * Returns a descriptor, or -1 with @error.
 */
int input_unpack(int fd, const char *name, uint64_t max_kib, struct error *error);

void input_close(struct input *input);

/**
 * input_read - read up to @size bytes at @offset
 *
 * Returns the number of bytes; if that is less than @size, errno is 0 at the end of the file, and
 * the reason otherwise.
 */
size_t input_read(const struct input *input, void *out, size_t size, uint64_t offset);

/** INPUT_COPY_MAX - limit of a copy */
#define INPUT_COPY_MAX (UINT64_C(16) << 30)

/** struct input_limits - what is copied of a pipe */
struct input_limits {
	const char *name; /* of it in errors */
	uint64_t size;	  /* more bytes are an error */
	/* whether the first bytes are those of another kind of recording; NULL if none is */
	bool (*is_other)(struct text head);
};

/**
 * input_copy - copy all bytes of @fd to an unnamed temporary file
 * @progress: counts the bytes, NULL for none
 *
 * Stops after the first bytes if they begin neither a trace.dat nor another recording, so that
 * endless other input is refused at once. Ctrl-C ends the other kinds, which are copied as far as
 * they came, and this process otherwise. Returns a descriptor, or -1 with @error.
 */
int input_copy(int fd, const struct input_limits *limits, struct byte_progress *progress,
	       struct error *error);

/** WINDOW_SIZE - default of struct window.ahead */
#define WINDOW_SIZE 65536
/** WINDOW_SIZE_MAX - limit of window_read() */
#define WINDOW_SIZE_MAX (16 << 20)

/** struct window - bytes of a file */
struct window {
	const struct input *input;
	size_t ahead; /* bytes to read at once, if the file has more than requested */
	unsigned char *bytes;
	uint64_t begin; /* offset of @bytes in the file */
	size_t filled;	/* valid bytes, of @capacity */
	size_t capacity;
};

/**
 * window_read - move the window to @offset; nothing from @end on is read
 * @size: requested bytes; becomes their number, less if the file is shorter or memory runs out
 *
 * Returns the bytes, valid until the next call; errno is as input_read() leaves it.
 */
const unsigned char *window_read(struct window *window, uint64_t offset, uint64_t end,
				 size_t *size);

void window_release(struct window *window);

/* Decompresses blocks with the algorithms of trace.dat files. */

struct inflate_algorithm;

/** struct inflater - a decompressor; zeroed if nothing is compressed */
struct inflater {
	const struct inflate_algorithm *algorithm;
	void *state; /* of the algorithm */
};

/**
 * inflater_init - select an algorithm by its name, which may be "none"
 *
 * Returns 0, or -1 with @error. inflater_release() is needed in any case.
 */
int inflater_init(struct inflater *inflater, struct text name, struct error *error);

void inflater_release(struct inflater *inflater);

/**
 * inflater_run - decompress one block to exactly @size bytes
 *
 * Returns false if the block is damaged or has another size, or the algorithm is "none".
 */
bool inflater_run(struct inflater *inflater, struct text block, void *out, size_t size);

/*
 * Checksums behind the last section of a recording that ktrack wrote. Programs that do not read
 * them ignore them, because no section refers to these bytes:
 *
 *   table    a checksum (64 bits) of each page of the file, from its first byte to the last record;
 *            the last page may be shorter
 *   trailer  struct checksums_trailer, the last bytes of the file
 *
 * Numbers are in the byte order of the machine that wrote them. The writer's option has the word
 * TRACE_DAT_CHECKSUMS, so that missing checksums are damage. The trailer is found without the rest
 * of the file, so that it verifies also the option, the header and everything else before the
 * records.
 */

/** CHECKSUMS_MAGIC - first bytes of a trailer */
#define CHECKSUMS_MAGIC "ktrack checksums"
#define CHECKSUMS_MAGIC_SIZE 16
/** CHECKSUMS_VERSION - of table and trailer; also shows their byte order */
#define CHECKSUMS_VERSION 1
/** CHECKSUMS_BLOCK_SIZE - the checksum of the table is a chain over blocks of this size */
#define CHECKSUMS_BLOCK_SIZE 65536

/** struct checksums_trailer - end of a file with checksums */
struct checksums_trailer {
	char magic[CHECKSUMS_MAGIC_SIZE];
	uint32_t version;
	uint32_t page_size;
	uint64_t covered;   /* bytes that have checksums; the table follows them */
	uint64_t head_size; /* bytes before the first record */
	uint64_t table;	    /* checksum of the table */
	uint64_t own;	    /* checksum of the trailer up to here */
};

/** struct checksums_writer - checksums of a file that is being written */
struct checksums_writer {
	int fd; /* also open for reading */
	size_t page_size;
	uint64_t covered;    /* bytes with a checksum */
	struct buffer table; /* of checksums */
};

/** checksums_add - the file has its first @end bytes now; returns -1 with errno */
int checksums_add(struct checksums_writer *writer, uint64_t end);
/** checksums_finish - append table and trailer behind @end bytes; returns -1 with errno */
int checksums_finish(struct checksums_writer *writer, uint64_t head_size, uint64_t end);

/** enum checksums_state - result of checksums_open() */
enum checksums_state {
	CHECKSUMS_ABSENT,
	CHECKSUMS_DAMAGED,
	CHECKSUMS_NEWER,
	CHECKSUMS_PRESENT,
};

/** struct checksums - checksums of a file that is being read */
struct checksums {
	bool is_swapped;
	size_t page_size; /* 0 without checksums */
	/* @covered, @head_size: as in the trailer */
	uint64_t covered;
	uint64_t head_size;
};

/** checksums_open - find and verify the table */
enum checksums_state checksums_open(struct checksums *checksums, const struct input *input);

/** CHECKSUMS_AHEAD - bytes of the table to read at once: for 1 MiB of records */
#define CHECKSUMS_AHEAD 2048

/**
 * checksums_match - verify bytes of the file
 * @table: a window that reads CHECKSUMS_AHEAD bytes at once
 *
 * Pages that the bytes contain only in part, and all pages of a file without checksums, match.
 */
bool checksums_match(const struct checksums *checksums, struct window *table, uint64_t offset,
		     const unsigned char *bytes, size_t size);

/* Reads numbers and texts from untrusted bytes in memory or in a file. */

/** struct cursor - a position in borrowed bytes */
struct cursor {
	const unsigned char *data; /* all bytes, if they are in memory */
	/* otherwise the window of their file; a text is valid until the next read */
	struct window *window;
	size_t size;	 /* end of the bytes */
	size_t offset;	 /* of the next byte; a read that did not fit does not change it */
	bool is_swapped; /* numbers are in the other byte order than this machine's */
	bool is_over;	 /* a read did not fit; all later reads return 0 or nothing */
};

/** cursor_left - number of bytes that follow */
size_t cursor_left(const struct cursor *cursor);
/** cursor_take - read @size bytes; returns NULL if there are less */
const unsigned char *cursor_take(struct cursor *cursor, uint64_t size);
/** cursor_skip - skip @size bytes without reading them */
void cursor_skip(struct cursor *cursor, uint64_t size);
/** cursor_u8, cursor_u16, cursor_u32, cursor_u64 - the next number */
uint8_t cursor_u8(struct cursor *cursor);
uint16_t cursor_u16(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);
uint64_t cursor_u64(struct cursor *cursor);

/** cursor_text - read @size bytes as a text */
struct text cursor_text(struct cursor *cursor, uint64_t size);

/** CURSOR_STRING_MAX - limit of strings in a file */
#define CURSOR_STRING_MAX 4096

/** cursor_string - read a text and the NUL behind it; "" if there is no NUL */
struct text cursor_string(struct cursor *cursor);
/** cursor_part - skip @size bytes; returns a cursor for them */
struct cursor cursor_part(struct cursor *cursor, uint64_t size);
/** cursor_expect - skip the bytes of @literal; returns whether they were there */
bool cursor_expect(struct cursor *cursor, struct text literal);

/* Sections of a trace.dat other than records. Version 6 has them without heads. */

struct trace_file;

/** enum trace_section_kind - sections that are read */
enum trace_section_kind {
	TRACE_HEADER_INFO,
	TRACE_FTRACE_FORMATS,
	TRACE_EVENT_FORMATS,
	TRACE_SYMBOLS,
	TRACE_CONSTANTS,
	TRACE_COMMS,
	TRACE_SECTION_KINDS
};

/** struct trace_section - place of a section's content */
struct trace_section {
	size_t offset; /* in the file, 0 if the section is missing */
	size_t size;   /* in the file */
	bool is_compressed;
};

/** struct trace_content - content of a section that is being read */
struct trace_content {
	struct cursor cursor;	 /* in the file, or in @inflated */
	size_t offset;		 /* of the content in the file */
	unsigned char *inflated; /* decompressed content, NULL if the section is not compressed */
};

/** TRACE_SECTION_SIZE_MAX - limit of a section's content, unless stated otherwise */
#define TRACE_SECTION_SIZE_MAX (16 << 20)

/**
 * trace_content_open - open a section's content, decompress it if needed
 * @limit: largest decompressed size
 *
 * Returns false if it is missing, or damaged, which is reported.
 */
bool trace_content_open(struct trace_file *file, const struct trace_section *section, size_t limit,
			struct trace_content *content);

void trace_content_close(struct trace_content *content);

/** trace_content_check - report @problem if the content ended too early */
void trace_content_check(struct trace_file *file, const struct trace_content *content,
			 const char *problem);

/* Conversion of timestamps: from a guest's clock to its host's, and from ticks to nanoseconds. */

/** struct shift_sample - difference of both clocks at one time */
struct shift_sample {
	int64_t time;	/* on the guest's clock */
	int64_t offset; /* to add to the scaled time */
	/*
	 * @scale, @fraction: the scaled time is the guest's times @scale, shifted right by
	 * @fraction
	 */
	uint64_t scale;
	unsigned int fraction;
};

/** struct shift - samples of one CPU */
struct shift {
	struct shift_sample *samples; /* at least one, sorted by time */
	size_t nr_samples;
	/* offsets are interpolated between samples; otherwise they change in steps */
	bool is_steady;
};

/** struct shifts - of all CPUs; zeroed it is empty */
struct shifts {
	struct shift *list;
	size_t nr_cpus;
};

/**
 * shifts_read - parse the option of a trace.dat, behind the id of the host's trace
 *
 * An invalid one gives no shifts. Returns 0, or -1 if memory runs out.
 */
int shifts_read(struct shifts *shifts, struct cursor data);

void shifts_release(struct shifts *shifts);

/** shift_apply - the host's time of a guest's; at least 0 and below RECORD_TIME_LIMIT */
int64_t shift_apply(const struct shift *shift, int64_t ticks);

/** struct trace_rate - nanoseconds of a tick: times @multiplier, then shifted right by @shift */
struct trace_rate {
	uint32_t multiplier; /* 0 if timestamps are nanoseconds */
	unsigned int shift;  /* below 64 */
};

/** trace_rate_apply - nanoseconds of a timestamp, below RECORD_TIME_LIMIT */
int64_t trace_rate_apply(struct trace_rate rate, int64_t ticks);

/* State of a trace.dat that is being read. */

/** TRACE_CPUS_MAX - no kernel has more CPUs */
#define TRACE_CPUS_MAX 65536
/** TRACE_BUFFERS_MAX - limit of buffers in a file */
#define TRACE_BUFFERS_MAX 4096

/** struct trace_options - content of the options that is no property of the recording */
struct trace_options {
	unsigned int nr_cpus; /* 0 if unknown */
	bool has_clock;
	bool has_trace_id;
	uint64_t trace_id;
	bool has_date;
	int64_t date_us;	/* offset from trace time to the wall clock, if @has_date */
	int64_t offset_ns;	/* offset to add in any case */
	struct trace_rate rate; /* of the trace clock */
	struct shifts shifts;	/* from a guest's times to its host's */
	bool is_ktrack; /* ktrack wrote the file: its statistics count only records of the file */
	bool has_checksums; /* the file states that it ends with checksums */
};

/** struct trace_statistics - parsed statistics of all CPUs */
struct trace_statistics {
	/* names of buffers, each with a NUL; rows before the first are the first buffer's */
	struct buffer headings;
	struct buffer rows; /* of struct statistics_row */
	/* how many headings, also the number of the current one; 0 before the first */
	unsigned int nr_headings;
	size_t current; /* the row that lines belong to, if @has_current */
	bool has_current;
	bool is_full; /* there were more rows or headings than allowed */
};

struct trace_stream;

/** struct trace_range - bytes of the file with a known use */
struct trace_range {
	uint64_t begin;
	uint64_t end;
	struct trace_stream *own; /* the stream that reads them, NULL for none */
	/* of the stream, SIZE_MAX for none: the order of ranges that begin at one offset */
	size_t number;
};

/** struct trace_shared_chunk - the decompressed chunk of the streams whose chunks are large */
struct trace_shared_chunk {
	const struct stream *owner; /* the stream it belongs to, NULL if it is empty */
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

/** struct trace_ids - ids of records with and without a format */
struct trace_ids {
	uint8_t has_format[UINT16_MAX / 8 + 1];	   /* a bit for each id */
	bool is_visited;			   /* formats were read */
	struct trace_id_count list[TRACE_IDS_MAX]; /* the first ids without a format */
	size_t nr_listed;
	uint64_t nr_others; /* records of further ids without one */
};

/** struct trace_comm - a thread's name */
struct trace_comm {
	int tid;
	int tgid;	  /* its process, 0 if unknown */
	struct text name; /* borrowed from trace_comms.text */
};

/** struct trace_comms - names of threads, sorted by tid */
struct trace_comms {
	char *text;
	struct trace_comm *list;
	size_t size;
	/*
	 * of struct trace_comm, sorted by @tid: the last known path of each process's cgroup, and
	 * the first one, if it is another one; empty if the process did not exist
	 */
	struct buffer cgroups;
	struct buffer first_cgroups;
};

/** SUB_BUFFER_SIZE_MIN, SUB_BUFFER_SIZE_MAX - a record, and 128 pages of 64 KiB, the most of
 * kernels */
#define SUB_BUFFER_SIZE_MIN 32
#define SUB_BUFFER_SIZE_MAX (8 << 20)

/**
 * enum trace_states - what the states of sched_switch are
 * @STATES_AS_PRINTED: what its print format says
 * @STATES_NUMBERED: numbers, which the format takes for bits (Linux 4.14)
 * @STATES_SHIFTED: bits, which are one too high (Linux 4.15 to 4.19)
 */
enum trace_states {
	STATES_AS_PRINTED,
	STATES_NUMBERED,
	STATES_SHIFTED,
};

/** struct trace_file - a trace.dat */
struct trace_file {
	char *path;
	struct recording recording;
	struct stream *streams; /* one for each CPU of each buffer, sorted */
	size_t nr_streams;
	/* the first of @nr_damages problems, in @damage_size bytes, and the number of others */
	struct error damage;
	size_t nr_damages;
	size_t damage_size;
	struct input input;
	struct window window; /* for all sections but records */
	struct window packed; /* for compressed chunks */
	struct inflater inflater;
	struct trace_shared_chunk shared_chunk; /* for large decompressed chunks */
	size_t kept_size;	/* memory of streams beyond what each may have anyway */
	uint64_t inflated_size; /* total size of decompressed chunks */
	bool is_swapped;	/* numbers are in the other byte order */
	bool has_sections;	/* version 7 */
	uint8_t long_size;	/* of userspace's longs */
	size_t page_size;	/* of the traced machine; default size of sub-buffers */
	size_t sub_buffer_size; /* as header_page states it, 0 if it does not */
	struct page_layout layout;
	struct trace_section sections[TRACE_SECTION_KINDS];
	struct trace_options options;
	struct trace_statistics statistics;
	struct trace_ids ids;
	struct trace_comms comms;
	enum trace_states states;
	struct thread_set moved;    /* processes that were moved to another cgroup meanwhile */
	struct checksums checksums; /* of a file that ktrack wrote */
	enum checksums_state checksums_state;
	struct buffer ranges;  /* of struct trace_range */
	uint8_t *has_area;     /* a bit for each CPU of the last buffer that has an area */
	size_t nr_empty;       /* streams without records */
	uint64_t claimed_size; /* total size of all areas, which may overlap */
	char **buffers;	       /* names of @nr_buffers buffers */
	size_t nr_buffers;
};

/** trace_file_report - report damage in a file that is read all the same */
void trace_file_report(struct trace_file *file, uint64_t offset, const char *problem);
/** trace_file_cover - mark bytes as used; other bytes but zeros are reported */
void trace_file_cover(struct trace_file *file, uint64_t begin, uint64_t end);
/** trace_file_open_checksums - find them, and verify everything before the records */
void trace_file_open_checksums(struct trace_file *file);
/** trace_file_miss_checksums - after all options were read: report checksums that are missing */
void trace_file_miss_checksums(struct trace_file *file);
/** trace_file_nr_buffers - number of buffers without the sideband buffer, which is the last */
size_t trace_file_nr_buffers(const struct trace_file *file);
/** trace_file_read_layout - read header_page, skip header_event; returns -1 if they are damaged */
int trace_file_read_layout(struct trace_file *file, struct cursor *cursor);
/** trace_file_skip_formats - skip a section of formats: of ftrace's own, or of all events */
void trace_file_skip_formats(struct cursor *cursor, enum trace_section_kind kind);
/** trace_file_read_option - read an option of both versions, ignore others; -1 without memory */
int trace_file_read_option(struct trace_file *file, unsigned int id, struct cursor data);
/** trace_file_complete - set what depends on all options and streams, after they were read */
void trace_file_complete(struct trace_file *file);
/** trace_file_sort_statistics - after all were read; one row of each CPU is left */
void trace_file_sort_statistics(struct trace_file *file);
/** trace_file_add_open - add empty streams for such CPUs without records; -1 with @error */
int trace_file_add_open(struct trace_file *file, struct error *error);

void trace_statistics_release(struct trace_statistics *statistics);

/** trace_file_check_ids - report records whose id has no format */
void trace_file_check_ids(struct trace_file *file);
/** trace_file_read_comms - read the names of threads; returns -1 with @error */
int trace_file_read_comms(struct trace_file *file, struct error *error);
/** comm_compare - the order of struct trace_comm, for qsort(3) and bsearch(3) */
int comm_compare(const void *a, const void *b);
/** trace_file_find_states - find out what states of switches mean; returns -1 with @error */
int trace_file_find_states(struct trace_file *file, struct error *error);
/**
 * trace_file_replace_states - replace the format of switches if its states are not the records'
 * @out: the new format
 *
 * Returns false if memory ran out.
 */
bool trace_file_replace_states(const struct trace_file *file, struct tracepoint *tracepoint,
			       struct buffer *out);

/** trace_file_find_moves - find the processes that were moved, if the cgroup of one depends on it;
 * returns -1 with @error */
int trace_file_find_moves(struct trace_file *file, struct error *error);

/** FILE_KIND_SIZE - bytes that identify any kind */
#define FILE_KIND_SIZE 512

/* Areas of a trace.dat with the records of one CPU, and the streams that read them. */

/** TRACE_EMPTY_MAX - limit of streams without records in the file */
#define TRACE_EMPTY_MAX 16384

/** struct trace_area - an area as the file describes it */
struct trace_area {
	unsigned int buffer; /* index of the buffer */
	unsigned int cpu;
	uint64_t offset;
	uint64_t size;
	size_t sub_buffer_size;
	bool is_compressed;
};

/** struct trace_stream - data of a stream, its struct stream.own */
struct trace_stream {
	struct trace_file *file;
	uint64_t offset; /* of the next bytes in the file */
	uint64_t end;	 /* of the area */
	const char *cut; /* why the area is shorter than the file states, NULL if it is not */
	bool is_over;	 /* the stream has ended */
	size_t sub_buffer_size;
	uint64_t last_offset; /* of the last sub-buffer, or its chunk */
	/* from the guest's clock to the host's, NULL if there is none */
	const struct shift *shift;
	struct window window;	   /* for sub-buffers that are not compressed */
	struct window table;	   /* for their checksums */
	struct trace_chunk *chunk; /* for those that are, NULL otherwise */
};

/** trace_file_add_empty - add a stream of a CPU without records; returns -1 with @error */
int trace_file_add_empty(struct trace_file *file, unsigned int buffer, unsigned int cpu,
			 struct error *error);
/** trace_file_find_stream - a stream among the first @nr_streams, NULL if there is none */
const struct stream *trace_file_find_stream(const struct trace_file *file, size_t nr_streams,
					    unsigned int buffer, unsigned int cpu);
/** trace_file_sort_streams - by buffer, then by CPU */
void trace_file_sort_streams(struct trace_file *file);
/** trace_file_set_windows - share memory among all streams */
void trace_file_set_windows(struct trace_file *file);
/** trace_plain_ops, trace_chunk_ops - sub-buffers as they are, and in compressed chunks */
extern const struct stream_ops trace_plain_ops;
extern const struct stream_ops trace_chunk_ops;

/** trace_chunk_new, trace_chunk_free - data of a stream of compressed chunks; NULL is fine */
struct trace_chunk *trace_chunk_new(void);
void trace_chunk_free(struct trace_stream *own);

/** trace_stream_left - remaining bytes of the area */
uint64_t trace_stream_left(const struct trace_stream *own);

/**
 * trace_stream_verify - compare the checksums of the next @size bytes
 *
 * Returns false if they differ: the damage is reported, and its records are a gap of unknown size.
 */
bool trace_stream_verify(struct stream *stream, size_t size);

#endif
