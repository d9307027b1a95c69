// SPDX-License-Identifier: GPL-2.0-only
/* Counts records that cannot be decoded, by CPU, and delivers them as losses. */
#include "reader/unknown_events.h"

#include <stdlib.h>

static struct unknown_count *unknown_count_get(struct unknown_events *unknown,
					       const struct record *record)
{
	struct unknown_count *list;

	for (size_t i = 0; i < unknown->size; i++) {
		struct unknown_count *one = &unknown->list[i];

		if (one->cpu == record->cpu && one->buffer == record->buffer)
			return one;
	}
	list = reallocarray(unknown->list, unknown->size + 1, sizeof(*list));
	if (!list)
		return NULL;
	unknown->list = list;
	list[unknown->size] = (struct unknown_count){ .cpu = record->cpu,
						      .buffer = record->buffer };
	return &list[unknown->size++];
}

int unknown_events_add(struct unknown_events *unknown, const struct record *record,
		       struct error *error)
{
	struct unknown_count *one = unknown_count_get(unknown, record);

	if (!one)
		return error_set(error, "out of memory");
	if (one->count++ == 0)
		one->first_ns = record->time_ns;
	one->last_ns = record->time_ns;
	return 0;
}

int unknown_events_report(struct unknown_events *unknown, const struct source_handler *handler,
			  struct error *error)
{
	for (size_t i = 0; i < unknown->size; i++) {
		struct unknown_count *one = &unknown->list[i];
		struct loss loss = {
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

void unknown_events_release(struct unknown_events *unknown)
{
	free(unknown->list);
	*unknown = (struct unknown_events){ 0 };
}
