/* SPDX-License-Identifier: GPL-2.0-only */
/* Compresses an output with zstd while it is written; decompresses input of unknown size. */
#ifndef SINK_COMPRESSION_H
#define SINK_COMPRESSION_H

#include "base/base.h"

struct compressor;

struct sink_settings;

/**
 * compressor_new - begin to write a compressed file
 * @settings: its descriptor stays the caller's
 * @out: for compressor_free(); NULL if the output is not compressed
 *
 * The content is a sequence of zstd frames, each with a checksum. Returns 0, or -1 with @error: if
 * libzstd cannot be loaded, or if the file is appended to and does not end with a complete frame,
 * because decoders would not read what follows.
 */
int compressor_new(const struct sink_settings *settings, struct compressor **out,
		   struct error *error);

/** compressor_write - add @size bytes; returns -1 with errno, as file_write_all() */
int compressor_write(struct compressor *compressor, const char *data, size_t size);

/**
 * compressor_flush - write everything to the file, so that decoders can read it
 * @compressor: NULL for none, as in all that follow
 *
 * Completes the frame if it is large or old. Returns 0, or -1 with @error.
 */
int compressor_flush(struct compressor *compressor, struct error *error);

/** compressor_end - complete the last frame; returns -1 with @error */
int compressor_end(struct compressor *compressor, struct error *error);
/** compressor_free - complete the last frame if nothing failed */
void compressor_free(struct compressor *compressor);
/** zstd_frames_check - check that a regular file is empty or ends with a complete zstd frame */
int zstd_frames_check(int fd, const char *name, struct error *error);
/** decompress_zlib - append a zlib stream; false if it is damaged, or larger than @most bytes */
bool decompress_zlib(struct buffer *out, struct text compressed, size_t most);
/** decompress_zstd - the same for a zstd frame; sets @error if libzstd cannot be loaded */
bool decompress_zstd(struct buffer *out, struct text compressed, size_t most, struct error *error);

#endif
