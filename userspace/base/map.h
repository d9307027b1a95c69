/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A hash table of pointers; what is a key is the caller's business. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t hash;
	void *value;
};

/**
 * struct map - pointers found by a 64-bit hash and a comparison
 *
 * Open addressing with linear probing, at most three quarters full. A zeroed struct is an empty
 * map. The values stay the caller's.
 */
struct map {
	struct map_slot *slots;
	size_t capacity;
	size_t size;
};

/** map_release - give the table back, not the values */
void map_release(struct map *map);

/**
 * map_find - the value with @hash that @equals takes for the one that @key asks for
 *
 * Returns NULL where there is none.
 */
static inline void *map_find(const struct map *map, uint64_t hash,
			     bool (*equals)(const void *value, const void *key), const void *key)
{
	size_t mask = map->capacity - 1;

	if (map->size == 0)
		return NULL;
	for (size_t i = hash & mask; map->slots[i].value; i = (i + 1) & mask) {
		if (map->slots[i].hash == hash && equals(map->slots[i].value, key))
			return map->slots[i].value;
	}
	return NULL;
}

/**
 * map_insert - add @value, which is not in the map yet
 *
 * Returns 0, or -1 where memory ran out; the map is unchanged then.
 */
int map_insert(struct map *map, uint64_t hash, void *value);

/** map_remove - take out @value, which was inserted with @hash; nothing where it is absent */
void map_remove(struct map *map, uint64_t hash, const void *value);

#endif
