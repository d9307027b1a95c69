/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of slices and instants, interned by tracepoint. */
#ifndef TRACK_NAME_H
#define TRACK_NAME_H

#include <stdlib.h>

#include "base/base.h"
#include "timeline/timeline.h"

/**
 * struct name - a name in use
 * @shown: the part that sinks see
 * @owner: index of the tracepoint
 * @head: text_head() of the text
 */
struct name {
	struct timeline_name shown;
	unsigned int owner;
	uint64_t head;
	char bytes[];
};

/** NAMES_RECENT_BITS, NAMES_RECENT - size of the table of recent names */
#define NAMES_RECENT_BITS 10
#define NAMES_RECENT (1 << NAMES_RECENT_BITS)

/**
 * struct names - the names of all tracepoints
 * @map: all interned names
 * @recent: recently used ones, found without a hash of the whole text
 * @max: limit of interned names for each tracepoint; more are made for one slice each
 * @nr_of_owner: number of interned names, by the tracepoint's index
 * @size: bytes of all interned names, which are limited too
 */
struct names {
	struct map map;
	struct name *recent[NAMES_RECENT];
	size_t max;
	size_t *nr_of_owner;
	size_t nr_owners;
	size_t size;
};

/** names_release - free all interned names, and zero @names */
void names_release(struct names *names);

/** name_recent_index - index into the recent names; @head is the text_head() of @text */
hot_inline size_t name_recent_index(unsigned int owner, struct text text, uint64_t head)
{
	uint64_t glance = text_glance(text, head) + owner;

	return glance * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NAMES_RECENT_BITS);
}

/** names_find - intern a name that is not among the recent ones; see names_get() */
struct name *names_find(struct names *names, unsigned int owner, struct text text);

/**
 * names_recent - the name with this text, an interned one, if it is among the recent ones
 * @owner: index of the tracepoint
 * @head: text_head() of @text
 */
hot_inline struct name *names_recent(const struct names *names, unsigned int owner,
				     struct text text, uint64_t head)
{
	struct name *name = names->recent[name_recent_index(owner, text, head)];
	bool is_found = name && name->owner == owner && name->head == head &&
			text_equals_behind(name->shown.text, text);

	return likely(is_found) ? name : NULL;
}

/** names_get - the name with this text, for name_put(), or NULL if memory ran out */
hot_inline struct name *names_get(struct names *names, unsigned int owner, struct text text,
				  uint64_t head)
{
	struct name *name = names_recent(names, owner, text, head);

	return name ? name : names_find(names, owner, text);
}

/** names_clear_sink_data - set the sink data of all names to NULL, after the sinks were freed */
void names_clear_sink_data(struct names *names);

/** name_own_size - bytes that are freed with the slice of this name */
hot_inline size_t name_own_size(const struct name *name)
{
	return name->shown.is_counted ? 0 : sizeof(*name) + name->shown.text.size;
}

/** name_put - release a name; it is freed unless it is interned */
hot_inline void name_put(struct name *name)
{
	if (!name->shown.is_counted)
		free(name);
}

#endif
