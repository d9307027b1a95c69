/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The explained slices of an output that shows them: all of them, or if their texts take too much
 * memory the slowest ones of each name.
 */
#ifndef ANALYSIS_KEPT_H
#define ANALYSIS_KEPT_H

#include "base/base.h"
#include "timeline/timeline.h"

/** KEPT_SIZE_MAX - limit of the bytes of all texts */
#define KEPT_SIZE_MAX ((size_t)16 << 20)

/**
 * struct kept_name - the slices of one name and tracepoint
 * @order: number of the name, in the order of appearance
 * @least_ns: longer slices are kept
 */
struct kept_name {
	const char *category;
	uint32_t name;
	size_t order;
	int64_t least_ns;
};

/** struct kept_slice - an explained slice, whose text is allocated */
struct kept_slice {
	struct kept_name *name;
	struct explanation explanation;
};

/**
 * struct kept - all of them; a zeroed struct is empty
 * @size: bytes of the texts
 * @size_max: their limit, 0 for KEPT_SIZE_MAX
 * @limit: number of slices of each name that are certainly kept, the slowest; 0 for all
 * @floor_ns: shorter slices are not kept, whatever their name
 * @items: for the output
 */
struct kept {
	struct map names;
	struct kept_slice *slices;
	size_t nr_slices;
	size_t capacity;
	size_t size;
	size_t size_max;
	size_t limit;
	int64_t floor_ns;
	struct explanation *items;
};

/**
 * kept_name_get - the name of slices, a new one if needed
 * @category: a text whose address is that of no other category
 * @name: number of the name
 *
 * Returns NULL if memory ran out.
 */
struct kept_name *kept_name_get(struct kept *kept, const char *category, uint32_t name);

/** kept_wants - whether a slice is kept */
static inline bool kept_wants(const struct kept *kept, const struct kept_name *name,
			      int64_t duration_ns)
{
	return duration_ns > name->least_ns && duration_ns > kept->floor_ns;
}

/** kept_add - keep a slice and a copy of its text; returns -1 if memory ran out */
int kept_add(struct kept *kept, struct kept_name *name, const struct explanation *explanation);

/** kept_finish - fill @out, whose items are valid until kept_release(); returns -1 likewise */
int kept_finish(struct kept *kept, struct explanations *out);

void kept_release(struct kept *kept);

#endif
