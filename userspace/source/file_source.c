// SPDX-License-Identifier: GPL-2.0-only
/* A trace.dat, or a text, as a source. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/source_ops.h"
#include "tracedat/tracedat.h"
#include "tracetext/tracetext.h"

static int file_source_read_account(struct source *source, const struct stream *stream,
				    struct account *out, struct error *error)
{
	const struct statistics *statistics = trace_file_statistics(source->own, stream);

	(void)error;
	if (!statistics)
		return 0;
	if (statistics->overwritten <= INT64_MAX && statistics->overwritten > out->marked)
		out->marked = statistics->overwritten;
	if (statistics->dropped <= INT64_MAX)
		out->unmarked = statistics->dropped;
	out->is_open = statistics->is_open;
	out->keeps_last = statistics->keeps_last;
	out->keeps_first = statistics->keeps_first;
	return 0;
}

static void file_source_note_unknown(struct source *source, uint16_t id,
				     const struct record *record)
{
	trace_file_count_unknown(source->own, id, record);
}

static void file_source_finish(struct source *source)
{
	trace_file_finish(source->own);
}

static int file_source_visit(struct source *source, const struct tracepoint_visitor *visitor,
			     struct error *error)
{
	return trace_file_visit(source->own, visitor, error);
}

static void file_source_find_task(struct source *source, int tid, struct thread_identity *out)
{
	trace_file_find_task(source->own, tid, out);
}

static void file_source_find_cgroup(struct source *source, int pid, struct buffer *out)
{
	struct text path = trace_file_find_cgroup(source->own, pid);

	buffer_append(out, path.data, path.size);
}

static int file_source_read_symbols(struct source *source, struct kallsyms **out,
				    struct error *error)
{
	return trace_file_read_symbols(source->own, out, error);
}

static void file_source_set_progress(struct source *source, struct byte_progress *progress)
{
	trace_file_set_progress(source->own, progress);
}

static const char *file_source_damage(const struct source *source)
{
	return trace_file_damage(source->own);
}

static int file_source_part_begin(struct source *source, const char *path,
				  const struct spool_owner *owner, struct part_writer **out,
				  struct error *error)
{
	return part_writer_new(out, source->own, path, owner, error);
}

static void file_source_close(struct source *source)
{
	trace_file_close(source->own);
	free(source);
}

static const struct source_ops file_source_ops = {
	.read_account = file_source_read_account,
	.note_unknown = file_source_note_unknown,
	.finish = file_source_finish,
	.visit = file_source_visit,
	.find_task = file_source_find_task,
	.find_cgroup = file_source_find_cgroup,
	.read_symbols = file_source_read_symbols,
	.set_progress = file_source_set_progress,
	.damage = file_source_damage,
	.part_begin = file_source_part_begin,
	.close = file_source_close,
};

static int file_source_open(struct source **out, int fd, const char *path, struct error *error)
{
	struct source *source = calloc(1, sizeof(*source));
	struct trace_file *file;

	if (!source) {
		close(fd);
		return error_set(error, "out of memory");
	}
	if (trace_file_open_at(&file, fd, path, error) < 0) {
		free(source);
		return -1;
	}
	source->ops = &file_source_ops;
	source->own = file;
	source->streams = trace_file_streams(file, &source->nr_streams);
	if (trace_file_read_constants(file, &source->constants, error) < 0) {
		source_close(source);
		return -1;
	}
	for (size_t i = 0; i < source->nr_streams; i++)
		source->streams[i].next.constants = &source->constants;
	source->recording = *trace_file_describe(file);
	*out = source;
	return 0;
}

static int text_source_visit(struct source *source, const struct tracepoint_visitor *visitor,
			     struct error *error)
{
	return trace_text_visit(source->own, visitor, error);
}

static void text_source_find_task(struct source *source, int tid, struct thread_identity *out)
{
	trace_text_find_task(source->own, tid, out);
}

/* A text has none. */
static void text_source_find_cgroup(struct source *source, int pid, struct buffer *out)
{
	(void)source, (void)pid, (void)out;
}

static int text_source_read_symbols(struct source *source, struct kallsyms **out,
				    struct error *error)
{
	(void)source;
	*out = NULL;
	return error_set(error, "a text has no symbols");
}

static const char *text_source_damage(const struct source *source)
{
	return trace_text_damage(source->own);
}

static const char *text_source_lack(const struct source *source)
{
	return trace_text_lack(source->own);
}

static void text_source_close(struct source *source)
{
	trace_text_close(source->own);
	free(source);
}

static const struct source_ops text_source_ops = {
	.visit = text_source_visit,
	.find_task = text_source_find_task,
	.find_cgroup = text_source_find_cgroup,
	.read_symbols = text_source_read_symbols,
	.damage = text_source_damage,
	.lack = text_source_lack,
	.close = text_source_close,
};

static int text_source_open(struct source **out, int fd, const char *path,
			    struct byte_progress *progress, struct error *error)
{
	struct source *source = calloc(1, sizeof(*source));
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	struct trace_text *text;

	if (!source) {
		close(fd);
		return error_set(error, "out of memory");
	}
	if (trace_text_open(&text, fd, name, progress, error) < 0) {
		free(source);
		return -1;
	}
	source->ops = &text_source_ops;
	source->own = text;
	source->streams = trace_text_streams(text, &source->nr_streams);
	source->recording = *trace_text_describe(text);
	*out = source;
	return 0;
}

/* Whether the file is a text; one that cannot be read is left to the reader of trace.dat. */
static bool file_is_text(int fd)
{
	char *head = malloc(TRACE_TEXT_HEAD);
	ssize_t size = head ? file_read_block(fd, head, TRACE_TEXT_HEAD, 0) : -1;
	bool is_text = size > 0 && trace_text_matches((struct text){ head, size });

	free(head);
	return is_text;
}

int source_file_open(struct source **out, const char *path, const struct input_settings *settings,
		     struct error *error)
{
	int fd = trace_input_open(path, trace_text_matches, settings, error);

	*out = NULL;
	if (fd < 0)
		return -1;
	if (file_is_text(fd))
		return text_source_open(out, fd, path, settings ? settings->progress : NULL, error);
	return file_source_open(out, fd, path, error);
}
