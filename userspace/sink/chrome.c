// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as Chrome's JSON trace events, an array: viewers read one that has no end, because
 * the writer was killed. A track is a thread with the track's number. It
 * belongs to the process that it is about, or to a group, which is a process with a number that no
 * process has.
 *
 * Viewers draw a flow from its "s" over each "t" to the next one. Events with the same id, name and
 * category are one flow, and so the category is not the track's. An event belongs to the innermost
 * slice that is open on its thread, and in Perfetto to an instant that precedes it. Ids are open
 * ended: no point is known to be the last one, and so there is no "f".
 *
 * Lanes are threads. Perfetto binds "s" and "t" to threads, takes one flow at a "b" and none at an
 * "e" (json_trace_parser.cc:184-227, 560), and merges tracks by name (track_compressor.cc:217-240);
 * catapult draws no flow there (trace_event_importer.html:1246, 2123, 2154); speedscope drops "b"
 * and "e" (trace-event.ts:278); Firefox Profiler pairs them by name (chrome.ts:1125-1139).
 */
#include <stdlib.h>

#include "sink/args.h"
#include "sink/chrome_process.h"
#include "sink/file.h"
#include "sink/flow.h"
#include "sink/kinds.h"
#include "sink/remark.h"

/* Numbers of CPUs are smaller. */
#define CPUS_MAX 65536

/**
 * struct chrome_sink - one file
 * @has_events: an event was written; the next one starts with a comma
 * @flows: flows that had a point
 */
struct chrome_sink {
	struct sink_file file;
	bool has_events;
	struct flow_set flows;
};

/**
 * struct chrome_track - the constant parts of a track's events
 * @place: its "pid", "tid" and "cat"
 * @thread_size: size of the first two in it
 * @name: of counters: the name in JSON
 */
struct chrome_track {
	struct sink_track link;
	struct buffer place;
	size_t thread_size;
	struct buffer name;
};

static const struct chrome_track *chrome_track_of(const struct chrome_sink *sink,
						  const struct timeline_track *track)
{
	return track->sink_data[sink->file.sink_index];
}

static struct buffer *chrome_event_begin(struct chrome_sink *sink, const char *phase,
					 struct text place, int64_t time_ns)
{
	struct buffer *out = &sink->file.out;

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

static int chrome_event_end(struct chrome_sink *sink, struct error *error)
{
	buffer_append_char(&sink->file.out, '}');
	return sink_file_spill(&sink->file, error);
}

static void chrome_append_member(struct buffer *out, const char *name, struct text text)
{
	bool first = false;

	json_append_member(out, text_of(name), &first);
	json_append_string(out, text);
}

static void chrome_append_args(struct chrome_sink *sink, const char *member,
			       const struct timeline_event *event)
{
	struct buffer *out = &sink->file.out;

	if (!event_has_args(event, sink->file.with))
		return;
	buffer_append_string(out, ",\"");
	buffer_append_string(out, member);
	buffer_append_string(out, "\":");
	event_append_args(out, event, sink->file.with, true);
}

/* The viewer's name for a process or thread. */
static int chrome_write_name(struct chrome_sink *sink, const char *what, struct text place,
			     struct text name, struct error *error)
{
	struct buffer *out = chrome_event_begin(sink, "M", place, sink->file.start_ns);

	chrome_append_member(out, "name", text_of(what));
	buffer_append_string(out, ",\"args\":{\"name\":");
	json_append_string(out, name);
	buffer_append_char(out, '}');
	return chrome_event_end(sink, error);
}

static int chrome_write_order(struct chrome_sink *sink, struct text place, unsigned long number,
			      struct error *error)
{
	struct buffer *out = chrome_event_begin(sink, "M", place, sink->file.start_ns);

	buffer_printf(out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%lu}", number);
	return chrome_event_end(sink, error);
}

static int write_track_names(struct chrome_sink *sink, const struct timeline_track *shown,
			     const struct chrome_track *track, struct error *error)
{
	struct text place = buffer_text(&track->place);

	buffer_clear(&sink->file.text);
	chrome_append_process(&sink->file.text, shown);
	if (chrome_write_name(sink, "process_name", place, buffer_text(&sink->file.text), error) <
	    0)
		return -1;
	buffer_clear(&sink->file.text);
	track_append_label(&sink->file.text, shown);
	if (chrome_write_name(sink, "thread_name", place, buffer_text(&sink->file.text), error) < 0)
		return -1;
	return chrome_write_order(sink, place, shown->number, error);
}

static int chrome_track_begin(struct chrome_sink *sink, const struct timeline_event *event,
			      struct error *error)
{
	const struct timeline_track *shown = event->track;
	struct chrome_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track),
							 error);

	if (!track)
		return -1;
	buffer_printf(&track->place, "\"pid\":%lld,\"tid\":%lu", (long long)chrome_process(shown),
		      shown->number);
	track->thread_size = track->place.size;
	chrome_append_member(&track->place, "cat", text_of(shown->category->text));
	buffer_clear(&sink->file.text);
	track_append_label(&sink->file.text, shown);
	json_append_string(&track->name, buffer_text(&sink->file.text));
	if (track->place.failed || track->name.failed)
		return error_set(error, "out of memory");
	return write_track_names(sink, shown, track, error);
}

static struct buffer *chrome_track_event_begin(struct chrome_sink *sink, const char *phase,
					       const struct timeline_event *event)
{
	const struct chrome_track *track = chrome_track_of(sink, event->track);

	return chrome_event_begin(sink, phase, buffer_text(&track->place), event->time_ns);
}

static int chrome_write_named(struct chrome_sink *sink, const struct timeline_event *event,
			      struct error *error)
{
	static const char *const phases[] = {
		[TIMELINE_SLICE_BEGIN] = "B", [TIMELINE_SLICE_END] = "E", [TIMELINE_INSTANT] = "i"
	};
	struct buffer *out = chrome_track_event_begin(sink, phases[event->kind], event);

	chrome_append_member(out, "name", event->name->text);
	if (event->kind == TIMELINE_INSTANT)
		chrome_append_member(out, "s", text_of("t"));
	chrome_append_args(sink, "args", event);
	return chrome_event_end(sink, error);
}

static int chrome_write_flow(struct chrome_sink *sink, const struct timeline_event *event,
			     const struct field *flow, struct error *error)
{
	const struct chrome_track *track = chrome_track_of(sink, event->track);
	struct text thread = { .data = track->place.data, .size = track->thread_size };
	int is_known = flow_set_add(&sink->flows, flow);
	struct buffer *out;

	if (is_known < 0)
		return error_set(error, "out of memory");
	out = chrome_event_begin(sink, is_known ? "t" : "s", thread, event->time_ns);
	chrome_append_member(out, "cat", text_of("flow"));
	chrome_append_member(out, "name", flow->name);
	buffer_printf(out, ",\"id\":\"0x%llx\"", (unsigned long long)flow->value.unsigned_number);
	if (is_known)
		chrome_append_member(out, "bp", text_of("e"));
	return chrome_event_end(sink, error);
}

static int chrome_write_flows(struct chrome_sink *sink, const struct timeline_event *event,
			      struct error *error)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		if (chrome_write_flow(sink, event, timeline_event_flow(event, i), error) < 0)
			return -1;
	}
	return 0;
}

/*
 * Process, name and id identify a counter. Values have all digits. Viewers draw each of the args as
 * a counter, so extra fields are no args.
 */
static int chrome_write_counter(struct chrome_sink *sink, const struct timeline_event *event,
				struct error *error)
{
	const struct chrome_track *track = chrome_track_of(sink, event->track);
	struct buffer *out = chrome_track_event_begin(sink, "C", event);

	buffer_append_string(out, ",\"name\":");
	buffer_append(out, track->name.data, track->name.size);
	buffer_printf(out, ",\"id\":%lu,\"args\":{\"value\":", event->track->number);
	value_append_text(out, &event->value);
	buffer_append_char(out, '}');
	chrome_append_args(sink, "fields", event);
	return chrome_event_end(sink, error);
}

/* A thread of ktrack's own group. */
static struct text own_place(struct chrome_sink *sink, uint64_t thread)
{
	buffer_clear(&sink->file.text);
	buffer_printf(&sink->file.text, "\"pid\":%d,\"tid\":%llu,\"cat\":\"ktrack\"",
		      CHROME_OWN_PROCESS, (unsigned long long)thread);
	sink->file.out.failed |= sink->file.text.failed;
	return buffer_text(&sink->file.text);
}

/* Losses may overlap: each CPU of each buffer has a thread. Thread 0 has all other events. */
static uint64_t loss_thread(const struct timeline_event *loss)
{
	bool is_named = loss->loss_buffer && loss->loss_buffer[0];
	uint64_t number = is_named ? text_hash(text_of(loss->loss_buffer)) & INT16_MAX : 0;

	number += (uint64_t)(loss->loss_machine ? loss->loss_machine->number : 0) << 16;
	return 1 + (uint64_t)loss->loss_cpu + number * CPUS_MAX;
}

static int chrome_write_loss(struct chrome_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	struct text place = own_place(sink, loss_thread(event));
	struct buffer text = { 0 };
	struct buffer *out;

	loss_append_track(&text, event);
	if (chrome_write_name(sink, "thread_name", place, buffer_text(&text), error) < 0) {
		buffer_release(&text);
		return -1;
	}
	remark_set(&text, event);
	out = chrome_event_begin(sink, "X", place, event->begin_ns);
	buffer_append_string(out, ",\"dur\":");
	buffer_append_decimal(out, event->loss_end_ns - event->begin_ns, 3);
	chrome_append_member(out, "name", buffer_text(&text));
	buffer_release(&text);
	buffer_append_string(out, ",\"cname\":\"terrible\"");
	return chrome_event_end(sink, error);
}

static int chrome_own_write(struct chrome_sink *sink, const char *phase, int64_t time_ns,
			    struct text name, struct error *error)
{
	struct buffer *out = chrome_event_begin(sink, phase, own_place(sink, 0), time_ns);

	chrome_append_member(out, "name", name);
	if (phase[0] == 'i')
		chrome_append_member(out, "s", text_of("g"));
	return chrome_event_end(sink, error);
}

static int remark_write(struct chrome_sink *sink, const char *phase,
			const struct timeline_event *event, struct error *error)
{
	struct buffer text = { 0 };
	int status = chrome_own_write(sink, phase, event->time_ns, remark_set(&text, event), error);

	buffer_release(&text);
	return status;
}

static int chrome_write_problem(struct chrome_sink *sink, const struct timeline_event *event,
				struct error *error)
{
	return remark_write(sink, "i", event, error);
}

static int chrome_write_command_begin(struct chrome_sink *sink, const struct timeline_event *event,
				      struct error *error)
{
	return remark_write(sink, "B", event, error);
}

static int chrome_write_command_end(struct chrome_sink *sink, const struct timeline_event *event,
				    struct error *error)
{
	struct buffer *out = chrome_event_begin(sink, "E", own_place(sink, 0), event->time_ns);

	buffer_printf(out, ",\"args\":{\"pid\":%d,\"status\":%d}", event->pid, event->status);
	return chrome_event_end(sink, error);
}

static int chrome_faults_write(struct chrome_sink *sink, const struct timeline_event *finish,
			       struct error *error)
{
	struct buffer text = { 0 };
	int status = 0;

	for (size_t i = 0; i < fault_limit(finish->totals) && status == 0; i++) {
		if (fault_set(&text, finish->totals, sink->file.counts_ticks, i))
			status = chrome_own_write(sink, "i", finish->time_ns, buffer_text(&text),
						  error);
	}
	if (text.failed)
		status = error_set(error, "out of memory");
	buffer_release(&text);
	return status;
}

/* A metadata event about the recording, of which no viewer's name is used; its args follow. */
static struct buffer *about_begin(struct chrome_sink *sink)
{
	struct buffer *out = chrome_event_begin(sink, "M", own_place(sink, 0), sink->file.start_ns);

	chrome_append_member(out, "name", text_of("ktrack"));
	buffer_append_string(out, ",\"args\":{");
	return out;
}

static int chrome_write_finish(struct chrome_sink *sink, const struct timeline_event *event,
			       struct error *error)
{
	struct buffer *out = &sink->file.out;

	if (chrome_faults_write(sink, event, error) < 0)
		return -1;
	if (event->totals->has_wall_drift) {
		about_begin(sink);
		buffer_printf(out, "\"wall_drift_ns\":\"%lld\"}",
			      (long long)event->totals->wall_drift_ns);
		if (chrome_event_end(sink, error) < 0)
			return -1;
	}
	buffer_append_string(out, "\n]\n");
	return 0;
}

static int (*const writers[TIMELINE_KIND_COUNT])(struct chrome_sink *sink,
						 const struct timeline_event *event,
						 struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = chrome_track_begin,
	[TIMELINE_SLICE_BEGIN] = chrome_write_named,
	[TIMELINE_SLICE_END] = chrome_write_named,
	[TIMELINE_INSTANT] = chrome_write_named,
	[TIMELINE_COUNTER] = chrome_write_counter,
	[TIMELINE_LOSS] = chrome_write_loss,
	[TIMELINE_MALFORMED] = chrome_write_problem,
	[TIMELINE_FOREIGN_END] = chrome_write_problem,
	[TIMELINE_TRACEPOINT] = chrome_write_problem,
	[TIMELINE_COMMAND_BEGIN] = chrome_write_command_begin,
	[TIMELINE_COMMAND_END] = chrome_write_command_end,
	[TIMELINE_FINISH] = chrome_write_finish,
};

/* Flows follow a begin and precede an end, because they belong to the slice that is open. */
static out_of_line int chrome_write_linked(struct chrome_sink *sink,
					   const struct timeline_event *event, struct error *error)
{
	bool is_end = event->kind == TIMELINE_SLICE_END;

	if (is_end && chrome_write_flows(sink, event, error) < 0)
		return -1;
	if (writers[event->kind](sink, event, error) < 0)
		return -1;
	return is_end ? 0 : chrome_write_flows(sink, event, error);
}

static int chrome_event(struct sink_file *file, const struct timeline_event *event,
			struct error *error)
{
	struct chrome_sink *sink = container_of(file, struct chrome_sink, file);

	if (unlikely(event->nr_flows > 0))
		return chrome_write_linked(sink, event, error);
	return writers[event->kind] ? writers[event->kind](sink, event, error) : 0;
}

static void append_about(struct buffer *out, const struct recording *recording)
{
	bool first = true;

	json_append_member(out, text_of("ktrack"), &first);
	json_append_string(out, text_of(KTRACK_VERSION));
	chrome_append_member(out, "source", text_of(recording->source));
	chrome_append_member(out, "recording_id", text_of(recording->id));
	chrome_append_member(out, "clock", text_of(recording->clock));
	chrome_append_member(out, "time_source", text_of(recording->time_source));
	machine_append(out, recording);
	machines_append(out, recording);
	buffer_append_string(out, ",\"start_s\":\"");
	buffer_append_decimal(out, recording->start_ns, 9);
	buffer_append_string(out, "\",\"unix_start_s\":\"");
	buffer_append_decimal(out, recording->start_ns + recording->wall_offset_ns, 9);
	buffer_append_char(out, '"');
}

static int chrome_open(struct sink_file *file, const struct recording *recording,
		       struct error *error)
{
	struct chrome_sink *sink = container_of(file, struct chrome_sink, file);
	struct buffer *out = &sink->file.out;

	buffer_append_char(out, '[');
	append_about(about_begin(sink), recording);
	buffer_append_char(out, '}');
	if (chrome_event_end(sink, error) < 0)
		return -1;
	return chrome_write_name(sink, "process_name", own_place(sink, 0), text_of("ktrack"),
				 error);
}

static void chrome_track_release(struct sink_track *link)
{
	struct chrome_track *track = container_of(link, struct chrome_track, link);

	buffer_release(&track->place);
	buffer_release(&track->name);
}

static void chrome_release(struct sink_file *file)
{
	flow_set_release(&container_of(file, struct chrome_sink, file)->flows);
}

static const struct sink_file_ops chrome_file = {
	.size = sizeof(struct chrome_sink),
	.open = chrome_open,
	.event = chrome_event,
	.track_release = chrome_track_release,
	.release = chrome_release,
};

struct sink *sink_chrome_new(const struct sink_settings *settings, struct error *error)
{
	return sink_file_new(&chrome_file, settings, error);
}
