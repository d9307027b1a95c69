// SPDX-License-Identifier: GPL-2.0-only
/* Finds the record that the next one is like, and remembers those that are like none. */
#include "convention/memory.h"

#include <string.h>

#include "convention/slot.h"

/* The least that is remembered. */
#define MEMORY_SIZE_MIN sizeof(WORD_PAIR)

/* Of so many unexpected records, one is not skipped. */
#define SKIPPED_OF 32

/* Where the text of a slot ends: 0 where there is no slot, SIZE_MAX where it is not in the record.
 */
static size_t text_end(const struct slot *slot, const struct record *record)
{
	struct text text;

	if (!slot->read)
		return 0;
	if (!slot_find_usual_text(slot, record, &text))
		return SIZE_MAX;
	return text.data + text.size - (const char *)record->data;
}

/* How much of a record says what it says; 0 where it cannot be remembered. */
static size_t telling_size(const struct template *template, const struct record *record)
{
	size_t slice_end, track_end, size = template->fixed_size;

	if (record->size < size)
		return 0;
	slice_end = text_end(&template->slice_name, record);
	track_end = text_end(&template->track_name, record);
	if (slice_end > size)
		size = slice_end;
	if (track_end > size)
		size = track_end;
	return size <= record->size && size <= OBSERVATION_SIZE_MAX ? size : 0;
}

/* What tells of the word at @offset. */
hot_inline uint64_t telling_word(const struct template *template, const unsigned char *bytes,
				 size_t offset)
{
	return word_load((const char *)bytes + offset) &
	       word_load((const char *)template->telling + offset);
}

/* Each bit of a word is in the product's highest bits. */
hot_inline uint64_t hash_add(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

/* What tells of a record's origin. */
static uint64_t origin_mask(const struct template *template, const struct record *record)
{
	int32_t tid;

	memcpy(&tid, record->data + template->pid.offset, sizeof(tid));
	return template->scope == TEMPLATE_SCOPE_THREAD && tid == 0 ? ORIGIN_CPU | ORIGIN_BUFFER
								    : ORIGIN_BUFFER;
}

static unsigned int record_hash(const struct template *template, const struct record *record,
				size_t size)
{
	size_t last = size - WORD_SIZE;
	uint64_t hash = record_origin(record) & origin_mask(template, record);

	for (size_t i = 0; i < last; i += WORD_SIZE)
		hash = hash_add(hash, telling_word(template, record->data, i));
	hash = hash_add(hash, telling_word(template, record->data, last));
	return hash >> (64 - MEMORY_HASH_BITS);
}

/* One of two for this hash: the one that is another's by now, or else the older one. */
static struct memory *memory_choose(struct memories *memories, unsigned int hash)
{
	uint16_t *places = memories->hashes[hash];
	struct memory *first = &memories->list[places[0]], *second = &memories->list[places[1]];

	if (first->hash == hash && second->hash == hash)
		return first->observation.likeness < second->observation.likeness ? first : second;
	if (first->hash == hash)
		places++;
	*places = memories->next_place;
	memories->next_place = (memories->next_place + 1) % OBSERVATION_PLACES;
	return &memories->list[*places];
}

/* Whether a text is not among the bytes that do not tell. */
static bool text_tells(const struct memory *memory, struct text text)
{
	uintptr_t offset = (uintptr_t)text.data - (uintptr_t)memory->bytes;

	return offset >= memory->observation.template->fixed_size;
}

/* Reads a record that is like none; returns whether it can be remembered. */
static bool memory_fill(struct memory *memory, const struct template *template,
			const struct record *record, size_t size)
{
	struct observation *observation = &memory->observation;
	struct record known = *record;

	memory->size = 0;
	memcpy(memory->bytes, record->data, size);
	known.data = memory->bytes;
	known.size = size;
	if (observation_read(observation, template, &known) ||
	    !text_tells(memory, observation->slice_name) ||
	    !text_tells(memory, observation->track_name))
		return false;
	memory->size = size;
	memory->origin = record_origin(record);
	memory->origin_mask = origin_mask(template, record);
	return true;
}

/* While nearly all records are like none, few are worth to be looked for, or another's place. */
static bool memories_skip(struct memories *memories)
{
	return memories->nr_strangers > OBSERVATION_PLACES &&
	       ++memories->nr_skipped % SKIPPED_OF != 0;
}

/* A record that is like none; NULL where it cannot be remembered. */
static __attribute__((noinline)) struct memory *memories_add(struct memories *memories,
							     const struct template *template,
							     const struct record *record,
							     size_t size, unsigned int hash)
{
	struct memory *memory = memory_choose(memories, hash);

	memories->nr_strangers += memories->nr_strangers < 2 * OBSERVATION_PLACES;
	memory->hash = hash;
	if (!memory_fill(memory, template, record, size))
		return NULL;
	memory->observation.likeness = ++memories->last_likeness;
	memory->observation.place = memory - memories->list;
	memories->after[memory->observation.place] = memory->observation.place;
	return memory;
}

/* The record that this one is like, which may be itself; NULL where there is none. */
static struct memory *memories_find(struct memories *memories, const struct template *template,
				    const struct record *record, size_t size)
{
	unsigned int hash = record_hash(template, record, size);

	for (size_t i = 0; i < 2; i++) {
		struct memory *memory = &memories->list[memories->hashes[hash][i]];

		if (!memory_is_like(memory, record))
			continue;
		memories->nr_strangers -= memories->nr_strangers > 0;
		return memory;
	}
	return memories_add(memories, template, record, size, hash);
}

const struct observation *memories_read(struct memories *memories, const struct template *template,
					const struct record *record)
{
	struct expectation *expectation = memories_expectation(memories, record);
	size_t size = memories_skip(memories) ? 0 : telling_size(template, record);
	struct memory *memory = NULL;

	if (size >= MEMORY_SIZE_MIN)
		memory = memories_find(memories, template, record, size);
	if (!memory) {
		memories->other.problem = observation_read(&memories->other, template, record);
		return &memories->other;
	}
	memories->after[memories->followed[expectation->past]] = memory->observation.place;
	expectation_advance(expectation, memories, memory->observation.place);
	return memory_repeat(memory, record);
}

void memories_init(struct memories *memories)
{
	for (size_t i = 0; i < MEMORY_PASTS; i++)
		memories->followed[i] = MEMORY_NONE;
	for (size_t i = 0; i < MEMORY_CPUS; i++)
		memories->expectations[i].next = &memories->list[MEMORY_NONE];
	memories->after[MEMORY_NONE] = MEMORY_NONE;
}

void memories_clear(struct memories *memories)
{
	for (size_t i = 0; i < OBSERVATION_PLACES && memories->last_likeness > 0; i++)
		memories->list[i].size = 0;
}
