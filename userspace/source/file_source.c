// SPDX-License-Identifier: GPL-2.0-only
/* A trace.dat, or a text, as a source. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/source_ops.h"
#include "tracedat/tracedat.h"
#include "tracetext/tracetext.h"

struct file_source {
	struct source source;
	struct trace_file *file;
};

static struct trace_file *file_source_file(const struct source *source)
{
	return container_of(source, const struct file_source, source)->file;
}

static int file_source_read_account(struct source *source, const struct stream *stream,
				    struct account *out, struct error *error)
{
	const struct statistics *statistics = trace_file_statistics(file_source_file(source),
								    stream);

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
	trace_file_count_unknown(file_source_file(source), id, record);
}

static void file_source_finish(struct source *source)
{
	trace_file_finish(file_source_file(source));
}

static int file_source_visit(struct source *source, const struct tracepoint_visitor *visitor,
			     struct error *error)
{
	return trace_file_visit(file_source_file(source), visitor, error);
}

static void file_source_find_task(struct source *source, int tid, struct thread_identity *out)
{
	trace_file_find_task(file_source_file(source), tid, out);
}

static void file_source_find_cgroup(struct source *source, int pid, struct buffer *out)
{
	struct text path = trace_file_find_cgroup(file_source_file(source), pid);

	buffer_append(out, path.data, path.size);
}

static int file_source_read_symbols(struct source *source, struct kallsyms **out,
				    struct error *error)
{
	return trace_file_read_symbols(file_source_file(source), out, error);
}

static void file_source_set_progress(struct source *source, struct byte_progress *progress)
{
	trace_file_set_progress(file_source_file(source), progress);
}

static const char *file_source_damage(const struct source *source)
{
	return trace_file_damage(file_source_file(source));
}

static int file_source_part_begin(struct source *source, const char *path,
				  const struct spool_owner *owner, struct part_writer **out,
				  struct error *error)
{
	return part_writer_new(out, file_source_file(source), path, owner, error);
}

static void file_source_close(struct source *source)
{
	trace_file_close(file_source_file(source));
	free(container_of(source, struct file_source, source));
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
	struct file_source *own = calloc(1, sizeof(*own));
	struct source *source;

	if (!own) {
		close(fd);
		return error_set(error, "out of memory");
	}
	if (trace_file_open_at(&own->file, fd, path, error) < 0) {
		free(own);
		return -1;
	}
	source = &own->source;
	source->ops = &file_source_ops;
	source->streams = trace_file_streams(own->file, &source->nr_streams);
	if (trace_file_read_constants(own->file, &source->constants, error) < 0) {
		source_close(source);
		return -1;
	}
	for (size_t i = 0; i < source->nr_streams; i++)
		source->streams[i].next.constants = &source->constants;
	source->recording = *trace_file_describe(own->file);
	*out = source;
	return 0;
}

struct text_source {
	struct source source;
	struct trace_text *text;
};

static struct trace_text *text_source_text(const struct source *source)
{
	return container_of(source, const struct text_source, source)->text;
}

static int text_source_visit(struct source *source, const struct tracepoint_visitor *visitor,
			     struct error *error)
{
	return trace_text_visit(text_source_text(source), visitor, error);
}

static void text_source_find_task(struct source *source, int tid, struct thread_identity *out)
{
	trace_text_find_task(text_source_text(source), tid, out);
}

/* A text has none. */
static void text_source_find_cgroup(struct source *source, int pid, struct buffer *out)
{
	(void)source;
	(void)pid;
	(void)out;
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
	return trace_text_damage(text_source_text(source));
}

static const char *text_source_lack(const struct source *source)
{
	return trace_text_lack(text_source_text(source));
}

static void text_source_close(struct source *source)
{
	trace_text_close(text_source_text(source));
	free(container_of(source, struct text_source, source));
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
	struct text_source *own = calloc(1, sizeof(*own));
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;

	if (!own) {
		close(fd);
		return error_set(error, "out of memory");
	}
	if (trace_text_open(&own->text, fd, name, progress, error) < 0) {
		free(own);
		return -1;
	}
	own->source.ops = &text_source_ops;
	own->source.streams = trace_text_streams(own->text, &own->source.nr_streams);
	own->source.recording = *trace_text_describe(own->text);
	*out = &own->source;
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
		return text_source_open(out, fd, path, settings ? settings->progress : NULL,
					error);
	return file_source_open(out, fd, path, error);
}
