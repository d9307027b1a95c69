// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as statistics: sums, extremes and quantiles for each name on each track, printed at
 * the end, or at an interval.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sink/stat/state.h"

/* Rows are found by their keys. */

/** struct row_key - identity of a row */
struct row_key {
	enum stat_kind kind;
	const struct timeline_category *category;
	struct text group;
	struct timeline_name *name;
	bool is_rest; /* of the row; no part of its identity */
};

static uint64_t key_hash(const struct row_key *key)
{
	const uint64_t words[] = { key->kind, (uintptr_t)key->category, hash_text(key->group),
				   (uintptr_t)key->name };

	return hash_text((struct text){ .data = (const char *)words, .size = sizeof(words) });
}

static bool row_equals(const void *value, const void *key_pointer)
{
	const struct stat_row *row = value;
	const struct row_key *key = key_pointer;

	return row->kind == key->kind && row->category == key->category && row->name == key->name &&
	       text_equals(buffer_text(&row->group), key->group);
}

static void row_free(struct stat_row *row)
{
	buffer_release(&row->group);
	quantiles_release(&row->quantiles);
	free(row);
}

static struct stat_row *stat_row_add(struct stat_sink *sink, const struct row_key *key)
{
	struct stat_row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->kind = key->kind;
	row->category = key->category;
	row->name = key->name;
	row->is_rest = key->is_rest;
	buffer_append(&row->group, key->group.data, key->group.size);
	buffer_trim(&row->group);
	if (row->group.failed || !array_reserve(sink->rows, sink->nr_rows) ||
	    map_insert(&sink->map, key_hash(key), row) < 0) {
		row_free(row);
		return NULL;
	}
	sink->rows[sink->nr_rows++] = row;
	sink->text_size += key->group.size;
	return row;
}

/* Rows beyond the limit are merged into one for each tracepoint. */
static struct stat_row *row_get(struct stat_sink *sink, const struct row_key *key)
{
	struct row_key other = { .kind = key->kind,
				 .category = key->category,
				 .group = { "(other)", sizeof("(other)") } };
	struct stat_row *row = map_find(&sink->map, key_hash(key), row_equals, key);

	if (row)
		return row;
	if (sink->nr_rows < STAT_ROWS_MAX && sink->text_size < STAT_TEXT_MAX)
		return stat_row_add(sink, key);
	sink->nr_beyond++;
	row = map_find(&sink->map, key_hash(&other), row_equals, &other);
	return row ? row : stat_row_add(sink, &other);
}

/* Whether a thread sleeps, or nothing runs on a CPU. */
static bool event_is_rest(const struct timeline_event *event)
{
	const char *category = event->track->category->text;
	struct text name = event->name ? event->name->text : text_of("");

	if (strcmp(category, "sched:cpu") == 0)
		return text_equals(name, text_of("swapper")) ||
		       text_begins(name, text_of("swapper/"));
	return strcmp(category, "sched:thread") == 0 &&
	       (event->track->cpu >= 0 || text_equals(name, text_of("S")) ||
		text_equals(name, text_of("I")));
}

/* Of a slice's end, @begun has the values of its begin. A track's recent rows are those of most
 * events. */
static struct stat_row *event_row(struct stat_sink *sink, const struct timeline_event *event,
				  enum stat_kind kind, const struct buffer *begun)
{
	struct stat_track *track = event->track->sink_data[sink->file.sink_index];
	bool is_named = event->name && event->name->is_counted &&
			stat_has_key(&sink->settings, STAT_KEY_NAME);
	struct timeline_name *name = is_named ? event->name : NULL;
	bool is_whole = kind != STAT_COUNTER && sink->groups_records;
	struct stat_row **recent = &track->recent[event->name && event->name->is_counted
							  ? event->name->number % STAT_RECENT_ROWS
							  : 0];
	struct stat_row *row = *recent;
	struct buffer *text = &sink->file.text;
	struct row_key key = { .kind = kind, .category = event->track->category, .name = name };

	if (row && row->kind == kind && row->name == name && !is_whole)
		return row;
	buffer_clear(text);
	if (kind == STAT_COUNTER)
		buffer_append(text, track->label.data, track->label.size);
	else
		stat_group_append(sink, text, event, track, begun);
	key.group = buffer_text(text);
	/* A row of all names may have others that take time. */
	key.is_rest = name && event_is_rest(event);
	row = text->failed ? NULL : row_get(sink, &key);
	sink->file.out.failed |= !row;
	/* Events in merged rows are counted each time. */
	*recent = row && row_equals(row, &key) ? row : NULL;
	return row;
}

static void track_begin(struct stat_sink *sink, const struct timeline_event *event)
{
	struct stat_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track));

	if (!track)
		return;
	/* First and last values of two counters cannot be merged. */
	if (stat_has_key(&sink->settings, STAT_KEY_TRACK) || event->track->kind == TRACK_COUNTER)
		track_append_label(&track->label, event->track);
	sink->file.out.failed |= track->label.failed;
}

static void stat_track_release(struct sink_track *link)
{
	struct stat_track *track = container_of(link, struct stat_track, link);

	for (unsigned int i = 0; i < track->nr_open; i++) {
		buffer_release(&track->open[i].group);
		buffer_release(&track->open[i].fields);
	}
	free(track->open);
	buffer_release(&track->label);
}

static bool event_is_wanted(const struct stat_sink *sink, const struct timeline_event *event)
{
	const struct timeline_track *track = event->track;
	const char *pattern = sink->settings.name;
	char *name;
	bool matches;

	/* An idle task is no thread: in rows of several tracks its states hide others. */
	if (track->cpu >= 0 && strcmp(track->category->text, "sched:thread") == 0 &&
	    !stat_has_key(&sink->settings, STAT_KEY_TRACK))
		return false;
	if (!pattern)
		return true;
	name = strndup(event->name->text.data, event->name->text.size);
	matches = name && fnmatch(pattern, name, 0) == 0;
	free(name);
	return matches;
}

static void stat_slice_open(struct stat_sink *sink, const struct timeline_event *event)
{
	struct stat_track *track = event->track->sink_data[sink->file.sink_index];
	struct stat_open *open;

	if (!array_extend(track->open, track->nr_open, event->depth - 1)) {
		sink->file.out.failed = true;
		return;
	}
	open = &track->open[event->depth - 1];
	open->inner_ns = 0;
	buffer_clear(&open->group);
	if (sink->settings.slowest > 0) {
		buffer_clear(&open->fields);
		fields_append_text(&open->fields, event->fields, event->nr_fields);
	}
	if (!sink->groups_records || !event_is_wanted(sink, event))
		return;
	stat_group_append(sink, &open->group, event, track, NULL);
	sink->file.out.failed |= open->group.failed;
}

static void stat_slice_add(struct stat_sink *sink, const struct timeline_event *event)
{
	static const struct stat_open none;
	struct stat_track *track = event->track->sink_data[sink->file.sink_index];
	bool is_open = event->depth > 0 && event->depth <= track->nr_open;
	const struct stat_open *open = is_open ? &track->open[event->depth - 1] : &none;
	int64_t ns = event->time_ns - event->begin_ns;
	int64_t window_ns = stat_window_time(sink, event->begin_ns, event->time_ns);
	struct stat_row *row;

	/* Its time is time of the one around it, too. */
	if (is_open && event->outer > 0 && event->outer <= track->nr_open)
		track->open[event->outer - 1].inner_ns += window_ns;
	if (!event_is_wanted(sink, event))
		return;
	row = event_row(sink, event, STAT_SLICES, &open->group);
	if (!row)
		return;
	row->nr_suspect += event->is_suspect;
	row->nr_unfinished += event->is_unfinished;
	row->nr_foreign += event->is_foreign;
	if (slice_is_doubtful(event)) {
		row->nr_left_out++;
		return;
	}
	intervals_add(&row->times, ns);
	row->window_ns += window_ns;
	/* Slices inside of it may overlap. */
	row->self_ns += open->inner_ns < window_ns ? window_ns - open->inner_ns : 0;
	if ((sink->settings.slowest > 0 && stat_slow_add(sink, event, open) < 0) ||
	    quantiles_add(&row->quantiles, ns) < 0)
		sink->file.out.failed = true;
}

static void stat_instant_add(struct stat_sink *sink, const struct timeline_event *event)
{
	struct stat_row *row = event_is_wanted(sink, event)
				       ? event_row(sink, event, STAT_INSTANTS, NULL)
				       : NULL;

	if (row)
		row->count++;
}

static void stat_sample_add(struct stat_sink *sink, const struct timeline_event *event)
{
	struct stat_row *row = event_row(sink, event, STAT_COUNTER, NULL);

	if (row)
		levels_add(&row->levels, &event->value);
}

static void stat_loss_add(struct stat_sink *sink, const struct timeline_event *event)
{
	struct stat_loss *lost;
	size_t i = 0;

	while (i < sink->nr_losses && sink->losses[i].cpu != event->loss_cpu)
		i++;
	if (i == sink->nr_losses) {
		if (!array_reserve(sink->losses, i)) {
			sink->file.out.failed = true;
			return;
		}
		sink->losses[sink->nr_losses++] = (struct stat_loss){ .cpu = event->loss_cpu };
	}
	lost = &sink->losses[i];
	lost->nr_gaps += event->kind == TIMELINE_LOSS;
	if (event->loss_count == TIMELINE_COUNT_UNKNOWN)
		lost->nr_unknown++;
	else
		lost->nr_records = count_sum(lost->nr_records, event->loss_count);
}

static void print(struct stat_sink *sink)
{
	static void (*const printers[])(struct stat_sink * sink) = {
		[STAT_TABLES] = stat_print_table,
		[STAT_JSON] = stat_print_json,
		[STAT_CSV] = stat_print_csv,
	};
	struct error problem = { 0 };

	if (!sink->settings.prometheus) {
		printers[sink->settings.form](sink);
		sink_file_flush(&sink->file);
	} else if (stat_write_prometheus(sink, &problem) == 0) {
		sink->has_reported = false;
	} else if (sink->is_finished) {
		*sink->file.error = problem;
		sink->file.has_failed = true;
	} else if (!sink->has_reported && sink->file.report) {
		/* A disk that is full for a while does not end the recording. */
		report_message(sink->file.report, "%s; trying again", problem.text);
		sink->has_reported = true;
	}
}

static void stat_finish(struct stat_sink *sink, const struct timeline_event *event)
{
	sink->totals = *event->totals;
	sink->is_finished = true;
	if (sink->settings.top)
		top_end(sink->settings.top);
	print(sink);
}

static void (*const readers[TIMELINE_KIND_COUNT])(struct stat_sink *sink,
						  const struct timeline_event *event) = {
	[TIMELINE_TRACK_BEGIN] = track_begin,	  [TIMELINE_SLICE_END] = stat_slice_add,
	[TIMELINE_SLICE_BEGIN] = stat_slice_open, [TIMELINE_INSTANT] = stat_instant_add,
	[TIMELINE_COUNTER] = stat_sample_add,	  [TIMELINE_LOSS] = stat_loss_add,
	[TIMELINE_LOSS_SUM] = stat_loss_add,	  [TIMELINE_FINISH] = stat_finish,
};

static void stat_event(struct sink_file *file, const struct timeline_event *event)
{
	struct stat_sink *sink = container_of(file, struct stat_sink, file);

	sink->now_ns = event->time_ns;
	if (readers[event->kind])
		readers[event->kind](sink, event);
}

static void stat_begin(struct sink_file *file, const struct recording *recording)
{
	struct stat_sink *sink = container_of(file, struct stat_sink, file);

	sink->now_ns = recording->start_ns;
	sink->from_ns = recording->has_window ? recording->from_ns : recording->start_ns;
	sink->to_ns = recording->has_window ? recording->to_ns : INT64_MAX;
	sink->selection = recording->selection;
	if (sink->settings.prometheus && stat_write_prometheus(sink, file->error) < 0)
		file->has_failed = true;
	if (!sink->settings.top || file->has_failed)
		return;
	sink->printed_ns = time_now_ns(CLOCK_MONOTONIC);
	file->has_failed = top_begin(sink->settings.top, sink, file->error) < 0;
}

/* Renews a live table at its interval. */
static void stat_flush(struct sink_file *file)
{
	struct stat_sink *sink = container_of(file, struct stat_sink, file);
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	bool is_due = now_ns - sink->printed_ns >= sink->settings.interval_ns;

	if (sink->settings.interval_ns == 0 || sink->is_finished)
		return;
	if (is_due)
		sink->printed_ns = now_ns;
	if (sink->settings.top)
		file->has_failed = top_update(sink->settings.top, is_due, file->error) < 0;
	else if (is_due)
		print(sink);
}

static void stat_release(struct sink_file *file)
{
	struct stat_sink *sink = container_of(file, struct stat_sink, file);

	if (sink->settings.top)
		top_end(sink->settings.top);
	for (size_t i = 0; i < sink->nr_rows; i++)
		row_free(sink->rows[i]);
	free(sink->rows);
	for (uint64_t i = 0; sink->slow && i < sink->settings.slowest; i++) {
		buffer_release(&sink->slow[i].track);
		buffer_release(&sink->slow[i].name);
		buffer_release(&sink->slow[i].fields);
	}
	free(sink->slow);
	free(sink->losses);
	map_release(&sink->map);
}

static void stat_init(struct sink_file *file, const struct sink_settings *settings)
{
	static const struct stat_group groups[] = { { STAT_KEY_TRACK, "track", NULL },
						    { STAT_KEY_NAME, "name", NULL } };
	static const unsigned int permille[] = { 500, 990 };
	struct stat_sink *stat = container_of(file, struct stat_sink, file);
	struct sink_stat_settings *form = &stat->settings;

	*form = *settings->stat;
	stat->user = settings->user;
	stat->group = settings->group;
	if (form->nr_groups == 0) {
		memcpy(form->groups, groups, sizeof(groups));
		form->nr_groups = sizeof(groups) / sizeof(groups[0]);
	}
	for (size_t i = 0; i < form->nr_groups; i++)
		stat->groups_records |= form->groups[i].key > STAT_KEY_NAME;
	if (!form->sort)
		stat_sort_parse(form, "total");
	if (form->nr_permille == 0) {
		memcpy(form->permille, permille, sizeof(permille));
		form->nr_permille = sizeof(permille) / sizeof(permille[0]);
	}
}

static const struct sink_file_ops stat_file = {
	.size = sizeof(struct stat_sink),
	.init = stat_init,
	.open = stat_begin,
	.event = stat_event,
	.flush = stat_flush,
	.track_release = stat_track_release,
	.release = stat_release,
};

const struct sink_kind sink_stat = {
	.name = "stat",
	.help = "print statistics of track events",
	.use = SINK_USE_COMMAND,
	.options = stat_options,
	.file = &stat_file,
};
