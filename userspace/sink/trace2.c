// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as a trace2 session: which message stands for which event. How bytes look is
 * libtrace2's business.
 */
#include <stdlib.h>
#include <unistd.h>

#include "sink/args.h"
#include "sink/notes.h"
#include "sink/trace2_state.h"

int trace2_sink_fail(const struct trace2_sink *sink, struct error *error)
{
	return error_set(error, "%s", trace2_session_error(sink->session));
}

/* The rendered form of a name that is kept. */
static const struct trace2_text *name_render(struct trace2_sink *sink,
					     const struct trace2_category *category,
					     struct timeline_name *name, struct error *error)
{
	void **slot = &name->slots[sink->slot];
	struct trace2_text **texts;

	texts = reallocarray(sink->texts, sink->nr_texts + 1, sizeof(struct trace2_text *));
	if (texts) {
		sink->texts = texts;
		*slot = trace2_label_new(category->text, trace2_string_of(name->text));
	}
	if (*slot)
		sink->texts[sink->nr_texts++] = *slot;
	else
		error_set(error, "out of memory");
	return *slot;
}

const struct trace2_text *trace2_sink_render(struct trace2_sink *sink,
					     const struct trace2_category *category,
					     struct timeline_name *name, struct error *error)
{
	struct text text = name ? name->text : text_of("(other)");

	if (name && name->is_counted)
		return name_render(sink, category, name, error);
	if (trace2_label_set(sink->short_text, category->text, trace2_string_of(text)) == 0)
		return sink->short_text;
	error_set(error, "out of memory");
	return NULL;
}

static struct trace2_track *event_track(const struct trace2_sink *sink,
					const struct timeline_event *event)
{
	return event->track->slots[sink->slot];
}

/* Whether there is nothing to tell but what all records tell, and fields. */
hot_inline bool is_usual(const struct trace2_sink *sink, const struct timeline_event *event)
{
	return !sink->settings.with && !trace2_is_odd(event);
}

/* Whether there are no fields either. */
hot_inline bool is_bare(const struct trace2_sink *sink, const struct timeline_event *event)
{
	return event->nr_fields == 0 && is_usual(sink, event);
}

/*
 * What lines of records have in common. Nothing else is cleared: there is a line for each record,
 * and each kind sets all of its own.
 */
hot_inline void line_begin(struct trace2_event *line, enum trace2_kind kind,
			   const struct trace2_track *track)
{
	line->kind = kind;
	line->thread = track->thread;
	line->nr_regions = 0;
	line->repository = NULL;
	line->file = NULL;
	line->line = 0;
	line->more = (struct trace2_string){ 0 };
	line->needs_no_escape = false;
}

/* A slice with a name that is new, or more to be told than its fields. */
static __attribute__((noinline)) int other_slice_write(struct trace2_sink *sink,
						       const struct timeline_event *event,
						       enum trace2_kind kind, struct error *error)
{
	const struct trace2_track *track = event_track(sink, event);
	struct trace2_event line;

	line_begin(&line, kind, track);
	line.region.nesting = event->depth;
	line.region.t_rel_ns = event->time_ns - event->begin_ns;
	line.region.category = track->category->text;
	line.region.label = trace2_sink_name(sink, track->category, event->name, error);
	if (!line.region.label)
		return -1;
	line.region.msg = (struct trace2_string){ 0 };
	if (!is_bare(sink, event))
		trace2_more_fill(sink, event, &line);
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

/* Of a line that all others like it were, only what differs from line to line is set. */
hot_inline int slice_write(struct trace2_sink *sink, const struct timeline_event *event,
			   enum trace2_kind kind, const struct trace2_text *label,
			   struct trace2_event *line, struct error *error)
{
	const struct trace2_track *track = event_track(sink, event);

	line->kind = kind;
	line->thread = track->thread;
	line->region.nesting = event->depth;
	if (kind == TRACE2_REGION_LEAVE)
		line->region.t_rel_ns = event->time_ns - event->begin_ns;
	line->region.category = track->category->text;
	line->region.label = label;
	return trace2_sink_write(sink, line, event->time_ns, error);
}

static __attribute__((noinline)) int slice_with_args_write(struct trace2_sink *sink,
							   const struct timeline_event *event,
							   enum trace2_kind kind,
							   const struct trace2_text *label,
							   struct error *error)
{
	if (!trace2_args_fill(sink, event, &sink->slice_with_args))
		return other_slice_write(sink, event, kind, error);
	return slice_write(sink, event, kind, label, &sink->slice_with_args, error);
}

/* A slice that has a label and is_usual(). */
hot_inline int usual_slice_write(struct trace2_sink *sink, const struct timeline_event *event,
				 enum trace2_kind kind, const struct trace2_text *label,
				 struct error *error)
{
	if (event->nr_fields > 0)
		return slice_with_args_write(sink, event, kind, label, error);
	return slice_write(sink, event, kind, label, &sink->slice, error);
}

static int write_slice_begin(struct trace2_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	const struct trace2_text *label = event->name->slots[sink->slot];

	if (!label || !is_usual(sink, event))
		return other_slice_write(sink, event, TRACE2_REGION_ENTER, error);
	return usual_slice_write(sink, event, TRACE2_REGION_ENTER, label, error);
}

static __attribute__((noinline)) int other_slice_end(struct trace2_sink *sink,
						     const struct timeline_event *event,
						     struct error *error)
{
	if (!trace2_is_odd(event) && trace2_timer_add(sink, event, error) < 0)
		return -1;
	return other_slice_write(sink, event, TRACE2_REGION_LEAVE, error);
}

/* A name that has a label is counted. */
static int write_slice_end(struct trace2_sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	const struct trace2_text *label = event->name->slots[sink->slot];
	struct trace2_track *track = event_track(sink, event);
	struct intervals *timer;

	if (!label || !is_usual(sink, event))
		return other_slice_end(sink, event, error);
	timer = interval_table_recent(&track->timers, event->track->category, event->name);
	if (!timer)
		return other_slice_end(sink, event, error);
	intervals_add(timer, event->time_ns - event->begin_ns);
	return usual_slice_write(sink, event, TRACE2_REGION_LEAVE, label, error);
}

/* A value on a track's line of time: digits, or ready-made JSON. */
hot_inline int data_write(struct trace2_sink *sink, const struct timeline_event *event,
			  enum trace2_kind kind, const struct trace2_text *key,
			  struct trace2_string value, struct error *error)
{
	const struct trace2_track *track = event_track(sink, event);
	struct trace2_event line;

	line_begin(&line, kind, track);
	line.data.nesting = event->depth + 1;
	line.data.t_rel_ns = event->time_ns - event->outer_ns;
	line.data.category = track->category->text;
	line.data.key = key;
	line.data.value = value;
	line.needs_no_escape = true;
	if (!is_bare(sink, event))
		trace2_more_fill(sink, event, &line);
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

/* The fields of an instant, most of which have none. */
static struct trace2_string instant_value(struct trace2_sink *sink,
					  const struct timeline_event *event)
{
	if (event->nr_fields == 0)
		return (struct trace2_string){ "{}", 2 };
	buffer_clear(&sink->message);
	buffer_clear(&sink->more);
	trace2_fields_append(&event_track(sink, event)->category->fields, &sink->message,
			     &sink->more, event);
	return trace2_string_of(buffer_text(&sink->message));
}

static int write_instant(struct trace2_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	const struct trace2_track *track = event_track(sink, event);
	const struct trace2_text *key = trace2_sink_name(sink, track->category, event->name, error);

	if (!key)
		return -1;
	return data_write(sink, event, TRACE2_DATA_JSON, key, instant_value(sink, event), error);
}

static int write_counter(struct trace2_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	struct trace2_track *track = event_track(sink, event);
	const struct value *value = &event->value;
	char digits[PUT_NUMBER_MAX + PUT_SLACK], *end;

	levels_add(track->levels, value);
	if (value->kind == VALUE_SIGNED)
		end = put_signed(digits, value->signed_number);
	else
		end = put_unsigned(digits, value->unsigned_number);
	return data_write(sink, event, TRACE2_DATA, track->name,
			  (struct trace2_string){ digits, end - digits }, error);
}

/*
 * An error's message, and the constant text it was made from, by which consumers put errors
 * together.
 */
static int error_write(struct trace2_sink *sink, int64_t time_ns, const char *format,
		       struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_ERROR };

	line.error.fmt = format;
	line.error.msg = trace2_string_of(buffer_text(&sink->message));
	return trace2_sink_write(sink, &line, time_ns, error);
}

static int write_loss(struct trace2_sink *sink, const struct timeline_event *event,
		      struct error *error)
{
	static const char *const formats[][2] = {
		{ "lost an unknown number of records on cpu %d",
		  "lost an unknown number of records on cpu %d in buffer '%s'" },
		{ "lost %lu records on cpu %d", "lost %lu records on cpu %d in buffer '%s'" },
		{ "lost %lu records in gaps of unknown size on cpu %d",
		  "lost %lu records in gaps of unknown size on cpu %d in buffer '%s'" },
	};
	int kind = event->loss_count != TIMELINE_COUNT_UNKNOWN;

	buffer_clear(&sink->message);
	loss_append_text(&sink->message, event);
	if (event->kind == TIMELINE_LOSS_SUM)
		kind = 2;
	return error_write(sink, event->time_ns, formats[kind][event->loss_buffer != NULL], error);
}

static int write_malformed(struct trace2_sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	static const char format[] = "malformed record of %s: %s";

	buffer_clear(&sink->message);
	buffer_printf(&sink->message, format, event->tracepoint, event->problem);
	return error_write(sink, event->time_ns, format, error);
}

static int write_foreign_end(struct trace2_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	buffer_clear(&sink->message);
	notes_append_problem(&sink->message, event);
	return error_write(sink, event->time_ns, FOREIGN_END_FORMAT, error);
}

static int write_command_begin(struct trace2_sink *sink, const struct timeline_event *event,
			       struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_CHILD_START,
				     .file = __FILE__,
				     .line = __LINE__ };

	sink->command_ns = event->time_ns;
	line.child_start.child_class = "?";
	line.child_start.argv = event->argv;
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

static int write_command_end(struct trace2_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_CHILD_EXIT,
				     .file = __FILE__,
				     .line = __LINE__ };

	line.child_exit.pid = event->pid;
	line.child_exit.code = event->status;
	line.child_exit.t_rel_ns = event->time_ns - sink->command_ns;
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

static int (*const writers[])(struct trace2_sink *sink, const struct timeline_event *event,
			      struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = trace2_track_begin,
	[TIMELINE_SLICE_BEGIN] = write_slice_begin,
	[TIMELINE_SLICE_END] = write_slice_end,
	[TIMELINE_INSTANT] = write_instant,
	[TIMELINE_COUNTER] = write_counter,
	[TIMELINE_TRACK_END] = trace2_track_end,
	[TIMELINE_LOSS] = write_loss,
	[TIMELINE_LOSS_SUM] = write_loss,
	[TIMELINE_MALFORMED] = write_malformed,
	[TIMELINE_FOREIGN_END] = write_foreign_end,
	[TIMELINE_TRACEPOINT] = trace2_tracepoint_write,
	[TIMELINE_COMMAND_BEGIN] = write_command_begin,
	[TIMELINE_COMMAND_END] = write_command_end,
	[TIMELINE_FINISH] = trace2_frame_end,
};
_Static_assert(sizeof(writers) / sizeof(writers[0]) == TIMELINE_KIND_COUNT,
	       "a writer for every kind");

static int trace2_event_write(struct sink *head, const struct timeline_event *event,
			      struct error *error)
{
	return writers[event->kind]((struct trace2_sink *)head, event, error);
}

static int trace2_flush(struct sink *head, struct error *error)
{
	struct trace2_sink *sink = (struct trace2_sink *)head;

	if (trace2_session_flush(sink->session) < 0)
		return error_set(error, "%s", trace2_session_error(sink->session));
	return 0;
}

static int target_open(struct trace2_sink *sink, enum trace2_target number, struct error *error)
{
	struct sink_trace2_target *target = &sink->settings.targets[number];
	const char *name = target->name;

	if (!name)
		return 0;
	target->name = NULL;
	if (!target->value) {
		if (trace2_session_add(sink->session, number, target->fd, name) < 0)
			return error_set(error, "out of memory");
		return 0;
	}
	if (trace2_session_open(sink->session, number, target->value, name) < 0)
		return error_set(error, "%s", trace2_session_error(sink->session));
	return 0;
}

static int session_new(struct trace2_sink *sink, struct error *error)
{
	struct trace2_settings settings = {
		.sid = sink->settings.sid,
		.decimals = 9,
		.max_nesting = TRACE2_NESTING_ALL,
		.category_width = 24,
		.has_whole_names = true,
		.has_more_t_abs = true,
		.has_valid_json = true,
		.flush = TRACE2_FLUSH_BLOCKS,
		.file_mode = 0600,
		.file_user = sink->settings.file_user,
		.file_group = sink->settings.file_group,
		.wait = sink->settings.wait.wait,
		.wait_context = sink->settings.wait.context,
	};

	if (sink->settings.config)
		trace2_config_apply(sink->settings.config, &settings);
	sink->session = trace2_session_new(&settings);
	if (!sink->session)
		return error_set(error, "out of memory");
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++) {
		if (target_open(sink, i, error) < 0)
			return -1;
	}
	return 0;
}

/*
 * The session begins at a whole microsecond, so that the time of every line is the first line's
 * plus its t_abs, cut. No wall clock is read more exactly than that.
 */
static int trace2_open(struct sink *head, const struct recording *recording, unsigned int slot,
		       struct error *error)
{
	struct trace2_sink *sink = (struct trace2_sink *)head;
	int64_t start_ns = recording->start_ns + recording->wall_offset_ns;

	sink->slot = slot;
	sink->start_ns = recording->start_ns;
	trace2_session_begin(sink->session, start_ns / NS_PER_US * NS_PER_US);
	return trace2_frame_begin(sink, recording, error);
}

/* Those that no session took over. */
static void targets_close(struct sink_trace2_settings *settings)
{
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++) {
		struct sink_trace2_target *target = &settings->targets[i];

		if (target->name && !target->value)
			close(target->fd);
		target->name = NULL;
	}
}

static void trace2_free(struct sink *head)
{
	struct trace2_sink *sink = (struct trace2_sink *)head;

	while (sink->tracks)
		trace2_track_free(sink, sink->tracks);
	interval_table_release(&sink->totals);
	for (size_t i = 0; i < sink->nr_texts; i++)
		trace2_text_free(sink->texts[i]);
	free(sink->texts);
	trace2_categories_free(sink);
	trace2_text_free(sink->short_text);
	trace2_text_free(sink->label);
	trace2_session_free(sink->session);
	targets_close(&sink->settings);
	buffer_release(&sink->message);
	buffer_release(&sink->more);
	free(sink);
}

static const struct sink_ops trace2_sink = {
	.open = trace2_open,
	.event = trace2_event_write,
	.flush = trace2_flush,
	.free = trace2_free,
};

struct sink *sink_trace2_new(const struct sink_trace2_settings *settings, struct error *error)
{
	struct trace2_sink *sink = calloc(1, sizeof(*sink));
	struct sink_trace2_settings given = *settings;

	if (sink) {
		sink->sink.ops = &trace2_sink;
		sink->settings = *settings;
		sink->short_text = trace2_text_new((struct trace2_string){ .data = "", .size = 0 });
		sink->label = trace2_text_new((struct trace2_string){ .data = "", .size = 0 });
	}
	if (sink && sink->short_text && sink->label) {
		if (session_new(sink, error) == 0)
			return &sink->sink;
	} else {
		error_set(error, "out of memory");
	}
	if (sink)
		trace2_free(&sink->sink);
	else
		targets_close(&given);
	return NULL;
}
