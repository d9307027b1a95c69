/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An inspection: which programs run, without recording them. The reader's process opens their
 * memory; what it sends is taken as hostile.
 */
#ifndef USERRING_INSPECTION_H
#define USERRING_INSPECTION_H

#include "userring/helper.h"

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
 * @cut_pid: a process that the search left out, 0 if there is none
 * @nr_freed: memory that was switched off
 */
struct inspection {
	struct found_memory **list;
	size_t size;
	int cut_pid;
	unsigned int nr_freed;
};

/**
 * inspection_run - search programs and inspect them
 * @wants: as of struct helper_work
 *
 * Returns -1 with @error if it is not complete; @out has then what was found until then. The caller
 * releases it in any case.
 */
int inspection_run(struct inspection *out, enum inspection_kind kind,
		   bool (*wants)(void *context, int pid), struct error *error);

void inspection_release(struct inspection *inspection);

#endif
