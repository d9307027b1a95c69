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

static int null_event(struct sink_file *file, const struct timeline_event *event,
		      struct error *error)
{
	struct null_sink *sink = null_of(file);

	if (event->kind == TIMELINE_TRACK_BEGIN)
		return sink_file_track_new(file, event->track, sizeof(struct sink_track), error)
			       ? 0
			       : -1;
	sink->nr_slices += event->kind == TIMELINE_SLICE_END;
	if (event->kind == TIMELINE_FINISH)
		buffer_printf(&file->out, "%s%u slices\n", sink->prefix, sink->nr_slices);
	return 0;
}

/* A second file of the directory. */
static int null_complete(struct sink_file *file, struct error *error)
{
	int folder_fd = null_of(file)->folder_fd;
	int fd = folder_fd >= 0 ? openat(folder_fd, "done", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)
				: -1;

	if (folder_fd >= 0 && fd < 0)
		return error_set(error, "cannot create done");
	file_close(fd);
	return 0;
}

static void null_release(struct sink_file *file)
{
	file_close(null_of(file)->folder_fd);
}

static const struct sink_file_ops null_file = {
	.size = sizeof(struct null_sink),
	.event = null_event,
	.complete = null_complete,
	.release = null_release,
};

static struct sink *null_new(const struct sink_settings *settings, const char *prefix,
			     int folder_fd, struct error *error)
{
	struct sink *sink = sink_file_new(&null_file, settings, error);

	if (!sink) {
		file_close(folder_fd);
		return NULL;
	}
	container_of(sink, struct null_sink, file.sink)->prefix = prefix;
	container_of(sink, struct null_sink, file.sink)->folder_fd = folder_fd;
	return sink;
}

static struct sink *null_example_new(const struct sink_settings *settings, struct error *error)
{
	const struct null_own *own = settings->own;

	return null_new(settings, own->prefix ? own->prefix : "", -1, error);
}

static struct sink *null_folder_new(const struct sink_settings *settings, struct error *error)
{
	struct sink_settings file = *settings;
	int folder_fd;

	if (mkdir(settings->path, 0700) < 0)
		return error_set(error, "cannot create %s", settings->path), NULL;
	folder_fd = open(settings->path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	file.fd = openat(folder_fd, "count", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	return null_new(&file, "", folder_fd, error);
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
	.sink_new = null_example_new,
};

const struct sink_kind sink_null_folder = {
	.name = "null-folder",
	.help = "write the number of slices to a directory",
	.use = SINK_USE_FOLDER,
	.creates_files = true,
	.sink_new = null_folder_new,
};
