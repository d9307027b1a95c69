// SPDX-License-Identifier: GPL-2.0-only
/* Makes records of the tracepoints "atrace:KIND" from those of trace_marker. */
#include "rules/rule.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The tracepoint of trace_marker's records. */
#define ORIGIN_SYSTEM "ftrace"
#define ORIGIN_EVENT "print"

/** struct marker_field - a field in a format, and the kinds that have it */
struct marker_field {
	const char *declaration;
	size_t offset;
	size_t size;
	bool is_signed;
	unsigned int kinds;
};

#define KIND(kind) (1u << MARKER_##kind)
#define TRACK_KINDS (KIND(TRACK_BEGIN) | KIND(TRACK_END) | KIND(TRACK_INSTANT))
#define COOKIE_KINDS (KIND(ASYNC_BEGIN) | KIND(ASYNC_END) | KIND(TRACK_BEGIN) | KIND(TRACK_END))
#define ALL_KINDS ((1u << MARKER_KIND_COUNT) - 1)

#define FIELD(declaration, member, is_signed, kinds)                                     \
	{                                                                                \
		declaration, offsetof(struct marker_record, member),                     \
			sizeof(((struct marker_record *)NULL)->member), is_signed, kinds \
	}

static const struct marker_field marker_fields[] = {
	FIELD("int pid", pid, true, ALL_KINDS & ~KIND(TEXT)),
	FIELD("__data_loc char[] name", name, false, ALL_KINDS & ~KIND(END)),
	FIELD("__data_loc char[] track", track, false, TRACK_KINDS),
	FIELD("s64 value", value, true, KIND(COUNTER)),
	FIELD("s64 cookie", value, true, COOKIE_KINDS),
	FIELD("u64 name_hash", name_hash, false, COOKIE_KINDS),
	FIELD("u64 track_hash", track_hash, false, TRACK_KINDS),
};

const char *const marker_events[MARKER_KIND_COUNT] = {
	[MARKER_BEGIN] = "begin",
	[MARKER_END] = "end",
	[MARKER_COUNTER] = "counter",
	[MARKER_ASYNC_BEGIN] = "async_begin",
	[MARKER_ASYNC_END] = "async_end",
	[MARKER_TRACK_BEGIN] = "track_begin",
	[MARKER_TRACK_END] = "track_end",
	[MARKER_INSTANT] = "instant",
	[MARKER_TRACK_INSTANT] = "track_instant",
	[MARKER_TEXT] = "text",
};

bool rule_marker_is(const char *system, const char *name)
{
	return strcmp(system, ORIGIN_SYSTEM) == 0 && (!name || strcmp(name, ORIGIN_EVENT) == 0);
}

void rule_marker_origin(const char **system, const char **event)
{
	if (strcmp(*system, MARKER_SYSTEM) != 0)
		return;
	*system = ORIGIN_SYSTEM;
	*event = ORIGIN_EVENT;
}

static void marker_field_append(struct buffer *out, const struct marker_field *field)
{
	buffer_printf(out, "\tfield:%s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", field->declaration,
		      field->offset, field->size, field->is_signed);
}

void marker_format_append(struct buffer *out, enum marker_kind kind)
{
	static const struct marker_field common[] = {
		FIELD("unsigned short common_type", common_type, false, 0),
		FIELD("int common_pid", common_pid, true, 0),
	};

	buffer_printf(out, "name: %s\nID: 0\nformat:\n", marker_events[kind]);
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		marker_field_append(out, &common[i]);
	buffer_append_char(out, '\n');
	for (size_t i = 0; i < sizeof(marker_fields) / sizeof(marker_fields[0]); i++) {
		if (marker_fields[i].kinds & 1u << kind)
			marker_field_append(out, &marker_fields[i]);
	}
}

/* Behind the NUL of a text the kernel leaves bytes of older records. */
static struct text record_text(const struct rule_marker *marker, const struct record *record)
{
	struct text text = { (const char *)record->data + marker->text_offset,
			     record->size - marker->text_offset };
	size_t limit = text.size < MARKER_TEXT_MAX ? text.size : MARKER_TEXT_MAX;

	text.size = strnlen(text.data, limit);
	return text;
}

/* In a container, a program writes the number that it has there. */
static int32_t text_process(const struct rule_marker *marker, int writer, int named)
{
	const struct naming_tasks *tasks = marker->tasks;

	return named > 0 && tasks->process ? tasks->process(tasks->context, writer, named) : named;
}

/* Puts a text into the record, @used bytes of which are in use; returns the word of its field. */
static uint32_t text_put(struct marker_record *made, struct text text, size_t *used)
{
	size_t offset = offsetof(struct marker_record, text) + *used;

	memcpy(made->text + *used, text.data, text.size);
	*used += text.size;
	return text.size << 16 | offset;
}

struct rule_tracepoint *rule_marker_make(struct rule_marker *marker, const struct record *record,
					 struct record *out)
{
	struct marker_record *made = &marker->made;
	struct marker_text text;
	size_t used = 0;

	if (record->size < marker->writer.end || record->size <= marker->text_offset)
		return NULL;
	marker_text_parse(record_text(marker, record), &text);
	if (text.kind == MARKER_TEXT && text.name.size == 0)
		return NULL;
	made->common_pid = field_integer(&marker->writer, record, marker->writer.is_swapped);
	made->pid = text_process(marker, made->common_pid, text.pid);
	made->value = text.value;
	made->name = text_put(made, text.name, &used);
	made->track = text_put(made, text.track, &used);
	made->name_hash = text_hash(text.name);
	made->track_hash = text_hash(text.track);
	*out = *record;
	out->data = (const unsigned char *)made;
	out->size = offsetof(struct marker_record, text) + used;
	return marker->tracepoints[text.kind];
}

/* Parses texts of trace_marker. What is malformed or truncated is a text and nothing else. */

/** enum marker_part - what is between two '|' */
enum marker_part {
	PART_END,
	/* Also the name of a slice of a thread, which has the rest of the text. */
	PART_REST,
	PART_PID,
	/* A process that may be missing, and whatever follows it. */
	PART_PID_OR_NONE,
	PART_NAME,
	PART_TRACK,
	PART_VALUE,
};

#define PARTS_MAX 5

/** struct marker_form - a letter and the parts that follow it */
struct marker_form {
	char letter;
	enum marker_kind kind;
	enum marker_part parts[PARTS_MAX];
};

/* The first form that fits counts: a track's end may have a name. */
static const struct marker_form marker_forms[] = {
	{ 'B', MARKER_BEGIN, { PART_PID, PART_REST } },
	{ 'E', MARKER_END, { PART_PID_OR_NONE } },
	{ 'C', MARKER_COUNTER, { PART_PID, PART_NAME, PART_VALUE } },
	{ 'S', MARKER_ASYNC_BEGIN, { PART_PID, PART_NAME, PART_VALUE } },
	{ 'F', MARKER_ASYNC_END, { PART_PID, PART_NAME, PART_VALUE } },
	{ 'G', MARKER_TRACK_BEGIN, { PART_PID, PART_TRACK, PART_NAME, PART_VALUE } },
	{ 'H', MARKER_TRACK_END, { PART_PID, PART_TRACK, PART_NAME, PART_VALUE } },
	{ 'H', MARKER_TRACK_END, { PART_PID, PART_TRACK, PART_VALUE } },
	{ 'I', MARKER_INSTANT, { PART_PID, PART_NAME } },
	{ 'N', MARKER_TRACK_INSTANT, { PART_PID, PART_TRACK, PART_NAME } },
};

/** struct marker_rest - what is left of a text; nothing is left behind its last part */
struct marker_rest {
	struct text text;
	bool is_over;
};

static bool marker_take(struct marker_rest *rest, struct text *part)
{
	const char *bar = rest->is_over ? NULL : memchr(rest->text.data, '|', rest->text.size);

	if (rest->is_over)
		return false;
	*part = rest->text;
	rest->is_over = !bar;
	if (!bar)
		return true;
	part->size = bar - part->data;
	rest->text.data += part->size + 1;
	rest->text.size -= part->size + 1;
	return true;
}

/* A decimal number of 64 bits, and nothing else. */
static bool marker_number(struct text part, int64_t *out)
{
	bool is_negative = part.size > 0 && part.data[0] == '-';
	int64_t number = 0;

	if (part.size == (size_t)is_negative)
		return false;
	for (size_t i = is_negative; i < part.size; i++) {
		int digit = part.data[i] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_sub_overflow(number, digit, &number))
			return false;
	}
	/* Negative numbers have one more. */
	if (!is_negative && number == INT64_MIN)
		return false;
	*out = is_negative ? number : -number;
	return true;
}

static bool marker_pid(struct text part, int32_t *out)
{
	int64_t number;

	if (!marker_number(part, &number) || number < 0 || number > INT32_MAX)
		return false;
	*out = number;
	return true;
}

static bool marker_part_parse(struct marker_rest *rest, enum marker_part kind,
			      struct marker_text *out)
{
	struct text part;

	if (kind == PART_REST && !rest->is_over) {
		out->name = rest->text;
		return true;
	}
	if (!marker_take(rest, &part))
		return kind == PART_PID_OR_NONE;
	switch (kind) {
	case PART_PID:
		return marker_pid(part, &out->pid);
	case PART_PID_OR_NONE:
		return part.size == 0 || marker_pid(part, &out->pid);
	case PART_NAME:
		out->name = part;
		return true;
	case PART_TRACK:
		out->track = part;
		return true;
	default:
		return marker_number(part, &out->value);
	}
}

static bool marker_form_parse(const struct marker_form *form, struct text text,
			      struct marker_text *out)
{
	struct marker_rest rest = { .text = { text.data + 1, text.size - 1 },
				    .is_over = text.size == 1 };

	if (!rest.is_over && rest.text.data[0] != '|')
		return false;
	rest.text.data += !rest.is_over;
	rest.text.size -= !rest.is_over;
	*out = (struct marker_text){ .kind = form->kind,
				     .name = text_of(""),
				     .track = text_of("") };
	for (size_t i = 0; i < PARTS_MAX && form->parts[i] != PART_END; i++) {
		if (!marker_part_parse(&rest, form->parts[i], out))
			return false;
	}
	return true;
}

void marker_text_parse(struct text text, struct marker_text *out)
{
	const size_t nr_forms = sizeof(marker_forms) / sizeof(marker_forms[0]);

	while (text.size > 0 && text.data[text.size - 1] == '\n')
		text.size--;
	for (size_t i = 0; i < nr_forms && text.size > 0; i++) {
		if (marker_forms[i].letter == text.data[0] &&
		    marker_form_parse(&marker_forms[i], text, out))
			return;
	}
	*out = (struct marker_text){ .kind = MARKER_TEXT, .name = text, .track = text_of("") };
}
