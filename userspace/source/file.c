// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens trace.dat files: the beginning that both versions have, and what is common to all that
 * reads on.
 */
#include "source/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/file_kind.h"
#include "source/trace_dat.h"

/* How much at each end of a file tells it from others, where it has no id. */
#define IDENTITY_SIZE 65536

int trace_file_refuse(const struct trace_file *file, struct error *error, uint64_t offset,
		      const char *what)
{
	return error_set(error, "%s: %s; at offset %llu", input_name(file->path), what,
			 (unsigned long long)offset);
}

void trace_file_damage(struct trace_file *file, uint64_t offset, const char *what)
{
	struct error *damage = &file->source.damage;

	if (file->nr_damages++ == 0) {
		trace_file_refuse(file, damage, offset, what);
		file->damage_size = strlen(damage->text);
		return;
	}
	snprintf(damage->text + file->damage_size, sizeof(damage->text) - file->damage_size,
		 " (and %zu more)", file->nr_damages - 1);
}

int trace_file_add_buffer(struct trace_file *file, struct text name, struct error *error)
{
	char **buffers = reallocarray(file->buffers, file->nr_buffers + 1, sizeof(*buffers));

	memset(file->seen, 0, TRACE_CPUS_MAX / 8);
	if (!buffers)
		return error_set(error, "out of memory");
	file->buffers = buffers;
	buffers[file->nr_buffers] = strndup(name.data, name.size);
	if (!buffers[file->nr_buffers])
		return error_set(error, "out of memory");
	file->nr_buffers++;
	return 0;
}

/* A hash of as much at @offset as is compared. */
static uint64_t part_hash(struct trace_file *file, uint64_t offset)
{
	size_t size = file->input.size < IDENTITY_SIZE ? file->input.size : IDENTITY_SIZE;
	const unsigned char *bytes = window_read(&file->window, offset, file->input.size, &size);

	return text_hash((struct text){ .data = (const char *)bytes, .size = size });
}

/* A hash of the trace's id; if it has none, of what the file begins and ends with. */
static uint64_t trace_file_identity(struct trace_file *file)
{
	struct text id = { .data = (const char *)&file->options.trace_id,
			   .size = sizeof(file->options.trace_id) };
	uint64_t size = file->input.size;

	if (file->options.has_trace_id)
		return text_hash(id);
	return size ^ part_hash(file, 0) ^
	       part_hash(file, size > IDENTITY_SIZE ? size - IDENTITY_SIZE : 0) << 1;
}

size_t trace_file_tracks(const struct trace_file *file)
{
	size_t size = file->nr_buffers;

	return size > 1 && strcmp(file->buffers[size - 1], TRACE_DAT_DURABLE) == 0 ? size - 1
										   : size;
}

static void trace_file_close(struct source *source)
{
	struct trace_file *file = (struct trace_file *)source;

	for (size_t i = 0; i < file->nr_buffers; i++)
		free(file->buffers[i]);
	free(file->buffers);
	free(file->comms);
	free(file->comm_text);
	trace_file_options_release(&file->options);
	trace_file_statistics_release(&file->statistics);
	inflater_release(&file->inflater);
	window_release(&file->window);
	window_release(&file->packed);
	free(file->slot.bytes);
	buffer_release(&file->ranges);
	free(file->seen);
	input_close(&file->input);
	free(file->path);
	free(file);
}

static void trace_file_finish(struct source *source)
{
	struct trace_file *file = (struct trace_file *)source;

	trace_file_check_holes(file);
	trace_file_check_ids(file);
	window_release(&file->window);
}

static const struct source_ops trace_file_ops = {
	.read_account = trace_file_read_account,
	.note_unknown = trace_file_note_unknown,
	.finish = trace_file_finish,
	.visit = trace_file_visit,
	.find_task = trace_file_find_task,
	.close = trace_file_close,
};

static struct trace_file *trace_file_new(const char *path)
{
	struct trace_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->source.ops = &trace_file_ops;
	file->input = INPUT_NONE;
	file->window = (struct window){ .input = &file->input, .ahead = WINDOW_SIZE };
	file->packed = (struct window){ .input = &file->input };
	file->path = strdup(path);
	file->seen = calloc(TRACE_CPUS_MAX / 8, 1);
	if (file->path && file->seen)
		return file;
	trace_file_close(&file->source);
	return NULL;
}

static int trace_file_read_version(struct trace_file *file, struct cursor *cursor,
				   struct text version, struct error *error)
{
	if (text_equals(version, text_of("6")))
		return trace_file_read_v6(file, cursor, error);
	if (text_equals(version, text_of("7")))
		return trace_file_read_v7(file, cursor, error);
	return trace_file_refuse(file, error, strlen(TRACE_DAT_MAGIC),
				 "its version of the format is neither 6 nor 7");
}

/* Of another file what it is, instead of what it lacks. */
static int trace_file_refuse_kind(const struct trace_file *file, struct error *error)
{
	unsigned char bytes[FILE_KIND_SIZE];
	size_t size = input_read(&file->input, bytes, sizeof(bytes), 0);

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
	/* The size of userspace's longs: that of the kernel's stands in header_page. */
	cursor_u8(&cursor);
	file->page_size = cursor_u32(&cursor);
	if (cursor.is_over)
		return trace_file_refuse(file, error, cursor.offset, "its header is cut short");
	return trace_file_read_version(file, &cursor, version, error);
}

/* Nothing is known of a CPU that came later. */
static const struct shift *shifts_of(const struct shifts *shifts, int cpu)
{
	return (size_t)cpu < shifts->nr_cpus ? &shifts->list[cpu] : NULL;
}

static void streams_set(struct trace_file *file)
{
	struct source *source = &file->source;

	for (size_t i = 0; i < source->nr_streams; i++) {
		struct stream *stream = &source->streams[i];

		stream->is_durable = stream->buffer == trace_file_tracks(file);
		stream->layout = file->layout;
		stream->rate = file->options.rate;
		stream->shift = shifts_of(&file->options.shifts, stream->cpu);
	}
}

static int trace_file_begin(struct trace_file *file, struct error *error)
{
	if (input_open(&file->input, file->path, error) < 0 || trace_file_read(file, error) < 0)
		return -1;
	trace_file_sort_statistics(file);
	if (trace_file_check_areas(file, error) < 0 || trace_file_add_open(file, error) < 0 ||
	    trace_file_read_comms(file, error) < 0)
		return -1;
	trace_file_set_windows(file);
	streams_set(file);
	trace_file_describe(file);
	file->source.description.id = trace_file_identity(file);
	window_release(&file->window);
	return 0;
}

int source_file_open(struct source **out, const char *path, struct error *error)
{
	struct trace_file *file = trace_file_new(path);

	*out = NULL;
	if (!file)
		return error_set(error, "out of memory");
	if (trace_file_begin(file, error) < 0) {
		source_close(&file->source);
		return -1;
	}
	*out = &file->source;
	return 0;
}
