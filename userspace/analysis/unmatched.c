// SPDX-License-Identifier: GPL-2.0-only
/* The error for a selector that matches no slice: names what it may mean. */
#include <stdlib.h>

#include "analysis/why.h"

/** UNMATCHED_NAMES_MAX - limit of names that are kept until one matches */
#define UNMATCHED_NAMES_MAX 4096

/** UNMATCHED_CATEGORIES - categories that the error names */
#define UNMATCHED_CATEGORIES 4

void why_keep_unmatched(struct why_sink *why, const struct timeline_event *event)
{
	if (why->nr_matched == 0 && why->others.names.size < UNMATCHED_NAMES_MAX)
		kept_name_get(&why->others, event->track->category->text,
			      why_name(why, event->name));
}

static int order_compare(const void *a, const void *b)
{
	const struct kept_name *first = *(struct kept_name *const *)a;
	const struct kept_name *second = *(struct kept_name *const *)b;

	return first->order < second->order ? -1 : 1;
}

/* The names in the order of their appearance, for free(); NULL if memory ran out. */
static struct kept_name **others_list(const struct kept *others)
{
	struct kept_name **list = calloc(others->names.size + 1, sizeof(struct kept_name *));
	size_t nr = 0;

	for (size_t i = 0; list && i < others->names.capacity; i++) {
		if (others->names.slots[i].value)
			list[nr++] = others->names.slots[i].value;
	}
	if (nr > 1)
		qsort(list, nr, sizeof(struct kept_name *), order_compare);
	return list;
}

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
static const struct kept_name *others_find_near(struct why_sink *why, struct kept_name *const *list)
{
	const struct kept_name *near = NULL;
	struct suggestion meant = { 0 };

	for (size_t i = 0; list[i]; i++) {
		struct suggestion before = meant;

		if (other_compare(why, list[i], &meant))
			return list[i];
		if (strcmp(before.word, meant.word) != 0)
			near = list[i];
	}
	return near;
}

static bool category_is_new(struct kept_name *const *list, size_t at)
{
	for (size_t i = at; i > 0; i--) {
		if (list[i - 1]->category == list[at]->category)
			return false;
	}
	return true;
}

static size_t append_categories(struct kept_name *const *list, bool explain, size_t nr,
				struct buffer *out)
{
	for (size_t i = 0; list[i]; i++) {
		if (why_category_explains(list[i]->category) != explain ||
		    !category_is_new(list, i))
			continue;
		if (nr++ < UNMATCHED_CATEGORIES)
			buffer_printf(out, "%s%s", nr > 1 ? ", " : "", list[i]->category);
	}
	return nr;
}

/* "mydrv:io, sched:thread and 3 more"; those of the packs that explain slices come last. */
static void others_append_categories(struct kept_name *const *list, struct buffer *out)
{
	size_t nr = append_categories(list, true, append_categories(list, false, 0, out), out);

	if (nr > UNMATCHED_CATEGORIES)
		buffer_printf(out, " and %zu more", nr - UNMATCHED_CATEGORIES);
}

/* Slices match, but are not open at the time. */
static void unmatched_append_times(const struct why_sink *why, struct buffer *out)
{
	buffer_append_string(out, " at that time; slices that match are open between ");
	buffer_append_seconds(out, why->named_from_ns - why->start_ns, 9);
	buffer_append_string(out, " and ");
	buffer_append_seconds(out, why->named_to_ns - why->start_ns, 9);
}

static void unmatched_append_remedy(struct why_sink *why, struct kept_name *const *list,
				    struct buffer *out)
{
	const struct kept_name *near = others_find_near(why, list);

	if (near) {
		struct text name = name_table_text(&why->names, near->name);

		buffer_printf(out, "; did you mean '%s/%.*s'?", near->category, (int)name.size,
			      name.data);
	} else if (list[0]) {
		buffer_append_string(out, "; there are slices of ");
		others_append_categories(list, out);
		buffer_append_string(out, "; 'CATEGORY/*' matches all of one");
	} else {
		buffer_append_string(out, "; it has no slices of these tracepoints");
	}
}

int why_refuse_unmatched(struct why_sink *why, struct error *error)
{
	struct kept_name **list = others_list(&why->others);
	struct buffer out = { 0 };

	if (!list)
		return error_set(error, "out of memory");
	buffer_printf(&out, "%s: no slice matches '%.*s'", why->source,
		      (int)why->settings->slice.size, why->settings->slice.data);
	if (why->named_to_ns > 0)
		unmatched_append_times(why, &out);
	else
		unmatched_append_remedy(why, list, &out);
	error_set(error, "%s", out.failed ? "out of memory" : buffer_string(&out));
	buffer_release(&out);
	free(list);
	return -1;
}
