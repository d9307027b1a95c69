// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivers each track event to every sink; labels and identities of tracks, and the wording of
 * losses.
 */
#include "timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

/* Labels of tracks for people, and identities for machines, in every output. */

/* Names of scopes in identities and in labels. */
static const struct {
	const char *name;
	const char *word;
} scope_words[] = {
	[SCOPE_THREAD] = { "thread", "tid" }, [SCOPE_PROCESS] = { "process", "pid" },
	[SCOPE_CPU] = { "cpu", "cpu" },	      [SCOPE_CUSTOM] = { "custom", NULL },
	[SCOPE_GLOBAL] = { "global", NULL },
};
_Static_assert(sizeof(scope_words) / sizeof(scope_words[0]) == SCOPE_KIND_COUNT,
	       "words for every scope");

/* The convention's scope fields begin with "scope_", others' need not. */
static const char *field_word(const char *field)
{
	size_t size = strlen("scope_");

	return strncmp(field, "scope_", size) == 0 ? field + size : field;
}

static void label_append_scopes(struct buffer *out, const struct timeline_track *track)
{
	const char *word = scope_words[track->scope].word;

	for (size_t i = 0; i < track->nr_outer; i++) {
		buffer_append_string(out, field_word(track->outer[i].name.data));
		buffer_append_char(out, ' ');
		value_append_text(out, &track->outer[i].value);
		buffer_append_char(out, ' ');
	}
	if (track->device.size > 0) {
		buffer_append(out, track->device.data, track->device.size);
		return;
	}
	/* The name of a custom scope is its field's. */
	buffer_append_string(out, word ? word : field_word(track->field));
	buffer_append_char(out, ' ');
	value_append_text(out, &track->id);
}

/* Separates a part of a label that begins at @begin from those before it. */
static void label_append_blank(struct buffer *out, size_t begin)
{
	if (out->size > begin)
		buffer_append_char(out, ' ');
}

void track_append_label(struct buffer *out, const struct timeline_track *track)
{
	size_t begin = out->size;

	buffer_append(out, track->name.data, track->name.size);
	if (track->scope != SCOPE_GLOBAL) {
		label_append_blank(out, begin);
		label_append_scopes(out, track);
	}
	if (track->comm[0]) {
		buffer_append_char(out, ' ');
		buffer_append_string(out, track->comm);
	}
	if (track->lane > 0) {
		label_append_blank(out, begin);
		buffer_printf(out, "lane %u", track->lane);
	}
	if (track->buffer && track->buffer[0]) {
		label_append_blank(out, begin);
		buffer_printf(out, "in %s", track->buffer);
	}
	if (track->machine) {
		label_append_blank(out, begin);
		buffer_printf(out, "on %s", track->machine->name);
	}
}

static void identity_append_scope(struct buffer *out, const struct timeline_track *track,
				  bool *first)
{
	json_append_text(out, "scope", text_of(scope_words[track->scope].name), first);
	if (track->scope == SCOPE_GLOBAL)
		return;
	if (track->field)
		json_append_text(out, "field", text_of(track->field), first);
	json_append_member(out, text_of("id"), first);
	value_append_json(out, &track->id);
	if (track->device.size > 0)
		json_append_text(out, "device", track->device, first);
	if (track->nr_outer == 0)
		return;
	buffer_append_string(out, ",\"outer\":{");
	for (size_t i = 0; i < track->nr_outer; i++) {
		bool is_first = i == 0;

		json_append_member(out, track->outer[i].name, &is_first);
		value_append_json(out, &track->outer[i].value);
	}
	buffer_append_char(out, '}');
}

void track_append_identity(struct buffer *out, const struct timeline_track *track)
{
	bool first = true;

	buffer_append_char(out, '{');
	json_append_text(out, "tracepoint", text_of(track->category->text), &first);
	json_append_text(out, "name", track->name, &first);
	json_append_text(out, "kind", text_of(track->kind == TRACK_COUNTER ? "counter" : "slice"),
			 &first);
	identity_append_scope(out, track, &first);
	if (track->tgid > 0)
		buffer_printf(out, ",\"tgid\":%d", track->tgid);
	if (track->comm[0])
		json_append_text(out, "comm", text_of(track->comm), &first);
	if (track->cgroup)
		json_append_text(out, "cgroup", text_of(track->cgroup), &first);
	if (track->cpu >= 0)
		buffer_printf(out, ",\"cpu\":%d", track->cpu);
	if (track->lane > 0)
		buffer_printf(out, ",\"lane\":%u", track->lane);
	if (track->buffer)
		json_append_text(out, "buffer", text_of(track->buffer), &first);
	if (track->machine)
		json_append_text(out, "host", text_of(track->machine->name), &first);
	buffer_append_char(out, '}');
}

/* Wording of losses, the same in all outputs. */

void timeline_append_loss(struct buffer *buffer, uint64_t records, uint64_t gaps,
			  uint64_t gaps_unknown)
{
	buffer_append_string(buffer, "lost ");
	if (records > 0)
		buffer_append_count(buffer, records, "record");
	else
		buffer_append_string(buffer, "an unknown number of records");
	if (gaps == 0)
		return;
	buffer_append_string(buffer, " in ");
	buffer_append_count(buffer, gaps, "gap");
	if (records > 0 && gaps_unknown > 0)
		buffer_printf(buffer, ", %llu of unknown size", (unsigned long long)gaps_unknown);
}

/* Delivers each track event to every sink. */

struct sink *sink_new(const struct sink_ops *ops, size_t size, struct error *error)
{
	struct sink *sink = calloc(1, size);

	if (sink)
		sink->ops = ops;
	else
		error_set(error, "out of memory");
	return sink;
}

static void sink_free(struct sink *sink)
{
	if (sink->ops->free)
		sink->ops->free(sink);
	else
		free(sink);
}

const struct value *timeline_event_field(const struct timeline_event *event, struct text name)
{
	for (unsigned int i = 0; i < event->nr_fields; i++) {
		if (text_equals(event->fields[i].name, name))
			return &event->fields[i].value;
	}
	return NULL;
}

int timeline_add(struct timeline *timeline, struct sink *sink, struct error *error)
{
	if (timeline->nr_sinks == TIMELINE_SINKS_MAX) {
		sink_free(sink);
		return error_set(error, "more than %d outputs at once", TIMELINE_SINKS_MAX);
	}
	timeline->sinks[timeline->nr_sinks++] = sink;
	return 0;
}

int timeline_open(struct timeline *timeline, const struct recording *recording, struct error *error)
{
	timeline->last_ns = recording->start_ns;
	for (unsigned int i = 0; i < timeline->nr_sinks; i++) {
		struct sink *sink = timeline->sinks[i];

		sink->index = i;
		if (sink->ops->open && sink->ops->open(sink, recording, i, error) < 0)
			return -1;
	}
	return 0;
}

/*
 * A sink failed: leaves it out if nobody reads standard output any more, and other outputs need the
 * events. Returns -1 with @error if not.
 */
static int sink_leave_out(struct timeline *timeline, unsigned int number, struct error *error)
{
	struct sink *sink = timeline->sinks[number];
	unsigned int nr_outputs = 0;

	for (unsigned int i = 0; i < timeline->nr_sinks; i++)
		nr_outputs += timeline->sinks[i]->is_output;
	if (!error_is_unread(error) || nr_outputs < 2)
		return -1;
	*error = (struct error){ 0 };
	timeline->nr_sinks--;
	timeline->nr_unread++;
	for (unsigned int i = number; i < timeline->nr_sinks; i++)
		timeline->sinks[i] = timeline->sinks[i + 1];
	timeline->sinks[timeline->nr_sinks] = sink;
	return 0;
}

/* Without an event, sinks are flushed. */
int timeline_push_all(struct timeline *timeline, const struct timeline_event *event,
		      struct error *error)
{
	for (unsigned int i = 0; i < timeline->nr_sinks; i++) {
		struct sink *sink = timeline->sinks[i];
		int status = 0;

		if (likely(event != NULL))
			status = sink->ops->event(sink, event, error);
		else if (sink->ops->flush)
			status = sink->ops->flush(sink, error);
		if (likely(status == 0))
			continue;
		if (sink_leave_out(timeline, i--, error) < 0)
			return -1;
	}
	return 0;
}

int timeline_flush(struct timeline *timeline, struct error *error)
{
	return timeline_push_all(timeline, NULL, error);
}

void timeline_release(struct timeline *timeline)
{
	for (unsigned int i = 0; i < timeline->nr_sinks + timeline->nr_unread; i++)
		sink_free(timeline->sinks[i]);
	*timeline = (struct timeline){ 0 };
}
