// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as statistics: sums, extremes and quantiles for each name on each track, printed at
 * the end, or at an interval.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sink/kinds.h"
#include "sink/stat/state.h"
#include "sink/top/top.h"

/** struct row_key - identity of a row */
struct row_key {
	enum stat_kind kind;
	const struct timeline_category *category;
	struct text group;
	struct timeline_name *name;
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

static int row_insert(struct stat_sink *sink, const struct row_key *key, struct stat_row *row)
{
	struct stat_row **rows = reallocarray(sink->rows, sink->nr_rows + 1, sizeof(*rows));

	if (!rows)
		return -1;
	sink->rows = rows;
	if (row->group.failed || map_insert(&sink->map, key_hash(key), row) < 0)
		return -1;
	rows[sink->nr_rows++] = row;
	return 0;
}

static struct stat_row *stat_row_add(struct stat_sink *sink, const struct row_key *key)
{
	struct stat_row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->kind = key->kind;
	row->category = key->category;
	row->name = key->name;
	buffer_append(&row->group, key->group.data, key->group.size);
	buffer_trim(&row->group);
	if (row_insert(sink, key, row) == 0) {
		sink->text_size += key->group.size;
		return row;
	}
	row_free(row);
	return NULL;
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

/* A name is NULL if it is not counted, or not a key. */
static struct timeline_name *event_name_key(const struct stat_sink *sink,
					    const struct timeline_event *event)
{
	bool is_key = event->name && event->name->is_counted &&
		      stat_has_key(&sink->settings, STAT_KEY_NAME);

	return is_key ? event->name : NULL;
}

/* Of a slice's end, @begun has the values of its begin. The track's last row is that of most events. */
static struct stat_row *event_row(struct stat_sink *sink, const struct timeline_event *event,
				  enum stat_kind kind, const struct buffer *begun,
				  struct error *error)
{
	struct stat_track *track = event->track->sink_data[sink->file.sink_index];
	struct timeline_name *name = event_name_key(sink, event);
	bool is_whole = kind != STAT_COUNTER && stat_groups_need_record(&sink->settings);
	struct stat_row *row = track->last;
	struct buffer *text = &sink->file.text;
	struct row_key key = { .kind = kind, .category = event->track->category, .name = name };

	if (row && row->kind == kind && row->name == name && !is_whole)
		return row;
	buffer_clear(text);
	if (kind == STAT_COUNTER)
		buffer_append(text, track->label.data, track->label.size);
	else if (begun && begun->size > 0)
		stat_group_complete(sink, text, event, begun);
	else
		stat_group_append(sink, text, event, track);
	key.group = buffer_text(text);
	row = text->failed ? NULL : row_get(sink, &key);
	if (!row)
		error_set(error, "out of memory");
	/* Events in merged rows are counted each time. */
	track->last = row && row_equals(row, &key) ? row : NULL;
	return row;
}

static int track_begin(struct stat_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	struct stat_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track),
						       error);

	if (!track)
		return -1;
	/* First and last values of two counters cannot be merged. */
	if (stat_has_key(&sink->settings, STAT_KEY_TRACK) || event->track->kind == TRACK_COUNTER)
		track_append_label(&track->label, event->track);
	return track->label.failed ? error_set(error, "out of memory") : 0;
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

/* An idle task is no thread: in rows of several tracks its states would hide those of threads. */
static bool track_is_idle_state(const struct timeline_track *track)
{
	return track->cpu >= 0 && strcmp(track->category->text, "sched:thread") == 0;
}

static bool event_is_wanted(const struct stat_sink *sink, const struct timeline_event *event)
{
	const char *pattern = sink->settings.name;
	char *name;
	bool matches;

	if (track_is_idle_state(event->track) && !stat_has_key(&sink->settings, STAT_KEY_TRACK))
		return false;
	if (!pattern)
		return true;
	name = strndup(event->name->text.data, event->name->text.size);
	matches = name && fnmatch(pattern, name, 0) == 0;
	free(name);
	return matches;
}

static int stat_open_grow(struct stat_track *track, unsigned int nr_open, struct error *error)
{
	void *open = track->open;
	int status = sink_array_grow(&open, &track->nr_open, nr_open, sizeof(*track->open), error);

	track->open = open;
	return status;
}

static int stat_slice_open(struct stat_sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	struct stat_track *track = event->track->sink_data[sink->file.sink_index];
	struct stat_open *open;

	if (event->depth > track->nr_open && stat_open_grow(track, event->depth, error) < 0)
		return -1;
	open = &track->open[event->depth - 1];
	open->inner_ns = 0;
	buffer_clear(&open->group);
	if (sink->settings.slowest > 0) {
		buffer_clear(&open->fields);
		fields_append_text(&open->fields, event->fields, event->nr_fields);
	}
	if (!stat_groups_need_record(&sink->settings) || !event_is_wanted(sink, event))
		return 0;
	stat_group_append(sink, &open->group, event, track);
	return open->group.failed ? error_set(error, "out of memory") : 0;
}

/* The slice that ends; its time is time of the one around it, too. */
static const struct stat_open *stat_slice_close(const struct stat_sink *sink,
						const struct timeline_event *event)
{
	static const struct stat_open none;
	struct stat_track *track = event->track->sink_data[sink->file.sink_index];

	if (event->depth > track->nr_open || event->depth == 0)
		return &none;
	if (event->depth > 1)
		track->open[event->depth - 2].inner_ns += event->time_ns - event->begin_ns;
	return &track->open[event->depth - 1];
}

static int stat_slice_count(struct stat_sink *sink, struct stat_row *row,
			    const struct timeline_event *event, const struct stat_open *open)
{
	int64_t ns = event->time_ns - event->begin_ns;

	row->nr_suspect += event->is_suspect;
	row->nr_unfinished += event->is_unfinished;
	row->nr_foreign += event->is_foreign;
	if (event->is_suspect || event->is_unfinished || event->is_foreign || event->is_continued) {
		row->nr_left_out++;
		return 0;
	}
	intervals_add(&row->times, ns);
	row->self_ns += ns - open->inner_ns;
	if (sink->settings.slowest > 0 && stat_slow_add(sink, event, open) < 0)
		return -1;
	return quantiles_add(&row->quantiles, ns);
}

static int stat_slice_add(struct stat_sink *sink, const struct timeline_event *event,
			  struct error *error)
{
	const struct stat_open *open = stat_slice_close(sink, event);
	struct stat_row *row;

	if (!event_is_wanted(sink, event))
		return 0;
	row = event_row(sink, event, STAT_SLICES, &open->group, error);
	if (!row)
		return -1;
	return stat_slice_count(sink, row, event, open) < 0 ? error_set(error, "out of memory") : 0;
}

static int stat_instant_add(struct stat_sink *sink, const struct timeline_event *event,
			    struct error *error)
{
	struct stat_row *row;

	if (!event_is_wanted(sink, event))
		return 0;
	row = event_row(sink, event, STAT_INSTANTS, NULL, error);
	if (!row)
		return -1;
	row->count++;
	return 0;
}

static int stat_sample_add(struct stat_sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	struct stat_row *row = event_row(sink, event, STAT_COUNTER, NULL, error);

	if (!row)
		return -1;
	levels_add(&row->levels, &event->value);
	return 0;
}

static struct stat_loss *loss_get(struct stat_sink *sink, int cpu)
{
	struct stat_loss *losses;

	for (size_t i = 0; i < sink->nr_losses; i++) {
		if (sink->losses[i].cpu == cpu)
			return &sink->losses[i];
	}
	losses = reallocarray(sink->losses, sink->nr_losses + 1, sizeof(*losses));
	if (!losses)
		return NULL;
	sink->losses = losses;
	losses[sink->nr_losses] = (struct stat_loss){ .cpu = cpu };
	return &losses[sink->nr_losses++];
}

static int stat_loss_add(struct stat_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	struct stat_loss *lost = loss_get(sink, event->loss_cpu);

	if (!lost)
		return error_set(error, "out of memory");
	lost->nr_gaps += event->kind == TIMELINE_LOSS;
	if (event->loss_count == TIMELINE_COUNT_UNKNOWN)
		lost->nr_unknown++;
	else
		lost->nr_records = count_sum(lost->nr_records, event->loss_count);
	return 0;
}

static int (*const printers[])(struct stat_sink *sink) = {
	[STAT_TABLES] = stat_print_table,
	[STAT_JSON] = stat_print_json,
	[STAT_CSV] = stat_print_csv,
};

/* A disk that is full for a while does not end the recording. */
static int prometheus_renew(struct stat_sink *sink, struct error *error)
{
	struct error problem = { 0 };

	if (sink->is_finished)
		return stat_write_prometheus(sink, error);
	if (stat_write_prometheus(sink, &problem) == 0)
		sink->has_reported = false;
	else if (!sink->has_reported && sink->report) {
		report_message(sink->report, "%s; trying again", problem.text);
		sink->has_reported = true;
	}
	return 0;
}

static int print(struct stat_sink *sink, struct error *error)
{
	int status;

	if (sink->settings.prometheus)
		return prometheus_renew(sink, error);
	status = printers[sink->settings.form](sink);
	return status < 0 ? error_set(error, "out of memory") : sink_file_flush(&sink->file, error);
}

static int stat_finish(struct stat_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	sink->totals = *event->totals;
	sink->is_finished = true;
	if (sink->settings.top)
		top_end(sink->settings.top);
	return print(sink, error);
}

static int (*const readers[TIMELINE_KIND_COUNT])(struct stat_sink *sink,
						 const struct timeline_event *event,
						 struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = track_begin,	  [TIMELINE_SLICE_END] = stat_slice_add,
	[TIMELINE_SLICE_BEGIN] = stat_slice_open, [TIMELINE_INSTANT] = stat_instant_add,
	[TIMELINE_COUNTER] = stat_sample_add,	  [TIMELINE_LOSS] = stat_loss_add,
	[TIMELINE_LOSS_SUM] = stat_loss_add,	  [TIMELINE_FINISH] = stat_finish,
};

static int stat_event(struct sink_file *file, const struct timeline_event *event,
		      struct error *error)
{
	struct stat_sink *sink = container_of(file, struct stat_sink, file);

	sink->now_ns = event->time_ns;
	return readers[event->kind] ? readers[event->kind](sink, event, error) : 0;
}

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int stat_begin(struct sink_file *file, const struct recording *recording,
		      struct error *error)
{
	struct stat_sink *sink = container_of(file, struct stat_sink, file);

	sink->now_ns = recording->start_ns;
	if (sink->settings.prometheus && stat_write_prometheus(sink, error) < 0)
		return -1;
	if (sink->settings.top)
		sink->printed_ns = monotonic_ns();
	return sink->settings.top ? top_begin(sink->settings.top, sink, error) : 0;
}

/* Renews a live table at its interval. */
static int stat_flush(struct sink_file *file, struct error *error)
{
	struct stat_sink *sink = container_of(file, struct stat_sink, file);
	int64_t now_ns = monotonic_ns();
	bool is_due = now_ns - sink->printed_ns >= sink->settings.interval_ns;

	if (sink->settings.interval_ns == 0 || sink->is_finished)
		return 0;
	if (is_due)
		sink->printed_ns = now_ns;
	if (sink->settings.top)
		return top_update(sink->settings.top, is_due, error);
	return is_due ? print(sink, error) : 0;
}

static void stat_release(struct sink_file *file)
{
	struct stat_sink *sink = container_of(file, struct stat_sink, file);

	if (sink->settings.top)
		top_end(sink->settings.top);
	for (size_t i = 0; i < sink->nr_rows; i++)
		row_free(sink->rows[i]);
	free(sink->rows);
	stat_slow_release(sink);
	free(sink->losses);
	map_release(&sink->map);
}

static const struct sink_file_ops stat_file = {
	.size = sizeof(struct stat_sink),
	.open = stat_begin,
	.event = stat_event,
	.flush = stat_flush,
	.track_release = stat_track_release,
	.release = stat_release,
};

/* The defaults of tables. */
static void stat_settings_complete(struct sink_stat_settings *settings)
{
	static const struct stat_group groups[] = { { STAT_KEY_TRACK, "track", NULL },
						    { STAT_KEY_NAME, "name", NULL } };
	static const unsigned int permille[] = { 500, 990 };

	if (settings->nr_groups == 0) {
		memcpy(settings->groups, groups, sizeof(groups));
		settings->nr_groups = sizeof(groups) / sizeof(groups[0]);
	}
	if (settings->nr_permille == 0) {
		memcpy(settings->permille, permille, sizeof(permille));
		settings->nr_permille = sizeof(permille) / sizeof(permille[0]);
	}
}

struct sink *sink_stat_new(const struct sink_settings *settings, struct error *error)
{
	struct sink *sink = sink_file_new(&stat_file, settings, error);
	struct stat_sink *stat = sink ? container_of(sink, struct stat_sink, file.sink) : NULL;

	if (!stat)
		return NULL;
	stat->settings = *settings->stat;
	stat->report = settings->report;
	stat->user = settings->user;
	stat->group = settings->group;
	stat_settings_complete(&stat->settings);
	return sink;
}
