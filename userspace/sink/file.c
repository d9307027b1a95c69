// SPDX-License-Identifier: GPL-2.0-only
/* Common part of outputs that write one file. */
#include "sink/file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sink/text.h"

void sink_file_flush(struct sink_file *file)
{
	struct buffer *out = &file->out;
	int status = 0;

	if (out->failed || file->has_failed)
		return;
	if (out->size > 0 && file->compressor)
		status = compressor_write(file->compressor, out->data, out->size);
	else if (out->size > 0)
		status = file_write_all(file->fd, out->data, out->size, &file->wait);
	if (status < 0 && errno == ECANCELED)
		error_set(file->error, "cannot write to %s: nobody reads it", file->name);
	else if (status < 0)
		error_set_system(file->error, errno, "cannot write to %s", file->name);
	file->has_failed = status < 0;
	buffer_clear(out);
}

int sink_file_status(struct sink_file *file)
{
	if (likely(!file->has_failed && !file->out.failed))
		return 0;
	if (!file->has_failed)
		error_set(file->error, "out of memory");
	file->has_failed = true;
	return -1;
}

static int file_sink_open(struct sink *sink, const struct recording *recording,
			  unsigned int sink_index, struct error *error)
{
	struct sink_file *file = container_of(sink, struct sink_file, sink);

	file->sink_index = sink_index;
	file->start_ns = recording->start_ns;
	file->counts_ticks = recording->counts_ticks;
	file->error = error;
	if (file->ops->open)
		file->ops->open(file, recording);
	return sink_file_status(file);
}

static void file_track_free(struct sink_file *file, struct sink_track *track)
{
	sink_track_unlink(&file->tracks, track);
	if (file->ops->track_release)
		file->ops->track_release(track);
	free(track);
}

static void file_track_end(struct sink_file *file, const struct timeline_event *event)
{
	void **data = &event->track->sink_data[file->sink_index];
	struct sink_track *track = *data;

	file->ops->event(file, event);
	if (track->row.row)
		rows_track_end(&file->rows, &track->row);
	if (track->single.row)
		rows_track_end(&file->single_rows, &track->single);
	file_track_free(file, track);
	*data = NULL;
}

/*
 * What a CPU lost before its first record may be as old as the clock: viewers would show all that
 * time. A loss without an end is kept until the recording's end is known.
 */
static void file_loss(struct sink_file *file, const struct timeline_event *event)
{
	struct timeline_event shown = *event;

	if (shown.begin_ns < file->start_ns)
		shown.begin_ns = file->start_ns;
	if (shown.loss_end_ns < shown.begin_ns)
		shown.loss_end_ns = shown.begin_ns;
	if (shown.loss_end_ns < INT64_MAX)
		file->ops->event(file, &shown);
	else if (array_reserve(file->losses, file->nr_losses))
		file->losses[file->nr_losses++] = shown;
	else
		file->out.failed = true;
}

static int file_finish(struct sink_file *file, const struct timeline_event *event)
{
	for (size_t i = 0; i < file->nr_losses; i++) {
		struct timeline_event *loss = &file->losses[i];

		loss->loss_end_ns = event->time_ns > loss->begin_ns ? event->time_ns
								    : loss->begin_ns;
		file->ops->event(file, loss);
		sink_file_spill(file);
	}
	file->ops->event(file, event);
	sink_file_flush(file);
	if (sink_file_status(file) < 0 || compressor_end(file->compressor, file->error) < 0)
		return -1;
	if (file->ops->complete)
		file->ops->complete(file);
	return sink_file_status(file);
}

static int file_sink_event(struct sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	struct sink_file *file = container_of(sink, struct sink_file, sink);

	file->error = error;
	if (event->kind == TIMELINE_FINISH)
		return file_finish(file, event);
	if (event->kind == TIMELINE_TRACK_END)
		file_track_end(file, event);
	else if (event->kind == TIMELINE_LOSS)
		file_loss(file, event);
	else
		file->ops->event(file, event);
	sink_file_spill(file);
	return sink_file_status(file);
}

static int file_sink_flush(struct sink *sink, struct error *error)
{
	struct sink_file *file = container_of(sink, struct sink_file, sink);

	file->error = error;
	(file->ops->flush ? file->ops->flush : sink_file_flush)(file);
	return sink_file_status(file) < 0 ? -1 : compressor_flush(file->compressor, error);
}

static void file_sink_free(struct sink *sink)
{
	struct sink_file *file = container_of(sink, struct sink_file, sink);

	while (file->tracks)
		file_track_free(file, file->tracks);
	if (file->ops->release)
		file->ops->release(file);
	rows_release(&file->rows);
	rows_release(&file->single_rows);
	compressor_free(file->compressor);
	file_close(file->fd);
	free(file->losses);
	buffer_release(&file->text);
	buffer_release(&file->out);
	free(file);
}

static const struct sink_ops file_sink = {
	.open = file_sink_open,
	.event = file_sink_event,
	.flush = file_sink_flush,
	.free = file_sink_free,
};

struct sink *sink_file_new(const struct sink_kind *kind, const struct sink_settings *settings,
			   struct error *error)
{
	const struct sink_file_ops *ops = kind->file;
	struct sink_file *file = calloc(1, ops->size);

	if (!file)
		error_set(error, "out of memory");
	if (!file || compressor_new(settings, &file->compressor, error) < 0) {
		file_close(settings->fd);
		free(file);
		return NULL;
	}
	file->sink.ops = &file_sink;
	file->kind = kind;
	file->ops = ops;
	file->name = settings->name;
	file->fd = settings->fd;
	file->wait = settings->wait;
	file->with = settings->with;
	file->report = settings->report;
	file->has_rows = settings->rows == SINK_ROWS_THREAD;
	file->rows.write = ops->row_write;
	file->rows.context = file;
	file->single_rows =
		(struct rows){ .has_one_row = true, .write = ops->single_write, .context = file };
	file->explanations = settings->explanations;
	if (ops->init)
		ops->init(file, settings);
	return &file->sink;
}

void sink_file_report_faults(struct sink_file *file, const struct timeline_event *finish,
			     void (*write)(struct sink_file *file,
					   const struct timeline_event *finish, struct text text))
{
	SCOPED_BUFFER(text);

	if (file->nr_deep > 0) {
		buffer_append_unsigned(&text, file->nr_deep);
		buffer_append_string(&text, file->nr_deep == 1
						    ? " slice or instant below 512 open slices is"
						    : " slices or instants below 512 open slices "
						      "are");
		buffer_append_string(&text, " left out: Perfetto shows no deeper ones");
		report_message(file->report, "%s: %s; --event and --html have all of them",
			       file->name, buffer_string(&text));
		write(file, finish, buffer_text(&text));
	}
	for (size_t i = 0; i < fault_limit(finish->totals); i++) {
		if (fault_set(&text, finish->totals, file->counts_ticks, i))
			write(file, finish, buffer_text(&text));
	}
	file->out.failed |= text.failed;
}

void *sink_file_track_new(struct sink_file *file, struct timeline_track *track, size_t size)
{
	struct sink_track *link = calloc(1, size);

	file->out.failed |= !link;
	if (!link)
		return NULL;
	sink_track_link(&file->tracks, link);
	track->sink_data[file->sink_index] = link;
	return link;
}

bool sink_file_rows_begin(struct sink_file *file, struct sink_track *track,
			  struct timeline_track *shown)
{
	if (file->has_rows && rows_take_track(shown))
		rows_track_begin(&file->rows, &track->row, shown);
	else if (shown->may_cross && file->single_rows.write)
		rows_track_begin(&file->single_rows, &track->single, shown);
	file->out.failed |= file->rows.has_failed || file->single_rows.has_failed;
	return !file->out.failed;
}

bool sink_file_rows_event(struct sink_file *file, struct sink_track *track,
			  const struct timeline_event *event)
{
	if (event->kind == TIMELINE_TRACK_END || (!track->row.row && !track->single.row))
		return false;
	if (!(track->row.row ? rows_event(&file->rows, &track->row, event)
			     : rows_event(&file->single_rows, &track->single, event)))
		file->out.failed = true;
	return true;
}
