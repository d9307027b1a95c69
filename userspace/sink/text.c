// SPDX-License-Identifier: GPL-2.0-only
/* Texts that outputs share: arguments of events, labels, losses and faults; CSV and base64. */
#include "sink/text.h"

#include "sink/flow.h"
#include "timeline/timeline.h"

#include <stdlib.h>

bool event_has_args(const struct timeline_event *event, unsigned int with)
{
	return event->nr_any > 0 || event->is_suspect || event->is_unfinished ||
	       event->is_foreign || event->is_cut || event->is_crossing || with;
}

/* With @is_end the name's opening quote is overwritten with the colon of "end:". */
static void arg_name_append(struct buffer *out, struct text name, bool is_end, bool *first)
{
	size_t quote;

	if (!is_end) {
		json_append_member(out, name, first);
		return;
	}
	buffer_append_string(out, *first ? "\"end" : ",\"end");
	*first = false;
	quote = out->size;
	json_append_string(out, name);
	buffer_append_char(out, ':');
	if (!out->failed)
		out->data[quote] = ':';
}

static void arg_number_append(struct buffer *out, const char *name, int64_t number, bool is_end,
			      bool *first)
{
	arg_name_append(out, text_of(name), is_end, first);
	buffer_append_signed(out, number);
}

/* Puts a member of an object; NULL if it needs escapes. */
hot_inline char *field_put(char *out, const struct field *field)
{
	const struct value *value = &field->value;

	if (likely(field->is_plain)) {
		out = put_text(put_char(out, '"'), field->name.data, field->name.size);
		out = put_char(out, '"');
	} else {
		out = json_put_string(out, field->name);
	}
	if (!out)
		return NULL;
	out = put_char(out, ':');
	if (value->kind == VALUE_TEXT)
		return json_put_string(out, value->text);
	return value_put_json(out, value);
}

/* Appends the first members of an object up to one that needs escapes; returns their number. */
static size_t plain_fields_append(struct buffer *out, const struct field *fields, size_t nr_fields)
{
	size_t size = 0, done = 0;
	char *at;

	for (size_t i = 0; i < nr_fields; i++) {
		size += fields[i].name.size + PUT_NUMBER_MAX;
		if (fields[i].value.kind == VALUE_TEXT)
			size += fields[i].value.text.size;
	}
	at = buffer_reserve_put(out, size);
	for (; at && done < nr_fields; done++) {
		char *end = field_put(done > 0 ? put_char(at, ',') : at, &fields[done]);

		if (!end)
			break;
		at = end;
	}
	if (at)
		buffer_end_put(out, at);
	return done;
}

/* Further names are rendered for each record; most events have less than a dozen fields. */
#define FIELDS_MAX 64
/* Fields of all tracepoints together. */
#define ALL_FIELDS_MAX 16384

void json_sets_free(struct json_sets *sets)
{
	struct json_fields *fields;

	map_for_each(&sets->sets.all, fields) {
		for (size_t i = 0; i < fields->size; i++)
			buffer_release(&fields->list[i].text);
		buffer_release(&fields->json);
		free(fields->list);
	}
	map_free(&sets->sets.all);
	*sets = (struct json_sets){ 0 };
}

/* Adds a member without a value to the object; returns its size, 0 if memory ran out. */
static size_t json_name_add(struct json_fields *fields, struct text name)
{
	size_t values = (fields->size + 1) * PUT_NUMBER_MAX;
	struct buffer *json = &fields->json;
	SCOPED_BUFFER(member);
	char *at;

	buffer_append_char(&member, fields->size > 0 ? ',' : '{');
	json_append_string(&member, name);
	buffer_append(&member, ":}", 2);
	if (json->size == 0)
		buffer_append_string(json, JSON_ARGS "}");
	/* Two blocks are copied of each member. */
	at = member.failed ? NULL : buffer_reserve_put(json, member.size + values + PUT_SLACK);
	json->failed = false;
	if (!at)
		return 0;
	/* The last brace is behind the new member now. */
	buffer_end_put(json, put_bytes(at - 1, member.data, member.size));
	buffer_seal(json);
	return member.size - 1;
}

void json_fields_learn(struct json_sets *sets, struct json_fields *fields, struct text name)
{
	struct json_field *own = fields->list;
	char *at;

	if ((fields->size > 0 && json_field_find(fields, own, &at, name)) ||
	    fields->size >= FIELDS_MAX || sets->nr_fields >= ALL_FIELDS_MAX ||
	    !array_reserve(fields->list, fields->size))
		return;
	own = &fields->list[fields->size];
	*own = (struct json_field){ .name = name.data, .last.kind = VALUE_KIND_COUNT };
	if (sets->have_texts) {
		buffer_append_char(&own->text, ' ');
		buffer_append(&own->text, name.data, name.size);
		buffer_append_char(&own->text, '=');
		buffer_seal(&own->text);
	}
	own->name_size = own->text.failed ? 0 : json_name_add(fields, name);
	if (own->name_size == 0) {
		buffer_release(&own->text);
		return;
	}
	own->size = own->name_size;
	fields->text_size += own->text.size;
	fields->has_escapes |= own->name_size != name.size + strlen(",\"\":");
	fields->size++;
	sets->nr_fields++;
}

/* Puts a value; NULL if json_field_change() does not take it. */
hot_inline char *json_value_put(char *out, const struct value *value)
{
	if (value->kind != VALUE_TEXT)
		return value_put_json(out, value);
	return value->text.size <= PUT_NUMBER_MAX - strlen("\"\"")
		       ? json_put_string(out, value->text)
		       : NULL;
}

/* Whether JSON from @begin to @end is the string of a text that needs no escapes. */
hot_inline bool json_text_is(const char *begin, const char *end, struct text text)
{
	return begin + text.size + strlen("\"\"") == end && *begin == '"' &&
	       memcmp(begin + 1, text.data, text.size) == 0;
}

bool json_field_change_any(struct json_fields *fields, struct json_field *own, char *at,
			   const struct value *value)
{
	char text[PUT_NUMBER_MAX + PUT_SLACK], behind[PUT_SLACK];
	char *begin = at + own->name_size, *rest = at + own->size, *end;

	if (value->kind == VALUE_TEXT && json_text_is(begin, rest, value->text))
		return true;
	end = json_value_put(text, value);
	if (!end)
		return false;
	end = begin + (end - text);
	if (end != rest)
		memmove(end, rest, fields->json.data + fields->json.size - rest);
	fields->json.size += end - rest;
	own->size = end - at;
	put_slack(behind, end);
	put_slack(begin, text);
	put_slack(end, behind);
	own->last = *value;
	if (value->kind != VALUE_SIGNED && value->kind != VALUE_UNSIGNED)
		own->last.kind = VALUE_KIND_COUNT;
	return true;
}

void json_field_fit(struct json_fields *fields, struct json_field *own, char *at, char *end,
		    uint64_t behind)
{
	char *rest = at + own->size;
	size_t size = fields->json.data + fields->json.size - rest;

	if (size > WORD_SIZE)
		memmove(end + WORD_SIZE, rest + WORD_SIZE, size - WORD_SIZE);
	put_bytes(end, &behind, WORD_SIZE);
	fields->json.size += end - rest;
	own->size = end - at;
}

/* Appends an object of the fields, but for its last brace; returns as event_append_fields(). */
static copies_wide bool fields_append(struct buffer *out, struct json_sets *sets,
				      const struct timeline_event *event, struct buffer *changed,
				      uint64_t place)
{
	struct json_fields *fields = event->nr_fields > 0 ? json_fields_get(sets, event) : NULL;
	struct json_changes changes = { .place = place };
	size_t size;
	char *end;

	if (!fields)
		return false;
	size = json_fields_max(fields, event);
	end = buffer_reserve_put(out, size);
	changes.out = changed ? buffer_reserve_put(changed, size) : NULL;
	if (!end || (changed && !changes.out))
		return false;
	if (changed)
		end = json_fields_put(end, NULL, &changes, fields, event);
	else if (likely(json_fields_set(fields, event)))
		end = put_block(end, json_fields_begin(fields),
				fields->json.size - strlen(JSON_ARGS "}"));
	else
		end = json_fields_put(end, NULL, NULL, fields, event);
	if (!end) {
		for (size_t i = 0; i < event->nr_fields; i++)
			json_fields_learn(sets, fields, event->fields[i].name);
		return false;
	}
	buffer_end_put(out, end);
	if (changed)
		buffer_end_put(changed, changes.out);
	return true;
}

bool event_append_fields(struct buffer *out, struct json_sets *sets,
			 const struct timeline_event *event, struct buffer *changed, uint64_t place)
{
	if (event->nr_flows > 0 || event->flags ||
	    !fields_append(out, sets, event, changed, place))
		return false;
	buffer_append_char(out, '}');
	return true;
}

void event_append_args(struct buffer *out, struct json_sets *sets,
		       const struct timeline_event *event, unsigned int with, bool names_ends)
{
	bool is_end = names_ends && event->kind == TIMELINE_SLICE_END;
	size_t done = event->nr_fields;
	bool first;

	if (is_end || !fields_append(out, sets, event, NULL, 0)) {
		buffer_append_char(out, '{');
		done = is_end ? 0 : plain_fields_append(out, event->fields, event->nr_fields);
	}
	first = done == 0;
	if (likely(done == event->nr_any && event->flags == 0 && with == 0)) {
		buffer_append_char(out, '}');
		return;
	}
	for (size_t i = done; i < event->nr_fields; i++) {
		arg_name_append(out, event->fields[i].name, is_end, &first);
		value_append_json(out, &event->fields[i].value);
	}
	if (event->nr_flows > 0) {
		arg_name_append(out, text_of("ktrack:flow"), is_end, &first);
		flows_append_json(out, event);
	}
	if (with & ARGS_TRACK)
		json_append_text(out, "ktrack:track", event->track->name, &first);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_TID))
		arg_number_append(out, "ktrack:tid", event->tid, is_end, &first);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_CPU))
		arg_number_append(out, "ktrack:cpu", event->cpu, is_end, &first);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_COMM)) {
		arg_name_append(out, text_of("ktrack:comm"), is_end, &first);
		json_append_string(out, text_of(event->comm));
	}
	if (event->is_suspect)
		json_append_flag(out, "ktrack:suspect", true, &first);
	if (event->is_unfinished)
		json_append_flag(out, "ktrack:unfinished", true, &first);
	if (event->is_foreign)
		json_append_flag(out, "ktrack:foreign", true, &first);
	if (event->is_crossing)
		json_append_flag(out, "ktrack:crossing", true, &first);
	if (event->is_cut && event->kind == TIMELINE_SLICE_BEGIN)
		arg_number_append(out, "ktrack:begin_ns", event->begin_ns, false, &first);
	else if (event->is_cut)
		json_append_flag(out, "ktrack:cut", true, &first);
	buffer_append_char(out, '}');
}

void labels_append(struct buffer *out, const char *labels)
{
	struct text rest = text_of(labels ? labels : ""), key, value;
	bool first = true;

	buffer_append_char(out, '{');
	while (recording_take_label(&rest, &key, &value)) {
		json_append_member(out, key, &first);
		json_append_string(out, value);
	}
	buffer_append_char(out, '}');
}

void recording_append(struct buffer *out, const struct recording *recording, unsigned int output)
{
	const struct recording_property *property = NULL;
	bool first = false;
	struct value value;

	while (recording_next(recording, output, &property, &value)) {
		json_append_member(out, text_of(property->name), &first);
		value_append_json(out, &value);
	}
	json_append_member(out, text_of("labels"), &first);
	labels_append(out, recording->labels);
}

void machines_append(struct buffer *out, const struct recording *recording)
{
	if (recording->nr_machines == 0)
		return;
	buffer_append_string(out, ",\"machines\":[");
	for (size_t i = 0; i < recording->nr_machines; i++) {
		const struct timeline_machine *machine = &recording->machines[i];
		bool first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		json_append_text(out, "name", text_of(machine->name), &first);
		recording_append(out, machine->recording, RECORDING_MACHINE);
		buffer_printf(out, ",\"shift_ns\":\"%lld\",\"wall_error_ns\":",
			      (long long)machine->shift_ns);
		if (machine->recording->wall_error_ns < 0)
			buffer_append_string(out, "null}");
		else
			buffer_printf(out, "%lld}", (long long)machine->recording->wall_error_ns);
	}
	buffer_append_char(out, ']');
}

static void loss_append(struct buffer *out, const struct timeline_event *event)
{
	buffer_append_string(out, "lost ");
	if (event->loss_count == TIMELINE_COUNT_UNKNOWN)
		buffer_append_string(out, "an unknown number of records");
	else
		buffer_append_count(out, event->loss_count, "record");
	if (event->kind == TIMELINE_LOSS_SUM)
		buffer_append_string(out, " in gaps of unknown size");
	buffer_printf(out, " on cpu %d", event->loss_cpu);
	if (event->loss_buffer)
		buffer_printf(out, " in buffer '%s'", event->loss_buffer);
	if (event->loss_machine)
		buffer_printf(out, " of machine '%s'", event->loss_machine->name);
}

void loss_append_track(struct buffer *out, const struct timeline_event *event)
{
	buffer_printf(out, "lost records cpu %d", event->loss_cpu);
	if (event->loss_buffer && event->loss_buffer[0])
		buffer_printf(out, " in %s", event->loss_buffer);
	if (event->loss_machine)
		buffer_printf(out, " on %s", event->loss_machine->name);
}

void remark_append(struct buffer *out, const struct timeline_event *event)
{
	static const char *const words[] = {
		[TIMELINE_RECORDED_FROM_LOAD] = "recorded since it was loaded",
		[TIMELINE_RECORDED_FROM_NOW] = "recorded from here on",
		[TIMELINE_RECORDED_UNTIL_NOW] = "recorded up to here",
	};

	if (event->kind == TIMELINE_LOSS || event->kind == TIMELINE_LOSS_SUM)
		loss_append(out, event);
	else if (event->kind == TIMELINE_FOREIGN_END)
		buffer_printf(out, FOREIGN_END_FORMAT, event->tracepoint);
	else if (event->kind == TIMELINE_MALFORMED)
		buffer_printf(out, MALFORMED_FORMAT, event->tracepoint, event->problem);
	else if (event->kind == TIMELINE_TRACEPOINT)
		buffer_printf(out, "%s is %s", event->tracepoint, words[event->recorded]);
	for (size_t i = 0; event->kind == TIMELINE_COMMAND_BEGIN && event->argv[i]; i++) {
		buffer_append_string(out, i > 0 ? " " : "");
		buffer_append_string(out, event->argv[i]);
	}
}

struct text message_set(struct buffer *out, const struct timeline_event *event)
{
	buffer_clear(out);
	if (event->kind == TIMELINE_COMMAND_BEGIN)
		buffer_append_string(out, "begin of: ");
	if (event->kind == TIMELINE_COMMAND_END)
		buffer_printf(out, "end of process %d with status %d", event->pid, event->status);
	else
		remark_append(out, event);
	return buffer_text(out);
}

struct text remark_set(struct buffer *out, const struct timeline_event *event)
{
	buffer_clear(out);
	remark_append(out, event);
	return buffer_text(out);
}

/** struct fault - a count, and its text in the singular and the plural */
struct fault {
	uint64_t count;
	const char *one;
	const char *several;
};

/* The clock's, those of fault_of(), and then one for each tracepoint with malformed records. */
enum {
	FAULT_TICKS,
	FAULT_TOTALS,
	FAULT_MALFORMED = FAULT_TOTALS + 6,
};

static struct fault fault_of(const struct timeline_totals *totals, size_t number)
{
	const struct fault faults[] = {
		{ totals->lost_task_records,
		  "record about threads was lost; thread names may be wrong",
		  "records about threads were lost; thread names may be wrong" },
		{ totals->unmatched_ends, "end without a begin", "ends without a begin" },
		{ totals->late_records, "record came after a younger one, whose time it was given",
		  "records came after younger ones, whose time they were given" },
		{ totals->foreign_ends,
		  "slice was ended by another thread while slices overlapped: durations may be "
		  "wrong",
		  "slices were ended by other threads while slices overlapped: durations may be "
		  "wrong" },
		{ totals->retired_tracks,
		  "track was closed to save memory (--max-tracks) and continues as a new track",
		  "tracks were closed to save memory (--max-tracks) and continue as new tracks" },
		{ totals->evicted_slices, "slice was open on a closed track and has no end",
		  "slices were open on closed tracks and have no ends" },
	};
	_Static_assert(sizeof(faults) / sizeof(faults[0]) == FAULT_MALFORMED - FAULT_TOTALS,
		       "all faults");

	if (number < FAULT_MALFORMED)
		return faults[number - FAULT_TOTALS];
	return (struct fault){ totals->malformed_of[number - FAULT_MALFORMED].count,
			       "malformed record of ", "malformed records of " };
}

size_t fault_limit(const struct timeline_totals *totals)
{
	return FAULT_MALFORMED + totals->nr_malformed_of;
}

bool fault_set(struct buffer *out, const struct timeline_totals *totals, bool counts_ticks,
	       size_t number)
{
	struct fault fault;

	out->size = 0;
	if (number == FAULT_TICKS) {
		buffer_append_string(out, "the clock counts ticks, which are shown as nanoseconds");
		return counts_ticks;
	}
	fault = fault_of(totals, number);
	buffer_append_unsigned(out, fault.count);
	buffer_append_char(out, ' ');
	buffer_append_string(out, fault.count == 1 ? fault.one : fault.several);
	if (number >= FAULT_MALFORMED)
		buffer_append_string(out,
				     totals->malformed_of[number - FAULT_MALFORMED].tracepoint);
	return fault.count > 0;
}

/* Returns the size of the character at the begin of a text. */
static size_t csv_character_append(struct buffer *out, struct text text)
{
	size_t size = utf8_sequence_size(text);
	uint32_t code;

	if (size == 0) {
		buffer_printf(out, "\\x%02x", (unsigned char)text.data[0]);
		return 1;
	}
	code = utf8_value((struct text){ text.data, size });
	if (utf8_is_control(code))
		buffer_printf(out, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
	else if (code == '"')
		buffer_append_string(out, "\"\"");
	else
		buffer_append(out, text.data, size);
	return size;
}

void csv_append_text(struct buffer *out, struct text text)
{
	bool is_formula = text.size > 0 && strchr("=+-@", text.data[0]);
	bool has_quotes = memchr(text.data, ',', text.size) || memchr(text.data, '"', text.size);

	if (has_quotes)
		buffer_append_char(out, '"');
	if (is_formula)
		buffer_append_char(out, '\'');
	while (text.size > 0) {
		size_t size = csv_character_append(out, text);

		text = (struct text){ text.data + size, text.size - size };
	}
	if (has_quotes)
		buffer_append_char(out, '"');
}

const char base64_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

hot_inline char *group_put(char *at, const unsigned char *bytes, size_t size)
{
	uint32_t bits = (uint32_t)bytes[0] << 16;

	if (size > 1)
		bits |= (uint32_t)bytes[1] << 8;
	if (size > 2)
		bits |= bytes[2];
	*at++ = base64_letters[bits >> 18];
	*at++ = base64_letters[bits >> 12 & 63];
	*at++ = size > 1 ? base64_letters[bits >> 6 & 63] : '=';
	*at++ = size > 2 ? base64_letters[bits & 63] : '=';
	return at;
}

void base64_append(struct buffer *out, struct text bytes)
{
	const unsigned char *from = (const unsigned char *)bytes.data;
	char *at = buffer_reserve(out, (bytes.size + 2) / 3 * 4);
	size_t i = 0;

	if (!at)
		return;
	for (; i + 3 <= bytes.size; i += 3)
		at = group_put(at, from + i, 3);
	if (i < bytes.size)
		at = group_put(at, from + i, bytes.size - i);
	out->size = at - out->data;
}

static bool set_is_of(const void *value, const void *key)
{
	const struct field_set *set = value, *of = key;

	return set->first == of->first && set->category == of->category;
}

void *field_sets_look(struct field_sets *sets, const struct timeline_category *category,
		      const char *first, size_t size)
{
	const struct field_set key = { .category = category, .first = first };
	uint64_t hash = hash_number((uintptr_t)first + hash_number((uintptr_t)category));
	struct field_set *set = map_find(&sets->all, hash, set_is_of, &key);

	if (!set) {
		set = map_take(&sets->all, hash, calloc(1, size));
		if (!set)
			return NULL;
		*set = key;
	}
	sets->recent[field_sets_index(first)] = set;
	return set;
}
