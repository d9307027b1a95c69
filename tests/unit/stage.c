// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plays records to the track room, and writes down what comes out as one line of text for each
 * event.
 */
#include "stage.h"

#include <stdlib.h>

#include "tap.h"

const struct template stage_templates[] = {
	[STAGE_WORK] = { .index = STAGE_WORK,
			 .kind = TEMPLATE_SLICE,
			 .category = (char *)"a:work",
			 .name = "work" },
	[STAGE_JOB] = { .index = STAGE_JOB,
			.kind = TEMPLATE_SLICE,
			.category = (char *)"a:job",
			.name = "job",
			.scope = TEMPLATE_SCOPE_PROCESS,
			.scope_field = (char *)"scope_tgid" },
	[STAGE_TICK] = { .index = STAGE_TICK,
			 .kind = TEMPLATE_SLICE,
			 .category = (char *)"a:tick",
			 .name = "tick",
			 .scope = TEMPLATE_SCOPE_CPU,
			 .scope_field = (char *)"scope_cpu" },
	[STAGE_QUEUE] = { .index = STAGE_QUEUE,
			  .kind = TEMPLATE_SLICE,
			  .category = (char *)"a:queue",
			  .name = "queue",
			  .scope = TEMPLATE_SCOPE_CUSTOM,
			  .scope_field = (char *)"scope_queue" },
	[STAGE_OTHER_WORK] = { .index = STAGE_OTHER_WORK,
			       .kind = TEMPLATE_SLICE,
			       .category = (char *)"b:work",
			       .name = "work" },
	[STAGE_LOAD] = { .index = STAGE_LOAD,
			 .kind = TEMPLATE_COUNTER,
			 .category = (char *)"a:load",
			 .name = "load" },
	[STAGE_DEPTH] = { .index = STAGE_DEPTH,
			  .kind = TEMPLATE_COUNTER,
			  .category = (char *)"a:depth",
			  .name = "depth",
			  .scope = TEMPLATE_SCOPE_CUSTOM,
			  .scope_field = (char *)"scope_queue" },
};

/**
 * struct notebook - the sink
 * @start_ns: when its recording is to start
 * @slot: its slot, where things have nothing but the notebook itself
 */
struct notebook {
	struct sink sink;
	struct stage *stage;
	int64_t start_ns;
	unsigned int slot;
	unsigned int nr_events;
};

static void write_track(struct buffer *line, const struct timeline_event *event)
{
	static const char *const scopes[] = { "tid", "tgid", "cpu", "custom" };
	const struct timeline_track *track = event->track;
	const char *kind = track->kind == TRACK_COUNTER ? "counter" : "slices";

	buffer_printf(line, "+ %s %s '%.*s' %s ", track->category->text, kind,
		      (int)track->name.size, track->name.data, scopes[track->scope]);
	value_append_text(line, &track->id);
	if (track->field)
		buffer_printf(line, " %s", track->field);
	if (track->cpu >= 0)
		buffer_printf(line, " on %d", track->cpu);
	if (track->buffer)
		buffer_printf(line, " in '%s'", track->buffer);
	if (track->tgid || track->comm[0])
		buffer_printf(line, " of %d '%s'", track->tgid, track->comm);
}

/* A name that is not counted has a tilde. */
static void write_name(struct buffer *line, const char *what, const struct timeline_name *name)
{
	buffer_printf(line, "%s %s'%.*s'", what, name->is_counted ? "" : "~", (int)name->text.size,
		      name->text.data);
}

static void write_slice(struct buffer *line, const struct timeline_event *event)
{
	write_name(line, event->kind == TIMELINE_SLICE_BEGIN ? "begin" : "end", event->name);
	buffer_printf(line, " depth %u", event->depth);
	if (event->kind == TIMELINE_SLICE_END)
		buffer_printf(line, " from %lld", (long long)event->begin_ns);
	buffer_append_string(line, event->is_continued ? " continued" : "");
	if (event->kind == TIMELINE_SLICE_END)
		buffer_printf(line, "%s%s%s", event->is_suspect ? " suspect" : "",
			      event->is_unfinished ? " unfinished" : "",
			      event->is_foreign ? " foreign" : "");
}

static void write_point(struct buffer *line, const struct timeline_event *event)
{
	if (event->kind == TIMELINE_INSTANT)
		write_name(line, "instant", event->name);
	else
		value_append_text(line, &event->value);
	buffer_printf(line, " depth %u outer %lld", event->depth, (long long)event->outer_ns);
}

static void write_count(struct buffer *line, uint64_t count, const char *what)
{
	if (count > 0)
		buffer_printf(line, ", %lu %s", (unsigned long)count, what);
}

static void write_finish(struct buffer *line, const struct timeline_event *event)
{
	const struct timeline_totals *totals = event->totals;

	buffer_printf(line, "finish %d: %lu lost, %lu unmatched, %lu malformed, ", event->status,
		      (unsigned long)totals->lost_records, (unsigned long)totals->unmatched_ends,
		      (unsigned long)totals->malformed);
	buffer_printf(line, "%lu unfinished, %lu suspect, %lu retired, %lu other",
		      (unsigned long)totals->unfinished, (unsigned long)totals->suspect,
		      (unsigned long)totals->retired_tracks, (unsigned long)totals->other_names);
	write_count(line, totals->renamed_threads, "renamed");
	write_count(line, totals->foreign_ends, "foreign");
	write_count(line, totals->evicted_slices, "evicted slices");
}

static void write_event(struct buffer *line, const struct timeline_event *event)
{
	switch (event->kind) {
	case TIMELINE_TRACK_BEGIN:
		write_track(line, event);
		break;
	case TIMELINE_TRACK_END:
		buffer_append_string(line, "-");
		break;
	case TIMELINE_SLICE_BEGIN:
	case TIMELINE_SLICE_END:
		write_slice(line, event);
		break;
	case TIMELINE_INSTANT:
	case TIMELINE_COUNTER:
		write_point(line, event);
		break;
	case TIMELINE_LOSS:
		buffer_printf(line, "lost %lld on %d", (long long)event->loss_count,
			      event->loss_cpu);
		if (event->loss_buffer)
			buffer_printf(line, " in '%s'", event->loss_buffer);
		break;
	case TIMELINE_MALFORMED:
		buffer_printf(line, "malformed %s: %s", event->tracepoint, event->problem);
		break;
	case TIMELINE_FOREIGN_END:
		buffer_printf(line, "foreign end %s", event->tracepoint);
		break;
	case TIMELINE_FINISH:
		write_finish(line, event);
		break;
	default:
		buffer_printf(line, "passed %d", event->kind);
	}
}

static int notebook_open(struct sink *sink, const struct recording *recording, unsigned int slot,
			 struct error *error)
{
	struct notebook *notebook = (struct notebook *)sink;

	(void)error;
	notebook->slot = slot;
	CHECK_NUMBER(recording->start_ns, notebook->start_ns);
	return 0;
}

/* What is there for the first time has nothing in the slot, least of all another notebook. */
static void slot_check(const struct notebook *notebook, void **slots)
{
	CHECK(!slots[notebook->slot] || slots[notebook->slot] == notebook);
	slots[notebook->slot] = (void *)notebook;
}

static void slots_check(const struct notebook *notebook, const struct timeline_event *event)
{
	bool has_name = event->kind == TIMELINE_SLICE_BEGIN || event->kind == TIMELINE_INSTANT;

	if (event->track) {
		slot_check(notebook, event->track->slots);
		slot_check(notebook, event->track->category->slots);
	}
	if (has_name && event->name->is_counted)
		slot_check(notebook, event->name->slots);
}

static int notebook_event(struct sink *sink, const struct timeline_event *event,
			  struct error *error)
{
	struct notebook *notebook = (struct notebook *)sink;
	struct buffer *line = &notebook->stage->told;

	if (notebook->stage->fails_after && notebook->nr_events++ == notebook->stage->fails_after)
		return error_set(error, "the notebook is full");
	slots_check(notebook, event);
	buffer_append_signed(line, event->time_ns);
	if (event->track)
		buffer_printf(line, " #%lu", event->track->number);
	buffer_append_char(line, ' ');
	write_event(line, event);
	if (event->nr_fields > 0) {
		buffer_append_char(line, ' ');
		fields_append_text(line, event->fields, event->nr_fields);
	}
	if (notebook->stage->shows_writer)
		buffer_printf(line, " by %d on %d '%s'", event->tid, event->cpu, event->comm);
	buffer_append_char(line, '\n');
	return 0;
}

static void notebook_free(struct sink *sink)
{
	free(sink);
}

static const struct sink_ops notebook_sink = {
	.open = notebook_open,
	.event = notebook_event,
	.free = notebook_free,
};

static void notebook_add(struct stage *stage, int64_t start_ns)
{
	struct recording recording = { .start_ns = start_ns };
	struct notebook *notebook = calloc(1, sizeof(*notebook));

	*notebook = (struct notebook){ .sink.ops = &notebook_sink,
				       .stage = stage,
				       .start_ns = start_ns };
	CHECK_NUMBER(timeline_add(&stage->timeline, &notebook->sink, &stage->error), 0);
	CHECK_NUMBER(timeline_open(&stage->timeline, &recording, &stage->error), 0);
}

void stage_init(struct stage *stage, const struct tracks_settings *settings)
{
	static const struct tracks_settings defaults;

	*stage = (struct stage){ 0 };
	stage->tracks = tracks_new(settings ? settings : &defaults, &stage->timeline,
				   STAGE_START_NS);
	notebook_add(stage, STAGE_START_NS);
}

void stage_renew(struct stage *stage, int64_t time_ns)
{
	CHECK_NUMBER(tracks_suspend(stage->tracks, time_ns, 0, &stage->error), 0);
	timeline_release(&stage->timeline);
	notebook_add(stage, time_ns);
	CHECK_NUMBER(tracks_resume(stage->tracks, &stage->error), 0);
}

void stage_release(struct stage *stage)
{
	tracks_free(stage->tracks);
	timeline_release(&stage->timeline);
	buffer_release(&stage->told);
}

const char *stage_told(struct stage *stage)
{
	const char *told = buffer_string(&stage->told);

	/* The bytes stay where they are until the next event. */
	buffer_clear(&stage->told);
	return told;
}

struct observation stage_observation(enum stage_tracepoint tracepoint, enum observation_kind kind,
				     int64_t time_ns, int tid)
{
	const struct template *template = &stage_templates[tracepoint];

	return (struct observation){
		.kind = kind,
		.template = template,
		.time_ns = time_ns,
		.tid = tid,
		.scope_id = { .kind = VALUE_SIGNED, .signed_number = tid },
		.track_name = text_of(template->name),
	};
}

int stage_observe(struct stage *stage, const struct observation *observation)
{
	struct observation whole = *observation;

	whole.slice_head = text_head(whole.slice_name);
	whole.track_head = text_head(whole.track_name);
	return tracks_observe(stage->tracks, &whole, &stage->error);
}

static void stage_slice(struct stage *stage, enum observation_kind kind, int64_t time_ns, int tid,
			const char *name)
{
	struct observation observation = stage_observation(STAGE_WORK, kind, time_ns, tid);

	observation.slice_name = text_of(name);
	CHECK_NUMBER(stage_observe(stage, &observation), 0);
}

void stage_begin(struct stage *stage, int64_t time_ns, int tid, const char *name)
{
	stage_slice(stage, OBSERVATION_BEGIN, time_ns, tid, name);
}

void stage_end(struct stage *stage, int64_t time_ns, int tid)
{
	stage_slice(stage, OBSERVATION_END, time_ns, tid, "");
}

void stage_instant(struct stage *stage, int64_t time_ns, int tid, const char *name)
{
	stage_slice(stage, OBSERVATION_INSTANT, time_ns, tid, name);
}

void stage_count(struct stage *stage, int64_t time_ns, int tid, int64_t value)
{
	struct observation observation = stage_observation(STAGE_LOAD, OBSERVATION_COUNTER, time_ns,
							   tid);

	observation.counter_value = (struct value){ .kind = VALUE_SIGNED, .signed_number = value };
	CHECK_NUMBER(stage_observe(stage, &observation), 0);
}

void stage_finish(struct stage *stage, int64_t end_ns)
{
	CHECK_NUMBER(tracks_finish(stage->tracks, end_ns, 0, 0, &stage->error), 0);
}
