// SPDX-License-Identifier: GPL-2.0-only
/* A window of time: what is open at its begin, and what crosses its end. */
#include "reader/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracedat/tracedat.h"

/* Of a part: a loss that no gap of the file states, at the end if no number of a record is. */
#define LOSS_AT_END UINT64_MAX
/* Lines of one number. */
#define NUMBERS_MAX 3
/* Losses before the window that may affect slices which are open at its begin. */
#define HELD_MAX 65536

/** enum window_phase - which records are read */
enum window_phase {
	WINDOW_BEFORE,
	WINDOW_WITHIN,
	WINDOW_BEHIND,
};

/** struct outside_use - what a record outside of the window is for */
struct outside_use {
	uint64_t number; /* of the record, in a part; as of struct record_copy otherwise */
	struct record_copy *begun_by; /* the record, unless it is in a part */
	bool is_taken;		      /* its event was found */
	struct window_use use;
};

/** struct open_list - what is open; @next: the first that was not begun again */
struct open_list {
	struct outside_use *list;
	size_t size;
	size_t next;
};

/** struct part_loss - a loss before the record of a number */
struct part_loss {
	uint64_t number;
	struct loss loss;
};

/**
 * struct window - the window of a pipeline
 * @from_ns, @to_ns: times of the trace clock
 * @workload, @narrow: the threads of struct part_state
 */
struct window {
	/* of the timeline behind the window; passes on ends of slices that cross */
	struct sink sink;
	struct pipeline *pipeline;
	enum window_phase phase;
	int64_t from_ns;
	int64_t to_ns;
	struct timeline quiet;	       /* the timeline before the window, without sinks */
	struct timeline behind;	       /* the timeline behind it */
	bool is_finishing;	       /* no record follows */
	int64_t end_ns;		       /* time of the last event that is shown */
	struct timeline_totals totals; /* of the window */
	const struct record *record; /* the record that is handled, and its copy if there is one */
	struct record_copy *copy;
	uint64_t nr_records; /* number of the next record */
	bool has_failed;     /* a copy is missing */
	bool has_too_many;   /* because of their limit */
	/* what the record is for, if it is outside of the window; @nr_current of them */
	struct outside_use *current;
	size_t nr_current;
	/* what is open at the begin of the window, until it was begun again */
	struct open_list open;
	bool is_entering; /* some of it was not, or the counters */
	/* losses before the window, which may reach into it or affect what is open */
	struct loss *held;
	size_t nr_held;
	/*
	 * Of the oldest open slice of each of @nr_buffers buffers, when there were @nr_tracks
	 * tracks; NULL if they are not known.
	 */
	int64_t *first_begins;
	size_t nr_buffers;
	size_t nr_tracks;
	bool is_part; /* of a part: its window, and what it states of records outside of that */
	int64_t part_from_ns;
	int64_t part_to_ns;
	enum window_phase place; /* the phase of the record in the part */
	uint64_t nr_outside;	 /* number of the next record outside of the part's window */
	struct outside_use *uses;
	size_t nr_uses;
	size_t next_use;
	struct part_loss *losses;
	size_t nr_losses;
	size_t next_loss;
	const char *numbers[NUMBERS_MAX]; /* lines of one number */
	size_t nr_numbers;
	char *text;	     /* of the lines */
	struct buffer lines; /* of the part that is saved */
	struct buffer workload;
	struct buffer narrow;
	uint64_t nr_saved;	  /* number of its next record outside of the window */
	struct window_use *ended; /* what the record ended, behind the window */
	size_t nr_ended;
	bool is_about_open; /* it is about a thread with open slices */
};

/* The window of a command line and of a file. */

/* The window of a part; false if the lines are of no part. */
static bool part_window_parse(const char *lines, int64_t *from_ns, int64_t *to_ns,
			      int64_t *origin_ns)
{
	long long from, to, origin;

	if (!lines || sscanf(lines, "window %lld %lld %lld\n", &from, &to, &origin) != 3 ||
	    origin < 0 || from < origin || to < from || to > RECORD_TIME_LIMIT)
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
		from_ns = filter->from_ns < RECORD_TIME_LIMIT - recording->start_ns
				  ? recording->start_ns + filter->from_ns
				  : RECORD_TIME_LIMIT;
	if (filter->to_ns > 0 && filter->to_ns < to_ns - recording->start_ns)
		to_ns = recording->start_ns + filter->to_ns;
	recording->from_ns = from_ns;
	recording->to_ns = to_ns;
}

static void part_number_take(struct tracks *tracks, const char *line)
{
	long long number;

	if (sscanf(line, "complete-from %lld", &number) == 1)
		tracks_complete_from(tracks, number);
	else if (sscanf(line, "complete-until %lld", &number) == 1)
		tracks_complete_until(tracks, number);
	else if (sscanf(line, "lost-tasks %lld", &number) == 1)
		tracks_lose_tasks(tracks, number > 0 ? number : 0);
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
	if (strncmp(line, "complete-", strlen("complete-")) == 0 ||
	    strncmp(line, "lost-tasks", strlen("lost-tasks")) == 0) {
		if (window->nr_numbers < NUMBERS_MAX)
			window->numbers[window->nr_numbers++] = line;
		return 0;
	}
	return tracks_load_state(window->pipeline->tracks, text_of(line));
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

/* Keeps what the record ends, if it is saved. */
static int ended_add(struct window *window, const char *category, uint64_t id, struct error *error)
{
	if (!window->pipeline->part_writer || !window->record)
		return 0;
	if (!array_reserve(window->ended, window->nr_ended))
		return error_set(error, "out of memory");
	window->ended[window->nr_ended++] = (struct window_use){ .category = category, .id = id };
	return 0;
}

static int behind_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct window *window = container_of(sink, struct window, sink);
	struct timeline_event shown = *event;

	switch (event->kind) {
	case TIMELINE_SLICE_END:
		if (!event->is_crossing)
			return 0;
		if (ended_add(window, event->track->category->text,
			      event->track->id.unsigned_number, error) < 0)
			return -1;
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

int time_window_open(struct pipeline *pipeline, const struct recording *recording,
		     struct error *error)
{
	static const struct sink_ops ops = { .event = behind_event, .free = behind_free };
	struct window *window = calloc(1, sizeof(*window));
	char *line, *rest;
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
	if (!window->is_part)
		return 0;
	rest = window->text = strdup(recording->part);
	if (!window->text)
		return error_set(error, "out of memory");
	while ((line = strsep(&rest, "\n"))) {
		if (part_line_take(window, line) < 0)
			return error_set(error, "out of memory");
	}
	return 0;
}

static void open_list_release(struct open_list *open)
{
	for (size_t i = 0; i < open->size; i++)
		record_copy_put(open->list[i].begun_by);
	free(open->list);
	*open = (struct open_list){ 0 };
}

void time_window_close(struct pipeline *pipeline)
{
	struct window *window = pipeline->window;

	if (!window)
		return;
	record_copy_put(window->copy);
	open_list_release(&window->open);
	buffer_release(&window->lines);
	buffer_release(&window->workload);
	buffer_release(&window->narrow);
	free(window->ended);
	free(window->held);
	free(window->first_begins);
	free(window->uses);
	free(window->losses);
	free(window->text);
	free(window);
	pipeline->window = NULL;
}

/* Limit of the records that began what is open before the window. */
#define COPIES_SIZE_MAX ((size_t)64 << 20)

struct record_copy *window_copy_record(void *context)
{
	struct window *window = ((struct pipeline *)context)->window;
	const struct record *record = window->record;

	if (!record)
		return NULL;
	if (!window->copy) {
		size_t *all_size = &((struct pipeline *)context)->copies_size;
		size_t size = sizeof(*window->copy) + record->size;

		window->has_too_many |= size > COPIES_SIZE_MAX - *all_size;
		if (!window->has_too_many)
			window->copy = malloc(size);
		window->has_failed |= !window->copy;
		if (!window->copy)
			return NULL;
		*all_size += size;
		*window->copy = (struct record_copy){ .users = 1,
						      .all_size = all_size,
						      .number = window->nr_records,
						      .record = *record };
		memcpy(window->copy->bytes, record->data, record->size);
		window->copy->record.data = window->copy->bytes;
	}
	window->copy->users++;
	return window->copy;
}

/* Begins what is open at the begin of the window. */

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

static int open_event_begin(struct pipeline *pipeline, const struct decoded_event *decoded,
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

static const struct event_visitor open_visitor = { .act = open_event_begin };

/* Lets the record be for the first of some uses; returns how many of them. */
static size_t uses_begin(struct window *window, struct outside_use *uses, size_t nr_uses)
{
	window->current = uses;
	window->nr_current = 0;
	while (window->nr_current < nr_uses && uses[window->nr_current].number == uses[0].number)
		window->nr_current++;
	return window->nr_current;
}

static void use_append(struct window *window, const struct window_use *use)
{
	buffer_printf(&window->lines, "use %llu %llu %llu %llu %s\n",
		      (unsigned long long)window->nr_saved, (unsigned long long)use->id,
		      (unsigned long long)use->owner, (unsigned long long)use->value,
		      use->category);
}

static void loss_line_append(struct window *window, uint64_t number, const struct loss *loss)
{
	buffer_printf(&window->lines, "lost %llu %u %d %lld %lld %lld\n",
		      (unsigned long long)number, loss->buffer, loss->cpu, (long long)loss->from_ns,
		      (long long)loss->to_ns, (long long)loss->count);
}

static int open_list_restore(struct pipeline *pipeline, int64_t until_ns, struct error *error)
{
	struct part_writer *writer = pipeline->part_writer;
	struct window *window = pipeline->window;
	struct open_list *open = &window->open;

	while (open->next < open->size) {
		struct outside_use *first = &open->list[open->next];
		const struct record *record = &first->begun_by->record;
		size_t same;

		if (record->time_ns > until_ns)
			return 0;
		same = uses_begin(window, first, open->size - open->next);
		for (size_t k = 0; writer && k < same; k++)
			use_append(window, &window->current[k].use);
		if (writer && part_writer_add(writer, record, error) < 0)
			return -1;
		window->nr_saved++;
		if (pipeline_visit_events(pipeline, record, &open_visitor, error) < 0)
			return -1;
		open->next += same;
	}
	return 0;
}

/*
 * The begin of the oldest open slice of a buffer, or INT64_MAX if none is open. Behind the window
 * tracks only end: without this, each of many losses would look at each of many tracks.
 */
static int first_begin_find(struct pipeline *pipeline, unsigned int buffer, int64_t *out,
			    struct error *error)
{
	const struct recording *recording = source_describe(pipeline->source);
	struct window *window = pipeline->window;
	size_t nr_tracks = tracks_number(pipeline->tracks);

	if (!window->first_begins) {
		window->nr_buffers = recording->buffers ? recording->nr_buffers : 1;
		window->first_begins = calloc(window->nr_buffers, sizeof(*window->first_begins));
		if (!window->first_begins)
			return error_set(error, "out of memory");
		window->nr_tracks = nr_tracks + 1;
	}
	if (window->nr_tracks != nr_tracks)
		tracks_first_begins(pipeline->tracks, window->first_begins, window->nr_buffers);
	window->nr_tracks = nr_tracks;
	*out = window->first_begins[buffer];
	return 0;
}

static int held_losses_show(struct pipeline *pipeline, struct error *error)
{
	struct window *window = pipeline->window;
	int64_t first_ns;

	for (size_t i = 0; i < window->nr_held; i++) {
		const struct loss *loss = &window->held[i];

		if (first_begin_find(pipeline, loss->buffer, &first_ns, error) < 0)
			return -1;
		if (loss->to_ns < window->from_ns && loss->to_ns <= first_ns)
			continue;
		loss_line_append(window, window->nr_saved, loss);
		pipeline_count_loss(pipeline, loss);
		if (tracks_show_loss(pipeline->tracks, loss, error) < 0)
			return -1;
	}
	return 0;
}

/* The first record of the window follows, or one behind it: keeps what is open, and forgets all. */
static int window_open_keep(struct pipeline *pipeline, struct error *error)
{
	struct window *window = pipeline->window;
	struct tracks *tracks = pipeline->tracks;
	struct open_list *open = &window->open;

	if (window->has_too_many)
		return error_set(error,
				 "--from: records that began slices which are open then have more "
				 "than 64 MiB; write another time");
	if (tracks_visit_open(tracks, open_list_add, open) < 0 || window->has_failed)
		return error_set(error, "out of memory");
	if (open->size > 0)
		qsort(open->list, open->size, sizeof(*open->list), outside_use_compare);
	if (pipeline->part_writer) {
		tracks_save_state(tracks, &window->lines);
		if (pipeline->workload)
			thread_set_append(pipeline->workload, &window->workload);
		if (pipeline->rules)
			rules_append_narrow(pipeline->rules, &window->narrow);
	}
	window->phase = WINDOW_WITHIN;
	window->is_entering = true;
	tracks_copy_records(tracks, false);
	tracks_clear(tracks);
	tracks_set_timeline(tracks, &pipeline->timeline);
	pipeline_forget_counts(pipeline);
	return 0;
}

bool pipeline_next_open(const struct pipeline *pipeline, int64_t *time_ns)
{
	const struct window *window = pipeline->window;
	const struct open_list *open;

	if (!window || !window->is_entering)
		return false;
	open = &window->open;
	*time_ns = open->next < open->size ? open->list[open->next].begun_by->record.time_ns
					   : window->from_ns;
	return true;
}

int pipeline_show_open(struct pipeline *pipeline, int64_t until_ns, struct error *error)
{
	struct window *window = pipeline->window;

	if (open_list_restore(pipeline, until_ns, error) < 0)
		return -1;
	if (window->open.next < window->open.size || window->from_ns > until_ns)
		return 0;
	window->is_entering = false;
	window->nr_current = 0;
	open_list_release(&window->open);
	return tracks_enter(pipeline->tracks, window->from_ns, error) < 0
		       ? -1
		       : held_losses_show(pipeline, error);
}

static int window_enter(struct pipeline *pipeline, struct error *error)
{
	return window_open_keep(pipeline, error) < 0
		       ? -1
		       : pipeline_show_open(pipeline, INT64_MAX, error);
}

static int window_leave(struct pipeline *pipeline, struct error *error)
{
	struct window *window = pipeline->window;

	window->phase = WINDOW_BEHIND;
	if (tracks_leave(pipeline->tracks, &window->totals, &window->end_ns, error) < 0)
		return -1;
	free(window->first_begins);
	window->first_begins = NULL;
	window->behind.last_ns = window->end_ns;
	tracks_set_timeline(pipeline->tracks, &window->behind);
	return 0;
}

/* Ends what crosses the end of the window. */

static int event_observe_behind(struct pipeline *pipeline, const struct decoded_event *decoded,
				bool is_rule, struct error *error)
{
	struct window *window = pipeline->window;
	bool is_apart = window->is_part && window->place == WINDOW_BEHIND;
	int status;

	if (is_apart && !use_take(window, decoded))
		return 0;
	status = tracks_observe_behind(pipeline->tracks, decoded, is_rule, is_apart, error);
	return status > 0 ? ended_add(window, decoded->descriptor->category,
				      decoded->scope_id.unsigned_number, error)
			  : status;
}

static const struct event_visitor behind_visitor = { .act = event_observe_behind };

static int record_behind(struct pipeline *pipeline, const struct record *record,
			 struct error *error)
{
	struct task_change change;
	uint16_t id;
	bool is_about_task = record_id(record, pipeline->convention->is_swapped, &id) &&
			     convention_read_task(pipeline->convention, id, record, &change);
	bool is_last = is_about_task && change.kind == TASK_CHANGE_GONE;

	pipeline->window->is_about_open = is_about_task && tracks_needs(pipeline->tracks, &change);
	/* New names and cgroups of threads are not shown. */
	if (is_about_task && !is_last && change.kind != TASK_CHANGE_NAMED &&
	    change.kind != TASK_CHANGE_MOVED && tracks_learn(pipeline->tracks, &change, error) < 0)
		return -1;
	if (pipeline_visit_events(pipeline, record, &behind_visitor, error) < 0)
		return -1;
	return is_last ? tracks_learn(pipeline->tracks, &change, error) : 0;
}

/*
 * Saves a record behind the window if it ended something, is the first, ends a gap, or is about a
 * thread with open slices.
 */
static int behind_save(struct pipeline *pipeline, const struct record *record, bool is_first,
		       struct error *error)
{
	struct window *window = pipeline->window;

	if (window->nr_ended == 0 && !is_first && !window->is_about_open &&
	    !part_writer_has_gap(pipeline->part_writer, record))
		return 0;
	for (size_t i = 0; i < window->nr_ended; i++)
		use_append(window, &window->ended[i]);
	window->nr_ended = 0;
	window->nr_saved++;
	return part_writer_add(pipeline->part_writer, record, error);
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

static int part_place(struct pipeline *pipeline, int64_t time_ns, struct error *error)
{
	struct window *window = pipeline->window;

	if (window->place == WINDOW_BEFORE && time_ns >= window->part_from_ns) {
		if (part_losses_take(pipeline, window->nr_outside, error) < 0)
			return -1;
		window->place = WINDOW_WITHIN;
	}
	if (window->place == WINDOW_WITHIN && time_ns > window->part_to_ns)
		window->place = WINDOW_BEHIND;
	return window->place == WINDOW_BEHIND
		       ? part_losses_take(pipeline, window->nr_outside, error)
		       : 0;
}

/* Finds what a record outside of the window of a part is for. */
static void part_uses_begin(struct window *window)
{
	window->nr_current = 0;
	if (window->place == WINDOW_WITHIN)
		return;
	while (window->next_use < window->nr_uses &&
	       window->uses[window->next_use].number < window->nr_outside)
		window->next_use++;
	if (window->next_use < window->nr_uses &&
	    window->uses[window->next_use].number == window->nr_outside)
		uses_begin(window, &window->uses[window->next_use],
			   window->nr_uses - window->next_use);
	window->nr_outside++;
}

/* Enters and leaves the window; @is_first: the record is the first one behind it. */
static int window_move(struct pipeline *pipeline, const struct record *record, bool *is_first,
		       struct error *error)
{
	struct window *window = pipeline->window;

	*is_first = false;
	if (window->is_part && part_place(pipeline, record->time_ns, error) < 0)
		return -1;
	if (window->phase == WINDOW_BEFORE && record->time_ns >= window->from_ns &&
	    window_enter(pipeline, error) < 0)
		return -1;
	if (window->phase == WINDOW_WITHIN && record->time_ns > window->to_ns) {
		*is_first = true;
		if (window_leave(pipeline, error) < 0)
			return -1;
	}
	if (window->is_part)
		part_uses_begin(window);
	return 0;
}

static int record_in_phase(struct pipeline *pipeline, const struct record *record,
			   struct error *error)
{
	struct part_writer *writer = pipeline->part_writer;
	struct window *window = pipeline->window;
	bool is_first;

	if (window_move(pipeline, record, &is_first, error) < 0)
		return -1;
	if (window->phase == WINDOW_BEHIND) {
		if (record_behind(pipeline, record, error) < 0)
			return -1;
		return writer ? behind_save(pipeline, record, is_first, error) : 0;
	}
	if (window->phase == WINDOW_WITHIN && writer && part_writer_add(writer, record, error) < 0)
		return -1;
	return window->phase == WINDOW_BEFORE && window->is_part && window->place == WINDOW_BEFORE
		       ? pipeline_visit_events(pipeline, record, &open_visitor, error)
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
	int64_t first_ns;

	/* The kernel's sums cover the whole recording. */
	if (loss->is_sum)
		return 0;
	if (window->phase == WINDOW_BEFORE)
		return loss_hold(window, loss, error) < 0
			       ? -1
			       : tracks_lose(pipeline->tracks, loss, error);
	/* Behind the window, it matters only to slices that are open. */
	if (window->phase == WINDOW_BEHIND && loss->from_ns > window->to_ns) {
		if (first_begin_find(pipeline, loss->buffer, &first_ns, error) < 0)
			return -1;
		if (first_ns == INT64_MAX)
			return 0;
	}
	if (pipeline->part_writer && (loss->to_ns == INT64_MAX || window->phase == WINDOW_BEHIND))
		loss_line_append(window, loss->to_ns == INT64_MAX ? LOSS_AT_END : window->nr_saved,
				 loss);
	else if (pipeline->part_writer &&
		 part_writer_add_gap(pipeline->part_writer, loss, error) < 0)
		return -1;
	pipeline_count_loss(pipeline, loss);
	return tracks_lose(pipeline->tracks, loss, error);
}

int pipeline_enter_window(struct pipeline *pipeline, int64_t next_ns, struct error *error)
{
	struct window *window = pipeline->window;

	if (window->is_part && part_place(pipeline, next_ns, error) < 0)
		return -1;
	return window_open_keep(pipeline, error);
}

int pipeline_end_window(struct pipeline *pipeline, struct error *error)
{
	struct window *window = pipeline->window;

	if (!window)
		return 0;
	if (window->phase != WINDOW_BEFORE) {
		window->place = WINDOW_BEHIND;
		window->is_finishing = true;
		for (size_t i = 0; i < window->nr_numbers; i++)
			part_number_take(pipeline->tracks, window->numbers[i]);
		return part_losses_take(pipeline, LOSS_AT_END, error);
	}
	/* The recording ended earlier. */
	tracks_clear(pipeline->tracks);
	tracks_set_timeline(pipeline->tracks, &pipeline->timeline);
	pipeline_forget_counts(pipeline);
	return 0;
}

int pipeline_save_part(struct pipeline *pipeline, const struct recording *recording,
		       const struct source_span *complete, uint64_t *nr_records,
		       struct error *error)
{
	uint64_t lost_tasks = source_lost_sideband(pipeline->source);
	struct window *window = pipeline->window;
	struct part_state state = { .workload = pipeline->workload
							? buffer_string(&window->workload)
							: NULL,
				    /* Without rules nobody followed these threads. */
				    .narrow = !pipeline->rules ? recording->narrow
					      : window->narrow.size > 0 || recording->narrow
						      ? buffer_string(&window->narrow)
						      : NULL };
	SCOPED_BUFFER(lines);

	if (window->phase == WINDOW_BEFORE)
		return error_set(error,
				 "--from: %s has no record of that time; write an earlier one",
				 recording->source);
	buffer_printf(&lines, "window %lld %lld %lld\n", (long long)window->from_ns,
		      (long long)window->to_ns, (long long)recording->start_ns);
	if (complete->has_from)
		buffer_printf(&lines, "complete-from %lld\n", (long long)complete->from_ns);
	if (complete->has_until)
		buffer_printf(&lines, "complete-until %lld\n", (long long)complete->until_ns);
	if (lost_tasks > 0)
		buffer_printf(&lines, "lost-tasks %llu\n", (unsigned long long)lost_tasks);
	for (size_t i = 0; i < window->nr_numbers; i++)
		buffer_printf(&lines, "%s\n", window->numbers[i]);
	buffer_append(&lines, window->lines.data, window->lines.size);
	state.lines = buffer_string(&lines);
	return lines.failed || window->lines.failed || window->workload.failed ||
			       window->narrow.failed
		       ? error_set(error, "out of memory")
		       : part_writer_finish(pipeline->part_writer, &state, nr_records, error);
}
