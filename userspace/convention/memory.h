/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that were read lately: what comes next mostly says what one of them said, but for its
 * time and its numbers.
 *
 * A driver writes the same few records again and again, and in nearly the same order. To compare
 * one with the earlier one that it is expected to be like takes half of what it takes to read it,
 * and who knows that they are alike need not look for track and name.
 */
#ifndef CONVENTION_MEMORY_H
#define CONVENTION_MEMORY_H

#include "convention/convention.h"
#include "convention/observe.h"

/** MEMORY_HASH_BITS, MEMORY_HASHES - with two places each, more than are remembered */
#define MEMORY_HASH_BITS 12
#define MEMORY_HASHES (1 << MEMORY_HASH_BITS)

/** MEMORY_CPUS - how many CPUs are told apart where it is about what follows what */
#define MEMORY_CPUS 64

/** MEMORY_PASTS - how many sequences of records are known to be followed by something */
#define MEMORY_PASTS 4096

/** MEMORY_NONE - the place of what is like no record */
#define MEMORY_NONE OBSERVATION_PLACES

/**
 * struct memory - one record that was read
 * @observation: what it said; borrowed for the next record that is like it
 * @size: of what tells; 0 where there is no record
 * @hash: its place in the table
 * @origin: the record_origin() of it, as far as @origin_mask has bits: those of the CPU only if its
 * track is that of an idle task, of which each CPU has one
 * @bytes: of the record; the observation's texts are in it
 *
 * What is needed for each record is side by side: the end of the observation, and all behind that.
 */
struct memory {
	struct observation observation;
	size_t size;
	unsigned int hash;
	uint64_t origin;
	uint64_t origin_mask;
	unsigned char bytes[OBSERVATION_SIZE_MAX];
};

/**
 * struct expectation - what comes next from a CPU
 * @past: made of the places of its last few records
 * @next: what came last time behind these; never NULL
 */
struct expectation {
	unsigned int past;
	struct memory *next;
};

/**
 * struct memories - all of them
 * @followed: the place of what came last time, by the past; what came after that one is expected
 * next: mostly the same, or the next of a few names or numbers in turn
 * @after: the place of what came, where this one did, the next time
 * @list: the oldest goes first; behind them one that is like no record
 * @hashes: places in @list, two for each hash
 * @next_place: of the next one
 * @last_likeness: given to the newest
 * @nr_strangers: records that were like none, less those that were not expected but like one
 * @nr_skipped: unexpected records while these are many
 * @other: what was read last of those that cannot be remembered
 */
struct memories {
	struct expectation expectations[MEMORY_CPUS];
	uint16_t followed[MEMORY_PASTS];
	uint16_t after[OBSERVATION_PLACES + 1];
	struct memory list[OBSERVATION_PLACES + 1];
	uint16_t hashes[MEMORY_HASHES][2];
	unsigned int next_place;
	uint64_t last_likeness;
	unsigned int nr_strangers;
	unsigned int nr_skipped;
	struct observation other;
};

/** memories_init - once, of zeroed ones */
void memories_init(struct memories *memories);

/** memories_clear - forget all: templates are new, or others */
void memories_clear(struct memories *memories);

/** WORD_PAIR - the type of two words that are compared at once */
#define WORD_PAIR uint64_t __attribute__((vector_size(2 * WORD_SIZE)))

hot_inline WORD_PAIR pair_load(const unsigned char *bytes)
{
	WORD_PAIR pair;

	memcpy(&pair, bytes, sizeof(pair));
	return pair;
}

/* How two records differ in what tells, in the two words at @offset. */
hot_inline WORD_PAIR pair_compare(const struct memory *memory, const struct record *record,
				  const unsigned char *telling, size_t offset)
{
	return (pair_load(record->data + offset) ^ pair_load(memory->bytes + offset)) &
	       pair_load(telling + offset);
}

/** ORIGIN_CPU, ORIGIN_BUFFER - the bits of a record_origin() that are those of the CPU, and of the
 * buffer
 */
#define ORIGIN_CPU UINT64_C(0xffffffff)
#define ORIGIN_BUFFER (~ORIGIN_CPU)

/* Which CPU's record it is, in which buffer. */
hot_inline uint64_t record_origin(const struct record *record)
{
	return (uint64_t)record->buffer << 32 | (uint32_t)record->cpu;
}

/*
 * Whether the record says what an earlier one did. The last words that are compared may overlap
 * those before.
 */
hot_inline bool memory_is_like(const struct memory *memory, const struct record *record)
{
	const struct template *template = memory->observation.template;
	WORD_PAIR difference;
	size_t last;

	/* A size of 0 wraps around. */
	if (memory->size - 1 >= record->size ||
	    (memory->origin ^ record_origin(record)) & memory->origin_mask)
		return false;
	last = memory->size - sizeof(difference);
	difference = pair_compare(memory, record, template->telling, last);
	for (size_t offset = 0; offset < last; offset += sizeof(difference))
		difference |= pair_compare(memory, record, template->telling, offset);
	return (difference[0] | difference[1]) == 0;
}

/* What an earlier record said, with the time and the numbers of this one. */
hot_inline const struct observation *memory_repeat(struct memory *memory,
						   const struct record *record)
{
	struct observation *observation = &memory->observation;

	observation->time_ns = record->time_ns;
	observation->cpu = record->cpu;
	if (observation->template->has_numbers)
		observation_read_numbers(observation, record);
	return observation;
}

hot_inline struct expectation *memories_expectation(struct memories *memories,
						    const struct record *record)
{
	return &memories->expectations[(unsigned int)record->cpu % MEMORY_CPUS];
}

/*
 * The CPU's last record was like the one at @place. What comes next is looked for at once, and
 * fetched, while this one is dealt with.
 */
hot_inline void expectation_advance(struct expectation *expectation, struct memories *memories,
				    unsigned int place)
{
	unsigned int past = expectation->past;

	memories->followed[past] = place;
	past = (past << 4 ^ place) % MEMORY_PASTS;
	expectation->past = past;
	expectation->next = &memories->list[memories->after[memories->followed[past]]];
	__builtin_prefetch(&expectation->next->observation.template);
	__builtin_prefetch(expectation->next->bytes);
}

/** memories_expect - the observation of @record, where it is like the expected one, or NULL */
hot_inline const struct observation *memories_expect(struct memories *memories,
						     const struct record *record)
{
	struct expectation *expectation = memories_expectation(memories, record);
	struct memory *memory = expectation->next;

	if (!memory_is_like(memory, record))
		return NULL;
	expectation_advance(expectation, memories, memory->observation.place);
	return memory_repeat(memory, record);
}

/** memories_read - what convention_read() does for a record that was not expected */
const struct observation *memories_read(struct memories *memories, const struct template *template,
					const struct record *record);

#endif
