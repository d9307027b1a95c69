// SPDX-License-Identifier: GPL-2.0-only
/* Finds the fields that have a role in the convention, by name and type. */
#include "convention/descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convention/symbols.h"

/*
 * Types by which the macros of include/ktrack mark fields, see ktrack-instrument(7). The convention
 * has no words for these; to its other readers they are scopes or extra fields.
 */
#define TYPE_SCOPE_PREFIX "ktrack_scope_"
#define TYPE_SCOPE_GLOBAL "ktrack_scope_global"
#define TYPE_ASYNC "ktrack_async_id"
#define TYPE_FLOW "ktrack_flow_id"
#define TYPE_RESULT "ktrack_result"

/** SCOPE_FIELD_PREFIX - begin of the names of scope fields */
#define SCOPE_FIELD_PREFIX "scope_"

/**
 * struct match - fields of a format with a role in the convention, NULL if there is none
 * @is_swapped: the records' byte order is not this machine's
 * @outer: scopes before @scope that belong to a compound scope
 * @async: pairs begin and end of asynchronous slices
 * @flows: ids of flows
 * @is_global: the tracepoint has one scope only
 */
struct match {
	bool is_swapped;
	bool is_global;
	const struct format_field *async;
	const struct format_field *outer[KEYS_OUTER_MAX];
	size_t nr_outer;
	const struct format_field *flows[FLOWS_MAX];
	size_t nr_flows;
	const struct format_field *type;
	const struct format_field *slice_name;
	const struct format_field *track_name;
	const struct format_field *scope;
	const struct format_field *counter_value;
};

static bool type_is(const struct format_field *field, const char *type)
{
	return strcmp(field->type, type) == 0;
}

static bool is_key(const struct format_field *field)
{
	return field && strncmp(field->type, TYPE_SCOPE_PREFIX, strlen(TYPE_SCOPE_PREFIX)) == 0 &&
	       !type_is(field, TYPE_SCOPE_GLOBAL);
}

/*
 * Scopes that are marked as such are a compound scope together. Of others the last one counts, as
 * in Perfetto.
 */
static void match_scope_field(struct match *match, const struct format_field *field)
{
	if (type_is(field, TYPE_ASYNC)) {
		match->async = field;
		return;
	}
	if (!is_key(field) || !is_key(match->scope))
		match->nr_outer = 0;
	else if (match->nr_outer < KEYS_OUTER_MAX)
		match->outer[match->nr_outer++] = match->scope;
	match->scope = field;
}

/*
 * A field of another type than the convention's has no role. As in Perfetto, a scope may be a
 * pointer.
 */
static void match_field(struct match *match, const struct format_field *field)
{
	struct field_ref ref = field_ref_of(field, match->is_swapped);
	bool is_scalar = field_ref_is_scalar(&ref), is_number = is_scalar && !field->is_pointer;
	bool is_level = is_number || ref.kind == FIELD_BOOLEAN || ref.kind == FIELD_FLOATING;

	if (is_number && strcmp(field->name, "track_event_type") == 0)
		match->type = field;
	else if (field_ref_is_text(&ref) && strcmp(field->name, "slice_name") == 0)
		match->slice_name = field;
	else if (field_ref_is_text(&ref) && strcmp(field->name, "track_name") == 0)
		match->track_name = field;
	else if (is_level && strcmp(field->name, "counter_value") == 0)
		match->counter_value = field;
	else if (is_scalar &&
		 strncmp(field->name, SCOPE_FIELD_PREFIX, strlen(SCOPE_FIELD_PREFIX)) == 0)
		match_scope_field(match, field);
	else if (is_number && type_is(field, TYPE_FLOW) && match->nr_flows < FLOWS_MAX)
		match->flows[match->nr_flows++] = field;
}

/* After all fields were matched. A global scope's field and an id alone select no track. */
static void match_end(struct match *match)
{
	if (match->scope)
		match->is_global = type_is(match->scope, TYPE_SCOPE_GLOBAL);
	else
		match->is_global = match->async != NULL;
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
	for (size_t i = 0; i < match->nr_outer; i++) {
		if (field == match->outer[i])
			return true;
	}
	if (kind == DESCRIPTOR_COUNTER)
		return field == match->counter_value;
	for (size_t i = 0; i < match->nr_flows; i++) {
		if (field == match->flows[i])
			return true;
	}
	return field == match->type || field == match->slice_name;
}

/* A pointer is neither a process nor a CPU, whatever its name. */
static enum descriptor_scope match_scope(const struct match *match)
{
	const struct format_field *field = match->scope;

	if (match->is_global)
		return DESCRIPTOR_SCOPE_GLOBAL;
	if (!field)
		return DESCRIPTOR_SCOPE_THREAD;
	if (!field->is_pointer && strcmp(field->name, "scope_tgid") == 0)
		return DESCRIPTOR_SCOPE_PROCESS;
	if (!field->is_pointer && strcmp(field->name, "scope_cpu") == 0)
		return DESCRIPTOR_SCOPE_CPU;
	return DESCRIPTOR_SCOPE_CUSTOM;
}

/* The number of a global scope is 0, which is read from no bit of the record. */
static struct field_ref match_scope_id(const struct match *match)
{
	if (match->is_global)
		return (struct field_ref){ .kind = FIELD_UNSIGNED, .end = WORD_SIZE };
	return field_ref_of(match->scope, match->is_swapped);
}

/* A common_pid of another type makes the records malformed. */
static struct field_ref match_pid(const struct match *match, const struct format *format)
{
	const struct format_field *field = format_find(format, text_of("common_pid"));
	struct field_ref ref = field_ref_of(field, match->is_swapped);
	bool is_number = field_ref_is_number(&ref) && !field->is_pointer;

	return is_number ? ref : (struct field_ref)FIELD_REF_ABSENT;
}

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
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

	for (size_t i = 0; i < sizeof(refs) / sizeof(refs[0]); i++)
		size = max_size(size, refs[i]->end);
	if (descriptor->keys && descriptor->keys->is_async)
		size = max_size(size, descriptor->async.end);
	for (size_t i = 0; descriptor->keys && i < descriptor->keys->nr_outer; i++)
		size = max_size(size, descriptor->outer[i].ref.end);
	return size;
}

static int extra_set(struct extra *extra, const struct match *match,
		     const struct format_field *field)
{
	const char *name = field->name;

	if (field == match->async)
		name += strlen(SCOPE_FIELD_PREFIX);
	extra->ref = field_ref_of(field, match->is_swapped);
	extra->name = strdup(name);
	if (!extra->name)
		return -1;
	extra->label = text_of(extra->name);
	return 0;
}

static int extra_add(struct descriptor *descriptor, const struct match *match,
		     const struct format_field *field)
{
	if (extra_set(&descriptor->extras[descriptor->nr_extras], match, field) < 0)
		return -1;
	descriptor->nr_extras++;
	return 0;
}

/* Samples are no points of flows. */
static int flows_add(struct descriptor *descriptor, const struct match *match)
{
	if (descriptor->kind == DESCRIPTOR_COUNTER)
		return 0;
	descriptor->flows = &descriptor->extras[descriptor->nr_extras];
	for (size_t i = 0; i < match->nr_flows; i++) {
		if (extra_set(&descriptor->flows[i], match, match->flows[i]) < 0)
			return -1;
		descriptor->nr_flows++;
	}
	return 0;
}

/* Adds the extra fields that are results, or those that are not. */
static int extras_add_some(struct descriptor *descriptor, const struct match *match,
			   const struct format *format, bool are_results)
{
	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		const struct format_field *field = &format->fields[i];

		if (type_is(field, TYPE_RESULT) == are_results &&
		    !match_uses(match, descriptor->kind, field) &&
		    extra_add(descriptor, match, field) < 0)
			return -1;
	}
	return 0;
}

static int extras_add(struct descriptor *descriptor, const struct match *match,
		      const struct format *format)
{
	descriptor->extras = calloc(format->nr_fields + 1, sizeof(*descriptor->extras));
	descriptor->fields = calloc(format->nr_fields + 1, sizeof(*descriptor->fields));
	if (!descriptor->extras || !descriptor->fields ||
	    extras_add_some(descriptor, match, format, false) < 0)
		return -1;
	descriptor->nr_early_extras = descriptor->nr_extras;
	return extras_add_some(descriptor, match, format, true);
}

/* Of counters, which have no end, the id is an extra field only. */
static int keys_add(struct descriptor *descriptor, const struct match *match)
{
	bool is_async = match->async && descriptor->kind == DESCRIPTOR_SLICE;

	if (!is_async && match->nr_outer == 0 && descriptor->nr_flows == 0)
		return 0;
	descriptor->keys = calloc(1, sizeof(*descriptor->keys));
	if (!descriptor->keys)
		return -1;
	descriptor->keys->is_async = is_async;
	descriptor->async = field_ref_of(match->async, match->is_swapped);
	for (size_t i = 0; i < match->nr_outer; i++) {
		struct extra *outer = &descriptor->outer[i];

		outer->ref = field_ref_of(match->outer[i], match->is_swapped);
		outer->name = strdup(match->outer[i]->name);
		if (!outer->name)
			return -1;
		descriptor->keys->outer[i].name = text_of(outer->name);
		descriptor->keys->nr_outer++;
	}
	return 0;
}

static int names_set(struct descriptor *descriptor, const struct match *match, const char *system,
		     const struct format *format)
{
	if (match->scope && !match->is_global) {
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
		.scope_id = match_scope_id(match),
		.counter_value = field_ref_of(match->counter_value, match->is_swapped),
		.pid = match_pid(match, format),
	};
	if (names_set(descriptor, match, system, format) < 0 ||
	    extras_add(descriptor, match, format) < 0 || flows_add(descriptor, match) < 0 ||
	    keys_add(descriptor, match) < 0)
		return -1;
	descriptor->nr_fields = descriptor->nr_extras + descriptor->nr_flows;
	descriptor->record_size = record_size(descriptor);
	descriptor->has_more = descriptor->nr_fields > 0 || descriptor->keys;
	return 0;
}

int descriptor_new(struct descriptor **out, const char *system, const struct format *format,
		   bool is_swapped)
{
	struct match match = { .is_swapped = is_swapped };

	*out = NULL;
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		match_field(&match, &format->fields[i]);
	match_end(&match);
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
	size_t size = sizeof(*descriptor) + strlen(descriptor->category) + 1 +
		      extra_symbols_size(descriptor);

	for (size_t i = 0; i < descriptor->nr_extras; i++)
		size += sizeof(struct extra) + sizeof(struct field) +
			descriptor->extras[i].label.size + 1;
	for (size_t i = 0; i < descriptor->nr_flows; i++)
		size += sizeof(struct extra) + sizeof(struct field) +
			descriptor->flows[i].label.size + 1;
	return descriptor->keys ? size + sizeof(*descriptor->keys) : size;
}

void descriptor_free(struct descriptor *descriptor)
{
	if (!descriptor)
		return;
	for (size_t i = 0; i < descriptor->nr_extras + descriptor->nr_flows; i++)
		free(descriptor->extras[i].name);
	extra_symbols_free(descriptor->symbols);
	free(descriptor->extras);
	free(descriptor->fields);
	for (size_t i = 0; i < KEYS_OUTER_MAX; i++)
		free(descriptor->outer[i].name);
	free(descriptor->keys);
	free(descriptor->scope_field);
	free(descriptor->category);
	free(descriptor);
}
