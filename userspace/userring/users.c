// SPDX-License-Identifier: GPL-2.0-only
/* The users whose programs are recorded. */
#include "userring/users.h"

#include <stdlib.h>

#include "base/base.h"

struct program_user *user_table_find(struct user_table *table, uid_t uid)
{
	struct program_user *user;

	for (size_t i = 0; i < table->size; i++) {
		if (table->list[i]->uid == uid)
			return table->list[i];
	}
	user = array_reserve(table->list, table->size) ? calloc(1, sizeof(*user)) : NULL;
	if (!user)
		return NULL;
	user->uid = uid;
	user->number = table->size;
	table->list[table->size++] = user;
	return user;
}

size_t user_table_begin_pass(struct user_table *table)
{
	size_t nr_users = 0;

	for (size_t i = 0; i < table->size; i++) {
		table->list[i]->nr_bytes = 0;
		nr_users += table->list[i]->nr_programs > 0;
	}
	return nr_users > 0 ? nr_users : 1;
}

void user_table_release(struct user_table *table)
{
	for (size_t i = 0; i < table->size; i++)
		free(table->list[i]);
	free(table->list);
	*table = (struct user_table){ 0 };
}
