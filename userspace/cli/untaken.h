/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that the convention does not take: how many, and of which systems. */
#ifndef CLI_UNTAKEN_H
#define CLI_UNTAKEN_H

#include "convention/convention.h"
#include "source/source.h"

/** UNTAKEN_REMEDY - what helps if a source has nothing else */
#define UNTAKEN_REMEDY "'ktrack list' shows the tracepoints of this machine that make track events"

/**
 * struct untaken - the records by the id of their tracepoint; zeroed there are none
 * @counts: one for each id, NULL before the first record
 */
struct untaken {
	uint64_t *counts;
	uint64_t total;
};

/** untaken_add - one record more; returns -1 with @error if memory ran out */
int untaken_add(struct untaken *untaken, uint16_t id, struct error *error);

/**
 * untaken_print - print one line about a source: how many such records it has, of which systems,
 * and what to do if it has nothing else; to be called once
 * @convention: its tracepoints that name threads count only if there are no track events
 * @name: of the source
 * @is_empty: it has no track events
 *
 * Records of tracepoints that the source does not describe are left out; source_damage() is about
 * them.
 */
void untaken_print(struct untaken *untaken, struct source *source,
		   const struct convention *convention, const char *name, bool is_empty);

void untaken_release(struct untaken *untaken);

#endif
