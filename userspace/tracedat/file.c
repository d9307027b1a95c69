// SPDX-License-Identifier: GPL-2.0-only
/* Opens trace.dat files of both versions, and reports their damage. */
#include "tracedat/file_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracedat/file.h"
#include "tracedat/layout.h"

/* Bytes at each end that identify a file without an id. */
#define IDENTITY_SIZE 65536

int trace_file_refuse(const struct trace_file *file, struct error *error, uint64_t offset,
		      const char *problem)
{
	return error_set(error, "%s: %s; at offset %llu", input_name(file->path), problem,
			 (unsigned long long)offset);
}

void trace_file_report(struct trace_file *file, uint64_t offset, const char *problem)
{
	struct error *damage = &file->damage;

	if (file->nr_damages++ == 0) {
		trace_file_refuse(file, damage, offset, problem);
		file->damage_size = strlen(damage->text);
		return;
	}
	snprintf(damage->text + file->damage_size, sizeof(damage->text) - file->damage_size,
		 " (and %zu more)", file->nr_damages - 1);
}

int trace_file_add_buffer(struct trace_file *file, struct text name, struct error *error)
{
	char **buffers = reallocarray(file->buffers, file->nr_buffers + 1, sizeof(*buffers));

	memset(file->has_area, 0, TRACE_CPUS_MAX / 8);
	if (!buffers)
		return error_set(error, "out of memory");
	file->buffers = buffers;
	buffers[file->nr_buffers] = strndup(name.data, name.size);
	if (!buffers[file->nr_buffers])
		return error_set(error, "out of memory");
	file->nr_buffers++;
	return 0;
}

static uint64_t file_hash_at(struct trace_file *file, uint64_t offset)
{
	size_t size = file->input.size < IDENTITY_SIZE ? file->input.size : IDENTITY_SIZE;
	const unsigned char *bytes = window_read(&file->window, offset, file->input.size, &size);

	return text_hash((struct text){ .data = (const char *)bytes, .size = size });
}

/* A hash of the trace's id, or of both ends of the file. */
static uint64_t file_identity(struct trace_file *file)
{
	struct text id = { .data = (const char *)&file->options.trace_id,
			   .size = sizeof(file->options.trace_id) };
	uint64_t size = file->input.size;

	if (file->options.has_trace_id)
		return text_hash(id);
	return size ^ file_hash_at(file, 0) ^
	       file_hash_at(file, size > IDENTITY_SIZE ? size - IDENTITY_SIZE : 0) << 1;
}

size_t trace_file_nr_buffers(const struct trace_file *file)
{
	size_t size = file->nr_buffers;

	return size > 1 && strcmp(file->buffers[size - 1], TRACE_DAT_SIDEBAND) == 0 ? size - 1
										    : size;
}

void trace_file_close(struct trace_file *file)
{
	if (!file)
		return;
	streams_close(file->streams, file->nr_streams);
	for (size_t i = 0; i < file->nr_buffers; i++)
		free(file->buffers[i]);
	free(file->buffers);
	free(file->comms.list);
	free(file->comms.text);
	trace_options_release(&file->options);
	trace_statistics_release(&file->statistics);
	inflater_release(&file->inflater);
	window_release(&file->window);
	window_release(&file->packed);
	free(file->shared_chunk.bytes);
	buffer_release(&file->ranges);
	free(file->has_area);
	input_close(&file->input);
	free(file->path);
	free(file);
}

void trace_file_finish(struct trace_file *file)
{
	trace_file_check_holes(file);
	trace_file_check_ids(file);
	window_release(&file->window);
}

static struct trace_file *trace_file_new(const char *path)
{
	struct trace_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->input = INPUT_NONE;
	file->window = (struct window){ .input = &file->input, .ahead = WINDOW_SIZE };
	file->packed = (struct window){ .input = &file->input };
	file->path = strdup(path);
	file->has_area = calloc(TRACE_CPUS_MAX / 8, 1);
	if (file->path && file->has_area)
		return file;
	trace_file_close(file);
	return NULL;
}

static int trace_file_read_version(struct trace_file *file, struct cursor *cursor,
				   struct text version, struct error *error)
{
	if (text_equals(version, text_of(TRACE_DAT_VERSION_6)))
		return trace_file_read_v6(file, cursor, error);
	if (text_equals(version, text_of(TRACE_DAT_VERSION_7)))
		return trace_file_read_v7(file, cursor, error);
	return trace_file_refuse(file, error, strlen(TRACE_DAT_MAGIC),
				 "its version of the format is neither 6 nor 7");
}

/* Refuses a file of another kind, and names the kind. */
static int trace_file_refuse_kind(const struct trace_file *file, struct error *error)
{
	unsigned char bytes[FILE_KIND_SIZE];
	size_t size = input_read(&file->input, bytes, sizeof(bytes), 0);

	if (size < sizeof(bytes) && errno != 0)
		return error_set_system(error, errno, "cannot read %s", input_name(file->path));
	return error_set(error, "%s: %s", input_name(file->path), file_kind_describe(bytes, size));
}

static int trace_file_read(struct trace_file *file, struct error *error)
{
	struct cursor cursor = trace_file_cursor(file, 0);
	struct text version;
	bool is_big_endian;

	if (!cursor_expect(&cursor, text_of(TRACE_DAT_MAGIC)))
		return trace_file_refuse_kind(file, error);
	version = cursor_string(&cursor);
	is_big_endian = cursor_u8(&cursor);
	file->is_swapped = is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	file->layout.is_swapped = file->is_swapped;
	cursor.is_swapped = file->is_swapped;
	/* The size of userspace's longs; header_page states that of the kernel's. */
	cursor_u8(&cursor);
	file->page_size = cursor_u32(&cursor);
	if (cursor.is_over)
		return trace_file_refuse(file, error, cursor.offset, "its header is cut short");
	return trace_file_read_version(file, &cursor, version, error);
}

/* A CPU that was added later has no samples. */
static const struct shift *file_find_shift(const struct shifts *shifts, int cpu)
{
	return (size_t)cpu < shifts->nr_cpus ? &shifts->list[cpu] : NULL;
}

static int64_t file_convert_time(const struct stream *stream, int64_t ticks)
{
	const struct trace_stream *own = stream->own;

	if (own->shift)
		ticks = shift_apply(own->shift, ticks);
	return trace_rate_apply(own->file->options.rate, ticks);
}

static void file_set_streams(struct trace_file *file)
{
	for (size_t i = 0; i < file->nr_streams; i++) {
		struct stream *stream = &file->streams[i];
		struct trace_stream *own = stream->own;

		stream->is_sideband = stream->buffer == trace_file_nr_buffers(file);
		stream->layout = file->layout;
		own->shift = file_find_shift(&file->options.shifts, stream->cpu);
		if (own->shift || file->options.rate.multiplier)
			stream->convert = file_convert_time;
	}
}

static int trace_file_begin(struct trace_file *file, struct byte_progress *progress,
			    struct error *error)
{
	if (input_open(&file->input, file->path, progress, error) < 0)
		return -1;
	trace_file_open_checksums(file);
	if (trace_file_read(file, error) < 0)
		return -1;
	trace_file_miss_checksums(file);
	trace_file_sort_statistics(file);
	if (trace_file_check_areas(file, error) < 0 || trace_file_add_open(file, error) < 0 ||
	    trace_file_read_comms(file, error) < 0)
		return -1;
	trace_file_set_windows(file);
	file_set_streams(file);
	trace_file_fill_description(file);
	file->description.id = file_identity(file);
	window_release(&file->window);
	return 0;
}

int trace_file_open(struct trace_file **out, const char *path, struct byte_progress *progress,
		    struct error *error)
{
	struct trace_file *file = trace_file_new(path);

	*out = NULL;
	if (!file)
		return error_set(error, "out of memory");
	if (trace_file_begin(file, progress, error) < 0) {
		trace_file_close(file);
		return -1;
	}
	*out = file;
	return 0;
}

void trace_file_set_progress(struct trace_file *file, struct byte_progress *progress)
{
	file->input.progress = progress;
}

const struct trace_file_description *trace_file_describe(const struct trace_file *file)
{
	return &file->description;
}

struct stream *trace_file_streams(struct trace_file *file, size_t *nr_streams)
{
	*nr_streams = file->nr_streams;
	return file->streams;
}

const char *trace_file_damage(const struct trace_file *file)
{
	return file->nr_damages > 0 ? file->damage.text : NULL;
}
