// SPDX-License-Identifier: GPL-2.0-only
/* Finds the fields that have a role in the convention, and decodes records by them. */
#include "convention/descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convention/convention.h"
#include "ktrack/fields.h"

/* Finds the fields that have a role in the convention, by name and type. */

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

/* Decodes records of tracepoints that follow the convention into track events. */

/*
 * The functions below that take @is_swapped are compiled for both values.
 */

hot_inline bool kind_decode(struct decoded_event *out, const struct descriptor *descriptor,
			    const struct record *record, bool is_swapped)
{
	int64_t type = field_integer(&descriptor->type, record, is_swapped);

	out->kind = type == KTRACK_TYPE_BEGIN ? DECODED_BEGIN
		    : type == KTRACK_TYPE_END ? DECODED_END
					      : DECODED_INSTANT;
	return type == KTRACK_TYPE_BEGIN || type == KTRACK_TYPE_END || type == KTRACK_TYPE_INSTANT;
}

/* The name of an end is not used, but its bytes must be in the record. */
hot_inline const char *slice_decode(struct decoded_event *out, const struct descriptor *descriptor,
				    const struct record *record, bool is_swapped)
{
	struct text name;
	uint64_t head = 0;

	if (unlikely(!kind_decode(out, descriptor, record, is_swapped)))
		return "unknown track_event_type";
	if (unlikely(!field_bytes(&descriptor->slice_name, record, is_swapped, &name)))
		return "unreadable slice_name";
	if (out->kind == DECODED_END)
		name.size = 0;
	else
		head = field_cut_text(record, &name);
	out->slice_name = name;
	out->slice_head = head;
	return NULL;
}

hot_inline void counter_decode(struct decoded_event *out, const struct descriptor *descriptor,
			       const struct record *record, bool is_swapped)
{
	const struct field_ref *ref = &descriptor->counter_value;
	int64_t number = field_integer(ref, record, is_swapped);

	out->kind = DECODED_COUNTER;
	out->counter_value.kind = field_integer_kind(ref);
	out->counter_value.signed_number = ref->kind == FIELD_BOOLEAN ? number != 0 : number;
	if (unlikely(ref->kind == FIELD_FLOATING))
		out->counter_value = (struct value){ .kind = VALUE_FLOATING,
						     .floating = field_floating(ref, record) };
	out->slice_name = (struct text){ .data = "" };
	out->slice_head = 0;
}

hot_inline const char *scope_decode(struct decoded_event *out, const struct descriptor *descriptor,
				    const struct record *record, bool is_swapped)
{
	const struct field_ref *ref = &descriptor->scope_id;
	int64_t tid = field_integer(&descriptor->pid, record, is_swapped);

	if (unlikely(tid != (int32_t)tid))
		return "unreadable common_pid";
	out->tid = tid;
	out->scope_id.kind = VALUE_SIGNED;
	out->scope_id.signed_number = tid;
	if (descriptor->scope != DESCRIPTOR_SCOPE_THREAD) {
		out->scope_id.kind = field_integer_kind(ref);
		out->scope_id.signed_number = field_integer(ref, record, is_swapped);
	}
	return NULL;
}

hot_inline const char *track_decode(struct decoded_event *out, const struct descriptor *descriptor,
				    const struct record *record, bool is_swapped)
{
	struct text name;

	if (descriptor->track_name.kind == FIELD_ABSENT) {
		out->track_name = descriptor->label;
		out->track_head = descriptor->label_head;
		return NULL;
	}
	if (unlikely(!field_bytes(&descriptor->track_name, record, is_swapped, &name)))
		return "unreadable track_name";
	out->track_head = field_cut_text(record, &name);
	out->track_name = name;
	return NULL;
}

/* Replaces numbers by their texts. Fields are those of the extras that could be read, in order. */
static void extras_render(const struct descriptor *descriptor, const struct record *record,
			  size_t nr_fields)
{
	const struct extra_symbols *own = descriptor->symbols;
	struct field *field = descriptor->fields, *end = field + nr_fields;
	struct text text;

	symbols_begin(own->symbols);
	for (size_t i = 0; field < end; i++) {
		if (field->name.data != descriptor->extras[i].label.data)
			continue;
		if (own->fields[i] && symbols_render(own->symbols, own->fields[i], record, &text))
			field->value = (struct value){ .kind = VALUE_TEXT, .text = text };
		field++;
	}
}

/* 0 is no flow, and what cannot be read is none. */
static void flows_decode(struct decoded_event *out, const struct descriptor *descriptor,
			 const struct record *record)
{
	struct field *field = out->extras + out->nr_extras;

	for (size_t i = 0; i < descriptor->nr_flows; i++) {
		const struct extra *flow = &descriptor->flows[i];

		if (!field_read(&flow->ref, record, &field->value) ||
		    field->value.unsigned_number == 0)
			continue;
		field->name = flow->label;
		field->value.kind = VALUE_UNSIGNED;
		field++;
		out->nr_flows++;
	}
}

/* The end of a guard has no strings. */
static bool value_is_empty(const struct value *value)
{
	return value->kind == VALUE_TEXT && value->text.size == 0;
}

/*
 * Unreadable extra fields are left out; the event is valid without them, as are empty strings of
 * ends. Flows follow them.
 */
static void extras_decode(struct decoded_event *out, const struct descriptor *descriptor,
			  const struct record *record)
{
	struct field *field = descriptor->fields;
	size_t left = record_space(record);
	size_t nr_extras = out->kind == DECODED_END ? descriptor->nr_extras
						    : descriptor->nr_early_extras;

	for (size_t i = 0; i < nr_extras; i++) {
		const struct extra *extra = &descriptor->extras[i];

		if (likely(field_ref_is_number(&extra->ref) && extra->ref.end <= record->size))
			field_read_number(&extra->ref, record, descriptor->is_swapped,
					  &field->value);
		else if (!field_read(&extra->ref, record, &field->value) ||
			 !value_take_space(&field->value, &left) ||
			 (out->kind == DECODED_END && value_is_empty(&field->value)))
			continue;
		field->name = extra->label;
		field++;
	}
	out->nr_extras = field - descriptor->fields;
	if (unlikely(descriptor->symbols))
		extras_render(descriptor, record, out->nr_extras);
	if (descriptor->nr_flows > 0)
		flows_decode(out, descriptor, record);
}

static void keys_decode(const struct descriptor *descriptor, const struct record *record)
{
	struct decoded_keys *keys = descriptor->keys;

	for (size_t i = 0; i < keys->nr_outer; i++) {
		const struct extra *outer = &descriptor->outer[i];

		keys->outer[i].value.kind = field_integer_kind(&outer->ref);
		keys->outer[i].value.signed_number = field_integer(&outer->ref, record,
								   descriptor->is_swapped);
	}
	if (keys->is_async)
		keys->ids[0] = field_integer(&descriptor->async, record, descriptor->is_swapped);
}

/* Decodes what most tracepoints do not have. */
static out_of_line void more_decode(struct decoded_event *out, const struct descriptor *descriptor,
				    const struct record *record)
{
	out->extras = descriptor->fields;
	out->keys = descriptor->keys;
	if (descriptor->keys)
		keys_decode(descriptor, record);
	if (descriptor->nr_fields > 0)
		extras_decode(out, descriptor, record);
}

static const char *decode_fail(struct decoded_event *out, const char *problem)
{
	out->problem = problem;
	return problem;
}

static bool record_lacks(const struct record *record, const struct field_ref *ref)
{
	return ref->end == FIELD_END_NEVER || ref->offset + ref->size > record->size;
}

/* Also for records that are too short to read numbers from them. */
static const char *short_slice_problem(struct decoded_event *out,
				       const struct descriptor *descriptor,
				       const struct record *record)
{
	bool is_swapped = descriptor->is_swapped;
	struct text name;

	if (record_lacks(record, &descriptor->type))
		return "unreadable track_event_type";
	if (descriptor->type.end <= record->size &&
	    !kind_decode(out, descriptor, record, is_swapped))
		return "unknown track_event_type";
	if (record_lacks(record, &descriptor->slice_name) ||
	    !field_bytes(&descriptor->slice_name, record, is_swapped, &name))
		return "unreadable slice_name";
	return NULL;
}

static bool record_lacks_keys(const struct record *record, const struct descriptor *descriptor)
{
	const struct decoded_keys *keys = descriptor->keys;

	for (size_t i = 0; keys && i < keys->nr_outer; i++) {
		if (record_lacks(record, &descriptor->outer[i].ref))
			return true;
	}
	return keys && keys->is_async && record_lacks(record, &descriptor->async);
}

/* Reports the first problem of a record that does not contain all fields. */
static out_of_line const char *short_record_fail(struct decoded_event *out,
						 const struct descriptor *descriptor,
						 const struct record *record)
{
	const char *problem = NULL;

	if (descriptor->kind == DESCRIPTOR_SLICE)
		problem = short_slice_problem(out, descriptor, record);
	else if (record_lacks(record, &descriptor->counter_value))
		problem = "unreadable counter_value";
	if (problem)
		return decode_fail(out, problem);
	if (record_lacks(record, &descriptor->pid))
		return decode_fail(out, "unreadable common_pid");
	if ((descriptor->scope != DESCRIPTOR_SCOPE_THREAD &&
	     record_lacks(record, &descriptor->scope_id)) ||
	    record_lacks_keys(record, descriptor))
		return decode_fail(out, "unreadable scope");
	return decode_fail(out, "unreadable track_name");
}

hot_inline const char *record_decode(struct decoded_event *out, const struct descriptor *descriptor,
				     const struct record *record, bool is_swapped)
{
	const char *problem = NULL;

	if (unlikely(record->size < descriptor->record_size))
		return short_record_fail(out, descriptor, record);
	if (descriptor->kind == DESCRIPTOR_SLICE)
		problem = slice_decode(out, descriptor, record, is_swapped);
	else
		counter_decode(out, descriptor, record, is_swapped);
	if (!problem)
		problem = scope_decode(out, descriptor, record, is_swapped);
	if (!problem)
		problem = track_decode(out, descriptor, record, is_swapped);
	if (unlikely(problem))
		return decode_fail(out, problem);
	if (unlikely(descriptor->has_more))
		more_decode(out, descriptor, record);
	return NULL;
}

/* In a function of its own, so that the usual byte order needs fewer registers. */
static out_of_line const char *swapped_decode(struct decoded_event *restrict out,
					      const struct descriptor *descriptor,
					      const struct record *record)
{
	return record_decode(out, descriptor, record, true);
}

const char *convention_decode(struct decoded_event *restrict out,
			      const struct descriptor *descriptor, const struct record *record)
{
	out->descriptor = descriptor;
	out->time_ns = record->time_ns;
	out->cpu = record->cpu;
	out->buffer = record->buffer;
	out->extras = NULL;
	out->nr_any = 0;
	out->keys = NULL;
	out->problem = NULL;
	if (unlikely(descriptor->is_swapped))
		return swapped_decode(out, descriptor, record);
	return record_decode(out, descriptor, record, false);
}
