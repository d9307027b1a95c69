/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows: where the records with an id of a flow were written, one after the other. */
#ifndef ANALYSIS_HOPS_H
#define ANALYSIS_HOPS_H

#include "analysis/history.h"

/** HOPS_FLOWS_MAX - limit of flows; when it is reached, all are forgotten */
#define HOPS_FLOWS_MAX 16384

/** HOPS_MAX - limit of records of a flow that are kept, the latest */
#define HOPS_MAX 8

/** struct hop - a record of a flow */
struct hop {
	int64_t time_ns;
	struct waker writer;
};

/**
 * struct hop_flow - a flow
 * @key: hash of its name and id
 * @hops: a ring, of which @nr_hops were written in all
 */
struct hop_flow {
	uint64_t key;
	struct hop hops[HOPS_MAX];
	unsigned int nr_hops;
};

/** struct hop_flows - all flows; a zeroed struct is empty */
struct hop_flows {
	struct map map;
};

/** hop_key - the key of a field that is the id of a flow */
uint64_t hop_key(const struct field *flow);

/** hop_flows_add - add a record of a flow; returns -1 if memory ran out */
int hop_flows_add(struct hop_flows *flows, uint64_t key, const struct hop *hop);

/** hop_flows_find - a flow, NULL if it is unknown */
const struct hop_flow *hop_flows_find(const struct hop_flows *flows, uint64_t key);

/** hop_get - a record of a flow; 0 is the latest; NULL if there are not so many */
const struct hop *hop_get(const struct hop_flow *flow, unsigned int number);

void hop_flows_release(struct hop_flows *flows);

#endif
