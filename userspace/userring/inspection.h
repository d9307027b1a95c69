/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An inspection: which programs run, without recording them. The reader's process opens their
 * memory; what it sends is taken as hostile.
 */
#ifndef USERRING_INSPECTION_H
#define USERRING_INSPECTION_H

#include "userring/helper.h"
#include "userring/refusals.h"

/**
 * struct found_memory - a memory that was found
 * @events: names of its events, as "SYSTEM:EVENT", each once
 * @by_name: the same
 */
struct found_memory {
	struct part_found found;
	char **events;
	size_t nr_events;
	struct map by_name;
};

/**
 * struct inspection - what was found
 * @cut_pids: processes that a search left out, @nr_cut of them
 * @nr_freed: memory that was switched off
 */
struct inspection {
	struct found_memory **list;
	size_t size;
	int cut_pids[REFUSALS_MAX];
	size_t nr_cut;
	unsigned int nr_freed;
};

#endif
