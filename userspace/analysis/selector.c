// SPDX-License-Identifier: GPL-2.0-only
/* Parses and matches selectors of slices, and parses limits of them. */
#include "analysis/internal.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "event/event.h"

/* The first or last @byte without a backslash before it; the size of the text if there is none. */
static size_t plain_byte_find(struct text text, char byte, bool is_last)
{
	size_t found = text.size;

	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '\\' && i + 1 < text.size)
			i++;
		else if (text.data[i] == byte && (found == text.size || is_last))
			found = i;
	}
	return found;
}

/* "system:event" or "pack:rule", of a program's event also with the prefix; "a::b" is a name. */
static bool text_is_category(struct text text)
{
	size_t prefix = strlen(PROGRAM_PREFIX), colon;

	for (size_t i = 0; i < text.size; i++) {
		if (!isalnum((unsigned char)text.data[i]) && !strchr("_-*?[]!^:", text.data[i]))
			return false;
	}
	if (text.size > prefix && memcmp(text.data, PROGRAM_PREFIX, prefix) == 0 &&
	    memchr(text.data + prefix, ':', text.size - prefix))
		text = (struct text){ text.data + prefix, text.size - prefix };
	colon = plain_byte_find(text, ':', false);
	return colon > 0 && colon + 1 < text.size && colon == plain_byte_find(text, ':', true);
}

int slice_selector_parse(struct slice_selector *out, struct text text, struct error *error)
{
	size_t slash = plain_byte_find(text, '/', false);
	size_t end = plain_byte_find(text, '@', true), begin = 0;
	bool has_track = end < text.size, is_category;

	*out = (struct slice_selector){ 0 };
	if (slash < end && memchr(text.data, ':', slash)) {
		out->category = strndup(text.data, slash);
		begin = slash + 1;
	}
	is_category = begin == 0 && text_is_category((struct text){ text.data, end });
	if (is_category)
		out->category = strndup(text.data, end);
	if (has_track)
		out->track = strndup(text.data + end + 1, text.size - end - 1);
	if (end + 1 == text.size)
		return error_set(error, "'%.*s': no track behind '@'; write \\@ for an @ of a name",
				 (int)text.size, text.data);
	if (begin == end)
		return error_set(error, "'%.*s': no name of a slice; write [CATEGORY/]NAME[@TRACK]",
				 (int)text.size, text.data);
	out->name = is_category ? strdup("*") : strndup(text.data + begin, end - begin);
	if (!out->name || (has_track && !out->track) ||
	    ((is_category || begin > 0) && !out->category))
		return error_set(error, "out of memory");
	return 0;
}

void slice_selector_release(struct slice_selector *selector)
{
	free(selector->category);
	free(selector->name);
	free(selector->track);
	*selector = (struct slice_selector){ 0 };
}

void slice_selector_append(struct buffer *out, const char *category, struct text name)
{
	const size_t suffix_size = strlen(AGGREGATE_SUFFIX);
	size_t suffix_at = name.size;

	/* A name that ends like an aggregate is none. */
	if (name.size > suffix_size &&
	    memcmp(name.data + name.size - suffix_size, AGGREGATE_SUFFIX, suffix_size) == 0)
		suffix_at = name.size - suffix_size;
	buffer_append_string(out, category);
	buffer_append_char(out, '/');
	for (size_t i = 0; i < name.size; i++) {
		if (memchr("*?[\\@", name.data[i], 5) || i == suffix_at)
			buffer_append_char(out, '\\');
		buffer_append_char(out, name.data[i]);
	}
}

/* So many bytes of a name are compared, which needs no memory that may run out. */
#define COMPARED_MAX 4096

static bool selector_text_matches(const char *pattern, struct text text)
{
	char copy[COMPARED_MAX + 1];
	size_t size = text.size < COMPARED_MAX ? text.size : COMPARED_MAX;

	if (size > 0)
		memcpy(copy, text.data, size);
	copy[size] = '\0';
	return fnmatch(pattern, copy, 0) == 0;
}

bool slice_selector_matches_name(const struct slice_selector *selector, struct text name)
{
	return selector_text_matches(selector->name, name);
}

bool slice_selector_matches_track(const struct slice_selector *selector,
				  const struct timeline_track *track)
{
	char number[24];

	if (selector->category && fnmatch(selector->category, track->category->text, 0) != 0)
		return false;
	if (!selector->track || selector_text_matches(selector->track, track->name) ||
	    (*track->comm && fnmatch(selector->track, track->comm, 0) == 0))
		return true;
	snprintf(number, sizeof(number), "%lld", (long long)track->id.signed_number);
	return track->scope != SCOPE_GLOBAL && fnmatch(selector->track, number, 0) == 0;
}

/* Parses limits, from their end: names may contain anything. */

/* Limit of a number with its unit. */
#define VALUE_SIZE_MAX 40

bool limit_split(struct text text, struct limit_words *out)
{
	size_t place = text.size, behind;

	while (place > 0 && text.data[place - 1] != '<' && text.data[place - 1] != '>')
		place--;
	if (place == 0)
		return false;
	out->is_below = text.data[place - 1] == '<';
	out->allows_equal = place < text.size && text.data[place] == '=';
	behind = place + out->allows_equal;
	out->subject = text_trim((struct text){ text.data, place - 1 });
	out->value = text_trim((struct text){ text.data + behind, text.size - behind });
	return true;
}

bool limit_time_parse(struct text text, int64_t *out_ns)
{
	char value[VALUE_SIZE_MAX];
	struct error ignored = { 0 };
	char last = text.size > 0 ? text.data[text.size - 1] : '0';

	if (text.size >= sizeof(value) || (last >= '0' && last <= '9'))
		return false;
	snprintf(value, sizeof(value), "%.*s", (int)text.size, text.data);
	return time_duration_parse(value, out_ns, &ignored) == 0;
}
