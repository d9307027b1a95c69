/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of descriptors: collected while tracepoints are added, and read together. */
#ifndef CONVENTION_SYMBOLS_H
#define CONVENTION_SYMBOLS_H

#include "event/event.h"

struct convention;

/** struct symbols_pending - a descriptor whose symbols are not read yet, and its format */
struct symbols_pending {
	struct descriptor *descriptor;
	char *format;
	size_t size;
};

/**
 * struct convention_symbols - state of reading symbols
 * @is_wanted: symbols are read
 * @pending_size: bytes of all @pending formats
 * @failed: the first descriptor whose symbols could not be read since the last report
 * @reason: why, a constant text
 * @nr_failed: number of these descriptors
 * @unnamed: the first descriptor since the last report with a text whose value is only a name
 * @enumerator: that name
 * @nr_unnamed: number of these descriptors
 */
struct convention_symbols {
	bool is_wanted;
	struct symbols_reader reader;
	struct symbols_pending *pending;
	size_t nr_pending;
	size_t pending_size;
	const struct descriptor *failed;
	const char *reason;
	size_t nr_failed;
	const struct descriptor *unnamed;
	char *enumerator;
	size_t nr_unnamed;
};

/**
 * convention_queue_symbols - remember the format of a descriptor if it has symbols that are wanted
 *
 * Returns 0, or -1 if memory ran out.
 */
int convention_queue_symbols(struct convention *convention, struct descriptor *descriptor,
			     struct text format);

/**
 * convention_note_enumerator - remember a text of a descriptor whose value is not in the format
 *
 * Returns 0, or -1 if memory ran out.
 */
int convention_note_enumerator(struct convention *convention, const struct descriptor *descriptor,
			       struct text format);

void extra_symbols_free(struct extra_symbols *own);

/** extra_symbols_size - the memory of a descriptor's symbols in bytes, 0 if it has none */
size_t extra_symbols_size(const struct descriptor *descriptor);

void convention_symbols_release(struct convention_symbols *symbols);

#endif
