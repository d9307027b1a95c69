// SPDX-License-Identifier: GPL-2.0-only
/* Collects the values of each unit of a recording. */
#include "analysis/compare.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/number.h"

/**
 * struct compare_sink - one recording of a comparison
 * @offset: number of its first unit
 *
 * The data of counted names are their struct compare_name.
 */
struct compare_sink {
	struct sink sink;
	struct comparison *comparison;
	enum compare_side side;
	unsigned int sink_index;
	int64_t start_ns;
	uint32_t offset;
};

/** struct compare_key - identity of a name */
struct compare_key {
	const char *category;
	struct text name;
};

static bool compare_name_equals(const void *value, const void *key_pointer)
{
	const struct compare_name *name = value;
	const struct compare_key *key = key_pointer;

	return strcmp(name->category, key->category) == 0 &&
	       text_equals(buffer_text(&name->name), key->name);
}

static void compare_name_free(struct compare_name *name)
{
	for (int side = 0; side < COMPARE_SIDES; side++)
		free(name->sides[side].list);
	quantiles_release(&name->quantiles);
	buffer_release(&name->name);
	free(name->category);
	free(name);
}

static struct compare_name *compare_name_new(const struct compare_key *key)
{
	struct compare_name *name = calloc(1, sizeof(*name));

	if (!name)
		return NULL;
	name->category = strdup(key->category);
	buffer_append(&name->name, key->name.data, key->name.size);
	buffer_seal(&name->name);
	if (name->category && !name->name.failed)
		return name;
	compare_name_free(name);
	return NULL;
}

static int compare_name_insert(struct comparison *comparison, struct compare_name *name,
			       uint64_t hash)
{
	struct compare_name **names = reallocarray(comparison->names, comparison->nr_names + 1,
						   sizeof(*names));

	if (!names)
		return -1;
	comparison->names = names;
	if (map_insert(&comparison->map, hash, name) < 0)
		return -1;
	names[comparison->nr_names++] = name;
	return 0;
}

struct compare_name *comparison_name_get(struct comparison *comparison, const char *category,
					 struct text name)
{
	const struct compare_key key = { category, name };
	uint64_t hash = hash_number(hash_text(text_of(category)) + hash_text(name));
	struct compare_name *found = map_find(&comparison->map, hash, compare_name_equals, &key);

	if (found || comparison->nr_names == COMPARE_NAMES_MAX)
		return found;
	found = compare_name_new(&key);
	if (!found || compare_name_insert(comparison, found, hash) == 0)
		return found;
	compare_name_free(found);
	return NULL;
}

int comparison_value_add(struct compare_name *name, enum compare_side side,
			 const struct compare_value *value)
{
	struct compare_values *values = &name->sides[side];
	struct compare_value *list;

	list = reallocarray(values->list, values->size + 1, sizeof(*list));
	if (!list)
		return -1;
	values->list = list;
	list[values->size++] = *value;
	return 0;
}

/* One more nanosecond: there is no logarithm of 0. */
static double ns_log(double ns)
{
	return number_log(ns + 1);
}

/* The unit of a name is complete. */
static int compare_unit_end(struct compare_name *name, enum compare_side side)
{
	const struct quantiles *quantiles = &name->quantiles;
	struct compare_value value = { .unit = name->unit };

	if (quantiles->count == 0)
		return 0;
	value.logs[COMPARE_MEAN] = ns_log((double)name->total_ns / (double)quantiles->count);
	value.logs[COMPARE_P50] = ns_log((double)quantiles_get(quantiles, 500));
	value.logs[COMPARE_P99] = ns_log((double)quantiles_get(quantiles, 990));
	quantiles_release(&name->quantiles);
	name->total_ns = 0;
	return comparison_value_add(name, side, &value);
}

static struct compare_name *event_compare_name(const struct compare_sink *sink,
					       const struct timeline_event *event)
{
	void **data = &event->name->sink_data[sink->sink_index];

	if (!event->name->is_counted)
		return NULL;
	if (!*data)
		*data = comparison_name_get(sink->comparison, event->track->category->text,
					    event->name->text);
	return *data;
}

static uint32_t event_unit(const struct compare_sink *sink, const struct timeline_event *event)
{
	int64_t since_ns = event->time_ns - sink->start_ns;

	return sink->offset + (sink->comparison->has_blocks ? (uint32_t)(since_ns / NS_PER_S) : 0);
}

static int compare_slice(struct compare_sink *sink, const struct timeline_event *event)
{
	struct comparison *comparison = sink->comparison;
	int64_t ns = event->time_ns - event->begin_ns;
	uint32_t unit = event_unit(sink, event);
	struct compare_name *name = event_compare_name(sink, event);

	if (!name || event->is_suspect || event->is_unfinished || event->is_foreign ||
	    event->is_continued) {
		comparison->nr_left_out++;
		return 0;
	}
	if (name->unit != unit && compare_unit_end(name, sink->side) < 0)
		return -1;
	name->unit = unit;
	name->total_ns += ns;
	if (unit >= comparison->nr_units[sink->side])
		comparison->nr_units[sink->side] = unit + 1;
	return quantiles_add(&name->quantiles, (uint64_t)ns);
}

static int compare_finish(struct compare_sink *sink)
{
	struct comparison *comparison = sink->comparison;

	comparison->nr_recordings[sink->side]++;
	if (comparison->nr_units[sink->side] == sink->offset)
		comparison->nr_units[sink->side]++;
	for (size_t i = 0; i < comparison->nr_names; i++) {
		if (compare_unit_end(comparison->names[i], sink->side) < 0)
			return -1;
	}
	return 0;
}

static int compare_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct compare_sink *compare = container_of(sink, struct compare_sink, sink);
	int status = 0;

	if (event->kind == TIMELINE_SLICE_END)
		status = compare_slice(compare, event);
	else if (event->kind == TIMELINE_FINISH)
		status = compare_finish(compare);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

static int compare_open(struct sink *sink, const struct recording *recording,
			unsigned int sink_index, struct error *error)
{
	struct compare_sink *compare = container_of(sink, struct compare_sink, sink);

	(void)error;
	compare->sink_index = sink_index;
	compare->start_ns = recording->start_ns;
	return 0;
}

static void compare_sink_free(struct sink *sink)
{
	free(container_of(sink, struct compare_sink, sink));
}

static const struct sink_ops compare_ops = {
	.open = compare_open,
	.event = compare_event,
	.free = compare_sink_free,
};

struct sink *compare_sink_new(struct comparison *comparison, bool is_source, struct error *error)
{
	struct compare_sink *sink = calloc(1, sizeof(*sink));

	if (!sink) {
		error_set(error, "out of memory");
		return NULL;
	}
	sink->sink.ops = &compare_ops;
	sink->comparison = comparison;
	sink->side = is_source ? COMPARE_SOURCE : COMPARE_BASE;
	sink->offset = comparison->nr_units[sink->side];
	return &sink->sink;
}

struct comparison *comparison_new(bool has_blocks)
{
	struct comparison *comparison = calloc(1, sizeof(*comparison));

	if (comparison)
		comparison->has_blocks = has_blocks;
	return comparison;
}

void comparison_free(struct comparison *comparison)
{
	if (!comparison)
		return;
	for (size_t i = 0; i < comparison->nr_names; i++)
		compare_name_free(comparison->names[i]);
	free(comparison->names);
	map_release(&comparison->map);
	free(comparison);
}
