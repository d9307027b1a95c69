// SPDX-License-Identifier: GPL-2.0-only
/* Interned strings: written once in a packet sequence, then referred to by number. */
#include "sink/perfetto/state.h"

#include <stdlib.h>

#include "sink/text.h"
#include "sink/flow.h"
#include "sink/proto.h"

#define END_PREFIX "end:"

/* Writes a string; returns its number, or 0 with @error. */
static uint64_t string_intern(struct perfetto_sink *sink, enum perfetto_interned_field kind,
			      struct text string, struct error *error)
{
	struct buffer *out = &sink->file.out;
	size_t packet = perfetto_packet_begin(sink);
	uint64_t iid = sink->next_iid++;
	size_t data, entry;

	proto_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	data = proto_begin(out, PACKET_INTERNED_DATA);
	entry = proto_begin(out, kind);
	proto_number(out, ENTRY_IID, iid);
	proto_text(out, ENTRY_NAME, string);
	proto_end(out, entry);
	proto_end(out, data);
	return perfetto_packet_end(sink, packet, error) < 0 ? 0 : iid;
}

/* The sink data is the number itself, so that there is nothing to free. */
uint64_t perfetto_name_iid(struct perfetto_sink *sink, struct timeline_name *name,
			   struct error *error)
{
	void **data = &name->sink_data[sink->file.sink_index];

	if (!*data)
		*data = (void *)(uintptr_t)string_intern(sink, INTERNED_EVENT_NAMES, name->text,
							 error);
	return (uintptr_t)*data;
}

struct perfetto_category *perfetto_category_get(struct perfetto_sink *sink,
						const struct timeline_track *track,
						struct error *error)
{
	struct timeline_category *shown = track->category;
	struct perfetto_category *category = perfetto_category_of(sink, shown);

	if (category)
		return category;
	category = calloc(1, sizeof(*category));
	if (!category) {
		error_set(error, "out of memory");
		return NULL;
	}
	category->after = sink->categories;
	sink->categories = category;
	category->shown = shown;
	category->sequence = sink->sequence;
	category->iid = string_intern(sink, INTERNED_CATEGORIES, text_of(shown->text), error);
	if (category->iid == 0 || perfetto_category_compare(sink, category, error) < 0)
		return NULL;
	category->parent_uuid = perfetto_machine_uuid(track->machine);
	category->group_uuid = perfetto_uuid_of_seed(category->parent_uuid, UUID_GROUP,
						     text_hash(text_of(shown->text)));
	shown->sink_data[sink->file.sink_index] = category;
	return category;
}

static int field_add(struct perfetto_sink *sink, struct perfetto_category *category,
		     struct text name, struct error *error)
{
	struct perfetto_field_name *fields, *field;

	fields = reallocarray(category->fields, category->nr_fields + 1, sizeof(*fields));
	if (!fields)
		return error_set(error, "out of memory");
	category->fields = fields;
	field = &fields[category->nr_fields++];
	*field = (struct perfetto_field_name){ .name = name };
	field->iid = string_intern(sink, INTERNED_ANNOTATION_NAMES, name, error);
	buffer_clear(&sink->file.text);
	buffer_append_string(&sink->file.text, END_PREFIX);
	buffer_append(&sink->file.text, name.data, name.size);
	field->end_iid = string_intern(sink, INTERNED_ANNOTATION_NAMES,
				       buffer_text(&sink->file.text), error);
	return field->iid > 0 && field->end_iid > 0 ? 0 : -1;
}

/* Records have the same fields in the same order, unless a field cannot be read. */
static const struct perfetto_field_name *field_find(const struct perfetto_category *category,
						    size_t place, struct text name)
{
	if (place < category->nr_fields && category->fields[place].name.data == name.data)
		return &category->fields[place];
	for (size_t i = 0; i < category->nr_fields; i++) {
		if (text_equals(category->fields[i].name, name))
			return &category->fields[i];
	}
	return NULL;
}

int perfetto_fields_intern(struct perfetto_sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	struct perfetto_category *category = perfetto_category_of(sink, event->track->category);

	for (size_t i = 0; i < event->nr_fields; i++) {
		struct text name = event->fields[i].name;

		if (!field_find(category, i, name) && field_add(sink, category, name, error) < 0)
			return -1;
	}
	return 0;
}

static void annotation_put(struct perfetto_sink *sink, uint64_t iid,
			   enum perfetto_annotation_field kind, uint64_t number)
{
	struct buffer *out = &sink->file.out;
	char *begin = buffer_reserve(out, 6 * PROTO_NUMBER_MAX), *at;

	if (!begin)
		return;
	begin = proto_put_tag(begin, EVENT_ANNOTATIONS, PROTO_SIZED) + 1;
	at = proto_put_tag(begin, ANNOTATION_NAME_IID, PROTO_NUMBER);
	at = proto_put_number(at, iid);
	at = proto_put_tag(at, kind, PROTO_NUMBER);
	at = proto_put_number(at, number);
	begin[-1] = (char)(at - begin);
	buffer_end_put(out, at);
}

static size_t annotation_begin(struct perfetto_sink *sink, uint64_t iid)
{
	size_t annotation = proto_begin(&sink->file.out, EVENT_ANNOTATIONS);

	proto_number(&sink->file.out, ANNOTATION_NAME_IID, iid);
	return annotation;
}

static void annotation_put_text(struct perfetto_sink *sink, uint64_t iid, struct text text)
{
	size_t annotation = annotation_begin(sink, iid);

	proto_text(&sink->file.out, ANNOTATION_STRING, text);
	proto_end(&sink->file.out, annotation);
}

static void annotation_put_double(struct perfetto_sink *sink, uint64_t iid, double number)
{
	size_t annotation = annotation_begin(sink, iid);

	proto_double(&sink->file.out, ANNOTATION_DOUBLE, number);
	proto_end(&sink->file.out, annotation);
}

void perfetto_annotate_number(struct perfetto_sink *sink, enum perfetto_own_name name,
			      int64_t number)
{
	annotation_put(sink, name, ANNOTATION_INT, number);
}

void perfetto_annotate_true(struct perfetto_sink *sink, enum perfetto_own_name name)
{
	annotation_put(sink, name, ANNOTATION_BOOL, true);
}

void perfetto_annotate_text(struct perfetto_sink *sink, enum perfetto_own_name name,
			    struct text text)
{
	annotation_put_text(sink, name, text);
}

static void append_value(struct perfetto_sink *sink, uint64_t iid, const struct value *value)
{
	switch (value->kind) {
	case VALUE_SIGNED:
		annotation_put(sink, iid, ANNOTATION_INT, value->signed_number);
		break;
	case VALUE_UNSIGNED:
		annotation_put(sink, iid, ANNOTATION_UINT, value->unsigned_number);
		break;
	case VALUE_BOOLEAN:
		annotation_put(sink, iid, ANNOTATION_BOOL, value->boolean);
		break;
	case VALUE_FLOATING:
		annotation_put_double(sink, iid, value->floating);
		break;
	case VALUE_TEXT:
		annotation_put_text(sink, iid, value->text);
		break;
	default:
		buffer_clear(&sink->file.text);
		value_append_text(&sink->file.text, value);
		annotation_put_text(sink, iid, buffer_text(&sink->file.text));
	}
}

/* Perfetto stores unsigned numbers as signed ones; larger numbers are written as text, too. */
static void append_exact(struct perfetto_sink *sink, const struct field *field, bool is_end)
{
	struct buffer *out = &sink->file.out;
	size_t annotation = proto_begin(out, EVENT_ANNOTATIONS);

	buffer_clear(&sink->file.text);
	buffer_append_string(&sink->file.text,
			     is_end ? "ktrack:exact:" END_PREFIX : "ktrack:exact:");
	buffer_append(&sink->file.text, field->name.data, field->name.size);
	proto_text(out, ANNOTATION_NAME, buffer_text(&sink->file.text));
	buffer_clear(&sink->file.text);
	value_append_text(&sink->file.text, &field->value);
	proto_text(out, ANNOTATION_STRING, buffer_text(&sink->file.text));
	proto_end(out, annotation);
}

static void append_fields(struct perfetto_sink *sink, const struct timeline_event *event)
{
	const struct perfetto_category *category = perfetto_category_of(sink,
									event->track->category);
	bool is_end = event->kind == TIMELINE_SLICE_END;

	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->fields[i];
		const struct perfetto_field_name *name = field_find(category, i, field->name);

		append_value(sink, is_end ? name->end_iid : name->iid, &field->value);
		if (field->value.kind == VALUE_UNSIGNED && field->value.unsigned_number > INT64_MAX)
			append_exact(sink, field, is_end);
	}
}

/*
 * The importer continues a flow at each event that has its id, which must be unique in the file: it
 * is a hash of name and id, and so an annotation has both as text.
 */
void perfetto_append_flows(struct perfetto_sink *sink, const struct timeline_event *event)
{
	bool is_end = event->kind == TIMELINE_SLICE_END;

	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct field *flow = timeline_event_flow(event, i);
		uint64_t seed = sink->seed ^ text_hash(flow->name);

		proto_fixed(&sink->file.out, EVENT_FLOW_IDS,
			    perfetto_uuid_of_seed(seed, UUID_FLOW, flow->value.unsigned_number));
	}
	buffer_clear(&sink->file.text);
	flows_append_text(&sink->file.text, event);
	perfetto_annotate_text(sink, is_end ? OWN_END_FLOW : OWN_FLOW,
			       buffer_text(&sink->file.text));
}

static void append_emitter(struct perfetto_sink *sink, const struct timeline_event *event)
{
	bool is_end = event->kind == TIMELINE_SLICE_END;
	unsigned int with = sink->file.with;

	if (event_has_emitter(event, with, TIMELINE_EMITTER_TID))
		perfetto_annotate_number(sink, is_end ? OWN_END_TID : OWN_TID, event->tid);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_CPU))
		perfetto_annotate_number(sink, is_end ? OWN_END_CPU : OWN_CPU, event->cpu);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_COMM))
		perfetto_annotate_text(sink, is_end ? OWN_END_COMM : OWN_COMM,
				       text_of(event->comm));
}

void perfetto_append_annotations(struct perfetto_sink *sink, const struct timeline_event *event)
{
	if (event->nr_fields > 0)
		append_fields(sink, event);
	if (perfetto_track_of(sink, event->track)->has_name && event->kind != TIMELINE_SLICE_END)
		perfetto_annotate_text(sink, OWN_TRACK, event->track->name);
	if (sink->file.with)
		append_emitter(sink, event);
	if (event->is_suspect)
		perfetto_annotate_true(sink, OWN_SUSPECT);
	if (event->is_unfinished)
		perfetto_annotate_true(sink, OWN_UNFINISHED);
	if (event->is_foreign)
		perfetto_annotate_true(sink, OWN_FOREIGN);
	if (event->is_cut && event->kind == TIMELINE_SLICE_BEGIN)
		perfetto_annotate_number(sink, OWN_BEGIN, event->begin_ns);
	else if (event->is_cut)
		perfetto_annotate_true(sink, OWN_CUT);
}

void perfetto_categories_free(struct perfetto_sink *sink)
{
	while (sink->categories) {
		struct perfetto_category *category = sink->categories;

		sink->categories = category->after;
		perfetto_waiting_release(&category->waiting);
		free(category->fields);
		free(category);
	}
}
