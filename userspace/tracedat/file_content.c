// SPDX-License-Identifier: GPL-2.0-only
/* Reads what the sections of a file contain: options, statistics, event formats. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "tracedat/file.h"
#include "userring/userring.h"

/*
 * Reads the kernel's statistics: a line "CPU: N" above those of a CPU, and a line "Buffer: NAME"
 * above those of another buffer than the first.
 */

/** struct statistics_row - of one CPU */
struct statistics_row {
	unsigned int
		buffer; /* number of the heading while rows are read, index of the buffer then */
	unsigned int cpu;
	size_t number; /* order in the file */
	struct statistics statistics;
};

/* Limit of rows in a file. */
#define ROWS_MAX 65536

static bool line_parse_cpu(struct text line, unsigned int *out)
{
	unsigned int cpu = 0;

	for (size_t i = 0; i < line.size; i++) {
		if (line.data[i] < '0' || line.data[i] > '9' || cpu >= TRACE_CPUS_MAX)
			return false;
		cpu = cpu * 10 + (line.data[i] - '0');
	}
	*out = cpu;
	return line.size > 0 && cpu < TRACE_CPUS_MAX;
}

static struct statistics_row *statistics_rows(const struct trace_statistics *own, size_t *nr_rows)
{
	*nr_rows = own->rows.size / sizeof(struct statistics_row);
	return (struct statistics_row *)own->rows.data;
}

/* A heading that repeats the last one is ignored with its lines. */
static void row_add(struct trace_statistics *own, unsigned int cpu)
{
	struct statistics_row row = { .buffer = own->nr_headings, .cpu = cpu };
	struct statistics_row *rows = statistics_rows(own, &row.number);
	const struct statistics_row *last = row.number > 0 ? &rows[row.number - 1] : NULL;

	own->is_full |= row.number == ROWS_MAX;
	own->has_current = row.number < ROWS_MAX &&
			   !(last && last->buffer == row.buffer && last->cpu == cpu);
	if (!own->has_current)
		return;
	own->current = row.number;
	buffer_append(&own->rows, &row, sizeof(row));
}

/* Parses one option; returns -1 if memory runs out. */
static int trace_file_read_statistics(struct trace_file *file, struct text text)
{
	struct trace_statistics *own = &file->statistics;
	unsigned int cpu;
	size_t nr_rows;

	while (text.size > 0) {
		struct text line = text_take_line(&text);

		if (text_take_begin(&line, TRACE_DAT_BUFFER_HEADING)) {
			own->has_current = false;
			own->is_full |= own->nr_headings == TRACE_BUFFERS_MAX;
			if (own->nr_headings == TRACE_BUFFERS_MAX)
				continue;
			buffer_append(&own->headings, line.data, line.size);
			buffer_append_char(&own->headings, '\0');
			own->nr_headings++;
		} else if (text_take_begin(&line, TRACE_DAT_CPU_HEADING) &&
			   line_parse_cpu(line, &cpu)) {
			row_add(own, cpu);
		} else if (own->has_current && !own->rows.failed) {
			statistics_read_line(
				&statistics_rows(own, &nr_rows)[own->current].statistics, line);
		}
	}
	return own->rows.failed || own->headings.failed ? -1 : 0;
}

static int row_find_compare(const void *a, const void *b)
{
	const struct statistics_row *left = a, *right = b;

	if (left->buffer != right->buffer)
		return left->buffer < right->buffer ? -1 : 1;
	return (left->cpu > right->cpu) - (left->cpu < right->cpu);
}

static int row_sort_compare(const void *a, const void *b)
{
	const struct statistics_row *left = a, *right = b;
	int order = row_find_compare(a, b);

	return order ? order : (left->number > right->number) - (left->number < right->number);
}

/* Replaces numbers of headings by the buffers of these names. */
static void headings_resolve(struct trace_file *file)
{
	struct trace_statistics *own = &file->statistics;
	const char *name = own->headings.data;
	size_t nr_rows;
	struct statistics_row *row = statistics_rows(own, &nr_rows), *end = row + nr_rows;

	for (unsigned int heading = 1; heading <= own->nr_headings; heading++) {
		unsigned int buffer = 0;

		while (buffer < file->nr_buffers && strcmp(file->buffers[buffer], name) != 0)
			buffer++;
		while (row < end && row->buffer < heading)
			row++;
		for (; row < end && row->buffer == heading; row++)
			row->buffer = buffer;
		if (buffer == file->nr_buffers)
			trace_file_report(file, 0,
					  "its statistics are of a buffer it does not have");
		name += strlen(name) + 1;
	}
}

void trace_file_sort_statistics(struct trace_file *file)
{
	size_t nr_rows, nr_kept = 0;
	struct statistics_row *rows = statistics_rows(&file->statistics, &nr_rows);

	if (file->statistics.is_full)
		trace_file_report(file, 0, "it has statistics of more cpus than there can be");
	headings_resolve(file);
	if (nr_rows > 0)
		qsort(rows, nr_rows, sizeof(*rows), row_sort_compare);
	for (size_t i = 0; i < nr_rows; i++) {
		if (i == 0 || row_find_compare(&rows[i], &rows[nr_kept - 1]) != 0)
			rows[nr_kept++] = rows[i];
	}
	file->statistics.rows.size = nr_kept * sizeof(*rows);
}

static const struct statistics *statistics_find(const struct trace_file *file, unsigned int buffer,
						unsigned int cpu)
{
	const struct statistics_row key = { .buffer = buffer, .cpu = cpu }, *row;
	size_t nr_rows;
	const struct statistics_row *rows = statistics_rows(&file->statistics, &nr_rows);

	if (nr_rows == 0)
		return NULL;
	row = bsearch(&key, rows, nr_rows, sizeof(key), row_find_compare);
	return row ? &row->statistics : NULL;
}

int trace_file_add_open(struct trace_file *file, struct error *error)
{
	size_t nr_rows, nr_streams = file->nr_streams;
	const struct statistics_row *rows = statistics_rows(&file->statistics, &nr_rows);

	for (size_t i = 0; i < nr_rows; i++) {
		const struct statistics_row *row = &rows[i];

		if (!row->statistics.is_open || row->buffer >= file->nr_buffers ||
		    trace_file_find_stream(file, nr_streams, row->buffer, row->cpu))
			continue;
		if (trace_file_add_empty(file, row->buffer, row->cpu, error) < 0)
			return -1;
	}
	trace_file_sort_streams(file);
	return 0;
}

const struct statistics *trace_file_statistics(struct trace_file *file, const struct stream *stream)
{
	const struct statistics *found = statistics_find(file, stream->buffer, stream->cpu);
	const struct trace_stream *own = stream->own;
	uint64_t missing;
	char problem[128];

	/* Statistics of other programs' files count records that were read before, too. */
	if (!found || !file->options.is_ktrack || found->is_open || own->cut ||
	    stream->has_uncounted || found->read < found->in_flight ||
	    found->read - found->in_flight <= stream->nr_records)
		return found;
	missing = found->read - found->in_flight - stream->nr_records;
	snprintf(problem, sizeof(problem),
		 "%llu record%s of cpu %d %s missing that its statistics count",
		 (unsigned long long)missing, missing == 1 ? "" : "s", stream->cpu,
		 missing == 1 ? "is" : "are");
	trace_file_report(file, own->end, problem);
	return found;
}

void trace_statistics_release(struct trace_statistics *statistics)
{
	buffer_release(&statistics->headings);
	buffer_release(&statistics->rows);
}

/* Parses options, and sets the properties of the recording by them. */

/* The kernel's limit is 2^22. */
#define THREAD_MAX (1 << 24)
/* The kernel's limit is 16 s. */
#define WALL_ERROR_MAX_NS (60 * NS_PER_S)

/* The option as text, up to a NUL. */
static struct text option_text(struct cursor data)
{
	struct text text = cursor_text(&data, cursor_left(&data));

	text.size = strnlen(text.data, text.size);
	return text;
}

/* A decimal or hexadecimal number, 0 if it is none. */
static int64_t option_number(struct cursor data)
{
	char digits[32];
	struct text text = option_text(data);

	if (text.size >= sizeof(digits))
		return 0;
	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	return strtoll(digits, NULL, 0);
}

/* Removes the first word of @rest and returns it. */
static struct text uname_word_take(struct text *rest)
{
	const char *space = memchr(rest->data, ' ', rest->size);
	size_t size = space ? (size_t)(space - rest->data) : rest->size;
	struct text word = { .data = rest->data, .size = size };

	size += space != NULL;
	*rest = (struct text){ .data = rest->data + size, .size = rest->size - size };
	return word;
}

/* "SYSTEM NODE RELEASE MACHINE"; the version may be before the machine. */
static int option_read_uname(struct trace_file *file, struct cursor data)
{
	struct text text = option_text(data), host, release, machine = { 0 };
	struct recording *recording = &file->recording;

	uname_word_take(&text);
	host = uname_word_take(&text);
	release = uname_word_take(&text);
	while (text.size > 0)
		machine = uname_word_take(&text);
	if ((host.size > 0 && recording_keep(recording, &recording->host, host) < 0) ||
	    (release.size > 0 && recording_keep(recording, &recording->kernel, release) < 0))
		return -1;
	return machine.size > 0 ? recording_keep(recording, &recording->machine, machine) : 0;
}

/* The digits and commas behind @word in the writer's first line; its data are NULL without it. */
static struct text writer_numbers(struct text text, const char *word)
{
	const char *found = memmem(text.data, text.size, word, strlen(word));
	const char *end = text.data + text.size, *begin;

	if (!found)
		return (struct text){ 0 };
	begin = found + strlen(word);
	for (found = begin; found < end && (isdigit((unsigned char)*found) || *found == ',');)
		found++;
	return (struct text){ .data = begin, .size = found - begin };
}

/**
 * struct writer_line - a kind of lines behind the writer's first one; @is_one: a single line
 *
 * The last kind has no begin: it takes all other lines.
 */
struct writer_line {
	const char *begin;
	struct buffer lines;
	const char **member;
	bool is_one;
};

/* A line of a file, which may be anything. */
static int64_t wall_error_ns(const char *line)
{
	char *end;
	long long error_ns;

	errno = 0;
	error_ns = strtoll(line, &end, 10);
	return errno || end == line || *end != '\n' || error_ns < 0 || error_ns > WALL_ERROR_MAX_NS
		       ? -1
		       : error_ns;
}

static int writer_lines(struct trace_file *file, struct text rest)
{
	struct recording *recording = &file->recording;
	const char *wall_error = NULL;
	struct writer_line kinds[] = {
		{ .begin = TRACE_DAT_TRIGGER, .member = &recording->triggers },
		{ .begin = TRACE_DAT_LABEL, .member = &recording->labels },
		{ .begin = TRACE_DAT_LIMIT, .member = &recording->limits },
		{ .begin = TRACE_DAT_COMMAND, .member = &recording->process, .is_one = true },
		{ .begin = TRACE_DAT_DEVICE, .member = &recording->devices },
		{ .begin = TRACE_DAT_SELECTION, .member = &recording->stored },
		{ .begin = TRACE_DAT_BOOT, .member = &recording->boot_id, .is_one = true },
		{ .begin = TRACE_DAT_PART, .member = &recording->part },
		{ .begin = TRACE_DAT_RECORDING, .member = &recording->id, .is_one = true },
		{ .begin = TRACE_DAT_WALL_ERROR, .member = &wall_error },
		{ .begin = "", .member = &recording->rules },
	};
	int status = 0;

	while (rest.size > 0) {
		struct text line = text_take_line(&rest);
		struct writer_line *kind = kinds;

		while (!text_take_begin(&line, kind->begin))
			kind++;
		if (kind->is_one)
			buffer_clear(&kind->lines);
		buffer_append(&kind->lines, line.data, line.size);
		if (!kind->is_one)
			buffer_append_char(&kind->lines, '\n');
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct buffer *lines = &kinds[i].lines;

		if (lines->failed || (lines->size > 0 && recording_keep(recording, kinds[i].member,
									buffer_text(lines)) < 0))
			status = -1;
		buffer_release(lines);
	}
	if (wall_error)
		recording->wall_error_ns = wall_error_ns(wall_error);
	return status;
}

static int option_read_writer(struct trace_file *file, struct cursor data)
{
	struct text rest = option_text(data), text = text_take_line(&rest);
	struct trace_options *options = &file->options;
	struct recording *recording = &file->recording;
	const struct {
		const char *word, **member;
	} lists[] = {
		{ TRACE_DAT_WORKLOAD, &recording->workload },
		{ TRACE_DAT_NARROW, &recording->narrow },
	};
	struct text digits;
	int number = 0;

	options->is_ktrack = text.size > strlen(TRACE_DAT_KTRACK) &&
			     text_begins(text, text_of(TRACE_DAT_KTRACK));
	if (!options->is_ktrack)
		return 0;
	options->has_checksums = memmem(text.data, text.size, TRACE_DAT_CHECKSUMS,
					strlen(TRACE_DAT_CHECKSUMS));
	if (memmem(text.data, text.size, TRACE_DAT_OF_OTHERS, strlen(TRACE_DAT_OF_OTHERS)))
		options->is_ktrack = false;
	digits = writer_numbers(text, TRACE_DAT_THREAD);
	for (size_t i = 0; i < digits.size && digits.data[i] != ','; i++) {
		if (number > THREAD_MAX / 10) {
			number = 0;
			break;
		}
		number = 10 * number + digits.data[i] - '0';
	}
	recording->writer = number;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct text numbers = writer_numbers(text, lists[i].word);

		if (numbers.data && recording_keep(recording, lists[i].member, numbers) < 0)
			return -1;
	}
	return writer_lines(file, rest);
}

int trace_file_read_option(struct trace_file *file, unsigned int id, struct cursor data)
{
	struct trace_options *options = &file->options;
	struct recording *recording = &file->recording;
	size_t offset = data.offset;
	const char *begin, *end;
	struct trace_rate rate;
	struct text text;

	switch (id) {
	case TRACE_DAT_DATE:
		options->has_date = true;
		options->date_us = option_number(data);
		return 0;
	case TRACE_DAT_OFFSET:
		options->offset_ns = option_number(data);
		return 0;
	case TRACE_DAT_CLOCK:
		options->has_clock = true;
		/* The current clock is in brackets: "local global [boot]". */
		text = option_text(data);
		begin = memchr(text.data, '[', text.size);
		end = begin ? memchr(begin, ']', text.data + text.size - begin) : NULL;
		return end ? recording_keep(recording, &recording->clock,
					    (struct text){ begin + 1, end - begin - 1 })
			   : 0;
	case TRACE_DAT_UNAME:
		return option_read_uname(file, data);
	case TRACE_DAT_CPU_COUNT:
		options->nr_cpus = cursor_u32(&data);
		if (options->nr_cpus == 0 || options->nr_cpus > TRACE_CPUS_MAX)
			trace_file_report(file, offset,
					  "it states a number of cpus that cannot be");
		return 0;
	case TRACE_DAT_WRITER:
		return option_read_writer(file, data);
	case TRACE_DAT_ID:
		options->trace_id = cursor_u64(&data);
		options->has_trace_id = !data.is_over;
		return 0;
	case TRACE_DAT_TSC_TO_NS:
		rate = (struct trace_rate){ .multiplier = cursor_u32(&data) };
		rate.shift = cursor_u32(&data);
		if (!data.is_over && rate.shift < 64)
			options->rate = rate;
		return 0;
	case TRACE_DAT_TIME_SHIFT:
		/* Behind the id of the host's trace. */
		cursor_u64(&data);
		return shifts_read(&options->shifts, data);
	case TRACE_DAT_CPU_STATISTICS:
		return trace_file_read_statistics(file, option_text(data));
	default:
		return 0;
	}
}

void trace_file_complete(struct trace_file *file)
{
	const struct trace_options *options = &file->options;
	struct recording *recording = &file->recording;
	int64_t date_ns, offset_ns;
	bool is_time;

	if (options->nr_cpus <= TRACE_CPUS_MAX)
		recording->nr_cpus = options->nr_cpus;
	for (size_t i = 0; i < file->nr_streams; i++) {
		unsigned int cpu = file->streams[i].cpu;

		if (cpu >= recording->nr_cpus)
			recording->nr_cpus = cpu + 1;
	}
	recording->is_swapped = file->is_swapped;
	recording->nr_buffers = trace_file_nr_buffers(file);
	if (recording->nr_buffers > 1)
		recording->buffers = (const char *const *)file->buffers;
	for (size_t i = 1; i < recording->nr_buffers && options->is_ktrack; i++) {
		if (strcmp(file->buffers[i], CONVENTION_BUFFER) == 0)
			recording->convention_buffer = i;
	}
	is_time = !__builtin_mul_overflow(options->date_us, NS_PER_US, &date_ns) &&
		  !__builtin_add_overflow(date_ns, options->offset_ns, &offset_ns) &&
		  offset_ns > -RECORD_TIME_LIMIT && offset_ns < RECORD_TIME_LIMIT;
	recording->wall_offset_ns = is_time ? offset_ns : 0;
	/* A date, or the clock "tai", relates trace time to the wall clock; an offset does not. */
	if (is_time && options->has_date)
		recording->time_source = "date";
	else if (recording->clock && strcmp(recording->clock, "tai") == 0)
		recording->time_source = "tai";
	else
		recording->time_source = "none";
	recording->counts_ticks = trace_clock_counts_ticks(recording->clock) &&
				  options->rate.multiplier == 0;
}

/* Reads event formats, and the layout of sub-buffers before them. */

#define TIMESTAMP_SIZE 8

/* Parses the number behind @key in the line of @field. */
static uint64_t layout_number(struct text text, const char *field, const char *key)
{
	const char *end = text.data + text.size;
	const char *line = memmem(text.data, text.size, field, strlen(field));
	const char *at = line ? memmem(line, end - line, key, strlen(key)) : NULL;
	uint64_t number = 0;

	if (!at)
		return 0;
	for (at += strlen(key); at < end && *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (*at - '0');
	return number;
}

/* Supports one header: a timestamp, the committed size, the data. */
int trace_file_read_layout(struct trace_file *file, struct cursor *cursor)
{
	uint64_t long_size, data_offset, data_size;
	bool is_known;
	struct text text;

	if (!cursor_expect(cursor,
			   (struct text){ TRACE_DAT_HEADER_PAGE, sizeof(TRACE_DAT_HEADER_PAGE) }))
		return -1;
	text = cursor_text(cursor, cursor_u64(cursor));
	long_size = layout_number(text, " commit;", "size:");
	data_offset = layout_number(text, " data;", "offset:");
	data_size = layout_number(text, " data;", "size:");
	is_known = (long_size == 4 || long_size == 8) &&
		   layout_number(text, " commit;", "offset:") == TIMESTAMP_SIZE &&
		   data_offset == TIMESTAMP_SIZE + long_size;
	file->layout.has_short_longs = long_size == 4;
	/* With the header; 0 if it is not stated. */
	file->sub_buffer_size = data_offset < INT32_MAX && data_size < INT32_MAX
					? data_offset + data_size
					: 0;
	if (!cursor_expect(cursor,
			   (struct text){ TRACE_DAT_HEADER_EVENT, sizeof(TRACE_DAT_HEADER_EVENT) }))
		return -1;
	text = cursor_text(cursor, cursor_u64(cursor));
	return is_known && text.size > 0 && !cursor->is_over ? 0 : -1;
}

/** struct format_visit - one visit of all formats */
struct format_visit {
	struct trace_file *file;
	const struct tracepoint_visitor *visitor;
	struct error *error;
	bool has_programs;    /* the file has events of programs, which have ids of their own */
	struct buffer system; /* of the current formats, behind PROGRAM_PREFIX */
	struct buffer name;   /* of the current format */
	struct buffer states; /* a format that replaces one that is wrong */
	int status;	      /* last result of the visitor */
};

/* Skips a format without a name. */
static void visit_format(struct format_visit *visit, struct text format, uint64_t offset)
{
	static const char key[] = "name: ";
	const char *begin = memmem(format.data, format.size, key, strlen(key)), *end = NULL;
	struct tracepoint tracepoint = { .format = format };
	struct trace_ids *ids = &visit->file->ids;
	int64_t id = format_read_id(format);
	char problem[160];

	buffer_clear(&visit->name);
	if (begin) {
		begin += strlen(key);
		end = memchr(begin, '\n', format.data + format.size - begin);
	}
	if (end)
		buffer_append(&visit->name, begin, end - begin);
	if (visit->name.failed || visit->system.failed) {
		visit->status = error_set(visit->error, "out of memory");
		return;
	}
	tracepoint.name = buffer_string(&visit->name);
	tracepoint.system = buffer_string(&visit->system) + strlen(PROGRAM_PREFIX);
	if (id < 0 || !*tracepoint.name || memchr(format.data, '\0', format.size)) {
		snprintf(problem, sizeof(problem), "the format of %.50s:%.50s is damaged",
			 tracepoint.system, *tracepoint.name ? tracepoint.name : "(no name)");
		trace_file_report(visit->file, offset, problem);
	}
	if (id >= 0) {
		ids->has_format[id / 8] |= 1 << id % 8;
		ids->is_visited = true;
	}
	if (visit->name.size == 0)
		return;
	if (visit->has_programs && id >= PROGRAM_EVENT_ID)
		tracepoint.system = buffer_string(&visit->system);
	if (!trace_file_replace_states(visit->file, &tracepoint, &visit->states))
		visit->status = error_set(visit->error, "out of memory");
	else if (visit->visitor->visit)
		visit->status = visit->visitor->visit(visit->visitor->context, &tracepoint,
						      visit->error);
	else
		visit->visitor->wants(visit->visitor->context, tracepoint.system, tracepoint.name);
}

/* Visits the formats of one system; skips them if @visit is NULL. */
static void system_walk(struct cursor *cursor, struct format_visit *visit)
{
	uint32_t nr_formats = cursor_u32(cursor);

	for (uint32_t i = 0; i < nr_formats && !cursor->is_over; i++) {
		uint64_t size = cursor_u64(cursor);
		uint64_t offset = cursor->offset;
		struct text format;

		if (!visit || visit->status != 0) {
			cursor_skip(cursor, size);
			continue;
		}
		format = cursor_text(cursor, size);
		if (!cursor->is_over)
			visit_format(visit, format, offset);
	}
}

/* Visits the formats of a section likewise; those of ftrace's own are not below a system. */
static void formats_walk(struct cursor *cursor, enum trace_section_kind kind,
			 struct format_visit *visit)
{
	bool is_ftrace = kind == TRACE_FTRACE_FORMATS;
	uint32_t nr_systems = is_ftrace ? 1 : cursor_u32(cursor);

	for (uint32_t i = 0; i < nr_systems && !cursor->is_over; i++) {
		struct text system = is_ftrace ? text_of("ftrace") : cursor_string(cursor);

		if (visit) {
			buffer_clear(&visit->system);
			buffer_append_string(&visit->system, PROGRAM_PREFIX);
			buffer_append(&visit->system, system.data, system.size);
		}
		system_walk(cursor, visit);
	}
}

void trace_file_skip_formats(struct cursor *cursor, enum trace_section_kind kind)
{
	formats_walk(cursor, kind, NULL);
}

static void section_visit(struct trace_file *file, enum trace_section_kind kind,
			  struct format_visit *visit)
{
	struct trace_content content;

	if (visit->status != 0 ||
	    !trace_content_open(file, &file->sections[kind], TRACE_SECTION_SIZE_MAX, &content))
		return;
	formats_walk(&content.cursor, kind, visit);
	trace_content_check(file, &content, "it is cut short: event formats are missing");
	/* Version 6 does not state the size. */
	if (file->has_sections && !content.cursor.is_over && cursor_left(&content.cursor) > 0)
		trace_file_report(file, content.offset,
				  "the size of its event formats contradicts their number");
	trace_content_close(&content);
	window_release(&file->window);
}

int trace_file_visit(struct trace_file *file, const struct tracepoint_visitor *visitor,
		     struct error *error)
{
	struct format_visit visit = { .file = file, .visitor = visitor, .error = error };
	const size_t nr_damages = file->nr_damages, damage_size = file->damage_size;
	const struct error damage = file->damage;

	/* In a file of others, a buffer of this name is one of the kernel's. */
	for (size_t i = 0; i < file->nr_buffers && file->options.is_ktrack; i++)
		visit.has_programs |= strcmp(file->buffers[i], PROGRAMS_BUFFER) == 0;
	section_visit(file, TRACE_EVENT_FORMATS, &visit);
	section_visit(file, TRACE_FTRACE_FORMATS, &visit);
	/* Who asks for names only visits the formats, too: damage is reported once. */
	if (!visitor->visit) {
		file->nr_damages = nr_damages;
		file->damage_size = damage_size;
		file->damage = damage;
	}
	buffer_release(&visit.system);
	buffer_release(&visit.name);
	buffer_release(&visit.states);
	return visit.status;
}

/* Counts records whose id has no format, which cannot be decoded. */

/* Smaller ids are ftrace's own, and need not have a format. */
#define EVENT_ID_MIN 20

void trace_file_count_unknown(struct trace_file *file, uint16_t id, const struct record *record)
{
	struct trace_ids *ids = &file->ids;
	const struct statistics *statistics;
	size_t i = 0;

	if (!ids->is_visited || id < EVENT_ID_MIN || ids->has_format[id / 8] & 1 << id % 8)
		return;
	/* Formats of an unloaded module: ktrack reports these records as lost. */
	statistics = file->options.is_ktrack ? statistics_find(file, record->buffer, record->cpu)
					     : NULL;
	if (statistics && statistics->is_open)
		return;
	while (i < ids->nr_listed && ids->list[i].id != id)
		i++;
	if (i == TRACE_IDS_MAX) {
		ids->nr_others++;
		return;
	}
	if (i == ids->nr_listed)
		ids->list[ids->nr_listed++] = (struct trace_id_count){ .id = id };
	ids->list[i].nr_records++;
}

void trace_file_check_ids(struct trace_file *file)
{
	const struct trace_ids *ids = &file->ids;
	SCOPED_BUFFER(text);

	if (ids->nr_listed == 0)
		return;
	buffer_append_string(&text, "records have no format:");
	for (size_t i = 0; i < ids->nr_listed; i++)
		buffer_printf(&text, "%s %llu of id %u", i ? "," : "",
			      (unsigned long long)ids->list[i].nr_records, ids->list[i].id);
	if (ids->nr_others > 0)
		buffer_printf(&text, ", %llu of other ids", (unsigned long long)ids->nr_others);
	trace_file_report(file, file->sections[TRACE_EVENT_FORMATS].offset, buffer_string(&text));
}

/* Reads the kernel's symbols and constant strings: a text behind its size. */

/* Limit of a compressed section's text; kernels with all modules have half of that. */
#define SYMBOLS_SIZE_MAX (24 << 20)
/* Kernels have a hundredth of that. */
#define CONSTANTS_SIZE_MAX (1 << 20)
/* Size of the parts that are read. */
#define SYMBOLS_PART_SIZE 65536

int trace_file_read_symbols(struct trace_file *file, struct kallsyms **out, struct error *error)
{
	struct trace_content content;
	struct kallsyms *table;
	size_t size, part;

	*out = NULL;
	table = kallsyms_begin();
	if (!table)
		return error_set(error, "out of memory");
	if (trace_content_open(file, &file->sections[TRACE_SYMBOLS], SYMBOLS_SIZE_MAX, &content)) {
		struct cursor *cursor = &content.cursor;

		size = cursor_u32(cursor);
		cursor->is_over |= size > cursor_left(cursor);
		trace_content_check(file, &content, "it is cut short: kernel symbols are missing");
		for (; size > 0 && !cursor->is_over; size -= part) {
			part = size < SYMBOLS_PART_SIZE ? size : SYMBOLS_PART_SIZE;
			kallsyms_add(table, cursor_text(cursor, part));
		}
		trace_content_close(&content);
		window_release(&file->window);
	}
	if (kallsyms_finish(table, error) < 0) {
		kallsyms_free(table);
		return -1;
	}
	/* See kept_symbols_trim(). */
	if (file->recording.writer > 0)
		kallsyms_set_partial(table);
	*out = table;
	return 0;
}

int trace_file_read_constants(struct trace_file *file, struct constants *out, struct error *error)
{
	const struct trace_section *section = &file->sections[TRACE_CONSTANTS];
	struct trace_content content;
	int status = 0;
	size_t size;

	if (section->offset == 0 ||
	    !trace_content_open(file, section, CONSTANTS_SIZE_MAX, &content))
		return 0;
	size = cursor_u32(&content.cursor);
	content.cursor.is_over |= size > cursor_left(&content.cursor);
	trace_content_check(file, &content, "it is cut short: constant strings are missing");
	if (!content.cursor.is_over && size <= CONSTANTS_SIZE_MAX)
		status = constants_add(out, cursor_text(&content.cursor, size));
	trace_content_close(&content);
	window_release(&file->window);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

/*
 * Reads names of threads: lines "TID NAME"; ktrack adds a NUL and lines "TID TGID", which other
 * readers ignore, and behind these a line "=PATH" for each cgroup, with lines "=PID" of its
 * processes: at the end of the recording, or before they ended. A line "=<PID" says which one the
 * process had at the begin, if it is another one, "=>PID" that the process was created later.
 */

/* The kernel saves at most 32,768 names; ktrack adds those of living threads. */
#define COMMS_SIZE_MAX (4 << 20)
#define COMMS_MAX 131072

/* Removes a number from the begin of a line; returns 0 if there is none. */
static int comm_take_number(struct text *line)
{
	const char *end = line->data + line->size;
	const char *at = line->data;
	int number = 0;

	while (at < end && *at == ' ')
		at++;
	for (; at < end && *at >= '0' && *at <= '9' && number < INT32_MAX / 10; at++)
		number = number * 10 + (*at - '0');
	*line = (struct text){ .data = at, .size = end - at };
	return number;
}

int comm_compare(const void *a, const void *b)
{
	const struct trace_comm *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

/*
 * A name with a newline can look like the line of another thread. If a thread has two names, either
 * may be forged: both are dropped.
 */
static void comms_drop_doubtful(struct trace_comms *comms)
{
	const struct trace_comm *list = comms->list;
	size_t nr_kept = 0, next;

	for (size_t i = 0; i < comms->size; i = next) {
		bool is_sure = true;

		for (next = i + 1; next < comms->size && list[next].tid == list[i].tid; next++)
			is_sure &= text_equals(list[next].name, list[i].name);
		if (is_sure)
			comms->list[nr_kept++] = list[i];
	}
	comms->size = nr_kept;
}

static struct trace_comm *comm_find(const struct trace_comms *comms, int tid)
{
	const struct trace_comm key = { .tid = tid };

	if (comms->size == 0)
		return NULL;
	return bsearch(&key, comms->list, comms->size, sizeof(key), comm_compare);
}

/* Takes a line "=PATH", whose path is kept in @path for the lines behind it, or of a process. */
static void cgroup_take(struct trace_comms *comms, struct text line, struct text *path)
{
	struct trace_comm process = { .name = *path };
	struct buffer *list = &comms->cgroups;

	line = (struct text){ line.data + 1, line.size - 1 };
	if (line.size > 0 && *line.data == '/') {
		*path = (struct text){ line.data, strnlen(line.data, line.size) };
		path->size = path->size < CGROUP_PATH_MAX ? path->size : CGROUP_PATH_MAX;
		return;
	}
	if (line.size > 0 && (*line.data == '<' || *line.data == '>')) {
		list = &comms->first_cgroups;
		if (*line.data == '>')
			process.name = text_of("");
		line = text_from(line, 1);
	}
	process.tid = comm_take_number(&line);
	if (process.tid > 0 && path->size > 0 && list->size < COMMS_MAX * sizeof(process))
		buffer_append(list, &process, sizeof(process));
}

static int comms_read(struct trace_comms *comms, struct text text)
{
	struct text names, processes = { 0 }, cgroup = { 0 };
	size_t nr_lines = 1;

	comms->text = malloc(text.size + 1);
	if (!comms->text)
		return -1;
	memcpy(comms->text, text.data, text.size);
	names = (struct text){ .data = comms->text, .size = strnlen(text.data, text.size) };
	if (names.size < text.size)
		processes = text_from((struct text){ comms->text, text.size }, names.size + 1);
	for (size_t i = 0; i < names.size && nr_lines < COMMS_MAX; i++)
		nr_lines += names.data[i] == '\n';
	comms->list = calloc(nr_lines, sizeof(*comms->list));
	if (!comms->list)
		return -1;
	while (names.size > 0 && comms->size < nr_lines) {
		struct text line = text_take_line(&names);
		struct trace_comm comm = { .tid = comm_take_number(&line) };

		if (comm.tid == 0 || line.size == 0 || *line.data != ' ')
			continue;
		comm.name = text_from(line, 1);
		if (comm.name.size > 0 && !text_equals(comm.name, text_of("<...>")))
			comms->list[comms->size++] = comm;
	}
	qsort(comms->list, comms->size, sizeof(*comms->list), comm_compare);
	comms_drop_doubtful(comms);
	while (processes.size > 0) {
		struct text line = text_take_line(&processes);
		struct trace_comm *comm;

		if (line.size > 0 && *line.data == '=') {
			cgroup_take(comms, line, &cgroup);
			continue;
		}
		comm = comm_find(comms, comm_take_number(&line));
		if (comm)
			comm->tgid = comm_take_number(&line);
	}
	if (comms->cgroups.size > 0)
		qsort(comms->cgroups.data, comms->cgroups.size / sizeof(*comms->list),
		      sizeof(*comms->list), comm_compare);
	if (comms->first_cgroups.size > 0)
		qsort(comms->first_cgroups.data, comms->first_cgroups.size / sizeof(*comms->list),
		      sizeof(*comms->list), comm_compare);
	return comms->cgroups.failed || comms->first_cgroups.failed ? -1 : 0;
}

int trace_file_read_comms(struct trace_file *file, struct error *error)
{
	struct trace_content content;
	uint64_t size;
	struct text text;
	int status = 0;

	if (!trace_content_open(file, &file->sections[TRACE_COMMS], COMMS_SIZE_MAX, &content))
		return 0;
	size = cursor_u64(&content.cursor);
	content.cursor.is_over |= size > cursor_left(&content.cursor);
	trace_content_check(file, &content, "it is cut short: names of threads are missing");
	if (!content.cursor.is_over) {
		text = cursor_text(&content.cursor, size < COMMS_SIZE_MAX ? size : COMMS_SIZE_MAX);
		status = comms_read(&file->comms, text);
	}
	trace_content_close(&content);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

void trace_file_find_task(const struct trace_file *file, int tid, struct thread_identity *out)
{
	const struct trace_comm *comm = comm_find(&file->comms, tid);
	size_t size;

	if (!comm)
		return;
	out->tgid = comm->tgid;
	size = comm->name.size < sizeof(out->comm) ? comm->name.size : sizeof(out->comm) - 1;
	memcpy(out->comm, comm->name.data, size);
	out->comm[size] = '\0';
}
