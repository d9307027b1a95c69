/* SPDX-License-Identifier: GPL-2.0-only */
/* Decompresses input of unknown size. */
#ifndef SINK_DECOMPRESS_H
#define SINK_DECOMPRESS_H

#include "base/base.h"

/**
 * decompress_zlib - append the content of a zlib stream
 * @most: limit of its size in bytes
 *
 * Returns false if the stream is incomplete, damaged or larger, or if memory ran out.
 */
bool decompress_zlib(struct buffer *out, struct text compressed, size_t most);

/** decompress_zstd - the same for a zstd frame; sets @error if libzstd cannot be loaded */
bool decompress_zstd(struct buffer *out, struct text compressed, size_t most, struct error *error);

#endif
