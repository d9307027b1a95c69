// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens trace.dat files: the beginning that both versions have, and what is common to all that
 * reads on.
 */
#include "source/file.h"

#include <stdlib.h>
#include <string.h>

#include "source/trace_dat.h"

/* How much at each end of a file tells it from others, where it has no id. */
#define IDENTITY_SIZE 65536

static const char *trace_file_name(const struct trace_file *file)
{
	return strcmp(file->path, "-") == 0 ? "standard input" : file->path;
}

int trace_file_refuse(const struct trace_file *file, struct error *error, size_t offset,
		      const char *what)
{
	return error_set(error, "%s: %s; at offset %zu", trace_file_name(file), what, offset);
}

void trace_file_damage(struct trace_file *file, size_t offset, const char *what)
{
	trace_file_refuse(file, &file->source.damage, offset, what);
}

struct cursor trace_file_cursor(const struct trace_file *file, uint64_t offset)
{
	bool is_inside = offset <= file->mapping.size;

	return (struct cursor){
		.data = file->mapping.bytes,
		.size = file->mapping.size,
		.offset = is_inside ? offset : file->mapping.size,
		.is_swapped = file->is_swapped,
		.is_over = !is_inside,
	};
}

size_t trace_file_offset(const struct trace_file *file, const struct cursor *cursor)
{
	return cursor->data + cursor->offset - file->mapping.bytes;
}

/* Inflates a section: two sizes, packed and not, then the packed bytes. */
static const char *content_inflate(struct trace_file *file, size_t limit,
				   struct trace_content *content)
{
	uint32_t packed_size = cursor_u32(&content->cursor);
	uint32_t size = cursor_u32(&content->cursor);
	struct text packed = cursor_text(&content->cursor, packed_size);

	if (content->cursor.is_over)
		return "a compressed section is cut short";
	if (size > limit)
		return "a compressed section claims a size that cannot be";
	content->inflated = malloc(size ? size : 1);
	if (!content->inflated)
		return "there is no memory to inflate a section";
	if (!inflater_run(&file->inflater, packed, content->inflated, size))
		return "a compressed section is damaged";
	content->cursor = (struct cursor){
		.data = content->inflated,
		.size = size,
		.is_swapped = file->is_swapped,
	};
	return NULL;
}

bool trace_content_open(struct trace_file *file, const struct trace_section *section, size_t limit,
			struct trace_content *content)
{
	struct cursor cursor = trace_file_cursor(file, section->offset);
	size_t left = cursor_left(&cursor);
	const char *problem = NULL;

	*content = (struct trace_content){ .offset = section->offset };
	if (section->offset == 0)
		return false;
	content->cursor = cursor_part(&cursor, section->size < left ? section->size : left);
	if (section->is_compressed)
		problem = content_inflate(file, limit, content);
	if (!problem)
		return true;
	trace_file_damage(file, section->offset, problem);
	trace_content_close(content);
	return false;
}

void trace_content_close(struct trace_content *content)
{
	free(content->inflated);
	*content = (struct trace_content){ 0 };
}

void trace_content_damage(struct trace_file *file, const struct trace_content *content,
			  const char *what)
{
	if (content->cursor.is_over)
		trace_file_damage(file,
				  content->inflated ? content->offset
						    : trace_file_offset(file, &content->cursor),
				  what);
}

int trace_file_add_buffer(struct trace_file *file, struct text name, struct error *error)
{
	char **buffers = reallocarray(file->buffers, file->nr_buffers + 1, sizeof(*buffers));

	if (!buffers)
		return error_set(error, "out of memory");
	file->buffers = buffers;
	buffers[file->nr_buffers] = strndup(name.data, name.size);
	if (!buffers[file->nr_buffers])
		return error_set(error, "out of memory");
	file->nr_buffers++;
	return 0;
}

/* A hash of the trace's id; where it has none, of what the file begins and ends with. */
static uint64_t trace_file_identity(const struct trace_file *file)
{
	struct text id = { .data = (const char *)&file->options.trace_id,
			   .size = sizeof(file->options.trace_id) };
	const char *bytes = (const char *)file->mapping.bytes;
	size_t size = file->mapping.size < IDENTITY_SIZE ? file->mapping.size : IDENTITY_SIZE;

	if (file->options.has_trace_id)
		return text_hash(id);
	return file->mapping.size ^ text_hash((struct text){ .data = bytes, .size = size }) ^
	       text_hash((struct text){ .data = bytes + file->mapping.size - size, .size = size })
		       << 1;
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
	trace_content_close(&file->comm_content);
	trace_file_options_release(&file->options);
	inflater_release(&file->inflater);
	mapping_close(&file->mapping);
	free(file->path);
	free(file);
}

static const struct source_ops trace_file_ops = {
	.read_account = trace_file_read_account,
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
	file->path = strdup(path);
	if (file->path)
		return file;
	free(file);
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

/** struct file_kind - a file that is taken for a trace.dat, by its first bytes */
struct file_kind {
	const char *magic;
	const char *what;
};

static const struct file_kind other_kinds[] = {
	{ "\x1f\x8b", "this is packed by gzip; unpack it first" },
	{ "\x28\xb5\x2f\xfd", "this is packed by zstd; unpack it first" },
	{ "\xfd"
	  "7zXZ",
	  "this is packed by xz; unpack it first" },
	{ "PERFILE2", "this is a file of perf, not of trace-cmd" },
};

static const char *kind_tell(const struct trace_file *file)
{
	for (size_t i = 0; i < sizeof(other_kinds) / sizeof(other_kinds[0]); i++) {
		struct cursor cursor = trace_file_cursor(file, 0);

		if (cursor_expect(&cursor, text_of(other_kinds[i].magic)))
			return other_kinds[i].what;
	}
	return "this is no trace.dat file";
}

static int trace_file_read(struct trace_file *file, struct error *error)
{
	struct cursor cursor = trace_file_cursor(file, 0);
	struct text version;
	bool is_big_endian;

	if (!cursor_expect(&cursor, text_of(TRACE_DAT_MAGIC)))
		return trace_file_refuse(file, error, 0, kind_tell(file));
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

static int trace_file_begin(struct trace_file *file, struct error *error)
{
	struct source *source = &file->source;

	if (mapping_open(&file->mapping, file->path, error) < 0 || trace_file_read(file, error) < 0)
		return -1;
	if (trace_file_part_streams(file, error) < 0 || trace_file_read_comms(file, error) < 0)
		return -1;
	for (size_t i = 0; i < source->nr_streams; i++) {
		source->streams[i].is_durable = source->streams[i].buffer ==
						trace_file_tracks(file);
		source->streams[i].layout = file->layout;
		source->streams[i].rate = file->options.rate;
		source->streams[i].shift = shifts_of(&file->options.shifts, source->streams[i].cpu);
	}
	trace_file_describe(file);
	source->description.id = trace_file_identity(file);
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
