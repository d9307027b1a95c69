/* SPDX-License-Identifier: GPL-2.0-only */
/* What sources do for the records of programs. */
#ifndef SOURCE_PROGRAMS_STREAM_H
#define SOURCE_PROGRAMS_STREAM_H

#include "source/source_ops.h"

/** stream_is_of_programs - whether a stream is that of programs */
bool stream_is_of_programs(const struct stream *stream);

/**
 * source_read_programs - read the rings before records are delivered
 * @until_ns: lowered to the time up to which programs' records are final
 *
 * Does nothing without programs. Returns -1 with @error.
 */
int source_read_programs(struct source *source, int64_t *until_ns,
			 const struct source_handler *handler, struct error *error);

/** source_finish_programs - all records that are left are final; returns -1 with @error */
int source_finish_programs(struct source *source, const struct source_handler *handler,
			   struct error *error);

/** source_account_programs - losses of programs' records */
void source_account_programs(const struct source *source, struct account *out);

/** source_programs_wait_ms - the timeout of a wait, shorter if rings must be read */
int source_programs_wait_ms(const struct source *source, int timeout_ms);

#endif
