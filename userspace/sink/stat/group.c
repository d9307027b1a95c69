// SPDX-License-Identifier: GPL-2.0-only
/* What rows are grouped by. */
#include "sink/stat/state.h"

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

bool stat_groups_need_record(const struct sink_stat_settings *settings)
{
	for (size_t i = 0; i < settings->nr_groups; i++) {
		if (settings->groups[i].key > STAT_KEY_NAME)
			return true;
	}
	return false;
}

static void field_append(struct buffer *out, const struct timeline_event *event, const char *name)
{
	for (size_t i = 0; i < event->nr_fields; i++) {
		if (text_equals(event->fields[i].name, text_of(name))) {
			value_append_text(out, &event->fields[i].value);
			return;
		}
	}
}

static void key_append(struct buffer *out, const struct stat_group *group,
		       const struct timeline_event *event, const struct stat_track *track)
{
	if (group->key == STAT_KEY_TRACK)
		buffer_append(out, track->label.data, track->label.size);
	else if (group->key == STAT_KEY_FIELD)
		field_append(out, event, group->field);
	else if (group->key == STAT_KEY_COMM)
		buffer_append_string(out, event->comm ? event->comm : "");
	else if (group->key == STAT_KEY_PID && event->tid >= 0)
		buffer_append_signed(out, event->tid);
	else if (group->key == STAT_KEY_CPU && event->cpu >= 0)
		buffer_append_signed(out, event->cpu);
}

/* A NUL separates values, so there is none in them. */
static void value_end(struct buffer *out, size_t begin)
{
	if (out->failed)
		return;
	if (out->size - begin > VALUE_SIZE_MAX)
		out->size = begin + VALUE_SIZE_MAX;
	for (size_t i = begin; i < out->size; i++)
		out->data[i] = out->data[i] ? out->data[i] : '?';
	buffer_append_char(out, '\0');
}

void stat_group_append(const struct stat_sink *sink, struct buffer *out,
		       const struct timeline_event *event, const struct stat_track *track)
{
	for (size_t i = 0; i < sink->settings.nr_groups; i++) {
		const struct stat_group *group = &sink->settings.groups[i];
		size_t begin = out->size;

		if (group->key == STAT_KEY_NAME)
			continue;
		key_append(out, group, event, track);
		value_end(out, begin);
	}
}

void stat_group_complete(const struct stat_sink *sink, struct buffer *out,
			 const struct timeline_event *event, const struct buffer *begun)
{
	const char *value = begun->data;

	for (size_t i = 0; i < sink->settings.nr_groups; i++) {
		const struct stat_group *group = &sink->settings.groups[i];
		size_t begin = out->size;

		if (group->key == STAT_KEY_NAME)
			continue;
		if (group->key == STAT_KEY_FIELD && *value == '\0')
			field_append(out, event, group->field);
		else
			buffer_append_string(out, value);
		value_end(out, begin);
		value += strlen(value) + 1;
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
