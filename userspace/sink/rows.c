// SPDX-License-Identifier: GPL-2.0-only
/* Lays the slices of a thread out on rows. */
#include "sink/rows.h"

#include <stdlib.h>
#include <string.h>

/** struct row_held - an end without a record; track and name may be freed before it is written */
struct row_held {
	struct timeline_track track;
	struct timeline_name name;
	struct timeline_event event;
	char text[];
};

struct row_slice {
	struct row_track *track;
	struct timeline_name *name;
	int64_t begin_ns;
	unsigned int depth;    /* on its track */
	struct row_held *held; /* its end; NULL if it has not ended */
};

/** struct row_thread - a thread that has tracks */
struct row_thread {
	const struct timeline_machine *machine; /* this and the next, as in struct timeline_track */
	uint64_t id;
	int cpu;
	int64_t born_ns;		  /* may become known late */
	const struct timeline_track *own; /* the track, if it has a row of its own; else NULL */
	unsigned int nr_tracks;
	unsigned int nr_held; /* ends that are held, since @held_ns */
	int64_t held_ns;
	unsigned int nr_rows;
	struct row *rows[ROWS_MAX + 1];
};

bool rows_take_track(const struct timeline_track *track)
{
	return track->kind == TRACK_SLICES && track->scope == SCOPE_THREAD && track->lane == 0 &&
	       track->nr_outer == 0 && !track->is_state;
}

static uint64_t thread_hash(const struct timeline_track *track)
{
	const uint64_t numbers[] = { track->id.unsigned_number, (uint64_t)track->cpu + 1,
				     track->machine ? track->machine->number : 0 };

	return hash_numbers(0, numbers, sizeof(numbers) / sizeof(numbers[0]));
}

static bool is_of_track(const void *value, const void *key)
{
	const struct row_thread *thread = value;
	const struct timeline_track *track = key;

	return !thread->own && thread->id == track->id.unsigned_number &&
	       thread->cpu == track->cpu && thread->machine == track->machine &&
	       (thread->born_ns == track->born_ns || thread->born_ns == 0 || track->born_ns == 0);
}

static bool is_own(const void *value, const void *key)
{
	return ((const struct row_thread *)value)->own == key;
}

static struct row *row_new(struct row_thread *thread)
{
	struct row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->thread = thread;
	row->last_end_ns = INT64_MIN;
	thread->rows[thread->nr_rows++] = row;
	row->number = thread->nr_rows;
	return row;
}

static void row_thread_free(struct row_thread *thread)
{
	for (unsigned int i = 0; i < thread->nr_rows; i++) {
		struct row *row = thread->rows[i];

		for (unsigned int k = 0; k < row->nr_open; k++)
			free(row->open[k].held);
		free(row->open);
		free(row->data);
		free(row);
	}
	free(thread);
}

static struct row_thread *row_thread_new(struct rows *rows, const struct timeline_track *track)
{
	struct row_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->machine = track->machine;
	thread->id = track->id.unsigned_number;
	thread->cpu = track->cpu;
	thread->born_ns = track->born_ns;
	thread->own = rows->has_one_row ? track : NULL;
	if (!row_new(thread) || map_insert(&rows->threads, thread_hash(track), thread) < 0) {
		row_thread_free(thread);
		return NULL;
	}
	return thread;
}

void rows_track_begin(struct rows *rows, struct row_track *track, struct timeline_track *shown)
{
	struct row_thread *thread = map_find(&rows->threads, thread_hash(shown),
					     rows->has_one_row ? is_own : is_of_track, shown);

	if (!thread)
		thread = row_thread_new(rows, shown);
	if (!thread) {
		rows->has_failed = true;
		return;
	}
	thread->nr_tracks++;
	if (thread->born_ns == 0)
		thread->born_ns = shown->born_ns;
	*track = (struct row_track){ .row = thread->rows[0], .shown = shown };
}

void rows_track_end(struct rows *rows, struct row_track *track)
{
	struct row_thread *thread = track->row->thread;

	if (--thread->nr_tracks > 0)
		return;
	map_remove(&rows->threads, thread_hash(track->shown), thread);
	row_thread_free(thread);
}

/* Whether slices that are on it are not drawn any more. */
static bool row_is_beyond(const struct row *row)
{
	return row->number > ROWS_MAX;
}

static void row_write(struct rows *rows, struct row *row, unsigned int depth,
		      const struct timeline_event *event)
{
	const struct row_place place = { .row = row, .depth = depth };

	if (rows->write && !row_is_beyond(row))
		rows->write(rows->context, &place, event);
}

/* The end of a slice on a row that it leaves, or its begin on another one. */
static void cut_write(struct rows *rows, struct row *row, unsigned int index,
		      enum timeline_kind kind, int64_t time_ns)
{
	const struct row_slice *slice = &row->open[index];
	const struct timeline_event event = {
		.kind = kind,
		.depth = slice->depth,
		.time_ns = time_ns,
		.track = slice->track->shown,
		.name = slice->name,
		.tid = -1,
		.cpu = -1,
		.comm = "",
		.begin_ns = slice->begin_ns,
		.is_cut = true,
	};

	row_write(rows, row, index + 1, &event);
}

static out_of_line bool row_grow(struct row *row)
{
	unsigned int size = row->size > 0 ? 2 * row->size : 4;
	struct row_slice *open = reallocarray(row->open, size, sizeof(*open));

	if (!open)
		return false;
	row->open = open;
	row->size = size;
	return true;
}

/* Opens a slice on a row, which is NULL if there was no memory for it. */
hot_inline bool row_push(struct rows *rows, struct row *row, const struct row_slice *slice)
{
	if (unlikely(!row || (row->nr_open == row->size && !row_grow(row)))) {
		rows->has_failed = true;
		return false;
	}
	row->open[row->nr_open++] = *slice;
	return true;
}

/* Whether a slice neither crosses one of the row nor covers one that began before it. */
static bool row_fits(const struct row *row, const struct row_slice *slice)
{
	if (row->last_end_ns > slice->begin_ns)
		return false;
	return row->nr_open == 0 || row->open[row->nr_open - 1].begin_ns <= slice->begin_ns;
}

static struct row *row_behind(struct row *row, const struct row_slice *slice)
{
	struct row_thread *thread = row->thread;

	for (unsigned int i = row->number; i < thread->nr_rows && i < ROWS_MAX; i++) {
		if (row_fits(thread->rows[i], slice))
			return thread->rows[i];
	}
	return thread->nr_rows <= ROWS_MAX ? row_new(thread) : thread->rows[ROWS_MAX];
}

static void slice_move(struct rows *rows, struct row *row, const struct row_slice *slice,
		       int64_t time_ns)
{
	struct row *next = rows->has_one_row ? row : row_behind(row, slice);

	if (!row_push(rows, next, slice))
		return;
	if (next->number > slice->track->row->number && !row_is_beyond(next) &&
	    !slice->track->has_crossed)
		slice->track->row = next;
	cut_write(rows, next, next->nr_open - 1, TIMELINE_SLICE_BEGIN, time_ns);
}

/* Writes ends that were held for the innermost slice, which has ended. */
static void held_write(struct rows *rows, struct row *row)
{
	while (row->nr_open > 0 && row->open[row->nr_open - 1].held) {
		struct row_held *held = row->open[row->nr_open - 1].held;

		row_write(rows, row, row->nr_open--, &held->event);
		row->thread->nr_held--;
		free(held);
	}
}

/* Ends the slice at @index; those inside of it, which cross it, move. */
static void row_end_at(struct rows *rows, struct row *row, unsigned int index,
		       const struct timeline_event *end)
{
	unsigned int nr_open = row->nr_open;

	if (row_is_beyond(row)) {
		memmove(&row->open[index], &row->open[index + 1],
			(--row->nr_open - index) * sizeof(*row->open));
		return;
	}
	for (unsigned int i = nr_open - 1; i > index; i--) {
		row->open[i].track->has_crossed |= row->open[i].track == row->open[index].track &&
						   !rows->has_one_row;
		cut_write(rows, row, i, TIMELINE_SLICE_END, end->time_ns);
	}
	row_write(rows, row, index + 1, end);
	row->nr_open = index;
	row->last_end_ns = end->time_ns;
	for (unsigned int i = index + 1; i < nr_open; i++)
		slice_move(rows, row, &row->open[i], end->time_ns);
	held_write(rows, row);
}

/* The slices inside of one whose end is held go on. */
static void held_end(struct rows *rows, struct row *row)
{
	for (unsigned int index = row->nr_open; index > 0; index--) {
		struct row_held *held = row->open[index - 1].held;

		if (!held)
			continue;
		row->open[index - 1].held = NULL;
		row->thread->nr_held--;
		row_end_at(rows, row, index - 1, &held->event);
		free(held);
		index = row->nr_open + 1;
	}
}

/* A slice that is continued ends without a record only if the session ends: nobody wrote that. */
static bool has_no_record(const struct timeline_event *event)
{
	return event->kind == TIMELINE_SLICE_END && event->nr_any == 0 &&
	       (event->is_unfinished || (event->is_continued && event->tid < 0));
}

static void slice_hold(struct rows *rows, struct row *row, unsigned int index,
		       const struct timeline_event *end)
{
	struct text name = end->name->is_counted ? text_of("") : end->name->text;
	struct row_held *held = malloc(sizeof(*held) + name.size);

	if (!held) {
		rows->has_failed = true;
		return;
	}
	held->track = (struct timeline_track){ .category = end->track->category,
					       .kind = end->track->kind,
					       .scope = end->track->scope,
					       .machine = end->track->machine,
					       .comm = "",
					       .process_comm = "" };
	memcpy(held->text, name.data, name.size);
	held->name = (struct timeline_name){ .text = { .data = held->text, .size = name.size } };
	held->event = *end;
	held->event.track = &held->track;
	if (!end->name->is_counted)
		held->event.name = &held->name;
	held->event.comm = "";
	row->open[index].held = held;
	row->thread->nr_held++;
	row->thread->held_ns = end->time_ns;
}

static bool is_slice_of(const struct row_slice *slice, const struct row_track *track,
			unsigned int depth)
{
	return slice->track == track && slice->depth == depth && !slice->held;
}

/* A slice of the track may be open on a row that the track has left. */
static bool slice_find(const struct row_track *track, unsigned int depth, struct row **row,
		       unsigned int *index)
{
	const struct row_thread *thread = track->row->thread;
	bool is_anywhere = thread->nr_rows > ROWS_MAX || track->has_crossed;
	unsigned int nr_rows = is_anywhere ? thread->nr_rows : track->row->number;

	for (unsigned int i = nr_rows; i > 0; i--) {
		*row = thread->rows[i - 1];
		for (unsigned int k = (*row)->nr_open; k > 0; k--) {
			*index = k - 1;
			if (is_slice_of(&(*row)->open[*index], track, depth))
				return true;
		}
	}
	return false;
}

static bool row_has_crossing(const struct row *row)
{
	for (unsigned int i = 0; i < row->nr_open; i++) {
		if (row->open[i].track->has_crossed)
			return true;
	}
	return false;
}

/* A row for a slice that others of its track may cross; NULL if memory ran out. */
static out_of_line struct row *row_for_crossing(const struct row_track *track)
{
	struct row_thread *thread = track->row->thread;

	for (unsigned int i = 0; i < thread->nr_rows && i < ROWS_MAX; i++) {
		if (!row_has_crossing(thread->rows[i]))
			return thread->rows[i];
	}
	return thread->nr_rows < ROWS_MAX ? row_new(thread) : track->row;
}

/* The end of a slice that is not the innermost one of its track's row. */
static out_of_line void rows_odd_end(struct rows *rows, struct row_track *track,
				     const struct timeline_event *event)
{
	struct row_place *place = &rows->place;
	unsigned int index;

	if (!slice_find(track, event->depth, &place->row, &index)) {
		rows->has_failed = true;
		return;
	}
	place->depth = index + 1;
	if (has_no_record(event) && !rows->has_one_row && place->depth < place->row->nr_open &&
	    !row_is_beyond(place->row))
		slice_hold(rows, place->row, index, event);
	else
		row_end_at(rows, place->row, index, event);
}

hot_inline void rows_slice_end(struct rows *rows, struct row_track *track,
			       const struct timeline_event *event)
{
	struct row *row = track->row;

	if (unlikely(row->nr_open == 0 ||
		     !is_slice_of(&row->open[row->nr_open - 1], track, event->depth))) {
		rows_odd_end(rows, track, event);
		return;
	}
	rows->place = (struct row_place){ .row = row, .depth = row->nr_open };
	row->nr_open--;
	row->last_end_ns = event->time_ns;
	if (rows->write)
		rows->write(rows->context, &rows->place, event);
	if (unlikely(row->thread->nr_held > 0))
		held_write(rows, row);
}

bool rows_event(struct rows *rows, struct row_track *track, const struct timeline_event *event)
{
	const struct row_slice slice = { .track = track,
					 .name = event->name,
					 .begin_ns = event->time_ns,
					 .depth = event->depth };
	struct row_thread *thread = track->row->thread;
	struct row *row;

	if (unlikely(thread->nr_held > 0) &&
	    (!has_no_record(event) || event->time_ns != thread->held_ns)) {
		for (unsigned int i = 0; i < thread->nr_rows; i++)
			held_end(rows, thread->rows[i]);
	}
	if (event->kind == TIMELINE_SLICE_END) {
		rows_slice_end(rows, track, event);
		return !rows->has_failed;
	}
	row = track->row;
	if (event->kind == TIMELINE_SLICE_BEGIN) {
		if (unlikely(track->has_crossed))
			row = row_for_crossing(track);
		if (!row_push(rows, row, &slice))
			return false;
	}
	rows->place = (struct row_place){ .row = row, .depth = row->nr_open };
	if (rows->write)
		rows->write(rows->context, &rows->place, event);
	return !rows->has_failed;
}

const struct row *row_first(const struct row *row)
{
	return row->thread->rows[0];
}

bool row_track_is_named(const struct timeline_track *track)
{
	const char *colon = strrchr(track->category->text, ':');

	return !text_equals(track->name, text_of(colon ? colon + 1 : track->category->text));
}

void thread_append_name(struct buffer *out, const struct timeline_track *track)
{
	buffer_append_string(out, track->comm[0] ? track->comm : "thread");
	/* The name of an idle thread has its CPU. */
	if (track->cpu >= 0)
		return;
	buffer_append_char(out, ' ');
	value_append_text(out, &track->id);
}

void rows_append_key(struct buffer *out, const struct timeline_track *track, bool is_row)
{
	struct timeline_category none = { .text = "" };
	struct timeline_track shared = *track;

	shared.comm = "";
	shared.cgroup = NULL;
	if (is_row) {
		shared.category = &none;
		shared.name = text_of("");
		shared.field = shared.buffer = NULL;
	}
	track_append_identity(out, &shared);
	buffer_append_signed(out, track->born_ns);
}

void rows_append_name(struct buffer *out, const struct row *row, const struct timeline_track *track)
{
	thread_append_name(out, track);
	if (row->number > 1)
		buffer_printf(out, " (%u)", row->number);
}

void rows_release(struct rows *rows)
{
	struct row_thread *thread;

	map_for_each(&rows->threads, thread)
		row_thread_free(thread);
	map_release(&rows->threads);
}
