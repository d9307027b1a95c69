/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of slices, threads, states and interrupts as numbers: each text is kept once. */
#ifndef ANALYSIS_NAMES_H
#define ANALYSIS_NAMES_H

#include <stdint.h>

#include "base/base.h"

/** NAMES_NONE, NAMES_OTHER - the numbers of "" and of all names beyond the limits */
#define NAMES_NONE 0
#define NAMES_OTHER 1

/** NAMES_RUNNABLE - the number of "Runnable": the state of a thread that was woken */
#define NAMES_RUNNABLE 2

/** NAMES_MAX, NAMES_SIZE_MAX - limits of names, and of their bytes */
#define NAMES_MAX 65536
#define NAMES_SIZE_MAX ((size_t)4 << 20)

/**
 * struct known_name - a name
 * @match: whether a selector matches it: 0 if that is not determined yet, 1 for no, 2 for yes
 * @state: as the name of a thread's state: an enum thread_state; 0 if it is not determined yet
 * @context: as the name of an interrupt: an enum context_kind; 0 if it is not determined yet
 */
struct known_name {
	uint32_t number;
	uint8_t match;
	uint8_t state;
	uint8_t context;
	size_t size;
	char text[];
};

/**
 * struct name_table - all names
 * @names: by their numbers
 */
struct name_table {
	struct map map;
	struct known_name **names;
	size_t nr_names;
	size_t capacity;
	size_t size;
};

/** name_table_init - a table with the names that have fixed numbers; returns -1 if memory ran out */
int name_table_init(struct name_table *table);

/** name_table_add - the number of a name; NAMES_OTHER beyond the limits or without memory */
uint32_t name_table_add(struct name_table *table, struct text text);

/** name_table_get - the name of a number */
static inline struct known_name *name_table_get(const struct name_table *table, uint32_t number)
{
	return table->names[number];
}

/** name_table_text - the text of a number */
static inline struct text name_table_text(const struct name_table *table, uint32_t number)
{
	return (struct text){ table->names[number]->text, table->names[number]->size };
}

void name_table_release(struct name_table *table);

#endif
