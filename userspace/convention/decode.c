// SPDX-License-Identifier: GPL-2.0-only
/* Decodes records of tracepoints that follow the convention into track events. */
#include "convention/convention.h"

#include "ktrack/fields.h"

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
