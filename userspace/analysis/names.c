// SPDX-License-Identifier: GPL-2.0-only
/* A table of names and their numbers. */
#include "analysis/names.h"

#include <stdlib.h>
#include <string.h>

static bool known_name_equals(const void *value, const void *key)
{
	const struct known_name *name = value;

	return text_equals((struct text){ name->text, name->size }, *(const struct text *)key);
}

static struct known_name *known_name_new(struct text text, uint32_t number)
{
	struct known_name *name = malloc(sizeof(*name) + text.size + 1);

	if (!name)
		return NULL;
	*name = (struct known_name){ .number = number, .size = text.size };
	if (text.size > 0)
		memcpy(name->text, text.data, text.size);
	name->text[text.size] = '\0';
	return name;
}

static struct known_name *name_table_insert(struct name_table *table, struct text text)
{
	struct known_name *name = known_name_new(text, table->nr_names);

	if (!name)
		return NULL;
	if (table->nr_names == table->capacity) {
		size_t capacity = table->capacity ? table->capacity * 2 : 256;
		struct known_name **names = reallocarray(table->names, capacity, sizeof(*names));

		if (names) {
			table->names = names;
			table->capacity = capacity;
		}
	}
	if (table->nr_names == table->capacity ||
	    map_insert(&table->map, hash_text(text), name) < 0) {
		free(name);
		return NULL;
	}
	table->names[table->nr_names++] = name;
	table->size += text.size;
	return name;
}

int name_table_init(struct name_table *table)
{
	*table = (struct name_table){ 0 };
	return name_table_insert(table, text_of("")) &&
			       name_table_insert(table, text_of("(other)")) &&
			       name_table_insert(table, text_of("Runnable"))
		       ? 0
		       : -1;
}

uint32_t name_table_add(struct name_table *table, struct text text)
{
	struct known_name *name = map_find(&table->map, hash_text(text), known_name_equals, &text);

	if (!name && table->nr_names < NAMES_MAX && table->size + text.size < NAMES_SIZE_MAX)
		name = name_table_insert(table, text);
	return name ? name->number : NAMES_OTHER;
}

void name_table_release(struct name_table *table)
{
	for (size_t i = 0; i < table->nr_names; i++)
		free(table->names[i]);
	free(table->names);
	map_release(&table->map);
	*table = (struct name_table){ 0 };
}
