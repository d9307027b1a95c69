// SPDX-License-Identifier: GPL-2.0-only
/* Finds the fields that have a role in the convention, and decodes records by them. */
#include "convention/descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convention/convention.h"
#include "ktrack/fields.h"

/*
 * Types by which the macros of include/ktrack mark fields, see ktrack-instrument(7). The convention
 * has no words for these; to its other readers they are scopes or extra fields.
 */
#define TYPE_SCOPE_PREFIX "ktrack_scope_"
#define TYPE_SCOPE_GLOBAL "ktrack_scope_global"

/* Kinds of fields, by which roles choose theirs. A pointer is no number, whatever its name. */
enum accepted {
	ACCEPTED_NUMBER = 1,
	ACCEPTED_POINTER = 2,
	ACCEPTED_BOOLEAN = 4,
	ACCEPTED_FLOATING = 8,
	ACCEPTED_TEXT = 16,
	ACCEPTED_OTHER = 32,
	ACCEPTED_ANY = 63,
};

/**
 * enum passing - how a field is passed on to outputs
 * @PASSING_ALWAYS, @PASSING_AT_END: also as an argument, of all events or of ends
 */
enum passing {
	PASSING_NOT, /* as what its role means only */
	PASSING_ALWAYS,
	PASSING_AT_END,
	PASSING_FLOW, /* as the id of a flow */
};

/* Which events have the role: a field of another one is matched with the rows that follow. */
#define OF_SLICES (1u << DESCRIPTOR_SLICE)
#define OF_COUNTERS (1u << DESCRIPTOR_COUNTER)
#define OF_ALL (OF_SLICES | OF_COUNTERS)

/**
 * struct role_row - the fields of a role
 * @name, @prefix: name of the field, or its begin, which the argument's name is without; NULL: any
 */
struct role_row {
	enum accepted accepted; /* kinds of fields */
	unsigned int kinds;	/* of events: OF_SLICES, OF_COUNTERS */
	/* limit of their number; of 1 the last field counts, else the first ones. 0 is no limit */
	unsigned int max;
	const char *name;
	const char *prefix;
	const char *type;     /* by which the macros mark it, NULL: any */
	bool is_required;     /* records without it are malformed */
	enum passing passing; /* whether outputs get it as an argument, too */
	const char *mark;     /* behind the name in ktrack list, NULL for none */
	const char *problem;  /* of a record that lacks the field */
};

/*
 * The roles. A field has the first one whose row it fits; a field of another kind than the
 * convention's has none. As in Perfetto, a scope may be a pointer.
 */
static const struct role_row roles[ROLE_COUNT] = {
	[ROLE_TYPE] = { ACCEPTED_NUMBER, OF_SLICES, 1, .name = "track_event_type",
			.is_required = true, .problem = "unreadable track_event_type" },
	[ROLE_SLICE_NAME] = { ACCEPTED_TEXT, OF_SLICES, 1, .name = "slice_name",
			      .is_required = true, .problem = "unreadable slice_name" },
	[ROLE_COUNTER_VALUE] = { ACCEPTED_NUMBER | ACCEPTED_BOOLEAN | ACCEPTED_FLOATING,
				 OF_COUNTERS, 1, .name = "counter_value", .is_required = true,
				 .problem = "unreadable counter_value" },
	[ROLE_PID] = { ACCEPTED_NUMBER, OF_ALL, 1, .name = "common_pid", .is_required = true,
		       .problem = "unreadable common_pid" },
	[ROLE_ASYNC] = { ACCEPTED_NUMBER | ACCEPTED_POINTER, OF_ALL, 1, .prefix = "scope_",
			 .type = "ktrack_async_id", .passing = PASSING_ALWAYS,
			 .problem = "unreadable scope" },
	[ROLE_SCOPE] = { ACCEPTED_NUMBER | ACCEPTED_POINTER, OF_ALL, 0, .prefix = "scope_",
			 .problem = "unreadable scope" },
	[ROLE_TRACK_NAME] = { ACCEPTED_TEXT, OF_ALL, 1, .name = "track_name",
			      .problem = "unreadable track_name" },
	/* Made of scopes by match_scopes(). */
	[ROLE_OUTER] = { .problem = "unreadable scope" },
	/* Samples are no points of flows. */
	[ROLE_FLOW] = { ACCEPTED_NUMBER, OF_SLICES, FLOWS_MAX, .type = "ktrack_flow_id",
			.passing = PASSING_FLOW, .mark = "flow" },
	[ROLE_RESULT] = { ACCEPTED_ANY, OF_ALL, 0, .type = "ktrack_result",
			  .passing = PASSING_AT_END },
	[ROLE_EXTRA] = { ACCEPTED_ANY, OF_ALL, 0, .passing = PASSING_ALWAYS },
};

/** struct match - the roles of a format's fields */
struct match {
	const struct format *format;
	bool is_swapped;	   /* the records' byte order is not this machine's */
	bool is_global;		   /* the tracepoint has one scope only */
	enum descriptor_kind kind; /* of the tracepoint's events */
	enum field_role *roles;	   /* by field */
	/* the last field of each role, NULL if there is none */
	const struct format_field *fields[ROLE_COUNT];
	unsigned int counts[ROLE_COUNT]; /* number of fields of each role */
	/* scopes before the last one that belong to a compound scope */
	const struct format_field *outer[KEYS_OUTER_MAX];
	size_t nr_outer;
};

const char *field_role_mark(enum field_role role)
{
	return roles[role].mark;
}

static bool type_is(const struct format_field *field, const char *type)
{
	return strcmp(field->type, type) == 0;
}

static enum accepted field_accepted(const struct format_field *field, bool is_swapped)
{
	struct field_ref ref = field_ref_of(field, is_swapped);

	if (field_ref_is_scalar(&ref))
		return field->is_pointer ? ACCEPTED_POINTER : ACCEPTED_NUMBER;
	if (field_ref_is_text(&ref))
		return ACCEPTED_TEXT;
	if (ref.kind == FIELD_BOOLEAN)
		return ACCEPTED_BOOLEAN;
	return ref.kind == FIELD_FLOATING ? ACCEPTED_FLOATING : ACCEPTED_OTHER;
}

static bool role_fits(const struct role_row *row, const struct format_field *field, bool is_swapped)
{
	return (!row->name || strcmp(field->name, row->name) == 0) &&
	       (!row->prefix || strncmp(field->name, row->prefix, strlen(row->prefix)) == 0) &&
	       (!row->type || type_is(field, row->type)) &&
	       (row->accepted & field_accepted(field, is_swapped));
}

/* The first role from @role on that the field has. */
static enum field_role match_role(const struct match *match, const struct format_field *field,
				  enum field_role role)
{
	for (; role < ROLE_EXTRA; role++) {
		const struct role_row *row = &roles[role];

		if (role != ROLE_PID && (row->kinds & (1u << match->kind)) &&
		    (row->max <= 1 || match->counts[role] < row->max) &&
		    role_fits(row, field, match->is_swapped))
			break;
	}
	return role;
}

static bool match_has(const struct match *match, enum field_role role)
{
	const struct format *format = match->format;
	size_t i = format->nr_common;

	while (i < format->nr_fields &&
	       !role_fits(&roles[role], &format->fields[i], match->is_swapped))
		i++;
	return i < format->nr_fields;
}

/* An event with the fields of both kinds is a slice, as in Perfetto. */
static enum descriptor_kind match_kind(const struct match *match)
{
	if (match_has(match, ROLE_TYPE) && match_has(match, ROLE_SLICE_NAME))
		return DESCRIPTOR_SLICE;
	return match_has(match, ROLE_COUNTER_VALUE) ? DESCRIPTOR_COUNTER : DESCRIPTOR_NONE;
}

/* Another field has its role: it is passed on. */
static void match_replace(struct match *match, const struct format_field *field)
{
	if (field)
		match->roles[field - match->format->fields] = match_role(match, field, ROLE_RESULT);
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
static void match_scopes(struct match *match, const struct format_field *field)
{
	const struct format_field *before = match->fields[ROLE_SCOPE];

	if (is_key(field) && is_key(before) && match->nr_outer < KEYS_OUTER_MAX) {
		match->roles[before - match->format->fields] = ROLE_OUTER;
		match->outer[match->nr_outer++] = before;
		return;
	}
	match_replace(match, before);
	while ((!is_key(field) || !is_key(before)) && match->nr_outer > 0)
		match_replace(match, match->outer[--match->nr_outer]);
}

static void match_field(struct match *match, size_t index)
{
	const struct format_field *field = &match->format->fields[index];
	enum field_role role = match_role(match, field, 0);

	match->roles[index] = role;
	if (role == ROLE_SCOPE)
		match_scopes(match, field);
	else if (roles[role].max == 1)
		match_replace(match, match->fields[role]);
	match->fields[role] = field;
	match->counts[role]++;
}

/*
 * A common_pid of another type makes the records malformed. A global scope's field and an id alone
 * select no track.
 */
static void match_fields(struct match *match)
{
	const struct format *format = match->format;
	const struct format_field *pid = format_find(format, text_of(roles[ROLE_PID].name));

	if (pid && role_fits(&roles[ROLE_PID], pid, match->is_swapped))
		match->fields[ROLE_PID] = pid;
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		match_field(match, i);
	if (match->fields[ROLE_SCOPE])
		match->is_global = type_is(match->fields[ROLE_SCOPE], TYPE_SCOPE_GLOBAL);
	else
		match->is_global = match->fields[ROLE_ASYNC] != NULL;
}

/* A pointer is neither a process nor a CPU, whatever its name. */
static enum descriptor_scope match_scope(const struct match *match)
{
	const struct format_field *field = match->fields[ROLE_SCOPE];

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

/*
 * The number of a global scope is 0, which is read from no bit of the record. Of counters, which
 * have no end, the id of an asynchronous slice is an extra field only.
 */
static void refs_set(struct descriptor *descriptor, const struct match *match)
{
	for (enum field_role role = 0; role < ROLE_REFS; role++)
		descriptor->refs[role] = field_ref_of(match->fields[role], match->is_swapped);
	if (match->is_global)
		descriptor->refs[ROLE_SCOPE] = (struct field_ref){ .kind = FIELD_UNSIGNED,
								   .end = WORD_SIZE };
	if (match->kind == DESCRIPTOR_COUNTER)
		descriptor->refs[ROLE_ASYNC] = (struct field_ref)FIELD_REF_ABSENT;
}

static bool descriptor_needs(const struct descriptor *descriptor, enum field_role role)
{
	bool is_there = descriptor->refs[role].kind != FIELD_ABSENT || roles[role].is_required;

	return is_there && (roles[role].kinds & (1u << descriptor->kind));
}

/* Returns FIELD_END_NEVER if a required field is absent: then all records are malformed. */
static size_t record_size(const struct descriptor *descriptor)
{
	size_t size = 0;

	for (enum field_role role = 0; role < ROLE_REFS; role++) {
		if (descriptor_needs(descriptor, role) && descriptor->refs[role].end > size)
			size = descriptor->refs[role].end;
	}
	for (size_t i = 0; descriptor->keys && i < descriptor->keys->nr_outer; i++) {
		if (descriptor->outer[i].end > size)
			size = descriptor->outer[i].end;
	}
	return size;
}

/* Adds the fields that are passed on in one way behind those that were added; -1 without memory. */
static int extras_add(struct descriptor *descriptor, const struct match *match,
		      enum passing passing, size_t *nr_added)
{
	const struct format *format = match->format;

	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		const struct role_row *row = &roles[match->roles[i]];
		struct extra *extra = &descriptor->extras[descriptor->nr_fields];

		if (row->passing != passing)
			continue;
		extra->ref = field_ref_of(&format->fields[i], match->is_swapped);
		extra->role = match->roles[i];
		extra->name =
			strdup(format->fields[i].name + (row->prefix ? strlen(row->prefix) : 0));
		if (!extra->name)
			return -1;
		extra->label = text_of(extra->name);
		descriptor->nr_fields++;
		(*nr_added)++;
	}
	return 0;
}

static int extras_set(struct descriptor *descriptor, const struct match *match)
{
	size_t nr = 0;

	for (size_t i = match->format->nr_common; i < match->format->nr_fields; i++)
		nr += roles[match->roles[i]].passing != PASSING_NOT;
	descriptor->extras = calloc(nr + 1, sizeof(*descriptor->extras));
	descriptor->fields = calloc(nr + 1, sizeof(*descriptor->fields));
	if (!descriptor->extras || !descriptor->fields ||
	    extras_add(descriptor, match, PASSING_ALWAYS, &descriptor->nr_early_extras) < 0)
		return -1;
	descriptor->nr_extras = descriptor->nr_early_extras;
	if (extras_add(descriptor, match, PASSING_AT_END, &descriptor->nr_extras) < 0)
		return -1;
	descriptor->flows = &descriptor->extras[descriptor->nr_extras];
	return extras_add(descriptor, match, PASSING_FLOW, &descriptor->nr_flows);
}

static int keys_add(struct descriptor *descriptor, const struct match *match)
{
	bool is_async = descriptor->refs[ROLE_ASYNC].kind != FIELD_ABSENT;

	if (!is_async && match->nr_outer == 0 && descriptor->nr_flows == 0)
		return 0;
	descriptor->keys = calloc(1, sizeof(*descriptor->keys));
	if (!descriptor->keys)
		return -1;
	descriptor->keys->is_async = is_async;
	for (size_t i = 0; i < match->nr_outer; i++) {
		char *name = strdup(match->outer[i]->name);

		if (!name)
			return -1;
		descriptor->outer[i] = field_ref_of(match->outer[i], match->is_swapped);
		descriptor->keys->outer[descriptor->keys->nr_outer++].name = text_of(name);
	}
	return 0;
}

static int names_set(struct descriptor *descriptor, const struct match *match, const char *system)
{
	if (match->fields[ROLE_SCOPE] && !match->is_global) {
		descriptor->scope_field = strdup(match->fields[ROLE_SCOPE]->name);
		if (!descriptor->scope_field)
			return -1;
	}
	if (asprintf(&descriptor->category, "%s:%s", system, match->format->name) < 0) {
		descriptor->category = NULL;
		return -1;
	}
	descriptor->name = descriptor->category + strlen(system) + 1;
	descriptor->label = text_of(descriptor->name);
	descriptor->label_head = text_head(descriptor->label);
	return 0;
}

static int descriptor_fill(struct descriptor *descriptor, const struct match *match,
			   const char *system)
{
	*descriptor = (struct descriptor){
		.event_id = match->format->id,
		.kind = match->kind,
		.is_swapped = match->is_swapped,
		.scope = match_scope(match),
	};
	refs_set(descriptor, match);
	if (names_set(descriptor, match, system) < 0 || extras_set(descriptor, match) < 0 ||
	    keys_add(descriptor, match) < 0)
		return -1;
	descriptor->record_size = record_size(descriptor);
	descriptor->has_more = descriptor->nr_fields > 0 || descriptor->keys;
	return 0;
}

int descriptor_new(struct descriptor **out, const char *system, const struct format *format,
		   bool is_swapped)
{
	struct match match = { .format = format, .is_swapped = is_swapped };
	int status = -1;

	*out = NULL;
	match.kind = match_kind(&match);
	if (match.kind == DESCRIPTOR_NONE)
		return 0;
	match.roles = calloc(format->nr_fields, sizeof(*match.roles));
	*out = calloc(1, sizeof(**out));
	if (*out && match.roles) {
		match_fields(&match);
		status = descriptor_fill(*out, &match, system);
	}
	free(match.roles);
	if (status < 0) {
		descriptor_free(*out);
		*out = NULL;
	}
	return status;
}

void extra_symbols_free(struct extra_symbols *own)
{
	if (own)
		symbols_free(own->symbols);
	free(own);
}

size_t extra_symbols_size(const struct descriptor *descriptor)
{
	const struct extra_symbols *own = descriptor->symbols;

	if (!own)
		return 0;
	return sizeof(*own) + descriptor->nr_extras * sizeof(own->fields[0]) +
	       symbols_size(own->symbols);
}

size_t descriptor_size(const struct descriptor *descriptor)
{
	size_t size = sizeof(*descriptor) + strlen(descriptor->category) + 1 +
		      extra_symbols_size(descriptor);

	for (size_t i = 0; i < descriptor->nr_fields; i++)
		size += sizeof(struct extra) + sizeof(struct field) +
			descriptor->extras[i].label.size + 1;
	return descriptor->keys ? size + sizeof(*descriptor->keys) : size;
}

void descriptor_free(struct descriptor *descriptor)
{
	if (!descriptor)
		return;
	for (size_t i = 0; i < descriptor->nr_fields; i++)
		free(descriptor->extras[i].name);
	extra_symbols_free(descriptor->symbols);
	free(descriptor->extras);
	free(descriptor->fields);
	for (size_t i = 0; descriptor->keys && i < descriptor->keys->nr_outer; i++)
		free((char *)descriptor->keys->outer[i].name.data);
	free(descriptor->keys);
	free(descriptor->scope_field);
	free(descriptor->category);
	free(descriptor);
}

/*
 * Decodes records of tracepoints that follow the convention into track events. Functions that take
 * @is_swapped are compiled for both values.
 */

hot_inline bool kind_decode(struct decoded_event *out, const struct descriptor *descriptor,
			    const struct record *record, bool is_swapped)
{
	int64_t type = field_integer(&descriptor->refs[ROLE_TYPE], record, is_swapped);

	out->kind = type == KTRACK_TYPE_BEGIN ? DECODED_BEGIN
		    : type == KTRACK_TYPE_END ? DECODED_END
					      : DECODED_INSTANT;
	return type == KTRACK_TYPE_BEGIN || type == KTRACK_TYPE_END || type == KTRACK_TYPE_INSTANT;
}

static bool hex_digits_parse(const char *digits, size_t size, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < size; i++) {
		char c = digits[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
		*out = *out << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return true;
}

/*
 * The name of an end of a program may name its slice: by the time since its begin, and by the
 * thread that ends it. See ktrack-user(7).
 */
static out_of_line void end_name_decode(struct decoded_event *out, struct text name)
{
	uint64_t since_ns, tid;

	if (name.size != PROGRAM_END_SIZE || name.data[PROGRAM_END_BLANK] != ' ' ||
	    !hex_digits_parse(name.data, PROGRAM_END_BLANK, &since_ns) ||
	    !hex_digits_parse(name.data + PROGRAM_END_BLANK + 1,
			      PROGRAM_END_SIZE - PROGRAM_END_BLANK - 1, &tid))
		return;
	out->kind = DECODED_END_OF;
	out->begin_ns = (int64_t)((uint64_t)out->time_ns - since_ns);
	out->end_tid = (int32_t)tid;
}

/* The name of an end is not used otherwise, but its bytes must be in the record. */
hot_inline const char *slice_decode(struct decoded_event *out, const struct descriptor *descriptor,
				    const struct record *record, bool is_swapped)
{
	struct text name;
	uint64_t head = 0;

	if (unlikely(!kind_decode(out, descriptor, record, is_swapped)))
		return "unknown track_event_type";
	if (unlikely(!field_bytes(&descriptor->refs[ROLE_SLICE_NAME], record, is_swapped, &name)))
		return roles[ROLE_SLICE_NAME].problem;
	if (out->kind == DECODED_END) {
		if (unlikely(name.size > 1 && descriptor->is_of_program)) {
			field_cut_text(record, &name);
			end_name_decode(out, name);
		}
		name.size = 0;
	} else {
		head = field_cut_text(record, &name);
	}
	out->slice_name = name;
	out->slice_head = head;
	return NULL;
}

hot_inline void counter_decode(struct decoded_event *out, const struct descriptor *descriptor,
			       const struct record *record, bool is_swapped)
{
	const struct field_ref *ref = &descriptor->refs[ROLE_COUNTER_VALUE];
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
	const struct field_ref *ref = &descriptor->refs[ROLE_SCOPE];
	int64_t tid = field_integer(&descriptor->refs[ROLE_PID], record, is_swapped);

	if (unlikely(tid != (int32_t)tid))
		return roles[ROLE_PID].problem;
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

	if (descriptor->refs[ROLE_TRACK_NAME].kind == FIELD_ABSENT) {
		out->track_name = descriptor->label;
		out->track_head = descriptor->label_head;
		return NULL;
	}
	if (unlikely(!field_bytes(&descriptor->refs[ROLE_TRACK_NAME], record, is_swapped, &name)))
		return roles[ROLE_TRACK_NAME].problem;
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

/*
 * Unreadable extra fields are left out; the event is valid without them, as are empty strings of
 * ends: the end of a guard has none. Flows follow them.
 */
static void extras_decode(struct decoded_event *out, const struct descriptor *descriptor,
			  const struct record *record)
{
	struct field *field = descriptor->fields;
	size_t left = record_space(record);
	bool is_end = out->kind == DECODED_END || out->kind == DECODED_END_OF;
	size_t nr_extras = is_end ? descriptor->nr_extras : descriptor->nr_early_extras;

	for (size_t i = 0; i < nr_extras; i++) {
		const struct extra *extra = &descriptor->extras[i];

		if (likely(field_ref_is_number(&extra->ref) && extra->ref.end <= record->size))
			field_read_number(&extra->ref, record, descriptor->is_swapped,
					  &field->value);
		else if (!field_read(&extra->ref, record, &field->value) ||
			 !value_take_space(&field->value, &left) ||
			 (is_end && field->value.kind == VALUE_TEXT && field->value.text.size == 0))
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

/*
 * The thread that ended a slice is an extra field, if the slice is another one's and the event has
 * no field of that name.
 */
static out_of_line void mover_add(struct decoded_event *out, const struct descriptor *descriptor)
{
	struct field *field = descriptor->fields + out->nr_extras;
	struct text name = text_of("moved_to");
	bool has_name = false;

	for (size_t i = 0; i < descriptor->nr_fields; i++)
		has_name |= text_equals(descriptor->extras[i].label, name);
	if (out->end_tid == out->tid || has_name)
		return;
	memmove(field + 1, field, out->nr_flows * sizeof(*field));
	*field = (struct field){ .name = name,
				 .value = { .kind = VALUE_SIGNED, .signed_number = out->end_tid } };
	out->nr_extras++;
}

/* Decodes what most tracepoints do not have. */
static out_of_line void more_decode(struct decoded_event *out, const struct descriptor *descriptor,
				    const struct record *record)
{
	struct decoded_keys *keys = descriptor->keys;
	bool is_swapped = descriptor->is_swapped;

	out->extras = descriptor->fields;
	out->keys = keys;
	for (size_t i = 0; keys && i < keys->nr_outer; i++)
		field_read_number(&descriptor->outer[i], record, is_swapped, &keys->outer[i].value);
	if (keys && keys->is_async)
		keys->ids[0] = field_integer(&descriptor->refs[ROLE_ASYNC], record, is_swapped);
	if (descriptor->nr_fields > 0)
		extras_decode(out, descriptor, record);
	if (out->kind == DECODED_END_OF)
		mover_add(out, descriptor);
}

static bool record_lacks(const struct record *record, const struct field_ref *ref)
{
	return ref->end == FIELD_END_NEVER || ref->offset + ref->size > record->size;
}

/* Also for records that are too short to read numbers from them. */
static const char *short_record_problem(struct decoded_event *out,
					const struct descriptor *descriptor,
					const struct record *record, enum field_role role)
{
	size_t nr_outer = role == ROLE_SCOPE && descriptor->keys ? descriptor->keys->nr_outer : 0;
	const struct field_ref *ref = &descriptor->refs[role];
	bool is_swapped = descriptor->is_swapped;
	struct text name;

	if (record_lacks(record, ref) ||
	    (role == ROLE_SLICE_NAME && !field_bytes(ref, record, is_swapped, &name)))
		return roles[role].problem;
	if (role == ROLE_TYPE && ref->end <= record->size &&
	    !kind_decode(out, descriptor, record, is_swapped))
		return "unknown track_event_type";
	for (size_t i = 0; i < nr_outer; i++) {
		if (record_lacks(record, &descriptor->outer[i]))
			return roles[ROLE_OUTER].problem;
	}
	return NULL;
}

/* Reports the first problem of a record that does not contain all fields. */
static out_of_line const char *short_record_fail(struct decoded_event *out,
						 const struct descriptor *descriptor,
						 const struct record *record)
{
	const char *problem = NULL;

	for (enum field_role role = 0; role < ROLE_REFS && !problem; role++) {
		if (descriptor_needs(descriptor, role))
			problem = short_record_problem(out, descriptor, record, role);
	}
	return out->problem = problem ? problem : roles[ROLE_TRACK_NAME].problem;
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
		return out->problem = problem;
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
