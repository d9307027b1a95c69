// SPDX-License-Identifier: GPL-2.0-only
/* Interns names, and makes short-lived ones above the bound. */
#include "track/name.h"

#include <stdlib.h>
#include <string.h>

/* What all names may take: this, or so much for each name that the settings allow. */
#define NAMES_SIZE_MAX ((size_t)4 * 1024 * 1024)
#define NAME_SIZE_USUAL 256

struct name_key {
	unsigned int owner;
	struct text text;
};

static bool name_equals(const void *name_pointer, const void *key_pointer)
{
	const struct name *name = name_pointer;
	const struct name_key *key = key_pointer;

	return name->owner == key->owner && text_equals(name->shown.text, key->text);
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

static size_t *names_count(struct names *names, unsigned int owner)
{
	size_t *counts;

	if (owner < names->nr_owners)
		return &names->nr_of_owner[owner];
	counts = reallocarray(names->nr_of_owner, owner + 1, sizeof(*counts));
	if (!counts)
		return NULL;
	memset(counts + names->nr_owners, 0, (owner + 1 - names->nr_owners) * sizeof(*counts));
	names->nr_of_owner = counts;
	names->nr_owners = owner + 1;
	return &counts[owner];
}

static bool names_have_room(const struct names *names, const struct name *name)
{
	size_t usual = names->max * NAME_SIZE_USUAL;

	return names->size + sizeof(*name) + name->shown.text.size <=
	       (usual > NAMES_SIZE_MAX ? usual : NAMES_SIZE_MAX);
}

/* A new name, which is kept where there is room for it. */
static struct name *names_add(struct names *names, unsigned int owner, struct text text,
			      uint64_t hash)
{
	struct name *name = name_new(owner, text);
	size_t *count = names_count(names, owner);

	if (!name || !count || *count >= names->max || !names_have_room(names, name))
		return name;
	if (map_insert(&names->map, hash, name) == 0) {
		names->size += sizeof(*name) + text.size;
		name->shown.is_counted = true;
		name->shown.number = (*count)++;
	}
	return name;
}

struct name *names_get(struct names *names, unsigned int owner, struct text text)
{
	struct name_key key = { .owner = owner, .text = text };
	uint64_t hash = hash_text(text) + hash_number(owner);
	struct name *name = map_find(&names->map, hash, name_equals, &key);

	if (!name)
		name = names_add(names, owner, text, hash);
	if (name && name->shown.is_counted)
		names->recent[name_place(owner, text, name->head)] = name;
	return name;
}

void names_clear_slots(struct names *names)
{
	for (size_t i = 0; i < names->map.capacity; i++) {
		struct name *name = names->map.slots[i].value;

		if (name)
			memset(name->shown.slots, 0, sizeof(name->shown.slots));
	}
}

void names_release(struct names *names)
{
	for (size_t i = 0; i < names->map.capacity; i++)
		free(names->map.slots[i].value);
	map_release(&names->map);
	free(names->nr_of_owner);
	*names = (struct names){ 0 };
}
