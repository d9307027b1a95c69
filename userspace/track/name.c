// SPDX-License-Identifier: GPL-2.0-only
/* Interns names, up to a limit. */
#include "track/state.h"

#include <stdlib.h>
#include <string.h>

/* Limit of all names in bytes: the first, or the second times the settings' number of names. */
#define NAMES_SIZE_MAX ((size_t)4 * 1024 * 1024)
#define NAME_SIZE_AVERAGE 256

struct name_key {
	unsigned int owner;
	struct text text;
};

static bool name_equals(const void *value, const void *key)
{
	const struct name *name = value;
	const struct name_key *name_key = key;

	return name->owner == name_key->owner && text_equals(name->shown.text, name_key->text);
}

static struct name *name_new(unsigned int owner, struct text text)
{
	struct name *name = calloc(1, sizeof(*name) + text.size);

	if (!name)
		return NULL;
	if (text.size > 0)
		memcpy(name->bytes, text.data, text.size);
	name->shown.text = (struct text){ .data = name->bytes, .size = text.size };
	name->owner = owner;
	name->head = text_head(text);
	return name;
}

static struct name *names_add(struct names *names, unsigned int owner, struct text text,
			      uint64_t hash)
{
	struct name *name = name_new(owner, text);
	bool has_count = array_extend(names->nr_of_owner, names->nr_owners, owner);
	size_t size = sizeof(*name) + text.size, size_max = names->max * NAME_SIZE_AVERAGE;

	if (size_max < NAMES_SIZE_MAX)
		size_max = NAMES_SIZE_MAX;
	if (name && has_count &&
	    (names->nr_of_owner[owner] >= names->max || names->size + size > size_max))
		return name;
	if (!name || !has_count || map_insert(&names->map, hash, name) < 0) {
		free(name);
		return NULL;
	}
	names->size += size;
	name->shown.is_counted = true;
	name->shown.number = names->nr_of_owner[owner]++;
	return name;
}

struct name *names_find(struct names *names, unsigned int owner, struct text text)
{
	struct name_key key = { .owner = owner, .text = text };
	uint64_t hash = hash_text(text) + hash_number(owner);
	struct name *name = map_find(&names->map, hash, name_equals, &key);

	if (!name)
		name = names_add(names, owner, text, hash);
	if (name && name->shown.is_counted)
		names->recent[name_recent_index(owner, text, name->head)] = name;
	return name;
}

void names_clear_sink_data(struct names *names)
{
	struct name *name;

	map_for_each(&names->map, name)
		memset(name->shown.sink_data, 0, sizeof(name->shown.sink_data));
}

void names_release(struct names *names)
{
	map_free(&names->map);
	free(names->nr_of_owner);
	free(names->by_number);
	*names = (struct names){ 0 };
}
