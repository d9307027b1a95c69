// SPDX-License-Identifier: GPL-2.0-only
/* A window of time: what is open at its begin, and what crosses its end. */
#include "reader/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a part: a loss that no gap of the file states, at the end if no number of a record is. */
#define LOSS_AT_END UINT64_MAX

/* Losses before the window that may affect slices which are open at its begin. */
#define HELD_MAX 65536

/** enum window_phase - which records are read */
enum window_phase {
	WINDOW_BEFORE,
	WINDOW_WITHIN,
	WINDOW_BEHIND,
};

/**
 * struct outside_use - what a record outside of the window is for
 * @number: of the record, in a part; as of struct record_copy otherwise
 * @begun_by: the record, unless it is in a part
 * @is_taken: its event was found
 */
struct outside_use {
	uint64_t number;
	struct record_copy *begun_by;
	bool is_taken;
	struct window_use use;
};

/** struct part_loss - a loss before the record of a number */
struct part_loss {
	uint64_t number;
	struct loss loss;
};

/**
 * struct window - the window of a pipeline
 * @sink: of the timeline behind the window; passes on ends of slices that cross
 * @from_ns, @to_ns: times of the trace clock
 * @quiet: the timeline before the window, without sinks
 * @behind: the timeline behind it
 * @is_finishing: no record follows
 * @end_ns: time of the last event that is shown
 * @totals: of the window
 * @record: the record that is handled, and its copy if there is one
 * @nr_records: number of the next record
 * @has_failed: memory for a copy ran out
 * @current: what the record is for, if it is outside of the window; @nr_current of them
 * @held: losses before the window, which may reach into it or affect what is open
 * @is_part: of a part: its window, and what it states of records outside of that
 * @place: the phase of the record in the part
 * @nr_outside: number of the next record outside of the part's window
 * @text: of the lines
 */
struct window {
	struct sink sink;
	struct pipeline *pipeline;
	enum window_phase phase;
	int64_t from_ns;
	int64_t to_ns;
	struct timeline quiet;
	struct timeline behind;
	bool is_finishing;
	int64_t end_ns;
	struct timeline_totals totals;
	const struct record *record;
	struct record_copy *copy;
	uint64_t nr_records;
	bool has_failed;
	struct outside_use *current;
	size_t nr_current;
	struct loss *held;
	size_t nr_held;
	bool is_part;
	int64_t part_from_ns;
	int64_t part_to_ns;
	enum window_phase place;
	uint64_t nr_outside;
	struct outside_use *uses;
	size_t nr_uses;
	size_t next_use;
	struct part_loss *losses;
	size_t nr_losses;
	size_t next_loss;
	char *text;
};

/* The window of a command line and of a file. */

/* The window of a part; false if the lines are of no part. */
static bool part_window_parse(const char *lines, int64_t *from_ns, int64_t *to_ns,
			      int64_t *origin_ns)
{
	long long from, to, origin;

	if (!lines || sscanf(lines, "window %lld %lld %lld\n", &from, &to, &origin) != 3 ||
	    origin < 0 || from < origin || to < from || to >= RECORD_TIME_LIMIT)
		return false;
	*from_ns = from;
	*to_ns = to;
	*origin_ns = origin;
	return true;
}

void recording_set_origin(struct recording *recording)
{
	int64_t from_ns, to_ns, origin_ns;

	if (part_window_parse(recording->part, &from_ns, &to_ns, &origin_ns))
		recording->start_ns = origin_ns;
}

void recording_set_window(struct recording *recording, const struct filter *filter)
{
	int64_t from_ns = 0, to_ns = RECORD_TIME_LIMIT, origin_ns;

	recording->has_window = filter->from_ns > 0 || filter->to_ns > 0;
	if (part_window_parse(recording->part, &from_ns, &to_ns, &origin_ns))
		recording->has_window = true;
	if (filter->from_ns > from_ns - recording->start_ns)
		from_ns = recording->start_ns + filter->from_ns;
	if (filter->to_ns > 0 && filter->to_ns < to_ns - recording->start_ns)
		to_ns = recording->start_ns + filter->to_ns;
	recording->from_ns = from_ns;
	recording->to_ns = to_ns;
}

/* Takes a line; its text ends with a NUL, and lives as long as the window. */
static int part_line_take(struct window *window, char *line)
{
	unsigned long long number, id, owner, value;
	struct loss loss = { 0 };
	long long from_ns, to_ns, count;
	int size = 0;

	if (sscanf(line, "use %llu %llu %llu %llu %n", &number, &id, &owner, &value, &size) == 4 &&
	    size > 0) {
		if (!array_reserve(window->uses, window->nr_uses))
			return -1;
		window->uses[window->nr_uses++] = (struct outside_use){
			.number = number, .use = { line + size, id, owner, value }
		};
		return 0;
	}
	if (sscanf(line, "lost %llu %u %d %lld %lld %lld", &number, &loss.buffer, &loss.cpu,
		   &from_ns, &to_ns, &count) == 6) {
		const struct recording *recording = source_describe(window->pipeline->source);
		size_t nr_buffers = recording->buffers ? recording->nr_buffers : 1;

		if (loss.cpu < 0 || (uint64_t)loss.cpu >= recording->nr_cpus ||
		    loss.buffer >= nr_buffers || from_ns < 0 || to_ns < from_ns ||
		    count < LOSS_COUNT_UNKNOWN)
			return 0;
		if (!array_reserve(window->losses, window->nr_losses))
			return -1;
		loss.from_ns = from_ns;
		loss.to_ns = to_ns;
		loss.count = count;
		window->losses[window->nr_losses++] = (struct part_loss){ number, loss };
		return 0;
	}
	return tracks_load_state(window->pipeline->tracks, text_of(line));
}

static int part_lines_take(struct window *window, const char *lines)
{
	char *line;

	window->text = strdup(lines);
	if (!window->text)
		return -1;
	for (char *rest = window->text; (line = strsep(&rest, "\n"));) {
		if (part_line_take(window, line) < 0)
			return -1;
	}
	return 0;
}

/* Behind the window: ends of slices that cross its end, and of their tracks, are passed on. */

static int behind_finish(struct window *window, const struct timeline_event *event,
			 struct error *error)
{
	struct timeline_event last = *event;
	struct timeline_totals totals = window->totals;

	totals.foreign_ends += event->totals->foreign_ends;
	totals.lost_records = event->totals->lost_records;
	totals.lost_task_records = event->totals->lost_task_records;
	totals.has_complete_from = event->totals->has_complete_from;
	totals.complete_from_ns = event->totals->complete_from_ns;
	totals.has_complete_until = event->totals->has_complete_until;
	totals.complete_until_ns = event->totals->complete_until_ns;
	totals.malformed_of = event->totals->malformed_of;
	totals.nr_malformed_of = event->totals->nr_malformed_of;
	last.time_ns = window->end_ns;
	last.totals = &totals;
	return timeline_push(&window->pipeline->timeline, &last, error);
}

static int behind_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct window *window = container_of(sink, struct window, sink);
	struct timeline_event shown = *event;

	switch (event->kind) {
	case TIMELINE_SLICE_END:
		if (!event->is_crossing)
			return 0;
		window->totals.suspect += event->is_suspect;
		window->totals.unfinished += event->is_unfinished;
		if (!window->is_finishing && event->time_ns > window->end_ns)
			window->end_ns = event->time_ns;
		break;
	case TIMELINE_SLICE_BEGIN:
		/* A thread has another id, and so its slices another track. */
		if (!event->is_crossing)
			return 0;
		shown.is_crossing = false;
		break;
	case TIMELINE_TRACK_BEGIN:
	case TIMELINE_TRACK_END:
	case TIMELINE_FOREIGN_END:
		break;
	case TIMELINE_LOSS:
		window->totals.lost_gaps++;
		window->totals.lost_gaps_unknown += event->loss_count == TIMELINE_COUNT_UNKNOWN;
		break;
	case TIMELINE_FINISH:
		return behind_finish(window, event, error);
	default:
		return 0;
	}
	shown.time_ns = window->end_ns;
	return timeline_push(&window->pipeline->timeline, &shown, error);
}

static void behind_free(struct sink *sink)
{
	(void)sink;
}

int window_open(struct pipeline *pipeline, const struct recording *recording, struct error *error)
{
	static const struct sink_ops ops = { .event = behind_event, .free = behind_free };
	struct window *window = calloc(1, sizeof(*window));
	int64_t origin_ns;

	if (!window)
		return error_set(error, "out of memory");
	pipeline->window = window;
	*window = (struct window){ .sink = { .ops = &ops },
				   .pipeline = pipeline,
				   .from_ns = recording->from_ns,
				   .to_ns = recording->to_ns };
	if (timeline_add(&window->behind, &window->sink, error) < 0)
		return -1;
	window->is_part = part_window_parse(recording->part, &window->part_from_ns,
					    &window->part_to_ns, &origin_ns);
	tracks_set_timeline(pipeline->tracks, &window->quiet);
	tracks_copy_records(pipeline->tracks, true);
	return window->is_part && part_lines_take(window, recording->part) < 0
		       ? error_set(error, "out of memory")
		       : 0;
}

void window_close(struct pipeline *pipeline)
{
	struct window *window = pipeline->window;

	if (!window)
		return;
	record_copy_put(window->copy);
	free(window->held);
	free(window->uses);
	free(window->losses);
	free(window->text);
	free(window);
	pipeline->window = NULL;
}

struct record_copy *window_copy_record(void *context)
{
	struct window *window = ((struct pipeline *)context)->window;
	const struct record *record = window->record;

	if (!record)
		return NULL;
	if (!window->copy) {
		window->copy = malloc(sizeof(*window->copy) + record->size);
		window->has_failed |= !window->copy;
		if (!window->copy)
			return NULL;
		*window->copy = (struct record_copy){ .users = 1,
						      .number = window->nr_records,
						      .record = *record };
		memcpy(window->copy->bytes, record->data, record->size);
		window->copy->record.data = window->copy->bytes;
	}
	window->copy->users++;
	return window->copy;
}

/* Begins what is open at the begin of the window. */

/** struct open_list - what is open */
struct open_list {
	struct outside_use *list;
	size_t size;
};

static int open_list_add(void *context, struct record_copy *begun_by, const struct window_use *use)
{
	struct open_list *open = context;

	if (!array_reserve(open->list, open->size))
		return -1;
	begun_by->users++;
	open->list[open->size++] = (struct outside_use){ .number = begun_by->number,
							 .begun_by = begun_by,
							 .use = *use };
	return 0;
}

static void open_list_release(struct open_list *open)
{
	for (size_t i = 0; i < open->size; i++)
		record_copy_put(open->list[i].begun_by);
	free(open->list);
}

/* The order does not depend on hashes. */
static int outside_use_compare(const void *a, const void *b)
{
	const struct outside_use *first = a, *second = b;
	int order = (first->number > second->number) - (first->number < second->number);

	if (order == 0)
		order = strcmp(first->use.category, second->use.category);
	return order ? order : (first->use.id > second->use.id) - (first->use.id < second->use.id);
}

/* What the record is for of an event; NULL if it is not for that. */
static const struct window_use *use_take(struct window *window, const struct decoded_event *decoded)
{
	for (size_t i = 0; i < window->nr_current; i++) {
		struct outside_use *one = &window->current[i];

		if (one->is_taken || one->use.id != decoded->scope_id.unsigned_number ||
		    strcmp(one->use.category, decoded->descriptor->category) != 0)
			continue;
		one->is_taken = true;
		return &one->use;
	}
	return NULL;
}

static int event_restore(struct pipeline *pipeline, const struct decoded_event *decoded,
			 bool is_rule, struct error *error)
{
	const struct window_use *use;

	(void)is_rule;
	if (decoded->kind != DECODED_BEGIN && decoded->kind != DECODED_STATE &&
	    decoded->kind != DECODED_CHANGE && decoded->kind != DECODED_FLOW_BEGIN)
		return 0;
	use = use_take(pipeline->window, decoded);
	return use ? tracks_restore(pipeline->tracks, decoded, use, error) : 0;
}

/* Lets the record be for the first of some uses; returns how many of them. */
static size_t uses_begin(struct window *window, struct outside_use *uses, size_t nr_uses)
{
	window->current = uses;
	window->nr_current = 0;
	while (window->nr_current < nr_uses &&
	       uses[window->nr_current].number == uses[0].number)
		window->nr_current++;
	return window->nr_current;
}

static int open_list_restore(struct pipeline *pipeline, struct open_list *open, struct error *error)
{
	struct window *window = pipeline->window;
	size_t same;

	for (size_t i = 0; i < open->size; i += same) {
		const struct record *record = &open->list[i].begun_by->record;

		same = uses_begin(window, &open->list[i], open->size - i);
		if (pipeline_visit_events(pipeline, record, event_restore, error) < 0)
			return -1;
	}
	return 0;
}

static int held_losses_show(struct pipeline *pipeline, struct error *error)
{
	struct window *window = pipeline->window;
	int64_t first_ns = tracks_first_begin(pipeline->tracks);

	for (size_t i = 0; i < window->nr_held; i++) {
		const struct loss *loss = &window->held[i];

		if (loss->to_ns < window->from_ns && loss->to_ns <= first_ns)
			continue;
		pipeline_count_loss(pipeline, loss);
		if (tracks_show_loss(pipeline->tracks, loss, error) < 0)
			return -1;
	}
	return 0;
}

/* The first record of the window follows, or one behind it. */
static int window_enter(struct pipeline *pipeline, struct error *error)
{
	struct window *window = pipeline->window;
	struct tracks *tracks = pipeline->tracks;
	struct open_list open = { 0 };
	int status = tracks_visit_open(tracks, open_list_add, &open);

	if (status < 0 || window->has_failed) {
		open_list_release(&open);
		return error_set(error, "out of memory");
	}
	if (open.size > 0)
		qsort(open.list, open.size, sizeof(*open.list), outside_use_compare);
	window->phase = WINDOW_WITHIN;
	tracks_copy_records(tracks, false);
	tracks_clear(tracks);
	tracks_set_timeline(tracks, &pipeline->timeline);
	pipeline_forget_counts(pipeline);
	status = open_list_restore(pipeline, &open, error);
	open_list_release(&open);
	window->nr_current = 0;
	if (status < 0 || tracks_enter(tracks, window->from_ns, error) < 0)
		return -1;
	return held_losses_show(pipeline, error);
}

static int window_leave(struct pipeline *pipeline, struct error *error)
{
	struct window *window = pipeline->window;

	window->phase = WINDOW_BEHIND;
	if (tracks_leave(pipeline->tracks, &window->totals, &window->end_ns, error) < 0)
		return -1;
	window->behind.last_ns = window->end_ns;
	tracks_set_timeline(pipeline->tracks, &window->behind);
	return 0;
}

/* Ends what crosses the end of the window. */

static int event_observe_behind(struct pipeline *pipeline, const struct decoded_event *decoded,
				bool is_rule, struct error *error)
{
	const struct window *window = pipeline->window;

	if (window->place == WINDOW_BEHIND && !use_take(pipeline->window, decoded))
		return 0;
	return tracks_observe_behind(pipeline->tracks, decoded, is_rule, error);
}

/* New names of threads are not shown. */
static int behind_learn(struct pipeline *pipeline, const struct task_change *change,
			struct error *error)
{
	if (change->kind == TASK_CHANGE_NAMED)
		return 0;
	return tracks_learn(pipeline->tracks, change, error);
}

static int record_behind(struct pipeline *pipeline, const struct record *record,
			 struct error *error)
{
	struct task_change change;
	uint16_t id;
	bool is_about_task = record_id(record, pipeline->convention->is_swapped, &id) &&
			     convention_read_task(pipeline->convention, id, record, &change);
	bool is_last = is_about_task && change.kind == TASK_CHANGE_GONE;

	if (is_about_task && !is_last && behind_learn(pipeline, &change, error) < 0)
		return -1;
	if (pipeline_visit_events(pipeline, record, event_observe_behind, error) < 0)
		return -1;
	return is_last ? behind_learn(pipeline, &change, error) : 0;
}

/* Keeps a loss before the window; of too many, the later ones. */
static int loss_hold(struct window *window, const struct loss *loss, struct error *error)
{
	if (window->nr_held == HELD_MAX) {
		window->nr_held /= 2;
		memmove(window->held, window->held + window->nr_held,
			window->nr_held * sizeof(*window->held));
	}
	if (!array_reserve(window->held, window->nr_held))
		return error_set(error, "out of memory");
	window->held[window->nr_held++] = *loss;
	return 0;
}

/* Losses that no gap of a part states, before the record of a number. */
static int part_losses_take(struct pipeline *pipeline, uint64_t number, struct error *error)
{
	struct window *window = pipeline->window;

	while (window->next_loss < window->nr_losses &&
	       window->losses[window->next_loss].number <= number) {
		const struct loss *loss = &window->losses[window->next_loss++].loss;

		/* Those before the window are part of the state already. */
		if ((window->place == WINDOW_BEFORE ? loss_hold(window, loss, error)
						    : window_lose(pipeline, loss, error)) < 0)
			return -1;
	}
	return 0;
}

/* Finds where a record is in a part, and what it is for if it is outside of that window. */
static int part_place(struct pipeline *pipeline, const struct record *record, struct error *error)
{
	struct window *window = pipeline->window;

	if (window->place == WINDOW_BEFORE && record->time_ns >= window->part_from_ns) {
		if (part_losses_take(pipeline, window->nr_outside, error) < 0)
			return -1;
		window->place = WINDOW_WITHIN;
	}
	if (window->place == WINDOW_WITHIN && record->time_ns > window->part_to_ns)
		window->place = WINDOW_BEHIND;
	window->nr_current = 0;
	if (window->place == WINDOW_WITHIN)
		return 0;
	if (window->place == WINDOW_BEHIND &&
	    part_losses_take(pipeline, window->nr_outside, error) < 0)
		return -1;
	while (window->next_use < window->nr_uses &&
	       window->uses[window->next_use].number < window->nr_outside)
		window->next_use++;
	if (window->next_use < window->nr_uses &&
	    window->uses[window->next_use].number == window->nr_outside)
		uses_begin(window, &window->uses[window->next_use],
			   window->nr_uses - window->next_use);
	window->nr_outside++;
	return 0;
}

static int record_in_phase(struct pipeline *pipeline, const struct record *record,
			   struct error *error)
{
	struct window *window = pipeline->window;

	if (window->is_part && part_place(pipeline, record, error) < 0)
		return -1;
	if (window->phase == WINDOW_BEFORE && record->time_ns >= window->from_ns &&
	    window_enter(pipeline, error) < 0)
		return -1;
	if (window->phase == WINDOW_WITHIN && record->time_ns > window->to_ns &&
	    window_leave(pipeline, error) < 0)
		return -1;
	if (window->phase == WINDOW_BEHIND)
		return record_behind(pipeline, record, error);
	return window->phase == WINDOW_BEFORE && window->is_part && window->place == WINDOW_BEFORE
		       ? pipeline_visit_events(pipeline, record, event_restore, error)
		       : pipeline_apply(pipeline, record, error);
}

int window_record(void *context, const struct record *record, struct error *error)
{
	struct pipeline *pipeline = context;
	struct window *window = pipeline->window;
	int status;

	window->record = record;
	status = record_in_phase(pipeline, record, error);
	window->record = NULL;
	record_copy_put(window->copy);
	window->copy = NULL;
	window->nr_records++;
	return status;
}

int window_lose(struct pipeline *pipeline, const struct loss *loss, struct error *error)
{
	struct window *window = pipeline->window;

	/* The kernel's sums cover the whole recording. */
	if (loss->is_sum)
		return 0;
	if (window->phase == WINDOW_BEFORE)
		return loss_hold(window, loss, error) < 0
			       ? -1
			       : tracks_lose(pipeline->tracks, loss, error);
	/* Behind the window, it matters only to slices that are open. */
	if (window->phase == WINDOW_BEHIND && loss->from_ns > window->to_ns &&
	    tracks_first_begin(pipeline->tracks) == INT64_MAX)
		return 0;
	pipeline_count_loss(pipeline, loss);
	return tracks_lose(pipeline->tracks, loss, error);
}

int pipeline_end_window(struct pipeline *pipeline, struct error *error)
{
	struct window *window = pipeline->window;

	if (!window)
		return 0;
	if (window->phase != WINDOW_BEFORE) {
		window->place = WINDOW_BEHIND;
		window->is_finishing = true;
		return part_losses_take(pipeline, LOSS_AT_END, error);
	}
	/* The recording ended earlier. */
	tracks_clear(pipeline->tracks);
	tracks_set_timeline(pipeline->tracks, &pipeline->timeline);
	pipeline_forget_counts(pipeline);
	return 0;
}
