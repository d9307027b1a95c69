// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A hash table of pointers, and seeded hashes of numbers and texts. */
#include "base/map.h"

#include <stdlib.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FIRST_CAPACITY 64

void map_release(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}

void map_free(struct map *map)
{
	for (size_t i = 0; i < map->capacity; i++)
		free(map->slots[i].value);
	map_release(map);
}

static void slot_take(struct map *map, struct map_slot new_slot)
{
	size_t mask = map->capacity - 1;
	size_t i = new_slot.hash & mask;

	while (map->slots[i].value)
		i = (i + 1) & mask;
	map->slots[i] = new_slot;
}

static int map_grow(struct map *map)
{
	struct map bigger = { .capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY,
			      .size = map->size };

	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	for (size_t i = 0; i < map->capacity; i++) {
		if (map->slots[i].value)
			slot_take(&bigger, map->slots[i]);
	}
	free(map->slots);
	*map = bigger;
	return 0;
}

int map_insert(struct map *map, uint64_t hash, void *value)
{
	if (map->size + 1 > map->capacity / 4 * 3 && map_grow(map) < 0)
		return -1;
	slot_take(map, (struct map_slot){ .hash = hash, .value = value });
	map->size++;
	return 0;
}

void *map_take(struct map *map, uint64_t hash, void *value)
{
	if (value && map_insert(map, hash, value) == 0)
		return value;
	free(value);
	return NULL;
}

/* Moves later values of the probe sequence back into @hole, so that searches still find them. */
static void hole_close(struct map *map, size_t hole)
{
	size_t mask = map->capacity - 1;

	for (size_t i = (hole + 1) & mask; map->slots[i].value; i = (i + 1) & mask) {
		size_t home = map->slots[i].hash & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole] = (struct map_slot){ 0 };
}

void map_remove(struct map *map, uint64_t hash, const void *value)
{
	size_t mask = map->capacity - 1;

	if (map->size == 0)
		return;
	for (size_t i = hash & mask; map->slots[i].value; i = (i + 1) & mask) {
		if (map->slots[i].value != value)
			continue;
		hole_close(map, i);
		map->size--;
		return;
	}
}

uint64_t hash_seeds[2];

/* Early in boot there are no random numbers, but stack addresses are randomized. */
void hash_seeds_init(void)
{
	ssize_t size = getrandom(hash_seeds, sizeof(hash_seeds), GRND_NONBLOCK);

	if (size != (ssize_t)sizeof(hash_seeds))
		hash_seeds[0] = hash_seeds[1] = (uintptr_t)&hash_seeds ^
						(uintptr_t)__builtin_frame_address(0);
	hash_seeds[1] |= 1;
}

uint64_t hash_numbers(uint64_t hash, const uint64_t *numbers, size_t nr_numbers)
{
	while (nr_numbers > 0 && numbers[nr_numbers - 1] == 0)
		nr_numbers--;
	for (size_t i = 0; i < nr_numbers; i++)
		hash = hash_number(hash + numbers[i]);
	return hash;
}

uint64_t hash_text(struct text text)
{
	return XXH3_64bits_withSeed(text.data, text.size, hash_seeds_get()[0]);
}
