/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selects slices: "[CATEGORY/]NAME[@TRACK]", all three with wildcards as in glob(7).
 *
 * CATEGORY is "system:event" or "pack:rule"; a text before the first slash without a colon belongs
 * to the name. CATEGORY without a slash means all its slices. TRACK is behind the last @. A
 * backslash makes the next character ordinary.
 */
#ifndef ANALYSIS_SELECTOR_H
#define ANALYSIS_SELECTOR_H

#include <stdbool.h>

#include "base/base.h"
#include "timeline/timeline.h"

/**
 * struct slice_selector - patterns for fnmatch(3), NULL for any
 * @category: of "system:event"
 * @name: of the slice
 * @track: of the track's name, its thread's name, or its number
 */
struct slice_selector {
	char *category;
	char *name;
	char *track;
};

/**
 * slice_selector_parse - parse a selector
 * @out: for slice_selector_release(), also on failure
 *
 * Returns 0, or -1 with @error.
 */
int slice_selector_parse(struct slice_selector *out, struct text text, struct error *error);

void slice_selector_release(struct slice_selector *selector);

/** slice_selector_matches_track - whether slices of a track are selected, if their names are */
bool slice_selector_matches_track(const struct slice_selector *selector,
				  const struct timeline_track *track);

/** slice_selector_matches_name - whether a slice's name is selected; it is matched up to a NUL */
bool slice_selector_matches_name(const struct slice_selector *selector, struct text name);

#endif
