// SPDX-License-Identifier: GPL-2.0-only
/* Finds the fields that have a role in the convention, by name and type. */
#include "convention/descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct match - fields of a format with a role in the convention, NULL if there is none
 * @is_swapped: the records' byte order is not this machine's
 */
struct match {
	bool is_swapped;
	const struct format_field *type;
	const struct format_field *slice_name;
	const struct format_field *track_name;
	const struct format_field *scope;
	const struct format_field *counter_value;
};

/*
 * A field of another type than the convention's has no role. As in Perfetto, the last of several
 * scope fields counts, and a scope may be a pointer.
 */
static void match_field(struct match *match, const struct format_field *field)
{
	struct field_ref ref = field_ref_of(field, match->is_swapped);
	bool is_scalar = field_ref_is_number(&ref), is_number = is_scalar && !field->is_pointer;
	bool is_bool_or_number = is_number || ref.kind == FIELD_BOOLEAN;

	if (is_number && strcmp(field->name, "track_event_type") == 0)
		match->type = field;
	else if (field_ref_is_text(&ref) && strcmp(field->name, "slice_name") == 0)
		match->slice_name = field;
	else if (field_ref_is_text(&ref) && strcmp(field->name, "track_name") == 0)
		match->track_name = field;
	else if (is_bool_or_number && strcmp(field->name, "counter_value") == 0)
		match->counter_value = field;
	else if (is_scalar && strncmp(field->name, "scope_", strlen("scope_")) == 0)
		match->scope = field;
}

/* An event with the fields of both kinds is a slice, as in Perfetto. */
static enum descriptor_kind match_kind(const struct match *match)
{
	if (match->type && match->slice_name)
		return DESCRIPTOR_SLICE;
	return match->counter_value ? DESCRIPTOR_COUNTER : DESCRIPTOR_NONE;
}

static bool match_uses(const struct match *match, enum descriptor_kind kind,
		       const struct format_field *field)
{
	if (field == match->track_name || field == match->scope)
		return true;
	if (kind == DESCRIPTOR_COUNTER)
		return field == match->counter_value;
	return field == match->type || field == match->slice_name;
}

/* A pointer is neither a process nor a CPU, whatever its name. */
static enum descriptor_scope match_scope(const struct match *match)
{
	const struct format_field *field = match->scope;

	if (!field)
		return DESCRIPTOR_SCOPE_THREAD;
	if (!field->is_pointer && strcmp(field->name, "scope_tgid") == 0)
		return DESCRIPTOR_SCOPE_PROCESS;
	if (!field->is_pointer && strcmp(field->name, "scope_cpu") == 0)
		return DESCRIPTOR_SCOPE_CPU;
	return DESCRIPTOR_SCOPE_CUSTOM;
}

/* A common_pid of another type makes the records malformed. */
static struct field_ref match_pid(const struct match *match, const struct format *format)
{
	const struct format_field *field = format_find(format, "common_pid");
	struct field_ref ref = field_ref_of(field, match->is_swapped);
	bool is_number = field_ref_is_number(&ref) && !field->is_pointer;

	return is_number ? ref : (struct field_ref)FIELD_REF_ABSENT;
}

/* Returns FIELD_END_NEVER if a required field is absent: then all records are malformed. */
static size_t record_size(const struct descriptor *descriptor)
{
	bool is_slice = descriptor->kind == DESCRIPTOR_SLICE;
	const struct field_ref *refs[] = {
		is_slice ? &descriptor->type : &descriptor->counter_value,
		is_slice ? &descriptor->slice_name : &descriptor->counter_value,
		&descriptor->pid,
		descriptor->scope == DESCRIPTOR_SCOPE_THREAD ? &descriptor->pid
							     : &descriptor->scope_id,
		descriptor->track_name.kind == FIELD_ABSENT ? &descriptor->pid
							    : &descriptor->track_name,
	};
	size_t size = 0;

	for (size_t i = 0; i < sizeof(refs) / sizeof(refs[0]); i++) {
		if (refs[i]->end > size)
			size = refs[i]->end;
	}
	return size;
}

static int extra_add(struct descriptor *descriptor, const struct match *match,
		     const struct format_field *field)
{
	struct extra *extra = &descriptor->extras[descriptor->nr_extras];

	extra->ref = field_ref_of(field, match->is_swapped);
	extra->name = strdup(field->name);
	if (!extra->name)
		return -1;
	extra->label = text_of(extra->name);
	descriptor->nr_extras++;
	return 0;
}

static int extras_add(struct descriptor *descriptor, const struct match *match,
		      const struct format *format)
{
	descriptor->extras = calloc(format->nr_fields + 1, sizeof(*descriptor->extras));
	descriptor->fields = calloc(format->nr_fields + 1, sizeof(*descriptor->fields));
	if (!descriptor->extras || !descriptor->fields)
		return -1;
	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		if (!match_uses(match, descriptor->kind, &format->fields[i]) &&
		    extra_add(descriptor, match, &format->fields[i]) < 0)
			return -1;
	}
	return 0;
}

static int names_set(struct descriptor *descriptor, const struct match *match, const char *system,
		     const struct format *format)
{
	if (match->scope) {
		descriptor->scope_field = strdup(match->scope->name);
		if (!descriptor->scope_field)
			return -1;
	}
	if (asprintf(&descriptor->category, "%s:%s", system, format->name) < 0) {
		descriptor->category = NULL;
		return -1;
	}
	descriptor->name = descriptor->category + strlen(system) + 1;
	descriptor->label = text_of(descriptor->name);
	descriptor->label_head = text_head(descriptor->label);
	return 0;
}

static int descriptor_fill(struct descriptor *descriptor, const struct match *match,
			   const char *system, const struct format *format)
{
	*descriptor = (struct descriptor){
		.event_id = format->id,
		.kind = match_kind(match),
		.is_swapped = match->is_swapped,
		.scope = match_scope(match),
		.type = field_ref_of(match->type, match->is_swapped),
		.slice_name = field_ref_of(match->slice_name, match->is_swapped),
		.track_name = field_ref_of(match->track_name, match->is_swapped),
		.scope_id = field_ref_of(match->scope, match->is_swapped),
		.counter_value = field_ref_of(match->counter_value, match->is_swapped),
		.pid = match_pid(match, format),
	};
	descriptor->record_size = record_size(descriptor);
	return names_set(descriptor, match, system, format) < 0 ||
			       extras_add(descriptor, match, format) < 0
		       ? -1
		       : 0;
}

int descriptor_new(struct descriptor **out, const char *system, const struct format *format,
		   bool is_swapped)
{
	struct match match = { .is_swapped = is_swapped };

	*out = NULL;
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		match_field(&match, &format->fields[i]);
	if (match_kind(&match) == DESCRIPTOR_NONE)
		return 0;
	*out = calloc(1, sizeof(**out));
	if (*out && descriptor_fill(*out, &match, system, format) == 0)
		return 0;
	descriptor_free(*out);
	*out = NULL;
	return -1;
}

size_t descriptor_size(const struct descriptor *descriptor)
{
	size_t size = sizeof(*descriptor) + strlen(descriptor->category) + 1;

	for (size_t i = 0; i < descriptor->nr_extras; i++)
		size += sizeof(struct extra) + sizeof(struct field) +
			descriptor->extras[i].label.size + 1;
	return size;
}

void descriptor_free(struct descriptor *descriptor)
{
	if (!descriptor)
		return;
	for (size_t i = 0; i < descriptor->nr_extras; i++)
		free(descriptor->extras[i].name);
	free(descriptor->extras);
	free(descriptor->fields);
	free(descriptor->scope_field);
	free(descriptor->category);
	free(descriptor);
}
