// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a part of a trace.dat as a trace.dat of version 6: records that are chosen, in sub-buffers
 * of its own, and formats, symbols and names as they are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/file.h"
#include "tracedat/spool.h"

/* No sub-buffer. */
#define NO_PAGE UINT32_MAX
/* Bytes of a file that are copied at once. */
#define COPY_SIZE 65536

/** struct part_stream - the records of a CPU of a buffer */
struct part_stream {
	struct page_builder page; /* the sub-buffer that is filled */
	/* records were lost before the next one; @gap_count of them, or LOSS_COUNT_UNKNOWN */
	bool has_gap;
	int64_t gap_count;
	/* @first, @last: its sub-buffers in the file of sub-buffers */
	uint32_t first;
	uint32_t last;
	uint32_t nr_pages;
};

/** struct part_writer - a part that is written */
struct part_writer {
	struct trace_file *file;
	struct spool_folder folder;
	int pages_fd;	/* an unnamed file of sub-buffers, in the order in which they were filled */
	uint32_t *next; /* of each sub-buffer, the number of the next one of its stream */
	size_t nr_pages;
	struct part_stream *streams;
	size_t nr_streams; /* as the file has */
	size_t page_size;
	uint64_t nr_records;
};

/* Pages of CPUs without records: as much as 4,096 CPUs have with pages of 64 KiB. */
#define PAGES_SIZE_MAX ((uint64_t)256 << 20)

int part_writer_new(struct part_writer **out, struct trace_file *file, const char *path,
		    const struct spool_owner *owner, struct error *error)
{
	struct part_writer *writer = calloc(1, sizeof(*writer));

	*out = writer;
	if (!writer)
		return error_set(error, "out of memory");
	*writer =
		(struct part_writer){ .file = file, .pages_fd = -1, .page_size = file->page_size };
	if (file->sub_buffer_size > 0)
		writer->page_size = file->sub_buffer_size;
	writer->streams = calloc(file->nr_streams + 1, sizeof(*writer->streams));
	if (spool_folder_init(&writer->folder, path, owner, error) < 0)
		return -1;
	/* Each CPU has a page at least, whatever header_page says about its size. */
	if (writer->page_size < SUB_BUFFER_SIZE_MIN || writer->page_size > SUB_BUFFER_SIZE_MAX ||
	    file->nr_streams * writer->page_size > 4 * file->input.size + PAGES_SIZE_MAX)
		return error_set(
			error,
			"%s: its sub-buffers cannot have the size that header_page states; "
			"export it with --from and --to",
			input_name(file->path));
	if (!writer->streams)
		return error_set(error, "out of memory");
	writer->nr_streams = file->nr_streams;
	for (size_t i = 0; i < file->nr_streams; i++)
		writer->streams[i] = (struct part_stream){
			.page = { .layout = file->layout, .size = writer->page_size },
			.first = NO_PAGE,
			.last = NO_PAGE,
		};
	if (*file->buffers[0] && file->nr_buffers > 1)
		return error_set(error,
				 "%s: its first buffer is that of an instance, which a part cannot "
				 "have; export it with --from and --to",
				 input_name(file->path));
	if (spool_folder_create(&writer->folder, error) < 0)
		return -1;
	writer->pages_fd = file_open_temporary(path);
	return writer->pages_fd < 0 ? error_set_system(error, errno, "cannot create %s", path) : 0;
}

void part_writer_free(struct part_writer *writer)
{
	if (!writer)
		return;
	spool_folder_release(&writer->folder);
	file_close(writer->pages_fd);
	for (size_t i = 0; i < writer->nr_streams && writer->streams; i++)
		free(writer->streams[i].page.bytes);
	free(writer->streams);
	free(writer->next);
	free(writer);
}

static struct part_stream *part_stream_find(struct part_writer *writer, unsigned int buffer,
					    int cpu)
{
	const struct stream *found = trace_file_find_stream(writer->file, writer->nr_streams,
							    buffer, cpu);

	return found ? &writer->streams[found - writer->file->streams] : NULL;
}

/* Moves the sub-buffer of a stream to the file of sub-buffers. */
static int part_page_write(struct part_writer *writer, struct part_stream *stream,
			   struct error *error)
{
	if (writer->nr_pages == NO_PAGE || !array_reserve(writer->next, writer->nr_pages))
		return error_set(error, "out of memory");
	page_builder_end(&stream->page);
	if (file_write_all(writer->pages_fd, (const char *)stream->page.bytes, writer->page_size,
			   NULL) < 0)
		return error_set_system(error, errno, "cannot write %s", writer->folder.target);
	writer->next[writer->nr_pages] = NO_PAGE;
	if (stream->last == NO_PAGE)
		stream->first = writer->nr_pages;
	else
		writer->next[stream->last] = writer->nr_pages;
	stream->last = writer->nr_pages++;
	stream->nr_pages++;
	return 0;
}

/* Begins a sub-buffer; the gap of the stream is before it. */
static int part_page_begin(struct part_stream *stream, int64_t time_ns, struct error *error)
{
	stream->page.has_gap = stream->has_gap;
	stream->page.gap_count = stream->gap_count;
	stream->has_gap = false;
	return page_builder_begin(&stream->page, time_ns) < 0 ? error_set(error, "out of memory")
							      : 0;
}

int part_writer_add(struct part_writer *writer, const struct record *record, struct error *error)
{
	struct part_stream *stream = part_stream_find(writer, record->buffer, record->cpu);

	if (!stream)
		return error_set(error, "%s: a record is of no cpu of the file",
				 input_name(writer->file->path));
	writer->nr_records++;
	if (stream->page.used > 0 && !stream->has_gap && page_builder_add(&stream->page, record))
		return 0;
	if ((stream->page.used > 0 && part_page_write(writer, stream, error) < 0) ||
	    part_page_begin(stream, record->time_ns, error) < 0)
		return -1;
	return page_builder_add(&stream->page, record)
		       ? 0
		       : error_set(error,
				   "%s: a record has %zu bytes, which do not fit into a sub-buffer "
				   "of the part; export it with --from and --to",
				   input_name(writer->file->path), record->size);
}

int part_writer_add_gap(struct part_writer *writer, const struct loss *loss, struct error *error)
{
	struct part_stream *stream = part_stream_find(writer, loss->buffer, loss->cpu);

	(void)error;
	if (stream) {
		stream->has_gap = true;
		stream->gap_count = loss->count;
	}
	return 0;
}

bool part_writer_has_gap(struct part_writer *writer, const struct record *record)
{
	const struct part_stream *stream = part_stream_find(writer, record->buffer, record->cpu);

	return stream && stream->has_gap;
}

/* Writes what is before the records. */

static void part_put(const struct part_writer *writer, struct buffer *out, uint64_t number,
		     size_t size)
{
	trace_dat_put(out, writer->file->is_swapped, number, size);
}

/* A section as the file has it; a size or a number of zero if it has none. */
static void part_put_section(const struct part_writer *writer, struct buffer *out,
			     enum trace_section_kind kind)
{
	struct trace_file *file = writer->file;
	struct trace_content content;
	size_t left;

	if (!trace_content_open(file, &file->sections[kind], TRACE_SECTION_SIZE_MAX * 2,
				&content)) {
		part_put(writer, out, 0, kind == TRACE_COMMS ? sizeof(uint64_t) : sizeof(uint32_t));
		return;
	}
	while ((left = cursor_left(&content.cursor)) > 0 && !content.cursor.is_over) {
		struct text text = cursor_text(&content.cursor,
					       left < COPY_SIZE ? left : COPY_SIZE);

		buffer_append(out, text.data, text.size);
	}
	trace_content_close(&content);
	window_release(&file->window);
}

/* Clears @text. */
static void part_put_option(const struct part_writer *writer, struct buffer *out,
			    enum trace_dat_option id, struct buffer *text)
{
	buffer_append_char(text, '\0');
	part_put(writer, out, id, sizeof(uint16_t));
	part_put(writer, out, text->size, sizeof(uint32_t));
	buffer_append(out, text->data, text->size);
	out->failed |= text->failed;
	buffer_clear(text);
}

static void part_put_writer(const struct part_writer *writer, const struct part_state *state,
			    struct buffer *text)
{
	const struct recording *recording = &writer->file->recording;
	const struct {
		const char *begin;
		const char *lines;
	} lines[] = {
		{ TRACE_DAT_BOOT, recording->boot_id }, { TRACE_DAT_SELECTION, recording->stored },
		{ TRACE_DAT_LABEL, recording->labels }, { TRACE_DAT_TRIGGER, recording->triggers },
		{ TRACE_DAT_COMMAND, recording->process }, { TRACE_DAT_DEVICE, recording->devices },
		{ TRACE_DAT_RECORDING, recording->id }, { TRACE_DAT_PART, state->lines },
	};

	buffer_printf(text,
		      TRACE_DAT_KTRACK KTRACK_VERSION TRACE_DAT_THREAD "%d" TRACE_DAT_CHECKSUMS,
		      recording->writer);
	if (!writer->file->options.is_ktrack)
		buffer_append_string(text, TRACE_DAT_OF_OTHERS);
	if (state->workload)
		buffer_printf(text, TRACE_DAT_WORKLOAD "%s", state->workload);
	if (state->narrow)
		buffer_printf(text, TRACE_DAT_NARROW "%s", state->narrow);
	buffer_append_char(text, '\n');
	if (recording->rules)
		writer_put_lines(text, "", text_of(recording->rules));
	if (recording->wall_error_ns >= 0)
		buffer_printf(text, TRACE_DAT_WALL_ERROR "%lld\n",
			      (long long)recording->wall_error_ns);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (lines[i].lines)
			writer_put_lines(text, lines[i].begin, text_of(lines[i].lines));
	}
}

static void part_put_options(const struct part_writer *writer, const struct part_state *state,
			     struct buffer *out)
{
	const struct trace_options *options = &writer->file->options;
	const struct recording *recording = &writer->file->recording;
	SCOPED_BUFFER(text);

	if (options->has_date) {
		buffer_printf(&text, options->date_us < 0 ? "%lld" : "0x%llx",
			      (long long)options->date_us);
		part_put_option(writer, out, TRACE_DAT_DATE, &text);
	}
	if (options->offset_ns) {
		buffer_printf(&text, "%lld", (long long)options->offset_ns);
		part_put_option(writer, out, TRACE_DAT_OFFSET, &text);
	}
	if (recording->clock) {
		buffer_printf(&text, "[%s]", recording->clock);
		part_put_option(writer, out, TRACE_DAT_CLOCK, &text);
	}
	if (recording->host || recording->kernel || recording->machine) {
		buffer_printf(&text, "Linux %s %s %s", recording->host ? recording->host : "",
			      recording->kernel ? recording->kernel : "",
			      recording->machine ? recording->machine : "");
		part_put_option(writer, out, TRACE_DAT_UNAME, &text);
	}
	if (options->has_trace_id) {
		part_put(writer, out, TRACE_DAT_ID, sizeof(uint16_t));
		part_put(writer, out, sizeof(uint64_t), sizeof(uint32_t));
		part_put(writer, out, options->trace_id, sizeof(uint64_t));
	}
	/* Times of the records are nanoseconds, whatever the clock counts, unless that is unknown.
	 */
	if (options->rate.multiplier > 0) {
		part_put(writer, out, TRACE_DAT_TSC_TO_NS, sizeof(uint16_t));
		part_put(writer, out, 2 * sizeof(uint32_t) + sizeof(uint64_t), sizeof(uint32_t));
		part_put(writer, out, 1, sizeof(uint32_t));
		part_put(writer, out, 0, sizeof(uint32_t));
		part_put(writer, out, 0, sizeof(uint64_t));
	}
	part_put_writer(writer, state, &text);
	part_put_option(writer, out, TRACE_DAT_WRITER, &text);
}

static uint64_t part_stream_size(const void *context, size_t buffer, uint32_t cpu)
{
	const struct part_writer *writer = context;
	const struct stream *found = trace_file_find_stream(writer->file, writer->nr_streams,
							    buffer, cpu);

	return found ? writer->streams[found - writer->file->streams].nr_pages * writer->page_size
		     : 0;
}

static void part_put_head(const struct part_writer *writer, const struct part_state *state,
			  struct buffer *out)
{
	const struct trace_file *file = writer->file;
	bool is_big = file->is_swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	const struct trace_dat_buffers buffers = { .is_swapped = file->is_swapped,
						   .page_size = writer->page_size,
						   .nr_cpus = file->recording.nr_cpus,
						   .names = (const char *const *)file->buffers,
						   .nr_buffers = file->nr_buffers,
						   .size = part_stream_size,
						   .context = writer };

	buffer_append_string(out, TRACE_DAT_MAGIC);
	buffer_append(out, TRACE_DAT_VERSION_6, sizeof(TRACE_DAT_VERSION_6));
	buffer_append_char(out, is_big);
	buffer_append_char(out, file->long_size);
	part_put(writer, out, writer->page_size, sizeof(uint32_t));
	for (int kind = 0; kind < TRACE_SECTION_KINDS; kind++)
		part_put_section(writer, out, kind);
	part_put(writer, out, file->recording.nr_cpus, sizeof(uint32_t));
	buffer_append(out, TRACE_DAT_OPTIONS, TRACE_DAT_MARK_SIZE);
	part_put_options(writer, state, out);
	trace_dat_put_buffers(out, &buffers);
}

/* Copies the sub-buffers, stream by stream; returns -1 with errno. */
static int part_write_pages(const struct part_writer *writer, struct checksums_writer *checksums,
			    uint64_t *end)
{
	unsigned char *page = malloc(writer->page_size);
	int status = page ? 0 : -1;

	for (size_t i = 0; i < writer->nr_streams && status == 0; i++) {
		uint32_t number = writer->streams[i].first;

		for (; number != NO_PAGE && status == 0; number = writer->next[number]) {
			off_t offset = (off_t)number * writer->page_size;

			if (file_read_block(writer->pages_fd, page, writer->page_size, offset) !=
				    (ssize_t)writer->page_size ||
			    file_write_all(checksums->fd, (char *)page, writer->page_size, NULL) <
				    0)
				status = -1;
			*end += writer->page_size;
		}
		if (status == 0)
			status = checksums_add(checksums, *end);
	}
	free(page);
	return status;
}

static int part_write(const struct part_writer *writer, const struct part_state *state, int fd)
{
	struct checksums_writer checksums = { .fd = fd, .page_size = writer->page_size };
	SCOPED_BUFFER(head);
	uint64_t end;
	int status;

	part_put_head(writer, state, &head);
	end = head.size;
	if (head.failed)
		errno = ENOMEM;
	status = head.failed || file_write_all(fd, head.data, head.size, NULL) < 0 ? -1 : 0;
	if (status == 0)
		status = part_write_pages(writer, &checksums, &end);
	if (status == 0)
		status = checksums_finish(&checksums, head.size, end);
	buffer_release(&checksums.table);
	return status;
}

/* Each CPU of the file has a sub-buffer, so that the part has the same CPUs. */
static int part_end_pages(struct part_writer *writer, struct error *error)
{
	for (size_t i = 0; i < writer->nr_streams; i++) {
		struct part_stream *stream = &writer->streams[i];

		if (stream->page.used == 0 && stream->first == NO_PAGE &&
		    part_page_begin(stream, 0, error) < 0)
			return -1;
		if (stream->page.used > 0 && part_page_write(writer, stream, error) < 0)
			return -1;
		free(stream->page.bytes);
		stream->page.bytes = NULL;
	}
	return 0;
}

int part_writer_finish(struct part_writer *writer, const struct part_state *state,
		       uint64_t *nr_records, struct error *error)
{
	struct spool_folder *folder = &writer->folder;
	int status, fd;

	*nr_records = writer->nr_records;
	if (part_end_pages(writer, error) < 0)
		return -1;
	fd = spool_folder_open_joined(folder, error);
	if (fd < 0)
		return -1;
	status = part_write(writer, state, fd);
	if (status == 0)
		status = file_sync(fd);
	if (status < 0)
		error_set_system(error, errno, "cannot write %s", folder->target);
	close(fd);
	return status < 0 ? -1 : spool_folder_publish(folder, error);
}
