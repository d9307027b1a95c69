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
 * struct json_field - the name of a field as JSON, with its last value if that was an integer: most
 * fields often have the value that they had before
 */
struct json_field {
	const char *name;   /* its address identifies it */
	struct value last;  /* a VALUE_KIND_COUNT if there is none */
	struct buffer json; /* ,"NAME":LAST */
	size_t name_size;   /* without LAST */
	struct buffer text; /* " NAME=", if the sets have texts */
	uint64_t place;	    /* to which the value was put last, see struct json_changes */
};

/** struct json_fields - the fields of a tracepoint, in the order of its records */
struct json_fields {
	struct field_set set;
	struct json_field *list;
	size_t size;
	size_t json_size; /* bytes of all names in both forms */
	size_t text_size;
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

/**
 * json_field_find - the field of a name, NULL if it is not there
 * @guess: usually the field, which then follows the one before
 *
 * The address identifies a name as long as its category lives.
 */
hot_inline struct json_field *json_field_find(const struct json_fields *fields,
					      struct json_field *guess, struct text name)
{
	const struct json_field *end = fields->list + fields->size;

	if (likely(guess < end && guess->name == name.data))
		return guess;
	for (guess = fields->list; guess < end; guess++) {
		if (guess->name == name.data)
			return guess;
	}
	return NULL;
}

/* Puts a member whose value is another than the last integer; returns as json_fields_put(). */
hot_inline char *other_field_put(char *out, struct json_field *own, const struct value *value)
{
	if (value->kind == VALUE_SIGNED || value->kind == VALUE_UNSIGNED) {
		own->last = *value;
		buffer_end_put(&own->json,
			       value_put_json(own->json.data + own->name_size, value));
		return put_block(out, own->json.data, own->json.size);
	}
	out = put_blocks(out, own->json.data, own->name_size, 1);
	if (value->kind != VALUE_TEXT)
		return value_put_json(out, value);
	return value->text.size <= PUT_NUMBER_MAX - strlen("\"\"")
		       ? json_put_string(out, value->text)
		       : NULL;
}

/* Puts a member, and " name=value" unless @text is NULL, as json_fields_put() does. */
hot_inline char *json_field_put(char *out, char **text, struct json_changes *changes,
				struct json_field *own, const struct value *value)
{
	bool is_same = value->signed_number == own->last.signed_number &&
		       value->kind == own->last.kind;
	char *begin, *end;
	size_t quotes;

	if (is_same) {
		end = out + own->json.size;
		put_slack(out, own->json.data);
		put_slack(out + PUT_SLACK, own->json.data + PUT_SLACK);
		if (unlikely(own->json.size > 2 * PUT_SLACK))
			put_block(out, own->json.data, own->json.size);
	} else {
		end = other_field_put(out, own, value);
	}
	if (changes && end && (!is_same || own->place != changes->place)) {
		own->place = changes->place;
		changes->out = put_blocks(changes->out, out, end - out, 1);
	}
	if (!text || unlikely(!end))
		return end;
	begin = out + own->name_size;
	/* What needs no escapes is the same between the quotes. */
	quotes = *begin == '"' ? strlen("\"") : 0;
	*text = put_blocks(*text, own->text.data, own->text.size, 1);
	put_slack(*text, begin + quotes);
	*text += end - begin - 2 * quotes;
	return end;
}

/**
 * json_fields_put - put the fields of an event, one at least, as a JSON object without its last
 * brace, into memory for all known fields and values as short as numbers
 * @text: receives " name=value name=value"; NULL for none
 * @changes: receives some of the members, each with its comma; NULL for none
 *
 * Returns the end, and moves @text and @changes; NULL if a name is new, or if a value is neither a
 * number, nor a boolean, nor a text that is as short and needs no escapes. Fields start with ',';
 * the first one is overwritten with '{'.
 */
hot_inline char *json_fields_put(char *out, char **text, struct json_changes *changes,
				 struct json_fields *fields, const struct timeline_event *event)
{
	const struct field *field = event->fields, *end = field + event->nr_fields;
	struct json_field *own = fields->list;
	char *begin = out;

	for (; field < end; field++, own++) {
		own = json_field_find(fields, own, field->name);
		out = likely(own) ? json_field_put(out, text, changes, own, &field->value) : NULL;
		if (unlikely(!out))
			return NULL;
	}
	*begin = '{';
	return out;
}

#endif
