/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes trace.dat version 6, which lacks compression, sections and their table: records are moved
 * without being parsed.
 */
#ifndef TRACEDAT_WRITER_H
#define TRACEDAT_WRITER_H

#include "tracedat/spool.h"

/** writer_put_u16, writer_put_u32, writer_put_u64 - append a number in this machine's byte order */
void writer_put_u16(struct buffer *out, uint16_t number);
void writer_put_u32(struct buffer *out, uint32_t number);
void writer_put_u64(struct buffer *out, uint64_t number);

/** writer_put_formats - append the begin of a file: header, layout of records, formats */
void writer_put_formats(struct buffer *out, const struct formats *formats);

/** writer_put_machine - append clock, date, kernel, writer and id; returns -1 with @error */
int writer_put_machine(struct buffer *out, const struct spool *spool, struct error *error);

/**
 * writer_put_options - append the same and the current statistics
 *
 * Returns -1 with @error.
 */
int writer_put_options(struct buffer *out, const struct spool *spool, struct error *error);

/** writer_write - write the trace.dat of a spool to @fd; returns -1 with @error */
int writer_write(struct spool *spool, int fd, struct error *error);

#endif
