// SPDX-License-Identifier: GPL-2.0-only
/* Looks at an event's fields once, and keeps the slots of those that the convention names. */
#include "convention/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convention/slot.h"

#define SCOPE_PREFIX "scope_"

/* Each record begins with the number of its event. */
#define EVENT_ID_SIZE sizeof(uint16_t)

/* A pointer is neither a process nor a CPU, whatever its name. */
static enum template_scope scope_of(const struct format_field *field)
{
	if (!field)
		return TEMPLATE_SCOPE_THREAD;
	if (!field->is_pointer && strcmp(field->name, "scope_tgid") == 0)
		return TEMPLATE_SCOPE_PROCESS;
	if (!field->is_pointer && strcmp(field->name, "scope_cpu") == 0)
		return TEMPLATE_SCOPE_CPU;
	return TEMPLATE_SCOPE_CUSTOM;
}

/* The fields that the convention names, as they are found. */
struct match {
	bool is_swapped;
	const struct format_field *type;
	const struct format_field *slice_name;
	const struct format_field *track_name;
	const struct format_field *scope;
	const struct format_field *counter_value;
};

/*
 * A field counts only with a type that the convention allows. As in Perfetto, the last of several
 * scopes wins, and a scope may be a pointer, which stands for its value.
 */
static void match_field(struct match *match, const struct format_field *field)
{
	struct slot slot = slot_find(field, match->is_swapped);
	bool is_scalar = slot_is_number(&slot), is_number = is_scalar && !field->is_pointer;
	bool is_bool_or_number = is_number || slot.kind == SLOT_BOOLEAN;

	if (is_number && strcmp(field->name, "track_event_type") == 0)
		match->type = field;
	else if (slot_is_text(&slot) && strcmp(field->name, "slice_name") == 0)
		match->slice_name = field;
	else if (slot_is_text(&slot) && strcmp(field->name, "track_name") == 0)
		match->track_name = field;
	else if (is_bool_or_number && strcmp(field->name, "counter_value") == 0)
		match->counter_value = field;
	else if (is_scalar && strncmp(field->name, SCOPE_PREFIX, strlen(SCOPE_PREFIX)) == 0)
		match->scope = field;
}

/* Slices win where both shapes are there, as in Perfetto. */
static enum template_kind match_kind(const struct match *match)
{
	if (match->type && match->slice_name)
		return TEMPLATE_SLICE;
	return match->counter_value ? TEMPLATE_COUNTER : TEMPLATE_NONE;
}

static bool match_uses(const struct match *match, enum template_kind kind,
		       const struct format_field *field)
{
	if (field == match->track_name || field == match->scope)
		return true;
	if (kind == TEMPLATE_COUNTER)
		return field == match->counter_value;
	return field == match->type || field == match->slice_name;
}

static struct slot slot_of(const struct match *match, const struct format_field *field)
{
	return field ? slot_find(field, match->is_swapped) : (struct slot){ .kind = SLOT_ABSENT };
}

/* The writer's thread id; a common_pid of another type makes the records malformed. */
static struct slot pid_slot_of(const struct match *match, const struct format *format)
{
	const struct format_field *field = format_find(format, "common_pid");
	struct slot slot = slot_of(match, field);

	return slot_is_number(&slot) && !field->is_pointer ? slot
							   : (struct slot){ .kind = SLOT_ABSENT };
}

static bool is_usual_number(const struct slot *slot)
{
	return slot_is_number(slot) && !slot->is_swapped && (slot->size == 4 || slot->size == 8);
}

static int template_add_extra(struct template *template, const struct match *match,
			      const struct format_field *field)
{
	struct extra *extra = &template->extras[template->nr_extras];

	extra->slot = slot_find(field, match->is_swapped);
	extra->is_usual = is_usual_number(&extra->slot);
	extra->name = strdup(field->name);
	if (!extra->name)
		return -1;
	extra->label = text_of(extra->name);
	template->fields[template->nr_extras] = (struct field){
		.name = extra->label,
		.value.kind = extra->slot.kind == SLOT_SIGNED ? VALUE_SIGNED : VALUE_UNSIGNED,
	};
	if (!extra->is_usual)
		template->extras_size = SIZE_MAX;
	else if (extra->slot.end > template->extras_size)
		template->extras_size = extra->slot.end;
	template->nr_extras++;
	return 0;
}

static int template_add_extras(struct template *template, const struct match *match,
			       const struct format *format)
{
	template->extras = calloc(format->nr_fields + 1, sizeof(*template->extras));
	template->fields = calloc(format->nr_fields + 1, sizeof(*template->fields));
	template->other_fields = calloc(format->nr_fields + 1, sizeof(*template->other_fields));
	if (!template->extras || !template->fields || !template->other_fields)
		return -1;
	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		if (!match_uses(match, template->kind, &format->fields[i]) &&
		    template_add_extra(template, match, &format->fields[i]) < 0)
			return -1;
	}
	return 0;
}

/* The kinds that nearly all slots are of: what they need is found out here, not for each record. */
static bool template_is_usual(const struct template *template)
{
	const struct slot *pid = &template->pid;
	bool has_kind = template->kind == TEMPLATE_COUNTER
				? is_usual_number(&template->counter_value)
				: template->type.size == 1 && template->slice_name.is_usual_text;
	bool has_scope = template->scope == TEMPLATE_SCOPE_THREAD ||
			 is_usual_number(&template->scope_id);

	return has_kind && has_scope && is_usual_number(pid) && pid->size == 4 &&
	       pid->kind == SLOT_SIGNED &&
	       (!template->track_name.read || template->track_name.is_usual_text);
}

/* How long a record with all slots is; those that are absent end at 0. */
static size_t template_size(const struct template *template)
{
	const struct slot *slots[] = { &template->type,		 &template->slice_name,
				       &template->track_name,	 &template->scope_id,
				       &template->counter_value, &template->pid };
	size_t size = SLOT_RECORD_MIN;

	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		if (slots[i]->end > size)
			size = slots[i]->end;
	}
	return size;
}

static void telling_set(struct template *template, const struct slot *slot)
{
	memset(template->telling + slot->offset, 0xff, slot->end - slot->offset);
}

/* What is in no field of the convention's, gaps between fields too, tells nothing. */
static void template_learn_telling(struct template *template, const struct format *format)
{
	size_t size = template->usual_size;

	template->fixed_size = SIZE_MAX;
	for (size_t i = 0; i < format->nr_fields && size <= OBSERVATION_SIZE_MAX; i++) {
		const struct format_field *field = &format->fields[i];

		if (field->offset > OBSERVATION_SIZE_MAX || field->size > OBSERVATION_SIZE_MAX)
			return;
		if (field->offset + field->size > size)
			size = field->offset + field->size;
	}
	if (size > OBSERVATION_SIZE_MAX)
		return;
	template->fixed_size = size;
	template->has_numbers = template->kind == TEMPLATE_COUNTER || template->nr_extras > 0;
	memset(template->telling + size, 0xff, OBSERVATION_SIZE_MAX - size);
	memset(template->telling, 0xff, EVENT_ID_SIZE);
	telling_set(template, &template->pid);
	telling_set(template, &template->type);
	telling_set(template, &template->slice_name);
	telling_set(template, &template->track_name);
	telling_set(template, &template->scope_id);
}

static int template_fill(struct template *template, const struct match *match, const char *system,
			 const struct format *format)
{
	template->event_id = format->id;
	template->kind = match_kind(match);
	template->type = slot_of(match, match->type);
	if (template->kind == TEMPLATE_SLICE)
		template->slice_name = slot_of(match, match->slice_name);
	template->track_name = slot_of(match, match->track_name);
	template->scope_id = slot_of(match, match->scope);
	template->counter_value = slot_of(match, match->counter_value);
	template->pid = pid_slot_of(match, format);
	template->scope = scope_of(match->scope);
	if (match->scope) {
		template->scope_field = strdup(match->scope->name);
		if (!template->scope_field)
			return -1;
	}
	if (asprintf(&template->category, "%s:%s", system, format->name) < 0) {
		template->category = NULL;
		return -1;
	}
	template->name = template->category + strlen(system) + 1;
	template->label = text_of(template->name);
	template->label_head = text_head(template->label);
	template->usual_size = template_is_usual(template) ? template_size(template) : SIZE_MAX;
	if (template_add_extras(template, match, format) < 0)
		return -1;
	template_learn_telling(template, format);
	return 0;
}

int template_new(struct template **out, const char *system, const struct format *format,
		 bool is_swapped)
{
	struct match match = { .is_swapped = is_swapped };

	*out = NULL;
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		match_field(&match, &format->fields[i]);
	if (match_kind(&match) == TEMPLATE_NONE)
		return 0;
	*out = calloc(1, sizeof(**out));
	if (*out && template_fill(*out, &match, system, format) == 0)
		return 0;
	template_free(*out);
	*out = NULL;
	return -1;
}

size_t template_memory(const struct template *template)
{
	size_t size = sizeof(*template) + strlen(template->category) + 1;

	for (size_t i = 0; i < template->nr_extras; i++)
		size += sizeof(struct extra) + 2 * sizeof(struct field) +
			template->extras[i].label.size + 1;
	return size;
}

void template_free(struct template *template)
{
	if (!template)
		return;
	for (size_t i = 0; i < template->nr_extras; i++)
		free(template->extras[i].name);
	free(template->extras);
	free(template->fields);
	free(template->other_fields);
	free(template->scope_field);
	free(template->category);
	free(template);
}
