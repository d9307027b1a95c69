// SPDX-License-Identifier: GPL-2.0-only
/* Parses texts of trace_marker. What is malformed or truncated is a text and nothing else. */
#include "rules/marker_text.h"

#include <stdbool.h>

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
	const char *bar = rest->is_over ? NULL
					: memchr(rest->text.data, '|', rest->text.size);

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
	*out = (struct marker_text){ .kind = form->kind, .name = text_of(""), .track = text_of("") };
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
