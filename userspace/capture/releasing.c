// SPDX-License-Identifier: GPL-2.0-only
/* Lists of tracepoints that are released. */
#include "capture/releasing.h"

#include <stdlib.h>

int releasing_add(struct releasing_list *list, struct releasing one, struct error *error)
{
	struct releasing *grown = reallocarray(list->list, list->size + 1, sizeof(*grown));

	if (!grown)
		return error_set(error, "out of memory");
	list->list = grown;
	grown[list->size++] = one;
	return 0;
}

void releasing_remove(struct releasing_list *list, struct releasing one)
{
	size_t size = 0;

	for (size_t i = 0; i < list->size; i++) {
		if (list->list[i].descriptor != one.descriptor || list->list[i].rule != one.rule)
			list->list[size++] = list->list[i];
	}
	list->size = size;
}
