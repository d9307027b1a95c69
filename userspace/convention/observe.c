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

/* The end of a slice has a name that nobody needs; all the same it must be there. */
hot_inline const char *slice_read(struct observation *out, const struct template *template,
				  const struct record *record)
{
	const char *problem = type_read(out, template, record);
	struct text unused;
	bool is_read;

	if (problem)
		return problem;
	out->slice_name = (struct text){ .data = "" };
	if (out->kind == OBSERVATION_END)
		is_read = slot_find_text(&template->slice_name, record, &unused);
	else
		is_read = slot_read_text(&template->slice_name, record, &out->slice_name);
	return is_read ? NULL : "unreadable slice_name";
}

static const char *counter_read(struct observation *out, const struct template *template,
				const struct record *record)
{
	out->kind = OBSERVATION_COUNTER;
	if (!slot_read(&template->counter_value, record, &out->counter_value))
		return "unreadable counter_value";
	if (out->counter_value.kind == VALUE_BOOLEAN)
		out->counter_value = (struct value){
			.kind = VALUE_UNSIGNED, .unsigned_number = out->counter_value.boolean
		};
	return NULL;
}

hot_inline const char *scope_read(struct observation *out, const struct template *template,
				  const struct record *record)
{
	int64_t tid;

	if (!slot_read_integer(&template->pid, record, &tid))
		return "unreadable common_pid";
	out->tid = tid;
	out->scope_id.kind = VALUE_SIGNED;
	out->scope_id.signed_number = out->tid;
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
	if (template->kind == TEMPLATE_SLICE)
		problem = slice_read(out, template, record);
	else
		problem = counter_read(out, template, record);
	if (!problem)
		problem = scope_read(out, template, record);
	if (problem)
		return problem;
	if (template->track_name.read &&
	    !slot_read_text(&template->track_name, record, &out->track_name))
		return "unreadable track_name";
	if (template->nr_extras > 0)
		extras_read(out, template, record);
	return NULL;
}
