// SPDX-License-Identifier: GPL-2.0-only
/* Finds the begin of each flow that ends. */
#include "track/rule_flow.h"

#include <stdlib.h>
#include <string.h>

/**
 * struct flow - a flow that has begun, or unused memory of one
 * @next_unused: of unused memory
 */
struct flow {
	unsigned int index;
	uint64_t ids[KEYS_IDS_MAX];
	uint64_t id;
	struct flow *next_unused;
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

static void flow_release(struct flows *flows, struct flow *flow)
{
	flow->next_unused = flows->unused;
	flows->unused = flow;
}

/* A flow that begins; NULL if memory ran out. */
static struct flow *flow_add(struct flows *flows, const struct decoded_event *decoded,
			     uint64_t hash)
{
	struct flow *flow;

	if (flows->pending.size >= FLOWS_PENDING_MAX)
		flows_release(flows);
	flow = flows->unused;
	if (flow)
		flows->unused = flow->next_unused;
	else
		flow = malloc(sizeof(*flow));
	if (!flow)
		return NULL;
	flow->index = decoded->descriptor->index;
	memcpy(flow->ids, decoded->keys->ids, sizeof(flow->ids));
	if (map_insert(&flows->pending, hash, flow) == 0)
		return flow;
	flow_release(flows, flow);
	return NULL;
}

uint64_t flows_begin(struct flows *flows, const struct decoded_event *decoded)
{
	uint64_t hash = flow_hash(decoded);
	struct flow *flow = map_find(&flows->pending, hash, flow_is_of, decoded);

	if (!flow)
		flow = flow_add(flows, decoded, hash);
	if (!flow)
		return 0;
	flow->id = ++flows->nr_begun;
	return flow->id;
}

uint64_t flows_end(struct flows *flows, const struct decoded_event *decoded)
{
	uint64_t hash;
	struct flow *flow;

	if (flows->pending.size == 0)
		return 0;
	hash = flow_hash(decoded);
	flow = map_find(&flows->pending, hash, flow_is_of, decoded);
	if (!flow)
		return 0;
	map_remove(&flows->pending, hash, flow);
	flow_release(flows, flow);
	return flow->id;
}

void flows_release(struct flows *flows)
{
	struct flow *next;

	for (size_t i = 0; i < flows->pending.capacity; i++)
		free(flows->pending.slots[i].value);
	map_release(&flows->pending);
	for (struct flow *flow = flows->unused; flow; flow = next) {
		next = flow->next_unused;
		free(flow);
	}
	flows->unused = NULL;
}
