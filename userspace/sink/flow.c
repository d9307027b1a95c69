// SPDX-License-Identifier: GPL-2.0-only
/* Flows of an event as texts, and sets of flows. */
#include "sink/flow.h"

/* Bytes around a flow's name, with its number. */
#define FLOW_MAX (PUT_NUMBER_MAX + 8)

hot_inline char *flow_put(char *out, const struct field *flow)
{
	out = put_text(out, flow->name.data, flow->name.size);
	return put_hex(put_char(out, ':'), flow->value.unsigned_number);
}

void flow_append(struct buffer *out, const struct field *flow)
{
	char *space = buffer_reserve_put(out, flow->name.size + FLOW_MAX);

	if (space)
		buffer_end_put(out, flow_put(space, flow));
}

void flows_append_text(struct buffer *out, const struct timeline_event *event)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		if (i > 0)
			buffer_append_char(out, ' ');
		flow_append(out, timeline_event_flow(event, i));
	}
}

/* The name of a field is the same in JSON. */
void flows_append_json(struct buffer *out, const struct timeline_event *event)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct field *flow = timeline_event_flow(event, i);
		char *space = buffer_reserve_put(out, flow->name.size + FLOW_MAX);

		if (!space)
			return;
		space = put_char(put_char(space, i > 0 ? ',' : '['), '"');
		buffer_end_put(out, put_char(flow_put(space, flow), '"'));
	}
	buffer_append_char(out, ']');
}

static bool is_same_hash(const void *value, const void *key)
{
	return value == key;
}

int flow_set_add(struct flow_set *set, const struct field *flow)
{
	uint64_t hash = hash_number(hash_text(flow->name) + flow->value.unsigned_number) | 1;
	void *value = (void *)(uintptr_t)hash;
	bool is_older;

	if (map_find(&set->recent, hash, is_same_hash, value))
		return 1;
	is_older = map_find(&set->older, hash, is_same_hash, value);
	if (set->recent.size == FLOW_SET_RECENT) {
		map_release(&set->older);
		set->older = set->recent;
		set->recent = (struct map){ 0 };
	}
	return map_insert(&set->recent, hash, value) < 0 ? -1 : is_older;
}

void flow_set_release(struct flow_set *set)
{
	map_release(&set->recent);
	map_release(&set->older);
}
