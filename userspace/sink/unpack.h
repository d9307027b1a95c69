/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes that somebody else compressed, of a size that is not known before. */
#ifndef SINK_UNPACK_H
#define SINK_UNPACK_H

#include "base/base.h"

/**
 * unpack_zlib - add what a zlib stream holds to a buffer
 * @most: what is more than that is none
 *
 * Returns false where @packed is no whole stream, or memory ran out.
 */
bool unpack_zlib(struct buffer *out, struct text packed, size_t most);

/** unpack_zstd - likewise of a zstd frame */
bool unpack_zstd(struct buffer *out, struct text packed, size_t most);

#endif
