// SPDX-License-Identifier: GPL-2.0-only
/* Two outputs that tests/harness/output.t adds to a copy of the tree: a file, and a directory. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/file.h"

/** struct null_own - its own option: what precedes each line */
struct null_own {
	const char *prefix;
};
_Static_assert(sizeof(struct null_own) <= SINK_OWN_SIZE, "it fits");

struct null_sink {
	struct sink_file file;
	const char *prefix;
	int folder_fd;
	unsigned int nr_slices;
};

static struct null_sink *null_of(struct sink_file *file)
{
	return container_of(file, struct null_sink, file);
}

static void null_init(struct sink_file *file, const struct sink_settings *settings)
{
	const struct null_own *own = settings->own;

	null_of(file)->prefix = own->prefix ? own->prefix : "";
	null_of(file)->folder_fd = -1;
}

static void null_event(struct sink_file *file, const struct timeline_event *event)
{
	struct null_sink *sink = null_of(file);

	if (event->kind == TIMELINE_TRACK_BEGIN)
		sink_file_track_new(file, event->track, sizeof(struct sink_track));
	sink->nr_slices += event->kind == TIMELINE_SLICE_END;
	if (event->kind == TIMELINE_FINISH)
		buffer_printf(&file->out, "%s%u slices\n", sink->prefix, sink->nr_slices);
}

/* A second file of the directory. */
static void null_complete(struct sink_file *file)
{
	int folder_fd = null_of(file)->folder_fd;
	int fd = folder_fd >= 0 ? openat(folder_fd, "done", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)
				: -1;

	file->has_failed = folder_fd >= 0 && fd < 0;
	if (file->has_failed)
		error_set(file->error, "cannot create done");
	file_close(fd);
}

static void null_release(struct sink_file *file)
{
	file_close(null_of(file)->folder_fd);
}

static const struct sink_file_ops null_file = {
	.size = sizeof(struct null_sink),
	.init = null_init,
	.event = null_event,
	.complete = null_complete,
	.release = null_release,
};

static struct sink *null_folder_new(const struct sink_kind *kind,
				    const struct sink_settings *settings, struct error *error)
{
	struct sink_settings file = *settings;
	struct sink *sink;
	int folder_fd;

	if (mkdir(settings->path, 0700) < 0)
		return error_set(error, "cannot create %s", settings->path), NULL;
	folder_fd = open(settings->path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	file.fd = openat(folder_fd, "count", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	sink = sink_file_new(kind, &file, error);
	if (sink)
		container_of(sink, struct null_sink, file.sink)->folder_fd = folder_fd;
	else
		file_close(folder_fd);
	return sink;
}

static const struct option_row null_options[] = {
	{ 0, "null-example-prefix", "TEXT", "what precedes each line", option_store_text,
	  offsetof(struct null_own, prefix) },
	{ 0 },
};

const struct sink_kind sink_null_example = {
	.name = "null-example",
	.help = "write the number of slices",
	.use = SINK_USE_FILE,
	.can_compress = true,
	.options = null_options,
	.file = &null_file,
};

const struct sink_kind sink_null_folder = {
	.name = "null-folder",
	.help = "write the number of slices to a directory",
	.use = SINK_USE_FOLDER,
	.creates_files = true,
	.file = &null_file,
	.sink_new = null_folder_new,
};
