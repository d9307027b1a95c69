// SPDX-License-Identifier: GPL-2.0-only
/* Ids of traces and spans, and the last span of each flow. */
#include "sink/otlp/context.h"

#include <stdlib.h>

/* Distinguish the three ids that are made of one hash. */
enum {
	ID_TRACE_HIGH = 1,
	ID_TRACE_LOW,
	ID_SPAN,
};

/* The finalizer of SplitMix64: each bit of the argument changes half of those of the result. */
uint64_t otlp_mix(uint64_t hash, uint64_t number)
{
	uint64_t mixed = (hash ^ number) + UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

uint64_t otlp_mix_text(uint64_t hash, struct text text)
{
	for (size_t i = 0; i < text.size; i += sizeof(uint64_t)) {
		size_t left = text.size - i;
		uint64_t word = 0;

		memcpy(&word, text.data + i, left < sizeof(word) ? left : sizeof(word));
		hash = otlp_mix(hash, word);
	}
	return otlp_mix(hash, text.size);
}

/* An id of zeros is invalid. */
static uint64_t id_of(uint64_t hash, unsigned int which)
{
	uint64_t id = otlp_mix(hash, which);

	return id ? id : 1;
}

struct otlp_context otlp_root(uint64_t hash)
{
	return (struct otlp_context){
		.trace = { id_of(hash, ID_TRACE_HIGH), id_of(hash, ID_TRACE_LOW) },
		.span = id_of(hash, ID_SPAN),
	};
}

struct otlp_context otlp_child(const struct otlp_context *parent, uint64_t hash)
{
	return (struct otlp_context){ .trace = { parent->trace[0], parent->trace[1] },
				      .span = id_of(hash, ID_SPAN) };
}

void otlp_append_context(struct buffer *out, const struct otlp_context *context)
{
	buffer_printf(out, "\"traceId\":\"%016llx%016llx\",\"spanId\":\"%016llx\"",
		      (unsigned long long)context->trace[0], (unsigned long long)context->trace[1],
		      (unsigned long long)context->span);
}

void otlp_append_parent(struct buffer *out, uint64_t span)
{
	buffer_printf(out, ",\"parentSpanId\":\"%016llx\"", (unsigned long long)span);
}

/** struct otlp_point - a flow, whose name lives as long as the timeline */
struct otlp_point {
	struct text name;
	uint64_t id;
	struct otlp_context context;
};

static bool point_is(const void *value, const void *key)
{
	const struct otlp_point *point = value;
	const struct field *flow = key;

	return point->id == flow->value.unsigned_number && text_equals(point->name, flow->name);
}

static uint64_t otlp_flow_hash(const struct field *flow)
{
	return hash_number(hash_text(flow->name) + flow->value.unsigned_number);
}

static struct otlp_point *otlp_point_find(const struct otlp_flows *flows, const struct field *flow)
{
	uint64_t hash = otlp_flow_hash(flow);
	struct otlp_point *point = map_find(&flows->recent, hash, point_is, flow);

	return point ? point : map_find(&flows->older, hash, point_is, flow);
}

const struct otlp_context *otlp_flows_find(const struct otlp_flows *flows, const struct field *flow)
{
	const struct otlp_point *point = otlp_point_find(flows, flow);

	return point ? &point->context : NULL;
}

static void otlp_points_free(struct map *points)
{
	for (size_t i = 0; i < points->capacity; i++)
		free(points->slots[i].value);
	map_release(points);
}

/* A flow that is used stays among the recent ones. */
static struct otlp_point *otlp_point_take(struct otlp_flows *flows, const struct field *flow,
					  uint64_t hash)
{
	struct otlp_point *point = map_find(&flows->older, hash, point_is, flow);

	if (point) {
		map_remove(&flows->older, hash, point);
		return point;
	}
	point = malloc(sizeof(*point));
	if (point)
		*point = (struct otlp_point){ .name = flow->name,
					      .id = flow->value.unsigned_number };
	return point;
}

static int otlp_point_add(struct otlp_flows *flows, const struct field *flow,
			  const struct otlp_context *context)
{
	uint64_t hash = otlp_flow_hash(flow);
	struct otlp_point *point = otlp_point_take(flows, flow, hash);

	if (!point)
		return -1;
	point->context = *context;
	if (flows->recent.size == OTLP_FLOWS_RECENT) {
		otlp_points_free(&flows->older);
		flows->older = flows->recent;
		flows->recent = (struct map){ 0 };
	}
	if (map_insert(&flows->recent, hash, point) == 0)
		return 0;
	free(point);
	return -1;
}

int otlp_flows_set(struct otlp_flows *flows, const struct field *flow,
		   const struct otlp_context *context)
{
	struct otlp_point *point = map_find(&flows->recent, otlp_flow_hash(flow), point_is, flow);

	if (!point)
		return otlp_point_add(flows, flow, context);
	point->context = *context;
	return 0;
}

void otlp_flows_release(struct otlp_flows *flows)
{
	otlp_points_free(&flows->recent);
	otlp_points_free(&flows->older);
}
