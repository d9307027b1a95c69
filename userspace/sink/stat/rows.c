// SPDX-License-Identifier: GPL-2.0-only
/* What rows of statistics have: the keys by which slices are grouped; the slowest slices. */
#include "sink/stat/state.h"

#include <stdlib.h>
#include <string.h>

/* Longer values are cut: a row is not the place for them. */
#define VALUE_SIZE_MAX 256

bool stat_has_key(const struct sink_stat_settings *settings, enum stat_key key)
{
	for (size_t i = 0; i < settings->nr_groups; i++) {
		if (settings->groups[i].key == key)
			return true;
	}
	return false;
}

static void key_append(struct buffer *out, const struct stat_group *group,
		       const struct timeline_event *event, const struct stat_track *track)
{
	if (group->key == STAT_KEY_TRACK)
		buffer_append(out, track->label.data, track->label.size);
	else if (group->key == STAT_KEY_CGROUP)
		buffer_append_string(out, event->track->cgroup ? event->track->cgroup : "");
	else if (group->key == STAT_KEY_COMM)
		buffer_append_string(out, event->comm ? event->comm : "");
	else if (group->key == STAT_KEY_PID && event->tid >= 0)
		buffer_append_signed(out, event->tid);
	else if (group->key == STAT_KEY_CPU && event->cpu >= 0)
		buffer_append_signed(out, event->cpu);
	for (size_t i = 0; group->key == STAT_KEY_FIELD && i < event->nr_fields; i++) {
		if (text_equals(event->fields[i].name, text_of(group->field))) {
			value_append_text(out, &event->fields[i].value);
			return;
		}
	}
}

void stat_group_append(const struct stat_sink *sink, struct buffer *out,
		       const struct timeline_event *event, const struct stat_track *track,
		       const struct buffer *begun)
{
	const char *value = begun && begun->size > 0 ? begun->data : NULL;

	for (size_t i = 0; i < sink->settings.nr_groups; i++) {
		const struct stat_group *group = &sink->settings.groups[i];
		size_t begin = out->size;

		if (group->key == STAT_KEY_NAME)
			continue;
		if (value && (group->key != STAT_KEY_FIELD || *value))
			buffer_append_string(out, value);
		else
			key_append(out, group, event, track);
		value += value ? strlen(value) + 1 : 0;
		if (out->failed)
			return;
		/* A NUL separates values, so there is none in them. */
		if (out->size - begin > VALUE_SIZE_MAX)
			out->size = begin + VALUE_SIZE_MAX;
		for (size_t k = begin; k < out->size; k++)
			out->data[k] = out->data[k] ? out->data[k] : '?';
		buffer_append_char(out, '\0');
	}
}

struct text stat_row_key(const struct stat_row *row, const struct sink_stat_settings *settings,
			 size_t index)
{
	struct text rest = buffer_text(&row->group);
	struct text value = { "", 0 };

	if (settings->groups[index].key == STAT_KEY_NAME)
		return stat_row_name(row);
	for (size_t i = 0; i <= index; i++) {
		if (settings->groups[i].key == STAT_KEY_NAME)
			continue;
		value = (struct text){ rest.data, strnlen(rest.data, rest.size) };
		if (value.size == rest.size)
			return i == index ? value : (struct text){ "", 0 };
		rest.data += value.size + 1;
		rest.size -= value.size + 1;
	}
	return value;
}

struct text stat_row_name(const struct stat_row *row)
{
	return row->name ? row->name->text : text_of("(other)");
}

int64_t stat_row_quantile(const struct stat_row *row, unsigned int permille)
{
	int64_t ns = (int64_t)quantiles_get(&row->quantiles, permille);

	if (ns < row->times.min_ns)
		return row->times.min_ns;
	return ns < row->times.max_ns ? ns : row->times.max_ns;
}

uint64_t stat_row_count(const struct stat_row *row)
{
	if (row->kind == STAT_SLICES)
		return row->times.nr_intervals;
	return row->kind == STAT_COUNTER ? row->levels.nr_samples : row->count;
}

/* The slowest slices: a heap of limited size, the least slow one at its top. */

/* Limit of the fields of one slice. */
#define FIELDS_SIZE_MAX 4096

/* Of equally long slices, the first ones stay. */
static bool slow_is_less(const struct stat_slow *a, const struct stat_slow *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->begin_ns > b->begin_ns;
}

static void slow_swap(struct stat_slow *a, struct stat_slow *b)
{
	struct stat_slow other = *a;

	*a = *b;
	*b = other;
}

static void slow_rise(struct stat_slow *heap, size_t place)
{
	for (; place > 0 && slow_is_less(&heap[place], &heap[(place - 1) / 2]);
	     place = (place - 1) / 2)
		slow_swap(&heap[place], &heap[(place - 1) / 2]);
}

static void slow_sink(struct stat_slow *heap, size_t size)
{
	for (size_t place = 0, least; 2 * place + 1 < size; place = least) {
		least = 2 * place + 1;
		if (least + 1 < size && slow_is_less(&heap[least + 1], &heap[least]))
			least++;
		if (!slow_is_less(&heap[least], &heap[place]))
			return;
		slow_swap(&heap[least], &heap[place]);
	}
}

static int slow_fill(struct stat_slow *slow, const struct timeline_event *event,
		     const struct stat_open *open)
{
	size_t size = open->fields.size < FIELDS_SIZE_MAX ? open->fields.size : FIELDS_SIZE_MAX;

	slow->ns = event->time_ns - event->begin_ns;
	slow->begin_ns = event->begin_ns;
	slow->category = event->track->category;
	buffer_clear(&slow->track);
	track_append_label(&slow->track, event->track);
	buffer_clear(&slow->name);
	buffer_append(&slow->name, event->name->text.data, event->name->text.size);
	buffer_clear(&slow->fields);
	buffer_append(&slow->fields, open->fields.data, size);
	if (event->nr_fields > 0 && slow->fields.size > 0)
		buffer_append_string(&slow->fields, "; ");
	fields_append_text(&slow->fields, event->fields, event->nr_fields);
	return slow->track.failed || slow->name.failed || slow->fields.failed ? -1 : 0;
}

int stat_slow_add(struct stat_sink *sink, const struct timeline_event *event,
		  const struct stat_open *open)
{
	const struct stat_slow added = { .ns = event->time_ns - event->begin_ns,
					 .begin_ns = event->begin_ns };

	if (!sink->slow)
		sink->slow = calloc(sink->settings.slowest, sizeof(*sink->slow));
	if (!sink->slow)
		return -1;
	if (sink->nr_slow < sink->settings.slowest) {
		if (slow_fill(&sink->slow[sink->nr_slow], event, open) < 0)
			return -1;
		slow_rise(sink->slow, sink->nr_slow++);
		return 0;
	}
	if (!slow_is_less(&sink->slow[0], &added))
		return 0;
	if (slow_fill(&sink->slow[0], event, open) < 0)
		return -1;
	slow_sink(sink->slow, sink->nr_slow);
	return 0;
}

static int slow_compare(const void *a, const void *b)
{
	return slow_is_less(a, b) ? -1 : slow_is_less(b, a);
}

void stat_slow_sort(struct stat_sink *sink)
{
	if (sink->nr_slow > 1)
		qsort(sink->slow, sink->nr_slow, sizeof(*sink->slow), slow_compare);
}
