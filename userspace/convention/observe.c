// SPDX-License-Identifier: GPL-2.0-only
/* Reads one record through its tracepoint's template. */
#include "convention/convention.h"

#include "convention/observe.h"
#include "convention/slot.h"

/* The letter of a track_event_type; no sign makes another of it. */
hot_inline bool type_take(struct observation *out, int64_t letter)
{
	if (letter == 'B')
		out->kind = OBSERVATION_BEGIN;
	else if (letter == 'E')
		out->kind = OBSERVATION_END;
	else
		out->kind = OBSERVATION_INSTANT;
	return letter == 'B' || letter == 'E' || letter == 'I';
}

static const char *type_read(struct observation *out, const struct template *template,
			     const struct record *record)
{
	int64_t letter;

	if (!slot_read_integer(&template->type, record, &letter))
		return "unreadable track_event_type";
	return type_take(out, letter) ? NULL : "unknown track_event_type";
}

/* The end of a slice has a name that nobody needs; all the same it must be there. */
static const char *slice_read(struct observation *out, const struct template *template,
			      const struct record *record)
{
	const char *problem = type_read(out, template, record);
	struct text unused;
	bool is_read;

	if (problem)
		return problem;
	if (out->kind == OBSERVATION_END)
		is_read = slot_find_text(&template->slice_name, record, &unused);
	else
		is_read = slot_read_text(&template->slice_name, record, &out->slice_name,
					 &out->slice_head);
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

static const char *scope_read(struct observation *out, const struct template *template,
			      const struct record *record)
{
	int64_t tid;

	if (!slot_read_integer(&template->pid, record, &tid) || tid < INT32_MIN || tid > INT32_MAX)
		return "unreadable common_pid";
	out->tid = tid;
	out->scope_id = (struct value){ .kind = VALUE_SIGNED, .signed_number = out->tid };
	if (template->scope != TEMPLATE_SCOPE_THREAD &&
	    !slot_read(&template->scope_id, record, &out->scope_id))
		return "unreadable scope";
	return NULL;
}

/* A number that is_usual_number(). */
hot_inline int64_t usual_number(const struct slot *slot, const struct record *record)
{
	const unsigned char *bytes = record->data + slot->offset;
	int64_t number;
	int32_t half;

	if (slot->size == sizeof(number)) {
		memcpy(&number, bytes, sizeof(number));
		return number;
	}
	memcpy(&half, bytes, sizeof(half));
	return slot->kind == SLOT_SIGNED ? half : (int64_t)(uint32_t)half;
}

hot_inline void usual_number_read(const struct slot *slot, const struct record *record,
				  struct value *out)
{
	out->kind = slot->kind == SLOT_SIGNED ? VALUE_SIGNED : VALUE_UNSIGNED;
	out->signed_number = usual_number(slot, record);
}

hot_inline bool extra_read(const struct extra *extra, const struct record *record,
			   struct value *out)
{
	if (!extra->is_usual || extra->slot.end > record->size)
		return slot_read(&extra->slot, record, out);
	usual_number_read(&extra->slot, record, out);
	return true;
}

/*
 * Whether there is @room for a value. The texts of a record take no more than the record, unless
 * fields share their bytes, as only a made-up record's do: without a bound, a few bytes would
 * become any number of them.
 */
static bool room_take(size_t *room, const struct value *value)
{
	size_t size = value->kind == VALUE_TEXT || value->kind == VALUE_BYTES ? value->text.size
									      : 0;

	if (size > *room)
		return false;
	*room -= size;
	return true;
}

/* Extra fields that cannot be read are left out: the event itself is sound. */
static __attribute__((noinline)) void other_extras_read(struct observation *out,
							const struct template *template,
							const struct record *record)
{
	size_t room = record->size;

	out->extras = template->other_fields;
	out->nr_extras = 0;
	for (size_t i = 0; i < template->nr_extras; i++) {
		const struct extra *extra = &template->extras[i];
		struct field *field = &template->other_fields[out->nr_extras];

		if (!extra_read(extra, record, &field->value) || !room_take(&room, &field->value))
			continue;
		field->name = extra->label;
		out->nr_extras++;
	}
}

static void extras_read(struct observation *out, const struct template *template,
			const struct record *record)
{
	const struct extra *extra = template->extras, *end = extra + template->nr_extras;
	struct field *field = template->fields;

	if (record->size < template->extras_size) {
		other_extras_read(out, template, record);
		return;
	}
	out->extras = field;
	out->nr_extras = template->nr_extras;
	for (; extra < end; extra++, field++)
		field->value.signed_number = usual_number(&extra->slot, record);
}

/* Slots of any kind, one by one; says what is wrong with the first that cannot be read. */
static __attribute__((noinline)) const char *slots_read(struct observation *out,
							const struct template *template,
							const struct record *record)
{
	const char *problem;

	out->slice_name = (struct text){ .data = "" };
	out->slice_head = 0;
	out->track_name = template->label;
	out->track_head = template->label_head;
	if (template->kind == TEMPLATE_SLICE)
		problem = slice_read(out, template, record);
	else
		problem = counter_read(out, template, record);
	if (!problem)
		problem = scope_read(out, template, record);
	if (problem)
		return problem;
	if (template->track_name.read &&
	    !slot_read_text(&template->track_name, record, &out->track_name, &out->track_head))
		return "unreadable track_name";
	extras_read(out, template, record);
	return NULL;
}

hot_inline bool usual_text_read(const struct slot *slot, const struct record *record,
				struct text *out, uint64_t *head)
{
	struct text text;

	if (!slot_find_usual_text(slot, record, &text))
		return false;
	*head = slot_cut(record, &text);
	out->data = text.data;
	out->size = text.size;
	return true;
}

hot_inline bool usual_slice_read(struct observation *out, const struct template *template,
				 const struct record *record)
{
	struct text unused;

	if (!type_take(out, record->data[template->type.offset]))
		return false;
	if (out->kind != OBSERVATION_END)
		return usual_text_read(&template->slice_name, record, &out->slice_name,
				       &out->slice_head);
	out->slice_name.data = "";
	out->slice_name.size = 0;
	out->slice_head = 0;
	return slot_find_usual_text(&template->slice_name, record, &unused);
}

hot_inline void usual_scope_read(struct observation *out, const struct template *template,
				 const struct record *record)
{
	int32_t tid;

	memcpy(&tid, record->data + template->pid.offset, sizeof(tid));
	out->tid = tid;
	if (template->scope != TEMPLATE_SCOPE_THREAD) {
		usual_number_read(&template->scope_id, record, &out->scope_id);
	} else {
		out->scope_id.kind = VALUE_SIGNED;
		out->scope_id.signed_number = tid;
	}
}

hot_inline bool usual_track_read(struct observation *out, const struct template *template,
				 const struct record *record)
{
	if (template->track_name.read)
		return usual_text_read(&template->track_name, record, &out->track_name,
				       &out->track_head);
	out->track_name.data = template->label.data;
	out->track_name.size = template->label.size;
	out->track_head = template->label_head;
	return true;
}

/* slots_read() of a record that has all slots, all of the usual kinds; false where not all is well.
 */
hot_inline bool usual_slots_read(struct observation *out, const struct template *template,
				 const struct record *record)
{
	usual_scope_read(out, template, record);
	if (template->kind == TEMPLATE_COUNTER) {
		out->kind = OBSERVATION_COUNTER;
		usual_number_read(&template->counter_value, record, &out->counter_value);
	} else if (!usual_slice_read(out, template, record)) {
		return false;
	}
	return usual_track_read(out, template, record);
}

const char *observation_read(struct observation *out, const struct template *template,
			     const struct record *record)
{
	out->template = template;
	out->time_ns = record->time_ns;
	out->cpu = record->cpu;
	out->buffer = record->buffer;
	out->extras = template->fields;
	out->nr_extras = 0;
	out->likeness = 0;
	out->place = 0;
	if (record->size < template->usual_size || !usual_slots_read(out, template, record))
		return slots_read(out, template, record);
	if (template->nr_extras > 0)
		extras_read(out, template, record);
	return NULL;
}

void observation_read_numbers(struct observation *observation, const struct record *record)
{
	const struct template *template = observation->template;

	if (template->kind == TEMPLATE_COUNTER)
		usual_number_read(&template->counter_value, record, &observation->counter_value);
	if (template->nr_extras > 0)
		extras_read(observation, template, record);
}
