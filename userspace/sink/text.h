/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts that outputs share: arguments of events, labels, losses and faults; CSV and base64; what an
 * output makes of the fields of each tracepoint.
 */
#ifndef SINK_TEXT_H
#define SINK_TEXT_H

#include "base/base.h"
#include "timeline/timeline.h"

/** ARGS_TRACK - in a set of 1 << enum timeline_emitter: also the name of the track */
#define ARGS_TRACK (1u << TIMELINE_EMITTER_COUNT)

/** event_has_emitter - whether a property of the emitter is known, and in the set @with of bits */
static inline bool event_has_emitter(const struct timeline_event *event, unsigned int with,
				     enum timeline_emitter emitter)
{
	const bool are_known[] = {
		[TIMELINE_EMITTER_TID] = event->tid >= 0,
		[TIMELINE_EMITTER_CPU] = event->cpu >= 0,
		[TIMELINE_EMITTER_COMM] = event->comm && event->comm[0],
	};

	return with & 1u << emitter && are_known[emitter];
}

struct json_sets;

/** event_has_args - whether event_append_args() would append members */
bool event_has_args(const struct timeline_event *event, unsigned int with);

/**
 * event_append_args - append an object of the record's fields, its flows, its emitter and the
 * slice's flags
 * @sets: what the output has made of fields
 * @with: a set of 1 << enum timeline_emitter
 * @names_ends: prefix names at a slice's end with "end:", for viewers that merge the arguments of a
 * slice's begin and end
 *
 * Names that ktrack adds have a colon, which names of fields cannot have.
 */
void event_append_args(struct buffer *out, struct json_sets *sets,
		       const struct timeline_event *event, unsigned int with, bool names_ends);

/**
 * event_append_fields - append an object of the record's fields, one at least
 * @changed: receives the members that differ from those of the same @place
 *
 * Returns false, and appends nothing, if event_append_args() must do it: if there is more, or if a
 * name is new, or a value long.
 */
bool event_append_fields(struct buffer *out, struct json_sets *sets,
			 const struct timeline_event *event, struct buffer *changed,
			 uint64_t place);

struct recording;
struct timeline_machine;

/** labels_append - append an object with the labels of a recording; NULL for none */
void labels_append(struct buffer *out, const char *labels);
/** recording_append - append members after others: the properties of an output's bit, labels */
void recording_append(struct buffer *out, const struct recording *recording, unsigned int output);
/** machines_append - append a member, after others, with all of them; nothing for one recording */
void machines_append(struct buffer *out, const struct recording *recording);

/**
 * FOREIGN_END_FORMAT - the text of a TIMELINE_FOREIGN_END, made of its tracepoint: the problem and
 * its remedy in the driver
 */
#define FOREIGN_END_FORMAT                                                                        \
	"%s: a thread ended another thread's slice while slices overlapped; give each thread or " \
	"request its own scope or track name"

/** MALFORMED_FORMAT - the text of a TIMELINE_MALFORMED, made of its tracepoint and problem */
#define MALFORMED_FORMAT "malformed record of %s: %s"

/**
 * remark_append - append the text of a loss, a malformed record, a foreign end, a tracepoint or the
 * begin of the traced command; nothing for other events
 */
void remark_append(struct buffer *out, const struct timeline_event *event);

/** remark_set - the same, instead of what @out holds; returns it as a text */
struct text remark_set(struct buffer *out, const struct timeline_event *event);
/** message_set - set @out to the text, also to that of the begin or end of the traced command */
struct text message_set(struct buffer *out, const struct timeline_event *event);
/** loss_append_track - append the name of a loss' track: "lost records cpu 1 in first" */
void loss_append_track(struct buffer *out, const struct timeline_event *event);
/** fault_limit - fault_set() takes numbers below it */
size_t fault_limit(const struct timeline_totals *totals);

/**
 * fault_set - set @out to the text of a fault of the recording that no event reports
 * @counts_ticks: the trace clock does not count nanoseconds
 * @number: below fault_limit()
 *
 * Losses, suspect and incomplete slices are no such faults. Returns false if the recording does not
 * have the fault. A failure of @out stays.
 */
bool fault_set(struct buffer *out, const struct timeline_totals *totals, bool counts_ticks,
	       size_t number);

/**
 * VIEWER_DEPTH_MAX - Perfetto drops slices and instants below this many open slices, but not the
 * ends of such slices, which would close outer ones
 */
#define VIEWER_DEPTH_MAX 512

/**
 * csv_append_text - append a text as a field, in quotes if it needs them, as in RFC 4180
 *
 * The result is UTF-8 without control characters: these, and bytes that are not UTF-8, become
 * \\xNN or \\uNNNN. A text that spreadsheets would take for a formula begins with an apostrophe.
 */
void csv_append_text(struct buffer *out, struct text text);

/** base64_letters - the digits, by their value */
extern const char base64_letters[];
/** base64_append - append @bytes in base64, with padding */
void base64_append(struct buffer *out, struct text bytes);

/**
 * struct field_set - the first member of what an output makes once of the fields of a tracepoint,
 * found by an event. A category is not enough: that of events that no rule takes has all their
 * tracepoints.
 */
struct field_set {
	const struct timeline_category *category;
	const char *first; /* the name of the first field; its address identifies it */
};

/** FIELD_SETS_BITS, FIELD_SETS_RECENT - number of sets that are found without a call */
#define FIELD_SETS_BITS 8
#define FIELD_SETS_RECENT (1 << FIELD_SETS_BITS)

/** struct field_sets - all sets of an output; zeroed it is empty */
struct field_sets {
	struct map all;
	struct field_set *recent[FIELD_SETS_RECENT];
};

/** field_sets_look - field_sets_get() of a set that is not among the recent ones */
void *field_sets_look(struct field_sets *sets, const struct timeline_category *category,
		      const char *first, size_t size);

/** field_sets_index - index into the recent sets */
hot_inline size_t field_sets_index(const char *first)
{
	return (uintptr_t)first * UINT64_C(0x9e3779b97f4a7c15) >> (64 - FIELD_SETS_BITS);
}

/**
 * field_sets_get - the set of @event, which has a field
 * @size: of the output's own struct, which is zeros behind its first member at first
 *
 * Returns NULL if memory ran out.
 */
hot_inline void *field_sets_get(struct field_sets *sets, const struct timeline_event *event,
				size_t size)
{
	const struct timeline_category *category = event->track->category;
	const char *first = event->fields[0].name.data;
	struct field_set *recent = sets->recent[field_sets_index(first)];

	if (likely(recent && recent->first == first && recent->category == category))
		return recent;
	return field_sets_look(sets, category, first, size);
}

/**
 * struct json_field - a member of an object, with its last value if that was an integer: most
 * fields often have the value that they had before
 */
struct json_field {
	const char *name;   /* its address identifies it */
	struct value last;  /* a VALUE_KIND_COUNT if there is none */
	size_t name_size;   /* bytes of ,"NAME": */
	size_t size;	    /* with the value */
	struct buffer text; /* " NAME=", if the sets have texts */
	uint64_t place;	    /* to which the value was put last, see struct json_changes */
};

/** JSON_ARGS - the name of a member for an object of fields */
#define JSON_ARGS "\"args\":"

/** struct json_fields - the fields of a tracepoint, in the order of its records */
struct json_fields {
	struct field_set set;
	struct json_field *list;
	size_t size;
	/* JSON_ARGS and an object of all fields with their last values, with space for any */
	struct buffer json;
	size_t text_size; /* bytes of all names */
	bool has_escapes; /* a name needs escapes in JSON */
};

/** struct json_sets - the fields of all tracepoints of an output; zeroed it is empty */
struct json_sets {
	struct field_sets sets;
	size_t nr_fields;
	bool have_texts;
};

/**
 * struct json_changes - members that differ from those that were put to the same place before
 * @place: a number of the place, other than 0
 * @out: where they are put
 */
struct json_changes {
	uint64_t place;
	char *out;
};

/** json_sets_free - free all sets, and zero @sets */
void json_sets_free(struct json_sets *sets);

/** json_fields_get - the fields of @event's tracepoint; it has one; NULL if memory ran out */
hot_inline struct json_fields *json_fields_get(struct json_sets *sets,
					       const struct timeline_event *event)
{
	return field_sets_get(&sets->sets, event, sizeof(struct json_fields));
}

/** json_fields_learn - render the name of a field, unless it is there, or there are too many */
void json_fields_learn(struct json_sets *sets, struct json_fields *fields, struct text name);

/** json_fields_begin - the object in @fields->json */
hot_inline char *json_fields_begin(const struct json_fields *fields)
{
	return fields->json.data + strlen(JSON_ARGS);
}

/** json_field_change_any - json_field_change() to any value */
bool json_field_change_any(struct json_fields *fields, struct json_field *own, char *at,
			   const struct value *value);
/** json_field_fit - move what is behind a value that was put in place, up to @end: first @behind */
void json_field_fit(struct json_fields *fields, struct json_field *own, char *at, char *end,
		    uint64_t behind);

/**
 * json_field_change - render another value of a field; @at: its member in @fields->json
 *
 * Most numbers are short, and are put in place: what they overwrite is a word at most. Returns
 * false if the value is neither a number, nor a boolean, nor a text that is as short and needs no
 * escapes.
 */
hot_inline bool json_field_change(struct json_fields *fields, struct json_field *own, char *at,
				  const struct value *value)
{
	uint64_t number = value->unsigned_number, behind = word_load(at + own->size);
	char *end;

	if (unlikely(value->kind > VALUE_UNSIGNED || number >= PUT_MEDIUM_LIMIT))
		return json_field_change_any(fields, own, at, value);
	own->last.kind = value->kind;
	own->last.unsigned_number = number;
	end = put_unsigned(at + own->name_size, number);
	if (likely(end == at + own->size))
		put_bytes(end, &behind, WORD_SIZE);
	else
		json_field_fit(fields, own, at, end, behind);
	return true;
}

/** json_field_has - whether a field has its last value, which is an integer */
hot_inline bool json_field_has(const struct json_field *own, const struct value *value)
{
	return value->signed_number == own->last.signed_number && value->kind == own->last.kind;
}

/**
 * json_fields_set - set @fields->json to an event's fields
 *
 * Returns false if json_fields_put() must put them: if the event has not all fields.
 */
hot_inline bool json_fields_set(struct json_fields *fields, const struct timeline_event *event)
{
	const struct field *field = event->fields, *end = field + event->nr_fields;
	struct json_field *own = fields->list;
	char *at;

	if (unlikely(event->nr_fields != fields->size))
		return false;
	at = json_fields_begin(fields);
	for (; field < end; field++, own++) {
		if (unlikely(own->name != field->name.data))
			return false;
		if (unlikely(!json_field_has(own, &field->value)) &&
		    !json_field_change(fields, own, at, &field->value))
			return false;
		at += own->size;
	}
	return true;
}

/** json_fields_max - bytes that json_fields_put() puts at most, also as text */
hot_inline size_t json_fields_max(const struct json_fields *fields,
				  const struct timeline_event *event)
{
	return fields->json.size + event->nr_fields * PUT_NUMBER_MAX;
}

/**
 * json_field_find - the field of a name, NULL if it is not there
 * @guess: usually the field, which then follows the one before
 * @at: the member of @guess in @fields->json; set to the field's
 *
 * The address identifies a name as long as its category lives.
 */
hot_inline struct json_field *json_field_find(const struct json_fields *fields,
					      struct json_field *guess, char **at, struct text name)
{
	const struct json_field *end = fields->list + fields->size;

	if (likely(guess < end && guess->name == name.data))
		return guess;
	*at = json_fields_begin(fields);
	for (guess = fields->list; guess < end; *at += guess->size, guess++) {
		if (guess->name == name.data)
			return guess;
	}
	return NULL;
}

/* Puts a member of @fields->json, after a comma. */
hot_inline char *json_member_put(char *out, const struct json_field *own, const char *at)
{
	put_slack(out, at);
	put_slack(out + PUT_SLACK, at + PUT_SLACK);
	if (unlikely(own->size > 2 * PUT_SLACK))
		put_block(out, at, own->size);
	*out = ',';
	return out + own->size;
}

/* Puts " name=value". What needs no escapes in JSON is the same between the quotes. */
hot_inline char *text_member_put(char *out, const struct json_field *own, const char *at)
{
	const char *value = at + own->name_size;
	size_t quotes = *value == '"' ? strlen("\"") : 0;

	out = put_blocks(out, own->text.data, own->text.size, 1);
	put_slack(out, value + quotes);
	return out + own->size - own->name_size - 2 * quotes;
}

/** json_fields_put_text - put the fields of json_fields_set() as " name=value name=value" */
hot_inline char *json_fields_put_text(char *out, const struct json_fields *fields)
{
	const struct json_field *own = fields->list, *end = own + fields->size;
	const char *at = json_fields_begin(fields);

	for (; own < end; at += own->size, own++)
		out = text_member_put(out, own, at);
	return out;
}

/**
 * json_fields_put - put the fields of an event, one at least, as a JSON object without its last
 * brace, into memory for all known fields and values as short as numbers
 * @text: receives " name=value name=value"; NULL for none
 * @changes: receives some of the members, each with its comma; NULL for none
 *
 * Returns the end, and moves @text and @changes; NULL if a name is new, or if json_field_change()
 * does not take a value. Members start with ','; the first one is overwritten with '{'.
 */
hot_inline char *json_fields_put(char *out, char **text, struct json_changes *changes,
				 struct json_fields *fields, const struct timeline_event *event)
{
	const struct field *field = event->fields, *end = field + event->nr_fields;
	struct json_field *own = fields->list;
	char *at, *begin = out;

	if (unlikely(fields->size == 0))
		return NULL;
	at = json_fields_begin(fields);
	for (; field < end; field++, own++) {
		bool is_same;

		own = json_field_find(fields, own, &at, field->name);
		is_same = likely(own) && json_field_has(own, &field->value);
		if (!is_same &&
		    unlikely(!own || !json_field_change(fields, own, at, &field->value)))
			return NULL;
		if (changes && (!is_same || own->place != changes->place)) {
			own->place = changes->place;
			changes->out = json_member_put(changes->out, own, at);
		}
		out = json_member_put(out, own, at);
		if (text)
			*text = text_member_put(*text, own, at);
		at += own->size;
	}
	*begin = '{';
	return out;
}

#endif
