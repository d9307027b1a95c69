// SPDX-License-Identifier: GPL-2.0-only
/* A table of flows and their latest records. */
#include "analysis/hops.h"

#include <stdlib.h>

uint64_t hop_key(const struct field *flow)
{
	return hash_number(flow->value.unsigned_number + hash_text(flow->name));
}

static bool hop_flow_has_key(const void *value, const void *key)
{
	return ((const struct hop_flow *)value)->key == *(const uint64_t *)key;
}

const struct hop_flow *hop_flows_find(const struct hop_flows *flows, uint64_t key)
{
	return map_find(&flows->map, key, hop_flow_has_key, &key);
}

static struct hop_flow *hop_flows_get(struct hop_flows *flows, uint64_t key)
{
	struct hop_flow *flow = map_find(&flows->map, key, hop_flow_has_key, &key);

	if (flow)
		return flow;
	if (flows->map.size >= HOPS_FLOWS_MAX)
		hop_flows_release(flows);
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return NULL;
	flow->key = key;
	if (map_insert(&flows->map, key, flow) == 0)
		return flow;
	free(flow);
	return NULL;
}

int hop_flows_add(struct hop_flows *flows, uint64_t key, const struct hop *hop)
{
	struct hop_flow *flow = hop_flows_get(flows, key);

	if (!flow)
		return -1;
	flow->hops[flow->nr_hops++ % HOPS_MAX] = *hop;
	return 0;
}

const struct hop *hop_get(const struct hop_flow *flow, unsigned int number)
{
	if (number >= flow->nr_hops || number >= HOPS_MAX)
		return NULL;
	return &flow->hops[(flow->nr_hops - 1 - number) % HOPS_MAX];
}

void hop_flows_release(struct hop_flows *flows)
{
	for (size_t i = 0; i < flows->map.capacity; i++)
		free(flows->map.slots[i].value);
	map_release(&flows->map);
	*flows = (struct hop_flows){ 0 };
}
