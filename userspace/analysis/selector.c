// SPDX-License-Identifier: GPL-2.0-only
/* Parses and matches selectors of slices. */
#include "analysis/selector.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

/* The first or last @byte without a backslash before it, NULL if there is none. */
static const char *plain_byte_find(const char *text, char byte, bool is_last)
{
	const char *found = NULL;

	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		else if (*text == byte && (!found || is_last))
			found = text;
	}
	return found;
}

int slice_selector_parse(struct slice_selector *out, const char *text, struct error *error)
{
	const char *slash = plain_byte_find(text, '/', false);
	const char *at = plain_byte_find(text, '@', true);
	const char *name = text, *end = at ? at : text + strlen(text);

	*out = (struct slice_selector){ 0 };
	if (slash && slash < end && memchr(text, ':', slash - text)) {
		out->category = strndup(text, slash - text);
		name = slash + 1;
	}
	if (at)
		out->track = strdup(at + 1);
	if (at && !*out->track)
		return error_set(error, "'%s': no track behind '@'; write \\@ for an @ of a name",
				 text);
	if (name == end)
		return error_set(error, "'%s': no name of a slice; write [CATEGORY/]NAME[@TRACK]",
				 text);
	out->name = strndup(name, end - name);
	if (!out->name || (at && !out->track) || (name > text && !out->category))
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

static bool selector_text_matches(const char *pattern, struct text text)
{
	char *copy = strndup(text.data, text.size);
	bool matches = copy && fnmatch(pattern, copy, 0) == 0;

	free(copy);
	return matches;
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
