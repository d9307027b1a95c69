// SPDX-License-Identifier: GPL-2.0-only
/* Makes, drives and frees outputs of one file. */
#include "sink/file.h"

#include <stdlib.h>

static int file_open(struct sink *head, const struct recording *recording, unsigned int slot,
		     struct error *error)
{
	struct sink_file *file = (struct sink_file *)head;

	file->slot = slot;
	file->start_ns = recording->start_ns;
	file->counts_ticks = recording->counts_ticks;
	return file->ops->open ? file->ops->open(file, recording, error) : 0;
}

static void track_free(struct sink_file *file, struct note *track)
{
	note_unlink(&file->tracks, track);
	if (file->ops->track_release)
		file->ops->track_release(track);
	free(track);
}

static int track_end(struct sink_file *file, const struct timeline_event *event,
		     struct error *error)
{
	int status = file->ops->event(file, event, error);

	track_free(file, event->track->slots[file->slot]);
	event->track->slots[file->slot] = NULL;
	return status;
}

static int loss(struct sink_file *file, const struct timeline_event *event, struct error *error)
{
	int held = losses_hold(&file->losses, event, error);

	return held ? held - 1 : file->ops->event(file, event, error);
}

static int finish(struct sink_file *file, const struct timeline_event *event, struct error *error)
{
	losses_end(&file->losses, event->time_ns);
	for (size_t i = 0; i < file->losses.size; i++) {
		if (file->ops->event(file, &file->losses.events[i], error) < 0)
			return -1;
	}
	if (file->ops->event(file, event, error) < 0 || writer_flush(&file->writer, error) < 0)
		return -1;
	return file->ops->complete ? file->ops->complete(file, error) : 0;
}

static int file_event(struct sink *head, const struct timeline_event *event, struct error *error)
{
	struct sink_file *file = (struct sink_file *)head;

	switch (event->kind) {
	case TIMELINE_TRACK_END:
		return track_end(file, event, error);
	case TIMELINE_LOSS:
		return loss(file, event, error);
	case TIMELINE_FINISH:
		return finish(file, event, error);
	default:
		return file->ops->event(file, event, error);
	}
}

static int file_flush(struct sink *head, struct error *error)
{
	struct sink_file *file = (struct sink_file *)head;

	return file->ops->flush ? file->ops->flush(file, error)
				: writer_flush(&file->writer, error);
}

static void file_free(struct sink *head)
{
	struct sink_file *file = (struct sink_file *)head;

	while (file->tracks)
		track_free(file, file->tracks);
	if (file->ops->release)
		file->ops->release(file);
	losses_release(&file->losses);
	buffer_release(&file->text);
	writer_release(&file->writer);
	free(file);
}

static const struct sink_ops file_sink = {
	.open = file_open,
	.event = file_event,
	.flush = file_flush,
	.free = file_free,
};

struct sink *sink_file_new(const struct sink_file_ops *ops,
			   const struct sink_file_settings *settings, struct error *error)
{
	struct sink_file *file = calloc(1, ops->size);
	struct writer writer = { .name = settings->name,
				 .fd = settings->fd,
				 .wait = settings->wait };

	if (!file) {
		writer_release(&writer);
		error_set(error, "out of memory");
		return NULL;
	}
	file->sink.ops = &file_sink;
	file->ops = ops;
	file->writer = writer;
	file->with = settings->with;
	return &file->sink;
}

void *sink_file_track_new(struct sink_file *file, struct timeline_track *track, size_t size,
			  struct error *error)
{
	struct note *note = calloc(1, size);

	if (!note) {
		error_set(error, "out of memory");
		return NULL;
	}
	note_link(&file->tracks, note);
	track->slots[file->slot] = note;
	return note;
}
