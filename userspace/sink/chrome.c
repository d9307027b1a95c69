// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as Chrome's JSON trace events: a track is a thread, whose number is the track's, of
 * the process that it is about; what is about none is put into groups, as processes of numbers
 * that no process has.
 */
#include <stdlib.h>

#include "sink/args.h"
#include "sink/file.h"
#include "sink/identity.h"
#include "sink/notes.h"

/* The kernel's own bound: process ids lie below it. */
#define PIDS_MAX 4194304

/* What CPUs' numbers lie below. */
#define CPUS_MAX 65536

/** enum chrome_group - the processes that are none, by their distance from PIDS_MAX */
enum chrome_group {
	GROUP_KTRACK,
	GROUP_CPUS,
	GROUP_CUSTOM,
	GROUP_THREADS,
	GROUP_COUNT
};

static const char *const group_names[] = {
	[GROUP_KTRACK] = "ktrack",
	[GROUP_CPUS] = "CPUs",
	[GROUP_CUSTOM] = "custom scopes",
	[GROUP_THREADS] = "threads of unknown processes",
};
_Static_assert(sizeof(group_names) / sizeof(group_names[0]) == GROUP_COUNT, "a name for each");

/**
 * struct chrome_sink - one file
 * @has_events: one was written, so that a comma comes before the next
 */
struct chrome_sink {
	struct sink_file file;
	bool has_events;
};

/**
 * struct chrome_track - what is the same in all events of a track
 * @place: its "pid", "tid" and "cat"
 * @name: of counters: their name in JSON
 */
struct chrome_track {
	struct note note;
	struct buffer place;
	struct buffer name;
};

/* Begins an event: what kind it is of, and where and when it happened. */
static struct buffer *event_begin(struct chrome_sink *sink, const char *phase, struct text place,
				  int64_t time_ns)
{
	struct buffer *out = &sink->file.writer.buffer;

	buffer_append_string(out, sink->has_events ? ",\n" : "\n");
	sink->has_events = true;
	buffer_append_string(out, "{\"ph\":\"");
	buffer_append_string(out, phase);
	buffer_append_string(out, "\",");
	buffer_append(out, place.data, place.size);
	buffer_append_string(out, ",\"ts\":");
	buffer_append_decimal(out, time_ns - sink->file.start_ns, 3);
	return out;
}

static int event_end(struct chrome_sink *sink, struct error *error)
{
	buffer_append_char(&sink->file.writer.buffer, '}');
	return writer_spill(&sink->file.writer, error);
}

static void append_member(struct buffer *out, const char *name, struct text text)
{
	bool first = false;

	json_append_member(out, text_of(name), &first);
	json_append_string(out, text);
}

static void append_args(struct chrome_sink *sink, const char *member,
			const struct timeline_event *event)
{
	struct buffer *out = &sink->file.writer.buffer;

	if (!event_has_args(event, sink->file.with))
		return;
	buffer_append_string(out, ",\"");
	buffer_append_string(out, member);
	buffer_append_string(out, "\":");
	event_append_args(out, event, sink->file.with, true);
}

/* A name that the place gets in the viewer: of a process or a thread. */
static int write_name(struct chrome_sink *sink, const char *what, struct text place,
		      struct text name, struct error *error)
{
	struct buffer *out = event_begin(sink, "M", place, sink->file.start_ns);

	append_member(out, "name", text_of(what));
	buffer_append_string(out, ",\"args\":{\"name\":");
	json_append_string(out, name);
	buffer_append_char(out, '}');
	return event_end(sink, error);
}

static int write_order(struct chrome_sink *sink, struct text place, unsigned long number,
		       struct error *error)
{
	struct buffer *out = event_begin(sink, "M", place, sink->file.start_ns);

	buffer_printf(out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%lu}", number);
	return event_end(sink, error);
}

static enum chrome_group track_group(const struct timeline_track *track)
{
	switch (track->scope) {
	case SCOPE_THREAD:
		return GROUP_THREADS;
	case SCOPE_CPU:
		return GROUP_CPUS;
	default:
		return GROUP_CUSTOM;
	}
}

/* The process that a track is about, or a number that stands for its group. */
static int64_t track_pid(const struct timeline_track *track)
{
	bool is_pid = track->scope == SCOPE_PROCESS && track->id.kind == VALUE_SIGNED &&
		      track->id.signed_number > 0 && track->id.signed_number < PIDS_MAX;

	if (is_pid)
		return track->id.signed_number;
	if (track->scope == SCOPE_THREAD && track->tgid > 0)
		return track->tgid;
	return PIDS_MAX + track_group(track);
}

/* The main thread's name is the process's. */
static void append_process_name(struct buffer *out, const struct timeline_track *track, int64_t pid)
{
	if (pid >= PIDS_MAX)
		buffer_append_string(out, group_names[pid - PIDS_MAX]);
	else if (track->comm[0] && track->id.signed_number == pid)
		buffer_append_string(out, track->comm);
	else
		buffer_printf(out, "process %lld", (long long)pid);
}

static int write_track_names(struct chrome_sink *sink, const struct timeline_track *shown,
			     const struct chrome_track *track, struct error *error)
{
	struct text place = buffer_text(&track->place);

	buffer_clear(&sink->file.text);
	append_process_name(&sink->file.text, shown, track_pid(shown));
	if (write_name(sink, "process_name", place, buffer_text(&sink->file.text), error) < 0)
		return -1;
	buffer_clear(&sink->file.text);
	track_append_label(&sink->file.text, shown);
	if (write_name(sink, "thread_name", place, buffer_text(&sink->file.text), error) < 0)
		return -1;
	return write_order(sink, place, shown->number, error);
}

static int chrome_track_begin(struct chrome_sink *sink, const struct timeline_event *event,
			      struct error *error)
{
	const struct timeline_track *shown = event->track;
	struct chrome_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track),
							 error);

	if (!track)
		return -1;
	buffer_printf(&track->place, "\"pid\":%lld,\"tid\":%lu", (long long)track_pid(shown),
		      shown->number);
	append_member(&track->place, "cat", text_of(shown->category->text));
	buffer_clear(&sink->file.text);
	track_append_label(&sink->file.text, shown);
	json_append_string(&track->name, buffer_text(&sink->file.text));
	if (track->place.failed || track->name.failed)
		return error_set(error, "out of memory");
	return write_track_names(sink, shown, track, error);
}

/* Viewers end tracks by themselves. */
static int write_nothing(struct chrome_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	(void)sink;
	(void)event;
	(void)error;
	return 0;
}

static struct buffer *track_event_begin(struct chrome_sink *sink, const char *phase,
					const struct timeline_event *event)
{
	const struct chrome_track *track = event->track->slots[sink->file.slot];

	return event_begin(sink, phase, buffer_text(&track->place), event->time_ns);
}

static int write_named(struct chrome_sink *sink, const char *phase,
		       const struct timeline_event *event, struct error *error)
{
	struct buffer *out = track_event_begin(sink, phase, event);

	append_member(out, "name", event->name->text);
	if (event->kind == TIMELINE_INSTANT)
		append_member(out, "s", text_of("t"));
	append_args(sink, "args", event);
	return event_end(sink, error);
}

static int write_slice_begin(struct chrome_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	return write_named(sink, "B", event, error);
}

static int write_slice_end(struct chrome_sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	return write_named(sink, "E", event, error);
}

static int write_instant(struct chrome_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	return write_named(sink, "i", event, error);
}

/*
 * Counters are told apart by process, name and id; all digits of the value are written. Viewers
 * draw each of the args as a counter, so extra fields are not among them.
 */
static int write_counter(struct chrome_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	const struct chrome_track *track = event->track->slots[sink->file.slot];
	struct buffer *out = track_event_begin(sink, "C", event);

	buffer_append_string(out, ",\"name\":");
	buffer_append(out, track->name.data, track->name.size);
	buffer_printf(out, ",\"id\":%lu,\"args\":{\"value\":", event->track->number);
	value_append_text(out, &event->value);
	buffer_append_char(out, '}');
	append_args(sink, "fields", event);
	return event_end(sink, error);
}

/* Where our own events go: a thread of our group. */
static struct text own_place(struct chrome_sink *sink, uint64_t thread)
{
	buffer_clear(&sink->file.text);
	buffer_printf(&sink->file.text, "\"pid\":%d,\"tid\":%llu,\"cat\":\"ktrack\"",
		      PIDS_MAX + GROUP_KTRACK, (unsigned long long)thread);
	return buffer_text(&sink->file.text);
}

/* Thread 0 is for all the rest; losses have one for each CPU of each buffer, as they may overlap.
 */
static uint64_t loss_thread(const struct timeline_event *loss)
{
	bool is_named = loss->loss_buffer && loss->loss_buffer[0];
	uint64_t number = is_named ? text_hash(text_of(loss->loss_buffer)) & INT16_MAX : 0;

	return 1 + (uint64_t)loss->loss_cpu + number * CPUS_MAX;
}

static int write_loss(struct chrome_sink *sink, const struct timeline_event *event,
		      struct error *error)
{
	struct text place = own_place(sink, loss_thread(event));
	struct buffer text = { 0 };
	struct buffer *out;

	loss_append_place(&text, event);
	if (write_name(sink, "thread_name", place, buffer_text(&text), error) < 0) {
		buffer_release(&text);
		return -1;
	}
	buffer_clear(&text);
	loss_append_text(&text, event);
	out = event_begin(sink, "X", place, event->begin_ns);
	buffer_append_string(out, ",\"dur\":");
	buffer_append_decimal(out, event->loss_end_ns - event->begin_ns, 3);
	append_member(out, "name", buffer_text(&text));
	buffer_release(&text);
	buffer_append_string(out, ",\"cname\":\"terrible\"");
	return event_end(sink, error);
}

static int own_event_write(struct chrome_sink *sink, const char *phase, int64_t time_ns,
			   struct text name, struct error *error)
{
	struct buffer *out = event_begin(sink, phase, own_place(sink, 0), time_ns);

	append_member(out, "name", name);
	if (phase[0] == 'i')
		append_member(out, "s", text_of("g"));
	return event_end(sink, error);
}

static int write_problem(struct chrome_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	struct buffer text = { 0 };
	int status;

	notes_append_problem(&text, event);
	status = own_event_write(sink, "i", event->time_ns, buffer_text(&text), error);
	buffer_release(&text);
	return status;
}

static int write_tracepoint(struct chrome_sink *sink, const struct timeline_event *event,
			    struct error *error)
{
	struct buffer text = { 0 };
	int status;

	notes_append_tracepoint(&text, event);
	status = own_event_write(sink, "i", event->time_ns, buffer_text(&text), error);
	buffer_release(&text);
	return status;
}

static int write_command_begin(struct chrome_sink *sink, const struct timeline_event *event,
			       struct error *error)
{
	struct buffer text = { 0 };
	int status;

	argv_append_text(&text, event->argv);
	status = own_event_write(sink, "B", event->time_ns, buffer_text(&text), error);
	buffer_release(&text);
	return status;
}

static int write_command_end(struct chrome_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	struct buffer *out = event_begin(sink, "E", own_place(sink, 0), event->time_ns);

	buffer_printf(out, ",\"args\":{\"pid\":%d,\"status\":%d}", event->pid, event->status);
	return event_end(sink, error);
}

/** struct note_place - where what is said of the whole recording is put */
struct note_place {
	struct chrome_sink *sink;
	int64_t time_ns;
};

static int write_note(void *context, struct text note, struct error *error)
{
	const struct note_place *place = context;

	return own_event_write(place->sink, "i", place->time_ns, note, error);
}

static int write_finish(struct chrome_sink *sink, const struct timeline_event *event,
			struct error *error)
{
	struct note_place place = { .sink = sink, .time_ns = event->time_ns };
	struct buffer *out = &sink->file.writer.buffer;

	if (notes_tell(event->totals, sink->file.counts_ticks, write_note, &place, error) < 0)
		return -1;
	buffer_append_string(out, "\n]");
	if (event->totals->has_wall_drift)
		buffer_printf(out, ",\"wall_drift_ns\":\"%lld\"",
			      (long long)event->totals->wall_drift_ns);
	buffer_append_string(out, "}\n");
	return 0;
}

static int (*const writers[])(struct chrome_sink *sink, const struct timeline_event *event,
			      struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = chrome_track_begin,
	[TIMELINE_SLICE_BEGIN] = write_slice_begin,
	[TIMELINE_SLICE_END] = write_slice_end,
	[TIMELINE_INSTANT] = write_instant,
	[TIMELINE_COUNTER] = write_counter,
	[TIMELINE_TRACK_END] = write_nothing,
	[TIMELINE_LOSS] = write_loss,
	[TIMELINE_LOSS_SUM] = write_nothing,
	[TIMELINE_MALFORMED] = write_problem,
	[TIMELINE_FOREIGN_END] = write_problem,
	[TIMELINE_TRACEPOINT] = write_tracepoint,
	[TIMELINE_COMMAND_BEGIN] = write_command_begin,
	[TIMELINE_COMMAND_END] = write_command_end,
	[TIMELINE_FINISH] = write_finish,
};
_Static_assert(sizeof(writers) / sizeof(writers[0]) == TIMELINE_KIND_COUNT, "a writer for each");

static int chrome_event(struct sink_file *file, const struct timeline_event *event,
			struct error *error)
{
	return writers[event->kind]((struct chrome_sink *)file, event, error);
}

static void append_about(struct buffer *out, const struct recording *recording)
{
	bool first = true;

	json_append_member(out, text_of("ktrack"), &first);
	json_append_string(out, text_of(KTRACK_VERSION));
	append_member(out, "source", text_of(recording->source));
	append_member(out, "recording_id", text_of(recording->id));
	append_member(out, "clock", text_of(recording->clock));
	append_member(out, "time_source", text_of(recording->time_source));
	append_member(out, "kernel", text_of(recording->kernel));
	buffer_append_string(out, ",\"start_s\":\"");
	buffer_append_decimal(out, recording->start_ns, 9);
	buffer_append_string(out, "\",\"unix_start_s\":\"");
	buffer_append_decimal(out, recording->start_ns + recording->wall_offset_ns, 9);
	buffer_append_char(out, '"');
}

static int chrome_open(struct sink_file *file, const struct recording *recording,
		       struct error *error)
{
	struct chrome_sink *sink = (struct chrome_sink *)file;
	struct buffer *out = &sink->file.writer.buffer;

	buffer_append_string(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
	append_about(out, recording);
	buffer_append_string(out, "},\"traceEvents\":[");
	return write_name(sink, "process_name", own_place(sink, 0),
			  text_of(group_names[GROUP_KTRACK]), error);
}

static void chrome_track_release(struct note *note)
{
	struct chrome_track *track = (struct chrome_track *)note;

	buffer_release(&track->place);
	buffer_release(&track->name);
}

static const struct sink_file_ops chrome_file = {
	.size = sizeof(struct chrome_sink),
	.open = chrome_open,
	.event = chrome_event,
	.track_release = chrome_track_release,
};

struct sink *sink_chrome_new(const struct sink_file_settings *settings, struct error *error)
{
	return sink_file_new(&chrome_file, settings, error);
}
