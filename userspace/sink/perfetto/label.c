// SPDX-License-Identifier: GPL-2.0-only
/* Names of tracks in Perfetto, unique among siblings. */
#include <string.h>

#include "sink/perfetto/state.h"

static struct text category_event(const struct timeline_category *category)
{
	const char *colon = strchr(category->text, ':');

	return text_of(colon ? colon + 1 : category->text);
}

static bool has_event(const void *value, const void *key)
{
	const struct perfetto_category *category = value;

	return text_equals(category_event(category->shown), *(const struct text *)key);
}

static bool perfetto_is_same_tracepoint(const struct perfetto_category *one,
					const struct perfetto_category *other)
{
	return strcmp(one->shown->text, other->shown->text) == 0;
}

int perfetto_category_compare(struct perfetto_sink *sink, struct perfetto_category *category,
			      struct error *error)
{
	struct text event = category_event(category->shown);
	uint64_t hash = text_hash(event);
	const struct perfetto_category *first = map_find(&sink->events, hash, has_event, &event);

	category->is_namesake = first && !perfetto_is_same_tracepoint(first, category);
	if (!first && map_insert(&sink->events, hash, category) < 0)
		return error_set(error, "out of memory");
	return 0;
}

/* Two tracks of different tracepoints below one task must have different names. */
static bool has_name(const void *value, const void *key)
{
	const struct perfetto_track *one = value, *other = key;

	return one->parent_uuid == other->parent_uuid && one->name_hash == other->name_hash;
}

static uint64_t place_hash(const struct perfetto_track *track)
{
	return track->name_hash ^ track->parent_uuid;
}

/* Returns 1 if a track of another tracepoint has the name, 0 if none has, -1 with @error. */
static int label_take(struct perfetto_sink *sink, struct perfetto_track *track, struct error *error)
{
	const struct perfetto_track *holder = map_find(&sink->names, place_hash(track), has_name,
						       track);

	if (holder)
		return !perfetto_is_same_tracepoint(holder->category, track->category);
	if (map_insert(&sink->names, place_hash(track), track) < 0)
		return error_set(error, "out of memory");
	return 0;
}

void perfetto_label_forget(struct perfetto_sink *sink, const struct perfetto_track *track)
{
	map_remove(&sink->names, place_hash(track), track);
}

static void append_buffer(const struct perfetto_sink *sink, struct buffer *out,
			  const struct timeline_track *shown)
{
	if (!sink->has_one_buffer && shown->buffer && shown->buffer[0])
		buffer_printf(out, " in %s", shown->buffer);
}

int perfetto_label_below_task(struct perfetto_sink *sink, const struct timeline_track *shown,
			      struct perfetto_track *track, struct error *error)
{
	struct buffer *out = &sink->file.text;
	bool is_named = shown->name.size > 0;
	int is_shared;

	buffer_clear(out);
	if (is_named)
		buffer_append(out, shown->name.data, shown->name.size);
	else
		buffer_append_string(out, shown->category->text);
	append_buffer(sink, out, shown);
	track->name_hash = text_hash(buffer_text(out));
	is_shared = track->category->is_namesake &&
		    text_equals(shown->name, category_event(shown->category));
	if (!is_shared)
		is_shared = label_take(sink, track, error);
	if (is_shared > 0)
		buffer_printf(out, " (%s)", shown->category->text);
	return is_shared < 0 ? -1 : 0;
}

/* Labels have the buffer only if there are several, and no lane: all lanes have one name. */
static void append_label(const struct perfetto_sink *sink, struct buffer *out,
			 struct timeline_track shown)
{
	if (sink->has_one_buffer)
		shown.buffer = NULL;
	shown.lane = 0;
	shown.machine = NULL;
	track_append_label(out, &shown);
}

void perfetto_label_in_group(const struct perfetto_sink *sink, struct buffer *out,
			     const struct timeline_track *shown)
{
	append_label(sink, out, *shown);
}

void perfetto_label_alone(const struct perfetto_sink *sink, struct buffer *out,
			  const struct timeline_track *shown)
{
	struct timeline_track rest = *shown;

	if (text_equals(shown->name, category_event(shown->category)))
		rest.name = text_of("");
	buffer_append_string(out, shown->category->text);
	if (rest.name.size > 0 || rest.scope != SCOPE_GLOBAL)
		buffer_append_char(out, ' ');
	append_label(sink, out, rest);
}
