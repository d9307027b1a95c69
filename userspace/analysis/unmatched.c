// SPDX-License-Identifier: GPL-2.0-only
/* The error for a selector that matches no slice: names what it may mean. */
#include "analysis/internal.h"

#include <string.h>

/* Compares one slice; returns whether its name is right: its category or its track is not. */
static bool other_compare(struct why_sink *why, const struct kept_name *other,
			  struct suggestion *meant)
{
	struct text name = name_table_text(&why->names, other->name);
	const struct slice_selector *selector = &why->selector;
	struct buffer known = { 0 }, typed = { 0 };
	bool is_named = slice_selector_matches_name(selector, name);

	if (selector->category) {
		buffer_printf(&known, "%s/", other->category);
		buffer_printf(&typed, "%s/", selector->category);
	}
	buffer_append(&known, name.data, name.size);
	buffer_append_string(&typed, selector->name);
	if (is_named)
		suggestion_set(meant, buffer_string(&known));
	else
		suggestion_add(meant, buffer_text(&typed), buffer_string(&known));
	buffer_release(&known);
	buffer_release(&typed);
	return is_named;
}

/* The nearest slice; NULL if none is near. */
static const struct kept_name *others_find_near(struct why_sink *why)
{
	const struct kept_name *near = NULL;
	struct suggestion meant = { 0 };

	for (size_t i = 0; i < why->others.names.size; i++) {
		const struct kept_name *other = why->others.list[i];
		struct suggestion before = meant;

		if (other_compare(why, other, &meant))
			return other;
		if (strcmp(before.word, meant.word) != 0)
			near = other;
	}
	return near;
}

bool list_has_pack(const char *list, const char *category)
{
	size_t size = strcspn(category, ":");

	while ((list = strchr(list, ',')) && *++list) {
		if (strncmp(list, category, size) == 0 && list[size] == ',')
			return true;
	}
	return false;
}

bool why_category_explains(const char *category)
{
	return list_has_pack("," WHY_PACKS "," WHY_FILE_PACKS ",", category);
}

/** UNMATCHED_CATEGORIES - categories that the error names */
#define UNMATCHED_CATEGORIES 4

static size_t append_categories(const struct kept *others, bool explain, size_t nr,
				struct buffer *out)
{
	for (size_t i = 0; i < others->names.size; i++) {
		const char *category = others->list[i]->category;
		size_t same = 0;

		while (others->list[same]->category != category)
			same++;
		if (same < i || why_category_explains(category) != explain)
			continue;
		if (nr++ < UNMATCHED_CATEGORIES)
			buffer_printf(out, "%s%s", nr > 1 ? ", " : "", category);
	}
	return nr;
}

/* If the name is right, the category or the track was the mistake; otherwise the track is kept. */
static void near_append(struct why_sink *why, const struct kept_name *near, struct buffer *out)
{
	struct text name = name_table_text(&why->names, near->name);
	const struct slice_selector *selector = &why->selector;
	bool is_named = slice_selector_matches_name(selector, name);

	buffer_printf(out, "; did you mean '%s/%.*s", near->category, (int)name.size, name.data);
	if (selector->track && !is_named)
		buffer_printf(out, "@%s", selector->track);
	buffer_append_string(out, "'?");
	if (selector->track && is_named)
		buffer_printf(out, " no track that matches '%s' has it", selector->track);
}

int why_refuse_unmatched(struct why_sink *why, struct error *error)
{
	const struct kept *others = &why->others;
	struct buffer out = { 0 };

	buffer_printf(&out, "%s: no slice matches '%.*s'", why->source,
		      (int)why->settings->slice.size, why->settings->slice.data);
	if (why->named_to_ns > 0) {
		/* Slices match, but are not open at the time. */
		buffer_append_string(&out, " at that time; slices that match are open between ");
		buffer_append_seconds(&out, why->named_from_ns - why->start_ns, 9);
		buffer_append_string(&out, " and ");
		buffer_append_seconds(&out, why->named_to_ns - why->start_ns, 9);
	} else {
		const struct kept_name *near = others_find_near(why);

		if (near) {
			near_append(why, near, &out);
		} else if (others->names.size > 0) {
			size_t nr;

			buffer_append_string(&out, "; there are slices of ");
			nr = append_categories(others, true,
					       append_categories(others, false, 0, &out), &out);
			/* "mydrv:io, sched:thread and 3 more"; those of the packs that explain
			 * slices come last. */
			if (nr > UNMATCHED_CATEGORIES)
				buffer_printf(&out, " and %zu more", nr - UNMATCHED_CATEGORIES);
			buffer_append_string(&out, "; 'CATEGORY/*' matches all of one");
		} else {
			buffer_append_string(&out, "; it has no slices of these tracepoints");
		}
	}
	error_set(error, "%s", out.failed ? "out of memory" : buffer_string(&out));
	buffer_release(&out);
	return -1;
}
