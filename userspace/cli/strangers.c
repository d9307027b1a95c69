// SPDX-License-Identifier: GPL-2.0-only
/* Counts records that cannot be read, by CPU, and tells of them as losses. */
#include "cli/strangers.h"

#include <stdlib.h>

static struct stranger *stranger_of(struct strangers *strangers, const struct record *record)
{
	struct stranger *list;

	for (size_t i = 0; i < strangers->size; i++) {
		struct stranger *one = &strangers->list[i];

		if (one->cpu == record->cpu && one->buffer == record->buffer)
			return one;
	}
	list = reallocarray(strangers->list, strangers->size + 1, sizeof(*list));
	if (!list)
		return NULL;
	strangers->list = list;
	list[strangers->size] = (struct stranger){ .cpu = record->cpu, .buffer = record->buffer };
	return &list[strangers->size++];
}

int strangers_add(struct strangers *strangers, const struct record *record, struct error *error)
{
	struct stranger *one = stranger_of(strangers, record);

	if (!one)
		return error_set(error, "out of memory");
	if (one->count++ == 0)
		one->first_ns = record->time_ns;
	one->last_ns = record->time_ns;
	return 0;
}

int strangers_tell(struct strangers *strangers, const struct source_handler *handler,
		   struct error *error)
{
	for (size_t i = 0; i < strangers->size; i++) {
		struct stranger *one = &strangers->list[i];
		struct source_loss loss = {
			.cpu = one->cpu,
			.buffer = one->buffer,
			.from_ns = one->first_ns,
			.to_ns = one->last_ns,
			.count = one->count,
		};

		if (one->count == 0)
			continue;
		one->count = 0;
		if (handler->loss(handler->context, &loss, error) < 0)
			return -1;
	}
	return 0;
}

void strangers_release(struct strangers *strangers)
{
	free(strangers->list);
	*strangers = (struct strangers){ 0 };
}
