/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes descriptors from the formats of tracepoints that follow the convention. */
#ifndef CONVENTION_DESCRIPTOR_H
#define CONVENTION_DESCRIPTOR_H

#include "event/event.h"

/**
 * descriptor_new - match the fields of an event of @system
 * @out: a new descriptor for descriptor_free(), or NULL if the event does not follow the
 * convention
 * @is_swapped: the records' byte order is not this machine's
 *
 * Returns 0, or -1 if memory ran out.
 */
int descriptor_new(struct descriptor **out, const char *system, const struct format *format,
		   bool is_swapped);

/** descriptor_free - free a descriptor; NULL is allowed */
void descriptor_free(struct descriptor *descriptor);
/** descriptor_size - memory of a descriptor, in bytes */
size_t descriptor_size(const struct descriptor *descriptor);
/** extra_symbols_free - free the symbols of a descriptor; NULL is allowed */
void extra_symbols_free(struct extra_symbols *own);
/** extra_symbols_size - the memory of a descriptor's symbols in bytes, 0 if it has none */
size_t extra_symbols_size(const struct descriptor *descriptor);

#endif
