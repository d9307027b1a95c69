// SPDX-License-Identifier: GPL-2.0-only
/* The slowest slices: a heap of limited size, the least slow one at its top. */
#include <stdlib.h>

#include "sink/stat/state.h"

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

void stat_slow_release(struct stat_sink *sink)
{
	for (uint64_t i = 0; sink->slow && i < sink->settings.slowest; i++) {
		buffer_release(&sink->slow[i].track);
		buffer_release(&sink->slow[i].name);
		buffer_release(&sink->slow[i].fields);
	}
	free(sink->slow);
}

static const struct table_column slow_columns[] = {
	{ "TIME", .is_right = true },	   { "DURATION", .is_right = true },
	{ "NAME", .is_flexible = true },   { "TRACK", .is_flexible = true },
	{ "FIELDS", .is_flexible = true }, { "TRACEPOINT", .rank = 3 },
};

int stat_print_slow(struct stat_sink *sink, const struct table_style *style)
{
	struct table table = { .columns = slow_columns,
			       .nr_columns = sizeof(slow_columns) / sizeof(slow_columns[0]) };

	stat_slow_sort(sink);
	for (size_t i = sink->nr_slow; i-- > 0;) {
		const struct stat_slow *slow = &sink->slow[i];
		struct buffer *cell = table_add(&table);

		if (!cell)
			return table_release(&table), -1;
		buffer_append_decimal(cell++, slow->begin_ns - sink->file.start_ns, 9);
		buffer_append_duration(cell++, slow->ns);
		buffer_append(cell++, slow->name.data, slow->name.size);
		buffer_append(cell++, slow->track.data, slow->track.size);
		buffer_append(cell++, slow->fields.data, slow->fields.size);
		buffer_append_string(cell, slow->category->text);
	}
	if (sink->nr_slow > 0) {
		buffer_append_string(&sink->file.out, "Slowest slices\n");
		table_append(&table, &sink->file.out, style);
		buffer_append_char(&sink->file.out, '\n');
	}
	table_release(&table);
	return 0;
}
