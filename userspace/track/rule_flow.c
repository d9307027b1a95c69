// SPDX-License-Identifier: GPL-2.0-only
/* Finds the begin of each flow that ends. */
#include "track/rule_flow.h"

#include <stdlib.h>
#include <string.h>

/** struct flow - a flow that has begun */
struct flow {
	unsigned int index;
	uint64_t ids[KEYS_IDS_MAX];
	uint64_t id;
};

static uint64_t flow_hash(const struct decoded_event *decoded)
{
	return hash_numbers(decoded->descriptor->index, decoded->keys->ids, KEYS_IDS_MAX);
}

static bool flow_is_of(const void *value, const void *key)
{
	const struct flow *flow = value;
	const struct decoded_event *decoded = key;

	return flow->index == decoded->descriptor->index &&
	       memcmp(flow->ids, decoded->keys->ids, sizeof(flow->ids)) == 0;
}

uint64_t flows_begin(struct flows *flows, const struct decoded_event *decoded)
{
	uint64_t hash = flow_hash(decoded);
	struct flow *flow = map_find(&flows->pending, hash, flow_is_of, decoded);

	if (!flow) {
		if (flows->pending.size >= FLOWS_PENDING_MAX)
			flows_release(flows);
		flow = calloc(1, sizeof(*flow));
		if (!flow)
			return 0;
		flow->index = decoded->descriptor->index;
		memcpy(flow->ids, decoded->keys->ids, sizeof(flow->ids));
		if (map_insert(&flows->pending, hash, flow) < 0) {
			free(flow);
			return 0;
		}
	}
	flow->id = ++flows->nr_begun;
	return flow->id;
}

uint64_t flows_end(struct flows *flows, const struct decoded_event *decoded)
{
	uint64_t hash = flow_hash(decoded), id;
	struct flow *flow = map_find(&flows->pending, hash, flow_is_of, decoded);

	if (!flow)
		return 0;
	id = flow->id;
	map_remove(&flows->pending, hash, flow);
	free(flow);
	return id;
}

void flows_release(struct flows *flows)
{
	for (size_t i = 0; i < flows->pending.capacity; i++)
		free(flows->pending.slots[i].value);
	map_release(&flows->pending);
}
