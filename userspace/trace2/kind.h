/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What all targets need to know of each kind of event. */
#ifndef TRACE2_KIND_H
#define TRACE2_KIND_H

#include "trace2/trace2.h"

/** KIND_HEAD_MAX - all of a head, so that a copy has a constant size */
#define KIND_HEAD_MAX 32

/**
 * struct kind - one kind of event
 * @name: what api-trace2 calls it
 * @head, @head_size: how its EVENT lines begin
 * @column: the name and enough blanks for PERF's column
 * @has_t_abs: EVENT tells when it was
 * @may_have_t_abs: git's EVENT does not, ours may
 * @has_t_abs_column: PERF does
 * @has_secrets: it has words of a command line or values, in which passwords are not told
 */
struct kind {
	const char *name;
	char head[KIND_HEAD_MAX];
	size_t head_size;
	char column[KIND_HEAD_MAX];
	bool has_t_abs;
	bool may_have_t_abs;
	bool has_t_abs_column;
	bool has_secrets;
};

extern const struct kind kinds[TRACE2_KIND_COUNT];

#endif
