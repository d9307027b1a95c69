// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as Chrome's JSON trace events, an array: viewers read one that has no end, because
 * the writer was killed. A row of a traced thread is a thread; any other track is a thread with the
 * track's number, or that of the track that it continues. It belongs to the process that it is
 * about, or to a group, which is a process with a number that no process has.
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

#include "sink/file.h"
#include "sink/flow.h"
#include "sink/rows.h"
#include "sink/text.h"

/** CHROME_OWN_PROCESS - process of ktrack's own events: the kernel's limit; process ids are smaller
 */
#define CHROME_OWN_PROCESS 4194304

/** struct chrome_row - a thread, and the hash of what its tracks share; 0 for none */
struct chrome_row {
	uint64_t hash;
	unsigned long thread;
};

/** struct chrome_track - the constant parts of a track's events */
struct chrome_track {
	struct sink_track link;
	unsigned long thread;	     /* its number */
	const struct row *place_row; /* for which @place was made */
	struct buffer place;	     /* its "pid", "tid" and "cat" */
	size_t thread_size;	     /* size of the first two in it */
	struct buffer name;	     /* of counters, in JSON */
};

struct chrome_sink {
	struct sink_file file;
	bool has_events;	   /* an event was written; the next one starts with a comma */
	struct flow_set flows;	   /* that had a point */
	struct json_sets fields;   /* of all tracepoints */
	uint8_t *named;		   /* a bit for each process that was named after its main thread */
	struct chrome_row *recent; /* the threads of tracks that were begun, see chrome_thread() */
	unsigned int depth;	   /* of the event that is written, on its row */
	struct chrome_track held;  /* of an end whose track has ended */
	/* Of the last event, if it is the begin of a slice without flows, else NULL. */
	const struct timeline_track *begin_track;
	size_t phase_at; /* where the phase of the last event is in the output */
};

/* Each machine has a range of numbers. */
#define MACHINE_PIDS INT64_C(8388608)
#define ROWS_RECENT 65536

/** enum chrome_group - processes that are groups, with numbers behind CHROME_OWN_PROCESS */
enum chrome_group {
	GROUP_CPUS,
	GROUP_CUSTOM,
	GROUP_THREADS,
	GROUP_COUNT
};

static const char *const group_names[] = {
	[GROUP_CPUS] = "CPUs",
	[GROUP_CUSTOM] = "custom scopes",
	[GROUP_THREADS] = "threads of unknown processes",
};
_Static_assert(sizeof(group_names) / sizeof(group_names[0]) == GROUP_COUNT, "a name for each");

/* The process that a track is about, or the number of its group. */
static int64_t track_pid(const struct timeline_track *track)
{
	bool is_pid = track->scope == SCOPE_PROCESS && track->id.kind == VALUE_SIGNED &&
		      track->id.signed_number > 0 && track->id.signed_number < CHROME_OWN_PROCESS;

	if (is_pid)
		return track->id.signed_number;
	if (track->scope == SCOPE_THREAD && track->tgid > 0 && track->tgid < CHROME_OWN_PROCESS)
		return track->tgid;
	return CHROME_OWN_PROCESS + 1 +
	       (track->scope == SCOPE_THREAD ? GROUP_THREADS
		: track->scope == SCOPE_CPU  ? GROUP_CPUS
					     : GROUP_CUSTOM);
}

static int64_t chrome_process(const struct timeline_track *track)
{
	return (track->machine ? track->machine->number * MACHINE_PIDS : 0) + track_pid(track);
}

/*
 * Appends the name of a track's process: its main thread's, which need not have a track. Appends
 * nothing if it is no better than the one that the process has.
 */
static void chrome_append_process(struct chrome_sink *sink, struct buffer *out,
				  const struct timeline_track *track)
{
	int64_t process = chrome_process(track), pid = track_pid(track);
	uint8_t bit = 1u << process % 8;
	bool is_main = pid < CHROME_OWN_PROCESS && track->comm[0] && track->id.signed_number == pid;
	const char *comm = is_main ? track->comm : track->process_comm;

	if (pid > CHROME_OWN_PROCESS)
		comm = "";
	if (comm[0] && (is_main || !(sink->named[process / 8] & bit)))
		sink->named[process / 8] |= bit;
	else if (sink->named[process / 8] & bit)
		return;
	if (track->machine)
		buffer_printf(out, "%s: ", track->machine->name);
	if (pid > CHROME_OWN_PROCESS)
		buffer_append_string(out, group_names[pid - CHROME_OWN_PROCESS - 1]);
	else if (comm[0])
		buffer_append_string(out, comm);
	else
		buffer_printf(out, "process %lld", (long long)pid);
}

/*
 * The number of the thread that shows a track, or, with @is_row, the rows of a traced thread, of
 * which the first one has the number. It is the track's number, or that of the track that it
 * continues: tracks of a thread before and after it is renamed differ in its name only. A limited
 * number of tracks is kept; what continues others is a new thread.
 */
static unsigned long chrome_thread(struct chrome_sink *sink, const struct timeline_track *track,
				   bool is_row)
{
	struct buffer *text = &sink->file.text;
	struct chrome_row *row;
	uint64_t hash;

	buffer_clear(text);
	rows_append_key(text, track, is_row);
	hash = text_hash(buffer_text(text)) | 1;
	row = &sink->recent[hash / 2 % ROWS_RECENT];
	if (row->hash != hash)
		*row = (struct chrome_row){ .hash = hash, .thread = track->number };
	return row->thread;
}

/* Numbers of CPUs are smaller. */
#define CPUS_MAX 65536

static struct text own_place(struct chrome_sink *sink, uint64_t thread)
{
	buffer_clear(&sink->file.text);
	buffer_printf(&sink->file.text, "\"pid\":%d,\"tid\":%llu,\"cat\":\"ktrack\"",
		      CHROME_OWN_PROCESS, (unsigned long long)thread);
	sink->file.out.failed |= sink->file.text.failed;
	return buffer_text(&sink->file.text);
}

/*
 * Begins an event of a kind and a place (the members of process and thread, and perhaps of the
 * category); returns the output, to which members and a brace are appended.
 */
static struct buffer *chrome_event_begin(struct chrome_sink *sink, const char *phase,
					 struct text place, int64_t time_ns)
{
	struct buffer *out = &sink->file.out;

	buffer_append_string(out, sink->has_events ? ",\n" : "\n");
	sink->has_events = true;
	sink->begin_track = NULL;
	sink->file.is_held = false;
	buffer_append_string(out, "{\"ph\":\"");
	sink->phase_at = out->size;
	buffer_append_string(out, phase);
	buffer_append_string(out, "\",");
	buffer_append(out, place.data, place.size);
	buffer_append_string(out, ",\"ts\":");
	buffer_append_decimal(out, time_ns - sink->file.start_ns, 3);
	return out;
}

static void chrome_append_member(struct buffer *out, const char *name, struct text text)
{
	bool first = false;

	json_append_text(out, name, text, &first);
}

/* Writes a text of viewers for a process or thread, its name for one. */
static void chrome_write_text(struct chrome_sink *sink, const char *member, const char *what,
			      struct text place, struct text text)
{
	struct buffer *out = chrome_event_begin(sink, "M", place, sink->file.start_ns);

	chrome_append_member(out, "name", text_of(what));
	buffer_printf(out, ",\"args\":{\"%s\":", member);
	json_append_string(out, text);
	buffer_append_string(out, "}}");
}

/* Losses may overlap: each CPU of each buffer has a thread. Thread 0 has all other events. */
static void chrome_write_loss(struct chrome_sink *sink, const struct timeline_event *event)
{
	bool is_named = event->loss_buffer && event->loss_buffer[0];
	uint64_t number = is_named ? text_hash(text_of(event->loss_buffer)) & INT16_MAX : 0;
	struct text place;
	SCOPED_BUFFER(text);
	struct buffer *out;

	number += (uint64_t)(event->loss_machine ? event->loss_machine->number : 0) << 16;
	place = own_place(sink, 1 + (uint64_t)event->loss_cpu + number * CPUS_MAX);
	loss_append_track(&text, event);
	chrome_write_text(sink, "name", "thread_name", place, buffer_text(&text));
	out = chrome_event_begin(sink, "X", place, event->begin_ns);
	buffer_append_string(out, ",\"dur\":");
	buffer_append_decimal(out, event->loss_end_ns - event->begin_ns, 3);
	chrome_append_member(out, "name", remark_set(&text, event));
	buffer_append_string(out, ",\"cname\":\"terrible\"}");
}

static void chrome_own_write(struct chrome_sink *sink, const char *phase, int64_t time_ns,
			     struct text name)
{
	struct buffer *out = chrome_event_begin(sink, phase, own_place(sink, 0), time_ns);

	chrome_append_member(out, "name", name);
	buffer_append_string(out, phase[0] == 'i' ? ",\"s\":\"g\"}" : "}");
}

static void chrome_fault_write(struct sink_file *file, const struct timeline_event *finish,
			       struct text text)
{
	chrome_own_write(container_of(file, struct chrome_sink, file), "i", finish->time_ns, text);
}

/* A metadata event about the recording, of which no viewer's name is used; its args follow. */
static struct buffer *about_begin(struct chrome_sink *sink)
{
	struct buffer *out = chrome_event_begin(sink, "M", own_place(sink, 0), sink->file.start_ns);

	chrome_append_member(out, "name", text_of("ktrack"));
	buffer_append_string(out, ",\"args\":{");
	return out;
}

static void chrome_own_open(struct chrome_sink *sink, const struct recording *recording)
{
	struct buffer *out = &sink->file.out;
	bool first = true;

	buffer_append_char(out, '[');
	about_begin(sink);
	json_append_text(out, "ktrack", text_of(KTRACK_VERSION), &first);
	recording_append(out, recording, RECORDING_CHROME);
	machines_append(out, recording);
	buffer_append_string(out, ",\"start_s\":\"");
	buffer_append_decimal(out, recording->start_ns, 9);
	buffer_append_string(out, "\",\"unix_start_s\":\"");
	buffer_append_decimal(out, recording->start_ns + recording->wall_offset_ns, 9);
	buffer_append_string(out, "\"}}");
	chrome_write_text(sink, "name", "process_name", own_place(sink, 0), text_of("ktrack"));
}

/* Writes an event that is on no track, also the finish. */
static void chrome_own_event(struct chrome_sink *sink, const struct timeline_event *event)
{
	struct buffer *out = &sink->file.out;
	SCOPED_BUFFER(text);

	switch (event->kind) {
	case TIMELINE_LOSS:
		chrome_write_loss(sink, event);
		break;
	case TIMELINE_COMMAND_END:
		buffer_printf(chrome_event_begin(sink, "E", own_place(sink, 0), event->time_ns),
			      ",\"args\":{\"pid\":%d,\"status\":%d}}", event->pid, event->status);
		break;
	case TIMELINE_FINISH:
		sink_file_report_faults(&sink->file, event, chrome_fault_write);
		if (event->totals->has_wall_drift)
			buffer_printf(about_begin(sink), "\"wall_drift_ns\":\"%lld\"}}",
				      (long long)event->totals->wall_drift_ns);
		buffer_append_string(out, "\n]\n");
		break;
	default:
		chrome_own_write(sink, event->kind == TIMELINE_COMMAND_BEGIN ? "B" : "i",
				 event->time_ns, remark_set(&text, event));
	}
}

static const struct chrome_track *chrome_track_of(const struct chrome_sink *sink,
						  const struct timeline_track *track)
{
	return track->sink_data[sink->file.sink_index];
}

static void chrome_append_args(struct chrome_sink *sink, const char *member,
			       const struct timeline_event *event)
{
	const struct chrome_track *track = chrome_track_of(sink, event->track);
	/* On a row, the track's name is not that of the thread. */
	bool has_name = track->link.row.row && event->kind != TIMELINE_SLICE_END &&
			row_track_is_named(event->track);
	unsigned int with = sink->file.with | (has_name ? ARGS_TRACK : 0);
	struct buffer *out = &sink->file.out;

	if (!event_has_args(event, with))
		return;
	buffer_append_string(out, ",\"");
	buffer_append_string(out, member);
	buffer_append_string(out, "\":");
	event_append_args(out, &sink->fields, event, with, true);
}

static void chrome_write_order(struct chrome_sink *sink, struct text place, unsigned long number)
{
	struct buffer *out = chrome_event_begin(sink, "M", place, sink->file.start_ns);

	buffer_printf(out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%lu}}",
		      number);
}

static void chrome_process_name(struct chrome_sink *sink, const struct timeline_track *shown,
				struct text place)
{
	struct buffer *text = &sink->file.text;

	buffer_clear(text);
	chrome_append_process(sink, text, shown);
	if (text->size == 0)
		return;
	chrome_write_text(sink, "name", "process_name", place, buffer_text(text));
	if (shown->cgroup)
		chrome_write_text(sink, "labels", "process_labels", place, text_of(shown->cgroup));
}

/** struct chrome_row_names - what is written of a row */
struct chrome_row_names {
	int64_t process; /* a thread that is traced before its process is known remains there */
	unsigned long thread; /* of which each further row has the one ROW_THREADS higher */
	uint64_t label_hash;  /* of its name */
};

#define ROW_THREADS (1ul << 24)

/* A thread may be renamed. */
static void row_names_write(struct chrome_sink *sink, const struct row *row,
			    const struct chrome_track *track, const struct timeline_track *shown)
{
	struct chrome_row_names *names = row->data;
	struct text place = buffer_text(&track->place);
	struct buffer *text = &sink->file.text;
	uint64_t hash;

	if (names->process == chrome_process(shown))
		chrome_process_name(sink, shown, place);
	buffer_clear(text);
	rows_append_name(text, row, shown);
	hash = text_hash(buffer_text(text)) | 1;
	if (names->label_hash == hash)
		return;
	names->label_hash = hash;
	chrome_write_text(sink, "name", "thread_name", place, buffer_text(text));
	chrome_write_order(sink, place, names->thread);
}

static void chrome_place_set(struct chrome_sink *sink, struct chrome_track *track,
			     const struct timeline_track *shown, int64_t process,
			     unsigned long thread)
{
	buffer_clear(&track->place);
	buffer_printf(&track->place, "\"pid\":%lld,\"tid\":%lu", (long long)process, thread);
	track->thread_size = track->place.size;
	chrome_append_member(&track->place, "cat", text_of(shown->category->text));
	sink->file.out.failed |= track->place.failed;
}

/* Sets the place of a track to a row, whose first track names it. */
static void chrome_place_make(struct chrome_sink *sink, struct chrome_track *track,
			      const struct timeline_track *shown, struct row *row)
{
	const struct chrome_row_names *first = row_first(row)->data;
	struct chrome_row_names *names = row->data;
	bool is_new = !names;

	if (is_new) {
		names = row->data = calloc(1, sizeof(*names));
		sink->file.out.failed |= !names;
		if (!names)
			return;
		names->process = first ? first->process : chrome_process(shown);
		names->thread = first ? first->thread : chrome_thread(sink, shown, true);
	}
	track->place_row = row;
	chrome_place_set(sink, track, shown, names->process,
			 names->thread + (row->number - 1) * ROW_THREADS);
	if (is_new && row->number > 1)
		row_names_write(sink, row, track, shown);
}

static void chrome_track_begin(struct chrome_sink *sink, const struct timeline_event *event)
{
	struct timeline_track *shown = event->track;
	struct chrome_track *track = sink_file_track_new(&sink->file, shown, sizeof(*track));
	struct buffer *text = &sink->file.text;
	struct text place;

	if (!track || !sink_file_rows_begin(&sink->file, &track->link, shown))
		return;
	if (track->link.row.row) {
		chrome_place_make(sink, track, shown, track->link.row.row);
		if (track->link.row.row->data)
			row_names_write(sink, track->link.row.row, track, shown);
		return;
	}
	track->thread = chrome_thread(sink, shown, false);
	chrome_place_set(sink, track, shown, chrome_process(shown), track->thread);
	place = buffer_text(&track->place);
	chrome_process_name(sink, shown, place);
	buffer_clear(text);
	track_append_label(text, shown);
	json_append_string(&track->name, buffer_text(text));
	sink->file.out.failed |= track->name.failed;
	chrome_write_text(sink, "name", "thread_name", place, buffer_text(text));
	chrome_write_order(sink, place, track->thread);
}

static struct buffer *chrome_track_event_begin(struct chrome_sink *sink, const char *phase,
					       const struct timeline_event *event)
{
	const struct chrome_track *track = chrome_track_of(sink, event->track);

	return chrome_event_begin(sink, phase, buffer_text(&track->place), event->time_ns);
}

/*
 * A slice without length whose begin was the last event becomes a complete event: speedscope reads
 * an end before a begin with other args at the same time.
 */
static void slice_complete(struct chrome_sink *sink, const struct timeline_event *end)
{
	struct buffer *out = &sink->file.out;
	size_t args;

	if (out->failed)
		return;
	out->data[sink->phase_at] = 'X';
	sink->begin_track = NULL;
	sink->file.is_held = false;
	out->size--;
	if (event_has_args(end, sink->file.with)) {
		bool has_args = out->data[out->size - 1] == '}';

		out->size -= has_args;
		if (!has_args)
			buffer_append_string(out, ",\"args\":");
		args = out->size;
		event_append_args(out, &sink->fields, end, sink->file.with, true);
		if (has_args && !out->failed)
			out->data[args] = ',';
	}
	buffer_append_string(out, ",\"dur\":0}");
}

/* Instants count as one level. */
static bool event_is_deep(const struct chrome_sink *sink, const struct timeline_event *event)
{
	return sink->depth + (event->kind == TIMELINE_INSTANT) > VIEWER_DEPTH_MAX;
}

static void chrome_write_named(struct chrome_sink *sink, const struct timeline_event *event)
{
	static const char *const phases[] = {
		[TIMELINE_SLICE_BEGIN] = "B", [TIMELINE_SLICE_END] = "E", [TIMELINE_INSTANT] = "i"
	};
	bool is_end = event->kind == TIMELINE_SLICE_END;
	struct buffer *out;

	if (event_is_deep(sink, event)) {
		sink->file.nr_deep += !is_end && !event->is_cut;
		return;
	}
	if (is_end && sink->begin_track == event->track && event->begin_ns == event->time_ns &&
	    event->nr_flows == 0) {
		slice_complete(sink, event);
		return;
	}
	out = chrome_track_event_begin(sink, phases[event->kind], event);
	chrome_append_member(out, "name", event->name->text);
	if (event->kind == TIMELINE_INSTANT)
		chrome_append_member(out, "s", text_of("t"));
	chrome_append_args(sink, "args", event);
	buffer_append_char(out, '}');
	if (event->kind == TIMELINE_SLICE_BEGIN && event->nr_flows == 0) {
		sink->begin_track = event->track;
		sink->file.is_held = true;
	}
}

static void chrome_write_flows(struct chrome_sink *sink, const struct timeline_event *event)
{
	const struct chrome_track *track = chrome_track_of(sink, event->track);
	struct text thread = { .data = track->place.data, .size = track->thread_size };

	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct field *flow = timeline_event_flow(event, i);
		int is_known = flow_set_add(&sink->flows, flow);
		struct buffer *out = chrome_event_begin(sink, is_known ? "t" : "s", thread,
							event->time_ns);

		out->failed |= is_known < 0;
		chrome_append_member(out, "cat", text_of("flow"));
		chrome_append_member(out, "name", flow->name);
		buffer_printf(out, ",\"id\":\"0x%llx\"",
			      (unsigned long long)flow->value.unsigned_number);
		buffer_append_string(out, is_known ? ",\"bp\":\"e\"}" : "}");
	}
}

/*
 * Process, name and id identify a counter. Values have all digits; Perfetto reads an integer beyond
 * 63 bits as a negative one. An infinite number is a string. Viewers draw each of the args as a
 * counter, so extra fields are no args.
 */
static void chrome_write_counter(struct chrome_sink *sink, const struct timeline_event *event)
{
	const struct chrome_track *track = chrome_track_of(sink, event->track);
	struct buffer *out = chrome_track_event_begin(sink, "C", event);

	buffer_append_string(out, ",\"name\":");
	buffer_append(out, track->name.data, track->name.size);
	buffer_printf(out, ",\"id\":%lu,\"args\":{\"value\":", track->thread);
	(value_is_finite(&event->value) ? value_append_text : value_append_json)(out,
										 &event->value);
	if (event->value.kind == VALUE_UNSIGNED && event->value.unsigned_number > INT64_MAX)
		buffer_append_string(out, ".0");
	buffer_append_char(out, '}');
	chrome_append_args(sink, "fields", event);
	buffer_append_char(out, '}');
}

static void (*const writers[TIMELINE_KIND_COUNT])(struct chrome_sink *sink,
						  const struct timeline_event *event) = {
	[TIMELINE_TRACK_BEGIN] = chrome_track_begin, [TIMELINE_SLICE_BEGIN] = chrome_write_named,
	[TIMELINE_SLICE_END] = chrome_write_named,   [TIMELINE_INSTANT] = chrome_write_named,
	[TIMELINE_COUNTER] = chrome_write_counter,   [TIMELINE_LOSS] = chrome_own_event,
	[TIMELINE_MALFORMED] = chrome_own_event,     [TIMELINE_FOREIGN_END] = chrome_own_event,
	[TIMELINE_TRACEPOINT] = chrome_own_event,    [TIMELINE_COMMAND_BEGIN] = chrome_own_event,
	[TIMELINE_COMMAND_END] = chrome_own_event,   [TIMELINE_FINISH] = chrome_own_event,
};

/* Flows follow a begin and precede an end, because they belong to the slice that is open. */
static void chrome_write(struct chrome_sink *sink, const struct timeline_event *event)
{
	bool has_flows = unlikely(event->nr_flows > 0) && !event_is_deep(sink, event);

	if (has_flows && event->kind == TIMELINE_SLICE_END)
		chrome_write_flows(sink, event);
	if (writers[event->kind])
		writers[event->kind](sink, event);
	if (has_flows && event->kind != TIMELINE_SLICE_END)
		chrome_write_flows(sink, event);
}

static void chrome_single_write(void *file, const struct row_place *place,
				const struct timeline_event *event)
{
	struct chrome_sink *sink = container_of((struct sink_file *)file, struct chrome_sink, file);
	struct timeline_event begin;

	sink->depth = place->depth;
	if (event->is_cut && event->kind == TIMELINE_SLICE_BEGIN) {
		begin = *event;
		begin.begin_ns -= sink->file.start_ns;
		event = &begin;
	}
	chrome_write(sink, event);
}

static void chrome_row_write(void *file, const struct row_place *place,
			     const struct timeline_event *event)
{
	struct chrome_sink *sink = container_of((struct sink_file *)file, struct chrome_sink, file);
	struct chrome_track *track = event->track->sink_data[sink->file.sink_index];

	if (!track) {
		track = event->track->sink_data[sink->file.sink_index] = &sink->held;
		track->place_row = NULL;
	}
	if (track->place_row != place->row)
		chrome_place_make(sink, track, event->track, place->row);
	chrome_single_write(file, place, event);
}

static void chrome_event(struct sink_file *file, const struct timeline_event *event)
{
	struct chrome_sink *sink = container_of(file, struct chrome_sink, file);
	struct chrome_track *track = event->track ? event->track->sink_data[file->sink_index]
						  : NULL;

	if (track && sink_file_rows_event(file, &track->link, event))
		return;
	sink->depth = event->depth;
	chrome_write(sink, event);
}

static void chrome_open(struct sink_file *file, const struct recording *recording)
{
	struct chrome_sink *sink = container_of(file, struct chrome_sink, file);

	sink->named = calloc(1 + recording->nr_machines, MACHINE_PIDS / 8);
	sink->recent = calloc(ROWS_RECENT, sizeof(*sink->recent));
	file->out.failed |= !sink->named || !sink->recent;
	if (!file->out.failed)
		chrome_own_open(sink, recording);
}

static void chrome_flush(struct sink_file *file)
{
	container_of(file, struct chrome_sink, file)->begin_track = NULL;
	sink_file_flush(file);
}

static void chrome_track_release(struct sink_track *link)
{
	struct chrome_track *track = container_of(link, struct chrome_track, link);

	buffer_release(&track->place);
	buffer_release(&track->name);
}

static void chrome_release(struct sink_file *file)
{
	struct chrome_sink *sink = container_of(file, struct chrome_sink, file);

	buffer_release(&sink->held.place);
	flow_set_release(&sink->flows);
	json_sets_free(&sink->fields);
	free(sink->named);
	free(sink->recent);
}

static const struct sink_file_ops chrome_file = {
	.size = sizeof(struct chrome_sink),
	.open = chrome_open,
	.event = chrome_event,
	.flush = chrome_flush,
	.row_write = chrome_row_write,
	.single_write = chrome_single_write,
	.track_release = chrome_track_release,
	.release = chrome_release,
};

const struct sink_kind sink_chrome = {
	.name = "chrome",
	.help = "write JSON for chrome://tracing and speedscope",
	.viewer = "chrome://tracing",
	.use = SINK_USE_FILE,
	.can_compress = true,
	.file = &chrome_file,
};
