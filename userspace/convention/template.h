/* SPDX-License-Identifier: GPL-2.0-only */
/* Matching an event's format against the convention. */
#ifndef CONVENTION_TEMPLATE_H
#define CONVENTION_TEMPLATE_H

#include "convention/convention.h"
#include "convention/format.h"

/**
 * template_new - look at the fields of an event of @system
 * @out: a new template for template_free(), or NULL where the event does not follow the convention
 * @is_swapped: its records are in the other byte order than this machine's
 *
 * Returns 0, or -1 where memory ran out.
 */
int template_new(struct template **out, const char *system, const struct format *format,
		 bool is_swapped);

void template_free(struct template *template);

/** template_memory - how many bytes a template takes */
size_t template_memory(const struct template *template);

#endif
