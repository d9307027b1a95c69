// SPDX-License-Identifier: GPL-2.0-only
/* Reads one record through its tracepoint's template. */
#include "convention/convention.h"

#include "convention/slot.h"

static const char *type_take(struct observation *out, int64_t letter)
{
	switch (letter) {
	case 'B':
		out->kind = OBSERVATION_BEGIN;
		return NULL;
	case 'E':
		out->kind = OBSERVATION_END;
		return NULL;
	case 'I':
		out->kind = OBSERVATION_INSTANT;
		return NULL;
	default:
		return "unknown track_event_type";
	}
}

static const char *type_read(struct observation *out, const struct template *template,
			     const struct record *record)
{
	const struct slot *slot = &template->type;
	struct value type;

	/* Nearly always it is a character; no sign makes another letter of it. */
	if (slot->size == 1 && slot->end <= record->size)
		return type_take(out, record->data[slot->offset]);
	if (!slot_read(slot, record, &type))
		return "unreadable track_event_type";
	return type_take(out, type.kind == VALUE_SIGNED ? type.signed_number
							: (int64_t)type.unsigned_number);
}

static const char *text_read(struct text *out, const struct slot *slot, const struct record *record,
			     const char *problem)
{
	struct value value;

	if (!slot_read(slot, record, &value))
		return problem;
	*out = value.text;
	return NULL;
}

static const char *payload_read(struct observation *out, const struct template *template,
				const struct record *record)
{
	const char *problem;

	if (template->kind == TEMPLATE_SLICE) {
		problem = type_read(out, template, record);
		return problem ? problem
			       : text_read(&out->slice_name, &template->slice_name, record,
					   "unreadable slice_name");
	}
	out->kind = OBSERVATION_COUNTER;
	if (!slot_read(&template->counter_value, record, &out->counter_value))
		return "unreadable counter_value";
	if (out->counter_value.kind == VALUE_BOOLEAN)
		out->counter_value = (struct value){
			.kind = VALUE_UNSIGNED, .unsigned_number = out->counter_value.boolean
		};
	return NULL;
}

static const char *scope_read(struct observation *out, const struct template *template,
			      const struct record *record)
{
	struct value pid;

	if (!slot_read(&template->pid, record, &pid))
		return "unreadable common_pid";
	out->tid = pid.kind == VALUE_SIGNED ? pid.signed_number : (int64_t)pid.unsigned_number;
	out->scope_id = (struct value){ .kind = VALUE_SIGNED, .signed_number = out->tid };
	if (template->scope != TEMPLATE_SCOPE_THREAD &&
	    !slot_read(&template->scope_id, record, &out->scope_id))
		return "unreadable scope";
	return NULL;
}

/* Extra fields that cannot be read are left out: the event itself is sound. */
static void extras_read(struct observation *out, const struct template *template,
			const struct record *record)
{
	for (size_t i = 0; i < template->nr_extras; i++) {
		const struct extra *extra = &template->extras[i];
		struct field *field = &template->fields[out->nr_extras];

		if (!slot_read(&extra->slot, record, &field->value))
			continue;
		field->name = extra->label;
		out->nr_extras++;
	}
}

const char *observation_read(struct observation *out, const struct template *template,
			     const struct record *record)
{
	const char *problem;

	out->template = template;
	out->time_ns = record->time_ns;
	out->cpu = record->cpu;
	out->buffer = record->buffer;
	out->extras = template->fields;
	out->nr_extras = 0;
	out->track_name = template->label;
	problem = payload_read(out, template, record);
	if (!problem)
		problem = scope_read(out, template, record);
	if (!problem && template->track_name.kind != SLOT_ABSENT)
		problem = text_read(&out->track_name, &template->track_name, record,
				    "unreadable track_name");
	if (!problem)
		extras_read(out, template, record);
	return problem;
}
