// SPDX-License-Identifier: GPL-2.0-only
/* Checks and merges labels. */
#include "output/labels.h"

#include <ctype.h>
#include <string.h>

#include "output/outputs.h"
#include "timeline/timeline.h"

#define KEY_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

static bool labels_have(const struct buffer *lines, struct text wanted)
{
	struct text rest = buffer_text(lines), key, value;

	while (recording_take_label(&rest, &key, &value)) {
		if (text_equals(key, wanted))
			return true;
	}
	return false;
}

static size_t labels_count(const struct buffer *lines)
{
	struct text rest = buffer_text(lines), key, value;
	size_t size = 0;

	while (recording_take_label(&rest, &key, &value))
		size++;
	return size;
}

static bool has_control(const char *text)
{
	while (*text && !iscntrl((unsigned char)*text))
		text++;
	return *text;
}

int labels_add(struct buffer *lines, const char *text, struct error *error)
{
	struct text key = { .data = text, .size = strspn(text, KEY_CHARACTERS) };
	const char *value = text + key.size + 1;

	if (key.size == 0 || text[key.size] != '=')
		return error_set(error,
				 "--label=%s: not KEY=VALUE; a KEY has letters, digits, '_', '.' "
				 "and '-'",
				 text);
	if (key.size > LABEL_KEY_MAX || strlen(value) > LABEL_VALUE_MAX)
		return error_set(error, "--label=%.*s: longer than %d and %d bytes; shorten it",
				 LABEL_KEY_MAX, text, LABEL_KEY_MAX, LABEL_VALUE_MAX);
	if (has_control(value))
		return error_set(error, "--label=%.*s: has control characters; leave them out",
				 (int)key.size, key.data);
	if (labels_have(lines, key))
		return error_set(error, "--label=%.*s: is given twice", (int)key.size, key.data);
	if (labels_count(lines) == LABELS_MAX)
		return error_set(error, "--label is given more than %d times", LABELS_MAX);
	buffer_printf(lines, "%s\n", text);
	return lines->failed ? error_set(error, "out of memory") : 0;
}

int labels_merge(struct buffer *lines, struct text more)
{
	struct text key, value;

	while (recording_take_label(&more, &key, &value)) {
		if (!labels_have(lines, key))
			buffer_printf(lines, "%.*s=%.*s\n", (int)key.size, key.data,
				      (int)value.size, value.data);
	}
	return lines->failed ? -1 : 0;
}
